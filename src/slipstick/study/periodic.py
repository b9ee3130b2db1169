"""One periodic response: ``periodic:``, with the arguments of `Model.periodic` as keys."""

from __future__ import annotations

from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.model.files.schema import MaybeNumber
from slipstick.results.orbit import Orbit
from slipstick.study.frequencies import note_unit, read_positive, scale_of, thinking_in
from slipstick.study.kind import Kind, Section, Settings, arguments, in_words
from slipstick.study.orbits import Orbits, read_orbits


class Periodic(Orbits):
    """One periodic response; the keys are the arguments of `Model.periodic`."""

    frequency: MaybeNumber = Described(None, description="base frequency instead of the model's: rad/s, Hz or rpm")


def read(part: Periodic, section: Section) -> None:
    """The arguments of `Model.periodic`."""
    section.put("frequency", part.frequency, read_positive)
    read_orbits(part, section)
    note_unit(part.frequency and part.frequency.text, section)


def run(model: Model, settings: Settings, _: Any) -> Orbit:
    """Find the orbit."""
    return thinking_in(model, settings).periodic(**arguments(settings))


def check(model: Model, settings: Settings) -> None:
    """Everything that is checked before an orbit is looked for."""
    from slipstick.periodic.periodic import check

    check(model, **arguments(settings))


def words(settings: Settings) -> str:
    """What is asked for: ``frequency 12 Hz, method auto``."""
    return in_words(settings, {"frequency": scale_of(settings)})


KIND = Kind(
    name="periodic",
    description="one periodic response",
    example="periodic: {frequency: 12 Hz}",
    shape=Periodic,
    read=read,
    run=run,
    check=check,
    begins="looking for the orbit",
    words=words,
    title="periodic response",
)
