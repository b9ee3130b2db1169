"""The kept settings on the page: names, colours, a way back to each, and their differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.respond.kept_settings import MAX_KEPT, MAX_NAME_LENGTH, KeptSetting, renamed, with_setting
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.setting_comparison import comparison_heads, setting_differences
from slipstick.errors import InvalidInput

PANEL_TITLE = "Kept settings"
TOO_MANY_TEXT = f"{MAX_KEPT} settings are kept, which is the limit; forget one first"


class KeptPanel:
    """Keeps settings.   show : draws them below all results.   return_to : makes one the present setting."""

    def __init__(self, state: RespondState, show: Callable[[], None], return_to: Callable[[KeptSetting], Any]) -> None:
        self.state, self._show, self._return_to = state, show, return_to
        self._rows, self._compared = ui.element("div").classes("stack"), ui.element("div").classes("kept-table")
        self._show_rows()

    def keep(self) -> None:
        """Keep the present setting; at most `MAX_KEPT`, one for each colour."""
        if len(self.state.kept) >= MAX_KEPT:
            raise InvalidInput(TOO_MANY_TEXT)
        self._set(with_setting(self.state.kept, self.state.setting()))

    def forget(self, setting: KeptSetting) -> None:
        """Drop a kept setting."""
        self._set(tuple(own for own in self.state.kept if own is not setting))

    def rename(self, setting: KeptSetting, name: str) -> None:
        """Give a kept setting another name."""
        number = next((k for k, own in enumerate(self.state.kept) if own is setting), None)
        if number is not None and name != setting.name:
            self._set(renamed(self.state.kept, number, name))

    def _set(self, kept: tuple[KeptSetting, ...]) -> None:
        self.state.kept = kept
        self._show_rows()
        self._show()
        self.compare()

    def compare(self) -> None:
        """Show the differences between the kept settings and the present one."""
        self._compared.clear()
        if self.state.kept:
            with self._compared:
                rows = setting_differences(self.state.kept, self.state.setting())
                widgets.table(comparison_heads(self.state.kept), rows, numbers=len(self.state.kept) + 1)

    def _show_rows(self) -> None:
        self._rows.clear()
        if not self.state.kept:
            return
        with self._rows:
            widgets.title(PANEL_TITLE)
            for setting in self.state.kept:
                self._row(setting)

    def _row(self, setting: KeptSetting) -> None:
        with ui.element("div").classes("kept-row"):
            ui.element("span").classes("swatch").style(f"border-color: {setting.line_colour}")
            field = ui.input(value=setting.name).props(
                f'dense outlined maxlength="{MAX_NAME_LENGTH}" aria-label="name of a kept setting"'
            )

            def rename() -> None:
                self.rename(setting, str(field.value or ""))

            field.on("keydown.enter", widgets.with_error_notification(rename))
            field.on("blur", widgets.with_error_notification(rename))
            back = widgets.with_error_notification(lambda: self._return_to(setting))
            forget = widgets.with_error_notification(lambda: self.forget(setting))
            shown = widgets.escaped_prop(setting.name)
            for icon, words, act in (("settings_backup_restore", "return to", back), ("close", "forget", forget)):
                button = ui.button(icon=icon, on_click=act).tooltip(f"{words} {setting.name}")
                button.props(f'flat round dense size="sm" aria-label="{words} {shown}"')
