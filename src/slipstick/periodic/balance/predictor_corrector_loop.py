"""One step along a curve of harmonic balance: prediction, Newton's method across it, tangent; compiled.

Matrices are used again as long as that is cheaper than a new one: most points need one. Where anything is out of the
ordinary it says so, and the general way (`continuation.path`, `continuation.corrector`) is taken instead.
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
from slipstick.periodic.balance.records import COUNTS, LETTERS, SMALL
from slipstick.periodic.continuation.corrector import (
    MAX_NEWTON_STEPS,
    MAX_RESIDUAL_GROWTH,
    MIN_CROSSING_SINE,
    RANK_PIVOT_REL,
    SCALED_STEP_ROUNDING,
)

# addresses: of the last point unknowns and frequency, tangent, scale (3, size + 1), of the one before (3, size + 1);
# of the new one the same (3, size + 1); guess, row of the plane, right side, its part in the matrix (4, size + 1); room
# for whole numbers
LAST, BEFORE, NEW, TRIAL_ROWS, PIVOTS = range(ASSEMBLY_LENGTH, ASSEMBLY_LENGTH + 5)
# numbers: 1 if there is one before that the curve bends from; length of the step; the range of frequency; tolerance;
# addresses of routines
BENDS, LENGTH_OF_STEP, SPAN, TOLERANCE, DGETRF, DGETRS = range(PIVOTS + 1, PIVOTS + 7)
# out: steps of Newton, largest residual, turn [rad], how far the guess was corrected, matrices
STEPS, LARGEST, TURNED, CORRECTED, FACTORISED = range(DGETRS + 1, DGETRS + 6)
STEP_LENGTH = FACTORISED + 1

OVERFLOW_LIMIT = 1e300  # what is beyond is no number
PARTIAL_RESIDUAL_RATIO = 0.25  # by which a step with a matrix of low harmonics shrinks the residual at least
MANY = 400  # unknowns: factors of so large a matrix take longer than some more steps


def predict_and_correct(plan: Any) -> float:
    """1 if a point one step ahead was found; 0: the general way has to be taken, -1: Newton's method lost its way.

    MANY unknowns are first corrected with a matrix of the lowest harmonics, then with the whole one if that fails.
    """
    plan[PARTIAL] = 1.0 if unknown_count(plan) > MANY else 0.0
    found = predict_and_correct_once(plan)
    if found != 1.0 and plan[MATRIX_WIDTH] < plan[COEFFICIENTS]:
        plan[PARTIAL] = 0.0
        found = predict_and_correct_once(plan)
    plan[PARTIAL] = 0.0
    return found


def unknown_count(plan: Any) -> int:
    """Unknowns with the frequency."""
    return int(plan[SERIES]) * int(plan[COEFFICIENTS]) + 1


def predict_and_correct_once(plan: Any) -> float:
    """`predict_and_correct` with the matrix that PARTIAL allows."""
    n = int(plan[SERIES]) * int(plan[COEFFICIENTS]) + 1
    last = numbers_at(int(plan[LAST]))
    rows = numbers_at(int(plan[TRIAL_ROWS]))
    z = numbers_at(int(plan[UNKNOWNS]))
    predict(plan, n)
    for i in range(n):
        z[i] = rows[i]
        rows[n + i] = last[n + i] / last[2 * n + i]
    found = newton_on_plane(plan, n)
    if found != 1.0:
        return found
    moved = 0.0
    for i in range(n):
        part = (z[i] - rows[i]) / last[2 * n + i]
        moved += part * part
    plan[CORRECTED] = math.sqrt(moved)
    return store_new_point(plan, n)


def correct_on_plane(plan: Array) -> float:
    """1 if Newton's method led from the guess to a point on the plane across the row of LAST at LENGTH_OF_STEP from it;
    0: the general way has to be taken. Its tangent is measured as the plane is. Each step has a matrix of its own,
    unless there are MANY unknowns and those at hand soon lead to the point; STEPS counts the matrices. MANY unknowns
    are first corrected with a matrix of the lowest harmonics, then with the whole one if that fails."""
    plan[PARTIAL] = 1.0 if unknown_count(plan) > MANY else 0.0
    found = correct_on_plane_once(plan)
    if found != 1.0 and plan[MATRIX_WIDTH] < plan[COEFFICIENTS]:
        plan[PARTIAL] = 0.0
        found = correct_on_plane_once(plan)
    plan[PARTIAL] = 0.0
    return found


def correct_on_plane_once(plan: Array) -> float:
    """`correct_on_plane` with the matrix that PARTIAL allows."""
    n = int(plan[SERIES]) * int(plan[COEFFICIENTS]) + 1
    last = numbers_at(int(plan[LAST]))
    new = numbers_at(int(plan[NEW]))
    rows = numbers_at(int(plan[TRIAL_ROWS]))
    z = numbers_at(int(plan[UNKNOWNS]))
    right = view(rows, 2 * n)
    for i in range(n):
        z[i] = new[i]
        rows[n + i] = last[n + i] / last[2 * n + i]
    steps = 0
    kept = False
    size = evaluate_trial(plan, n, 1)
    while size < OVERFLOW_LIMIT and (kept or factorise(plan, n) != 0.0):
        if size <= plan[TOLERANCE]:
            return store_corrected(plan, n, steps)
        if steps == MAX_NEWTON_STEPS:
            return 0.0
        solve_with(plan, n)
        length = 0.0
        for i in range(n):
            z[i] -= right[i]
            if i < n - 1:
                part = z[i] / last[2 * n + i]
                length += part * part
        if last[2 * n - 1] == 1.0:  # a value of the parameter: to the last digit
            z[n - 1] = last[n - 1]
        if not (z[n - 1] > 0.0 and length > SCALED_STEP_ROUNDING * SCALED_STEP_ROUNDING):
            return 0.0
        steps += 0 if kept else 1
        before = size
        size = evaluate_trial(plan, n, 0 if n > MANY else 1)
        if size > MAX_RESIDUAL_GROWTH * before:
            return 0.0
        if n > MANY:
            kept = soon_there(plan[TOLERANCE], before, size)
            if not kept:
                size = evaluate_trial(plan, n, 1)
    return 0.0


def soon_there(tolerance: float, before: float, size: float) -> bool:
    """True if three more steps with the factors at hand would do, by what the last one did to the residual."""
    ratio = size / before
    return size <= tolerance or size * ratio * ratio * ratio <= tolerance


def store_corrected(plan: Any, n: int, steps: int) -> float:
    """Put a corrected point with its tangent in its place; 0 where the curve runs along the plane."""
    last = numbers_at(int(plan[LAST]))
    new = numbers_at(int(plan[NEW]))
    z = numbers_at(int(plan[UNKNOWNS]))
    plan[STEPS] = float(steps)
    if tangent_turn(plan, n) < 0.0:
        return 0.0
    tangent = view(numbers_at(int(plan[TRIAL_ROWS])), 2 * n)
    length = 0.0
    for i in range(n):
        part = tangent[i] / last[2 * n + i]
        length += part * part
    for i in range(n):
        new[i] = z[i]
        new[n + i] = tangent[i] / last[2 * n + i] / math.sqrt(length)
    return 1.0


def predict(plan: Any, n: int) -> None:
    """Along the tangent, and bent as it has turned since the point before."""
    last = numbers_at(int(plan[LAST]))
    before = numbers_at(int(plan[BEFORE]))
    guess = numbers_at(int(plan[TRIAL_ROWS]))
    step = plan[LENGTH_OF_STEP]
    way = 0.0
    old = 0.0
    if plan[BENDS] != 0.0:
        for i in range(n):
            part = (last[i] - before[i]) / last[2 * n + i]
            way += part * part
            part = before[n + i] * before[2 * n + i] / last[2 * n + i]
            old += part * part
    bend = 0.5 * step * step / math.sqrt(way) if way > 0.0 else 0.0
    old = math.sqrt(old) if old > 0.0 else 1.0
    for i in range(n):
        ahead = (step + bend) * last[n + i] * last[2 * n + i]
        guess[i] = last[i] + ahead - bend * before[n + i] * before[2 * n + i] / old


def newton_on_plane(plan: Any, n: int) -> float:
    """Newton's method on the plane; 1 if it converged, -1 if it took too many steps or led away, 0 at anything else."""
    last = numbers_at(int(plan[LAST]))
    z = numbers_at(int(plan[UNKNOWNS]))
    rows = numbers_at(int(plan[TRIAL_ROWS]))
    right = view(rows, 2 * n)
    size = evaluate_trial(plan, n, 1)
    if not size < OVERFLOW_LIMIT or factorise(plan, n) == 0.0:
        return 0.0
    plan[FACTORISED] = 1.0
    fresh = True
    steps = 0
    while not size <= plan[TOLERANCE]:
        if steps == MAX_NEWTON_STEPS:
            return -1.0
        solve_with(plan, n)
        for i in range(n):
            z[i] -= right[i]
        if not z[n - 1] > 0.0:
            return 0.0
        steps += 1
        before = size
        size = evaluate_trial(plan, n, 0)
        if not size < OVERFLOW_LIMIT:
            return 0.0
        if fresh and size > MAX_RESIDUAL_GROWTH * before:
            return -1.0
        fresh = False
        if not soon_there(plan[TOLERANCE], before, size):
            if size > PARTIAL_RESIDUAL_RATIO * before:
                plan[PARTIAL] = 0.0
            size = evaluate_trial(plan, n, 1)
            if factorise(plan, n) == 0.0:
                return 0.0
            plan[FACTORISED] += 1.0
            fresh = True
    plan[STEPS] = float(steps)
    return 1.0 if last[2 * n] > 0.0 else 0.0


def evaluate_trial(plan: Any, n: int, derived: int) -> float:
    """Residual there, with that of the plane behind it, and derivatives if wanted; the length of the residual."""
    last = numbers_at(int(plan[LAST]))
    z = numbers_at(int(plan[UNKNOWNS]))
    row = view(numbers_at(int(plan[TRIAL_ROWS])), n)
    right = view(row, n)
    residual = numbers_at(int(plan[RESIDUAL]))
    matrix = numbers_at(int(plan[MATRIX]))
    evaluate_equations(plan, derived)
    ahead = -plan[LENGTH_OF_STEP]
    for i in range(n):
        ahead += row[i] * (z[i] - last[i])
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


def matrix_order(plan: Any) -> int:
    """Rows of the matrix, with that of the plane."""
    return int(plan[SERIES]) * int(plan[MATRIX_WIDTH]) + 1


def factorise(plan: Any, n: int) -> float:
    """Factors of the matrix in its place; 0 if it has no full rank."""
    counts = numbers_at(int(numbers_at(int(plan[LAWS]))[COUNTS]))
    matrix = numbers_at(int(plan[MATRIX]))
    scale = view(numbers_at(int(plan[LAST])), 2 * n)
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
    return 1.0 if least > RANK_PIVOT_REL * most and most < OVERFLOW_LIMIT else 0.0


def solve_with(plan: Any, n: int) -> None:
    """Solve for the right side in its place; harmonics that the matrix lacks hardly act on themselves."""
    laws = numbers_at(int(plan[LAWS]))
    counts = numbers_at(int(laws[COUNTS]))
    pivots = numbers_at(int(plan[PIVOTS]))
    right = view(numbers_at(int(plan[TRIAL_ROWS])), 2 * n)
    m = matrix_order(plan)
    order = view(counts, m)
    own = view(right, n if m < n else 0)
    if m < n:
        for i in range(m):
            at = matrix_unknown(plan, i)
            own[i] = right[at]
            right[at] = 0.0
        for i in range(n):
            right[i] = right[i] / plan[UNIT]
    call_function(
        int(plan[DGETRS]), numbers_at(int(laws[LETTERS])), order, view(counts, 1), numbers_at(int(plan[MATRIX])), order,
        view(pivots, 1), own, order, pivots,
    )  # fmt: skip
    if m < n:
        for i in range(m):
            right[matrix_unknown(plan, i)] = own[i]


def tangent_turn(plan: Any, n: int) -> float:
    """The angle by which the tangent has turned, which is left in the place of the right side; -1 if there is none."""
    last = numbers_at(int(plan[LAST]))
    tangent = view(numbers_at(int(plan[TRIAL_ROWS])), 2 * n)
    plan[LARGEST] = 0.0
    for i in range(n):
        plan[LARGEST] = max(plan[LARGEST], abs(numbers_at(int(plan[RESIDUAL]))[i]))
        tangent[i] = 0.0
    tangent[n - 1] = 1.0
    solve_with(plan, n)
    length = 0.0
    across = 0.0
    for i in range(n):
        part = tangent[i] / last[2 * n + i]
        length += part * part
        across += part * last[n + i]
    if not (length > 0.0 and length < OVERFLOW_LIMIT and across > MIN_CROSSING_SINE * math.sqrt(length)):
        return -1.0
    angle = math.acos(min(across / math.sqrt(length), 1.0))
    plan[TURNED] = angle
    return angle


def store_new_point(plan: Any, n: int) -> float:
    """The new point: scales there, and its tangent measured by them."""
    new = numbers_at(int(plan[NEW]))
    z = numbers_at(int(plan[UNKNOWNS]))
    tangent = view(numbers_at(int(plan[TRIAL_ROWS])), 2 * n)
    if tangent_turn(plan, n) < 0.0:
        return 0.0
    series = int(plan[SERIES])
    width = int(plan[COEFFICIENTS])
    for j in range(series):
        own = 0.0
        for c in range(width):
            own += z[j * width + c] * z[j * width + c]
        scale = max(math.sqrt(own), SMALL / plan[UNIT]) * math.sqrt(float(series))
        for c in range(width):
            new[2 * n + j * width + c] = scale
    new[3 * n - 1] = plan[SPAN]
    length = 0.0
    for i in range(n):
        new[i] = z[i]
        new[n + i] = tangent[i] / new[2 * n + i]
        length += new[n + i] * new[n + i]
    for i in range(n):
        new[n + i] = new[n + i] / math.sqrt(length)
    return 1.0
