"""Traces a curve for a result: measures the time, and keeps the part of a trace that ends early."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from slipstick.errors import NotConverged
from slipstick.periodic.continuation.curve_trace import CurveTrace


class TimedStats(Protocol):
    """What a result says of how it was made."""

    ended: str
    seconds: float


def trace_timed(trace: Callable[[], CurveTrace], stats: TimedStats) -> tuple[CurveTrace, NotConverged | None]:
    """The curve; and what ended it early, to be raised with the result of the part as its ``partial``.

    Raises what ended it before its first point.
    """
    began, failure = perf_counter(), None
    try:
        traced = trace()
    except NotConverged as stopped:
        if not isinstance(stopped.partial, CurveTrace) or not stopped.partial.points:
            stopped.partial = None
            raise
        traced = stopped.partial
        traced.interrupted = stopped.interrupted
        stats.ended = traced.ended or stopped.message
        failure = NotConverged(str(stopped), interrupted=stopped.interrupted)
    stats.ended = stats.ended or traced.missed
    stats.seconds = perf_counter() - began
    return traced, failure
