"""A period's effect on small changes of an orbit, carried from instant to instant; compiled."""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.periodic.balance.matrix_loop import add_scaled
from slipstick.periodic.balance.multiplier_records import (
    BEHIND,
    OTHER_CHANGE,
    REGULAR,
    SMOOTH_CHANGE,
    UNCHANGED,
    PeriodMapState,
    Switch,
)
from slipstick.periodic.balance.period_step_loop import (
    SLAVED,
    add_deflection,
    add_motion,
    full_size,
    memory_at_end,
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
    same_leaf_tangents,
    unpack_run,
)

TURN_ANGLE = 2.0 * math.pi
SMALL_EXPONENT = 1e-8  # below, a decay is its first term
FEW_REPETITIONS = 4  # fewer steps that are the same are taken one by one
FIRST_INSTANTS = 64  # of a period, at which it may begin
# of the changes: what a long step and two of its half may differ by; their extrapolation errs by a hundredth of that
LONG_STEP_DIFFERENCE = 3e-4


def carry_period(maps: PeriodMapState, block: int) -> None:
    """Carry changes through one period, from the first instant on; block : of steps from sample to sample."""
    begun = maps.next_short  # short steps are numbered from instant 0 on
    maps.next_short = begun + short_steps_before(maps, maps.first_instant)
    carry_between(maps, maps.first_instant, maps.instant_count, block)
    ended = maps.next_short
    maps.next_short = begun
    carry_between(maps, 0, maps.first_instant, block)
    maps.next_short = ended


def short_steps_before(maps: PeriodMapState, end: int) -> int:
    """How many steps before an instant begin or end at a switch and have a length."""
    found = 0
    for k in range(end):
        kind = int(maps.instants[k + 1].kind)
        if kind < BEHIND and (kind != REGULAR or maps.instants[k].kind != REGULAR):
            found += 1
    return found


def carry_between(maps: PeriodMapState, k: int, end: int, block: int) -> None:
    """Carry changes from instant k to another, both samples."""
    total = maps.instant_count
    before = last_instant(maps)
    while k < end:
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
            while not maps.kicks and after < end and is_same_step(maps, after, ahead):
                times += 1
                after = ahead
                ahead = instant_after(maps, after)
            reached = take_long_step(maps, k, end, block) if times < FEW_REPETITIONS else k
            if reached > k:
                after = reached
            else:
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
    """Whether the steps that end at two instants, one after the other, are the same; both go from sample to sample."""
    return ahead <= maps.instant_count and largest_change(maps, here, ahead) == UNCHANGED


def largest_change(maps: PeriodMapState, begin: int, end: int) -> int:
    """The largest of `PeriodMapState.changes` after one instant, up to another."""
    changes = maps.changes
    total = maps.instant_count
    most = UNCHANGED
    for i in range(begin + 1, end + 1):
        kind = int(changes[i if i < total else 0])
        if kind > most:
            most = kind
    return most


def note_changes(maps: PeriodMapState) -> None:
    """Fill ``changes``, which steps beside rounded friction do not ask for."""
    if maps.kicks:
        return
    changes = maps.changes
    total = maps.instant_count
    for i in range(total):
        before = maps.instants[i - 1 if i > 0 else total - 1].kind
        changes[i] = float(UNCHANGED if maps.instants[i].kind == REGULAR and before == REGULAR else OTHER_CHANGE)
    for e in range(maps.leaf_count):
        kind = float(SMOOTH_CHANGE if maps.carried_memory[e].smooth else OTHER_CHANGE)
        for i in range(total):
            if changes[i] < kind and not same_leaf_tangents(maps, e, i, i - 1 if i > 0 else total - 1):
                changes[i] = kind


def take_long_step(maps: PeriodMapState, k: int, end: int, block: int) -> int:
    """One step from instant k over several samples where only laws without corners change; where it ended, or k.

    The rule is of second order and symmetric: once over the whole step and twice over its half give the fourth. Where
    both differ too much, steps of this orbit get shorter.
    """
    level = maps.longest
    orbits = maps.orbit_count
    half = 1
    for _ in range(level - 1):
        half += half
    while level > 1:
        after = k + half + half
        if after <= end and largest_change(maps, k, after) <= SMOOTH_CHANGE:
            here = after if after < maps.instant_count else 0
            classify_memories(maps, here)
            if maps.packed_size > memory_row(maps):
                return k
            size = full_size(maps) * maps.column_count
            once = maps.kept
            begun = maps.packed
            for i in range(size):
                once[i] = maps.carried[i]
                begun[i] = maps.carried[i]
            place_block(maps, maps.blocks, block + level * orbits)
            take_step(maps, here, once, maps.column_count, False)
            place_block(maps, maps.blocks, block + (level - 1) * orbits)
            take_step(maps, k + half, maps.carried, maps.column_count, False)
            take_step(maps, here, maps.carried, maps.column_count, False)
            if extrapolate_step(maps, once):
                return after
            for i in range(size):
                maps.carried[i] = begun[i]
            maps.longest = level - 1
        level -= 1
        half = half // 2
    return k


def extrapolate_step(maps: PeriodMapState, once: Array) -> bool:
    """Take the error of second order from the changes, by those after one step of twice the length; False where it is
    not small."""
    columns = maps.column_count
    motion = 2 * maps.coordinate_count
    for i in range(motion):
        largest = 0.0
        apart = 0.0
        for c in range(columns):
            largest = max(largest, abs(maps.carried[i * columns + c]))
            apart = max(apart, abs(maps.carried[i * columns + c] - once[i * columns + c]))
        if not apart <= LONG_STEP_DIFFERENCE * largest:
            return False
    for i in range(full_size(maps) * columns):
        maps.carried[i] += (maps.carried[i] - once[i]) / 3.0
    return True


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
    """A change of one of each number; of forces and memories only where these do not follow from the motion there.

    A period may begin anywhere: the multipliers are the same, but for zeros of what follows from the rest.
    """
    choose_first_instant(maps)
    first = maps.first_instant
    classify_memories(maps, first)
    follows = maps.packed_size == memory_row(maps)  # no memory develops
    carried = maps.carried
    motion = 2 * maps.coordinate_count
    columns = motion
    for e in range(maps.leaf_count):
        own = maps.carried_memory[e]
        own.column = -1 if own.change == SLAVED and maps.stride_count == 1 else columns
        columns += own.size if own.column >= 0 else 0
    developing = columns
    columns += 0 if follows else maps.force_count
    maps.column_count = columns
    for i in range(full_size(maps) * columns):
        carried[i] = 0.0
    for i in range(motion):
        carried[i * columns + i] = 1.0
    row = memory_row(maps)
    for e in range(maps.leaf_count):
        own = maps.carried_memory[e]
        if own.size > 0 and own.column < 0:
            memory_at_end(maps, e, first, carried, view(carried, row * columns), columns)
        for i in range(own.size if own.column >= 0 else 0):
            carried[(row + i) * columns + own.column + i] = 1.0
        row += own.size
    if follows:
        restore_forces(maps, first)
        return
    for line in range(maps.force_count):
        carried[(motion + line) * columns + developing + line] = 1.0


def choose_first_instant(maps: PeriodMapState) -> None:
    """Begin the period where most memories follow from the motion: fewer changes are to be carried then."""
    maps.first_instant = 0
    total = maps.instant_count
    if maps.memory_size == 0 or maps.stride_count > 1:
        return
    most = 0
    for part in range(FIRST_INSTANTS):
        k = part * total // FIRST_INSTANTS
        if maps.instants[k].kind == REGULAR:
            classify_memories(maps, k)
            found = 0
            for e in range(maps.leaf_count):
                found += maps.carried_memory[e].size if maps.carried_memory[e].change == SLAVED else 0
            if found > most:
                most = found
                maps.first_instant = k


def hand_over(maps: PeriodMapState, out: Array) -> None:
    """What has become of the changes (motion, memories, forces) to ``out`` (carried_count, carried_count)."""
    width = maps.carried_count
    motion = 2 * maps.coordinate_count
    behind = motion + maps.memory_size
    for i in range(width * width):
        out[i] = 0.0
    hand_over_columns(maps, 0, 0, motion, out)
    to = motion
    given = motion
    for e in range(maps.leaf_count):
        own = maps.carried_memory[e]
        if own.size > 0 and own.column >= 0:
            hand_over_columns(maps, own.column, to, own.size, out)
            given += own.size
        to += own.size
    hand_over_columns(maps, given, behind, maps.column_count - given, out)


def hand_over_columns(maps: PeriodMapState, first: int, to: int, count: int, out: Array) -> None:
    """What has become of so many changes from one on, to columns of ``out``."""
    columns = maps.column_count
    width = maps.carried_count
    motion = 2 * maps.coordinate_count
    behind = motion + maps.memory_size
    for i in range(width):
        row = i
        if i >= motion:
            row = memory_row(maps) + i - motion if i < behind else motion + i - behind
        for c in range(count):
            out[i * width + to + c] = maps.carried[row * columns + first + c]


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
