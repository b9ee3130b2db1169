"""Runs only the latest of several pending requests."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger("slipstick.app")


class Debouncer:
    """Of many wishes in a row, such as those of a slider, the one that counts is the last.

    act : an asynchronous function. While it is at work wishes are not queued: the newest is taken when it is done, also
    where it failed. What went wrong with a wish that another has followed is for the log alone.
    """

    def __init__(self, act: Callable[..., Any]) -> None:
        self._act = act
        self._request: tuple[Any, ...] | None = None
        self._busy = False

    async def ask(self, *wish: Any) -> None:
        """Do it with these arguments, now or soon; or not at all, if others come before."""
        self._request = wish
        if self._busy:
            return
        self._busy = True
        try:
            while self._request is not None:
                given, self._request = self._request, None
                try:
                    await self._act(*given)
                except Exception as error:
                    if self._request is None:
                        raise
                    log.info("%s, which nobody waits for any more\n%s", error, getattr(error, "details", ""))
        finally:
            self._busy = False
