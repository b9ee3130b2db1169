"""Multipliers that cross the unit circle between two neighbouring points, once or twice.

Between points moduli are not known. How fast they change there is taken from how fast they change beside: where one
that goes on so could get across the circle, orbits in between are looked at, until none can, or one is across. One that
is on the circle but for rounding, where nothing dissipates, is not across: it must be so by more than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.continuation.corrector import CurvePoint
from slipstick.periodic.continuation.curve_segment import (
    NEUTRAL_DISTANCE,
    SOLVER_FAILURES,
    CurveSegment,
    NeighbourMultipliers,
    neutral_count,
)
from slipstick.results.orbit import OrbitPoint

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

MAX_MODULUS_LOOKS = 6  # orbits that are looked at between two points for one multiplier
NEAR_CIRCLE = 0.5  # of one: moduli farther from it are not asked for
RATE_SAFETY = 1.5  # times as fast as beside, a modulus may change between two points
NEAR_DOUBLING = 0.35  # from -1: one that is so near may be led across by an event between two points
NEAR_ONE = 0.35  # from +1: a pair that is so near may meet on the real axis between two points, and one of it cross
NEAR_FOLD = 0.1  # from +1: one that is so near, beyond an event, may have been across before it
DOUBLING_PARTS, DOUBLING_ROUNDS = (
    4,
    2,
)  # parts of a stretch that are looked at then, and how often the nearest of them are halved
# of the least distance from -1: where the middle of a stretch is so near to the mean of its ends, none comes nearer
STEADY_BEND_REL = 0.1
# [rad] between the tangents at two neighbours: where a curve turns by more, multipliers may cross and come back between
MAX_STRAIGHT_ANGLE = 0.4
MAX_PARABOLA_LOOKS = 4  # orbits that are looked at then where a parabola has its least value
PARABOLA_REACH_REL = 0.5  # of the least value that is known: a parabola that stays above is not followed


def with_following(
    orbits: Iterator[OrbitPoint | Exception],
) -> Iterator[tuple[OrbitPoint | Exception, OrbitPoint | Exception | None]]:
    """Each with the one behind it; None behind the last, also where Ctrl-C keeps the one behind from being found."""
    here = next(orbits, None)
    while here is not None:
        try:
            behind = next(orbits, None)
        except KeyboardInterrupt:
            yield here, None
            raise
        yield here, behind
        here = behind


def neighbours_beside(
    located: list[CurvePoint], k: int, earlier: OrbitPoint | None, behind: OrbitPoint | Exception | None
) -> list[NeighbourMultipliers]:
    """What is known beside the stretch that ends at point k."""
    found: list[NeighbourMultipliers] = []
    for end, own, first, last in ((0, earlier, k - 2, k - 1), (1, behind, k, k + 1)):
        if isinstance(own, OrbitPoint):
            found.append(NeighbourMultipliers(abs(located[first].ahead(located[last].z)), end, own.multipliers))
    return found


def moduli(multipliers: Complex, neutral: int) -> Array:
    """(k,) the largest first, without those that are one for ever."""
    return np.asarray(np.sort(np.abs(without_neutral(multipliers, neutral)))[::-1])


def without_neutral(multipliers: Complex, neutral: int) -> Complex:
    """The multipliers but for so many that are nearest to one."""
    return multipliers[np.argsort(np.abs(multipliers - 1.0))[neutral:]]


def no_crossing_possible(
    a: tuple[CurvePoint, OrbitPoint],
    b: tuple[CurvePoint, OrbitPoint],
    beside: list[NeighbourMultipliers],
    margin: float,
) -> bool:
    """True where nothing can have happened between two neighbours: quickly seen, and so for most."""
    return bool(
        a[0].tangent[-1] * b[0].tangent[-1] > 0.0
        and not is_bent(a[0], b[0])
        and a[1].events == b[1].events
        and _inside(a[1].multipliers, margin)
        and _inside(b[1].multipliers, margin)
        and not near_period_doubling(a[1].multipliers, b[1].multipliers)
        and not possible_crossings(a[0].ahead(b[0].z), a[1].multipliers, b[1].multipliers, beside)
    )


def is_bent(a: CurvePoint, b: CurvePoint) -> bool:
    """True where the tangents at two neighbours differ so much that multipliers may come back in between."""
    other = b.slope / a.scale
    return bool(a.tangent @ other < np.cos(MAX_STRAIGHT_ANGLE) * np.sqrt(other @ other))


def _inside(multipliers: Complex, margin: float) -> bool:
    """All well within the unit circle."""
    return not multipliers.size or float(np.abs(multipliers).max()) < 1.0 - margin


def near_period_doubling(*ends: Complex) -> bool:
    """True if a multiplier at an end of a stretch is so near to -1 that it, or one of its pair, may be beyond it in
    between."""
    return any(bool((np.abs(m + 1.0) < NEAR_DOUBLING).any()) for m in ends)


def pair_near_one(*ends: Complex) -> bool:
    """True if a complex pair at an end of a stretch is near to +1: while it is real in between, one of it may be beyond
    one; moduli at the ends do not show that."""
    return any(bool(((m.imag != 0.0) & (np.abs(m - 1.0) < NEAR_ONE)).any()) for m in ends)


def excursion_through_one(stretch: CurveSegment) -> float | None:
    """How far along a stretch an odd number of multipliers is beyond +1, even at both ends; None: nowhere."""
    ends = (0.0, stretch.length)
    if len({neutral_count(stretch.multipliers(s)) for s in ends}) > 1:
        return None
    if min(_crossing_test(stretch.multipliers(s), 1.0) for s in ends) <= 0.0:
        return None
    values = {s: _crossing_test(stretch.multipliers(s), 1.0) for s in _looked_at(stretch, *ends, 1.0)}
    place = min(values, key=values.__getitem__, default=None)
    return None if place is None or values[place] >= 0.0 else place


def near_fold(*ends: Complex) -> bool:
    """True if a real multiplier at an end of a stretch is so near to +1 that the curve may have turned in between.

    Where a stick band begins or ends in between, one multiplier becomes neutral: that is no turn.
    """
    if len({neutral_count(m) for m in ends}) > 1:
        return False
    return any(bool(((m.imag == 0.0) & (np.abs(m - 1.0) < NEAR_FOLD)).sum() > neutral_count(m)) for m in ends)


def monotone_parts(stretch: CurveSegment, cuts: Sequence[float]) -> list[tuple[float, float]]:
    """Parts of a stretch in which multipliers are taken to go one way: from one cut, where an event comes or goes, to
    the next, and shorter ones where a multiplier is near -1."""
    places = sorted({0.0, *(s for s in cuts if 0.0 < s < stretch.length), stretch.length})
    bent = len(places) == 2 and is_bent(stretch.a, stretch.b)  # an event would be the reason for it
    if bent and not stretch.skip_location and _has_orbit(stretch, 0.5 * stretch.length):
        places = sorted({*places, 0.5 * stretch.length})
    found = places[:1]
    for begin, end in pairwise(places):
        near = near_period_doubling(*(stretch.multipliers(s) for s in (begin, end)))
        found += _looked_at(stretch, begin, end, -1.0) if near and not stretch.skip_location else []
        found.append(end)
    return list(pairwise(found))


def _looked_at(stretch: CurveSegment, begin: float, end: float, target: float) -> list[float]:
    """Places between two others, closer together where a multiplier comes nearest to the target, -1 or 1."""
    if _is_steady(stretch, begin, end, target):
        return []
    places = [
        begin,
        *(s for s in np.linspace(begin, end, DOUBLING_PARTS + 1)[1:-1].tolist() if _has_orbit(stretch, s)),
        end,
    ]
    for _ in range(DOUBLING_ROUNDS):
        k = int(np.argmin([_distance(stretch.multipliers(s), target) for s in places]))
        beside = {0.5 * (places[i] + places[i + 1]) for i in (k - 1, k) if 0 <= i < len(places) - 1}
        places = sorted({*places, *(s for s in beside if _has_orbit(stretch, s))})
    for _ in range(MAX_PARABOLA_LOOKS):
        aimed = _parabola_minimum(places, [_crossing_test(stretch.multipliers(s), target) for s in places])
        if aimed is None or not _has_orbit(stretch, aimed):
            break
        if _distance(stretch.multipliers(aimed), target) <= NEUTRAL_DISTANCE:  # parts do not end where one crosses
            break
        places = sorted({*places, aimed})
    return places[1:-1]


def _is_steady(stretch: CurveSegment, begin: float, end: float, target: float) -> bool:
    """True if multipliers keep away from the target between two places: the middle is near the mean of the ends."""
    middle = 0.5 * (begin + end)
    if not _has_orbit(stretch, middle):
        return False
    values = [stretch.multipliers(s) for s in (begin, middle, end)]
    if len({own.size for own in values}) > 1:
        return False
    for first, between, last in (
        [_distance(own, target) for own in values],
        [_crossing_test(own, target) for own in values],
    ):
        least = min(first, between, last)
        if not (least > 0.0 and abs(between - 0.5 * (first + last)) <= STEADY_BEND_REL * least):
            return False
    return True


def _distance(multipliers: Complex, target: float) -> float:
    """Distance of the nearest multiplier from the target, but for those that are one for ever."""
    own = without_neutral(multipliers, neutral_count(multipliers)) if target > 0.0 else multipliers
    return float(np.abs(own - target).min(initial=np.inf))


def _crossing_test(multipliers: Complex, target: float) -> float:
    """Below zero if an odd number of multipliers is beyond the target, -1 or 1; smooth also where two of them meet."""
    own = without_neutral(multipliers, neutral_count(multipliers)) if target > 0.0 else multipliers
    return float(np.prod(1.0 - target * own).real)


def _parabola_minimum(places: list[float], values: list[float]) -> float | None:
    """Where the parabola through the least value and those beside it is least; None: it goes below zero already, or
    does not lead there."""
    k = int(np.argmin(values))
    if not (0 < k < len(places) - 1 and 0.0 < values[k] < np.inf):
        return None
    s, g = np.array(places[k - 1 : k + 2]) - places[k], np.array(values[k - 1 : k + 2]) - values[k]
    left, right = g[0] / s[0], g[2] / s[2]
    bend = (right - left) / (s[2] - s[0])
    if not bend > 0.0:
        return None
    slope = left - bend * s[0]
    aside = -0.5 * slope / bend
    if aside == 0.0 or values[k] - 0.25 * slope**2 / bend > PARABOLA_REACH_REL * values[k]:
        return None
    return float(places[k] + aside)


def _has_orbit(stretch: CurveSegment, along: float) -> bool:
    try:
        return bool(stretch.multipliers(along).size)
    except SOLVER_FAILURES:
        return False


def possible_crossings(
    length: float, first: Complex, last: Complex, beside: Sequence[NeighbourMultipliers]
) -> list[int]:
    """Numbers, by size, of the moduli that are on the same side of one at both ends, and could be across between."""
    neutral = neutral_count(first)
    if first.size != last.size or neutral != neutral_count(last) or not first.size > neutral or not length > 0.0:
        return []
    a, b = (moduli(each, neutral) - 1.0 for each in (first, last))
    speed = np.abs(b - a) / length
    for each in beside:
        if each.multipliers.size == first.size and each.length > 0.0:
            own = moduli(each.multipliers, neutral) - 1.0
            speed = np.maximum(speed, np.abs(own - (b if each.end else a)) / each.length)
    reached = 0.5 * RATE_SAFETY * speed * length - 0.5 * np.abs(a + b)
    least = np.minimum(np.abs(a), np.abs(b))
    near = (least < NEAR_CIRCLE) & (least > NEUTRAL_DISTANCE)
    return [int(k) for k in np.flatnonzero((np.sign(a) * np.sign(b) > 0.0) & near & (reached > 0.0))]


def excursion_place(stretch: CurveSegment, k: int, beside: Sequence[NeighbourMultipliers]) -> float | None:
    """How far along a stretch the k-th largest modulus is on the other side of one than at both ends; None: nowhere.

    Halved is the part in which it could get farthest, by the largest of the speeds that are known.
    """
    ends = [stretch.multipliers(s) for s in (0.0, stretch.length)]
    neutral = neutral_count(ends[0])
    places = [0.0, stretch.length]
    values = [float(moduli(each, neutral)[k]) - 1.0 for each in ends]
    side, speed = float(np.sign(values[0])), 0.0
    for each in beside:
        own = moduli(each.multipliers, neutral)
        if each.length > 0.0 and k < own.size:
            speed = max(speed, abs(float(own[k]) - 1.0 - values[each.end]) / each.length)
    for _ in range(MAX_MODULUS_LOOKS):
        lengths, steps = np.diff(places), np.diff(values)
        fastest = max(speed, float((np.abs(steps) / lengths).max()))
        sums = side * (np.array(values[:-1]) + np.array(values[1:]))
        reached = 0.5 * (RATE_SAFETY * fastest * lengths - sums)
        part = int(np.argmax(reached))
        if not reached[part] > 0.0:
            return None
        middle = 0.5 * (places[part] + places[part + 1])
        try:
            own = moduli(stretch.multipliers(middle), neutral)
        except SOLVER_FAILURES:
            return None
        if k >= own.size:
            return None
        if side * (float(own[k]) - 1.0) < -NEUTRAL_DISTANCE:
            return middle
        places.insert(part + 1, middle)
        values.insert(part + 1, float(own[k]) - 1.0)
        speed *= 0.5 ** (1.0 / MAX_MODULUS_LOOKS)  # what is measured nearer counts more
    return None
