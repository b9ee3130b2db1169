"""The orbit at a point of the curve, by a click or by frequency, and other solutions at its frequency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.debounce import Debouncer
from slipstick.app.number_input import parse_positive
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import coexisting_solutions, tasks
from slipstick.app.respond.kept_settings import kept_orbits
from slipstick.app.respond.motion_view import download_buttons, show_motion
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.response_results import CurveResult, RunResult
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskTimeout, run_within

ORBIT_TIME_LIMIT = 30.0  # [s] for an orbit; a click on another point waits for it
OUTDATED_ORBIT_TEXT = "a parameter or the range has changed meanwhile: the result was dropped, request it again"
ORBIT_TIMEOUT_TEXT = "the orbit at {} takes longer than {:g} s; click another point, or run over time at this frequency"
# sends only the index of the clicked point
CLICK_HANDLER_SCRIPT = "(event) => emit(event?.points?.[0]?.customdata ?? null)"


class OrbitPanel:
    """The part of the page on orbits.   mark_point : marks the present point on the curve.

    open_drawer : called with True while an orbit is shown.
    """

    def __init__(
        self,
        context: PageContext,
        state: RespondState,
        mark_point: Callable[[], None],
        open_drawer: Callable[[bool], None],
    ) -> None:
        self.context, self.state, self._mark_point = context, state, mark_point
        self._open_drawer = open_drawer
        self._debouncer = Debouncer(self._compute_orbit)
        self._requested: int | None = None  # the latest point, until its orbit is there
        self._inputs = ui.element("div").classes("stack")
        self._results = ui.element("div").classes("stack")

    def clear(self) -> None:
        """Clear the panel: there is no curve."""
        self._open_drawer(False)
        self._inputs.clear()
        self._results.clear()

    def watch(self, plot: ui.plotly) -> None:
        """Show the orbit of a point of the curve when it is clicked."""
        plot.on("plotly_click", widgets.with_error_notification(self._clicked), js_handler=CLICK_HANDLER_SCRIPT)

    def step_by_keys(self, place: ui.element) -> None:
        """Step along the curve with the arrow keys while a place has the focus."""
        place.props('tabindex="0" role="group" aria-label="curve; arrow keys step along its orbits"')
        for key, step in (("left", -1), ("right", 1)):
            place.on(f"keydown.{key}.prevent", widgets.with_error_notification(lambda step=step: self.step(step)), [])

    async def step(self, count: int) -> None:
        """Show the orbit some points further along the curve; the first or last one at an end."""
        if self.state.curve is not None:
            last = len(self.state.curve.display.frequency) - 1
            begin = self._requested if self._requested is not None else self.state.point
            await self.show_at(min(max(begin + count, 0), last))

    def close(self) -> None:
        """Close the orbit; the curve takes its room."""
        self.state.orbit = None
        self._mark_point()
        self.show()

    async def _clicked(self, event: Any) -> None:
        if isinstance(event.args, int):
            await self.show_at(event.args)

    async def show_at(self, point: int) -> None:
        """Compute and show the orbit at a point of the present curve."""
        if self.state.curve is not None:
            self._requested = point
            await self._debouncer.request(self.state.curve, point)

    async def _compute_orbit(self, curve: CurveResult, point: int) -> None:
        state = self.state
        try:
            with collect_warnings() as lines:
                result = await run_within(
                    self.context.worker_pool, ORBIT_TIME_LIMIT, tasks.orbit_at_point, curve.data, point
                )
        except TaskTimeout:
            place = f"{curve.display.frequency[point]:.6g} {curve.display.unit}"
            raise TaskTimeout(ORBIT_TIMEOUT_TEXT.format(place, ORBIT_TIME_LIMIT)) from None
        finally:
            if self._requested == point:
                self._requested = None
        if state.curve is None or not (state.is_current and state.matches(curve.choice, curve.ends)):
            ui.notify(OUTDATED_ORBIT_TEXT, position="bottom")
            return
        # a full or a traced curve of the same setting may have come meanwhile
        state.point = (
            point
            if state.curve is curve
            else coexisting_solutions.matching_point(curve.display, point, state.curve.display)
        )
        state.orbit = replace(result, warnings=tuple(lines))
        self._mark_point()
        self.show()

    # ---- what is shown

    def show(self) -> None:
        """Show the field for a frequency, and the orbit."""
        if self.state.curve is not None and not self._inputs.default_slot.children:
            with self._inputs:
                self._build_inputs(self.state.curve.display.unit)
        self._results.clear()
        result = self.state.orbit
        self._open_drawer(result is not None)
        if result is None:
            return
        with self._results:
            self._show_coexisting()
            show_motion(result, kept_orbits(self.state.kept, result))
            name = f"{result.display.model.replace(' ', '-')}-orbit"

            def current_result() -> tuple[RunResult | None, str]:
                return (result if self.state.is_current else None), ""

            download_buttons(self.context, current_result, name, ("png", "svg", "csv", "nc"))

    def _build_inputs(self, unit: str) -> None:
        widgets.title("Orbit")
        with ui.element("div").classes("line"):
            widgets.note("Click a point of the curve to see its orbit, step with the arrow keys, or give a frequency:")
            field = ui.input(f"frequency [{unit}]").props("dense outlined").classes("number")

            async def show() -> None:
                wanted = parse_positive(str(field.label), field.value)
                if self.state.curve is not None:
                    await self.show_at(coexisting_solutions.nearest_point(self.state.curve.display, wanted))

            field.on("keydown.enter", widgets.with_error_notification(show))
            ui.button("nearest orbit", on_click=widgets.with_error_notification(show)).props("flat dense no-caps")
            with ui.element("div").classes("line"):
                for icon, words, count in (("chevron_left", "previous orbit", -1), ("chevron_right", "next orbit", 1)):
                    step = widgets.with_error_notification(lambda count=count: self.step(count))
                    ui.button(icon=icon, on_click=step).props(f'flat round dense aria-label="{words}"').tooltip(words)
                close = ui.button(icon="close", on_click=widgets.with_error_notification(self.close))
                close.props('flat round dense aria-label="close the orbit"').tooltip("close the orbit")

    def _show_coexisting(self) -> None:
        """Show the other solutions at the frequency of the present orbit, each with a button."""
        state = self.state
        if state.curve is None:
            return
        display = state.curve.display
        _, *others = coexisting_solutions.points_at_same_frequency(display, state.point)
        place = f"{display.frequency[state.point]:.6g} {display.unit}"
        if not display.joined:
            widgets.note(f"At {place}. This is one motion per frequency; follow the curve to find others.")
            return
        count = f"{len(others)} other motion{'s' * (len(others) != 1)}" if others else "no other motion"
        more = ": click its branch in the curve, or one of these" if others else " of this curve"
        widgets.note(
            f"At {place}: {coexisting_solutions.point_label(display, state.point, state.panel)}; {count} at "
            f"this frequency{more}."
        )

        def button(point: int) -> None:
            async def show() -> None:
                await self.show_at(point)

            words = coexisting_solutions.point_label(display, point, state.panel)
            ui.button(words, on_click=widgets.with_error_notification(show)).props("outline dense no-caps")

        with ui.element("div").classes("line others"):
            for each in others:
                button(each)
