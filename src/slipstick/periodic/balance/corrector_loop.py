"""Newton's method on a plane across a curve of harmonic balance, in one call; compiled.

The equations and limits are those of `slipstick.periodic.continuation.corrector`. A Jacobian serves for several steps,
as long as the residual falls quickly. Very many unknowns are first corrected with the Jacobian of the lowest harmonics.
In special cases the function returns 0, and the general corrector takes over.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.native import Array, call_function, numbers_at, view
from slipstick.periodic.balance.assembly_loop import (
    ASSEMBLY_LENGTH,
    COEFFICIENTS,
    LAWS,
    MATRIX,
    MATRIX_WIDTH,
    PARTIAL,
    RESIDUAL,
    SERIES,
    UNIT,
    UNKNOWNS,
    evaluate_equations,
    matrix_unknown,
)
from slipstick.periodic.balance.records import COUNTS, LETTERS
from slipstick.periodic.continuation.corrector import (
    MAX_NEWTON_STEPS,
    MAX_RESIDUAL_GROWTH,
    MIN_CROSSING_SINE,
    RANK_PIVOT_REL,
    SCALED_STEP_ROUNDING,
)

# addresses: origin, normal and scale of the plane (3, size + 1); the tangent, the plane's row of the Jacobian, the
# right side, its part in a partial Jacobian, and the guess (5, size + 1); pivots
PLANE, ROOM, PIVOTS = range(ASSEMBLY_LENGTH, ASSEMBLY_LENGTH + 3)
# numbers: distance of the plane from its origin; 1 where the last Jacobian may give the tangent; tolerance; addresses
# of LAPACK routines
DISTANCE, ROUGH, TOLERANCE, DGETRF, DGETRS = range(PIVOTS + 1, PIVOTS + 6)
# results: Newton steps that it counts as, by Jacobians; largest residual; angle between tangent and normal [rad]
JACOBIANS, LARGEST, TURNED = range(DGETRS + 1, DGETRS + 4)
CORRECTOR_LENGTH = TURNED + 1

OVERFLOW_LIMIT = 1e300
CHORD_STEPS = 3  # steps that an old Jacobian may still take; a new one costs more
MANY_UNKNOWNS = 400  # from here on, factorising the whole Jacobian costs more than extra steps
PARTIAL_RESIDUAL_RATIO = 0.25  # a step with a partial Jacobian has to shrink the residual to this part


def correct_on_plane(plan: Array) -> float:
    """1 if Newton's method led from the unknowns to the plane, and there is a tangent; else 0.

    Many unknowns are first corrected with the Jacobian of the lowest harmonics, then with the whole one if that fails.
    """
    n = int(plan[SERIES]) * int(plan[COEFFICIENTS]) + 1
    z = numbers_at(int(plan[UNKNOWNS]))
    guess = view(numbers_at(int(plan[ROOM])), 4 * n)
    for i in range(n):
        guess[i] = z[i]
    plan[PARTIAL] = 1.0 if n > MANY_UNKNOWNS else 0.0
    found = correct_once(plan, n)
    if found != 1.0 and plan[MATRIX_WIDTH] < plan[COEFFICIENTS]:
        plan[PARTIAL] = 0.0
        for i in range(n):
            z[i] = guess[i]
        found = correct_once(plan, n)
    plan[PARTIAL] = 0.0
    return found


def correct_once(plan: Array, n: int) -> float:
    """`correct_on_plane` with the Jacobian that PARTIAL allows."""
    plane = numbers_at(int(plan[PLANE]))
    row = view(numbers_at(int(plan[ROOM])), n)
    for i in range(n):
        row[i] = plane[n + i] / plane[2 * n + i]
    size = evaluate_on_plane(plan, n, 1)
    if not size < OVERFLOW_LIMIT or not factorise(plan, n):
        return 0.0
    steps = 0
    fresh = True
    plan[JACOBIANS] = 0.0
    while not size <= plan[TOLERANCE]:
        if steps == MAX_NEWTON_STEPS or not take_step(plan, n):
            return 0.0
        steps += 1
        before = size
        size = evaluate_on_plane(plan, n, 0)
        if not size < OVERFLOW_LIMIT or (fresh and size > MAX_RESIDUAL_GROWTH * before):
            return 0.0
        fresh = not converges_soon(plan[TOLERANCE], before, size)
        if fresh:
            if size > PARTIAL_RESIDUAL_RATIO * before:
                plan[PARTIAL] = 0.0
            plan[JACOBIANS] += 1.0
            size = evaluate_on_plane(plan, n, 1)
            if not factorise(plan, n):
                return 0.0
    if steps > 0:
        plan[JACOBIANS] += 2.0
        if plan[ROUGH] == 0.0 and not polish(plan, n) <= plan[TOLERANCE]:
            return 0.0
    return 1.0 if find_tangent(plan, n) else 0.0


def polish(plan: Any, n: int) -> float:
    """The residual after one step more with the Jacobian at the point, which gives its tangent; large on failure."""
    evaluate_on_plane(plan, n, 1)
    if not factorise(plan, n) or not take_step(plan, n):
        return OVERFLOW_LIMIT
    return evaluate_on_plane(plan, n, 0)


def converges_soon(tolerance: float, before: float, size: float) -> bool:
    """True if a few more steps with the same Jacobian suffice, judged by the last reduction of the residual."""
    ratio = size / before
    return size <= tolerance or size * math.pow(ratio, CHORD_STEPS) <= tolerance


def evaluate_on_plane(plan: Any, n: int, derived: int) -> float:
    """Evaluate the residual, with that of the plane last, and the Jacobian if wanted; the length of the residual."""
    plane = numbers_at(int(plan[PLANE]))
    z = numbers_at(int(plan[UNKNOWNS]))
    row = view(numbers_at(int(plan[ROOM])), n)
    right = view(row, n)
    residual = numbers_at(int(plan[RESIDUAL]))
    matrix = numbers_at(int(plan[MATRIX]))
    evaluate_equations(plan, derived)
    ahead = -plan[DISTANCE]
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


def take_step(plan: Any, n: int) -> bool:
    """One Newton step of the unknowns; False where the frequency or the whole motion vanishes."""
    plane = numbers_at(int(plan[PLANE]))
    z = numbers_at(int(plan[UNKNOWNS]))
    right = view(numbers_at(int(plan[ROOM])), 2 * n)
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


def matrix_order(plan: Any) -> int:
    """Rows of the Jacobian, with that of the plane."""
    return int(plan[SERIES]) * int(plan[MATRIX_WIDTH]) + 1


def factorise(plan: Any, n: int) -> bool:
    """Factorise the Jacobian in place; False without full rank."""
    counts = numbers_at(int(numbers_at(int(plan[LAWS]))[COUNTS]))
    matrix = numbers_at(int(plan[MATRIX]))
    scale = view(numbers_at(int(plan[PLANE])), 2 * n)
    pivots = numbers_at(int(plan[PIVOTS]))
    m = matrix_order(plan)
    order = view(counts, m)
    call_function(int(plan[DGETRF]), order, order, matrix, order, view(pivots, 1), pivots)
    least = OVERFLOW_LIMIT
    most = 0.0
    for i in range(m):
        pivot = abs(matrix[i * m + i] * scale[matrix_unknown(plan, i)])
        least = min(least, pivot)
        most = max(most, pivot)
    return least > RANK_PIVOT_REL * most and most < OVERFLOW_LIMIT


def solve_factorised(plan: Any, n: int) -> None:
    """Solve for the right side in place; harmonics that a partial Jacobian lacks hardly act on themselves."""
    laws = numbers_at(int(plan[LAWS]))
    counts = numbers_at(int(laws[COUNTS]))
    pivots = numbers_at(int(plan[PIVOTS]))
    right = view(numbers_at(int(plan[ROOM])), 2 * n)
    m = matrix_order(plan)
    order = view(counts, m)
    own = view(right, n if m < n else 0)
    if m < n:
        for i in range(m):
            place = matrix_unknown(plan, i)
            own[i] = right[place]
            right[place] = 0.0
        for i in range(n):
            right[i] = right[i] / plan[UNIT]
    call_function(
        int(plan[DGETRS]), numbers_at(int(laws[LETTERS])), order, view(counts, 1), numbers_at(int(plan[MATRIX])), order,
        view(pivots, 1), own, order, pivots,
    )  # fmt: skip
    if m < n:
        for i in range(m):
            right[matrix_unknown(plan, i)] = own[i]


def find_tangent(plan: Any, n: int) -> bool:
    """The unit tangent in units of the plane's scale, and its angle; False where the curve runs along the plane."""
    plane = numbers_at(int(plan[PLANE]))
    tangent = numbers_at(int(plan[ROOM]))
    right = view(tangent, 2 * n)
    residual = numbers_at(int(plan[RESIDUAL]))
    plan[LARGEST] = 0.0
    for i in range(n):
        plan[LARGEST] = max(plan[LARGEST], abs(residual[i]))
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
    plan[TURNED] = math.acos(min(across / length, 1.0))
    for i in range(n):
        tangent[i] /= length
    return True
