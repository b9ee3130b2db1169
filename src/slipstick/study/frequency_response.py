"""Periodic responses over frequency: ``frequency_response:``, with the arguments of `Model.frequency_response`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.model.files.schema import MaybeNumber, MaybeText, Shape
from slipstick.results.curve import Curve
from slipstick.study.drawing import CURVE
from slipstick.study.frequencies import arguments, note_unit, read_at, read_between, scale_of, thinking_in
from slipstick.study.kind import Kind, Section, Settings, whole
from slipstick.study.start import read_start


class FrequencyResponse(Shape):
    """Periodic responses over frequency; the keys are the arguments of `Model.frequency_response`."""

    between: Any = Described(None, description="two frequencies to follow the curve between: [10 Hz, 40 Hz]")
    at: Any = Described(None, description="instead: just these, a list or {from: 10 Hz, to: 40 Hz, count: 61}")
    method: MaybeText = Described(None, description="auto, shooting, harmonic-balance or integration")
    harmonics: MaybeNumber = Described(None, description="of harmonic balance; default 7")
    subharmonic: MaybeNumber = Described(None, description="periods of the loads in one of the response; default 1")
    start: MaybeText = Described(None, description="a file with an orbit to begin from, .nc")


def read(part: FrequencyResponse, section: Section) -> None:
    """The arguments of `Model.frequency_response`, and the unit that frequencies are shown in."""
    if not any((section.name, key) in section.findings.lines for key in ("between", "at")):
        words = "between is missing: [10 Hz, 40 Hz] follows the curve; or at: [12 Hz, 15 Hz] for just these"
        section.findings.problem((section.name,), words)
    if part.between is not None and part.at is not None:
        words = "between: and at: stand side by side; between follows the curve, at takes just these: leave one out"
        section.findings.problem((section.name, "at"), words)
    section.put("between", part.between, partial(read_between, place=(section.name, "between")))
    section.put("at", part.at, partial(read_at, place=(section.name, "at")))
    section.put("method", part.method, str)
    section.put("harmonics", part.harmonics, whole)
    section.put("subharmonic", part.subharmonic, whole)
    section.put("start", part.start, partial(read_start, beside=section.folder))
    note_unit(part.between if part.at is None else part.at, section)


def run(model: Model, settings: Settings, progress: Callable[[int, float], Any] | None) -> Curve:
    """Follow the curve."""
    return thinking_in(model, settings).frequency_response(**arguments(settings), progress=progress)


def check(model: Model, settings: Settings) -> None:
    """Everything that is checked before a curve is followed."""
    from slipstick.periodic.response import check

    check(model, **arguments(settings))


def watched(settings: Settings, count: int, frequency: float) -> str:
    """How far it is: ``57 points, 12.4 Hz``."""
    return f"{count} point{'' if count == 1 else 's'}, {scale_of(settings).words(frequency, 5)}"


def words(settings: Settings) -> str:
    """What is asked for: ``between 10 and 40 Hz, method auto``."""
    scale = scale_of(settings)
    told = []
    for key, value in arguments(settings).items():
        if key == "between":
            told.append(f"between {scale.factor * value[0]:.6g} and {scale.words(value[1])}")
        elif key == "at":
            ends = f"{scale.factor * value[0]:.6g} to {scale.words(value[-1])}"
            told.append(f"at {scale.words(value[0])}" if len(value) == 1 else f"at {len(value)} frequencies, {ends}")
        else:
            told.append(f"{key} {value}")
    return ", ".join(told)


FREQUENCY_RESPONSE = Kind(
    name="frequency_response",
    description="periodic responses over frequency",
    example="frequency_response: {between: [10 Hz, 40 Hz]}",
    shape=FrequencyResponse,
    read=read,
    run=run,
    check=check,
    watched=watched,
    words=words,
    drawn=CURVE,
    title="frequency response",
)
