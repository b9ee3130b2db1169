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

    def __init__(self, desk: PageContext, bench: RespondState, again: Callable[[], Awaitable[Any]]) -> None:
        self.desk, self.bench, self._again = desk, bench, again

    def choose(self) -> None:
        """The fields that say what is drawn."""
        self._select = ui.select([], label="show").props("dense outlined").classes("show")
        self._select.on_value_change(widgets.with_error_notification(self._selected))
        self._log = ui.checkbox(
            "logarithmic", value=self.bench.log, on_change=widgets.with_error_notification(self._selected)
        )

    def build(self) -> None:
        """The places for the rest."""
        with ui.element("div").classes("stack") as self._all:
            self._picture = ui.element("div").classes("stack")
            self._plot: ui.plotly | None = None  # it is there while there is a curve
            self._found = ui.element("div").classes("stack")
            self._tools = ui.element("div").classes("stack")
            self._orbits = OrbitPanel(self.desk, self.bench, self._draw)

    def dim(self, stale: bool) -> None:
        """Show whether the curve is of another setting or range."""
        widgets.mark_stale(self._all, stale)

    def _selected(self) -> None:
        if self._select.value:
            self.bench.panel, self.bench.log = self._select.value, self._log.value
            self.show()

    def show(self) -> None:
        """Everything that is there."""
        bench = self.bench
        if bench.curve is None:
            return
        keys = list(bench.curve.shown.panels)
        if bench.panel not in keys:
            bench.panel = default_quantity(bench.curve.shown)
        if self._select.options != keys:
            self._select.set_options(keys)
        if self._select.value != bench.panel:
            self._select.set_value(bench.panel)
        self._draw()
        self._found.clear()
        with self._found:
            show_curve_notes(bench, self._again)
        if not self._tools.default_slot.children:  # the same for all curves of a model
            with self._tools:
                name = f"{bench.curve.shown.model.replace(' ', '-')}-curve"
                download_buttons(self.desk, self._kept, name, ("png", "svg", "csv", "nc"))
        self._orbits.show()

    def _kept(self) -> tuple[bytes | None, str]:
        curve = self.bench.curve if self.bench.is_answered else None
        return (curve.kept if curve else None), self.bench.panel

    def _draw(self) -> None:
        bench = self.bench
        if bench.curve is None:
            return
        first = bench.first.curve if bench.first else None
        below = None if first is None or first is bench.curve else first.shown
        chosen = bench.point if bench.orbit is not None else None
        looked = bench.seen.shown if bench.whole and bench.seen and bench.seen.choice == bench.choice else None
        picture = response_figures.curve_figure(bench.curve.shown, bench.panel, below, bench.log, chosen, looked)
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
