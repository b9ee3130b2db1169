"""A run of fixed steps that was asked for: at the step given or chosen, and shorter until a tolerance is met."""

from __future__ import annotations

import math
from collections.abc import Callable

from slipstick.errors import Advice, InvalidInput, Message, NotConverged
from slipstick.transient.implicit.step_choice import chosen_step
from slipstick.transient.implicit.stepper import StepSolver
from slipstick.transient.implicit.trajectory import FixedStepTrajectory
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import RunRequest

MAX_STEPS = 1e9  # steps; more would not end
MAX_REFINEMENTS = 6  # of shorter steps to meet a tolerance
MAX_REFINED_STEPS = 50_000_000  # steps in one of them: some minutes
REFINEMENT_MARGIN = 1.2  # than second order asks for, so that one round is enough where it holds


def fixed_step_run(problem: Problem, request: RunRequest, solver: Callable[[], StepSolver]) -> FixedStepTrajectory:
    """A run at the step that is asked for, or one that is chosen; with a tolerance, shorter until it is met."""
    step, note = step_of(problem, request)
    run = FixedStepTrajectory(problem, request, solver, step, [note] if note else []).go()
    return run if request.tolerance is None else _refined_to(request.tolerance, run)


def step_of(problem: Problem, request: RunRequest) -> tuple[float, str]:
    """The step [s], and why it was chosen; one that would not come to an end is refused."""
    step, note = (request.step, "") if request.step is not None else chosen_step(problem, request.until)
    least = (request.until - problem.start) / MAX_STEPS
    if not step >= least:
        raise InvalidInput(f"step must be at least {least:.3g} s for this run, got {step:.3g} s").about("step")
    return step, note


def _refined_to(tolerance: float, run: FixedStepTrajectory) -> FixedStepTrajectory:
    """The run, or one of shorter steps that is within the tolerance; one that is not says so in its failures."""
    least = (run.request.until - run.problem.start) / MAX_REFINED_STEPS
    for k in range(MAX_REFINEMENTS + 1):
        excess = _relative_error(run) / tolerance
        if excess <= 1.0:
            return run
        step = run.step / max(2.0, math.ceil(REFINEMENT_MARGIN * math.sqrt(excess))) if math.isfinite(excess) else 0.0
        if k == MAX_REFINEMENTS or step < least:
            break
        note = f"step {step:.3g} s, to meet the tolerance"
        run = FixedStepTrajectory(run.problem, run.request, run.solver, step, [note]).go()
    run.failures.append(_missed(tolerance, excess, run, k))
    return run


def _relative_error(run: FixedStepTrajectory) -> float:
    try:
        return run.relative_error
    except KeyboardInterrupt:
        words = f"interrupted while the error of the run at step {run.step:.3g} s was estimated"
        raise NotConverged(words, partial=run, interrupted=True) from None


def _missed(tolerance: float, excess: float, run: FixedStepTrajectory, rounds: int) -> str:
    """Why a tolerance was not met, in words."""
    begin = f"tolerance {tolerance:g} was not met"
    if math.isinf(excess):
        return f"{begin}: the motion is sensitive, and its error has no figure at any step"
    if math.isnan(excess):
        return f"{begin}: the error at step {run.step:.3g} s could not be estimated"
    tried = (
        f"after {rounds} rounds of shorter steps"
        if rounds == MAX_REFINEMENTS
        else "and a shorter one would take too long"
    )
    return Message(
        f"{begin}: the error at step {run.step:.3g} s is {excess * tolerance:.2g} of the motion, {tried}",
        advice=[Advice("raise {tolerance}, or give a smaller {step}")],
    )
