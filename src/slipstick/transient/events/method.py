"""Error-controlled integration that lands on reversals and corners, so that its order holds."""

from __future__ import annotations

from time import perf_counter

from slipstick.errors import Advice, InvalidInput, MissingFace, short_repr
from slipstick.laws.source_parsing import MUST_COMPILE, CannotTranslate
from slipstick.results.trajectory import Stats
from slipstick.transient.early_end import run_keeping_partial
from slipstick.transient.events.run import MAX_STEPS, AdaptiveRun, Stepping
from slipstick.transient.events.setup import PreparedProblem, kernel
from slipstick.transient.events.trajectory import AdaptiveTrajectory
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import RunRequest

DEFAULT_TOLERANCE = 1e-8
TIGHTEST, LOOSEST = 1e-13, 1e-2


def run(problem: Problem, request: RunRequest, *, most_steps: int = MAX_STEPS) -> AdaptiveTrajectory:
    """Integrate with steps that keep the error of each within ``request.tolerance`` of the motion's own size.

    A ``request.step`` makes all steps that long, but for those that end at a reversal or a corner; no error is
    controlled then.
    most_steps : limit for stiff models; the run up to there is kept.
    """
    tolerance = check(problem, request, most_steps=most_steps)
    try:
        kernel()  # compiled on first use; that is no part of the run
        ready = PreparedProblem(problem)
        began = perf_counter()
        run = AdaptiveRun(ready, request.until, request.times, Stepping(tolerance, request.step, most_steps))
    except CannotTranslate as reason:
        raise MissingFace(f"{reason}; {MUST_COMPILE}", owner="events") from None
    stats = Stats("events")
    trajectory = AdaptiveTrajectory(run, stats, request.with_events)
    try:
        run_keeping_partial(trajectory, lambda: run.go(request.progress))
    finally:
        stats.seconds = perf_counter() - began
        stats.steps, stats.events = run.steps, len(trajectory.events())
    return trajectory


def check(_problem: Problem, request: RunRequest, *, most_steps: int = MAX_STEPS) -> float:
    """Refuse what cannot be run; the tolerance."""
    if isinstance(most_steps, bool) or not isinstance(most_steps, int) or most_steps < 1:
        raise InvalidInput(
            f"most_steps must be a whole number > 0, got {short_repr(most_steps)}", owner="events"
        ).about("most_steps")
    if request.step is not None and request.tolerance is not None:
        raise InvalidInput(
            "step and tolerance exclude each other: with a fixed step there is no error to control "
            f"(got step {request.step:g} s and tolerance {request.tolerance:g})",
            owner="events",
            advice=[Advice("leave {step} or {tolerance} out")],
        )
    tolerance = DEFAULT_TOLERANCE if request.tolerance is None else request.tolerance
    if not TIGHTEST <= tolerance <= LOOSEST:
        raise InvalidInput(
            f"tolerance must be from {TIGHTEST:g} to {LOOSEST:g}, got {tolerance:g}", owner="events"
        ).about("tolerance")
    return tolerance
