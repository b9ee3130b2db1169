"""Reduction of a model: options, steps, equations and download of the reduced model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from html import escape

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.debounce import Debouncer
from slipstick.app.model import model_view
from slipstick.app.model.equation_html import equation_html
from slipstick.app.model.model_download import MODEL_FILE, as_download
from slipstick.app.model.page_state import ModelDraft, NeglectedNames
from slipstick.app.model.tasks import TASK_TIME_LIMIT, ReducedModelTexts, ReductionStepTexts, reduce_model
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskFailed, WorkerPool, run_within

NEGLECT_LABELS = {
    "massless": "no inertia",
    "frictionless": "no friction",
    "rigid": "rigid",
    "no_gap": "no gap",
    "no_limit": "no dry friction",
}
COORDINATE_OPTIONS, CONNECTION_OPTIONS = ("massless", "frictionless"), ("rigid", "no_gap", "no_limit")


class ReductionPanel:
    """The reduction of one model.   negligible : its options.   edit_reduced : edits the reduced text."""

    def __init__(
        self,
        worker_pool: WorkerPool,
        draft: ModelDraft,
        negligible: NeglectedNames,
        edit_reduced: Callable[[str, str], Awaitable[None]],
    ) -> None:
        self._worker_pool, self._draft, self._edit_text = worker_pool, draft, edit_reduced
        self._negligible = negligible
        self._debouncer = Debouncer(self._reduce)
        draft.neglected = self._ticked = self._possible(draft.neglected)
        widgets.title("Reduce")
        if not any(negligible.values()):
            widgets.note("nothing in this model can be neglected by the algebra of gaps and dry friction")
            return
        widgets.note("tick what is negligible: the model without it, its equations and the reasons appear below")
        with ui.element("div").classes("ticks"):
            self._rows(COORDINATE_OPTIONS)
            self._rows(CONNECTION_OPTIONS)
        self._place = ui.element("div").classes("stack")

    def is_of(self, draft: ModelDraft) -> bool:
        """True if the options are those of the draft; another text starts without any."""
        return draft.neglected is self._ticked

    async def begin(self) -> None:
        """Show the present reduction, if any."""
        if any(self._draft.neglected.values()):
            await self._debouncer.request()

    def _possible(self, names: NeglectedNames) -> NeglectedNames:
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
            NEGLECT_LABELS[word],
            value=name in self._draft.neglected.get(word, ()),
            on_change=widgets.with_error_notification(lambda event: self._set_tick(word, name, event.value)),
        ).props("dense").mark(f"{name} {word}")

    async def _set_tick(self, word: str, name: str, on: bool) -> None:
        ticked = {*self._draft.neglected.get(word, ()), name} - (set() if on else {name})
        names = tuple(own for own in self._negligible[word] if own in ticked)
        self._draft.neglected = self._ticked = {**self._draft.neglected, word: names}
        await self._debouncer.request()

    async def _reduce(self) -> None:
        neglected = {word: names for word, names in self._draft.neglected.items() if names}
        result: ReducedModelTexts | str = ""
        lines: list[str] = []
        if neglected:
            try:
                with collect_warnings() as lines:
                    result = await run_within(
                        self._worker_pool,
                        TASK_TIME_LIMIT,
                        reduce_model,
                        self._draft.choice,
                        neglected,
                        self._draft.file,
                    )
            except TaskFailed as failure:
                result = str(failure)
                if failure.details:
                    widgets.log.error("%s\n%s", failure, failure.details)
        if self._place.is_deleted:
            return
        self._place.clear()
        with self._place:
            widgets.warning_lines(lines)
            self._show(result)

    def _show(self, result: ReducedModelTexts | str) -> None:
        if isinstance(result, str):
            if result:
                widgets.note(result, "problem")
            return
        widgets.note(result.size, "size")
        self._open_reduced(result)
        ui.html("<ol class='steps'>" + "".join(_show_step(step) for step in result.steps) + "</ol>", sanitize=False)
        model_view.show_equations(result.formulas, self._file)
        model_view.show_diagram(result.picture)

    @property
    def _file(self) -> str:
        return f"{self._draft.file.rpartition('.')[0] or self._draft.file}-reduced.yaml"

    def _open_reduced(self, result: ReducedModelTexts) -> None:
        content, name = as_download(result.files, self._file)

        async def edit_reduced() -> None:
            await self._edit_text(result.files[MODEL_FILE].decode(), name)

        with ui.element("div").classes("line"):
            ui.button("the reduced model", icon="download", on_click=lambda: widgets.download(content, name)).props(
                "outline no-caps"
            )
            if len(result.files) == 1:
                ui.button("go on with it", on_click=widgets.with_error_notification(edit_reduced)).props("flat no-caps")


def _show_step(step: ReductionStepTexts) -> str:
    formulas = "".join(f"<p class='equations'>{equation_html(line)}</p>" for line in step.formulas)
    assumed = f"<div class='quiet small'>assumed: {escape(step.assumed)}</div>"
    return f"<li><b>{escape(step.rule)}</b>: {escape(step.says)}{assumed}{formulas}</li>"
