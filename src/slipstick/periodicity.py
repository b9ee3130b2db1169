"""Periods of sums of harmonics, and the share of a period in which they are negative."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import InvalidInput, short_repr

LARGEST_DENOMINATOR = 1000  # frequency ratios p/q up to this q count as commensurate
MACHINE_EPS = float(np.finfo(float).eps)
START_INTERVALS, MAX_INTERVALS = 64, 20_000  # of the search for sign changes


def common_period(frequencies: Iterable[float]) -> float:
    """The smallest T with every frequency a multiple of 2 pi/T; 0 if there are none.

    Refuses frequencies whose ratios are not fractions with a denominator up to 1000.
    """
    omegas = sorted(set(frequencies))
    if not omegas:
        return 0.0
    if not all(0.0 < omega < math.inf for omega in omegas):
        raise InvalidInput(f"frequencies must be finite and > 0, got {short_repr(omegas)} rad/s")
    base = Fraction(1)
    for omega in omegas[1:]:
        ratio = omega / omegas[0]
        fraction = Fraction(ratio).limit_denominator(LARGEST_DENOMINATOR)
        if abs(float(fraction) - ratio) > 1e-12 * ratio:
            raise InvalidInput(
                f"frequencies {omegas[0]:.9g} and {omega:.9g} rad/s have no common period "
                f"(their ratio is not a fraction with denominator <= {LARGEST_DENOMINATOR}); round them to one"
            )
        base = _greatest_common_divisor(base, fraction)
    return 2.0 * math.pi / (omegas[0] * float(base))


def _greatest_common_divisor(a: Fraction, b: Fraction) -> Fraction:
    shared = math.gcd(a.numerator * b.denominator, b.numerator * a.denominator)
    return Fraction(shared, a.denominator * b.denominator)


def negative_share(mean: float, harmonics: Sequence[tuple[float, float, float]]) -> float:
    """The share of a period with mean + harmonics < 0, to rounding.   harmonics : (omega, cos, sin)."""
    swing = math.fsum(math.hypot(c, s) for _, c, s in harmonics)
    if abs(mean) >= swing:  # one sign only: no crossing to look for, and no common period needed
        return 1.0 if mean < 0.0 else 0.0
    base = 2.0 * math.pi / common_period(omega for omega, _, _ in harmonics)
    amplitudes: dict[int, complex] = {}  # mean + Re sum of a[n] e^(i n x), x = base t
    for omega, c, s in harmonics:
        n = round(omega / base)
        amplitudes[n] = amplitudes.get(n, 0.0) + complex(c, -s)
    return _bisect_signs(mean, np.array(list(amplitudes), dtype=float), np.array(list(amplitudes.values())))


def _bisect_signs(mean: float, n: Array, a: Complex) -> float:
    """The share of the circle with mean + Re sum a e^(i n x) < 0: halves intervals until each has one sign."""
    size = np.abs(a)
    # the rounding of an angle n x is n x eps
    noise = MACHINE_EPS * float(abs(mean) + np.sum(size * (2.0 + 2.0 * math.pi * n)))
    curvature = float(np.sum(size * n**2))  # bound of the second derivative
    half = math.pi / START_INTERVALS
    share = 1.0 / START_INTERVALS
    x = half * np.arange(1.0, 2.0 * START_INTERVALS, 2.0)
    below = 0.0
    while x.size:
        waves = a * np.exp(1j * np.multiply.outer(x, n))
        f, slope = mean + waves.real.sum(axis=1), np.abs((n * waves.imag).sum(axis=1))
        change = slope * half + 0.5 * curvature * half**2  # bound within the interval
        # a function that only touches zero, or lies along it, is not negative there
        done = (np.abs(f) > change + noise) | (change <= noise) | (x.size > MAX_INTERVALS)
        below += share * np.count_nonzero(done & (f < -noise))
        half, share, rest = 0.5 * half, 0.5 * share, x[~done]
        x = np.concatenate((rest - half, rest + half))
    return below
