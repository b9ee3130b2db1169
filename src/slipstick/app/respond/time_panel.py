"""The response over time from the initial state, with progress."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.code_view import code_panel
from slipstick.app.debounce import Debouncer
from slipstick.app.equivalent_code import EquivalentCode
from slipstick.app.model_choice import ModelChoice
from slipstick.app.number_input import parse_number, parse_positive
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import tasks
from slipstick.app.respond.equivalent_code import run_code
from slipstick.app.respond.kept_settings import kept_runs
from slipstick.app.respond.motion_view import STALE_TEXT, download_buttons, show_motion
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.response_results import RunResult
from slipstick.app.respond.run_up import RunBase, RunUp
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
RunSettings = tuple[RunBase, float, int]  # frequency [rad/s] or speed, until [s], samples


class BaseFields:
    """Fields for the base frequency of a run, or for the speed of a run-up and its orders."""

    def __init__(self, state: RespondState) -> None:
        described = state.described
        assert described is not None
        self.state, self._scale = state, described.scale
        shown = state.run_up or RunUp(state.begin, state.end, state.until)
        self._is_run_up = ui.checkbox("run-up", value=state.run_up is not None)
        self._is_run_up.tooltip("the speed changes during the run; loads follow its angle")
        own = f"{self._scale * state.frequency:.6g}" if state.frequency else ""
        self._frequency = _field(f"base frequency [{described.unit}]", own)
        self._frequency.bind_visibility_from(self._is_run_up, "value", value=False)
        self._begin, self._end, self._over, self._orders = self._run_up_fields = (
            _field(f"speed from [{described.unit}]", f"{self._scale * shown.begin:.6g}"),
            _field(f"speed to [{described.unit}]", f"{self._scale * shown.end:.6g}"),
            _field(f"speed over [{described.time_unit}]", f"{shown.over:.6g}"),
            _field("orders", " ".join(f"{order:g}" for order in shown.orders)),
        )
        for field in self._run_up_fields:
            field.bind_visibility_from(self._is_run_up, "value")

    @property
    def fields(self) -> tuple[ui.input, ...]:
        return self._frequency, *self._run_up_fields

    def read(self) -> RunBase:
        """The frequency [rad/s] or the speed; a text that is only rounded leaves the value as it is."""
        if self._is_run_up.value:
            typed = self._read_run_up()
            return self.state.run_up if typed.is_close(self.state.run_up) else typed
        text, known = str(self._frequency.value or "").strip(), self.state.frequency
        if not text:
            return None
        frequency = parse_positive(str(self._frequency.label), text) / self._scale
        return known if known and math.isclose(frequency, known, rel_tol=1e-6) else frequency

    def _read_run_up(self) -> RunUp:
        begin, end = (parse_number(str(field.label), field.value) for field in (self._begin, self._end))
        if min(begin, end) < 0.0 or begin == end:
            raise InvalidInput(f"speeds must differ and be >= 0, got {begin:g} and {end:g}; clear run-up for one speed")
        over = parse_positive(str(self._over.label), self._over.value)
        orders = tuple(parse_positive("orders", text) for text in str(self._orders.value or "").split())
        if not orders or len(set(orders)) < len(orders):
            raise InvalidInput("orders must be different numbers > 0; write them like 0.5 1 2")
        return RunUp(begin / self._scale, end / self._scale, over, orders)


def _field(label: str, value: str) -> ui.input:
    field: ui.input = ui.input(label, value=value).props("dense outlined").classes("number")
    return field


class TimePanel:
    """The part of the page on runs.   on_run : called when there is a new one."""

    label: ClassVar[str] = "over time"

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
        with ui.element("div").classes("line"):
            self._base = BaseFields(state)
            self._until = _field(f"until [{described.time_unit}]", f"{state.until:.6g}")
            self._samples = _field("samples", str(state.samples))
            for field in (*self._base.fields, self._until, self._samples):
                field.on("keydown.enter", widgets.with_error_notification(self.run))
            ui.button("run", on_click=widgets.with_error_notification(self.run)).props("unelevated no-caps")

    @property
    def _settings(self) -> RunSettings:
        return self.state.base, self.state.until, self.state.samples

    def _read(self) -> RunSettings:
        base = self._base.read()
        until, samples = (
            parse_positive(str(self._until.label), self._until.value),
            parse_positive("samples", self._samples.value),
        )
        if samples != int(samples) or not 2 <= samples <= MAX_SAMPLES:
            raise InvalidInput(f"samples must be a whole number from 2 to {MAX_SAMPLES}, got {samples:g}")
        return base, until, int(samples)

    async def run(self) -> None:
        """Run with progress; a cancelled run is kept up to there."""
        state, settings = self.state, self._read()
        assert state.choice is not None
        choice = state.choice
        if self._bar.busy and settings == self._settings:
            return  # Enter in a field, and then the button
        if not self._bar.busy:  # else the bar refuses, and the running settings stay
            state.base, state.until, state.samples = settings
        with collect_warnings() as lines:
            result = await self._bar.run(tasks.simulate_model, choice, *settings)
        self._set_run(choice, settings, result, lines)

    async def resume(self) -> None:
        """Show whether the run is outdated; a new one starts only on request."""
        self.mark()

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

    def _set_run(self, choice: ModelChoice, settings: RunSettings, result: RunResult | None, lines: list[str]) -> None:
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
            show_motion(result, kept_runs(self.state.kept, result))
            download_buttons(
                self.context,
                self._current_result,
                f"{result.display.model.replace(' ', '-')}-run",
                ("png", "svg", "csv", "nc"),
            )
            code_panel(self._code)
        self.mark()

    def _current_result(self) -> tuple[RunResult | None, str]:
        return (None if self.state.stale else self.state.run), ""

    async def _code(self) -> EquivalentCode:
        """Code for the present run."""
        state = self.state
        if state.run is None or state.stale or state.choice is None:
            raise InvalidInput(STALE_TEXT)
        return await self.context.worker_pool.run(run_code, None, state.choice, *self._settings)
