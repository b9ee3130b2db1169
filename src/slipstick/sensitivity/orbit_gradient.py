"""Derivatives of figures of orbits, and of points of a curve, at a fixed parameter of the curve."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.family_factory import FamilyFactory, ParametricModel, subharmonic_index
from slipstick.results.gradient import Gradient
from slipstick.results.orbit import Orbit
from slipstick.sensitivity.orbit_equations import OrbitEquations
from slipstick.sensitivity.orbit_figures import Figure, orbit_figure
from slipstick.sensitivity.parameters import Parameter, parameters_of

METHOD = "implicit function theorem on the residual; its derivative by parameters by extrapolated differences"
FREQUENCY = "frequency"


class FigureDerivatives(NamedTuple):
    """values, errors : derivatives of a figure of one orbit and their errors, by name of the parameter."""

    values: dict[str, float]
    errors: dict[str, float]


def orbit_gradient(orbit: Orbit, figure: str, by: Any) -> Gradient:
    """Derivatives of a figure of an orbit; ``by`` may have "frequency"."""
    read = orbit_figure(figure, orbit.names, "an orbit")
    if orbit.model is None:
        parameters_of(None, by)
    equations = _equations(orbit)
    wanted, swept = split_frequency(orbit.model, by)
    equations.check(wanted)
    found = point_slopes(equations, read, (orbit.point.x, orbit.frequency), wanted, swept)
    return gradient_of(figure, read.at(orbit.point), wanted, found, by, orbit.frequency)


def split_frequency(model: Any, by: Any) -> tuple[list[Parameter], bool]:
    """The parameters of the model, and True if the frequency is requested."""
    names = [by] if isinstance(by, str) else by
    swept = isinstance(names, (list, tuple)) and FREQUENCY in names
    others = [name for name in names if name != FREQUENCY] if swept else by
    return (parameters_of(model, others) if not swept or others else []), swept


def gradient_of(
    figure: str,
    value: Any,
    parameters: list[Parameter],
    found: FigureDerivatives,
    by: Any,
    frequency: float | None = None,
) -> Gradient:
    """The result, in the order of the request."""
    order = [by] if isinstance(by, str) else list(by)
    known = {each.name: each.value for each in parameters}
    if frequency is not None:
        known.setdefault(FREQUENCY, frequency)
    return Gradient(
        figure, value, {name: known[name] for name in order}, {name: found.values[name] for name in order},
        {name: found.errors[name] for name in order}, METHOD,
    )  # fmt: skip


def point_slopes(
    equations: OrbitEquations, figure: Figure, at: tuple[Array, float], wanted: list[Parameter], swept: bool
) -> FigureDerivatives:
    """Derivatives of a figure of the orbit with unknowns x at a constant p."""
    x, p = at
    value = figure._replace(here=float(equations.value(figure, None, 0.0, x, p)[0]))
    matrix, _ = equations.linearised(x, p)
    values: dict[str, float] = {}
    errors: dict[str, float] = {}
    for each in wanted:
        with naming(each.name):
            motion = equations.motion(each, x, p, matrix)
            own = equations.figure_along(value, motion, x, p, each)
        values[each.name], errors[each.name] = float(own.value[0]), own.error * abs(float(own.value[0]))
    if swept:
        with naming(FREQUENCY):
            motion = equations.motion(None, x, p, matrix)
            own = equations.figure_along(value, motion, x, p, None)
        values[FREQUENCY], errors[FREQUENCY] = float(own.value[0]), own.error * abs(float(own.value[0]))
    return FigureDerivatives(values, errors)


class naming:
    """Puts the name of a parameter before the message of a failure."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, failure: BaseException | None, trace: Any) -> None:
        if isinstance(failure, NotConverged):
            raise NotConverged(failure.message.wrapped(f"no derivative by {self.name}: "), advice=[]) from failure


def _equations(orbit: Orbit) -> OrbitEquations:
    """The equations of the orbit, in the family over the frequency that it belongs to."""
    model, method = orbit.model, orbit.stats.method
    models = ParametricModel(lambda _: model, orbit.frequency, None, same=True)
    problem = models.problem(orbit.frequency)
    subharmonic = subharmonic_index(orbit, problem)
    harmonics = None
    if method == "harmonic-balance":
        order = round(orbit.period * orbit.frequency / (2.0 * math.pi))
        harmonics = (orbit.point.harmonics.shape[0] - 1) // order
    return OrbitEquations(FamilyFactory(models, method, harmonics), subharmonic, own="")
