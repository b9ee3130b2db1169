"""One periodic response: ``periodic:``, with the arguments of `Model.periodic` as keys."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.model.files.schema import MaybeNumber, MaybeText, Shape
from slipstick.results.orbit import Orbit
from slipstick.study.frequencies import arguments, note_unit, read_positive, scale_of, thinking_in
from slipstick.study.kind import Kind, Section, Settings, in_words, whole
from slipstick.study.start import read_start


class Periodic(Shape):
    """One periodic response; the keys are the arguments of `Model.periodic`."""

    frequency: MaybeNumber = Described(None, description="base frequency instead of the model's: rad/s, Hz or rpm")
    subharmonic: MaybeNumber = Described(None, description="periods of the loads in one of the response; default 1")
    method: MaybeText = Described(None, description="auto, shooting, harmonic-balance or integration")
    harmonics: MaybeNumber = Described(None, description="of harmonic balance; default 7")
    start: MaybeText = Described(None, description="a file with an orbit to begin from, .nc")


def read(part: Periodic, section: Section) -> None:
    """The arguments of `Model.periodic`."""
    section.put("frequency", part.frequency, read_positive)
    section.put("subharmonic", part.subharmonic, whole)
    section.put("method", part.method, str)
    section.put("harmonics", part.harmonics, whole)
    section.put("start", part.start, partial(read_start, beside=section.folder))
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
    told = arguments(settings)
    if "frequency" in told:
        told["frequency"] = scale_of(settings).words(told["frequency"])
    return in_words(told)


PERIODIC = Kind(
    name="periodic",
    description="one periodic response",
    example="periodic: {frequency: 12 Hz}",
    shape=Periodic,
    read=read,
    run=run,
    check=check,
    words=words,
    title="periodic response",
)
