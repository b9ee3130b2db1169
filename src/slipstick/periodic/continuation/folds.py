"""Folds of curves that are not smooth, distinguished from ripple of the sampling.

Laws with corners that are followed along samples bend a curve whenever a switch passes a sample. Near its peaks it then
has several folds where the response has one, and which of them are met depends on the steps. What counts is how
far the parameter gets before it turns back for good: that is the same from both ends. Where it turns back by little,
two folds are real if a multiplier is beyond one between them, and not outside: multipliers do not waver.
"""

from __future__ import annotations

import itertools

import numpy as np

from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint, correct
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.multipliers import NEUTRAL_DISTANCE
from slipstick.results.local_extremes import find_local_extremes

PEAK_SEARCH_PARTS = 12  # at places between two neighbouring points, to find the highest part of a wavering peak
GOLDEN_SECTION = 0.5 * (np.sqrt(5.0) - 1.0)
PEAK_LENGTH = 1e-7  # length along the curve at which the search for a peak ends
PARAMETER_ROUNDING_REL = 1e-7  # of the parameter: so little it turns back by rounding


def find_folds(family: Family, points: list[CurvePoint], *, short: bool = False) -> dict[int, float]:
    """Folds between neighbouring points: number of the first of these -> length along the curve from it.

    short : every turn counts, also one that is as short as a ripple.
    """
    found: dict[int, float] = {}
    turns = find_local_extremes([point.p for point in points], PARAMETER_ROUNDING_REL) if short else None
    for index, sign in _lasting_folds(family, points) if turns is None else turns:
        best: tuple[float, int, float] | None = None
        for first in (index - 1, index):
            if 0 <= first < len(points) - 1:
                height, along = _peak(family, points[first], points[first + 1], sign)
                best = max(best, (height, first, along)) if best else (height, first, along)
        if best is not None:
            found[best[1]] = best[2]
    return found


def _lasting_folds(family: Family, points: list[CurvePoint]) -> list[tuple[int, float]]:
    """Numbers of the points near folds, and 1 for peaks and -1 for valleys; without those that are only ripples."""
    values = [point.p for point in points]
    lasting, every = find_local_extremes(values), find_local_extremes(values, PARAMETER_ROUNDING_REL)
    known, ends = dict(lasting), [0, *(index for index, _ in every), len(points) - 1]
    for (i, up), (j, down), k in zip(every, every[1:], itertools.count(), strict=False):
        if known.keys().isdisjoint((i, j)):
            parts = (points[a : b + 1] for a, b in itertools.pairwise(ends[k : k + 4]))
            before, inside, after = (_beyond_one(family, part) for part in parts)
            if None not in (before, inside, after) and inside not in (before, after):
                known |= {i: up, j: down}
    return sorted(known.items())


def _beyond_one(family: Family, points: list[CurvePoint]) -> int | None:
    """How many real multipliers are beyond one in the middle of a part of a curve; None where that is not known."""
    middle = points[len(points) // 2]
    try:
        if len(points) == 2:
            first, last = points
            along = 0.5 * first.ahead(last.z)
            middle = correct(family, 0.5 * (first.z + last.z), first.plane(along))
        m = family.multipliers_at(middle.x, middle.p)
    except (NotConverged, ValueError, ArithmeticError):
        return None
    return int(np.count_nonzero((m.imag == 0.0) & (m.real > 1.0 + NEUTRAL_DISTANCE)))


def _peak(family: Family, a: CurvePoint, b: CurvePoint, sign: float) -> tuple[float, float]:
    """sign times the largest sign p between two neighbours, and how far along it is."""
    length = a.ahead(b.z)
    if not length > 0.0:  # the curve went round a sharp corner
        return max(sign * a.p, sign * b.p), 0.0

    def height(along: float) -> float:
        guess = a.z + along / length * (b.z - a.z)
        try:
            return sign * correct(family, guess, a.plane(along)).p
        except NotConverged:
            return -np.inf

    places = np.linspace(0.0, length, PEAK_SEARCH_PARTS + 1)
    heights = [sign * a.p, *(height(s) for s in places[1:-1]), sign * b.p]
    best = int(np.argmax(heights))
    low, high = places[max(best - 1, 0)], places[min(best + 1, PEAK_SEARCH_PARTS)]
    s, t = high - GOLDEN_SECTION * (high - low), low + GOLDEN_SECTION * (high - low)
    at_s, at_t = height(s), height(t)
    while high - low > PEAK_LENGTH:
        if at_s > at_t:
            high, t, at_t = t, s, at_s
            s = high - GOLDEN_SECTION * (high - low)
            at_s = height(s)
        else:
            low, s, at_s = s, t, at_t
            t = low + GOLDEN_SECTION * (high - low)
            at_t = height(t)
    return max((at_s, float(s)), (at_t, float(t)), (heights[best], float(places[best])))
