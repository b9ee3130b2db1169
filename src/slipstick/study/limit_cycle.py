"""A limit cycle: ``limit_cycle:``, found from a run of the model or from a saved orbit."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.model.files.quantities import Quantity
from slipstick.model.files.schema import FilePart, MaybeNumber, MaybeText
from slipstick.model.files.unit_kinds import OpenKinds
from slipstick.results.orbit import Orbit
from slipstick.study.saved_results import read_start_orbit
from slipstick.study.study_kind import LABEL_KEY, Section, Settings, StudyKind, arguments, read_integer
from slipstick.units.dimensions import TIME

RUN_SAMPLES = 20_000


class LimitCycleSection(FilePart):
    """Motion without forcing, whose period is an unknown; the keys are those of `Model.limit_cycle`."""

    until: MaybeNumber = Described(None, description="the end of the run that settles to the motion: s, ms, min")
    start: MaybeText = Described(None, description="instead of a run: a file with an orbit near it, .nc")
    method: MaybeText = Described(None, description="auto, shooting or harmonic-balance")
    harmonics: MaybeNumber = Described(None, description="of harmonic balance; default 15")


def read(part: LimitCycleSection, section: Section) -> None:
    """The arguments of `Model.limit_cycle`, and the length of the run before it."""
    section.refuse_both("until", "start", "a limit cycle begins with a run or an orbit")
    section.put("until", part.until, _time)
    section.put("method", part.method, str)
    section.put("harmonics", part.harmonics, read_integer)
    section.put("start", part.start, partial(read_start_orbit, beside=section.folder))
    if "start" in section.settings:
        section.settings[LABEL_KEY] = {"start": part.start}
    elif not section.has("until") and not section.has("start"):
        section.findings.problem((section.name,), "needs until:, the end of a run that settles, such as until: 60 s")


def run(model: Model, settings: Settings, _: Any) -> Orbit:
    """Run until the motion has settled, then find it exactly."""
    given = arguments(settings)
    until = given.pop("until", None)
    start = given.pop("start", None)
    if start is None:
        start = model.simulate(until, samples=RUN_SAMPLES)
    return model.limit_cycle(start, **given)


def check(model: Model, _: Settings) -> None:
    """Refuse models that are forced."""
    from slipstick.periodic.cycles.self_excitation import refuse_time_dependence

    refuse_time_dependence(model)


def _time(quantity: Quantity) -> float:
    value = OpenKinds().take("until", quantity, TIME)
    if not value > 0.0:
        raise InvalidInput(f"until must be > 0, got {quantity.text}")
    return value


KIND = StudyKind(
    name="limit_cycle",
    description="a motion that the model keeps up without forcing",
    example="limit_cycle: {until: 20 s}",
    shape=LimitCycleSection,
    read=read,
    run=run,
    check=check,
    begins="looking for the limit cycle",
    title="limit cycle",
)
