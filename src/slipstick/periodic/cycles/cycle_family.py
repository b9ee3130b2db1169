"""Limit cycles as a family over a parameter: orbits of a family over frequency, with the frequency as an unknown.

Unknowns are those of the inner family, x, and the frequency omega [rad/s]; the equations are those of the inner family
and a phase condition, which does not depend on how the curve came to a point:

    residual(x, omega) = 0,     velocity of one coordinate at the start of the period = 0.

By harmonic balance it is the sine of the first harmonic of one series that vanishes. A shift in time changes no
orbit, so that one multiplier is 1: the derivative of the period map is set right by what is left of that to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.common_period import Period
from slipstick.periodic.continuation.family import Family, Linearisation, OrbitEvent
from slipstick.periodic.continuation.parameter_difference import difference_by_parameter
from slipstick.periodic.cycles.balance_error import balance_cycle_point
from slipstick.periodic.multipliers import multipliers_of, neutral_count
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.periodic.shooting.newton import PeriodicSolution, periodicity_residual
from slipstick.results.orbit import CYCLE_NOTE, OrbitPoint

MAX_CACHED_FAMILIES = 5
MIN_FREQUENCY_REL = 1e-3  # of the frequency at the start: below it a search has lost its way


class ExactCycles(Shooting):
    """Orbits of the exact flow without forcing: a contact that slips one way only is driven, and no orbit of a band."""

    def is_banded(self, x: Array, p: float) -> bool:
        return False


class CycleFamily(Family):
    """inner_at : the family over frequency at a value of the parameter and a guess of the frequency.

    pivot : number of the free coordinate, or of the series of harmonic balance, that the phase condition holds for.
    fixed : one model for every value of the parameter.
    """

    apart = True  # multipliers have one of 1, the equations do not

    def __init__(
        self,
        inner_at: Callable[[float, float], Family],
        p: float,
        frequency: float,
        pivot: int,
        fixed: bool = False,
    ) -> None:
        self.pivot, self.fixed, self.unit = pivot, fixed, abs(p) or 1.0
        self._frequency, self._first = frequency, p
        self._inner = lru_cache(MAX_CACHED_FAMILIES)(lambda p: inner_at(p, frequency))
        first = self.inner(p)
        self.size, self.sampled = first.size + 1, first.sampled
        self.tolerance, self.jump, self.finest = first.tolerance, first.jump, first.finest

    def with_inner(self, inner: Family, p: float) -> CycleFamily:
        """The cycles of another family over frequency, with the same phase condition."""
        return single_cycle(inner, p, self._frequency, self.pivot)

    def inner(self, p: float) -> Family:
        """The family over frequency at a value of the parameter."""
        return self._inner(self._first if self.fixed else p)

    def start(self, p: float) -> Array:
        raise NotConverged("limit cycles are followed from one that is known; a run on the other side gives one there")

    def linearise(self, x: Array, p: float) -> Linearisation:
        inner, own, omega = self._parts(x, p)
        found = inner.linearise(own, omega)
        if isinstance(inner, Shooting):
            self.tolerance = inner.tolerance
        phase, by_phase = self._phase(inner, own, omega)
        size = found.residual.size
        by_x = np.zeros((size + 1, self.size))
        by_x[:size, :-1], by_x[:size, -1], by_x[size, :-1] = found.by_x, found.by_p, by_phase
        by_p = np.zeros(size + 1)
        if not self.fixed:
            by_p[:size] = self._by_parameter(own, omega, p)
        return Linearisation(np.append(found.residual, phase), by_x, by_p)

    def _parts(self, x: Array, p: float) -> tuple[Family, Array, float]:
        omega = float(x[-1])
        if not MIN_FREQUENCY_REL * self._frequency < omega < self._frequency / MIN_FREQUENCY_REL:
            raise NotConverged(f"the search led to a frequency of {omega:.3g} rad/s")
        return self.inner(p), np.ascontiguousarray(x[:-1]), omega

    def _phase(self, inner: Family, own: Array, omega: float) -> tuple[float, Array]:
        """The phase condition and its derivative (size of the inner family)."""
        k = self._phase_place(inner)
        row = np.zeros(own.size)
        row[k] = 1.0 / max(float(inner.scales(own, omega)[k]), 1e-300)
        return float(row[k] * own[k]), row

    def _phase_place(self, inner: Family) -> int:
        if isinstance(inner, HarmonicBalance):
            return self.pivot * inner.waves.width + 1  # cosine and sine of harmonic 1 come first
        assert isinstance(inner, Shooting)
        return int(inner.map_at(self._frequency)[0].problem.n) + self.pivot

    def _by_parameter(self, own: Array, omega: float, p: float) -> Array:
        """(rows,) the derivative of the inner residual by the parameter, by central differences where models exist."""
        found = difference_by_parameter(self, lambda q: _residual(self.inner(q), own, omega), p, self.unit)
        inner = self.inner(p)
        if isinstance(inner, Shooting):
            period_map = inner.map_at(omega)[0]
            found = period_map.without_drift(found / period_map.scales(inner._pass(own, omega).flow))
        return np.asarray(found)

    def scales(self, x: Array, p: float) -> Array:
        inner, own, omega = self._parts(x, p)
        return np.append(inner.scales(own, omega), omega)

    def is_banded(self, x: Array, p: float) -> bool:
        return False

    def check_measurable(self, x: Array, p: float) -> None:
        inner, own, omega = self._parts(x, p)
        inner.check_measurable(own, omega)

    def events_along(self, x: Array, p: float) -> Sequence[OrbitEvent] | None:
        inner, own, omega = self._parts(x, p)
        return inner.events_along(own, omega)

    def multipliers_at(self, x: Array, p: float) -> Complex:
        if isinstance(self.inner(p), Shooting):
            closed = self.closed(x, p)
            derivative = getattr(closed.passed, "monodromy", None)
            return multipliers_of(closed.passed.derivative if derivative is None else derivative)
        return self.point(x, p).multipliers

    def closed(self, x: Array, p: float, steps: int = 0) -> PeriodicSolution:
        """A cycle of shooting as a closed orbit, with a derivative whose trivial multiplier is 1 to rounding."""
        inner, own, omega = self._parts(x, p)
        assert isinstance(inner, Shooting)
        period_map = inner.map_at(omega)[0]
        along = inner.linearise(own, omega).by_p
        passed = inner._pass(own, omega)
        scales = period_map.scales(passed.flow)
        changed = {"derivative": with_trivial_multiplier(passed.derivative, scales * along, scales)}
        if getattr(passed, "monodromy", None) is not None:
            changed["monodromy"] = with_trivial_multiplier(passed.monodromy, scales * along, scales)
        passed = passed._replace(**changed)
        return PeriodicSolution(own, passed, periodicity_residual(period_map, own, passed), steps, steps + 1)

    def point(self, x: Array, p: float) -> OrbitPoint:
        inner, _, omega = self._parts(x, p)
        if isinstance(inner, Shooting):
            period_map = inner.map_at(omega)[0]
            found = inner.told(period_map, Period(omega, 1.0), self.closed(x, p), omega)
        else:
            assert isinstance(inner, HarmonicBalance)
            found = balance_cycle_point(self, inner, x, p)
        return cycle_point(found, x, p)


def single_cycle(inner: Family, p: float, frequency: float, pivot: int) -> CycleFamily:
    """The limit cycles of one model, whatever the parameter."""

    def same(_p: float, _frequency: float) -> Family:
        return inner

    return CycleFamily(same, p, frequency, pivot, fixed=True)


def cycle_point(point: OrbitPoint, x: Array, p: float) -> OrbitPoint:
    """The point of an inner family as that of a limit cycle: its notes name the trivial multiplier."""
    notes = [note for note in point.notes if " of one: " not in note]
    further = [note for note in point.notes if " of one: " in note]
    if neutral_count(point.multipliers) > 1:
        notes += further
    return replace(point, x=x, p=p, notes=(CYCLE_NOTE, *notes))


def with_trivial_multiplier(derivative: Array, along: Array, scales: Array) -> Array:
    """The derivative of a period map, for which the change along the orbit comes back as it was.

    along : (size,) the state's rate of change at the start, up to a factor.   scales : (size,) of the state.
    """
    scaled = derivative * (scales / scales[:, None])
    way = along / scales
    length = np.sqrt(way @ way)
    if not length > 0.0:
        return derivative
    way = way / length
    scaled = scaled + np.outer(way - scaled @ way, way)
    return np.asarray(scaled * (scales[:, None] / scales))


def _residual(inner: Family, own: Array, omega: float) -> Array:
    """The inner residual of harmonic balance; the end of a period of shooting."""
    if isinstance(inner, HarmonicBalance):
        return inner.residual(own, omega)
    assert isinstance(inner, Shooting)
    passed: Any = inner.map_at(omega)[0].go(own)
    return np.asarray(passed.state)
