"""The response over frequency: soon at some frequencies while a knob is turned, or followed as a whole curve."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

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
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.tasks import PREVIEW_TIME_LIMIT
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskFailed, TaskTimeout, run_within
from slipstick.errors import InvalidInput

PREVIEW_TIME_BUDGET = 0.1  # [s] that the points of a knob's answer may take
MIN_PREVIEW_POINTS, INITIAL_PREVIEW_POINTS = 20, 40  # points: of an answer at least, and of the first one
IDLE_DELAY = 0.4  # [s] without a turn
COMPUTING_TEXT = "computing ..."
TOO_SLOW_TEXT = (
    "This model takes too long to answer: press follow the curve, over a small range first, or look at its motion over "
    "time."
)
PREVIEW_STOPPED_TEXT = "The first look was stopped before it had found anything."
NO_CURVE_TEXT = "There is no curve with these numbers: turn a knob, or reset it."


class FrequencyPanel:
    """The part of the page on curves.   found : called when there is another one."""

    def __init__(self, context: PageContext, state: RespondState, found: Callable[[], None]) -> None:
        self.context, self.state, self._notify_others = context, state, found
        self._debouncer, self._refine_debouncer = (
            Debouncer(self._answer),
            Debouncer(self._refine),
        )  # one of each at a time
        self._transient_debouncer, self._transient_preview_on = Debouncer(self._look), False
        self._share = 0.0  # [s] of a point, as measured
        self._refinement_pending = False  # a curve of more points is to come
        self._slow = False  # such a curve came too late once
        self._panel = CurvePanel(context, state, self._again)
        with ui.element("div").classes("stack full-width") as self.place:
            self._ask()
            self._bar = widgets.TaskBar(context.worker_pool, keeps_partial=True)
            with ui.element("div").classes("line above"):
                self._preview = ui.label("").classes("small preview").props('role="status"')
                self._status = ui.label("").classes("quiet small").props('role="status"')
                self._stop = ui.button("stop", on_click=self._end_preview).props("flat dense no-caps")
                self._stop.set_visibility(False)
            self._panel.build()

    # ---- what is asked

    def _ask(self) -> None:
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
                    "keydown.enter", widgets.with_error_notification(self._ranged)
                )
                field.on("blur", widgets.with_error_notification(self._ranged))
            self._panel.choose()
            ui.button("follow the curve", on_click=widgets.with_error_notification(self.follow)).props(
                "unelevated no-caps"
            ).tooltip("by its arclength, around folds, with all special points")

    async def _ranged(self) -> None:
        described = self.state.described
        assert described is not None
        values = [parse_positive(str(field.label), field.value) / described.scale for field in self._ends]
        if values[0] == values[1]:
            raise InvalidInput(f"from and to must differ, got {self._ends[0].value} twice; widen the range")
        begin, end = sorted(values)
        # what a field shows is rounded: unchanged words are no other range
        if any(abs(new - old) > 1e-6 * end for new, old in ((begin, self.state.begin), (end, self.state.end))):
            self.state.begin, self.state.end = begin, end
            await self.renew()

    # ---- what is computed

    async def resume(self) -> None:
        """What is there, and finer where a preview was left; an answer where it is of other knobs or another range."""
        state = self.state
        if state.curve is None or not state.is_answered:
            await self.renew()
            return
        self._refinement_pending = curve_notes.is_preview(state)
        self.show()
        if self._refinement_pending:
            self._share = state.curve.took / len(state.curve.shown.frequency)
            widgets.run_in_background(self._refine_debouncer.request(state.choice))

    async def renew(self) -> None:
        """Answer for the choice as it is now: soon, and finely when it rests."""
        choice = self.state.choice
        self.mark()
        if self.state.long:
            await self._transient_debouncer.request(choice)
            return
        self._refinement_pending = True
        await self._debouncer.request(choice)
        widgets.run_in_background(
            self._refine_debouncer.request(self.state.choice)
        )  # of several turns in a row the last one counts

    async def _answer(self, choice: ModelChoice) -> None:
        points = (
            INITIAL_PREVIEW_POINTS
            if not self._share
            else int(min(max(PREVIEW_TIME_BUDGET / self._share, MIN_PREVIEW_POINTS), FULL_CURVE_POINTS))
        )
        self._status.set_text(COMPUTING_TEXT)
        state, ends = self.state, (self.state.begin, self.state.end)
        knobs = state.described.knobs if state.described else None
        try:
            found = await self._quick(choice, points)
        except TaskTimeout:
            if state.wants(choice, ends):
                state.late = knobs
                await self._transient_debouncer.request(choice)
            return
        except TaskFailed:
            if state.wants(choice, ends):
                self._forget(NO_CURVE_TEXT)  # what was found before is of another setting
            raise
        finally:
            self.mark()
        self._share = found.took / points
        if not state.wants(choice, ends) and (state.over_time or state.long):
            return  # a knob was turned there, and answered for when the curve is looked at again; or a look goes on
        state.late = None
        self._take(found)  # also of a knob that is still being turned: the next answer is on its way

    async def _look(self, choice: ModelChoice) -> None:
        """A first look, point by point, until another setting or range is asked for, or somebody has seen enough."""
        state, ends = self.state, (self.state.begin, self.state.end)
        self._transient_preview_on, kept, wanted = True, b"", transient_preview.preview_frequencies(*ends)
        self._stop.set_visibility(True)
        try:
            for count, omega in enumerate(wanted):
                self._status.set_text(f"a first look: {count} of {len(wanted)} frequencies")
                with collect_warnings() as lines:
                    found = await run_within(
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
                        self._forget(PREVIEW_STOPPED_TEXT, again=True)
                    return
                kept = found.kept
                self._take(replace(found, remarks=tuple(lines)))
        except TaskFailed as failure:
            if not kept and state.wants(choice, ends):
                self._forget(TOO_SLOW_TEXT if isinstance(failure, TaskTimeout) else NO_CURVE_TEXT, again=True)
            raise
        finally:
            self._transient_preview_on = False
            self._stop.set_visibility(False)
            self.mark()

    def _end_preview(self) -> None:
        """What was seen by now is kept; it says that it is a part."""
        self._transient_preview_on = False
        self._stop.set_visibility(False)

    async def _again(self) -> None:
        """Whoever asks for it has another try: a machine that was busy may be free."""
        self.state.late = None
        await self.renew()

    async def _quick(self, choice: ModelChoice, points: int) -> tasks.CurveResult:
        state = self.state
        with collect_warnings() as lines:
            found = await run_within(
                self.context.worker_pool,
                PREVIEW_TIME_LIMIT,
                tasks.preview_curve,
                choice,
                state.begin,
                state.end,
                points,
            )
        return replace(found, remarks=tuple(lines))

    async def _refine(self, choice: ModelChoice | None) -> None:
        """Once more with more points, if nobody has turned a knob meanwhile."""
        await asyncio.sleep(IDLE_DELAY)
        state, known = self.state, self.state.curve
        if choice is None or state.choice != choice or not state.is_answered:
            return  # whoever is answered next asks again
        found = None
        if state.orbit is None and curve_notes.is_preview(state) and not self._slow:
            try:
                found = await self._quick(choice, FULL_CURVE_POINTS)
            except TaskFailed as failure:  # what is there already will do
                self._slow = isinstance(failure, TaskTimeout)
        if not state.is_answered or self.place.is_deleted:
            return
        if state.curve is not known:  # it was followed meanwhile, or a page that was left in this tab has answered
            self._refinement_pending = curve_notes.is_preview(state)
            self.show()
            if self._refinement_pending:
                await self._refine(choice)
            return
        self._refinement_pending = False
        if found is not None and state.orbit is None:
            self._take(found)
        else:
            self._show_point_count()

    async def follow(self) -> None:
        """The whole curve, with progress; it can be cancelled."""
        state, described = self.state, self.state.described
        assert described is not None
        assert state.choice is not None
        self._transient_preview_on = False
        choice, ends = state.choice, (state.begin, state.end)
        with collect_warnings() as lines:
            found = await self._bar.run(tasks.follow_curve, choice, *ends, described.unit, described.scale)
        if found is None:
            return
        found = replace(found, remarks=tuple(lines))
        if state.wants(choice, ends):
            self._take(found)
        else:
            ui.notify(OUTDATED_ORBIT_TEXT, position="bottom")

    def _take(self, found: tasks.CurveResult) -> None:
        state, seen = self.state, self.state.curve
        looked = seen if self._transient_preview_on and state.orbit is not None else None
        at = looked.shown.frequency[state.point] if looked and looked.choice == found.choice else None
        if at is not None and at in found.shown.frequency:  # its points have other numbers now
            state.point = found.shown.frequency.index(at)
        else:
            state.orbit = None
        if found.whole and seen is not None and state.long and not seen.whole:
            state.seen = seen
        state.curve = found
        self.show()
        self._notify_others()

    def _forget(self, words: str, again: bool = False) -> None:
        """Nothing is to be seen but what to do.   again : another try is offered."""
        self.state.curve = self.state.orbit = None
        self._show_point_count()
        self._panel.clear(words, again)

    # ---- what is shown

    def show(self) -> None:
        """Everything that is there."""
        self._show_point_count()
        self._panel.show()
        self.mark()

    def mark(self, waiting: bool = False) -> None:
        """Dim a curve of other knobs or another range while its successor is computed.   waiting : for a change."""
        if self.place.is_deleted:  # the page was left meanwhile
            return
        stale = self.state.curve is not None and (waiting or not self.state.is_answered)
        self._panel.dim(stale)
        self._status.set_text(COMPUTING_TEXT if stale else "")

    def _show_point_count(self) -> None:
        self._preview.set_text(curve_notes.show_preview_note(self.state, self._refinement_pending))
