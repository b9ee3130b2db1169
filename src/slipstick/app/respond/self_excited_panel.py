"""Motion without forcing, such as squeal: the limit cycle, and steady sliding over the speed of a belt."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.code_view import code_panel
from slipstick.app.equivalent_code import EquivalentCode
from slipstick.app.number_input import parse_number, parse_positive
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import self_excited
from slipstick.app.respond.equivalent_code import cycle_code
from slipstick.app.respond.motion_view import STALE_TEXT, download_buttons, show_motion
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.response_results import RunResult
from slipstick.app.respond.self_excited import CycleRequest, CycleResult
from slipstick.app.task_warnings import collect_warnings
from slipstick.errors import InvalidInput

FORCED_TEXT = (
    "A load or a motion of this model varies in time, so its motion is forced: see over frequency. "
    "This panel finds the motion that a model without such loads keeps up."
)
EMPTY_TEXT = "Press find the motion: a run until the given time has to settle to what the model keeps up by itself."
STALE_CYCLE_TEXT = "This motion belongs to other settings; find it again."


class SelfExcitedPanel:
    """The part of the page on limit cycles.   on_cycle : called when there is a new result."""

    label: ClassVar[str] = "self-excited"

    def __init__(self, context: PageContext, state: RespondState, on_cycle: Callable[[], None]) -> None:
        self.context, self.state, self._notify_others = context, state, on_cycle
        with ui.element("div").classes("stack full-width") as self.place:
            self._build_inputs()
            self._bar = widgets.TaskBar(context.worker_pool)
            with ui.element("div").classes("line above"):
                self._status = ui.label("").classes("quiet small").props('role="status"')
            self._results = ui.element("div").classes("stack")
        self.show()

    def _build_inputs(self) -> None:
        state, described = self.state, self.state.described
        assert described is not None
        request = state.cycle_request or CycleRequest(described.until, described.self_excitation.speed_range)
        speed = described.self_excitation.speed
        unit = f" [{speed.unit}]" if speed and speed.unit else ""
        with ui.element("div").classes("line") as inputs:
            self._until = _field(f"run for [{described.time_unit}]", request.until)
            ends = zip(("from", "to"), request.speeds or (), strict=False)
            self._speeds = [_field(f"speed {word}{unit}", end) for word, end in ends] if speed else []
            for field in (self._until, *self._speeds):
                field.on("keydown.enter", widgets.with_error_notification(self.run))
                field.on_value_change(lambda _: self.mark())
            ui.button("find the motion", on_click=widgets.with_error_notification(self.run)).props("unelevated no-caps")
        inputs.set_visibility(described.self_excitation.possible)

    def _read(self) -> CycleRequest:
        until = parse_positive(str(self._until.label), self._until.value)
        if not self._speeds:
            return CycleRequest(until)
        low, high = sorted(parse_number(str(field.label), field.value) for field in self._speeds)
        if low == high:
            raise InvalidInput(f"speeds must differ, got {low:g} twice; widen the range")
        return CycleRequest(until, (low, high))

    async def run(self) -> None:
        """Find the motion with progress; cancelling drops it."""
        state, request = self.state, self._read()
        assert state.choice is not None
        if self._bar.busy and request == state.cycle_request:
            return  # Enter in a field, and then the button
        if not self._bar.busy:
            state.cycle_request = request
        with collect_warnings() as lines:
            result = await self._bar.run(self_excited.find_cycle, state.choice, request)
        if result is not None:
            state.cycle = replace(result, warnings=tuple(lines))
            self.show()
            self._notify_others()

    async def resume(self) -> None:
        """Show whether the motion is outdated; it is found again only on request."""
        self.mark()

    async def update(self) -> None:
        """After a change: mark the motion as outdated."""
        self.mark()

    @property
    def _current(self) -> CycleResult | None:
        """The result if it belongs to the present numbers and to the fields."""
        own = self.state.cycle
        try:
            known = own is not None and own.choice == self.state.choice and own.request == self._read()
        except InvalidInput:
            return None
        return own if known else None

    def mark(self, waiting: bool = False) -> None:
        """Dim an outdated motion.   waiting : a change is being applied."""
        if self.place.is_deleted:  # the page was left
            return
        stale = self.state.cycle is not None and (waiting or self._current is None)
        widgets.mark_stale(self._results, stale)
        self._status.set_text(STALE_CYCLE_TEXT if stale else "")

    def show(self) -> None:
        """Show the motion."""
        described, own = self.state.described, self.state.cycle
        assert described is not None
        self._results.clear()
        with self._results:
            if own is None:
                widgets.placeholder(EMPTY_TEXT if described.self_excitation.possible else FORCED_TEXT)
                return
            widgets.warning_lines(own.warnings)
            with ui.element("div").classes("stack self-excited"):
                if own.cycle is None:
                    widgets.note(own.why_none, "warning")
                else:
                    show_motion(own.cycle, ())
                    name = f"{own.cycle.display.model.replace(' ', '-')}-limit-cycle"
                    download_buttons(self.context, self._current_cycle, name, ("png", "svg", "csv", "nc"))
                _show_steady(own)
            code_panel(self._code)
        self.mark()

    def _current_cycle(self) -> tuple[RunResult | None, str]:
        return (self._current.cycle if self._current is not None else None), ""

    async def _code(self) -> EquivalentCode:
        """Code for the present motion."""
        own = self._current
        if own is None:
            raise InvalidInput(STALE_TEXT)
        return await self.context.worker_pool.run(cycle_code, None, own.choice, own.request, own.cycle is not None)


def _show_steady(own: CycleResult) -> None:
    """Show steady sliding over the speed, with the points where it loses its stability."""
    if own.why_no_steady:
        widgets.note(own.why_no_steady, "warning")
    steady = own.steady
    if steady is None:
        return
    widgets.title("Steady sliding")
    widgets.plot(self_excited.steady_figure(steady)).classes("steady")
    for line in steady.lines:
        widgets.note(line)
    head = f"{steady.name} [{steady.unit}]" if steady.unit else steady.name
    rows = [
        (kind, f"{value:.6g}", "" if math.isnan(frequency) else f"{frequency:.6g} rad/s")
        for kind, value, frequency, _ in steady.special
    ]
    if rows:
        widgets.table(("special point", head, "frequency"), rows)
    else:
        stable = "stable" if all(steady.stable) else "unstable" if not any(steady.stable) else "stable in part"
        widgets.note(f"no special point in this range; steady sliding is {stable}")


def _field(label: str, value: float) -> ui.input:
    field: ui.input = ui.input(label, value=f"{value:.15g}").props("dense outlined").classes("number")
    return field
