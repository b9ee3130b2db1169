"""Workers on many machines, through dask.distributed. The ledger stays here; nothing is scattered.

A batch is one Dask task. Dask starts tasks of lost workers again by itself; what it gives up (`KilledWorker`) comes
back as lost, and so does everything under way when the scheduler goes. A new scheduler at the same address is taken as
soon as it answers.
"""

from __future__ import annotations

import itertools
import os
import pickle
import socket
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from queue import Empty, Queue
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput, NotConverged, short_repr
from slipstick.sweeps.backend import PointFinished, PointJob, PointsLost
from slipstick.sweeps.point_outcome import PointOutcome
from slipstick.sweeps.point_worker import compute_points
from slipstick.sweeps.time_limit import limit_message

if TYPE_CHECKING:
    from distributed import Client, Future

BATCHES_A_THREAD = 2  # batches for each thread of the cluster
CLUSTER_POLL_SECONDS = 1.0  # [s] between looks at the cluster
GIVE_UP_SECONDS = 600.0  # [s] without scheduler or workers until it is given up
CONNECT_SECONDS = 10.0  # [s] for one attempt


class WorkerInDriverProcess(Exception):
    """A point with a limit has come to a worker that is a thread of the driver, which would end with it."""


def process_identity() -> tuple[str, int]:
    """Which one this is: on which machine, under which number."""
    return socket.gethostname(), os.getpid()


def compute_batch(
    task: bytes,
    batch: Sequence[tuple[int, dict[str, Any], bytes | None]],
    limit: float | None = None,
    driver: tuple[str, int] | None = None,
) -> list[tuple[int, PointOutcome]]:
    """What a Dask worker does: points one after the other. At the limit of a point it ends itself; Dask sees that.

    driver : the process that must not end so.
    """
    if limit is not None and driver == process_identity():
        raise WorkerInDriverProcess
    return list(compute_points(_unpack_task(task), [PointJob(*each) for each in batch], limit))


@lru_cache(maxsize=4)
def _unpack_task(task: bytes) -> Any:
    return pickle.loads(task)


class DaskBackend:
    """A `Backend` on a Dask cluster.   task : packed.   where : an address, or a client.   limit : [s] of a point."""

    def __init__(self, task: bytes, where: Any, limit: float | None = None) -> None:
        self._task, self._limit = task, limit
        self._client, self._mine = _dask_client(where)
        self._under_way: dict[Future, tuple[int, ...]] = {}
        self._address = str(self._client.scheduler.address)
        self._since: dict[Future, float] = {}  # when it was handed out
        self._done: Queue[Future] = Queue()
        self._keys = (f"slipstick-sweep-{os.getpid()}-{monotonic():.6f}-{i}" for i in itertools.count())
        self._looked, self._threads, self._alive = -CLUSTER_POLL_SECONDS, 0, monotonic()

    @property
    def workers(self) -> int:
        self._look()
        return max(self._threads, 1)

    def wants(self) -> bool:
        self._look()
        return len(self._under_way) < BATCHES_A_THREAD * self._threads

    def submit(self, batch: Sequence[PointJob]) -> None:
        numbers = tuple(job.number for job in batch)
        jobs = [tuple(job) for job in batch]
        given = (self._task, jobs, self._limit, process_identity())
        future = self._client.submit(compute_batch, *given, key=next(self._keys), pure=False)
        self._under_way[future] = numbers
        self._since[future] = monotonic()
        future.add_done_callback(self._done.put)

    def in_progress(self) -> dict[int, float]:
        """Each batch by its first point, since it was handed out: more is known to the cluster alone."""
        now = monotonic()
        return {numbers[0]: now - self._since[future] for future, numbers in self._under_way.items()}

    def events(self, timeout: float) -> list[PointFinished | PointsLost]:
        self._look()
        found: list[PointFinished | PointsLost] = []
        with suppress(Empty):
            future = self._done.get(timeout=timeout)
            while True:
                found += self._ended(future)
                future = self._done.get_nowait()
        return found

    def close(self) -> None:
        with suppress(Exception):  # whatever a client without scheduler raises
            self._client.cancel(list(self._under_way))
        self._under_way.clear()
        if self._mine:
            with suppress(Exception):
                self._client.close(timeout=1.0)

    def _ended(self, future: Future) -> list[PointFinished | PointsLost]:
        """What a task left: its points, or that they are lost."""
        numbers = self._under_way.pop(future, None)
        self._since.pop(future, None)
        if numbers is None:  # it was given up before
            return []
        if future.status == "finished":
            try:
                return [PointFinished(number, outcome) for number, outcome in future.result(timeout=CONNECT_SECONDS)]
            except Exception as failure:  # its worker went with the result
                return [PointsLost(numbers, None, f"{type(failure).__name__}")]
        if future.status != "error":  # cancelled, or lost with the scheduler
            return [PointsLost(numbers, None, "the scheduler was lost")]
        problem = future.exception(timeout=CONNECT_SECONDS)
        if type(problem).__name__ == "KilledWorker":
            # Dask blames everything that a worker had when it died, also what was only waiting there
            words = "each worker that had it died"
            if self._limit is not None:
                words += f" or was {limit_message(self._limit)}"
            return [PointsLost(numbers, None, words, killed=True)]
        if isinstance(problem, WorkerInDriverProcess):  # told by the worker: who has only an address cannot know
            words = "limit= needs workers in processes of their own, for at the limit a worker ends its process"
            way_out = "use Client(processes=True), or leave limit out"
            raise InvalidInput(f"{words}; those of cluster= are threads of this Python: {way_out}").about("limit")
        words = (
            f"a Dask worker cannot do it: {type(problem).__name__}: {problem}; it needs this slipstick and your module"
        )
        raise InvalidInput(" ".join(words.split())).about("cluster")

    def _look(self) -> None:
        """How many threads there are now; a scheduler that is gone is looked for again."""
        if monotonic() - self._looked < CLUSTER_POLL_SECONDS:
            return
        try:
            self._threads = sum(self._client.nthreads().values()) if self._client.status == "running" else 0
        except Exception:  # the scheduler went while it was asked
            self._threads = 0
        if self._client.status == "closed":
            self._reconnect()
        if self._threads:
            self._alive = monotonic()
        elif monotonic() - self._alive > GIVE_UP_SECONDS:
            raise NotConverged(
                f"no worker of {self._address} has answered for {GIVE_UP_SECONDS:.0f} s; start some and go on"
            )
        self._looked = monotonic()

    def _reconnect(self) -> None:
        """A new client at the same address; what was under way is lost."""
        from distributed import Client as Connected

        for future in list(self._under_way):
            self._done.put(future)
        try:
            how = {"timeout": CONNECT_SECONDS, "set_as_default": False, "security": self._client.security}
            self._client, self._mine = Connected(self._address, **how), True
        except OSError:  # not there yet
            sleep(CLUSTER_POLL_SECONDS)


def _dask_client(where: Any) -> tuple[Client, bool]:
    """A client, and whether it is ours to close."""
    try:
        from distributed import Client
    except ImportError:
        words = "cluster= needs dask.distributed; install it with: pip install 'slipstick[cluster]'"
        raise InvalidInput(words).about("cluster") from None
    if isinstance(where, Client):
        if where.scheduler is None:
            raise InvalidInput("the client of cluster= is closed; make a new one").about("cluster")
        return where, False
    if not isinstance(where, str):
        words = f'cluster must be an address such as "tcp://10.0.0.1:8786" or a client, got {short_repr(where)}'
        raise InvalidInput(words).about("cluster")
    try:
        return Client(where, timeout=CONNECT_SECONDS, set_as_default=False), True
    except (OSError, ValueError) as failure:
        words = f"no Dask scheduler answers at {where} ({type(failure).__name__}); start one with: dask scheduler"
        raise InvalidInput(words).about("cluster") from None
