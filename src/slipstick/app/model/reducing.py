"""Reduction: tick what is negligible, see the steps and the equations, take the smaller model along."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from html import escape

from nicegui import ui

from slipstick.app import parts
from slipstick.app.model import showing
from slipstick.app.model.equation import shown
from slipstick.app.model.kept import Draft, Names
from slipstick.app.model.saving import FILE, as_download
from slipstick.app.model.tasks import LIMIT, Smaller, Step, reduce
from slipstick.app.staff import Latest, Staff, TaskFailed, hearing, within

WORDS = {
    "massless": "no inertia",
    "frictionless": "no friction",
    "rigid": "rigid",
    "no_gap": "no gap",
    "no_limit": "no dry friction",
}
OF_COORDINATES, OF_CONNECTIONS = ("massless", "frictionless"), ("rigid", "no_gap", "no_limit")


class Reducing:
    """The section of one model.   negligible : what can be ticked.   go_on : is awaited with the reduced text."""

    def __init__(
        self, staff: Staff, draft: Draft, negligible: Names, go_on: Callable[[str, str], Awaitable[None]]
    ) -> None:
        self._staff, self._draft, self._go_on = staff, draft, go_on
        self._negligible = negligible
        self._latest = Latest(self._reduce)
        draft.neglected = self._ticked = self._possible(draft.neglected)
        parts.title("Reduce")
        if not any(negligible.values()):
            parts.note("nothing in this model can be neglected by the algebra of gaps and dry friction")
            return
        parts.note("tick what is negligible: the model without it, its equations and the reasons appear below")
        with ui.element("div").classes("ticks"):
            self._rows(OF_COORDINATES)
            self._rows(OF_CONNECTIONS)
        self._place = ui.element("div").classes("stack")

    def is_of(self, draft: Draft) -> bool:
        """True if the ticks are those that the draft has; with another text it begins without any."""
        return draft.neglected is self._ticked

    async def begin(self) -> None:
        """Show the reduction that was ticked before, if there is one."""
        if any(self._draft.neglected.values()):
            await self._latest.ask()

    def _possible(self, names: Names) -> Names:
        """Those that the model has; it may have been edited since."""
        return {word: tuple(n for n in own if n in self._negligible.get(word, ())) for word, own in names.items()}

    def _rows(self, words: tuple[str, ...]) -> None:
        for name in dict.fromkeys(name for word in words for name in self._negligible[word]):
            ui.label(name)
            with ui.element("div").classes("line"):
                for word in words:
                    if name in self._negligible[word]:
                        self._tick(word, name)

    def _tick(self, word: str, name: str) -> None:
        ui.checkbox(
            WORDS[word],
            value=name in self._draft.neglected.get(word, ()),
            on_change=parts.handled(lambda event: self._turn(word, name, event.value)),
        ).props("dense").mark(f"{name} {word}")

    async def _turn(self, word: str, name: str, on: bool) -> None:
        ticked = {*self._draft.neglected.get(word, ()), name} - (set() if on else {name})
        names = tuple(own for own in self._negligible[word] if own in ticked)
        self._draft.neglected = self._ticked = {**self._draft.neglected, word: names}
        await self._latest.ask()

    async def _reduce(self) -> None:
        wanted = {word: names for word, names in self._draft.neglected.items() if names}
        found: Smaller | str = ""
        lines: list[str] = []
        if wanted:
            try:
                with hearing() as lines:
                    found = await within(self._staff, LIMIT, reduce, self._draft.choice, wanted, self._draft.file)
            except TaskFailed as failure:
                found = str(failure)
                if failure.details:
                    parts.log.error("%s\n%s", failure, failure.details)
        if self._place.is_deleted:
            return
        self._place.clear()
        with self._place:
            parts.remarks(lines)
            self._show(found)

    def _show(self, found: Smaller | str) -> None:
        if isinstance(found, str):
            if found:
                parts.note(found, "problem")
            return
        parts.note(found.size, "size")
        self._take_along(found)
        ui.html("<ol class='steps'>" + "".join(_step(step) for step in found.steps) + "</ol>", sanitize=False)
        showing.formulas(found.formulas, self._file)
        showing.picture(found.picture)

    @property
    def _file(self) -> str:
        return f"{self._draft.file.rpartition('.')[0] or self._draft.file}-reduced.yaml"

    def _take_along(self, found: Smaller) -> None:
        content, name = as_download(found.files, self._file)

        async def go_on() -> None:
            await self._go_on(found.files[FILE].decode(), name)

        with ui.element("div").classes("line"):
            ui.button("the reduced model", icon="download", on_click=lambda: parts.download(content, name)).props(
                "outline no-caps"
            )
            if len(found.files) == 1:
                ui.button("go on with it", on_click=parts.handled(go_on)).props("flat no-caps")


def _step(step: Step) -> str:
    formulas = "".join(f"<p class='equations'>{shown(line)}</p>" for line in step.formulas)
    assumed = f"<div class='quiet small'>assumed: {escape(step.assumed)}</div>"
    return f"<li><b>{escape(step.rule)}</b>: {escape(step.says)}{assumed}{formulas}</li>"
