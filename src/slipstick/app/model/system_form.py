"""Form for a published system and its numbers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.model.page_state import ModelDraft
from slipstick.app.model.system_cards import SystemCards
from slipstick.app.model.system_fields import VISIBLE_FIELDS, SystemField, system_fields
from slipstick.app.model_choice import SYSTEM_DESCRIPTIONS
from slipstick.errors import InvalidInput

PAPER_VALUES_TEXT = "its numbers are those of the paper"
OWN_VALUES_TEXT = {
    "gear": "the paper gives no numbers: these are ours",
    "fibre": "the samples are those of the paper, mass and load are ours",
    "torsional": f"{PAPER_VALUES_TEXT}, but for the damping ratio: it gives none",
}
DEBOUNCE_MS = 250  # [ms] after the last key


class SystemForm:
    """Fields for system and keywords.   changed : awaited after a change."""

    def __init__(self, draft: ModelDraft, changed: Callable[[], Awaitable[None]]) -> None:
        self._draft, self._changed = draft, changed
        self._cards = SystemCards(draft.system, widgets.with_error_notification(self._change_system))
        self._place = ui.element("div").classes("stack")
        self._fill()

    async def _change_system(self, system: str) -> None:
        if system == self._draft.system:
            return
        self._draft.system, self._draft.neglected = system, {}
        self._cards.show(system)
        self._fill()
        await self._changed()

    async def as_published(self) -> None:
        """Reset all numbers to those of the paper."""
        self._draft.put({})
        self._fill()
        await self._changed()

    def _fill(self) -> None:
        values = self._draft.values.get(self._draft.system, {})
        fields = system_fields(self._draft.system, values)
        self._place.clear()
        with self._place:
            widgets.note(
                f"{SYSTEM_DESCRIPTIONS[self._draft.system]}; "
                f"{OWN_VALUES_TEXT.get(self._draft.system, PAPER_VALUES_TEXT)}"
            )
            for field in fields[:VISIBLE_FIELDS]:
                self._field(field, values.get(field.name, field.default))
            if rest := fields[VISIBLE_FIELDS:]:
                changed = any(field.name in values for field in rest)
                with ui.expansion(f"{len(rest)} more numbers", value=changed).props("dense").classes("full-width more"):
                    for field in rest:
                        self._field(field, values.get(field.name, field.default))

    def _field(self, field: SystemField, value: Any) -> None:
        if field.options:
            ui.select(
                list(field.options),
                value=value,
                label=field.label,
                on_change=widgets.with_error_notification(lambda event: self._choose(field, event.value)),
            ).props("outlined dense options-dense").classes("full-width")
            return
        box = ui.input(field.label, value=field.text(value)).classes("full-width")
        box.props(f'outlined dense debounce={DEBOUNCE_MS} hide-bottom-space inputmode="decimal" autocomplete="off"')
        box.props(f'placeholder="{"left out" if field.default is None else field.text(field.default)}"')
        box.on_value_change(
            widgets.with_error_notification(lambda event: self._type(field, box, str(event.value or "")))
        )

    async def _choose(self, field: SystemField, value: str) -> None:
        self._put(field, value)
        self._fill()  # other laws have other parameters
        await self._changed()

    async def _type(self, field: SystemField, box: ui.input, text: str) -> None:
        try:
            value = field.read(text)
        except InvalidInput as refusal:
            box.error = str(refusal)
            return
        box.error = None
        self._put(field, value)
        await self._changed()

    def _put(self, field: SystemField, value: Any) -> None:
        """Set a keyword; published and empty values are left out."""
        draft = self._draft
        values = {**draft.values.get(draft.system, {}), field.name: value}
        known = {own.name: own.default for own in system_fields(draft.system, values)}
        draft.put({name: own for name, own in values.items() if name in known and own not in (None, known[name])})
