"""From step to step, compiled; with a `solve_step` of `newton_loop` or `taylor_loop` in place of the one here."""

from __future__ import annotations

from collections.abc import Sequence

from slipstick.native import numbers_at
from slipstick.transient.implicit import places as at
from slipstick.transient.implicit.record_loop import absorb, accept, hold, matrix_forces, record_step
from slipstick.transient.implicit.step_loop import (
    act,
    add_row,
    correct,
    forces_at,
    predict,
    right_hand_side,
    room_left,
)


def is_finite(plan: Sequence[float]) -> bool:
    """True if the end of the step is one of numbers."""
    q = numbers_at(int(plan[at.Q1]))
    v = numbers_at(int(plan[at.V1]))
    a = numbers_at(int(plan[at.A1]))
    noticed = 0.0  # by zero times what is no number, or no finite one
    for i in range(int(plan[at.FREE])):
        noticed += 0.0 * (q[i] + v[i] + a[i])
    return noticed == 0.0


def begin(plan: Sequence[float], t: float) -> None:
    """Loads, forces and memory of the state at time t; what has to accelerate it stands in RIGHT."""
    q = numbers_at(int(plan[at.Q]))
    v = numbers_at(int(plan[at.V]))
    none = numbers_at(int(plan[at.D]))
    along = numbers_at(int(plan[at.ALONG]))
    total = numbers_at(int(plan[at.GROUP_FORCE]))
    right = numbers_at(int(plan[at.RIGHT]))
    for i in range(int(plan[at.FREE])):
        none[i] = 0.0
    act(plan, t)
    right_hand_side(plan, q, v, none)
    forces_at(plan, q, v)
    for j in range(int(plan[at.GROUPS])):
        add_row(along, int(plan[at.LINES]), j, -total[j], right)
    matrix_forces(plan, q, v, numbers_at(int(plan[at.Z])))
    hold(plan)


def march(plan: Sequence[float], start: float, first: int, count: int) -> int:
    """Steps number ``first`` and on, counted from the time ``start``; how many of ``count`` were taken.

    ENDED says how the last one went. The state is that after the last one that was taken. A count of zero only looks
    at what acts, as at the begin of a stretch.
    """
    if count == 0:
        begin(plan, start)
    counts = numbers_at(int(plan[at.COUNTS]))
    h = plan[at.STEP]
    for k in range(first, first + count):
        status = at.DONE if room_left(plan) else at.FULL
        if status == at.DONE:
            predict(plan, min(start + (k + 1) * h, plan[at.LAST]))
            status = solve_step(plan)
        if status == at.DONE:
            correct(plan)
            status = at.DONE if is_finite(plan) else at.FAILED
        counts[at.ENDED] = float(status)
        if status != at.DONE:
            return k - first
        absorb(plan)
        record_step(plan, start + k * h)
        accept(plan)
        counts[at.STEPS] += 1.0
    return count


def solve_step(plan: Sequence[float]) -> int:
    """The correction D of a step, and how that ended; another module has it for each way of solving."""
    raise NotImplementedError
