"""Error messages below the page, shown until a newer task succeeds or they have been read.

All of them are in the log, too.
"""

from __future__ import annotations

import logging
from time import monotonic
from weakref import WeakKeyDictionary

from nicegui import ui
from nicegui.client import Client

log = logging.getLogger("slipstick.app")
CLOSE_BUTTON = {"label": "close", "color": "white", "noCaps": True}
MIN_DISPLAY_TIME, DISPLAY_TIME_PER_LETTER = 12.0, 0.08  # [s] that a line stays: at least, and for each of its letters

_notifications: WeakKeyDictionary[Client, list[tuple[float, ui.notification]]] = WeakKeyDictionary()


def notify_problem(line: str) -> None:
    """One line on what is wrong and what to do."""
    client = ui.context.client
    log.warning("told on the page: %s", line)
    known = _notifications.setdefault(client, [])
    for each in [each for each in known if each[1].message == line]:  # once is enough
        _drop(client, each)
    seconds = MIN_DISPLAY_TIME + DISPLAY_TIME_PER_LETTER * len(line)
    shown = ui.notification(line, type="negative", multi_line=True, timeout=seconds, actions=[CLOSE_BUTTON])
    known.append((monotonic(), shown))


def dismiss_before(client: Client, since: float) -> None:
    """What a page was told before this moment (of `monotonic`) is no longer of use: something newer has come."""
    for each in [each for each in _notifications.get(client, []) if each[0] <= since]:
        _drop(client, each)


def _drop(client: Client, which: tuple[float, ui.notification]) -> None:
    _notifications[client].remove(which)
    if not which[1].is_deleted:  # it was closed by hand, or has had its time
        which[1].dismiss()
