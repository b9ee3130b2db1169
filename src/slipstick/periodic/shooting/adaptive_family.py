"""Orbits by shooting on the adaptive flow as a family over frequency, or over any parameter.

From one value to the next the derivative of the map is that of the last orbit, set right by what each pass tells
(Broyden): a pass with its derivative costs as much as several without.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.corrector import solve
from slipstick.periodic.family import Solved
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.adaptive_orbits import point_of
from slipstick.periodic.shooting.family import Shooting
from slipstick.periodic.shooting.newton import TOLERANCE, Closed, approach, close
from slipstick.periodic.shooting.orbits import beyond_one

Array = NDArray[np.float64]

MOST_PASSES = 20
LAST = 1e-5  # a residual after which the next pass may be the last
SLOW = 0.2  # a step that leaves more of the residual than this: the derivative is too old


class AdaptiveShooting(Shooting):
    """See `Shooting`."""

    make = AdaptiveMap
    told = staticmethod(point_of)
    _known: Array | None = None  # the derivative at the last orbit that was found

    def start(self, p: float) -> Array:
        period_map, _ = self.map_at(p)
        return close(period_map, period_map.first()).state

    def middle(self, x: Array, p: float) -> Array:
        return x

    def solved_near(self, x: Array, p: float) -> Solved:
        period_map, period = self.map_at(p)
        known, before = self._known, self._before
        closed = approach(period_map, x) if known is None else _by_chords(period_map, x, known)
        if closed.passed.derivative is None:
            closed = closed._replace(passed=period_map.with_derivative(closed.state, closed.passed))
        key = (closed.state.tobytes(), p)
        self._passed, self._points[key] = (key, False, closed.passed), self.told(period_map, period, closed, p)
        self._known, self._before = closed.passed.derivative, (beyond_one(closed), False)
        alike = before is not None and before[0] == self._before[0]
        return Solved(closed.state, closed.residual, closed.steps, alike)


def _by_chords(period: AdaptiveMap, guess: Array, derivative: Array) -> Closed:
    """The orbit near a guess, with the derivative at another orbit nearby; raises `NotConverged`.

    Where a step leaves much of the residual the derivative is found anew, and a step that leads away is halved.
    """
    state, passed = guess, period.go(guess, tape=True)
    sizes = period.scales(passed.flow)
    matrix, missed = _matrix(period, derivative, sizes), period.missed(state, passed)
    size, is_fresh, part = float(np.abs(missed).max(initial=0.0)), False, 1.0
    for count in range(MOST_PASSES):
        if size <= TOLERANCE:
            return Closed(state, passed, size, count, count + 1)
        step = part * solve(matrix, missed, np.ones(period.size))
        there = state + sizes * step
        ended = period.go(there, tape=size < LAST)
        left = period.without_drift((ended.state - there) / sizes)
        nearer = float(np.abs(left).max(initial=0.0))
        is_slow = not nearer < SLOW * size
        if nearer < size:
            matrix -= np.outer(left - (1.0 - part) * missed, step / (step @ step))
            state, passed, missed, size, part = there, ended, left, nearer, 1.0
        elif is_fresh:
            part *= 0.5
            continue
        is_fresh = is_slow
        if is_slow:
            passed = period.with_derivative(state, passed)
            assert passed.derivative is not None
            matrix = _matrix(period, passed.derivative, sizes)
    raise NotConverged(f"Broyden's method left a residual of {size:.1e} (at most {TOLERANCE:.1e})")


def _matrix(period: AdaptiveMap, derivative: Array, sizes: Array) -> Array:
    """(size, size) of 1 - derivative, in the units of a scaled state."""
    return period.without_drift(np.eye(period.size) - derivative * (sizes / sizes[:, None]))
