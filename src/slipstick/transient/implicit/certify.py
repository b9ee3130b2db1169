"""Error of a fixed-step run, from a run at half the step and a run from a nearby start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.transient.implicit.stepper import Stepper, StepSolver
from slipstick.transient.problem import Problem
from slipstick.transient.sensitivity import ErrorEstimate, estimate, is_sensitive

COMPARISON_TIMES = 200  # times at which two runs are compared, besides the requested samples
ERROR_SAFETY = 2.0  # of the difference to half the step: right for first order, 1.5 times too large for second


def check_times(start: float, until: float) -> Array:
    """Times at which runs are compared, over the whole run: an error may be small at its end."""
    return np.linspace(start, until, COMPARISON_TIMES + 1)


def estimate_error(
    problem: Problem, own: Stepper, step: float, until: float, solver: Callable[[], StepSolver]
) -> ErrorEstimate:
    """The error of a run, or of the part that it reached, from two more runs."""
    stop = own.time
    if stop < until:  # few of its times may lie within the part that was reached
        times = check_times(problem.start, stop)
    else:
        times = own.times

    def again(other: Problem, h: float) -> Array:
        """(k, 2n) displacement and velocity of another run over the same time."""
        stepper = Stepper(other, solver(), times)
        stepper.run(until, h, stop=stop)
        return sampled_motion(stepper)

    @cache
    def motion() -> Array:
        return sampled_motion(own) if times is own.times else again(problem, step)

    def compare() -> Array:
        way, other = motion(), again(problem, 0.5 * step)
        count = min(len(way), len(other))
        if count < 2:
            raise NotConverged("less than a step was reached")
        return np.asarray(ERROR_SAFETY * np.abs(way[:count] - other[:count])[:, : problem.n].max(axis=0))

    def grows() -> bool:
        n = problem.n

        def nearby(nudge: Array) -> Array:
            q, v = problem.displacement + nudge[:n], problem.velocity + nudge[n:]
            return again(replace(problem, displacement=q, velocity=v), step)

        return is_sensitive(problem, motion(), nearby)

    return estimate(problem, compare, f"error from a second run at step {0.5 * step:.3g} s", grows)


def sampled_motion(stepper: Stepper) -> Array:
    """(k, 2n) displacement and velocity of the samples that were written."""
    count = stepper.counts.next_sample
    return np.hstack([stepper["sample_q"][:count], stepper["sample_v"][:count]])
