"""Small elements of pages: headings, notes, tables, progress, and error messages."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import wraps
from html import escape
from time import monotonic
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from nicegui import background_tasks, ui
from nicegui.client import Client

from slipstick.app.notifications import CLOSE_BUTTON, dismiss_before
from slipstick.app.notifications import notify_problem as notify_problem  # pages have it from here
from slipstick.app.task_scope import TASK_SCOPES, TaskScope
from slipstick.app.worker_pool import (
    ReportProgress,
    TaskFailed,
    TaskInterrupted,
    WorkerPool,
    collect_finished_tasks,
    collect_warnings,
)
from slipstick.errors import SlipstickError

log = logging.getLogger("slipstick.app")
TaskParams = ParamSpec("TaskParams")
TaskResult = TypeVar("TaskResult")
Verdict = Literal["passed", "unknown", "failed"]

CANCELLED_TEXT = "cancelled; nothing was changed"
ENDING_TEXT = "ending with what there is; cancel again to drop it"
# [s] for a task that is asked to end with what it has, until it has ended or says that all is there
FINISH_GRACE_TIME = 15.0


def heading(words: str, under: str = "") -> None:
    """The title of a page, and one line on what it is for."""
    ui.html(f"<h1>{escape(words)}</h1>", sanitize=False)
    if under:
        ui.html(f'<p class="quiet">{escape(under)}</p>', sanitize=False)


def title(words: str) -> None:
    """Of a section."""
    ui.html(f"<h2>{escape(words)}</h2>", sanitize=False)


def note(words: str, kind: str = "quiet small") -> ui.html:
    """A line of words.   kind : a class of the style sheet: quiet, warning, problem."""
    return ui.html(f'<p class="{kind}">{escape(words)}</p>', sanitize=False)


def warning_lines(lines: Iterable[str]) -> None:
    """What a result was warned of while it was computed (see `slipstick.app.worker_pool.collect_warnings`), beside
    it."""
    for line in lines:
        note(line, "warning small")


def placeholder(words: str) -> None:
    """In the place of what is not there yet: what to do."""
    ui.html(f'<div class="empty">{escape(words)}</div>', sanitize=False)


def certificate(words: str, verdict: Verdict | bool) -> None:
    """What a result says about its own error: green where it passed, amber where a part is not known, red else."""
    kind = verdict if isinstance(verdict, str) else ("passed" if verdict else "failed")
    ui.html(f'<div class="certificate {kind}">{escape(words)}</div>', sanitize=False)


def mark_stale(place: ui.element, stale: bool) -> None:
    """What is in a place is of another setting: faint, without its certificate, and its buttons are off."""
    place.classes(add="stale" if stale else None, remove=None if stale else "stale")
    for own in place.descendants():
        if isinstance(own, ui.button):
            own.set_enabled(not stale)


def code(text: str) -> None:
    """Lines that are read as they stand."""
    ui.html(f"<pre>{escape(text)}</pre>", sanitize=False)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> ui.html:
    """A table of words; its last columns, as many as ``numbers`` says, stand flush right."""
    first = len(heads) - numbers
    kind = [' class="n"' if i >= first else "" for i in range(len(heads))]
    head = "".join(f"<th{own}>{escape(cell)}</th>" for own, cell in zip(kind, heads, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{own}>{escape(cell)}</td>" for own, cell in zip(kind, row, strict=True)) + "</tr>"
        for row in rows
    )
    return ui.html(
        f'<div class="scroll"><table class="plain"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>',
        sanitize=False,
    )


def notify_warning(line: str) -> None:
    """One line to think of, in a corner of the page; it stays until it is closed."""
    ui.notify(line, position="bottom", timeout=0, multi_line=True, actions=[CLOSE_BUTTON], icon="warning")


def with_error_notification(act: Callable[TaskParams, Any]) -> Callable[TaskParams, Awaitable[Any]]:
    """What a button or a field does: an error becomes one line on the page, its details go to the log.

    So does what tasks warn of, unless the act listens itself and shows it beside what it found. An act for which
    something was computed takes away what was told before it. Whoever leaves the page has ended what it does (see
    `slipstick.app.task_scope`).
    """

    @wraps(act)
    async def safely(*given: TaskParams.args, **named: TaskParams.kwargs) -> Any:
        # held until the end: the act may rebuild the place of its button, and all that is told asks that for its page
        place = ui.context.slot.parent
        client, began = place.client, monotonic()
        try:
            with (
                TASK_SCOPES.going(_task_scope_of(client)),
                collect_finished_tasks() as done,
                collect_warnings() as lines,
            ):
                found = act(*given, **named)
                found = await found if inspect.isawaitable(found) else found
            if done:
                dismiss_before(client, began)
            for line in lines:
                notify_warning(line)
            return found
        except Exception as error:
            notify_problem(error_message(error))
        return None

    return safely


def run_in_background(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Go on with it beside what the page does; it ends with the page."""
    task_scope = _task_scope_of(ui.context.client)

    async def going() -> None:
        with TASK_SCOPES.going(task_scope):
            await work

    return background_tasks.create(going())


def _task_scope_of(client: Client, lasting: bool = False) -> TaskScope:
    return TaskScope(client.id, client.tab_id or "", lasting)


def error_message(error: Exception) -> str:
    """One line for the user; what is not for him goes to the log."""
    if isinstance(error, TaskFailed):
        if error.details:
            log.error("%s\n%s", error, error.details)
        return str(error)
    if isinstance(error, SlipstickError):
        return str(error)
    log.error("on the page", exc_info=error)
    return "something went wrong in slipstick; the log has the details, please report it"


class TaskBar:
    """How far a task is, and a button that stops it; not to be seen while nothing runs. One task at a time.

    lasting : it goes on while other pages are open in its tab; somebody has to show it there. Others end with the page.
    keeps : who cancels is given what was reached; the task is asked for it, and has some seconds.
    """

    def __init__(self, worker_pool: WorkerPool, lasting: bool = False, keeps: bool = False) -> None:
        self._worker_pool, self._client = worker_pool, ui.context.client
        self._task_scope = _task_scope_of(self._client, lasting)
        self._keeps, self._ending = keeps, False
        self._deadline: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[Any] | None = None
        with ui.element("div").classes("line full-width") as self._place:
            self._bar = ui.linear_progress(value=0, show_value=False, size="6px").props('aria-label="progress"')
            self._bar.style("flex: 1 1 8rem")
            self._words = ui.label("").classes("quiet small").props('role="status"')
            ui.button("cancel", on_click=self.cancel).props("flat dense no-caps")
        self._place.set_visibility(False)

    @property
    def busy(self) -> bool:
        return self._task is not None

    def cancel(self) -> None:
        if self._task is None:
            return
        if self._keeps and not self._ending and self._worker_pool.finish(self._task):
            self._ending = True
            self._tell(ENDING_TEXT, float(self._bar.value or 0.0))
            self._deadline = asyncio.get_running_loop().call_later(FINISH_GRACE_TIME, self._task.cancel)
        else:
            self._task.cancel()

    async def do(
        self,
        task: Callable[Concatenate[ReportProgress, TaskParams], TaskResult],
        *given: TaskParams.args,
        **named: TaskParams.kwargs,
    ) -> TaskResult | None:
        """What a task finds (see `WorkerPool.do`); None if it was cancelled here."""
        if self.busy:
            raise TaskFailed("one thing at a time: cancel what is running, or wait for it")
        self._tell("waiting for a free process", 0.0)
        self._place.set_visibility(True)
        self._ending = False
        self._task = asyncio.ensure_future(self._worker_pool.do(task, self._tell, *given, **named))
        try:
            with TASK_SCOPES.going(self._task_scope):
                found: TaskResult = await asyncio.shield(self._task)
        except asyncio.CancelledError:
            if not self._task.cancelled():  # the page has gone, and nobody waits for it any more
                self._task.cancel()
                raise
            self._show_ending()
            return None
        except TaskInterrupted:  # there was nothing to keep
            self._show_ending()
            return None
        finally:
            self._task = None
            self._clear_deadline()
            self._place.set_visibility(False)
        return found

    def _show_ending(self) -> None:
        with self._client:  # who asked for it may have rebuilt the place that he asked from
            ui.notify(CANCELLED_TEXT, position="bottom")

    def _clear_deadline(self) -> None:
        """What was asked to end may take its time now, or has ended."""
        if self._deadline is not None:
            self._deadline.cancel()

    def _tell(self, words: str, share: float) -> None:
        if self._ending:
            words = ENDING_TEXT
            if share == 1.0:
                self._clear_deadline()
        self._bar.set_value(min(max(share, 0.0), 1.0))
        self._words.set_text(words)


def download(content: bytes | str, name: str) -> None:
    """Hand a file to the browser."""
    ui.download.content(content, name)
