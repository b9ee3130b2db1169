"""Orbits over the strength of the laws: a way to an orbit that Newton's method does not reach at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Message, NotConverged
from slipstick.periodic.continuation.corrector import solve_at
from slipstick.periodic.continuation.family import Family, Linearisation
from slipstick.periodic.continuation.path import Path
from slipstick.periodic.continuation.step_control import ParameterRange, StepControl

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
    from slipstick.results.orbit import OrbitPoint


WEAKEST_EXPONENT = -4.0  # power of ten of the part of their force that laws have to begin with
EXPONENT_STEP = 1e-6  # of that power, for the derivative by it
# tolerance on the way: where it ends, Newton's method begins on the laws themselves, with its own
ROUGH_TOLERANCE = 1e-8
MAX_HOMOTOPY_POINTS = 600  # on the way: a wall of 1e5 times the stiffness of the rest took 460


class LawHomotopy(Family):
    """Orbits of a balance at one frequency, with laws that have 10**p of their force."""

    tolerance, sampled = ROUGH_TOLERANCE, True

    def __init__(self, balance: HarmonicBalance, frequency: float) -> None:
        # a balance of its own: what is changed here must not be seen by anyone else
        self.balance, self.frequency = balance.changed(curved=False), frequency
        self.size, self._full = balance.size, [own.copy() for own in self.balance.follower.factors]

    def _tune(self, p: float) -> None:
        for own, full in zip(self.balance.follower.factors, self._full, strict=True):
            np.multiply(full, 10.0**p, out=own)

    def linearise(self, x: Array, p: float) -> Linearisation:
        sides = []
        for q in (p - EXPONENT_STEP, p + EXPONENT_STEP):
            self._tune(q)
            sides.append(self.balance.residual(x, self.frequency))
        self._tune(p)
        found = self.balance.linearise(x, self.frequency)
        return found._replace(by_p=(sides[1] - sides[0]) / (2.0 * EXPONENT_STEP))

    def start(self, p: float) -> Array:
        """What the linear part does alone."""
        self._tune(p)
        return self.balance.linearise(np.zeros(self.size), self.frequency).residual * -self.balance.length

    def scales(self, x: Array, p: float) -> Array:
        return self.balance.scales(x, self.frequency)

    def point(self, x: Array, p: float) -> OrbitPoint:
        self._tune(p)
        return self.balance.point(x, self.frequency)


def solve_by_homotopy(balance: HarmonicBalance, frequency: float) -> Array:
    """(size,) an orbit of laws that have grown from a small part of their force, along the curve that they make."""
    family, within = LawHomotopy(balance, frequency), ParameterRange(WEAKEST_EXPONENT, 0.0)
    begun = solve_at(family, family.start(WEAKEST_EXPONENT), WEAKEST_EXPONENT, within.span)
    path = Path(
        family,
        begun if begun.tangent[-1] > 0.0 else begun.reversed(),
        within,
        StepControl(max_points=MAX_HOMOTOPY_POINTS),
    )
    for _ in path:
        pass
    if path.last.p != 0.0:
        strongest = 10.0 ** max(point.p for point in path.points)
        why = Message.of(path.end or "the curve turned back")
        raise NotConverged(why.wrapped(f"laws reached {strongest:.2g} of their full force: "))
    return path.last.x
