"""Limits connections that have not shown a token: their number and their duration.

Anybody on the machine can connect and say nothing. Were such connections kept, they would take all the places, and the
owner of the page would have none left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_PENDING = 100  # of them
AUTHENTICATION_TIMEOUT = 10.0  # [s] until one has to be known; a browser says who it is with its first bytes
# connections that are taken in one go. What a browser has sent is read three goes after its connection was taken: those
# behind it are still fewer than MOST then, and do not push it out
ACCEPT_BATCH = 16

Address = tuple[str, int]


class PendingConnections:
    """All of a server, by the address at the other end; the oldest is the first."""

    def __init__(self, most: int = MAX_PENDING, patience: float = AUTHENTICATION_TIMEOUT) -> None:
        self.most, self.patience = most, patience
        self._waiting: dict[Address, tuple[asyncio.Transport, asyncio.TimerHandle]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def come(self, address: Address, link: asyncio.Transport) -> None:
        """A connection was made; if there are too many now, the oldest ends."""
        self.gone(address)
        timer = asyncio.get_running_loop().call_later(self.patience, self._end, address)
        self._waiting[address] = link, timer
        if len(self._waiting) > self.most:
            self._end(next(iter(self._waiting)))

    def gone(self, address: Address | None) -> None:
        """A connection is known now, or has ended."""
        if address in self._waiting:
            self._waiting.pop(address)[1].cancel()

    def _end(self, address: Address) -> None:
        link, timer = self._waiting.pop(address)
        timer.cancel()
        link.abort()  # not close: that would wait for one who does not read


def tracking_protocol(strangers: PendingConnections) -> Callable[..., Any]:
    """The protocol of a server whose connections are pending until `PendingConnections.gone` is called."""

    class Watched(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if self.client is not None:
                strangers.come(self.client, transport)

        def connection_lost(self, exc: Exception | None) -> None:
            strangers.gone(self.client)
            super().connection_lost(exc)

    return Watched
