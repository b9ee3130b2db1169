"""The page Model: a published system or a model file, what is in it, and what is left without what is negligible."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from nicegui import ui

from slipstick.app import parts
from slipstick.app.choice import Choice, Chosen
from slipstick.app.frame import Desk
from slipstick.app.model import showing
from slipstick.app.model.editor import Editor
from slipstick.app.model.kept import Draft
from slipstick.app.model.reducing import Reducing
from slipstick.app.model.saving import FILE, as_download
from slipstick.app.model.system_form import SystemForm
from slipstick.app.model.tasks import LIMIT, Problem, Sight, look, save
from slipstick.app.staff import Latest, TaskFailed, hearing, within

UNDER = "choose a published system, drop a model file or write one; the page Respond answers for it"
KINDS = {False: "published system", True: "model file"}
NO_TEXT = "drop a model file on the left, begin from the commented starter, or open a published system as text"


async def build(desk: Desk) -> None:
    """Fill the page."""
    parts.heading("Model", UNDER)
    await ModelPage(desk).begin()


@dataclass(frozen=True)
class Shown:
    """What is on the right.   file : that it is of.   numbers : knobs that were told.   section : its reduction."""

    sight: Sight
    file: str
    numbers: Mapping[str, float]
    section: Reducing

    def still(self, sight: Sight, draft: Draft, chosen: Chosen) -> bool:
        """True if all of it would be the same again: it is of the same model, and as much is to be said of it."""
        same = (sight.digest, sight.remarks, draft.file) == (self.sight.digest, self.sight.remarks, self.file)
        return same and self.section.is_of(draft) and chosen.choice.numbers == self.numbers


class ModelPage:
    """What is asked on the left, what is found on the right."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.draft, self.chosen = desk.shelf.of(Draft), desk.shelf.of(Chosen)
        self.draft.adopt(self.chosen.choice)
        self.latest = Latest(self._look)
        self.editor: Editor | None = None
        self._reducing: asyncio.Task[Any] | None = None
        self._shown: Shown | None = None
        with ui.element("div").classes("sides") as self.sides:
            self.left = ui.element("section").classes("stack").props('aria-label="the model"')
            self.right = ui.element("section").classes("stack").props('aria-label="what is in it" aria-live="off"')
        with self.right:
            self.state = ui.element("div")
            self.view = ui.element("div").classes("stack")
        with self.view:
            parts.note("looking at the model ...")

    async def begin(self) -> None:
        self._ask()
        await self.changed()

    async def changed(self) -> None:
        """Something was edited: look at it, now or after what is being looked at; what is shown is of an older text."""
        self.view.classes(add="stale")
        await self.latest.ask()

    # ---- left

    def _ask(self) -> None:
        self.left.clear()
        self.sides.classes(add="even" if self.draft.by_text else None, remove=None if self.draft.by_text else "even")
        self.editor = None
        with self.left:
            ui.toggle(KINDS, value=self.draft.by_text, on_change=parts.handled(self._turn)).props(
                'no-caps unelevated spread aria-label="kind of model"'
            ).classes("kinds")
            if self.draft.by_text:
                self.editor = Editor(self.desk.staff, self.draft, self.changed)
                return
            form = SystemForm(self.draft, self.changed)
            with ui.element("div").classes("line"):
                ui.button("as in the paper", on_click=parts.handled(form.as_published)).props("flat dense no-caps")
                ui.button("open as text", on_click=parts.handled(self._open_as_text)).props("flat dense no-caps")

    async def _turn(self) -> None:
        self.draft.by_text = not self.draft.by_text
        self._ask()
        await self.changed()

    async def _open_as_text(self) -> None:
        name = self.draft.file
        files = await within(self.desk.staff, LIMIT, save, self.draft.choice)
        if len(files) > 1:
            words = "has matrices, which stand in a file beside its text and are not opened from here; download both"
            raise TaskFailed(f"this model {words}")
        await self._go_on(files[FILE].decode(), name)

    async def _go_on(self, text: str, name: str) -> None:
        """Edit this text from now on."""
        self.draft.write(text, name)
        self._ask()
        await self.changed()

    # ---- right

    async def _look(self) -> None:
        choice = self.draft.choice
        empty = not choice.system and not choice.text.strip()
        sight = Sight() if empty else await self._sight(choice)
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
                parts.empty(NO_TEXT)
            else:
                self._show(sight)

    async def _sight(self, choice: Choice) -> Sight:
        try:
            with hearing() as lines:
                sight = await within(self.desk.staff, LIMIT, look, choice)
            return replace(sight, remarks=tuple(dict.fromkeys([*sight.remarks, *lines])))
        except TaskFailed as failure:
            if failure.details:
                parts.log.error("%s\n%s", failure, failure.details)
            return Sight(problems=(Problem(None, str(failure)),))

    def _refused(self, sight: Sight) -> None:
        count = len(sight.problems)
        if self.editor is None:
            parts.note(sight.problems[0].words, "problem")
        else:
            parts.note("one problem to mend" if count == 1 else f"{count} problems to mend", "problem")
        if self.editor is not None and sight.is_law:
            make = parts.handled(self.editor.make_model)
            ui.button("make a small model of this law", on_click=make).props("outline no-caps").classes("start")
        kept = self.chosen.choice
        what = f"the system {kept.system}" if kept.system else f"the last text of {kept.name} without problems"
        parts.note(f"until it is mended the page Respond answers for {what}")

    def _show(self, sight: Sight) -> None:
        with ui.element("div").classes("line"):
            ui.html(f"<b>{escape(sight.name)}</b> <span class='quiet'>{sight.size}</span>", sanitize=False)
            ui.space()
            ui.button("model", icon="download", on_click=parts.handled(self._download)).props("flat dense no-caps")
            ui.link("its response", "/respond")
        self._tell_of_knobs()
        showing.contents(sight)
        parts.title("Equations")
        showing.formulas(sight.formulas, self.draft.file)
        section = Reducing(self.desk.staff, self.draft, sight.negligible, self._go_on)
        if self._reducing is not None:  # of what was typed before
            self._reducing.cancel()
        self._reducing = parts.aside(section.begin())  # what is typed next does not wait for it
        self._shown = Shown(sight, self.draft.file, self.chosen.choice.numbers, section)

    def _tell_of_knobs(self) -> None:
        """What the page Respond has turned does not stand in the text."""
        chosen = self.chosen.choice
        if chosen.numbers and replace(chosen, numbers={}) == self.draft.choice:
            told = ", ".join(f"{name} = {value:g}" for name, value in chosen.numbers.items())
            parts.note(f"turned on the page Respond, and not in this text: {told}; its model can be taken along there")

    async def _download(self) -> None:
        choice, name = self.draft.choice, self.draft.file
        if not choice.system:
            parts.download(choice.text, name)
            return
        parts.download(*as_download(await within(self.desk.staff, LIMIT, save, choice), name))
