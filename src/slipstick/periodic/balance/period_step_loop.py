"""One step of small changes of an orbit; compiled.

A change is displacements and rates, forces of the lines, and memories; storage has a row for each of these and a column
for each change that is carried. The linear part moves exactly under forces that are linear in time, those at the end
with the tangents of the laws there.
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.periodic.balance.matrix_loop import add_rows, add_scaled, solve_rows
from slipstick.periodic.balance.multiplier_records import PeriodMapState
from slipstick.periodic.balance.records import RATE_BY_PHASE

# what becomes of a leaf's memory in a step
CONSTANT = 0  # it stays as it is
SLAVED = 1  # it and the force depend on deflection and rate, not on its value before
DYNAMIC = 2  # it depends on its value before the step


def memory_row(maps: PeriodMapState) -> int:
    """Where memories begin: behind motion, forces, and what constant memories add to these if there are any."""
    forces = maps.force_count
    return 2 * maps.coordinate_count + (2 * forces if maps.memory_size > 0 else forces)


def full_size(maps: PeriodMapState) -> int:
    """Rows of the storage."""
    return memory_row(maps) + maps.memory_size


def take_step(maps: PeriodMapState, here: int, state: Array, columns: int, packed: bool) -> None:
    """One step of the changes in some columns.   packed : only dynamic memories have rows, and constant ones act
    through what they add to the forces."""
    n = maps.coordinate_count
    m = maps.force_count
    forces = view(state, 2 * n * columns)
    moved = maps.moved
    flow = maps.flow
    by = maps.force_by_line
    width = maps.widest
    seen = maps.deflection_at_end
    memory_forces(maps, here, state, columns, packed)
    for i in range(2 * n * columns):
        moved[i] = 0.0
    for i in range(2 * n):
        out = view(moved, i * columns)
        add_rows(columns, 2 * n, view(flow, i), 2 * n, state, out)
        add_rows(columns, m, view(maps.force_at_start, i), 2 * n, forces, out)
    right = maps.memory_force
    for line in range(m):
        add_motion(maps, line, moved, columns, view(right, line * columns))
    matrix = maps.force_equations
    for line in range(m):
        for c in range(m):
            matrix[c * m + line] = 1.0 if c == line else 0.0
        for j in range(width):
            other = line if width == 1 else j
            by_u = by[line * width + j]
            by_v = by[(m + line) * width + j]
            if by_u != 0.0 or by_v != 0.0:
                for c in range(m):
                    matrix[c * m + line] -= by_u * seen[other * m + c] + by_v * seen[(m + other) * m + c]
    solve_rows(matrix, m, right, columns)
    for i in range(m * columns):
        forces[i] = right[i]
    for i in range(2 * n):
        add_rows(columns, m, view(maps.force_at_end, i), 2 * n, forces, view(moved, i * columns))
    for i in range(2 * n * columns):
        state[i] = moved[i]
    if maps.memory_size > 0:
        memories_at_end(maps, here, state, columns, packed)


def add_motion(maps: PeriodMapState, line: int, motion: Array, columns: int, out: Array) -> None:
    """out (columns,) += the force of a line from displacements and rates (2n, columns)."""
    m = maps.force_count
    width = maps.widest
    by = maps.force_by_line
    rates = view(motion, maps.coordinate_count * columns)
    for j in range(width):
        other = line if width == 1 else j
        add_deflection(maps, other, by[line * width + j], motion, columns, out)
        add_deflection(maps, other, by[(m + line) * width + j], rates, columns, out)


def add_deflection(maps: PeriodMapState, line: int, share: float, rows: Array, columns: int, out: Array) -> None:
    """out (columns,) += a share of what a force's line sees of rows (n, columns)."""
    if share != 0.0:
        n = maps.coordinate_count
        weights = maps.weights
        for i in range(n):
            weights[i] = share * maps.deflection_rows[line * n + i]
        add_rows(columns, n, weights, 1, rows, out)


def memory_forces(maps: PeriodMapState, here: int, state: Array, columns: int, packed: bool) -> None:
    """Derivatives of forces at an instant: by deflections and rates to ``force_by_line``, and what memories before it
    do to ``memory_force`` (lines, columns)."""
    table = maps.laws.leaves
    units = maps.slope_time
    by = maps.force_by_line
    width = maps.widest
    m = maps.force_count
    out = maps.memory_force
    first = 2 * maps.coordinate_count + m
    for i in range(2 * m * width):
        by[i] = 0.0
    for i in range(m * columns):
        out[i] = state[first * columns + i] if packed and maps.memory_size > 0 else 0.0
    row = memory_row(maps)
    for e in range(maps.leaf_count):
        d = table[e].directions
        if d == 0:  # a further direction of a law
            continue
        own = maps.carried_memory[e].size
        wide = d + own
        local = view(maps.carried_memory[e].derivatives, here * (2 * d + own) * wide)
        has_rows = not packed or maps.carried_memory[e].change == DYNAMIC
        for r in range(d):
            leaf = table[e + r]
            factor = 0.0 if maps.kicks and leaf.rate_kind == RATE_BY_PHASE else leaf.factor[here]
            line = int(maps.force_of_line[leaf.line])
            for j in range(d):
                other = 0 if width == 1 else int(maps.force_of_line[table[e + j].line])
                by[line * width + other] += factor * local[j * wide + r]
                by[(m + line) * width + other] += factor * units[e] * local[(d + j) * wide + r]
            if has_rows:
                for i in range(own):
                    part = factor * local[(2 * d + i) * wide + r]
                    add_scaled(columns, part, view(state, (row + i) * columns), view(out, line * columns))
        if has_rows:
            row += own


def memories_at_end(maps: PeriodMapState, here: int, state: Array, columns: int, packed: bool) -> None:
    """What a step leaves in the memories: from deflections and rates at its end, and from memories before it."""
    row = memory_row(maps)
    for e in range(maps.leaf_count):
        own = maps.carried_memory[e].size
        if own > 0 and (not packed or maps.carried_memory[e].change == DYNAMIC):
            memory_at_end(maps, e, here, state, view(state, row * columns), columns)
            row += own


def memory_at_end(maps: PeriodMapState, e: int, here: int, state: Array, memory: Array, columns: int) -> None:
    """The same of one leaf, whose memory has so many rows (size, columns)."""
    n = maps.coordinate_count
    d = maps.laws.leaves[e].directions
    own = maps.carried_memory[e].size
    wide = d + own
    local = view(maps.carried_memory[e].derivatives, here * (2 * d + own) * wide)
    new = maps.moved
    for i in range(own):
        out = view(new, i * columns)
        for c in range(columns):
            out[c] = 0.0
        for r in range(d):
            line = int(maps.force_of_line[maps.laws.leaves[e + r].line])
            add_deflection(maps, line, local[r * wide + d + i], state, columns, out)
            by_v = maps.slope_time[e] * local[(d + r) * wide + d + i]
            add_deflection(maps, line, by_v, view(state, n * columns), columns, out)
        for j in range(own):
            add_scaled(columns, local[(2 * d + j) * wide + d + i], view(memory, j * columns), out)
    for i in range(own * columns):
        memory[i] = new[i]
