"""`TwoParameterFamily`: points of one kind on curves over p, followed over a second parameter q.

Unknowns are (x, p) of an orbit or equilibrium, its parameter is q. One equation is added to those of the family over
p: the condition that defines the kind of point. Its derivatives are central differences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, TypeVar

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.family import Family, Linearisation
from slipstick.results.orbit import OrbitPoint

MIN_TOLERANCE = 1e-10
STATE_STEP = 1e-6  # of the size of the orbit or equilibrium: for differences by it
PARAMETER_STEP_REL = 1e-6  # of a parameter, or of its range: for differences by it
MAX_CACHED_FAMILIES = 16

FamilyT = TypeVar("FamilyT", bound=Family)


class TwoParameterFamily(Family, Generic[FamilyT]):
    """family : the family over p at a value of q.   called : the points, in messages.

    reach_p, reach_q : what counts as a change of order one of either parameter.
    """

    called: str

    def __init__(self, family_at: Callable[[float], FamilyT], q: float, reach_p: float, reach_q: float) -> None:
        self.family: Callable[[float], FamilyT] = lru_cache(maxsize=MAX_CACHED_FAMILIES)(family_at)
        self.reach_p, self.reach_q = reach_p, reach_q
        own = self.family(q)
        self.size, self.tolerance = own.size + 1, max(own.tolerance, MIN_TOLERANCE)

    def condition(self, own: FamilyT, x: Array, p: float) -> float:
        """The residual of the added equation, of order one."""
        raise NotImplementedError

    def square_linearisation(self, own: FamilyT, x: Array, p: float) -> Linearisation:
        """The equations of the family over p; `NotConverged` if they are more than its unknowns."""
        found = own.linearise(x, p)
        if len(found.residual) != x.size:
            words = f"this orbit has more equations than unknowns, so its {self.called} are not followed"
            raise NotConverged(words)
        return found

    def linearise(self, x: Array, p: float) -> Linearisation:
        state, first, q, n = x[:-1], float(x[-1]), p, x.size - 1
        own = self.family(q)
        here = self.square_linearisation(own, state, first)
        by_x = np.zeros((n + 1, n + 1))
        by_x[:n, :n], by_x[:n, n] = here.by_x, here.by_p
        for k, step in enumerate((STATE_STEP * own.scales(state, first)).tolist()):
            change = np.zeros(n)
            change[k] = step
            above, below = (self.condition(own, state + side * change, first) for side in (1.0, -1.0))
            by_x[n, k] = (above - below) / (2.0 * step)
        step = PARAMETER_STEP_REL * max(abs(first), self.reach_p)
        above, below = (self.condition(own, state, first + side * step) for side in (1.0, -1.0))
        by_x[n, n] = (above - below) / (2.0 * step)
        change_q = PARAMETER_STEP_REL * max(abs(q), self.reach_q)
        sides = [self.family(q + side * change_q) for side in (1.0, -1.0)]
        ends = [np.append(e.linearise(state, first).residual, self.condition(e, state, first)) for e in sides]
        residual = np.append(here.residual, self.condition(own, state, first))
        return Linearisation(residual, by_x, (ends[0] - ends[1]) / (2.0 * change_q))

    def scales(self, x: Array, p: float) -> Array:
        return np.append(self.family(p).scales(x[:-1], float(x[-1])), self.reach_p)

    def reach(self, p: float, span: float) -> float:
        return self.reach_q

    def point(self, x: Array, p: float) -> OrbitPoint:
        return self.family(p).point(x[:-1], float(x[-1]))

    def start(self, p: float) -> Array:
        raise NotConverged(f"{self.called} are followed from a known one")
