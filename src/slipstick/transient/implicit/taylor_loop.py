"""A Newmark step solved by a Taylor series in a homotopy parameter (clutch 28-41), compiled.

Everything is written in the forces p of the groups: with the linear answer z (no forces at all) and b, its deflections,

    d = z - response p,    x = b - G p,    G = the groups' compliance,

the homotopy (37) from a linear problem (eps = 0) to the true one (eps = 1) reads

    p = (1 - eps) (s x + phi) + eps f(x),

with s the slopes of the matrix K*, and phi the forces linearised where the step begins (35)-(36). `series_loop` has its
series. Beyond where one holds, a new one starts there, with a new matrix. What is accepted is a p that is the true
force: f(x) - p is checked, and what is left of it is solved for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slipstick.native import numbers_at
from slipstick.transient.implicit import places as at
from slipstick.transient.implicit import taylor_places as to
from slipstick.transient.implicit.elimination_loop import add_up, eliminate, solve_factors
from slipstick.transient.implicit.series_loop import (
    deflect,
    expand,
    force_coefficient,
    set_coefficient,
    slopes_here,
    stand,
    sum_series,
    times,
)
from slipstick.transient.implicit.step_loop import evaluate, row_dot

MOST_CORRECTIONS = 4  # after a series; one that needs more has not converged
MOST_SERIES = 200  # in one step
SHORTEST = 1e-14  # of the way from the linear to the true problem: where even this fails the step is given up
# corrections that no longer shrink are noise of the laws: below ROUNDING by any matrix, below STALLED by a new one
ROUNDING, STALLED = 1e-9, 1e-4
NOTHING = 1e-18  # m or rad: a way that no mechanical part could make
FADING = 0.99  # a step: how fast the scale of a deflection forgets large ways
TINY = 1e-300


def prepare(plan: Sequence[float]) -> None:
    """The linear answer and its deflections; scales."""
    n = int(plan[at.FREE])
    lines = int(plan[at.LINES])
    right = numbers_at(int(plan[at.RIGHT]))
    inverse = numbers_at(int(plan[to.INVERSE]))
    linear = numbers_at(int(plan[to.LINEAR]))
    rows = numbers_at(int(plan[at.ROWS]))
    b = numbers_at(int(plan[to.B]))
    scale = numbers_at(int(plan[to.SCALE]))
    increment = numbers_at(int(plan[at.INCREMENT]))
    add_up(inverse, n, right, linear)
    for j in range(int(plan[at.GROUPS])):
        b[j] = row_dot(rows, lines, j, linear)
        scale[j] = max(FADING * scale[j], abs(row_dot(rows, lines, j, increment)), abs(b[j]))


def linearise(plan: Sequence[float], fresh: bool) -> None:
    """The forces linearised where the step begins, seen from the prediction: phi of (35)-(36); if fresh, K* too.

    There the deflection is the one before the increment; the rate is that of the begin, while no increment at all
    would turn it round.
    """
    groups = int(plan[at.GROUPS])
    lines = int(plan[at.LINES])
    rows = numbers_at(int(plan[at.ROWS]))
    a = numbers_at(int(plan[at.A]))
    increment = numbers_at(int(plan[at.INCREMENT]))
    xhat = numbers_at(int(plan[at.XHAT]))
    vhat = numbers_at(int(plan[at.VHAT]))
    slopes = numbers_at(int(plan[to.SLOPES]))
    phi = numbers_at(int(plan[to.PHI]))
    column = numbers_at(int(plan[to.COLUMN]))
    other = numbers_at(int(plan[to.OTHER]))
    f = numbers_at(int(plan[to.SUM]))
    for j in range(groups):
        column[j] = xhat[j] - row_dot(rows, lines, j, increment)
        other[j] = vhat[j] - plan[at.STEP] * row_dot(rows, lines, j, a)
    set_coefficient(plan, 0, column, other)
    if fresh:
        slopes_here(plan, slopes)
        invert(plan, slopes)
        numbers_at(int(plan[to.READY]))[0] = 1.0
    for j in range(groups):
        column[j] = 0.0
        other[j] = plan[at.STEP] * row_dot(rows, lines, j, a) - plan[at.C1] * row_dot(rows, lines, j, increment)
    force_coefficient(plan, 0, phi)
    set_coefficient(plan, 1, column, other)
    force_coefficient(plan, 1, f)
    for j in range(groups):
        phi[j] += f[j] + slopes[j] * row_dot(rows, lines, j, increment)


def invert(plan: Sequence[float], slopes: Any) -> None:
    """The inverse of 1 + s G, which is what a new matrix K* comes to."""
    groups = int(plan[at.GROUPS])
    m = numbers_at(int(plan[to.FACTORS]))
    pivots = numbers_at(int(plan[to.PIVOTS]))
    g = numbers_at(int(plan[to.COMPLIANCE]))
    inverse = numbers_at(int(plan[to.SOLUTION]))
    column = numbers_at(int(plan[to.COLUMN]))
    counts = numbers_at(int(plan[at.COUNTS]))
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
    counts[at.FACTORISATIONS] += 1.0


def corrected(plan: Sequence[float], eps: float, noise: float) -> bool:
    """Solve for what is left of the homotopy's equation at eps, by the last matrix; False if it does not vanish.

    Corrections below ``noise`` that no longer shrink count as none. At eps = 1 the forces and memory are those of the
    laws, at the deflections that are checked.
    """
    groups = int(plan[at.GROUPS])
    xs = numbers_at(int(plan[to.XS]))
    ps = numbers_at(int(plan[to.PS]))
    x = numbers_at(int(plan[at.X]))
    slopes = numbers_at(int(plan[to.SLOPES]))
    phi = numbers_at(int(plan[to.PHI]))
    force = numbers_at(int(plan[at.GROUP_FORCE]))
    inverse = numbers_at(int(plan[to.SOLUTION]))
    scale = numbers_at(int(plan[to.SCALE]))
    column = numbers_at(int(plan[to.COLUMN]))
    other = numbers_at(int(plan[to.OTHER]))
    counts = numbers_at(int(plan[at.COUNTS]))
    before = 1.0
    for _ in range(MOST_CORRECTIONS + 1):
        for j in range(groups):
            x[j] = xs[j]
        evaluate(plan, plan[at.C1], False)
        for j in range(groups):
            column[j] = (1.0 - eps) * (slopes[j] * xs[j] + phi[j]) + eps * force[j] - ps[j]
        times(inverse, groups, column, other)
        times(numbers_at(int(plan[to.COMPLIANCE])), groups, other, column)
        counts[at.SOLVES] += 1.0
        largest = 0.0
        loud = 0.0
        noticed = 0.0
        for j in range(groups):
            largest = max(largest, abs(column[j]) / (scale[j] + TINY))
            noticed += 0.0 * column[j]
            if abs(column[j]) > max(noise * scale[j], NOTHING):
                loud = 1.0
            ps[j] += other[j]
        deflect(plan)
        if largest + noticed <= plan[to.TOLERANCE] or (loud == 0.0 and largest > 0.5 * before):
            return True
        before = largest + noticed
    return False


def begin_series(plan: Sequence[float]) -> float:
    """The series from the linear problem; how far it holds."""
    groups = int(plan[at.GROUPS])
    b = numbers_at(int(plan[to.B]))
    slopes = numbers_at(int(plan[to.SLOPES]))
    phi = numbers_at(int(plan[to.PHI]))
    column = numbers_at(int(plan[to.COLUMN]))
    counts = numbers_at(int(plan[at.COUNTS]))
    for j in range(groups):
        column[j] = slopes[j] * b[j] + phi[j]
    times(numbers_at(int(plan[to.SOLUTION])), groups, column, numbers_at(int(plan[to.PS])))
    counts[at.SOLVES] += 1.0
    deflect(plan)
    return expand(plan, 0.0, False)


def by_series(plan: Sequence[float], fresh: bool) -> bool:
    """The step by one series from the linear problem, with K* as it is or a new one; False if that does not do."""
    linearise(plan, fresh)
    if not begin_series(plan) >= 1.0:
        return False
    sum_series(plan, 1.0)
    return corrected(plan, 1.0, ROUNDING)


def go_on(plan: Sequence[float], eps: float, eta: float) -> bool:
    """To eps + eta on the series, and there onto the solution, with the matrix of the place; False if that fails."""
    groups = int(plan[at.GROUPS])
    slopes = numbers_at(int(plan[to.SLOPES]))
    here = numbers_at(int(plan[to.SLOPES0]))
    sum_series(plan, eta)
    stand(plan, numbers_at(int(plan[to.XS])))
    slopes_here(plan, here)
    for j in range(groups):
        here[j] = (1.0 - eps - eta) * slopes[j] + (eps + eta) * here[j]
    invert(plan, here)
    return corrected(plan, eps + eta, STALLED)


def by_continuation(plan: Sequence[float]) -> bool:
    """Series after series, each from where the last one ends and with a matrix of its own; shorter where that fails."""
    groups = int(plan[at.GROUPS])
    ps = numbers_at(int(plan[to.PS]))
    begun = numbers_at(int(plan[to.BEGUN]))
    reach = min(begin_series(plan), 0.5)
    eps = 0.0
    for j in range(groups):
        begun[j] = ps[j]
    for _ in range(MOST_SERIES):
        if not reach > SHORTEST:
            return False
        eta = min(reach, 1.0 - eps)
        if go_on(plan, eps, eta):
            if eta == 1.0 - eps:
                return True
            eps += eta
            # what a series says is a guess like any other, for a careful kappa a small one: what counts is the check
            reach = max(expand(plan, eps, True), 2.0 * eta)
            for j in range(groups):
                begun[j] = ps[j]
        else:
            reach = 0.5 * eta
            for j in range(groups):
                ps[j] = begun[j]
    return False


def solve_step(plan: Sequence[float]) -> int:
    """The correction D of the step: by one series with the matrix at hand, with a new one, by several."""
    n = int(plan[at.FREE])
    groups = int(plan[at.GROUPS])
    ready = numbers_at(int(plan[to.READY]))
    linear = numbers_at(int(plan[to.LINEAR]))
    response = numbers_at(int(plan[to.RESPONSE]))
    ps = numbers_at(int(plan[to.PS]))
    d = numbers_at(int(plan[at.D]))
    prepare(plan)
    done = ready[0] != 0.0 and by_series(plan, False)
    if not done:
        done = by_series(plan, True)
    if not done:
        done = by_continuation(plan)
        ready[0] = 0.0  # its matrix is of no use for the next step
    for i in range(n):
        d[i] = linear[i]
    for j in range(groups):
        for i in range(n):
            d[i] -= response[j * n + i] * ps[j]
    return at.DONE if done else at.FAILED
