"""Which unknowns the data determine at the end of a search, and which they do not.

The curvature of the sum of squares gives a covariance. A direction along which the sum does not grow has none: the
numbers with a part in it are not told at all, however narrow the rest is. And where a law has a corner, the sum may
grow to one side only, which no curvature tells, so that the ends of the intervals are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.intervals.noise_colour import fit_noise_colour
from slipstick.identification.search.least_squares import FitProblem, SearchResult
from slipstick.results.fit import CONFIDENCE_LEVEL

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

ZERO_RESIDUAL_REL = 1e-9  # of the noise: residuals below are zero
ZERO_CURVATURE_REL = 1e-13  # of the largest curvature, all numbers in their own scale: no curvature
MIN_FORCE_NOISE_SHARE = 0.05  # of what is left: so much at least is noise of the force
DIRECTION_PART_MIN = 1e-6  # of a direction of length one: a number with less has no part in it
UNDETERMINED_DEVIATION = 1e3  # standard deviation of a scaled unknown: e to such a power is any number
# half widths of an interval: if the sum of squares has not grown by what ends it there, that end is open
OPEN_END_HALF_WIDTHS = 10.0


class Identifiability(NamedTuple):
    """variance : of the weighted residuals.   covariance : (k, k) of the scaled unknowns, by what is told of them.
    undetermined_directions : (k, m) directions along which nothing is told.   below, above : (k,) numbers that are not
    told on that side.
    student_factor : standard deviations that an interval reaches.   wider : (k,) times white noise's intervals.
    """

    variance: float
    covariance: Array
    undetermined_directions: Array
    student_factor: float
    wider: Array
    below: Mask
    above: Mask

    @property
    def nothing(self) -> Mask:
        """(k,) the unknowns that are not told on one side or both."""
        return np.asarray(self.below | self.above)

    @property
    def correlation(self) -> Array:
        """(k, k) of the scaled unknowns."""
        root = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return np.asarray(self.covariance / np.outer(root, root))

    def stands_in(self, i: int) -> bool:
        """True if others can make up for any change of an unknown; one that changes nothing alone has none to."""
        if not _undetermined_unknowns(self.undetermined_directions)[i]:
            return False
        alone = np.eye(len(self.undetermined_directions))[i]
        left = (
            alone - self.undetermined_directions @ np.linalg.lstsq(self.undetermined_directions, alone, rcond=None)[0]
        )
        return float(np.linalg.norm(left)) > DIRECTION_PART_MIN

    def sees(self, slope: Array) -> bool:
        """True if a figure with such a slope over the scaled unknowns is told."""
        size = float(np.linalg.norm(slope))
        in_blind = (
            float(np.linalg.norm(slope @ self.undetermined_directions)) if self.undetermined_directions.size else 0.0
        )
        one_sided = self.nothing & ~_undetermined_unknowns(self.undetermined_directions)
        return in_blind <= DIRECTION_PART_MIN * size and not np.any(
            np.abs(slope[one_sided]) > DIRECTION_PART_MIN * size
        )


def assess_identifiability(
    task: FitProblem, answer: SearchResult, steps: Sequence[float] = (), shaken: Array | None = None
) -> Identifiability:
    """From where a search ended.

    steps : (drives,) between samples: loops of one step are taken to have noise of one colour.
    shaken : (m, count) what fresh noise in the deflections changes residuals by, for each of m draws.

    Data count with the variance that is left, the colour of what is left and what noise in the deflections does;
    priors with their own variance. Where noise is white and deflections have none, the covariance is the inverse of
    the curvature; else the curvature stands on both sides of what the slopes make of the noise (a "sandwich").
    """
    n, k = task.count, len(task.free)
    slopes = task.jacobian(answer.x)
    known, met = slopes[n:].T @ slopes[n:], slopes[:n].T @ slopes[:n]
    alike, worth = _coloured_noise_curvature(task, answer.residuals[:n], slopes[:n], steps or [0.0] * len(task.drives))
    squares = float(answer.residuals[:n] @ answer.residuals[:n])
    taken = max(
        float(np.trace(_invert_curvature(met)[0] @ alike)), k
    )  # numbers follow noise that is alike more than other
    variance = max(squares / max(n - taken, 1.0), ZERO_RESIDUAL_REL**2)
    noise = alike / variance
    if shaken is not None:
        own = max(1.0 - float(np.sum(shaken**2)) / (len(shaken) * max(squares, 1e-300)), MIN_FORCE_NOISE_SHARE)
        moved = shaken @ slopes[:n] / variance
        noise = own * noise + moved.T @ moved / len(shaken)
    white, undetermined_directions = _invert_curvature(met / variance + known)
    covariance = _at_least_white(white @ (noise + known) @ white, white)
    wider = np.sqrt(np.diag(covariance) / np.maximum(np.diag(white), 1e-300))
    student_factor = _student_factor(worth - k)
    untold = _undetermined_unknowns(undetermined_directions) | (np.diag(covariance) > UNDETERMINED_DEVIATION**2)
    below, above = untold.copy(), untold.copy()
    for i in np.flatnonzero(~untold):
        ends = student_factor * covariance[i] / np.sqrt(covariance[i, i])  # as the others follow
        allowed = (student_factor * wider[i]) ** 2
        below[i], above[i] = (
            _is_open_ended(task, answer, int(i), way * ends, allowed, variance) for way in (-1.0, 1.0)
        )
    return Identifiability(variance, covariance, undetermined_directions, student_factor, wider, below, above)


def _coloured_noise_curvature(
    task: FitProblem, residuals: Array, slopes: Array, steps: Sequence[float]
) -> tuple[Array, float]:
    """(k, k) slopes^T R slopes, R the correlations of the noise; and how many independent samples there are."""
    parts: dict[float, list[tuple[Array, Array]]] = {}
    begin = 0
    for drive, step in zip(task.drives, steps, strict=True):
        n = int(np.count_nonzero(drive.counts))
        whole = np.zeros((drive.counts.size, slopes.shape[1] + 1))  # what is left out leaves a gap
        whole[drive.counts, 0], whole[drive.counts, 1:] = residuals[begin : begin + n], slopes[begin : begin + n]
        parts.setdefault(float(f"{step:.2g}"), []).append((whole[:, 0], whole[:, 1:]))
        begin += n
    alike, worth = np.zeros((slopes.shape[1], slopes.shape[1])), 0.0
    for group in parts.values():
        colour = fit_noise_colour([left for left, _ in group])
        for left, own in group:
            alike += colour.between(own)
            worth += colour.worth(int(np.count_nonzero(left)))
    return alike, worth


def _at_least_white(covariance: Array, white: Array) -> Array:
    """With deviations that are at least those of white noise."""
    grow = np.sqrt(np.maximum(np.diag(white) / np.maximum(np.diag(covariance), 1e-300), 1.0))
    return np.asarray(covariance * np.outer(grow, grow))


def _student_factor(free: float) -> float:
    """How many standard deviations the half width of an interval is."""
    from scipy.stats import t

    return float(t.ppf(0.5 + 0.5 * CONFIDENCE_LEVEL, max(free, 1.0)))


def _is_open_ended(
    task: FitProblem, answer: SearchResult, i: int, ends: Array, allowed: float, variance: float
) -> bool:
    """True if far beyond the end of an interval, or at a bound, the sum of squares has not grown by what is allowed."""
    low, high = task.bounds()
    if not low[i] < answer.x[i] + ends[i] < high[i]:
        return False
    alone = np.where(np.arange(ends.size) == i, ends, 0.0)
    n = task.count
    for way in (ends, alone):
        with np.errstate(over="ignore"):  # a law may be anywhere there
            own = task.residuals(np.clip(answer.x + OPEN_END_HALF_WIDTHS * way, low, high)) ** 2 - answer.residuals**2
            grown = float(np.sum(own[:n])) / variance + float(np.sum(own[n:]))
        if grown < allowed:
            return True
    return False


def _invert_curvature(curvature: Array) -> tuple[Array, Array]:
    """The covariance of a curvature, and the directions in which it has none."""
    size = np.sqrt(np.diag(curvature))
    scale = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(curvature / np.outer(scale, scale))
    flat = (
        values <= ZERO_CURVATURE_REL * max(float(values[-1]), 0.0)
        if values[-1] > 0.0
        else np.ones(values.size, dtype=bool)
    )
    seen = vectors[:, ~flat] / scale[:, None]
    undetermined_directions = vectors[:, flat] / scale[:, None]
    covariance = (seen / values[~flat]) @ seen.T
    return covariance, undetermined_directions / np.maximum(np.linalg.norm(undetermined_directions, axis=0), 1e-300)


def _undetermined_unknowns(undetermined_directions: Array) -> Mask:
    """(k,) the unknowns with a part in one of the directions."""
    return np.asarray(np.any(np.abs(undetermined_directions) > DIRECTION_PART_MIN, axis=1))
