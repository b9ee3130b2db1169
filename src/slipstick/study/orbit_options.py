"""What studies of periodic responses have in common: how orbits are found, and the one to begin from."""

from __future__ import annotations

from functools import partial

from pydantic import Field as Described

from slipstick.model.files.schema import FilePart, MaybeNumber, MaybeText
from slipstick.study.saved_results import read_start_orbit
from slipstick.study.study_kind import LABEL_KEY, Section, read_integer


class OrbitOptions(FilePart):
    """The keys by which orbits are found."""

    method: MaybeText = Described(None, description="auto, shooting, harmonic-balance or integration")
    harmonics: MaybeNumber = Described(None, description="of harmonic balance; default 7")
    subharmonic: MaybeNumber = Described(None, description="periods of the loads in one of the response; default 1")
    start: MaybeText = Described(None, description="a file with an orbit to begin from, .nc")


def read_orbit_options(part: OrbitOptions, section: Section) -> None:
    """The arguments that `Model.periodic`, `Model.frequency_response` and `Model.follow` share."""
    section.put("method", part.method, str)
    section.put("harmonics", part.harmonics, read_integer)
    section.put("subharmonic", part.subharmonic, read_integer)
    section.put("start", part.start, partial(read_start_orbit, beside=section.folder))
    if "start" in section.settings:
        section.settings[LABEL_KEY] = {"start": part.start}
