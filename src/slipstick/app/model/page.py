"""The page Model: a published system or a model file, its contents, equations and reduction."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.code_view import code_panel
from slipstick.app.debounce import Debouncer
from slipstick.app.equivalent_code import EquivalentCode, keyword_arguments, script, write_file_lines
from slipstick.app.file_names import plain_name
from slipstick.app.model import model_view
from slipstick.app.model.model_download import MODEL_FILE, as_download
from slipstick.app.model.page_state import DraftSettings, ModelDraft
from slipstick.app.model.reduction_panel import ReductionPanel
from slipstick.app.model.system_form import SystemForm
from slipstick.app.model.tasks import TASK_TIME_LIMIT, ModelOverview, TextProblem, examine_model, save_model
from slipstick.app.model.text_editor import TextEditor
from slipstick.app.model_address import model_query, read_model
from slipstick.app.model_choice import ModelChoice, SelectedModel
from slipstick.app.page_address import PageAddress, UndoButtons, notify_dead_link, page_query
from slipstick.app.page_frame import PageContext
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskFailed, run_within

PAGE_SUBTITLE = "Choose a published system, drop a model file or write one; the page Respond computes its response."
SOURCE_KINDS = {False: "published system", True: "model file"}
NO_MODEL_TEXT = "drop a model file on the left, begin from the commented starter, or open a published system as text"


async def build(context: PageContext) -> None:
    """Fill the page."""
    widgets.heading("Model", PAGE_SUBTITLE)
    await ModelPage(context).begin()


@dataclass(frozen=True)
class DisplayedModel:
    """The model on the right.   numbers : changed on the page Respond.   section : its reduction."""

    overview: ModelOverview
    file: str
    numbers: Mapping[str, float]
    section: ReductionPanel

    def matches(self, overview: ModelOverview, draft: ModelDraft, selected: SelectedModel) -> bool:
        """True if this model would look the same again."""
        same = (overview.digest, overview.remarks, draft.file) == (
            self.overview.digest,
            self.overview.remarks,
            self.file,
        )
        return same and self.section.is_of(draft) and selected.choice.numbers == self.numbers


class ModelPage:
    """Inputs on the left, the model on the right."""

    def __init__(self, context: PageContext) -> None:
        self.context = context
        self.draft, self.selected = context.tab_state.of(ModelDraft), context.tab_state.of(SelectedModel)
        self.draft.adopt(self.selected.choice)
        self._follow_link()
        self._address = PageAddress(context.links)
        self.debouncer = Debouncer(self._examine)
        self.editor: TextEditor | None = None
        self._reduction_task: asyncio.Task[Any] | None = None
        self._displayed: DisplayedModel | None = None
        with ui.element("div").classes("sides") as self.sides:
            self.left = ui.element("section").classes("stack").props('aria-label="the model"')
            self.right = ui.element("section").classes("stack").props('aria-label="what is in it" aria-live="off"')
        with self.right:
            self.state = ui.element("div")
            self.view = ui.element("div").classes("stack")
        with self.view:
            widgets.note("looking at the model ...")

    async def begin(self) -> None:
        self._build_inputs()
        self.draft.note_change()  # by another page
        self._show_address(new_entry=False)
        await self.changed()

    async def changed(self) -> None:
        """Examine the draft after an edit; until then the display is marked as outdated."""
        self._show_address(new_entry=self.draft.note_change())
        self.view.classes(add="stale")
        await self.debouncer.request()

    async def undo(self) -> None:
        """Return to the draft before the last change."""
        await self._restore(self.draft.history.undo(self.draft.settings))

    async def redo(self) -> None:
        """Repeat the change that was undone last."""
        await self._restore(self.draft.history.redo(self.draft.settings))

    async def _restore(self, settings: DraftSettings | None) -> None:
        if settings is None:
            return
        self.draft.restore(settings)
        self._build_inputs()
        self._show_address(new_entry=True)
        await self.changed()

    def _follow_link(self) -> None:
        """Take over the model in the address, of a bookmark or of the button back."""
        draft = self.draft
        notify_dead_link(page_query(), self.context.links)
        linked = None if draft.history.is_address_pending() else read_model(page_query(), self.context.links)
        if linked is not None and (plain := replace(linked, numbers={})) != draft.choice:
            before = draft.settings
            draft.take(plain)
            draft.history.follow(before, draft.settings)
            draft.noted = draft.settings

    def _show_address(self, new_entry: bool) -> None:
        """Write the model into the address."""
        self._undo_buttons.show(self.draft.history)
        query = urlencode(model_query(self.draft.choice, self.context.links))
        self._address.show(f"/model?{query}".rstrip("?"), new_entry)

    # ---- left

    def _build_inputs(self) -> None:
        self.left.clear()
        self.sides.classes(
            add="even" if self.draft.edits_text else None, remove=None if self.draft.edits_text else "even"
        )
        self.editor = None
        with self.left:
            with ui.element("div").classes("line kind-line"):
                ui.toggle(
                    SOURCE_KINDS,
                    value=self.draft.edits_text,
                    on_change=widgets.with_error_notification(self._toggle_kind),
                ).props('no-caps unelevated spread aria-label="kind of model"').classes("kinds")
                self._undo_buttons = UndoButtons(self.undo, self.redo)
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

    async def _toggle_kind(self) -> None:
        self.draft.edits_text = not self.draft.edits_text
        self._build_inputs()
        await self.changed()

    async def _open_as_text(self) -> None:
        name = self.draft.file
        files = await run_within(self.context.worker_pool, TASK_TIME_LIMIT, save_model, self.draft.choice)
        if len(files) > 1:
            words = "has matrices in a file beside its text, which this page cannot open; download both"
            raise TaskFailed(f"this model {words}")
        await self._edit_text(files[MODEL_FILE].decode(), name)

    async def _edit_text(self, text: str, name: str) -> None:
        """Replace the draft by this text."""
        self.draft.write(text, name)
        self._build_inputs()
        await self.changed()

    # ---- right

    async def _examine(self) -> None:
        choice = self.draft.choice
        empty = not choice.system and not choice.text.strip()
        overview = ModelOverview() if empty else await self._model_overview(choice)
        if not empty and not overview.problems and choice != self.draft.adopted:
            self.selected.choice = self.draft.adopted = choice
        if overview.problems:
            self.draft.refused = choice
        if self.right.is_deleted or choice != self.draft.choice:
            return
        if self.editor is not None:
            self.editor.show(overview.problems)
        self.state.clear()
        self.view.classes(add="stale" if overview.problems else None, remove=None if overview.problems else "stale")
        if overview.problems:  # the last valid model stays visible, faintly
            with self.state:
                self._show_refusal(overview)
            if self._displayed is None:
                self.view.clear()
            return
        if not empty and self._displayed is not None and self._displayed.matches(overview, self.draft, self.selected):
            return  # only comments have changed: open and ticked parts stay
        self.view.clear()
        with self.view:
            if empty:
                self._displayed = None
                widgets.placeholder(NO_MODEL_TEXT)
            else:
                self._show(overview)

    async def _model_overview(self, choice: ModelChoice) -> ModelOverview:
        try:
            with collect_warnings() as lines:
                overview = await run_within(self.context.worker_pool, TASK_TIME_LIMIT, examine_model, choice)
            return replace(overview, remarks=tuple(dict.fromkeys([*overview.remarks, *lines])))
        except TaskFailed as failure:
            if failure.details:
                widgets.log.error("%s\n%s", failure, failure.details)
            return ModelOverview(problems=(TextProblem(None, str(failure)),))

    def _show_refusal(self, overview: ModelOverview) -> None:
        count = len(overview.problems)
        if self.editor is None:
            widgets.note(overview.problems[0].words, "problem")
        else:
            widgets.note("one problem to correct" if count == 1 else f"{count} problems to correct", "problem")
        if self.editor is not None and overview.is_law:
            make = widgets.with_error_notification(self.editor.make_model)
            ui.button("make a small model of this law", on_click=make).props("outline no-caps").classes("start")
        last_valid = self.selected.choice
        what = (
            f"the system {last_valid.system}"
            if last_valid.system
            else f"the last text of {last_valid.name} without problems"
        )
        widgets.note(f"until it is corrected the page Respond uses {what}")

    def _show(self, overview: ModelOverview) -> None:
        with ui.element("div").classes("line"):
            ui.html(f"<b>{escape(overview.name)}</b> <span class='quiet'>{overview.size}</span>", sanitize=False)
            ui.space()
            ui.button("model", icon="download", on_click=widgets.with_error_notification(self._download)).props(
                "flat dense no-caps"
            )
            ui.link("its response", "/respond")
        self._show_changed_parameters()
        model_view.show_contents(overview)
        widgets.title("Equations")
        model_view.show_equations(overview.formulas, self.draft.file)
        code_panel(self._code)
        section = ReductionPanel(self.context.worker_pool, self.draft, overview.negligible, self._edit_text)
        if self._reduction_task is not None:  # of an older text
            self._reduction_task.cancel()
        self._reduction_task = widgets.run_in_background(section.begin())  # typing does not wait for it
        self._displayed = DisplayedModel(overview, self.draft.file, self.selected.choice.numbers, section)

    def _show_changed_parameters(self) -> None:
        """Show parameters that were changed on the page Respond, and are not in the text."""
        selected = self.selected.choice
        if selected.numbers and replace(selected, numbers={}) == self.draft.choice:
            changes = ", ".join(f"{name} = {value:g}" for name, value in selected.numbers.items())
            widgets.note(
                f"changed on the page Respond but not in this text: {changes}; that page can bring its model here"
            )

    async def _code(self) -> EquivalentCode:
        return model_code(self.draft.choice)

    async def _download(self) -> None:
        choice, name = self.draft.choice, self.draft.file
        if not choice.system:
            widgets.download(choice.text, name)
            return
        widgets.download(
            *as_download(await run_within(self.context.worker_pool, TASK_TIME_LIMIT, save_model, choice), name)
        )


def model_code(choice: ModelChoice) -> EquivalentCode:
    """Script and command of a model.   choice : a system, or a text without changed numbers."""
    show = ["print(model)", "print(model.equations())"]
    if choice.system:
        return EquivalentCode(
            script([f"model = ss.systems.{choice.system}({keyword_arguments(choice.values)})", *show])
        )
    name = plain_name(choice.name)
    lines = [*write_file_lines(name, choice.text), f"model = ss.open({name!r})", *show]
    return EquivalentCode(script(lines), shlex.join(["slipstick", "check", name]), name, choice.text)
