"""Series of a step in the homotopy parameter: coefficients of the groups' forces, of p and of x; compiled.

From a point eps0 of the homotopy of `taylor_loop` the coefficients in eps - eps0 are, with
s0 = (1 - eps0) s + eps0 f'(x0) and f_k* the part of f_k without x_k,

    (1 + s0 G) p_k = f_(k-1) - (s x + phi)_(k-1) + eps0 f_k*,    x_k = -G p_k.

A series holds up to (39).
"""

from __future__ import annotations

import math

from slipstick.native import Array, call_function, view
from slipstick.transient.implicit.records import SeriesStep


def set_coefficient(step: SeriesStep, k: int, x: Array, v: Array) -> None:
    """Coefficient k of the deflections and rates of all leaves, from those of their groups."""
    u = step.leaf_deflections
    rates = step.leaf_rates
    room = step.order + 1
    for e in range(step.leaf_count):
        j = step.leaves[e].group
        scale = step.leaves[e].deflection_scale
        u[e * room + k] = scale * x[j]
        rates[e * room + k] = scale * v[j]


def force_coefficient(step: SeriesStep, k: int, out: Array) -> None:
    """Coefficient k of the groups' forces from the coefficients that are set."""
    factor = step.factor
    u = step.leaf_deflections
    rates = step.leaf_rates
    room = step.order + 1
    for j in range(step.group_count):
        out[j] = 0.0
    for e in range(step.leaf_count):
        parameters = step.leaves[e].parameters
        own = view(u, e * room)
        rate = view(rates, e * room)
        kept = step.terms[e].workspace
        f = call_function(step.terms[e].function, parameters, float(k), float(room), own, rate, kept)
        out[step.leaves[e].group] += factor[e] * f


def set_deflection_coefficient(step: SeriesStep, k: int, x: Array, column: Array) -> None:
    """Set coefficient k >= 1 from that of the deflections beyond the prediction; rates follow by c1."""
    for j in range(step.group_count):
        column[j] = step.c1 * x[j]
    set_coefficient(step, k, x, column)


def set_base_point(step: SeriesStep, x: Array) -> None:
    """Set coefficient 0: deflections and rates of the prediction and x beyond it."""
    xhat = step.predicted_deflection
    vhat = step.predicted_rate
    column = step.column
    other = step.other
    for j in range(step.group_count):
        column[j] = xhat[j] + x[j]
        other[j] = vhat[j] + step.c1 * x[j]
    set_coefficient(step, 0, column, other)


def tangent_stiffness(step: SeriesStep, out: Array) -> None:
    """Slopes of the groups' forces along each deflection, at coefficient 0."""
    column = step.column
    other = step.other
    groups = step.group_count
    for j in range(groups):
        column[j] = 1.0
    force_coefficient(step, 0, out)
    set_deflection_coefficient(step, 1, column, other)
    force_coefficient(step, 1, out)


def times(m: Array, size: int, x: Array, out: Array) -> None:
    """A square matrix times x."""
    for i in range(size):
        total = 0.0
        for j in range(size):
            total += m[i * size + j] * x[j]
        out[i] = total


def expand(step: SeriesStep, eps: float, bent: bool) -> float:
    """Compute the series from XS[0], PS[0] at eps; return its range (39).   bent : eps is not 0, so x_k enters f_k."""
    groups = step.group_count
    order = step.order
    g = step.compliance
    inverse = step.solution
    slopes = step.start_stiffness
    phi = step.phi
    xs = step.x_series
    fs = step.f_series
    ps = step.p_series
    column = step.column
    other = step.other
    set_base_point(step, xs)
    force_coefficient(step, 0, fs)
    for k in range(1, order + 1):
        x = view(xs, k * groups)
        p = view(ps, k * groups)
        f = view(fs, k * groups)
        before = (k - 1) * groups
        for j in range(groups):
            x[j] = fs[before + j] - slopes[j] * xs[before + j] - (phi[j] if k == 1 else 0.0)
        if bent:
            for j in range(groups):
                column[j] = 0.0
            set_deflection_coefficient(step, k, column, other)
            force_coefficient(step, k, f)
            for j in range(groups):
                x[j] += eps * f[j]
        times(inverse, groups, x, p)
        step.counts.solves += 1
        times(g, groups, p, x)
        for j in range(groups):
            x[j] = -x[j]
        set_deflection_coefficient(step, k, x, column)
        if k < order:
            force_coefficient(step, k, f)
    last = length(step, view(ps, order * groups))
    if last == 0.0:
        return 2.0
    return math.pow(step.kappa * length(step, view(ps, groups)) / last, 1.0 / (order - 1.0))


def length(step: SeriesStep, p: Array) -> float:
    """The norm of the displacements by forces p (39)."""
    n = step.coordinate_count
    groups = step.group_count
    response = step.response
    total = 0.0
    for i in range(n):
        moved = 0.0
        for j in range(groups):
            moved += response[j * n + i] * p[j]
        total += moved * moved
    return math.sqrt(total)


def sum_series(step: SeriesStep, eta: float) -> None:
    """Evaluate the series at eta: new XS[0] and PS[0]."""
    groups = step.group_count
    ps = step.p_series
    for j in range(groups):
        total = 0.0
        for k in range(step.order, -1, -1):
            total = total * eta + ps[k * groups + j]
        ps[j] = total
    deflect(step)


def deflect(step: SeriesStep) -> None:
    """The deflections under the forces PS[0]."""
    groups = step.group_count
    b = step.linear_deflection
    xs = step.x_series
    times(step.compliance, groups, step.p_series, xs)
    for j in range(groups):
        xs[j] = b[j] - xs[j]
