"""Bayes' information criterion, n ln(s^2) + k ln(n): a better fit against more numbers.

Neighbouring residuals that are alike tell less than n samples do, so n is what those of the best fit are worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.results.fit import Fit

Array = NDArray[np.float64]

ROUNDING_VARIANCE_SHARE = 0.01  # of the variance of the noise: what is left of that is rounding, and decides nothing


def effective_samples_of(fit: Fit) -> list[float]:
    """How many independent samples each loop is worth, from the residuals of the law that fits best."""
    return [_independent_samples((loop.fitted - loop.f)[loop.counts]) for loop in fit.loops]


def _independent_samples(left: Array) -> float:
    """n / (1 + 2 sum r_k), over the correlations r_k at k samples until the first that is not positive.

    The sum converges as samples come closer to each other, also for residuals that are smooth.
    """
    y = left - left.mean()
    power = np.abs(np.fft.rfft(y, 2 * y.size)) ** 2
    r = np.fft.irfft(power)[: y.size]
    if not r[0] > 0.0:
        return float(y.size)
    ends = np.flatnonzero(r <= 0.0)
    alike = r[1 : ends[0] if ends.size else r.size] / r[0]
    return float(max(y.size / (1.0 + 2.0 * alike.sum()), 1.0))


def bayes_criterion(fit: Fit, worth: Sequence[float], least: float = 1e-300) -> float:
    """Bayes' criterion of a fit; smaller is better.   least : of what is left, in variances of the noise."""
    total = sum(worth)
    squares = sum(own * (loop.rms / loop.noise) ** 2 for loop, own in zip(fit.loops, worth, strict=True))
    return total * math.log(max(squares / total, least)) + (len(fit.free) + 1) * math.log(max(total, 2.0))


def best_by_criterion(fits: Sequence[Fit]) -> Fit:
    """Of laws of one kind: the best by the criterion, the one with fewer numbers where all fit to rounding."""
    worth = effective_samples_of(min(fits, key=lambda fit: fit.residual))
    return min(fits, key=lambda fit: bayes_criterion(fit, worth, ROUNDING_VARIANCE_SHARE))
