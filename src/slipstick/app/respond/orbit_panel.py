"""The orbit at a point of the curve: one that is clicked or asked for by its frequency, and the other motions there."""

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
from slipstick.app.respond.motion_view import download_buttons, show_motion
from slipstick.app.respond.page_state import RespondState
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskTimeout, run_within

ORBIT_TIME_LIMIT = 30.0  # [s] for an orbit: whoever clicks another point waits for the last one
OUTDATED_ORBIT_TEXT = "a knob was turned or the range changed meanwhile: what came was left out, ask for it again"
ORBIT_TIMEOUT_TEXT = "the orbit at {} takes longer than {:g} s; click another point, or run over time at this frequency"
# the number of the point that was clicked, and not all of the picture
CLICK_HANDLER_SCRIPT = "(event) => emit(event?.points?.[0]?.customdata ?? null)"


class OrbitPanel:
    """The part of the page on orbits, below the curve.   ringed : called when another point of it is to be marked."""

    def __init__(self, context: PageContext, state: RespondState, ringed: Callable[[], None]) -> None:
        self.context, self.state, self._ring = context, state, ringed
        self._wanted = Debouncer(self._find)  # of several clicks in a row the last one counts
        self._asked = ui.element("div").classes("stack")
        self._found = ui.element("div").classes("stack")

    def clear(self) -> None:
        """There is no curve to ask for an orbit of."""
        self._asked.clear()
        self._found.clear()

    def watch(self, plot: ui.plotly) -> None:
        """A click on a point of the curve shows its orbit."""
        plot.on("plotly_click", widgets.with_error_notification(self._clicked), js_handler=CLICK_HANDLER_SCRIPT)

    async def _clicked(self, event: Any) -> None:
        if isinstance(event.args, int):
            await self.show_at(event.args)

    async def show_at(self, point: int) -> None:
        """The orbit at a point of the curve as it is drawn now, by its number."""
        if self.state.curve is not None:
            await self._wanted.request(self.state.curve, point)

    async def _find(self, curve: tasks.CurveResult, point: int) -> None:
        state = self.state
        try:
            with collect_warnings() as lines:
                found = await run_within(
                    self.context.worker_pool, ORBIT_TIME_LIMIT, tasks.orbit_at_point, curve.kept, point
                )
        except TaskTimeout:
            place = f"{curve.shown.frequency[point]:.6g} {curve.shown.unit}"
            raise TaskTimeout(ORBIT_TIMEOUT_TEXT.format(place, ORBIT_TIME_LIMIT)) from None
        if state.curve is None or not (state.is_answered and state.wants(curve.choice, curve.ends)):
            ui.notify(OUTDATED_ORBIT_TEXT, position="bottom")
            return
        # a finer or a followed one of the same setting may have come meanwhile
        state.point = (
            point
            if state.curve is curve
            else coexisting_solutions.matching_point(curve.shown, point, state.curve.shown)
        )
        state.orbit = replace(found, remarks=tuple(lines))
        self._ring()
        self.show()

    # ---- what is shown

    def show(self) -> None:
        """The field for a frequency, once, and the orbit that is there."""
        if self.state.curve is not None and not self._asked.default_slot.children:
            with self._asked:
                self._ask(self.state.curve.shown.unit)
        self._found.clear()
        found = self.state.orbit
        if found is None:
            return
        first = self.state.first.orbit if self.state.first else None
        with self._found:
            self._show_coexisting()
            show_motion(found, first)
            name = f"{found.shown.model.replace(' ', '-')}-orbit"

            def kept() -> tuple[bytes | None, str]:
                return (found.kept if self.state.is_answered else None), ""

            download_buttons(self.context, kept, name, ("png", "svg", "csv", "nc"))

    def _ask(self, unit: str) -> None:
        widgets.title("Orbit")
        with ui.element("div").classes("line"):
            widgets.note("Click a point of the curve to see its orbit, or give a frequency:")
            field = ui.input(f"frequency [{unit}]").props("dense outlined").classes("number")

            async def show() -> None:
                wanted = parse_positive(str(field.label), field.value)
                if self.state.curve is not None:
                    await self.show_at(coexisting_solutions.nearest_point(self.state.curve.shown, wanted))

            field.on("keydown.enter", widgets.with_error_notification(show))
            ui.button("nearest orbit", on_click=widgets.with_error_notification(show)).props("flat dense no-caps")

    def _show_coexisting(self) -> None:
        """The other motions at the frequency of the one that is shown, each with a way to it."""
        state = self.state
        if state.curve is None:
            return
        shown = state.curve.shown
        _, *others = coexisting_solutions.points_at_same_frequency(shown, state.point)
        place = f"{shown.frequency[state.point]:.6g} {shown.unit}"
        if not shown.joined:
            widgets.note(
                f"At {place}. One motion is looked for at each frequency; follow the curve to see others there."
            )
            return
        count = f"{len(others)} other motion{'s' * (len(others) != 1)}" if others else "no other motion"
        more = ": click its branch in the curve, or one of these" if others else " of this curve"
        widgets.note(
            f"At {place}: {coexisting_solutions.point_label(shown, state.point, state.panel)}; {count} at "
            f"this frequency{more}."
        )

        def button(point: int) -> None:
            async def show() -> None:
                await self.show_at(point)

            words = coexisting_solutions.point_label(shown, point, state.panel)
            ui.button(words, on_click=widgets.with_error_notification(show)).props("outline dense no-caps")

        with ui.element("div").classes("line others"):
            for each in others:
                button(each)
