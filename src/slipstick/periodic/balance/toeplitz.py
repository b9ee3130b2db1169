"""Derivatives of the harmonics of laws without memory, from the spectrum of their tangent: Toeplitz plus Hankel.

For df = g(tau) du the pair a of df by the cosine b of du is G_(a+b) + G_(a-b), by the sine -i (G_(a+b) - G_(a-b)), with
G_k the mean of g exp(i k tau). That is H^2 numbers from one transform, where a product with samples takes N H^2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.balance.waves import Waves

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

LEAST = 24  # harmonics from which on this is the faster way


class Spectral:
    """The derivatives of pairs by coefficients, for some waves."""

    def __init__(self, waves: Waves) -> None:
        self.waves = waves
        a = np.append(np.arange(1, waves.harmonics + 1), 0)
        self.above = (a[:, None] + a) % waves.samples  # (b, a)
        self.below = (a - a[:, None]) % waves.samples
        self.half = np.where(a == 0, 0.5, 1.0)  # of the mean of a force

    def fill(self, by_u: Array, by_slope: Array, by_rate: Array, turn: Array, out: Array) -> None:
        """(lines, width + 1, width + 1) pairs of forces by coefficients and by the frequency of the first harmonic.

        by_u, by_slope : (lines, N) derivatives of the forces by deflections and their slopes by tau.
        by_rate : (lines, N) by rates, of laws that ask for those.   turn : (lines, N) the slopes by tau.
        """
        waves = self.waves
        pairs = out.view(complex)
        cos, sin = self._columns(by_u)
        if by_slope.any():
            b = waves.orders[:, None]
            cos_v, sin_v = self._columns(by_slope)
            cos, sin = cos - b * sin_v, sin + b * cos_v
        pairs[:, 0:-2:2], pairs[:, 1:-2:2] = cos[:, :-1], sin[:, :-1]
        pairs[:, -2] = cos[:, -1]
        out[:, -1] = (by_rate * turn) @ waves.projection
        out[:, :, -1] = 0.0

    def _columns(self, g: Array) -> tuple[Complex, Complex]:
        """(lines, b, a) pairs a by the cosine and by the sine of b; b and a with the mean last."""
        spectrum = np.fft.ifft(g)  # mean of g exp(i k tau)
        up, down = spectrum[:, self.above], spectrum[:, self.below]
        return (up + down) * self.half, -1j * (up - down) * self.half
