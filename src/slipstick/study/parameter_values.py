"""A number of the model that a study names, such as guide.limit, and the units that its values may have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from slipstick.api import Model
from slipstick.laws.parameters import NUMBER
from slipstick.model.files.motion_kinds import ALL_KINDS, OpenKinds, describe_units, read_angle, read_frequency
from slipstick.model.files.quantities import Quantity
from slipstick.model.files.written_units import kind_of_unit
from slipstick.model.named_parameter import FORCING_NAME, FREQUENCY, PHASE, parameter_of
from slipstick.study.value_ranges import ValueSpec

READERS = {FREQUENCY: read_frequency, PHASE: read_angle}


def parameter_values_spec(model: Model, name: str) -> ValueSpec:
    """What the values of a parameter are, by its dimension and by the units of the model."""
    found = parameter_of(model, name)
    size = found.value or 1.0
    unit = parameter_si_unit(model, name)
    examples = tuple(f"{factor * size:.3g} {unit}".rstrip() for factor in (0.5, 2.0))
    if isinstance(found.dimension, str):
        return ValueSpec("value", "values", (examples[0], examples[1]), READERS[found.dimension])
    read = partial(_read, tuple(_kinds(model, name.split(".")[0])), found.dimension)
    return ValueSpec("value", "values", (examples[0], examples[1]), read)


def _read(kinds: tuple[str, ...], dimension: Any, quantity: Quantity) -> float:
    return OpenKinds(kinds).take("it", quantity, dimension)


def parameter_si_unit(model: Model, name: str) -> str:
    """The SI unit; nothing where the model does not tell whether it is of a translation or a rotation."""
    dimension = parameter_of(model, name).dimension
    if isinstance(dimension, str):
        return {FREQUENCY: "rad/s", PHASE: "rad"}[dimension]
    kinds = _kinds(model, name.split(".")[0])
    return describe_units(dimension, kinds) if len(kinds) == 1 and dimension != NUMBER else ""


def _kinds(model: Model, first: str) -> tuple[str, ...]:
    """Translation, rotation or stress, as far as the units of the model tell."""
    found = {kind_of_unit(unit) for unit in _displacement_units(model, first)}
    return tuple(kind for kind in ALL_KINDS if found == {kind}) or ALL_KINDS


def _displacement_units(model: Model, first: str) -> Iterator[str]:
    """Units of the displacements that a part of a model belongs to."""
    units = model.units
    for connection in model.connections:
        if connection.name == first:
            law = connection.law
            scaled = any((t.deflection, t.force) != (1.0, 1.0) for t in law.as_terms())
            yield "" if scaled else units.connections.get(first, "")
            return
    for load in model.loads:
        if load.name == first or (first == FORCING_NAME and load.function.parts().harmonics):
            yield from (units.coordinates.get(name, "") for name, factor in load.form.terms.items() if abs(factor) == 1)
            return
    yield units.coordinates.get(first, "")
