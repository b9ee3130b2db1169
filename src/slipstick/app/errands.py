"""What is going on for somebody; it ends with the page that began it, or, where it is to outlast that, with its tab.

A tab shows one page at a time: whoever goes on to another page, or loads the same one again, has left the former.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Errand:
    """page : one opening of it.   tab : where.   lasting : it goes on while other pages are open in the tab."""

    page: str
    tab: str
    lasting: bool = False


class Errands:
    """Those of all tabs of a server."""

    def __init__(self) -> None:
        self._going: dict[asyncio.Task[Any], Errand] = {}

    @contextmanager
    def going(self, errand: Errand) -> Iterator[None]:
        """What is awaited in here is done for it; if it is in vain, that is cancelled."""
        task = asyncio.current_task()
        assert task is not None
        before = self._going.get(task)
        self._going[task] = errand
        try:
            yield
        finally:
            del self._going[task]
            if before is not None:
                self._going[task] = before

    def turn_to(self, page: str, tab: str) -> None:
        """A tab shows this page now."""
        self._end(lambda own: own.tab == tab and own.page != page and not own.lasting)

    def leave(self, page: str) -> None:
        """Nobody looks at a page any more."""
        self._end(lambda own: own.page == page and not own.lasting)

    def close(self, tab: str) -> None:
        """A tab is gone."""
        self._end(lambda own: own.tab == tab)

    def _end(self, which: Callable[[Errand], bool]) -> None:
        for task in [task for task, own in self._going.items() if which(own)]:
            task.cancel()


ERRANDS = Errands()
