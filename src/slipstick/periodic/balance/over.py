"""Harmonic balance over any parameter of a model, at a fixed frequency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.balance.balance import Balance
from slipstick.periodic.family import Family, Linearised

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.results.orbit import OrbitPoint

Array = NDArray[np.float64]

STEP = 1e-6  # of the parameter, for the derivative by it
MOST_KEPT = 8  # models, built lately


class BalanceOver(Family):
    """Orbits of build(p) at one base frequency.

    build : parameter -> model; every model has the same coordinates and connections.
    begin : a value of the parameter about which it will be used.   options : of `Balance`.
    """

    tolerance = Balance.tolerance

    def __init__(self, build: Callable[[float], System], begin: float, *, frequency: float, **options: Any) -> None:
        self.build, self.frequency, self.options = build, frequency, options
        self.unit = abs(begin) or 1.0
        self._kept: dict[float, Balance] = {}
        self.size = self.at(begin).size

    def at(self, p: float) -> Balance:
        """The family over frequency of the model at p."""
        if p not in self._kept:
            while len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[p] = Balance(self.build(p), frequency=self.frequency, **self.options)
        return self._kept[p]

    def start(self, p: float) -> Array:
        return self.at(p).start(self.frequency)

    def linearise(self, x: Array, p: float) -> Linearised:
        step = STEP * max(abs(p), 1e-3 * self.unit)
        up, down = (self.at(q).linearise(x, self.frequency).residual for q in (p + step, p - step))
        found = self.at(p).linearise(x, self.frequency)
        return Linearised(found.residual, found.by_x, (up - down) / (2.0 * step))

    def scales(self, x: Array, p: float) -> Array:
        return self.at(p).scales(x, self.frequency)

    def point(self, x: Array, p: float) -> OrbitPoint:
        return replace(self.at(p).point(x, self.frequency), p=p)
