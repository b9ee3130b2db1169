"""A slider, a field and a reset button for each parameter of a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from html import escape
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.number_input import parse_number
from slipstick.app.respond.model_parameters import ModelParameter
from slipstick.errors import InvalidInput

VISIBLE_PARAMETERS = 7  # shown at the top; the others are folded away
SLIDER_STEPS = 400  # of a slider
FIELD_DIGITS = 10  # characters of a field
SLIDER_THROTTLE = 0.04  # [s] between two events of a dragged slider

SetParameter = Callable[[str, Any], Awaitable[Any]]


class ParameterPanel:
    """set_parameter : called with a name and its new number or word, None for the usual one."""

    def __init__(self, set_parameter: SetParameter) -> None:
        self._set_parameter = set_parameter
        self._place = ui.element("div").classes("stack")
        self._rows: dict[str, ParameterRow] = {}

    def show(self, knobs: list[ModelParameter]) -> None:
        """Show parameters; rows of the same parameters are updated, others replaced."""
        if list(self._rows) == [knob.name for knob in knobs]:
            for knob in knobs:
                self._rows[knob.name].set(knob)
            return
        self._place.clear()
        with self._place:
            self._rows = {knob.name: ParameterRow(knob, self._set_parameter) for knob in knobs[:VISIBLE_PARAMETERS]}
            if knobs[VISIBLE_PARAMETERS:]:
                more = (
                    ui.expansion(f"{len(knobs) - VISIBLE_PARAMETERS} more")
                    .props("dense")
                    .classes("full-width more-knobs")
                )
                with more, ui.element("div").classes("stack"):
                    self._rows |= {
                        knob.name: ParameterRow(knob, self._set_parameter) for knob in knobs[VISIBLE_PARAMETERS:]
                    }


class ParameterRow:
    """One parameter."""

    def __init__(self, knob: ModelParameter, set_parameter: SetParameter) -> None:
        self.knob, self._set_parameter = knob, set_parameter
        if knob.options:
            self._choice = ui.select(list(knob.options), value=knob.word, label=knob.label).props("dense outlined")
            self._choice.on_value_change(widgets.with_error_notification(self._chosen))
            return
        with ui.element("div").classes("knob"):
            ui.html(_label(knob), sanitize=False)
            self._slider = ui.slider(min=0, max=SLIDER_STEPS, step=1, value=self._step())
            self._slider.props(f'aria-label="{widgets.escaped_prop(knob.words)}" dense')
            self._slider.on("update:model-value", widgets.with_error_notification(self._slid), throttle=SLIDER_THROTTLE)
            self._field = ui.input(value=value_text(knob.value)).props(
                f'dense outlined aria-label="{widgets.escaped_prop(knob.label)}"'
            )
            self._field.on("keydown.enter", widgets.with_error_notification(self._typed)).on(
                "blur", widgets.with_error_notification(self._typed)
            )
            self._back = ui.button(icon="undo", on_click=widgets.with_error_notification(self._reset))
            self._back.props(f'flat round dense size="sm" aria-label="reset {widgets.escaped_prop(knob.words)}"')
            self._back.tooltip("back to " + (value_text(knob.usual) or "what follows from the others"))
        self.set(knob)

    def set(self, knob: ModelParameter, dragged: bool = False) -> None:
        """Show another number.   dragged : the user holds the slider, which stays."""
        self.knob = knob
        if knob.options:
            self._choice.set_value(knob.word)
            return
        if not dragged:
            self._slider.set_value(self._step())
        said = widgets.escaped_prop(f"{value_text(knob.value)} {knob.unit}".strip())
        self._slider.props(f'aria-valuetext="{said}"')  # its own value is a step
        self._field.set_value(value_text(knob.value))
        self._back.set_visibility(knob.value != knob.usual)
        self._slider.set_visibility(knob.value is not None)

    def _step(self) -> int:
        return 0 if self.knob.value is None else round(SLIDER_STEPS * self.knob.place(self.knob.value))

    async def _slid(self, event: Any) -> None:
        value = self.knob.value_at(float(event.args) / SLIDER_STEPS)
        if value != self.knob.value:
            self.set(replace(self.knob, value=value), dragged=True)
            await self._set_parameter(self.knob.name, value)

    async def _typed(self) -> None:
        text = str(self._field.value or "").strip()
        if text == value_text(self.knob.value):
            return
        try:
            value = parse_number(self.knob.name, text) if text else None  # empty for the usual number
        except InvalidInput:
            self._field.set_value(value_text(self.knob.value))
            raise
        self.set(replace(self.knob, value=self.knob.usual if value is None else value))
        await self._set_parameter(self.knob.name, value)

    async def _reset(self) -> None:
        self.set(replace(self.knob, value=self.knob.usual))
        await self._set_parameter(self.knob.name, None)

    async def _chosen(self, event: Any) -> None:
        if event.value != self.knob.word:
            await self._set_parameter(self.knob.name, event.value)


def value_text(value: float | None) -> str:
    """A number with the digits that fit into a field; the parameter keeps all."""
    if value is None:
        return ""
    long = f"{value:.8g}"
    return long if len(long) <= FIELD_DIGITS else f"{value:.5g}"


def _label(knob: ModelParameter) -> str:
    unit = f' <span class="quiet">[{escape(knob.unit)}]</span>' if knob.unit else ""
    return f'<span class="small">{escape(knob.words)}{unit}</span>'
