"""The curve on the page: which quantity of it, its picture, what is told of it, its files, and its orbits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import response_figures
from slipstick.app.respond.curve_notes import default_quantity, show_curve_notes
from slipstick.app.respond.motion_view import download_buttons
from slipstick.app.respond.orbit_panel import OrbitPanel
from slipstick.app.respond.page_state import RespondState


class CurvePanel:
    """What is seen of a curve.   again : called by whoever wants another try at a quick one."""

    def __init__(self, context: PageContext, state: RespondState, again: Callable[[], Awaitable[Any]]) -> None:
        self.context, self.state, self._again = context, state, again

    def choose(self) -> None:
        """The fields that say what is drawn."""
        self._select = ui.select([], label="show").props("dense outlined").classes("show")
        self._select.on_value_change(widgets.with_error_notification(self._selected))
        self._log = ui.checkbox(
            "logarithmic", value=self.state.log, on_change=widgets.with_error_notification(self._selected)
        )

    def build(self) -> None:
        """The places for the rest."""
        with ui.element("div").classes("stack") as self._all:
            self._picture = ui.element("div").classes("stack")
            self._plot: ui.plotly | None = None  # it is there while there is a curve
            self._found = ui.element("div").classes("stack")
            self._tools = ui.element("div").classes("stack")
            self._orbits = OrbitPanel(self.context, self.state, self._draw)

    def dim(self, stale: bool) -> None:
        """Show whether the curve is of another setting or range."""
        widgets.mark_stale(self._all, stale)

    def _selected(self) -> None:
        if self._select.value:
            self.state.panel, self.state.log = self._select.value, self._log.value
            self.show()

    def show(self) -> None:
        """Everything that is there."""
        state = self.state
        if state.curve is None:
            return
        keys = list(state.curve.shown.panels)
        if state.panel not in keys:
            state.panel = default_quantity(state.curve.shown)
        if self._select.options != keys:
            self._select.set_options(keys)
        if self._select.value != state.panel:
            self._select.set_value(state.panel)
        self._draw()
        self._found.clear()
        with self._found:
            show_curve_notes(state, self._again)
        if not self._tools.default_slot.children:  # the same for all curves of a model
            with self._tools:
                name = f"{state.curve.shown.model.replace(' ', '-')}-curve"
                download_buttons(self.context, self._kept, name, ("png", "svg", "csv", "nc"))
        self._orbits.show()

    def _kept(self) -> tuple[bytes | None, str]:
        curve = self.state.curve if self.state.is_answered else None
        return (curve.kept if curve else None), self.state.panel

    def _draw(self) -> None:
        state = self.state
        if state.curve is None:
            return
        first = state.first.curve if state.first else None
        below = None if first is None or first is state.curve else first.shown
        chosen = state.point if state.orbit is not None else None
        looked = state.seen.shown if state.whole and state.seen and state.seen.choice == state.choice else None
        picture = response_figures.curve_figure(state.curve.shown, state.panel, below, state.log, chosen, looked)
        if self._plot is not None:
            self._plot.update_figure(picture)
            return
        self._picture.clear()
        for own in (self._select, self._log):
            own.set_visibility(True)
        with self._picture:
            self._plot = ui.plotly(picture).classes("full-width curve")
            self._orbits.watch(self._plot)

    def clear(self, words: str, again: bool) -> None:
        """Nothing is to be seen but what to do.   again : another try is offered."""
        self._plot = None
        for own in (self._select, self._log):  # there is nothing to choose from
            own.set_visibility(False)
        for place in (self._picture, self._found, self._tools, self._orbits):
            place.clear()
        with self._picture:
            widgets.placeholder(words)
            if again:
                ui.button("try again", on_click=widgets.with_error_notification(self._again)).props(
                    "flat dense no-caps"
                )
