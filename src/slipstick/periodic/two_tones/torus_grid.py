"""Functions of two phases: Fourier series over orders (a, b), and a grid whose lines are motions in time.

    q(x, y) = Re sum over orders of c_ab exp(i (a x + b y)),   x = slow t,   y = fast t

The grid follows the motion: line i starts at the phase x = 2 pi i / P where y is zero, and has S samples until y has
turned once. At its end x has advanced by 2 pi slow / fast, between the starts of other lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slipstick.arrays import Array, Complex

OFFSETS = (-1, 0, 1, 2)  # lines, relative to the one below a phase, that cubic interpolation takes


def half_plane(slow: int, fast: int) -> Array:
    """(L + 1, 2) orders up to these numbers, one of each pair of opposite ones; the mean first."""
    orders = [(0, 0)]
    orders += [(0, b) for b in range(1, fast + 1)]
    orders += [(a, b) for a in range(1, slow + 1) for b in range(-fast, fast + 1)]
    return np.array(orders, dtype=float)


def as_real(series: Complex) -> Array:
    """(..., 2 L + 1) mean, real parts and imaginary parts of series (..., L + 1)."""
    return np.concatenate([series[..., :1].real, series[..., 1:].real, series[..., 1:].imag], axis=-1)


def as_complex(numbers: Array) -> Complex:
    """Inverse of `as_real`."""
    half = numbers.shape[-1] // 2
    upper = numbers[..., 1 : half + 1] + 1j * numbers[..., half + 1 :]
    return np.concatenate([numbers[..., :1].astype(complex), upper], axis=-1)


@dataclass(frozen=True, eq=False)
class TorusGrid:
    """slow, fast : [rad/s] of the phases.   harmonics : highest orders of both.   lines, samples : of the grid."""

    slow: float
    fast: float
    harmonics: tuple[int, int]
    lines: int
    samples: int

    @property
    def width(self) -> int:
        """Real numbers of a series."""
        return 2 * int(self.orders.shape[0]) - 1

    @cached_property
    def orders(self) -> Array:
        return half_plane(*self.harmonics)

    @cached_property
    def frequencies(self) -> Array:
        """(L + 1,) [rad/s], also negative ones."""
        return np.asarray(self.orders @ (self.slow, self.fast))

    @cached_property
    def phases(self) -> tuple[Array, Array]:
        """(lines, samples) both phases at each sample."""
        y = 2.0 * np.pi * np.arange(self.samples) / self.samples
        x = 2.0 * np.pi * np.arange(self.lines)[:, None] / self.lines + self.slow / self.fast * y
        return x, np.broadcast_to(y, x.shape)

    @cached_property
    def _waves(self) -> tuple[Complex, Complex]:
        """(2 A + 1, lines) and (2 A + 1, 2 B + 1, samples): factors of exp(i (a x + b y))."""
        a, b = (np.arange(-h, h + 1) for h in self.harmonics)
        y = self.phases[1][0]
        starts = np.exp(2j * np.pi * np.outer(a, np.arange(self.lines)) / self.lines)
        along = np.exp(1j * (a[:, None, None] * self.slow / self.fast + b[:, None]) * y)
        return starts, along

    def _places(self) -> tuple[Array, Array]:
        """(L + 1,) numbers of the orders of the half plane in the arrays of `_waves`."""
        a, b = self.orders.T.astype(int)
        return a + self.harmonics[0], b + self.harmonics[1]

    def values(self, series: Complex) -> Array:
        """(..., lines, samples) of series (..., L + 1)."""
        starts, along = self._waves
        whole = np.zeros((*series.shape[:-1], along.shape[0], along.shape[1]), dtype=complex)
        whole[(..., *self._places())] = series
        return np.asarray(np.einsum("...as,ap->...ps", np.einsum("...ab,abs->...as", whole, along), starts).real)

    def series(self, values: Array) -> Complex:
        """(..., L + 1) of values (..., lines, samples)."""
        starts, along = self._waves
        rows = np.einsum("...ps,ap->...as", values, starts.conj())
        found = np.einsum("...as,abs->...ab", rows, along.conj())[(..., *self._places())]
        found[..., 1:] *= 2.0
        return np.asarray(found / (self.lines * self.samples))

    def rates(self, series: Complex) -> Complex:
        """Series of the derivative in time."""
        return np.asarray(1j * self.frequencies * series)

    @cached_property
    def basis(self) -> Array:
        """(lines, samples, width) derivatives of values by the real numbers of a series."""
        starts, along = self._waves
        a, b = self._places()
        waves = np.einsum("kp,ks->psk", starts[a[1:]], along[a[1:], b[1:]])
        return np.concatenate([np.ones((*waves.shape[:2], 1)), waves.real, -waves.imag], axis=2)

    @cached_property
    def rate_basis(self) -> Array:
        """(lines, samples, width) the same of rates."""
        half, omega = self.width // 2, self.frequencies[1:]
        cos, sin = self.basis[..., 1 : half + 1], self.basis[..., half + 1 :]
        return np.concatenate([np.zeros((*cos.shape[:2], 1)), omega * sin, -omega * cos], axis=2)

    @cached_property
    def projection(self) -> Array:
        """(width, lines * samples) real numbers of the series of values."""
        flat = self.basis.reshape(-1, self.width).T * (2.0 / (self.lines * self.samples))
        flat[0] *= 0.5
        return np.asarray(flat)

    @cached_property
    def advance(self) -> Array:
        """(lines, lines) interpolation in x: what lines have at their start, from what others have at their end."""
        found = np.zeros((self.lines, self.lines))
        for i in range(self.lines):
            place = i - self.lines * self.slow / self.fast  # of the line that ends here
            below = int(np.floor(place))
            t = place - below
            shares = (
                -t * (t - 1.0) * (t - 2.0) / 6.0,
                (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0,
                -(t + 1.0) * t * (t - 2.0) / 2.0,
                (t + 1.0) * t * (t - 1.0) / 6.0,
            )
            for offset, share in zip(OFFSETS, shares, strict=True):
                found[i, (below + offset) % self.lines] += share
        return found
