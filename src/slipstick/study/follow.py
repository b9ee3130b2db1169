"""Periodic responses over a number of the model: ``follow:``, with the arguments of `Model.follow` as keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.model.files.schema import MaybeNumber, Text
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.results.curve import Curve
from slipstick.study.frequency_values import frequency_display_scale as frequency_scale_of
from slipstick.study.frequency_values import read_positive_frequency, record_unit, with_frequency_unit
from slipstick.study.orbit_options import OrbitOptions, read_orbit_options
from slipstick.study.parameter_values import parameter_values_spec
from slipstick.study.plot_options import PARAMETER_CURVE_PLOT
from slipstick.study.study_kind import (
    SCALE_KEY,
    Section,
    Settings,
    StudyKind,
    arguments,
    point_count_text,
    settings_text,
)
from slipstick.study.value_ranges import read_between, written_scale
from slipstick.units.scales import Scale


class FollowSection(OrbitOptions):
    """Periodic responses over a number of the model; the keys are the arguments of `Model.follow`."""

    parameter: Text = Described(description="a number of the model by name: guide.limit, forcing.amplitude, x.inertia")
    between: Any = Described(description="two values to follow the curve between, such as [1 N, 10 N]")
    frequency: MaybeNumber = Described(None, description="base frequency instead of the model's: rad/s, Hz or rpm")


def read(part: FollowSection, section: Section) -> None:
    """The arguments of `Model.follow`, and the units that values and frequencies are shown in."""
    section.put("parameter", part.parameter, partial(_known, section.model))
    if section.model is not None and "parameter" in section.settings:
        values = parameter_values_spec(section.model, part.parameter)
        section.put("between", part.between, partial(read_between, place=(section.name, "between"), of=values))
        if "between" in section.settings:
            section.settings[SCALE_KEY] = written_scale(
                part.between, Scale(parameter_unit(section.model, part.parameter), 1.0)
            )
    section.put("frequency", part.frequency, read_positive_frequency)
    read_orbit_options(part, section)
    record_unit(part.frequency and part.frequency.text, section)


def _known(model: Model | None, name: str) -> str:
    """The name of a parameter that the model has."""
    if name == "frequency":
        raise InvalidInput("the frequency is followed by a study with frequency_response: {between: [10 Hz, 40 Hz]}")
    if model is not None:
        parameter_values_spec(model, name)
    return name


def run(model: Model, settings: Settings, progress: Callable[[int, float], Any] | None) -> Curve:
    """Follow the curve."""
    shown = with_frequency_unit(model, settings)
    shown.units = shown.units._replace(parameter=settings[SCALE_KEY])
    return shown.follow(**arguments(settings), progress=progress)


def check(model: Model, settings: Settings) -> None:
    """Everything that is checked before a curve is followed."""
    from slipstick.periodic.response import check_over_parameter

    check_over_parameter(with_frequency_unit(model, settings), **arguments(settings))


def watched(settings: Settings, count: int, value: float) -> str:
    """Progress: ``57 points, guide.limit 3.2 N``."""
    scale: Scale = settings[SCALE_KEY]
    return f"{point_count_text(count)}, {settings['parameter']} {scale.words(value, 5)}"


def words(settings: Settings) -> str:
    """The request in words: ``parameter guide.limit, between 1 and 10 N, frequency 12 Hz``."""
    return settings_text(settings, {"between": settings[SCALE_KEY], "frequency": frequency_scale_of(settings)})


KIND = StudyKind(
    name="follow",
    description="periodic responses over a number of the model",
    example="follow: {parameter: guide.limit, between: [1 N, 10 N], frequency: 12 Hz}",
    shape=FollowSection,
    read=read,
    run=run,
    check=check,
    watched=watched,
    begins="looking for the first orbit",
    words=words,
    drawn=PARAMETER_CURVE_PLOT,
    title="periodic response",
)
