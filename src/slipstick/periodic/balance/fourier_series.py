"""Conversion between samples of a period and Fourier coefficients, for alternating frequency and time.

A series of H harmonics is (cos 1, sin 1, ..., cos H, sin H, mean): pairs first, so that they are read as complex
numbers p = cos + i sin without a copy, and the mean as the real part of one more pair.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from slipstick.arrays import Array, Complex

MIN_CORNER_SAMPLES = 256
MIN_TRANSFORM_NUMBERS = 16_384  # samples times coefficients, from which compiled loops use fast transforms
AT_ONCE, TRANSPOSED = 16_384, 64  # numbers of a table that are made, and rows that are transposed, within the cache


class FourierGrid:
    """H harmonics on N samples, tau = 2 pi k / N.

    width : 2 H + 1 coefficients of a series.
    orders : (H+1,) harmonic of each pair, the mean last.

    Series are sampled, and samples projected, by fast transforms. Compiled loops use them too if there are many numbers
    (``transforms``); for few, products with the tables below are as fast. Each table is made on first use.
    """

    def __init__(self, harmonics: int, samples: int) -> None:
        self.harmonics, self.samples, self.width = harmonics, samples, 2 * harmonics + 1
        self.orders = np.append(np.arange(1.0, harmonics + 1), 0.0)
        power_of_two = samples >= 4 and samples & (samples - 1) == 0
        self.transforms = power_of_two and samples * self.width >= MIN_TRANSFORM_NUMBERS

    @cached_property
    def circle(self) -> Array:
        """(N, 2) cos and sin of tau."""
        tau = 2.0 * np.pi * np.arange(self.samples) / self.samples
        return np.stack([np.cos(tau), np.sin(tau)], axis=1)

    @cached_property
    def values(self) -> Array:
        """(N, width) the functions of a series."""
        found = np.empty((self.samples, self.width))
        found[:, -1] = 1.0
        self._turn(found[:, :-1].view(np.complex128), 1)
        return found

    @cached_property
    def slopes(self) -> Array:
        """(N, width) their derivatives by tau."""
        found = np.empty((self.samples, self.width))
        found[:, -1] = 0.0
        self._turn(found[:, :-1].view(np.complex128), 1, 1j * self.orders[:-1])
        return found

    def _turn(self, out: Complex, first: int, factor: Complex | float = 1.0) -> None:
        """Fill (N, k) with exp(i h tau), h from ``first`` on, times a factor; by rows that stay in the cache."""
        # the phase is reduced in whole numbers: cos(h tau) of a late sample is as good as that of an early one
        circle, orders = self.circle.view(np.complex128)[:, 0], np.arange(first, first + out.shape[1])
        each = max(1, AT_ONCE // max(orders.size, 1))
        for begin in range(0, self.samples, each):
            rows = np.arange(begin, min(begin + each, self.samples))
            np.multiply(circle[rows[:, None] * orders % self.samples], factor, out=out[begin : begin + each])

    @cached_property
    def across(self) -> Array:
        """(width, 2 N) functions and derivatives: series @ across are samples and slopes."""
        found = np.empty((self.width, 2, self.samples))
        for begin in range(0, self.samples, TRANSPOSED):
            own = slice(begin, begin + TRANSPOSED)
            found[:, 0, own], found[:, 1, own] = self.values[own].T, self.slopes[own].T
        return found.reshape(self.width, -1)

    @cached_property
    def projection(self) -> Array:
        """(N, 2 H + 2) samples to coefficients, with a zero behind the mean."""
        found = np.empty((self.samples, self.width + 1))
        np.multiply(self.values, 2.0 / self.samples, out=found[:, :-1])
        found[:, -2:] = 1.0 / self.samples, 0.0
        return found

    @cached_property
    def double(self) -> Array:
        """(N, 2 width) exp(i k tau) / N of k = 0 to 2 H as pairs: with a row of samples, its spectrum."""
        found = np.empty((self.samples, self.width), dtype=np.complex128)
        self._turn(found, 0, 1.0 / self.samples)
        return found.view(np.float64)

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
def fourier_grid(harmonics: int, samples: int) -> FourierGrid:
    """The same for every family that asks for the same."""
    return FourierGrid(harmonics, samples)


def as_pairs(series: Array) -> Complex:
    """(..., H+1) complex of series (..., 2 H + 1): p with value Re(conj(p) exp(i h tau)); the mean last."""
    room = np.zeros((*series.shape[:-1], series.shape[-1] + 1))
    room[..., :-1] = series
    return room.view(np.complex128)


def as_series(pairs: Complex) -> Array:
    """(..., 2 H + 1) of pairs (..., H+1)."""
    return np.ascontiguousarray(pairs).view(np.float64)[..., :-1]


def sample_count_for(index: int, corners: bool) -> int:
    """How many samples serve harmonics up to ``index``: a power of two, sixteen a harmonic for laws with corners, whose
    switches fall between samples however few the harmonics are."""
    wanted = max(16 * index, MIN_CORNER_SAMPLES) if corners else max(4 * index, 16)
    return int(2 ** int(np.ceil(np.log2(wanted))))


def resized_series(series: Array, harmonics: int) -> Array:
    """(..., 2 H' + 1): the series with other, more or fewer, harmonics."""
    have = (series.shape[-1] - 1) // 2
    out = np.zeros((*series.shape[:-1], 2 * harmonics + 1))
    kept = 2 * min(have, harmonics)
    out[..., :kept], out[..., -1] = series[..., :kept], series[..., -1]
    return out
