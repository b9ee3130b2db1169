"""The colour of what a fit leaves: noise that is not white, and what it does to the intervals.

Neighbours that are alike tell less than independent samples do. An autoregressive model of the residuals says how much:
each sample is a sum of the ones before it and something new. Its order is the one that Bayes' criterion takes; for
white noise that is 0, and nothing changes. The model gives a correlation of samples at any distance, which is never
that of an impossible noise, and does not end at a width that somebody had to choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_AR_ORDER = 40  # samples back that a model looks, at most
SAMPLES_A_COEFFICIENT = 8  # samples of residuals for each number of a model, at least


class NoiseColour(NamedTuple):
    """before : (p,) what each sample takes from those before it, the last first; empty for white noise."""

    before: Array

    def spectrum(self, n: int) -> Array:
        """(n//2 + 1,) the power at the frequencies of `rfft`, of noise with a variance of one."""
        power: Array = np.abs(np.fft.rfft(np.concatenate(((1.0,), -self.before)), n)) ** -2.0
        whole = 2.0 * power.sum() - power[0] - (power[-1] if n % 2 == 0 else 0.0)
        return np.asarray(power * (n / whole))

    def between(self, x: Array) -> Array:
        """(k, k) of the columns of x (n, k), x^T R x with R the correlations of noise along them."""
        if not self.before.size:
            return np.asarray(x.T @ x)
        n = 2 << (x.shape[0] - 1).bit_length()  # room, so that the end does not meet the beginning
        waves = np.fft.rfft(x, n, axis=0)
        weights = self.spectrum(n) / n
        weights[1 : (n + 1) // 2] *= 2.0
        return np.asarray((waves.conj().T @ (weights[:, None] * waves)).real)

    def worth(self, n: int) -> float:
        """How many independent samples n of them are worth, for what changes slowly; never more than there are."""
        return n / max(float(self.spectrum(4 * n)[0]), 1.0) if self.before.size else float(n)


WHITE_NOISE = NoiseColour(np.empty(0))


def fit_noise_colour(parts: Sequence[Array]) -> NoiseColour:
    """Of residuals along several loops, of one noise; zero where a sample is left out."""
    count = sum(int(np.count_nonzero(x)) for x in parts)
    most = min(MAX_AR_ORDER, count // SAMPLES_A_COEFFICIENT, min(x.size for x in parts) - 1)
    lags = np.array([sum(float(x[k:] @ x[: x.size - k]) for x in parts) for k in range(max(most, 0) + 1)])
    if most < 1 or lags[0] <= 0.0:
        return WHITE_NOISE
    return NoiseColour(_select_ar_model(lags / lags[0], count))


def _select_ar_model(r: Array, count: int) -> Array:
    """The model that Akaike's criterion takes, if Bayes' takes any, by Levinson's recursion; r : from r[0] = 1 on.

    The second is seldom wrong about white noise, the first looks far enough back where it is not.
    """
    best, least, white = np.empty(0), 0.0, True
    before, left = np.empty(0), 1.0
    for p in range(1, r.size):
        reflected = float(r[p] - before @ r[p - 1 : 0 : -1]) / left
        if not abs(reflected) < 1.0:
            break
        before = np.concatenate((before - reflected * before[::-1], (reflected,)))
        left *= 1.0 - reflected**2
        gain = count * float(np.log(left))
        white = white and gain + p * np.log(count) >= 0.0
        if gain + 2.0 * p < least:
            best, least = before, gain + 2.0 * p
    return np.empty(0) if white else best
