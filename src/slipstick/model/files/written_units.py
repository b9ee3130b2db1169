"""The units that a model file is written in: for display, and by parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.model import tolerances as tol
from slipstick.model.files.quantities import read_quantity
from slipstick.model.files.yaml_tree import parse_yaml
from slipstick.model.kind_inference import MotionKinds
from slipstick.model.named_parameter import FORCING_NAME
from slipstick.model.system import System
from slipstick.units.axes import DISPLAY_FACTORS
from slipstick.units.parser import to_si
from slipstick.units.scales import FREQUENCY_FACTORS, ModelUnits

_PHASES = ("phase",)  # angles that belong to no coordinate

TIME_FUNCTIONS = ("cosine", "sine", "fourier", "signal", "constant", "ramp")  # keys of functions of time


def units_of_document(data: Any, kinds: MotionKinds) -> ModelUnits:
    """The display units of a document: of each kind of motion the unit that it writes most, and its frequency's."""
    written = Counter(part for unit in _units_in(data) for part in _candidate_length_units(unit))
    chosen = {kind: max(known, key=lambda unit: written[unit]) for kind, known in DISPLAY_FACTORS.items()}

    coordinates, connections = (
        {name: chosen[kind] for name, kind in own.items() if kind in chosen} for own in kinds[:2]
    )
    base = data.get("frequency") if isinstance(data, dict) else None
    return ModelUnits(coordinates, connections, frequency_unit(base))


def _candidate_length_units(unit: str) -> Iterator[str]:
    """The unit itself, and the denominator of a stiffness: mm of N/mm.

    Dampers give none: N m s/rad is common beside N m/deg.
    """
    yield unit
    above, _, below = unit.partition("/")
    if below and "s" not in above.split():
        yield below.strip()


def frequency_unit(data: Any) -> str:
    """The unit that the frequencies in a part of a document are written in; nothing if in none, or in another."""
    return next((unit for unit in _units_in(data) if unit in FREQUENCY_FACTORS), "")


def _units_in(data: Any) -> Iterator[str]:
    """The unit of every quantity in a document."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in _PHASES:
                yield from _units_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from _units_in(value)
    elif isinstance(data, str):
        try:
            yield read_quantity(data).unit
        except InvalidInput:
            return


class WrittenUnits:
    """Units in which a text writes the parameters of its model.   model : read from this text."""

    def __init__(self, text: str, name: str, model: System) -> None:
        self._data, _ = parse_yaml(name, text)
        self._model = model

    def unit(self, name: str, value: float) -> str:
        """The unit of a parameter ("guide.limit"), whose value in SI is ``value``; empty if the text has none."""
        first, *rest = name.split(".")
        found = _node_at(self._owner(first), rest)
        if not isinstance(found, str):
            return ""
        try:
            quantity = read_quantity(found)
            known = abs(to_si(quantity.number, quantity.unit) - value) <= tol.SAME_NUMBER_REL * abs(value)
        except InvalidInput:
            return ""
        return quantity.unit if known else ""  # a scale lies between text and model

    def _owner(self, name: str) -> Any:
        """The data of a connection, else of a load, else of a coordinate."""
        data = self._data
        connections, loads = data.get("connections") or {}, data.get("loads") or []
        if name in connections:
            return connections[name]
        for own, load in zip(loads, self._model.loads, strict=False):
            if load.name == name or (name == FORCING_NAME and not load.name and load.function.parts().harmonics):
                return own
        return (data.get("coordinates") or {}).get(name)


def _node_at(node: Any, keys: Sequence[str]) -> Any:
    """The value at the keys of a parameter; terms of sums and numbers of lists go by their index."""
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
