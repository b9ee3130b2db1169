"""Which unknowns the data determine at the end of a search, and which they do not.

The curvature of the sum of squares gives a covariance. Along a flat direction the sum does not grow, so no unknown with
a component in it is determined. At a corner of a law, the sum may grow to one side only. Curvature does not show this,
so the ends of the intervals are evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.intervals.noise_colour import fit_noise_colour
from slipstick.identification.search.least_squares import FitProblem, SearchResult
from slipstick.results.tolerances import CONFIDENCE_LEVEL

Mask = NDArray[np.bool_]


class Identifiability(NamedTuple):
    """Covariance of the scaled unknowns, and the unknowns that are undetermined.

    variance : of the weighted residuals.   covariance : (k, k) without the undetermined directions.
    undetermined_directions : (k, m) flat directions of the sum of squares.
    student_factor : half width of an interval in standard deviations.
    widening : (k,) half width over that for white noise.   open_below, open_above : (k,) intervals without that end.
    misfit_widening : factor of deviations with which the forces of drawn laws scatter as much as the misfit, the
        residual beyond the noise; at least 1.
    """

    variance: float
    covariance: Array
    undetermined_directions: Array
    student_factor: float
    widening: Array
    open_below: Mask
    open_above: Mask
    misfit_widening: float = 1.0

    @property
    def undetermined(self) -> Mask:
        """(k,) mask of unknowns whose interval is open on one side or both."""
        return np.asarray(self.open_below | self.open_above)

    @property
    def correlation(self) -> Array:
        """(k, k) correlation of the scaled unknowns."""
        root = np.sqrt(np.maximum(np.diag(self.covariance), tol.AVOID_ZERO_DIVISION))
        return np.asarray(self.covariance / np.outer(root, root))

    def is_compensated(self, i: int) -> bool:
        """True if others compensate any change of an unknown; False if it has no effect by itself."""
        if not _undetermined_unknowns(self.undetermined_directions)[i]:
            return False
        flat, alone = self.undetermined_directions, np.eye(len(self.undetermined_directions))[i]
        outside = alone - flat @ np.linalg.lstsq(flat, alone, rcond=None)[0]
        return float(np.linalg.norm(outside)) > tol.DIRECTION_PART_MIN

    def determines(self, slope: Array) -> bool:
        """True if the data determine a quantity with this gradient by the scaled unknowns."""
        size = float(np.linalg.norm(slope))
        flat, limit = self.undetermined_directions, tol.DIRECTION_PART_MIN * size
        flat_part = float(np.linalg.norm(slope @ flat)) if flat.size else 0.0
        one_sided = self.undetermined & ~_undetermined_unknowns(flat)
        return flat_part <= limit and not np.any(np.abs(slope[one_sided]) > limit)


def assess_identifiability(
    problem: FitProblem, result: SearchResult, steps: Sequence[float] = (), perturbations: Array | None = None
) -> Identifiability:
    """Identifiability at the end of a search.

    steps : (paths,) time steps; loops of one step share a noise colour.
    perturbations : (m, count) changes of the residuals due to noise of the deflections, for m draws.

    Data have the variance and colour of the residuals and the effect of deflection noise; priors have their own
    variance. For white noise without deflection noise, the covariance is the inverse curvature, else the sandwich
    estimate with the noise between two inverse curvatures.
    """
    n, k = problem.count, len(problem.free)
    slopes = problem.jacobian(result.x)
    prior_curvature, curvature = slopes[n:].T @ slopes[n:], slopes[:n].T @ slopes[:n]
    coloured, samples = _coloured_noise_curvature(
        problem, result.residuals[:n], slopes[:n], steps or [0.0] * len(problem.paths)
    )
    squares = float(result.residuals[:n] @ result.residuals[:n])
    fitted = max(float(np.trace(_invert_curvature(curvature)[0] @ coloured)), k)  # a fit follows correlated noise more
    variance = max(squares / max(n - fitted, 1.0), tol.ZERO_RESIDUAL_REL**2)
    noise = coloured / variance
    if perturbations is not None:
        share = float(np.sum(perturbations**2)) / (len(perturbations) * max(squares, tol.AVOID_ZERO_DIVISION))
        moved = perturbations @ slopes[:n] / variance
        noise = max(1.0 - share, tol.MIN_FORCE_NOISE_SHARE) * noise + moved.T @ moved / len(perturbations)
    white, undetermined_directions = _invert_curvature(curvature / variance + prior_curvature)
    covariance = _at_least_white(white @ (noise + prior_curvature) @ white, white)
    widening = np.sqrt(np.diag(covariance) / np.maximum(np.diag(white), tol.AVOID_ZERO_DIVISION))
    student_factor = _student_factor(samples - k)
    widest = [
        tol.UNDETERMINED_LOG_DEVIATION if problem.unknowns.each[place].positive else tol.UNDETERMINED_DEVIATION
        for place in problem.free
    ]
    undetermined = _undetermined_unknowns(undetermined_directions) | (np.sqrt(np.diag(covariance)) > widest)
    open_below, open_above = undetermined.copy(), undetermined.copy()
    for i in np.flatnonzero(~undetermined):
        ends = student_factor * covariance[i] / np.sqrt(covariance[i, i])  # the others follow
        allowed = (student_factor * widening[i]) ** 2
        open_below[i], open_above[i] = (
            _is_open_ended(problem, result, int(i), sign * ends, allowed, variance) for sign in (-1.0, 1.0)
        )
    scatter = max(float(np.trace(covariance @ curvature)), tol.AVOID_ZERO_DIVISION)
    misfit_widening = float(np.sqrt(max((squares - n) / scatter, 1.0)))  # residuals are weighted by the noise
    return Identifiability(
        variance,
        covariance,
        undetermined_directions,
        student_factor,
        widening,
        open_below,
        open_above,
        misfit_widening,
    )


def _coloured_noise_curvature(
    problem: FitProblem, residuals: Array, slopes: Array, steps: Sequence[float]
) -> tuple[Array, float]:
    """(k, k) slopes^T R slopes with R the correlation of the noise, and the effective number of samples."""
    parts: dict[float, list[tuple[Array, Array, int]]] = {}
    begin = 0
    for path, step in zip(problem.paths, steps, strict=True):
        n = int(np.count_nonzero(path.counts))
        whole = np.zeros((path.counts.size, slopes.shape[1] + 1))  # excluded samples leave a gap
        whole[path.counts, 0], whole[path.counts, 1:] = residuals[begin : begin + n], slopes[begin : begin + n]
        parts.setdefault(float(f"{step:.2g}"), []).append((whole[:, 0], whole[:, 1:], n))
        begin += n
    coloured, samples = np.zeros((slopes.shape[1], slopes.shape[1])), 0.0
    for group in parts.values():
        colour = fit_noise_colour([residual for residual, _, _ in group])
        for _, own_slopes, n in group:
            coloured += colour.correlated_product(own_slopes)
            samples += colour.effective_samples(n)
    return coloured, samples


def _at_least_white(covariance: Array, white: Array) -> Array:
    """The covariance with deviations of at least those for white noise."""
    grow = np.sqrt(np.maximum(np.diag(white) / np.maximum(np.diag(covariance), tol.AVOID_ZERO_DIVISION), 1.0))
    return np.asarray(covariance * np.outer(grow, grow))


def _student_factor(free: float) -> float:
    """Half width of an interval in standard deviations, by Student's distribution."""
    from scipy.special import stdtrit  # scipy.stats takes half a second to import

    return float(stdtrit(max(free, 1.0), 0.5 + 0.5 * CONFIDENCE_LEVEL))


def _is_open_ended(
    problem: FitProblem, result: SearchResult, i: int, ends: Array, allowed: float, variance: float
) -> bool:
    """True if the sum of squares is still allowed far beyond an end of the interval, or at a bound."""
    low, high = problem.bounds()
    if not low[i] < result.x[i] + ends[i] < high[i]:
        return False
    alone = np.where(np.arange(ends.size) == i, ends, 0.0)
    n = problem.count
    for direction in (ends, alone):
        x = np.clip(result.x + tol.OPEN_END_HALF_WIDTHS * direction, low, high)
        with np.errstate(over="ignore"):  # far values may overflow
            squares = problem.residuals(x) ** 2 - result.residuals**2
            increase = float(np.sum(squares[:n])) / variance + float(np.sum(squares[n:]))
        if increase < allowed:
            return True
    return False


def _invert_curvature(curvature: Array) -> tuple[Array, Array]:
    """Inverse of a curvature, and its flat directions as unit vectors."""
    size = np.sqrt(np.diag(curvature))
    scale = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(curvature / np.outer(scale, scale))
    flat = (
        values <= tol.ZERO_CURVATURE_REL * max(float(values[-1]), 0.0)
        if values[-1] > 0.0
        else np.ones(values.size, dtype=bool)
    )
    seen, unseen = vectors[:, ~flat] / scale[:, None], vectors[:, flat] / scale[:, None]
    covariance = (seen / values[~flat]) @ seen.T
    return covariance, unseen / np.maximum(np.linalg.norm(unseen, axis=0), tol.AVOID_ZERO_DIVISION)


def _undetermined_unknowns(undetermined_directions: Array) -> Mask:
    """(k,) mask of unknowns with a component in one of the directions."""
    return np.asarray(np.any(np.abs(undetermined_directions) > tol.DIRECTION_PART_MIN, axis=1))
