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
MIN_DISPLAY_TIME, DISPLAY_TIME_PER_LETTER = 12.0, 0.08  # [s] that a line stays: at least, and for entry of its letters

_notifications: WeakKeyDictionary[Client, list[tuple[float, ui.notification]]] = WeakKeyDictionary()


def notify_problem(line: str) -> None:
    """Show one line: the problem, and what to do."""
    client = ui.context.client
    log.warning("shown on the page: %s", line)
    known = _notifications.setdefault(client, [])
    for entry in [entry for entry in known if entry[1].message == line]:  # shown once
        _drop(client, entry)
    seconds = MIN_DISPLAY_TIME + DISPLAY_TIME_PER_LETTER * len(line)
    shown = ui.notification(line, type="negative", multi_line=True, timeout=seconds, actions=[CLOSE_BUTTON])
    known.append((monotonic(), shown))


def dismiss_before(client: Client, since: float) -> None:
    """Dismiss the messages of a page from before this time (of `monotonic`)."""
    for entry in [entry for entry in _notifications.get(client, []) if entry[0] <= since]:
        _drop(client, entry)


def _drop(client: Client, entry: tuple[float, ui.notification]) -> None:
    _notifications[client].remove(entry)
    if not entry[1].is_deleted:  # the user closed it, or its time is over
        entry[1].dismiss()
