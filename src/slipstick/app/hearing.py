"""What tasks warn of and whether any came to its end, for whoever awaits them.

What a task warns of (``warnings.warn``) is heard and handed over beside what it found, a line each:

    with hearing() as lines:
        found = await self.desk.staff.do(tasks.quick, None, ...)
    ...keep ``tuple(lines)`` with what was found, and show it there: parts.remarks(lines)

Who does not listen loses nothing: `parts.handled` does, and shows the lines in a corner of the page. That will do for a
button; where the same is computed again and again, as for a slider, they belong beside the result.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

log = logging.getLogger("slipstick.app")
_heard: ContextVar[list[str] | None] = ContextVar("heard", default=None)
_done: ContextVar[list[str] | None] = ContextVar("done", default=None)


def hearing() -> AbstractContextManager[list[str]]:
    """What tasks that are awaited in here warn of, a line each, none twice; nobody further out hears it."""
    return _told_to(_heard)


def counting() -> AbstractContextManager[list[str]]:
    """The names of tasks that are awaited in here and come to their end, for whoever asks whether there were any."""
    return _told_to(_done)


@contextmanager
def _told_to(who: ContextVar[list[str] | None]) -> Iterator[list[str]]:
    """A list that is told in here, and nobody further out."""
    lines: list[str] = []
    before = who.set(lines)
    try:
        yield lines
    finally:
        who.reset(before)


def pass_on(name: str, lines: tuple[str, ...]) -> None:
    """To whoever listens: a task has come to its end.   lines : what it warned of."""
    done, heard = _done.get(), _heard.get()
    if done is not None:
        done.append(name)
    if heard is not None:
        heard += [line for line in lines if line not in heard]
    for line in lines if heard is None else ():
        log.warning(line)
