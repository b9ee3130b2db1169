"""Laws along the samples of a closed cycle, with derivatives; compiled.

A leaf's force and memory after sample k depend on deflection, rate and memory before it. Their derivatives at each
sample are small linear maps; carried along the samples they give those of all forces by all coefficients. A memory
begins at the sample farthest from zero, led there from the virgin state: laws whose loops close are settled then.
Others are fixed points of a contraction, found by Newton's method; their derivative follows from the same map.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import call_function, call_value, view
from slipstick.periodic.balance.corners_loop import add_leaf_corners
from slipstick.periodic.balance.derivative_rows_loop import (
    add,
    add_to_row,
    clear,
    prepare_rows,
    rate_of,
    solve_cycle_fixed_point,
)
from slipstick.periodic.balance.directions_loop import evaluate_directions
from slipstick.periodic.balance.harmonics_loop import add_resting_memory, add_sample_derivatives, harmonics_of_lines
from slipstick.periodic.balance.records import (
    AT_SAMPLES,
    BY_COEFFICIENTS,
    CLOSURE_REL,
    MAX_CYCLES,
    MAX_NEWTON_CYCLES,
    NO_RATE,
    ONLY_FORCES,
    ONLY_HARMONICS,
    STALLED_RATIO,
    LawPlan,
    SampledLeaf,
)
from slipstick.periodic.balance.reversal_stack_loop import evaluate_stack, farthest_sample


def evaluate_laws(plan: LawPlan) -> None:
    """Forces of all lines at all samples, and what is wanted of their derivatives by coefficients and frequency."""
    samples = plan.sample_count
    columns = plan.tangent_width + 1
    lines = plan.line_count
    clear(plan.force, lines * samples)
    clear(plan.has_rows, lines)
    clear(plan.corner_harmonics, lines * (plan.width + 1))
    if plan.wanted == BY_COEFFICIENTS:
        clear(plan.by_coefficients, lines * samples * columns)
    if plan.wanted == ONLY_HARMONICS:
        clear(plan.by_deflection, lines * samples)
        clear(plan.by_slope, lines * samples)
        clear(plan.by_frequency, lines * samples)
        clear(plan.tangent_harmonics, lines * columns * columns)
        clear(plan.pair_harmonics, plan.pair_count * columns * columns)
        clear(plan.pair_by_deflection, plan.pair_count * samples)
        clear(plan.pair_has_rows, plan.pair_count)
    for e in range(plan.leaf_count):
        leaf = plan.leaves[e]
        if leaf.directions == 0:
            continue
        if leaf.directions > 1:
            evaluate_directions(plan, leaf, e)
        elif leaf.memory_size == 0:
            evaluate_memoryless(plan, leaf)
        elif leaf.memory_size > 0:
            evaluate_with_memory(plan, leaf, e)
        else:
            evaluate_stack(plan, leaf, e)
    if plan.wanted == ONLY_HARMONICS:
        harmonics_of_lines(plan)


def evaluate_leaf(plan: LawPlan, leaf: SampledLeaf, k: int) -> float:
    """The force of a leaf at sample k and its derivatives, by deflection, rate and each part of the memory; go on."""
    m = leaf.memory_size
    at = 2 * leaf.line * plan.sample_count + k
    u = leaf.scale * plan.deflection[at]
    v = leaf.scale * rate_of(plan, leaf) * plan.slope[at]
    parameters = leaf.parameters
    memory = leaf.memory
    trial = leaf.trial
    local = view(leaf.local, k * (2 + m) * (1 + m))
    f = 0.0
    for d in range(2 if plan.wanted == ONLY_FORCES else 0, 2 + m):
        own = view(local, d * (1 + m))
        for i in range(1 + m):
            own[i] = 0.0
        if d == 1 and leaf.rate_kind == NO_RATE:
            continue
        for i in range(m):
            trial[i] = memory[i]
        u_d = leaf.scale if d == 0 else 0.0
        v_d = leaf.scale if d == 1 else 0.0
        if d > 1:
            own[d - 1] = 1.0
        f = call_function(leaf.tangent_function, parameters, u, v, trial, u_d, v_d, view(own, 1), own)
    for i in range(m):
        memory[i] = trial[i]
    return f


def force_cycle(plan: LawPlan, leaf: SampledLeaf, first: int, out: Any) -> bool:
    """Forces of a leaf in one cycle from behind the sample ``first``; whether its memory came back to the last bit."""
    m = leaf.memory_size
    samples = plan.sample_count
    law = leaf.value_function
    parameters = leaf.parameters
    memory = leaf.memory
    begun = leaf.trial
    scale = leaf.scale
    u = view(plan.deflection, 2 * leaf.line * samples)
    turn = view(u, samples)
    # slopes are there only if they are asked for
    rate = scale * rate_of(plan, leaf) if leaf.rate_kind != NO_RATE else 0.0
    for i in range(m):
        begun[i] = memory[i]
    for k in range(first + 1, samples):
        out[k] = call_value(law, parameters, scale * u[k], rate * turn[k] if rate != 0.0 else 0.0, memory)
    for k in range(first + 1):
        out[k] = call_value(law, parameters, scale * u[k], rate * turn[k] if rate != 0.0 else 0.0, memory)
    came_back = True
    for i in range(m):
        came_back = came_back and memory[i] == begun[i]
        memory[i] = begun[i]
    return came_back


def evaluate_memoryless(plan: LawPlan, leaf: SampledLeaf) -> None:
    """A leaf without memory."""
    samples = plan.sample_count
    columns = plan.tangent_width + 1
    begin = leaf.line * samples
    factor = leaf.factor
    local = leaf.local
    force = view(plan.force, begin)
    by_x = view(plan.by_coefficients, begin * columns)
    room = leaf.room
    if plan.wanted == ONLY_FORCES:
        force_cycle(plan, leaf, samples - 1, room)
        for k in range(samples):
            force[k] += factor[k] * room[k]
        add_leaf_corners(plan, leaf)
        return
    for k in range(samples):
        f = evaluate_leaf(plan, leaf, k)
        room[k] = f
        force[k] += factor[k] * f
        if plan.wanted == ONLY_HARMONICS:
            add_sample_derivatives(plan, leaf, k, factor[k] * local[2 * k], factor[k] * local[2 * k + 1])
        elif plan.wanted == BY_COEFFICIENTS:
            add_to_row(plan, leaf, k, factor[k] * local[2 * k], factor[k] * local[2 * k + 1], view(by_x, k * columns))
    if plan.wanted != AT_SAMPLES:
        add_leaf_corners(plan, leaf)


def evaluate_with_memory(plan: LawPlan, leaf: SampledLeaf, e: int) -> None:
    """A leaf with a few numbers of memory. Its room: memory at the start (m), its change in a cycle (m), its derivative
    by deflection and rate where it was led (2 m); derivative of the memory by that at the start and room for a new one
    (2 m m); that of the forces (samples, m); rows by coefficients (m, columns), again (m, columns); equations."""
    m = leaf.memory_size
    samples = plan.sample_count
    begin = leaf.line * samples
    first = farthest_sample(view(plan.deflection, 2 * begin), samples)
    factor = leaf.factor
    force = view(plan.force, begin)
    virgin = leaf.virgin
    memory = leaf.memory
    local = leaf.local
    room = leaf.room
    for i in range(m):
        memory[i] = virgin[i]
    evaluate_leaf(plan, leaf, first)
    if plan.wanted == ONLY_FORCES:
        last = view(room, scratch_size(m, samples, plan.width))
        if force_cycle(plan, leaf, first, last):
            for k in range(samples):
                force[k] += factor[k] * last[k]
            plan.closure_gaps[e] = 0.0
            return
    lead = view(local, first * (2 + m) * (1 + m))
    for i in range(m):
        room[2 * m + i] = lead[1 + i]
        room[3 * m + i] = lead[1 + m + 1 + i]
    gap = 1.0
    largest = 0.0
    cycle = 0
    while cycle < MAX_CYCLES:
        before = gap
        largest = cycle_with_memory(plan, leaf, first, factor, force, cycle)
        gap = closure_gap(plan, leaf)
        cycle += 1
        if gap <= CLOSURE_REL * largest or (cycle > 1 and gap >= STALLED_RATIO * before):
            break
        if cycle < MAX_NEWTON_CYCLES:
            newton_on_memory(plan, leaf)
    plan.closure_gaps[e] = gap / largest if largest > 0.0 else gap
    if plan.wanted == BY_COEFFICIENTS or (
        plan.wanted == ONLY_HARMONICS and not add_resting_memory(plan, leaf, first, factor)
    ):
        prepare_rows(plan, leaf.line)
        carry_derivatives(plan, leaf, first, factor)


def cycle_with_memory(plan: LawPlan, leaf: SampledLeaf, first: int, factor: Any, force: Any, cycle: int) -> float:
    """One cycle from the sample ``first``; derivatives of forces and memory by the memory it began with. The largest
    force."""
    m = leaf.memory_size
    samples = plan.sample_count
    memory = leaf.memory
    room = leaf.room
    now = view(room, 4 * m)
    then = view(room, 4 * m + m * m)
    by_start = view(room, 4 * m + 2 * m * m)
    last = view(room, scratch_size(m, samples, plan.width))
    for i in range(m):
        room[i] = memory[i]
        for j in range(m):
            now[i * m + j] = 1.0 if i == j else 0.0
    if m == 1:
        return cycle_with_single_memory(plan, leaf, first, factor, force, cycle)
    largest = 0.0
    k = first
    for _ in range(samples):
        k += 1
        if k == samples:
            k = 0
        f = evaluate_leaf(plan, leaf, k)
        largest = max(largest, abs(f))
        force[k] += factor[k] * (f - last[k]) if cycle > 0 else factor[k] * f
        last[k] = f
        local = view(leaf.local, (k * (2 + m) + 2) * (1 + m))
        for j in range(m):
            total = 0.0
            for i in range(m):
                total += local[i * (1 + m)] * now[i * m + j]
            by_start[k * m + j] = total
        for i in range(m):
            for j in range(m):
                total = 0.0
                for h in range(m):
                    total += local[h * (1 + m) + 1 + i] * now[h * m + j]
                then[i * m + j] = total
        for i in range(m * m):
            now[i] = then[i]
    for i in range(m):
        room[m + i] = memory[i] - room[i]
    return largest


def cycle_with_single_memory(
    plan: LawPlan, leaf: SampledLeaf, first: int, factor: Any, force: Any, cycle: int
) -> float:
    """The same for a memory of one number, which is that of most laws."""
    samples = plan.sample_count
    law = leaf.tangent_function
    parameters = leaf.parameters
    memory = leaf.memory
    trial = leaf.trial
    room = leaf.room
    by_start = view(room, 6)
    last = view(room, scratch_size(1, samples, plan.width))
    scale = leaf.scale
    slopes = plan.wanted != ONLY_FORCES
    rates = leaf.rate_kind != NO_RATE
    u = view(plan.deflection, 2 * leaf.line * samples)
    rate = scale * rate_of(plan, leaf) if rates else 0.0
    turn = view(u, samples if rates else 0)
    local = leaf.local
    now = 1.0
    largest = 0.0
    k = first
    for _ in range(samples):
        k += 1
        if k == samples:
            k = 0
        own = view(local, 6 * k)
        x = scale * u[k]
        v = rate * turn[k]
        if slopes:
            trial[0] = memory[0]
            own[1] = 0.0
            call_function(law, parameters, x, v, trial, scale, 0.0, view(own, 1), own)
            own[2] = 0.0
            own[3] = 0.0
            if rates:
                trial[0] = memory[0]
                call_function(law, parameters, x, v, trial, 0.0, scale, view(own, 3), view(own, 2))
        own[5] = 1.0
        f = call_function(law, parameters, x, v, memory, 0.0, 0.0, view(own, 5), view(own, 4))
        largest = max(largest, abs(f))
        force[k] += factor[k] * (f - last[k]) if cycle > 0 else factor[k] * f
        last[k] = f
        by_start[k] = own[4] * now
        now = own[5] * now
    room[1] = memory[0] - room[0]
    room[4] = now
    return largest


def scratch_size(m: int, samples: int, width: int) -> int:
    """Where the last forces begin in the room of a leaf, behind all else; (samples,) of them end it."""
    columns = width + 1
    return 4 * m + 2 * m * m + samples * m + 2 * m * columns + m * (m + columns)


def closure_gap(plan: LawPlan, leaf: SampledLeaf) -> float:
    """How much the forces of the next cycle would differ, by what the memory has changed in this one."""
    m = leaf.memory_size
    room = leaf.room
    by_start = view(room, 4 * m + 2 * m * m)
    gap = 0.0
    noticed = 0.0  # what is no number must not be hidden by the next
    for k in range(plan.sample_count):
        total = 0.0
        for i in range(m):
            if by_start[k * m + i] != 0.0:
                total += by_start[k * m + i] * room[m + i]
        gap = max(gap, abs(total))
        noticed += 0.0 * total
    return gap + noticed


def newton_on_memory(plan: LawPlan, leaf: SampledLeaf) -> None:
    """Newton's step for a memory that a cycle brings back to itself."""
    m = leaf.memory_size
    memory = leaf.memory
    room = leaf.room
    columns = plan.tangent_width + 1
    change = view(room, 4 * m + 2 * m * m + plan.sample_count * m)
    other = view(change, m * columns)
    for i in range(m):
        change[i * columns] = room[m + i]
        other[i * columns] = 0.0
    solve_cycle_fixed_point(plan, leaf, change, other, 1)
    for i in range(m):
        memory[i] = room[i] + change[i * columns]


def carry_derivatives(plan: LawPlan, leaf: SampledLeaf, first: int, factor: Any) -> None:
    """Derivatives of the forces by coefficients and frequency: along the samples from a memory that stays as it began,
    and then what the memory's own derivative adds."""
    m = leaf.memory_size
    samples = plan.sample_count
    columns = plan.tangent_width + 1
    by_x = view(plan.by_coefficients, leaf.line * samples * columns)
    room = leaf.room
    by_start = view(room, 4 * m + 2 * m * m)
    rows = view(by_start, samples * m)
    other = view(rows, m * columns)
    for c in range(m * columns):
        rows[c] = 0.0
    k = first
    for _ in range(samples):
        k += 1
        if k == samples:
            k = 0
        local = view(leaf.local, k * (2 + m) * (1 + m))
        out = view(by_x, k * columns)
        add_to_row(plan, leaf, k, factor[k] * local[0], factor[k] * local[1 + m], out)
        for i in range(m):
            add(out, factor[k] * local[(2 + i) * (1 + m)], view(rows, i * columns), columns)
        advance_memory_rows(plan, leaf, k, local, rows, other)
    for i in range(m):
        lead = view(other, i * columns)
        for c in range(columns):
            lead[c] = 0.0
        add_to_row(plan, leaf, first, room[2 * m + i], room[3 * m + i], lead)
    solve_cycle_fixed_point(plan, leaf, rows, other, columns)
    for k in range(samples):
        for i in range(m):
            add(view(by_x, k * columns), factor[k] * by_start[k * m + i], view(rows, i * columns), columns)


def advance_memory_rows(plan: LawPlan, leaf: SampledLeaf, k: int, local: Any, rows: Any, new: Any) -> None:
    """Derivatives of the memory by coefficients and frequency, taken on by one sample."""
    m = leaf.memory_size
    columns = plan.tangent_width + 1
    same = local[1] == 0.0 and local[2 + m] == 0.0 and local[2 * (1 + m) + 1] == 1.0
    if m == 1 and same:  # a slider at rest
        return
    if m == 1:
        for c in range(columns):
            rows[c] = local[5] * rows[c] if local[5] != 0.0 else 0.0
        add_to_row(plan, leaf, k, local[1], local[3], rows)
        return
    for c in range(m * columns):
        new[c] = 0.0
    for i in range(m):
        row = view(new, i * columns)
        add_to_row(plan, leaf, k, local[1 + i], local[1 + m + 1 + i], row)
        for j in range(m):
            add(row, local[(2 + j) * (1 + m) + 1 + i], view(rows, j * columns), columns)
    for c in range(m * columns):
        rows[c] = new[c]
