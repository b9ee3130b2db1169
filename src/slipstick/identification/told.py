"""What the data tell of each unknown at the end of a search, and what they do not.

The curvature of the sum of squares gives a covariance. A direction along which the sum does not grow has none: the
numbers with a part in it are not told at all, however narrow the rest is. And where a law has a corner, the sum may
grow to one side only, which no curvature tells, so that the ends of the intervals are tried.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.search import Found, Task

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

ROUNDING = 1e-9  # of the noise: residuals below are zero
FLAT = 1e-13  # of the largest curvature, all numbers in their own scale: no curvature
PART = 1e-6  # of a direction of length one: a number with less has no part in it
UNTOLD = 1e3  # standard deviation of a scaled unknown: e to such a power is any number
FAR = 10.0  # half widths of an interval: if the sum of squares has not grown by what ends it there, that end is open


class Told(NamedTuple):
    """variance : of the weighted residuals.   covariance : (k, k) of the scaled unknowns, by what is told of them.
    blind : (k, m) directions along which nothing is told.   below, above : (k,) numbers that are not told on that side.
    """

    variance: float
    covariance: Array
    blind: Array
    below: Mask
    above: Mask

    @property
    def nothing(self) -> Mask:
        """(k,) the unknowns that are not told on one side or both."""
        return np.asarray(self.below | self.above)

    def sees(self, slope: Array) -> bool:
        """True if a figure with such a slope over the scaled unknowns is told."""
        size = float(np.linalg.norm(slope))
        in_blind = float(np.linalg.norm(slope @ self.blind)) if self.blind.size else 0.0
        one_sided = self.nothing & ~_part_in(self.blind)
        return in_blind <= PART * size and not np.any(np.abs(slope[one_sided]) > PART * size)


def told_of(task: Task, answer: Found, student: float) -> Told:
    """From where a search ended; student : standard deviations that an interval reaches.

    Data count with the variance that is left, priors with their own.
    """
    n = task.count
    data = answer.residuals[:n]
    variance = max(float(data @ data) / max(n - len(task.free), 1), ROUNDING**2)
    slopes = task.jacobian(answer.x)
    slopes[:n] /= np.sqrt(variance)
    covariance, blind = _inverted(slopes.T @ slopes)
    untold = _part_in(blind) | (np.diag(covariance) > UNTOLD**2)
    below, above = untold.copy(), untold.copy()
    for i in np.flatnonzero(~untold):
        ends = student * covariance[i] / np.sqrt(covariance[i, i])  # as the others follow
        below[i], above[i] = (_is_open(task, answer, int(i), way * ends, student**2, variance) for way in (-1.0, 1.0))
    return Told(variance, covariance, blind, below, above)


def _is_open(task: Task, answer: Found, i: int, ends: Array, allowed: float, variance: float) -> bool:
    """True if far beyond the end of an interval, or at a bound, the sum of squares has not grown by what is allowed."""
    low, high = task.bounds()
    if not low[i] < answer.x[i] + ends[i] < high[i]:
        return False
    alone = np.where(np.arange(ends.size) == i, ends, 0.0)
    n = task.count
    for way in (ends, alone):
        own = task.residuals(np.clip(answer.x + FAR * way, low, high)) ** 2 - answer.residuals**2
        if float(np.sum(own[:n])) / variance + float(np.sum(own[n:])) < allowed:
            return True
    return False


def _inverted(curvature: Array) -> tuple[Array, Array]:
    """The covariance of a curvature, and the directions in which it has none."""
    size = np.sqrt(np.diag(curvature))
    scale = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(curvature / np.outer(scale, scale))
    flat = values <= FLAT * max(float(values[-1]), 0.0) if values[-1] > 0.0 else np.ones(values.size, dtype=bool)
    seen = vectors[:, ~flat] / scale[:, None]
    blind = vectors[:, flat] / scale[:, None]
    covariance = (seen / values[~flat]) @ seen.T
    return covariance, blind / np.maximum(np.linalg.norm(blind, axis=0), 1e-300)


def _part_in(blind: Array) -> Mask:
    """(k,) the unknowns with a part in one of the directions."""
    return np.asarray(np.any(np.abs(blind) > PART, axis=1))
