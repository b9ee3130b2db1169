"""The approach to a sloping envelope, in closed form.

A branch of the modified Dahl law with straight envelopes obeys, after scaling,

    d eta/dx = 1 - sgn(eta) |eta|^mu,

one function of mu alone. It is integrated by quadrature, x = X(eta), and inverted. In the variable
zeta below, X is analytic over the whole line in each of three regions:

    above 1     eta^mu = 1 + e^zeta            dX/dzeta = (1/mu) (1 + e^zeta)^(1/mu - 1)
    below 1     eta^mu = 1 / (1 + e^-zeta)     dX/dzeta = (1/mu) (1 + e^-zeta)^(-1/mu)
    negative    |eta|^mu = e^zeta              dX/dzeta = (1/mu) e^(zeta/mu) / (1 + e^zeta)

so a table of polynomials gives it to rounding (Gauss nodes in each cell, so that the value at the
end of a cell has order 14), and beyond |zeta| = 37 the integrands are pure exponentials to
rounding. Forward and inverse use the same polynomials: going there and back is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, expm1, log, log1p

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.translate import with_derivative

EDGE = 37.0  # e^-37 is below rounding
DEGREE = 7
WIDTH = DEGREE + 1
LARGEST_CELLS = 60_000  # keeps the table of a tiny exponent below 12 MB
LARGEST_POWER = 600.0  # e^600 is the largest X that is tabulated
ABOVE, BELOW, NEGATIVE = 0, 1, 2


@lru_cache(maxsize=32)
def relaxation_table(mu: float) -> NDArray[np.float64]:
    """Polynomials of X for the three regions: (3 * cells * 8,), coefficients lowest first in the cell's [0, 1]."""
    cells = int(min(LARGEST_CELLS, max(600.0, 2.0 * EDGE * 10.0 * max(1.0, 1.0 / mu))))
    h = 2.0 * EDGE / cells
    nodes, _ = np.polynomial.legendre.leggauss(DEGREE)
    s = 0.5 * (nodes + 1.0)
    to_coefficients = np.linalg.inv(np.vander(s, increasing=True))
    zeta = -EDGE + h * (np.arange(cells)[:, None] + s[None, :])
    table = np.zeros((3, cells, WIDTH))
    for region in (ABOVE, BELOW, NEGATIVE):
        slopes = h / mu * np.exp(np.minimum(_log_integrand(zeta, mu, region), LARGEST_POWER))
        # the polynomial through the slopes, integrated
        table[region, :, 1:] = slopes @ to_coefficients.T / np.arange(1, WIDTH)
        gains = table[region, :, 1:].sum(axis=1)
        # X starts at zero for eta = 0; above 1 its zero is free
        first = 0.0 if region == ABOVE else exp(-EDGE / mu)
        table[region, :, 0] = first + np.concatenate(([0.0], np.cumsum(gains)[:-1]))
    flat = table.ravel()
    flat.setflags(write=False)
    return flat


def _log_integrand(zeta: NDArray[np.float64], mu: float, region: int) -> NDArray[np.float64]:
    if region == ABOVE:
        return np.asarray((1.0 / mu - 1.0) * np.logaddexp(0.0, zeta))
    if region == BELOW:
        return np.asarray(-np.logaddexp(0.0, -zeta) / mu)
    return np.asarray(zeta / mu - np.logaddexp(0.0, zeta))


def clock(zeta: float, mu: float, region: int, table: Sequence[float]) -> float:
    """X at zeta."""
    cells = len(table) // 24
    if zeta <= -37.0:
        first = table[region * cells * 8]
        if region == 0:
            return first + (zeta + 37.0) / mu
        return exp(zeta / mu)
    if zeta >= 37.0:
        at = (region * cells + cells - 1) * 8
        last = 0.0
        for j in range(8):
            last += table[at + j]
        if region == 1:
            return last + (zeta - 37.0) / mu
        return last + tail(zeta, mu)
    place = (zeta + 37.0) * cells / 74.0
    k = min(int(place), cells - 1)
    s = place - k
    at = (region * cells + k) * 8
    x = table[at + 7]
    for j in range(6, -1, -1):
        x = x * s + table[at + j]
    return x


def tail(zeta: float, mu: float) -> float:
    """The integral of (1/mu) e^(k zeta), k = 1/mu - 1, from 37 on."""
    k = 1.0 / mu - 1.0
    if k == 0.0:
        return (zeta - 37.0) / mu
    return exp(k * 37.0) * expm1(k * (zeta - 37.0)) / (k * mu)


def unclock(x: float, near: float, mu: float, region: int, table: Sequence[float]) -> float:
    """The zeta at which X is x; ``near`` is a zeta close by, where the search begins."""
    cells = len(table) // 24
    base = region * cells * 8
    if x <= table[base]:
        if region == 0:
            return -37.0 + (x - table[base]) * mu
        return mu * log(x) if x > 0.0 else -1e308
    end = 0.0
    for j in range(8):
        end += table[base + (cells - 1) * 8 + j]
    if x >= end:
        if region == 1:
            return 37.0 + (x - end) * mu
        k = 1.0 / mu - 1.0
        if k == 0.0:
            return 37.0 + (x - end) * mu
        return 37.0 + log1p((x - end) * k * mu * exp(-k * 37.0)) / k
    low = cell_of(x, near, base, cells, table)
    return -37.0 + (low + root_in_cell(x, base + low * 8, table)) * 74.0 / cells


def cell_of(x: float, near: float, base: int, cells: int, table: Sequence[float]) -> int:
    """The cell in which X passes x: looked for next to ``near`` first, then by bisection."""
    low = 0
    high = cells - 1
    guess = min(max(int((min(max(near, -37.0), 37.0) + 37.0) * cells / 74.0), 0), cells - 1)
    for k in range(max(guess - 1, 0), min(guess + 2, cells)):
        if table[base + k * 8] <= x and (k == cells - 1 or x < table[base + (k + 1) * 8]):
            return k
    while low < high:
        middle = (low + high + 1) // 2
        if table[base + middle * 8] <= x:
            low = middle
        else:
            high = middle - 1
    return low


def root_in_cell(x: float, at: int, table: Sequence[float]) -> float:
    """The s in [0, 1] at which the cell's polynomial is x, by Newton; the polynomial is increasing."""
    s = min(max((x - table[at]) / table[at + 1], 0.0), 1.0)
    for _ in range(8):
        value = table[at + 7]
        slope = 0.0
        for j in range(6, -1, -1):
            slope = slope * s + value
            value = value * s + table[at + j]
        step = (value - x) / slope
        s = min(max(s - step, 0.0), 1.0)
        if abs(step) < 1e-9:  # the next one would be below rounding: Newton squares it
            break
    return s


def relax_with_derivative(
    eta: float, eta_d: float, x: float, x_d: float, mu: float, mu_d: float, table: Sequence[float]
) -> tuple[float, float]:
    """`relax` and its derivative: the flow of an autonomous equation stretches like its right-hand side."""
    new = relax(eta, x, mu, table)
    before = slope_of(eta, mu)
    after = slope_of(new, mu)
    if abs(before) > 1e-9:
        return new, after * x_d + after / before * eta_d
    return new, after * x_d + exp(-mu * x) * eta_d


def slope_of(eta: float, mu: float) -> float:
    """1 - sgn(eta) |eta|^mu, without cancellation near one."""
    if eta > 0.0:
        return -expm1(mu * log(eta))
    if eta < 0.0:
        return 1.0 + (-eta) ** mu
    return 1.0


@with_derivative(relax_with_derivative)
def relax(eta: float, x: float, mu: float, table: Sequence[float]) -> float:
    """eta after a way x >= 0 of d eta/dx = 1 - sgn(eta) |eta|^mu."""
    if eta < 0.0:
        near = mu * log(-eta)
        left = clock(near, mu, 2, table)
        if x < left:
            return -exp(unclock(left - x, near, mu, 2, table) / mu)
        x -= left
        eta = 0.0
    if eta < 1.0:
        near = -1e308
        gone = 0.0
        if eta > 0.0:
            # logit of eta^mu, both ends without cancellation
            near = mu * log(eta) - log(-expm1(mu * log(eta)))
            gone = clock(near, mu, 1, table)
        return exp(-log1p(exp(min(-unclock(gone + x, near, mu, 1, table), 700.0))) / mu)
    if eta == 1.0:
        return 1.0
    near = log(expm1(mu * log(eta)))
    return exp(log1p(exp(unclock(clock(near, mu, 0, table) - x, near, mu, 0, table))) / mu)
