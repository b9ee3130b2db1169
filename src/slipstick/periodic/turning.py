"""Folds of a curve that is not smooth: where its parameter turns back, by more than sampling lets it waver.

Laws with corners that are followed along samples bend a curve whenever a switch passes a sample. Near its peaks it then
has several folds where the response has one, and which of them are met depends on the steps. What counts is how
far the parameter gets before it turns back for good: that is the same from both ends.
"""

from __future__ import annotations

import numpy as np

from slipstick.errors import NotConverged
from slipstick.periodic.corrector import Located, correct
from slipstick.periodic.family import Family
from slipstick.results.extremes import extremes

LOOKS = 12  # at places between two neighbouring points, to find the highest part of a wavering peak
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)
NARROW = 1e-7  # length along the curve at which the search for a peak ends


def turns(family: Family, points: list[Located]) -> dict[int, float]:
    """Folds between neighbouring points: number of the first of these -> length along the curve from it."""
    found: dict[int, float] = {}
    for index, sign in extremes([point.p for point in points]):
        best: tuple[float, int, float] | None = None
        for first in (index - 1, index):
            if 0 <= first < len(points) - 1:
                height, along = _peak(family, points[first], points[first + 1], sign)
                best = max(best, (height, first, along)) if best else (height, first, along)
        if best is not None:
            found[best[1]] = best[2]
    return found


def _peak(family: Family, a: Located, b: Located, sign: float) -> tuple[float, float]:
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

    places = np.linspace(0.0, length, LOOKS + 1)
    heights = [sign * a.p, *(height(s) for s in places[1:-1]), sign * b.p]
    best = int(np.argmax(heights))
    low, high = places[max(best - 1, 0)], places[min(best + 1, LOOKS)]
    s, t = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_s, at_t = height(s), height(t)
    while high - low > NARROW:
        if at_s > at_t:
            high, t, at_t = t, s, at_s
            s = high - GOLDEN * (high - low)
            at_s = height(s)
        else:
            low, s, at_s = s, t, at_t
            t = low + GOLDEN * (high - low)
            at_t = height(t)
    return max((at_s, float(s)), (at_t, float(t)), (heights[best], float(places[best])))
