"""Laws with a stack of reversals along the samples of a closed cycle; compiled.

The stack is no fixed number of memories, so derivatives are carried through the whole history, one direction at a time.
"""

from __future__ import annotations

from typing import Any

from slipstick.laws.reversal_stack import stack_size
from slipstick.native import call_function, call_value, view
from slipstick.periodic.balance.derivative_rows_loop import prepare_rows
from slipstick.periodic.balance.fourier_loop import wave_at
from slipstick.periodic.balance.records import (
    BY_COEFFICIENTS,
    CLOSURE_REL,
    MAX_CYCLES,
    ONLY_FORCES,
    ONLY_HARMONICS,
    STALLED_RATIO,
    LawPlan,
    SampledLeaf,
)

BRANCH_SLOPE_OFFSET_REL = 1e-9  # of the way to a sample: how far before it the slope of a branch is taken


def farthest_sample(u: Any, samples: int) -> int:
    """The sample farthest from zero; at it a cycle turns back."""
    found = 0
    for k in range(1, samples):
        if abs(u[k]) > abs(u[found]):
            found = k
    return found


def evaluate_stack(plan: LawPlan, leaf: SampledLeaf, e: int) -> None:
    """A leaf that remembers reversals: one run for the forces, and one in the direction of each coefficient."""
    samples = plan.sample_count
    width = plan.tangent_width
    begin = leaf.line * samples
    u = view(plan.deflection, 2 * begin)
    first = farthest_sample(u, samples)
    factor = leaf.factor
    parameters = leaf.parameters
    memory = leaf.memory
    force = view(plan.force, begin)
    last = leaf.room
    reset_memory(leaf)
    before = call_value(leaf.value_function, parameters, leaf.scale * u[first], 0.0, memory)
    gap = 1.0
    largest = 0.0
    cycle = 0
    while cycle < MAX_CYCLES:
        k = first
        largest = 0.0
        for _ in range(samples):
            k += 1
            if k == samples:
                k = 0
            last[k] = call_value(leaf.value_function, parameters, leaf.scale * u[k], 0.0, memory)
            largest = max(largest, abs(last[k]))
        cycle += 1
        wider = gap
        gap = abs(last[first] - before)
        before = last[first]
        if gap <= 10.0 * CLOSURE_REL * largest or (cycle > 2 and gap >= STALLED_RATIO * wider):
            break
    for k in range(samples):
        force[k] += factor[k] * last[k]
    plan.closure_gaps[e] = gap / largest if largest > 0.0 else gap
    if plan.wanted == BY_COEFFICIENTS or plan.wanted == ONLY_HARMONICS:
        prepare_rows(plan, leaf.line)
        for c in range(width):
            stack_derivative(plan, leaf, first, cycle, c)
    if plan.wanted != ONLY_FORCES:
        slopes_of_branches(plan, leaf, first, cycle)


def reset_memory(leaf: SampledLeaf) -> None:
    """The memory of a virgin law, and no direction."""
    virgin = leaf.virgin
    memory = leaf.memory
    direction = leaf.direction
    for i in range(leaf.memory_length):
        memory[i] = virgin[i]
        direction[i] = 0.0


def stack_derivative(plan: LawPlan, leaf: SampledLeaf, first: int, cycles: int, c: int) -> None:
    """The derivative of a stack's forces by one coefficient, through its whole history."""
    samples = plan.sample_count
    width = plan.tangent_width
    columns = width + 1
    begin = leaf.line * samples
    scale = leaf.scale
    u = view(plan.deflection, 2 * begin)
    circle = plan.circle
    by_x = view(plan.by_coefficients, begin * columns)
    factor = leaf.factor
    parameters = leaf.parameters
    memory = leaf.memory
    direction = leaf.direction
    slope = leaf.trial
    tangent = leaf.tangent_function
    reset_memory(leaf)
    d = scale * wave_at(circle, samples, first, width, c)
    call_function(tangent, parameters, scale * u[first], 0.0, memory, d, 0.0, direction, slope)
    for cycle in range(cycles):
        k = first
        for _ in range(samples):
            k += 1
            if k == samples:
                k = 0
            d = scale * wave_at(circle, samples, k, width, c)
            call_function(tangent, parameters, scale * u[k], 0.0, memory, d, 0.0, direction, slope)
            if cycle == cycles - 1:
                by_x[k * columns + c] += factor[k] * slope[0]


def slopes_of_branches(plan: LawPlan, leaf: SampledLeaf, first: int, cycles: int) -> None:
    """d force / d deflection at each sample with the reversals held; for the stability of the orbit."""
    samples = plan.sample_count
    u = view(plan.deflection, 2 * leaf.line * samples)
    parameters = leaf.parameters
    memory = leaf.memory
    trial = leaf.trial
    direction = leaf.direction
    local = leaf.local
    reset_memory(leaf)
    call_value(leaf.value_function, parameters, leaf.scale * u[first], 0.0, memory)
    for cycle in range(cycles):
        k = first
        for _ in range(samples):
            k += 1
            if k == samples:
                k = 0
            if cycle == cycles - 1:
                for i in range(stack_size(memory, 1)):  # type: ignore[arg-type]
                    trial[i] = memory[i]
                    direction[i] = 0.0
                own = view(local, 2 * k)
                own[1] = 0.0
                before = u[k - 1] if k > 0 else u[samples - 1]
                x = leaf.scale * (
                    u[k] - BRANCH_SLOPE_OFFSET_REL * (u[k] - before)
                )  # at its very tip a loop is forgotten
                call_function(leaf.tangent_function, parameters, x, 0.0, trial, leaf.scale, 0.0, direction, own)
            call_value(leaf.value_function, parameters, leaf.scale * u[k], 0.0, memory)
