"""The page Model: a published system or a model file, what is in it, and what is left without what is negligible."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.debounce import Debouncer
from slipstick.app.model import model_view
from slipstick.app.model.model_download import MODEL_FILE, as_download
from slipstick.app.model.page_state import ModelDraft
from slipstick.app.model.reduction_panel import ReductionPanel
from slipstick.app.model.system_form import SystemForm
from slipstick.app.model.tasks import TASK_TIME_LIMIT, ModelOverview, TextProblem, examine_model, save_model
from slipstick.app.model.text_editor import TextEditor
from slipstick.app.model_choice import ModelChoice, SelectedModel
from slipstick.app.page_frame import PageContext
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskFailed, run_within

PAGE_SUBTITLE = "choose a published system, drop a model file or write one; the page Respond answers for it"
SOURCE_KINDS = {False: "published system", True: "model file"}
NO_MODEL_TEXT = "drop a model file on the left, begin from the commented starter, or open a published system as text"


async def build(context: PageContext) -> None:
    """Fill the page."""
    widgets.heading("Model", PAGE_SUBTITLE)
    await ModelPage(context).begin()


@dataclass(frozen=True)
class DisplayedModel:
    """What is on the right.   file : that it is of.   numbers : knobs that were told.   section : its reduction."""

    sight: ModelOverview
    file: str
    numbers: Mapping[str, float]
    section: ReductionPanel

    def still(self, sight: ModelOverview, draft: ModelDraft, chosen: SelectedModel) -> bool:
        """True if all of it would be the same again: it is of the same model, and as much is to be said of it."""
        same = (sight.digest, sight.remarks, draft.file) == (self.sight.digest, self.sight.remarks, self.file)
        return same and self.section.is_of(draft) and chosen.choice.numbers == self.numbers


class ModelPage:
    """What is asked on the left, what is found on the right."""

    def __init__(self, context: PageContext) -> None:
        self.context = context
        self.draft, self.chosen = context.tab_state.of(ModelDraft), context.tab_state.of(SelectedModel)
        self.draft.adopt(self.chosen.choice)
        self.latest = Debouncer(self._look)
        self.editor: TextEditor | None = None
        self._reduction_task: asyncio.Task[Any] | None = None
        self._shown: DisplayedModel | None = None
        with ui.element("div").classes("sides") as self.sides:
            self.left = ui.element("section").classes("stack").props('aria-label="the model"')
            self.right = ui.element("section").classes("stack").props('aria-label="what is in it" aria-live="off"')
        with self.right:
            self.state = ui.element("div")
            self.view = ui.element("div").classes("stack")
        with self.view:
            widgets.note("looking at the model ...")

    async def begin(self) -> None:
        self._ask()
        await self.changed()

    async def changed(self) -> None:
        """Something was edited: look at it, now or after what is being looked at; what is shown is of an older text."""
        self.view.classes(add="stale")
        await self.latest.request()

    # ---- left

    def _ask(self) -> None:
        self.left.clear()
        self.sides.classes(
            add="even" if self.draft.edits_text else None, remove=None if self.draft.edits_text else "even"
        )
        self.editor = None
        with self.left:
            ui.toggle(
                SOURCE_KINDS, value=self.draft.edits_text, on_change=widgets.with_error_notification(self._turn)
            ).props('no-caps unelevated spread aria-label="kind of model"').classes("kinds")
            if self.draft.edits_text:
                self.editor = TextEditor(self.context.worker_pool, self.draft, self.changed)
                return
            form = SystemForm(self.draft, self.changed)
            with ui.element("div").classes("line"):
                ui.button("as in the paper", on_click=widgets.with_error_notification(form.as_published)).props(
                    "flat dense no-caps"
                )
                ui.button("open as text", on_click=widgets.with_error_notification(self._open_as_text)).props(
                    "flat dense no-caps"
                )

    async def _turn(self) -> None:
        self.draft.edits_text = not self.draft.edits_text
        self._ask()
        await self.changed()

    async def _open_as_text(self) -> None:
        name = self.draft.file
        files = await run_within(self.context.worker_pool, TASK_TIME_LIMIT, save_model, self.draft.choice)
        if len(files) > 1:
            words = "has matrices, which stand in a file beside its text and are not opened from here; download both"
            raise TaskFailed(f"this model {words}")
        await self._go_on(files[MODEL_FILE].decode(), name)

    async def _go_on(self, text: str, name: str) -> None:
        """Edit this text from now on."""
        self.draft.write(text, name)
        self._ask()
        await self.changed()

    # ---- right

    async def _look(self) -> None:
        choice = self.draft.choice
        empty = not choice.system and not choice.text.strip()
        sight = ModelOverview() if empty else await self._model_overview(choice)
        if not empty and not sight.problems and choice != self.draft.adopted:
            self.chosen.choice = self.draft.adopted = choice
        if sight.problems:
            self.draft.refused = choice
        if self.right.is_deleted or choice != self.draft.choice:
            return
        if self.editor is not None:
            self.editor.show(sight.problems)
        self.state.clear()
        self.view.classes(add="stale" if sight.problems else None, remove=None if sight.problems else "stale")
        if sight.problems:  # what was there before stays to be seen, faintly
            with self.state:
                self._refused(sight)
            if self._shown is None:
                self.view.clear()
            return
        if not empty and self._shown is not None and self._shown.still(sight, self.draft, self.chosen):
            return  # only words of the text have changed: what is open, ticked or being read stays as it is
        self.view.clear()
        with self.view:
            if empty:
                self._shown = None
                widgets.placeholder(NO_MODEL_TEXT)
            else:
                self._show(sight)

    async def _model_overview(self, choice: ModelChoice) -> ModelOverview:
        try:
            with collect_warnings() as lines:
                sight = await run_within(self.context.worker_pool, TASK_TIME_LIMIT, examine_model, choice)
            return replace(sight, remarks=tuple(dict.fromkeys([*sight.remarks, *lines])))
        except TaskFailed as failure:
            if failure.details:
                widgets.log.error("%s\n%s", failure, failure.details)
            return ModelOverview(problems=(TextProblem(None, str(failure)),))

    def _refused(self, sight: ModelOverview) -> None:
        count = len(sight.problems)
        if self.editor is None:
            widgets.note(sight.problems[0].words, "problem")
        else:
            widgets.note("one problem to mend" if count == 1 else f"{count} problems to mend", "problem")
        if self.editor is not None and sight.is_law:
            make = widgets.with_error_notification(self.editor.make_model)
            ui.button("make a small model of this law", on_click=make).props("outline no-caps").classes("start")
        kept = self.chosen.choice
        what = f"the system {kept.system}" if kept.system else f"the last text of {kept.name} without problems"
        widgets.note(f"until it is mended the page Respond answers for {what}")

    def _show(self, sight: ModelOverview) -> None:
        with ui.element("div").classes("line"):
            ui.html(f"<b>{escape(sight.name)}</b> <span class='quiet'>{sight.size}</span>", sanitize=False)
            ui.space()
            ui.button("model", icon="download", on_click=widgets.with_error_notification(self._download)).props(
                "flat dense no-caps"
            )
            ui.link("its response", "/respond")
        self._show_changed_parameters()
        model_view.show_contents(sight)
        widgets.title("Equations")
        model_view.show_equations(sight.formulas, self.draft.file)
        section = ReductionPanel(self.context.worker_pool, self.draft, sight.negligible, self._go_on)
        if self._reduction_task is not None:  # of what was typed before
            self._reduction_task.cancel()
        self._reduction_task = widgets.run_in_background(section.begin())  # what is typed next does not wait for it
        self._shown = DisplayedModel(sight, self.draft.file, self.chosen.choice.numbers, section)

    def _show_changed_parameters(self) -> None:
        """What the page Respond has turned does not stand in the text."""
        chosen = self.chosen.choice
        if chosen.numbers and replace(chosen, numbers={}) == self.draft.choice:
            told = ", ".join(f"{name} = {value:g}" for name, value in chosen.numbers.items())
            widgets.note(
                f"turned on the page Respond, and not in this text: {told}; its model can be taken along there"
            )

    async def _download(self) -> None:
        choice, name = self.draft.choice, self.draft.file
        if not choice.system:
            widgets.download(choice.text, name)
            return
        widgets.download(
            *as_download(await run_within(self.context.worker_pool, TASK_TIME_LIMIT, save_model, choice), name)
        )
