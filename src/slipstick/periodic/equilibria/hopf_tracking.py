"""Hopf points of a curve of equilibria over a second parameter.

Unknowns are (x, p) of an equilibrium, the parameter is q. One equation is added to those of the equilibrium: the real
part of the swinging eigenvalue nearest to the imaginary axis, over its size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import LOW_HIGH, Advice, InvalidInput, NotConverged, short_repr
from slipstick.model.named_parameter import parameter_of
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.branches.special_family import MAX_CACHED_FAMILIES, PARAMETER_STEP_REL
from slipstick.periodic.branches.special_tracking import follow_special
from slipstick.periodic.continuation.family import Family, Linearisation
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.cycles.parametric_problem import UNNAMED_PARAMETER, ParametricProblem
from slipstick.periodic.equilibria.equilibrium_family import EquilibriumFamily
from slipstick.periodic.request_checks import checked_values
from slipstick.results.equilibrium_curve import HOPF, EquilibriumPoint
from slipstick.results.orbit import OrbitPoint
from slipstick.results.run import Names
from slipstick.results.special_curve import SpecialCurve
from slipstick.units.scales import Scale

TOLERANCE = 1e-10  # of the growth over the frequency
STATE_STEP = 1e-6  # of the size of the equilibrium: for differences by it


class HopfFamily(Family):
    """family_at : equilibria over p at a value of q.   at : a Hopf point (x, p, q).

    reach_p, reach_q : what counts as a change of order one of either parameter.
    """

    def __init__(
        self, family_at: Callable[[float], EquilibriumFamily], at: tuple[Array, float, float], reaches: Array
    ) -> None:
        self.family_at, self.reach_p, self.reach_q = family_at, float(reaches[0]), float(reaches[1])
        self._families: dict[float, EquilibriumFamily] = {}
        own = self.family(at[2])
        self.size, self.tolerance = own.size + 1, max(own.tolerance, TOLERANCE)

    def family(self, q: float) -> EquilibriumFamily:
        """Equilibria over p at a value of q."""
        if q not in self._families:
            while len(self._families) >= MAX_CACHED_FAMILIES:
                del self._families[next(iter(self._families))]
            self._families[q] = self.family_at(q)
        return self._families[q]

    def _swing(self, x: Array, p: float, q: float) -> complex:
        """[rad/s] the eigenvalue with a frequency that is nearest to the imaginary axis."""
        own, balance = self.family(q).solved(x, p)
        values = own.eigenvalues(balance)[0]
        swinging = values[values.imag > 0.0]
        if not swinging.size:
            raise NotConverged("no eigenvalue has a frequency there")
        return complex(swinging[int(np.argmin(np.abs(swinging.real)))])

    def _growth(self, x: Array, p: float, q: float) -> float:
        value = self._swing(x, p, q)
        return float(value.real / abs(value))

    def linearise(self, x: Array, p: float) -> Linearisation:
        state, first, q, n = x[:-1], float(x[-1]), p, x.size - 1
        own = self.family(q)
        here, by_x = own.linearise(state, first), np.zeros((n + 1, n + 1))
        by_x[:n, :n], by_x[:n, n] = here.by_x, here.by_p
        for k, step in enumerate((STATE_STEP * own.scales(state, first)).tolist()):
            change = np.zeros(n)
            change[k] = step
            above, below = (self._growth(state + side * change, first, q) for side in (1.0, -1.0))
            by_x[n, k] = (above - below) / (2.0 * step)
        step = PARAMETER_STEP_REL * max(abs(first), self.reach_p)
        above, below = (self._growth(state, first + side * step, q) for side in (1.0, -1.0))
        by_x[n, n] = (above - below) / (2.0 * step)
        change_q = PARAMETER_STEP_REL * max(abs(q), self.reach_q)
        ends = [
            np.append(self.family(other).linearise(state, first).residual, self._growth(state, first, other))
            for other in (q + change_q, q - change_q)
        ]
        residual = np.append(here.residual, self._growth(state, first, q))
        return Linearisation(residual, by_x, (ends[0] - ends[1]) / (2.0 * change_q))

    def scales(self, x: Array, p: float) -> Array:
        return np.append(self.family(p).scales(x[:-1], float(x[-1])), self.reach_p)

    def reach(self, p: float, span: float) -> float:
        return self.reach_q

    def point(self, x: Array, p: float) -> OrbitPoint:
        state, first = x[:-1], float(x[-1])
        return replace(self.family(p).point(state, first), frequency=abs(self._swing(state, first, p).imag))

    def start(self, p: float) -> Array:
        raise NotConverged("Hopf points are followed from a known one")


def track_hopf(
    problems: ParametricProblem, within: tuple[float, float], point: EquilibriumPoint, parameter: Any, between: Any
) -> SpecialCurve:
    """See `slipstick.results.equilibrium_curve.EquilibriumCurve.track`."""
    values = checked_values("between", between)
    if problems.name == UNNAMED_PARAMETER or parameter == problems.name:
        words = f"the second parameter must be a number of the model beside {problems.name}"
        raise InvalidInput(f'{words}, got "{parameter}"').about("parameter")
    system = problems.at(point.parameter).snapshot()
    second = parameter_of(system, parameter)
    if not values.min() <= second.value <= values.max():
        raise InvalidInput(
            f"between must hold the model's own {parameter}, {second.value:g}, got {short_repr(between)}",
            argument="between",
            advice=[Advice("widen {between}", between=LOW_HIGH)],
        )

    def family_at(q: float) -> EquilibriumFamily:
        own = parameter_of(second.at(q), problems.name)
        changed = ParametricProblem(own.at, problems.name, problems.unit, own.value)
        return EquilibriumFamily(changed.problem, point.parameter, max(map(abs, within)))

    at, over = (point.x, point.parameter, second.value), ParameterRange(float(values[0]), float(values[-1]))
    span = abs(within[1] - within[0])
    with one_blas_thread():
        family = HopfFamily(family_at, at, np.array([span, over.span]))
        tracked = follow_special(family, at, span, over, has_cusps=False)
    scales = Scale(problems.unit, 1.0), Scale(parameter_unit(system, parameter), 1.0)
    curve = SpecialCurve(
        HOPF, (problems.name, str(parameter)), scales, tuple(tracked.points), tracked.turns, Names.of(system)
    )
    curve.ended, curve.notes = tracked.ended, tuple(tracked.notes)
    return curve
