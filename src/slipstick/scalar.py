"""The maps of `slipstick.maps` on plain floats.

Laws are written with these. They are ordinary Python, so a law can be called and debugged
without a compiler, and simple enough to be compiled into kernels and differentiated
(`slipstick.laws.law_kernels`): floats in, floats out, no arrays, no keyword arguments.
"""

from __future__ import annotations

from math import exp, log1p


def sgn(x: float) -> float:
    """The sign of x; 0 at 0."""
    if x > 0.0:
        return 1.0
    if x < 0.0:
        return -1.0
    return 0.0


def sat(x: float, a: float) -> float:
    """The projection of x on [-a, a]."""
    return min(max(x, -a), a)


def luz(x: float, a: float) -> float:
    """x beyond the dead zone [-a, a]; exactly zero inside it."""
    # x - sat(x, a), not the absolute-value form: that one leaves rounding dust inside the gap
    return x - sat(x, a)


def play(s: float, u: float, r: float) -> float:
    """The play operator: the position of a slider of half width r that u pushes."""
    return min(max(s, u - r), u + r)


def ahead(b: float, u: float, s: float, best: float) -> float:
    """b if it lies beyond u in direction s, and nearer than ``best``; else ``best``."""
    return b if (b - u) * s > 0.0 and (best - b) * s > 0.0 else best


def power(x: float, exponent: float) -> float:
    """sgn(x) |x|^exponent, the odd power."""
    if x >= 0.0:
        return x**exponent  # type: ignore[no-any-return]
    return -((-x) ** exponent)  # type: ignore[no-any-return]


def extinction(y: float, rate: float, exponent: float) -> float:
    """The distance after which `decay` with this rate is zero, for an exponent below 1."""
    return float(abs(y) ** (1.0 - exponent) / (rate * (1.0 - exponent)))


def decay(y: float, x: float, exponent: float) -> float:
    """y after a distance x >= 0 of dy/dx = -sgn(y) |y|^exponent: exponential for 1, extinct in finite x below 1."""
    if y == 0.0:
        return 0.0
    if exponent == 1.0:
        return y * exp(-x)
    a = 1.0 - exponent
    # log1p and exp, not powers: stays exact as the exponent comes close to one
    left = -a * x * abs(y) ** (-a)
    if left <= -1.0:
        return 0.0
    return y * exp(log1p(left) / a)
