"""A simulation over time: ``transient:``, with the arguments of `Model.simulate` as keys."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.model.files.file_problems import describe_value
from slipstick.model.files.quantities import Quantity, read_quantity
from slipstick.model.files.schema import FilePart, MaybeNumber, MaybeText, Number
from slipstick.model.files.unit_kinds import OpenKinds, read_frequency
from slipstick.results.run import Run
from slipstick.signals import Signal
from slipstick.study.study_kind import Section, Settings, StudyKind, read_unitless
from slipstick.transient.run_request import Progress
from slipstick.units.dimensions import TIME


class SpeedSection(FilePart):
    """A speed that goes from one value to another, and stays there."""

    begin: Number = Described(alias="from", description="speed at the start: rad/s, Hz or rpm")
    end: Number = Described(alias="to", description="speed at the end: rad/s, Hz or rpm")
    over: Number = Described(description="how long that takes: s, min")


class TransientSection(FilePart):
    """A simulation over time; the keys are the arguments of `Model.simulate`."""

    until: Number = Described(description="the end of the run: s, ms, min")
    start: MaybeNumber = Described(None, description="its beginning; default 0 s")
    frequency: MaybeNumber = Described(None, description="base frequency instead of the model's: rad/s, Hz or rpm")
    speed: SpeedSection | None = Described(None, description="a run-up instead of a frequency: from, to, over")
    method: MaybeText = Described(None, description="auto, exact, events, inclusion, newmark or taylor")
    step: MaybeNumber = Described(None, description="of methods with a fixed step: s, ms, us")
    tolerance: MaybeNumber = Described(None, description="relative, of methods that control their error")
    samples: Any = Described(None, description="how many, a list of times, or 0 for events and the end only")
    options: dict[str, Any] | None = Described(None, description="of the method, such as scheme: theta")


def read(part: TransientSection, section: Section) -> None:
    """The arguments of `Model.simulate`."""
    for key in ("until", "start", "step"):
        section.put(key, getattr(part, key), partial(_time, key))
    section.put("frequency", part.frequency, read_frequency)
    section.refuse_both("frequency", "speed", "a run-up has no fixed frequency")
    section.put("speed", part.speed, lambda value: _speed(value, section))
    section.put("tolerance", part.tolerance, read_unitless)
    section.put("method", part.method, str)
    section.put("samples", part.samples, lambda value: _samples(value, section))
    section.options(part.options, TransientSection)


def run(model: Model, settings: Settings, progress: Progress | None) -> Run:
    """Simulate."""
    return model.simulate(**settings, progress=progress)


def check(model: Model, settings: Settings) -> None:
    """Everything that is checked before a simulation starts."""
    from slipstick.transient.simulate import check

    check(model, **settings)


def _time(key: str, quantity: Quantity) -> float:
    return OpenKinds().take(key, quantity, TIME)


def _speed(given: SpeedSection, section: Section) -> Signal:
    over = _time("over", given.over)
    if over <= 0.0:
        raise InvalidInput(f"over must be > 0, got {given.over.text}")
    start = section.settings.get("start", 0.0)
    return Signal((start, start + over), (read_frequency(given.begin), read_frequency(given.end)))


def _samples(value: Any, section: Section) -> Any:
    if isinstance(value, list):
        times = []
        for i, item in enumerate(value):
            with section.findings.catch((section.name, "samples", i)):
                times.append(_time("samples", read_quantity(item)))
        return times
    if isinstance(value, dict):
        raise InvalidInput(f"must be a whole number or a list of times, got {describe_value(value)}")
    count = read_unitless(read_quantity(value))
    if count != int(count):
        raise InvalidInput(f"must be a whole number, a list of times, or 0, got {value}")
    return int(count)


KIND = StudyKind(
    name="transient",
    description="a simulation over time",
    example="transient: {until: 5 s}",
    shape=TransientSection,
    read=read,
    run=run,
    check=check,
    title="transient",
)
