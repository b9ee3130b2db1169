"""Samples of one period and Fourier coefficients: the two sides of alternating frequency and time.

A series of H harmonics is (cos 1, sin 1, ..., cos H, sin H, mean): pairs first, so that they are read as complex
numbers p = cos + i sin without a copy, and the mean as the real part of one more pair.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

LEAST_WITH_CORNERS = 256


class Waves:
    """H harmonics on N samples, tau = 2 pi k / N.

    width : 2 H + 1 coefficients of a series.
    orders : (H+1,) harmonic of each pair, the mean last.

    Series are sampled, and samples projected, by fast transforms. The tables below serve compiled loops, which need
    single rows of them or products with few rows; each is made when it is first asked for.
    """

    def __init__(self, harmonics: int, samples: int) -> None:
        self.harmonics, self.samples, self.width = harmonics, samples, 2 * harmonics + 1
        self.orders = np.append(np.arange(1.0, harmonics + 1), 0.0)

    @cached_property
    def values(self) -> Array:
        """(N, width) the functions of a series."""
        turned, found = self._turned(1, self.harmonics), np.ones((self.samples, self.width))
        found[:, 0:-1:2], found[:, 1:-1:2] = turned.real, turned.imag
        return found

    @cached_property
    def slopes(self) -> Array:
        """(N, width) their derivatives by tau."""
        found = np.zeros((self.samples, self.width))
        found[:, 0:-1:2] = -self.orders[:-1] * self.values[:, 1:-1:2]
        found[:, 1:-1:2] = self.orders[:-1] * self.values[:, 0:-1:2]
        return found

    def _turned(self, first: int, last: int) -> Complex:
        """(N, last - first + 1) exp(i h tau) of h from ``first`` to ``last``."""
        # the phase is reduced in whole numbers: cos(h tau) of a late sample is as good as that of an early one
        turns = np.outer(np.arange(self.samples), np.arange(first, last + 1)) % self.samples
        tau = 2.0 * np.pi * np.arange(self.samples) / self.samples
        return np.asarray((np.cos(tau) + 1j * np.sin(tau))[turns])

    @cached_property
    def across(self) -> Array:
        """(width, 2 N) functions and derivatives: series @ across are samples and slopes."""
        return np.ascontiguousarray(np.concatenate([self.values, self.slopes]).T)

    @cached_property
    def projection(self) -> Array:
        """(N, 2 H + 2) samples to coefficients, with a zero behind the mean."""
        found = np.zeros((self.samples, self.width + 1))
        found[:, :-1] = self.values * (2.0 / self.samples)
        found[:, -2] = 1.0 / self.samples
        return found

    @cached_property
    def double(self) -> Array:
        """(N, 2 width) exp(i k tau) / N of k = 0 to 2 H as pairs: with a row of samples, its spectrum."""
        return (self._turned(0, 2 * self.harmonics) / self.samples).view(np.float64)

    def values_of(self, series: Array) -> Array:
        """(..., N) samples of series (..., width)."""
        return self._sampled(as_pairs(series))

    def slopes_of(self, series: Array) -> Array:
        """(..., N) derivatives by tau of series (..., width) at the samples."""
        return self._sampled(-1j * self.orders * as_pairs(series))

    def motion_of(self, series: Array) -> Array:
        """(..., 2 N) samples of series (..., width), and behind them the derivatives by tau."""
        return np.concatenate([self.values_of(series), self.slopes_of(series)], axis=-1)

    def _sampled(self, pairs: Complex) -> Array:
        spectrum = np.empty(pairs.shape, dtype=np.complex128)
        spectrum[..., 0], spectrum[..., 1:] = pairs[..., -1].real, 0.5 * pairs[..., :-1].conj()
        return np.asarray(np.fft.irfft(spectrum, self.samples, norm="forward"))

    def coefficients(self, rows: Array) -> Array:
        """(..., width) of samples (..., N)."""
        spectrum = np.fft.rfft(rows, norm="forward")[..., : self.harmonics + 1]
        return as_series(np.concatenate([2.0 * spectrum[..., 1:].conj(), spectrum[..., :1].real], axis=-1))


@lru_cache(maxsize=16)
def waves(harmonics: int, samples: int) -> Waves:
    """The same for every family that asks for the same."""
    return Waves(harmonics, samples)


def as_pairs(series: Array) -> Complex:
    """(..., H+1) complex of series (..., 2 H + 1): p with value Re(conj(p) exp(i h tau)); the mean last."""
    room = np.zeros((*series.shape[:-1], series.shape[-1] + 1))
    room[..., :-1] = series
    return room.view(np.complex128)


def as_series(pairs: Complex) -> Array:
    """(..., 2 H + 1) of pairs (..., H+1)."""
    return np.ascontiguousarray(pairs).view(np.float64)[..., :-1]


def samples_for(index: int, corners: bool) -> int:
    """How many samples serve harmonics up to ``index``: a power of two, sixteen a harmonic for laws with corners, whose
    switches fall between samples however few the harmonics are."""
    wanted = max(16 * index, LEAST_WITH_CORNERS) if corners else max(4 * index, 16)
    return int(2 ** int(np.ceil(np.log2(wanted))))


def stretched(series: Array, harmonics: int) -> Array:
    """(..., 2 H' + 1): the series with other, more or fewer, harmonics."""
    have = (series.shape[-1] - 1) // 2
    out = np.zeros((*series.shape[:-1], 2 * harmonics + 1))
    kept = 2 * min(have, harmonics)
    out[..., :kept], out[..., -1] = series[..., :kept], series[..., -1]
    return out
