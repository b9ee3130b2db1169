"""Bayes' information criterion, n ln(s^2) + k ln(n): a better fit against more numbers.

Neighbouring residuals that are alike tell less than n samples do, so n is what those of the best fit are worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from slipstick.identification.judging import alike
from slipstick.results.fit import Fit

ENOUGH = 0.01  # of the variance of the noise: what is left of that is rounding, and decides nothing


def worth_of(fit: Fit) -> list[float]:
    """How many independent samples each loop is worth, from the residuals of the law that fits best."""
    found = []
    for loop in fit.loops:
        left = (loop.fitted - loop.f)[loop.counts]
        r = min(max(alike(left), 0.0), 0.99)
        found.append(left.size * (1.0 - r) / (1.0 + r))
    return found


def criterion_of(fit: Fit, worth: Sequence[float], least: float = 1e-300) -> float:
    """Bayes' criterion of a fit; smaller is better.   least : of what is left, in variances of the noise."""
    total = sum(worth)
    squares = sum(own * (loop.rms / loop.noise) ** 2 for loop, own in zip(fit.loops, worth, strict=True))
    return total * math.log(max(squares / total, least)) + (len(fit.free) + 1) * math.log(max(total, 2.0))


def best_of(fits: Sequence[Fit]) -> Fit:
    """Of laws of one kind: the best by the criterion, the one with fewer numbers where all fit to rounding."""
    worth = worth_of(min(fits, key=lambda fit: fit.residual))
    return min(fits, key=lambda fit: criterion_of(fit, worth, ENOUGH))
