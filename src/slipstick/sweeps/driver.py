"""The loop of a sweep: hand out batches, write down what comes back, bring back what was lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from operator import itemgetter
from time import monotonic, time
from typing import Any

from slipstick.sweeps.backend import Backend, PointFinished, PointJob, PointsLost
from slipstick.sweeps.journal import Journal
from slipstick.sweeps.ledger import Ledger
from slipstick.sweeps.plan import Plan
from slipstick.sweeps.point_arrays import write_arrays
from slipstick.sweeps.point_outcome import DONE, RUNNING, WAITING, PointOutcome
from slipstick.sweeps.result_figures import UnknownFigure
from slipstick.sweeps.status import STATUS_KEY, LongestRunning, ProgressMeter, Status, stored_status
from slipstick.sweeps.trial_points import TrialPoints

BATCH_SECONDS = 0.1  # [s] of work in one batch
MAX_BATCH_POINTS = 1000  # points in one
MAX_WORKER_DEATHS = 3  # workers that may die of a point; the last of them while nothing else is under way
POLL_SECONDS = 0.1  # [s] between looks at the clock
COMMIT_SECONDS = 0.2  # [s] after which what came back is written down at the latest
PROGRESS_SECONDS = 0.1  # [s] between calls of progress


class Driver:
    """One sweep under way.

    chain : points in a row that begin from each other's orbits; 1 where none do.
    """

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
        self._left = counts[WAITING]
        self._probes = TrialPoints(ledger.total, chain) if counts[WAITING] == ledger.total else TrialPoints.none()
        self._first = deque(self._probes.numbers)  # handed out before the others
        first = frozenset(self._first)
        self._waiting: Iterator[int] = (number for number in ledger.waiting() if number not in first)
        self._ahead: deque[int] = deque()  # taken from the ledger and not handed out
        self._again: deque[int] = deque()  # lost, and tried one at a time
        self._suspects: set[int] = set()  # one of them killed workers: each is tried while nothing else is under way
        self._tried: int | None = None  # the last of these
        self._out: set[int] = set()
        self._came: list[tuple[int, PointOutcome]] = []
        self._begun: list[int] = []
        self._written = self._told = monotonic()

    def run(self) -> None:
        """Until every point is done or has failed."""
        try:
            while self._left or self._out or self._came:
                for event in self.backend.events(POLL_SECONDS):
                    if isinstance(event, PointFinished):
                        self._take(event)
                    else:
                        self._record_lost(event)
                self._hand_out()  # before anything is written, so that nobody waits for the disk
                news = self._came or self._begun  # also what only began: others may want to know why nothing comes
                if news and (monotonic() - self._written > COMMIT_SECONDS or not self._out):
                    self._write()
                self._tell()
        except UnknownFigure:
            self._came.clear()  # they fail for the name alone
            raise
        finally:
            self._write()
            self._tell(always=True)

    def _take(self, event: PointFinished) -> None:
        if event.number in self._out:  # one that was given up may come back after all
            self._out.discard(event.number)
            self._came.append((event.number, event.outcome))
            self.meter.saw(event.outcome.seconds)
            self._probes.saw(event.number, event.outcome)

    def _record_lost(self, event: PointsLost) -> None:
        """Points that did not come back wait again; one whose worker died while nothing else was under way has failed.

        Only that tells a point that kills from one whose workers somebody else killed, or that had no memory left
        beside others.
        """
        lost = [number for number in event.numbers if number in self._out]
        self._out.difference_update(lost)
        words, deaths = event.words, 0
        if event.culprit in lost:
            with self.ledger.writing():
                self.ledger.record_death(event.culprit)
            deaths = self.ledger.deaths_of(event.culprit)
            words = f"it killed its worker {deaths} times, the last time alone: {event.words}"
        if lost == [self._tried] and (event.killed or deaths >= MAX_WORKER_DEATHS):  # it was alone
            self._quarantine(lost.pop(), words)
        named = (self._tried, event.culprit if deaths >= MAX_WORKER_DEATHS - 1 else None)
        suspects = {number for number in lost if event.killed or number in named}
        self._suspects |= suspects
        self._again.extend(number for number in lost if number not in suspects)
        self._left += len(lost)

    def _quarantine(self, number: int, words: str) -> None:
        self._came.append((number, PointOutcome.failed(f"quarantined: {words}")))

    def _hand_out(self) -> None:
        while self._left and self.backend.wants():
            if self._out and (self._suspects or self._tried in self._out):
                return  # a suspect is alone, so that a worker that dies now dies of it
            batch = self._batch()
            if not batch:
                return
            self._left -= len(batch)
            self._out.update(batch)
            self._begun += batch
            self.backend.submit([self._job(number, k) for k, number in enumerate(batch)])

    def _batch(self) -> list[int]:
        """The next points: as many as keep a worker busy for a while, fewer towards the end."""
        if self._suspects:
            self._tried = min(self._suspects)  # in order: one of a chain begins from the one before it
            self._suspects.remove(self._tried)
            return [self._tried]
        if self.chain > 1:
            return self._chain()
        if self._first:
            return [self._first.popleft()]
        if self._again:
            return [self._again.popleft()]
        size = min(MAX_BATCH_POINTS, max(1, int(BATCH_SECONDS / self.meter.mean))) if self.meter.mean else 1
        share = max(1, self._left // (2 * self.backend.workers))
        return list(islice(self._waiting, min(size, share)))

    def _chain(self) -> list[int]:
        """Points of a chain that follow each other, from the first that is to do on; of lost ones just one."""
        for number in self._again:  # one that takes its worker with it is found only alone
            before = number - 1
            if number % self.chain == 0 or not (before in self._out or before in self._again):
                self._again.remove(number)
                return [number]
        batch: list[int] = []
        while self._peek() is not None and (not batch or self._continues(batch[-1])):
            batch.append(self._ahead.popleft())
        return batch

    def _peek(self) -> int | None:
        """The next point that waits; it stays where it is."""
        if not self._ahead:
            self._ahead.extend(islice(self._waiting, 1))
        return self._ahead[0] if self._ahead else None

    def _continues(self, last: int) -> bool:
        """True if the next point that waits follows another in its chain."""
        following = self._ahead[0]
        return following == last + 1 and following % self.chain != 0

    def _job(self, number: int, place: int) -> PointJob:
        start = None
        if self.chain > 1 and place == 0 and number % self.chain:
            self._write()  # the one before may have come back only now
            start = self.ledger.start_of(number - 1)
        return PointJob(number, self.plan.arguments(number), start)

    def _write(self) -> None:
        """Everything that is known goes to the disk: arrays, then the journal, then the ledger."""
        self._written = monotonic()
        begun = [number for number in self._begun if number in self._out]
        if not self._came and not begun:
            return
        came = list(self._came)
        finished = [(number, found, write_arrays(self.ledger.path, number, found)) for number, found in came]
        self.journal.refuse_deleted()
        self.journal.add(finished)
        with self.ledger.writing():
            self.ledger.put_state(begun, RUNNING)
            for number, found, arrays in finished:
                self.ledger.put_outcome(number, found, arrays, self.plan.parameters(number))
                self._drop_starts(number, found.state)
        self._came, self._begun = self._came[len(came) :], []  # only now: an interruption on the way loses nothing
        self.meter.wrote(finished)
        with self.ledger.writing():
            self.ledger.put_about(STATUS_KEY, stored_status(self._status()))

    def _drop_starts(self, number: int, state: str) -> None:
        """Orbits that nobody begins from any more: that of the one before, and that of the last of a chain."""
        if self.chain > 1 and state == DONE:
            if number % self.chain:
                self.ledger.drop_start(number - 1)
            if (number + 1) % self.chain == 0:
                self.ledger.drop_start(number)

    def _tell(self, *, always: bool = False) -> None:
        if self.progress is not None and (always or monotonic() - self._told > PROGRESS_SECONDS):
            self._told = monotonic()
            self.progress(self._status())

    def _status(self) -> Status:
        """With the point that has been under way for longest."""
        status = self.meter.status(len(self._out))
        number, taken = max(self.backend.in_progress().items(), key=itemgetter(1), default=(None, 0.0))
        return status if number is None else status._replace(longest=LongestRunning(number, time() - taken))
