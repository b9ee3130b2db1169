"""What a period does to a small change of an orbit, from the laws' tangents along its samples; compiled.

The state is displacements and rates, memory, forces of the lines. Matrices are stored transposed: a row for each part
of the state before, its columns what becomes of it. Laws with corners have few different tangents: the map of a step
is taken to the power of its repetitions, and kept for the next time.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import call_value, numbers_at, view
from slipstick.periodic.balance.follow_loop import follow
from slipstick.periodic.balance.matrix_loop import product, solve_small
from slipstick.periodic.balance.places import (
    AT_SAMPLES,
    BREAKS,
    DEFLECTION,
    FACTOR,
    LEAF,
    LINE,
    LOCAL,
    MEMORY,
    OMEGA,
    PARAMETERS,
    RATE,
    REMEMBERS,
    SCALE,
    TABLE,
    VALUE,
    WANTED,
)
from slipstick.periodic.balance.stability_places import (
    ANSWERS,
    AT_END,
    AT_START,
    BEHIND,
    BLOCK,
    BLOCKS,
    BY_LINE,
    CARRIED,
    CARRIES,
    CARRY_LENGTH,
    COORDINATES,
    ENDS,
    EQUATIONS,
    FLOW,
    INSTANT,
    INSTANT_LENGTH,
    INSTANTS,
    KICK,
    KICK_LINE,
    KIND,
    KNOWN_MAPS,
    LAWS_PLAN,
    LEAVES_COUNT,
    LINES_COUNT,
    MAPS,
    MAPS_KNOWN,
    MEMORY_SIZE,
    NEXT_SHORT,
    OMEGAS,
    ORBITS,
    PLACE,
    POWERS,
    POWERS_OF_MAPS,
    RATE_UNITS,
    REGULAR,
    SEEN_FLOW,
    SEEN_ROWS,
    SHORT_BLOCKS,
    SPARE,
    STRIDE,
    STRIDES,
    TURN_ROUND,
    WHOLE,
)
from slipstick.periodic.balance.switches_loop import merge


def period_maps(plan: Any) -> None:
    """What a period does to small changes of each of many orbits, whose switches are known."""
    laws = numbers_at(int(plan[LAWS_PLAN]))
    orbits = int(plan[ORBITS])
    room = int(plan[CARRIED]) * size_of(plan)
    laws[WANTED] = float(AT_SAMPLES)
    for k in range(orbits):
        merge(plan, k)
        laws[OMEGA] = numbers_at(int(plan[OMEGAS]))[k]
        follow(laws)
        carry_reversals(plan)
        if plan[STRIDES] == 1.0:  # with smooth laws a tangent is what it is at its sample, and strides are extrapolated
            share_corners(plan)
        time_units(plan, laws[OMEGA])
        stride = 1
        for i in range(int(plan[STRIDES])):
            plan[STRIDE] = float(stride)
            begin(plan)
            period_map(plan, i * orbits + k)
            whole = numbers_at(int(plan[WHOLE]))
            out = view(numbers_at(int(plan[ENDS])), (i * orbits + k) * room)
            for c in range(room):
                out[c] = whole[c]
            stride *= 2


def carry_reversals(plan: Any) -> None:
    """Derivatives of leaves with a stack, by deflection, rate, deflection and force of the last reversal.

    On a branch f = f_m + g(u - u_m), and where the line turns u_m and f_m are what u and f are there. A loop that is
    passed goes on along the branch of the one before, which is the same to first order.
    """
    laws = numbers_at(int(plan[LAWS_PLAN]))
    instants = numbers_at(int(plan[INSTANTS]))
    for e in range(int(plan[LEAVES_COUNT])):
        carries = view(numbers_at(int(plan[CARRIES])), e * CARRY_LENGTH)
        if carries[2] != 0.0:
            leaf = view(numbers_at(int(laws[TABLE])), e * LEAF)
            slopes = numbers_at(int(leaf[LOCAL]))
            out = numbers_at(int(carries[1]))
            for i in range(int(plan[INSTANT])):
                own = view(out, 12 * i)
                at = view(instants, i * INSTANT_LENGTH)
                turned = at[KIND] == TURN_ROUND and at[KICK_LINE] == leaf[LINE]
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


def share_corners(plan: Any) -> None:
    """Where a law without memory has a corner between two samples that it does not tell, the tangent at the nearer one
    is the mean over the time that belongs to it: else a stop would act up to half a sample too long."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    for e in range(int(plan[LEAVES_COUNT])):
        leaf = view(table, e * LEAF)
        if leaf[REMEMBERS] == 0.0 and leaf[RATE] != 2.0 and leaf[BREAKS] == 0.0:
            share_of_leaf(plan, leaf)


def share_of_leaf(plan: Any, leaf: Any) -> None:
    instants = int(plan[INSTANT])
    local = numbers_at(int(leaf[LOCAL]))
    first = local[0]
    first_rate = local[1]
    old = first
    old_rate = first_rate
    for k in range(instants):
        after = k + 1 if k + 1 < instants else 0
        new = local[2 * after] if after > 0 else first
        new_rate = local[2 * after + 1] if after > 0 else first_rate
        if new != old:
            part = corner_between(plan, leaf, k, after, old, new)
            at = 2 * k if part < 0.5 else 2 * after
            more = 0.5 - part
            local[at] += more * (new - old)
            local[at + 1] += more * (new_rate - old_rate)
        old = new
        old_rate = new_rate


def corner_between(plan: Any, leaf: Any, k: int, after: int, old: float, new: float) -> float:
    """Where between two samples two straight pieces of a force meet, as a part of the way; a half if they do not."""
    laws = numbers_at(int(plan[LAWS_PLAN]))
    scale = leaf[SCALE]
    u = view(numbers_at(int(laws[DEFLECTION])), 2 * int(leaf[LINE]) * int(plan[INSTANT]))
    way = u[after] - u[k]
    if way == 0.0:
        return 0.5
    law = int(leaf[VALUE])
    parameters = numbers_at(int(leaf[PARAMETERS]))
    memory = numbers_at(int(leaf[MEMORY]))
    begun = call_value(law, parameters, scale * u[k], 0.0, memory)
    ended = call_value(law, parameters, scale * u[after], 0.0, memory)
    part = ((ended - begun) / way - new) / (old - new)
    return part if part >= 0.0 and part <= 1.0 else 0.5


def time_units(plan: Any, omega: float) -> None:
    """Set RATE_UNITS: where a leaf is given slopes by tau in place of rates."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    units = numbers_at(int(plan[RATE_UNITS]))
    for e in range(int(plan[LEAVES_COUNT])):
        units[e] = 1.0 / omega if table[e * LEAF + RATE] == 2.0 else 1.0


def place_block(plan: Any, blocks: float, k: int) -> None:
    """Where the step of the linear part is that belongs to a stride and an orbit, or to a length."""
    n = int(plan[COORDINATES])
    m = int(plan[LINES_COUNT])
    plan[FLOW] = blocks + 8.0 * k * plan[BLOCK]
    plan[AT_START] = plan[FLOW] + 8.0 * 4 * n * n
    plan[AT_END] = plan[AT_START] + 8.0 * 2 * n * m
    plan[SEEN_FLOW] = plan[AT_END] + 8.0 * m * size_of(plan)


def begin(plan: Any) -> None:
    """The rows at the begin: ones, and where there is no memory the forces that follow from the state."""
    n = int(plan[COORDINATES])
    m = int(plan[LINES_COUNT])
    size = size_of(plan)
    whole = numbers_at(int(plan[WHOLE]))
    plan[MAPS_KNOWN] = 0.0
    for c in range(int(plan[CARRIED])):
        for i in range(size):
            whole[c * size + i] = 1.0 if c == i else 0.0
    if int(plan[MEMORY_SIZE]) == 0:
        by = numbers_at(int(plan[BY_LINE]))
        rows = numbers_at(int(plan[SEEN_ROWS]))
        for i in range(2 * m):
            by[i] = 0.0
        by_memories(plan, 0, view(numbers_at(int(plan[EQUATIONS])), m * m))
        for line in range(m):
            for c in range(n):
                whole[c * size + 2 * n + line] = by[line] * rows[line * n + c]
                whole[(n + c) * size + 2 * n + line] = by[m + line] * rows[line * n + c]


def period_map(plan: Any, block: int) -> None:
    """Carry the rows of WHOLE through one period, from the first instant on; block : of steps from sample to sample."""
    instants = numbers_at(int(plan[INSTANTS]))
    total = int(plan[INSTANT])
    k = 0
    while k < total:
        after = instant_after(plan, k)
        kind = int(instants[after * INSTANT_LENGTH + KIND]) if after < total else REGULAR
        if kind >= BEHIND:
            kick(plan, view(instants, after * INSTANT_LENGTH))
            place_block(plan, plan[SHORT_BLOCKS], 0)
            carry_through(plan, kept_map(plan, after, 1), 1)
        elif kind != REGULAR or instants[k * INSTANT_LENGTH + KIND] != REGULAR:
            place_block(plan, plan[SHORT_BLOCKS], int(plan[NEXT_SHORT]))
            plan[NEXT_SHORT] += 1.0
            carry_through(plan, kept_map(plan, after if after < total else 0, 1), 1)
        else:
            here = after if after < total else 0
            times = 1
            ahead = instant_after(plan, after)
            while after < total and goes_on(plan, here, ahead):
                times += 1
                after = ahead
                ahead = instant_after(plan, after)
            place_block(plan, plan[BLOCKS], block)
            carry_through(plan, kept_map(plan, here, times), times)
        k = after


def instant_after(plan: Any, k: int) -> int:
    """The next instant that a step ends at: a multiple of the stride, or a side of a switch."""
    instants = numbers_at(int(plan[INSTANTS]))
    total = int(plan[INSTANT])
    after = k + 1
    while after < total:
        own = view(instants, after * INSTANT_LENGTH)
        strides = own[PLACE] / plan[STRIDE]
        if own[KIND] != REGULAR or strides == int(strides):
            break
        after += 1
    return after


def goes_on(plan: Any, here: int, ahead: int) -> bool:
    """Whether a step that ends ahead is the same as that which ends here, both from sample to sample."""
    total = int(plan[INSTANT])
    if ahead > total:
        return False
    if ahead < total and numbers_at(int(plan[INSTANTS]))[ahead * INSTANT_LENGTH + KIND] != REGULAR:
        return False
    return alike(plan, here, ahead if ahead < total else 0)


def kick(plan: Any, own: Any) -> None:
    """The impulse of a switch at which a force jumps: sooner for a body that is ahead."""
    n = int(plan[COORDINATES])
    size = size_of(plan)
    if own[KICK] != 0.0:
        whole = numbers_at(int(plan[WHOLE]))
        rows = view(numbers_at(int(plan[SEEN_ROWS])), int(own[KICK_LINE]) * n)
        answers = view(numbers_at(int(plan[ANSWERS])), int(own[KICK_LINE]) * n)
        for c in range(int(plan[CARRIED])):
            state = view(whole, c * size)
            ahead = 0.0
            for i in range(n):
                ahead += rows[i] * state[i]
            for i in range(n):
                state[n + i] -= own[KICK] * ahead * answers[i]


def kept_map(plan: Any, here: int, times: int) -> int:
    """The number of the map of a step that ends at an instant: one that is known, or a new one."""
    known = numbers_at(int(plan[KNOWN_MAPS]))
    count = int(plan[MAPS_KNOWN])
    place = int(plan[MAPS]) - 1  # which is never searched
    if times > 1:  # one that is used once, as all are with smooth laws, is not worth a search
        for i in range(count):
            if alike(plan, int(known[2 * i]), here):
                return i
        if count < place:
            place = count
            plan[MAPS_KNOWN] = count + 1.0
    known[2 * place] = float(here)
    known[2 * place + 1] = 1.0
    map_of_step(plan, here, power_of(plan, place, 0))
    return place


def alike(plan: Any, one: int, other: int) -> bool:
    """Whether all tangents at two instants are the same."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    carries = numbers_at(int(plan[CARRIES]))
    for e in range(int(plan[LEAVES_COUNT])):
        leaf = view(table, e * LEAF)
        factor = numbers_at(int(leaf[FACTOR]))
        if factor[one] != factor[other]:
            return False
        m = int(carries[e * CARRY_LENGTH])
        size = (2 + m) * (1 + m)
        local = numbers_at(int(carries[e * CARRY_LENGTH + 1]))
        for i in range(size):
            if local[one * size + i] != local[other * size + i]:
                return False
    return True


def carry_through(plan: Any, place: int, times: int) -> None:
    """Multiply WHOLE by a power of the map of a step."""
    laws = numbers_at(int(plan[LAWS_PLAN]))
    known = numbers_at(int(plan[KNOWN_MAPS]))
    n = size_of(plan)
    rows = int(plan[CARRIED])
    left = times
    power = 0
    while left > 0:
        half = left // 2
        own = power_of(plan, place, power)
        if power >= int(known[2 * place + 1]):
            before = power_of(plan, place, power - 1)
            product(laws, n, n, n, before, before, own, n)
            known[2 * place + 1] = power + 1.0
        if left > 2 * half:
            product(laws, rows, n, n, numbers_at(int(plan[WHOLE])), own, numbers_at(int(plan[SPARE])), n)
            kept = plan[WHOLE]
            plan[WHOLE] = plan[SPARE]
            plan[SPARE] = kept
        left = half
        power += 1


def power_of(plan: Any, place: int, power: int) -> Any:
    """Where 2 to the so-many-th power of a map is."""
    n = size_of(plan)
    return view(numbers_at(int(plan[POWERS_OF_MAPS])), (place * int(plan[POWERS]) + power) * n * n)


def size_of(plan: Any) -> int:
    return 2 * int(plan[COORDINATES]) + int(plan[MEMORY_SIZE]) + int(plan[LINES_COUNT])


def map_of_step(plan: Any, k: int, out: Any) -> None:
    """The map (size, size) of a step that ends at instant k."""
    n = int(plan[COORDINATES])
    m = int(plan[LINES_COUNT])
    memory = int(plan[MEMORY_SIZE])
    size = size_of(plan)
    laws = numbers_at(int(plan[LAWS_PLAN]))
    flow = numbers_at(int(plan[FLOW]))
    at_start = numbers_at(int(plan[AT_START]))
    forces_at_end(plan, k)
    forces = view(numbers_at(int(plan[EQUATIONS])), m * m)
    for c in range(size * size):
        out[c] = 0.0
    product(laws, size, m, 2 * n, forces, numbers_at(int(plan[AT_END])), out, size)
    for c in range(2 * n):
        for i in range(2 * n):
            out[c * size + i] += flow[c * 2 * n + i]
    for line in range(m):
        for i in range(2 * n):
            out[(2 * n + memory + line) * size + i] += at_start[line * 2 * n + i]
    for c in range(size):
        for line in range(m):
            out[c * size + 2 * n + memory + line] = forces[c * m + line]
    memories_at_end(plan, k, out)


def forces_at_end(plan: Any, k: int) -> None:
    """Behind m m numbers of EQUATIONS (size, m): forces at the end of a step by the state before it."""
    n = int(plan[COORDINATES])
    m = int(plan[LINES_COUNT])
    size = size_of(plan)
    behind = size - m
    wide = 2 * n + 2 * m
    by = numbers_at(int(plan[BY_LINE]))
    seen = numbers_at(int(plan[SEEN_FLOW]))
    matrix = numbers_at(int(plan[EQUATIONS]))
    right = view(matrix, m * m)
    for i in range(2 * m):
        by[i] = 0.0
    for i in range(size * m):
        right[i] = 0.0
    by_memories(plan, k, right)
    for line in range(m):
        u = view(seen, line * wide)
        v = view(seen, (m + line) * wide)
        for c in range(2 * n):
            right[c * m + line] = by[line] * u[c] + by[m + line] * v[c]
        for c in range(m):
            right[(behind + c) * m + line] = by[line] * u[2 * n + c] + by[m + line] * v[2 * n + c]
            own = by[line] * u[2 * n + m + c] + by[m + line] * v[2 * n + m + c]
            matrix[c * m + line] = (1.0 if c == line else 0.0) - own
    solve_small(matrix, m, right, size)


def by_memories(plan: Any, k: int, right: Any) -> None:
    """Derivatives of forces at instant k: by deflections and rates to BY_LINE, by memories to the right side."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    carries = numbers_at(int(plan[CARRIES]))
    units = numbers_at(int(plan[RATE_UNITS]))
    by = numbers_at(int(plan[BY_LINE]))
    m = int(plan[LINES_COUNT])
    at = 2 * int(plan[COORDINATES])
    for e in range(int(plan[LEAVES_COUNT])):
        leaf = view(table, e * LEAF)
        own = int(carries[e * CARRY_LENGTH])
        local = view(numbers_at(int(carries[e * CARRY_LENGTH + 1])), k * (2 + own) * (1 + own))
        factor = numbers_at(int(leaf[FACTOR]))[k]
        line = int(leaf[LINE])
        by[line] += factor * local[0]
        by[m + line] += factor * units[e] * local[1 + own]
        for i in range(own):
            right[(at + i) * m + line] += factor * local[(2 + i) * (1 + own)]
        at += own


def memories_at_end(plan: Any, k: int, out: Any) -> None:
    """What a step leaves in the memories: from deflections and rates at its end, and from memories before it."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    carries = numbers_at(int(plan[CARRIES]))
    units = numbers_at(int(plan[RATE_UNITS]))
    n = int(plan[COORDINATES])
    size = size_of(plan)
    at = 2 * n
    for e in range(int(plan[LEAVES_COUNT])):
        leaf = view(table, e * LEAF)
        own = int(carries[e * CARRY_LENGTH])
        local = view(numbers_at(int(carries[e * CARRY_LENGTH + 1])), k * (2 + own) * (1 + own))
        rows = view(numbers_at(int(plan[SEEN_ROWS])), int(leaf[LINE]) * n)
        for i in range(own):
            by_u = local[1 + i]
            by_v = units[e] * local[1 + own + 1 + i]
            if by_u != 0.0 or by_v != 0.0:
                for c in range(size):
                    before = view(out, c * size)
                    total = 0.0
                    for j in range(n):
                        total += rows[j] * (by_u * before[j] + by_v * before[n + j])
                    before[at + i] += total
            for j in range(own):
                out[(at + j) * size + at + i] += local[(2 + j) * (1 + own) + 1 + i]
        at += own
