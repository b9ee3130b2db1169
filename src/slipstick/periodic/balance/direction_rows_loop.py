"""Derivatives of laws with several deflections by coefficients and frequency; compiled.

A row of derivatives has a block for each deflection: its coefficients, then the frequency. `directions_loop` has the
law along the samples, and the layout of what it leaves here.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import view
from slipstick.periodic.balance.derivative_rows_loop import (
    add,
    add_to_row,
    clear,
    prepare_rows,
    solve_fixed_point,
)
from slipstick.periodic.balance.harmonics_loop import sum_interval
from slipstick.periodic.balance.records import LawPlan, SampledLeaf


def directions_room(m: int, d: int, samples: int, columns: int) -> int:
    """Numbers in the room of a leaf: memory at the start and its change, derivatives of the led memory, of the memory
    and forces by that at the start, forces, rows of the memory and of those, equations, a row of a force."""
    block = d * columns
    rows = 2 * m * block + m * (m + block) + block
    return 2 * m + 2 * d * m + 2 * m * m + samples * d * (m + 1) + rows + d * m * samples + 3 * m + columns


def forces_at(m: int, d: int, samples: int) -> int:
    """Where the forces (samples, d) begin in the room of a leaf."""
    return 2 * m + 2 * d * m + 2 * m * m + samples * d * m


def add_inputs(plan: LawPlan, e: int, k: int, of_inputs: Any, stride: int, factor: float, row: Any) -> None:
    """Add to a row what deflections and rates at sample k do, by their derivatives ``of_inputs`` (2 D), strided."""
    d = plan.leaves[e].directions
    columns = plan.tangent_width + 1
    for j in range(d):
        of_u = factor * of_inputs[j * stride]
        of_v = factor * of_inputs[(d + j) * stride]
        add_to_row(plan, plan.leaves[e + j], k, of_u, of_v, view(row, j * columns))


def carry_rows(plan: LawPlan, leaf: SampledLeaf, e: int, first: int) -> None:
    """Derivatives of the forces by coefficients and frequency, with those of the settled memory."""
    m = leaf.memory_size
    d = leaf.directions
    samples = plan.sample_count
    columns = plan.tangent_width + 1
    block = d * columns
    room = leaf.room
    by_start = view(room, 2 * m + 2 * d * m + 2 * m * m)
    rows = view(room, forces_at(m, d, samples) + samples * d)
    other = view(rows, m * block)
    equations = view(other, m * block)
    force_row = view(equations, m * (m + block))
    for j in range(d):
        prepare_rows(plan, leaf.line + j)
    pairs = d * (d - 1)
    for pair in range(leaf.pair_begin, leaf.pair_begin + pairs):
        plan.pair_has_rows[pair] = 1.0
    clear(view(plan.pair_rows, leaf.pair_begin * samples * columns), pairs * samples * columns)
    clear(rows, m * block)
    k = first
    for _ in range(samples):
        k = k + 1 if k + 1 < samples else 0
        local = view(leaf.local, k * (2 * d + m) * (d + m))
        for j in range(d):
            clear(force_row, block)
            factor = plan.leaves[e + j].factor[k]
            add_inputs(plan, e, k, view(local, j), d + m, factor, force_row)
            for i in range(m):
                add(force_row, factor * local[(2 * d + i) * (d + m) + j], view(rows, i * block), block)
            scatter_row(plan, leaf, j, k, force_row)
        clear(other, m * block)
        for i in range(m):
            row = view(other, i * block)
            add_inputs(plan, e, k, view(local, d + i), d + m, 1.0, row)
            for c in range(m):
                add(row, local[(2 * d + c) * (d + m) + d + i], view(rows, c * block), block)
        for c in range(m * block):
            rows[c] = other[c]
    clear(other, m * block)
    for i in range(m):
        add_inputs(plan, e, first, view(room, 2 * m + i), m, 1.0, view(other, i * block))
    solve_fixed_point(view(room, 2 * m + 2 * d * m), equations, m, block, rows, other, block)
    for k in range(samples):
        for j in range(d):
            clear(force_row, block)
            for i in range(m):
                share = plan.leaves[e + j].factor[k] * by_start[(k * d + j) * m + i]
                add(force_row, share, view(rows, i * block), block)
            scatter_row(plan, leaf, j, k, force_row)


def scatter_row(plan: LawPlan, leaf: SampledLeaf, j: int, k: int, row: Any) -> None:
    """Add a row of force j at sample k to the rows of its line and of its pairs with others."""
    d = leaf.directions
    samples = plan.sample_count
    columns = plan.tangent_width + 1
    own = view(plan.by_coefficients, ((leaf.line + j) * samples + k) * columns)
    pair = leaf.pair_begin + j * (d - 1)
    for c in range(d):
        part = view(row, c * columns)
        if c == j:
            add(own, 1.0, part, columns)
        else:
            add(view(plan.pair_rows, (pair * samples + k) * columns), 1.0, part, columns - 1)
            own[columns - 1] += part[columns - 1]
            pair += 1


def carry_intervals(plan: LawPlan, leaf: SampledLeaf, e: int, first: int) -> None:
    """The same for laws without rates, as harmonics at once: a memory that rests adds one product for each time it
    rests, and the row of one that takes a new value from the deflections alone is found where a force asks for it."""
    m = leaf.memory_size
    d = leaf.directions
    samples = plan.sample_count
    columns = plan.tangent_width + 1
    block = d * columns
    room = leaf.room
    by_start = view(room, 2 * m + 2 * d * m + 2 * m * m)
    rows = view(room, forces_at(m, d, samples) + samples * d)
    other = view(rows, m * block)
    equations = view(other, m * block)
    sums = view(equations, m * (m + block))
    weights = view(sums, block)  # (d, m, samples)
    pending = view(weights, d * m * samples)  # the sample at which a memory took its value; -1: its row is there
    begin = view(pending, m)  # of the interval in which it rests
    used = view(begin, m)  # whether a force depends on it there
    clear(rows, m * block)
    for i in range(m):
        pending[i] = -1.0
        begin[i] = first + 1 if first + 1 < samples else 0
        used[i] = 0.0
    k = first
    for step in range(samples):
        k = k + 1 if k + 1 < samples else 0
        local = view(leaf.local, k * (2 * d + m) * (d + m))
        add_at_sample(plan, leaf, e, k, local)
        for j in range(d):
            factor = plan.leaves[e + j].factor[k]
            for i in range(m):
                own = factor * local[(2 * d + i) * (d + m) + j]
                weights[(j * m + i) * samples + k] = own
                if own != 0.0:
                    used[i] = 1.0
        last = step == samples - 1
        for i in range(m):
            if last or not memory_rests(local, m, d, i):
                if used[i] != 0.0:
                    find_row(plan, leaf, e, i, pending, rows)
                    add_interval(plan, leaf, i, weights, int(begin[i]), k, view(rows, i * block), sums)
                    used[i] = 0.0
                begin[i] = k + 1 if k + 1 < samples else 0
        advance_rows(plan, leaf, e, k, local, pending, rows, other)
    for i in range(m):
        find_row(plan, leaf, e, i, pending, rows)
    clear(other, m * block)
    for i in range(m):
        add_inputs(plan, e, first, view(room, 2 * m + i), m, 1.0, view(other, i * block))
    solve_fixed_point(view(room, 2 * m + 2 * d * m), equations, m, block, rows, other, block)
    for i in range(m):
        depends = False
        for j in range(d):
            for s in range(samples):
                own = plan.leaves[e + j].factor[s] * by_start[(s * d + j) * m + i]
                weights[(j * m + i) * samples + s] = own
                depends = depends or own != 0.0
        if depends:
            add_interval(plan, leaf, i, weights, 0, samples - 1, view(rows, i * block), sums)


def memory_rests(local: Any, m: int, d: int, i: int) -> bool:
    """True if number i of the memory keeps its value, and its derivatives, at a sample."""
    for c in range(2 * d):
        if local[c * (d + m) + d + i] != 0.0:
            return False
    alone = True
    for c in range(m):
        alone = alone and local[(2 * d + c) * (d + m) + d + i] == (1.0 if c == i else 0.0)
    return alone


def add_at_sample(plan: LawPlan, leaf: SampledLeaf, e: int, k: int, local: Any) -> None:
    """What the forces owe to the deflections at the same sample."""
    m = leaf.memory_size
    d = leaf.directions
    samples = plan.sample_count
    for j in range(d):
        factor = plan.leaves[e + j].factor[k]
        pair = leaf.pair_begin + j * (d - 1)
        for c in range(d):
            own = factor * local[c * (d + m) + j]
            if c == j:
                plan.by_deflection[(leaf.line + j) * samples + k] += own
            else:
                plan.pair_by_deflection[pair * samples + k] = own
                pair += 1


def find_row(plan: LawPlan, leaf: SampledLeaf, e: int, i: int, pending: Any, rows: Any) -> None:
    """Find the row of a memory that took its value from the deflections at a sample, if that has not been done."""
    m = leaf.memory_size
    d = leaf.directions
    k = int(pending[i])
    if k >= 0:
        block = d * (plan.tangent_width + 1)
        own = view(rows, i * block)
        clear(own, block)
        local = view(leaf.local, k * (2 * d + m) * (d + m))
        add_inputs(plan, e, k, view(local, d + i), d + m, 1.0, own)
        pending[i] = -1.0


def advance_rows(
    plan: LawPlan, leaf: SampledLeaf, e: int, k: int, local: Any, pending: Any, rows: Any, other: Any
) -> None:
    """Rows of the memory behind sample k; those that depend on deflections alone are only noted."""
    m = leaf.memory_size
    d = leaf.directions
    block = d * (plan.tangent_width + 1)
    for i in range(m):
        if memory_rests(local, m, d, i):
            continue
        for c in range(m):
            if local[(2 * d + c) * (d + m) + d + i] != 0.0:
                find_row(plan, leaf, e, c, pending, rows)
    for i in range(m):
        own = view(other, i * block)
        if memory_rests(local, m, d, i) or is_fresh(local, m, d, i):
            continue
        clear(own, block)
        add_inputs(plan, e, k, view(local, d + i), d + m, 1.0, own)
        for c in range(m):
            add(own, local[(2 * d + c) * (d + m) + d + i], view(rows, c * block), block)
    for i in range(m):
        if memory_rests(local, m, d, i):
            continue
        if is_fresh(local, m, d, i):
            pending[i] = k
            continue
        for c in range(block):
            rows[i * block + c] = other[i * block + c]
        pending[i] = -1.0


def is_fresh(local: Any, m: int, d: int, i: int) -> bool:
    """True if number i of the memory depends on no memory before the sample."""
    fresh = True
    for c in range(m):
        fresh = fresh and local[(2 * d + c) * (d + m) + d + i] == 0.0
    return fresh


def add_interval(
    plan: LawPlan, leaf: SampledLeaf, i: int, weights: Any, begin: int, end: int, row: Any, sums: Any
) -> None:
    """Add what number i of the memory, with one row from one sample to another, does to the harmonics of the forces."""
    d = leaf.directions
    columns = plan.tangent_width + 1
    for j in range(d):
        sum_interval(plan, view(weights, (j * leaf.memory_size + i) * plan.sample_count), begin, end, sums)
        line = view(plan.tangent_harmonics, (leaf.line + j) * columns * columns)
        pair = leaf.pair_begin + j * (d - 1)
        for c in range(d):
            own = view(row, c * columns)
            if c == j:
                out = line
            else:
                out = view(plan.pair_harmonics, pair * columns * columns)
                pair += 1
            for q in range(columns - 1):
                add(view(out, q * columns), own[q], sums, columns)
