"""A number of the model that a study names, such as guide.limit, and the units that its values may have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from slipstick.api import Model
from slipstick.laws.combine import Combination
from slipstick.laws.parameters import NUMBER
from slipstick.model.files.display import kind_shown_in
from slipstick.model.files.kinds import ALL, Kinds, angle, frequency, units_wanted
from slipstick.model.files.quantities import Quantity
from slipstick.model.parameter import FORCING, FREQUENCY, PHASE, parameter_of
from slipstick.study.ranges import Values

READ = {FREQUENCY: frequency, PHASE: angle}


def values_of(model: Model, name: str) -> Values:
    """What the values of a parameter are, by its dimension and by the units of the model."""
    found = parameter_of(model, name)
    size = found.value or 1.0
    unit = unit_of(model, name)
    examples = tuple(f"{factor * size:.3g} {unit}".rstrip() for factor in (0.5, 2.0))
    if isinstance(found.dimension, str):
        return Values("value", "values", (examples[0], examples[1]), READ[found.dimension])
    read = partial(_read, tuple(_kinds(model, name.split(".")[0])), found.dimension)
    return Values("value", "values", (examples[0], examples[1]), read)


def _read(kinds: tuple[str, ...], dimension: Any, quantity: Quantity) -> float:
    return Kinds(kinds).take("it", quantity, dimension)


def unit_of(model: Model, name: str) -> str:
    """The SI unit; nothing where the model does not tell whether it is of a translation or a rotation."""
    dimension = parameter_of(model, name).dimension
    if isinstance(dimension, str):
        return {FREQUENCY: "rad/s", PHASE: "rad"}[dimension]
    kinds = _kinds(model, name.split(".")[0])
    return units_wanted(dimension, kinds) if len(kinds) == 1 and dimension != NUMBER else ""


def _kinds(model: Model, first: str) -> tuple[str, ...]:
    """Translation, rotation or stress, as far as the units of the model tell."""
    found = {kind_shown_in(unit) for unit in _moves(model, first)}
    return tuple(kind for kind in ALL if found == {kind}) or ALL


def _moves(model: Model, first: str) -> Iterator[str]:
    """Units of the displacements that a part of a model belongs to."""
    units = model.units
    for connection in model.connections:
        if connection.name == first:
            law = connection.law
            scaled = isinstance(law, Combination) and any((t.deflection, t.force) != (1.0, 1.0) for t in law.terms)
            yield "" if scaled else units.connections.get(first, "")
            return
    for load in model.loads:
        if load.name == first or (first == FORCING and load.function.parts().harmonics):
            yield from (units.coordinates.get(name, "") for name, factor in load.form.terms.items() if abs(factor) == 1)
            return
    yield units.coordinates.get(first, "")
