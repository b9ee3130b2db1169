"""Frequencies in a study. The unit that they are written in is the one that the screen and the figure show them in."""

from __future__ import annotations

from typing import Any

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.model.files.quantities import Quantity
from slipstick.model.files.unit_kinds import read_frequency
from slipstick.model.files.written_units import frequency_unit
from slipstick.study.study_kind import UNIT_KEY, Section, Settings
from slipstick.study.value_ranges import ValueSpec
from slipstick.units.scales import Scale, frequency_scale


def read_positive_frequency(quantity: Quantity) -> float:
    """A frequency > 0 [rad/s]."""
    omega = read_frequency(quantity)
    if not omega > 0.0:
        raise InvalidInput(f"must be a frequency > 0, got {quantity.text}; begin a little above zero")
    return omega


FREQUENCIES = ValueSpec("frequency", "frequencies", ("10 Hz", "40 Hz"), read_positive_frequency)


# ---- the unit to show them in


def record_unit(value: Any, section: Section) -> None:
    """Keep the unit that some frequencies of the file are written in, if there is one."""
    written = {key: value[key] for key in value if key != "count"} if isinstance(value, dict) else value
    unit = frequency_unit(written)
    if unit:
        section.settings[UNIT_KEY] = unit


def frequency_display_scale(settings: Settings) -> Scale:
    """How frequencies are shown."""
    return frequency_scale(settings.get(UNIT_KEY, ""))


def with_frequency_unit(model: Model, settings: Settings) -> Model:
    """A copy of a model whose results show frequencies in the unit of the study."""
    shown = model.snapshot()
    shown.units = shown.units._replace(frequency=settings.get(UNIT_KEY, shown.units.frequency))
    return shown
