"""Frequencies in a study: one, a list of them, or {from: 10 Hz, to: 40 Hz, count: 61}.

The unit that they are written in is the one that the screen and the figure show them in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.model.files.display import frequency_unit
from slipstick.model.files.kinds import frequency
from slipstick.model.files.problems import Located, Path, kind_of
from slipstick.model.files.quantities import Quantity, read_quantity
from slipstick.results.units import Scale, frequency_scale
from slipstick.study.kind import Section, Settings, whole

MOST = 100_000  # frequencies of a list
SHOWN_IN = "unit"  # among the settings; no argument of the solver
_RANGE = ("from", "to", "count")


def read_between(value: Any, place: Path) -> tuple[float, float]:
    """Two frequencies [rad/s]: [10 Hz, 40 Hz], or {from: 10 Hz, to: 40 Hz}; ``place`` is where they stand."""
    if isinstance(value, dict):
        given = _range(value, place, ("from", "to"))
        return given["from"], given["to"]
    if not isinstance(value, list) or len(value) != 2:
        raise InvalidInput(f"must be two frequencies, such as [10 Hz, 40 Hz], got {kind_of(value)}")
    first, second = _each(value, place)
    return first, second


def read_at(value: Any, place: Path) -> list[float]:
    """Frequencies [rad/s]: one, a list, or {from, to, count}, equally spaced with both ends."""
    if isinstance(value, dict):
        given = _range(value, place, _RANGE)
        return [float(omega) for omega in np.linspace(given["from"], given["to"], given["count"])]
    return _each(value, place) if isinstance(value, list) else [read_positive(read_quantity(value))]


def read_positive(quantity: Quantity) -> float:
    """A frequency > 0 [rad/s]."""
    omega = frequency(quantity)
    if not omega > 0.0:
        raise InvalidInput(f"must be a frequency > 0, got {quantity.text}; begin a little above zero")
    return omega


# ---- the unit to show them in


def note_unit(value: Any, section: Section) -> None:
    """Keep the unit that some frequencies of the file are written in, if there is one."""
    written = {key: value[key] for key in value if key != "count"} if isinstance(value, dict) else value
    unit = frequency_unit(written)
    if unit:
        section.settings[SHOWN_IN] = unit


def scale_of(settings: Settings) -> Scale:
    """How frequencies are shown."""
    return frequency_scale(settings.get(SHOWN_IN, ""))


def arguments(settings: Settings) -> Settings:
    """The settings that a solver takes."""
    return {key: value for key, value in settings.items() if key != SHOWN_IN}


def thinking_in(model: Model, settings: Settings) -> Model:
    """A copy of a model whose results show frequencies in the unit of the study."""
    shown = model.snapshot()
    shown.units = shown.units._replace(frequency=settings.get(SHOWN_IN, shown.units.frequency))
    return shown


# ---- parts


def _each(values: list[Any], place: Path) -> list[float]:
    if not values:
        raise InvalidInput("is an empty list; give at least one frequency, such as [12 Hz]")
    if len(values) > MOST:
        raise InvalidInput(f"has {len(values)} frequencies; at most {MOST} are taken")
    return [_at(value, (*place, i)) for i, value in enumerate(values)]


def _at(value: Any, place: Path) -> float:
    """One frequency; what is wrong with it is told at its place."""
    try:
        return read_positive(read_quantity(value))
    except InvalidInput as error:
        raise Located(place, str(error)) from None


def _range(given: dict[Any, Any], place: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    example = "{" + ", ".join(f"{key}: {value}" for key, value in zip(keys, ("10 Hz", "40 Hz", "61"))) + "}"
    for key in given:
        if key not in keys:
            raise Located((*place, key), f"unknown key; write {example}")
    for key in keys:
        if key not in given:
            raise InvalidInput(f"{key} is missing; write {example}")
    found: dict[str, Any] = {key: _at(given[key], (*place, key)) for key in ("from", "to")}
    if "count" in keys:
        try:
            count = whole(read_quantity(given["count"]))
        except InvalidInput as error:
            raise Located((*place, "count"), str(error)) from None
        if not 2 <= count <= MOST:
            raise Located((*place, "count"), f"must be a whole number from 2 to {MOST}, got {count}")
        found["count"] = count
    return found
