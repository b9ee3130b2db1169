"""Relaxation towards a sloping envelope, in closed form.

A branch of the modified Dahl law with straight envelopes obeys, after scaling,

    d eta/dx = 1 - sgn(eta) |eta|^mu,

with mu as its only parameter. Quadrature gives x = X(eta), which is then inverted. X is called the clock below. In the
variable zeta, X is analytic over the whole line in each of three regions:

    0  eta > 1      eta^mu = 1 + e^zeta            dX/dzeta = (1/mu) (1 + e^zeta)^(1/mu - 1)
    1  0..1         eta^mu = 1 / (1 + e^-zeta)     dX/dzeta = (1/mu) (1 + e^-zeta)^(-1/mu)
    2  eta < 0      |eta|^mu = e^zeta              dX/dzeta = (1/mu) e^(zeta/mu) / (1 + e^zeta)

so a table of polynomials gives X, and |eta| as a function of X, to rounding. Beyond |zeta| = 37 the integrands are pure
exponentials to rounding. Above exponent 1 the distance from infinity is finite, and a large eta would be lost in the
rounding of X. There X is measured from infinity: in region 0, and below eta = -1 in region 3, which otherwise equals
region 2. Such X are negative. Each cell of the table holds 17 numbers: X at its left end, the polynomial of X in a
variable scaled to [-1, 1], and the polynomial of |eta| in X scaled to [-1, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, expm1, log, log1p
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.source_parsing import with_derivative

TABLE_EDGE_LOG = 37.0  # e^-37 is below rounding
CELL_NUMBERS = 17
MAX_CELLS = 40_000  # keeps the table of a tiny exponent below 20 MB
MAX_LOG_X = 600.0  # e^600 is the largest X that is tabulated
FROM_INFINITY_EXPONENT = 1.01  # above it X may be measured from infinity; closer to 1 that distance is too large
REGIONS = 4
ENDLESS_WAY = float("inf")


@lru_cache(maxsize=32)
def relaxation_table(mu: float) -> Array:
    """(4 * cells * 17,) the table of an exponent, region by region."""
    cells = int(min(MAX_CELLS, max(600.0, 20.0 * TABLE_EDGE_LOG * max(1.0, 1.0 / mu))))
    half = TABLE_EDGE_LOG / cells
    middles = np.asarray(-TABLE_EDGE_LOG + half * (2.0 * np.arange(cells) + 1.0), dtype=np.float64)
    table = np.zeros((REGIONS, cells, CELL_NUMBERS))
    for region in range(REGIONS if mu > FROM_INFINITY_EXPONENT else 3):
        table[region, :, :9], ends = _forward(middles, half, mu, region)
        table[region, :, 9:] = _inverse(table[region], ends, middles, half, mu, region)
    flat = table.ravel()
    flat.setflags(write=False)
    return flat


@lru_cache(maxsize=1)
def _gauss_nodes() -> Array:
    """(7,) Gauss nodes on [-1, 1], cached: computing them takes as long as the table of one region."""
    return np.asarray(np.polynomial.legendre.leggauss(7)[0])


def _forward(middles: Array, half: float, mu: float, region: int) -> tuple[Array, Array]:
    """X at the left end of each cell with its polynomial of degree 7, and X at the right ends."""
    nodes = _gauss_nodes()
    # integral of the polynomial through the slopes at Gauss nodes: order 14 at the end of a cell
    slopes = half / mu * np.exp(np.minimum(_log_integrand(middles[:, None] + half * nodes, mu, region), MAX_LOG_X))
    rising = np.linalg.solve(np.vander(nodes, increasing=True), slopes.T).T / np.arange(1, 8)
    signs = (-1.0) ** np.arange(1, 8)
    gains = (rising * (1.0 - signs)).sum(axis=1)
    if counts_from_infinity(region, mu):
        k = 1.0 / mu - 1.0
        left = exp(k * TABLE_EDGE_LOG) / (k * mu) - np.cumsum(gains[::-1])[::-1]
        ends = left + gains
    else:
        first = 0.0 if region == 0 else exp(-TABLE_EDGE_LOG / mu)  # in region 0 the zero of X is arbitrary
        ends = first + np.cumsum(gains)
        left = np.concatenate(([first], ends[:-1]))
    constant = left - rising @ signs
    return np.column_stack((left, constant, rising)), ends


def _inverse(table: Array, ends: Array, middles: Array, half: float, mu: float, region: int) -> Array:
    """|eta| as a polynomial of degree 7 in X, scaled to [-1, 1] over the cell."""
    nodes = np.polynomial.chebyshev.chebpts1(8)[:, None]
    c = np.ascontiguousarray(table[:, 1:9].T)  # one row per power: cells are contiguous
    wanted = table[:, 0] + 0.5 * (nodes + 1.0) * (ends - table[:, 0])
    # X is nearly straight in a cell: with its curvature in the start, two Newton steps reach rounding
    s = nodes + np.divide(c[2], c[1], out=np.zeros_like(c[1]), where=c[1] > 0.0) * (1.0 - nodes**2)
    value, slope = np.empty_like(s), np.empty_like(s)
    for _ in range(2):
        value[:], slope[:] = c[7], 0.0
        for j in range(6, -1, -1):
            slope *= s
            slope += value
            value *= s
            value += c[j]
        value -= wanted
        s -= np.divide(value, slope, out=np.zeros_like(s), where=slope > 0)
    eta = np.exp(np.minimum(_log_eta(middles + half * s, mu, region), MAX_LOG_X))
    return np.asarray(np.linalg.solve(np.vander(nodes[:, 0], increasing=True), eta).T)


def _log_integrand(zeta: Array, mu: float, region: int) -> Any:
    if region == 0:
        return (1.0 / mu - 1.0) * np.logaddexp(0.0, zeta)
    if region == 1:
        return -np.logaddexp(0.0, -zeta) / mu
    return zeta / mu - np.logaddexp(0.0, zeta)


def _log_eta(zeta: Array, mu: float, region: int) -> Any:
    if region == 0:
        return np.logaddexp(0.0, zeta) / mu
    if region == 1:
        return -np.logaddexp(0.0, -zeta) / mu
    return zeta / mu


def counts_from_infinity(region: float, mu: float) -> bool:
    """True where X is measured from infinity."""
    return region == 3.0 or (region == 0.0 and mu > FROM_INFINITY_EXPONENT)


def clock_alone(eta: float, eta_d: float, mu: float, mu_d: float, table: Sequence[float]) -> tuple[float, float]:
    """`clock_of` with derivative zero: the derivative of `relax` contains it."""
    return clock_of(eta, mu, table), 0.0


@with_derivative(clock_alone)
def clock_of(eta: float, mu: float, table: Sequence[float]) -> float:
    """X at eta; each region has its own zero."""
    if eta > 1.0:
        return clock(log(expm1(mu * log(eta))), mu, 0.0, table)
    if 0.0 < eta < 1.0:  # the logit of eta^mu, both ends without cancellation
        return clock(mu * log(eta) - log(-expm1(mu * log(eta))), mu, 1.0, table)
    if eta < 0.0:
        return clock(mu * log(-eta), mu, 3.0 if eta < -1.0 and mu > FROM_INFINITY_EXPONENT else 2.0, table)
    return 0.0


def way_to_zero(x: float, mu: float, table: Sequence[float]) -> float:
    """Distance to eta = 0 from the point with X = x in region 2 or 3."""
    return x if x >= 0.0 else x - clock(0.0, mu, 3.0, table) + clock(0.0, mu, 2.0, table)


def from_zero(x: float, near: float, mu: float, table: Sequence[float]) -> tuple[float, float]:
    """|eta| at a distance x from eta = 0 in region 2, and its cell in the table."""
    if mu > FROM_INFINITY_EXPONENT:
        beyond = x - clock(0.0, mu, 2.0, table)
        if beyond > 0.0:
            return unclock(clock(0.0, mu, 3.0, table) + beyond, near, mu, 3.0, table)
    return unclock(x, near, mu, 2.0, table)


def clock(zeta: float, mu: float, region: float, table: Sequence[float]) -> float:
    """X at zeta."""
    cells = len(table) // 68
    if zeta > 37.0 and counts_from_infinity(region, mu):
        return exp((1.0 / mu - 1.0) * zeta) / (1.0 - mu)
    if zeta <= -37.0:
        return table[0] + (zeta + 37.0) / mu if region == 0.0 else exp(zeta / mu)
    place = (min(zeta, 37.0) + 37.0) * cells / 74.0
    i = min(int(place), cells - 1)
    s = 2.0 * (place - i) - 1.0
    at = (int(region) * cells + i) * 17
    x = table[at + 8]
    for j in range(7, 0, -1):
        x = x * s + table[at + j]
    if zeta > 37.0:
        k = 1.0 / mu - 1.0
        x += (zeta - 37.0) / mu if region == 1.0 or k == 0.0 else exp(k * 37.0) * expm1(k * (zeta - 37.0)) / (k * mu)
    return x


def unclock(x: float, near: float, mu: float, region: float, table: Sequence[float]) -> tuple[float, float]:
    """|eta| at X = x, and its cell in the table; the search begins at the cell ``near``."""
    cells = len(table) // 68
    base = int(region) * cells * 17
    k = min(max(int(near), 0), cells - 2)
    if table[base + k * 17] <= x < table[base + (k + 1) * 17]:
        return eta_in_cell(x, base + k * 17, table), near
    if k > 0 and table[base + (k - 1) * 17] <= x < table[base + k * 17]:
        return eta_in_cell(x, base + (k - 1) * 17, table), k - 1.0
    if x >= table[base + (cells - 1) * 17]:
        return eta_beyond(x, mu, region, table), cells - 1.0
    if x <= table[base]:
        if region == 0.0:
            return exp(log1p(exp(-37.0 + (x - table[base]) * mu)) / mu), 0.0
        return x, 0.0  # X = |eta| there, to rounding
    low = 0
    high = cells - 1
    way = 1
    if table[base + k * 17] <= x:  # the cell is seldom far: double the stride, then bisect
        low = k
        while low + way < cells - 1 and table[base + (low + way) * 17] <= x:
            low += way
            way += way
        high = min(low + way, cells - 1)
    else:
        high = k
        while high - way > 0 and table[base + (high - way) * 17] > x:
            high -= way
            way += way
        low = max(high - way, 0)
    while low < high:
        middle = (low + high + 1) // 2
        if table[base + middle * 17] <= x:
            low = middle
        else:
            high = middle - 1
    return eta_in_cell(x, base + low * 17, table), float(low)


def eta_in_cell(x: float, at: int, table: Sequence[float]) -> float:
    """|eta| from the cell's polynomial in X."""
    s = 2.0 * (x - table[at]) / (table[at + 17] - table[at]) - 1.0
    eta = table[at + 16]
    for j in range(15, 8, -1):
        eta = eta * s + table[at + j]
    return eta


def eta_beyond(x: float, mu: float, region: float, table: Sequence[float]) -> float:
    """|eta| beyond the last cell, where the integrand is a pure exponential."""
    k = 1.0 / mu - 1.0
    if counts_from_infinity(region, mu):
        return exp(log(x * (1.0 - mu)) / (1.0 - mu)) if x < 0.0 else ENDLESS_WAY
    cells = len(table) // 68
    zeta = 37.0 - 74.0 / cells
    x -= clock(zeta, mu, region, table)
    if region == 1.0:
        return exp(-log1p(exp(-zeta - x * mu)) / mu)
    if k == 0.0:
        return exp((zeta + x * mu) / mu)
    way = x * k * mu * exp(-k * zeta)
    if way <= -1.0:  # above exponent 1 infinity is at a finite distance
        return ENDLESS_WAY
    return exp((zeta + log1p(way) / k) / mu)


def slope_of(eta: float, mu: float) -> float:
    """1 - sgn(eta) |eta|^mu, without cancellation near one."""
    if eta > 0.0:
        return -expm1(mu * log(eta))
    if eta < 0.0:
        return 1.0 + float((-eta) ** mu)
    return 1.0


def relax_with_derivative(
    eta: float, eta_d: float, x: float, x_d: float, clock: float, clock_d: float, near: float, near_d: float,
    mu: float, mu_d: float, table: Sequence[float],
) -> tuple[float, float, float, float]:  # fmt: skip
    """`relax` and its derivative: along the flow of an autonomous equation it scales with the right-hand side."""
    new, place = relax(eta, x, clock, near, mu, table)
    before = slope_of(eta, mu)
    after = slope_of(new, mu)
    if abs(before) > 1e-9:
        return new, after * x_d + after / before * eta_d, place, 0.0
    return new, after * x_d + exp(-mu * x) * eta_d, place, 0.0


@with_derivative(relax_with_derivative)
def relax(eta: float, x: float, clock: float, near: float, mu: float, table: Sequence[float]) -> tuple[float, float]:
    """Solution of d eta/dx = 1 - sgn(eta) |eta|^mu after a distance x >= 0, and its cell in the table.

    clock : `clock_of` eta at the start, constant along a branch.
    near  : a guess of the cell, such as the last one on a branch followed in small steps.
    """
    if eta > 1.0:
        return unclock(clock - x, near, mu, 0.0, table)
    if eta == 1.0:
        return 1.0, near
    if eta < 0.0:
        left = way_to_zero(clock, mu, table) - x
        if left <= 0.0:
            return unclock(-left, near, mu, 1.0, table)
        if clock < 0.0:  # measured from infinity while |eta| > 1
            size, place = unclock(clock - x, near, mu, 3.0, table)
            if size > 1.0:
                return -size, place
        size, place = unclock(left, near, mu, 2.0, table)
        return -size, place
    return unclock(clock + x, near, mu, 1.0, table)
