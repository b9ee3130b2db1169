"""From step to step, compiled; with a `solve_step` of `newton_loop` or `taylor_loop` in place of the one here."""

from __future__ import annotations

from slipstick.transient.implicit.records import DONE, FAILED, FULL, Step
from slipstick.transient.implicit.step_loop import (
    add_row,
    correct,
    forces_at,
    predict,
    right_hand_side,
    set_loads,
    stacks_have_room,
)
from slipstick.transient.implicit.step_output_loop import (
    accept_step,
    add_work,
    keep_acting,
    matrix_forces,
    record_samples,
)


def is_finite(step: Step) -> bool:
    """True if the state at the end of the step is finite."""
    q = step.q_end
    v = step.v_end
    a = step.a_end
    noticed = 0.0  # zero times NaN or infinity is NaN
    for i in range(step.coordinate_count):
        noticed += 0.0 * (q[i] + v[i] + a[i])
    return noticed == 0.0


def begin(step: Step, t: float) -> None:
    """Evaluate loads, forces and memory at time t; the accelerating force becomes the right-hand side."""
    q = step.q
    v = step.v
    none = step.correction
    along = step.along
    total = step.group_force
    right = step.right_hand_side
    for i in range(step.coordinate_count):
        none[i] = 0.0
    set_loads(step, t)
    right_hand_side(step, q, v, none)
    forces_at(step, q, v)
    for j in range(step.group_count):
        add_row(along, step.line_count, j, -total[j], right)
    matrix_forces(step, q, v, step.matrix_force)
    keep_acting(step)


def march(step: Step, start: float, first: int, count: int) -> int:
    """Take steps from number ``first`` on, counted from the time ``start``; return how many of ``count`` were taken.

    `Counts.status` says how the last one ended. The state is that after the last step taken. A count of zero only
    evaluates the forces at the start.
    """
    if count == 0:
        begin(step, start)
    h = step.h
    for k in range(first, first + count):
        status = DONE if stacks_have_room(step) else FULL
        if status == DONE:
            predict(step, min(start + (k + 1) * h, step.last_time))
            status = solve_step(step)
        if status == DONE:
            correct(step)
            status = DONE if is_finite(step) else FAILED
        step.counts.status = status
        if status != DONE:
            return k - first
        add_work(step)
        record_samples(step, start + k * h)
        accept_step(step)
        step.counts.steps += 1
    return count


def solve_step(step: Step) -> int:
    """Compute the correction D of a step, and its status; the module of each solver replaces this function."""
    raise NotImplementedError
