"""The curve on the page: quantity, figure, notes, downloads and orbits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.code_view import code_panel
from slipstick.app.equivalent_code import EquivalentCode
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import response_figures
from slipstick.app.respond.curve_notes import default_quantity, show_curve_notes
from slipstick.app.respond.equivalent_code import curve_code
from slipstick.app.respond.kept_settings import kept_curves
from slipstick.app.respond.motion_view import STALE_TEXT, download_buttons
from slipstick.app.respond.orbit_panel import OrbitPanel
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.response_results import CurveResult
from slipstick.errors import InvalidInput

FIRST_LOOK_CODE_TEXT = "a first look has no script; press follow the curve, then open its code"


class CurvePanel:
    """Shows a curve.   retry : called to try a full curve again."""

    def __init__(self, context: PageContext, state: RespondState, retry: Callable[[], Awaitable[Any]]) -> None:
        self.context, self.state, self._retry = context, state, retry

    def choose(self) -> None:
        """Build the fields for quantity and scale."""
        self._select = ui.select([], label="show").props("dense outlined").classes("show")
        self._select.on_value_change(widgets.with_error_notification(self._selected))
        self._log = ui.checkbox(
            "logarithmic", value=self.state.log, on_change=widgets.with_error_notification(self._selected)
        )

    def build(self) -> None:
        """Build the areas for figure, notes, downloads and orbits."""
        with ui.element("div").classes("curve-and-orbit") as self._all:
            self._picture = ui.element("div").classes("stack picture")
            self._plot: ui.plotly | None = None  # present while there is a curve
            with ui.element("div").classes("stack notes"):
                self._notes = ui.element("div").classes("stack")
                self._tools = ui.element("div").classes("stack")
            with ui.element("div").classes("stack drawer"):
                self._orbits = OrbitPanel(self.context, self.state, self._draw, self._open_drawer)
            self._orbits.step_by_keys(self._picture)

    def _open_drawer(self, opened: bool) -> None:
        """Show the orbit beside the curve, or below it on a narrow screen."""
        self._all.classes(add="open" if opened else None, remove=None if opened else "open")

    def dim(self, stale: bool) -> None:
        """Show whether the curve is outdated."""
        widgets.mark_stale(self._all, stale)

    def _selected(self) -> None:
        if self._select.value:
            self.state.panel, self.state.log = self._select.value, self._log.value
            self.show()

    def show(self) -> None:
        """Show the curve, its notes and its orbit."""
        state = self.state
        if state.curve is None:
            return
        keys = list(state.curve.display.panels)
        if state.panel not in keys:
            state.panel = default_quantity(state.curve.display)
        if self._select.options != keys:
            self._select.set_options(keys)
        if self._select.value != state.panel:
            self._select.set_value(state.panel)
        self._draw()
        self._notes.clear()
        with self._notes:
            show_curve_notes(state, self._retry)
        if not self._tools.default_slot.children:  # downloads are the same for all curves of a model
            with self._tools:
                name = f"{state.curve.display.model.replace(' ', '-')}-curve"
                download_buttons(self.context, self._current_result, name, ("png", "svg", "csv", "nc"))
                code_panel(self._code)
        self._orbits.show()

    def _current_result(self) -> tuple[CurveResult | None, str]:
        return (self.state.curve if self.state.is_current else None), self.state.panel

    async def _code(self) -> EquivalentCode:
        """Code for the present curve, and for the orbit that is shown."""
        state, curve = self.state, self.state.curve
        if curve is None or not state.is_current:
            raise InvalidInput(STALE_TEXT)
        if state.is_slow and not state.traced:
            raise InvalidInput(FIRST_LOOK_CODE_TEXT)
        points = None if curve.traced else len(curve.display.frequency)
        orbit = state.point if state.orbit is not None else None
        return await self.context.worker_pool.run(
            curve_code, None, curve.choice, curve.ends, points, orbit, curve.thorough
        )

    def _draw(self) -> None:
        state = self.state
        if state.curve is None:
            return
        below = kept_curves(state.kept, state.curve)
        selected = state.point if state.orbit is not None else None
        preview = (
            state.preview.display if state.traced and state.preview and state.preview.choice == state.choice else None
        )
        picture = response_figures.curve_figure(state.curve.display, state.panel, below, state.log, selected, preview)
        if self._plot is not None:
            self._plot.update_figure(picture)
            return
        self._picture.clear()
        for own in (self._select, self._log):
            own.set_visibility(True)
        with self._picture:
            self._plot = widgets.plot(picture).classes("curve")
            self._orbits.watch(self._plot)

    def clear(self, words: str, again: bool) -> None:
        """Show only a message.   again : with a button to try again."""
        self._plot = None
        for own in (self._select, self._log):  # nothing to choose from
            own.set_visibility(False)
        for place in (self._picture, self._notes, self._tools, self._orbits):
            place.clear()
        with self._picture:
            widgets.placeholder(words)
            if again:
                ui.button("try again", on_click=widgets.with_error_notification(self._retry)).props(
                    "flat dense no-caps"
                )
