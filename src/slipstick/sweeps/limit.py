"""The time that a point may take: a clock for whoever waits, and a watch where nobody can kill from outside."""

from __future__ import annotations

import faulthandler
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from time import monotonic
from typing import Any

from slipstick.errors import InvalidInput, shown

DOZE = 2.0  # [s] between two looks at a clock at most; whoever was away for longer was stopped
LONGEST = 1e6  # [s] that a limit may be; systems differ in how far their own clocks go
STDERR = 2  # where a process that ends itself says what it was doing


def limit_of(given: Any) -> float | None:
    """The limit of a point [s]; refused where it is none."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, Real) or not 0.0 < float(given) <= LONGEST:
        words = f"limit must be the seconds that a point may take, above 0 and up to {LONGEST:g}, got {shown(given)}"
        raise InvalidInput(f"{words}; leave it out to wait for ever").about("limit")
    return float(given)


def at_the_limit(limit: float) -> str:
    """How a worker ended that took longer."""
    return f"stopped at the limit of {limit:g} s"


class Clock:
    """Seconds that this process was awake. Ctrl-Z stops a driver and its workers together: then nobody is late."""

    def __init__(self) -> None:
        self._looked, self._awake = monotonic(), 0.0

    def now(self) -> float:
        looked = monotonic()
        self._awake += min(looked - self._looked, DOZE)
        self._looked = looked
        return self._awake


_ends: dict[int, float] = {}  # by thread, when its point has to be done
_changing = threading.Lock()


@contextmanager
def within(limit: float | None) -> Iterator[None]:
    """End this process at once, whatever it does, if what is inside takes longer; None: it may."""
    if limit is None:
        yield
        return
    own = threading.get_ident()
    _set(own, monotonic() + limit)
    try:
        yield
    finally:
        _set(own, None)


def _set(thread: int, end: float | None) -> None:
    with _changing:
        _ends.pop(thread, None)
        if end is not None:
            _ends[thread] = end
        if _ends:  # a watch in C: it also ends what never gives the interpreter back
            faulthandler.dump_traceback_later(max(min(_ends.values()) - monotonic(), 1e-3), exit=True, file=STDERR)
        else:
            faulthandler.cancel_dump_traceback_later()
