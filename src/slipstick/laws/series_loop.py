"""The compiled force and derivative of laws in series: a safeguarded Newton solve for the deflection of the first part.

A network has two parts, and the second may be a series itself. Its numbers, after their count:

    leaves of the first part, leaves of the second, rigid limit of the second, size of the memory, size of the clock
    of each leaf: addresses of its force and of its derivative, index of its parameters, index of its memory,
                  factors of deflection and force, 1 if its memory begins with the time
    the parameters of the leaves

The memory holds the deflections of both parts and the memories of the leaves. With dampers it begins with a clock: the
time, and the time of the last update.

*Dampers.* Between two updates the deflection u moves at a constant rate v. The rate of the first part at the end is

    r = b (x - x_old)/h + (1 - b) s,    b = y/(e^y - 1),  y = h (k_1 + k_2)/(c_1 + c_2),  s = v k_2/(k_1 + k_2)

with the stiffnesses and dampings of both parts at the end. This backward difference is exact for linear parts, of
second order for smooth ones, and takes steps of any length. Beside rigid friction b is 1.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.native import Array, call_function, call_value, local_numbers, view
from slipstick.scalar import sat

HEAD, ROW = 5, 7  # numbers in front of the leaves, and of each leaf
CLOCK = 2  # numbers of a clock
INNER = 2  # deflections in front of the memories of the leaves
MAX_MEMORY = 64  # numbers that a series remembers at most

NEWTON_STEPS = 100
EXPANSIONS = 60  # of a bracket that does not hold the solution
EXPANSION_FACTOR = 8.0  # of its width
MIN_EXPANSION = 1e-30  # [m, rad or strain] its first width, at a deflection of zero
CONVERGED_REL = 4e-16  # of the deflections: the step that ends the solve
MIN_STEP = 1e-12  # [s] between two updates, for dampers: they are rigid in a jump
LINEAR_STEP = 1e-8  # of y: below it b is 1 - y/2 to rounding


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
        if leaf[6] > 0.0:
            own[0] = memory[0]
        total += leaf[5] * call_value(int(leaf[0]), view(network, int(leaf[2])), leaf[4] * u, leaf[4] * v, own)
    return total


def part_change(network: Any, part: int, at: Any, memory: Any, change: Any) -> float:
    """The change of a part's force with deflection, rate and memory; updates memory and its change.

    at : deflection, rate, and their changes.
    """
    begin = int(network[0]) if part == 1 else 0
    slope = local_numbers(1)
    total = 0.0
    for j in range(begin, begin + int(network[part])):
        leaf = view(network, HEAD + ROW * j)
        d = leaf[4]
        own = view(memory, int(leaf[3]))
        if leaf[6] > 0.0:
            own[0] = memory[0]
        call_function(
            int(leaf[1]), view(network, int(leaf[2])), d * at[0], d * at[1], own, d * at[2], d * at[3],
            view(change, int(leaf[3])), slope,
        )  # fmt: skip
        total += leaf[5] * slope[0]
    return total


def trial_slope(network: Any, part: int, at: Any, memory: Any) -> float:
    """The same without a change of the memory before; the memory stays."""
    trial = local_numbers(MAX_MEMORY)
    change = local_numbers(MAX_MEMORY)
    copy_numbers(memory, trial, int(network[3]))
    for i in range(int(network[3])):
        change[i] = 0.0
    return part_change(network, part, at, trial, change)


def set_straight_path(network: Any, u: float, v: float, memory: Any, path: Any) -> None:
    """The path to u: deflection and rate of the whole, deflections of the parts before, and factors of the first rate.

    path : u, v, x_old, u_old - x_old, b/h, (1 - b) s/v, x, 1/h; factors and 1/h are zero without dampers.
    """
    clock = int(network[4])
    path[0] = u
    path[1] = v
    path[2] = memory[clock]
    path[3] = memory[clock + 1]
    path[5] = 0.0
    path[7] = 1.0 / max(memory[0] - memory[1], MIN_STEP) if clock > 0 else 0.0
    path[4] = path[7]
    if clock > 0:
        path[1] = path[7] * (u - path[2] - path[3])


def set_rates(network: Any, path: Any, x: float, rates: Any) -> None:
    """The rates of both parts where the first one is at x; of dampless parts only the sign counts."""
    if network[4] == 0.0:
        rates[0] = path[1]
        rates[1] = path[1]
    else:
        rates[0] = path[4] * (x - path[2]) + path[5] * path[1]
        rates[1] = path[1] - rates[0]


def fit_rates(network: Any, path: Any, x: float, memory: Any) -> None:
    """Fit the backward difference to the stiffness and damping of both parts at x."""
    rates = local_numbers(2)
    at = local_numbers(4)
    set_rates(network, path, x, rates)
    stiffness = local_numbers(2)
    damping = 0.0
    for part in range(2):
        at[0] = x if part == 0 else path[0] - x
        at[1] = rates[part]
        at[2] = 1.0
        at[3] = 0.0
        stiffness[part] = trial_slope(network, part, at, memory)
        at[2] = 0.0
        at[3] = 1.0
        damping += trial_slope(network, part, at, memory)
    total = stiffness[0] + stiffness[1]
    if total > 0.0 and damping > 0.0:
        y = total / (damping * path[4])
        b = 1.0 - 0.5 * y if y < LINEAR_STEP else (y / math.expm1(y) if y < 700.0 else 0.0)
        path[4] *= b
        path[5] = (1.0 - b) * stiffness[1] / total


def excess_force(network: Any, path: Any, memory: Any, x: float) -> float:
    """The force of the first part at deflection x less that of the second at u - x; the memory stays."""
    trial = local_numbers(MAX_MEMORY)
    rates = local_numbers(2)
    copy_numbers(memory, trial, int(network[3]))
    set_rates(network, path, x, rates)
    return part_force(network, 0, x, rates[0], trial) - part_force(network, 1, path[0] - x, rates[1], trial)


def excess_slope(network: Any, path: Any, memory: Any, x: float) -> float:
    """The slope of `excess_force` over x."""
    rates = local_numbers(2)
    at = local_numbers(4)
    set_rates(network, path, x, rates)
    at[2] = 1.0
    at[3] = path[4]
    at[0] = x
    at[1] = rates[0]
    first = trial_slope(network, 0, at, memory)
    at[0] = path[0] - x
    at[1] = rates[1]
    return first + trial_slope(network, 1, at, memory)


def stuck_force(network: Any, path: Any, memory: Any) -> float:
    """The rigid friction of the second part if it does not move, cut off at its limit."""
    return sat(excess_force(network, path, memory, path[0] - path[3]), network[2])


def split_deflection(network: Any, path: Any, memory: Any, rigid: float) -> float:
    """The deflection x of the first part at which both parts have the same force.

    rigid : the force of rigid friction in the second part. If the first part can move alone at this force, it does.
    """
    far = float(path[0] - path[3])  # the first part moves alone
    at_far = excess_force(network, path, memory, far) - rigid
    if at_far == 0.0:
        return far
    near = float(path[2])  # the second part moves alone
    at_near = excess_force(network, path, memory, near) - rigid
    if at_near == 0.0:
        return near
    size = max(max(abs(path[0]), abs(near)), abs(path[3]))
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
            at_low = excess_force(network, path, memory, low) - rigid
        else:
            low = high
            at_low = at_high
            high += step
            at_high = excess_force(network, path, memory, high) - rigid
        step *= EXPANSION_FACTOR
        tries += 1
    if at_low >= 0.0 or at_high <= 0.0:
        return low if at_low >= 0.0 else high
    return find_balance(network, path, memory, rigid, low, high)


def find_balance(network: Any, path: Any, memory: Any, rigid: float, low: float, high: float) -> float:
    """Newton's method for equal forces within a bracket, with bisection where a step leaves it."""
    x = 0.5 * (low + high)
    size = max(abs(path[0]), max(abs(low), abs(high)))
    before = high - low
    for _ in range(NEWTON_STEPS):
        excess = excess_force(network, path, memory, x) - rigid
        if excess == 0.0:
            return x
        if excess > 0.0:
            high = x
        else:
            low = x
        slope = excess_slope(network, path, memory, x)
        new = x - excess / slope if slope > 0.0 else low
        if not (low < new < high) or abs(new - x) > 0.75 * before:
            new = 0.5 * (low + high)
        before = abs(new - x)
        x = new
        if before <= CONVERGED_REL * size:
            return x
    return x


def solve_series(network: Any, u: float, v: float, memory: Any, path: Any) -> float:
    """The rigid friction of the second part; ``path[6]`` is the deflection of the first part.

    path : as of `set_straight_path`, which it fills.
    """
    set_straight_path(network, u, v, memory, path)
    rigid = stuck_force(network, path, memory) if network[2] > 0.0 else 0.0
    path[6] = split_deflection(network, path, memory, rigid)
    if network[4] > 0.0 and network[2] == 0.0:
        fit_rates(network, path, path[6], memory)
        path[6] = split_deflection(network, path, memory, rigid)
    return rigid


def advance(network: Any, x: float, u: float, memory: Any) -> None:
    """Deflections and clock of the memory at the end of an update."""
    clock = int(network[4])
    memory[clock] = x
    memory[clock + 1] = u - x
    if clock > 0:
        memory[1] = memory[0]


def series_value(parameters: Array, u: float, v: float, memory: Array) -> float:
    """The force of a series; updates its memory."""
    network = view(parameters, 1)
    path = local_numbers(8)
    rates = local_numbers(2)
    solve_series(network, u, v, memory, path)
    x = path[6]
    set_rates(network, path, x, rates)
    force = part_force(network, 0, x, rates[0], memory)
    part_force(network, 1, u - x, rates[1], memory)
    advance(network, x, u, memory)
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
    clock = int(network[4])
    path = local_numbers(8)
    rates = local_numbers(2)
    at = local_numbers(4)
    rigid = solve_series(network, u, v, memory, path)
    x = path[6]
    set_rates(network, path, x, rates)
    trial = local_numbers(MAX_MEMORY)
    shift = local_numbers(MAX_MEMORY)
    copy_numbers(memory, trial, count)
    copy_numbers(change, shift, count)
    # the excess of the first part's force with u alone, x held
    at[0] = u - x
    at[1] = rates[1]
    at[2] = u_d
    at[3] = (1.0 - path[5]) * path[7] * u_d
    by_others = part_change(network, 1, at, trial, shift)
    at[0] = x
    at[1] = rates[0]
    at[2] = 0.0
    at[3] = path[5] * path[7] * u_d
    by_others -= part_change(network, 0, at, trial, shift)
    total = excess_slope(network, path, memory, x)
    if abs(rigid) < network[2] or total == 0.0:
        x_d = u_d - change[clock + 1]  # the second part sticks, or both move at one force
    else:
        x_d = by_others / total
    copy_numbers(memory, trial, count)
    force = part_force(network, 0, x, rates[0], trial)
    at[2] = x_d
    at[3] = path[4] * x_d + path[5] * path[7] * u_d
    force_d[0] = part_change(network, 0, at, memory, change)
    at[0] = u - x
    at[1] = rates[1]
    at[2] = u_d - x_d
    at[3] = path[7] * u_d - at[3]
    part_change(network, 1, at, memory, change)
    change[clock] = x_d
    change[clock + 1] = u_d - x_d
    advance(network, x, u, memory)
    return force
