"""The keywords of the published systems as fields: name, published value and unit.

Functions of time and values by contact have no field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slipstick.app.number_input import parse_number

VISIBLE_FIELDS = 6  # shown at the top; the others are folded away

_CHOICES = {
    ("tensioner", "law"): ("masing", "modified-dahl"),
    ("clutch", "reading"): ("consistent", "paper", "printed"),
    ("clutch", "laws"): ("sqrt", "tanh", "exact"),
}
_HIDDEN_KEYWORDS = {("torsional", "load"), ("clutch", "rounding"), ("clutch", "width"), ("clutch", "sharpness")}


@dataclass(frozen=True)
class SystemField:
    """One keyword.

    default : of the paper; None if leaving it out has a meaning of its own.   unit : empty for plain numbers.
    options : of a choice between words.   many : a list of numbers.
    """

    name: str
    default: Any
    unit: str = ""
    options: tuple[str, ...] = ()
    many: bool = False

    @property
    def label(self) -> str:
        words = self.name.replace("_", " ")
        return f"{words} [{self.unit}]" if self.unit else words

    def text(self, value: Any) -> str:
        """The text of a value in the field."""
        if value is None:
            return ""
        return ", ".join(f"{one:.12g}" for one in value) if self.many else f"{value:.12g}"

    def read(self, text: str) -> Any:
        """The typed value; None if empty, for the published one."""
        if not text.strip():
            return None
        if self.many:
            return tuple(parse_number(self.name, part) for part in text.split(","))
        return parse_number(self.name, text)


def system_fields(system: str, values: Mapping[str, Any]) -> list[SystemField]:
    """The fields of a system in the order of its keywords, with those of the chosen law."""
    from slipstick.systems.keyword_defaults import keyword_defaults

    published, known = keyword_defaults(system), keyword_defaults(system, values.get("law"))
    return [
        _field(system, name, published.get(name, own))
        for name, own in known.items()
        if (system, name) not in _HIDDEN_KEYWORDS
    ]


def _field(system: str, name: str, default: Any) -> SystemField:
    from slipstick.systems.system_units import keyword_unit

    options = _CHOICES.get((system, name), ())
    unit = "" if options else keyword_unit(system, name).replace("^2", "²")
    return SystemField(name, default, unit, options, isinstance(default, tuple))
