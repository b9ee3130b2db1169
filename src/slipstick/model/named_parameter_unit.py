"""The unit in which a number of a model is counted, where the model's file tells lengths from angles."""

from __future__ import annotations

from slipstick.laws.parameters import NUMBER, Dimension, unit_name
from slipstick.model.named_parameter import FORCING_NAME, FREQUENCY, PHASE
from slipstick.model.system import System

ANGLE_UNITS = ("rad", "mrad", "deg")


def parameter_unit(system: System, name: str, dimension: Dimension | str) -> str:
    """The SI unit of the number of a name ("bearing.limit"); nothing where it has none, or it cannot be told.

    A model that was built in Python does not say whether its coordinates are lengths or angles.
    """
    if isinstance(dimension, str):
        return {FREQUENCY: "rad/s", PHASE: "rad"}.get(dimension, "")
    shown_in = _shown_in(system, name.split(".")[0])
    if dimension == NUMBER or not shown_in:
        return ""
    return unit_name(dimension, "rotation" if shown_in in ANGLE_UNITS else "translation")


def _shown_in(system: System, owner: str) -> str:
    """The unit of the deflection or displacement that belongs to a connection, a coordinate or a load."""
    units = system.units
    if owner in units.connections:
        return units.connections[owner]
    if owner in units.coordinates:
        return units.coordinates[owner]
    named = [load for load in system.loads if load.name == owner]
    if not named and owner == FORCING_NAME:
        named = [load for load in system.loads if load.function.parts().harmonics]
    kinds = {units.coordinates.get(name, "") for load in named for name in load.form.terms}
    return kinds.pop() if len(kinds) == 1 else ""
