"""`StudyKind`: a section of a study file, with functions that read, check and run it.

A new kind is a file like `transient`, with a `KIND` in it, and its name in `slipstick.study.kind_names`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.model.files.file_problems import FileFindings, describe_value
from slipstick.model.files.quantities import Quantity, read_flag, read_quantity
from slipstick.model.files.schema import FilePart
from slipstick.study.plot_options import RUN_PLOT, PlotKeys
from slipstick.units.scales import Scale

Settings = dict[str, Any]
# among the settings, and no arguments: how frequencies and other values are shown; what settings are called in words
UNIT_KEY, SCALE_KEY, LABEL_KEY = "unit", "scale", "called"


class Section:
    """The section of a study while it is read; problems of keys go to the findings.

    model : of the study; None where that could not be read.
    """

    def __init__(self, name: str, findings: FileFindings, model: Model | None) -> None:
        self.name, self.findings, self.model = name, findings, model
        self.settings: Settings = {}

    def has(self, key: str) -> bool:
        """Whether the file has a key, with or without a value."""
        return (self.name, key) in self.findings.lines

    def refuse_both(self, first: str, second: str, why: str) -> None:
        """Report two keys of which only one is allowed."""
        if self.has(first) and self.has(second):
            words = f"{first}: and {second}: are both given; {why}: leave one out"
            self.findings.problem((self.name, second), words)

    @property
    def folder(self) -> Path:
        """Folder of the study, and of the files that it names."""
        return Path(self.findings.file).parent

    def put(self, key: str, value: Any, read: Callable[[Any], Any]) -> None:
        """A setting, if the file has it, as ``read`` understands it."""
        if value is not None:
            with self.findings.catch((self.name, key)):
                self.settings[key] = read(value)

    def options(self, given: dict[str, Any] | None, taken: type[FilePart]) -> None:
        """The options of a method: settings like the others, without the section's own keys."""
        for name, value in (given or {}).items():
            place = (self.name, "options", name)
            if name in taken.model_fields:
                words = f"{name} is no option of a method: it belongs directly under {self.name}:"
                self.findings.problem(place, words)
                continue
            with self.findings.catch(place):
                self.settings[name] = read_option(value)


def no_further_check(_model: Model, _settings: Settings) -> None:
    """The check of a kind whose settings need none beyond how they are read."""


def arguments(settings: Settings) -> Settings:
    """The settings that a solver takes."""
    return {key: value for key, value in settings.items() if key not in (UNIT_KEY, SCALE_KEY, LABEL_KEY)}


def settings_text(settings: Settings, scales: Mapping[str, Scale] | None = None, many: str = "values") -> str:
    """Settings as `slipstick check` shows them: ``between 10 and 40 Hz, method auto``.

    scales : of those that are quantities.   many : what those of a list are.
    """
    parts = []
    for key, value in arguments(settings).items():
        scale = (scales or {}).get(key)
        if scale is None:
            parts.append(f"{key} {settings.get(LABEL_KEY, {}).get(key, value)}")
        elif isinstance(value, tuple):
            parts.append(f"{key} {scale.factor * value[0]:.6g} and {scale.words(value[1])}")
        elif isinstance(value, list) and len(value) > 1:
            ends = f"{scale.factor * value[0]:.6g} to {scale.words(value[-1])}"
            parts.append(f"{'at ' if key == 'at' else ''}{len(value)} {many}, {ends}")
        else:
            parts.append(f"{key} {scale.words(value[0] if isinstance(value, list) else value)}")
    return ", ".join(parts)


def point_count_text(count: int) -> str:
    """``57 points``."""
    return f"{count} point{'' if count == 1 else 's'}"


@dataclass(frozen=True)
class StudyKind:
    """One kind of study.

    name : of its section.   title : on the screen.
    description : of the section, for editors.   example : a section as short as can be.
    shape : the keys of the section.
    read : puts the settings, in SI, into the section, from one that has the shape.
    run : computes a `Run`, an `Orbit`, a `Curve` or a `NonlinearMode` from a model and the settings. It may
        call ``progress`` with the finished share, 0 to 1, or with the argument of ``watched``.
    check : refuses what `run` would refuse before it starts.
    watched : progress in words, from the settings and the argument of ``progress``; None if that is a finished share.
    begins : words until the first call of ``progress``.
    words : the settings in words.   drawn : what its picture takes.
    """

    name: str
    title: str
    description: str
    example: str
    shape: type[FilePart]
    read: Callable[[Any, Section], None]
    run: Callable[[Model, Settings, Callable[..., Any] | None], Any]
    check: Callable[[Model, Settings], None] = no_further_check
    watched: Callable[..., str] | None = None
    begins: str = ""
    words: Callable[[Settings], str] = settings_text
    drawn: PlotKeys = RUN_PLOT


def read_unitless(quantity: Quantity) -> float:
    """A number that has no unit."""
    if quantity.unit:
        raise InvalidInput(f"must be a plain number without unit, got {quantity.text}")
    return quantity.value


def read_integer(quantity: Quantity) -> int:
    """A whole number."""
    number = read_unitless(quantity)
    if number != int(number):
        raise InvalidInput(f"must be a whole number, got {quantity.text}")
    return int(number)


def read_number_or_word(value: Any) -> Quantity | bool | str:
    """A number with or without a unit, true or false, or a word."""
    if isinstance(value, (dict, list)) or value is None:
        raise InvalidInput(f"must be a number, a word, true or false, got {describe_value(value)}")
    try:
        return read_quantity(value)
    except InvalidInput:
        return read_flag(value) if value.lower() in ("true", "false") else str(value)


def read_option(value: Any) -> Any:
    """An option of a method: a whole number, a number in SI, true or false, or a word."""
    number = read_number_or_word(value)
    if not isinstance(number, Quantity):
        return number
    given = read_unitless(number)
    return int(number.number) if number.text.lstrip("+-").isdigit() else given
