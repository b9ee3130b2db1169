"""State of a browser tab, kept in the server so that it survives a reload.

A room keeps one object of a class of its own here. A tab that was closed may come back, as those do that a browser puts
to sleep or opens again: what it had stays for a day, as long as all closed tabs together have not too much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from time import monotonic
from typing import Any, TypeVar

StateT = TypeVar("StateT")

CLOSED_TAB_LIFETIME = 86_400.0  # [s] for which what a closed tab had is kept
# bytes that all closed tabs have together; beyond, the one that was closed first goes
MAX_CLOSED_TABS_BYTES = 200_000_000
BYTES_PER_NUMBER = 32  # bytes of a number, and of its place in a list


class TabState:
    """What one tab keeps.   tab : its name."""

    def __init__(self, tab: str) -> None:
        self.tab = tab
        self._things: dict[type[Any], Any] = {}

    def of(self, kind: type[StateT]) -> StateT:
        """The object of this class that the tab keeps; it is made when it is first asked for."""
        if kind not in self._things:
            self._things[kind] = kind()
        found: StateT = self._things[kind]
        return found

    @property
    def size(self) -> int:
        """Bytes that it takes, roughly."""
        return _size(self._things, set())


class TabStates:
    """Those of all tabs.   clock : [s]"""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._tab_states: dict[str, TabState] = {}
        self._pages: dict[str, set[str]] = {}  # that are open, by tab
        self._closed: dict[str, tuple[float, int]] = {}  # when, and how many bytes; the latest is the last
        self._clock = clock

    def opened(self, tab: str, page: str) -> TabState:
        """The tab_state of a tab, for a page that was opened in it; it is not given up before the page is left."""
        self._closed.pop(tab, None)
        self._pages.setdefault(tab, set()).add(page)
        self._evict_closed()
        return self._tab_states.setdefault(tab, TabState(tab))

    def left(self, tab: str, page: str) -> bool:
        """Nobody looks at a page any more; True if the tab has no other, and so is closed."""
        pages = self._pages.get(tab, set())
        pages.discard(page)
        if pages:
            return False
        self._pages.pop(tab, None)
        if tab in self._tab_states:
            self._closed[tab] = self._clock(), self._tab_states[tab].size
        self._evict_closed()
        return True

    def _evict_closed(self) -> None:
        """What closed tabs had: after a while, or if it is too much, those first that were closed first."""
        total = sum(size for _, size in self._closed.values())
        for tab, (since, size) in list(self._closed.items()):
            if total <= MAX_CLOSED_TABS_BYTES and self._clock() - since <= CLOSED_TAB_LIFETIME:
                return
            total -= size
            del self._closed[tab], self._tab_states[tab]


def _size(thing: Any, seen: set[int]) -> int:
    """Bytes of plain things and all that is in them; others, such as pieces of a page, are not looked into."""
    if isinstance(thing, int | float):
        return BYTES_PER_NUMBER
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, bytes | str):
        return len(thing)
    if isinstance(thing, Mapping):
        return sum(_size(key, seen) + _size(value, seen) for key, value in thing.items())
    if isinstance(thing, list | tuple | set | frozenset):
        return sum(_size(one, seen) for one in thing)
    if is_dataclass(thing) and not isinstance(thing, type):
        return sum(_size(getattr(thing, own.name), seen) for own in fields(thing))
    return int(getattr(thing, "nbytes", BYTES_PER_NUMBER))
