"""Orbits by shooting on the adaptive flow: measured, certified, and handed over."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.periodic.common_period import Period
from slipstick.periodic.continuation.corrector import solve_scaled
from slipstick.periodic.multipliers import is_stable, neutral_count
from slipstick.periodic.shooting.adaptive_map import LOOSE_FACTOR, AdaptiveMap
from slipstick.periodic.shooting.adaptive_measures import measure_adaptive_orbit
from slipstick.periodic.shooting.exact_orbits import (
    ORBIT_SAMPLES,
)
from slipstick.periodic.shooting.newton import PeriodicSolution
from slipstick.periodic.shooting.period_map import without_unused_memory
from slipstick.periodic.shooting.reversal_stack_orbits import (
    PerturbationStability,
    perturbation_stability,
    refuse_other_cycles,
)
from slipstick.results.certificate import Certificate
from slipstick.results.orbit import FREE_BODIES_NOTE, OrbitPoint
from slipstick.results.tolerances import ENERGY_RESIDUAL_LIMIT_REL
from slipstick.results.trajectory import Stats
from slipstick.transient.energy import RunSpan, energy_certificate
from slipstick.transient.events.certify import (
    COMPARISON_SAMPLES,
    MAX_ENERGY_RESIDUAL_TOLERANCES,
    MIN_TOLERANCE,
    STEP_ROUNDING_REL,
)
from slipstick.transient.events.run import AdaptiveRun, Stepping
from slipstick.transient.events.setup import PreparedProblem
from slipstick.transient.events.trajectory import AdaptiveTrajectory
from slipstick.transient.sensitivity import ErrorEstimate

# the error of a period is 1/30 of what a tolerance 30 times looser changes, and so on, with this margin
ERROR_SAFETY = 9.0
SECOND_LOOSE_FACTOR = 8.0  # a second tolerance: what one changes may be little by chance, seldom what both do
TIGHT_FACTOR = 30.0  # the tolerance of the orbit that a certificate compares with


class AdaptiveOrbit(AdaptiveTrajectory):
    """One period of an orbit."""

    def __init__(self, period_map: AdaptiveMap, closed: PeriodicSolution) -> None:
        self.period_map, self.closed = period_map, closed
        stats = Stats("shooting", steps=closed.steps)
        super().__init__(self._run_from(closed.state, ORBIT_SAMPLES), stats, with_events=True)
        self.run.go()
        stats.events = len(self.events())
        stats.start, stats.until = period_map.problem.start, self.run.until
        stats.reached = self.run.reached

    def _run_from(
        self, state: Array, samples: int, tolerance: float | None = None, energy: bool = False
    ) -> AdaptiveRun:
        """A run over one period from a state, with the laws as they were given."""
        own = self.period_map
        n = own.problem.n
        ready = PreparedProblem(replace(own.given, displacement=state[:n].copy(), velocity=state[n : 2 * n].copy()))
        until = own.problem.start + own.time
        times = np.linspace(own.problem.start, until, samples)
        tolerance = own.tolerance if tolerance is None else tolerance
        return AdaptiveRun(ready, until, times, Stepping(tolerance), energy=energy, memories=own.memories_of(state))

    def certificate(self) -> Certificate:
        return self._orbit_certificate

    @cached_property
    def _orbit_certificate(self) -> Certificate:
        """Energy of one period; the error is the distance to the orbit of a tighter integration."""
        try:
            return self._certify()
        except NotConverged as failure:
            return Certificate.none(self.period_map.problem.assembly.names, failure.message.wrapped("no certificate: "))

    def _certify(self) -> Certificate:
        problem, tolerance = self.period_map.given, self.period_map.tolerance
        tight = max(tolerance / TIGHT_FACTOR, MIN_TOLERANCE)
        other = self._run_from(self._tighter(tight), COMPARISON_SAMPLES, tight)
        own = self._run_from(self.closed.state, COMPARISON_SAMPLES)
        booked = self._run_from(self.closed.state, 2, energy=True)
        for run in (other, own, booked):
            run.go()
        q, there = (run.samples()[1][:, : problem.n] for run in (own, other))
        errors = np.abs(q - there).max(axis=0, initial=0.0)
        rounding = STEP_ROUNDING_REL * np.sqrt(own.steps + 1.0) * np.abs(q).max(axis=0, initial=0.0)
        way = f"error: the distance to the orbit at a tolerance of {tight:.1g} of the integration"
        return energy_certificate(
            problem,
            booked.works(),
            RunSpan(booked.first, booked.last(), booked.path(), closed=True),
            ErrorEstimate(np.maximum(errors, rounding), [way]),
            min(ENERGY_RESIDUAL_LIMIT_REL, max(1e-8, MAX_ENERGY_RESIDUAL_TOLERANCES * tolerance)),
        )

    def _tighter(self, tolerance: float) -> Array:
        """(size,) the state of the orbit at another tolerance, by one step of Newton's method, which has no bound at a
        fold: see `displacement_error`."""
        own, passed, state = self.period_map, self.closed.passed, self.closed.state
        ended = passed._replace(state=own.at_tolerance(state, tolerance))
        step, scales = newton_step(own, state, ended), own.scales(passed.flow)
        most = math.cbrt(float(np.abs(own.missed(state, ended)).max(initial=0.0)))
        return np.asarray(state + min(1.0, most / max(float(np.abs(step / scales).max(initial=0.0)), 1e-300)) * step)


def newton_step(period_map: AdaptiveMap, state: Array, passed: Any) -> Array:
    """(size,) the step to the orbit, from where a state ended and the derivative; rigid motions left out."""
    sizes = period_map.scales(passed.flow)
    matrix = np.eye(period_map.size) - passed.derivative * (sizes / sizes[:, None])
    if not period_map.loose.size:
        return np.asarray(sizes * solve_scaled(matrix, period_map.missed(state, passed), np.ones(period_map.size)))
    kept = period_map.relative
    step = solve_scaled(kept.T @ matrix @ kept, kept.T @ period_map.missed(state, passed), np.ones(kept.shape[1]))
    return np.asarray(sizes * (kept @ step))


def displacement_error(period_map: AdaptiveMap, closed: PeriodicSolution) -> float:
    """The error of the displacements of an orbit: what a looser integration would move it by, and what it misses.

    Of displacements and velocities at the start of the period, whichever is more: a displacement that is right there
    is wrong elsewhere by what its velocity is wrong. Two tolerances are asked: in one of seventeen orbits of LuGre
    laws what a single one changed was too little, by up to four times. Next to a special point Newton's step has no
    bound, but a change e of the map moves a fold by its root only, and an orbit where a symmetry breaks by its cube
    root.
    """
    n, passed = period_map.problem.n, closed.passed
    scales = period_map.scales(passed.flow)[: 2 * n]
    loose = period_map.looser(closed.state) if passed.loose is None else passed.loose
    ends = [(loose, ERROR_SAFETY / LOOSE_FACTOR)]
    if period_map.steps_are_error_limited:
        ends.append(
            (
                period_map.at_tolerance(closed.state, SECOND_LOOSE_FACTOR * period_map.tolerance),
                ERROR_SAFETY / SECOND_LOOSE_FACTOR,
            )
        )
    left, missed = newton_step(period_map, closed.state, passed), np.abs(passed.state - closed.state)
    wrong = most = 0.0
    for ended, share in ends:
        moved = newton_step(period_map, closed.state, passed._replace(state=closed.state + ended - passed.state))
        own = (share * np.abs(moved[: 2 * n]) + np.abs(left[: 2 * n])) / scales
        changed = (share * np.abs(ended - passed.state) + missed)[: 2 * n] / scales
        wrong, most = max(wrong, float(own.max(initial=0.0))), max(most, math.cbrt(float(changed.max(initial=0.0))))
    return min(wrong, most) * float(scales[:n].max(initial=0.0))


def describe_adaptive_orbit(
    period_map: AdaptiveMap, period: Period, closed: PeriodicSolution, p: float
) -> tuple[OrbitPoint, AdaptiveOrbit]:
    """Everything about a closed orbit, and its motion; ``p`` is the parameter of the curve it is on."""
    return adaptive_point_of(period_map, period, closed, p), AdaptiveOrbit(period_map, closed)


def adaptive_point_of(period_map: AdaptiveMap, period: Period, closed: PeriodicSolution, p: float) -> OrbitPoint:
    """What a curve stores of a closed orbit."""
    if closed.passed.flow.tape is None:
        flow = period_map.go(closed.state, tape=True).flow
        closed = closed._replace(passed=closed.passed._replace(flow=flow))
    if period_map.settled:
        refuse_other_cycles(period_map, closed, closed.passed.flow.tape)
        found = perturbation_stability(period_map, closed)
    else:
        monodromy = without_unused_memory(closed.passed.monodromy[None], 2 * period_map.problem.n)[0]
        own = period_map.multipliers(monodromy)
        found = PerturbationStability(own, is_stable(own), _notes(period_map, own))
    motion, action = measure_adaptive_orbit(period_map.problem, closed.passed.flow.tape, period)
    return OrbitPoint(
        p=p,
        x=closed.state,
        frequency=period.base,
        period=period.time,
        multipliers=found.multipliers,
        stable=found.stable,
        error=displacement_error(period_map, closed),
        residual=closed.residual,
        iterations=closed.steps,
        events=len(closed.passed.flow.events.time),
        notes=found.notes,
        **motion._asdict(),
        **action._asdict(),
    )


def _notes(period_map: AdaptiveMap, found: Complex) -> tuple[str, ...]:
    neutral = neutral_count(found)
    if not neutral:
        return ()
    many, rigid = "s" if neutral > 1 else "", period_map.loose.shape[1]
    reasons = [FREE_BODIES_NOTE] if rigid else []
    if neutral > 2 * rigid:
        reasons.append("a neutral direction, so this is one of a band of orbits")
    return (f"{neutral} multiplier{many} of one: {'; '.join(reasons)}",)
