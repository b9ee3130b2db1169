"""The profile of one number: how the sum of squares grows with it while all others are fitted anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.search.least_squares import (
    FINE_COST_TOLERANCE_REL,
    NO_FORCE_RESIDUAL,
    FitProblem,
    SearchResult,
    minimise,
)

Array = NDArray[np.float64]

STEP_GROWTH = 3.0  # times: how much farther each look goes, from the linearised end on
MAX_STEPS = 8  # at most; what is not told 3^7 half widths away is not told at all
END_TOLERANCE_REL = 1e-3  # of the linearised half width: how well an end is known
EDGE = 1e-6  # of a scaled unknown: how well the place is known where a number begins to matter
OUTWARD, TIMES, MOST = 1e-4, 4.0, 10  # of a scaled unknown: the first step beyond that place, and how they grow
ROUGHLY = 0.05  # of the last step: how well an end beyond it is known


class ProfileLikelihood:
    """Of the scaled unknown number i among those that are free, from where a search ended.

    allowed : what the sum of squares may grow by within the interval.   tolerance : of each search.
    """

    def __init__(
        self, task: FitProblem, answer: SearchResult, i: int, allowed: float, tolerance: float = FINE_COST_TOLERANCE_REL
    ) -> None:
        self.task, self.answer, self.i = task, answer, i
        self.allowed, self.tolerance = allowed, tolerance
        self.others = [j for j in range(len(task.free)) if j != i]
        self._known: dict[float, tuple[float, Array]] = {}  # what it has grown by, and the others there

    def grown(self, x: float) -> float:
        """What the sum of squares has grown by at a value, beyond what is allowed; at most that where it has not."""
        if x not in self._known:
            self._known[x] = self._fitted(x)
        return self._known[x][0]

    def _fitted(self, x: float) -> tuple[float, Array]:
        whole = self.answer.x.copy()
        whole[self.i] = x
        task = self.task
        free, size = tuple(task.free[j] for j in self.others), task.size[self.others]
        held = replace(task, unknowns=task.unknowns.at(task.values(whole)), free=free, size=size)
        beyond = 2.0 * self.answer.cost + self.allowed
        begin = self._nearest(x)
        now = float(np.sum(held.residuals(begin) ** 2))
        if (
            now < beyond or now >= held.count * NO_FORCE_RESIDUAL**2 or not free
        ):  # enough, or no force: no need to fit the others
            return now - beyond, begin
        again = minimise(held, begin, self.tolerance)
        grown = 2.0 * again.cost - beyond
        return grown if again.converged else min(grown, 0.0), again.x  # a search that has not ended proves no growth

    def _nearest(self, x: float) -> Array:
        """The others where they were fitted last on the way to a value: beyond it they may be in another minimum."""
        middle = float(self.answer.x[self.i])
        between = [y for y in self._known if (y - middle) * (x - middle) > 0.0 and abs(y - middle) <= abs(x - middle)]
        near = min(between, key=lambda y: abs(y - x), default=None)
        return self.answer.x[self.others] if near is None else self._known[near][1]

    def ends(self, half: float) -> tuple[float, float]:
        """Both ends of the interval; half : its linearised half width."""
        return self.end(-1.0, half), self.end(1.0, half)

    def end(self, way: float, half: float) -> float:
        """Where the sum has grown by what is allowed: at the bound where it does not before, infinite where nowhere."""
        from scipy.optimize import brentq

        middle, bound = float(self.answer.x[self.i]), float(self.task.bounds()[int(way > 0.0)][self.i])
        inner = middle + way * END_TOLERANCE_REL * half
        if way * inner >= way * bound:
            return bound
        for k in range(MAX_STEPS):
            x = middle + way * half * STEP_GROWTH**k
            at_bound = way * x >= way * bound
            x = bound if at_bound else x
            if self.grown(x) > 0.0:
                return (
                    float(brentq(self.grown, inner, x, xtol=END_TOLERANCE_REL * half))
                    if self.grown(inner) < 0.0
                    else inner
                )
            if at_bound:
                return bound
        return way * float("inf")

    def edge(self, way: float) -> float:
        """An end up to which a number may not matter at all, such as a limit that is never reached; else as `end`.

        First with the others held, which takes one run a look, then from there outward with all of them fitted anew.
        """
        from scipy.optimize import brentq

        middle, bound = float(self.answer.x[self.i]), float(self.task.bounds()[int(way > 0.0)][self.i])
        last = middle
        for k in range(MAX_STEPS):
            x = way * min(way * (middle + way * STEP_GROWTH**k), way * bound)
            if self._held(x) > 0.0:
                last = float(brentq(self._held, last, x, xtol=EDGE))
                break
            if x == bound:
                return bound
            last = x
        else:
            return way * float("inf")
        for k in range(MOST):
            x = way * min(way * (last + way * OUTWARD * TIMES**k), way * bound)
            if self.grown(x) > 0.0:
                fine = ROUGHLY * abs(x - last)
                return float(brentq(self.grown, last, x, xtol=fine)) + way * fine if self.grown(last) < 0.0 else x
            if x == bound:
                return bound
            last = x
        return way * float("inf")

    def _held(self, x: float) -> float:
        """What the sum of squares grows by at a value with all others held, beyond what is allowed."""
        there = self.answer.x.copy()
        there[self.i] = x
        return float(np.sum(self.task.residuals(there) ** 2)) - 2.0 * self.answer.cost - self.allowed
