"""Series of a step in the homotopy parameter: coefficients of the groups' forces, of p and of x; compiled.

From a point eps0 of the homotopy of `taylor_loop` the coefficients in eps - eps0 are, with
s0 = (1 - eps0) s + eps0 f'(x0) and f_k* the part of f_k without x_k,

    (1 + s0 G) p_k = f_(k-1) - (s x + phi)_(k-1) + eps0 f_k*,    x_k = -G p_k.

A series holds up to (39).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from slipstick.native import call_function, numbers_at, view
from slipstick.transient.implicit import places as at
from slipstick.transient.implicit import taylor_places as to


def set_coefficient(plan: Sequence[float], k: int, x: Any, v: Any) -> None:
    """Coefficient k of the deflections and rates of all leaves, from those of their groups."""
    laws = numbers_at(int(plan[at.LAWS]))
    table = numbers_at(int(plan[at.TABLE]))
    u = numbers_at(int(plan[to.DEFLECTIONS]))
    rates = numbers_at(int(plan[to.RATES]))
    room = int(plan[to.ORDER]) + 1
    for e in range(int(plan[at.LEAVES])):
        j = int(table[4 * e])
        scale = laws[int(laws[4 + 4 * e])]
        u[e * room + k] = scale * x[j]
        rates[e * room + k] = scale * v[j]


def force_coefficient(plan: Sequence[float], k: int, out: Any) -> None:
    """Coefficient k of the groups' forces from the coefficients that are set."""
    laws = numbers_at(int(plan[at.LAWS]))
    table = numbers_at(int(plan[at.TABLE]))
    factor = numbers_at(int(plan[at.FACTOR]))
    terms = numbers_at(int(plan[to.TERMS]))
    u = numbers_at(int(plan[to.DEFLECTIONS]))
    rates = numbers_at(int(plan[to.RATES]))
    room = int(plan[to.ORDER]) + 1
    for j in range(int(plan[at.GROUPS])):
        out[j] = 0.0
    for e in range(int(plan[at.LEAVES])):
        parameters = view(laws, int(laws[2 + 4 * e]))
        own = view(u, e * room)
        rate = view(rates, e * room)
        kept = numbers_at(int(terms[2 * e + 1]))
        f = call_function(int(terms[2 * e]), parameters, float(k), float(room), own, rate, kept)
        out[int(table[4 * e])] += factor[e] * f


def follow(plan: Sequence[float], k: int, x: Any, column: Any) -> None:
    """Set coefficient k >= 1 from that of the deflections beyond the prediction; rates follow by c1."""
    for j in range(int(plan[at.GROUPS])):
        column[j] = plan[at.C1] * x[j]
    set_coefficient(plan, k, x, column)


def stand(plan: Sequence[float], x: Any) -> None:
    """Set coefficient 0: deflections and rates of the prediction and x beyond it."""
    xhat = numbers_at(int(plan[at.XHAT]))
    vhat = numbers_at(int(plan[at.VHAT]))
    column = numbers_at(int(plan[to.COLUMN]))
    other = numbers_at(int(plan[to.OTHER]))
    for j in range(int(plan[at.GROUPS])):
        column[j] = xhat[j] + x[j]
        other[j] = vhat[j] + plan[at.C1] * x[j]
    set_coefficient(plan, 0, column, other)


def slopes_here(plan: Sequence[float], out: Any) -> None:
    """Slopes of the groups' forces, one after the other along each deflection, where coefficient 0 stands."""
    column = numbers_at(int(plan[to.COLUMN]))
    other = numbers_at(int(plan[to.OTHER]))
    groups = int(plan[at.GROUPS])
    for j in range(groups):
        column[j] = 1.0
    force_coefficient(plan, 0, out)
    follow(plan, 1, column, other)
    force_coefficient(plan, 1, out)


def times(m: Any, size: int, x: Any, out: Any) -> None:
    """A square matrix times x."""
    for i in range(size):
        total = 0.0
        for j in range(size):
            total += m[i * size + j] * x[j]
        out[i] = total


def expand(plan: Sequence[float], eps: float, bent: bool) -> float:
    """The series from XS[0], PS[0] at eps; how far it holds (39). Bent: eps is not 0, so x_k works on f_k."""
    groups = int(plan[at.GROUPS])
    order = int(plan[to.ORDER])
    g = numbers_at(int(plan[to.COMPLIANCE]))
    inverse = numbers_at(int(plan[to.SOLUTION]))
    slopes = numbers_at(int(plan[to.SLOPES]))
    phi = numbers_at(int(plan[to.PHI]))
    xs = numbers_at(int(plan[to.XS]))
    fs = numbers_at(int(plan[to.FS]))
    ps = numbers_at(int(plan[to.PS]))
    column = numbers_at(int(plan[to.COLUMN]))
    other = numbers_at(int(plan[to.OTHER]))
    counts = numbers_at(int(plan[at.COUNTS]))
    stand(plan, xs)
    force_coefficient(plan, 0, fs)
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
            follow(plan, k, column, other)
            force_coefficient(plan, k, f)
            for j in range(groups):
                x[j] += eps * f[j]
        times(inverse, groups, x, p)
        counts[at.SOLVES] += 1.0
        times(g, groups, p, x)
        for j in range(groups):
            x[j] = -x[j]
        follow(plan, k, x, column)
        if k < order:
            force_coefficient(plan, k, f)
    last = length(plan, view(ps, order * groups))
    if last == 0.0:
        return 2.0
    return math.pow(plan[to.KAPPA] * length(plan, view(ps, groups)) / last, 1.0 / (order - 1.0))


def length(plan: Sequence[float], p: Any) -> float:
    """How far forces p move the coordinates, as one length (39)."""
    n = int(plan[at.FREE])
    groups = int(plan[at.GROUPS])
    response = numbers_at(int(plan[to.RESPONSE]))
    total = 0.0
    for i in range(n):
        moved = 0.0
        for j in range(groups):
            moved += response[j * n + i] * p[j]
        total += moved * moved
    return math.sqrt(total)


def sum_series(plan: Sequence[float], eta: float) -> None:
    """Go to eta on the series: new XS[0] and PS[0]."""
    groups = int(plan[at.GROUPS])
    ps = numbers_at(int(plan[to.PS]))
    for j in range(groups):
        total = 0.0
        for k in range(int(plan[to.ORDER]), -1, -1):
            total = total * eta + ps[k * groups + j]
        ps[j] = total
    deflect(plan)


def deflect(plan: Sequence[float]) -> None:
    """The deflections that belong to the forces PS[0]."""
    groups = int(plan[at.GROUPS])
    b = numbers_at(int(plan[to.B]))
    xs = numbers_at(int(plan[to.XS]))
    times(numbers_at(int(plan[to.COMPLIANCE])), groups, numbers_at(int(plan[to.PS])), xs)
    for j in range(groups):
        xs[j] = b[j] - xs[j]
