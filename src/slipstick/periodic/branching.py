"""The other branch at a period doubling or a branch point, and curves that need it to get to their end."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.arclength import Arclength, Bounds, bounds
from slipstick.periodic.continuation import rescaled
from slipstick.periodic.corrector import Located, Plane, correct, scale_of, tangent_at
from slipstick.periodic.crossing import Crossing, crossing_near, directions
from slipstick.periodic.curves import Traced, Watch, follow, follow_from
from slipstick.periodic.family import Family
from slipstick.periodic.stretch import Stretch

Array = NDArray[np.float64]

DISTANCES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)  # from the special point, in units of the orbit, at which the branch is met
SINGULAR = 5e-3  # of the largest singular value, or of one: beyond it there is no branch to switch to
ACROSS = 1.2  # [rad] of the new branch to the direction in which it leaves
CLOSED = 0.1  # of what a step along the doubled branch leaves open after one period: less, and the period is single
TOWARDS = 0.8  # cosine of the angle between that direction and the way to the point that was met, at least


def follow_through(
    family: Family,
    between: tuple[float, float],
    *,
    start: tuple[Array, float] | None = None,
    how: Arclength | None = None,
    watch: Watch | None = None,
    tried: Callable[[], object] | None = None,
) -> Traced:
    """The curve between two values, as `follow` gives it; of one that turns back at a branch point before its end,
    the part up to there and from there on the branch that leads to the end.

    A curve through an orbit that was given (start) stays on the branch of that.
    """
    traced = follow(family, between, start=start, how=how, watch=watch, tried=tried)
    if not traced.missed or start is not None:
        return traced
    within = bounds(between)
    for number, crossing in _turning_crossings(traced):
        special, beside = crossing.located, traced.points[number : number + 2]
        taken = [_unit((each.z - special.z) / special.scale) for each in beside]
        for way in _by_end(_ways(family, special, taken), within):
            try:
                first, begun = _met(family, special, [way], within, taken)
                rest = follow_from(family, begun, within, how=how, watch=watch, both=False, tried=tried)
            except NotConverged as failure:
                if failure.interrupted:
                    part = _joined(traced, number, crossing, first, failure.partial, within)
                    raise NotConverged(str(failure), part, interrupted=True) from None
                continue
            if rest.points[-1].p == within.end:
                return _joined(traced, number, crossing, first, rest, within)
    return traced


def _turning_crossings(traced: Traced) -> list[tuple[int, Crossing]]:
    """Branch points at which a curve turns back, with the number of the point before."""
    family, found = traced.family, list[tuple[int, Crossing]]()
    turned = [k for k, (a, b) in enumerate(pairwise(traced.points)) if a.tangent[-1] * b.tangent[-1] < 0.0]
    # a tangent may be as old as Newton's matrix was: then the neighbours turn
    for number in sorted({k + aside for k in turned for aside in (-1, 0, 1)} & set(range(len(traced.points) - 1))):
        try:
            a, b = (_with_own_tangent(family, each) for each in traced.points[number : number + 2])
            if a.tangent[-1] * b.tangent[-1] >= 0.0 or not a.ahead(b.z) > 0.0:
                continue
            stretch = Stretch(family, a, b, (family.point(a.x, a.p), family.point(b.x, b.p)))
            crossing = crossing_near(stretch, _turn(stretch))
        except NotConverged:
            continue
        if crossing is not None:
            found.append((number, crossing))
    return found


def _with_own_tangent(family: Family, located: Located) -> Located:
    """The same point with the tangent of the derivatives there."""
    return located._replace(tangent=tangent_at(family, located.z, located.scale, located.tangent))


def _turn(stretch: Stretch) -> float:
    """About where the parameter turns back on a stretch, were its tangent to change evenly."""
    first, last = (abs(float(each.tangent[-1])) for each in (stretch.a, stretch.b))
    return stretch.length * first / (first + last)


def _by_end(ways: list[Array], within: Bounds) -> list[Array]:
    """Directions that leave a branch point, that towards the end of the range first."""
    side = 1.0 if within.end > within.begin else -1.0
    return sorted(ways, key=lambda way: -side * float(way[-1]))


def _joined(traced: Traced, number: int, crossing: Crossing, first: Located, rest: Traced, within: Bounds) -> Traced:
    """The curve up to a branch point, and the other branch from there."""
    family = traced.family
    begin, here, end = (family.said(p) for p in (within.begin, first.p, within.end))
    note = (
        f"the branch that begins at {begin} turns back at {here}, where another one crosses it: from there on this "
        f"curve is the other one, which leads to {end}; a curve that begins at {end} shows all of that"
    )
    points = [*traced.points[: number + 1], first, *rest.points]
    crossings = {number + 1: crossing.error}
    return Traced(family, points, [*traced.notes, *rest.notes, note], rest.ended, crossings=crossings)


def switch(
    family: Family,
    x: Array,
    p: float,
    within: Bounds,
    beside: tuple[Array, ...] = (),
    error: float = 0.0,
    simple: Family | None = None,
) -> Traced:
    """The branch that crosses the one through x and p, from there on.

    At a period doubling the family is the one with twice the period, and x the same orbit in it; at a branch point the
    family itself, and beside : (size + 1,) each, the points before and behind on the branch that is left. The first
    point of the curve is the one that both branches have; error : of a displacement of it.   simple : see `leave`.
    """
    first, begun = leave(family, x, p, within, beside, simple)
    try:
        traced = follow_from(family, begun, within, both=False)
    except NotConverged as failure:
        _put_before(failure.partial, first, error)
        raise
    return _put_before(traced, first, error)


def _put_before(traced: Traced, first: Located, error: float) -> Traced:
    traced.points.insert(0, first)
    traced.branches_off, traced.first_error = True, error
    return traced


def leave(
    family: Family, x: Array, p: float, within: Bounds, beside: tuple[Array, ...] = (), simple: Family | None = None
) -> tuple[Located, Located]:
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
    if not least <= SINGULAR:
        raise InvalidInput(
            f"there is no branch to switch to at {p:.9g}: the least singular value of the derivatives is {least:.1e} "
            f"there, at most {SINGULAR:g}; take a point of curve.special"
        )
    normal = np.append(rows[-1], 0.0)
    special = Located(z, scale, normal, 0, 0.0)
    ways, taken = [normal, -normal], list[Array]()
    if beside:
        try:
            taken = [_unit((each - z) / scale) for each in beside]
            ways = _ways(family, special, taken)
        except NotConverged:  # branches that touch: across the parameter, as at a doubling
            taken = []
    return _met(family, special, ways, within, taken, simple)


def _ways(family: Family, special: Located, taken: list[Array]) -> list[Array]:
    """Unit directions in which branches leave a branch point, but for those that are taken; other lines first, and of
    those alike the one along the parameter: the other may only be the mirror image of what is known."""
    lines = directions(family, special.z, special.scale)
    halves = [(k, side * line) for k, line in enumerate(lines) for side in (1.0, -1.0)]
    known = set[int]()
    for each in taken:
        nearest = int(np.argmax([way @ each for _, way in halves]))
        known.add(halves.pop(nearest)[0])
    return [way for _, way in sorted(halves, key=lambda half: (half[0] in known, -abs(float(half[1][-1]))))]


def _met(
    family: Family,
    special: Located,
    ways: list[Array],
    within: Bounds,
    taken: list[Array],
    simple: Family | None = None,
) -> tuple[Located, Located]:
    """The special point and a point on the first branch that is met along one of some directions.

    taken : directions to points of the branch that is left, where they are known.   simple : see `leave`.
    """
    z, scale, reason = special.z, special.scale, ""
    for normal in ways:
        for distance in DISTANCES:
            try:
                found = correct(family, z + distance * normal * scale, Plane(normal, z, scale, distance))
            except NotConverged as failure:
                reason = str(failure)
                continue
            way = _unit((found.z - z) / scale)
            if within.beyond(found.p) is not None:
                reason = f"{found.p:.9g}, where it led, is outside {within.low:g} to {within.high:g}"
            elif found.turn >= ACROSS:
                reason = f"the curve that was met turns by {found.turn:.2g} rad, at most {ACROSS:g}"
            elif (taken and way @ normal < max(TOWARDS, *(float(way @ each) for each in taken))) or (
                simple is not None and _is_simple(simple, found, distance * normal * scale)
            ):
                reason = "the curve that was met is the one that was to be left"
            else:
                return special._replace(tangent=normal), rescaled(family, found, within.span)
    distances = f"{DISTANCES[0]:g} down to {DISTANCES[-1]:g}"
    raise NotConverged(
        f"no other branch was found at {special.p:.9g}; tried: steps of {distances} to both sides; the last: {reason}"
    )


def _is_simple(simple: Family, found: Located, step: Array) -> bool:
    """True if a point that was met a step from a period doubling has the single period."""
    residual, by_x, _ = simple.linearise(found.x, found.p)
    return bool(np.abs(residual).max() < CLOSED * np.abs(by_x @ step[:-1]).max())


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.sqrt(vector @ vector))
