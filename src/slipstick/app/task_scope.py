"""Scopes of running tasks: a task ends with its page, or with its tab if it is to outlast the page.

A tab shows one page at a time: whoever goes on to another page, or loads the same one again, has left the former.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TaskScope:
    """page : one opening of it.   tab : where.   lasting : it goes on while other pages are open in the tab."""

    page: str
    tab: str
    lasting: bool = False


class TaskScopes:
    """Those of all tabs of a server."""

    def __init__(self) -> None:
        self._scopes: dict[asyncio.Task[Any], TaskScope] = {}

    @contextmanager
    def going(self, task_scope: TaskScope) -> Iterator[None]:
        """What is awaited in here is done for it; if it is in vain, that is cancelled."""
        task = asyncio.current_task()
        assert task is not None
        before = self._scopes.get(task)
        self._scopes[task] = task_scope
        try:
            yield
        finally:
            del self._scopes[task]
            if before is not None:
                self._scopes[task] = before

    def turn_to(self, page: str, tab: str) -> None:
        """A tab shows this page now."""
        self._end(lambda own: own.tab == tab and own.page != page and not own.lasting)

    def leave(self, page: str) -> None:
        """Nobody looks at a page any more."""
        self._end(lambda own: own.page == page and not own.lasting)

    def close(self, tab: str) -> None:
        """A tab is gone."""
        self._end(lambda own: own.tab == tab)

    def _end(self, which: Callable[[TaskScope], bool]) -> None:
        for task in [task for task, own in self._scopes.items() if which(own)]:
            task.cancel()


TASK_SCOPES = TaskScopes()
