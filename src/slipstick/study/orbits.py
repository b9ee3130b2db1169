"""What studies of periodic responses have in common: how orbits are found, and the one to begin from."""

from __future__ import annotations

from functools import partial

from pydantic import Field as Described

from slipstick.model.files.schema import MaybeNumber, MaybeText, Shape
from slipstick.study.kind import CALLED, Section, whole
from slipstick.study.start import read_start


class Orbits(Shape):
    """The keys by which orbits are found."""

    method: MaybeText = Described(None, description="auto, shooting, harmonic-balance or integration")
    harmonics: MaybeNumber = Described(None, description="of harmonic balance; default 7")
    subharmonic: MaybeNumber = Described(None, description="periods of the loads in one of the response; default 1")
    start: MaybeText = Described(None, description="a file with an orbit to begin from, .nc")


def read_orbits(part: Orbits, section: Section) -> None:
    """The arguments that `Model.periodic`, `Model.frequency_response` and `Model.follow` share."""
    section.put("method", part.method, str)
    section.put("harmonics", part.harmonics, whole)
    section.put("subharmonic", part.subharmonic, whole)
    section.put("start", part.start, partial(read_start, beside=section.folder))
    if "start" in section.settings:
        section.settings[CALLED] = {"start": part.start}
