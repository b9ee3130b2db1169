"""What is told of the response that a run has settled to: of the period after its end, by the flow that made the run.

Samples of the run itself would miss events between them. One more period begins in the state in which the run ended,
with everything that laws remember, and is read like an orbit of shooting.
"""

from __future__ import annotations

from typing import NamedTuple

from slipstick.errors import MissingFace, NotConverged
from slipstick.periodic.measures import KEPT, Action, Motion
from slipstick.periodic.period import Period
from slipstick.periodic.shooting import figures, tape_figures
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.adaptive_orbits import error_of
from slipstick.periodic.shooting.adaptive_parts import with_twins
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.newton import Closed, measure
from slipstick.results.run import Run
from slipstick.transient.adaptive.trajectory import Adaptive
from slipstick.transient.exact.trajectory import ExactTrajectory


class Told(NamedTuple):
    """Of the period after a run; error : [m or rad] of displacements, what the integration leaves."""

    motion: Motion
    action: Action
    error: float


def next_period(run: Run, period: Period) -> Told | None:
    """The period after the end of a run; None where its method, or a law of it, cannot go on from there."""
    trajectory = getattr(run.trajectory, "own", run.trajectory)  # that of a condensed model is wrapped
    try:
        if isinstance(trajectory, ExactTrajectory):
            return _exact(trajectory, period)
        if isinstance(trajectory, Adaptive) and not trajectory.journey.fixed:
            problem = trajectory.journey.ready.problem
            # maps follow twins of some laws, on settled cycles or in the limit of long use, and a run may hold any
            return _adaptive(trajectory, period) if with_twins(problem) is problem else None
    except (MissingFace, NotConverged):  # something sticks that no state can hold
        pass
    return None


def _exact(trajectory: ExactTrajectory, period: Period) -> Told:
    flow = trajectory.flow
    passed = ExactMap(trajectory.problem, period.time, flow.engine).go(flow.arrived)
    return Told(*figures.figures(passed.flow, period, KEPT), 0.0)


def _adaptive(trajectory: Adaptive, period: Period) -> Told:
    journey = trajectory.journey
    problem, last = journey.ready.problem, journey.last()
    period_map = AdaptiveMap(problem, period.time, journey.tolerance, copies=False)
    state = period_map.state_of(last.q, last.v, list(last.memories))
    passed = period_map.with_derivative(state, period_map.go(state, tape=True))
    assert passed.flow.tape is not None
    motion, action = tape_figures.figures(problem, passed.flow.tape, period)
    closed = Closed(state, passed, measure(period_map, state, passed), 0, 1)
    return Told(motion, action, error_of(period_map, closed))
