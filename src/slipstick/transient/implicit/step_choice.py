"""The step of a fixed-step run: given, or chosen from loads, stiffest mode and duration, and refined to a tolerance."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from slipstick.errors import Advice, InvalidInput, Message, NotConverged
from slipstick.transient.implicit.stepper import StepSolver
from slipstick.transient.implicit.trajectory import FixedStepTrajectory
from slipstick.transient.law_tangents import state_tangents
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import RunRequest

STEPS_PER_LOAD_PERIOD = 200  # steps in the shortest period of the loads,
STEPS_PER_MODE_PERIOD = 20  # in that of the stiffest mode,
MIN_STEPS = 1000  # and in the run
MAX_CHOSEN_STEPS = 5_000_000  # steps
MAX_STEPS = 1e9  # steps; more would not end
MAX_REFINEMENTS = 6  # of shorter steps to meet a tolerance
MAX_REFINED_STEPS = 50_000_000  # steps in one of them: some minutes
REFINEMENT_MARGIN = 1.2  # more than second order requires, so that one round usually suffices


def fixed_step_run(problem: Problem, request: RunRequest, solver: Callable[[], StepSolver]) -> FixedStepTrajectory:
    """A run at the given or chosen step; with a tolerance, at shorter steps until it is met."""
    step, note = step_of(problem, request)
    run = FixedStepTrajectory(problem, request, solver, step, [note] if note else []).go()
    return run if request.tolerance is None else _refined_to(request.tolerance, run)


def step_of(problem: Problem, request: RunRequest) -> tuple[float, str]:
    """The step [s], and why it was chosen; a step that needs too many steps is refused."""
    step, note = (request.step, "") if request.step is not None else chosen_step(problem, request.until)
    least = (request.until - problem.start) / MAX_STEPS
    if not step >= least:
        raise InvalidInput(f"step must be at least {least:.3g} s for this run, got {step:.3g} s").about("step")
    return step, note


def chosen_step(problem: Problem, until: float) -> tuple[float, str]:
    """A step from the loads' highest frequency and the stiffest mode, and why."""
    factors = [f for e in range(len(problem.elements)) for f, _ in problem.factors(e)]
    loads = max(f.max_frequency(problem.start, until) for f in (problem.forcing, problem.offsets, *factors))
    mode = stiffest_frequency(problem)
    ways = [((until - problem.start) / MIN_STEPS, f"a {MIN_STEPS}th of the run")]
    if loads > 0.0:
        step = 2.0 * math.pi / (STEPS_PER_LOAD_PERIOD * loads)
        ways.append((step, f"a {STEPS_PER_LOAD_PERIOD}th of the loads' shortest period"))
    if mode > 0.0:
        step = 2.0 * math.pi / (STEPS_PER_MODE_PERIOD * mode)
        ways.append((step, f"a {STEPS_PER_MODE_PERIOD}th of the stiffest mode's period"))
    step, why = min(ways)
    least = (until - problem.start) / MAX_CHOSEN_STEPS
    if step < least:
        return least, f"step {least:.3g} s chosen for {MAX_CHOSEN_STEPS:,} steps; {why} would be {step:.3g} s"
    return step, f"step {step:.3g} s chosen: {why}"


def stiffest_frequency(problem: Problem) -> float:
    """[rad/s] of the stiffest mode, every law in its stiffest state."""
    u = problem.deflections_at(problem.start, problem.displacement)
    k = problem.stiffness.copy()
    for e, element in enumerate(problem.elements):
        slope = abs(state_tangents(element.law, float(u[e]))[0].stiffness)
        k += element.force * slope * np.outer(element.along, element.deflection)
    t = problem.inertial_space  # massless coordinates follow
    return math.sqrt(float(np.abs(np.linalg.eigvals(t.T @ k @ t)).max(initial=0.0)))


def _refined_to(tolerance: float, run: FixedStepTrajectory) -> FixedStepTrajectory:
    """The run, or one at shorter steps that is within the tolerance; else the run lists a failure."""
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
    """A message: why a tolerance was not met."""
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
