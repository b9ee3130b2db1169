"""`Driver`: the loop of a sweep. It submits batches, records results, and retries lost points."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from operator import itemgetter
from time import monotonic, time
from typing import Any

from slipstick.results.figures import UnknownFigure
from slipstick.sweeps.backend import Backend, PointFinished, PointJob, PointsLost
from slipstick.sweeps.journal import Journal
from slipstick.sweeps.ledger import Ledger
from slipstick.sweeps.plan import Plan
from slipstick.sweeps.point_arrays import write_arrays
from slipstick.sweeps.point_outcome import DONE, RUNNING, WAITING, PointOutcome
from slipstick.sweeps.status import STATUS_KEY, LongestRunning, ProgressMeter, Status, stored_status

BATCH_SECONDS = 0.1  # [s] of work in one batch
MAX_BATCH_POINTS = 1000  # in one batch
MAX_WORKER_DEATHS = 3  # workers that a point may kill before it is quarantined; the last one while it runs alone
POLL_SECONDS = 0.1  # [s] between two checks of the clock
COMMIT_SECONDS = 0.2  # [s] after which results are written at the latest
TRIAL_COUNT = 3  # points of a chain that are checked for unknown figures
PROGRESS_SECONDS = 0.1  # [s] between calls of progress


class Driver:
    """A running sweep.   chain : successive points that start from each other's orbits; 1 without chains."""

    def __init__(
        self,
        plan: Plan,
        ledger: Ledger,
        journal: Journal,
        backend: Backend,
        chain: int,
        progress: Callable[[Status], Any] | None,
    ) -> None:
        self.plan, self.ledger, self.journal, self.backend = plan, ledger, journal, backend
        self.chain, self.progress = chain, progress
        counts = ledger.counts()
        self.meter = ProgressMeter(ledger)
        self._remaining = counts[WAITING]
        self._probes = TrialPoints(ledger.total, chain) if counts[WAITING] == ledger.total else TrialPoints.none()
        self._first = deque(self._probes.numbers)  # submitted before the others
        first = frozenset(self._first)
        self._waiting: Iterator[int] = (number for number in ledger.waiting() if number not in first)
        self._read_ahead: deque[int] = deque()  # read from the ledger and not submitted
        self._retries: deque[int] = deque()  # lost points, retried one at a time
        self._suspects: set[int] = set()  # points of a batch that killed its worker: each is retried alone
        self._isolated: int | None = None  # the last point retried alone
        self._in_progress: set[int] = set()
        self._finished: list[tuple[int, PointOutcome]] = []
        self._started: list[int] = []
        self._written = self._reported = monotonic()

    def run(self) -> None:
        """Run until every point is done or has failed."""
        try:
            while self._remaining or self._in_progress or self._finished:
                for event in self.backend.events(POLL_SECONDS):
                    if isinstance(event, PointFinished):
                        self._record_finished(event)
                    else:
                        self._record_lost(event)
                self._submit_batches()  # first, so that workers do not wait for the disk
                news = self._finished or self._started  # also starts: readers of the ledger see what runs
                if news and (monotonic() - self._written > COMMIT_SECONDS or not self._in_progress):
                    self._write()
                self._report_progress()
        except UnknownFigure:
            self._finished.clear()  # they fail only because of the name
            raise
        finally:
            self._write()
            self._report_progress(always=True)

    def _record_finished(self, event: PointFinished) -> None:
        if event.number in self._in_progress:  # a lost point may still return
            self._in_progress.discard(event.number)
            self._finished.append((event.number, event.outcome))
            self.meter.record_time(event.outcome.seconds)
            self._probes.record(event.number, event.outcome)

    def _record_lost(self, event: PointsLost) -> None:
        """Lost points wait again; a point whose worker died while it ran alone has failed.

        Only that distinguishes a point that kills workers from one whose worker was killed from outside, or ran out of
        memory beside others.
        """
        lost = [number for number in event.numbers if number in self._in_progress]
        self._in_progress.difference_update(lost)
        words, deaths = event.words, 0
        if event.culprit in lost:
            with self.ledger.writing():
                self.ledger.record_death(event.culprit)
            deaths = self.ledger.deaths_of(event.culprit)
            words = f"it killed its worker {deaths} times, the last time alone: {event.words}"
        if lost == [self._isolated] and (event.killed or deaths >= MAX_WORKER_DEATHS):  # it ran alone
            self._quarantine(lost.pop(), words)
        named = (self._isolated, event.culprit if deaths >= MAX_WORKER_DEATHS - 1 else None)
        suspects = {number for number in lost if event.killed or number in named}
        self._suspects |= suspects
        self._retries.extend(number for number in lost if number not in suspects)
        self._remaining += len(lost)

    def _quarantine(self, number: int, words: str) -> None:
        self._finished.append((number, PointOutcome.failed(f"quarantined: {words}")))

    def _submit_batches(self) -> None:
        while self._remaining and self.backend.wants():
            if self._in_progress and (self._suspects or self._isolated in self._in_progress):
                return  # a suspect runs alone, so that it is the cause if its worker dies
            batch = self._batch()
            if not batch:
                return
            self._remaining -= len(batch)
            self._in_progress.update(batch)
            self._started += batch
            self.backend.submit([self._job(number, k) for k, number in enumerate(batch)])

    def _batch(self) -> list[int]:
        """The next batch: enough to keep a worker busy, smaller towards the end."""
        if self._suspects:
            self._isolated = min(self._suspects)  # in order, as points of a chain start from each other
            self._suspects.remove(self._isolated)
            return [self._isolated]
        if self.chain > 1:
            return self._chain()
        if self._first:
            return [self._first.popleft()]
        if self._retries:
            return [self._retries.popleft()]
        size = min(MAX_BATCH_POINTS, max(1, int(BATCH_SECONDS / self.meter.mean))) if self.meter.mean else 1
        share = max(1, self._remaining // (2 * self.backend.workers))
        return list(islice(self._waiting, min(size, share)))

    def _chain(self) -> list[int]:
        """Successive waiting points of a chain; a lost point alone."""
        for number in self._retries:  # a point that kills its worker shows only alone
            before = number - 1
            if number % self.chain == 0 or not (before in self._in_progress or before in self._retries):
                self._retries.remove(number)
                return [number]
        batch: list[int] = []
        while self._peek() is not None and (not batch or self._continues(batch[-1])):
            batch.append(self._read_ahead.popleft())
        return batch

    def _peek(self) -> int | None:
        """The next waiting point, which stays in the queue."""
        if not self._read_ahead:
            self._read_ahead.extend(islice(self._waiting, 1))
        return self._read_ahead[0] if self._read_ahead else None

    def _continues(self, last: int) -> bool:
        """True if the next waiting point follows ``last`` in its chain."""
        following = self._read_ahead[0]
        return following == last + 1 and following % self.chain != 0

    def _job(self, number: int, place: int) -> PointJob:
        start = None
        if self.chain > 1 and place == 0 and number % self.chain:
            self._write()  # the point before may have returned just now
            start = self.ledger.start_of(number - 1)
        return PointJob(number, self.plan.arguments(number), start)

    def _write(self) -> None:
        """Write all results: arrays, then the journal, then the ledger."""
        self._written = monotonic()
        started = [number for number in self._started if number in self._in_progress]
        if not self._finished and not started:
            return
        finished_points = list(self._finished)
        finished = [
            (number, outcome, write_arrays(self.ledger.path, number, outcome)) for number, outcome in finished_points
        ]
        self.journal.refuse_deleted()
        self.journal.add(finished)
        with self.ledger.writing():
            self.ledger.put_state(started, RUNNING)
            for number, outcome, arrays in finished:
                self.ledger.put_outcome(number, outcome, arrays, self.plan.parameters(number))
                self._drop_starts(number, outcome.state)
        self._finished, self._started = (
            self._finished[len(finished_points) :],
            [],
        )  # last, so that an interruption loses nothing
        self.meter.record_written(finished)
        with self.ledger.writing():
            self.ledger.put_about(STATUS_KEY, stored_status(self._status()))

    def _drop_starts(self, number: int, state: str) -> None:
        """Drop orbits that no point starts from any more: of the point before, and of the last of a chain."""
        if self.chain > 1 and state == DONE:
            if number % self.chain:
                self.ledger.drop_start(number - 1)
            if (number + 1) % self.chain == 0:
                self.ledger.drop_start(number)

    def _report_progress(self, *, always: bool = False) -> None:
        if self.progress is not None and (always or monotonic() - self._reported > PROGRESS_SECONDS):
            self._reported = monotonic()
            self.progress(self._status())

    def _status(self) -> Status:
        """The status, with the point that has run longest."""
        status = self.meter.status(len(self._in_progress))
        number, taken = max(self.backend.in_progress().items(), key=itemgetter(1), default=(None, 0.0))
        return status if number is None else status._replace(longest=LongestRunning(number, time() - taken))


class TrialPoints:
    """The points that are computed first, to detect unknown figures early.   numbers : submitted before the others.

    A figure may be missing at some points, such as that of a damper that only some variants have: those points fail. A
    figure that is missing at the first, the middle and the last point is a wrong name, and the sweep stops.
    """

    def __init__(self, total: int, chain: int) -> None:
        """chain : successive points that start from each other's orbits, which are in order anyway."""
        # first and last of a grid differ in every axis
        spread = {0, total // 2, total - 1} if chain == 1 else set(range(min(TRIAL_COUNT, chain)))
        self.numbers = sorted(spread) if chain == 1 else []
        self._open, self._count = spread, len(spread)
        self._message = ""

    @classmethod
    def none(cls) -> TrialPoints:
        """No trial points, for a resumed sweep."""
        return cls(0, 0)

    def record(self, number: int, outcome: PointOutcome) -> None:
        """Record an outcome; raises `UnknownFigure` if none of the trial points has the figures."""
        if not outcome.lacks:
            if number in self._open or outcome.state == DONE:
                self._open = set()
            return
        if number not in self._open:
            return
        self._open.discard(number)
        self._message = self._message or outcome.message
        if not self._open:
            at = "the first point" if self._count == 1 else f"each of the {self._count} points tried first"
            raise UnknownFigure(f"{self._message} (so at {at}; the sweep was stopped)").about("measure")
