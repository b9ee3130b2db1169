"""The profile of one number: how the sum of squares grows with it while all others are fitted anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.search import Found, Task, search

Array = NDArray[np.float64]

FARTHER = 3.0  # times: how much farther each look goes, from the linearised end on
LOOKS = 8  # at most; what is not told 3^7 half widths away is not told at all
DIGITS = 1e-3  # of the linearised half width: how well an end is known


class Profile:
    """Of the scaled unknown number i among those that are free, from where a search ended.

    allowed : what the sum of squares may grow by within the interval.
    """

    def __init__(self, task: Task, answer: Found, i: int, allowed: float) -> None:
        self.task, self.answer, self.i = task, answer, i
        self.allowed = allowed
        self.others = [j for j in range(len(task.free)) if j != i]
        self._known: dict[float, Array] = {}  # the others, where they were fitted already

    def grown(self, x: float) -> float:
        """What the sum of squares has grown by at a value, beyond what is allowed."""
        whole = self.answer.x.copy()
        whole[self.i] = x
        task = self.task
        free, size = tuple(task.free[j] for j in self.others), task.size[self.others]
        held = replace(task, unknowns=task.unknowns.at(task.values(whole)), free=free, size=size)
        beyond = 2.0 * self.answer.cost + self.allowed
        if not free:
            return float(np.sum(held.residuals(np.empty(0)) ** 2)) - beyond
        near = min(self._known, key=lambda y: abs(y - x), default=None)
        again = search(held, self._known[near] if near is not None else self.answer.x[self.others])
        self._known[x] = again.x
        return 2.0 * again.cost - beyond

    def ends(self, half: float) -> tuple[float, float]:
        """Both ends of the interval; half : its linearised half width."""
        low, high = self.task.bounds()
        return self._end(-1.0, half, float(low[self.i])), self._end(1.0, half, float(high[self.i]))

    def _end(self, way: float, half: float, bound: float) -> float:
        """Where the sum has grown by what is allowed: at the bound where it does not before, infinite where nowhere."""
        from scipy.optimize import brentq

        middle = float(self.answer.x[self.i])
        inner = middle + way * DIGITS * half
        if way * inner >= way * bound:
            return bound
        for k in range(LOOKS):
            x = middle + way * half * FARTHER**k
            at_bound = way * x >= way * bound
            x = bound if at_bound else x
            if self.grown(x) > 0.0:
                return float(brentq(self.grown, inner, x, xtol=DIGITS * half)) if self.grown(inner) < 0.0 else inner
            if at_bound:
                return bound
        return way * float("inf")
