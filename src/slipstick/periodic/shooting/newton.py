"""Newton's method on the period map: a state that comes back to itself.

The derivative of the map comes with it, through all events. Entering stick takes its rank, sliders that never slip
and free bodies have multipliers of one: steps are solved in least squares. A step that does not bring the state
nearer is replaced by plain periods, which lead to an orbit that attracts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.corrector import solve
from slipstick.periodic.shooting.period_map import PeriodMap

Array = NDArray[np.float64]

TOLERANCE = 1e-11  # of the sizes of the motion: what a state may miss itself by
MOST_STEPS = 60
FEW_STEPS = 6  # from a guess that is near
LONGEST = 10.0  # sizes of the motion: a longer step has lost its way along a direction that is nearly neutral
PLAIN = 2  # periods in place of a step that fails
MOST_PLAIN = 64  # where steps keep failing it is twice as many each time, up to so many


class Closed(NamedTuple):
    """A state that comes back.

    passed : the period from it, with the derivative.   residual : scaled.   steps, periods : of Newton, and walked.
    """

    state: Array
    passed: Any
    residual: float
    steps: int
    periods: int


def close(period: PeriodMap, guess: Array, tolerance: float = TOLERANCE, most: int = MOST_STEPS) -> Closed:
    """The orbit that Newton's method reaches from a guess; raises `NotConverged`."""
    found: Closed | None = period.come_back(guess, tolerance, min(most, FEW_STEPS))
    if found is not None:
        return found
    state, periods, walk = guess, 0, PLAIN
    passed = period.go(state, derivative=True)
    size = measure(period, state, passed)
    for count in range(most + 1):
        periods += 1
        tolerance = max(tolerance, period.rounding)
        if size <= tolerance:
            return Closed(state, passed, size, count, periods)
        if count == most:
            break
        tried = _newton(period, state, passed)
        nearer = None if tried is None else measure(period, *tried)
        if tried is None or nearer is None or not nearer < 0.5 * size:
            plain = _plain(period, passed, walk)
            periods += walk
            walk = PLAIN if count < FEW_STEPS else min(2 * walk, MOST_PLAIN)
            further = measure(period, *plain)
            if tried is None or nearer is None or further < nearer:
                tried, nearer = plain, further
        state, passed, size = tried[0], tried[1], nearer
    raise NotConverged(
        f"shooting: after {most} steps the periodicity residual is {size:.1e} of the motion "
        f"(limit {tolerance:.0e}); begin nearer, with start=, or follow a curve from another frequency"
    )


def approach(period: PeriodMap, guess: Array, tolerance: float = TOLERANCE) -> Closed:
    """The same from a guess that is near: a few steps only."""
    return close(period, guess, tolerance, FEW_STEPS)


def measure(period: PeriodMap, state: Array, passed: Any) -> float:
    """By how much a state misses itself after a period, over the sizes of the motion."""
    return max(map(abs, period.missed(state, passed).tolist()), default=0.0)


def _newton(period: PeriodMap, state: Array, passed: Any) -> tuple[Array, Any] | None:
    assert passed.derivative is not None
    sizes = period.scales(passed.flow)
    matrix = period.without_drift(np.eye(period.size) - passed.derivative * (sizes / sizes[:, None]))
    matrix, right = period.held(matrix, period.missed(state, passed), passed.flow)
    into, back = period.by_energy(passed.flow)
    step = back @ solve(into @ matrix @ back, into @ right, np.ones(period.size))
    if not np.abs(step).max(initial=0.0) <= LONGEST:
        return None
    try:
        there = state + sizes * step
        return there, period.go(there, derivative=True)
    except NotConverged:
        return None


def _plain(period: PeriodMap, passed: Any, count: int) -> tuple[Array, Any]:
    state = passed.state
    for _ in range(count - 1):
        state = period.go(state).state
    return state, period.go(state, derivative=True)
