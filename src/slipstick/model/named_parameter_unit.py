"""The SI unit of a named parameter, from the display units of the model."""

from __future__ import annotations

from collections.abc import Iterator

from slipstick.laws.directions import stated_laws
from slipstick.model.named_parameter import FORCING_NAME, FREQUENCY, PHASE, parameter_of
from slipstick.model.system import System
from slipstick.units.axes import kind_of_unit
from slipstick.units.dimensions import ALL_KINDS, NUMBER, unit_name


def parameter_unit(system: System, name: str) -> str:
    """The SI unit of a parameter ("bearing.limit"); empty for plain numbers and unknown kinds of motion.

    A model that was built in Python does not say whether its coordinates are lengths or angles.
    """
    dimension = parameter_of(system, name).dimension
    if isinstance(dimension, str):
        return {FREQUENCY: "rad/s", PHASE: "rad"}[dimension]
    kinds = parameter_kinds(system, name)
    return unit_name(dimension, kinds[0]) if len(kinds) == 1 and dimension != NUMBER else ""


def parameter_kinds(system: System, name: str) -> tuple[str, ...]:
    """Kinds of motion that a parameter may belong to: one of them, or all if the model does not say."""
    found = {kind_of_unit(unit) for unit in _displacement_units(system, name.split(".")[0])}
    return tuple(kind for kind in ALL_KINDS if found == {kind}) or ALL_KINDS


def _displacement_units(system: System, owner: str) -> Iterator[str]:
    """Display units of the displacements that belong to a connection, a load or a coordinate."""
    units = system.units
    for each in stated_laws(system.connections):
        if each.name == owner:
            scaled = any((t.deflection, t.force) != (1.0, 1.0) for t in each.law.as_terms())
            yield "" if scaled else units.connections.get(system.connections[each.members[0]].name, "")
            return
    for load in system.loads:
        if load.name == owner or (owner == FORCING_NAME and load.function.parts().harmonics):
            yield from (units.coordinates.get(name, "") for name, factor in load.form.terms.items() if abs(factor) == 1)
            return
    yield units.coordinates.get(owner, "")
