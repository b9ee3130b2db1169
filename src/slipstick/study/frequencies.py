"""Frequencies in a study. The unit that they are written in is the one that the screen and the figure show them in."""

from __future__ import annotations

from typing import Any

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.model.files.display import frequency_unit
from slipstick.model.files.kinds import frequency
from slipstick.model.files.quantities import Quantity
from slipstick.results.units import Scale, frequency_scale
from slipstick.study.kind import SHOWN_IN, Section, Settings
from slipstick.study.ranges import Values


def read_positive(quantity: Quantity) -> float:
    """A frequency > 0 [rad/s]."""
    omega = frequency(quantity)
    if not omega > 0.0:
        raise InvalidInput(f"must be a frequency > 0, got {quantity.text}; begin a little above zero")
    return omega


FREQUENCIES = Values("frequency", "frequencies", ("10 Hz", "40 Hz"), read_positive)


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


def thinking_in(model: Model, settings: Settings) -> Model:
    """A copy of a model whose results show frequencies in the unit of the study."""
    shown = model.snapshot()
    shown.units = shown.units._replace(frequency=settings.get(SHOWN_IN, shown.units.frequency))
    return shown
