"""Runs only the latest of several pending requests."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger("slipstick.app")


class Debouncer:
    """Runs one request at a time and keeps only the latest pending one, as for a slider.

    act : an asynchronous function. The error of a request that a newer one has replaced goes to the log only.
    """

    def __init__(self, act: Callable[..., Any]) -> None:
        self._act = act
        self._pending: tuple[Any, ...] | None = None
        self._busy = False

    async def request(self, *arguments: Any) -> None:
        """Run the function with these arguments, now or later; not at all if a newer request comes before."""
        self._pending = arguments
        if self._busy:
            return
        self._busy = True
        try:
            while self._pending is not None:
                current, self._pending = self._pending, None
                try:
                    await self._act(*current)
                except Exception as error:
                    if self._pending is None:
                        raise
                    log.info("%s, of a request that was replaced\n%s", error, getattr(error, "details", ""))
        finally:
            self._busy = False
