"""Workers on this machine: processes of their own that are replaced when they die.

Each is a fresh interpreter that runs nobody's script, so that a sweep works from a script without a guard, from a
notebook and from a prompt; functions travel by value where they cannot be imported (cloudpickle).
A worker gets its next batch when it has begun to send back the last, so that it hardly waits for the driver. It sends
each point back as soon as it is done: when it dies, the first point that did not come back is the one it died of. With
a limit, a worker whose point takes longer is killed, whatever it is in: a loop without end, or stopped by somebody.
"""

from __future__ import annotations

import json
import os
import pickle
import secrets
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, wait
from queue import Queue
from time import monotonic, sleep
from typing import Any, cast

from slipstick.errors import InvalidInput, SlipstickError
from slipstick.sweeps.backend import PointFinished, PointJob, PointsLost
from slipstick.sweeps.time_limit import AwakeClock, limit_message
from slipstick.sweeps.worker_process import BOOT_SCRIPT, TASK_BROKEN, TASK_READY, THREAD_COUNT_VARIABLES

BATCHES_A_WORKER = 2  # batches that a worker has at most
MAX_FALSE_STARTS = 3  # workers that may die in a row before any had the task
MAX_KILLED_WORKERS = 50  # the same once one had it: then somebody kills them
EXIT_WAIT_SECONDS = 5.0  # [s] from when its link closes until a process has ended
STARTUP_SECONDS = 60.0  # [s] that a worker may take to have the task, where points have a limit that is not longer
CONNECT_POLL_SECONDS = 0.02  # [s] between looks for workers that call


class WorkerProcess:
    """One process, and what it was given and has not sent back.   since : when it began what it does now."""

    def __init__(self, process: subprocess.Popen[bytes], since: float) -> None:
        self.process, self.since = process, since
        self.link: Connection[Any, Any] | None = None
        self.batches: deque[deque[int]] = deque()
        self.given = 0  # points of its last batch
        self.ready = False  # it has the task

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(number for batch in self.batches for number in batch)

    def wants(self) -> bool:
        """True if it has nothing to do, or will have soon; a long point is not taken ahead, another may be free."""
        return not self.batches or (len(self.batches) < BATCHES_A_WORKER and len(self.batches[0]) < self.given)

    def came_back(self, number: int, now: float) -> None:
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

    def has_more(self) -> bool:
        return self.link is not None and self.link.poll()

    def ended(self) -> str:
        """How it ended, in words; its link closes a little earlier."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(EXIT_WAIT_SECONDS)
        return describe_exit(self.process.poll())

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        if self.link is not None:
            self.link.close()
        if self.process.stdin is not None:
            self.process.stdin.close()


class ProcessPool:
    """A `Backend` on this machine.   task : packed.   count : of workers.   limit : [s] that a point may take."""

    def __init__(self, task: bytes, count: int, limit: float | None = None) -> None:
        self._task, self.workers, self._limit = task, count, limit
        self._clock = AwakeClock()
        self._false_starts, self._ever_ready = 0, False
        self._starting: dict[int, WorkerProcess] = {}
        self._working: dict[Connection[Any, Any], WorkerProcess] = {}
        self._door = WorkerListener()
        try:
            for _ in range(count):
                self._hire()
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
        worker.given = len(batch)
        with suppress(OSError):  # it died; its end of the link tells, and what it had comes back as lost
            worker.send(pickle.dumps([tuple(job) for job in batch], protocol=pickle.HIGHEST_PROTOCOL))

    def in_progress(self) -> dict[int, float]:
        now = self._clock.now()
        return {worker.batches[0][0]: now - worker.since for worker in self._working.values() if worker.batches}

    def events(self, timeout: float) -> list[PointFinished | PointsLost]:
        self._accept_worker()
        found: list[PointFinished | PointsLost] = []
        ends = monotonic() + timeout
        if not self._working:
            sleep(CONNECT_POLL_SECONDS)
        for link in wait(list(self._working), CONNECT_POLL_SECONDS if self._starting else timeout):
            worker = self._working[cast("Connection[Any, Any]", link)]
            try:
                self._receive(worker, found)
                while monotonic() < ends and worker.has_more():
                    self._receive(worker, found)
            except (EOFError, OSError):
                found += self._reap_dead(worker)
        for worker in list(self._working.values()):
            late = self._late(worker)
            # a child of its own may hold the link of one that has died
            if (late or worker.process.poll() is not None) and not worker.has_more():
                found += self._reap_dead(worker, late)
        return found

    def close(self) -> None:
        for worker in (*self._working.values(), *self._starting.values()):
            worker.stop()
        self._working.clear()
        self._starting.clear()
        self._door.close()

    def _receive(self, worker: WorkerProcess, found: list[PointFinished | PointsLost]) -> None:
        """Take what a worker has sent: that it has the task, or a point."""
        number, outcome = worker.receive()
        if number == TASK_BROKEN:
            words = f"build or measure cannot be read by a worker: {outcome}; put them in a module it can import"
            raise InvalidInput(words).about("build")
        if number == TASK_READY:
            worker.ready, self._ever_ready, self._false_starts = True, True, 0
            worker.since = self._clock.now()
            return
        worker.came_back(number, self._clock.now())
        found.append(PointFinished(number, outcome))

    def _late(self, worker: WorkerProcess) -> str:
        """Why a worker is not waited for any longer; nothing while it is."""
        if self._limit is None:
            return ""
        taken = self._clock.now() - worker.since
        if worker.ready:
            return limit_message(self._limit) if worker.batches and taken > self._limit else ""
        most = max(STARTUP_SECONDS, self._limit)
        return f"not ready after {most:g} s" if taken > most else ""

    def _reap_dead(self, worker: WorkerProcess, late: str = "") -> list[PointFinished | PointsLost]:
        """What a worker that died, or is late, leaves behind; another takes its place."""
        self._working = {link: other for link, other in self._working.items() if other is not worker}
        numbers, words = worker.numbers, late or worker.ended()
        worker.stop()
        if not worker.ready:
            self._record_failed_start(words)
        self._hire()
        return [PointsLost(numbers, numbers[0], words)] if numbers else []

    def _hire(self) -> None:
        """Start a process; it calls when it is ready."""
        # one order of sets of words in all of them, so that sums over such sets are the same
        environment = os.environ | dict.fromkeys(THREAD_COUNT_VARIABLES, "1") | {"PYTHONHASHSEED": "0"}
        process = subprocess.Popen([sys.executable, "-P", "-c", BOOT_SCRIPT], stdin=subprocess.PIPE, env=environment)
        self._starting[process.pid] = WorkerProcess(process, self._clock.now())
        told = {
            "path": [str(place) for place in sys.path],
            "address": self._door.address,
            "key": self._door.key.hex(),
            "name": process.pid,
        }
        assert process.stdin is not None
        with suppress(OSError):  # it is gone already, which is seen later
            process.stdin.write(json.dumps(told).encode() + b"\n")
            process.stdin.flush()

    def _accept_worker(self) -> None:
        """Hand the task to those that have called; replace those that died before they did."""
        for name, link in self._door.new_connections():
            worker = self._starting.pop(name, None)
            if worker is None:  # it called, and died
                link.close()
                continue
            worker.link = link
            self._working[link] = worker
            with suppress(OSError):
                worker.send(self._task)
        for name, worker in list(self._starting.items()):
            late = self._late(worker)
            if worker.process.poll() is None and not late:
                continue
            del self._starting[name]
            words = late or worker.ended()
            worker.stop()
            self._record_failed_start(words)
            self._hire()

    def _record_failed_start(self, words: str) -> None:
        self._false_starts += 1
        if self._false_starts >= (MAX_KILLED_WORKERS if self._ever_ready else MAX_FALSE_STARTS):
            raise SlipstickError(f"no worker process could be started with build and measure: the last was {words}")


class WorkerListener:
    """Where new workers call."""

    def __init__(self) -> None:
        self.key = secrets.token_bytes(32)
        self._listener = Listener(authkey=self.key)
        self.address = self._listener.address
        self._closed = False
        self._called: Queue[tuple[int, Connection[Any, Any]]] = Queue()
        threading.Thread(target=self._accept_forever, daemon=True).start()

    def new_connections(self) -> Iterator[tuple[int, Connection[Any, Any]]]:
        """Those that have called since: the process and the link to it."""
        while not self._called.empty():
            yield self._called.get()

    def close(self) -> None:
        self._closed = True
        with suppress(OSError, EOFError), Client(self.address, authkey=self.key) as last:
            last.send(0)
        self._listener.close()

    def _accept_forever(self) -> None:
        while True:
            try:
                link = self._listener.accept()
                name = link.recv()
            except (AuthenticationError, EOFError, OSError):  # it died at the door, or the door is closed
                sleep(CONNECT_POLL_SECONDS)
                if self._closed:
                    return
                continue
            if name == 0:
                return
            self._called.put((name, link))


def describe_exit(code: int | None) -> str:
    """How a process ended, in words: ``killed by SIGABRT``, ``ended with exit code 3``."""
    if code is None:
        return "lost"
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return f"ended with exit code {code}"
