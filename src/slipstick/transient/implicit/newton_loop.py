"""Newton's method on the equation of a Newmark step, compiled.

The unknowns y are the correction of all coordinates, or, condensed, the deflections of the groups alone:

    L y + R (f(x) - s x) = b,    x = W y,

all coordinates : L = M c2 + C c1 + K, R the directions of the groups, W their deflections, b the right-hand side;
condensed       : L = 1, W = 1, R = W' inv(L') R', b = W' inv(L') b', with the primed ones of all coordinates.

The shift s is a stiffness moved from the laws into L, where L alone would be singular. A step of the iteration is
halved until its successor with the same matrix is smaller (the natural test, which no scaling of units can fool).
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.implicit.gauss_elimination_loop import add_up, eliminate, solve_factors
from slipstick.transient.implicit.records import DONE, FAILED, NewtonStep
from slipstick.transient.implicit.step_loop import add_row, evaluate, row_dot

MAX_ITERATIONS = 60
MAX_HALVINGS = 10
SCALE_DECAY = 0.99  # a step: decay of the scale of an unknown
NOISE_TOLERANCES = 0.01  # times the tolerance: rounding of the forces that laws balance, relative to them
MIN_DECREASE = (
    1e-4  # reduction of a correction's length, at least; right after a corner the old slope reduces it little
)
MAX_CONTRACTION = 0.2  # a kept matrix that reduces the correction less than this is renewed
AVOID_ZERO_DIVISION = 1e-300  # avoids 0/0
# corrections that no longer shrink are noise of the laws, of unknown size: below ROUNDING with any matrix, below
# STALLED with the present matrix, however short the step; below QUIET without trying it
STALLED_BY_ROUNDING, NO_RETRY_BELOW, STALLED_ANY_STEP = 1e-10, 1e-8, 1e-4
NEGLIGIBLE_LENGTH = 1e-18  # m or rad


def factorise(step: NewtonStep) -> None:
    """The matrix of the iteration as lower and upper factors, rows exchanged for size."""
    size = step.size
    groups = step.group_count
    m = step.factors
    pivots = step.pivots
    left = step.left
    where = step.deflection_matrix
    into = step.direction_matrix
    shift = step.shift
    slope = step.group_stiffness
    kept = step.factored_stiffness
    for k in range(size * size):
        m[k] = 0.0
    for i in range(size):
        add_row(left, size, i, 1.0, view(m, i * size))
    for j in range(groups):
        kept[j] = slope[j]
        for k in range(int(into[j]), int(into[j + 1])):
            here = groups + 1 + 2 * k
            add_row(where, groups, j, into[here + 1] * (slope[j] - shift[j]), view(m, int(into[here]) * size))
    for k in range(step.pair_count):
        step.factored_pairs[k] = step.pair_stiffness[k]
        j = int(step.pair_groups[2 * k])
        other = int(step.pair_groups[2 * k + 1])
        if step.pair_stiffness[k] != 0.0:
            for i in range(int(into[j]), int(into[j + 1])):
                here = groups + 1 + 2 * i
                factor = into[here + 1] * step.pair_stiffness[k]
                add_row(where, groups, other, factor, view(m, int(into[here]) * size))
    eliminate(m, pivots, size)
    step.factored = True
    step.counts.factorisations += 1


def set_deflections(step: NewtonStep, y: Array) -> None:
    """The groups' deflections beyond their prediction from the unknowns."""
    groups = step.group_count
    where = step.deflection_matrix
    x = step.deflection
    for j in range(groups):
        x[j] = row_dot(where, groups, j, y)


def correction(step: NewtonStep, y: Array, right: Array, differentiate: bool, out: Array) -> float:
    """The Newton correction at y, and its scaled length.

    With derivatives: with a new matrix, else with the last one.
    """
    size = step.size
    groups = step.group_count
    left = step.left
    into = step.direction_matrix
    shift = step.shift
    x = step.deflection
    force = step.group_force
    measure = step.measure
    set_deflections(step, y)
    evaluate(step, step.c1, differentiate)
    if differentiate:
        factorise(step)
    for i in range(size):
        out[i] = right[i] - row_dot(left, size, i, y)
    for j in range(groups):
        add_row(into, groups, j, shift[j] * x[j] - force[j], out)
    solve_factors(step.factors, step.pivots, size, out)
    step.counts.solves += 1
    largest = 0.0
    noticed = 0.0  # NaN in one unknown must not be hidden by the next
    for i in range(size):
        largest = max(largest, abs(out[i]) / (measure[i] + AVOID_ZERO_DIVISION))
        noticed += 0.0 * out[i]
    return largest + noticed


def line_search(step: NewtonStep, right: Array, length: float, fresh: bool) -> float:
    """Move Y along DY, halving the step until the next correction is shorter; return its length, or -1 if it never
    is."""
    size = step.size
    y = step.y
    dy = step.dy
    trial = step.y_trial
    dy_trial = step.dy_trial
    part = 1.0
    for _ in range(MAX_HALVINGS):
        for i in range(size):
            trial[i] = y[i] + part * dy[i]
        found = correction(step, trial, right, False, dy_trial)
        if found <= (1.0 - MIN_DECREASE * part) * length:
            for i in range(size):
                y[i] = trial[i]
                dy[i] = dy_trial[i]
            return found
        if not fresh or length <= NO_RETRY_BELOW:  # the old matrix is the cause, or there is nothing more to gain
            return -1.0
        part *= 0.5
    return -1.0


def measured(step: NewtonStep) -> float:
    """The length of the correction DY, each unknown relative to its measure: its scale or its required change."""
    y = step.y
    dy = step.dy
    scale = step.scale
    measure = step.measure
    largest = 0.0
    noticed = 0.0
    for i in range(step.size):
        measure[i] = max(scale[i], abs(y[i]) + abs(dy[i]))
        largest = max(largest, abs(dy[i]) / (measure[i] + AVOID_ZERO_DIVISION))
        noticed += 0.0 * dy[i]
    return largest + noticed


def is_noise(step: NewtonStep) -> bool:
    """True if the correction DY is small by its measure, or below any physical length."""
    dy = step.dy
    measure = step.measure
    loud = 0.0
    for i in range(step.size):
        if not abs(dy[i]) <= max(STALLED_ANY_STEP * measure[i], NEGLIGIBLE_LENGTH):
            loud = 1.0
    return loud == 0.0


def iterate(step: NewtonStep, right: Array) -> int:
    """Solve the equation of the step for Y; forces and trial memory are those of the solution."""
    y = step.y
    dy = step.dy
    always = step.full_newton
    for i in range(step.size):
        y[i] = 0.0
    fresh = always or not step.factored
    correction(step, y, right, fresh, dy)
    for _ in range(MAX_ITERATIONS):
        length = measured(step)
        if length <= step.tolerance:
            return DONE
        found = line_search(step, right, length, fresh)
        if found < 0.0 and (length <= STALLED_BY_ROUNDING or (fresh and is_noise(step))):
            correction(step, y, right, False, dy)
            return DONE
        if found < 0.0 and fresh:
            break
        fresh = found < 0.0 or (found > STALLED_BY_ROUNDING and (always or found > MAX_CONTRACTION * length))
        if fresh:
            correction(step, y, right, True, dy)
    step.factored = False
    return FAILED


def solve_step(step: NewtonStep) -> int:
    """The correction D of the step from the solution, with the last correction, below the tolerance, included."""
    if step.condensed:
        return solve_condensed(step)
    right = step.right_hand_side
    d = step.correction
    y = step.y
    dy = step.dy
    scale = step.scale
    diagonal = step.diagonal
    increment = step.increment
    for i in range(step.coordinate_count):
        scale[i] = max(
            SCALE_DECAY * scale[i],
            abs(increment[i]),
            NOISE_TOLERANCES * abs(right[i]) / (diagonal[i] + AVOID_ZERO_DIVISION),
        )
    status = iterate(step, right)
    for i in range(step.coordinate_count):
        d[i] = y[i] + dy[i]
    return status


def solve_condensed(step: NewtonStep) -> int:
    """The same, from the deflections of the groups: D is the linear response less that to the groups' forces."""
    n = step.coordinate_count
    size = step.size
    lines = step.line_count
    right = step.right_hand_side
    scale = step.scale
    rows = step.rows
    increment = step.increment
    inverse = step.inverse
    response = step.response
    linear = step.linear_correction
    b = step.reduced_right_hand_side
    d = step.correction
    add_up(inverse, n, right, linear)
    for j in range(size):
        b[j] = row_dot(rows, lines, j, linear)
        scale[j] = max(SCALE_DECAY * scale[j], abs(row_dot(rows, lines, j, increment)), NOISE_TOLERANCES * abs(b[j]))
    status = iterate(step, b)
    force = step.group_force
    shift = step.shift
    slopes = step.factored_stiffness
    y = step.y
    dy = step.dy
    for i in range(n):
        d[i] = linear[i]
    for j in range(size):
        f = force[j] + slopes[j] * dy[j] - shift[j] * (y[j] + dy[j])
        for i in range(n):
            d[i] -= response[j * n + i] * f
    for k in range(step.pair_count):
        f = step.factored_pairs[k] * dy[int(step.pair_groups[2 * k + 1])]
        for i in range(n):
            d[i] -= response[int(step.pair_groups[2 * k]) * n + i] * f
    return status
