"""Laws with a stack of reversals along the samples of a closed cycle; compiled.

The stack is no fixed number of memories, so derivatives are carried through the whole history, one direction at a time.
"""

from __future__ import annotations

from typing import Any

from slipstick.laws.reversal_stack import stack_size
from slipstick.native import Array, call_function, call_value, numbers_at, view
from slipstick.periodic.balance.derivative_rows_loop import prepare_rows
from slipstick.periodic.balance.fourier_loop import wave_at
from slipstick.periodic.balance.records import (
    BY_COEFFICIENTS,
    BY_X,
    CIRCLE,
    CLOSED,
    DEFLECTION,
    DIRECTION,
    FACTOR,
    FORCE,
    LENGTH,
    LINE,
    LOCAL,
    MEMORY,
    MOST_CYCLES,
    ONLY_FORCES,
    ONLY_HARMONICS,
    OPEN,
    PARAMETERS,
    ROOM,
    SAMPLES,
    SCALE,
    STALLED,
    TANGENT,
    TANGENT_WIDTH,
    TRIAL,
    VALUE,
    VIRGIN,
    WANTED,
)

BRANCH_SLOPE_OFFSET_REL = 1e-9  # of the way to a sample: how far before it the slope of a branch is taken


def farthest_sample(u: Any, samples: int) -> int:
    """The sample farthest from zero; at it a cycle turns back."""
    found = 0
    for k in range(1, samples):
        if abs(u[k]) > abs(u[found]):
            found = k
    return found


def evaluate_stack(plan: Array, leaf: Any, e: int) -> None:
    """A leaf that remembers reversals: one run for the forces, and one in the direction of each coefficient."""
    samples = int(plan[SAMPLES])
    width = int(plan[TANGENT_WIDTH])
    begin = int(leaf[LINE]) * samples
    u = view(numbers_at(int(plan[DEFLECTION])), 2 * begin)
    first = farthest_sample(u, samples)
    factor = numbers_at(int(leaf[FACTOR]))
    parameters = numbers_at(int(leaf[PARAMETERS]))
    memory = numbers_at(int(leaf[MEMORY]))
    force = view(numbers_at(int(plan[FORCE])), begin)
    last = numbers_at(int(leaf[ROOM]))
    reset_memory(leaf)
    before = call_value(int(leaf[VALUE]), parameters, leaf[SCALE] * u[first], 0.0, memory)
    gap = 1.0
    largest = 0.0
    cycle = 0
    while cycle < MOST_CYCLES:
        k = first
        largest = 0.0
        for _ in range(samples):
            k += 1
            if k == samples:
                k = 0
            last[k] = call_value(int(leaf[VALUE]), parameters, leaf[SCALE] * u[k], 0.0, memory)
            largest = max(largest, abs(last[k]))
        cycle += 1
        wider = gap
        gap = abs(last[first] - before)
        before = last[first]
        if gap <= 10.0 * CLOSED * largest or (cycle > 2 and gap >= STALLED * wider):
            break
    for k in range(samples):
        force[k] += factor[k] * last[k]
    numbers_at(int(plan[OPEN]))[e] = gap / largest if largest > 0.0 else gap
    if plan[WANTED] == BY_COEFFICIENTS or plan[WANTED] == ONLY_HARMONICS:
        prepare_rows(plan, int(leaf[LINE]))
        for c in range(width):
            stack_derivative(plan, leaf, first, cycle, c)
    if plan[WANTED] != ONLY_FORCES:
        slopes_of_branches(plan, leaf, first, cycle)


def reset_memory(leaf: Any) -> None:
    """The memory of a virgin law, and no direction."""
    virgin = numbers_at(int(leaf[VIRGIN]))
    memory = numbers_at(int(leaf[MEMORY]))
    direction = numbers_at(int(leaf[DIRECTION]))
    for i in range(int(leaf[LENGTH])):
        memory[i] = virgin[i]
        direction[i] = 0.0


def stack_derivative(plan: Array, leaf: Any, first: int, cycles: int, c: int) -> None:
    """The derivative of a stack's forces by one coefficient, through its whole history."""
    samples = int(plan[SAMPLES])
    width = int(plan[TANGENT_WIDTH])
    columns = width + 1
    begin = int(leaf[LINE]) * samples
    scale = leaf[SCALE]
    u = view(numbers_at(int(plan[DEFLECTION])), 2 * begin)
    circle = numbers_at(int(plan[CIRCLE]))
    by_x = view(numbers_at(int(plan[BY_X])), begin * columns)
    factor = numbers_at(int(leaf[FACTOR]))
    parameters = numbers_at(int(leaf[PARAMETERS]))
    memory = numbers_at(int(leaf[MEMORY]))
    direction = numbers_at(int(leaf[DIRECTION]))
    slope = numbers_at(int(leaf[TRIAL]))
    tangent = int(leaf[TANGENT])
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


def slopes_of_branches(plan: Array, leaf: Any, first: int, cycles: int) -> None:
    """d force / d deflection at each sample with the reversals held; for the stability of the orbit."""
    samples = int(plan[SAMPLES])
    u = view(numbers_at(int(plan[DEFLECTION])), 2 * int(leaf[LINE]) * samples)
    parameters = numbers_at(int(leaf[PARAMETERS]))
    memory = numbers_at(int(leaf[MEMORY]))
    trial = numbers_at(int(leaf[TRIAL]))
    direction = numbers_at(int(leaf[DIRECTION]))
    local = numbers_at(int(leaf[LOCAL]))
    reset_memory(leaf)
    call_value(int(leaf[VALUE]), parameters, leaf[SCALE] * u[first], 0.0, memory)
    for cycle in range(cycles):
        k = first
        for _ in range(samples):
            k += 1
            if k == samples:
                k = 0
            if cycle == cycles - 1:
                for i in range(stack_size(memory, 1)):
                    trial[i] = memory[i]
                    direction[i] = 0.0
                own = view(local, 2 * k)
                own[1] = 0.0
                before = u[k - 1] if k > 0 else u[samples - 1]
                x = leaf[SCALE] * (
                    u[k] - BRANCH_SLOPE_OFFSET_REL * (u[k] - before)
                )  # at its very tip a loop is forgotten
                call_function(int(leaf[TANGENT]), parameters, x, 0.0, trial, leaf[SCALE], 0.0, direction, own)
            call_value(int(leaf[VALUE]), parameters, leaf[SCALE] * u[k], 0.0, memory)
