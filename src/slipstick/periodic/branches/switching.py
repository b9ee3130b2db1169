"""Branch switching at period doublings and branch points, also in the course of a trace."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, Message, NotConverged
from slipstick.periodic.branches.branch_points import BranchPoint, branch_point_near, branch_tangents
from slipstick.periodic.continuation.corrector import CurvePoint, Plane, correct, scale_of, with_own_tangent
from slipstick.periodic.continuation.curve_segment import CurveSegment
from slipstick.periodic.continuation.curve_trace import CurveTrace, PointCallback, trace_curve, trace_from
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.path import rescaled_point
from slipstick.periodic.continuation.step_control import ParameterRange, StepControl, checked_range

BRANCH_DISTANCES = (
    1e-2,
    3e-3,
    1e-3,
    3e-4,
    1e-4,
)  # from the special point, in units of the orbit, at which the branch is met
NULL_SINGULAR_REL = 5e-3  # of the largest singular value, or of one: beyond it there is no branch to switch to
MAX_BRANCH_ANGLE = 1.2  # [rad] of the new branch to the direction in which it leaves
# of what a step along the doubled branch leaves open after one period: less, and the period is single
PERIOD_CLOSED_REL = 0.1
MIN_DIRECTION_COSINE = 0.8  # cosine of the angle between that direction and the way to the point that was met, at least


def trace_through_branch_points(
    family: Family,
    between: tuple[float, float],
    *,
    start: tuple[Array, float] | None = None,
    how: StepControl | None = None,
    watch: PointCallback | None = None,
    tried: Callable[[], object] | None = None,
) -> CurveTrace:
    """The curve between two values, as `trace_curve` gives it; of one that turns back at a branch point before its end,
    the part up to there and from there on the branch that leads to the end.

    A curve through an orbit that was given (start) stays on the branch of that.
    """
    traced = trace_curve(family, between, start=start, how=how, watch=watch, tried=tried)
    if not traced.missed or start is not None:
        return traced
    within = checked_range(between)
    for number, crossing in _turning_crossings(traced):
        special, beside = crossing.located, traced.points[number : number + 2]
        taken = [_unit((each.z - special.z) / special.scale) for each in beside]
        for way in _sorted_towards_end(_branch_directions_left(family, special, taken), within):
            try:
                first, begun = _point_on_branch(family, special, [way], within, taken)
                rest = trace_from(family, begun, within, how=how, watch=watch, both=False, tried=tried)
            except NotConverged as failure:
                if failure.interrupted:
                    part = _joined(traced, number, crossing, first, failure.partial, within)
                    raise NotConverged(failure.message, part, interrupted=True) from None
                continue
            if rest.points[-1].p == within.end:
                return _joined(traced, number, crossing, first, rest, within)
    return traced


def _turning_crossings(traced: CurveTrace) -> list[tuple[int, BranchPoint]]:
    """Branch points at which a curve turns back, with the number of the point before."""
    family, found = traced.family, list[tuple[int, BranchPoint]]()
    turned = [k for k, (a, b) in enumerate(pairwise(traced.points)) if a.tangent[-1] * b.tangent[-1] < 0.0]
    # a tangent may be as old as Newton's matrix was: then the neighbours turn
    for number in sorted({k + aside for k in turned for aside in (-1, 0, 1)} & set(range(len(traced.points) - 1))):
        try:
            a, b = (with_own_tangent(family, each) for each in traced.points[number : number + 2])
            if a.tangent[-1] * b.tangent[-1] >= 0.0 or not a.ahead(b.z) > 0.0:
                continue
            stretch = CurveSegment(family, a, b, (family.point(a.x, a.p), family.point(b.x, b.p)))
            crossing = branch_point_near(stretch, _turn(stretch))
        except NotConverged:
            continue
        if crossing is not None:
            found.append((number, crossing))
    return found


def _turn(stretch: CurveSegment) -> float:
    """About where the parameter turns back on a stretch, were its tangent to change evenly."""
    first, last = (abs(float(each.tangent[-1])) for each in (stretch.a, stretch.b))
    return stretch.length * first / (first + last)


def _sorted_towards_end(ways: list[Array], within: ParameterRange) -> list[Array]:
    """Directions that leave a branch point, that towards the end of the range first."""
    side = 1.0 if within.end > within.begin else -1.0
    return sorted(ways, key=lambda way: -side * float(way[-1]))


def _joined(
    traced: CurveTrace, number: int, crossing: BranchPoint, first: CurvePoint, rest: CurveTrace, within: ParameterRange
) -> CurveTrace:
    """The curve up to a branch point, and the other branch from there."""
    family = traced.family
    begin, here, end = (family.format_parameter(p) for p in (within.begin, first.p, within.end))
    note = Message(
        f"the branch from {begin} turns back at {here}, where another branch crosses it; from there the curve follows "
        f"that one to {end}",
        advice=[Advice("a curve from an orbit on that branch ({start}) shows all of it")],
    )
    points = [*traced.points[: number + 1], first, *rest.points]
    crossings = {number + 1: crossing.error}
    return CurveTrace(family, points, [*traced.notes, *rest.notes, note], rest.ended, crossings=crossings)


def switch_branch(
    family: Family,
    x: Array,
    p: float,
    within: ParameterRange,
    beside: tuple[Array, ...] = (),
    error: float = 0.0,
    simple: Family | None = None,
) -> CurveTrace:
    """The branch that crosses the one through x and p, from there on.

    At a period doubling the family is the one with twice the period, and x the same orbit in it; at a branch point the
    family itself, and beside : (size + 1,) each, the points before and behind on the branch that is left. The first
    point of the curve is the one that both branches have; error : of a displacement of it.   simple : see
    `leave_branch_point`.
    """
    first, begun = leave_branch_point(family, x, p, within, beside, simple)
    try:
        traced = trace_from(family, begun, within, both=False)
    except NotConverged as failure:
        _with_branch_point_first(failure.partial, first, error)
        raise
    return _with_branch_point_first(traced, first, error)


def _with_branch_point_first(traced: CurveTrace, first: CurvePoint, error: float) -> CurveTrace:
    traced.points.insert(0, first)
    traced.crossings = {k + 1: error for k, error in traced.crossings.items()}
    traced.starts_at_branch_point, traced.first_error = True, error
    return traced


def leave_branch_point(
    family: Family,
    x: Array,
    p: float,
    within: ParameterRange,
    beside: tuple[Array, ...] = (),
    simple: Family | None = None,
) -> tuple[CurvePoint, CurvePoint]:
    """The special point itself, and a point of the other branch near it, both with tangents along that.

    simple : at a period doubling the family with the single period if it has the same unknowns, for its orbits solve
    the equations of twice the period too.
    """
    z = np.append(np.asarray(x, dtype=float), p)
    scale = scale_of(family, z, within.span)
    try:
        _, values, rows = np.linalg.svd(family.linearise(z[:-1], p).by_x * scale[:-1])
    except np.linalg.LinAlgError:
        raise NotConverged(f"the derivatives of the orbit at {p:.9g} are not finite") from None
    least = values[-1] / max(values[0], 1.0)
    if not least <= NULL_SINGULAR_REL:
        raise InvalidInput(
            f"no other branch crosses at {p:.9g}: the smallest singular value of the Jacobian is {least:.1e} "
            f"(limit {NULL_SINGULAR_REL:g})",
            advice=[Advice("take a point of {special}")],
        )
    normal = np.append(rows[-1], 0.0)
    special = CurvePoint(z, scale, normal, 0, 0.0)
    ways, taken = [normal, -normal], list[Array]()
    if beside:
        try:
            taken = [_unit((each - z) / scale) for each in beside]
            ways = _branch_directions_left(family, special, taken)
        except NotConverged:  # branches that touch: across the parameter, as at a doubling
            taken = []
    return _point_on_branch(family, special, ways, within, taken, simple)


def _branch_directions_left(family: Family, special: CurvePoint, taken: list[Array]) -> list[Array]:
    """Unit directions in which branches leave a branch point, but for those that are taken; other lines first, and of
    those alike the one along the parameter: the other may only be the mirror image of what is known."""
    lines = branch_tangents(family, special.z, special.scale)
    halves = [(k, side * line) for k, line in enumerate(lines) for side in (1.0, -1.0)]
    known = set[int]()
    for each in taken:
        nearest = int(np.argmax([way @ each for _, way in halves]))
        known.add(halves.pop(nearest)[0])
    return [way for _, way in sorted(halves, key=lambda half: (half[0] in known, -abs(float(half[1][-1]))))]


def _point_on_branch(
    family: Family,
    special: CurvePoint,
    ways: list[Array],
    within: ParameterRange,
    taken: list[Array],
    simple: Family | None = None,
) -> tuple[CurvePoint, CurvePoint]:
    """The special point and a point on the first branch that is met along one of some directions.

    taken : directions to points of the branch that is left, where they are known.   simple : see `leave_branch_point`.
    """
    z, scale, reason = special.z, special.scale, ""
    for normal in ways:
        for distance in BRANCH_DISTANCES:
            try:
                found = correct(family, z + distance * normal * scale, Plane(normal, z, scale, distance))
            except NotConverged as failure:
                reason = failure.message
                continue
            way = _unit((found.z - z) / scale)
            if within.beyond(found.p) is not None:
                reason = f"the step led to {found.p:.6g}, outside {within.low:g} to {within.high:g}"
            elif found.turn >= MAX_BRANCH_ANGLE:
                reason = f"the new curve turns by {found.turn:.2g} rad (limit {MAX_BRANCH_ANGLE:g})"
            elif (taken and way @ normal < max(MIN_DIRECTION_COSINE, *(float(way @ each) for each in taken))) or (
                simple is not None and _is_simple(simple, found, distance * normal * scale)
            ):
                reason = "the step returned to the branch that it left"
            else:
                return special._replace(tangent=normal), rescaled_point(family, found, within.span)
    distances = f"{BRANCH_DISTANCES[0]:g} down to {BRANCH_DISTANCES[-1]:g}"
    words = f"no other branch was found at {special.p:.9g}; tried: steps of {distances} to both sides; the last: "
    raise NotConverged(Message.of(reason).wrapped(words))


def _is_simple(simple: Family, found: CurvePoint, step: Array) -> bool:
    """True if a point that was met a step from a period doubling has the single period."""
    residual, by_x, _ = simple.linearise(found.x, found.p)
    return bool(np.abs(residual).max() < PERIOD_CLOSED_REL * np.abs(by_x @ step[:-1]).max())


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.sqrt(vector @ vector))
