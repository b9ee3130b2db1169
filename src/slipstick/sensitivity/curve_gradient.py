"""Derivatives of figures of curves: of their points, their peaks and their folds.

A peak is where the figure has no slope along the curve, so its height changes as the figure of any orbit that moves
with the parameter and stays on the curve. Its place follows from the derivative of that slope.

At a fold R_x is singular, with the left null vector w. From R_x dx + R_p dp + R_theta dtheta = 0 its place moves by
dp = -(w R_theta) / (w R_p) dtheta.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, NotConverged, short_repr
from slipstick.periodic.continuation.corrector import CurvePoint, Plane, correct
from slipstick.periodic.curve_solver import CurveSolver
from slipstick.periodic.saved_curve_solver import SavedCurveSolver
from slipstick.results.curve import Curve
from slipstick.results.gradient import Gradient
from slipstick.results.orbit import NO_ORBITS, OrbitPoint
from slipstick.sensitivity.orbit_equations import OrbitDerivative, OrbitEquations
from slipstick.sensitivity.orbit_figures import Figure, orbit_figure
from slipstick.sensitivity.orbit_gradient import (
    FREQUENCY,
    FigureDerivatives,
    gradient_of,
    naming,
    point_slopes,
    split_frequency,
)
from slipstick.sensitivity.parameters import Parameter, parameters_of
from slipstick.sensitivity.richardson import Derivative, derivative

MAX_POLISHING_STEPS = 8  # of the secant method, for the place of a peak or a fold
FOLD_SLOPE = 1e-9  # of the tangent's part along the parameter, at a fold that is found
PEAK_SLOPE = 1e-7  # of the figure over its scale, at a peak that is found
FIRST_LENGTH = 1e-3  # along the curve, of its scale
FOLD_FIGURES = ("frequency", "parameter")


class PointOnCurve(NamedTuple):
    """A point of a curve with its tangent (size + 1,), scaled.   scale : (size + 1,)."""

    z: Array
    tangent: Array
    scale: Array

    def plane(self, along: float) -> Plane:
        return Plane(self.tangent, self.z, self.scale, along)

    @property
    def x(self) -> Array:
        return self.z[:-1]

    @property
    def p(self) -> float:
        return float(self.z[-1])


def curve_gradient(curve: Curve, figure: str, by: Any) -> Gradient:
    """Derivatives of a figure of a curve.

    figure : "x.peak", "x.peak_frequency", "folds.0.frequency", "x.amplitude" (all points), "points.3.x.amplitude".
    """
    if curve.model is None:
        parameters_of(None, by)
    solver = curve.origin.solver if isinstance(curve.origin, SavedCurveSolver) else curve.origin
    if not isinstance(solver, CurveSolver):
        raise InvalidInput(NO_ORBITS)
    equations = OrbitEquations(solver.maker, solver.subharmonic, curve.stats.parameter)
    wanted, swept = split_frequency(curve.model, by)
    first, _, rest = figure.partition(".")
    if swept and not (first == "points" or _is_column(figure)):
        raise InvalidInput(f"{figure} is not at one frequency, so it has no derivative by it").about("by")
    if swept and curve.stats.parameter != FREQUENCY:
        raise InvalidInput("a curve over another parameter has no derivatives by the frequency").about("by")
    equations.check(wanted)
    if first == "folds":
        return _fold_gradient(curve, equations, figure, by, wanted)
    if figure.rpartition(".")[2] in ("peak", "peak_frequency"):
        return _peak_gradient(curve, equations, figure, by, wanted)
    if first == "points":
        number, _, name = rest.partition(".")
        index = _whole(number, len(curve), figure, "points")
        point, read = curve.points[index], orbit_figure(name, curve.names, "a curve")
        one = point_slopes(equations, read, (point.x, point.p), wanted, swept)
        return gradient_of(figure, read.at(point), wanted, one, by, point.frequency)
    return _of_all_points(curve, equations, figure, by, wanted, swept)


def _is_column(figure: str) -> bool:
    return figure.partition(".")[0] != "folds" and figure.rpartition(".")[2] not in ("peak", "peak_frequency")


def _whole(text: str, count: int, figure: str, what: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = count
    if not -count <= number < count:
        known = f"0 to {count - 1}" if count else "none"
        raise InvalidInput(f"{short_repr(figure)}: the {what} of this curve are {known}").about("figure")
    return number % count


def _of_all_points(
    curve: Curve, equations: OrbitEquations, figure: str, by: Any, wanted: list[Parameter], swept: bool
) -> Gradient:
    """Derivatives at all points of the curve; not a number where an orbit has none."""
    read = orbit_figure(figure, curve.names, "a curve")
    rows: list[FigureDerivatives] = []
    blank = dict.fromkeys([*(each.name for each in wanted), *([FREQUENCY] if swept else [])], math.nan)
    for point in curve.points:
        try:
            rows.append(point_slopes(equations, read, (point.x, point.p), wanted, swept))
        except NotConverged:
            rows.append(FigureDerivatives(blank, blank))
    values = {key: np.array([row.values[key] for row in rows]) for key in blank}
    errors = {key: float(np.nanmax([row.errors[key] for row in rows], initial=0.0)) for key in blank}
    found: Any = FigureDerivatives(values, errors)  # type: ignore[arg-type]
    return gradient_of(figure, np.array([read.at(point) for point in curve.points]), wanted, found, by, math.nan)


# ---- places on the curve


def _place(equations: OrbitEquations, point: OrbitPoint, span: float) -> PointOnCurve:
    """A point of the curve with its tangent."""
    family = equations.base
    z = np.append(point.x, point.p)
    scale = np.append(family.scales(point.x, point.p), family.reach(point.p, span))
    by_x, by_p = equations.linearised(point.x, point.p)
    tangent = np.linalg.svd(np.column_stack([by_x, by_p]) * scale)[2][-1]
    return _moved(equations, PointOnCurve(z, tangent, scale), 0.0)


def _moved(equations: OrbitEquations, at: PointOnCurve, along: float) -> PointOnCurve:
    """The point of the curve so far ahead, with its tangent."""
    found: CurvePoint = correct(equations.base, at.z + along * at.tangent * at.scale, at.plane(along))
    by_x, by_p = equations.linearised(found.x, found.p)
    tangent = np.linalg.svd(np.column_stack([by_x, by_p]) * at.scale)[2][-1]
    return PointOnCurve(found.z, tangent if tangent @ at.tangent > 0.0 else -tangent, at.scale)


def _polished(
    equations: OrbitEquations, first: PointOnCurve, slope: Callable[[PointOnCurve], float], limit: float, what: str
) -> PointOnCurve:
    """The point near another one at which a slope is zero, by the secant method along the curve."""
    at, value = first, slope(first)
    before: tuple[float, float] | None = None
    along = 0.0
    best = (abs(value), at)
    for _ in range(MAX_POLISHING_STEPS):
        if abs(value) <= 1e-3 * limit:
            break
        if before is None or before[1] == value:
            step = FIRST_LENGTH
        else:
            step = -value * (along - before[0]) / (value - before[1])
        if not abs(along + step) < 0.1:
            break
        before, along = (along, value), along + step
        at = _moved(equations, first, along)
        value = slope(at)
        best = min(best, (abs(value), at), key=lambda pair: pair[0])
    if best[0] > limit:
        raise NotConverged(f"{what} is a corner of the curve, where derivatives from both sides differ")
    return best[1]


# ---- folds


def _fold_gradient(curve: Curve, equations: OrbitEquations, figure: str, by: Any, wanted: list[Parameter]) -> Gradient:
    parts = figure.split(".")
    folds = [each for each in curve.special if each["kind"] == "fold"]
    if len(parts) not in (2, 3) or (len(parts) == 3 and parts[2] not in FOLD_FIGURES):
        raise InvalidInput(f'a fold has a frequency, such as "folds.0.frequency", got {short_repr(figure)}').about(
            "figure"
        )
    if len(parts) == 3 and parts[2] == FREQUENCY and curve.stats.parameter != FREQUENCY:
        raise InvalidInput(f'a fold of this curve has a parameter: "folds.{parts[1]}.parameter"').about("figure")
    if equations.base.sampled:
        words = "harmonic balance samples laws with corners, so folds have no exact derivative"
        raise InvalidInput(words, advice=['compute the curve with method="shooting"'])
    fold = folds[_whole(parts[1], len(folds), figure, "folds")]
    span = abs(curve.stats.end - curve.stats.begin)
    point = curve.points[fold["point"]]
    at = _polished(
        equations, _place(equations, point, span), lambda place: float(place.tangent[-1]), FOLD_SLOPE, "the fold"
    )
    by_x, by_p = equations.linearised(at.x, at.p)
    left = np.linalg.svd(by_x * at.scale[:-1])[0][:, -1]
    values: dict[str, float] = {}
    errors: dict[str, float] = {}
    for each in wanted:
        with naming(each.name):
            found = equations.by_parameter(each, at.x, at.p)
        values[each.name] = -float(left @ found.value) / float(left @ by_p)
        largest = float(np.abs(found.value).max(initial=0.0)) / abs(float(left @ by_p))
        errors[each.name] = found.error * largest
    return gradient_of(figure, at.p, wanted, FigureDerivatives(values, errors), by)


# ---- peaks


def _peak_gradient(curve: Curve, equations: OrbitEquations, figure: str, by: Any, wanted: list[Parameter]) -> Gradient:
    owner, _, quantity = figure.rpartition(".")
    name = owner or _only_coordinate(curve, figure)
    peak = curve.peak(name)
    read = orbit_figure(f"{name}.amplitude", curve.names, "a curve")
    if not peak.within:
        if quantity != "peak":
            words = f"the largest amplitude of {name} is at an end of the curve, which stays where it is"
            raise InvalidInput(words).about("figure")
        at = (peak.point.x, peak.point.p)
        return gradient_of(figure, peak.amplitude, wanted, point_slopes(equations, read, at, wanted, False), by)
    if equations.base.sampled:
        words = "harmonic balance samples laws with corners, so the peak of the curve has no exact derivative"
        raise InvalidInput(words, advice=['compute the curve with method="shooting"'])
    top = _Top(equations, read, peak.amplitude)
    place = top.polished(_place(equations, peak.point, abs(curve.stats.end - curve.stats.begin)))
    found = top.heights(place, wanted) if quantity == "peak" else top.places(place, wanted)
    here = float(equations.value(read, None, 0.0, place.x, place.p)[0]) if quantity == "peak" else place.p
    return gradient_of(figure, here, wanted, found, by)


def _only_coordinate(curve: Curve, figure: str) -> str:
    names = curve.names.coordinates
    if len(names) > 1:
        words = f"{figure} is a figure of one coordinate; write it with its name, such as {names[0]}.{figure}"
        raise InvalidInput(words).about("figure")
    return names[0]


class _Top:
    """The peak of a figure along a curve.   size : of the figure."""

    def __init__(self, equations: OrbitEquations, figure: Figure, size: float) -> None:
        self.equations, self.figure, self.size = equations, figure, size

    def slope(self, place: PointOnCurve, parameter: Parameter | None = None, change: float = 0.0) -> float:
        """Derivative of the figure along the tangent, over its size."""
        step = place.tangent * place.scale

        def along(s: float) -> Array:
            z = place.z + s * step
            return self.equations.value(self.figure, parameter, change, z[:-1], float(z[-1]))

        return float(derivative(along, along(0.0), 1.0).value[0]) / self.size

    def polished(self, place: PointOnCurve) -> PointOnCurve:
        return _polished(self.equations, place, self.slope, PEAK_SLOPE, "the peak")

    def heights(self, place: PointOnCurve, wanted: list[Parameter]) -> FigureDerivatives:
        """Derivatives of the height of the peak."""
        equations = self.equations
        matrix, by_p = equations.linearised(place.x, place.p)
        values: dict[str, float] = {}
        errors: dict[str, float] = {}
        for each in wanted:
            with naming(each.name):
                motion = equations.motion_on_curve(each, place.x, place.p, matrix, by_p)
                own = equations.figure_along(self.figure, motion, place.x, place.p, each)
            values[each.name] = float(own.value[0])
            errors[each.name] = own.error * abs(float(own.value[0]))
        return FigureDerivatives(values, errors)

    def places(self, place: PointOnCurve, wanted: list[Parameter]) -> FigureDerivatives:
        """Derivatives of the parameter of the curve at the peak."""
        equations = self.equations
        matrix, by_p = equations.linearised(place.x, place.p)

        def ahead(s: float) -> Array:
            return np.array([self.slope(_moved(equations, place, s))])

        curvature = derivative(ahead, ahead(0.0), 1.0, first=10.0 * FIRST_LENGTH)
        values: dict[str, float] = {}
        errors: dict[str, float] = {}
        for each in wanted:
            with naming(each.name):
                motion = equations.motion_on_curve(each, place.x, place.p, matrix, by_p)
                turned = self._turned(place, each, motion)
            along = -float(turned.value[0]) / float(curvature.value[0])
            slope = float(place.tangent[-1] * place.scale[-1])
            values[each.name] = motion.p + along * slope
            errors[each.name] = (turned.error + curvature.error + motion.error) * max(abs(motion.p), abs(along * slope))
        return FigureDerivatives(values, errors)

    def _turned(self, place: PointOnCurve, parameter: Parameter, motion: OrbitDerivative) -> Derivative:
        """Derivative of the slope at the orbit that moves with the parameter."""
        equations = self.equations
        step = np.append(motion.x, motion.p)

        def value(s: float) -> Array:
            family = equations.family(parameter, s, place.p)
            guess = place.z + s * step
            found = correct(family, guess, Plane(place.tangent, guess, place.scale, 0.0))
            own = family.linearise(found.x, found.p)
            tangent = np.linalg.svd(np.column_stack([own.by_x, own.by_p]) * place.scale)[2][-1]
            tangent = tangent if tangent @ place.tangent > 0.0 else -tangent
            return np.array([self.slope(PointOnCurve(found.z, tangent, place.scale), parameter, s)])

        return derivative(value, value(0.0), parameter.scale, first=1e-2)
