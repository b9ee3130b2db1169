"""Floquet multipliers: from the derivative of a period, stability, and whether one may cross the unit circle.

Moduli between two points of a curve are bounded by their rate of change at the neighbouring points.
A neutral multiplier is +1 on a whole part of a curve: a slider that never slips, a gear train that turns freely.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from slipstick.arrays import Array, Complex, Flags
from slipstick.errors import NotConverged

NEUTRAL_DISTANCE = 2e-6  # from +1: a multiplier this near is neutral
UNIT_CIRCLE_TOLERANCE = 1e-9  # distance outside the unit circle up to which a multiplier counts as on it
NEAR_CIRCLE = 0.5  # from the unit circle: moduli farther away are taken not to cross it
RATE_SAFETY = 1.5  # a modulus may change this many times as fast between two points as at the neighbours
GRAZE_RATE_SAFETY = 4.0  # the same beside a graze, where they change as a square root
NEAR_DOUBLING = 0.35  # from -1: an event between two points may move a multiplier this near across -1
NEAR_ONE = 0.35  # from +1: a complex pair this near may become real between two points, and one of them cross +1
NEAR_FOLD = 0.1  # from +1: a real multiplier this near may have crossed +1 before an event between two points


class NeighbourMultipliers(NamedTuple):
    """Multipliers at a point next to a stretch.   length : from the end of the stretch.   end : which one, 0 or 1."""

    length: float
    end: int
    multipliers: Complex


def multipliers_of(derivative: Array) -> Complex:
    """Multipliers of the derivative of a period map by the state, the largest first."""
    real, imaginary = eigenvalues(derivative)
    found = real + 1j * imaginary
    return np.asarray(found[np.argsort(-np.abs(found), kind="stable")])


def eigenvalues(derivative: Array | None) -> tuple[Array, Array]:
    """Real and imaginary parts of the multipliers, unordered."""
    assert derivative is not None
    if not derivative.size:  # a single free body: LAPACK refuses an empty matrix
        return np.zeros(0), np.zeros(0)
    if not np.isfinite(derivative).all():  # LAPACK would print an error
        raise NotConverged("the multipliers of the orbit could not be computed: its derivative is not finite")
    real, imaginary, _, _, info = lapack.dgeev(derivative, compute_vl=0, compute_vr=0)
    if info:
        raise NotConverged("the multipliers of the orbit could not be computed: their iteration did not converge")
    return real, imaginary


def is_stable(found: Complex) -> bool:
    """True if no multiplier is outside the unit circle; rounding splits the double +1 of a free body by 1e-8."""
    return bool(((np.abs(found) <= 1.0 + UNIT_CIRCLE_TOLERANCE) | (np.abs(found - 1.0) <= NEUTRAL_DISTANCE)).all())


def multipliers_beyond_one(derivative: Array | None) -> int:
    """Number of real multipliers larger than one; it changes at folds."""
    real, imaginary = eigenvalues(derivative)
    return sum(b == 0.0 and a > 1.0 + NEUTRAL_DISTANCE for a, b in zip(real.tolist(), imaginary.tolist(), strict=True))


def neutral_count(multipliers: Complex) -> int:
    """Number of neutral multipliers."""
    return int(np.count_nonzero(np.abs(multipliers - 1.0) <= NEUTRAL_DISTANCE))


def without_neutral(multipliers: Complex, neutral: int) -> Complex:
    """The multipliers without the neutral ones: those nearest to +1.   neutral : their number."""
    return multipliers[np.argsort(np.abs(multipliers - 1.0))[neutral:]]


def moduli(multipliers: Complex, neutral: int) -> Array:
    """(k,) moduli without neutral multipliers, the largest first."""
    return np.asarray(np.sort(np.abs(without_neutral(multipliers, neutral)))[::-1])


def distances(multipliers: Sequence[Complex], target: float) -> list[float]:
    """Distance of the nearest of each point's multipliers from the target, without neutral ones."""
    return [float(np.abs(_beside_neutral(own, target) - target).min(initial=np.inf)) for own in multipliers]


def crossing_tests(multipliers: Sequence[Complex], target: float) -> list[float]:
    """Of each point, below zero where the number of multipliers beyond the target, -1 or 1, is odd and at the first
    point even, or the other way round; smooth also where two of them meet."""
    found = [float(np.prod(1.0 - target * _beside_neutral(own, target)).real) for own in multipliers]
    return [-each for each in found] if found and found[0] < 0.0 else found


def _beside_neutral(multipliers: Complex, target: float) -> Complex:
    return without_neutral(multipliers, neutral_count(multipliers)) if target > 0.0 else multipliers


def critical_multiplier(multipliers: Complex, neutral: int) -> complex:
    """The multiplier nearest to the unit circle, without neutral ones. Raises NotConverged where none is known."""
    m = without_neutral(multipliers, neutral)
    if not m.size:
        raise NotConverged("the multipliers there are not known")
    return complex(m[np.argmin(np.abs(np.abs(m) - 1.0))])


def crossed_moduli(begin: Complex, end: Complex) -> tuple[int, list[int]]:
    """Number of multipliers that are neutral at both ends, and indices of moduli above one at one end only."""
    neutral = min(neutral_count(begin), neutral_count(end))
    first, last = moduli(begin, neutral), moduli(end, neutral)
    count = min(first.size, last.size)
    first, last = first[:count] - 1.0, last[:count] - 1.0
    # a contact that begins to stick makes a multiplier neutral at once
    apart = (np.abs(first) > NEUTRAL_DISTANCE) & (np.abs(last) > NEUTRAL_DISTANCE)
    return neutral, np.flatnonzero((np.sign(first) * np.sign(last) < 0.0) & apart).tolist()


def may_cross_unit_circle(
    length: float, ends: tuple[Complex, Complex], beside: Sequence[NeighbourMultipliers], margin: float
) -> bool:
    """False if no multiplier can cross the unit circle between two neighbours; a cheap test for most of them."""
    return (
        not all(_all_inside(m, margin) for m in ends)
        or near_period_doubling(*ends)
        or bool(possible_crossings(length, *ends, beside))
    )


def _all_inside(multipliers: Complex, margin: float) -> bool:
    """True if all multipliers are inside the unit circle by more than a margin."""
    return not multipliers.size or float(np.abs(multipliers).max()) < 1.0 - margin


def near_period_doubling(first: Complex, last: Complex) -> bool:
    """True if a multiplier at an end of a stretch is near enough to -1 to pass it on the stretch."""
    near = any(bool((np.abs(m + 1.0) < NEAR_DOUBLING).any()) for m in (first, last))
    return near or bool(comes_near(first, last, -1.0))


def comes_near(first: Complex, last: Complex, target: float) -> Flags:
    """(...,) whether the multiplier nearest to the target, -1 or 1, moves farther on a stretch than it is away from it.

    first, last : (..., multipliers) at the ends. Beside grazes multipliers move fast, and a pair may meet and part.
    """
    found: Flags = np.zeros(first.shape[:-1], dtype=bool)
    if not first.shape[-1] or not last.shape[-1]:
        return found
    for own, other in ((first, last), (last, first)):
        away = np.abs(own - target)
        if target > 0.0:
            away = np.where(away <= NEUTRAL_DISTANCE, np.inf, away)
        nearest = away.argmin(axis=-1)[..., None]
        moved = np.abs(other - np.take_along_axis(own, nearest, axis=-1)).min(axis=-1)
        found = found | (np.take_along_axis(away, nearest, axis=-1)[..., 0] < moved)
    return found


def may_pass_one(first: Complex, last: Complex) -> bool:
    """True if a complex pair or a real multiplier at an end of a stretch is near +1.

    The pair may become real on the stretch; one may exceed +1 and return. Moduli at the ends do not show that.
    """
    for m in (first, last):
        distance = np.abs(m - 1.0)
        real = (m.imag == 0.0) & (distance < NEAR_FOLD) & (distance > NEUTRAL_DISTANCE)
        if bool((real | ((m.imag != 0.0) & (distance < NEAR_ONE))).any()):
            return True
    return bool(comes_near(first, last, 1.0))


def near_fold(*ends: Complex) -> bool:
    """True if a real multiplier at an end of a stretch is near enough to +1 for a fold on the stretch.

    If a stick band begins or ends on the stretch, one multiplier becomes neutral; that is no fold.
    """
    if len({neutral_count(m) for m in ends}) > 1:
        return False
    return any(bool(((m.imag == 0.0) & (np.abs(m - 1.0) < NEAR_FOLD)).sum() > neutral_count(m)) for m in ends)


def possible_crossings(
    length: float, first: Complex, last: Complex, beside: Sequence[NeighbourMultipliers], safety: float = RATE_SAFETY
) -> list[int]:
    """Indices of the moduli that are on the same side of one at both ends, but may cross one in between, if they change
    as many times as fast as at the neighbours."""
    neutral = neutral_count(first)
    if first.size != last.size or neutral != neutral_count(last) or not first.size > neutral or not length > 0.0:
        return []
    a, b = (moduli(each, neutral) - 1.0 for each in (first, last))
    speed = np.abs(b - a) / length
    for each in beside:
        if each.multipliers.size == first.size and each.length > 0.0:
            own = moduli(each.multipliers, neutral) - 1.0
            speed = np.maximum(speed, np.abs(own - (b if each.end else a)) / each.length)
    reached = 0.5 * safety * speed * length - 0.5 * np.abs(a + b)
    least = np.minimum(np.abs(a), np.abs(b))
    near = (least < NEAR_CIRCLE) & (least > NEUTRAL_DISTANCE)
    return [int(k) for k in np.flatnonzero((np.sign(a) * np.sign(b) > 0.0) & near & (reached > 0.0))]
