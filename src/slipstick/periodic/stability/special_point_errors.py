"""Error of the location of a special point, in units of the parameter.

A family that has a finer one (harmonic balance with more harmonics) is compared with it, on planes across the curve at
the special point and beside it: there the finer curve lies at other values of the parameter. Where a multiplier crosses
the unit circle, that of the finer family is looked for along the curve. Other families have the length to which a point
is located, and the error of its orbit as a part of its size.

Orbits with an error above a tenth of their motion have multipliers that mean nothing, and folds that a finer family may
not have: such special points are artefacts of too few harmonics. Crossings at orbits with a smaller error that is still
not small must be confirmed by the finer family.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Complex
from slipstick.periodic.continuation.corrector import MAX_START_STEPS, CurvePoint, Plane, correct
from slipstick.periodic.continuation.curve_segment import (
    LOCATION_LENGTH,
    SOLVER_FAILURES,
    CurveSegment,
)
from slipstick.periodic.continuation.family import Family, SofterFamily
from slipstick.periodic.continuation.folds import PEAK_LENGTH
from slipstick.periodic.multipliers import neutral_count, without_neutral
from slipstick.results.orbit import OrbitPoint
from slipstick.results.tolerances import ERROR_LIMIT_REL, UNRESOLVED_ERROR_REL

# times the change: an error that falls like one over the harmonics is twice what doubling them changes
ERROR_SAFETY = 3.0
# of the stretch: so far beside a special point curves are compared too, where it may be a corner
COMPARISON_OFFSET_REL = 0.1
MAX_MULTIPLIER_LOOKS = 16  # points of the curve at which the multiplier of the finer family is computed
SEARCH_PARTS_REL = (
    1 / 32,
    1 / 16,
    3 / 32,
    1 / 8,
    3 / 16,
    1 / 4,
    3 / 8,
    1 / 2,
    3 / 4,
)  # of the stretch: looked at before those
NEIGHBOUR_GAPS = 2  # gaps between neighbours of the curve that are searched, too
FOLD_WINDOW = 8  # points of the curve on each side among which a finer family must have a fold as well
REAL_MULTIPLIER_LIMIT = 1e-6  # imaginary part below which a multiplier is real


def error_from_size(located: CurvePoint, point: OrbitPoint) -> float:
    """The error of the parameter that an orbit's own error, and the length it is located to, amount to."""
    size = float(point.amplitude.max(initial=0.0))
    part = point.error / size if size > 0.0 else 0.0
    return float(located.scale[-1] * (LOCATION_LENGTH + part))


class LocationError(NamedTuple):
    """Error of the parameter at a special point.   confirmed : the finer family, if any, has such a point nearby."""

    error: float
    confirmed: bool = True


def location_error(
    stretch: CurveSegment, kind: str, along: float, located: CurvePoint, point: OrbitPoint, curve: Sequence[CurvePoint]
) -> LocationError:
    """The error of the parameter at a special point of a stretch; curve : all points that were followed, its ends too.

    along, located, point : of the special point.
    """
    finer = stretch.family.refined()
    if finer is None:
        return LocationError(error_from_size(located, point))
    confirmed = True
    try:
        there = _across(finer, located, located)
        moved = abs(there.p - located.p)
        for aside in (-COMPARISON_OFFSET_REL, COMPARISON_OFFSET_REL):
            if 0.0 < along + aside * stretch.length < stretch.length:
                beside = stretch.located(along + aside * stretch.length)
                moved = max(moved, abs(_across(finer, beside, located).p - beside.p))
        if kind != "fold":
            elsewhere, confirmed = _crossed_elsewhere(stretch, kind, along, located, finer, there, curve)
            moved = max(moved, elsewhere)
    except SOLVER_FAILURES:  # the finer curve lies elsewhere: as far off as the points around
        farthest = ERROR_SAFETY * max(abs(each.p - located.p) for each in _around(stretch, curve))
        return LocationError(max(error_from_size(located, point), farthest), confirmed=kind == "fold")
    length = PEAK_LENGTH if stretch.family.sampled else LOCATION_LENGTH
    return LocationError(ERROR_SAFETY * moved + length * float(located.scale[-1]), confirmed)


def is_unconfirmed(kind: str, found: LocationError, point: OrbitPoint, curve: Sequence[CurvePoint]) -> bool:
    """True for a crossing at an orbit whose error is not small that more harmonics do not show on the curve nearby.

    Nor do they if the error of its place covers the whole curve: any crossing of the finer family would do.
    """
    size = float(point.amplitude.max(initial=0.0))
    if kind not in ("period-doubling", "neimark-sacker") or not point.error > ERROR_LIMIT_REL * size:
        return False
    places = [each.p for each in curve]
    return not found.confirmed or 2.0 * found.error >= max(places) - min(places)


def is_artefact(
    stretch: CurveSegment, kind: str, located: CurvePoint, point: OrbitPoint, curve: Sequence[CurvePoint]
) -> bool:
    """True for a special point of an orbit that is not resolved and that more harmonics do not confirm.

    Of such orbits multipliers say nothing. A fold is confirmed if the curve of the finer family turns nearby.
    """
    finer = stretch.family.refined()
    size = float(point.amplitude.max(initial=0.0))
    if finer is None or not point.error > UNRESOLVED_ERROR_REL * size:
        return False
    if kind in ("period-doubling", "neimark-sacker"):
        return True
    return kind == "fold" and not _turns_nearby(finer, stretch, located, curve, point.error <= size)


def _turns_nearby(
    finer: SofterFamily, stretch: CurveSegment, located: CurvePoint, curve: Sequence[CurvePoint], unknown: bool
) -> bool:
    """True if the curve of the finer family has a fold of the same side among the points around.

    unknown : the answer where the finer family has no orbit there.
    """
    first = _place(stretch, curve)
    around = [*curve[max(first - FOLD_WINDOW + 1, 0) : first + 1], located, *curve[first + 1 : first + 1 + FOLD_WINDOW]]
    side = 1.0 if located.p >= max(stretch.a.p, stretch.b.p) else -1.0
    try:
        p = np.array([side * _across(finer, each, each).p for each in around])
    except SOLVER_FAILURES:
        return unknown
    return bool(((p[1:-1] > p[:-2]) & (p[1:-1] > p[2:])).any())


def _across(finer: SofterFamily, located: CurvePoint, normal_of: CurvePoint) -> CurvePoint:
    """The point of the finer family on a plane through a point, across the tangent at another one."""
    family: Family = finer.family
    z, slope = (np.append(finer.lower(own[:-1]), own[-1]) for own in (located.z, normal_of.slope))
    scale = np.append(family.scales(z[:-1], located.p), located.scale[-1])
    normal = slope / scale
    return correct(family, z, Plane(normal / np.sqrt(normal @ normal), z, scale, 0.0), MAX_START_STEPS)


def _around(stretch: CurveSegment, curve: Sequence[CurvePoint]) -> Sequence[CurvePoint]:
    """Points of the curve to both sides of a stretch."""
    first = _place(stretch, curve)
    return curve[max(first - MAX_MULTIPLIER_LOOKS // 2, 0) : first + MAX_MULTIPLIER_LOOKS // 2]


def _place(stretch: CurveSegment, curve: Sequence[CurvePoint]) -> int:
    """The number of the point that a stretch begins with."""
    return next(k for k, each in enumerate(curve) if each is stretch.a)


def _crossed_elsewhere(
    stretch: CurveSegment,
    kind: str,
    along: float,
    located: CurvePoint,
    finer: SofterFamily,
    there: CurvePoint,
    curve: Sequence[CurvePoint],
) -> tuple[float, bool]:
    """How far the parameter is from where the multiplier of the finer family crosses, or from as far as was looked.

    Also whether it crosses as far as was looked.
    """
    ends = [stretch.multipliers[s] for s in (0.0, stretch.length)]
    crossing = _Crossing(kind, min(neutral_count(own) for own in ends))
    before, after = (crossing.outside(own) for own in ends)
    own = finer.family.multipliers_at(there.x, there.p)
    first = _place(stretch, curve)
    onward = _points_from(stretch, along, 1.0, curve[first + 1 :])
    backward = _points_from(stretch, along, -1.0, curve[first::-1])
    if before == after:  # by its own multipliers it has not crossed, or has crossed back: the nearest counts
        ways = [_way_to_change(crossing, located.p, own, finer, way) for way in (onward, backward)]
        return min(moved for moved, _ in ways), any(changes for _, changes in ways)
    return _way_to_change(crossing, located.p, own, finer, onward if crossing.outside(own) == before else backward)


def _points_from(stretch: CurveSegment, along: float, sign: float, rest: Sequence[CurvePoint]) -> Iterator[CurvePoint]:
    """Points on one side of a special point, nearest first, and close to each other there.

    Two crossings may lie within one stretch, or between two points of the curve nearby.
    """
    for part in SEARCH_PARTS_REL:
        place = along + sign * part * stretch.length
        if 0.0 < place < stretch.length:
            yield stretch.located(place)
    yield from rest[:1]
    for k, (a, b) in enumerate(pairwise(rest[:MAX_MULTIPLIER_LOOKS])):
        if k < NEIGHBOUR_GAPS:
            yield from (a._replace(z=(1.0 - part) * a.z + part * b.z) for part in (0.25, 0.5, 0.75))
        yield b


def _way_to_change(
    crossing: _Crossing, p: float, own: Complex, finer: SofterFamily, way: Iterable[CurvePoint]
) -> tuple[float, bool]:
    """How far it is from p to where multipliers of the finer family are outside that are not so at p (own), or back.

    False with the length of the way if they do not change on it.
    """
    left, gone = crossing.distance(own), 0.0
    for each in way:
        moved = abs(each.p - p)
        try:
            there = _across(finer, each, each)
            m = finer.family.multipliers_at(there.x, there.p)
        except SOLVER_FAILURES:
            gone = max(gone, moved)
            continue
        over = crossing.distance(m)
        if crossing.outside(m) != crossing.outside(own):
            part = left / (left + over) if 0.0 < left + over < np.inf else 1.0
            return gone + part * abs(moved - gone), True
        left, gone = over, max(gone, moved)
    return gone, False


class _Crossing(NamedTuple):
    """A crossing of the unit circle.

    neutral : how many multipliers stay at one, as those of a train that turns freely.
    """

    kind: str
    neutral: int

    def outside(self, m: Complex) -> int:
        """How many multipliers are outside the unit circle; of real ones, whether that number is odd."""
        m = without_neutral(m, self.neutral)
        if self.kind == "neimark-sacker":
            return int(np.count_nonzero(np.abs(m) > 1.0))
        real = self._sign * m.real[np.abs(m.imag) <= REAL_MULTIPLIER_LIMIT]
        return int(np.count_nonzero(real > 1.0)) % 2

    def distance(self, m: Complex) -> float:
        """Of the multiplier that crosses: from the unit circle, or from where a real one does."""
        if self.kind == "neimark-sacker":
            return float(np.abs(np.abs(m[np.abs(m.imag) > REAL_MULTIPLIER_LIMIT]) - 1.0).min(initial=np.inf))
        return float(np.abs(without_neutral(m, self.neutral) - self._sign).min(initial=np.inf))

    @property
    def _sign(self) -> float:
        return -1.0 if self.kind == "period-doubling" else 1.0
