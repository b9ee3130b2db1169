"""Folds of curves that are not smooth, told from ripple of the sampling.

And turns that are none: at a fold the derivatives by the unknowns are singular, so their determinant changes its sign
with the way the parameter goes. Where only one of the two does, a step was too long for the curve and led back.

Laws with corners that are followed along samples bend a curve whenever a switch passes a sample. Near its peaks it then
has several folds where the response has one, and which of them are met depends on the steps. What counts is how
far the parameter gets before it turns back for good: that is the same from both ends. Where it turns back by little,
two folds are real if a multiplier is beyond one between them, and not outside: multipliers do not waver.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint, correct, newton_at
from slipstick.periodic.continuation.curve_segment import NEUTRAL_DISTANCE
from slipstick.periodic.continuation.family import Family
from slipstick.results.local_extremes import find_local_extremes

Array = NDArray[np.float64]

PEAK_SEARCH_PARTS = 12  # at places between two neighbouring points, to find the highest part of a wavering peak
GOLDEN_SECTION = 0.5 * (np.sqrt(5.0) - 1.0)
PEAK_LENGTH = 1e-7  # length along the curve at which the search for a peak ends
SIGN_ROUNDING_REL = 1e-10  # of the largest singular value: below it the sign of a determinant is one of rounding
NEAR_SINGULAR_REL = 0.25  # as far from singular as beside it: so near a turn has to be
PARAMETER_ROUNDING_REL = 1e-7  # of the parameter: so little it turns back by rounding
SAME_ORBIT_LENGTH = 1e-6  # length within which two orbits are one


def find_folds(family: Family, points: list[CurvePoint]) -> dict[int, float]:
    """Folds between neighbouring points: number of the first of these -> length along the curve from it."""
    found: dict[int, float] = {}
    for index, sign in _lasting_folds(family, points):
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


def fold_value(last: CurvePoint, new: CurvePoint) -> float:
    """About the value at which the parameter turns between two neighbours, by a cubic; that of the new one if it does
    not."""
    first, end = float(last.slope[-1]), float(new.slope[-1])
    if not first * end < 0.0:
        return new.p
    length = scaled_distance(last, new)
    s = np.linspace(0.0, 1.0, 4 * PEAK_SEARCH_PARTS + 1)
    risen = s * s * (3.0 - 2.0 * s) * (new.p - last.p)
    p = last.p + risen + length * s * (1.0 - s) * ((1.0 - s) * first - s * end)
    return float(p.max() if first > 0.0 else p.min())


def turns_back_without_fold(family: Family, last: CurvePoint, new: CurvePoint) -> bool:
    """True where the parameter turns between two neighbours though no fold lies there, or goes back though none turns.

    False too where that is not known: derivatives that are not square, singular, or of a law along samples.
    """
    if family.sampled:
        return False
    if not last.tangent[-1] * new.tangent[-1] < 0.0:
        against = (last.p - new.p) / last.scale[-1] * np.sign(last.tangent[-1])
        return bool(
            against > SAME_ORBIT_LENGTH * scaled_distance(last, new)
        )  # both ends lead on, and the way between them goes back
    a, b = _signed_singular_value(family, last.z), _signed_singular_value(family, new.z)
    if not a * b > 0.0:
        return False
    length = last.ahead(new.z)
    if not length > 0.0:
        return True
    # where two branches cross, one of them may turn without a change of sign; but then they are singular there
    along = length * abs(last.tangent[-1]) / (abs(last.tangent[-1]) + abs(new.tangent[-1]))
    try:
        top = correct(family, last.z + along / length * (new.z - last.z), last.plane(along))
    except NotConverged:
        return True
    return abs(_signed_singular_value(family, top.z)) > NEAR_SINGULAR_REL * max(abs(a), abs(b))


def _signed_singular_value(family: Family, z: Array) -> float:
    """The smallest singular value of the derivatives by the unknowns, with the sign of their determinant.

    0 where they are not square, or where that sign is one of rounding.
    """
    x, p = z[:-1], float(z[-1])
    _, by_x, _ = family.linearise(x, p)
    if by_x.shape[0] != by_x.shape[1] or not by_x.size:
        return 0.0
    matrix = by_x * family.scales(x, p)
    values = np.linalg.svd(matrix, compute_uv=False)
    if not values[-1] > SIGN_ROUNDING_REL * max(values[0], 1.0):
        return 0.0
    return float(np.linalg.slogdet(matrix)[0] * values[-1])


def lies_on_past_curve(family: Family, points: list[CurvePoint], found: CurvePoint) -> bool:
    """True for a point on the curve between those that it has come along."""
    for a, b in itertools.pairwise(points):
        if not min(a.p, b.p) <= found.p <= max(a.p, b.p) or a.p == b.p:
            continue
        guess = a.z + (found.p - a.p) / (b.p - a.p) * (b.z - a.z)
        try:
            known = newton_at(family, guess, found.p, a.scale)
        except NotConverged:
            continue
        if scaled_distance(known, found) < SAME_ORBIT_LENGTH:
            return True
    return False


def scaled_distance(a: CurvePoint, b: CurvePoint) -> float:
    """Between two points, in units of the scale at the first."""
    return float(np.linalg.norm((a.z - b.z) / a.scale))


def retraced_from(points: list[CurvePoint]) -> int | None:
    """The point from which a curve runs back along itself to where it began; None for one that does not."""
    if len(points) < 3 or points[0].p != points[-1].p or not scaled_distance(points[0], points[-1]) < SAME_ORBIT_LENGTH:
        return None
    gone = np.cumsum([scaled_distance(a, b) for a, b in itertools.pairwise(points)])
    return int(np.argmin(np.abs(gone - 0.5 * gone[-1]))) + 1
