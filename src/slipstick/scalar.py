"""The maps of `slipstick.maps` on plain floats.

Laws are written with these. They are ordinary Python, so a law can be called and debugged
without a compiler, and simple enough to be compiled into kernels and differentiated
(`slipstick.laws.compile`): floats in, floats out, no arrays, no keyword arguments.
"""

from __future__ import annotations


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
    """The play operator: the position of a slider of half width r that u pushes about."""
    return min(max(s, u - r), u + r)


def power(x: float, exponent: float) -> float:
    """sgn(x) |x|^exponent, the odd power."""
    if x >= 0.0:
        return x**exponent
    return -((-x) ** exponent)
