"""The page Respond: parameters on the left, responses over frequency and over time on the right."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from html import escape
from typing import Any, ClassVar, Protocol

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.file_names import plain_name
from slipstick.app.model import tasks as model_tasks
from slipstick.app.model.model_download import as_download
from slipstick.app.model.page_state import ModelDraft
from slipstick.app.model.tasks import TASK_TIME_LIMIT
from slipstick.app.model_choice import ModelChoice, SelectedModel
from slipstick.app.page_address import PageAddress, UndoButtons, notify_dead_link, page_query
from slipstick.app.page_frame import PageContext
from slipstick.app.respond import tasks
from slipstick.app.respond.frequency_panel import FrequencyPanel
from slipstick.app.respond.jump_map_panel import JumpMapPanel
from slipstick.app.respond.kept_panel import KeptPanel
from slipstick.app.respond.kept_settings import KeptSetting
from slipstick.app.respond.model_parameters import ModelParameter, with_parameter
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.parameter_panel import ParameterPanel
from slipstick.app.respond.self_excited_panel import SelfExcitedPanel
from slipstick.app.respond.setting_address import Settings, read_address, settings_address
from slipstick.app.respond.time_panel import TimePanel
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskFailed, run_within
from slipstick.errors import Message

PAGE_SUBTITLE = "Change a parameter and watch the response; keep a setting to compare it with another."
BROKEN_MODEL_TEXT = (
    "The text on the page Model has a problem. This page uses the last valid text, which may be incomplete: check the "
    "numbers here, or correct the text first."
)


class ResponsePanel(Protocol):
    """One view on the response.   label : its button.   place : holds all its elements.

    The constructor builds the panel. It takes the context, the state of the page, and a function to call after each
    new result.
    """

    label: ClassVar[str]
    place: ui.element

    def __init__(self, context: PageContext, state: RespondState, on_result: Callable[[], None], /) -> None: ...

    def show(self) -> None:
        """Draw the result in the state."""

    def mark(self, waiting: bool = False) -> None:
        """Dim an outdated result.   waiting : the next one is being computed."""

    async def update(self) -> None:
        """Compute after a change of a parameter; only the panel in sight does."""

    async def resume(self) -> None:
        """Compute what is missing when the panel comes into sight."""


PANELS: tuple[type[ResponsePanel], ...] = (FrequencyPanel, TimePanel, JumpMapPanel, SelfExcitedPanel)


async def build(context: PageContext) -> None:
    """Fill the page."""
    widgets.heading("Respond", PAGE_SUBTITLE)
    state = context.tab_state.of(RespondState)
    waiting = widgets.note("reading the model ...")
    notify_dead_link(page_query(), context.links)
    linked = read_address({} if state.history.is_address_pending() else page_query(), context.links)
    try:
        choice, described = await _selected_choice(context, linked.choice)
    except TaskFailed as failure:
        waiting.delete()
        widgets.note(str(failure), "problem")
        widgets.placeholder(
            "The model cannot be read: correct it on the page Model, or choose one of the systems there."
        )
        return
    waiting.delete()  # a no-op if the page was left meanwhile
    before = state.settings if state.choice is not None else None
    state.set_model(choice, described)
    if linked.ends is not None and linked.choice in (None, choice):
        state.begin, state.end = linked.ends
    state.view = linked.view or state.view
    if before is not None:
        state.history.follow(before, state.settings)
    page = RespondPage(context, state)
    await widgets.with_error_notification(page.begin)()


async def _selected_choice(
    context: PageContext, linked: ModelChoice | None
) -> tuple[ModelChoice, tasks.ModelDescription]:
    """The model of the tab, with edits of the page Model that it had not checked when it was left.

    linked : the model in the address, which takes precedence.
    """
    selected, draft = context.tab_state.of(SelectedModel), context.tab_state.of(ModelDraft)
    if linked is not None and linked != selected.choice:
        try:
            described = await _described_model(context, linked)
        except TaskFailed as failure:
            widgets.notify_problem(f"the address has no valid model, so that of this tab is shown: {failure}")
        else:
            selected.choice = linked
            return linked, described
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
    """Parameters, and the views on responses."""

    def __init__(self, context: PageContext, state: RespondState) -> None:
        self.context, self.state = context, state
        self._last_change: tuple[ModelParameter, Any]  # parameter and value
        self._change_lock = asyncio.Lock()
        self._address, self._new_entry = PageAddress(context.links), True
        with ui.element("div").classes("sides results-first"):
            with ui.element("div").classes("stack"):
                self._build_left_side()
            with ui.element("div").classes("stack"):
                labels = [kind.label for kind in PANELS]
                state.view = state.view if state.view in labels else labels[0]
                view = ui.toggle(labels, value=state.view).props("no-caps unelevated")
                view.on_value_change(widgets.with_error_notification(self._view_changed))
                self.panels = [kind(context, state, self._result_changed) for kind in PANELS]
        self._show_selected_view()
        self._show_address(new_entry=False)

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
            ui.button("keep this setting", on_click=widgets.with_error_notification(self.keep)).props(
                "outline no-caps dense"
            )
            self._undo_buttons = UndoButtons(self.undo, self.redo)
            ui.button("reset all", on_click=widgets.with_error_notification(self.reset)).props("flat no-caps dense")
            take = ui.button(
                "model with these numbers", icon="download", on_click=widgets.with_error_notification(self.save)
            )
            take.props("flat no-caps dense").tooltip("a model file: YAML")
        self._kept = KeptPanel(self.state, self._show_kept, self._return_to)

    async def begin(self) -> None:
        """Show the present results; compute those that are missing or outdated."""
        await self._selected_panel.resume()
        self._kept.compare()

    async def turn(self, name: str, value: Any) -> None:
        """Set a parameter, and compute the response."""
        async with self._applying_change():
            choice, described = self._current
            own = next((knob for knob in described.knobs if knob.name == name), None)
            if own is None:  # the law was replaced meanwhile
                return
            choice = with_parameter(choice, name, own.in_si(value) if isinstance(value, float) else value)
            self._last_change = own, value
            self._record(name)
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
            self._record("reset all")
            for knob in described.knobs:
                if not knob.options and knob.value != knob.usual:
                    choice = with_parameter(choice, knob.name, None)
            await self._describe(choice)
        await self._update()

    async def undo(self) -> None:
        """Return to the settings before the last change."""
        await self._restore(self.state.history.undo(self.state.settings))

    async def redo(self) -> None:
        """Repeat the change that was undone last."""
        await self._restore(self.state.history.redo(self.state.settings))

    async def _restore(self, settings: Settings | None) -> None:
        if settings is None:
            return
        async with self._applying_change():
            self._new_entry = True
            await self._describe(settings.choice, ends=(settings.begin, settings.end))
        await self._update()

    def _record(self, quantity: str) -> None:
        """Record a change of a quantity that follows, for undo and for the browser's button back."""
        self._new_entry = self.state.history.record(self.state.settings, quantity)

    def _show_address(self, new_entry: bool) -> None:
        """Write the settings into the address.   new_entry : the button back leads to the ones before."""
        self._undo_buttons.show(self.state.history)
        self._address.show(settings_address(self.state.settings, self.state.view, self.context.links), new_entry)

    @asynccontextmanager
    async def _applying_change(self) -> AsyncIterator[None]:
        """Apply one change at a time, as each builds on the one before; results are dimmed at once."""
        for panel in self.panels:
            panel.mark(waiting=True)
        try:
            async with self._change_lock:
                yield
        finally:
            for panel in self.panels:
                panel.mark()

    @property
    def _current(self) -> tuple[ModelChoice, tasks.ModelDescription]:
        assert self.state.choice is not None
        assert self.state.described is not None
        return self.state.choice, self.state.described

    async def _describe(self, choice: ModelChoice, ends: tuple[float, float] | None = None) -> None:
        described = await _described_model(self.context, choice)
        self._parameters.show(described.knobs)
        if ends is not None:  # not earlier: a field that loses the focus meanwhile would set the former range again
            self.state.begin, self.state.end = ends
        self._set_choice(choice, described)

    def _set_choice(self, choice: ModelChoice, described: tasks.ModelDescription) -> None:
        self.state.described = described
        self.state.set_choice(choice)
        self.context.tab_state.of(SelectedModel).choice = choice
        self._show_address(new_entry=self._new_entry)

    async def _update(self) -> None:
        await self._selected_panel.update()
        self._kept.compare()

    async def save(self) -> None:
        """Download the model with the present parameters."""
        choice, described = self._current
        files = await run_within(self.context.worker_pool, TASK_TIME_LIMIT, model_tasks.save_model, choice)
        widgets.download(*as_download(files, plain_name(f"{described.name.replace(' ', '-')}.yaml")))

    def keep(self) -> None:
        """Keep the present setting for comparison."""
        self._kept.keep()

    def _show_kept(self) -> None:
        """Draw the kept settings below all results."""
        for panel in self.panels:
            panel.show()

    async def _return_to(self, setting: KeptSetting) -> None:
        """Return to the numbers and the range of a kept setting."""
        if setting.settings is not None:
            self._record(f"return to {setting.name}")
            await self._restore(setting.settings)

    def _result_changed(self) -> None:
        self._show_address(new_entry=True)
        self._kept.compare()

    async def _view_changed(self, event: Any) -> None:
        self.state.view = event.value
        self._show_address(new_entry=True)
        self._show_selected_view()
        await self._selected_panel.resume()

    @property
    def _selected_panel(self) -> ResponsePanel:
        return next(panel for panel in self.panels if panel.label == self.state.view)

    def _show_selected_view(self) -> None:
        for panel in self.panels:
            panel.place.set_visibility(panel is self._selected_panel)


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
