"""Editor of a model text: upload, starter, problems while typing, former texts."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from importlib.resources import files
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.file_names import plain_name
from slipstick.app.model.page_state import FormerText, ModelDraft
from slipstick.app.model.schema_help import completions_at, description_at
from slipstick.app.model.single_law_model import looks_like_law, model_from_law
from slipstick.app.model.tasks import TASK_TIME_LIMIT, TextProblem
from slipstick.app.model.text_reader import reject_table_file
from slipstick.app.worker_pool import TaskFailed, WorkerPool, run_within
from slipstick.errors import FileError

EDITOR_LABEL = "model file"
MAX_PROBLEMS_LISTED = 12  # in the list below the editor

# a file dropped on the text goes to the upload above it, which checks its size; so does a pasted text that is too long
# for one message
_EDITOR_SCRIPT = """
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
# completions and hover texts come from the server, which knows the schema
_HELP_SCRIPT = """
Promise.all([import("nicegui-codemirror"), getElement(%(editor)d).editorPromise]).then(([CM, view]) => {
  const answers = (window.editorAnswers ??= {}), word = /[\\w.+-]*/;
  let count = 0;
  const ask = (kind, position) => new Promise((resolve) => {
    const text = view.state.doc, line = text.lineAt(position);
    if (text.length > %(most)d) return resolve(null);
    const number = ++count;
    answers[number] = (found) => { delete answers[number]; resolve(found); };
    const place = {line: line.number - 1, column: position - line.from};
    getElement(%(editor)d).$emit("ask", {number, kind, text: text.toString(), ...place});
  });
  const complete = async (context) => {
    const before = context.matchBefore(word), line = view.state.doc.lineAt(context.pos);
    const begun = before && before.from < before.to;
    if (!context.explicit && !begun && !/:\\s+$/.test(line.text.slice(0, context.pos - line.from))) return null;
    const found = await ask("complete", context.pos);
    const options = (found ?? []).map(([label, info, apply]) => ({label, info, apply, type: "property"}));
    return options.length ? {from: before ? before.from : context.pos, options, validFor: /^[\\w.+-]*$/} : null;
  };
  const hover = CM.hoverTooltip(async (_, position) => {
    const words = await ask("describe", position);
    if (!words) return null;
    const create = () => {
      const dom = document.createElement("div");
      dom.className = "key-help";
      dom.textContent = words;
      return {dom};
    };
    return {pos: position, above: true, create};
  });
  const source = CM.EditorState.languageData.of(() => [{autocomplete: complete}]);
  view.dispatch({effects: CM.StateEffect.appendConfig.of([source, hover])});
});
"""
_GO_TO_LINE_SCRIPT = """
getElement(%(editor)d).editorPromise.then((view) => {
  const line = view.state.doc.line(Math.min(%(line)d, view.state.doc.lines));
  view.dispatch({selection: {anchor: line.from}, scrollIntoView: true});
  view.focus();
});
"""
_DROP_AREA_HTML = """
<label class="drop" tabindex="-1">
  <span>Drop a model file here, or</span>
  <q-btn flat dense no-caps label="choose one" @click="props.pickFiles" />
  <q-uploader-add-trigger />
</label>
"""
_MAX_PASTED_CHARACTERS = 200_000  # one message to the server holds a million bytes


class TextEditor:
    """The text and its problems.   changed : awaited after a change."""

    def __init__(self, worker_pool: WorkerPool, draft: ModelDraft, changed: Callable[[], Awaitable[None]]) -> None:
        from slipstick.model.files.text_file import MAX_FILE_BYTES

        self._worker_pool, self._draft, self._changed = worker_pool, draft, changed
        self._upload = ui.upload(
            auto_upload=True,
            max_file_size=MAX_FILE_BYTES,
            on_upload=widgets.with_error_notification(self._dropped),
            on_rejected=lambda: widgets.notify_problem(model_too_large_message()),
        )
        self._upload.props("flat").classes("full-width drop-files").add_slot("header", _DROP_AREA_HTML)
        with ui.element("div").classes("line"):
            self._name = ui.label(draft.name).classes("small quiet")
            ui.space()
            ui.button("a commented starter", on_click=widgets.with_error_notification(self._start)).props(
                "flat dense no-caps"
            )
        self._history = ui.element("div").classes("stack")
        self._show_history_button()
        self._box = ui.codemirror(
            draft.text, language="YAML", theme="githubLight", indent="  ", line_wrapping=True
        ).classes("editor")
        self._box.on_value_change(widgets.with_error_notification(self._typed))
        widgets.note(
            "Checked while you type. Ctrl-Space lists keys, hover explains one; Esc, then Tab leaves the text."
        )
        self._messages = ui.element("div").classes("stack").props('role="status" aria-live="polite"')
        script_values = {
            "editor": self._box.id,
            "upload": self._upload.id,
            "most": _MAX_PASTED_CHARACTERS,
            "label": json.dumps(EDITOR_LABEL),
        }
        ui.run_javascript(_EDITOR_SCRIPT % script_values)
        self._box.on("ask", widgets.with_error_notification(self._answer))
        ui.run_javascript(_HELP_SCRIPT % {"editor": self._box.id, "most": _MAX_PASTED_CHARACTERS})

    async def _dropped(self, event: Any) -> None:
        from slipstick.model.files.text_file import MAX_FILE_BYTES, decode_text

        name = plain_name(event.file.name)
        self._upload.reset()
        reject_table_file(name)
        data = await event.file.read()
        if len(data) > MAX_FILE_BYTES:
            raise FileError(name, None, "", model_too_large_message())
        text = decode_text(name, data)
        if not (looks_like_law(text) and await self._set_model_of_law(text, name)):
            await self._set_text(text, name)

    async def make_model(self) -> None:
        """Replace a law alone by a model with that law."""
        if not await self._set_model_of_law(self._draft.text, self._draft.name):
            raise TaskFailed(
                "this law has a problem and cannot become a model; correct it first, or begin from the starter"
            )

    async def _set_model_of_law(self, text: str, name: str) -> bool:
        model = await run_within(self._worker_pool, TASK_TIME_LIMIT, model_from_law, text, name)
        if model is not None:
            await self._set_text(model.text, name, model.assumptions)
        return model is not None

    async def _start(self) -> None:
        await self._set_text(
            files("slipstick.cli").joinpath("starter.yaml").read_text(encoding="utf-8"), "starter.yaml"
        )

    async def _set_text(self, text: str, name: str, assumptions: str = "") -> None:
        self._draft.write(text, name, assumptions)
        await self._update()

    async def _restore_former(self, former: FormerText) -> None:
        self._draft.restore_former(former)
        await self._update()

    async def _update(self) -> None:
        self._name.set_text(self._draft.name)
        self._show_history_button()
        self._box.set_value(self._draft.text)
        await self._changed()

    def _show_history_button(self) -> None:
        """Show the assumptions in the text, and buttons for former texts."""
        self._history.clear()
        self._history.set_visibility(bool(self._draft.assumptions or self._draft.former))
        with self._history:
            if self._draft.assumptions:
                widgets.note(self._draft.assumptions, "small")
            if self._draft.former:
                with ui.element("div").classes("line small former"):
                    ui.label("bring back what was replaced:").classes("quiet")
                    for former in self._draft.former:
                        self._offer(former)

    def _offer(self, former: FormerText) -> None:
        async def restore_former() -> None:
            await self._restore_former(former)

        words = f"{former.name} ({former.until})"
        button = ui.button(words, icon="undo", on_click=widgets.with_error_notification(restore_former))
        button.props("flat dense no-caps").mark("bring back")

    def _answer(self, event: Any) -> None:
        """Send completions or the meaning of a key to the editor."""
        asked = event.args
        place = str(asked["text"]), int(asked["line"]), int(asked["column"])
        found: Any = completions_at(*place) if asked["kind"] == "complete" else description_at(*place)
        self._box.client.run_javascript(f"editorAnswers[{int(asked['number'])}]?.({json.dumps(found)})")

    async def _typed(self, event: Any) -> None:
        text = event.value or ""
        if text != self._draft.text:
            self._draft.text = text
            await self._changed()

    def show(self, problems: Sequence[TextProblem]) -> None:
        """Show problems at their lines and below the text."""
        lines = {problem.line: problem.words for problem in reversed(problems) if problem.line is not None}
        marks = [{"kind": "line", "line": line, "class": "bad-line"} for line in lines]
        # not as properties: an update would send the server's text and undo newer typing
        self._box.run_method("setDecorations", marks)
        self._box.run_method("setLineTooltips", lines)
        self._messages.clear()
        with self._messages:
            for problem in problems[:MAX_PROBLEMS_LISTED]:
                self._message(problem)
            if len(problems) > MAX_PROBLEMS_LISTED:
                widgets.note(f"and {len(problems) - MAX_PROBLEMS_LISTED} more")

    def _message(self, problem: TextProblem) -> None:
        with ui.element("div").classes("problem"):
            if problem.line is not None:
                line = problem.line
                ui.button(f"line {line}", on_click=lambda: self._go_to(line)).props("flat dense no-caps").classes("at")
            ui.label(problem.words)

    def _go_to(self, line: int) -> None:
        ui.run_javascript(_GO_TO_LINE_SCRIPT % {"editor": self._box.id, "line": line})


def model_too_large_message() -> str:
    """The message about a model file that is too large."""
    from slipstick.model.files.text_file import MAX_FILE_BYTES

    return f"a model file is YAML text of at most {MAX_FILE_BYTES:,} bytes; drop one such file"
