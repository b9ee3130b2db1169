"""The response over frequency: a preview while parameters change, a full curve, or a traced one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.debounce import Debouncer
from slipstick.app.model_choice import ModelChoice
from slipstick.app.number_input import parse_positive
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import curve_notes, tasks, transient_preview
from slipstick.app.respond.curve_notes import FULL_CURVE_POINTS
from slipstick.app.respond.curve_panel import CurvePanel
from slipstick.app.respond.orbit_panel import OUTDATED_ORBIT_TEXT
from slipstick.app.respond.page_state import FREQUENCY_VIEW, RespondState
from slipstick.app.respond.response_results import CurveResult
from slipstick.app.respond.tasks import PREVIEW_TIME_LIMIT
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskFailed, TaskTimeout, run_within
from slipstick.errors import InvalidInput

log = logging.getLogger("slipstick.app")
PREVIEW_TIME_BUDGET = 0.1  # [s] for the points of a preview
MIN_PREVIEW_POINTS, INITIAL_PREVIEW_POINTS = 20, 40  # points of a preview
IDLE_DELAY = 0.4  # [s] without a change before the full curve is computed
COMPUTING_TEXT = "computing ..."
TOO_SLOW_TEXT = (
    "This model is too slow for a preview: press follow the curve, over a small range first, or run it over time."
)
PREVIEW_STOPPED_TEXT = "The first look was stopped before its first point."
NO_CURVE_TEXT = "There is no curve with these numbers: change a parameter, or reset it."


class FrequencyPanel:
    """The part of the page on curves.   on_curve : called when there is a new one."""

    label: ClassVar[str] = FREQUENCY_VIEW

    def __init__(self, context: PageContext, state: RespondState, on_curve: Callable[[], None]) -> None:
        self.context, self.state, self._notify_others = context, state, on_curve
        self._debouncer, self._refine_debouncer = (
            Debouncer(self._compute_preview),
            Debouncer(self._refine),
        )  # one of each at a time
        self._transient_debouncer, self._transient_preview_on = Debouncer(self._run_transient_preview), False
        self._seconds_per_point = 0.0  # measured
        self._refinement_pending = False  # a full curve will follow
        self._refinement_too_slow = False  # a full curve timed out once
        self._panel = CurvePanel(context, state, self._retry)
        with ui.element("div").classes("stack full-width") as self.place:
            self._build_inputs()
            self._bar = widgets.TaskBar(context.worker_pool, keeps_partial=True)
            with ui.element("div").classes("line above"):
                self._preview = ui.label("").classes("small preview").props('role="status"')
                self._status = ui.label("").classes("quiet small").props('role="status"')
                self._stop = ui.button("stop", on_click=self._stop_preview).props("flat dense no-caps")
                self._stop.set_visibility(False)
            self._panel.build()

    # ---- inputs

    def _build_inputs(self) -> None:
        state, described = self.state, self.state.described
        assert described is not None
        with ui.element("div").classes("line"):
            ends = (state.begin, state.end)
            self._ends = [
                ui.input(f"{word} [{described.unit}]", value=f"{described.scale * end:.6g}").props("dense outlined")
                for word, end in zip(("from", "to"), ends, strict=True)
            ]
            for field in self._ends:
                field.classes("number").style("width: 7.5rem").on(
                    "keydown.enter", widgets.with_error_notification(self._range_changed)
                )
                field.on("blur", widgets.with_error_notification(self._range_changed))
            self._panel.choose()
            ui.button("follow the curve", on_click=widgets.with_error_notification(self.follow)).props(
                "unelevated no-caps"
            ).tooltip("by its arclength, around folds, with all special points")
            ui.checkbox(
                "search other branches",
                value=state.thorough,
                on_change=lambda event: setattr(state, "thorough", bool(event.value)),
            ).tooltip("follow the curve, then look for branches that are not connected to it: takes much longer")

    async def _range_changed(self) -> None:
        described = self.state.described
        assert described is not None
        values = [parse_positive(str(field.label), field.value) / described.scale for field in self._ends]
        if values[0] == values[1]:
            raise InvalidInput(f"from and to must differ, got {self._ends[0].value} twice; widen the range")
        begin, end = sorted(values)
        # the text of a field is rounded: unchanged text is no change
        if any(abs(new - old) > 1e-6 * end for new, old in ((begin, self.state.begin), (end, self.state.end))):
            self.state.history.record(self.state.settings, "range")
            self.state.begin, self.state.end = begin, end
            await self.update()

    def _show_range(self) -> None:
        """Write the range of the state into its fields."""
        described = self.state.described
        assert described is not None
        for field, end in zip(self._ends, (self.state.begin, self.state.end), strict=True):
            field.set_value(f"{described.scale * end:.6g}")

    # ---- computations

    async def resume(self) -> None:
        """Show the curve, refine a preview, and compute a curve that is missing or outdated."""
        state = self.state
        if state.curve is None or not state.is_current:
            await self.update()
            return
        self._refinement_pending = curve_notes.is_preview(state)
        self.show()
        if self._refinement_pending:
            self._seconds_per_point = state.curve.seconds / len(state.curve.display.frequency)
            widgets.run_in_background(self._refine_debouncer.request(state.choice))

    async def update(self) -> None:
        """Compute a preview for the present choice, and the full curve when it rests."""
        choice = self.state.choice
        self._show_range()
        self.mark()
        if self.state.is_slow:
            await self._transient_debouncer.request(choice)
            return
        self._refinement_pending = True
        await self._debouncer.request(choice)
        widgets.run_in_background(self._refine_debouncer.request(self.state.choice))

    async def _compute_preview(self, choice: ModelChoice) -> None:
        points = (
            INITIAL_PREVIEW_POINTS
            if not self._seconds_per_point
            else int(min(max(PREVIEW_TIME_BUDGET / self._seconds_per_point, MIN_PREVIEW_POINTS), FULL_CURVE_POINTS))
        )
        self._status.set_text(COMPUTING_TEXT)
        state, ends = self.state, (self.state.begin, self.state.end)
        knobs = state.described.knobs if state.described else None
        try:
            result = await self._compute_points(choice, points)
        except TaskTimeout:
            if state.matches(choice, ends):
                state.slow_knobs = knobs
                await self._transient_debouncer.request(choice)
            return
        except TaskFailed:
            if state.matches(choice, ends):
                self._clear(NO_CURVE_TEXT)  # the earlier curve is of another setting
            raise
        finally:
            self.mark()
        self._seconds_per_point = result.seconds / points
        if not state.matches(choice, ends) and (state.view != self.label or state.is_slow):
            return  # changed over time: computed when the curve is shown again; or a transient preview runs
        state.slow_knobs = None
        self._set_curve(result)  # even if a parameter still changes: the next curve follows

    async def _run_transient_preview(self, choice: ModelChoice) -> None:
        """A first look, point by point, until the setting or range changes, or the user stops it."""
        state, ends = self.state, (self.state.begin, self.state.end)
        self._transient_preview_on, kept, wanted = True, b"", transient_preview.preview_frequencies(*ends)
        self._stop.set_visibility(True)
        try:
            for count, omega in enumerate(wanted):
                self._status.set_text(f"a first look: {count} of {len(wanted)} frequencies")
                with collect_warnings() as lines:
                    result = await run_within(
                        self.context.worker_pool,
                        PREVIEW_TIME_LIMIT,
                        transient_preview.add_preview_point,
                        choice,
                        omega,
                        kept,
                        ends,
                    )
                if state.choice is not choice or (state.begin, state.end) != ends:
                    return
                if not self._transient_preview_on:
                    if not kept:
                        self._clear(PREVIEW_STOPPED_TEXT, again=True)
                    return
                kept = result.data
                self._set_curve(replace(result, warnings=tuple(lines)))
        except TaskFailed as failure:
            if not kept and state.matches(choice, ends):
                self._clear(TOO_SLOW_TEXT if isinstance(failure, TaskTimeout) else NO_CURVE_TEXT, again=True)
            raise
        finally:
            self._transient_preview_on = False
            self._stop.set_visibility(False)
            self.mark()

    def _stop_preview(self) -> None:
        """Stop the first look; its points stay, marked as partial."""
        self._transient_preview_on = False
        self._stop.set_visibility(False)

    async def _retry(self) -> None:
        """Try a full curve again: a busy machine may be free now."""
        self.state.slow_knobs = None
        await self.update()

    async def _compute_points(self, choice: ModelChoice, points: int) -> CurveResult:
        state = self.state
        with collect_warnings() as lines:
            result = await run_within(
                self.context.worker_pool,
                PREVIEW_TIME_LIMIT,
                tasks.preview_curve,
                choice,
                state.begin,
                state.end,
                points,
            )
        return replace(result, warnings=tuple(lines))

    async def _refine(self, choice: ModelChoice | None) -> None:
        """Compute the full curve, if no parameter was changed meanwhile."""
        await asyncio.sleep(IDLE_DELAY)
        state, known = self.state, self.state.curve
        if choice is None or state.choice != choice or not state.is_current:
            return  # the next preview requests it again
        result = None
        if state.orbit is None and curve_notes.is_preview(state) and not self._refinement_too_slow:
            try:
                result = await self._compute_points(choice, FULL_CURVE_POINTS)
            except TaskFailed as failure:  # the preview stays
                self._refinement_too_slow = isinstance(failure, TaskTimeout)
                if not self._refinement_too_slow:
                    log.warning("no full curve: %s\n%s", failure, failure.details)
        if not state.is_current or self.place.is_deleted:
            return
        if state.curve is not known:  # traced meanwhile, or set by an earlier page of this tab
            self._refinement_pending = curve_notes.is_preview(state)
            self.show()
            if self._refinement_pending:
                await self._refine(choice)
            return
        self._refinement_pending = False
        if result is not None and state.orbit is None:
            self._set_curve(result)
        else:
            self._show_point_count()

    async def follow(self) -> None:
        """Trace the whole curve, with progress; it can be cancelled."""
        state, described = self.state, self.state.described
        assert described is not None
        assert state.choice is not None
        self._transient_preview_on = False
        choice, ends = state.choice, (state.begin, state.end)
        with collect_warnings() as lines:
            result = await self._bar.run(
                tasks.follow_curve, choice, *ends, described.unit, described.scale, state.thorough
            )
        if result is None:
            return
        result = replace(result, warnings=tuple(lines))
        if state.matches(choice, ends):
            self._set_curve(result)
        else:
            ui.notify(OUTDATED_ORBIT_TEXT, position="bottom")

    def _set_curve(self, result: CurveResult) -> None:
        state, seen = self.state, self.state.curve
        looked = seen if self._transient_preview_on and state.orbit is not None else None
        at = looked.display.frequency[state.point] if looked and looked.choice == result.choice else None
        if at is not None and at in result.display.frequency:  # its points have other indices now
            state.point = result.display.frequency.index(at)
        else:
            state.orbit = None
        if result.traced and seen is not None and state.is_slow and not seen.traced:
            state.preview = seen
        state.curve = result
        self.show()
        self._notify_others()

    def _clear(self, words: str, again: bool = False) -> None:
        """Show only a message.   again : with a button to try again."""
        self.state.curve = self.state.orbit = None
        self._show_point_count()
        self._panel.clear(words, again)

    # ---- display

    def show(self) -> None:
        """Show the curve and its notes."""
        self._show_point_count()
        self._panel.show()
        self.mark()

    def mark(self, waiting: bool = False) -> None:
        """Dim an outdated curve while the next one is computed.   waiting : a change is being applied."""
        if self.place.is_deleted:  # the page was left
            return
        stale = self.state.curve is not None and (waiting or not self.state.is_current)
        self._panel.dim(stale)
        self._status.set_text(COMPUTING_TEXT if stale else "")

    def _show_point_count(self) -> None:
        self._preview.set_text(curve_notes.preview_note(self.state, self._refinement_pending))
