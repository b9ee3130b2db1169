"""Orbits whose second half mirrors the first, as a family of their own: -P(s) = s, P over half a period.

Of a symmetric model under loads of odd orders these form branches of their own. Others, without that symmetry, leave
them at pitchforks, or at corners where two gaps begin to touch at once. A step of Newton's method may lead over
there; but here only mirrored orbits are solutions, a pitchfork is a place like any other, and a period takes half the
time. What is told of an orbit is that of the whole period.
"""

from __future__ import annotations

import numpy as np

from slipstick.arrays import Array
from slipstick.periodic.common_period import Period
from slipstick.periodic.continuation.family import Linearisation
from slipstick.periodic.shooting.exact_family import Shooting, check_not_within_impact
from slipstick.periodic.shooting.exact_map import ExactMap, ExactPeriod
from slipstick.transient.problem import Problem

SYMMETRY_TOLERANCE_REL = 1e-8  # of the motion: what a second half may differ by from the mirror image of the first
ODD_ORDER_TOLERANCE = 1e-9  # by which the order of a load may differ from an odd number


class SymmetricShooting(Shooting):
    """whole : the family of all orbits, with which it shares its maps."""

    halved = True

    def __init__(self, whole: Shooting) -> None:
        self.__dict__.update(whole.__dict__)
        self.__dict__.pop("_quick", None)  # which is for whole periods

    def mirrored(self, x: Array, p: float) -> SymmetricShooting | None:
        return None

    def linearise(self, x: Array, p: float) -> Linearisation:
        whole, half = self.map_at(p)[0], half_period_map(self, p)
        passed = half.go(x, derivative=True, swept=self.over_frequency)
        if something_sticks(passed):  # one of a band
            return super().linearise(x, p)
        assert passed.derivative is not None
        scales = whole.scales(passed.flow)
        by_x = -(passed.derivative + self._same) / scales[:, None]
        check_not_within_impact(whole, passed.flow, by_x * scales)
        by_p = passed.by_frequency
        if by_p is None:
            distance = next(self._beside(p))[1]
            by_p = (half_period_map(self, p + distance).go(x).state - passed.state) / distance
        return Linearisation(-(passed.state + x) / scales, by_x, -by_p / scales)


def half_period_map(family: Shooting, p: float) -> ExactMap:
    """The map over the first half of a period."""
    whole: ExactMap = family.map_at(p)[0]
    half = ExactMap(whole.problem, 0.5 * whole.time, whole.engine)
    half.turn = whole.turn
    return half


def something_sticks(passed: ExactPeriod) -> bool:
    """True if something does not slip in half a period, and so not in the other half."""
    return any(not ways for ways in passed.flow.ways.values())


def is_symmetric_orbit(family: Shooting, x: Array, p: float) -> bool:
    """True for an orbit whose second half mirrors the first, because model and loads do."""
    whole, period = family.map_at(p)
    if not isinstance(whole, ExactMap) or whole.drift.size or not is_symmetric_problem(whole.problem, period):
        return False
    passed = half_period_map(family, p).go(x)
    return bool(np.abs((passed.state + x) / whole.scales(passed.flow)).max(initial=0.0) <= SYMMETRY_TOLERANCE_REL)


def is_symmetric_problem(problem: Problem, period: Period) -> bool:
    """True if the mirror image of any motion, half a period later, is one too."""
    forcing, offsets = problem.forcing, problem.offsets
    if problem.massless or any(part.constant.any() or part.ramp.any() or part.signals for part in (forcing, offsets)):
        return False
    turns = np.concatenate([forcing.omega, offsets.omega]) * period.time / (2.0 * np.pi)
    odd = np.abs(turns - 2.0 * np.round(0.5 * (turns - 1.0)) - 1.0) <= ODD_ORDER_TOLERANCE * np.maximum(turns, 1.0)
    return bool(odd.all()) and all(element.law.is_odd and not element.modulation for element in problem.elements)
