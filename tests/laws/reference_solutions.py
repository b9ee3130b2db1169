"""What the tests of laws compare with: the papers' equations solved again, by other means than the package's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import slipstick as ss

EPS = float(np.finfo(float).eps)
FIBRE = {"stiffness": 1.49e6, "limit": 1.07e3, "linear": 6.16e6, "cubic": 2.38e9, "overshoot": 0.92, "ratio": 0.37}
BLIMAN = ss.BlimanSorine(stiffness=2.0, limit=1.0, overshoot_limit=0.4, ratio=0.3)


class Tensioner:
    """The imposed-deflection rig of the tensioner paper: (29), (32), (33), (35), (36)."""

    omega, phase, mean, swing = 9.4, 4.8, 5.4e-4, 5.2e-4
    upper, lower, rate, exponent = (9.596e2, 7.146e4), (3.972e2, 5.322e4), 117355.0, 0.37
    k, k0, alpha, c, preload = 4.84e5, 2.34e5, 163.0, 1.93e4, 573.0
    period = 2.0 * math.pi / omega

    @classmethod
    def deflection(cls, t: Any) -> Any:
        return cls.mean + cls.swing * np.sin(cls.omega * t + cls.phase)

    @classmethod
    def rate_at(cls, t: Any) -> Any:
        return cls.swing * cls.omega * np.cos(cls.omega * t + cls.phase)

    @classmethod
    def time_at(cls, u: float, rising: bool, cycle: int = 3) -> float:
        """When the deflection passes u in the given direction, some cycles on."""
        angle = math.asin((u - cls.mean) / cls.swing)
        return ((angle if rising else math.pi - angle) - cls.phase) / cls.omega + cycle * cls.period


NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


def integral(f: Callable[[Any], Any], a: float, b: float) -> float:
    """The integral of f to a few roundings: Gauss's rule on pieces of at most a half."""
    edges = np.linspace(a, b, int(abs(b - a) / 0.5) + 2)
    half = 0.5 * np.diff(edges)[:, None]
    return math.fsum(((half * WEIGHTS) * f(edges[:-1, None] + half * (NODES + 1.0))).ravel())


def soft(x: Any) -> Any:
    """log(1 + e^x)."""
    return np.logaddexp(0.0, x)


def relaxed(eta: float, x: float, mu: float) -> float:
    """eta after a way x of d eta/dx = 1 - sgn(eta) |eta|^mu: dx/d eta integrated, and the end found by bisection.

    Variables in which the integrand is smooth and bounded: eta = 1 + e^p, eta = 1/(1 + e^-q), eta = -e^r, each
    counted from the start, so that a large one costs no digits.
    """
    if eta == 1.0:
        return 1.0
    if eta > 1.0:
        p = math.log(eta - 1.0)

        def above(s: Any) -> Any:
            size = mu * soft(p - s)
            return np.exp(p - s - size) / -np.expm1(-size)

        return 1.0 + (eta - 1.0) * math.exp(-reached(above, x, p + 60.0))
    if eta < 0.0:
        r = math.log(-eta)

        def below(s: Any) -> Any:
            return np.exp(r - s - soft(mu * (r - s)))

        to_zero = integral(below, 0.0, 45.0)  # what is left out is 1e-20 of it
        if to_zero > x:
            return eta * math.exp(-reached(below, x, 45.0))
        eta, x = 0.0, x - to_zero
    if x <= 0.0:
        return eta
    q = math.log(eta) - math.log1p(-eta) if eta > 0.0 else math.log(min(x, 1.0)) - 45.0

    def within(s: Any) -> Any:
        return np.exp(-soft(-q - s) - soft(q + s)) / -np.expm1(-mu * soft(-q - s))

    end = reached(within, x, 60.0 - q)
    if eta > 0.0:
        return 1.0 / (1.0 + (1.0 - eta) / eta * math.exp(-end))
    return 1.0 / (1.0 + math.exp(-q - end))


def reached(f: Callable[[Any], Any], x: float, limit: float) -> float:
    """The s at which the integral of f > 0 from 0 comes to x; at most ``limit``."""
    near, far = 0.0, min(1.0, limit)
    while integral(f, 0.0, far) < x:
        if far == limit:
            return limit
        near, far = far, min(2.0 * far, limit)
    return float(brentq(lambda s: integral(f, 0.0, s) - x, near, far, xtol=1e-300, rtol=4 * EPS))


def distance(y: float, x: float, slope: float, rate: float, mu: float) -> float:
    """y after a way x of dy/dx = slope - rate sgn(y) |y|^mu: the distance to a straight envelope."""
    if slope == 0.0:
        return decayed(y, rate * x, mu)
    if slope < 0.0:
        return -distance(-y, x, -slope, rate, mu)
    rest = (slope / rate) ** (1.0 / mu)
    return rest * relaxed(y / rest, x * slope / rest, mu)


def decayed(y: float, x: float, mu: float) -> float:
    """y after a way x of dy/dx = -sgn(y) |y|^mu, in plain powers."""
    if y == 0.0:
        return 0.0
    if mu == 1.0:
        return y * math.exp(-x)
    left = abs(y) ** (1.0 - mu) - (1.0 - mu) * x
    return math.copysign(left ** (1.0 / (1.0 - mu)), y) if left > 0.0 else 0.0


def area(u: np.ndarray, f: np.ndarray) -> float:
    """The work along a path of straight pieces."""
    return float(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(u)))


def solved(rhs: Any, start: list[float], way: float) -> list[float]:
    """The state after a way of dy/dx = rhs(x, y), by a solver that knows nothing of the laws."""
    found = solve_ivp(rhs, (0.0, way), start, method="DOP853", rtol=1e-12, atol=1e-14 * max(1.0, *map(abs, start)))
    return [float(y) for y in found.y[:, -1]]


def at_rest(u: float, f: float) -> tuple[float, ...]:
    """The memory of a law of this family that stands at (u, f): a branch starts there."""
    return (u, f, u, f, 0.0, 0.0)


def force_at(slope: Callable[[float, float], float], u: float, f: float, end: float) -> float:
    """F at ``end`` from dF/du = slope(u, F), by a solver that knows nothing of the law."""
    way = solve_ivp(lambda x, y: [slope(x, y[0])], (u, end), [f], method="DOP853", rtol=1e-12, atol=1e-14)
    return float(way.y[0, -1])
