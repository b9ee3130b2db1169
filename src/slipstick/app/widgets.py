"""Small elements of pages: headings, notes, tables, progress, and error messages."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import wraps
from html import escape
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from nicegui import background_tasks, ui
from nicegui.client import Client

from slipstick.app.certificate_verdict import Verdict
from slipstick.app.plotly_figures import Figure
from slipstick.app.task_scope import TASK_SCOPES, TaskScope
from slipstick.app.task_warnings import collect_finished_tasks, collect_warnings
from slipstick.app.task_worker import ReportProgress
from slipstick.app.terms import help_mark
from slipstick.app.worker_pool import TaskFailed, TaskInterrupted, WorkerPool
from slipstick.errors import SlipstickError

log = logging.getLogger("slipstick.app")
TaskParams = ParamSpec("TaskParams")
TaskResult = TypeVar("TaskResult")

CANCELLED_TEXT = "cancelled; nothing was changed"
ENDING_TEXT = "ending with the present result; cancel again to drop it"
# [s] for a task to end with its present result
FINISH_GRACE_TIME = 15.0
CLOSE_BUTTON = {"label": "close", "color": "white", "noCaps": True}
MIN_DISPLAY_TIME, DISPLAY_TIME_PER_LETTER = 12.0, 0.08  # [s] of an error message, and for each letter

_notifications: WeakKeyDictionary[Client, list[tuple[float, ui.notification]]] = WeakKeyDictionary()


def heading(words: str, under: str = "") -> None:
    """The title of a page, and one line on what it is for."""
    ui.html(f"<h1>{escape(words)}</h1>", sanitize=False)
    if under:
        ui.html(f'<p class="quiet">{escape(under)}</p>', sanitize=False)


def title(words: str) -> None:
    """The title of a section."""
    ui.html(f"<h2>{escape(words)}{help_mark(words)}</h2>", sanitize=False)


def note(words: str, kind: str = "quiet small") -> ui.html:
    """A line of text.   kind : a class of the style sheet: quiet, warning, problem."""
    return ui.html(f'<p class="{kind}">{escape(words)}</p>', sanitize=False)


def warning_lines(lines: Iterable[str]) -> None:
    """The warnings of a result (see `slipstick.app.task_warnings.collect_warnings`)."""
    for line in lines:
        note(line, "warning small")


def placeholder(words: str) -> None:
    """What to do to get the content that is missing here."""
    ui.html(f'<div class="empty">{escape(words)}</div>', sanitize=False)


def certificate(words: str, verdict: Verdict | bool, term: str = "certificate") -> None:
    """The error of a result: green if it passed, amber if a part is not known, red otherwise.

    term : explained behind it.
    """
    kind = verdict if isinstance(verdict, str) else ("passed" if verdict else "failed")
    mark = help_mark(term)
    ui.html(f'<div class="certificate {kind}">{escape(words)}{mark}</div>', sanitize=False)


def mark_stale(place: ui.element, stale: bool) -> None:
    """Show or clear that content belongs to other settings: faint, without certificate, buttons disabled."""
    place.classes(add="stale" if stale else None, remove=None if stale else "stale")
    for own in place.descendants():
        if isinstance(own, ui.button):
            own.set_enabled(not stale)


def escaped_prop(words: str) -> str:
    """Text for a property of an element."""
    return words.replace('"', "'").replace("\\", "/")


def code(text: str) -> None:
    """Preformatted lines."""
    ui.html(f"<pre>{escape(text)}</pre>", sanitize=False)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> ui.html:
    """A table of texts.   numbers : columns from the right that are aligned right."""
    first = len(heads) - numbers
    kind = [' class="n"' if i >= first else "" for i in range(len(heads))]
    head = "".join(f"<th{own}>{escape(cell)}{help_mark(cell)}</th>" for own, cell in zip(kind, heads, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{own}>{escape(cell)}</td>" for own, cell in zip(kind, row, strict=True)) + "</tr>"
        for row in rows
    )
    return ui.html(
        f'<div class="scroll"><table class="plain"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>',
        sanitize=False,
    )


def plot(figure: Figure) -> ui.plotly:
    """A figure whose height is reserved before it is drawn, so that nothing below it moves."""
    return ui.plotly(figure).classes("full-width").style(f"min-height: {figure['layout']['height']}px")


def notify_problem(line: str) -> None:
    """Show one line: the problem, and what to do."""
    client = ui.context.client
    log.warning("shown on the page: %s", line)
    known = _notifications.setdefault(client, [])
    for entry in [entry for entry in known if entry[1].message == line]:  # shown once
        _dismiss(client, entry)
    seconds = MIN_DISPLAY_TIME + DISPLAY_TIME_PER_LETTER * len(line)
    shown = ui.notification(line, type="negative", multi_line=True, timeout=seconds, actions=[CLOSE_BUTTON])
    known.append((monotonic(), shown))


def _dismiss_before(client: Client, since: float) -> None:
    """Dismiss the messages of a page from before this time (of `monotonic`)."""
    for entry in [entry for entry in _notifications.get(client, []) if entry[0] <= since]:
        _dismiss(client, entry)


def _dismiss(client: Client, entry: tuple[float, ui.notification]) -> None:
    _notifications[client].remove(entry)
    if not entry[1].is_deleted:  # the user closed it, or its time is over
        entry[1].dismiss()


def notify_warning(line: str) -> None:
    """Show a warning in a corner of the page until it is closed."""
    ui.notify(line, position="bottom", timeout=0, multi_line=True, actions=[CLOSE_BUTTON], icon="warning")


def with_error_notification(act: Callable[TaskParams, Any]) -> Callable[TaskParams, Awaitable[Any]]:
    """The action of a button or a field: an error becomes one line on the page, its details go to the log.

    So do warnings of tasks, unless the action collects them itself. An action whose task finished dismisses older error
    messages. The action ends when the page is left (see `slipstick.app.task_scope`).
    """

    @wraps(act)
    async def safely(*arguments: TaskParams.args, **keywords: TaskParams.kwargs) -> Any:
        # held until the end: the action may rebuild the parent of its button, which messages need to find the page
        place = ui.context.slot.parent
        client, began = place.client, monotonic()
        try:
            with (
                TASK_SCOPES.running_in(_task_scope_of(client)),
                collect_finished_tasks() as finished,
                collect_warnings() as lines,
            ):
                result = act(*arguments, **keywords)
                result = await result if inspect.isawaitable(result) else result
            if finished:
                _dismiss_before(client, began)
            for line in lines:
                notify_warning(line)
            return result
        except Exception as error:
            notify_problem(error_message(error))
        return None

    return safely


def run_in_background(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Run a coroutine beside the page; it ends with the page."""
    task_scope = _task_scope_of(ui.context.client)

    async def scoped() -> None:
        with TASK_SCOPES.running_in(task_scope):
            await work

    return background_tasks.create(scoped())


def _task_scope_of(client: Client, lasting: bool = False) -> TaskScope:
    return TaskScope(client.id, client.tab_id or "", lasting)


def error_message(error: Exception) -> str:
    """One line for the user; details go to the log."""
    if isinstance(error, TaskFailed):
        if error.details:
            log.error("%s\n%s", error, error.details)
        return str(error)
    if isinstance(error, SlipstickError):
        return str(error)
    log.error("on the page", exc_info=error)
    return "something went wrong in slipstick; the log has the details, please report it"


class TaskBar:
    """Progress of a task and a button that cancels it; invisible while none runs. One task at a time.

    lasting : the task continues on other pages of the tab, which have to show it. Others end with the page.
    keeps_partial : cancelling asks the task for its present result, for which it has some seconds.
    """

    def __init__(self, worker_pool: WorkerPool, lasting: bool = False, keeps_partial: bool = False) -> None:
        self._worker_pool, self._client = worker_pool, ui.context.client
        self._task_scope = _task_scope_of(self._client, lasting)
        self._keeps_partial, self._ending = keeps_partial, False
        self._deadline: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[Any] | None = None
        self._followed: TaskBar | None = None
        with ui.element("div").classes("task-bar idle full-width") as self._place:
            self._bar = ui.linear_progress(value=0, show_value=False, size="6px").props('aria-label="progress"')
            self._label = ui.label("").classes("quiet small").props('role="status"')
            ui.button("cancel", on_click=self.cancel).props("flat dense no-caps")

    @property
    def busy(self) -> bool:
        return self._task is not None

    @property
    def progress(self) -> tuple[str, float]:
        """The text and the share of the running task."""
        return self._label.text, float(self._bar.value or 0.0)

    def follow(self, other: TaskBar | None) -> None:
        """Show the progress of another bar, as of an earlier page of the tab; None if there is none."""
        if self.busy:
            return
        self._followed = other if other is not None and other.busy else None
        self._show(self._followed is not None)
        if self._followed is not None:
            self._show_progress(*self._followed.progress)

    def cancel(self) -> None:
        if self._followed is not None:
            self._followed.cancel()
        if self._task is None:
            return
        if self._keeps_partial and not self._ending and self._worker_pool.finish(self._task):
            self._ending = True
            self._show_progress(ENDING_TEXT, float(self._bar.value or 0.0))
            self._deadline = asyncio.get_running_loop().call_later(FINISH_GRACE_TIME, self._task.cancel)
        else:
            self._task.cancel()

    async def run(
        self,
        task: Callable[Concatenate[ReportProgress, TaskParams], TaskResult],
        *arguments: TaskParams.args,
        **keywords: TaskParams.kwargs,
    ) -> TaskResult | None:
        """The result of a task (see `WorkerPool.run`); None if it was cancelled here."""
        if self.busy:
            raise TaskFailed("a computation is running: cancel it, or wait for it")
        self._show_progress("waiting for a free process", 0.0)
        self._show(True)
        self._ending = False
        self._task = asyncio.ensure_future(self._worker_pool.run(task, self._show_progress, *arguments, **keywords))
        try:
            with TASK_SCOPES.running_in(self._task_scope):
                result: TaskResult = await asyncio.shield(self._task)
        except asyncio.CancelledError:
            if not self._task.cancelled():  # the page was left
                self._task.cancel()
                raise
            self._notify_cancelled()
            return None
        except TaskInterrupted:  # there was nothing to keep
            self._notify_cancelled()
            return None
        finally:
            self._task = None
            self._clear_deadline()
            self._show(False)
        return result

    def _show(self, shown: bool) -> None:
        """Show or hide the bar; in a place of the class "reserved" its room stays, so that nothing moves."""
        self._place.classes(add=None if shown else "idle", remove="idle" if shown else None)

    def _notify_cancelled(self) -> None:
        with self._client:  # the caller may have rebuilt the parent of its button
            ui.notify(CANCELLED_TEXT, position="bottom")

    def _clear_deadline(self) -> None:
        """No time limit any more: the task has ended, or sends its result."""
        if self._deadline is not None:
            self._deadline.cancel()

    def _show_progress(self, text: str, share: float) -> None:
        if self._ending:
            text = ENDING_TEXT
            if share == 1.0:
                self._clear_deadline()
        self._bar.set_value(min(max(share, 0.0), 1.0))
        self._label.set_text(text)


def download(content: bytes | str, name: str) -> None:
    """Send a file to the browser."""
    ui.download.content(content, name)
