"""Nonlinear least squares over all loops at once, from start values to the parameters of a law.

Unknowns are scaled: the logarithm of a positive one, the ratio to a size otherwise. During the search derivatives are
one-sided differences (`scaling`), which only guide it. At its end, intervals come from central differences, whose step
of 1e-5 leaves errors of 1e-10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import SlipstickError
from slipstick.identification.preparing.imposed_path import ImposedPath, forces_of
from slipstick.identification.search.unknowns import Unknowns
from slipstick.laws.base import Law

Array = NDArray[np.float64]

DERIVATIVE_STEP = 1e-5  # of a scaled unknown, for derivatives where a search ended
FINE_COST_TOLERANCE_REL = 1e-12  # of the sum of squares: a step that gains less is the last
ROUGH_COST_TOLERANCE_REL = 1e-4  # ... of a search that only chooses
MAX_EVALUATIONS = 200  # of one search, without those for derivatives
FEW = 25  # ... of one that only chooses, or goes along lines
MAX_LOG_VALUE = 700.0  # logarithm of the largest value, whatever its sign
NO_FORCE_RESIDUAL = 1e8  # times the noise: the residual where a law has no force


@dataclass(frozen=True)
class Prior:
    """What is known of a number beforehand: a mean and a standard deviation."""

    place: int
    mean: float
    deviation: float


@dataclass(frozen=True)
class FitProblem:
    """Residuals of a law along loops, as functions of scaled unknowns.

    free : places of the numbers that are sought among all.   size : (free,) scale of each that is not positive.
    weights : (drives,) 1/standard deviation of the noise of each.
    huber_knees : (drives,) weighted residual beyond which a sample pulls with constant strength (Huber); none by
    default.
    budget : evaluations of a search to the end.
    """

    unknowns: Unknowns
    drives: Sequence[ImposedPath]
    free: tuple[int, ...]
    size: Array
    weights: Array
    priors: tuple[Prior, ...] = ()
    huber_knees: tuple[float, ...] = ()
    budget: int = MAX_EVALUATIONS

    @property
    def count(self) -> int:
        """Samples that are compared."""
        return int(sum(np.count_nonzero(drive.counts) for drive in self.drives))

    def values(self, x: Array) -> Array:
        """All numbers from the scaled ones that are free."""
        values = self.unknowns.values
        for i, place in enumerate(self.free):
            unknown = self.unknowns.each[place]
            value = (
                exp(min(max(x[i], -MAX_LOG_VALUE), MAX_LOG_VALUE))
                if unknown.positive
                else float(x[i]) * float(self.size[i])
            )
            values[place] = unknown.held(min(max(value, -exp(MAX_LOG_VALUE)), exp(MAX_LOG_VALUE)))
        return self.unknowns.ordered(values)

    def scaled(self, values: Array) -> Array:
        """The scaled unknowns of values."""
        found = []
        for i, place in enumerate(self.free):
            value = values[place]
            found.append(np.log(value) if self.unknowns.each[place].positive else value / self.size[i])
        return np.array(found)

    def bounds(self) -> tuple[Array, Array]:
        """Of the scaled unknowns."""
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

    def reach(self, i: int, x: float) -> float:
        """What a small change of a scaled unknown is small against."""
        return 1.0 if self.unknowns.each[self.free[i]].positive else max(abs(x), 1.0)

    def residuals(self, x: Array) -> Array:
        """(count + priors,) weighted differences of force, then those from the priors."""
        try:
            forces = forces_of(self.law(x), self.drives)
            huber_knees = self.huber_knees or (np.inf,) * len(self.drives)
            parts = [
                _huber_residuals(weight * (force - drive.f)[drive.counts], knee)
                for force, drive, weight, knee in zip(forces, self.drives, self.weights, huber_knees, strict=True)
            ]
        except SlipstickError:  # no such law, or none that has a force here
            return np.full(self.count + len(self.priors), NO_FORCE_RESIDUAL)
        values = self.values(x)
        parts.append(np.array([(values[p.place] - p.mean) / p.deviation for p in self.priors]))
        return np.concatenate(parts)

    def jacobian(self, x: Array) -> Array:
        """Central differences; one-sided at a bound."""
        low, high = self.bounds()
        columns = []
        for i in range(x.size):
            ahead, behind = x.copy(), x.copy()
            step = DERIVATIVE_STEP * self.reach(i, x[i])
            ahead[i], behind[i] = min(x[i] + step, high[i]), max(x[i] - step, low[i])
            columns.append((self.residuals(ahead) - self.residuals(behind)) / (ahead[i] - behind[i]))
        return np.stack(columns, axis=1)


def _huber_residuals(x: Array, knee: float) -> Array:
    """Residuals whose sum of squares is twice Huber's loss: beyond the knee it grows with |x|, not with its square."""
    size = np.abs(x)
    if np.all(size <= knee):
        return x
    return np.where(size <= knee, x, np.copysign(np.sqrt(knee * np.maximum(2.0 * size - knee, knee)), x))


class SearchResult(NamedTuple):
    """x : scaled unknowns.   residuals : there.   cost : half of the sum of squares.   evaluations : used.
    converged : it ended where nothing gets better.
    """

    x: Array
    residuals: Array
    cost: float
    evaluations: int
    converged: bool


def minimise(
    task: FitProblem, x: Array, tolerance: float = FINE_COST_TOLERANCE_REL, most: int | None = None
) -> SearchResult:
    """From a start to the nearest least sum of squares within the bounds.

    tolerance : relative, of that sum: a step that gains less is the last.   most : evaluations, those of the task by
    default; a search that ends with them has the best point so far.
    """
    from scipy.optimize import least_squares

    from slipstick.identification.search.scaling import ScaledProblem

    course = ScaledProblem(task, x)
    low, high = course.bounds()
    inside = np.clip(course.straight(x), np.nextafter(low, np.inf), np.nextafter(high, -np.inf))
    first = course.jacobian(inside)
    if not first.any():  # no unknown has a part in the force: nothing to search
        there = course.residuals(inside)
        return SearchResult(course.scaled(inside), there, 0.5 * float(there @ there), 1, converged=True)
    answer = least_squares(
        course.residuals,
        inside,
        lambda y: first if np.array_equal(y, inside) else course.jacobian(y),
        bounds=(low, high),
        x_scale="jac",
        ftol=tolerance,
        xtol=1e-12,
        gtol=None,
        max_nfev=most or task.budget,
    )
    end = course.scaled(answer.x)
    return SearchResult(end, answer.fun, float(answer.cost), int(answer.nfev), bool(answer.status > 0))
