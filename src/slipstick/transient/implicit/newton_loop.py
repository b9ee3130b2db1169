"""Newton's method on the equation of a Newmark step, compiled.

The unknowns y are the correction of all coordinates, or, condensed, the deflections of the groups alone:

    L y + R (f(x) - s x) = b,    x = W y,

all coordinates : L = M c2 + C c1 + K, R the directions of the groups, W their deflections, b the right-hand side;
condensed       : L = 1, W = 1, R = W' inv(L') R', b = W' inv(L') b', with the primed ones of all coordinates.

The shift s is a stiffness moved from the laws into L, where L alone would be singular. A step of the iteration is
halved until its successor with the same matrix is smaller (the natural test, which no scaling of units can fool).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slipstick.native import numbers_at, view
from slipstick.transient.implicit import places as at
from slipstick.transient.implicit.elimination_loop import add_up, eliminate, solve_factors
from slipstick.transient.implicit.step_loop import add_row, evaluate, row_dot

# of the solver's part of the plan: numbers
SIZE, CONDENSED, FULL_NEWTON, TOLERANCE = range(at.SOLVER, at.SOLVER + 4)
# addresses: L, W, R of the equation, shift; inverse of the linear part and its product with the directions (condensed)
LEFT, WHERE, INTO, SHIFT, INVERSE, RESPONSE = range(at.SOLVER + 4, at.SOLVER + 10)
# the factors of the last matrix with their pivots and whether there are any; unknowns, condensed right-hand side,
# corrections, scales, the linear answer, slopes of the groups in the last matrix
FACTORS, PIVOTS, READY, Y, REDUCED, DY, Y_TRIAL, DY_TRIAL, SCALE, LINEAR, SLOPES = range(at.SOLVER + 10, at.SOLVER + 21)
# sizes on the diagonal of L; what corrections are measured by
DIAGONAL, MEASURE = range(at.SOLVER + 21, at.SOLVER + 23)

MOST_ITERATIONS = 60
MOST_HALVINGS = 10
FADING = 0.99  # a step: how fast the scale of an unknown forgets large ways
NOISE = 0.01  # times the tolerance: rounding of what the laws have to balance, in parts of that
LEAST = 1e-4  # of the length that a correction must lose; right behind a corner it loses little by the old slope
SLOW = 0.2  # a kept matrix that shrinks the correction no better than this is renewed
TINY = 1e-300  # so that nothing moving by nothing is nothing
# corrections that no longer shrink are noise of the laws, whose size nobody knows: below ROUNDING by any matrix, below
# STALLED by that of the place, however short the step; below QUIET that need not be tried
ROUNDING, QUIET, STALLED = 1e-10, 1e-8, 1e-4
NOTHING = 1e-18  # m or rad


def factorise(plan: Sequence[float]) -> None:
    """The matrix of the iteration as lower and upper factors, rows exchanged for size."""
    size = int(plan[SIZE])
    groups = int(plan[at.GROUPS])
    m = numbers_at(int(plan[FACTORS]))
    pivots = numbers_at(int(plan[PIVOTS]))
    left = numbers_at(int(plan[LEFT]))
    where = numbers_at(int(plan[WHERE]))
    into = numbers_at(int(plan[INTO]))
    shift = numbers_at(int(plan[SHIFT]))
    slope = numbers_at(int(plan[at.GROUP_SLOPE]))
    kept = numbers_at(int(plan[SLOPES]))
    counts = numbers_at(int(plan[at.COUNTS]))
    for k in range(size * size):
        m[k] = 0.0
    for i in range(size):
        add_row(left, size, i, 1.0, view(m, i * size))
    for j in range(groups):
        kept[j] = slope[j]
        for k in range(int(into[j]), int(into[j + 1])):
            here = groups + 1 + 2 * k
            add_row(where, groups, j, into[here + 1] * (slope[j] - shift[j]), view(m, int(into[here]) * size))
    eliminate(m, pivots, size)
    numbers_at(int(plan[READY]))[0] = 1.0
    counts[at.FACTORISATIONS] += 1.0


def place(plan: Sequence[float], y: Any) -> None:
    """The groups' deflections beyond their prediction from the unknowns."""
    groups = int(plan[at.GROUPS])
    where = numbers_at(int(plan[WHERE]))
    x = numbers_at(int(plan[at.X]))
    for j in range(groups):
        x[j] = row_dot(where, groups, j, y)


def correction(plan: Sequence[float], y: Any, right: Any, differentiate: bool, out: Any) -> float:
    """Where Newton would go from y, and how far, each unknown by its measure.

    With derivatives: by a new matrix, else by the last one.
    """
    size = int(plan[SIZE])
    groups = int(plan[at.GROUPS])
    counts = numbers_at(int(plan[at.COUNTS]))
    left = numbers_at(int(plan[LEFT]))
    into = numbers_at(int(plan[INTO]))
    shift = numbers_at(int(plan[SHIFT]))
    x = numbers_at(int(plan[at.X]))
    force = numbers_at(int(plan[at.GROUP_FORCE]))
    measure = numbers_at(int(plan[MEASURE]))
    place(plan, y)
    evaluate(plan, plan[at.C1], differentiate)
    if differentiate:
        factorise(plan)
    for i in range(size):
        out[i] = right[i] - row_dot(left, size, i, y)
    for j in range(groups):
        add_row(into, groups, j, shift[j] * x[j] - force[j], out)
    solve_factors(numbers_at(int(plan[FACTORS])), numbers_at(int(plan[PIVOTS])), size, out)
    counts[at.SOLVES] += 1.0
    largest = 0.0
    noticed = 0.0  # what is no number in one unknown must not be hidden by the next
    for i in range(size):
        largest = max(largest, abs(out[i]) / (measure[i] + TINY))
        noticed += 0.0 * out[i]
    return largest + noticed


def better(plan: Sequence[float], right: Any, length: float, fresh: bool) -> float:
    """Go from Y along DY, less and less far until the next correction is shorter; its length, or -1 if it never is."""
    size = int(plan[SIZE])
    y = numbers_at(int(plan[Y]))
    dy = numbers_at(int(plan[DY]))
    trial = numbers_at(int(plan[Y_TRIAL]))
    dy_trial = numbers_at(int(plan[DY_TRIAL]))
    part = 1.0
    for _ in range(MOST_HALVINGS):
        for i in range(size):
            trial[i] = y[i] + part * dy[i]
        found = correction(plan, trial, right, False, dy_trial)
        if found <= (1.0 - LEAST * part) * length:
            for i in range(size):
                y[i] = trial[i]
                dy[i] = dy_trial[i]
            return found
        if not fresh or length <= QUIET:  # the old matrix is to blame, or there is nothing more to gain
            return -1.0
        part *= 0.5
    return -1.0


def measured(plan: Sequence[float]) -> float:
    """The length of the correction DY, after each unknown has got its measure: its scale, or the way it has to go."""
    y = numbers_at(int(plan[Y]))
    dy = numbers_at(int(plan[DY]))
    scale = numbers_at(int(plan[SCALE]))
    measure = numbers_at(int(plan[MEASURE]))
    largest = 0.0
    noticed = 0.0
    for i in range(int(plan[SIZE])):
        measure[i] = max(scale[i], abs(y[i]) + abs(dy[i]))
        largest = max(largest, abs(dy[i]) / (measure[i] + TINY))
        noticed += 0.0 * dy[i]
    return largest + noticed


def is_noise(plan: Sequence[float]) -> bool:
    """True if the correction DY is small by its measure, or a way that no mechanical part could make."""
    dy = numbers_at(int(plan[DY]))
    measure = numbers_at(int(plan[MEASURE]))
    loud = 0.0
    for i in range(int(plan[SIZE])):
        if not abs(dy[i]) <= max(STALLED * measure[i], NOTHING):
            loud = 1.0
    return loud == 0.0


def iterate(plan: Sequence[float], right: Any) -> int:
    """Solve the equation of the step for Y; forces and trial memory are those of the solution."""
    y = numbers_at(int(plan[Y]))
    dy = numbers_at(int(plan[DY]))
    ready = numbers_at(int(plan[READY]))
    always = plan[FULL_NEWTON] != 0.0
    for i in range(int(plan[SIZE])):
        y[i] = 0.0
    fresh = always or ready[0] == 0.0
    correction(plan, y, right, fresh, dy)
    for _ in range(MOST_ITERATIONS):
        length = measured(plan)
        if length <= plan[TOLERANCE]:
            return at.DONE
        found = better(plan, right, length, fresh)
        if found < 0.0 and (length <= ROUNDING or (fresh and is_noise(plan))):
            correction(plan, y, right, False, dy)
            return at.DONE
        if found < 0.0 and fresh:
            break
        fresh = found < 0.0 or (found > ROUNDING and (always or found > SLOW * length))
        if fresh:
            correction(plan, y, right, True, dy)
    ready[0] = 0.0
    return at.FAILED


def solve_step(plan: Sequence[float]) -> int:
    """The correction D of the step, by what solves it; the last correction, below the tolerance, is put in."""
    if plan[CONDENSED] != 0.0:
        return solve_condensed(plan)
    right = numbers_at(int(plan[at.RIGHT]))
    d = numbers_at(int(plan[at.D]))
    y = numbers_at(int(plan[Y]))
    dy = numbers_at(int(plan[DY]))
    scale = numbers_at(int(plan[SCALE]))
    diagonal = numbers_at(int(plan[DIAGONAL]))
    increment = numbers_at(int(plan[at.INCREMENT]))
    for i in range(int(plan[at.FREE])):
        scale[i] = max(FADING * scale[i], abs(increment[i]), NOISE * abs(right[i]) / (diagonal[i] + TINY))
    status = iterate(plan, right)
    for i in range(int(plan[at.FREE])):
        d[i] = y[i] + dy[i]
    return status


def solve_condensed(plan: Sequence[float]) -> int:
    """The same, from the deflections of the groups: D is the linear answer less what the groups' forces do to it."""
    n = int(plan[at.FREE])
    size = int(plan[SIZE])
    lines = int(plan[at.LINES])
    right = numbers_at(int(plan[at.RIGHT]))
    scale = numbers_at(int(plan[SCALE]))
    rows = numbers_at(int(plan[at.ROWS]))
    increment = numbers_at(int(plan[at.INCREMENT]))
    inverse = numbers_at(int(plan[INVERSE]))
    response = numbers_at(int(plan[RESPONSE]))
    linear = numbers_at(int(plan[LINEAR]))
    b = numbers_at(int(plan[REDUCED]))
    d = numbers_at(int(plan[at.D]))
    add_up(inverse, n, right, linear)
    for j in range(size):
        b[j] = row_dot(rows, lines, j, linear)
        scale[j] = max(FADING * scale[j], abs(row_dot(rows, lines, j, increment)), NOISE * abs(b[j]))
    status = iterate(plan, b)
    force = numbers_at(int(plan[at.GROUP_FORCE]))
    shift = numbers_at(int(plan[SHIFT]))
    slopes = numbers_at(int(plan[SLOPES]))
    y = numbers_at(int(plan[Y]))
    dy = numbers_at(int(plan[DY]))
    for i in range(n):
        d[i] = linear[i]
    for j in range(size):
        f = force[j] + slopes[j] * dy[j] - shift[j] * (y[j] + dy[j])
        for i in range(n):
            d[i] -= response[j * n + i] * f
    return status
