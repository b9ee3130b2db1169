"""Form for laws and constraints on their parameters on the page Identify."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.identify.law_cards import HEIGHT, WIDTH, card_of, offered_laws
from slipstick.app.identify.page_state import FitRequest

LAW_OPTION_HTML = f"""
<q-item v-bind="props.itemProps" class="law-option" :aria-label="props.opt.label" :aria-description="props.opt.use">
  <q-item-section avatar>
    <svg class="loop" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true"><path :d="props.opt.loop" /></svg>
  </q-item-section>
  <q-item-section>
    <q-item-label>{{{{ props.opt.label }}}}</q-item-label>
    <q-item-label caption>{{{{ props.opt.use }}}}</q-item-label>
  </q-item-section>
</q-item>
"""
NO_LAW_CHOSEN_TEXT = "With no law chosen, the usual laws are compared; with several, those."
CONSTRAINT_FIELDS = (
    ("fixed", "hold", "limit=250 N, damping=0"),
    ("bounds", "keep within", "limit=200:300 N"),
    ("prior", "known as", "limit=250:10 N, mean and deviation"),
)


class LawSelect(ui.select):
    """Laws by name, each with its loop and when to use it."""

    def _update_options(self) -> None:
        super()._update_options()
        for own in self._props["options"]:
            own.update(card_of(own["label"])._asdict())


def law_form(request: FitRequest, change: Callable[[FitRequest], Any]) -> None:
    """Fields for laws, fixed values, bounds and priors."""
    now = request

    @ui.refreshable
    def chosen() -> None:
        _chosen_laws(now.laws)

    def update(**new: Any) -> None:
        nonlocal now
        now = FitRequest(**(now.__dict__ | new))
        change(now)
        if "laws" in new:
            chosen.refresh()

    options = list(dict.fromkeys((*offered_laws(), *request.laws)))
    field = LawSelect(
        options, label="laws", value=list(request.laws), multiple=True, with_input=True, new_value_mode="add-unique"
    )
    field.props("dense outlined use-chips options-dense popup-content-class=laws").add_slot("option", LAW_OPTION_HTML)
    field.classes("full-width").on_value_change(lambda e: update(laws=tuple(e.value or ())))
    chosen()
    is_known = any(getattr(request, key) for key, _, _ in CONSTRAINT_FIELDS)  # constraints are always visible
    with ui.expansion("known parameters", value=is_known).props("dense").classes("full-width small"):
        for key, label, hint in CONSTRAINT_FIELDS:
            text = ui.input(label, value=getattr(request, key), placeholder=hint).props("dense outlined")
            text.classes("full-width").on_value_change(lambda e, key=key: update(**{key: e.value or ""}))


def _chosen_laws(names: tuple[str, ...]) -> None:
    """The card of each chosen law."""
    if not names:
        widgets.note(NO_LAW_CHOSEN_TEXT)
    for law in names:
        card = card_of(law)
        if card.use:
            with ui.element("div").classes("law-card"):
                ui.html(card.drawing, sanitize=False)
                widgets.note(card.use if len(names) == 1 else f"{law}: {card.use}")
