"""One periodic response: ``periodic:``, with the arguments of `Model.periodic` as keys."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.model.files.schema import MaybeNumber, MaybeText, Shape
from slipstick.results.orbit import Orbit
from slipstick.study.frequencies import read_positive
from slipstick.study.kind import Kind, Section, Settings, whole
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


def run(model: Model, settings: Settings, _: Any) -> Orbit:
    """Find the orbit."""
    return model.periodic(**settings)


def check(model: Model, settings: Settings) -> None:
    """Everything that is checked before an orbit is looked for."""
    from slipstick.periodic.periodic import check

    check(model, **settings)


PERIODIC = Kind(
    name="periodic",
    description="one periodic response",
    example="periodic: {frequency: 12 Hz}",
    shape=Periodic,
    read=read,
    run=run,
    check=check,
)
