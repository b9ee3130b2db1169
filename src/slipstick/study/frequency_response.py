"""Periodic responses over frequency: ``frequency_response:``, with the arguments of `Model.frequency_response`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.model.files.schema import Flag
from slipstick.results.curve import Curve
from slipstick.study.frequency_values import FREQUENCIES, frequency_display_scale, record_unit, with_frequency_unit
from slipstick.study.orbit_options import OrbitOptions, read_orbit_options
from slipstick.study.plot_options import CURVE_PLOT
from slipstick.study.study_kind import Section, Settings, StudyKind, arguments, point_count_text, settings_text
from slipstick.study.value_ranges import read_between, read_list


class FrequencyResponseSection(OrbitOptions):
    """Periodic responses over frequency; the keys are the arguments of `Model.frequency_response`."""

    between: Any = Described(None, description="two frequencies to follow the curve between: [10 Hz, 40 Hz]")
    at: Any = Described(None, description="instead: just these, a list or {from: 10 Hz, to: 40 Hz, count: 61}")
    thorough: Flag | None = Described(None, description="true searches for branches that are not connected, too")


def read(part: FrequencyResponseSection, section: Section) -> None:
    """The arguments of `Model.frequency_response`, and the unit that frequencies are shown in."""
    if not section.has("between") and not section.has("at"):
        words = "between is missing: [10 Hz, 40 Hz] follows the curve; or at: [12 Hz, 15 Hz] for just these"
        section.findings.problem((section.name,), words)
    section.refuse_both("between", "at", "between follows the curve, at takes just these")
    section.put("between", part.between, partial(read_between, place=(section.name, "between"), of=FREQUENCIES))
    section.put("at", part.at, partial(read_list, place=(section.name, "at"), of=FREQUENCIES))
    read_orbit_options(part, section)
    section.put("thorough", part.thorough, bool)
    record_unit(part.between if part.at is None else part.at, section)


def run(model: Model, settings: Settings, progress: Callable[[int, float], Any] | None) -> Curve:
    """Follow the curve."""
    return with_frequency_unit(model, settings).frequency_response(**arguments(settings), progress=progress)


def check(model: Model, settings: Settings) -> None:
    """Everything that is checked before a curve is followed."""
    from slipstick.branch_search.thorough_response import check

    check(with_frequency_unit(model, settings), **arguments(settings))


def watched(settings: Settings, count: int, frequency: float) -> str:
    """Progress: ``57 points, 12.4 Hz``."""
    return f"{point_count_text(count)}, {frequency_display_scale(settings).words(frequency, 5)}"


def words(settings: Settings) -> str:
    """The request in words: ``between 10 and 40 Hz, method auto``."""
    return settings_text(settings, dict.fromkeys(("between", "at"), frequency_display_scale(settings)), "frequencies")


KIND = StudyKind(
    name="frequency_response",
    description="periodic responses over frequency",
    example="frequency_response: {between: [10 Hz, 40 Hz]}",
    shape=FrequencyResponseSection,
    read=read,
    run=run,
    check=check,
    watched=watched,
    begins="looking for the first orbit",
    words=words,
    drawn=CURVE_PLOT,
    title="frequency response",
)
