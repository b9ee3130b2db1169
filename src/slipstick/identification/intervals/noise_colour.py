"""Noise colour: correlation of the residuals, and its effect on intervals.

Correlated neighbours carry less information than independent samples. An autoregressive (AR) model of the residuals
gives the correlation at any lag. It is always that of a possible noise, and needs no window width. Information criteria
choose its order; for white noise the order is 0, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array

MAX_AR_ORDER = 40
SAMPLES_A_COEFFICIENT = 8  # residuals for each coefficient, at least


class NoiseColour(NamedTuple):
    """coefficients : (p,) of the AR model, by increasing lag; empty for white noise."""

    coefficients: Array

    def spectrum(self, n: int) -> Array:
        """(n//2 + 1,) power at the frequencies of `rfft`, for noise of variance one."""
        power: Array = np.abs(np.fft.rfft(np.concatenate(((1.0,), -self.coefficients)), n)) ** -2.0
        whole = 2.0 * power.sum() - power[0] - (power[-1] if n % 2 == 0 else 0.0)
        return np.asarray(power * (n / whole))

    def correlated_product(self, x: Array) -> Array:
        """(k, k) x^T R x for columns x (n, k), with R the correlation matrix of the noise."""
        if not self.coefficients.size:
            return np.asarray(x.T @ x)
        n = 2 << (x.shape[0] - 1).bit_length()  # zero padding against wrap-around
        waves = np.fft.rfft(x, n, axis=0)
        weights = self.spectrum(n) / n
        weights[1 : (n + 1) // 2] *= 2.0
        return np.asarray((waves.conj().T @ (weights[:, None] * waves)).real)

    def effective_samples(self, n: int) -> float:
        """Effective number of independent samples among n, for slow changes; at most n."""
        return n / max(float(self.spectrum(4 * n)[0]), 1.0) if self.coefficients.size else float(n)


WHITE_NOISE = NoiseColour(np.empty(0))


def fit_noise_colour(parts: Sequence[Array]) -> NoiseColour:
    """Noise colour of residuals along several loops; excluded samples are zero."""
    count = sum(int(np.count_nonzero(x)) for x in parts)
    most = min(MAX_AR_ORDER, count // SAMPLES_A_COEFFICIENT, min(x.size for x in parts) - 1)
    lags = np.array([sum(float(x[k:] @ x[: x.size - k]) for x in parts) for k in range(max(most, 0) + 1)])
    if most < 1 or lags[0] <= 0.0:
        return WHITE_NOISE
    return NoiseColour(_select_ar_model(lags / lags[0], count))


def _select_ar_model(r: Array, count: int) -> Array:
    """AR model by Levinson's recursion; r : correlations from r[0] = 1 on.

    The BIC decides whether the noise is white, as it seldom errs there. Akaike's criterion then chooses the order, as
    it looks far enough back.
    """
    best, least, white = np.empty(0), 0.0, True
    coefficients, left = np.empty(0), 1.0
    for p in range(1, r.size):
        reflected = float(r[p] - coefficients @ r[p - 1 : 0 : -1]) / left
        if not abs(reflected) < 1.0:
            break
        coefficients = np.concatenate((coefficients - reflected * coefficients[::-1], (reflected,)))
        left *= 1.0 - reflected**2
        gain = count * float(np.log(left))
        white = white and gain + p * np.log(count) >= 0.0
        if gain + 2.0 * p < least:
            best, least = coefficients, gain + 2.0 * p
    return np.empty(0) if white else best
