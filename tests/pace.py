"""Waiting for what happens, and not for a time; processes that Ctrl-C reaches."""

from __future__ import annotations

import time
from collections.abc import Callable

READY = 600.0  # [s] in which what is waited for has happened, also on a busy machine

# What a process that a test starts begins with: a suite in the background (nohup make test &) has SIGINT ignored, and
# all that it starts has.
FOREGROUND = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def until(condition: Callable[[], object]) -> None:
    """Wait for it."""
    end = time.monotonic() + READY
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
