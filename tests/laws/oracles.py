"""What the tests of laws compare with: the papers' equations solved again, by other means than the package's."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

EPS = float(np.finfo(float).eps)


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


def integral(f: Callable[[float], float], a: float, b: float) -> float:
    """The integral of f to a few roundings, in pieces that an adaptive rule resolves."""
    edges = np.linspace(a, b, int(abs(b - a) / 8.0) + 2)
    return math.fsum(quad(f, x, y, epsabs=0.0, epsrel=2e-14, limit=400)[0] for x, y in pairwise(edges))


def soft(x: float) -> float:
    """log(1 + e^x)."""
    return x + math.log1p(math.exp(-x)) if x > 0.0 else math.log1p(math.exp(x))


def relaxed(eta: float, x: float, mu: float) -> float:
    """eta after a way x of d eta/dx = 1 - sgn(eta) |eta|^mu: dx/d eta integrated, and the end found by bisection.

    Variables in which the integrand is smooth and bounded: eta = 1 + e^p, eta = 1/(1 + e^-q), eta = -e^r.
    """
    if eta == 1.0:
        return 1.0
    if eta > 1.0:
        first = math.log(eta - 1.0)

        def above(p: float) -> float:
            size = mu * soft(p)
            return math.exp(p) / math.expm1(size) if size < 700.0 else math.exp(p - size)

        end = root(lambda p: x - integral(above, p, first), first, -1.0, -60.0)
        return 1.0 + math.exp(end)
    if eta < 0.0:
        first = math.log(-eta)

        def below(r: float) -> float:
            return math.exp(r - soft(mu * r))

        to_zero = integral(below, first - 45.0, first)  # what is left out is 1e-20 of it
        if to_zero > x:
            return -math.exp(brentq(lambda r: integral(below, r, first) - x, first - 45.0, first, xtol=1e-15))
        eta, x = 0.0, x - to_zero
    if x <= 0.0:
        return eta
    first = math.log(eta) - math.log1p(-eta) if eta > 0.0 else math.log(min(x, 1.0)) - 45.0

    def within(q: float) -> float:
        return math.exp(-soft(-q) - soft(q)) / -math.expm1(-mu * soft(-q))

    end = root(lambda q: x - integral(within, first, q), first, 1.0, 60.0)
    return math.exp(-soft(-end))


def root(left: Callable[[float], float], first: float, step: float, limit: float) -> float:
    """Where ``left``, positive at ``first``, comes to zero in the direction of ``step``; at most ``limit``."""
    near = first
    while True:
        far = first + step if (first + step - limit) * step < 0.0 else limit
        if left(far) <= 0.0:
            return float(brentq(left, near, far, xtol=1e-15, rtol=4 * EPS))
        if far == limit:
            return limit
        near, step = far, 2.0 * step


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
    if mu == 1.0:
        return y * math.exp(-x)
    left = abs(y) ** (1.0 - mu) - (1.0 - mu) * x
    return math.copysign(left ** (1.0 / (1.0 - mu)), y) if left > 0.0 else 0.0


def area(u: np.ndarray, f: np.ndarray) -> float:
    """The work along a path of straight pieces."""
    return float(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(u)))
