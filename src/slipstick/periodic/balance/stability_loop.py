"""What a period does to a small change of an orbit, from the laws' tangents along its samples; compiled.

The state is displacements and rates, memory, forces of the lines. Matrices are stored transposed: a row for each part
of the state before, its columns what becomes of it. Laws with corners have few different tangents: the map of a step
is taken to the power of its repetitions, and kept for the next time.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import call_value, numbers_at, view
from slipstick.periodic.balance.follow_loop import follow
from slipstick.periodic.balance.matrix_loop import product
from slipstick.periodic.balance.places import (
    AT_SAMPLES,
    DEFLECTION,
    FACTOR,
    JUMPS,
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

# numbers: samples, from sample to sample in one step, coordinates, lines, leaves, memory, rows that are carried
STEPS_OF_PERIOD, STRIDE, COORDINATES, LINES_COUNT, LEAVES_COUNT, MEMORY_SIZE, CARRIED = range(7)
# addresses: plan of the laws; deflections of the lines (m, n); a step of the linear part: state to state (2n, 2n), what
# forces at its begin (m, 2n) and at its end (m, size) add to it, all transposed; what lines see of these, displacements
# and rates (2, m, 2n + 2m); time of a slope over that of a rate for each leaf
LAWS_PLAN, SEEN_ROWS, FLOW, AT_START, AT_END, SEEN_FLOW, RATE_UNITS = range(7, 14)
# addresses: carried rows (CARRIED, size), room for them; equations of the forces (m, m + size), derivatives of forces
# by deflections and rates (2, m)
WHOLE, SPARE, EQUATIONS, BY_LINE = range(14, 18)
# maps of steps that are kept: how many there is room for, powers of each, those in use; address of the sample that each
# ends at and how many of its powers are known (maps, 2), and of the powers 1, 2, 4, ... (maps, powers, size, size)
MAPS, POWERS, MAPS_KNOWN, KNOWN_MAPS, POWERS_OF_MAPS = range(18, 23)
# of many orbits: their number, how many strides 1, 2, 4, ... are taken of each; addresses: motion (orbits, m, twice the
# samples), frequency of the first harmonic (orbits,); FLOW, AT_START, AT_END, SEEN_FLOW of each stride and orbit, one
# behind the other; numbers of one such block; address of the rows at the end (strides, orbits, CARRIED, size)
ORBITS, STRIDES, MOTIONS, OMEGAS, BLOCKS, BLOCK, ENDS = range(23, 30)
STABILITY_LENGTH = 30


def period_maps(plan: Any) -> None:
    """What a period does to small changes of each of many orbits."""
    laws = numbers_at(int(plan[LAWS_PLAN]))
    m = int(plan[LINES_COUNT])
    orbits = int(plan[ORBITS])
    room = int(plan[CARRIED]) * size_of(plan)
    motion = numbers_at(int(laws[DEFLECTION]))
    length = 2 * m * int(plan[STEPS_OF_PERIOD])
    laws[WANTED] = float(AT_SAMPLES)
    for k in range(orbits):
        given = view(numbers_at(int(plan[MOTIONS])), k * length)
        for i in range(length):
            motion[i] = given[i]
        laws[OMEGA] = numbers_at(int(plan[OMEGAS]))[k]
        follow(laws)
        if plan[STRIDES] == 1.0:  # with smooth laws a tangent is what it is at its sample, and strides are extrapolated
            share_switches(plan)
        mark_touches(plan, laws[OMEGA])
        time_units(plan, laws[OMEGA])
        stride = 1
        for i in range(int(plan[STRIDES])):
            plan[STRIDE] = float(stride)
            place_block(plan, i * orbits + k)
            begin(plan)
            period_map(plan)
            whole = numbers_at(int(plan[WHOLE]))
            out = view(numbers_at(int(plan[ENDS])), (i * orbits + k) * room)
            for c in range(room):
                out[c] = whole[c]
            stride *= 2


def share_switches(plan: Any) -> None:
    """Where a law without memory has a corner between two samples, the tangent at the nearer one is the mean over the
    time that belongs to it: else a stop would act up to half a sample too long, and multipliers be off by as much."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    for e in range(int(plan[LEAVES_COUNT])):
        leaf = view(table, e * LEAF)
        if leaf[REMEMBERS] == 0.0 and leaf[RATE] != 2.0:
            share_of_leaf(plan, leaf)


def share_of_leaf(plan: Any, leaf: Any) -> None:
    samples = int(plan[STEPS_OF_PERIOD])
    local = numbers_at(int(leaf[LOCAL]))
    first = local[0]
    first_rate = local[1]
    old = first
    old_rate = first_rate
    for k in range(samples):
        after = k + 1 if k + 1 < samples else 0
        new = local[2 * after] if after > 0 else first
        new_rate = local[2 * after + 1] if after > 0 else first_rate
        if new != old:
            part = corner_between(plan, leaf, k, after, old, new)
            at = 2 * k if part < 0.5 else 2 * after
            more = 0.5 - part
            local[at] += more * (new - old)
            if leaf[JUMPS] == 0.0:
                local[at + 1] += more * (new_rate - old_rate)
        old = new
        old_rate = new_rate


def corner_between(plan: Any, leaf: Any, k: int, after: int, old: float, new: float) -> float:
    """Where between two samples two straight pieces of a force meet, as a part of the way; a half if they do not."""
    laws = numbers_at(int(plan[LAWS_PLAN]))
    scale = leaf[SCALE]
    u = view(numbers_at(int(laws[DEFLECTION])), 2 * int(leaf[LINE]) * int(plan[STEPS_OF_PERIOD]))
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


def mark_touches(plan: Any, omega: float) -> None:
    """Where a damped gap closes its force jumps by c v, sooner for a body that is ahead: an impulse of c a deflection.

    It is put into the tangent at the first sample of each touch, over the time between samples.
    """
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    samples = int(plan[STEPS_OF_PERIOD])
    over = omega * samples / 6.283185307179586
    for e in range(int(plan[LEAVES_COUNT])):
        leaf = view(table, e * LEAF)
        if leaf[JUMPS] != 0.0:
            local = numbers_at(int(leaf[LOCAL]))
            before = local[2 * samples - 1]
            for k in range(samples):
                now = local[2 * k + 1]
                if now != 0.0 and before == 0.0:
                    local[2 * k] += now * over
                before = now


def time_units(plan: Any, omega: float) -> None:
    """Set RATE_UNITS: where a leaf is given slopes by tau in place of rates."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    units = numbers_at(int(plan[RATE_UNITS]))
    for e in range(int(plan[LEAVES_COUNT])):
        units[e] = 1.0 / omega if table[e * LEAF + RATE] == 2.0 else 1.0


def place_block(plan: Any, k: int) -> None:
    """Where the step of the linear part is that belongs to a stride and an orbit."""
    n = int(plan[COORDINATES])
    m = int(plan[LINES_COUNT])
    plan[FLOW] = plan[BLOCKS] + 8.0 * k * plan[BLOCK]
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


def period_map(plan: Any) -> None:
    """Carry the rows of WHOLE through one period, from sample 0 on."""
    samples = int(plan[STEPS_OF_PERIOD])
    stride = int(plan[STRIDE])
    k = stride
    while k <= samples:
        here = k if k < samples else 0
        times = 1
        while k + times * stride <= samples:
            next_ = k + times * stride
            if not alike(plan, here, next_ if next_ < samples else 0):
                break
            times += 1
        carry_through(plan, kept_map(plan, here, times), times)
        k += times * stride


def kept_map(plan: Any, here: int, times: int) -> int:
    """The number of the map of a step that ends at a sample: one that is known, or a new one."""
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
    """Whether all tangents at two samples are the same."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    for e in range(int(plan[LEAVES_COUNT])):
        leaf = view(table, e * LEAF)
        factor = numbers_at(int(leaf[FACTOR]))
        if factor[one] != factor[other]:
            return False
        m = max(int(leaf[REMEMBERS]), 0)
        size = (2 + m) * (1 + m)
        local = numbers_at(int(leaf[LOCAL]))
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
    """The map (size, size) of a step that ends at sample k."""
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


def solve_small(matrix: Any, m: int, right: Any, columns: int) -> None:
    """Solve for right sides (columns, m) in their place; LAPACK would start threads for so little."""
    for i in range(m):
        pivot = i
        for j in range(i + 1, m):
            if abs(matrix[i * m + j]) > abs(matrix[i * m + pivot]):
                pivot = j
        if pivot != i:
            for c in range(m):
                kept = matrix[c * m + i]
                matrix[c * m + i] = matrix[c * m + pivot]
                matrix[c * m + pivot] = kept
            for c in range(columns):
                kept = right[c * m + i]
                right[c * m + i] = right[c * m + pivot]
                right[c * m + pivot] = kept
        for j in range(i + 1, m):
            part = matrix[i * m + j] / matrix[i * m + i]
            if part != 0.0:
                for c in range(i + 1, m):
                    matrix[c * m + j] -= part * matrix[c * m + i]
                for c in range(columns):
                    right[c * m + j] -= part * right[c * m + i]
    for c in range(columns):
        own = view(right, c * m)
        for k in range(m):
            i = m - 1 - k
            for j in range(i + 1, m):
                own[i] -= matrix[j * m + i] * own[j]
            own[i] = own[i] / matrix[i * m + i]


def by_memories(plan: Any, k: int, right: Any) -> None:
    """Derivatives of forces at sample k: by deflections and rates to BY_LINE, by memories to the right side."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    units = numbers_at(int(plan[RATE_UNITS]))
    by = numbers_at(int(plan[BY_LINE]))
    m = int(plan[LINES_COUNT])
    at = 2 * int(plan[COORDINATES])
    for e in range(int(plan[LEAVES_COUNT])):
        leaf = view(table, e * LEAF)
        own = max(int(leaf[REMEMBERS]), 0)
        local = view(numbers_at(int(leaf[LOCAL])), k * (2 + own) * (1 + own))
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
    units = numbers_at(int(plan[RATE_UNITS]))
    n = int(plan[COORDINATES])
    size = size_of(plan)
    at = 2 * n
    for e in range(int(plan[LEAVES_COUNT])):
        leaf = view(table, e * LEAF)
        own = max(int(leaf[REMEMBERS]), 0)
        local = view(numbers_at(int(leaf[LOCAL])), k * (2 + own) * (1 + own))
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
