"""Values of a named parameter in a study, such as guide.limit, and the units that they may have."""

from __future__ import annotations

from functools import partial
from typing import Any

from slipstick.api import Model
from slipstick.model.files.quantities import Quantity
from slipstick.model.files.unit_kinds import OpenKinds, read_angle, read_frequency
from slipstick.model.named_parameter import FREQUENCY, PHASE, parameter_of
from slipstick.model.named_parameter_unit import parameter_kinds, parameter_unit
from slipstick.study.value_ranges import ValueSpec

READERS = {FREQUENCY: read_frequency, PHASE: read_angle}


def parameter_values_spec(model: Model, name: str) -> ValueSpec:
    """How the values of a parameter are read, by its dimension and the units of the model."""
    found = parameter_of(model, name)
    size = found.value or 1.0
    unit = parameter_unit(model, name)
    examples = tuple(f"{factor * size:.3g} {unit}".rstrip() for factor in (0.5, 2.0))
    if isinstance(found.dimension, str):
        return ValueSpec("value", "values", (examples[0], examples[1]), READERS[found.dimension])
    read = partial(_read, parameter_kinds(model, name), found.dimension)
    return ValueSpec("value", "values", (examples[0], examples[1]), read)


def _read(kinds: tuple[str, ...], dimension: Any, quantity: Quantity) -> float:
    return OpenKinds(kinds).take("it", quantity, dimension)
