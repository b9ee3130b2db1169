"""The small pieces that pages are made of: words, tables, what is being computed, what went wrong."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import wraps
from html import escape
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

from nicegui import background_tasks, ui
from nicegui.client import Client

from slipstick.app.complaints import CLOSE, succeeded
from slipstick.app.complaints import complain as complain  # pages have it from here
from slipstick.app.errands import ERRANDS, Errand
from slipstick.app.staff import Halted, Staff, TaskFailed, Tell, counting, hearing
from slipstick.errors import SlipstickError

log = logging.getLogger("slipstick.app")
Given = ParamSpec("Given")
Found = TypeVar("Found")

CANCELLED = "cancelled; nothing was changed"
ENDING = "ending with what there is; cancel again to drop it"
GRACE = 15.0  # [s] for a task that is asked to end with what it has, until it has ended or says that all is there


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


def remarks(lines: Iterable[str]) -> None:
    """What a result was warned of while it was computed (see `slipstick.app.staff.hearing`), beside it."""
    for line in lines:
        note(line, "warning small")


def empty(words: str) -> None:
    """In the place of what is not there yet: what to do."""
    ui.html(f'<div class="empty">{escape(words)}</div>', sanitize=False)


def certificate(words: str, passed: bool, doubtful: bool = False) -> None:
    """What a result says about its own error.   doubtful : nothing failed, but the error is not small."""
    kind = "certificate" if passed else "certificate doubtful" if doubtful else "certificate failed"
    ui.html(f'<div class="{kind}">{escape(words)}</div>', sanitize=False)


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


def remark(line: str) -> None:
    """One line to think of, in a corner of the page; it stays until it is closed."""
    ui.notify(line, position="bottom", timeout=0, multi_line=True, actions=[CLOSE], icon="warning")


def handled(act: Callable[Given, Any]) -> Callable[Given, Awaitable[Any]]:
    """What a button or a field does: an error becomes one line on the page, its details go to the log.

    So does what tasks warn of, unless the act listens itself and shows it beside what it found. An act for which
    something was computed takes away what was told before it. Whoever leaves the page has ended what it does (see
    `slipstick.app.errands`).
    """

    @wraps(act)
    async def safely(*given: Given.args, **named: Given.kwargs) -> Any:
        # held until the end: the act may rebuild the place of its button, and all that is told asks that for its page
        place = ui.context.slot.parent
        client, began = place.client, monotonic()
        try:
            with ERRANDS.going(_errand(client)), counting() as done, hearing() as lines:
                found = act(*given, **named)
                found = await found if inspect.isawaitable(found) else found
            if done:
                succeeded(client, began)
            for line in lines:
                remark(line)
            return found
        except Exception as error:
            complain(in_words(error))
        return None

    return safely


def aside(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Go on with it beside what the page does; it ends with the page."""
    errand = _errand(ui.context.client)

    async def going() -> None:
        with ERRANDS.going(errand):
            await work

    return background_tasks.create(going())


def _errand(client: Client, lasting: bool = False) -> Errand:
    return Errand(client.id, client.tab_id or "", lasting)


def in_words(error: Exception) -> str:
    """One line for the user; what is not for him goes to the log."""
    if isinstance(error, TaskFailed):
        if error.details:
            log.error("%s\n%s", error, error.details)
        return str(error)
    if isinstance(error, SlipstickError):
        return str(error)
    log.error("on the page", exc_info=error)
    return "something went wrong in slipstick; the log has the details, please report it"


class Bar:
    """How far a task is, and a button that stops it; not to be seen while nothing runs. One task at a time.

    lasting : it goes on while other pages are open in its tab; somebody has to show it there. Others end with the page.
    keeps : who cancels is given what was reached; the task is asked for it, and has some seconds.
    """

    def __init__(self, staff: Staff, lasting: bool = False, keeps: bool = False) -> None:
        self._staff, self._client = staff, ui.context.client
        self._errand = _errand(self._client, lasting)
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
        if self._keeps and not self._ending and self._staff.finish(self._task):
            self._ending = True
            self._tell(ENDING, float(self._bar.value or 0.0))
            self._deadline = asyncio.get_running_loop().call_later(GRACE, self._task.cancel)
        else:
            self._task.cancel()

    async def do(
        self, task: Callable[Concatenate[Tell, Given], Found], *given: Given.args, **named: Given.kwargs
    ) -> Found | None:
        """What a task finds (see `Staff.do`); None if it was cancelled here."""
        if self.busy:
            raise TaskFailed("one thing at a time: cancel what is running, or wait for it")
        self._tell("waiting for a free process", 0.0)
        self._place.set_visibility(True)
        self._ending = False
        self._task = asyncio.ensure_future(self._staff.do(task, self._tell, *given, **named))
        try:
            with ERRANDS.going(self._errand):
                found: Found = await asyncio.shield(self._task)
        except asyncio.CancelledError:
            if not self._task.cancelled():  # the page has gone, and nobody waits for it any more
                self._task.cancel()
                raise
            self._tell_of_the_end()
            return None
        except Halted:  # there was nothing to keep
            self._tell_of_the_end()
            return None
        finally:
            self._task = None
            self._lift_deadline()
            self._place.set_visibility(False)
        return found

    def _tell_of_the_end(self) -> None:
        with self._client:  # who asked for it may have rebuilt the place that he asked from
            ui.notify(CANCELLED, position="bottom")

    def _lift_deadline(self) -> None:
        """What was asked to end may take its time now, or has ended."""
        if self._deadline is not None:
            self._deadline.cancel()

    def _tell(self, words: str, share: float) -> None:
        if self._ending:
            words = ENDING
            if share == 1.0:
                self._lift_deadline()
        self._bar.set_value(min(max(share, 0.0), 1.0))
        self._words.set_text(words)


def download(content: bytes | str, name: str) -> None:
    """Hand a file to the browser."""
    ui.download.content(content, name)
