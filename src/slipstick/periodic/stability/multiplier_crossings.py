"""Multipliers that cross the unit circle between two neighbouring points: doublings, pairs and branch points.

If the rate of change of a multiplier at the neighbours would take it across the circle, orbits in between are solved
until none can cross, or one has crossed. A multiplier on the circle must cross by more than rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from slipstick.arrays import Complex
from slipstick.errors import NotConverged
from slipstick.periodic.branches.branch_points import (
    MIDDLE_TOLERANCE_REL,
    branch_point_near,
    branch_points_of,
    small_steps,
)
from slipstick.periodic.continuation.corrector import CurvePoint
from slipstick.periodic.continuation.curve_segment import SOLVER_FAILURES, CurveSegment
from slipstick.periodic.multipliers import (
    GRAZE_RATE_SAFETY,
    NEUTRAL_DISTANCE,
    RATE_SAFETY,
    NeighbourMultipliers,
    critical_multiplier,
    crossed_moduli,
    crossing_tests,
    distances,
    may_pass_one,
    moduli,
    near_period_doubling,
    neutral_count,
    possible_crossings,
)
from slipstick.periodic.stability.special_point_search import (
    KnownFolds,
    SpecialPoint,
    as_special_point,
    root_or_branch_point,
    special_point_at,
)

REAL_MULTIPLIER_IMAG = 1e-6  # imaginary part below which a multiplier on the unit circle is +1 or -1
MAX_CROSSING_GAP = 1e-3  # a multiplier that is farther from the unit circle where it should cross has jumped: a graze
# the same near +1, in the search for a branch point: orbits next to it may lie on the other branch
BRANCH_POINT_GAP = 1e-2
# the same if multipliers jump where a switch passes a sample: measured 2.4e-3, and 0.1 at grazes
MAX_SAMPLED_CROSSING_GAP = 1e-2
# a multiplier that meets the two of a free body at +1: a triple eigenvalue is known to the cube root of rounding
NEUTRAL_CROSSING_ERROR = 1e-4
SAME_CROSSING_LENGTH = 1e-7  # length along the curve below which two crossings are one
ORDINARY_POINT = ""  # kind of a regular point, which states the stability between two special points
BRANCH_END_DISTANCE = 1e-4  # of a multiplier from +1, at the end of a branch
PAIR_DISTANCE = 1e-3  # two multipliers this near to each other at -1 are a pair that met there
MAX_MODULUS_LOOKS = 6  # orbits solved between two points for one multiplier
DOUBLING_PARTS, DOUBLING_ROUNDS = (
    4,
    2,
)  # parts of a stretch that are looked at then, and how often the nearest of them are halved
# of the least distance from -1: if the middle of a stretch is this near to the mean of its ends, none comes nearer
STEADY_BEND_REL = 0.1
# [rad] between the tangents at two neighbours: where a curve turns by more, multipliers may cross and come back between
MAX_STRAIGHT_ANGLE = 0.4
MAX_PARABOLA_LOOKS = 4  # orbits solved then at the minimum of a parabola
PARABOLA_REACH_REL = 0.5  # of the least value that is known: a parabola that stays above is not followed


def find_doublings(stretch: CurveSegment, known: list[SpecialPoint], _turned: KnownFolds | None) -> list[SpecialPoint]:
    """A real multiplier goes through -1: the number of those below it becomes odd or even."""

    found: list[SpecialPoint] = []
    for part in _parts(stretch, known):
        along = _doubling_within(stretch, part)
        if along is not None:
            found.append(special_point_at(stretch, along, "period-doubling"))
        elif _doubling_test(stretch, part[0]) * _doubling_test(stretch, part[1]) < 0.0 and _ends_at_one(stretch):
            found += _doublings_by_small_steps(stretch)
    between = [
        special_point_at(stretch, 0.5 * (a.along + b.along), ORDINARY_POINT) for a, b in pairwise(found)
    ]  # a stability of its own
    return [*found, *between]


def _doubling_test(stretch: CurveSegment, along: float) -> float:
    """Below zero where an odd number of real multipliers is below -1."""
    m = stretch.multipliers[along]
    if not m.size:
        return 1.0
    beyond = np.count_nonzero((np.abs(m.imag) <= REAL_MULTIPLIER_IMAG) & (m.real < -1.0))
    return float((-1.0) ** beyond * np.abs(m + 1.0).min())


def _doubling_within(stretch: CurveSegment, part: tuple[float, float]) -> float | None:
    """Where a real multiplier goes through -1 on a part of a stretch; None: nowhere, or it jumps."""
    if _doubling_test(stretch, part[0]) * _doubling_test(stretch, part[1]) >= 0.0:
        return None
    along = stretch.root(lambda s: _doubling_test(stretch, s), within=part)
    return along if abs(_doubling_test(stretch, along)) <= _largest_gap(stretch) else None


def _ends_at_one(stretch: CurveSegment) -> bool:
    """True if a multiplier at an end of a stretch is one, as where a branch begins or ends at another."""
    ends = (stretch.multipliers[s] for s in (0.0, stretch.length))
    return any(float(np.abs(m - 1.0).min(initial=np.inf)) <= BRANCH_END_DISTANCE for m in ends)


def _doublings_by_small_steps(stretch: CurveSegment) -> list[SpecialPoint]:
    """Doublings of a stretch on which orbits that are solved by themselves lie on another branch, too."""
    found = []
    for part in small_steps(stretch):
        along = _doubling_within(part, (0.0, part.length))
        if along is not None:
            own = special_point_at(part, along, "period-doubling")
            found.append(own._replace(along=stretch.a.ahead(own.located.z)))
    return found


def find_crossings(stretch: CurveSegment, known: list[SpecialPoint], turned: KnownFolds | None) -> list[SpecialPoint]:
    """Other crossings of the unit circle: the k-th largest modulus passes one."""
    found: list[SpecialPoint] = []
    folds = [each.along for each in known if each.kind == "fold"]

    def is_fold(s: float) -> bool:
        """True where a multiplier of one belongs to a fold; where it is found apart from that, on the whole stretch."""
        if stretch.apart or turned is not None:
            return bool(folds) or (turned is not None and turned.near)
        return any(abs(fold - s) < MIDDLE_TOLERANCE_REL * stretch.length for fold in folds)

    for part in _parts(stretch, known):
        neutral, crossed = crossed_moduli(stretch.multipliers[part[0]], stretch.multipliers[part[1]])
        for k in crossed:
            for new in _passing(stretch, k, neutral, is_fold, part):
                if not any(_are_one(stretch, new, each) for each in (*known, *found)):
                    found.append(new)
    found += [special_point_at(stretch, 0.5 * (a.along + b.along), ORDINARY_POINT) for a, b in pairwise(found)]
    grazes = {each.along for each in known if each.graze is not None and 0.0 < each.along < stretch.length}
    for part in pairwise(sorted({0.0, *grazes, stretch.length})):
        found += _excursions(stretch, part, (*known, *found))
    # multipliers that are found apart from the equations may not be one where these lose their rank
    if stretch.apart and not any(each.kind == "branch-point" for each in (*known, *found)):
        found += _branch_points_within(stretch, (0.0, stretch.length))
    return found


def _are_one(stretch: CurveSegment, new: SpecialPoint, known: SpecialPoint) -> bool:
    """True for a crossing found before; a graze next to a branch point is another point."""
    rough = new.kind == "branch-point" and known.graze is None
    return abs(known.along - new.along) < (MIDDLE_TOLERANCE_REL * stretch.length if rough else SAME_CROSSING_LENGTH)


def _branch_points_within(stretch: CurveSegment, within: tuple[float, float]) -> list[SpecialPoint]:
    """Branch points on a part of a stretch, by small steps along it."""
    whole = within == (0.0, stretch.length)
    crossings = branch_points_of(stretch if whole else stretch.part(*within))
    return [as_special_point(stretch, each._replace(along=stretch.a.ahead(each.located.z))) for each in crossings]


def _excursions(
    stretch: CurveSegment, part: tuple[float, float], known: tuple[SpecialPoint, ...]
) -> list[SpecialPoint]:
    """Crossings of the unit circle by multipliers that come back within a part of a stretch, without grazes inside."""
    new = list[SpecialPoint]()
    begin, end = (stretch.multipliers[s] for s in part)
    neutral = crossed_moduli(begin, end)[0]
    beside = [each for each in stretch.beside if (part[0] == 0.0 if each.end == 0 else part[1] == stretch.length)]
    bends = _bends_beside_graze(stretch, part)
    safety = GRAZE_RATE_SAFETY if bends else RATE_SAFETY
    for number in possible_crossings(part[1] - part[0], begin, end, beside, safety):
        place = _excursion_place(stretch, number, beside, part, safety)
        new += _there_and_back(stretch, number, neutral, place, part, (*known, *new))
    if (bends or may_pass_one(begin, end)) and not (stretch.apart or stretch.skip_location):
        place = _excursion_through_one(stretch, part)
        if place is not None:
            own = (moduli(stretch.multipliers[s], neutral) for s in (part[0], place))
            number = min(int(np.count_nonzero(each > 1.0)) for each in own)  # of those that stay outside
            new += _there_and_back(stretch, number, neutral, place, part, (*known, *new))
    return new


def _there_and_back(
    stretch: CurveSegment,
    k: int,
    neutral: int,
    place: float | None,
    part: tuple[float, float],
    known: tuple[SpecialPoint, ...],
) -> list[SpecialPoint]:
    """Where the k-th largest modulus, one of a pair perhaps, crosses the unit circle and comes back, and between.

    place : how far along it is across; None: nowhere.   part : of the stretch, on which it comes back.
    """
    if place is None:
        return []
    new = list[SpecialPoint]()
    for ends in ((part[0], place), (place, part[1])):
        for each in _passing_within(stretch, k, neutral, ends):
            if all(abs(each.along - own.along) >= SAME_CROSSING_LENGTH for own in (*known, *new)):
                new.append(each)
    return [*new, special_point_at(stretch, place, ORDINARY_POINT)] if new else []


def _passing_within(stretch: CurveSegment, k: int, neutral: int, within: tuple[float, float]) -> list[SpecialPoint]:
    """Where the k-th largest modulus passes one on a part of a stretch; no fold: two in one step turn the curve."""

    def value(s: float) -> float:
        own = moduli(stretch.multipliers[s], neutral)
        return float(own[k] - 1.0) if k < own.size else -1.0

    along = stretch.root(value, within=within)
    critical = critical_multiplier(stretch.multipliers[along], neutral)
    most = _largest_gap(stretch)
    if abs(abs(critical) - 1.0) > most:
        return []
    if abs(critical - 1.0) <= most:
        near = branch_point_near(stretch, along)
        return _branch_points_within(stretch, within) if near is None else [as_special_point(stretch, near)]
    kind = "neimark-sacker" if abs(critical.imag) > REAL_MULTIPLIER_IMAG else "period-doubling"
    return [special_point_at(stretch, along, kind)]


def _passing(
    stretch: CurveSegment, k: int, neutral: int, is_fold: Callable[[float], bool], within: tuple[float, float]
) -> list[SpecialPoint]:
    """Where the k-th largest modulus passes one within a part of a stretch, and as what; is_fold : whether a +1 at a
    place belongs to a fold."""

    def value(s: float) -> float:
        own = moduli(stretch.multipliers[s], neutral)
        return float(own[k] - 1.0) if k < own.size else -1.0

    def through_one(s: float) -> bool:
        return not is_fold(s) and abs(critical_multiplier(stretch.multipliers[s], neutral) - 1.0) <= BRANCH_POINT_GAP

    try:
        along, crossed = root_or_branch_point(stretch, value, through_one, within)
    except NotConverged:
        beside = _branch_points_within(stretch, within)
        if not beside:
            raise
        return beside
    if crossed is not None:
        return [crossed]
    m = stretch.multipliers[along]
    critical = critical_multiplier(m, neutral)
    if abs(abs(critical) - 1.0) > _largest_gap(stretch):  # it jumps: a graze, or the neighbours lie on another branch
        return _branch_points_within(stretch, within)
    if abs(critical.imag) > REAL_MULTIPLIER_IMAG:
        return [special_point_at(stretch, along, "neimark-sacker")]
    if critical.real < 0.0:  # two at once, so that the number of those below -1 is even as before
        met = np.count_nonzero(np.abs(m - critical) <= PAIR_DISTANCE) > 1
        return [special_point_at(stretch, along, "neimark-sacker" if met else "period-doubling")]
    if is_fold(along):
        return []
    if stretch.apart:  # if the equations keep their rank no branch crosses: the multipliers are off
        crossings = _branch_points_within(stretch, within)
        if not crossings:
            stretch.doubtful.append(stretch.located(along).p)
        return crossings
    width = (
        NEUTRAL_CROSSING_ERROR * (within[1] - within[0]) / abs(value(within[1]) - value(within[0])) if neutral else 0.0
    )
    return [special_point_at(stretch, along, "branch-point")._replace(width=width)]


def _largest_gap(stretch: CurveSegment) -> float:
    """Largest distance of a multiplier from the unit circle at the location of its crossing."""
    return MAX_SAMPLED_CROSSING_GAP if stretch.family.sampled else MAX_CROSSING_GAP


def _parts(stretch: CurveSegment, known: list[SpecialPoint]) -> list[tuple[float, float]]:
    if stretch.monotone_parts is None:
        stretch.monotone_parts = _monotone_parts(stretch, [each.along for each in known if each.graze is not None])
    return stretch.monotone_parts


def _monotone_parts(stretch: CurveSegment, cuts: Sequence[float]) -> list[tuple[float, float]]:
    """Parts of a stretch in which multipliers are taken to go one way: from one cut, where an event comes or goes, to
    the next, and shorter ones where a multiplier is near -1."""
    places = sorted({0.0, *(s for s in cuts if 0.0 < s < stretch.length), stretch.length})
    bent = len(places) == 2 and is_bent(stretch.a, stretch.b)  # an event would be the reason for it
    if bent and not stretch.skip_location and _has_orbit(stretch, 0.5 * stretch.length):
        places = sorted({*places, 0.5 * stretch.length})
    found = places[:1]
    for begin, end in pairwise(places):
        near = _bends_beside_graze(stretch, (begin, end)) if cuts else False
        near = near or near_period_doubling(stretch.multipliers[begin], stretch.multipliers[end])
        looks = _looked_at(stretch, begin, end, -1.0) if near and not stretch.skip_location else []
        found += [s for s in looks if not _is_on_circle(stretch.multipliers[s])]  # it would belong to neither part
        found.append(end)
    return list(pairwise(found))


def _bends_beside_graze(stretch: CurveSegment, part: tuple[float, float]) -> bool:
    """True for a part beside a graze with more events than on its other side: as a square root, multipliers change."""
    before, after = (stretch.point(s).events for s in (0.0, stretch.length))
    return (part[0] > 0.0 and not before > after) or (part[1] < stretch.length and not after > before)


def _is_on_circle(multipliers: Complex) -> bool:
    """True where a multiplier that is not neutral is on the unit circle to rounding."""
    own = moduli(multipliers, neutral_count(multipliers))
    return bool((np.abs(own - 1.0) <= NEUTRAL_DISTANCE).any())


def _looked_at(stretch: CurveSegment, begin: float, end: float, target: float) -> list[float]:
    """Places between two others, denser where a multiplier comes nearest to the target, -1 or 1."""
    if _is_steady_beside(stretch, begin, end, target) or _is_steady(stretch, begin, end, target):
        return []
    places = [
        begin,
        *(s for s in np.linspace(begin, end, DOUBLING_PARTS + 1)[1:-1].tolist() if _has_orbit(stretch, s)),
        end,
    ]
    for _ in range(DOUBLING_ROUNDS):
        k = int(np.argmin(distances([stretch.multipliers[s] for s in places], target)))
        beside = {0.5 * (places[i] + places[i + 1]) for i in (k - 1, k) if 0 <= i < len(places) - 1}
        places = sorted({*places, *(s for s in beside if _has_orbit(stretch, s))})
    for _ in range(MAX_PARABOLA_LOOKS):
        aimed = _parabola_minimum(places, crossing_tests([stretch.multipliers[s] for s in places], target))
        if aimed is None or not _has_orbit(stretch, aimed):
            break
        if distances([stretch.multipliers[aimed]], target)[0] <= NEUTRAL_DISTANCE:  # parts do not end where one crosses
            break
        places = sorted({*places, aimed})
    return places[1:-1]


def _is_steady(stretch: CurveSegment, begin: float, end: float, target: float) -> bool:
    """True if multipliers keep away from the target between two places: the middle is near the line from end to end."""
    middle = stretch.middle(begin, end)
    if not _has_orbit(stretch, middle):
        return False
    values = [stretch.multipliers[s] for s in (begin, middle, end)]
    if len({own.size for own in values}) > 1:
        return False
    for first, between, last in (distances(values, target), crossing_tests(values, target)):
        least = min(first, between, last)
        expected = first + (middle - begin) / (end - begin) * (last - first)
        if not (least > 0.0 and abs(between - expected) <= STEADY_BEND_REL * least):
            return False
    return True


def _is_steady_beside(stretch: CurveSegment, begin: float, end: float, target: float) -> bool:
    """The same by the next points on both sides instead of the middle: parabolas through three points each bend over
    the stretch by as little. False where these points tell nothing."""
    if (begin, end) != (0.0, stretch.length) or len(stretch.beside) < 2 or stretch.monotone_parts is not None:
        return False
    before, after = stretch.beside
    s = np.array([-before.length, 0.0, end, end + after.length])
    known = [before.multipliers, stretch.multipliers[0.0], stretch.multipliers[end], after.multipliers]
    if len({own.size for own in known}) > 1 or not (np.diff(s) > 0.0).all():
        return False
    for measure in (distances, crossing_tests):
        values = np.array(measure(known, target))
        slopes = np.diff(values) / np.diff(s)
        bend = 0.25 * end**2 * np.abs(np.diff(slopes) / (s[2:] - s[:-2])).max()
        least = values[1:3].min()
        if not (least > 0.0 and bend <= STEADY_BEND_REL * least):
            return False
    return True


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
        return bool(stretch.multipliers[along].size)
    except SOLVER_FAILURES:
        return False


def is_bent(a: CurvePoint, b: CurvePoint) -> bool:
    """True if the tangents at two neighbours differ enough for multipliers to cross and return in between."""
    other = b.tangent * b.scale / a.scale
    return bool(a.tangent @ other < np.cos(MAX_STRAIGHT_ANGLE) * np.sqrt(other @ other))


def _excursion_through_one(stretch: CurveSegment, ends: tuple[float, float]) -> float | None:
    """How far along a part of a stretch the number of multipliers beyond +1 is odd, and at both ends even, or the other
    way round; None: nowhere."""
    if len({neutral_count(stretch.multipliers[s]) for s in ends}) > 1:
        return None
    if min(crossing_tests([stretch.multipliers[s] for s in ends], 1.0)) <= 0.0:
        return None
    places = [ends[0], *_looked_at(stretch, *ends, 1.0)]
    values = crossing_tests([stretch.multipliers[s] for s in places], 1.0)
    least, place = min(zip(values, places, strict=True))
    return None if least >= 0.0 else place


def _excursion_place(
    stretch: CurveSegment, k: int, beside: Sequence[NeighbourMultipliers], part: tuple[float, float], safety: float
) -> float | None:
    """How far along a stretch the k-th largest modulus is on the other side of one than at both ends of a part of it;
    None: nowhere.

    Halved is the part in which it could get farthest, by the largest of the speeds that are known.
    """
    ends = [stretch.multipliers[s] for s in part]
    neutral = neutral_count(ends[0])
    places = list(part)
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
        reached = 0.5 * (safety * fastest * lengths - sums)
        widest = int(np.argmax(reached))
        if not reached[widest] > 0.0:
            return None
        middle = 0.5 * (places[widest] + places[widest + 1])
        try:
            own = moduli(stretch.multipliers[middle], neutral)
        except SOLVER_FAILURES:
            return None
        if k >= own.size:
            return None
        if side * (float(own[k]) - 1.0) < -NEUTRAL_DISTANCE:
            return middle
        places.insert(widest + 1, middle)
        values.insert(widest + 1, float(own[k]) - 1.0)
        speed *= 0.5 ** (1.0 / MAX_MODULUS_LOOKS)  # closer measurements count more
    return None
