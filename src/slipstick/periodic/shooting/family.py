"""Orbits by exact shooting as a family over frequency, or over any parameter that a problem can be posed at."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.family import Family, Linearised, Solved
from slipstick.periodic.period import Period, period_of
from slipstick.periodic.shooting.exact_map import ExactMap, Passed
from slipstick.periodic.shooting.newton import TOLERANCE, Closed, approach, close, measure
from slipstick.periodic.shooting.orbits import point_of
from slipstick.results.orbit import OrbitPoint
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

KEPT = 6  # maps at the last values of the parameter
ASIDE = 1e-6  # of the parameter: the difference that gives the derivative by it


class Shooting(Family):
    """problem_at : the problem at a value of the parameter; all of them must have the same coordinates and sliders.

    over_frequency : the parameter is the base frequency, and nothing else changes with it.
    """

    tolerance = TOLERANCE

    def __init__(
        self,
        problem_at: Callable[[float], Problem],
        p: float,
        subharmonic: int | None = None,
        over_frequency: bool = False,
    ) -> None:
        self.problem_at, self.subharmonic, self.over_frequency = problem_at, subharmonic, over_frequency
        self._maps: OrderedDict[float, tuple[ExactMap, Period]] = OrderedDict()
        self._passed: tuple[tuple[bytes, float], bool, Passed] | None = None
        self.size = self.map_at(p)[0].size

    def map_at(self, p: float) -> tuple[ExactMap, Period]:
        """The period map at a value of the parameter, and its period."""
        if p not in self._maps:
            problem = self.problem_at(p)
            period = period_of(problem, self.subharmonic)
            last = next(reversed(self._maps.values()))[0] if self._maps else None
            if last is not None and last.problem.is_retuned(problem):
                self._maps[p] = last.retuned(problem, period.time), period
            else:
                self._maps[p] = ExactMap(problem, period.time), period
            while len(self._maps) > KEPT:
                self._maps.popitem(last=False)
        self._maps.move_to_end(p)
        return self._maps[p]

    def start(self, p: float) -> Array:
        period_map, _ = self.map_at(p)
        return close(period_map, period_map.first()).state

    def solved_near(self, x: Array, p: float) -> Solved:
        found = approach(self.map_at(p)[0], x)
        self._passed = ((found.state.tobytes(), p), False, found.passed)
        return Solved(found.state, found.residual, found.steps)

    def linearise(self, x: Array, p: float) -> Linearised:
        period_map, _ = self.map_at(p)
        passed = self._pass(x, p, swept=self.over_frequency)
        assert passed.derivative is not None
        scales = period_map.scales(passed.flow)
        by_x = (passed.derivative - np.eye(self.size)) / scales[:, None]
        by_p = passed.by_frequency
        if by_p is None:
            q = p * (1.0 + ASIDE) if p else ASIDE
            by_p = (self.map_at(q)[0].go(x).state - passed.state) / (q - p)
        missed = period_map.missed(x, passed)
        return Linearised(missed, period_map.without_drift(by_x), period_map.without_drift(by_p / scales))

    def scales(self, x: Array, p: float) -> Array:
        return np.asarray(self.map_at(p)[0].scales(self._pass(x, p).flow) * np.sqrt(self.size))

    def point(self, x: Array, p: float) -> OrbitPoint:
        period_map, period = self.map_at(p)
        passed = self._pass(x, p)
        return point_of(period_map, period, Closed(x, passed, measure(period_map, x, passed), 0, 0), p)

    def _pass(self, x: Array, p: float, swept: bool = False) -> Passed:
        """One period from x, with its derivative (``swept``: both); the last one is kept."""
        key = (x.tobytes(), p)
        if self._passed is None or self._passed[0] != key or (swept and not self._passed[1]):
            self._passed = (key, swept, self.map_at(p)[0].go(x, derivative=True, swept=swept))
        return self._passed[2]
