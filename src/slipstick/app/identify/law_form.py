"""Form for laws and constraints on their parameters on the page Identify."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.identify.law_cards import card_of, offered_laws
from slipstick.app.identify.page_state import FitRequest

NO_LAW_CHOSEN_TEXT = "Choose one law to fit it, several to compare them."
CONSTRAINT_FIELDS = (
    ("fixed", "hold", "limit=250 N, damping=0"),
    ("bounds", "keep within", "limit=200:300 N"),
    ("prior", "known as", "limit=250:10 N, mean and deviation"),
)


class LawForm:
    """Cards of laws to choose from, and fields for fixed values, bounds and priors.

    change : called with each new request.
    """

    def __init__(self, request: FitRequest, change: Callable[[FitRequest], Any]) -> None:
        self._request, self._notify = request, change
        self._cards = ui.element("div").classes("law-cards").props('role="group" aria-label="laws"')
        other = ui.input("another law, such as iwan:7 or linear+jenkins").props("dense outlined").classes("full-width")
        other.on("keydown.enter", lambda: self._add(other))
        self._chosen = ui.element("div").classes("stack")
        is_known = any(getattr(request, key) for key, _, _ in CONSTRAINT_FIELDS)  # constraints are always visible
        with ui.expansion("known parameters", value=is_known) as self._known:
            self._fields = {key: self._constraint_field(key, *own) for key, *own in CONSTRAINT_FIELDS}
        self._known.props("dense").classes("full-width small")
        self._show_laws()

    def show(self, request: FitRequest) -> None:
        """Show another request."""
        self._request = request
        for key, text in self._fields.items():
            text.set_value(getattr(request, key))
        self._show_laws()

    def focus_fixed(self) -> None:
        """Go to the field of fixed values."""
        self._known.open()
        self._fields["fixed"].run_method("focus")

    def _constraint_field(self, key: str, label: str, hint: str) -> ui.input:
        text = ui.input(label, value=getattr(self._request, key), placeholder=hint).props("dense outlined")
        return text.classes("full-width").on_value_change(lambda e: self._update(**{key: e.value or ""}))

    def _update(self, **new: Any) -> None:
        self._request = replace(self._request, **new)
        self._notify(self._request)
        if "laws" in new:
            self._show_laws()

    def _add(self, field: ui.input) -> None:
        law = (field.value or "").strip()
        if law and law not in self._request.laws:
            field.set_value("")
            self._update(laws=(*self._request.laws, law))

    def _toggle(self, law: str) -> None:
        laws = self._request.laws
        self._update(laws=tuple(own for own in laws if own != law) if law in laws else (*laws, law))

    def _show_laws(self) -> None:
        """The cards, and when to use each chosen law."""
        names = self._request.laws
        self._cards.clear()
        with self._cards:
            for law in dict.fromkeys((*offered_laws(), *names)):
                _law_card(law, law in names, self._toggle)
        self._chosen.clear()
        with self._chosen:
            if not names:
                widgets.note(NO_LAW_CHOSEN_TEXT)
            for law in names:
                if use := card_of(law).use:
                    widgets.note(f"{law}: {use}")


def _law_card(law: str, chosen: bool, toggle: Callable[[str], Any]) -> None:
    card = card_of(law)
    with ui.element("button").classes("law-card") as button:
        ui.html(card.drawing, sanitize=False)
        ui.label(law)
        if card.use:
            ui.tooltip(card.use).classes("law-use")
    button.props(f'type="button" aria-pressed="{"true" if chosen else "false"}"')
    button.on("click", lambda: toggle(law), args=[])
