"""The units for display: those in which the file is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.model.files.motion_kinds import ROTATION, TRANSLATION
from slipstick.model.files.quantities import read_quantity
from slipstick.units.scales import FREQUENCY_FACTORS, ModelUnits

# of a displacement, and the unit to show where the file says the kind but none of these
_DISPLAY_UNITS = {TRANSLATION: ("m", "cm", "mm", "um"), ROTATION: ("rad", "mrad", "deg")}
_PHASES = ("phase",)  # angles that are none of a coordinate

Kinds = Mapping[str, frozenset[str]]


def units_of_document(data: Any, coordinates: Kinds, connections: Kinds) -> ModelUnits:
    """The units of a document's displacements and deflections, whose kinds are known by name, and its frequency's."""
    written = Counter(part for unit in _units_in(data) for part in _candidate_length_units(unit))
    chosen = {kind: max(known, key=lambda unit: written[unit]) for kind, known in _DISPLAY_UNITS.items()}

    def shown_in(kinds: Kinds) -> dict[str, str]:
        only = {name: next(iter(own)) for name, own in kinds.items() if len(own) == 1}
        return {name: chosen[kind] for name, kind in only.items() if kind in chosen}

    base = data.get("frequency") if isinstance(data, dict) else None
    return ModelUnits(shown_in(coordinates), shown_in(connections), frequency_unit(base))


def _candidate_length_units(unit: str) -> Iterator[str]:
    """The unit itself; of a spring's, N/mm, what it is divided by: who writes that thinks in mm.

    Of a damper's nothing: N m s/rad is written beside N m/deg too.
    """
    yield unit
    above, _, below = unit.partition("/")
    if below and "s" not in above.split():
        yield below.strip()


def frequency_unit(data: Any) -> str:
    """The unit that the frequencies in a part of a document are written in; nothing if in none, or in another."""
    return next((unit for unit in _units_in(data) if unit in FREQUENCY_FACTORS), "")


def kind_of_unit(unit: str) -> str | None:
    """Translation or rotation, by the unit that a displacement is shown in; None where it tells nothing."""
    return next((kind for kind, known in _DISPLAY_UNITS.items() if unit in known), None)


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
