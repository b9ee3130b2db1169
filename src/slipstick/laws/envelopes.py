"""Envelope functions h(u, direction, u_m, f_m) for `GeneralisedDahl`, from the fibre paper.

h is not the asymptote of the loop: it is the asymptote plus the terms that let a first-order equation
remember its last reversal (10), follow a polynomial (14) and overshoot (21).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp

Envelope = Callable[[float, float, float, float], float]


def _arguments(coefficients: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A polynomial and its derivative, never empty."""
    p = tuple(float(c) for c in coefficients) or (0.0,)
    return p, tuple(i * c for i, c in enumerate(p) if i > 0) or (0.0,)


def dynamic_hysteresis(limit: float) -> Envelope:
    """(9): 2 tau_C + tau_m s. With rate sigma/tau_C this is `DynamicHysteresis`."""
    limit = float(limit)

    def h(u: float, s: float, u_m: float, f_m: float) -> float:
        return 2.0 * limit + f_m * s

    return h


def with_polynomial(stiffness: float, limit: float, coefficients: Sequence[float]) -> Envelope:
    """(14): dynamic hysteresis beside a polynomial P, coefficients lowest first."""
    return full(stiffness, limit, 0.0, 1.0, coefficients)


def bliman_sorine(stiffness: float, limit: float, overshoot_limit: float, ratio: float) -> Envelope:
    """(21): with overshoot; stiffness and limit are sigma_1 and tau_C1."""
    return full(stiffness, limit, overshoot_limit, ratio, ())


def full(
    stiffness: float, limit: float, overshoot_limit: float, ratio: float, coefficients: Sequence[float]
) -> Envelope:
    """(23): hysteresis, overshoot and polynomial together; stiffness and limit are sigma_1 and tau_C1."""
    c1, c2, xi, r = float(limit), float(overshoot_limit), float(ratio), float(stiffness / limit)
    p, dp = _arguments(coefficients)

    def h(u: float, s: float, u_m: float, f_m: float) -> float:
        fall = 1.0 - (1.0 - xi) * exp(-xi * r * abs(u - u_m))
        y = 0.0
        for i in range(len(p) - 1, -1, -1):
            y = y * u + p[i]
        y_m = 0.0
        for i in range(len(p) - 1, -1, -1):
            y_m = y_m * u_m + p[i]
        slope = 0.0
        for i in range(len(dp) - 1, -1, -1):
            slope = slope * u + dp[i]
        return 2.0 * c1 - 2.0 * c2 * fall + y * s + slope / r + (f_m - y_m) * s

    return h
