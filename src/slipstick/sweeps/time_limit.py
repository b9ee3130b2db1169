"""Time limit of a point: a clock for the driver, and a watchdog in workers that it cannot kill."""

from __future__ import annotations

import faulthandler
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from time import monotonic
from typing import Any

from slipstick.errors import InvalidInput, short_repr

MAX_CLOCK_GAP_SECONDS = 2.0  # [s] between two readings of a clock; longer gaps mean that the process was stopped
MAX_LIMIT_SECONDS = 1e6  # [s]; the ranges of system clocks differ
STDERR_FD = 2  # for the traceback of a process at its time limit


def checked_limit(given: Any) -> float | None:
    """The checked limit of a point [s]."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, Real) or not 0.0 < float(given) <= MAX_LIMIT_SECONDS:
        words = (
            f"limit must be the seconds that a point may take, above 0 and up to {MAX_LIMIT_SECONDS:g}, "
            f"got {short_repr(given)}"
        )
        raise InvalidInput(f"{words}; leave it out for no limit").about("limit")
    return float(given)


def limit_message(limit: float) -> str:
    """The message about a worker that exceeded the limit."""
    return f"stopped at the limit of {limit:g} s"


class AwakeClock:
    """Seconds that this process was running. Ctrl-Z stops driver and workers together, which must not count."""

    def __init__(self) -> None:
        self._looked, self._awake = monotonic(), 0.0

    def now(self) -> float:
        looked = monotonic()
        self._awake += min(looked - self._looked, MAX_CLOCK_GAP_SECONDS)
        self._looked = looked
        return self._awake


_deadlines: dict[int, float] = {}  # of the points, by thread
_deadlines_lock = threading.Lock()


@contextmanager
def end_process_after(limit: float | None) -> Iterator[None]:
    """End this process if the block takes longer than ``limit`` [s]; None for no limit."""
    if limit is None:
        yield
        return
    own = threading.get_ident()
    _set_deadline(own, monotonic() + limit)
    try:
        yield
    finally:
        _set_deadline(own, None)


def _set_deadline(thread: int, end: float | None) -> None:
    with _deadlines_lock:
        _deadlines.pop(thread, None)
        if end is not None:
            _deadlines[thread] = end
        if _deadlines:  # in C: also ends code that never returns to the interpreter
            faulthandler.dump_traceback_later(
                max(min(_deadlines.values()) - monotonic(), 1e-3), exit=True, file=STDERR_FD
            )
        else:
            faulthandler.cancel_dump_traceback_later()
