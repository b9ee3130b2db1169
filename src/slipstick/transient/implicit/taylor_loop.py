"""A Newmark step solved by a Taylor series in a homotopy parameter (clutch 28-41), compiled.

Everything is written in the forces p of the groups: with the linear response z (without forces) and its deflections b,

    d = z - response p,    x = b - G p,    G = the groups' compliance,

the homotopy (37) from a linear problem (eps = 0) to the true one (eps = 1) reads

    p = (1 - eps) (s x + phi) + eps f(x),

with s the slopes of the matrix K*, and phi the forces linearised at the start of the step (35)-(36).
`homotopy_series_loop` has its series. Where one ends, a new one starts, with a new matrix. The accepted p is the true
force: the residual f(x) - p is checked, and solved for.
"""

from __future__ import annotations

from slipstick.native import Array
from slipstick.transient.implicit.gauss_elimination_loop import add_up, eliminate, solve_factors
from slipstick.transient.implicit.homotopy_series_loop import (
    deflect,
    expand,
    force_coefficient,
    set_base_point,
    set_coefficient,
    sum_series,
    tangent_stiffness,
    times,
)
from slipstick.transient.implicit.records import DONE, FAILED, SeriesStep
from slipstick.transient.implicit.step_loop import evaluate, row_dot

MAX_CORRECTIONS = 4  # after a series; one that needs more has not converged
MAX_SERIES = 200  # in one step
MIN_HOMOTOPY_STEP = 1e-14  # of the way from the linear to the true problem: if even this fails, the step fails
# corrections that no longer shrink are noise of the laws: below ROUNDING by any matrix, below STALLED by a new one
STALLED_BY_ROUNDING, STALLED_ANY_STEP = 1e-9, 1e-4
NEGLIGIBLE_LENGTH = 1e-18  # m or rad: below any physical length
SCALE_DECAY = 0.99  # a step: decay of the scale of a deflection
AVOID_ZERO_DIVISION = 1e-300


def prepare(step: SeriesStep) -> None:
    """The linear response and its deflections; scales."""
    n = step.coordinate_count
    lines = step.line_count
    right = step.right_hand_side
    inverse = step.inverse
    linear = step.linear_correction
    rows = step.rows
    b = step.linear_deflection
    scale = step.scale
    increment = step.increment
    add_up(inverse, n, right, linear)
    for j in range(step.group_count):
        b[j] = row_dot(rows, lines, j, linear)
        scale[j] = max(SCALE_DECAY * scale[j], abs(row_dot(rows, lines, j, increment)), abs(b[j]))


def linearise(step: SeriesStep, fresh: bool) -> None:
    """The forces linearised at the start of the step, relative to the prediction: phi of (35)-(36); if fresh, K* too.

    The deflection is the one before the increment; the rate is that of the start, as a zero increment would reverse it.
    """
    groups = step.group_count
    lines = step.line_count
    rows = step.rows
    a = step.a
    increment = step.increment
    xhat = step.predicted_deflection
    vhat = step.predicted_rate
    slopes = step.start_stiffness
    phi = step.phi
    column = step.column
    other = step.other
    f = step.slope_force
    for j in range(groups):
        column[j] = xhat[j] - row_dot(rows, lines, j, increment)
        other[j] = vhat[j] - step.h * row_dot(rows, lines, j, a)
    set_coefficient(step, 0, column, other)
    if fresh:
        tangent_stiffness(step, slopes)
        invert(step, slopes)
        step.factored = True
    for j in range(groups):
        column[j] = 0.0
        other[j] = step.h * row_dot(rows, lines, j, a) - step.c1 * row_dot(rows, lines, j, increment)
    force_coefficient(step, 0, phi)
    set_coefficient(step, 1, column, other)
    force_coefficient(step, 1, f)
    for j in range(groups):
        phi[j] += f[j] + slopes[j] * row_dot(rows, lines, j, increment)


def invert(step: SeriesStep, slopes: Array) -> None:
    """The inverse of 1 + s G, which a new matrix K* requires."""
    groups = step.group_count
    m = step.factors
    pivots = step.pivots
    g = step.compliance
    inverse = step.solution
    column = step.column
    for i in range(groups):
        for j in range(groups):
            m[i * groups + j] = slopes[i] * g[i * groups + j] + (1.0 if i == j else 0.0)
    eliminate(m, pivots, groups)
    for j in range(groups):
        for i in range(groups):
            column[i] = 1.0 if i == j else 0.0
        solve_factors(m, pivots, groups, column)
        for i in range(groups):
            inverse[i * groups + j] = column[i]
    step.counts.factorisations += 1


def correct_residual(step: SeriesStep, eps: float, noise: float) -> bool:
    """Solve the homotopy's equation at eps with the last matrix; False if its residual does not vanish.

    Corrections below ``noise`` that no longer shrink count as none. At eps = 1 the forces and memory are those of the
    laws, at the deflections that are checked.
    """
    groups = step.group_count
    xs = step.x_series
    ps = step.p_series
    x = step.deflection
    slopes = step.start_stiffness
    phi = step.phi
    force = step.group_force
    inverse = step.solution
    scale = step.scale
    column = step.column
    other = step.other
    before = 1.0
    for _ in range(MAX_CORRECTIONS + 1):
        for j in range(groups):
            x[j] = xs[j]
        evaluate(step, step.c1, False)
        for j in range(groups):
            column[j] = (1.0 - eps) * (slopes[j] * xs[j] + phi[j]) + eps * force[j] - ps[j]
        times(inverse, groups, column, other)
        times(step.compliance, groups, other, column)
        step.counts.solves += 1
        largest = 0.0
        loud = 0.0
        noticed = 0.0
        for j in range(groups):
            largest = max(largest, abs(column[j]) / (scale[j] + AVOID_ZERO_DIVISION))
            noticed += 0.0 * column[j]
            if abs(column[j]) > max(noise * scale[j], NEGLIGIBLE_LENGTH):
                loud = 1.0
            ps[j] += other[j]
        deflect(step)
        if largest + noticed <= step.tolerance or (loud == 0.0 and largest > 0.5 * before):
            return True
        before = largest + noticed
    return False


def begin_series(step: SeriesStep) -> float:
    """Compute the series from the linear problem; return its range."""
    groups = step.group_count
    b = step.linear_deflection
    slopes = step.start_stiffness
    phi = step.phi
    column = step.column
    for j in range(groups):
        column[j] = slopes[j] * b[j] + phi[j]
    times(step.solution, groups, column, step.p_series)
    step.counts.solves += 1
    deflect(step)
    return expand(step, 0.0, False)


def solve_by_series(step: SeriesStep, fresh: bool) -> bool:
    """Solve the step by one series from the linear problem, with the present K* or a new one; False if that fails."""
    linearise(step, fresh)
    if not begin_series(step) >= 1.0:
        return False
    sum_series(step, 1.0)
    return correct_residual(step, 1.0, STALLED_BY_ROUNDING)


def advance_series(step: SeriesStep, eps: float, eta: float) -> bool:
    """Move to eps + eta on the series, then correct with the matrix there; False if that fails."""
    groups = step.group_count
    slopes = step.start_stiffness
    here = step.new_stiffness
    sum_series(step, eta)
    set_base_point(step, step.x_series)
    tangent_stiffness(step, here)
    for j in range(groups):
        here[j] = (1.0 - eps - eta) * slopes[j] + (eps + eta) * here[j]
    invert(step, here)
    return correct_residual(step, eps + eta, STALLED_ANY_STEP)


def solve_by_continuation(step: SeriesStep) -> bool:
    """Chain series, each from the end of the last one with its own matrix; shorter ones where that fails."""
    groups = step.group_count
    ps = step.p_series
    begun = step.p_begin
    reach = min(begin_series(step), 0.5)
    eps = 0.0
    for j in range(groups):
        begun[j] = ps[j]
    for _ in range(MAX_SERIES):
        if not reach > MIN_HOMOTOPY_STEP:
            return False
        eta = min(reach, 1.0 - eps)
        if advance_series(step, eps, eta):
            if eta == 1.0 - eps:
                return True
            eps += eta
            # a series only gives a guess, a short one for a careful kappa: the check decides
            reach = max(expand(step, eps, True), 2.0 * eta)
            for j in range(groups):
                begun[j] = ps[j]
        else:
            reach = 0.5 * eta
            for j in range(groups):
                ps[j] = begun[j]
    return False


def solve_step(step: SeriesStep) -> int:
    """The correction D of the step: by one series with the present matrix, with a new one, or by several."""
    n = step.coordinate_count
    groups = step.group_count
    linear = step.linear_correction
    response = step.response
    ps = step.p_series
    d = step.correction
    prepare(step)
    done = step.factored and solve_by_series(step, False)
    if not done:
        done = solve_by_series(step, True)
    if not done:
        done = solve_by_continuation(step)
        step.factored = False  # its matrix does not suit the next step
    for i in range(n):
        d[i] = linear[i]
    for j in range(groups):
        for i in range(n):
            d[i] -= response[j * n + i] * ps[j]
    return DONE if done else FAILED
