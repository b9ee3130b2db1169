"""Bayesian information criterion (BIC), n ln(s^2) + k ln(n): goodness of fit against the number of parameters.

Correlated residuals carry less information than n samples, so n is the effective number for the best fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.results.fit import Fit


def effective_samples_of(fit: Fit) -> list[float]:
    """Effective number of independent samples of each loop, from the residuals of the best fit."""
    return [_independent_samples((loop.fitted - loop.f)[loop.counts]) for loop in fit.loops]


def _independent_samples(residuals: Array) -> float:
    """n / (1 + 2 sum r_k), with correlations r_k at lag k up to the first one that is not positive.

    The result converges with finer sampling, even for smooth residuals.
    """
    y = residuals - residuals.mean()
    power = np.abs(np.fft.rfft(y, 2 * y.size)) ** 2
    r = np.fft.irfft(power)[: y.size]
    if not r[0] > 0.0:
        return float(y.size)
    ends = np.flatnonzero(r <= 0.0)
    alike = r[1 : ends[0] if ends.size else r.size] / r[0]
    return float(max(y.size / (1.0 + 2.0 * alike.sum()), 1.0))


def bayes_criterion(fit: Fit, samples: Sequence[float], least: float = tol.AVOID_ZERO_DIVISION) -> float:
    """BIC of a fit; smaller is better. Parameters that the search held at a bound count, too.

    least : smallest residual variance, over that of the noise.
    """
    total = sum(samples)
    squares = sum(n * (loop.rms / loop.noise) ** 2 for loop, n in zip(fit.loops, samples, strict=True))
    return total * math.log(max(squares / total, least)) + (fit.searched + 1) * math.log(max(total, 2.0))


def best_by_criterion(fits: Sequence[Fit]) -> Fit:
    """The fit of smallest BIC; among fits to rounding, the one with fewest parameters."""
    samples = effective_samples_of(min(fits, key=lambda fit: fit.residual))
    return min(fits, key=lambda fit: bayes_criterion(fit, samples, tol.ROUNDING_VARIANCE_SHARE))
