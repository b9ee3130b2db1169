"""The knobs of a model: a slider and a field for each, and a way back to the usual number."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from html import escape
from typing import Any

from nicegui import ui

from slipstick.app import parts
from slipstick.app.numbers import number
from slipstick.app.respond.knobs import Knob
from slipstick.errors import InvalidInput

FIRST = 7  # knobs that stand at the top; the others are folded away
STEPS = 400  # of a slider
ROOM = 10  # signs that a field shows
PAUSE = 0.04  # [s] between two words of a slider that is dragged

Turn = Callable[[str, Any], Awaitable[Any]]


class KnobPanel:
    """turn : called with the name of a knob and its new number or word, None for the usual one."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._place = ui.element("div").classes("stack")
        self._rows: dict[str, Row] = {}

    def show(self, knobs: list[Knob]) -> None:
        """The same knobs with other numbers are set; others take their places."""
        if list(self._rows) == [knob.name for knob in knobs]:
            for knob in knobs:
                self._rows[knob.name].set(knob)
            return
        self._place.clear()
        with self._place:
            self._rows = {knob.name: Row(knob, self._turn) for knob in knobs[:FIRST]}
            if knobs[FIRST:]:
                more = ui.expansion(f"{len(knobs) - FIRST} more").props("dense").classes("full-width more-knobs")
                with more, ui.element("div").classes("stack"):
                    self._rows |= {knob.name: Row(knob, self._turn) for knob in knobs[FIRST:]}


class Row:
    """One knob."""

    def __init__(self, knob: Knob, turn: Turn) -> None:
        self.knob, self._turn = knob, turn
        if knob.options:
            self._choice = ui.select(list(knob.options), value=knob.word, label=knob.label).props("dense outlined")
            self._choice.on_value_change(parts.handled(self._chosen))
            return
        with ui.element("div").classes("knob"):
            ui.html(_label(knob), sanitize=False)
            self._slider = ui.slider(min=0, max=STEPS, step=1, value=self._step())
            self._slider.props(f'aria-label="{_plain(knob.words)}" dense')
            self._slider.on("update:model-value", parts.handled(self._slid), throttle=PAUSE)
            self._field = ui.input(value=text_of(knob.value)).props(f'dense outlined aria-label="{_plain(knob.label)}"')
            self._field.on("keydown.enter", parts.handled(self._typed)).on("blur", parts.handled(self._typed))
            self._back = ui.button(icon="undo", on_click=parts.handled(self._reset))
            self._back.props(f'flat round dense size="sm" aria-label="reset {_plain(knob.words)}"')
            self._back.tooltip("back to " + (text_of(knob.usual) or "what follows from the others"))
        self.set(knob)

    def set(self, knob: Knob, dragged: bool = False) -> None:
        """Show another number.   dragged : the slider is where a hand holds it, and stays there."""
        self.knob = knob
        if knob.options:
            self._choice.set_value(knob.word)
            return
        if not dragged:
            self._slider.set_value(self._step())
        self._field.set_value(text_of(knob.value))
        self._back.set_visibility(knob.value != knob.usual)
        self._slider.set_visibility(knob.value is not None)

    def _step(self) -> int:
        return 0 if self.knob.value is None else round(STEPS * self.knob.place(self.knob.value))

    async def _slid(self, event: Any) -> None:
        value = self.knob.value_at(float(event.args) / STEPS)
        if value != self.knob.value:
            self.set(replace(self.knob, value=value), dragged=True)
            await self._turn(self.knob.name, value)

    async def _typed(self) -> None:
        text = str(self._field.value or "").strip()
        if text == text_of(self.knob.value):
            return
        try:
            value = number(self.knob.name, text) if text else None  # nothing stands for the usual number
        except InvalidInput:
            self._field.set_value(text_of(self.knob.value))
            raise
        self.set(replace(self.knob, value=self.knob.usual if value is None else value))
        await self._turn(self.knob.name, value)

    async def _reset(self) -> None:
        self.set(replace(self.knob, value=self.knob.usual))
        await self._turn(self.knob.name, None)

    async def _chosen(self, event: Any) -> None:
        if event.value != self.knob.word:
            await self._turn(self.knob.name, event.value)


def text_of(value: float | None) -> str:
    """As many digits as a field has room for; the knob keeps all of them."""
    if value is None:
        return ""
    long = f"{value:.8g}"
    return long if len(long) <= ROOM else f"{value:.5g}"


def _label(knob: Knob) -> str:
    unit = f' <span class="quiet">[{escape(knob.unit)}]</span>' if knob.unit else ""
    return f'<span class="small">{escape(knob.words)}{unit}</span>'


def _plain(words: str) -> str:
    """Words as a property of an element holds them."""
    return words.replace('"', "'").replace("\\", "/")
