"""The length of fixed steps, where none is given: from the loads, the stiffest mode and the length of the run."""

from __future__ import annotations

import math

import numpy as np

from slipstick.transient.law_tangents import state_tangents
from slipstick.transient.problem import Problem

STEPS_PER_LOAD_PERIOD = 200  # steps in the shortest period of the loads,
STEPS_PER_MODE_PERIOD = 20  # in that of the stiffest mode,
MIN_STEPS = 1000  # and in the run
MAX_CHOSEN_STEPS = 5_000_000  # steps


def chosen_step(problem: Problem, until: float) -> tuple[float, str]:
    """A step from the loads' highest frequency and the stiffest mode, and why."""
    factors = [f for e in range(len(problem.elements)) for f, _ in problem.factors(e)]
    loads = max(f.fastest(problem.start, until) for f in (problem.forcing, problem.offsets, *factors))
    mode = stiffest_frequency(problem)
    ways = [((until - problem.start) / MIN_STEPS, f"a {MIN_STEPS}th of the run")]
    if loads > 0.0:
        ways.append(
            (
                2.0 * math.pi / (STEPS_PER_LOAD_PERIOD * loads),
                f"a {STEPS_PER_LOAD_PERIOD}th of the loads' shortest period",
            )
        )
    if mode > 0.0:
        ways.append(
            (
                2.0 * math.pi / (STEPS_PER_MODE_PERIOD * mode),
                f"a {STEPS_PER_MODE_PERIOD}th of the stiffest mode's period",
            )
        )
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
    t = problem.inertial_space  # what has no inertia follows
    return math.sqrt(float(np.abs(np.linalg.eigvals(t.T @ k @ t)).max(initial=0.0)))
