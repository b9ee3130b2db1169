"""State of a browser tab, kept in the server so that it survives a reload.

Each page keeps one object of its own class here. A closed tab may come back: browsers put tabs to sleep and reopen
them. Its state stays for a day, within a limit for all closed tabs together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from time import monotonic
from typing import Any, TypeVar

StateT = TypeVar("StateT")

CLOSED_TAB_LIFETIME = 86_400.0  # [s] for which the state of a closed tab is kept
MAX_CLOSED_TABS_BYTES = 200_000_000  # of all closed tabs; beyond, the tab that was closed first is dropped
BYTES_PER_NUMBER = 32  # a number, and its entry in a list


class TabState:
    """The state of one tab.   tab : its id."""

    def __init__(self, tab: str) -> None:
        self.tab = tab
        self._states: dict[type[Any], Any] = {}

    def of(self, kind: type[StateT]) -> StateT:
        """The object of this class in the tab; made at the first call."""
        if kind not in self._states:
            self._states[kind] = kind()
        state: StateT = self._states[kind]
        return state

    def reset(self, kind: type[Any]) -> None:
        """Forget the object of this class."""
        self._states.pop(kind, None)

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        return plain_size(self._states, set())


class TabStates:
    """The states of all tabs.   clock : [s]"""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._tab_states: dict[str, TabState] = {}
        self._pages: dict[str, set[str]] = {}  # open pages by tab
        self._closed: dict[str, tuple[float, int]] = {}  # time of closing and bytes; the latest is the last
        self._clock = clock

    def opened(self, tab: str, page: str) -> TabState:
        """The state of a tab, for a page that was opened in it; it is kept at least until the page is left."""
        self._closed.pop(tab, None)
        self._pages.setdefault(tab, set()).add(page)
        self._evict_closed()
        return self._tab_states.setdefault(tab, TabState(tab))

    def left(self, tab: str, page: str) -> bool:
        """Record that a page was left; True if the tab has no other page, and so is closed."""
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
        """Drop states of closed tabs that are too old or too large together, the oldest first."""
        total = sum(size for _, size in self._closed.values())
        for tab, (since, size) in list(self._closed.items()):
            if total <= MAX_CLOSED_TABS_BYTES and self._clock() - since <= CLOSED_TAB_LIFETIME:
                return
            total -= size
            del self._closed[tab], self._tab_states[tab]


def plain_size(value: Any, counted: set[int]) -> int:
    """Bytes of plain data with all its members; other objects, such as page elements, count as one number."""
    if isinstance(value, int | float):
        return BYTES_PER_NUMBER
    if id(value) in counted:
        return 0
    counted.add(id(value))
    if isinstance(value, bytes | str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(plain_size(key, counted) + plain_size(item, counted) for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return sum(plain_size(one, counted) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        return sum(plain_size(getattr(value, own.name), counted) for own in fields(value))
    return int(getattr(value, "nbytes", BYTES_PER_NUMBER))
