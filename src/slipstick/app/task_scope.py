"""Scopes of running tasks: a task ends with its page, or with its tab.

A tab shows one page at a time. Opening another page, or the same one again, leaves the former page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TaskScope:
    """page : one opening of a page.   tab : where.   lasting : the task continues on other pages of the tab."""

    page: str
    tab: str
    lasting: bool = False


class TaskScopes:
    """The scopes of all running tasks of a server."""

    def __init__(self) -> None:
        self._scopes: dict[asyncio.Task[Any], TaskScope] = {}

    @contextmanager
    def running_in(self, scope: TaskScope) -> Iterator[None]:
        """Cancel the current asyncio task if its scope ends within the block."""
        task = asyncio.current_task()
        assert task is not None
        outer = self._scopes.get(task)
        self._scopes[task] = scope
        try:
            yield
        finally:
            del self._scopes[task]
            if outer is not None:
                self._scopes[task] = outer

    def show_page(self, page: str, tab: str) -> None:
        """A tab shows this page now: tasks of its other pages end."""
        self._cancel(lambda scope: scope.tab == tab and scope.page != page and not scope.lasting)

    def leave_page(self, page: str) -> None:
        """A page is gone."""
        self._cancel(lambda scope: scope.page == page and not scope.lasting)

    def close_tab(self, tab: str) -> None:
        """A tab is gone."""
        self._cancel(lambda scope: scope.tab == tab)

    def _cancel(self, ends: Callable[[TaskScope], bool]) -> None:
        for task in [task for task, scope in self._scopes.items() if ends(scope)]:
            task.cancel()


TASK_SCOPES = TaskScopes()
