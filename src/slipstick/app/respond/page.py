"""The page Respond: parameters on the left, responses over frequency and over time on the right."""

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
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskFailed, run_within
from slipstick.errors import Message

PAGE_SUBTITLE = "Change a parameter and watch the response; keep a setting to compare it with another."
BROKEN_MODEL_TEXT = (
    "The text on the page Model has a problem. This page uses the last valid text, which may be incomplete: check the "
    "numbers here, or correct the text first."
)
VIEW_LABELS = {False: "over frequency", True: "over time"}


async def build(context: PageContext) -> None:
    """Fill the page."""
    widgets.heading("Respond", PAGE_SUBTITLE)
    state = context.tab_state.of(RespondState)
    waiting = widgets.note("reading the model ...")
    try:
        choice, described = await _selected_choice(context)
    except TaskFailed as failure:
        waiting.delete()
        widgets.note(str(failure), "problem")
        widgets.placeholder(
            "The model cannot be read: correct it on the page Model, or choose one of the systems there."
        )
        return
    waiting.delete()  # a no-op if the page was left meanwhile
    state.set_model(choice, described)
    page = RespondPage(context, state)
    await widgets.with_error_notification(page.begin)()


async def _selected_choice(context: PageContext) -> tuple[ModelChoice, tasks.ModelDescription]:
    """The model of the tab, with edits of the page Model that it had not checked when it was left."""
    selected, draft = context.tab_state.of(SelectedModel), context.tab_state.of(ModelDraft)
    edited = draft.unchecked(selected.choice)
    if edited is not None:
        try:
            described = await _described_model(context, edited)
        except TaskFailed:  # the page Model shows the problem
            draft.refused = edited
        else:
            selected.choice = draft.adopted = edited
            return edited, described
    return selected.choice, await _described_model(context, selected.choice)


async def _described_model(context: PageContext, choice: ModelChoice) -> tasks.ModelDescription:
    with collect_warnings():  # the curve has the same warnings
        return await context.worker_pool.run(tasks.describe_model, None, choice)


class RespondPage:
    """Parameters, and the two views on responses."""

    def __init__(self, context: PageContext, state: RespondState) -> None:
        self.context, self.state = context, state
        self._last_change: tuple[ModelParameter, Any]  # parameter and value
        self._change_lock = asyncio.Lock()
        with ui.element("div").classes("sides results-first"):
            with ui.element("div").classes("stack"):
                self._build_left_side()
            with ui.element("div").classes("stack"):
                self._view = ui.toggle(list(VIEW_LABELS.values()), value=VIEW_LABELS[state.over_time]).props(
                    "no-caps unelevated"
                )
                self._view.on_value_change(widgets.with_error_notification(self._view_changed))
                self.curve, self.time = (
                    FrequencyPanel(context, state, self._compare),
                    TimePanel(context, state, self._compare),
                )
        self._show_selected_view()

    def _build_left_side(self) -> None:
        described = self.state.described
        assert described is not None
        with ui.element("div").classes("line titled"):
            ui.html(f"<h2>{escape(described.name)}</h2>", sanitize=False)
            ui.link("another model", "/model").classes("small")
        if self.context.tab_state.of(ModelDraft).is_broken:
            widgets.note(BROKEN_MODEL_TEXT, "warning")
        self._parameters = ParameterPanel(self.turn)
        self._parameters.show(described.knobs)
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
        """Show the present results; compute those that are missing or outdated."""
        await self.curve.resume()
        self._compare()

    async def turn(self, name: str, value: Any) -> None:
        """Set a parameter, and compute the response."""
        async with self._applying_change():
            choice, described = self._current
            own = next((knob for knob in described.knobs if knob.name == name), None)
            if own is None:  # the law was replaced meanwhile
                return
            choice = with_parameter(choice, name, own.in_si(value) if isinstance(value, float) else value)
            self._last_change = own, value
            if own.options:  # another law has other parameters
                await self._describe(choice)
            else:
                self._set_choice(
                    choice, replace(described, knobs=[_with_value(knob, name, value) for knob in described.knobs])
                )
        try:
            await self._update()
        except TaskFailed as failure:
            # the failure may be that of a later change
            raise TaskFailed(with_display_value(failure.args[0], *self._last_change), failure.details) from None

    async def reset(self) -> None:
        """Reset all numbers; choices stay."""
        async with self._applying_change():
            choice, described = self._current
            for knob in described.knobs:
                if not knob.options and knob.value != knob.usual:
                    choice = with_parameter(choice, knob.name, None)
            await self._describe(choice)
        await self._update()

    @asynccontextmanager
    async def _applying_change(self) -> AsyncIterator[None]:
        """Apply one change at a time, as each builds on the one before; results are dimmed at once."""
        views = self.curve, self.time
        for view in views:
            view.mark(waiting=True)
        try:
            async with self._change_lock:
                yield
        finally:
            for view in views:
                view.mark()

    @property
    def _current(self) -> tuple[ModelChoice, tasks.ModelDescription]:
        assert self.state.choice is not None
        assert self.state.described is not None
        return self.state.choice, self.state.described

    async def _describe(self, choice: ModelChoice) -> None:
        described = await _described_model(self.context, choice)
        self._parameters.show(described.knobs)
        self._set_choice(choice, described)

    def _set_choice(self, choice: ModelChoice, described: tasks.ModelDescription) -> None:
        self.state.described = described
        self.state.set_choice(choice)
        self.context.tab_state.of(SelectedModel).choice = choice

    async def _update(self) -> None:
        await (self.time.update() if self.state.over_time else self.curve.update())
        self._compare()

    async def save(self) -> None:
        """Download the model with the present parameters."""
        choice, described = self._current
        files = await run_within(self.context.worker_pool, TASK_TIME_LIMIT, model_tasks.save_model, choice)
        widgets.download(*as_download(files, plain_name(f"{described.name.replace(' ', '-')}.yaml")))

    def keep(self) -> None:
        """Store the present setting as A."""
        self.state.setting_a = self.state.setting()
        self.curve.show()
        self.time.show()
        self._compare()

    def forget(self) -> None:
        """Drop setting A."""
        self.state.setting_a = None
        self.curve.show()
        self.time.show()
        self._compare()

    def _compare(self) -> None:
        self._compared.clear()
        first = self.state.setting_a
        if first is None:
            return
        with self._compared:
            with ui.element("div").classes("line titled"):
                widgets.title("A and now")
                ui.button("forget A", on_click=widgets.with_error_notification(self.forget)).props("flat dense no-caps")
            rows = setting_differences(first, self.state.setting())
            widgets.table(("quantity", "unit", "A", "now"), rows, numbers=2)

    async def _view_changed(self, event: Any) -> None:
        self.state.over_time = event.value == VIEW_LABELS[True]
        self._show_selected_view()
        if not self.state.over_time:
            await self.curve.resume()

    def _show_selected_view(self) -> None:
        self.curve.place.set_visibility(not self.state.over_time)
        self.time.place.set_visibility(self.state.over_time)


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
