"""Measures of the settled response: of the period after the end of a run.

Samples of the run itself would miss events between them. One more period begins in the state in which the run ended,
with everything that laws remember, and is read like an orbit of shooting.
"""

from __future__ import annotations

from typing import NamedTuple

from slipstick.errors import MissingFace, NotConverged
from slipstick.periodic.common_period import Period
from slipstick.periodic.measures.orbit_measures import MAX_STORED_HARMONICS, ConnectionMeasures, MotionMeasures
from slipstick.periodic.shooting import adaptive_measures, exact_orbits
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.adaptive_orbits import displacement_error
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.memory_state import with_twins
from slipstick.periodic.shooting.newton import PeriodicSolution, periodicity_residual
from slipstick.results.run import Run
from slipstick.transient.events.trajectory import AdaptiveTrajectory
from slipstick.transient.exact.trajectory import ExactTrajectory
from slipstick.transient.series_joints import FoldedTrajectory


class PeriodMeasures(NamedTuple):
    """Of the period after a run; error : [m or rad] of displacements, what the integration leaves."""

    motion: MotionMeasures
    action: ConnectionMeasures
    error: float


def measure_next_period(run: Run, period: Period) -> PeriodMeasures | None:
    """The period after the end of a run; None where its method, or a law of it, cannot go on from there.

    Nor can a run with joints between laws in series: its measures are those of the samples, which show none.
    """
    if isinstance(run.trajectory, FoldedTrajectory):
        return None
    trajectory = getattr(run.trajectory, "own", run.trajectory)  # that of a condensed model is wrapped
    try:
        if isinstance(trajectory, ExactTrajectory):
            return _exact(trajectory, period)
        if isinstance(trajectory, AdaptiveTrajectory) and not trajectory.run.stepping.fixed:
            problem = trajectory.run.ready.problem
            # maps follow twins of some laws, on settled cycles or in the limit of long use, and a run may hold any
            return _adaptive(trajectory, period) if with_twins(problem) is problem else None
    except (MissingFace, NotConverged):  # something sticks that no state can hold
        pass
    return None


def _exact(trajectory: ExactTrajectory, period: Period) -> PeriodMeasures:
    flow = trajectory.flow
    passed = ExactMap(trajectory.problem, period.time, flow.engine).go(flow.arrived)
    return PeriodMeasures(*exact_orbits.measure_exact_orbit(passed.flow, period, MAX_STORED_HARMONICS), 0.0)


def _adaptive(trajectory: AdaptiveTrajectory, period: Period) -> PeriodMeasures:
    run = trajectory.run
    problem, last = run.ready.problem, run.last()
    period_map = AdaptiveMap(problem, period.time, run.stepping.tolerance, copies=False)
    state = period_map.state_of(last.q, last.v, list(last.memories))
    passed = period_map.with_derivative(state, period_map.go(state, tape=True))
    assert passed.flow.tape is not None
    motion, action = adaptive_measures.measure_adaptive_orbit(problem, passed.flow.tape, period)
    closed = PeriodicSolution(state, passed, periodicity_residual(period_map, state, passed), 0, 1)
    return PeriodMeasures(motion, action, displacement_error(period_map, closed))
