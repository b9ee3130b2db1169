"""How far an orbit of harmonic balance is from the exact one, which shooting finds from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slipstick.periodic.balance.balance import Balance
from slipstick.periodic.balance.orbits import orbit_of
from slipstick.periodic.balance.solve import Solution
from slipstick.periodic.periodic import periodic
from slipstick.results.orbit import Orbit, OrbitPoint


class Against(NamedTuple):
    """distance : [m or rad] the largest of a displacement within the period.   exact : the orbit it was measured to."""

    distance: float
    exact: Orbit


def against_exact(family: Balance, point: OrbitPoint) -> Against:
    """Shoot from an orbit of a family, and measure how far it is from where that leads.

    Raises `MissingFace` where a law is not made of straight pieces, `NotConverged` where no exact orbit is near.
    """
    system, p = family.problem.system, point.frequency
    own = Balance(system, **(family.options | {"frequency": p, "judges": False}))
    _, recorded = orbit_of(Solution(point.x, p, point.iterations, point.residual, (), own))
    exact = periodic(system, p, method="shooting", start=Orbit(recorded, system, point))
    times, orders = exact.samples.time, np.arange(point.harmonics.shape[0])
    turning = np.exp(2j * np.pi / point.period * np.outer(times, orders))
    apart = (turning @ point.harmonics).real - exact.samples.displacement
    return Against(float(np.abs(apart).max(initial=0.0)), exact)
