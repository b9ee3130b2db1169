"""A curve that is traced for a result: how long it takes, and what becomes of the part where it ends early."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from slipstick.errors import NotConverged
from slipstick.periodic.curves import Traced


class Timed(Protocol):
    """What a result says of how it was made."""

    ended: str
    seconds: float


def traced_by(trace: Callable[[], Traced], stats: Timed) -> tuple[Traced, NotConverged | None]:
    """The curve; and what ended it early, to be raised with the result of the part as its ``partial``.

    Raises what ended it before its first point.
    """
    began, failure = perf_counter(), None
    try:
        traced = trace()
    except NotConverged as stopped:
        if not isinstance(stopped.partial, Traced) or not stopped.partial.points:
            stopped.partial = None
            raise
        traced = stopped.partial
        traced.interrupted = stopped.interrupted
        stats.ended = traced.ended or str(stopped)
        failure = NotConverged(str(stopped), interrupted=stopped.interrupted)
    stats.ended = stats.ended or traced.missed
    stats.seconds = perf_counter() - began
    return traced, failure
