"""The response over time from the initial state, with progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.code_view import code_panel
from slipstick.app.debounce import Debouncer
from slipstick.app.equivalent_code import EquivalentCode
from slipstick.app.model_choice import ModelChoice
from slipstick.app.number_input import parse_positive
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import tasks
from slipstick.app.respond.equivalent_code import run_code
from slipstick.app.respond.motion_view import STALE_TEXT, download_buttons, show_motion
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.tasks import PREVIEW_TIME_LIMIT
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskTimeout, run_within
from slipstick.errors import InvalidInput

MAX_SAMPLES = 200_000
AUTO_RERUN_LIMIT = 0.8  # [s] a run may have taken to be repeated by itself when a parameter changes
STALE_RUN_TEXT = "This run belongs to other settings; run it again."
RECOMPUTING_TEXT = "computing ...; the run shown belongs to other settings"
RUN_TIMEOUT_TEXT = (
    "a run with these settings takes longer than {:g} s, so the old one is still shown; press run to compute it"
)
RunSettings = tuple[float | None, float, int]  # frequency [rad/s], until [s], samples


class TimePanel:
    """The part of the page on runs.   on_run : called when there is a new one."""

    def __init__(self, context: PageContext, state: RespondState, on_run: Callable[[], None]) -> None:
        self.context, self.state, self._notify_others = context, state, on_run
        self._debouncer = Debouncer(self._rerun)
        with ui.element("div").classes("stack full-width") as self.place:
            self._build_inputs()
            self._bar = widgets.TaskBar(context.worker_pool, keeps_partial=True)
            with ui.element("div").classes("line above"):
                self._status = ui.label("").classes("quiet small").props('role="status"')
            self._results = ui.element("div").classes("stack")
        self.show()

    def _build_inputs(self) -> None:
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
    def _settings(self) -> RunSettings:
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
            frequency = state.frequency  # the text of the field is rounded
        return frequency, until, int(samples)

    async def run(self) -> None:
        """Run with progress; a cancelled run is kept up to there."""
        state, settings = self.state, self._read()
        assert state.choice is not None
        choice = state.choice
        if self._bar.busy and settings == self._settings:
            return  # Enter in a field, and then the button
        if not self._bar.busy:  # else the bar refuses, and the running settings stay
            state.frequency, state.until, state.samples = settings
        with collect_warnings() as lines:
            result = await self._bar.run(tasks.simulate_model, choice, *settings)
        self._set_run(choice, settings, result, lines)

    async def update(self) -> None:
        """After a change: repeat a short run, mark a long one as outdated."""
        run = self.state.run
        self.mark()
        if run is not None and run.seconds <= AUTO_RERUN_LIMIT and not run.partial:
            await self._debouncer.request()

    def mark(self, waiting: bool = False) -> None:
        """Dim an outdated run.   waiting : the next one is being computed."""
        if self.place.is_deleted:  # the page was left
            return
        stale = self.state.run is not None and (waiting or self.state.stale)
        widgets.mark_stale(self._results, stale)
        self._status.set_text((RECOMPUTING_TEXT if waiting else STALE_RUN_TEXT) if stale else "")

    async def _rerun(self) -> None:
        state = self.state
        assert state.choice is not None
        choice, settings = state.choice, self._settings
        self.mark(waiting=True)
        try:
            with collect_warnings() as lines:
                result = await run_within(
                    self.context.worker_pool, PREVIEW_TIME_LIMIT, tasks.simulate_model, choice, *settings
                )
        except TaskTimeout:
            raise TaskTimeout(RUN_TIMEOUT_TEXT.format(PREVIEW_TIME_LIMIT)) from None
        finally:
            self.mark()
        self._set_run(choice, settings, result, lines)

    def _set_run(
        self, choice: ModelChoice, settings: RunSettings, result: tasks.RunResult | None, lines: list[str]
    ) -> None:
        is_current = (self.state.choice, self._settings) == (choice, settings)
        if result is not None and (is_current or self.state.run is None or self.state.stale):
            self.state.run, self.state.stale = replace(result, warnings=tuple(lines)), not is_current
            self.show()
            self._notify_others()

    def show(self) -> None:
        """Show the run."""
        self._results.clear()
        with self._results:
            result = self.state.run
            if result is None:
                widgets.placeholder("Press run to see the motion from the initial state: histories, states, loops.")
                return
            if result.display.ended:
                widgets.note(result.display.ended, "warning")
            widgets.note(result.display.summary)
            first = self.state.setting_a.run if self.state.setting_a else None
            show_motion(result, first)
            download_buttons(
                self.context,
                self._current_result,
                f"{result.display.model.replace(' ', '-')}-run",
                ("png", "svg", "csv", "nc"),
            )
            code_panel(self._code)
        self.mark()

    def _current_result(self) -> tuple[tasks.RunResult | None, str]:
        return (None if self.state.stale else self.state.run), ""

    async def _code(self) -> EquivalentCode:
        """Code for the present run."""
        state = self.state
        if state.run is None or state.stale or state.choice is None:
            raise InvalidInput(STALE_TEXT)
        return await self.context.worker_pool.run(run_code, None, state.choice, *self._settings)
