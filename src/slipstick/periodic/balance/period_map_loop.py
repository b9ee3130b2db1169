"""A period's effect on small changes of an orbit, carried from instant to instant; compiled.

A change is displacements and rates, forces of the lines, and memories; storage has a row for each of these and a column
for each change that is carried. A step that recurs is a matrix, taken to the power of its repetitions. During such a
run a memory that does not change only adds a constant force, and one that its deflection decides is found at the end:
so the matrix has rows for the motion, for the forces, for what unchanging memories add to these, and for those
memories alone that go through a development of their own.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.native import Array, view
from slipstick.periodic.balance.matrix_loop import add_scaled, product, product_of_few, solve_rows
from slipstick.periodic.balance.multiplier_records import BEHIND, REGULAR, PeriodMapState, Switch
from slipstick.periodic.balance.records import RATE_BY_PHASE

TURN_ANGLE = 2.0 * math.pi
SMALL_EXPONENT = 1e-8  # below, a decay is its first term
FEW_REPETITIONS = 4  # fewer steps that are the same are taken one by one
# products of numbers, below which BLAS is slower than a loop, and loops over rows than over numbers
SMALL_PRODUCT, TINY_PRODUCT = 4096, 64
# what becomes of a leaf's memory in a step: it stays, its deflection decides it, or it depends on what it was before
UNCHANGED, DECIDED, DEVELOPING = range(3)


def carry_period(maps: PeriodMapState, block: int) -> None:
    """Carry changes through one period, from the first instant on; block : of steps from sample to sample."""
    total = maps.instant_count
    before = last_instant(maps)
    k = 0
    while k < total:
        after = instant_after(maps, k)
        if maps.kicks:
            apply_friction(maps, before, k, after)
        before = k
        kind = int(maps.instants[after].kind) if after < total else REGULAR
        if kind >= BEHIND:
            apply_impulse(maps, maps.instants[after])
            place_block(maps, maps.short_blocks, 0)
            take_step(maps, after, maps.carried, maps.carried_count, False)
        elif kind != REGULAR or maps.instants[k].kind != REGULAR:
            place_block(maps, maps.short_blocks, maps.next_short)
            maps.next_short += 1
            take_steps(maps, after if after < total else 0, maps.substeps, False)
        else:
            here = after if after < total else 0
            times = 1
            ahead = instant_after(maps, after)
            while not maps.kicks and after < total and is_same_step(maps, here, ahead):
                times += 1
                after = ahead
                ahead = instant_after(maps, after)
            place_block(maps, maps.blocks, block)
            take_steps(maps, here, times * maps.substeps, True)
        k = after


def last_instant(maps: PeriodMapState) -> int:
    """The instant that the last step of the period begins at."""
    last = 0
    after = instant_after(maps, 0)
    while after < maps.instant_count:
        last = after
        after = instant_after(maps, after)
    return last


def instant_after(maps: PeriodMapState, k: int) -> int:
    """The next instant that a step ends at: a multiple of the stride, or a side of a switch."""
    total = maps.instant_count
    after = k + 1
    while after < total:
        own = maps.instants[after]
        strides = own.place / maps.stride
        if own.kind != REGULAR or strides == int(strides):
            break
        after += 1
    return after


def is_same_step(maps: PeriodMapState, here: int, ahead: int) -> bool:
    """Whether a step that ends ahead is the same as that which ends here, both from sample to sample."""
    total = maps.instant_count
    if ahead > total:
        return False
    if ahead < total and maps.instants[ahead].kind != REGULAR:
        return False
    return same_tangents(maps, here, ahead if ahead < total else 0)


def same_tangents(maps: PeriodMapState, one: int, other: int) -> bool:
    """Whether all tangents at two instants are the same."""
    table = maps.laws.leaves
    for e in range(maps.leaf_count):
        leaf = table[e]
        if maps.kicks and leaf.rate_kind == RATE_BY_PHASE:
            continue
        factor = leaf.factor
        if factor[one] != factor[other]:
            return False
        m = maps.carried_memory[e].size
        size = (2 + m) * (1 + m)
        local = maps.carried_memory[e].derivatives
        for i in range(size):
            if local[one * size + i] != local[other * size + i]:
                return False
    return True


# ---- one step after another


def place_block(maps: PeriodMapState, blocks: Array, k: int) -> None:
    """Where the step of the linear part is that belongs to a stride and an orbit, or to a length."""
    n = maps.coordinate_count
    m = maps.force_count
    block = view(blocks, k * maps.block_size)
    maps.flow = block
    maps.force_at_start = view(block, 4 * n * n)
    maps.force_at_end = view(block, 4 * n * n + 2 * n * m)
    maps.seen_at_end = view(block, 4 * n * n + 4 * n * m)


def initial_changes(maps: PeriodMapState) -> None:
    """A change of one of each number; where there is no memory, with the forces that follow from the motion."""
    columns = maps.carried_count
    carried = maps.carried
    motion = 2 * maps.coordinate_count
    for i in range(full_size(maps) * columns):
        carried[i] = 0.0
    for i in range(motion):
        carried[i * columns + i] = 1.0
    if maps.memory_size == 0:
        restore_forces(maps, 0)
        return
    for i in range(maps.memory_size):  # behind the motion, as they are handed over
        carried[(motion + 2 * maps.force_count + i) * columns + motion + i] = 1.0
    for line in range(maps.force_count):
        carried[(motion + line) * columns + motion + maps.memory_size + line] = 1.0


def hand_over(maps: PeriodMapState, out: Array) -> None:
    """What has become of the changes: motion, memories and forces (carried_count, carried_count)."""
    columns = maps.carried_count
    carried = maps.carried
    motion = 2 * maps.coordinate_count * columns
    memories = maps.memory_size * columns
    for i in range(motion):
        out[i] = carried[i]
    if memories > 0:
        forces = maps.force_count * columns
        for i in range(memories):
            out[motion + i] = carried[motion + 2 * forces + i]
        for i in range(forces):
            out[motion + memories + i] = carried[motion + i]


def memory_row(maps: PeriodMapState) -> int:
    """Where memories begin: behind motion, forces, and what unchanging memories add to these if there are any."""
    forces = maps.force_count
    return 2 * maps.coordinate_count + (2 * forces if maps.memory_size > 0 else forces)


def full_size(maps: PeriodMapState) -> int:
    """Rows of the storage."""
    return memory_row(maps) + maps.memory_size


def take_steps(maps: PeriodMapState, here: int, times: int, recurs: bool) -> None:
    """As many steps that end with the tangents of an instant.   recurs : the same may come again from another."""
    if times < FEW_REPETITIONS:
        for _ in range(times):
            take_step(maps, here, maps.carried, maps.carried_count, False)
    else:
        classify_memories(maps, here)
        own = find_or_add_map(maps, here, recurs)
        pack_run(maps, here)
        carry_through(maps, own, times)
        unpack_run(maps, here)


def take_step(maps: PeriodMapState, here: int, state: Array, columns: int, packed: bool) -> None:
    """One step of the changes in some columns.   packed : only developing memories have rows, and unchanging ones act
    through what they add to the forces."""
    n = maps.coordinate_count
    m = maps.force_count
    forces = view(state, 2 * n * columns)
    moved = maps.moved
    flow = maps.flow
    by = maps.force_by_line
    seen = maps.seen_at_end
    memory_forces(maps, here, state, columns, packed)
    for i in range(2 * n * columns):
        moved[i] = 0.0
    for j in range(2 * n):
        for i in range(2 * n):
            add_scaled(columns, flow[j * 2 * n + i], view(state, j * columns), view(moved, i * columns))
    for line in range(m):
        for i in range(2 * n):
            own = maps.force_at_start[line * 2 * n + i]
            add_scaled(columns, own, view(forces, line * columns), view(moved, i * columns))
    right = maps.memory_force
    for line in range(m):
        rows = view(maps.deflection_rows, line * n)
        for i in range(n):
            out = view(right, line * columns)
            add_scaled(columns, by[line] * rows[i], view(moved, i * columns), out)
            add_scaled(columns, by[m + line] * rows[i], view(moved, (n + i) * columns), out)
    matrix = maps.force_equations
    for line in range(m):
        for c in range(m):
            own = by[line] * seen[line * m + c] + by[m + line] * seen[(m + line) * m + c]
            matrix[c * m + line] = (1.0 if c == line else 0.0) - own
    solve_rows(matrix, m, right, columns)
    for i in range(m * columns):
        forces[i] = right[i]
    for line in range(m):
        for i in range(2 * n):
            own = maps.force_at_end[line * 2 * n + i]
            add_scaled(columns, own, view(forces, line * columns), view(moved, i * columns))
    for i in range(2 * n * columns):
        state[i] = moved[i]
    if maps.memory_size > 0:
        memories_at_end(maps, here, state, columns, packed)


def memory_forces(maps: PeriodMapState, here: int, state: Array, columns: int, packed: bool) -> None:
    """Derivatives of forces at an instant: by deflections and rates to ``force_by_line``, and what memories before it
    do to ``memory_force`` (lines, columns)."""
    table = maps.laws.leaves
    units = maps.slope_time
    by = maps.force_by_line
    m = maps.force_count
    out = maps.memory_force
    first = 2 * maps.coordinate_count + m
    for i in range(2 * m):
        by[i] = 0.0
    for i in range(m * columns):
        out[i] = state[first * columns + i] if packed and maps.memory_size > 0 else 0.0
    row = memory_row(maps)
    for e in range(maps.leaf_count):
        leaf = table[e]
        own = maps.carried_memory[e].size
        local = view(maps.carried_memory[e].derivatives, here * (2 + own) * (1 + own))
        factor = 0.0 if maps.kicks and leaf.rate_kind == RATE_BY_PHASE else leaf.factor[here]
        line = int(maps.force_of_line[leaf.line])
        by[line] += factor * local[0]
        by[m + line] += factor * units[e] * local[1 + own]
        if not packed or maps.carried_memory[e].change == DEVELOPING:
            for i in range(own):
                part = factor * local[(2 + i) * (1 + own)]
                add_scaled(columns, part, view(state, (row + i) * columns), view(out, line * columns))
            row += own


def memories_at_end(maps: PeriodMapState, here: int, state: Array, columns: int, packed: bool) -> None:
    """What a step leaves in the memories: from deflections and rates at its end, and from memories before it."""
    row = memory_row(maps)
    for e in range(maps.leaf_count):
        own = maps.carried_memory[e].size
        if own > 0 and (not packed or maps.carried_memory[e].change == DEVELOPING):
            memory_at_end(maps, e, here, state, view(state, row * columns), columns)
            row += own


def memory_at_end(maps: PeriodMapState, e: int, here: int, state: Array, memory: Array, columns: int) -> None:
    """The same of one leaf, whose memory has so many rows (size, columns)."""
    n = maps.coordinate_count
    own = maps.carried_memory[e].size
    local = view(maps.carried_memory[e].derivatives, here * (2 + own) * (1 + own))
    rows = view(maps.deflection_rows, int(maps.force_of_line[maps.laws.leaves[e].line]) * n)
    new = maps.moved
    for i in range(own):
        out = view(new, i * columns)
        for c in range(columns):
            out[c] = 0.0
        by_u = local[1 + i]
        by_v = maps.slope_time[e] * local[1 + own + 1 + i]
        for j in range(n):
            add_scaled(columns, by_u * rows[j], view(state, j * columns), out)
            add_scaled(columns, by_v * rows[j], view(state, (n + j) * columns), out)
        for j in range(own):
            add_scaled(columns, local[(2 + j) * (1 + own) + 1 + i], view(memory, j * columns), out)
    for i in range(own * columns):
        memory[i] = new[i]


# ---- runs of steps that are the same


def classify_memories(maps: PeriodMapState, here: int) -> None:
    """What the step that ends at an instant makes of the memory of each leaf, and the size of its matrix."""
    size = memory_row(maps)
    for e in range(maps.leaf_count):
        own = maps.carried_memory[e]
        local = view(own.derivatives, here * (2 + own.size) * (1 + own.size))
        own.change = change_of_memory(local, own.size)
        if own.change == DEVELOPING:
            size += own.size
    maps.packed_size = size


def change_of_memory(local: Array, size: int) -> int:
    """What becomes of a memory with derivatives (2 + size, 1 + size) of force and memory."""
    unchanged = True
    decided = True
    for i in range(size):
        unchanged = unchanged and local[1 + i] == 0.0 and local[2 + size + i] == 0.0
        decided = decided and local[(2 + i) * (1 + size)] == 0.0
        for j in range(size):
            part = local[(2 + j) * (1 + size) + 1 + i]
            unchanged = unchanged and part == (1.0 if i == j else 0.0)
            decided = decided and part == 0.0
    if unchanged:
        return UNCHANGED
    return DECIDED if decided else DEVELOPING


def find_or_add_map(maps: PeriodMapState, here: int, recurs: bool) -> int:
    """The number of the map of a step that ends at an instant: a known one if the step recurs, or a new one."""
    known = maps.known_maps
    count = maps.map_count
    place = maps.map_capacity - 1  # which is never searched
    if recurs:
        for i in range(count):
            if same_tangents(maps, int(known[2 * i]), here):
                return i
        if count < place:
            place = count
            maps.map_count = count + 1
    known[2 * place] = float(here)
    known[2 * place + 1] = 1.0
    own = power_of(maps, place, 0)
    size = maps.packed_size
    for i in range(size):
        for c in range(size):
            own[i * size + c] = 1.0 if c == i else 0.0
    take_step(maps, here, own, size, True)
    return place


def pack_run(maps: PeriodMapState, here: int) -> None:
    """Put the changes in ``packed``: motion, forces, what unchanging memories add to these, developing memories."""
    columns = maps.carried_count
    m = maps.force_count
    carried = maps.carried
    packed = maps.packed
    if maps.memory_size == 0:
        exchange_packed(maps)
        return
    begin = (2 * maps.coordinate_count + m) * columns
    for i in range(begin):
        packed[i] = carried[i]
    constant = view(packed, begin)
    for i in range(m * columns):
        constant[i] = 0.0
    row = memory_row(maps)
    behind = row
    for e in range(maps.leaf_count):
        own = maps.carried_memory[e]
        memory = view(carried, row * columns)
        if own.change == UNCHANGED:
            leaf = maps.laws.leaves[e]
            line = int(maps.force_of_line[leaf.line])
            local = view(own.derivatives, here * (2 + own.size) * (1 + own.size))
            for i in range(own.size):
                part = leaf.factor[here] * local[(2 + i) * (1 + own.size)]
                add_scaled(columns, part, view(memory, i * columns), view(constant, line * columns))
        elif own.change == DEVELOPING:
            out = view(packed, behind * columns)
            for i in range(own.size * columns):
                out[i] = memory[i]
            behind += own.size
        row += own.size


def unpack_run(maps: PeriodMapState, here: int) -> None:
    """Take the changes out of ``packed`` again, with the memories that deflections decide."""
    columns = maps.carried_count
    carried = maps.carried
    packed = maps.packed
    if maps.memory_size == 0:
        exchange_packed(maps)
        return
    for i in range((2 * maps.coordinate_count + maps.force_count) * columns):
        carried[i] = packed[i]
    row = memory_row(maps)
    behind = row
    for e in range(maps.leaf_count):
        own = maps.carried_memory[e]
        memory = view(carried, row * columns)
        if own.change == DECIDED:
            memory_at_end(maps, e, here, carried, memory, columns)
        elif own.change == DEVELOPING:
            given = view(packed, behind * columns)
            for i in range(own.size * columns):
                memory[i] = given[i]
            behind += own.size
        row += own.size


def exchange_packed(maps: PeriodMapState) -> None:
    """Without memory both are the same."""
    kept = maps.carried
    maps.carried = maps.packed
    maps.packed = kept


def carry_through(maps: PeriodMapState, place: int, times: int) -> None:
    """Multiply a power of the map of a step by ``packed``."""
    known = maps.known_maps
    size = maps.packed_size
    columns = maps.carried_count
    left = times
    power = 0
    while left > 0:
        half = left // 2
        own = power_of(maps, place, power)
        if power >= int(known[2 * place + 1]):
            before = power_of(maps, place, power - 1)
            multiply(maps, size, size, before, before, own)
            known[2 * place + 1] = power + 1.0
        if left > 2 * half:
            multiply(maps, size, columns, own, maps.packed, maps.packed_spare)
            kept = maps.packed
            maps.packed = maps.packed_spare
            maps.packed_spare = kept
        left = half
        power += 1


def multiply(maps: PeriodMapState, size: int, columns: int, a: Any, b: Any, out: Any) -> None:
    """out (size, columns) = a (size, size) b (size, columns)."""
    count = size * size * columns
    if count > SMALL_PRODUCT:
        product(maps.laws, size, size, columns, a, b, out, columns)
    elif count > TINY_PRODUCT:
        for i in range(size * columns):
            out[i] = 0.0
        for i in range(size):
            for j in range(size):
                add_scaled(columns, a[i * size + j], view(b, j * columns), view(out, i * columns))
    else:
        product_of_few(size, size, columns, a, b, out, columns)


def power_of(maps: PeriodMapState, place: int, power: int) -> Any:
    """Where 2 to the so-many-th power of a map is."""
    n = full_size(maps)
    return view(maps.map_powers, (place * maps.power_count + power) * n * n)


# ---- what happens at an instant


def apply_friction(maps: PeriodMapState, before: int, k: int, after: int) -> None:
    """The damping of rounded friction at instant k, over half of the steps on both sides, as decays of the rates.

    Each contact decays for itself: half of its time in their order, half in the opposite one, which is symmetric.
    """
    total = maps.instant_count
    begin = maps.instants[before].place - (maps.sample_count if before >= k else 0)
    end = maps.instants[after].place if after < total else float(maps.sample_count)
    time = 0.25 * (end - begin) * TURN_ANGLE / (maps.laws.omega * maps.sample_count)
    for e in range(maps.leaf_count):
        decay_rates(maps, e, k, time)
    for e in range(maps.leaf_count):
        decay_rates(maps, maps.leaf_count - 1 - e, k, time)
    restore_forces(maps, k)


def decay_rates(maps: PeriodMapState, e: int, k: int, time: float) -> None:
    """Rates of the changes after a time of the damping that a leaf of rounded friction has at instant k."""
    leaf = maps.laws.leaves[e]
    damping = leaf.factor[k] * maps.slope_time[e] * leaf.local[2 * k + 1]
    if leaf.rate_kind != RATE_BY_PHASE or damping == 0.0:
        return
    n = maps.coordinate_count
    line = int(maps.force_of_line[leaf.line])
    row = view(maps.deflection_rows, line * n)
    answers = view(maps.acceleration_by_force, line * n)
    mobility = 0.0
    for i in range(n):
        mobility += row[i] * answers[i]
    exponent = damping * mobility * time
    share = damping * time if abs(exponent) < SMALL_EXPONENT else (1.0 - math.exp(-exponent)) / mobility
    columns = maps.carried_count
    push_rates(maps, line, share, view(maps.carried, n * columns))


def push_rates(maps: PeriodMapState, line: int, share: float, seen: Array) -> None:
    """Change the rates by a force on a line, a share of what it sees of rows (n, columns)."""
    n = maps.coordinate_count
    columns = maps.carried_count
    row = view(maps.deflection_rows, line * n)
    answers = view(maps.acceleration_by_force, line * n)
    total = maps.moved
    for c in range(columns):
        total[c] = 0.0
    for i in range(n):
        add_scaled(columns, row[i], view(seen, i * columns), total)
    for i in range(n):
        add_scaled(columns, -share * answers[i], total, view(maps.carried, (n + i) * columns))


def apply_impulse(maps: PeriodMapState, own: Switch) -> None:
    """The impulse of a switch at which a force jumps: sooner for a body that is ahead."""
    if own.impulse != 0.0:
        push_rates(maps, int(maps.force_of_line[int(own.line)]), own.impulse, maps.carried)


def restore_forces(maps: PeriodMapState, k: int) -> None:
    """Forces of the lines at instant k that follow from displacements and rates; there is no memory."""
    n = maps.coordinate_count
    m = maps.force_count
    columns = maps.carried_count
    carried = maps.carried
    by = maps.force_by_line
    memory_forces(maps, k, carried, columns, False)
    for line in range(m):
        rows = view(maps.deflection_rows, line * n)
        out = view(carried, (2 * n + line) * columns)
        for c in range(columns):
            out[c] = 0.0
        for i in range(n):
            add_scaled(columns, by[line] * rows[i], view(carried, i * columns), out)
            add_scaled(columns, by[m + line] * rows[i], view(carried, (n + i) * columns), out)
