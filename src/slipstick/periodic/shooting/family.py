"""Orbits by exact shooting as a family over frequency, or over any parameter that a problem can be posed at."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.family import Family, Linearised
from slipstick.periodic.period import Period, period_of
from slipstick.periodic.shooting.exact_map import ExactMap, Passed
from slipstick.periodic.shooting.newton import TOLERANCE, Closed, close
from slipstick.periodic.shooting.orbits import ClosedTrajectory, describe
from slipstick.results.orbit import OrbitPoint
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

KEPT = 6  # maps at the last values of the parameter
ASIDE = 1e-6  # of the parameter: the difference that gives the derivative by it


class Shooting(Family):
    """problem_at : the problem at a value of the parameter; all of them must have the same coordinates and sliders."""

    tolerance = TOLERANCE

    def __init__(self, problem_at: Callable[[float], Problem], p: float, subharmonic: int | None = None) -> None:
        self.problem_at, self.subharmonic = problem_at, subharmonic
        self._maps: OrderedDict[float, tuple[ExactMap, Period]] = OrderedDict()
        self._passed: tuple[bytes, float, Passed] | None = None
        self.size = self.map_at(p)[0].size

    def map_at(self, p: float) -> tuple[ExactMap, Period]:
        """The period map at a value of the parameter, and its period."""
        if p not in self._maps:
            problem = self.problem_at(p)
            period = period_of(problem, self.subharmonic)
            self._maps[p] = (ExactMap(problem, period.time), period)
            while len(self._maps) > KEPT:
                self._maps.popitem(last=False)
        self._maps.move_to_end(p)
        return self._maps[p]

    def start(self, p: float) -> Array:
        period_map, _ = self.map_at(p)
        return close(period_map, period_map.first()).state

    def linearise(self, x: Array, p: float) -> Linearised:
        period_map, _ = self.map_at(p)
        passed = self._pass(x, p)
        assert passed.derivative is not None
        scales = period_map.scales(passed.flow)
        by_x = (passed.derivative - np.eye(self.size)) / scales[:, None]
        q = p * (1.0 + ASIDE)
        aside, _ = self.map_at(q)
        by_p = (aside.go(x).state - passed.state) / (q - p) / scales
        return Linearised(period_map.missed(x, passed), period_map.without_drift(by_x), period_map.without_drift(by_p))

    def scales(self, x: Array, p: float) -> Array:
        return np.asarray(self.map_at(p)[0].scales(self._pass(x, p).flow) * np.sqrt(self.size))

    def point(self, x: Array, p: float) -> OrbitPoint:
        return self.orbit(x, p)[0]

    def orbit(self, x: Array, p: float) -> tuple[OrbitPoint, ClosedTrajectory]:
        """The orbit at a solution, with its motion."""
        period_map, period = self.map_at(p)
        passed = self._pass(x, p)
        residual = float(np.abs(period_map.missed(x, passed)).max(initial=0.0))
        return describe(period_map, period, Closed(x, passed, residual, 0, 0), p)

    def _pass(self, x: Array, p: float) -> Passed:
        """One period from x, with its derivative; the last one is kept."""
        key = x.tobytes()
        if self._passed is None or self._passed[:2] != (key, p):
            self._passed = (key, p, self.map_at(p)[0].go(x, derivative=True))
        return self._passed[2]
