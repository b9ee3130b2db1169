"""Profile likelihood of one parameter: the sum of squares over its value, with all others refitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.search.least_squares import FitProblem, SearchResult, minimise

MAX_STEPS = 8  # a parameter that is free within 3^7 half widths is undetermined
MAX_OUTWARD_STEPS = 10


class ProfileLikelihood:
    """Profile of free scaled unknown i at the end of a search.

    allowed : increase of the sum of squares at the ends of the interval.   tolerance : of each search.
    """

    def __init__(
        self,
        problem: FitProblem,
        result: SearchResult,
        i: int,
        allowed: float,
        tolerance: float = tol.FINE_COST_TOLERANCE_REL,
    ) -> None:
        self.problem, self.result, self.i = problem, result, i
        self.allowed, self.tolerance = allowed, tolerance
        self.others = [j for j in range(len(problem.free)) if j != i]
        self._known: dict[float, tuple[float, Array]] = {}  # by value: excess, and the other unknowns

    def excess(self, x: float) -> float:
        """Increase of the sum of squares at a value, less the allowed one; an upper bound if it is negative."""
        if x not in self._known:
            self._known[x] = self._fitted(x)
        return self._known[x][0]

    def _fitted(self, x: float) -> tuple[float, Array]:
        whole = self.result.x.copy()
        whole[self.i] = x
        problem = self.problem
        free, size = tuple(problem.free[j] for j in self.others), problem.size[self.others]
        held = replace(problem, unknowns=problem.unknowns.at(problem.values(whole)), free=free, size=size)
        limit = 2.0 * self.result.cost + self.allowed
        start = self._nearest(x)
        squares = float(np.sum(held.residuals(start) ** 2))
        has_no_force = squares >= held.count * tol.NO_FORCE_RESIDUAL**2
        if squares < limit or has_no_force or not free:  # no need to refit the others
            return squares - limit, start
        refit = minimise(held, start, self.tolerance)
        excess = 2.0 * refit.cost - limit
        return excess if refit.converged else min(excess, 0.0), refit.x  # an unfinished search proves no increase

    def _nearest(self, x: float) -> Array:
        """The other unknowns at the nearest known value towards the minimum; beyond it lies another minimum, maybe."""
        middle = float(self.result.x[self.i])
        between = [y for y in self._known if (y - middle) * (x - middle) > 0.0 and abs(y - middle) <= abs(x - middle)]
        near = min(between, key=lambda y: abs(y - x), default=None)
        return self.result.x[self.others] if near is None else self._known[near][1]

    def ends(self, half: float) -> tuple[float, float]:
        """Both ends of the interval; half : its linearised half width."""
        return self.end(-1.0, half), self.end(1.0, half)

    def end(self, way: float, half: float) -> float:
        """End of the interval in direction way (1 or -1); a bound or infinity if the sum stays allowed."""
        from scipy.optimize import brentq

        middle, bound = float(self.result.x[self.i]), float(self.problem.bounds()[int(way > 0.0)][self.i])
        inner = middle + way * tol.PROFILE_END_TOLERANCE_REL * half
        if way * inner >= way * bound:
            return bound
        for k in range(MAX_STEPS):
            x = middle + way * half * tol.PROFILE_STEP_GROWTH**k
            at_bound = way * x >= way * bound
            x = bound if at_bound else x
            if self.excess(x) > 0.0:
                return (
                    float(brentq(self.excess, inner, x, xtol=tol.PROFILE_END_TOLERANCE_REL * half))
                    if self.excess(inner) < 0.0
                    else inner
                )
            if at_bound:
                return bound
        return way * float("inf")

    def edge(self, way: float) -> float:
        """End of the interval of an unknown that has no effect up to it, such as a limit that is never reached.

        First with the others held, at one evaluation a trial, then from there outwards with all of them refitted.
        """
        from scipy.optimize import brentq

        middle, bound = float(self.result.x[self.i]), float(self.problem.bounds()[int(way > 0.0)][self.i])
        last = middle
        for k in range(MAX_STEPS):
            x = way * min(way * (middle + way * tol.PROFILE_STEP_GROWTH**k), way * bound)
            if self._excess_with_others_held(x) > 0.0:
                last = float(brentq(self._excess_with_others_held, last, x, xtol=tol.PROFILE_EDGE_TOLERANCE))
                break
            if x == bound:
                return bound
            last = x
        else:
            return way * float("inf")
        for k in range(MAX_OUTWARD_STEPS):
            x = way * min(way * (last + way * tol.PROFILE_FIRST_STEP * tol.PROFILE_STEP_FACTOR**k), way * bound)
            if self.excess(x) > 0.0:
                fine = tol.PROFILE_ROUGH_TOLERANCE_REL * abs(x - last)
                return float(brentq(self.excess, last, x, xtol=fine)) + way * fine if self.excess(last) < 0.0 else x
            if x == bound:
                return bound
            last = x
        return way * float("inf")

    def _excess_with_others_held(self, x: float) -> float:
        """Increase of the sum of squares at a value with all others held, less the allowed one."""
        there = self.result.x.copy()
        there[self.i] = x
        return float(np.sum(self.problem.residuals(there) ** 2)) - 2.0 * self.result.cost - self.allowed
