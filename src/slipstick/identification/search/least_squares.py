"""Nonlinear least squares over all loops at once, from start values to the parameters of a law.

Unknowns are scaled: the logarithm of a positive one, the ratio to a size otherwise. During the search derivatives are
one-sided differences (`scaling`), which only guide it. At its end, intervals come from central differences, whose step
of 1e-5 leaves errors of 1e-10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import SlipstickError
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.imposed_path import ImposedPath, forces_of
from slipstick.identification.search.scaling import OutOfTime, ScaledProblem
from slipstick.identification.search.unknowns import Unknowns
from slipstick.laws.base import Law

MAX_EVALUATIONS = 200  # of one search, without those for derivatives
FEW_EVALUATIONS = 25  # ... of a search that only chooses between starts, or fits lines
MAX_FIT_SECONDS = 60.0  # of processor time: all searches of one fit, for the usual budget
MAX_ROUGH_SECONDS = 5.0  # ... of a search that only chooses between starts, or predicts held-out samples


@dataclass(frozen=True)
class Prior:
    """Prior knowledge of an unknown: mean and standard deviation."""

    place: int
    mean: float
    deviation: float


@dataclass(frozen=True)
class FitProblem:
    """Residuals of a law along loops, as functions of scaled unknowns.

    free : indices of the unknowns that are fitted.   size : (free,) scale of each one that is not positive.
    weights : (paths,) reciprocal standard deviation of the noise.
    huber_knees : (paths,) weighted residual above which a sample pulls with constant strength; none by default.
    budget : evaluations of a full search.   may_extend : the user gave no budget, so a search may take more.
    held : names of unknowns that a search held, as they vanished.
    deadline : processor time at which every search ends with its best point.
    """

    unknowns: Unknowns
    paths: Sequence[ImposedPath]
    free: tuple[int, ...]
    size: Array
    weights: Array
    priors: tuple[Prior, ...] = ()
    huber_knees: tuple[float, ...] = ()
    budget: int = MAX_EVALUATIONS
    may_extend: bool = False
    held: tuple[str, ...] = ()
    deadline: float = inf

    @property
    def count(self) -> int:
        """Number of compared samples."""
        return int(sum(np.count_nonzero(path.counts) for path in self.paths))

    def values(self, x: Array) -> Array:
        """Values of all unknowns, from the scaled free ones."""
        values = self.unknowns.values
        for i, place in enumerate(self.free):
            unknown = self.unknowns.each[place]
            value = (
                exp(min(max(x[i], -tol.MAX_LOG_VALUE), tol.MAX_LOG_VALUE))
                if unknown.positive
                else float(x[i]) * float(self.size[i])
            )
            values[place] = unknown.held(min(max(value, -exp(tol.MAX_LOG_VALUE)), exp(tol.MAX_LOG_VALUE)))
        return self.unknowns.ordered(values)

    def scaled(self, values: Array) -> Array:
        """Scaled free unknowns, from the values of all unknowns."""
        positive = (self.unknowns.each[place].positive for place in self.free)
        chosen = zip(positive, self.free, self.size, strict=True)
        return np.array([np.log(values[place]) if log else values[place] / size for log, place, size in chosen])

    def bounds(self) -> tuple[Array, Array]:
        """Bounds of the scaled unknowns."""
        low, high = np.empty(len(self.free)), np.empty(len(self.free))
        for i, place in enumerate(self.free):
            u = self.unknowns.each[place]
            if u.positive:
                low[i] = np.log(u.low) if u.low > 0.0 else -np.inf
                high[i] = np.log(u.high)
            else:
                low[i], high[i] = u.low / self.size[i], u.high / self.size[i]
        return low, high

    def law(self, x: Array) -> Law:
        return self.unknowns.law(self.values(x))

    def step_scale(self, i: int, x: float) -> float:
        """Size of a scaled unknown, as the reference of small steps."""
        return 1.0 if self.unknowns.each[self.free[i]].positive else max(abs(x), 1.0)

    def perturbation_scale(self, i: int, x: float) -> float:
        """Standard deviation of a random change of a scaled unknown: a factor of e, or of its size."""
        return 1.0 if self.unknowns.each[self.free[i]].positive else max(abs(x), 0.3)

    def residuals(self, x: Array) -> Array:
        """(count + priors,) weighted residuals of the force, then those of the priors."""
        try:
            forces = forces_of(self.law(x), self.paths)
            huber_knees = self.huber_knees or (np.inf,) * len(self.paths)
            parts = [
                _huber_residuals(weight * path.compared(force - path.f), knee)
                for force, path, weight, knee in zip(forces, self.paths, self.weights, huber_knees, strict=True)
            ]
        except SlipstickError:  # these parameters make no law, or one without a force here
            return np.full(self.count + len(self.priors), tol.NO_FORCE_RESIDUAL)
        values = self.values(x)
        parts.append(np.array([(values[p.place] - p.mean) / p.deviation for p in self.priors]))
        whole, most = np.concatenate(parts), tol.NO_FORCE_RESIDUAL  # so that squares and differences stay finite
        with np.errstate(over="ignore", invalid="ignore"):
            is_small = float(whole @ whole) <= most**2  # false for a NaN, too
        return whole if is_small else np.clip(np.nan_to_num(whole, nan=most), -most, most)

    def jacobian(self, x: Array) -> Array:
        """(count + priors, free) derivatives by central differences, one-sided at a bound."""
        low, high = self.bounds()
        columns = []
        for i in range(x.size):
            ahead, behind = x.copy(), x.copy()
            step = tol.DERIVATIVE_STEP * self.step_scale(i, x[i])
            ahead[i], behind[i] = min(x[i] + step, high[i]), max(x[i] - step, low[i])
            columns.append((self.residuals(ahead) - self.residuals(behind)) / (ahead[i] - behind[i]))
        return np.stack(columns).T  # by columns, as LAPACK has it: no copy there


def _huber_residuals(x: Array, knee: float) -> Array:
    """Residuals whose sum of squares is twice Huber's loss: linear beyond the knee."""
    size = np.abs(x)
    if np.all(size <= knee):
        return x
    return np.where(size <= knee, x, np.copysign(np.sqrt(knee * np.maximum(2.0 * size - knee, knee)), x))


class SearchResult(NamedTuple):
    """x : scaled unknowns.   residuals : at x.   cost : half the sum of squares.   evaluations : used.
    converged : the search ended at its tolerance, not at its budget.   timed_out : it reached its deadline.
    """

    x: Array
    residuals: Array
    cost: float
    evaluations: int
    converged: bool
    timed_out: bool = False


def minimise(
    problem: FitProblem, x: Array, tolerance: float = tol.FINE_COST_TOLERANCE_REL, most: int | None = None
) -> SearchResult:
    """Local minimum of the sum of squares within the bounds, from a start x.

    tolerance : relative gain of the cost that ends the search.   most : budget of evaluations, that of the problem by
    default; a search that reaches it, or the deadline of the problem, returns the best point.
    """
    scaled = ScaledProblem(problem, x)
    try:
        return _minimise_scaled(scaled, x, tolerance, most or problem.budget)
    except OutOfTime:
        cost, y, residuals = scaled.best
        return SearchResult(scaled.from_search(y), residuals, cost, scaled.evaluations, converged=False, timed_out=True)


def _minimise_scaled(scaled: ScaledProblem, x: Array, tolerance: float, most: int) -> SearchResult:
    """As `minimise`; raises `OutOfTime` at the deadline of the problem."""
    from scipy.optimize import least_squares

    low, high = scaled.bounds()
    inside = np.clip(scaled.to_search(x), np.nextafter(low, np.inf), np.nextafter(high, -np.inf))
    first = scaled.jacobian(inside)
    if not first.any():  # no unknown affects the force
        residuals = scaled.residuals(inside)
        return SearchResult(
            scaled.from_search(inside), residuals, 0.5 * float(residuals @ residuals), 1, converged=True
        )
    result = least_squares(
        scaled.residuals,
        inside,
        lambda y: first if np.array_equal(y, inside) else scaled.jacobian(y),
        bounds=(low, high),
        x_scale="jac",
        ftol=tolerance,
        xtol=tol.STEP_TOLERANCE_REL,
        gtol=None,
        max_nfev=most,
    )
    end = scaled.from_search(result.x)
    return SearchResult(end, result.fun, float(result.cost), int(result.nfev), bool(result.status > 0))


def minimise_briefly(problem: FitProblem, x: Array) -> SearchResult:
    """A short search, enough to choose between starts or to predict held-out samples."""
    brief = replace(problem, deadline=min(problem.deadline, process_time() + MAX_ROUGH_SECONDS))
    return minimise(brief, x, tol.ROUGH_COST_TOLERANCE_REL, FEW_EVALUATIONS)


# ---- the same problem on fewer samples


class Decimated(NamedTuple):
    """A problem on fewer samples.   result : at the minimum of all.   share : of the samples."""

    problem: FitProblem
    result: SearchResult
    share: float


def decimated_at(
    problem: FitProblem, result: SearchResult, turns: Sequence[NDArray[np.intp]], target: int
) -> Decimated:
    """The problem with about ``target`` samples of each loop; all of them where there are few, or priors.

    turns : indices of the reversals of each loop, which stay.

    Fewer samples have a minimum of their own, some deviations away. A small change of their forces, along the
    derivatives of the law, moves it onto that of all samples. Their curvature differs by one over the root of their
    number.

    turns : indices of the reversals of each loop, which stay.
    """
    paths = [path.thinned(own, target=target) for path, own in zip(problem.paths, turns, strict=True)]
    fewer = replace(problem, paths=paths)
    if problem.priors or fewer.count == problem.count:
        return Decimated(problem, result, 1.0)
    residuals, slopes = fewer.residuals(result.x), fewer.jacobian(result.x)
    weakest = len(result.x) * np.finfo(float).eps
    moved = slopes @ (np.linalg.pinv(slopes.T @ slopes, rcond=weakest, hermitian=True) @ (slopes.T @ residuals))
    shifted, begin = [], 0
    for path, weight in zip(paths, problem.weights, strict=True):
        force, end = path.f.copy(), begin + int(np.count_nonzero(path.counts))
        force[path.counts] += moved[begin:end] / weight
        shifted.append(replace(path, f=force))
        begin = end
    fewer = replace(fewer, paths=shifted)
    rest = fewer.residuals(result.x)
    here = result._replace(residuals=rest, cost=0.5 * float(rest @ rest))
    return Decimated(fewer, here, fewer.count / problem.count)
