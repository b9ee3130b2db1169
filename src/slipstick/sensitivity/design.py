"""Models that a function builds from design values: derivatives by the chain rule over the model's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.calibration.unknowns import START_STATE, value_of, with_parameters
from slipstick.errors import InvalidInput, short_repr
from slipstick.model.named_parameter import parameter_names
from slipstick.model.system import System
from slipstick.results.run import Run
from slipstick.sensitivity.gradient import gradient
from slipstick.sensitivity.richardson import derivative

PROBE = 1e-3  # of a design value: the change that shows which numbers of the model depend on it


class DesignModel:
    """build : from a dict of values to a model."""

    def __init__(self, build: Callable[[dict[str, float]], Any]) -> None:
        self.build = build

    def model(self, values: dict[str, float]) -> Any:
        found = self.build(dict(values))
        if not isinstance(found, System):
            raise InvalidInput(f"build must return a Model, got {short_repr(found)}").about("model_or_build")
        return found

    def slopes(self, result: Any, figure: str, values: dict[str, float]) -> tuple[Any, Array]:
        """The figure, and its derivatives by the design values, in their order."""
        here = self.model(values)
        changed = {name: self._changed(here, name, values, isinstance(result, Run)) for name in values}
        names = sorted({each for own in changed.values() for each in own})
        if not names:
            raise InvalidInput(f"the model does not depend on {', '.join(values)}").about("over")
        found = gradient(result, figure, names)
        slopes = []
        for name, value in values.items():
            own = changed[name]
            numbers = np.array([value_of(here, each) for each in own])

            def at(s: float, name: str = name, value: float = value, own: list[str] = own) -> Array:
                model = self.model({**values, name: value + s})
                return np.array([value_of(model, each) for each in own])

            by = derivative(at, numbers, abs(value) or 1.0).value if own else np.zeros(0)
            slopes.append(sum(found[each] * slope for each, slope in zip(own, by.tolist(), strict=True)))
        return found.value, np.array(slopes, dtype=float)

    def _changed(self, here: Any, name: str, values: dict[str, float], starts: bool) -> list[str]:
        """Names of the numbers of the model that a design value changes; refuses others without a name."""
        step = PROBE * (abs(values[name]) or 1.0)
        other = self.model({**values, name: values[name] + step})
        names = parameter_names(here)
        if starts:
            names = [*names, *(f"{c.name}.{key}" for c in here.coordinates if c.motion is None for key in START_STATE)]
        if parameter_names(other) != parameter_names(here):
            raise InvalidInput(f"the parts of the model depend on {name}").about("model_or_build")
        own = [each for each in names if value_of(other, each) != value_of(here, each)]
        if not _alike(with_parameters(here, {each: value_of(other, each) for each in own}), other):
            words = f"{name} changes something of the model that has no name of its own, such as a matrix"
            raise InvalidInput(words, advice=["name all loads and connections"]).about("model_or_build")
        return own


def _alike(one: System, other: System) -> bool:
    """True if two models have the same numbers."""
    pairs = ((one.coordinates, other.coordinates), (one.connections, other.connections), (one.loads, other.loads))
    if any(len(a) != len(b) for a, b in pairs) or (one.matrices is None) != (other.matrices is None):
        return False
    same = all(
        (a.name, a.inertia, a.motion) == (b.name, b.inertia, b.motion)
        for a, b in zip(one.coordinates, other.coordinates, strict=True)
    )
    laws = all(
        (a.name, a.law, a.deflection, a.along) == (b.name, b.law, b.deflection, b.along)
        for a, b in zip(one.connections, other.connections, strict=True)
    )
    loads = all(a.function == b.function for a, b in zip(one.loads, other.loads, strict=True))
    return same and laws and loads and (one.matrices is other.matrices or one.matrices == other.matrices)
