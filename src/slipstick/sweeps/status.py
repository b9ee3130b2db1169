"""Progress of a sweep: from its driver, or from its ledger."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Any, NamedTuple

from slipstick.sweeps.ledger import Ledger
from slipstick.sweeps.point_outcome import DONE, FAILED, RUNNING, WAITING, PointOutcome

STATUS_KEY = "status"  # key in the ledger for rate and best
RATE_WINDOW_SECONDS = 20.0  # [s] of the rate's moving window
MEAN_TIME_WEIGHT = 0.1  # of a new point in the mean duration


class BestFigure(NamedTuple):
    """The largest value of the first figure so far.   point : its number."""

    figure: str
    value: float
    point: int


class LongestRunning(NamedTuple):
    """The running point that started first.   since : [s] since 1970."""

    point: int
    since: float


class Status(NamedTuple):
    """Counts of points; rate [1/s] and time left [s] are NaN while unknown.

    before : points that were done when the sweep was started; 0 if read from a ledger.
    """

    total: int
    done: int
    failed: int
    running: int
    waiting: int
    rate: float = math.nan
    left: float = math.nan
    best: BestFigure | None = None
    longest: LongestRunning | None = None
    before: int = 0

    @property
    def finished(self) -> int:
        return self.done + self.failed


def read_status(ledger: Ledger) -> Status:
    """Status from a ledger; rate and best are the last that its driver wrote."""
    counts = ledger.counts()
    stored = ledger.about.get(STATUS_KEY, {})
    return Status(
        ledger.total, counts[DONE], counts[FAILED], counts[RUNNING], counts[WAITING],
        stored.get("rate", math.nan), stored.get("left", math.nan), _read_best(ledger),
        _longest_running(stored.get("longest")),
    )  # fmt: skip


def stored_status(status: Status) -> dict[str, Any]:
    """The part of a status that a ledger cannot count."""
    return {"rate": status.rate, "left": status.left, "best": status.best, "longest": status.longest}


class ProgressMeter:
    """Counts and rate of a running sweep."""

    def __init__(self, ledger: Ledger) -> None:
        counts = ledger.counts()
        self._total, self._done, self._failed = ledger.total, counts[DONE], counts[FAILED]
        self._before = self._done
        self._recent: deque[tuple[float, int]] = deque([(monotonic(), 0)])
        self._count = 0
        self._best = _read_best(ledger)
        self.mean = 0.0  # [s] of a point

    def record_time(self, seconds: float) -> None:
        """Record the duration of a point [s]."""
        self.mean = seconds if not self._count else (1.0 - MEAN_TIME_WEIGHT) * self.mean + MEAN_TIME_WEIGHT * seconds
        self._count += 1

    def record_written(self, finished: Sequence[tuple[int, PointOutcome, str]]) -> None:
        """Record points that are written to the ledger."""
        for number, outcome, _ in finished:
            self._done += outcome.state == DONE
            self._failed += outcome.state == FAILED
            self._best = _better_figure(self._best, number, outcome.figures)
        now = monotonic()
        self._recent.append((now, self._count))
        while len(self._recent) > 2 and now - self._recent[0][0] > RATE_WINDOW_SECONDS:
            self._recent.popleft()

    def status(self, running: int) -> Status:
        (t0, n0), (t1, n1) = self._recent[0], self._recent[-1]
        rate = (n1 - n0) / (t1 - t0) if n1 > n0 and t1 > t0 else math.nan
        open_points = self._total - self._done - self._failed
        left = open_points / rate if rate > 0.0 else math.nan
        waiting = max(open_points - running, 0)
        counts = self._total, self._done, self._failed, running, waiting
        return Status(*counts, rate, left, self._best, before=self._before)


def _read_best(ledger: Ledger) -> BestFigure | None:
    best = ledger.about.get(STATUS_KEY, {}).get("best")
    return None if best is None else BestFigure(*best)


def _longest_running(stored: Any) -> LongestRunning | None:
    return None if stored is None else LongestRunning(*stored)


def _better_figure(best: BestFigure | None, number: int, figures: dict[str, Any]) -> BestFigure | None:
    for name, value in figures.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            if best is None or (name == best.figure and value > best.value):
                return BestFigure(name, float(value), number)
            return best
    return best
