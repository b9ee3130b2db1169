"""Collects the warnings of tasks, and whether a task has finished.

A task warns by ``warnings.warn``. Its warnings arrive beside its result, one line each:

    with collect_warnings() as lines:
        found = await self.desk.worker_pool.do(tasks.quick, None, ...)
    ...keep ``tuple(lines)`` with the result, and show them there: widgets.warning_lines(lines)

Without this, `widgets.with_error_notification` shows the lines in a corner of the page. That suits a button. Where the
same task runs again and again, as for a slider, they belong beside the result.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

log = logging.getLogger("slipstick.app")
_warnings_var: ContextVar[list[str] | None] = ContextVar("heard", default=None)
_finished_var: ContextVar[list[str] | None] = ContextVar("done", default=None)


def collect_warnings() -> AbstractContextManager[list[str]]:
    """What tasks that are awaited in here warn of, a line each, none twice; nobody further out hears it."""
    return _collect(_warnings_var)


def collect_finished_tasks() -> AbstractContextManager[list[str]]:
    """The names of tasks that are awaited in here and come to their end, for whoever asks whether there were any."""
    return _collect(_finished_var)


@contextmanager
def _collect(who: ContextVar[list[str] | None]) -> Iterator[list[str]]:
    """A list that is told in here, and nobody further out."""
    lines: list[str] = []
    before = who.set(lines)
    try:
        yield lines
    finally:
        who.reset(before)


def publish_task_end(name: str, lines: tuple[str, ...]) -> None:
    """To whoever listens: a task has come to its end.   lines : what it warned of."""
    done, heard = _finished_var.get(), _warnings_var.get()
    if done is not None:
        done.append(name)
    if heard is not None:
        heard += [line for line in lines if line not in heard]
    for line in lines if heard is None else ():
        log.warning(line)
