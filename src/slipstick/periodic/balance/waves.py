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
    values, slopes : (N, width) the functions of a series and their derivatives by tau.
    across : (width, 2 N) the same: series @ across are samples and slopes; ``values_across``, ``slopes_across``: parts.
    projection : (N, 2 H + 2) samples to coefficients, with a zero behind the mean.
    orders : (H+1,) harmonic of each pair, the mean last.
    """

    def __init__(self, harmonics: int, samples: int) -> None:
        self.harmonics, self.samples, self.width = harmonics, samples, 2 * harmonics + 1
        tau = 2.0 * np.pi * np.arange(samples) / samples
        self.orders = np.append(np.arange(1.0, harmonics + 1), 0.0)
        # the phase is reduced in whole numbers: cos(h tau) of a late sample is as good as that of an early one
        turns = np.outer(np.arange(samples), np.arange(1, harmonics + 1)) % samples
        cos, sin = np.cos(tau)[turns], np.sin(tau)[turns]
        self.values, self.slopes = np.ones((samples, self.width)), np.zeros((samples, self.width))
        self.values[:, 0:-1:2], self.values[:, 1:-1:2] = cos, sin
        self.slopes[:, 0:-1:2], self.slopes[:, 1:-1:2] = -sin * self.orders[:-1], cos * self.orders[:-1]
        self.across = np.ascontiguousarray(np.concatenate([self.values, self.slopes]).T)
        self.values_across, self.slopes_across = self.across[:, :samples], self.across[:, samples:]
        self.projection = np.zeros((samples, self.width + 1))
        self.projection[:, :-1] = self.values * (2.0 / samples)
        self.projection[:, -2] = 1.0 / samples

    @cached_property
    def double(self) -> Array:
        """(N, 2 width) exp(i k tau) / N of k = 0 to 2 H as pairs: with a row of samples, its spectrum."""
        turns = np.outer(np.arange(self.samples), np.arange(self.width)) % self.samples
        turn = np.exp(2j * np.pi / self.samples * np.arange(self.samples)) / self.samples
        return np.ascontiguousarray(turn[turns]).view(np.float64)

    def coefficients(self, rows: Array) -> Array:
        """(..., width) of samples (..., N)."""
        return np.asarray((rows @ self.projection)[..., :-1])


@lru_cache(maxsize=16)
def waves(harmonics: int, samples: int) -> Waves:
    """The same for every family that asks for the same."""
    return Waves(harmonics, samples)


def sampled(series: Array, across: Array) -> Array:
    """(..., k) values of series (..., width) by functions (width, k): in one product, not in a stack of small ones."""
    return np.asarray((series.reshape(-1, across.shape[0]) @ across).reshape(*series.shape[:-1], across.shape[1]))


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
