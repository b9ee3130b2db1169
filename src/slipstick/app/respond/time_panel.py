"""The motion over time: from the initial state to an instant, with progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.debounce import Debouncer
from slipstick.app.model_choice import ModelChoice
from slipstick.app.number_input import parse_positive
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import tasks
from slipstick.app.respond.motion_view import download_buttons, show_motion
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.tasks import PREVIEW_TIME_LIMIT
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskTimeout, run_within
from slipstick.errors import InvalidInput

MAX_SAMPLES = 200_000
AUTO_RERUN_LIMIT = 0.8  # [s] a run may have taken to be made anew by itself when a knob is turned
STALE_RUN_TEXT = "This run is of another setting of the knobs; run it again."
RECOMPUTING_TEXT = "computing ...; what is shown is of another setting of the knobs"
RUN_TIMEOUT_TEXT = (
    "a run with these numbers takes longer than {:g} s, and the one before is still shown; press run to have it"
)
RunSettings = tuple[float | None, float, int]  # frequency [rad/s], until [s], samples


class TimePanel:
    """The part of the page on runs.   found : called when there is another one."""

    def __init__(self, context: PageContext, state: RespondState, found: Callable[[], None]) -> None:
        self.context, self.state, self._notify_others = context, state, found
        self._debouncer = Debouncer(self._anew)
        with ui.element("div").classes("stack full-width") as self.place:
            self._ask()
            self._bar = widgets.TaskBar(context.worker_pool, keeps_partial=True)
            with ui.element("div").classes("line above"):
                self._status = ui.label("").classes("quiet small").props('role="status"')
            self._found = ui.element("div").classes("stack")
        self.show()

    def _ask(self) -> None:
        state, described = self.state, self.state.described
        assert described is not None
        own = described.scale * state.frequency if state.frequency else ""
        with ui.element("div").classes("line"):
            values = (f"{own:.6g}" if own else "", f"{state.until:.6g}", str(state.samples))
            labels = (f"base frequency [{described.unit}]", f"until [{described.time_unit}]", "samples")
            self._frequency, self._until, self._samples = (
                ui.input(label, value=value).props("dense outlined").classes("number")
                for label, value in zip(labels, values, strict=True)
            )
            for field in (self._frequency, self._until, self._samples):
                field.on("keydown.enter", widgets.with_error_notification(self.run))
            ui.button("run", on_click=widgets.with_error_notification(self.run)).props("unelevated no-caps")

    @property
    def _how(self) -> RunSettings:
        return self.state.frequency, self.state.until, self.state.samples

    def _read(self) -> RunSettings:
        state, described = self.state, self.state.described
        assert described is not None
        text = str(self._frequency.value or "").strip()
        frequency = parse_positive(str(self._frequency.label), text) / described.scale if text else None
        until, samples = (
            parse_positive(str(self._until.label), self._until.value),
            parse_positive("samples", self._samples.value),
        )
        if samples != int(samples) or not 2 <= samples <= MAX_SAMPLES:
            raise InvalidInput(f"samples must be a whole number from 2 to {MAX_SAMPLES}, got {samples:g}")
        if frequency and state.frequency and abs(frequency - state.frequency) <= 1e-6 * frequency:
            frequency = state.frequency  # what the field shows is rounded
        return frequency, until, int(samples)

    async def run(self) -> None:
        """With progress; it can be cancelled, and what was reached is kept."""
        state, how = self.state, self._read()
        assert state.choice is not None
        choice = state.choice
        if self._bar.busy and how == self._how:
            return  # Enter in a field, and then the button: it is under way
        if not self._bar.busy:  # else it refuses, and what is running is still what was asked for
            state.frequency, state.until, state.samples = how
        with collect_warnings() as lines:
            found = await self._bar.run(tasks.simulate_model, choice, *how)
        self._take(choice, how, found, lines)

    async def renew(self) -> None:
        """After a knob was turned: a short run is made anew, a long one says that it is of another setting."""
        run = self.state.run
        self.mark()
        if run is not None and run.took <= AUTO_RERUN_LIMIT and not run.partial:
            await self._debouncer.request()

    def mark(self, waiting: bool = False) -> None:
        """Dim a run that is of other knobs.   waiting : another one is on its way."""
        if self.place.is_deleted:  # the page was left meanwhile
            return
        stale = self.state.run is not None and (waiting or self.state.stale)
        widgets.mark_stale(self._found, stale)
        self._status.set_text((RECOMPUTING_TEXT if waiting else STALE_RUN_TEXT) if stale else "")

    async def _anew(self) -> None:
        state = self.state
        assert state.choice is not None
        choice, how = state.choice, self._how
        self.mark(waiting=True)
        try:
            with collect_warnings() as lines:
                found = await run_within(
                    self.context.worker_pool, PREVIEW_TIME_LIMIT, tasks.simulate_model, choice, *how
                )
        except TaskTimeout:
            raise TaskTimeout(RUN_TIMEOUT_TEXT.format(PREVIEW_TIME_LIMIT)) from None
        finally:
            self.mark()
        self._take(choice, how, found, lines)

    def _take(self, choice: ModelChoice, how: RunSettings, found: tasks.RunResult | None, lines: list[str]) -> None:
        is_current = (self.state.choice, self._how) == (choice, how)
        if found is not None and (is_current or self.state.run is None or self.state.stale):
            self.state.run, self.state.stale = replace(found, remarks=tuple(lines)), not is_current
            self.show()
            self._notify_others()

    def show(self) -> None:
        """Everything that is there."""
        self._found.clear()
        with self._found:
            found = self.state.run
            if found is None:
                widgets.placeholder("Press run to see the motion from the initial state: histories, states, loops.")
                return
            if found.shown.ended:
                widgets.note(found.shown.ended, "warning")
            widgets.note(found.shown.told)
            first = self.state.first.run if self.state.first else None
            show_motion(found, first)
            download_buttons(
                self.context, self._kept, f"{found.shown.model.replace(' ', '-')}-run", ("png", "svg", "csv", "nc")
            )
        self.mark()

    def _kept(self) -> tuple[bytes | None, str]:
        return (self.state.run.kept if self.state.run and not self.state.stale else None), ""
