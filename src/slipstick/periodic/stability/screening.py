"""Intervals of a curve that may contain a special point, screened together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex, Flags
from slipstick.periodic.continuation.curve_trace import CurveTrace
from slipstick.periodic.continuation.point_checks import orientation
from slipstick.periodic.multipliers import (
    NEAR_CIRCLE,
    NEAR_DOUBLING,
    NEAR_FOLD,
    NEAR_ONE,
    NEUTRAL_DISTANCE,
    RATE_SAFETY,
    NeighbourMultipliers,
    comes_near,
    may_cross_unit_circle,
    may_pass_one,
)
from slipstick.periodic.stability.multiplier_crossings import MAX_STRAIGHT_ANGLE, REAL_MULTIPLIER_IMAG
from slipstick.results.orbit import OrbitPoint

# from the unit circle: multipliers found apart from the equations may be off by so much at a branch point
SEPARATE_MULTIPLIER_ERROR = 0.2


class Stretches:
    """The stretches of a curve from each point to the next.

    orbits : those at the points, or why there is none.   lengths : along the tangent at the beginning.
    may_be_special : of each stretch between two orbits; False where no search would find anything.
    """

    def __init__(self, traced: CurveTrace, orbits: Sequence[OrbitPoint | Exception]) -> None:
        self.traced, self.orbits = traced, orbits
        self.lengths, self.may_be_special = np.zeros(0), np.zeros(0, dtype=bool)
        if traced.along and len(orbits) > 1:
            points = traced.points[: len(orbits)]
            z, scale, tangent = (np.array(each) for each in zip(*(point[:3] for point in points), strict=True))
            self.lengths = np.einsum("ki,ki->k", tangent[:-1], (z[1:] - z[:-1]) / scale[:-1])
            after = tangent[1:] * scale[1:] / scale[:-1]
            along = np.einsum("ki,ki->k", tangent[:-1], after)
            straight = along >= np.cos(MAX_STRAIGHT_ANGLE) * np.sqrt(np.einsum("ki,ki->k", after, after))
            self.may_be_special = self._screened(~straight | ~(tangent[:-1, -1] * tangent[1:, -1] > 0.0))

    def beside(self, k: int) -> list[NeighbourMultipliers]:
        """Multipliers at the neighbours of the stretch that ends at point k."""
        found: list[NeighbourMultipliers] = []
        for end, own, first in ((0, k - 2, k - 2), (1, k + 1, k)):
            there = self.orbits[own] if 0 <= own < len(self.orbits) else None
            if isinstance(there, OrbitPoint):
                found.append(NeighbourMultipliers(abs(float(self.lengths[first])), end, there.multipliers))
        return found

    def _screened(self, bent: Flags) -> Flags:
        """(stretches,) which may have a special point.   bent : the curve turns on it."""
        known = [each for each in self.orbits if isinstance(each, OrbitPoint)]
        if len(known) < len(self.orbits) or len({each.multipliers.size for each in known}) > 1:
            return np.array([bent[k] or self._may_be_special_between(k) for k in range(bent.size)])
        events = np.array([each.events for each in known])
        multipliers = np.array([each.multipliers for each in known], dtype=np.complex128)
        apart = self.traced.family.apart
        near: Flags = bent | (events[1:] != events[:-1]) | _at_either(np.abs(multipliers + 1.0) < NEAR_DOUBLING)
        near |= comes_near(multipliers[:-1], multipliers[1:], -1.0)
        if not apart:  # see `multipliers.may_pass_one`
            distance = np.abs(multipliers - 1.0)
            real = (multipliers.imag == 0.0) & (distance < NEAR_FOLD) & (distance > NEUTRAL_DISTANCE)
            near |= _at_either(real | ((multipliers.imag != 0.0) & (distance < NEAR_ONE)))
            near |= comes_near(multipliers[:-1], multipliers[1:], 1.0)
        margin = SEPARATE_MULTIPLIER_ERROR if apart else NEUTRAL_DISTANCE
        outer = np.abs(multipliers).max(axis=1, initial=0.0) >= 1.0 - margin
        possible, crossed = _moduli_through_one(multipliers, self.lengths)
        near |= possible
        rest = np.flatnonzero(~near & (outer[1:] | outer[:-1]))
        near[rest] = crossed[rest]
        if apart:
            self._add_changed_orientations(near, rest[~crossed[rest]])
        return np.asarray(near)

    def _may_be_special_between(self, k: int) -> bool:
        """Whether the stretch from point k may have a special point, where an orbit is missing or the number of
        multipliers differs."""
        ends = self.orbits[k : k + 2]
        if (
            not (isinstance(ends[0], OrbitPoint) and isinstance(ends[1], OrbitPoint))
            or ends[0].events != ends[1].events
        ):
            return True
        apart, pair = self.traced.family.apart, (ends[0].multipliers, ends[1].multipliers)
        margin = SEPARATE_MULTIPLIER_ERROR if apart else NEUTRAL_DISTANCE
        crosses = may_cross_unit_circle(float(self.lengths[k]), pair, self.beside(k + 1), margin)
        return crosses or (not apart and may_pass_one(*pair))

    def _add_changed_orientations(self, near: Flags, numbers: NDArray[np.intp]) -> None:
        """Add stretches on which another branch crosses, of some by number: the sign that a curve keeps changes."""
        family, points = self.traced.family, self.traced.points
        for k in {*numbers.tolist(), *(numbers + 1).tolist()}:  # kept with the points, for later searches
            if points[k].sign == 0.0:
                own = points[k]
                points[k] = own._replace(sign=orientation(family, own.z, own.scale, own.tangent))
        for k in numbers.tolist():
            near[k] = points[k].sign * points[k + 1].sign < 0.0


def _at_either(flags: Flags) -> Flags:
    """(stretches,) whether any is set at one of the ends; flags (points, multipliers)."""
    some = np.asarray(flags.any(axis=1), dtype=bool)
    return np.asarray(some[1:] | some[:-1])


def _moduli_through_one(multipliers: Complex, lengths: Array) -> tuple[Flags, Flags]:
    """(stretches,) whether a modulus may pass one and come back, as `multipliers.possible_crossings` finds; and whether
    one is beyond at one end only, or the number of real multipliers below -1 is odd at one end only."""
    distance = np.abs(multipliers - 1.0)
    neutral = np.count_nonzero(distance <= NEUTRAL_DISTANCE, axis=1)
    order = np.argsort(distance, axis=1)
    moduli = np.abs(np.take_along_axis(multipliers, order, axis=1))
    moduli[np.arange(moduli.shape[1]) < neutral[:, None]] = -np.inf  # last when they are sorted
    beyond = -np.sort(-moduli, axis=1) - 1.0
    a, b = beyond[:-1], beyond[1:]
    alike = neutral[1:] == neutral[:-1]
    real = np.abs(multipliers.imag) <= REAL_MULTIPLIER_IMAG
    below = (real & (multipliers.real < -1.0)).sum(axis=1) % 2
    with np.errstate(invalid="ignore", divide="ignore"):
        speed = np.abs(b - a) / lengths[:, None]
        rates = np.where(alike[:, None], np.abs(b - a) / np.abs(lengths)[:, None], np.inf)  # unlike: searched
        rates[lengths == 0.0] = 0.0
        speed[1:] = np.fmax(speed[1:], rates[:-1])
        speed[:-1] = np.fmax(speed[:-1], rates[1:])
        reached = 0.5 * RATE_SAFETY * speed * lengths[:, None] - 0.5 * np.abs(a + b)
        least = np.minimum(np.abs(a), np.abs(b))
        near = (least < NEAR_CIRCLE) & (least > NEUTRAL_DISTANCE)
        possible = ((a * b > 0.0) & near & (reached > 0.0)).any(axis=1) & alike & (lengths > 0.0)
        crossed = ((a * b < 0.0) & np.isfinite(a * b)).any(axis=1)
    return np.asarray(possible), np.asarray(crossed | ~alike | (below[1:] != below[:-1]))
