"""Rows of derivatives by coefficients, and memories that a cycle brings back to themselves; compiled."""

from __future__ import annotations

from typing import Any

from slipstick.native import view
from slipstick.periodic.balance.fourier_loop import add_wave_slopes, add_waves
from slipstick.periodic.balance.records import NEUTRAL_CHANGE, ONLY_HARMONICS, RATE_BY_TIME, LawPlan, SampledLeaf


def clear(numbers: Any, count: int) -> None:
    for k in range(count):
        numbers[k] = 0.0


def rate_of(plan: LawPlan, leaf: SampledLeaf) -> float:
    """The rate that the leaf sees over the slope by tau."""
    return plan.omega if leaf.rate_kind == RATE_BY_TIME else 1.0


def add(out: Any, factor: float, row: Any, count: int) -> None:
    """out += factor row."""
    if factor != 0.0:
        for c in range(count):
            out[c] += factor * row[c]


def add_to_row(plan: LawPlan, leaf: SampledLeaf, k: int, of_u: float, of_v: float, out: Any) -> None:
    """Add of_u d(deflection) + of_v d(rate) at sample k, by coefficients and frequency, to a row."""
    width = plan.tangent_width
    circle = plan.circle
    half = (width - 1) // 2
    if of_u != 0.0:
        add_waves(circle, plan.sample_count, k, half, of_u, out)
        out[2 * half] += of_u
    if of_v != 0.0:
        add_wave_slopes(circle, plan.sample_count, k, half, of_v * rate_of(plan, leaf), out)
        if leaf.rate_kind == RATE_BY_TIME:
            out[width] += of_v * plan.slope[2 * leaf.line * plan.sample_count + k]


def prepare_rows(plan: LawPlan, line: int) -> None:
    """Make ready the rows of a line by coefficients, where only harmonics are wanted and another leaf has not yet."""
    has = plan.has_rows
    count = plan.sample_count * (plan.tangent_width + 1)
    if plan.wanted == ONLY_HARMONICS and has[line] == 0.0:
        has[line] = 1.0
        clear(view(plan.by_coefficients, line * count), count)


def solve_cycle_fixed_point(plan: LawPlan, leaf: SampledLeaf, rows: Any, other: Any, count: int) -> None:
    """Solve (1 - P) y = rows, (m, count of columns), P the change of the memory by that at the start.

    Where a direction is neutral, y is what ``other`` says.
    """
    m = leaf.memory_size
    columns = plan.tangent_width + 1
    room = leaf.room
    a = view(room, 4 * m + 2 * m * m + plan.sample_count * m + 2 * m * columns)
    solve_fixed_point(view(room, 4 * m), a, m, columns, rows, other, count)


def solve_fixed_point(now: Any, a: Any, m: int, columns: int, rows: Any, other: Any, count: int) -> None:
    """The same for P = now (m, m), with room for the equations; rows have ``columns`` numbers."""
    wide = m + count
    for i in range(m):
        for j in range(m):
            a[i * wide + j] = (1.0 if i == j else 0.0) - now[i * m + j]
        for c in range(count):
            a[i * wide + m + c] = rows[i * columns + c]
    for i in range(m):
        # no rows are exchanged: each belongs to its part of the memory, and contractions leave their diagonal large
        if abs(a[i * wide + i]) <= NEUTRAL_CHANGE:
            for j in range(m):
                a[i * wide + j] = 1.0 if i == j else 0.0
            for c in range(count):
                a[i * wide + m + c] = other[i * columns + c]
        for j in range(i + 1, m):
            part = a[j * wide + i] / a[i * wide + i]
            if part != 0.0:
                for c in range(i, wide):
                    a[j * wide + c] -= part * a[i * wide + c]
    for n in range(m):
        i = m - 1 - n
        for c in range(count):
            total = a[i * wide + m + c]
            for j in range(i + 1, m):
                total -= a[i * wide + j] * rows[j * columns + c]
            rows[i * columns + c] = total / a[i * wide + i]
