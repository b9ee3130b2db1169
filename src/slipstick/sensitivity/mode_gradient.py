"""Derivatives of frequency, damping and motion of a nonlinear mode, at fixed amplitudes."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, NotConverged, short_repr
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.modes.autonomous_system import autonomous_copy
from slipstick.periodic.modes.mode_family import ModeFamily
from slipstick.periodic.modes.nonlinear_mode import ModeSolver
from slipstick.results.gradient import Gradient
from slipstick.results.nonlinear_mode import NonlinearMode
from slipstick.results.orbit import OrbitPoint
from slipstick.sensitivity.orbit_equations import MAX_FAMILIES, OrbitEquations
from slipstick.sensitivity.orbit_figures import Figure, orbit_figure
from slipstick.sensitivity.orbit_gradient import FigureDerivatives, gradient_of, point_slopes
from slipstick.sensitivity.parameters import Parameter, is_start_state, parameters_of, shifted

MODE_FIGURES = ("frequency", "damped_frequency", "damping_ratio")


class ModeEquations(OrbitEquations):
    """The equations of one mode, also for models with other parameters."""

    def __init__(self, model: Any, solver: ModeSolver) -> None:
        self.model, self.base = model, solver.family
        self._modes: OrderedDict[tuple[str, float], ModeFamily] = OrderedDict()

    def check(self, parameters: list[Parameter]) -> None:
        for each in parameters:
            if is_start_state(each.name):
                raise InvalidInput(f"a mode does not depend on {each.name}").about("by")

    def family(self, parameter: Parameter | None, change: float, p: float) -> ModeFamily:
        assert isinstance(self.base, ModeFamily)
        if parameter is None or change == 0.0:
            return self.base
        key = (parameter.name, change)
        if key not in self._modes:
            model = autonomous_copy(shifted(self.model, parameter, change))
            self._modes[key] = self.base.over(HarmonicBalance(model, **self.base.balance.options))
            while len(self._modes) > MAX_FAMILIES:
                self._modes.popitem(last=False)
        return self._modes[key]

    def residual(self, parameter: Parameter | None, change: float, x: Array, p: float) -> Array:
        family = self.family(parameter, change, p)
        return family.residual(x, family.motion(x, p), p)

    def point(self, parameter: Parameter | None, change: float, x: Array, p: float, forces: bool) -> OrbitPoint:
        return self.family(parameter, change, p).point(x, p)

    def value(self, figure: Figure, parameter: Parameter | None, change: float, x: Array, p: float) -> Array:
        if figure.name not in MODE_FIGURES:
            return super().value(figure, parameter, change, x, p)
        _, _, omega, zeta = self.family(parameter, change, p).split(x, p)
        if figure.name == "damping_ratio":
            return np.array([zeta])
        return np.array([omega if figure.name == "frequency" else omega * math.sqrt(max(1.0 - zeta**2, 0.0))])

    def typical(self, figure: Figure, x: Array, p: float) -> float:
        if figure.name in MODE_FIGURES:
            assert isinstance(self.base, ModeFamily)
            return 1.0 if figure.name == "damping_ratio" else self.base.linear.frequency
        return super().typical(figure, x, p)

    def linearised(self, x: Array, p: float) -> tuple[Array, Array]:
        found = self.base.linearise(x, p)
        return found.by_x, found.by_p


def mode_gradient(mode: NonlinearMode, figure: str, by: Any) -> Gradient:
    """Derivatives of a figure of a mode at its amplitudes.

    figure : "frequency", "damped_frequency", "damping_ratio", "x.rms" (all points), or "points.3.frequency".
    """
    wanted = parameters_of(mode.model, by)
    solver = mode.origin
    if not isinstance(solver, ModeSolver):
        raise InvalidInput("a mode from a file has no derivatives; compute it again")
    if solver.family.rounds:
        words = "harmonic balance rounds dry friction in proportion to the motion, so the mode has no exact derivatives"
        raise InvalidInput(words, advice=["use ss.Jenkins with the stiffness of the contact"])
    equations = ModeEquations(mode.model, solver)
    equations.check(wanted)
    name, numbers = _points(mode, figure)
    places = solver.places
    if len(places) != len(mode):
        raise InvalidInput("some motions of this mode could not be measured; compute it at other amplitudes")
    rows: list[FigureDerivatives] = []
    values: list[float] = []
    blank = dict.fromkeys([each.name for each in wanted], math.nan)
    read = Figure(name, 0) if name in MODE_FIGURES else orbit_figure(name, mode.names, "a mode")
    for number in numbers:
        x, p = places[number]
        try:
            rows.append(point_slopes(equations, read, (x, p), wanted, False))
        except NotConverged:
            if name != figure:
                raise
            rows.append(FigureDerivatives(blank, blank))
        values.append(float(equations.value(read, None, 0.0, x, p)[0]))
    if name != figure:
        return gradient_of(figure, values[0], wanted, rows[0], by)
    columns = {key: np.array([row.values[key] for row in rows]) for key in blank}
    errors = {key: float(np.nanmax([row.errors[key] for row in rows], initial=0.0)) for key in blank}
    return gradient_of(figure, np.array(values), wanted, FigureDerivatives(columns, errors), by)  # type: ignore[arg-type]


def _points(mode: NonlinearMode, figure: str) -> tuple[str, range]:
    """The name of a figure without its point, and the numbers of the points."""
    first, _, rest = figure.partition(".")
    if first != "points":
        return figure, range(len(mode))
    number, _, name = rest.partition(".")
    if not number.lstrip("-").isdigit():
        raise InvalidInput(f'write a point as "points.3.frequency", got {short_repr(figure)}').about("figure")
    index = mode.numbered(int(number)) % len(mode)
    return name, range(index, index + 1)
