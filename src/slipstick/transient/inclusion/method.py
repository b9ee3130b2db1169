"""The method "inclusion": its options, its step, a run."""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results.trajectory import Stats
from slipstick.transient.early_end import run_keeping_partial
from slipstick.transient.inclusion.loop import kernel
from slipstick.transient.inclusion.run import InclusionRun
from slipstick.transient.inclusion.setup import SplitProblem, split_problem, step_tables
from slipstick.transient.inclusion.step_choice import choose_step
from slipstick.transient.inclusion.trajectory import InclusionTrajectory
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import RunRequest

DEFAULT_THETA = 0.55  # nearly second order for smooth motion, and stiff parts still decay


def run(
    problem: Problem, request: RunRequest, *, scheme: str = "explicit", theta: float | None = None
) -> InclusionTrajectory:
    """Integrate with scheme (A.7), or with its theta variant.

    scheme : "explicit", as printed, or "theta", implicit in the linear part.
    theta : 0.5 to 1, the weight of the new state in "theta"; default 0.55.
    """
    parts, weight, step = check(problem, request, scheme=scheme, theta=theta)
    span = request.until - problem.start
    count = max(1, math.ceil(span / step - 1e-9))
    kernel()  # compiled on first use, which does not count as run time
    began = perf_counter()
    march = InclusionRun(step_tables(parts, span / count, weight), count, request.times, request.progress)
    trajectory = InclusionTrajectory(march, Stats("inclusion"), request.with_events)
    try:
        run_keeping_partial(trajectory, march.go)
    finally:
        stats = trajectory.stats
        stats.seconds, stats.steps, stats.events = perf_counter() - began, march.reached, march.event_count
    return trajectory


def check(
    problem: Problem, request: RunRequest, *, scheme: str = "explicit", theta: float | None = None
) -> tuple[SplitProblem, float | None, float]:
    """Check the request; return the parts, the weight of the new state, and the step [s]."""
    weight = _weight(scheme, theta)
    parts = split_problem(problem)
    return parts, weight, choose_step(parts, weight, request.until - problem.start, request.step)


def _weight(scheme: Any, theta: Any) -> float | None:
    if scheme not in ("explicit", "theta"):
        hint = did_you_mean(scheme, ("explicit", "theta")) if isinstance(scheme, str) else ""
        raise InvalidInput(
            f'scheme must be "explicit" or "theta", got {short_repr(scheme)}{hint}', owner="inclusion"
        ).about("scheme")
    if scheme == "explicit":
        if theta is not None:
            raise InvalidInput(
                "the explicit scheme has no theta",
                owner="inclusion",
                argument="theta",
                advice=[Advice("leave {theta} out, or use {scheme}", scheme="theta")],
            )
        return None
    if theta is None:
        return DEFAULT_THETA
    if isinstance(theta, bool) or not isinstance(theta, (int, float)) or not 0.5 <= theta <= 1.0:
        raise InvalidInput(f"theta must be from 0.5 to 1, got {short_repr(theta)}", owner="inclusion").about("theta")
    return float(theta)
