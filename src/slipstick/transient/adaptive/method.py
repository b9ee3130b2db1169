"""Error-controlled integration that lands on reversals and corners, so that its order holds."""

from __future__ import annotations

from time import perf_counter

from slipstick.errors import InvalidInput, MissingFace, shown
from slipstick.laws.parsing import MUST_COMPILE, CannotTranslate
from slipstick.results.trajectory import Stats
from slipstick.transient.adaptive.journey import MOST_STEPS, Journey
from slipstick.transient.adaptive.setup import Prepared, kernel
from slipstick.transient.adaptive.trajectory import Adaptive
from slipstick.transient.ending import carry
from slipstick.transient.options import Request
from slipstick.transient.problem import Problem

DEFAULT_TOLERANCE = 1e-8
TIGHTEST, LOOSEST = 1e-13, 1e-2


def run(problem: Problem, request: Request, *, most_steps: int = MOST_STEPS) -> Adaptive:
    """Integrate with steps that keep the error of each within ``request.tolerance`` of the motion's own size.

    A ``request.step`` makes all steps that long, but for those that end at a reversal or a corner; no error is
    controlled then.
    most_steps : when to give up on a stiff model, with what was reached.
    """
    tolerance = check(problem, request, most_steps=most_steps)
    try:
        kernel()  # compiled on first use; that is no part of the run
        ready = Prepared(problem)
        began = perf_counter()
        journey = Journey(ready, request.until, request.times, tolerance, fixed=request.step, most_steps=most_steps)
    except CannotTranslate as reason:
        raise MissingFace(f"adaptive: {reason}; {MUST_COMPILE}") from None
    stats = Stats("adaptive")
    trajectory = Adaptive(journey, stats, request.with_events)
    try:
        carry(trajectory, lambda: journey.go(request.progress))
    finally:
        stats.seconds = perf_counter() - began
        stats.steps, stats.events = journey.steps, len(trajectory.events())
    return trajectory


def check(_problem: Problem, request: Request, *, most_steps: int = MOST_STEPS) -> float:
    """Refuse what cannot be run; the tolerance."""
    if isinstance(most_steps, bool) or not isinstance(most_steps, int) or most_steps < 1:
        raise InvalidInput(f"adaptive: most_steps must be a whole number > 0, got {shown(most_steps)}").about(
            "most_steps"
        )
    if request.step is not None and request.tolerance is not None:
        raise InvalidInput(
            "adaptive: step= makes all steps that long and leaves no error to control, so it takes no tolerance= "
            f"(got step {request.step:g} s and tolerance {request.tolerance:g}); leave one of them out"
        )
    tolerance = DEFAULT_TOLERANCE if request.tolerance is None else request.tolerance
    if not TIGHTEST <= tolerance <= LOOSEST:
        raise InvalidInput(f"adaptive: tolerance must be from {TIGHTEST:g} to {LOOSEST:g}, got {tolerance:g}").about(
            "tolerance"
        )
    return tolerance
