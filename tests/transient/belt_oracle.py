"""One mass on a belt, spring and friction any functions, integrated mode by mode with SciPy: an oracle for tests.

    m x'' + spring(x) = -friction,  friction = slide(v) Sgn(v) with v = x' - belt;  at rest |friction| <= static

It shares nothing with the package: DOP853 at 1e-13 in slip, the closed form of stick, events by SciPy's own search.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

TOLERANCE = {"method": "DOP853", "rtol": 2.3e-14, "atol": 1e-15}


class BeltMass:
    """A mass that starts in stick at x = 0, on a belt that moves at a constant speed > 0."""

    def __init__(self, spring: Any, slide: Any, static: float, belt: float, mass: float = 1.0) -> None:
        self.spring, self.slide, self.static, self.belt, self.mass = spring, slide, static, belt, mass

    def at(self, times: np.ndarray) -> tuple[np.ndarray, list[float]]:
        """(k,) displacements at increasing times, and the instants at which stick ends or begins."""
        found, changes, t, y, sticks = [], [], 0.0, np.zeros(2), True
        while t < times[-1]:
            inside = times[(times >= t) & (times <= times[-1])]
            if sticks:
                end = self._release(t, y[0])
                inside = inside[inside <= end]
                found.append((inside, y[0] + self.belt * (inside - t)))
                y = np.array([y[0] + self.belt * (end - t), self.belt])
            else:
                end, y, dense = self._slip(t, y, times[-1])
                inside = inside[inside <= end]
                found.append((inside, dense(inside)[0]))
            t, sticks = end, not sticks
            changes.append(t)
        where, what = (np.concatenate(part) for part in zip(*found, strict=True))
        _, first = np.unique(where, return_index=True)
        return what[first], [c for c in changes if c < times[-1]]

    def _release(self, t: float, x: float) -> float:
        """When the spring's force reaches the static limit, the mass moving with the belt."""
        far = 1.0
        while self.spring(x + self.belt * far) < self.static:
            far *= 2.0
        return t + brentq(lambda s: self.spring(x + self.belt * s) - self.static, 0.0, far, xtol=1e-15, rtol=1e-15)

    def _slip(self, t: float, y: np.ndarray, until: float) -> tuple[float, np.ndarray, Any]:
        """Behind the belt, until the speeds are equal again."""

        def rates(_: float, state: np.ndarray) -> list[float]:
            return [state[1], (self.slide(self.belt - state[1]) - self.spring(state[0])) / self.mass]

        def meets(_: float, state: np.ndarray) -> float:
            return float(state[1] - self.belt)

        meets.terminal, meets.direction = True, 1.0  # type: ignore[attr-defined]
        # off the event itself: a Taylor step of the release, where the rate begins as a square of time
        run = solve_ivp(rates, (t, until), y, events=meets, dense_output=True, **TOLERANCE)  # type: ignore[call-overload]
        return float(run.t[-1]), run.y[:, -1], run.sol
