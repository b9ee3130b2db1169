"""Collects the warnings of tasks, and whether a task has finished.

A task warns by ``warnings.warn``. Its warnings arrive beside its result, one line each:

    with collect_warnings() as lines:
        result = await self.context.worker_pool.run(tasks.preview_curve, None, ...)
    ...keep ``tuple(lines)`` with the result, and show them there: widgets.warning_lines(lines)

Without this, `widgets.with_error_notification` shows the lines in a corner of the page. That suits a button. If the
same task runs again and again, as for a slider, they belong beside the result.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

log = logging.getLogger("slipstick.app")
_warnings_var: ContextVar[list[str] | None] = ContextVar("warnings", default=None)
_finished_var: ContextVar[list[str] | None] = ContextVar("finished", default=None)


def collect_warnings() -> AbstractContextManager[list[str]]:
    """The warnings of tasks awaited in the block, one line each, none twice; outer blocks do not get them."""
    return _collect(_warnings_var)


def collect_finished_tasks() -> AbstractContextManager[list[str]]:
    """The names of tasks that finish in the block."""
    return _collect(_finished_var)


@contextmanager
def _collect(variable: ContextVar[list[str] | None]) -> Iterator[list[str]]:
    lines: list[str] = []
    outer = variable.set(lines)
    try:
        yield lines
    finally:
        variable.reset(outer)


def publish_task_end(name: str, lines: tuple[str, ...]) -> None:
    """Tell the innermost collectors that a task has finished.   lines : its warnings; logged if none collects them."""
    finished, collected = _finished_var.get(), _warnings_var.get()
    if finished is not None:
        finished.append(name)
    if collected is not None:
        collected += [line for line in lines if line not in collected]
    for line in lines if collected is None else ():
        log.warning(line)
