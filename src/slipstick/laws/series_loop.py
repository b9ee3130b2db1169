"""The compiled force and derivative of laws in series: a safeguarded Newton solve for the deflection of the first part.

A network has two parts, and the second may be a series itself. Its numbers, after their count:

    leaves of the first part, leaves of the second, rigid limit of the second, size of the memory
    of each leaf: addresses of its force and of its derivative, index of its parameters, index of its memory,
                  factors of deflection and force
    the parameters of the leaves

The memory holds the deflections of both parts and the memories of the leaves.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import Array, call_function, call_value, local_numbers, view
from slipstick.scalar import sat

HEAD, ROW = 4, 6  # numbers in front of the leaves, and of each leaf
INNER = 2  # deflections in front of the memories of the leaves
MAX_MEMORY = 64  # numbers that a series remembers at most

NEWTON_STEPS = 100
EXPANSIONS = 60  # of a bracket that does not hold the solution
EXPANSION_FACTOR = 8.0  # of its width
MIN_EXPANSION = 1e-30  # [m, rad or strain] its first width, at a deflection of zero
CONVERGED_REL = 4e-16  # of the deflections: the step that ends the solve


def copy_numbers(source: Any, target: Any, count: int) -> None:
    for i in range(count):
        target[i] = source[i]


def part_force(network: Any, part: int, u: float, v: float, memory: Any) -> float:
    """The force of a part at its deflection; updates the memories of its leaves."""
    begin = int(network[0]) if part == 1 else 0
    total = 0.0
    for j in range(begin, begin + int(network[part])):
        leaf = view(network, HEAD + ROW * j)
        own = view(memory, int(leaf[3]))
        total += leaf[5] * call_value(int(leaf[0]), view(network, int(leaf[2])), leaf[4] * u, leaf[4] * v, own)
    return total


def part_change(network: Any, part: int, u: float, v: float, memory: Any, u_d: float, change: Any) -> float:
    """The change of a part's force with deflection and memory; updates memory and its change.

    Of the rate only the sign counts, so forces do not change with it.
    """
    begin = int(network[0]) if part == 1 else 0
    slope = local_numbers(1)
    total = 0.0
    for j in range(begin, begin + int(network[part])):
        leaf = view(network, HEAD + ROW * j)
        at = int(leaf[3])
        call_function(
            int(leaf[1]), view(network, int(leaf[2])), leaf[4] * u, leaf[4] * v, view(memory, at), leaf[4] * u_d,
            0.0, view(change, at), slope,
        )  # fmt: skip
        total += leaf[5] * slope[0]
    return total


def excess_force(network: Any, u: float, v: float, memory: Any, x: float) -> float:
    """The force of the first part at deflection x less that of the second at u - x; the memory stays."""
    trial = local_numbers(MAX_MEMORY)
    copy_numbers(memory, trial, int(network[3]))
    return part_force(network, 0, x, v, trial) - part_force(network, 1, u - x, v, trial)


def trial_slope(network: Any, part: int, u: float, v: float, memory: Any) -> float:
    """The slope of a part's force over its deflection; the memory stays."""
    trial = local_numbers(MAX_MEMORY)
    change = local_numbers(MAX_MEMORY)
    copy_numbers(memory, trial, int(network[3]))
    for i in range(int(network[3])):
        change[i] = 0.0
    return part_change(network, part, u, v, trial, 1.0, change)


def stuck_force(network: Any, u: float, v: float, memory: Array) -> float:
    """The rigid friction of the second part if it does not move, cut off at its limit."""
    return sat(excess_force(network, u, v, memory, u - memory[1]), network[2])


def split_deflection(network: Any, u: float, v: float, memory: Any, rigid: float) -> float:
    """The deflection x of the first part at which both parts have the same force.

    rigid : the force of rigid friction in the second part. If the first part can move alone at this force, it does.
    """
    far = u - float(memory[1])  # the first part moves alone
    at_far = excess_force(network, u, v, memory, far) - rigid
    if at_far == 0.0:
        return far
    near = float(memory[0])  # the second part moves alone
    at_near = excess_force(network, u, v, memory, near) - rigid
    if at_near == 0.0:
        return near
    size = max(max(abs(u), abs(near)), abs(memory[1]))
    step = max(max(abs(far - near), CONVERGED_REL * size), MIN_EXPANSION)
    low = min(near, far)
    high = max(near, far)
    at_low = at_near if near < far else at_far
    at_high = at_far if near < far else at_near
    tries = 0
    while (at_low > 0.0 or at_high < 0.0) and tries < EXPANSIONS:
        if at_low > 0.0:
            high = low
            at_high = at_low
            low -= step
            at_low = excess_force(network, u, v, memory, low) - rigid
        else:
            low = high
            at_low = at_high
            high += step
            at_high = excess_force(network, u, v, memory, high) - rigid
        step *= EXPANSION_FACTOR
        tries += 1
    if at_low >= 0.0 or at_high <= 0.0:
        return low if at_low >= 0.0 else high
    return find_balance(network, u, v, memory, rigid, low, high)


def find_balance(network: Any, u: float, v: float, memory: Any, rigid: float, low: float, high: float) -> float:
    """Newton's method for equal forces within a bracket, with bisection where a step leaves it."""
    x = 0.5 * (low + high)
    size = max(abs(u), max(abs(low), abs(high)))
    before = high - low
    for _ in range(NEWTON_STEPS):
        excess = excess_force(network, u, v, memory, x) - rigid
        if excess == 0.0:
            return x
        if excess > 0.0:
            high = x
        else:
            low = x
        slope = trial_slope(network, 0, x, v, memory) + trial_slope(network, 1, u - x, v, memory)
        new = x - excess / slope if slope > 0.0 else low
        if not (low < new < high) or abs(new - x) > 0.75 * before:
            new = 0.5 * (low + high)
        before = abs(new - x)
        x = new
        if before <= CONVERGED_REL * size:
            return x
    return x


def series_value(parameters: Array, u: float, v: float, memory: Array) -> float:
    """The force of a series; updates its memory."""
    network = view(parameters, 1)
    rigid = stuck_force(network, u, v, memory) if network[2] > 0.0 else 0.0
    x = split_deflection(network, u, v, memory, rigid)
    force = part_force(network, 0, x, v, memory)
    part_force(network, 1, u - x, v, memory)
    memory[0] = x
    memory[1] = u - x
    return force


def series_tangent(
    parameters: Array,
    u: float,
    v: float,
    memory: Array,
    u_d: float,
    v_d: float,
    change: Array,
    force_d: Array,
) -> float:
    """The force of a series, and its change with deflection, rate and memory; updates memory and its change."""
    network = view(parameters, 1)
    count = int(network[3])
    rigid = stuck_force(network, u, v, memory) if network[2] > 0.0 else 0.0
    x = split_deflection(network, u, v, memory, rigid)
    first = trial_slope(network, 0, x, v, memory)
    second = trial_slope(network, 1, u - x, v, memory)
    trial = local_numbers(MAX_MEMORY)
    shift = local_numbers(MAX_MEMORY)
    copy_numbers(memory, trial, count)
    copy_numbers(change, shift, count)
    by_memory = part_change(network, 1, u - x, v, trial, 0.0, shift)
    by_memory -= part_change(network, 0, x, v, trial, 0.0, shift)
    if abs(rigid) < network[2] or first + second == 0.0:
        x_d = u_d - change[1]  # the second part sticks, or both move at one force
    else:
        x_d = (second * u_d + by_memory) / (first + second)
    copy_numbers(memory, trial, count)
    force = part_force(network, 0, x, v, trial)
    force_d[0] = part_change(network, 0, x, v, memory, x_d, change)
    part_change(network, 1, u - x, v, memory, u_d - x_d, change)
    memory[0] = x
    memory[1] = u - x
    change[0] = x_d
    change[1] = u_d - x_d
    return force
