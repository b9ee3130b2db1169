"""Settings that are kept for comparison, each with a name and a colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import NamedTuple

from slipstick.app.respond.display_data import CurveDisplay, RunDisplay
from slipstick.app.respond.model_parameters import ModelParameter
from slipstick.app.respond.response_results import CurveResult, RunResult
from slipstick.app.respond.setting_address import Settings

# none is that of the present curve, stable or unstable; each reads on white and, brightened, on the dark ground
KEPT_COLOURS = ("#7a8793", "#3a8a6b", "#b0721a", "#7b68ad", "#1e8c93", "#9a5b3c")
MAX_KEPT = len(KEPT_COLOURS)
MAX_NAME_LENGTH = 24  # letters, as a legend has little room


@dataclass(frozen=True)
class KeptSetting:
    """Parameters and results of one setting.   settings : to return to.   colour : index of `KEPT_COLOURS`."""

    knobs: list[ModelParameter]
    curve: CurveResult | None = None
    run: RunResult | None = None
    orbit: RunResult | None = None
    name: str = ""
    colour: int = 0
    settings: Settings | None = None

    @property
    def line_colour(self) -> str:
        """The colour of its lines."""
        return KEPT_COLOURS[self.colour % MAX_KEPT]


class KeptCurve(NamedTuple):
    """A kept curve as a figure draws it."""

    name: str
    colour: str
    display: CurveDisplay


class KeptRun(NamedTuple):
    """A kept run or orbit as a figure draws it."""

    name: str
    colour: str
    display: RunDisplay


Kept = tuple[KeptSetting, ...]


def with_setting(kept: Kept, setting: KeptSetting) -> Kept:
    """Add a setting under the first free letter, in the first free colour; at most `MAX_KEPT` are kept."""
    names, colours = {own.name for own in kept}, {own.colour for own in kept}
    name = next(letter for letter in ascii_uppercase if letter not in names)
    colour = next(k for k in range(MAX_KEPT) if k not in colours)
    return (*kept, replace(setting, name=name, colour=colour))


def renamed(kept: Kept, number: int, name: str) -> Kept:
    """Give a setting another name; an empty or a known one changes nothing."""
    own = plain_setting_name(name)
    if not own or own in {each.name for each in kept}:
        return kept
    return tuple(replace(each, name=own) if k == number else each for k, each in enumerate(kept))


def plain_setting_name(name: str) -> str:
    """A name without markup, which legends would interpret, and not too long."""
    shown = "".join(c for c in name if c.isprintable() and c not in "<>&")
    return " ".join(shown.split())[:MAX_NAME_LENGTH]


def kept_curves(kept: Sequence[KeptSetting], present: CurveResult) -> list[KeptCurve]:
    """The kept curves to draw below the present one."""
    return [
        KeptCurve(own.name, own.line_colour, own.curve.display)
        for own in kept
        if own.curve is not None and own.curve is not present
    ]


def kept_runs(kept: Sequence[KeptSetting], present: RunResult) -> list[KeptRun]:
    """The kept runs to draw below the present one."""
    found = [(own, own.run) for own in kept]
    return [_kept_run(own, run) for own, run in found if run is not None and run is not present]


def kept_orbits(kept: Sequence[KeptSetting], present: RunResult) -> list[KeptRun]:
    """The kept orbits to draw below the present one."""
    found = [(own, own.orbit) for own in kept]
    return [_kept_run(own, run) for own, run in found if run is not None and run is not present]


def _kept_run(own: KeptSetting, run: RunResult) -> KeptRun:
    return KeptRun(own.name, own.line_colour, run.display)
