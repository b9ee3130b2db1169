"""Newton's method on the equations of a family and one linear condition: the corrector of continuation.

Unknowns are z = (x, p). A plane is normal . (z - origin) / scale = distance; a fixed frequency is the plane p = const.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.family import Family

MAX_NEWTON_STEPS = 12  # of Newton, from a prediction; where it takes more, a smaller step along the curve is cheaper
MAX_START_STEPS = 60  # the same at a start, where there is nothing better to fall back on
MAX_STEP_HALVINGS = 6
MAX_RESIDUAL_GROWTH = 1.5  # of the residual that a step may bring where the equations have corners
SCALED_STEP_ROUNDING = 1e-13  # scaled; a Newton step below this cannot make a point better
STALLED_TOLERANCES = 1e3  # tolerances; what such a point may leave
MIN_CROSSING_SINE = 1e-9  # the sine of an angle between tangent and plane that is none
NOT_FINITE_MESSAGE = "the derivatives of the orbit are not finite; a load or a parameter may be too small or too large"
# of the largest pivot: below it a direction is neutral (a slider that never slips), and left alone
RANK_PIVOT_REL = 1e-11


class NewtonStalled(NotConverged):
    """Newton's method did not converge, though the equations could be evaluated wherever it led."""


class Plane(NamedTuple):
    """normal, origin, scale : (size + 1,); distance from the origin along the normal, in units of the scale."""

    normal: Array
    origin: Array
    scale: Array
    distance: float


class PlaneSolution(NamedTuple):
    """What a compiled corrector leaves.   direction : (size + 1,) of the curve, scaled, of any length.

    matrix : (size + 1, size + 1) scaled derivatives with the plane's row.   steps : of Newton.
    residual : the largest scaled one.
    """

    direction: Array
    matrix: Array
    steps: int
    residual: float


class CurvePoint(NamedTuple):
    """A point on the curve of a family.

    z : (size + 1,) unknowns and parameter.   scale : (size + 1,) by which a length along the curve is measured here.
    tangent : (size + 1,) of length one, in units of the scale.
    iterations : of Newton.   residual : largest scaled one left.
    turn : [rad] between the tangent here and the normal of the plane it was found on.
    sign : that the curve keeps (see `orientation`); 0 where it is not known.
    """

    z: Array
    scale: Array
    tangent: Array
    iterations: int
    residual: float
    turn: float = 0.0
    sign: float = 0.0

    @property
    def x(self) -> Array:
        return self.z[:-1]

    @property
    def p(self) -> float:
        return float(self.z[-1])

    @property
    def slope(self) -> Array:
        """(size + 1,) the tangent in the units of unknowns and parameter."""
        return self.tangent * self.scale

    def plane(self, distance: float) -> Plane:
        """The plane across the tangent, so far ahead."""
        return Plane(self.tangent, self.z, self.scale, distance)

    def ahead(self, z: Array) -> float:
        """How far z lies ahead along the tangent."""
        return float(self.tangent @ ((z - self.z) / self.scale))

    def reversed(self) -> CurvePoint:
        return self._replace(tangent=-self.tangent, sign=-self.sign)


def parameter_plane(z: Array, p: float, scale: Array) -> Plane:
    """The plane of one value of the parameter."""
    normal, origin = np.zeros(z.size), z.copy()
    normal[-1], origin[-1] = 1.0, p
    return Plane(normal, origin, scale, 0.0)


def scale_of(family: Family, z: Array, span: float) -> Array:
    """(size + 1,) the family's scales and that of the parameter."""
    scale = np.empty(z.size)
    scale[:-1] = family.scales(z[:-1], float(z[-1]))
    scale[-1] = family.reach(float(z[-1]), span)
    return scale


def correct(
    family: Family,
    guess: Array,
    plane: Plane,
    most: int = MAX_NEWTON_STEPS,
    retries: bool = True,
    rough: bool = False,
    jumps: bool = False,
) -> CurvePoint:
    """The point of the curve on a plane, by Newton from a guess; raises `NotConverged`.

    Its tangent points to the side of the plane that the normal points to, and is measured as the plane is.
    retries : a step to where the equations cannot be evaluated is halved, which takes as long again each time.
    rough : its tangent serves for a prediction only.   jumps : accept the residual by which the equations jump.
    """
    quickly = family.corrected(guess, plane, rough)
    if quickly is not None:
        return quickly
    z, tolerance, row = guess, family.tolerance, plane.normal / plane.scale
    matrix, residual = _evaluate(family, z, plane, row)
    size = _length(residual)
    for count in range(most + 1):
        if size <= tolerance or (size <= tolerance * z.size and _largest(residual) <= tolerance):
            return _curve_point(z, plane, matrix, residual, count)
        if count == most:
            break
        step = solve_scaled(matrix, -residual, plane.scale)
        z, matrix, residual, size = _shortened(family, z, step, plane, row, MAX_RESIDUAL_GROWTH * size, retries)
        if size <= STALLED_TOLERANCES * tolerance and _length(step / plane.scale) <= SCALED_STEP_ROUNDING:
            return _curve_point(z, plane, matrix, residual, count + 1)
    if jumps and size <= family.jump:
        return _curve_point(z, plane, matrix, residual, most)
    raise NewtonStalled(
        f"Newton's method left a residual of {_largest(residual):.1e} (at most {tolerance:.1e}) after {most} steps"
    )


def _shortened(
    family: Family, z: Array, step: Array, plane: Plane, row: Array, bearable: float, retries: bool
) -> tuple[Array, Array, Array, float]:
    """Where Newton's step leads, halved until the length of the residual does not grow beyond what is bearable."""
    held = bool(plane.normal[-1] == 1.0)
    for k in range(MAX_STEP_HALVINGS + 1):
        trial = z + (step if k == 0 else 0.5**k * step)
        if _vanished(trial, plane.scale):
            trial[:-1] = 0.0
        if held:  # to the last digit
            trial[-1] = plane.origin[-1]
        try:
            matrix, residual = _evaluate(family, trial, plane, row)
        except NotConverged:
            if k == MAX_STEP_HALVINGS or not retries:
                raise
            continue
        size = _length(residual)
        if k == MAX_STEP_HALVINGS or size <= bearable:
            break
    return trial, matrix, residual, size


def _vanished(z: Array, scale: Array) -> bool:
    """True for an orbit that is at rest but for rounding: measured by its own size it would never get there."""
    x = z[:-1] / scale[:-1]
    return bool(0.0 < x.dot(x) <= SCALED_STEP_ROUNDING**2)


def tangent_at(family: Family, z: Array, scale: Array, along: Array) -> Array:
    """(size + 1,) the unit tangent nearest to the direction ``normalised_tangent``, both in units of the scale."""
    plane = Plane(along / np.sqrt(along @ along), z, scale, 0.0)
    matrix, _ = _evaluate(family, z, plane, plane.normal / scale)
    return _tangent(matrix, plane)[0]


def with_own_tangent(family: Family, located: CurvePoint) -> CurvePoint:
    """The same point with the tangent of the derivatives there: that of a corrector may be one Newton step old."""
    return located._replace(tangent=tangent_at(family, located.z, located.scale, located.tangent))


def newton_at(family: Family, guess: Array, p: float, scale: Array, most: int = 20) -> CurvePoint:
    """The orbit at p near a guess z, whose own parameter does not count."""
    guess = guess.copy()
    guess[-1] = p
    return correct(family, guess, parameter_plane(guess, p, scale), most)


def solve_at(family: Family, x: Array, p: float, span: float) -> CurvePoint:
    """An orbit at p from a guess, measured by the scales of what was found."""
    z = np.append(x, p)
    found = newton_at(family, z, p, scale_of(family, z, span), MAX_START_STEPS)
    scale = scale_of(family, found.z, span)
    along = found.slope / scale
    return found._replace(scale=scale, tangent=along / math.sqrt(along.dot(along)), turn=0.0)


def solve_scaled(matrix: Array, right: Array, scale: Array) -> Array:
    """The solution of a system for one right side or for columns of them, in least squares where it is not unique.

    Entering stick loses rank, and a slider that never slips may rest anywhere: the shortest step leaves it alone.
    scale : of the unknowns, by which pivots are compared and steps are short.
    """
    if matrix.shape[0] == matrix.shape[1]:
        factors, _, solution, info = lapack.dgesv(matrix, right)
        if info == 0:
            pivots = np.abs(factors.diagonal() * scale)
            if np.minimum.reduce(pivots) > RANK_PIVOT_REL * np.maximum.reduce(pivots):
                return np.asarray(solution)
    scaled = matrix * scale
    if not (np.isfinite(scaled).all() and np.isfinite(right).all()):  # LAPACK may never come back from these
        raise NotConverged(NOT_FINITE_MESSAGE)
    try:
        return np.asarray((scale * np.linalg.lstsq(scaled, right, rcond=RANK_PIVOT_REL)[0].T).T)
    except np.linalg.LinAlgError:
        raise NotConverged(NOT_FINITE_MESSAGE) from None


def determinant_sign(matrix: Array) -> float:
    """The sign of the determinant; 0 where the matrix is not square, or that sign would be one of rounding."""
    if matrix.shape[0] != matrix.shape[1]:
        return 0.0
    factors, swaps, _ = lapack.dgetrf(matrix)
    pivots = factors.diagonal()
    sizes = np.abs(pivots)
    if not np.minimum.reduce(sizes) > RANK_PIVOT_REL * np.maximum.reduce(sizes):
        return 0.0
    odd = int(np.count_nonzero(pivots < 0.0)) + int(np.count_nonzero(swaps != np.arange(swaps.size)))
    return -1.0 if odd % 2 else 1.0


def _evaluate(family: Family, z: Array, plane: Plane, row: Array) -> tuple[Array, Array]:
    """The derivatives with the plane's own row below them, and the residual with that of the plane below."""
    r, by_x, by_p = family.linearise(z[:-1], float(z[-1]))
    rows = r.size
    matrix = np.empty((rows + 1, z.size), order="F")
    matrix[:rows, :-1] = by_x
    matrix[:rows, -1] = by_p
    matrix[rows] = row
    residual = np.empty(rows + 1)
    residual[:rows] = r
    residual[rows] = row.dot(z - plane.origin) - plane.distance
    return matrix, residual


def _length(vector: Array) -> float:
    """Its length: the quickest way to see that it is finite, and small."""
    with np.errstate(over="ignore"):
        square = float(vector.dot(vector))
    if not square < np.inf:
        raise NotConverged("the residual of the orbit is not finite")
    return math.sqrt(square)


def _largest(vector: Array) -> float:
    return float(np.abs(vector).max())


def point_from_compiled(z: Array, plane: Plane, search: PlaneSolution) -> CurvePoint | None:
    """The point that a compiled corrector came to; None if the curve runs along the plane there."""
    found = _normalised_tangent(search.direction, plane)
    if found is None:
        return None
    sign = determinant_sign(search.matrix)
    return CurvePoint(z, plane.scale, found[0], search.steps, search.residual, found[1], sign)


def _curve_point(z: Array, plane: Plane, matrix: Array, residual: Array, count: int) -> CurvePoint:
    tangent, turn = _tangent(matrix, plane)
    return CurvePoint(z, plane.scale, tangent, count, _largest(residual), turn, determinant_sign(matrix * plane.scale))


def _tangent(matrix: Array, plane: Plane) -> tuple[Array, float]:
    """The direction in which only the plane's own row changes, and its angle [rad] to the normal."""
    right = np.zeros(matrix.shape[0])
    right[-1] = 1.0
    found = _normalised_tangent(solve_scaled(matrix, right, plane.scale) / plane.scale, plane)
    if found is not None:
        return found
    try:  # the curve runs along the plane: a fold, seen from a plane of one frequency
        return np.asarray(np.linalg.svd(matrix[:-1] * plane.scale)[2][-1]), 0.5 * np.pi
    except np.linalg.LinAlgError:
        raise NotConverged(NOT_FINITE_MESSAGE) from None


def _normalised_tangent(direction: Array, plane: Plane) -> tuple[Array, float] | None:
    """A direction (size + 1,) made one of length one, and its angle [rad] to the normal; None if it runs along the
    plane."""
    length, across = math.sqrt(direction.dot(direction)), float(plane.normal.dot(direction))
    if 0.0 < length < np.inf and across > MIN_CROSSING_SINE * length:
        return direction / length, math.acos(min(across / length, 1.0))
    return None
