"""The first harmonic of a motion that decays like exp(lambda t), lambda = -zeta omega +- i omega sqrt(1 - zeta^2).

Its linear part is lambda^2 M + lambda C + K = (K - omega^2 M) + lambda (C - 2 zeta omega M), so that a linear mode is
met for any damping matrix: gyroscopic, not proportional, or with circulatory forces beside it. A law whose first
harmonic is F = (k + i omega c) u counts as its equivalent spring and damper, (k + lambda c) u. With one coordinate, or
proportional damping, both are what -2 zeta omega M q' on a periodic motion gives.
"""

from __future__ import annotations

import math

import numpy as np

from slipstick.arrays import Complex

# damping ratio from which on the imaginary part of lambda is kept from zero, where the equations lose rank
MAX_DAMPING_RATIO = 0.99


def decay_exponent(zeta: float) -> tuple[complex, complex]:
    """lambda over omega, and its slope by zeta; pairs go with exp(-i tau)."""
    size = min(abs(zeta), MAX_DAMPING_RATIO)
    eta = math.sqrt(1.0 - size * size)
    bend = 1.0 + (abs(zeta) - size) * size / eta**2
    return complex(-zeta, -eta / bend), complex(-1.0, math.copysign(size / (eta * bend**2), zeta))


class DecayingForces:
    """Forces of m lines on a motion that decays, from those on a periodic one.

    force, u : (m,) pairs of the first harmonic of forces and deflections.   factor : lambda / omega + i.
    least : [m or rad] deflections below which the damper of a line is left out.
    """

    def __init__(self, force: Complex, u: Complex, zeta: float, least: float, decays: bool) -> None:
        self.force, self.u = force, u
        self.square = (u * u.conj()).real + least**2
        own, slope = decay_exponent(zeta) if decays else (-1j, 0j)
        self.factor, self.slope = own + 1j, slope

    def of(self, force: Complex) -> Complex:
        """(..., m) forces, or changes of them, with the same deflections."""
        return np.asarray(force + self.factor * self._damping(force))

    def of_line(self, line: int, force: Complex) -> Complex:
        """(k,) changes of the force of one line, with the same deflections."""
        u = complex(self.u[line])
        damped = -(force * u.conjugate()).imag / self.square[line]
        return np.asarray(force + self.factor * u * damped)

    def by(self, force: Complex, u: Complex) -> Complex:
        """(..., m) the change with those of forces and deflections."""
        damped = -(self.force * self.u.conj()).imag / self.square
        other = -(self.force * u.conj()).imag / self.square - 2.0 * damped * (self.u.conj() * u).real / self.square
        return self.of(force) + self.factor * (u * damped + self.u * other)

    @property
    def by_zeta(self) -> Complex:
        """(m,)"""
        return np.asarray(self.slope * self._damping(self.force))

    def _damping(self, force: Complex) -> Complex:
        """omega c u of the equivalent dampers."""
        return np.asarray(self.u * -(force * self.u.conj()).imag / self.square)
