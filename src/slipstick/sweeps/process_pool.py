"""`ProcessPool`: computes points in worker processes on this machine, and replaces those that die.

Functions travel by value where they cannot be imported (cloudpickle). A worker gets its next batch when it has begun to
return the last one, so that it hardly waits for the driver. It returns each point separately: when a worker dies, the
first point that is missing is the cause. With a time limit, a worker that exceeds it is killed, even if it is stopped
or in an endless loop.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from time import monotonic, sleep
from typing import Any, cast

from slipstick.errors import InvalidInput, SlipstickError
from slipstick.sweeps.backend import PointFinished, PointJob, PointsLost
from slipstick.sweeps.point_worker import TASK_BROKEN, TASK_READY
from slipstick.sweeps.time_limit import AwakeClock, limit_message
from slipstick.workers.process import CONNECT_POLL_SECONDS, WorkerListener, WorkerProcess

RUN_WORKER = "slipstick.sweeps.point_worker:run_worker"
BATCHES_A_WORKER = 2  # batches that a worker has at most
MAX_FALSE_STARTS = 3  # workers that may die in a row before any had the task
MAX_KILLED_WORKERS = 50  # the same once one had it: then something kills them
STARTUP_SECONDS = 60.0  # [s] that a worker may take to read the task, if the time limit of a point is not longer


class PointWorker(WorkerProcess):
    """A worker process and the points that it has not returned.   since : when it began its present work."""

    def __init__(self, listener: WorkerListener, since: float) -> None:
        super().__init__(listener, RUN_WORKER)
        self.since = since
        self.batches: deque[deque[int]] = deque()
        self.batch_size = 0  # points of its last batch
        self.ready = False  # it has the task

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(number for batch in self.batches for number in batch)

    def wants(self) -> bool:
        """True if it is idle or will be soon; while its first point runs, another worker may be free earlier."""
        return not self.batches or (len(self.batches) < BATCHES_A_WORKER and len(self.batches[0]) < self.batch_size)

    def record_return(self, number: int, now: float) -> None:
        self.since = now
        self.batches[0].remove(number)
        while self.batches and not self.batches[0]:
            self.batches.popleft()

    def send(self, data: bytes) -> None:
        assert self.link is not None
        self.link.send_bytes(data)

    def receive(self) -> Any:
        assert self.link is not None
        return pickle.loads(self.link.recv_bytes())

    def has_message(self) -> bool:
        return self.link is not None and self.link.poll()


class ProcessPool:
    """A `Backend` on this machine.   task : packed.   count : of workers.   limit : time limit of a point [s]."""

    def __init__(self, task: bytes, count: int, limit: float | None = None) -> None:
        self._task, self.workers, self._limit = task, count, limit
        self._clock = AwakeClock()
        self._false_starts, self._ever_ready = 0, False
        self._starting: list[PointWorker] = []
        self._working: dict[Connection[Any, Any], PointWorker] = {}
        self._listener = WorkerListener()
        try:
            for _ in range(count):
                self._start_worker()
        except BaseException:
            self.close()
            raise

    def wants(self) -> bool:
        return any(worker.ready and worker.wants() for worker in self._working.values())

    def submit(self, batch: Sequence[PointJob]) -> None:
        able = [worker for worker in self._working.values() if worker.ready]
        worker = min(able, key=lambda w: (not w.wants(), len(w.batches)))
        if not worker.batches:
            worker.since = self._clock.now()
        worker.batches.append(deque(job.number for job in batch))
        worker.batch_size = len(batch)
        with suppress(OSError):  # it died: its link closes, and its points come back as lost
            worker.send(pickle.dumps([tuple(job) for job in batch], protocol=pickle.HIGHEST_PROTOCOL))

    def in_progress(self) -> dict[int, float]:
        now = self._clock.now()
        return {worker.batches[0][0]: now - worker.since for worker in self._working.values() if worker.batches}

    def events(self, timeout: float) -> list[PointFinished | PointsLost]:
        self._accept_workers()
        events: list[PointFinished | PointsLost] = []
        ends = monotonic() + timeout
        if not self._working:
            sleep(CONNECT_POLL_SECONDS)
        for link in wait(list(self._working), CONNECT_POLL_SECONDS if self._starting else timeout):
            worker = self._working[cast("Connection[Any, Any]", link)]
            try:
                self._receive(worker, events)
                while monotonic() < ends and worker.has_message():
                    self._receive(worker, events)
            except (EOFError, OSError):
                events += self._reap_dead(worker)
        for worker in list(self._working.values()):
            late = self._late(worker)
            # a child of a dead worker may hold its link open
            if (late or not worker.is_alive) and not worker.has_message():
                events += self._reap_dead(worker, late)
        return events

    def close(self) -> None:
        for worker in (*self._working.values(), *self._starting):
            worker.stop()
        self._working.clear()
        self._starting.clear()
        self._listener.close()

    def _receive(self, worker: PointWorker, events: list[PointFinished | PointsLost]) -> None:
        """Read a message of a worker: it has the task, or returns a point."""
        number, outcome = worker.receive()
        if number == TASK_BROKEN:
            words = f"build or measure cannot be read by a worker: {outcome}; put them in a module it can import"
            raise InvalidInput(words).about("build")
        if number == TASK_READY:
            worker.ready, self._ever_ready, self._false_starts = True, True, 0
            worker.since = self._clock.now()
            return
        worker.record_return(number, self._clock.now())
        events.append(PointFinished(number, outcome))

    def _late(self, worker: PointWorker) -> str:
        """Why a worker is late; empty if it is not."""
        if self._limit is None:
            return ""
        taken = self._clock.now() - worker.since
        if worker.ready:
            return limit_message(self._limit) if worker.batches and taken > self._limit else ""
        most = max(STARTUP_SECONDS, self._limit)
        return f"not ready after {most:g} s" if taken > most else ""

    def _reap_dead(self, worker: PointWorker, late: str = "") -> list[PointFinished | PointsLost]:
        """Stop and replace a worker that died or is late, and return the points that it had."""
        self._working = {link: other for link, other in self._working.items() if other is not worker}
        numbers, words = worker.numbers, late or worker.describe_end()
        worker.stop()
        if not worker.ready:
            self._record_failed_start(words)
        self._start_worker()
        return [PointsLost(numbers, numbers[0], words)] if numbers else []

    def _start_worker(self) -> None:
        self._starting.append(PointWorker(self._listener, self._clock.now()))

    def _accept_workers(self) -> None:
        """Send the task to workers that have connected; replace those that died before."""
        for worker in list(self._starting):
            if worker.connect():
                self._starting.remove(worker)
                self._working[cast("Connection[Any, Any]", worker.link)] = worker
                with suppress(OSError):
                    worker.send(self._task)
            elif (late := self._late(worker)) or not worker.is_alive:
                self._starting.remove(worker)
                words = late or worker.describe_end()
                worker.stop()
                self._record_failed_start(words)
                self._start_worker()

    def _record_failed_start(self, words: str) -> None:
        self._false_starts += 1
        if self._false_starts >= (MAX_KILLED_WORKERS if self._ever_ready else MAX_FALSE_STARTS):
            raise SlipstickError(f"no worker process could be started with build and measure: the last was {words}")
