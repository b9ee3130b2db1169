"""Floquet multipliers: from the derivative of a period, stability, and whether one may cross the unit circle.

Between points moduli are not known. How fast they change there is taken from how fast they change beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from slipstick.errors import NotConverged

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

# a multiplier so near to +1 is one for ever: a slider that never slips, a gear train that turns
NEUTRAL_DISTANCE = 2e-6
UNIT_CIRCLE_TOLERANCE = 1e-9  # a multiplier so little outside the unit circle is on it: neutral, not unstable
NEAR_CIRCLE = 0.5  # of one: moduli farther from it are not asked for
RATE_SAFETY = 1.5  # times as fast as beside, a modulus may change between two points
NEAR_DOUBLING = 0.35  # from -1: one that is so near may be led across by an event between two points
NEAR_ONE = 0.35  # from +1: a pair that is so near may meet on the real axis between two points, and one of it cross
NEAR_FOLD = 0.1  # from +1: one that is so near, beyond an event, may have been across before it


class NeighbourMultipliers(NamedTuple):
    """A point beside a stretch: length : from the stretch's end to it.   end : which, 0 or 1."""

    length: float
    end: int
    multipliers: Complex


def multipliers_of(derivative: Array) -> Complex:
    """Of a period with that derivative by the state, the largest first."""
    real, imaginary = eigenvalues(derivative)
    found = real + 1j * imaginary
    return np.asarray(found[np.argsort(-np.abs(found), kind="stable")])


def eigenvalues(derivative: Array | None) -> tuple[Array, Array]:
    """Real and imaginary parts of the multipliers, in any order."""
    assert derivative is not None
    if not derivative.size:  # a single free body: LAPACK refuses an empty matrix
        return np.zeros(0), np.zeros(0)
    real, imaginary, _, _, info = lapack.dgeev(derivative, compute_vl=0, compute_vr=0)
    if info:
        raise NotConverged("the multipliers of the orbit could not be computed: its derivative is not finite")
    return real, imaginary


def is_stable(found: Complex) -> bool:
    """True if no multiplier is outside the unit circle; a free body has a pair of one, which rounding parts by 1e-8."""
    return bool(((np.abs(found) <= 1.0 + UNIT_CIRCLE_TOLERANCE) | (np.abs(found - 1.0) <= NEUTRAL_DISTANCE)).all())


def multipliers_beyond_one(derivative: Array | None) -> int:
    """How many multipliers of a period with that derivative are real and larger than one; it changes at folds."""
    real, imaginary = eigenvalues(derivative)
    return sum(b == 0.0 and a > 1.0 + NEUTRAL_DISTANCE for a, b in zip(real.tolist(), imaginary.tolist(), strict=True))


def neutral_count(multipliers: Complex) -> int:
    """How many are one for ever."""
    return int(np.count_nonzero(np.abs(multipliers - 1.0) <= NEUTRAL_DISTANCE))


def without_neutral(multipliers: Complex, neutral: int) -> Complex:
    """The multipliers but for so many that are nearest to one."""
    return multipliers[np.argsort(np.abs(multipliers - 1.0))[neutral:]]


def moduli(multipliers: Complex, neutral: int) -> Array:
    """(k,) the largest first, without those that are one for ever."""
    return np.asarray(np.sort(np.abs(without_neutral(multipliers, neutral)))[::-1])


def critical_multiplier(multipliers: Complex, neutral: int) -> complex:
    """The multiplier that is nearest to the unit circle, but for those that are one for ever."""
    m = without_neutral(multipliers, neutral)
    return complex(m[np.argmin(np.abs(np.abs(m) - 1.0))])


def crossed_moduli(begin: Complex, end: Complex) -> tuple[int, list[int]]:
    """How many are neutral at both ends of a part of a curve, and the numbers, by size, of the other moduli that are
    beyond one at one end only."""
    neutral = min(neutral_count(begin), neutral_count(end))
    first, last = moduli(begin, neutral), moduli(end, neutral)
    count = min(first.size, last.size)
    first, last = first[:count] - 1.0, last[:count] - 1.0
    # what begins to stick has one of one at once
    apart = (np.abs(first) > NEUTRAL_DISTANCE) & (np.abs(last) > NEUTRAL_DISTANCE)
    return neutral, np.flatnonzero((np.sign(first) * np.sign(last) < 0.0) & apart).tolist()


def may_cross_unit_circle(
    length: float, ends: tuple[Complex, Complex], beside: Sequence[NeighbourMultipliers], margin: float
) -> bool:
    """True if a multiplier may be across the unit circle between two neighbours: quickly seen not to be for most."""
    return (
        not all(_all_inside(m, margin) for m in ends)
        or near_period_doubling(*ends)
        or bool(possible_crossings(length, *ends, beside))
    )


def _all_inside(multipliers: Complex, margin: float) -> bool:
    """True if all are within the unit circle by more than a margin."""
    return not multipliers.size or float(np.abs(multipliers).max()) < 1.0 - margin


def near_period_doubling(*ends: Complex) -> bool:
    """True if a multiplier at an end of a stretch is so near to -1 that it, or one of its pair, may be beyond it in
    between."""
    return any(bool((np.abs(m + 1.0) < NEAR_DOUBLING).any()) for m in ends)


def pair_near_one(*ends: Complex) -> bool:
    """True if a complex pair at an end of a stretch is near to +1: while it is real in between, one of it may be beyond
    one; moduli at the ends do not show that."""
    return any(bool(((m.imag != 0.0) & (np.abs(m - 1.0) < NEAR_ONE)).any()) for m in ends)


def near_fold(*ends: Complex) -> bool:
    """True if a real multiplier at an end of a stretch is so near to +1 that the curve may have turned in between.

    Where a stick band begins or ends in between, one multiplier becomes neutral: that is no turn.
    """
    if len({neutral_count(m) for m in ends}) > 1:
        return False
    return any(bool(((m.imag == 0.0) & (np.abs(m - 1.0) < NEAR_FOLD)).sum() > neutral_count(m)) for m in ends)


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
