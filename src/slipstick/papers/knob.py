"""`Knob`: a parameter of a figure that a user can change from its printed value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean

CHANGED_CASE_TEXT = "numbers changed: not the paper's case"


@dataclass(frozen=True)
class Knob:
    """A number that a figure was made with.

    name : its key in ``numbers=``; for a figure of a system, a keyword of that system.
    value : as printed, or our choice if nothing is printed.   low, high : its range.
    meaning : in words, with the symbol of the print.   unit : of all; empty for numbers without one.
    """

    name: str
    value: float
    low: float
    high: float
    meaning: str
    unit: str = ""

    def value_text(self, value: float) -> str:
        """A value with its unit."""
        return f"{value:.6g} {self.unit}".rstrip()


def changed_values(owner: str, knobs: Sequence[Knob], numbers: Mapping[str, float]) -> dict[str, float]:
    """The checked values that differ from the print.   owner : of the knobs, for messages: "tensioner, Fig. 17"."""
    known = {knob.name: knob for knob in knobs}
    found = {}
    for name, value in numbers.items():
        if name not in known:
            can = f"it has {', '.join(known)}{did_you_mean(name, tuple(known))}" if known else "it has none"
            raise InvalidInput(f"{owner}: no number {short_repr(name)} can be changed; {can}").about("numbers")
        knob = known[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise InvalidInput(f"{owner}: {name} must be a number, got {short_repr(value)}").about("numbers")
        if not knob.low <= value <= knob.high:
            bounds = f"between {knob.value_text(knob.low)} and {knob.value_text(knob.high)}"
            raise InvalidInput(f"{owner}: {name} must be {bounds}, got {short_repr(value)}").about("numbers")
        if value != knob.value:
            found[name] = float(value)
    return found


def printed_values(knobs: Sequence[Knob]) -> dict[str, float]:
    """All values of the paper."""
    return {knob.name: knob.value for knob in knobs}


def changes_text(knobs: Sequence[Knob], changed: Mapping[str, float]) -> str:
    """The changes in words: "amplitude 150 N (paper: 122.1 N)"."""
    own = {knob.name: knob for knob in knobs}
    return "; ".join(f"{name} {own[name].value_text(value)} (paper: {own[name].value_text(own[name].value)})"
                     for name, value in changed.items())  # fmt: skip
