"""What went wrong, told below the page: until something newer has succeeded, or there was time to read it.

All of them are in the log, too.
"""

from __future__ import annotations

import logging
from time import monotonic
from weakref import WeakKeyDictionary

from nicegui import ui
from nicegui.client import Client

log = logging.getLogger("slipstick.app")
CLOSE = {"label": "close", "color": "white", "noCaps": True}
LEAST, A_LETTER = 12.0, 0.08  # [s] that a line stays: at least, and for each of its letters

_told: WeakKeyDictionary[Client, list[tuple[float, ui.notification]]] = WeakKeyDictionary()


def complain(line: str) -> None:
    """One line on what is wrong and what to do."""
    client = ui.context.client
    log.warning("told on the page: %s", line)
    known = _told.setdefault(client, [])
    for each in [each for each in known if each[1].message == line]:  # once is enough
        _drop(client, each)
    seconds = LEAST + A_LETTER * len(line)
    shown = ui.notification(line, type="negative", multi_line=True, timeout=seconds, actions=[CLOSE])
    known.append((monotonic(), shown))


def succeeded(client: Client, since: float) -> None:
    """What a page was told before this moment (of `monotonic`) is no longer of use: something newer has come."""
    for each in [each for each in _told.get(client, []) if each[0] <= since]:
        _drop(client, each)


def _drop(client: Client, which: tuple[float, ui.notification]) -> None:
    _told[client].remove(which)
    if not which[1].is_deleted:  # it was closed by hand, or has had its time
        which[1].dismiss()
