"""The flow of a start over a period of the loads, or over a window where nothing varies in time.

By the exact flow where every law has pieces and loads vary, else by error-controlled integration. A state is (q, v, w)
as in `periodic.shooting`: its map forgets how often it was applied, so motions that repeat are its cycles.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, MissingFace, SlipstickError
from slipstick.periodic.common_period import varying_frequencies
from slipstick.periodic.methods import is_exact
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.memory_state import with_twins
from slipstick.periodicity import common_period
from slipstick.transient.events.period_run import StepTape
from slipstick.transient.exact.outputs import measure_run
from slipstick.transient.folded_matrices import fold, is_plain
from slipstick.transient.problem import Problem
from slipstick.transient.series_joints import with_joints

FORCED_TOLERANCE, FREE_TOLERANCE = 1e-7, 1e-5  # of the integration, relative to the motion
NATURAL_PERIODS = 4.0  # of the slowest mode, in a window
NO_STIFFNESS_REL = 1e-12
NOTHING = np.zeros(0)


class Passage(NamedTuple):
    """state : (size,) at the end.   scales : (size,) of the motion.   low, high : (2n,) extremes of q and v.

    With loads there are scales, without them extremes.
    """

    state: Array
    scales: Array = NOTHING
    low: Array | None = None
    high: Array | None = None


class StartFlow:
    """is_forced : something varies periodically; ``time`` [s] is then its period, else a window.

    tolerance : of the integration, relative to the motion.
    """

    def __init__(self, problem: Problem, tolerance: float | None = None) -> None:
        refuse_other_time(problem)
        omegas = varying_frequencies(problem)
        self.problem, self.is_forced = problem, bool(omegas)
        self.time = common_period(omegas) if omegas else NATURAL_PERIODS * natural_period(problem)
        self.is_exact = self.is_forced and is_exact(problem)
        self._tolerance = (FORCED_TOLERANCE if omegas else FREE_TOLERANCE) if tolerance is None else tolerance
        self._maps: dict[float, ExactMap | AdaptiveMap] = {}

    def map(self, time: float) -> ExactMap | AdaptiveMap:
        """The map over a time [s]."""
        if time not in self._maps:
            if self.is_exact:
                self._maps[time] = ExactMap(self.problem, time)
            else:
                self._maps[time] = AdaptiveMap(self.problem, time, self._tolerance, copies=False)
        return self._maps[time]

    def first(self, q: Array, v: Array) -> Array:
        """(size,) the state of a start; laws remember what a monotone motion from the virgin state leaves."""
        return self.map(self.time).state_of(q, v, self.problem.start_memories(q))

    def state_at_start(self) -> Array:
        """(size,) the state in which the problem begins, also where it resumes a run."""
        problem, own = self.problem, self.map(self.time)
        if isinstance(own, ExactMap):
            return own.first()
        return own.state_of(problem.displacement, problem.velocity, problem.start_memories())

    def go(self, state: Array, time: float | None = None) -> Passage:
        """Follow a state (size,) over the period or over a window of another time [s]."""
        own = self.map(self.time if time is None else time)
        if isinstance(own, ExactMap):
            passed = own.go(state)
            return Passage(passed.state, own.scales(passed.flow))
        free = own.freely(state, tape=not self.is_forced)
        tape = free.flow.tape
        if tape is None:
            return Passage(free.state, own.scales(free.flow))
        low, high = extremes(tape, self.problem.n)
        return Passage(free.state, low=low, high=high)

    def extremes_over(self, state: Array, time: float) -> tuple[Array, Array]:
        """(n,) the lowest and the highest displacements from a state (size,) on, over a time [s]."""
        own, n = self.map(time), self.problem.n
        if isinstance(own, ExactMap):
            reading, free = measure_run(own.go(state).flow, 1), self.problem.assembly.free
            return reading.low[free], reading.high[free]
        tape = own.freely(state, tape=True).flow.tape
        assert tape is not None
        low, high = extremes(tape, n)
        return low[:n], high[:n]


def extremes(tape: StepTape, n: int) -> tuple[Array, Array]:
    """(2n,) the lowest and the highest q and v on the cubics through the ends of all steps."""
    y, k = tape.y[:, : 2 * n], 2 * n
    low, high = y.min(axis=0), y.max(axis=0)
    h = np.diff(tape.time)[:, None]
    begin, end = h * tape.leaving[:, :k], h * tape.coming[:, :k]
    # a cubic lies within the hull of its control points: few steps can go beyond all ends
    first, last = y[:-1] + begin / 3.0, y[1:] - end / 3.0
    beyond = (np.minimum(first, last) < low) | (np.maximum(first, last) > high)
    chosen = np.flatnonzero(beyond.any(axis=1))
    y, begin, end, change = y[chosen], begin[chosen], end[chosen], y[chosen + 1] - y[chosen]
    c2, c3 = 3.0 * change - 2.0 * begin - end, begin + end - 2.0 * change
    with np.errstate(all="ignore"):
        root = np.sqrt(c2 * c2 - 3.0 * begin * c3)
        stable = -(c2 + np.copysign(root, c2))  # the pair without cancellation
        for s in (stable / (3.0 * c3), begin / stable):
            inside = (s > 0.0) & (s < 1.0)
            value = np.where(inside, y + s * (begin + s * (c2 + s * c3)), y)
            low = np.minimum(low, value.min(axis=0, initial=np.inf))
            high = np.maximum(high, value.max(axis=0, initial=-np.inf))
    return low, high


def natural_period(problem: Problem) -> float:
    """[s] of the slowest mode that springs hold, as they are at the start; one second without springs."""
    stiffness = fold(problem).stiffness.copy()
    u = problem.deflections_at(problem.start, problem.displacement)
    for e, element in enumerate(problem.elements):
        if is_plain(element):
            continue
        try:
            near = element.law.linearised(None, float(u[e]))
        except SlipstickError:
            continue
        stiffness += near.stiffness * np.outer(element.force * element.along, element.deflection)
    squares = np.abs(np.linalg.eigvals(np.linalg.lstsq(problem.mass, stiffness, rcond=None)[0]))
    some = squares[squares > NO_STIFFNESS_REL * squares.max(initial=0.0)]
    return float(2.0 * math.pi / np.sqrt(some.min())) if some.size else 1.0


def refuse_other_time(problem: Problem) -> None:
    """Refuse what is neither constant nor periodic, and laws whose transients have no state of fixed size."""
    name = problem.system.name
    forcing = fold(problem).forcing
    if problem.is_swept or any(f.signals or f.sweeps for f in (problem.forcing, problem.offsets)):
        words = f'model "{name}" has a signal or a sweep, so its motions never repeat'
        raise InvalidInput(f"{words}; take loads, motions and limits that are constant or periodic")
    if forcing.ramp.any():
        raise InvalidInput(
            f'model "{name}" has a ramp that loads or stretches it for ever; only drives that slide may move on'
        )
    for e, element in enumerate(problem.elements):
        if problem.offsets.ramp[e] and not is_plain(element) and not _feels_rate_alone(element.law):
            label = problem.system.connections[element.connection].name
            words = f'connection "{label}" ({type(element.law).__name__}) joins a steadily moving coordinate'
            raise MissingFace(f"{words}, and its force depends on the deflection; take DryFriction there")
    if with_joints(problem) is not problem:
        raise MissingFace(f'model "{name}" has laws in series, whose joints have no start; leave them out')
    if with_twins(problem) is not problem:
        words = f'model "{name}" has a law that remembers a stack of reversals, which no state of fixed size holds'
        raise MissingFace(f"{words}; take a law with an inner state, such as BoucWen")


def _feels_rate_alone(law: Any) -> bool:
    """True if the force does not depend on the deflection."""
    if law.rigid_friction is not None:
        return True
    if law.remembers or law.has_stack:
        return False
    return all(
        law.update(u, v, ())[0] == law.update(0.0, v, ())[0] for u in (-7.3, 0.61, 1e3) for v in (-1.1, 0.0, 0.4)
    )
