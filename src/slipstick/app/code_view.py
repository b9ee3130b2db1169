"""A folded panel with the Python script and the command for what a page shows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.equivalent_code import EquivalentCode

PANEL_LABEL = "Python and command"


def code_panel(code: Callable[[], Awaitable[EquivalentCode]]) -> None:
    """A panel that fetches the code whenever it is opened.   code : of the present result."""
    with ui.expansion(PANEL_LABEL).props("dense").classes("full-width code") as panel:
        place = ui.element("div").classes("stack")

    async def show() -> None:
        place.clear()
        if not panel.value:
            return
        own = await code()
        with place:
            widgets.note(own.note)
            ui.code(own.python, language="python").classes("full-width")
            if not own.command:
                return
            widgets.note(f"In a terminal, with these lines in {own.file_name}:" if own.file_name else "In a terminal:")
            if own.file_name:
                ui.code(own.file_text, language="yaml").classes("full-width")
            ui.code(own.command, language="bash").classes("full-width")

    panel.on_value_change(widgets.with_error_notification(show))
