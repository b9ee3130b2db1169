"""Newton's method on the period map.

Newton's method finds a state that the period map returns to itself. The map supplies its derivative, through all
events. Entering stick lowers the rank of this derivative, and sliders that never slip and free bodies have multipliers
of one, so steps are solved in least squares. Where a step does not reduce the residual, plain periods replace it; they
lead to an orbit that attracts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, NotConverged
from slipstick.periodic.continuation.corrector import solve_scaled
from slipstick.periodic.shooting.period_map import PeriodMap

PERIODICITY_TOLERANCE = 1e-11  # of the sizes of the motion: what a state may miss itself by
MAX_NEWTON_STEPS = 60
MAX_NEAR_STEPS = 6  # from a guess that is near
MAX_SCALED_STEP = 10.0  # sizes of the motion: a longer step has lost its way along a direction that is nearly neutral
STALLED_REL = 0.99  # of the residual: a step that leaves more made no progress, and would be repeated
FALLBACK_PERIODS = 2  # periods in place of a step that fails
MAX_FALLBACK_PERIODS = 64  # where steps keep failing it is twice as many each time, up to so many
# steps of integration in one search, or this many times those of its first period: Newton's method may run off to ever
# larger states, where a self-excited model creeps, and each period takes more steps than the one before
MAX_INTEGRATION_STEPS, MAX_EFFORT_RATIO = 1_000_000, 100


class PeriodicSolution(NamedTuple):
    """A state that comes back.

    passed : the period from it, with the derivative.   residual : scaled.   steps, periods : of Newton, and walked.
    """

    state: Array
    passed: Any
    residual: float
    steps: int
    periods: int


def solve_period_map(
    period: PeriodMap, guess: Array, tolerance: float = PERIODICITY_TOLERANCE, most: int = MAX_NEWTON_STEPS
) -> PeriodicSolution:
    """The orbit that Newton's method reaches from a guess; raises `NotConverged`."""
    state, periods, walk = guess, 0, FALLBACK_PERIODS
    passed = period.go(state, derivative=True)
    effort = period.effort(passed)
    most_effort = max(MAX_INTEGRATION_STEPS, MAX_EFFORT_RATIO * effort)
    size = periodicity_residual(period, state, passed)
    for count in range(most + 1):
        periods += 1
        tolerance = max(tolerance, period.rounding)
        if size <= tolerance:
            return PeriodicSolution(state, passed, size, count, periods)
        if count == most or effort > most_effort:
            break
        tried = _newton(period, state, passed)
        nearer = np.inf if tried is None else periodicity_residual(period, *tried)
        effort += 0 if tried is None else period.effort(tried[1])
        if tried is None or not nearer < 0.5 * size:
            walk = max(1, min(walk, (most_effort - effort) // max(period.effort(passed), 1)))
            plain = _plain_periods(period, passed, walk)
            periods, effort = periods + walk, effort + walk * period.effort(plain[1])
            walk = FALLBACK_PERIODS if count < MAX_NEAR_STEPS else min(2 * walk, MAX_FALLBACK_PERIODS)
            further = periodicity_residual(period, *plain)
            if tried is None or further < nearer or not nearer < STALLED_REL * size:
                tried, nearer = plain, further
        state, passed, size = *tried, nearer
    raise NotConverged(
        f"after {count} steps the periodicity residual is {size:.1e} of the motion (limit {tolerance:.0e})",
        owner="shooting",
        advice=[Advice("begin nearer, with {start}, or follow a curve from another frequency")],
    )


def solve_period_map_near(
    period: PeriodMap, guess: Array, tolerance: float = PERIODICITY_TOLERANCE
) -> PeriodicSolution:
    """The same from a guess that is near: a few steps only."""
    return solve_period_map(period, guess, tolerance, MAX_NEAR_STEPS)


def periodicity_residual(period: PeriodMap, state: Array, passed: Any) -> float:
    """By how much a state misses itself after a period, over the sizes of the motion."""
    return max(map(abs, period.missed(state, passed).tolist()), default=0.0)


def _newton(period: PeriodMap, state: Array, passed: Any) -> tuple[Array, Any] | None:
    assert passed.derivative is not None
    sizes = period.scales(passed.flow)
    matrix = period.without_drift(np.eye(period.size) - passed.derivative * (sizes / sizes[:, None]))
    matrix, right = period.held(matrix, period.missed(state, passed), passed.flow)
    into, back = period.energy_coordinates(passed.flow)
    step = back @ solve_scaled(into @ matrix @ back, into @ right, np.ones(period.size))
    if not np.abs(step).max(initial=0.0) <= MAX_SCALED_STEP:
        return None
    try:
        there = state + sizes * step
        return there, period.go(there, derivative=True)
    except NotConverged:
        return None


def _plain_periods(period: PeriodMap, passed: Any, count: int) -> tuple[Array, Any]:
    state = passed.state
    for _ in range(count - 1):
        state = period.go(state).state
    return state, period.go(state, derivative=True)
