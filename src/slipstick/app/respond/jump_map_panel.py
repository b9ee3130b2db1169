"""The region of several motions over frequency and a parameter: up to which load is there no jump?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.code_view import code_panel
from slipstick.app.equivalent_code import EquivalentCode
from slipstick.app.number_input import parse_number, parse_positive
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import jump_map
from slipstick.app.respond.equivalent_code import jump_map_code
from slipstick.app.respond.jump_map import MapRequest, MapResult
from slipstick.app.respond.motion_view import STALE_TEXT, download_buttons, show_certificate
from slipstick.app.respond.page_state import RespondState
from slipstick.app.task_warnings import collect_warnings
from slipstick.errors import InvalidInput

MAX_LEVELS = 50
EMPTY_TEXT = "Press make the map to see where the response has several motions, and up to which value nothing jumps."
STALE_MAP_TEXT = "This map belongs to other settings; make it again."


class JumpMapPanel:
    """The part of the page on jump maps.   on_map : called when there is a new one."""

    label: ClassVar[str] = "jump map"

    def __init__(self, context: PageContext, state: RespondState, on_map: Callable[[], None]) -> None:
        self.context, self.state, self._notify_others = context, state, on_map
        with ui.element("div").classes("stack full-width") as self.place:
            self._build_inputs()
            self._bar = widgets.TaskBar(context.worker_pool)
            with ui.element("div").classes("line above"):
                self._status = ui.label("").classes("quiet small").props('role="status"')
            self._results = ui.element("div").classes("stack")
        self.show()

    def _build_inputs(self) -> None:
        described = self.state.described
        assert described is not None
        names, request = [own.name for own in described.map_parameters], self.state.map_request
        if request is None or request.parameter not in names:  # another law has others
            request = self._default_request()
        with ui.element("div").classes("line"):
            self._parameter = ui.select(names, value=request.parameter or None, label="parameter", with_input=True)
            self._parameter.props("dense outlined").classes("show")
            self._low, self._high, self._begin, self._end, self._levels = self._fields = tuple(
                ui.input(label, value=f"{value:.15g}").props("dense outlined").classes("number")
                for label, value in (
                    ("from", request.low),
                    ("to", request.high),
                    (f"frequency from [{described.unit}]", request.begin),
                    (f"frequency to [{described.unit}]", request.end),
                    ("values", request.levels),
                )
            )
            for field in (self._low, self._high, self._levels):
                field.style("width: 7.5rem")
            self._levels.tooltip("how many values of the parameter folds are looked for at, evenly spaced")
            self._thorough = ui.checkbox("search other branches", value=request.thorough)
            self._thorough.tooltip("also look for folds of branches that are not connected: takes much longer")
            ui.button("make the map", on_click=widgets.with_error_notification(self.run)).props("unelevated no-caps")
        for field in self._fields:
            field.on("keydown.enter", widgets.with_error_notification(self.run))
            field.on_value_change(lambda _: self.mark())
        self._thorough.on_value_change(lambda _: self.mark())
        self._parameter.on_value_change(lambda _: self._parameter_changed())
        self._label_range()

    def _default_request(self) -> MapRequest:
        state, described = self.state, self.state.described
        assert described is not None
        own = jump_map.default_parameter(described.map_parameters)
        begin, end = (float(f"{described.scale * end:.6g}") for end in (state.begin, state.end))
        return MapRequest(own.name, *jump_map.default_range(own), begin, end)

    def _parameter_changed(self) -> None:
        """Fill in a range about the value of another parameter."""
        described = self.state.described
        assert described is not None
        own = next((each for each in described.map_parameters if each.name == self._parameter.value), None)
        if own is not None:
            for field, end in zip((self._low, self._high), jump_map.default_range(own), strict=True):
                field.set_value(f"{end:.15g}")
        self._label_range()
        self.mark()

    def _label_range(self) -> None:
        described = self.state.described
        assert described is not None
        units = {own.name: own.unit for own in described.map_parameters}
        unit = units.get(str(self._parameter.value), "")
        for field, word in ((self._low, "from"), (self._high, "to")):
            field.set_label(f"{word} [{unit}]" if unit else word)

    def _read(self) -> MapRequest:
        if not self._parameter.value:
            raise InvalidInput("a jump map needs a parameter; choose one")
        low, high = (parse_number(str(field.label), field.value) for field in (self._low, self._high))
        begin, end = (parse_positive(str(field.label), field.value) for field in (self._begin, self._end))
        if low == high or begin == end:
            raise InvalidInput(f"from and to must differ, got {low:g} to {high:g} and {begin:g} to {end:g}; widen both")
        levels = parse_number("values", self._levels.value)
        if levels != int(levels) or not 2 <= levels <= MAX_LEVELS:
            raise InvalidInput(f"values must be a whole number from 2 to {MAX_LEVELS}, got {levels:g}")
        (low, high), (begin, end) = sorted((low, high)), sorted((begin, end))
        thorough = bool(self._thorough.value)
        return MapRequest(str(self._parameter.value), low, high, begin, end, int(levels), thorough)

    async def run(self) -> None:
        """Make the map with progress; a cancelled one is dropped."""
        state, request = self.state, self._read()
        assert state.choice is not None
        if self._bar.busy and request == state.map_request:
            return  # Enter in a field, and then the button
        if not self._bar.busy:
            state.map_request = request
        with collect_warnings() as lines:
            result = await self._bar.run(jump_map.make_map, state.choice, request)
        if result is not None:
            state.map = replace(result, warnings=tuple(lines))
            self.show()
            self._notify_others()

    async def resume(self) -> None:
        """Show whether the map is outdated; a new one is made only on request."""
        self._show_parameters()
        self.mark()

    async def update(self) -> None:
        """After a change: mark the map as outdated."""
        self._show_parameters()
        self.mark()

    def _show_parameters(self) -> None:
        """Offer the parameters of the present model; another law has others."""
        described = self.state.described
        assert described is not None
        names = [own.name for own in described.map_parameters]
        if names != self._parameter.options:
            kept = self._parameter.value in names
            value = self._parameter.value if kept else jump_map.default_parameter(described.map_parameters).name
            self._parameter.set_options(names, value=value)

    @property
    def _is_current(self) -> bool:
        """True if the map belongs to the present numbers and to the fields."""
        own = self.state.map
        try:
            return own is not None and own.choice == self.state.choice and own.request == self._read()
        except InvalidInput:
            return False

    def mark(self, waiting: bool = False) -> None:
        """Dim an outdated map.   waiting : a change is being applied."""
        if self.place.is_deleted:  # the page was left
            return
        stale = self.state.map is not None and (waiting or not self._is_current)
        widgets.mark_stale(self._results, stale)
        self._status.set_text(STALE_MAP_TEXT if stale else "")

    def show(self) -> None:
        """Show the map."""
        self._results.clear()
        with self._results:
            own = self.state.map
            if own is None:
                widgets.placeholder(EMPTY_TEXT)
                return
            widgets.warning_lines(own.warnings)
            show_certificate(own.display.certificate)
            widgets.plot(jump_map.map_figure(own.display)).classes("jump-map")
            name = f"{own.display.model.replace(' ', '-')}-jumps"
            download_buttons(self.context, self._current_result, name, ("png", "svg", "csv", "nc"))
            code_panel(self._code)
        self.mark()

    def _current_result(self) -> tuple[MapResult | None, str]:
        return (self.state.map if self._is_current else None), ""

    async def _code(self) -> EquivalentCode:
        """Code for the present map."""
        own = self._current_result()[0]
        if own is None:
            raise InvalidInput(STALE_TEXT)
        return await self.context.worker_pool.run(jump_map_code, None, own.choice, own.request)
