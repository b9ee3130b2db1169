"""A period's effect on small changes of an orbit, carried from instant to instant; compiled."""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.periodic.balance.matrix_loop import add_scaled
from slipstick.periodic.balance.multiplier_records import BEHIND, REGULAR, PeriodMapState, Switch
from slipstick.periodic.balance.period_step_loop import (
    add_deflection,
    add_motion,
    full_size,
    memory_forces,
    memory_row,
    take_step,
)
from slipstick.periodic.balance.records import RATE_BY_PHASE
from slipstick.periodic.balance.repeated_steps_loop import (
    carry_through,
    classify_memories,
    find_or_add_map,
    pack_run,
    same_tangents,
    unpack_run,
)

TURN_ANGLE = 2.0 * math.pi
SMALL_EXPONENT = 1e-8  # below, a decay is its first term
FEW_REPETITIONS = 4  # fewer steps that are the same are taken one by one


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
            take_step(maps, after, maps.carried, maps.column_count, False)
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


def place_block(maps: PeriodMapState, blocks: Array, k: int) -> None:
    """Where the step of the linear part is that belongs to a stride and an orbit, or to a length."""
    n = maps.coordinate_count
    m = maps.force_count
    block = view(blocks, k * maps.block_size)
    maps.flow = block
    maps.force_at_start = view(block, 4 * n * n)
    maps.force_at_end = view(block, 4 * n * n + 2 * n * m)
    maps.deflection_at_end = view(block, 4 * n * n + 4 * n * m)


def initial_changes(maps: PeriodMapState) -> None:
    """A change of one of each number; of the forces only where these do not follow from motion and memory."""
    classify_memories(maps, 0)
    follows = maps.packed_size == memory_row(maps)  # no memory develops
    maps.column_count = 2 * maps.coordinate_count + maps.memory_size + (0 if follows else maps.force_count)
    columns = maps.column_count
    carried = maps.carried
    motion = 2 * maps.coordinate_count
    for i in range(full_size(maps) * columns):
        carried[i] = 0.0
    for i in range(motion):
        carried[i * columns + i] = 1.0
    for i in range(maps.memory_size):  # behind the motion, as they are handed over
        carried[(motion + 2 * maps.force_count + i) * columns + motion + i] = 1.0
    if follows:
        restore_forces(maps, 0)
        return
    for line in range(maps.force_count):
        carried[(motion + line) * columns + motion + maps.memory_size + line] = 1.0


def hand_over(maps: PeriodMapState, out: Array) -> None:
    """What has become of the changes (motion, memories, forces) to ``out`` (carried_count, carried_count)."""
    columns = maps.column_count
    width = maps.carried_count
    motion = 2 * maps.coordinate_count
    behind = motion + maps.memory_size
    for i in range(width):
        row = i
        if i >= motion:
            row = memory_row(maps) + i - motion if i < behind else motion + i - behind
        given = view(maps.carried, row * columns)
        for c in range(width):
            out[i * width + c] = given[c] if c < columns else 0.0


def take_steps(maps: PeriodMapState, here: int, times: int, recurs: bool) -> None:
    """As many steps that end with the tangents of an instant.   recurs : the same may come again from another."""
    if times < FEW_REPETITIONS:
        for _ in range(times):
            take_step(maps, here, maps.carried, maps.column_count, False)
    else:
        classify_memories(maps, here)
        own = find_or_add_map(maps, here, recurs)
        pack_run(maps, here)
        carry_through(maps, own, times)
        unpack_run(maps, here)


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
    columns = maps.column_count
    push_rates(maps, line, share, view(maps.carried, n * columns))


def push_rates(maps: PeriodMapState, line: int, share: float, seen: Array) -> None:
    """Change the rates by a force on a line, a share of what it sees of rows (n, columns)."""
    n = maps.coordinate_count
    columns = maps.column_count
    answers = view(maps.acceleration_by_force, line * n)
    total = maps.moved
    for c in range(columns):
        total[c] = 0.0
    add_deflection(maps, line, 1.0, seen, columns, total)
    for i in range(n):
        add_scaled(columns, -share * answers[i], total, view(maps.carried, (n + i) * columns))


def apply_impulse(maps: PeriodMapState, own: Switch) -> None:
    """The impulse of a switch at which a force jumps: sooner for a body that is ahead."""
    if own.impulse != 0.0:
        push_rates(maps, int(maps.force_of_line[int(own.line)]), own.impulse, maps.carried)


def restore_forces(maps: PeriodMapState, k: int) -> None:
    """Forces of the lines at instant k that follow from displacements, rates, and memories that do not change there."""
    n = maps.coordinate_count
    m = maps.force_count
    columns = maps.column_count
    carried = maps.carried
    memory_forces(maps, k, carried, columns, False)
    for line in range(m):
        out = view(carried, (2 * n + line) * columns)
        for c in range(columns):
            out[c] = maps.memory_force[line * columns + c]
        add_motion(maps, line, carried, columns, out)
