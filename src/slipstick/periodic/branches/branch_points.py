"""Branch points: told from folds and located, with the tangents of both branches.

At a branch point the derivatives by unknowns and parameter lose rank together (at a fold they keep it), so a point
that is solved for there may lie anywhere along the other branch. But each branch is smooth: where it crosses is read
off from points to both sides, at which the equations are regular.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint
from slipstick.periodic.continuation.curve_segment import CurveSegment
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.path import Path
from slipstick.periodic.continuation.point_checks import orientation
from slipstick.periodic.continuation.step_control import ParameterRange, StepControl

CHEBYSHEV_PLACES = np.cos(np.pi * (np.arange(6) + 0.5) / 6.0)  # places of the points to both sides; none in the middle
FIT_HALF_WIDTHS = (0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3)  # of the stretch, to each side
MIN_IMPROVEMENT = 0.5  # of the change before: where it falls by less, rounding is met
MAX_LOCATION_ERROR = 1e-6  # length: a branch point that is not known as well is none
# the same of one that is told all the same, with that error: derivatives as good as a balance has them
MAX_ROUGH_LOCATION_ERROR = 1e-4
RANK_LOST_REL = 1e-3  # of what it is at the ends of the stretch: a singular value so small is lost
NEVER_FULL_RANK_REL = 1e-9  # of the largest: a singular value so small has been lost for long (stick)
MIDDLE_TOLERANCE_REL = 1e-2  # of a stretch: how well the middle of the points to both sides is known
SMALL_STEP_COUNT = 16  # of a stretch that is gone along once more by small steps
SECOND_DIFFERENCE_REL = 1e-4  # of the orbit: to both sides, for second derivatives


class BranchPoint(NamedTuple):
    """A branch point on a stretch.

    along : how far.   located : the point, its tangent along the stretch.   error : length that it may be off by.
    """

    along: float
    located: CurvePoint
    error: float


def branch_point_near(stretch: CurveSegment, along: float) -> BranchPoint | None:
    """The branch point of a stretch near a place; None where the derivatives keep their rank, as at a fold."""
    best: BranchPoint | None = None
    change = np.inf
    for reach in FIT_HALF_WIDTHS:
        try:
            found, z, left = _read_off(stretch, along, reach * stretch.length)
        except (NotConverged, np.linalg.LinAlgError):
            continue  # an event between these points, or one of them too near
        if best is not None:
            new = _length((z - best.located.z) / stretch.a.scale)
            if new > MIN_IMPROVEMENT * change and change < MAX_LOCATION_ERROR:
                break
            change = new
        best = BranchPoint(found, stretch.a._replace(z=z), min(change, reach) + left)
        along = found
    if best is None or not (best.error < MAX_ROUGH_LOCATION_ERROR and rank_drop(stretch, best.located) < RANK_LOST_REL):
        return None
    return best._replace(located=_measured(stretch, best.located))


def branch_points_of(stretch: CurveSegment) -> list[BranchPoint]:
    """Branch points that the branch of a stretch passes straight through, found by small steps along it.

    For stretches on which a point solved for by itself may lie on the other branch. Derivatives of a sampled family
    jump where a switch passes a sample. If the determinant changes its sign by jumps alone, one branch point lies
    there, known to the length over which the determinant changes as much by its mean slope.
    """
    family = stretch.family
    found, jumps = list[BranchPoint](), list[BranchPoint]()
    signs = [each.sign or orientation(family, each.z, each.scale, each.tangent) for each in (stretch.a, stretch.b)]
    if not signs[0] * signs[1] < 0.0:
        return found
    for part in small_steps(stretch):

        def value(s: float, part: CurveSegment = part) -> float:
            sign, size = np.linalg.slogdet(_bordered(part, part.located(s)))
            return float(sign * np.exp(size / part.family.size))

        if value(0.0) * value(part.length) < 0.0:
            along = part.root(value, to=MIDDLE_TOLERANCE_REL * part.length)
            located, crossing = part.located(along), branch_point_near(part, along)
            if crossing is not None:
                found.append(crossing._replace(along=stretch.a.ahead(crossing.located.z)))
            else:
                jumps.append(BranchPoint(stretch.a.ahead(located.z), located, _singular_change(part)))
    if family.sampled and jumps and len(found) % 2 == 0:  # an even number does not change the orientation
        return [_amid_jumps(stretch, jumps)]
    return found


def _amid_jumps(stretch: CurveSegment, jumps: list[BranchPoint]) -> BranchPoint:
    """One branch point in place of jumps through zero; error of each : its height, a change of a singular value."""
    middle = jumps[len(jumps) // 2]
    height = min(middle.error / _singular_change(stretch), 1.0)
    width = jumps[-1].along - jumps[0].along + height * stretch.length
    way = (stretch.b.z - stretch.a.z) / stretch.a.scale
    own = middle.located._replace(scale=stretch.a.scale, tangent=way / _length(way))
    return BranchPoint(middle.along, own, width)


def _singular_change(stretch: CurveSegment) -> float:
    """Change of the least singular value of the bordered derivatives over a stretch on which it changes its sign."""
    ends = (np.linalg.svd(_bordered(stretch, each), compute_uv=False)[-1] for each in (stretch.a, stretch.b))
    return float(sum(ends))


def small_steps(stretch: CurveSegment) -> Iterator[CurveSegment]:
    """A stretch in many short ones, each of which was seen to stay on its branch; none of one that is too short."""
    family, a, b = stretch.family, stretch.a, stretch.b
    span, step = float(a.scale[-1]), stretch.length / SMALL_STEP_COUNT
    if step < StepControl.smallest_step:
        return
    low = min(a.p, b.p) - 0.5 * (span - abs(b.p - a.p))
    before, point = a, family.point(a.x, a.p)
    for new in Path(family, a, ParameterRange(low, low + span), StepControl(first_step=step, largest_step=step)):
        if new is a:
            continue
        last = a.ahead(new.z) >= stretch.length
        new = b if last else new
        after = family.point(new.x, new.p)
        yield CurveSegment(family, before, new, (point, after))
        if last:
            return
        before, point = new, after


def _read_off(stretch: CurveSegment, middle: float, reach: float) -> tuple[float, Array, float]:
    """Where the bordered determinant is zero, and the point there, from a polynomial through points to both sides; and
    a length that those points may be off by."""
    places = middle + reach * CHEBYSHEV_PLACES
    points = [stretch.located(float(s)) for s in places]
    held = _held_directions(stretch)
    matrices = [_bordered(stretch, point) @ held for point in points]
    left, values, right = np.linalg.svd(sum(matrices) / len(matrices), full_matrices=False)
    if left.shape[0] > left.shape[1]:  # more equations than unknowns: those that are independent
        matrices, left = [left.T @ each for each in matrices], np.eye(left.shape[1])
    if values.size > 1 and values[-2] <= NEVER_FULL_RANK_REL * values[0]:
        raise NotConverged("the Jacobian has more than one null vector there")
    heights = np.array([_height(each, left[:, -1], right[-1]) for each in matrices])
    powers = np.vander(CHEBYSHEV_PLACES, increasing=True)
    own = np.linalg.solve(powers, heights)
    roots = [float(r.real) for r in np.roots(own[::-1]) if abs(r.imag) < 1e-9 and abs(r.real) <= 1.0]
    if not roots:
        raise NotConverged("the Jacobian is regular there, so there is no branch point")
    t = min(roots, key=abs)
    shape = np.linalg.solve(powers, np.array([point.z for point in points]))
    off = max(
        point.residual / abs(height) if height else np.inf
        for point, height in zip(points, heights.tolist(), strict=True)
    )
    return middle + reach * t, np.asarray(t ** np.arange(CHEBYSHEV_PLACES.size) @ shape), off


def _held_directions(stretch: CurveSegment) -> Array:
    """(size + 1, k) directions that the equations fix all along a stretch: all but the rigid motion of a free body."""
    _, values, rows = np.linalg.svd(_bordered(stretch, stretch.a))
    count = int(np.count_nonzero(values > NEVER_FULL_RANK_REL * values[0]))
    return np.asarray(rows[:count].T if count < rows.shape[0] else np.eye(count))


def _bordered(stretch: CurveSegment, point: CurvePoint) -> Array:
    a = stretch.a
    return np.vstack([_extended(stretch.family, point.z, a.scale), a.tangent])


def _extended(family: Family, z: Array, scale: Array) -> Array:
    """(r, size + 1) derivatives by unknowns and parameter, in units of the scale."""
    _, by_x, by_p = family.linearise(z[:-1], float(z[-1]))
    return np.column_stack([by_x, by_p]) * scale


def _height(matrix: Array, left: Array, right: Array) -> float:
    """A number that is zero where the matrix is singular, and smooth around."""
    size = matrix.shape[0]
    whole = np.zeros((size + 1, size + 1))
    whole[:size, :size], whole[:size, size], whole[size, :size] = matrix, left, right
    return float(np.linalg.solve(whole, np.append(np.zeros(size), 1.0))[-1])


def rank_drop(stretch: CurveSegment, located: CurvePoint) -> float:
    """The least singular value of the extended derivatives at a point, over what it is at the ends of the stretch."""
    scale = stretch.a.scale
    here, *ends = (
        np.linalg.svd(_extended(stretch.family, z, scale), compute_uv=False)
        for z in (located.z, stretch.a.z, stretch.b.z)
    )
    least = min(int(np.count_nonzero(values > NEVER_FULL_RANK_REL * values[0])) for values in ends) - 1
    return float(here[least] / max(values[least] for values in ends)) if least >= 0 else 1.0


def _measured(stretch: CurveSegment, located: CurvePoint) -> CurvePoint:
    """With what is left of the equations there, and with the tangent of the stretch's own branch."""
    left = np.abs(stretch.family.linearise(located.x, located.p).residual).max()
    way = (stretch.b.z - stretch.a.z) / stretch.a.scale
    try:
        lines = branch_tangents(stretch.family, located.z, stretch.a.scale)
        own = min(lines, key=lambda each: -abs(float(each @ way)))
    except NotConverged:  # a free body: its rigid motion is a third direction in which nothing changes
        own = way / _length(way)
    return located._replace(tangent=own if own @ way > 0.0 else -own, residual=float(left), iterations=0)


def branch_tangents(family: Family, z: Array, scale: Array) -> tuple[Array, Array]:
    """The unit tangents, in units of the scale, of the two branches that cross at z.

    Within the two directions in which the equations do not change to first order they are those in which they do not
    to second order either, seen from the left null vector: the roots of a quadratic form.
    """
    matrix = _extended(family, z, scale)
    left, _, rows = np.linalg.svd(matrix)
    plane, null = rows[-2:], left[:, family.size - 1]
    first, second = (
        (
            _extended(family, z + SECOND_DIFFERENCE_REL * v * scale, scale)
            - _extended(family, z - SECOND_DIFFERENCE_REL * v * scale, scale)
        ).T
        @ null
        / (2.0 * SECOND_DIFFERENCE_REL)
        for v in plane
    )
    form = np.array([[first @ plane[0], first @ plane[1]], [second @ plane[0], second @ plane[1]]])
    half, turned = np.linalg.eigh(0.5 * (form + form.T))
    if not half[0] * half[1] < 0.0:
        raise NotConverged("the tangents of the crossing branches could not be separated")
    # along turned[:, 0] the form is half[0] < 0, along the other half[1] > 0: it is zero at an angle between
    across = np.arctan2(np.sqrt(-half[0]), np.sqrt(half[1]))
    both = [turned @ np.array([np.cos(angle), np.sin(angle)]) for angle in (across, -across)]
    return both[0] @ plane, both[1] @ plane


def _length(vector: Array) -> float:
    return float(np.sqrt(vector @ vector))
