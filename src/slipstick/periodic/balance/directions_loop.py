"""Laws with several deflections along the samples of a closed cycle, with derivatives; compiled.

A law of D directions acts on D lines behind each other, and its leaf of the first one has its memory (m numbers, then
D deflections, D rates and D forces, see `slipstick.laws.directions`). The memory begins as for other laws: led straight
to the sample where the first deflection is farthest from zero. Plain cycles mostly close it; else Newton's method does.

At each sample ``local`` has a row for each input, deflections, rates and memory (2 D + m), of all outputs, forces and
memory (D + m).
"""

from __future__ import annotations

from slipstick.native import call_function, call_value, view
from slipstick.periodic.balance.derivative_rows_loop import clear, rate_of, solve_fixed_point
from slipstick.periodic.balance.direction_rows_loop import carry_intervals, carry_rows, forces_at
from slipstick.periodic.balance.records import (
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
from slipstick.periodic.balance.reversal_stack_loop import farthest_sample

PLAIN_CYCLES = 4  # that are tried without derivatives: a contact settles in two


def evaluate_directions(plan: LawPlan, leaf: SampledLeaf, e: int) -> None:
    """Forces of all directions, and what is wanted of their derivatives."""
    m = leaf.memory_size
    d = leaf.directions
    samples = plan.sample_count
    room = leaf.room
    first = farthest_sample(view(plan.deflection, 2 * leaf.line * samples), samples)
    for i in range(m):
        leaf.memory[i] = leaf.virgin[i]
    derived = plan.wanted != ONLY_FORCES
    follow_sample(plan, leaf, first, derived)
    if derived:
        lead = view(room, 2 * m)
        block = view(leaf.local, first * (2 * d + m) * (d + m))
        for i in range(2 * d):
            for j in range(m):
                lead[i * m + j] = block[i * (d + m) + d + j]
    came_back = m == 0
    for _ in range(PLAIN_CYCLES):
        if not came_back or (not derived and m == 0):
            for i in range(m):
                room[i] = leaf.memory[i]
            plain_cycle(plan, leaf, first)
            came_back = True
            for i in range(m):
                came_back = came_back and leaf.memory[i] == room[i]
            if m == 0:
                break
    plan.closure_gaps[e] = 0.0
    if derived or not came_back:
        plan.closure_gaps[e] = settle_with_derivatives(plan, leaf, first)
    forces = view(room, forces_at(m, d, samples))
    for j in range(d):
        factor = plan.leaves[e + j].factor
        out = view(plan.force, (leaf.line + j) * samples)
        for k in range(samples):
            out[k] += factor[k] * forces[k * d + j]
    if plan.wanted == ONLY_HARMONICS and leaf.rate_kind == NO_RATE:
        carry_intervals(plan, leaf, e, first)
    elif plan.wanted == BY_COEFFICIENTS or plan.wanted == ONLY_HARMONICS:
        carry_rows(plan, leaf, e, first)


def follow_sample(plan: LawPlan, leaf: SampledLeaf, k: int, derived: bool) -> None:
    """Advance the memory to sample k; its derivatives by all inputs go to ``local``."""
    m = leaf.memory_size
    d = leaf.directions
    samples = plan.sample_count
    memory = leaf.memory
    rates = leaf.rate_kind != NO_RATE
    for j in range(d):
        at = 2 * (leaf.line + j) * samples + k
        memory[m + j] = plan.deflection[at]
        memory[m + d + j] = rate_of(plan, leaf) * plan.slope[at] if rates else 0.0
    if derived:
        trial = leaf.trial
        along = leaf.direction
        local = view(leaf.local, k * (2 * d + m) * (d + m))
        for i in range(2 * d + m):
            own = view(local, i * (d + m))
            clear(own, d + m)
            if d <= i < 2 * d and not rates:
                continue
            for c in range(m + 2 * d):
                trial[c] = memory[c]
                along[c] = 0.0
            along[m + i if i < 2 * d else i - 2 * d] = 1.0
            call_function(leaf.tangent_function, leaf.parameters, 0.0, 0.0, trial, 0.0, 0.0, along, leaf.slope)
            for j in range(d):
                own[j] = along[m + 2 * d + j]
            for j in range(m):
                own[d + j] = along[j]
    call_value(leaf.value_function, leaf.parameters, 0.0, 0.0, memory)


def plain_cycle(plan: LawPlan, leaf: SampledLeaf, first: int) -> None:
    """Forces in a cycle from behind the sample ``first``."""
    m = leaf.memory_size
    d = leaf.directions
    samples = plan.sample_count
    out = view(leaf.room, forces_at(m, d, samples))
    k = first
    for _ in range(samples):
        k = k + 1 if k + 1 < samples else 0
        follow_sample(plan, leaf, k, False)
        for j in range(d):
            out[k * d + j] = leaf.memory[m + 2 * d + j]


def settle_with_derivatives(plan: LawPlan, leaf: SampledLeaf, first: int) -> float:
    """Cycles with derivatives by the memory at the start, until it closes; its gap over the largest force."""
    gap = 1.0
    largest = 0.0
    cycle = 0
    while cycle < MAX_CYCLES:
        before = gap
        largest = cycle_with_derivatives(plan, leaf, first)
        gap = closing_gap(plan, leaf)
        cycle += 1
        if gap <= CLOSURE_REL * largest or (cycle > 1 and gap >= STALLED_RATIO * before):
            break
        if cycle < MAX_NEWTON_CYCLES:
            newton_on_directions(plan, leaf)
    return gap / largest if largest > 0.0 else gap


def cycle_with_derivatives(plan: LawPlan, leaf: SampledLeaf, first: int) -> float:
    """One cycle; derivatives of forces and memory by the memory it began with. The largest force."""
    m = leaf.memory_size
    d = leaf.directions
    samples = plan.sample_count
    room = leaf.room
    now = view(room, 2 * m + 2 * d * m)
    then = view(now, m * m)
    by_start = view(then, m * m)
    forces = view(room, forces_at(m, d, samples))
    largest = 0.0
    for i in range(m):
        room[i] = leaf.memory[i]
        for j in range(m):
            now[i * m + j] = 1.0 if i == j else 0.0
    k = first
    for _ in range(samples):
        k = k + 1 if k + 1 < samples else 0
        follow_sample(plan, leaf, k, True)
        block = view(leaf.local, (k * (2 * d + m) + 2 * d) * (d + m))
        for j in range(d):
            forces[k * d + j] = leaf.memory[m + 2 * d + j]
            largest = max(largest, abs(forces[k * d + j]))
        for j in range(d + m):
            for c in range(m):
                total = 0.0
                for i in range(m):
                    total += block[i * (d + m) + j] * now[i * m + c]
                if j < d:
                    by_start[(k * d + j) * m + c] = total
                else:
                    then[(j - d) * m + c] = total
        for i in range(m * m):
            now[i] = then[i]
    for i in range(m):
        room[m + i] = leaf.memory[i] - room[i]
    return largest


def closing_gap(plan: LawPlan, leaf: SampledLeaf) -> float:
    """How much forces of the next cycle would differ, by what the memory has changed in this one."""
    m = leaf.memory_size
    d = leaf.directions
    by_start = view(leaf.room, 2 * m + 2 * d * m + 2 * m * m)
    gap = 0.0
    noticed = 0.0  # NaN in one sample must not be hidden by the next
    for k in range(plan.sample_count * d):
        total = 0.0
        for i in range(m):
            if by_start[k * m + i] != 0.0:
                total += by_start[k * m + i] * leaf.room[m + i]
        gap = max(gap, abs(total))
        noticed += 0.0 * total
    return gap + noticed


def newton_on_directions(plan: LawPlan, leaf: SampledLeaf) -> None:
    """Newton's step for a memory that a cycle brings back to itself."""
    m = leaf.memory_size
    d = leaf.directions
    block = d * (plan.tangent_width + 1)
    room = leaf.room
    rows = view(room, forces_at(m, d, plan.sample_count) + plan.sample_count * d)
    other = view(rows, m * block)
    for i in range(m):
        rows[i * block] = room[m + i]
        other[i * block] = 0.0
    solve_fixed_point(view(room, 2 * m + 2 * d * m), view(other, m * block), m, block, rows, other, 1)
    for i in range(m):
        leaf.memory[i] = room[i] + rows[i * block]
