"""Elements of drivelines, ready to connect: gear pairs, shafts with play, bearings, a block on the ground (gear 2, 3).

psi, delta, gamma = (m.coordinate(name, inertia=1.0) for name in ("psi", "delta", "gamma"))
ss.elements.shaft(m, psi, delta, stiffness=1e3, half_gap=0.01, name="input shaft")
mesh = ss.elements.gear_pair(m, delta, gamma, radii=(0.05, 0.1), tooth_stiffness=1e7, half_gap=1e-5, name="mesh")
ss.elements.bearing(m, delta, limit=0.2, damping=0.01, name="bearing")
mesh.ratio, mesh.stiffness, mesh.half_gap       # 2, and values seen from the first wheel
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from slipstick.errors import InvalidInput, arguments_in_words, finite_float, short_repr
from slipstick.laws.friction import DryFriction
from slipstick.laws.piecewise_linear import spring_law
from slipstick.model.kind_inference import unscaled_names
from slipstick.model.linear_forms import Form
from slipstick.model.system import Connection, Coordinate, System
from slipstick.symbolic import is_symbolic, is_zero, may_be
from slipstick.units.dimensions import ROTATION, TRANSLATION


@dataclass(frozen=True)
class GearPair:
    """A pair of meshing wheels, as it was connected.

    connection : of the model, on the deflection delta - ratio * gamma.
    ratio : radius of the second wheel over that of the first; without play delta = ratio * gamma.
    stiffness, half_gap : as seen from the first wheel [N m/rad], [rad].
    stiffness_second, half_gap_second : as seen from the second.
    """

    connection: Connection
    ratio: Any
    stiffness: Any
    half_gap: Any
    stiffness_second: Any
    half_gap_second: Any


@arguments_in_words
def gear_pair(
    model: System,
    first: Coordinate,
    second: Coordinate,
    *,
    radii: tuple[Any, Any],
    tooth_stiffness: Any,
    half_gap: Any = 0.0,
    name: str | None = None,
) -> GearPair:
    """Connect two wheels through their teeth (gear 2.2).

    first, second : their angles, counted so that meshing wheels turn the same way: the second is minus its angle in
        space where both are outside wheels. A negative radius counts the second angle the other way.
    radii : of the pitch circles [m].   tooth_stiffness : of the pair of teeth, along the line of contact [N/m].
    half_gap : half of the total clearance between the teeth, along the same line [m].
    """
    if not isinstance(radii, (tuple, list)) or len(radii) != 2:
        raise InvalidInput(f"radii are two numbers, got {short_repr(radii)}", owner="gear_pair").about("radii")
    r1, r2 = (value if is_symbolic(value) else finite_float("a radius", value, "gear_pair") for value in radii)
    if is_zero(r1) or is_zero(r2) or not may_be(r1, ">", 0.0):
        raise InvalidInput(
            f"the first radius must be > 0 and the second other than 0, got {short_repr(r1)} and {short_repr(r2)}",
            owner="gear_pair",
        ).about("radii")
    k = _at_least_0("gear_pair", "tooth_stiffness", tooth_stiffness)
    a = _at_least_0("gear_pair", "half_gap", half_gap)
    stiffness, angle, ratio = r1 * r1 * k, a / r1, r2 / r1
    _refuse_out_of_range({"first radius^2 * tooth_stiffness": stiffness, "half_gap/first radius": angle})
    _refuse_out_of_range({"second radius/first radius": ratio, "second radius^2 * tooth_stiffness": r2 * r2 * k})
    connection = model.connect(first - ratio * second, spring_law(stiffness, angle), name=name)
    _declare_rotation(model, first, second)
    return GearPair(connection, ratio, stiffness, angle, r2 * r2 * k, a / abs(r2))


def _declare_rotation(model: System, *forms: Form) -> None:
    """Note that the coordinates of these forms are angles, unless they have a kind."""
    for name in (name for form in forms for name in unscaled_names(form)):
        if name not in model.units.coordinates:
            model[name].kind = ROTATION


def _at_least_0(owner: str, name: str, value: Any) -> Any:
    number = value if is_symbolic(value) else finite_float(name, value, owner)
    if not may_be(number, ">=", 0.0):
        raise InvalidInput("must be >= 0", owner=owner, subject=name, value=number, bound=">= 0")
    return number


def _refuse_out_of_range(made: dict[str, Any]) -> None:
    """Refuse derived values that overflow."""
    for what, value in made.items():
        if not is_symbolic(value) and not math.isfinite(value):
            words = f"{what} must be finite"
            way = "give lengths in metres, and stiffness in N/m"
            raise InvalidInput(words, owner="gear_pair", argument="radii", value=value, bound="finite", advice=[way])


@arguments_in_words
def shaft(
    model: System, first: Form, second: Form, *, stiffness: Any, half_gap: Any = 0.0, name: str | None = None
) -> Any:
    """Connect two bodies by an elastic shaft with play in its mounting (gear 2.3) [N m/rad], [rad]."""
    gap = _at_least_0("shaft", "half_gap", half_gap)
    connection = model.connect(first - second, spring_law(stiffness, gap), name=name)
    _declare_rotation(model, first, second)
    return connection


@arguments_in_words
def bearing(model: System, body: Form, *, limit: Any, damping: Any = 0.0, name: str | None = None) -> Any:
    """Hold a body by a bearing with dry and viscous friction against the fixed casing (gear 3.2) [N m], [N m s/rad]."""
    connection = model.connect(body, DryFriction(limit=limit, damping=damping), name=name)
    _declare_rotation(model, body)
    return connection


@arguments_in_words
def friction_block(
    model: System, name: str, *, mass: Any, limit: Any, damping: Any = 0.0, velocity: float = 0.0
) -> Coordinate:
    """Add a block that slides on the ground (gear 3.1) [kg], [N], [N s/m]; its friction is "<name> on ground"."""
    block = model.coordinate(name, inertia=mass, velocity=velocity, kind=TRANSLATION)
    model.connect(block, DryFriction(limit=limit, damping=damping), name=f"{name} on ground")
    return block
