"""The text of a model file: dropped, begun from a starter, edited, checked while one types, and brought back."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from typing import Any

from nicegui import ui

from slipstick.app import parts
from slipstick.app.model.kept import Draft, Former
from slipstick.app.model.law_alone import may_be_law, with_mass
from slipstick.app.model.reading import refuse_table
from slipstick.app.model.tasks import LIMIT, Problem
from slipstick.app.names import plain_name
from slipstick.app.staff import Staff, TaskFailed, within
from slipstick.errors import FileError

LABEL = "model file"
MOST_SHOWN = 12  # problems that are listed

# a file that falls on the text goes the way of those that are dropped above it, where its size is looked at; so does a
# text from the clipboard that no link bears
_BEHAVE = """
const box = getHtmlElement(%(editor)d), file = (list) => getElement(%(upload)d).$refs.qRef.addFiles(list);
const taken = (event) => { event.preventDefault(); event.stopPropagation(); };
getElement(%(editor)d).editorPromise.then((view) => view.contentDOM.setAttribute("aria-label", %(label)s));
box.addEventListener("drop", (event) => {
  if (event.dataTransfer.files.length) { taken(event); file(event.dataTransfer.files); }
}, true);
box.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text/plain");
  if (text.length > %(most)d) { taken(event); file([new File([text], "pasted.yaml")]); }
}, true);
"""
_GO_TO = """
getElement(%(editor)d).editorPromise.then((view) => {
  const line = view.state.doc.line(Math.min(%(line)d, view.state.doc.lines));
  view.dispatch({selection: {anchor: line.from}, scrollIntoView: true});
  view.focus();
});
"""
_DROP = """
<label class="drop" tabindex="-1">
  <span>Drop a model file here, or</span>
  <q-btn flat dense no-caps label="choose one" @click="props.pickFiles"><q-uploader-add-trigger /></q-btn>
</label>
"""
_PASTED = 200_000  # characters; one message to the server bears a million bytes


class Editor:
    """The text and what is wrong with it.   changed : is awaited after a change."""

    def __init__(self, staff: Staff, draft: Draft, changed: Callable[[], Awaitable[None]]) -> None:
        from slipstick.model.files.source import LARGEST_FILE

        self._staff, self._draft, self._changed = staff, draft, changed
        self._upload = ui.upload(
            auto_upload=True,
            max_file_size=LARGEST_FILE,
            on_upload=parts.handled(self._dropped),
            on_rejected=lambda: parts.complain(too_large()),
        )
        self._upload.props("flat").classes("full-width drop-files").add_slot("header", _DROP)
        with ui.element("div").classes("line"):
            self._name = ui.label(draft.name).classes("small quiet")
            ui.space()
            ui.button("a commented starter", on_click=parts.handled(self._start)).props("flat dense no-caps")
        self._history = ui.element("div").classes("stack")
        self._tell_of_history()
        self._box = ui.codemirror(
            draft.text, language="YAML", theme="githubLight", indent="  ", line_wrapping=True
        ).classes("editor")
        self._box.on_value_change(parts.handled(self._typed))
        parts.note("checked while you type; Esc, then Tab leaves the text")
        self._messages = ui.element("div").classes("stack").props('role="status" aria-live="polite"')
        given = {"editor": self._box.id, "upload": self._upload.id, "most": _PASTED, "label": json.dumps(LABEL)}
        ui.run_javascript(_BEHAVE % given)

    async def _dropped(self, event: Any) -> None:
        from slipstick.model.files.source import LARGEST_FILE, as_text

        name = plain_name(event.file.name)
        self._upload.reset()
        refuse_table(name)
        data = await event.file.read()
        if len(data) > LARGEST_FILE:
            raise FileError(name, None, "", too_large())
        text = as_text(name, data)
        if not (may_be_law(text) and await self._with_mass(text, name)):
            await self._put(text, name)

    async def make_model(self) -> None:
        """Of the law alone that the text is."""
        if not await self._with_mass(self._draft.text, self._draft.name):
            raise TaskFailed("no model can be made of this law as it is; mend it first, or begin from the starter")

    async def _with_mass(self, text: str, name: str) -> bool:
        made = await within(self._staff, LIMIT, with_mass, text, name)
        if made is not None:
            await self._put(made.text, name, made.said)
        return made is not None

    async def _start(self) -> None:
        await self._put(files("slipstick.cli").joinpath("starter.yaml").read_text(encoding="utf-8"), "starter.yaml")

    async def _put(self, text: str, name: str, said: str = "") -> None:
        self._draft.write(text, name, said)
        await self._renew()

    async def _bring_back(self, former: Former) -> None:
        self._draft.bring_back(former)
        await self._renew()

    async def _renew(self) -> None:
        self._name.set_text(self._draft.name)
        self._tell_of_history()
        self._box.set_value(self._draft.text)
        await self._changed()

    def _tell_of_history(self) -> None:
        """What was assumed in the text, and those that it has replaced."""
        self._history.clear()
        self._history.set_visibility(bool(self._draft.said or self._draft.former))
        with self._history:
            if self._draft.said:
                parts.note(self._draft.said, "small")
            if self._draft.former:
                with ui.element("div").classes("line small former"):
                    ui.label("bring back what was replaced:").classes("quiet")
                    for former in self._draft.former:
                        self._offer(former)

    def _offer(self, former: Former) -> None:
        async def bring_back() -> None:
            await self._bring_back(former)

        words = f"{former.name} ({former.until})"
        button = ui.button(words, icon="undo", on_click=parts.handled(bring_back))
        button.props("flat dense no-caps").mark("bring back")

    async def _typed(self, event: Any) -> None:
        text = event.value or ""
        if text != self._draft.text:
            self._draft.text = text
            await self._changed()

    def show(self, problems: Sequence[Problem]) -> None:
        """What is wrong, at its line and below the text."""
        lines = {problem.line: problem.words for problem in reversed(problems) if problem.line is not None}
        marks = [{"kind": "line", "line": line, "class": "bad-line"} for line in lines]
        # not as properties: they would bring the text of the server along, and undo what was typed meanwhile
        self._box.run_method("setDecorations", marks)
        self._box.run_method("setLineTooltips", lines)
        self._messages.clear()
        with self._messages:
            for problem in problems[:MOST_SHOWN]:
                self._message(problem)
            if len(problems) > MOST_SHOWN:
                parts.note(f"and {len(problems) - MOST_SHOWN} more")

    def _message(self, problem: Problem) -> None:
        with ui.element("div").classes("problem"):
            if problem.line is not None:
                line = problem.line
                ui.button(f"line {line}", on_click=lambda: self._go_to(line)).props("flat dense no-caps").classes("at")
            ui.label(problem.words)

    def _go_to(self, line: int) -> None:
        ui.run_javascript(_GO_TO % {"editor": self._box.id, "line": line})


def too_large() -> str:
    """What a model file may be."""
    from slipstick.model.files.source import LARGEST_FILE

    return f"a model file is YAML text of at most {LARGEST_FILE:,} bytes; drop one such file"
