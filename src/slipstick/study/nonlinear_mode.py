"""A mode over its amplitude: ``nonlinear_mode:``, with the arguments of `Model.nonlinear_mode` as keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.model.files.quantities import Quantity
from slipstick.model.files.schema import FilePart, MaybeNumber, MaybeText
from slipstick.model.files.unit_kinds import OpenKinds
from slipstick.results.nonlinear_mode import NonlinearMode
from slipstick.study.plot_options import MODE_PLOT
from slipstick.study.study_kind import (
    SCALE_KEY,
    Section,
    Settings,
    StudyKind,
    arguments,
    point_count_text,
    read_integer,
    settings_text,
)
from slipstick.study.value_ranges import ValueSpec, read_between, read_list, written_scale
from slipstick.units.axes import kind_of_unit
from slipstick.units.dimensions import COORDINATE_KINDS, DEFLECTION
from slipstick.units.parser import parse_unit, to_si
from slipstick.units.scales import Scale

MODAL_AMPLITUDE_UNIT = "kg^0.5 m"  # of the modal amplitude, the root of q' M q


class NonlinearModeSection(FilePart):
    """Frequency and damping of a mode over its amplitude; the keys are the arguments of `Model.nonlinear_mode`."""

    mode: MaybeNumber = Described(None, description="its number at the smallest amplitude, from 1; default 1")
    amplitudes: Any = Described(
        None, description="just these: a list, or {from: 0.1 mm, to: 10 mm, count: 30}; default: where the mode changes"
    )
    between: Any = Described(None, description="instead: two amplitudes to follow the mode between, around folds")
    coordinate: MaybeText = Described(None, description="whose amplitude it is; default: the modal amplitude")
    harmonics: MaybeNumber = Described(None, description="that are balanced; default 7")
    sustain: MaybeText = Described(None, description="first or all: the harmonics that are sustained; default first")
    norm: MaybeText = Described(None, description="first or all: the harmonics that amplitudes are of; default first")


def read(part: NonlinearModeSection, section: Section) -> None:
    """The arguments of `Model.nonlinear_mode`, and the unit that amplitudes are shown in."""
    section.put("mode", part.mode, read_integer)
    section.refuse_both("between", "amplitudes", "between follows the mode, amplitudes takes just these")
    of = _values(section.model, part.coordinate)
    section.put("amplitudes", part.amplitudes, partial(read_list, place=(section.name, "amplitudes"), of=of))
    section.put("between", part.between, partial(read_between, place=(section.name, "between"), of=of))
    section.put("coordinate", part.coordinate, str)
    section.put("harmonics", part.harmonics, read_integer)
    section.put("sustain", part.sustain, str)
    section.put("norm", part.norm, str)
    understood = [getattr(part, key) for key in ("amplitudes", "between") if key in section.settings]
    section.settings[SCALE_KEY] = written_scale(understood, Scale("" if part.coordinate else MODAL_AMPLITUDE_UNIT, 1.0))


def run(model: Model, settings: Settings, progress: Callable[[int, float], Any] | None) -> NonlinearMode:
    """Follow the mode; its amplitudes are shown in the unit of the study."""
    shown, name, unit = model.snapshot(), settings.get("coordinate"), settings[SCALE_KEY].unit
    if name and kind_of_unit(unit):
        shown.units = shown.units._replace(coordinates={**shown.units.coordinates, name: unit})
    return shown.nonlinear_mode(**arguments(settings), progress=progress)


def check(model: Model, settings: Settings) -> None:
    """Everything that is checked before a mode is followed."""
    from slipstick.periodic.modes.nonlinear_mode import check

    check(model, **arguments(settings))


def watched(settings: Settings, count: int, amplitude: float) -> str:
    """Progress: ``12 points, amplitude 0.5 mm``."""
    scale: Scale = settings[SCALE_KEY]
    return f"{point_count_text(count)}, amplitude {scale.words(amplitude, 4)}"


def words(settings: Settings) -> str:
    """The request in words: ``mode 1, between 0.1 and 10 mm, coordinate x``."""
    scale: Scale = settings[SCALE_KEY]
    return settings_text({"mode": 1, **settings}, {"amplitudes": scale, "between": scale}, "amplitudes")


# ---- amplitudes


def _values(model: Model | None, coordinate: str | None) -> ValueSpec:
    if coordinate is None:
        return ValueSpec("amplitude", "amplitudes", ("0.01", "1"), _modal, ratio=True)
    kind = kind_of_unit(model.units.coordinates.get(coordinate, "")) if model is not None else None
    examples = ("0.1 deg", "10 deg") if kind == "rotation" else ("0.1 mm", "10 mm")
    return ValueSpec(
        "amplitude", "amplitudes", examples, partial(_displacement, (kind,) if kind else COORDINATE_KINDS), ratio=True
    )


def _modal(quantity: Quantity) -> float:
    if quantity.unit and parse_unit(quantity.unit).exponents[:3] != (1.0, 0.5, 0.0):
        raise InvalidInput(
            f"is a modal amplitude, in {MODAL_AMPLITUDE_UNIT} or without unit, got {quantity.text}; "
            "coordinate: x makes it the displacement of x"
        )
    return _positive(quantity, to_si(quantity.number, quantity.unit))


def _displacement(kinds: tuple[str, ...], quantity: Quantity) -> float:
    return _positive(quantity, OpenKinds(kinds).take("an amplitude", quantity, DEFLECTION))


def _positive(quantity: Quantity, value: float) -> float:
    if not value > 0.0:
        raise InvalidInput(f"must be an amplitude > 0, got {quantity.text}; begin a little above zero")
    return value


KIND = StudyKind(
    name="nonlinear_mode",
    description="frequency and damping of a mode over its amplitude",
    example="nonlinear_mode: {mode: 1}",
    shape=NonlinearModeSection,
    read=read,
    run=run,
    check=check,
    watched=watched,
    begins="looking for the linear mode",
    words=words,
    drawn=MODE_PLOT,
    title="nonlinear mode",
)
