"""Hopf points of a curve of equilibria over a second parameter.

One equation is added to those of the equilibrium: the real part of the swinging eigenvalue nearest to the imaginary
axis, over its size.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import LOW_HIGH, Advice, InvalidInput, NotConverged, short_repr
from slipstick.model.named_parameter import parameter_of
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.branches.special_tracking import follow_special
from slipstick.periodic.branches.two_parameter_family import TwoParameterFamily
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.cycles.parametric_problem import UNNAMED_PARAMETER, ParametricProblem
from slipstick.periodic.equilibria.equilibrium_family import EquilibriumFamily
from slipstick.periodic.request_checks import checked_values
from slipstick.results.equilibrium_curve import HOPF, EquilibriumPoint
from slipstick.results.orbit import OrbitPoint
from slipstick.results.run import Names
from slipstick.results.special_curve import SpecialCurve
from slipstick.units.scales import Scale


class HopfFamily(TwoParameterFamily[EquilibriumFamily]):
    """Equilibria whose swinging eigenvalue nearest to the imaginary axis lies on it."""

    called = "Hopf points"

    def _swing(self, own: EquilibriumFamily, x: Array, p: float) -> complex:
        """[rad/s] the eigenvalue with a frequency that is nearest to the imaginary axis."""
        equations, balance = own.solved(x, p)
        values = equations.eigenvalues(balance)[0]
        swinging = values[values.imag > 0.0]
        if not swinging.size:
            raise NotConverged("no eigenvalue has a frequency there")
        return complex(swinging[int(np.argmin(np.abs(swinging.real)))])

    def condition(self, own: EquilibriumFamily, x: Array, p: float) -> float:
        value = self._swing(own, x, p)
        return float(value.real / abs(value))

    def point(self, x: Array, p: float) -> OrbitPoint:
        own, state, first = self.family(p), x[:-1], float(x[-1])
        return replace(own.point(state, first), frequency=abs(self._swing(own, state, first).imag))


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
        family = HopfFamily(family_at, second.value, span, over.span)
        tracked = follow_special(family, at, span, over, has_cusps=False)
    scales = Scale(problems.unit, 1.0), Scale(parameter_unit(system, parameter), 1.0)
    curve = SpecialCurve(
        HOPF, (problems.name, str(parameter)), scales, tuple(tracked.points), tracked.turns, Names.of(system)
    )
    curve.ended, curve.notes = tracked.ended, tuple(tracked.notes)
    return curve
