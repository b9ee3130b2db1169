"""Fields for the parameters of a figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from slipstick.app.number_input import parse_number
from slipstick.errors import InvalidInput, SlipstickError
from slipstick.papers.knob import Knob, changed_values, printed_values


class ParameterForm:
    """Fields for parameters.   done : called on Enter.   typed : called when a field changes."""

    def __init__(
        self,
        knobs: Sequence[Knob],
        changed: Mapping[str, float],
        done: Callable[[], Any],
        typed: Callable[[], Any],
    ) -> None:
        self._knobs = knobs
        values = {**printed_values(knobs), **changed}
        with ui.element("div").classes("fields"):
            self._fields = {knob.name: _field(knob, values[knob.name], done) for knob in knobs}
        for field in self._fields.values():
            field.on_value_change(typed)

    def match(self, changed: Mapping[str, float]) -> bool:
        """True if the fields have these values."""
        try:
            return self.read("") == dict(changed)
        except SlipstickError:
            return False

    def read(self, owner: str) -> dict[str, float]:
        """Values that differ from the print.   owner : for messages."""
        values: dict[str, float] = {}
        for name, field in self._fields.items():
            text = str(field.value or "").strip()
            try:
                values[name] = parse_number(f"{owner}: {name}", text)
            except InvalidInput as refusal:
                raise InvalidInput(f"{refusal}; the printed one is {_number_text(self._knob(name).value)}") from None
        return changed_values(owner, self._knobs, values)

    def reset(self) -> None:
        """Reset to the printed values."""
        for knob in self._knobs:
            self._fields[knob.name].set_value(_number_text(knob.value))

    def _knob(self, name: str) -> Knob:
        return next(knob for knob in self._knobs if knob.name == name)


def _field(knob: Knob, value: float, done: Callable[[], Any]) -> ui.input:
    unit = f" [{knob.unit}]" if knob.unit else ""
    field = ui.input(label=f"{knob.name.replace('_', ' ')}{unit}", value=_number_text(value)).classes("knob")
    field.props(f'dense outlined inputmode=decimal hint="{knob.meaning}"')
    field.tooltip(f"printed: {knob.value_text(knob.value)}; from {_number_text(knob.low)} to {_number_text(knob.high)}")
    field.on("keydown.enter", done)
    return field


def _number_text(value: float) -> str:
    return f"{value:.10g}"
