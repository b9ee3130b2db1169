"""The effect of a period on a perturbation of an orbit, from the tangents of laws at its samples; compiled.

The state is displacements and rates, memory, forces of the lines. Matrices are stored transposed: a row for each part
of the state before, its columns what becomes of it. Laws with corners have few different tangents: the map of a step
is taken to the power of its repetitions, and kept for the next time.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.native import Array, call_value, view
from slipstick.periodic.balance.aft_forces_loop import evaluate_laws
from slipstick.periodic.balance.matrix_loop import product, solve_small
from slipstick.periodic.balance.multiplier_records import BEHIND, REGULAR, TURN_ROUND, PeriodMapState, Switch
from slipstick.periodic.balance.records import AT_SAMPLES, RATE_BY_PHASE, SampledLeaf
from slipstick.periodic.balance.switching_instants_loop import merge_switches

TURN_ANGLE = 2.0 * math.pi
SMALL_EXPONENT = 1e-8  # below, a decay is its first term
SECANT_ROUNDING = 1e-6  # of two slopes: where they differ by less, the tangent is that at the instant


def period_maps(maps: PeriodMapState) -> None:
    """The effect of a period on perturbations of each of many orbits, whose switches are known."""
    laws = maps.laws
    orbits = maps.orbit_count
    room = maps.carried_count * map_size(maps)
    laws.wanted = AT_SAMPLES
    for k in range(orbits):
        merge_switches(maps, k)
        laws.omega = maps.omegas[k]
        evaluate_laws(laws)
        reversal_derivatives(maps)
        if not maps.extrapolates:  # with smooth laws a tangent is what it is at its sample
            split_corner_tangents(maps)
        time_units(maps, laws.omega)
        stride = 1
        for i in range(maps.stride_count):
            maps.stride = int(stride)
            average_friction_tangents(maps)
            initial_rows(maps)
            period_map(maps, i * orbits + k)
            whole = maps.carried
            out = view(maps.end_maps, (i * orbits + k) * room)
            for c in range(room):
                out[c] = whole[c]
            stride *= 2


def reversal_derivatives(maps: PeriodMapState) -> None:
    """Derivatives of leaves with a stack, by deflection, rate, deflection and force of the last reversal.

    On a branch f = f_m + g(u - u_m), and where the line turns u_m and f_m are what u and f are there. A loop that is
    passed goes on along the branch of the one before, which is the same to first order.
    """
    laws = maps.laws
    for e in range(maps.leaf_count):
        carried = maps.carried_memory[e]
        if carried.has_stack:
            leaf = laws.leaves[e]
            slopes = leaf.local
            out = carried.derivatives
            for i in range(maps.instant_count):
                own = view(out, 12 * i)
                at = maps.instants[i]
                turned = at.kind == TURN_ROUND and at.line == leaf.line
                slope = slopes[2 * (i - 1)] if turned else slopes[2 * i]
                for c in range(12):
                    own[c] = 0.0
                own[0] = slope
                own[6] = -slope
                own[9] = 1.0
                if turned:
                    own[1] = 1.0
                    own[2] = slope
                    own[8] = -slope
                    own[11] = 1.0
                else:
                    own[7] = 1.0
                    own[11] = 1.0


def split_corner_tangents(maps: PeriodMapState) -> None:
    """Where a law without memory has a corner between two samples that it does not tell, the tangent at the nearer one
    is the mean over the time that belongs to it: else a stop would act up to half a sample too long."""
    table = maps.laws.leaves
    for e in range(maps.leaf_count):
        leaf = table[e]
        plain = leaf.directions == 1 and leaf.memory_size == 0
        if plain and leaf.rate_kind != RATE_BY_PHASE and leaf.corner_count == 0:
            split_leaf_tangents(maps, leaf)


def average_friction_tangents(maps: PeriodMapState) -> None:
    """Tangents of rounded friction as means over the time from halfway before an instant to halfway behind it.

    A contact turns round within a few samples, and its largest tangents may lie between two. The mean is the change of
    the force over that of the slope, so that the impulse on a small change is right with any step.
    """
    table = maps.laws.leaves
    for e in range(maps.leaf_count):
        leaf = table[e]
        if leaf.rate_kind == RATE_BY_PHASE:
            average_leaf_tangents(maps, leaf)


def average_leaf_tangents(maps: PeriodMapState, leaf: SampledLeaf) -> None:
    count = maps.instant_count
    local = leaf.local
    law = leaf.value_function
    parameters = leaf.parameters
    memory = leaf.memory
    scale = leaf.scale
    slope = view(maps.laws.slope, 2 * leaf.line * count)
    begin = 0.5 * (slope[last_instant(maps)] + slope[0])
    begun = call_value(law, parameters, 0.0, scale * begin, memory)
    k = 0
    while k < count:
        after = instant_after(maps, k)
        end = 0.5 * (slope[k] + slope[after if after < count else 0])
        ended = call_value(law, parameters, 0.0, scale * end, memory)
        if abs(end - begin) > SECANT_ROUNDING * (abs(end) + abs(begin)):
            local[2 * k + 1] = (ended - begun) / (end - begin)
        begin = end
        begun = ended
        k = after


def split_leaf_tangents(maps: PeriodMapState, leaf: SampledLeaf) -> None:
    instants = maps.instant_count
    local = leaf.local
    first = local[0]
    first_rate = local[1]
    old = first
    old_rate = first_rate
    for k in range(instants):
        after = k + 1 if k + 1 < instants else 0
        new = local[2 * after] if after > 0 else first
        new_rate = local[2 * after + 1] if after > 0 else first_rate
        if new != old:
            part = corner_between(maps, leaf, k, after, old, new)
            at = 2 * k if part < 0.5 else 2 * after
            more = 0.5 - part
            local[at] += more * (new - old)
            local[at + 1] += more * (new_rate - old_rate)
        old = new
        old_rate = new_rate


def corner_between(maps: PeriodMapState, leaf: SampledLeaf, k: int, after: int, old: float, new: float) -> float:
    """Where between two samples two straight pieces of a force meet, as a part of the way; a half if they do not."""
    laws = maps.laws
    scale = leaf.scale
    u = view(laws.deflection, 2 * leaf.line * maps.instant_count)
    way = u[after] - u[k]
    if way == 0.0:
        return 0.5
    law = leaf.value_function
    parameters = leaf.parameters
    memory = leaf.memory
    begun = call_value(law, parameters, scale * u[k], 0.0, memory)
    ended = call_value(law, parameters, scale * u[after], 0.0, memory)
    part = ((ended - begun) / way - new) / (old - new)
    return part if part >= 0.0 and part <= 1.0 else 0.5


def time_units(maps: PeriodMapState, omega: float) -> None:
    """Set ``slope_time``: 1 / omega for a leaf that takes slopes by tau instead of rates."""
    table = maps.laws.leaves
    units = maps.slope_time
    for e in range(maps.leaf_count):
        units[e] = 1.0 / omega if table[e].rate_kind == RATE_BY_PHASE else 1.0


def place_block(maps: PeriodMapState, blocks: Array, k: int) -> None:
    """Where the step of the linear part is that belongs to a stride and an orbit, or to a length."""
    n = maps.coordinate_count
    m = maps.line_count
    block = view(blocks, k * maps.block_size)
    maps.flow = block
    maps.force_at_start = view(block, 4 * n * n)
    maps.force_at_end = view(block, 4 * n * n + 2 * n * m)
    maps.deflection_flow = view(block, 4 * n * n + 2 * n * m + m * map_size(maps))


def initial_rows(maps: PeriodMapState) -> None:
    """The rows at the start: ones, and where there is no memory the forces that follow from the state."""
    size = map_size(maps)
    whole = maps.carried
    maps.map_count = 0
    for c in range(maps.carried_count):
        for i in range(size):
            whole[c * size + i] = 1.0 if c == i else 0.0
    if maps.memory_size == 0:
        restore_forces(maps, 0)


def period_map(maps: PeriodMapState, block: int) -> None:
    """Carry the rows through one period, from the first instant on; block : of steps from sample to sample."""
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
            carry_through(maps, find_or_add_map(maps, after, False), 1)
        elif kind != REGULAR or maps.instants[k].kind != REGULAR:
            place_block(maps, maps.short_blocks, maps.next_short)
            maps.next_short += 1
            carry_through(maps, find_or_add_map(maps, after if after < total else 0, False), maps.substeps)
        else:
            here = after if after < total else 0
            times = 1
            ahead = instant_after(maps, after)
            while not maps.kicks and after < total and is_same_step(maps, here, ahead):
                times += 1
                after = ahead
                ahead = instant_after(maps, after)
            place_block(maps, maps.blocks, block)
            # a map that is used once, as all are with smooth laws, is not worth a search
            carry_through(maps, find_or_add_map(maps, here, maps.kicks or times > 1), times * maps.substeps)
        k = after


def last_instant(maps: PeriodMapState) -> int:
    """The instant that the last step of the period begins at."""
    last = 0
    after = instant_after(maps, 0)
    while after < maps.instant_count:
        last = after
        after = instant_after(maps, after)
    return last


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
    """Rates of the carried rows after a time of the damping that a leaf of rounded friction has at instant k."""
    leaf = maps.laws.leaves[e]
    damping = leaf.factor[k] * maps.slope_time[e] * leaf.local[2 * k + 1]
    if leaf.rate_kind != RATE_BY_PHASE or damping == 0.0:
        return
    n = maps.coordinate_count
    size = map_size(maps)
    row = view(maps.deflection_rows, leaf.line * n)
    answers = view(maps.acceleration_by_force, leaf.line * n)
    mobility = 0.0
    for i in range(n):
        mobility += row[i] * answers[i]
    exponent = damping * mobility * time
    share = damping * time if abs(exponent) < SMALL_EXPONENT else (1.0 - math.exp(-exponent)) / mobility
    for c in range(maps.carried_count):
        rates = view(maps.carried, c * size + n)
        seen = 0.0
        for i in range(n):
            seen += row[i] * rates[i]
        for i in range(n):
            rates[i] -= share * seen * answers[i]


def restore_forces(maps: PeriodMapState, k: int) -> None:
    """Forces of the lines at instant k that follow from the carried displacements and rates; there is no memory."""
    n = maps.coordinate_count
    m = maps.line_count
    size = map_size(maps)
    rows = maps.deflection_rows
    by_memories(maps, k, view(maps.force_equations, m * m))
    for c in range(maps.carried_count):
        state = view(maps.carried, c * size)
        for line in range(m):
            force = 0.0
            first = int(maps.line_first[line])
            for j in range(int(maps.line_width[line])):
                row = view(rows, (first + j) * n)
                by_u = maps.force_by_line[line * maps.widest + j]
                by_v = maps.force_by_line[(m + line) * maps.widest + j]
                for i in range(n):
                    force += row[i] * (by_u * state[i] + by_v * state[n + i])
            state[2 * n + line] = force


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


def apply_impulse(maps: PeriodMapState, own: Switch) -> None:
    """The impulse of a switch at which a force jumps: sooner for a body that is ahead."""
    n = maps.coordinate_count
    size = map_size(maps)
    if own.impulse != 0.0:
        whole = maps.carried
        rows = view(maps.deflection_rows, int(own.line) * n)
        answers = view(maps.acceleration_by_force, int(own.line) * n)
        for c in range(maps.carried_count):
            state = view(whole, c * size)
            ahead = 0.0
            for i in range(n):
                ahead += rows[i] * state[i]
            for i in range(n):
                state[n + i] -= own.impulse * ahead * answers[i]


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
    map_of_step(maps, here, power_of(maps, place, 0))
    return place


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
        d = leaf.directions
        size = (2 * d + m) * (d + m) if d > 0 else 0
        local = maps.carried_memory[e].derivatives
        for i in range(size):
            if local[one * size + i] != local[other * size + i]:
                return False
    return True


def carry_through(maps: PeriodMapState, place: int, times: int) -> None:
    """Multiply ``carried`` by a power of the map of a step."""
    laws = maps.laws
    known = maps.known_maps
    n = map_size(maps)
    rows = maps.carried_count
    left = times
    power = 0
    while left > 0:
        half = left // 2
        own = power_of(maps, place, power)
        if power >= int(known[2 * place + 1]):
            before = power_of(maps, place, power - 1)
            product(laws, n, n, n, before, before, own, n)
            known[2 * place + 1] = power + 1.0
        if left > 2 * half:
            product(laws, rows, n, n, maps.carried, own, maps.carried_spare, n)
            kept = maps.carried
            maps.carried = maps.carried_spare
            maps.carried_spare = kept
        left = half
        power += 1


def power_of(maps: PeriodMapState, place: int, power: int) -> Any:
    """Where 2 to the so-many-th power of a map is."""
    n = map_size(maps)
    return view(maps.map_powers, (place * maps.power_count + power) * n * n)


def map_size(maps: PeriodMapState) -> int:
    return 2 * maps.coordinate_count + maps.memory_size + maps.line_count


def map_of_step(maps: PeriodMapState, k: int, out: Array) -> None:
    """The map (size, size) of a step that ends at instant k."""
    n = maps.coordinate_count
    m = maps.line_count
    memory = maps.memory_size
    size = map_size(maps)
    laws = maps.laws
    flow = maps.flow
    at_start = maps.force_at_start
    forces_at_end(maps, k)
    forces = view(maps.force_equations, m * m)
    for c in range(size * size):
        out[c] = 0.0
    product(laws, size, m, 2 * n, forces, maps.force_at_end, out, size)
    for c in range(2 * n):
        for i in range(2 * n):
            out[c * size + i] += flow[c * 2 * n + i]
    for line in range(m):
        for i in range(2 * n):
            out[(2 * n + memory + line) * size + i] += at_start[line * 2 * n + i]
    for c in range(size):
        for line in range(m):
            out[c * size + 2 * n + memory + line] = forces[c * m + line]
    memories_at_end(maps, k, out)


def forces_at_end(maps: PeriodMapState, k: int) -> None:
    """Forces at the end of a step by the state before it: columns m to m + size of ``force_equations``."""
    n = maps.coordinate_count
    m = maps.line_count
    size = map_size(maps)
    behind = size - m
    wide = 2 * n + 2 * m
    seen = maps.deflection_flow
    matrix = maps.force_equations
    right = view(matrix, m * m)
    for i in range(size * m):
        right[i] = 0.0
    by_memories(maps, k, right)
    for line in range(m):
        for c in range(m):
            matrix[c * m + line] = 1.0 if c == line else 0.0
        first = int(maps.line_first[line])
        for j in range(int(maps.line_width[line])):
            by_u = maps.force_by_line[line * maps.widest + j]
            by_v = maps.force_by_line[(m + line) * maps.widest + j]
            u = view(seen, (first + j) * wide)
            v = view(seen, (m + first + j) * wide)
            for c in range(2 * n):
                right[c * m + line] += by_u * u[c] + by_v * v[c]
            for c in range(m):
                right[(behind + c) * m + line] += by_u * u[2 * n + c] + by_v * v[2 * n + c]
                matrix[c * m + line] -= by_u * u[2 * n + m + c] + by_v * v[2 * n + m + c]
    solve_small(matrix, m, right, size)


def by_memories(maps: PeriodMapState, k: int, right: Array) -> None:
    """Derivatives of forces at instant k: by deflections and rates to ``force_by_line``, by memories added to
    ``right``."""
    table = maps.laws.leaves
    units = maps.slope_time
    by = maps.force_by_line
    m = maps.line_count
    at = 2 * maps.coordinate_count
    for i in range(2 * m * maps.widest):
        by[i] = 0.0
    for e in range(maps.leaf_count):
        d = table[e].directions
        own = maps.carried_memory[e].size
        if d == 0:
            continue
        local = view(maps.carried_memory[e].derivatives, k * (2 * d + own) * (d + own))
        for r in range(d):
            leaf = table[e + r]
            factor = 0.0 if maps.kicks and leaf.rate_kind == RATE_BY_PHASE else leaf.factor[k]
            line = leaf.line
            for j in range(d):
                by[line * maps.widest + j] += factor * local[j * (d + own) + r]
                by[(m + line) * maps.widest + j] += factor * units[e] * local[(d + j) * (d + own) + r]
            for i in range(own):
                right[(at + i) * m + line] += factor * local[(2 * d + i) * (d + own) + r]
        at += own


def memories_at_end(maps: PeriodMapState, k: int, out: Array) -> None:
    """What a step leaves in the memories: from deflections and rates at its end, and from memories before it."""
    table = maps.laws.leaves
    units = maps.slope_time
    n = maps.coordinate_count
    size = map_size(maps)
    at = 2 * n
    for e in range(maps.leaf_count):
        leaf = table[e]
        d = leaf.directions
        own = maps.carried_memory[e].size
        if d == 0:
            continue
        local = view(maps.carried_memory[e].derivatives, k * (2 * d + own) * (d + own))
        for i in range(own):
            for r in range(d):
                rows = view(maps.deflection_rows, (leaf.line + r) * n)
                by_u = local[r * (d + own) + d + i]
                by_v = units[e] * local[(d + r) * (d + own) + d + i]
                if by_u == 0.0 and by_v == 0.0:
                    continue
                for c in range(size):
                    before = view(out, c * size)
                    total = 0.0
                    for j in range(n):
                        total += rows[j] * (by_u * before[j] + by_v * before[n + j])
                    before[at + i] += total
            for j in range(own):
                out[(at + j) * size + at + i] += local[(2 * d + j) * (d + own) + d + i]
        at += own
