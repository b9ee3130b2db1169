"""The page Respond: knobs on the left, on the right what the model answers, over frequency and over time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from html import escape
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.file_names import plain_name
from slipstick.app.model import tasks as model_tasks
from slipstick.app.model.model_download import as_download
from slipstick.app.model.page_state import ModelDraft
from slipstick.app.model.tasks import TASK_TIME_LIMIT
from slipstick.app.model_choice import ModelChoice, SelectedModel
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import tasks
from slipstick.app.respond.frequency_panel import FrequencyPanel
from slipstick.app.respond.model_parameters import ModelParameter, with_parameter
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.parameter_panel import ParameterPanel
from slipstick.app.respond.setting_comparison import setting_differences
from slipstick.app.respond.time_panel import TimePanel
from slipstick.app.worker_pool import TaskFailed, collect_warnings, run_within
from slipstick.errors import Message

PAGE_SUBTITLE = "Turn a knob and watch the response; keep a setting to compare it with another."
BROKEN_MODEL_TEXT = (
    "The text on the page Model has a problem to mend. This is the last text that had none, which may have been half "
    "typed: look at the numbers here, or mend it first."
)
VIEW_LABELS = {False: "over frequency", True: "over time"}


async def build(desk: PageContext) -> None:
    """Fill the page."""
    widgets.heading("Respond", PAGE_SUBTITLE)
    bench = desk.tab_state.of(RespondState)
    waiting = widgets.note("reading the model ...")
    try:
        choice, described = await _selected_choice(desk)
    except TaskFailed as failure:
        waiting.delete()
        widgets.note(str(failure), "problem")
        widgets.placeholder(
            "The model cannot be read as it is: mend it on the page Model, or choose one of the systems there."
        )
        return
    waiting.delete()  # it has gone by itself where the page was left meanwhile
    bench.take(choice, described)
    room = RespondPage(desk, bench)
    await widgets.with_error_notification(room.begin)()


async def _selected_choice(desk: PageContext) -> tuple[ModelChoice, tasks.ModelDescription]:
    """The model of the tab: what was edited last, also where the page Model was left before it had looked at it."""
    chosen, draft = desk.tab_state.of(SelectedModel), desk.tab_state.of(ModelDraft)
    edited = draft.unseen(chosen.choice)
    if edited is not None:
        try:
            described = await _described_model(desk, edited)
        except TaskFailed:  # the page Model says what is wrong with it
            draft.refused = edited
        else:
            chosen.choice = draft.adopted = edited
            return edited, described
    return chosen.choice, await _described_model(desk, chosen.choice)


async def _described_model(desk: PageContext, choice: ModelChoice) -> tasks.ModelDescription:
    with collect_warnings():  # what it is warned of is told beside its curve
        return await desk.worker_pool.do(tasks.describe_model, None, choice)


class RespondPage:
    """Knobs, and the two views on what the model does."""

    def __init__(self, desk: PageContext, bench: RespondState) -> None:
        self.desk, self.bench = desk, bench
        self._last: tuple[ModelParameter, Any]  # that was turned, and to what
        self._turning = asyncio.Lock()
        with ui.element("div").classes("sides"):
            with ui.element("div").classes("stack"):
                self._left()
            with ui.element("div").classes("stack"):
                self._view = ui.toggle(list(VIEW_LABELS.values()), value=VIEW_LABELS[bench.over_time]).props(
                    "no-caps unelevated"
                )
                self._view.on_value_change(widgets.with_error_notification(self._view_changed))
                self.curve, self.time = (
                    FrequencyPanel(desk, bench, self._compare),
                    TimePanel(desk, bench, self._compare),
                )
        self._seen()

    def _left(self) -> None:
        described = self.bench.described
        assert described is not None
        with ui.element("div").classes("line titled"):
            ui.html(f"<h2>{escape(described.name)}</h2>", sanitize=False)
            ui.link("another model", "/model").classes("small")
        if self.desk.tab_state.of(ModelDraft).is_broken:
            widgets.note(BROKEN_MODEL_TEXT, "warning")
        self._panel = ParameterPanel(self.turn)
        self._panel.show(described.knobs)
        with ui.element("div").classes("line"):
            ui.button("keep this as A", on_click=widgets.with_error_notification(self.keep)).props(
                "outline no-caps dense"
            )
            ui.button("reset all", on_click=widgets.with_error_notification(self.reset)).props("flat no-caps dense")
            take = ui.button(
                "model with these numbers", icon="download", on_click=widgets.with_error_notification(self.save)
            )
            take.props("flat no-caps dense").tooltip("a model file: YAML")
        self._compared = ui.element("div")

    async def begin(self) -> None:
        """Show what is there, and answer where nothing is, or what is of another setting."""
        await self.curve.resume()
        self._compare()

    async def turn(self, name: str, value: Any) -> None:
        """A knob was turned."""
        async with self._changing():
            choice, described = self._now
            own = next((knob for knob in described.knobs if knob.name == name), None)
            if own is None:  # of a law that was changed for another meanwhile
                return
            choice = with_parameter(choice, name, own.in_si(value) if isinstance(value, float) else value)
            self._last = own, value
            if own.options:  # another law has other knobs
                await self._describe(choice)
            else:
                self._choose(
                    choice, replace(described, knobs=[_with_value(knob, name, value) for knob in described.knobs])
                )
        try:
            await self._renew()
        except TaskFailed as failure:
            # of several turns in a row the last one is answered for, maybe while an earlier one waits here
            raise TaskFailed(with_display_value(failure.args[0], *self._last), failure.details) from None

    async def reset(self) -> None:
        """All knobs back to what they usually are; words stay."""
        async with self._changing():
            choice, described = self._now
            for knob in described.knobs:
                if not knob.options and knob.value != knob.usual:
                    choice = with_parameter(choice, knob.name, None)
            await self._describe(choice)
        await self._renew()

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        """One change at a time, as each builds on the one before; what is shown is dimmed from the first moment on."""
        views = self.curve, self.time
        for view in views:
            view.mark(waiting=True)
        try:
            async with self._turning:
                yield
        finally:
            for view in views:
                view.mark()

    @property
    def _now(self) -> tuple[ModelChoice, tasks.ModelDescription]:
        assert self.bench.choice is not None
        assert self.bench.described is not None
        return self.bench.choice, self.bench.described

    async def _describe(self, choice: ModelChoice) -> None:
        described = await _described_model(self.desk, choice)
        self._panel.show(described.knobs)
        self._choose(choice, described)

    def _choose(self, choice: ModelChoice, described: tasks.ModelDescription) -> None:
        self.bench.described = described
        self.bench.turn(choice)
        self.desk.tab_state.of(SelectedModel).choice = choice

    async def _renew(self) -> None:
        await (self.time.renew() if self.bench.over_time else self.curve.renew())
        self._compare()

    async def save(self) -> None:
        """Hand over the model as the knobs are, as a file."""
        choice, described = self._now
        files = await run_within(self.desk.worker_pool, TASK_TIME_LIMIT, model_tasks.save_model, choice)
        widgets.download(*as_download(files, plain_name(f"{described.name.replace(' ', '-')}.yaml")))

    def keep(self) -> None:
        """This setting is A from now on."""
        self.bench.first = self.bench.setting()
        self.curve.show()
        self.time.show()
        self._compare()

    def forget(self) -> None:
        """No setting is A."""
        self.bench.first = None
        self.curve.show()
        self.time.show()
        self._compare()

    def _compare(self) -> None:
        self._compared.clear()
        first = self.bench.first
        if first is None:
            return
        with self._compared:
            with ui.element("div").classes("line titled"):
                widgets.title("A and now")
                ui.button("forget A", on_click=widgets.with_error_notification(self.forget)).props("flat dense no-caps")
            rows = setting_differences(first, self.bench.setting())
            widgets.table(("", "unit", "A", "now"), rows, numbers=2)

    async def _view_changed(self, event: Any) -> None:
        self.bench.over_time = event.value == VIEW_LABELS[True]
        self._seen()
        if not self.bench.over_time:
            await self.curve.resume()

    def _seen(self) -> None:
        self.curve.place.set_visibility(not self.bench.over_time)
        self.time.place.set_visibility(self.bench.over_time)


def _with_value(knob: ModelParameter, name: str, value: Any) -> ModelParameter:
    if knob.name != name:
        return knob
    return replace(knob, value=knob.usual if value is None else value)


def with_display_value(line: str, knob: ModelParameter, value: Any) -> str:
    """An error about a parameter, with its value as it was set: ``got -5 mm`` instead of a number in SI."""
    parts = Message.of(line).parts
    if not isinstance(value, float) or not knob.written or parts.value != knob.in_si(value):
        return line
    return Message(**parts._replace(got=f"{value:g} {knob.unit}")._asdict())
