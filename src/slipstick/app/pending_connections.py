"""Limits connections that have not shown a token: their number and their duration.

Every user of the machine can connect and send nothing. Without limits, such connections would block the page's owner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_PENDING = 100  # connections
AUTHENTICATION_TIMEOUT = 10.0  # [s]; a browser sends the token with its first bytes
# connections accepted in one go. The first bytes of a browser are read three goes after its connection was accepted:
# fewer than MAX_PENDING have add after it by then, and do not push it out
ACCEPT_BATCH = 16

Address = tuple[str, int]


class PendingConnections:
    """Pending connections of a server by remote address, the oldest first."""

    def __init__(self, limit: int = MAX_PENDING, timeout: float = AUTHENTICATION_TIMEOUT) -> None:
        self.limit, self.timeout = limit, timeout
        self._waiting: dict[Address, tuple[asyncio.Transport, asyncio.TimerHandle]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, address: Address, link: asyncio.Transport) -> None:
        """Add a connection; beyond the limit, the oldest is aborted."""
        self.remove(address)
        timer = asyncio.get_running_loop().call_later(self.timeout, self._abort, address)
        self._waiting[address] = link, timer
        if len(self._waiting) > self.limit:
            self._abort(next(iter(self._waiting)))

    def remove(self, address: Address | None) -> None:
        """Remove a connection that has shown its token, or has ended."""
        if address in self._waiting:
            self._waiting.pop(address)[1].cancel()

    def _abort(self, address: Address) -> None:
        link, timer = self._waiting.pop(address)
        timer.cancel()
        link.abort()  # not close, which waits for a peer that does not read


def tracking_protocol(pending: PendingConnections) -> Callable[..., Any]:
    """The protocol of a server whose connections are pending until `PendingConnections.remove` is called."""

    class TrackedProtocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if self.client is not None:
                pending.add(self.client, transport)

        def connection_lost(self, exc: Exception | None) -> None:
            pending.remove(self.client)
            super().connection_lost(exc)

    return TrackedProtocol
