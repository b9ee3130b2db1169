"""Runs of steps that are the same: a matrix, taken to the power of its repetitions; compiled.

During a run a memory that does not change only adds a constant force, and one that its deflection decides is found at
the end. So the matrix has rows for the motion, for the forces, for what constant memories add to these, and for those
memories alone that develop. Laws with corners have few different tangents, so matrices are kept for the next run.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import Array, view
from slipstick.periodic.balance.matrix_loop import add_rows, add_scaled, product, product_of_few
from slipstick.periodic.balance.multiplier_records import PeriodMapState
from slipstick.periodic.balance.period_step_loop import (
    CONSTANT,
    DYNAMIC,
    SLAVED,
    full_size,
    memory_at_end,
    memory_row,
    take_step,
)
from slipstick.periodic.balance.records import RATE_BY_PHASE

# products of numbers, below which BLAS is slower than a loop, and loops over rows than over numbers
SMALL_PRODUCT, TINY_PRODUCT = 4096, 512


def same_tangents(maps: PeriodMapState, one: int, other: int) -> bool:
    """Whether all tangents at two instants are the same."""
    same = True
    for e in range(maps.leaf_count):
        same = same and same_leaf_tangents(maps, e, one, other)
    return same


def same_leaf_tangents(maps: PeriodMapState, e: int, one: int, other: int) -> bool:
    """The same of one leaf."""
    leaf = maps.laws.leaves[e]
    if maps.kicks and leaf.rate_kind == RATE_BY_PHASE:
        return True
    factor = leaf.factor
    if factor[one] != factor[other]:
        return False
    m = maps.carried_memory[e].size
    d = leaf.directions  # none of a further direction of a law
    size = (2 * d + m) * (d + m) if d > 0 else 0
    local = maps.carried_memory[e].derivatives
    same = True
    for i in range(size):
        same = same and local[one * size + i] == local[other * size + i]
    return same


def classify_memories(maps: PeriodMapState, here: int) -> None:
    """What the step that ends at an instant makes of the memory of each leaf, and the size of its matrix."""
    size = memory_row(maps)
    maps.packed_size = size
    if maps.memory_size == 0:
        return
    for e in range(maps.leaf_count):
        own = maps.carried_memory[e]
        d = maps.laws.leaves[e].directions
        if d == 0:  # a further direction of a law
            continue
        local = view(own.derivatives, here * (2 * d + own.size) * (d + own.size))
        own.change = change_of_memory(local, own.size, d)
        if own.change == DYNAMIC:
            size += own.size
    maps.packed_size = size


def change_of_memory(local: Array, size: int, directions: int) -> int:
    """What becomes of a memory with derivatives (2 directions + size, directions + size) of forces and memory."""
    d = directions
    wide = d + size
    constant = True
    slaved = True
    for i in range(size):
        for r in range(d):
            constant = constant and local[r * wide + d + i] == 0.0 and local[(d + r) * wide + d + i] == 0.0
            slaved = slaved and local[(2 * d + i) * wide + r] == 0.0
        for j in range(size):
            part = local[(2 * d + j) * wide + d + i]
            constant = constant and part == (1.0 if i == j else 0.0)
            slaved = slaved and part == 0.0
    if constant:
        return CONSTANT
    return SLAVED if slaved else DYNAMIC


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
    """Put the changes in ``packed``: motion, forces, what constant memories add to these, dynamic memories."""
    columns = maps.column_count
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
        if own.change == CONSTANT:
            d = maps.laws.leaves[e].directions
            local = view(own.derivatives, here * (2 * d + own.size) * (d + own.size))
            for r in range(d):
                leaf = maps.laws.leaves[e + r]
                line = int(maps.force_of_line[leaf.line])
                for i in range(own.size):
                    part = leaf.factor[here] * local[(2 * d + i) * (d + own.size) + r]
                    add_scaled(columns, part, view(memory, i * columns), view(constant, line * columns))
        elif own.change == DYNAMIC:
            out = view(packed, behind * columns)
            for i in range(own.size * columns):
                out[i] = memory[i]
            behind += own.size
        row += own.size


def unpack_run(maps: PeriodMapState, here: int) -> None:
    """Take the changes out of ``packed`` again, with the memories that deflections decide."""
    columns = maps.column_count
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
        if own.change == SLAVED:
            memory_at_end(maps, e, here, carried, memory, columns)
        elif own.change == DYNAMIC:
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
    columns = maps.column_count
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
            add_rows(columns, size, view(a, i * size), 1, b, view(out, i * columns))
    else:
        product_of_few(size, size, columns, a, b, out, columns)


def power_of(maps: PeriodMapState, place: int, power: int) -> Any:
    """Where the map to the power 2**power is."""
    n = full_size(maps)
    return view(maps.map_powers, (place * maps.power_count + power) * n * n)
