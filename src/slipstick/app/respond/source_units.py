"""The unit in which the text of a model writes a number of it: who wrote 25 N/mm turns a knob in N/mm."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput

if TYPE_CHECKING:
    from slipstick.api import Model

TIME_FUNCTIONS = ("cosine", "sine", "fourier", "signal", "constant", "ramp")  # keys of functions of time
SAME_NUMBER_REL = 1e-12  # part of a number


class SourceUnits:
    """What a text says of its numbers.   model : that was read from it."""

    def __init__(self, text: str, name: str, model: Model) -> None:
        from slipstick.model.files.yaml_tree import parse_yaml

        self._data, _ = parse_yaml(name, text)
        self._model = model

    def unit(self, name: str, value: float) -> str:
        """Of the number of a name ("guide.limit"), which is ``value`` in SI; nothing where the text does not say it."""
        from slipstick.model.files.quantities import read_quantity

        first, *rest = name.split(".")
        found = _node_at(self._owner(first), rest)
        if not isinstance(found, str):
            return ""
        try:
            quantity = read_quantity(found)
            known = abs(value_in_si(quantity.number, quantity.unit) - value) <= SAME_NUMBER_REL * abs(value)
        except InvalidInput:
            return ""
        return quantity.unit if known else ""  # the number is not what stands there: a scale lies between

    def _owner(self, name: str) -> Any:
        """The part of the text that has the first word of a name: a connection before a load before a coordinate."""
        from slipstick.model.named_parameter import FORCING_NAME

        data = self._data
        connections, loads = data.get("connections") or {}, data.get("loads") or []
        if name in connections:
            return connections[name]
        for own, load in zip(loads, self._model.loads, strict=False):
            if load.name == name or (name == FORCING_NAME and not load.name and load.function.parts().harmonics):
                return own
        return (data.get("coordinates") or {}).get(name)


def _node_at(node: Any, keys: Sequence[str]) -> Any:
    """What keys lead to in a part of a text; terms of sums and numbers of lists go by their place."""
    inner = node.get("sum", node) if isinstance(node, dict) else node
    if not keys:
        return inner
    key = keys[0]
    if isinstance(inner, list):
        return _node_at(inner[int(key)], keys[1:]) if key.isdigit() and int(key) < len(inner) else None
    if not isinstance(inner, dict):
        return inner if len(keys) == 1 else None  # constant: 5 N, whose number has a name of its own
    if key in inner:
        return _node_at(inner[key], keys[1:])
    own = [each for each in TIME_FUNCTIONS if each in inner]
    return _node_at(inner[own[0]], keys) if len(own) == 1 else None


def value_in_si(value: Fraction, unit: str) -> float:
    """A number in SI."""
    from slipstick.model.files.unit_parser import to_si as read

    return read(value, unit)


def value_in_unit(value: float, unit: str) -> float:
    """A number in SI as it stands before its unit, with as few digits as say it exactly."""
    from slipstick.model.files.author_units import shortest_exact

    return float(shortest_exact(value, unit) or value / value_in_si(Fraction(1), unit)) if unit else value
