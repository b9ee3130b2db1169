"""States of pages that links lead back to, in any tab, as long as the server runs.

An address cannot hold a file or a model text, so it holds a key. The key is a digest of the content: a project that is
opened after a restart has the same content, so that links to it lead back again once its pages were shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from slipstick.app.tab_state import plain_size

StateT = TypeVar("StateT")

MAX_LINKED_STATES = 300  # the one that was used least recently is dropped
MAX_LINKED_BYTES = 200_000_000  # of all of them
KEY_BYTES = 12


def content_key(*parts: Any) -> str:
    """A digest of texts, bytes and plain data."""
    digest = blake2b(digest_size=KEY_BYTES)
    for part in parts:
        content = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.hexdigest()


class LinkedStates:
    """States by key; the latest that was used is the last."""

    def __init__(self) -> None:
        self._states: dict[str, tuple[Any, int, dict[int, int]]] = {}  # with own bytes, and those of files by id

    def keep(self, key: str, state: Any, files: Iterable[bytes] = ()) -> str:
        """Keep a state, in place of an earlier one of this key; returns the key.   files : shared with other states."""
        earlier = self._states.pop(key, None)
        if earlier is not None and earlier[0] is state:
            self._states[key] = earlier
            return key
        shared = {id(content): len(content) for content in files}
        self._states[key] = state, plain_size(state, set(shared)), shared
        while len(self._states) > MAX_LINKED_STATES or (self._size > MAX_LINKED_BYTES and len(self._states) > 1):
            del self._states[next(iter(self._states))]
        return key

    def find(self, key: str, kind: type[StateT]) -> StateT | None:
        """The state of a key; None if there is none of this kind, or no longer."""
        state = self._states.get(key, (None,))[0]
        return state if isinstance(state, kind) else None

    def has(self, key: str) -> bool:
        """True if a key leads to a state."""
        return key in self._states

    def forget(self, address: str, unless: str) -> None:
        """Drop the states of an address that was replaced, but not those of the one in its place."""
        for _, value in set(parse_qsl(urlsplit(address).query)) - set(parse_qsl(urlsplit(unless).query)):
            self._states.pop(value, None)

    @property
    def _size(self) -> int:
        shared: dict[int, int] = {}
        for _, _, files in self._states.values():
            shared |= files
        return sum(own for _, own, _ in self._states.values()) + sum(shared.values())
