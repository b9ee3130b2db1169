"""A mode over its amplitude: ``nonlinear_mode:``, with the arguments of `Model.nonlinear_mode` as keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.laws.parameters import DEFLECTION
from slipstick.model.files.display import kind_shown_in
from slipstick.model.files.kinds import MOVES, Kinds
from slipstick.model.files.quantities import Quantity
from slipstick.model.files.schema import MaybeNumber, MaybeText, Shape
from slipstick.model.files.units import in_si, read_unit
from slipstick.results.nonlinear_mode import NonlinearMode
from slipstick.results.units import Scale
from slipstick.study.drawing import MODE
from slipstick.study.kind import SCALE, Kind, Section, Settings, arguments, in_words, points, whole
from slipstick.study.ranges import Values, read_between, read_list, scale_of

MODAL = "kg^0.5 m"  # of the modal amplitude, the root of q' M q


class NonlinearModeOf(Shape):
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


def read(part: NonlinearModeOf, section: Section) -> None:
    """The arguments of `Model.nonlinear_mode`, and the unit that amplitudes are shown in."""
    section.put("mode", part.mode, whole)
    section.refuse_both("between", "amplitudes", "between follows the mode, amplitudes takes just these")
    of = _values(section.model, part.coordinate)
    section.put("amplitudes", part.amplitudes, partial(read_list, place=(section.name, "amplitudes"), of=of))
    section.put("between", part.between, partial(read_between, place=(section.name, "between"), of=of))
    section.put("coordinate", part.coordinate, str)
    section.put("harmonics", part.harmonics, whole)
    section.put("sustain", part.sustain, str)
    section.put("norm", part.norm, str)
    understood = [getattr(part, key) for key in ("amplitudes", "between") if key in section.settings]
    section.settings[SCALE] = scale_of(understood, Scale("" if part.coordinate else MODAL, 1.0))


def run(model: Model, settings: Settings, progress: Callable[[int, float], Any] | None) -> NonlinearMode:
    """Follow the mode; its amplitudes are shown in the unit of the study."""
    shown, name, unit = model.snapshot(), settings.get("coordinate"), settings[SCALE].unit
    if name and kind_shown_in(unit):
        shown.units = shown.units._replace(coordinates={**shown.units.coordinates, name: unit})
    return shown.nonlinear_mode(**arguments(settings), progress=progress)


def check(model: Model, settings: Settings) -> None:
    """Everything that is checked before a mode is followed."""
    from slipstick.periodic.modes.nonlinear_mode import check

    check(model, **arguments(settings))


def watched(settings: Settings, count: int, amplitude: float) -> str:
    """How far it is: ``12 points, amplitude 0.5 mm``."""
    scale: Scale = settings[SCALE]
    return f"{points(count)}, amplitude {scale.words(amplitude, 4)}"


def words(settings: Settings) -> str:
    """What is asked for: ``mode 1, between 0.1 and 10 mm, coordinate x``."""
    scale: Scale = settings[SCALE]
    return in_words({"mode": 1, **settings}, {"amplitudes": scale, "between": scale}, "amplitudes")


# ---- amplitudes


def _values(model: Model | None, coordinate: str | None) -> Values:
    if coordinate is None:
        return Values("amplitude", "amplitudes", ("0.01", "1"), _modal, ratio=True)
    kind = kind_shown_in(model.units.coordinates.get(coordinate, "")) if model is not None else None
    examples = ("0.1 deg", "10 deg") if kind == "rotation" else ("0.1 mm", "10 mm")
    return Values("amplitude", "amplitudes", examples, partial(_displacement, (kind,) if kind else MOVES), ratio=True)


def _modal(quantity: Quantity) -> float:
    if quantity.unit and read_unit(quantity.unit).exponents[:3] != (1.0, 0.5, 0.0):
        raise InvalidInput(
            f"is a modal amplitude, in {MODAL} or without unit, got {quantity.text}; "
            "coordinate: x makes it the displacement of x"
        )
    return _positive(quantity, in_si(quantity.number, quantity.unit))


def _displacement(kinds: tuple[str, ...], quantity: Quantity) -> float:
    return _positive(quantity, Kinds(kinds).take("an amplitude", quantity, DEFLECTION))


def _positive(quantity: Quantity, value: float) -> float:
    if not value > 0.0:
        raise InvalidInput(f"must be an amplitude > 0, got {quantity.text}; begin a little above zero")
    return value


KIND = Kind(
    name="nonlinear_mode",
    description="frequency and damping of a mode over its amplitude",
    example="nonlinear_mode: {mode: 1}",
    shape=NonlinearModeOf,
    read=read,
    run=run,
    check=check,
    watched=watched,
    begins="looking for the linear mode",
    words=words,
    drawn=MODE,
    title="nonlinear mode",
)
