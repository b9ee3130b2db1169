"""The limit cycle of a model from a Hopf point of a curve of equilibria, at the model's own value of the parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from slipstick.errors import Advice, InvalidInput, NotConverged
from slipstick.model.named_parameter import parameter_of
from slipstick.periodic.cycles.parametric_problem import UNNAMED_PARAMETER
from slipstick.periodic.equilibria.follow_equilibria import follow_equilibria
from slipstick.results.curve import Curve
from slipstick.results.equilibrium_curve import HOPF
from slipstick.results.orbit import Orbit

if TYPE_CHECKING:
    from slipstick.model.system import System

BEYOND_REL = 0.05  # of the way from the model's value to the Hopf point: the range goes so far beyond that
SAME_POINT_REL = 1e-3  # of the Hopf point's value: a model so near to it has a cycle of hardly any size
WAY = Advice("give one of the special points of {equilibria} with the kind hopf", equilibria="m.equilibria(...)")


def is_special(start: Any) -> bool:
    """True for a special point of a curve, as far as its form tells."""
    return isinstance(start, Mapping) and {"kind", "parameter"} <= start.keys()


def cycle_from_hopf(system: System, special: Mapping[str, Any]) -> Orbit:
    """The limit cycle at the model's own value of the parameter, followed from the Hopf point."""
    if special["kind"] != HOPF or "over" not in special:
        raise InvalidInput(
            f"limit cycles begin at a hopf point, not at a {special['kind']}", argument="start", advice=[WAY]
        )
    name, hopf = str(special["over"]), float(special["parameter"])
    if name == UNNAMED_PARAMETER:
        raise InvalidInput(
            "this Hopf point is of models that a function made; curve.switch gives its limit cycles"
        ).about("start")
    own = parameter_of(system.snapshot(), name).value
    if abs(own - hopf) <= SAME_POINT_REL * abs(hopf):
        raise InvalidInput(
            f"the model has {name} = {own:g}, the value of the Hopf point, where the limit cycle has no size",
            argument="start",
            advice=[f"set {name} to where the cycle is wanted"],
        )
    followed = follow_equilibria(system, name, (own, hopf + BEYOND_REL * (hopf - own)))
    points = [each for each in followed.special if each["kind"] == HOPF]
    if not points:
        raise NotConverged(f"the Hopf point at {name} = {hopf:.6g} was not found again from {own:g}")
    nearest = min(points, key=lambda each: abs(each["parameter"] - hopf))
    return _at(followed.switch(nearest), own, name)


def _at(cycles: Curve, value: float, name: str) -> Orbit:
    """The cycle at a value of the parameter."""
    ends = [k for k, point in enumerate(cycles.points) if point.p == value]
    if not ends:
        last = cycles.points[-1].p
        raise NotConverged(
            f"the limit cycles from the Hopf point exist up to {name} = {last:.6g} on this branch, not at {value:g}",
            advice=["curve.switch shows the branch"],
        )
    return cycles.orbit(ends[-1])
