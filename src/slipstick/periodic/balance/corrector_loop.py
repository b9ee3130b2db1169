"""Newton's method on a plane across a curve of harmonic balance, in one call; compiled.

The equations and limits are those of `slipstick.periodic.continuation.corrector`. A Jacobian serves for several steps,
as long as the residual falls quickly. Very many unknowns are first corrected with the Jacobian of the lowest harmonics.
In special cases the function returns 0, and the general corrector takes over.
"""

from __future__ import annotations

import math

from slipstick.native import call_function, view
from slipstick.periodic.balance.assembly_loop import evaluate_equations, matrix_unknown
from slipstick.periodic.balance.records import BalancePlan
from slipstick.periodic.continuation.corrector import (
    MAX_NEWTON_STEPS,
    MAX_RESIDUAL_GROWTH,
    MIN_CROSSING_SINE,
    RANK_PIVOT_REL,
    SCALED_STEP_ROUNDING,
)

OVERFLOW_LIMIT = 1e300
CHORD_STEPS = 3  # steps that an old Jacobian may still take; a new one costs more
MANY_UNKNOWNS = 400  # from here on, factorising the whole Jacobian costs more than extra steps
PARTIAL_RESIDUAL_RATIO = 0.25  # a step with a partial Jacobian has to shrink the residual to this part


def correct_on_plane(plan: BalancePlan) -> float:
    """1 if Newton's method led from the unknowns to the plane, and there is a tangent; else 0.

    Many unknowns are first corrected with the Jacobian of the lowest harmonics, then with the whole one if that fails.
    """
    n = plan.series_count * plan.width + 1
    z = plan.unknowns
    guess = view(plan.room, 4 * n)
    for i in range(n):
        guess[i] = z[i]
    plan.partial = n > MANY_UNKNOWNS
    found = correct_once(plan, n)
    if found != 1.0 and plan.matrix_width < plan.width:
        plan.partial = False
        for i in range(n):
            z[i] = guess[i]
        found = correct_once(plan, n)
    plan.partial = False
    return found


def correct_once(plan: BalancePlan, n: int) -> float:
    """`correct_on_plane` with the Jacobian that ``partial`` allows."""
    plane = plan.plane
    row = view(plan.room, n)
    for i in range(n):
        row[i] = plane[n + i] / plane[2 * n + i]
    size = evaluate_on_plane(plan, n, 1)
    if not size < OVERFLOW_LIMIT or not factorise(plan, n):
        return 0.0
    steps = 0
    fresh = True
    plan.jacobians = 0
    while not size <= plan.tolerance:
        if steps == MAX_NEWTON_STEPS or not take_step(plan, n):
            return 0.0
        steps += 1
        before = size
        size = evaluate_on_plane(plan, n, 0)
        if not size < OVERFLOW_LIMIT or (fresh and size > MAX_RESIDUAL_GROWTH * before):
            return 0.0
        fresh = not converges_soon(plan.tolerance, before, size)
        if fresh:
            if size > PARTIAL_RESIDUAL_RATIO * before:
                plan.partial = False
            plan.jacobians += 1
            size = evaluate_on_plane(plan, n, 1)
            if not factorise(plan, n):
                return 0.0
    if steps > 0:
        plan.jacobians += 2
        if not plan.rough and not polish(plan, n) <= plan.tolerance:
            return 0.0
    return 1.0 if find_tangent(plan, n) else 0.0


def polish(plan: BalancePlan, n: int) -> float:
    """The residual after one step more with the Jacobian at the point, which gives its tangent; large on failure."""
    evaluate_on_plane(plan, n, 1)
    if not factorise(plan, n) or not take_step(plan, n):
        return OVERFLOW_LIMIT
    return evaluate_on_plane(plan, n, 0)


def converges_soon(tolerance: float, before: float, size: float) -> bool:
    """True if a few more steps with the same Jacobian suffice, judged by the last reduction of the residual."""
    ratio = size / before
    return size <= tolerance or size * math.pow(ratio, CHORD_STEPS) <= tolerance


def evaluate_on_plane(plan: BalancePlan, n: int, derived: int) -> float:
    """Evaluate the residual, with that of the plane last, and the Jacobian if wanted; the length of the residual."""
    plane = plan.plane
    z = plan.unknowns
    row = view(plan.room, n)
    right = view(row, n)
    residual = plan.residual
    matrix = plan.matrix
    evaluate_equations(plan, derived)
    ahead = -plan.distance
    for i in range(n):
        ahead += row[i] * (z[i] - plane[i])
    if derived:
        m = matrix_order(plan)
        for i in range(m):
            matrix[i * m + m - 1] = row[matrix_unknown(plan, i)]
    residual[n - 1] = ahead
    total = 0.0
    for i in range(n):
        total += residual[i] * residual[i]
        right[i] = residual[i]
    return math.sqrt(total) if total < OVERFLOW_LIMIT else OVERFLOW_LIMIT


def take_step(plan: BalancePlan, n: int) -> bool:
    """One Newton step of the unknowns; False where the frequency or the whole motion vanishes."""
    plane = plan.plane
    z = plan.unknowns
    right = view(plan.room, 2 * n)
    solve_factorised(plan, n)
    length = 0.0
    for i in range(n):
        z[i] -= right[i]
        if i < n - 1:
            part = z[i] / plane[2 * n + i]
            length += part * part
    if plane[2 * n - 1] == 1.0:  # a given frequency: to the last digit
        z[n - 1] = plane[n - 1]
    return z[n - 1] > 0.0 and length > SCALED_STEP_ROUNDING * SCALED_STEP_ROUNDING


def matrix_order(plan: BalancePlan) -> int:
    """Rows of the Jacobian, with that of the plane."""
    return plan.series_count * plan.matrix_width + 1


def factorise(plan: BalancePlan, n: int) -> bool:
    """Factorise the Jacobian in place; False without full rank."""
    counts = plan.laws.integers
    matrix = plan.matrix
    scale = view(plan.plane, 2 * n)
    pivots = plan.pivots
    m = matrix_order(plan)
    order = view(counts, m)
    call_function(plan.dgetrf, order, order, matrix, order, view(pivots, 1), pivots)
    least = OVERFLOW_LIMIT
    most = 0.0
    for i in range(m):
        pivot = abs(matrix[i * m + i] * scale[matrix_unknown(plan, i)])
        least = min(least, pivot)
        most = max(most, pivot)
    return least > RANK_PIVOT_REL * most and most < OVERFLOW_LIMIT


def solve_factorised(plan: BalancePlan, n: int) -> None:
    """Solve for the right side in place; harmonics that a partial Jacobian lacks hardly act on themselves."""
    laws = plan.laws
    counts = laws.integers
    pivots = plan.pivots
    right = view(plan.room, 2 * n)
    m = matrix_order(plan)
    order = view(counts, m)
    own = view(right, n if m < n else 0)
    if m < n:
        for i in range(m):
            place = matrix_unknown(plan, i)
            own[i] = right[place]
            right[place] = 0.0
        for i in range(n):
            right[i] = right[i] / plan.unit
    call_function(
        plan.dgetrs, laws.letters, order, view(counts, 1), plan.matrix, order,
        view(pivots, 1), own, order, pivots,
    )  # fmt: skip
    if m < n:
        for i in range(m):
            right[matrix_unknown(plan, i)] = own[i]


def find_tangent(plan: BalancePlan, n: int) -> bool:
    """The unit tangent in units of the plane's scale, and its angle; False where the curve runs along the plane."""
    plane = plan.plane
    tangent = plan.room
    right = view(tangent, 2 * n)
    residual = plan.residual
    plan.largest = 0.0
    for i in range(n):
        plan.largest = max(plan.largest, abs(residual[i]))
        right[i] = 0.0
    right[n - 1] = 1.0
    solve_factorised(plan, n)
    length = 0.0
    across = 0.0
    for i in range(n):
        tangent[i] = right[i] / plane[2 * n + i]
        length += tangent[i] * tangent[i]
        across += tangent[i] * plane[n + i]
    length = math.sqrt(length)
    if not (length > 0.0 and length < OVERFLOW_LIMIT and across > MIN_CROSSING_SINE * length):
        return False
    plan.turn = math.acos(min(across / length, 1.0))
    for i in range(n):
        tangent[i] /= length
    return True
