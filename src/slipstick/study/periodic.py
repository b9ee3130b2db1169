"""One periodic response: ``periodic:``, with the arguments of `Model.periodic` as keys."""

from __future__ import annotations

from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.model.files.schema import MaybeNumber
from slipstick.results.orbit import Orbit
from slipstick.study.frequency_values import (
    frequency_display_scale,
    read_positive_frequency,
    record_unit,
    with_frequency_unit,
)
from slipstick.study.orbit_options import OrbitOptions, read_orbit_options
from slipstick.study.study_kind import Section, Settings, StudyKind, arguments, settings_text


class PeriodicSection(OrbitOptions):
    """One periodic response; the keys are the arguments of `Model.periodic`."""

    frequency: MaybeNumber = Described(None, description="base frequency instead of the model's: rad/s, Hz or rpm")


def read(part: PeriodicSection, section: Section) -> None:
    """The arguments of `Model.periodic`."""
    section.put("frequency", part.frequency, read_positive_frequency)
    read_orbit_options(part, section)
    record_unit(part.frequency and part.frequency.text, section)


def run(model: Model, settings: Settings, _: Any) -> Orbit:
    """Find the orbit."""
    return with_frequency_unit(model, settings).periodic(**arguments(settings))


def check(model: Model, settings: Settings) -> None:
    """Everything that is checked before an orbit is looked for."""
    from slipstick.periodic.orbit import check

    check(model, **arguments(settings))


def words(settings: Settings) -> str:
    """The request in words: ``frequency 12 Hz, method auto``."""
    return settings_text(settings, {"frequency": frequency_display_scale(settings)})


KIND = StudyKind(
    name="periodic",
    description="one periodic response",
    example="periodic: {frequency: 12 Hz}",
    shape=PeriodicSection,
    read=read,
    run=run,
    check=check,
    begins="looking for the orbit",
    words=words,
    title="periodic response",
)
