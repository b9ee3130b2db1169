"""Of many wishes in a row the last counts."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger("slipstick.app")


class Latest:
    """Of many wishes in a row, such as those of a slider, the one that counts is the last.

    act : an asynchronous function. While it is at work wishes are not queued: the newest is taken when it is done, also
    where it failed. What went wrong with a wish that another has followed is for the log alone.
    """

    def __init__(self, act: Callable[..., Any]) -> None:
        self._act = act
        self._wish: tuple[Any, ...] | None = None
        self._busy = False

    async def ask(self, *wish: Any) -> None:
        """Do it with these arguments, now or soon; or not at all, if others come before."""
        self._wish = wish
        if self._busy:
            return
        self._busy = True
        try:
            while self._wish is not None:
                given, self._wish = self._wish, None
                try:
                    await self._act(*given)
                except Exception as error:
                    if self._wish is None:
                        raise
                    log.info("%s, which nobody waits for any more\n%s", error, getattr(error, "details", ""))
        finally:
            self._busy = False
