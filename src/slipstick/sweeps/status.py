"""How far a sweep is: from inside while it runs, from its ledger for anybody else."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Any, NamedTuple

from slipstick.sweeps.ledger import Ledger
from slipstick.sweeps.point_outcome import DONE, FAILED, RUNNING, WAITING, PointOutcome

STATUS_KEY = "status"  # of the ledger: where rate and best are
RATE_WINDOW_SECONDS = 20.0  # [s] over which the rate is taken
MEAN_TIME_WEIGHT = 0.1  # of a new point in the mean time of one


class BestFigure(NamedTuple):
    """The largest value of the first figure so far.   point : its number."""

    figure: str
    value: float
    point: int


class LongestRunning(NamedTuple):
    """Of the points under way the one that began first.   since : when that was, in seconds since 1970."""

    point: int
    since: float


class Status(NamedTuple):
    """Counts of points; rate [1/s] and time left [s] are not numbers while they are not known.

    before : of those that are done, how many were so when the sweep was started; 0 for who reads its ledger.
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
    """How far the sweep of a ledger is; rate and best are those that its driver last wrote."""
    counts = ledger.counts()
    held = ledger.about.get(STATUS_KEY, {})
    return Status(
        ledger.total, counts[DONE], counts[FAILED], counts[RUNNING], counts[WAITING],
        held.get("rate", math.nan), held.get("left", math.nan), _read_best(ledger),
        _longest_running(held.get("longest")),
    )  # fmt: skip


def stored_status(status: Status) -> dict[str, Any]:
    """What of it cannot be counted in a ledger."""
    return {"rate": status.rate, "left": status.left, "best": status.best, "longest": status.longest}


class ProgressMeter:
    """Counts along the way, and how fast they grow."""

    def __init__(self, ledger: Ledger) -> None:
        counts = ledger.counts()
        self._total, self._done, self._failed = ledger.total, counts[DONE], counts[FAILED]
        self._before = self._done
        self._recent: deque[tuple[float, int]] = deque([(monotonic(), 0)])
        self._count = 0
        self._best = _read_best(ledger)
        self.mean = 0.0  # [s] that a point takes

    def saw(self, seconds: float) -> None:
        """A point came back after so long."""
        self.mean = seconds if not self._count else (1.0 - MEAN_TIME_WEIGHT) * self.mean + MEAN_TIME_WEIGHT * seconds
        self._count += 1

    def wrote(self, finished: Sequence[tuple[int, PointOutcome, str]]) -> None:
        """These go to the ledger now."""
        for number, found, _ in finished:
            self._done += found.state == DONE
            self._failed += found.state == FAILED
            self._best = _better_figure(self._best, number, found.figures)
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


def _longest_running(held: Any) -> LongestRunning | None:
    return None if held is None else LongestRunning(*held)


def _better_figure(best: BestFigure | None, number: int, figures: dict[str, Any]) -> BestFigure | None:
    for name, value in figures.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            if best is None or (name == best.figure and value > best.value):
                return BestFigure(name, float(value), number)
            return best
    return best
