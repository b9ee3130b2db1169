"""Search unknowns: a second scaling, for problems that are badly conditioned in the plain scaled unknowns."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.search.unknowns import Unknowns, terms_of
from slipstick.laws.composite import terms_in_series

if TYPE_CHECKING:
    from slipstick.identification.search.least_squares import FitProblem


class OutOfTime(Exception):
    """A search reached its deadline."""


class ScaledProblem:
    """A fit problem in search unknowns y, with conversions to the scaled unknowns x of the problem.

    The unit of beta and gamma of a Bouc-Wen law depends on its exponent, and so does their size: 1e4 to the power of
    the exponent for strokes of 0.1 mm. They are scaled by that changing size, or the search would hardly move.

    The force of sliders with springs is linear in stiffnesses and limits as long as the same samples slip. Logarithms
    make that nonlinear: two elements that slip one per cent apart made a curved valley of hundreds of steps, which is
    straight in the values themselves. These unknowns are scaled by their start values.

    best : smallest cost so far, with its y and residuals.   evaluations : of residuals, without derivatives.
    """

    def __init__(self, problem: FitProblem, x: Array) -> None:
        self.problem = problem
        self.exponent_scalings = _exponent_scalings(problem, x)
        self.linear = _linear_unknowns(problem)
        self.start = x[self.linear]
        self._last: tuple[bytes, Array] | None = None
        self.best, self.evaluations = (np.inf, np.empty(0), np.empty(0)), 0

    def bounds(self) -> tuple[Array, Array]:
        low, high = self.problem.bounds()
        with np.errstate(over="ignore"):
            for bound in (low, high):
                bound[self.linear] = np.exp(bound[self.linear] - self.start)
        return low, high

    def from_search(self, y: Array) -> Array:
        """Scaled unknowns of the problem, from those of the search."""
        with np.errstate(over="ignore", invalid="ignore"):  # a trial whose force is not finite is passed over
            x = y * self._sizes(y)
        x[self.linear] = self.start + np.log(y[self.linear])
        return x

    def to_search(self, x: Array) -> Array:
        """Unknowns of the search, from the scaled ones of the problem."""
        y = x / self._sizes(x)
        y[self.linear] = np.exp(x[self.linear] - self.start)
        return y

    def _sizes(self, x: Array) -> Array:
        sizes = np.ones(x.size)
        for item in self.exponent_scalings:
            exponent = self.problem.values(x)[self.problem.free[item.exponent]]
            sizes[item.place] = item.size * np.exp(item.slope * (exponent - item.start_exponent))
        return sizes

    def residuals(self, y: Array) -> Array:
        residuals = self.problem.residuals(self.from_search(y))
        self._last = y.tobytes(), residuals
        self.evaluations += 1
        cost = 0.5 * float(residuals @ residuals)
        if cost < self.best[0]:
            self.best = cost, y.copy(), residuals
        self._check_time()
        return residuals

    def _check_time(self) -> None:
        if process_time() > self.problem.deadline:
            raise OutOfTime

    def jacobian(self, y: Array) -> Array:
        there = self._last[1] if self._last is not None and self._last[0] == y.tobytes() else self.residuals(y)
        _, high = self.bounds()
        columns = []
        for i in range(y.size):
            ahead, size = y.copy(), max(y[i], 1.0) if self.linear[i] else self.problem.step_scale(i, y[i])
            step = tol.SEARCH_DERIVATIVE_STEP * size
            ahead[i] += step if y[i] + step <= high[i] else -step
            moved = ahead[i] - y[i]
            is_lost = not np.isfinite(moved) or moved == 0.0  # the unknown is beyond any size: nothing depends on it
            change = 0.0 * there if is_lost else self.problem.residuals(self.from_search(ahead)) - there
            columns.append(change if is_lost else change / moved)
            self._check_time()
        return np.stack(columns).T  # by columns, as LAPACK has it: no copy there


class ExponentScaling(NamedTuple):
    """An unknown whose unit depends on an exponent.

    place, exponent : indices of both among the free unknowns.   size : its scale at the start value of the exponent.
    slope : derivative of the logarithm of the scale by the exponent.   start_exponent : that start value.
    """

    place: int
    exponent: int
    size: float
    slope: float
    start_exponent: float


def _linear_unknowns(problem: FitProblem) -> NDArray[np.bool_]:
    """(free,) mask of positive unknowns in which the force is linear while the same samples slip."""
    template, linear = problem.unknowns.template, []
    terms, in_series = terms_of(template), terms_in_series(template)
    for place in problem.free:
        unknown = problem.unknowns.each[place]
        is_linear = unknown.field in terms[unknown.term].law.identification.linear and unknown.term not in in_series
        linear.append(unknown.positive and is_linear)
    return np.array(linear, dtype=bool)


def _exponent_scalings(problem: FitProblem, x: Array) -> list[ExponentScaling]:
    unknowns, values = problem.unknowns, problem.values(x)
    scalings = []
    for j, exponent in enumerate(problem.free):
        if not unknowns.each[exponent].is_exponent:
            continue
        other = values.copy()
        other[exponent] *= 1.01
        moved = Unknowns.of(unknowns.law(other)).each
        now = Unknowns.of(unknowns.law(values)).each
        for i, place in enumerate(problem.free):
            unknown, power = unknowns.each[place], now[place].dimension[1]
            power_slope = (moved[place].dimension[1] - power) / (other[exponent] - values[exponent])
            is_bounded = unknown.positive or np.isfinite(unknown.low) or np.isfinite(unknown.high)
            if not power_slope or not power or is_bounded:
                continue
            alike = [v for v, u in zip(values, now, strict=True) if u.dimension == now[place].dimension]
            size = float(np.sum(np.abs(alike)))
            if size > 0.0:
                slope = power_slope * float(np.log(size)) / power
                scale = size / float(problem.size[i])
                scalings.append(ExponentScaling(i, j, scale, slope, float(values[exponent])))
    return scalings
