"""`Backend` on many machines, through dask.distributed. The ledger stays on this machine.

A batch is one Dask task. Dask restarts tasks of lost workers. Tasks that it gives up (`KilledWorker`), and all
tasks of a lost scheduler, return as lost points. A new scheduler at the same address is used as soon as it responds.
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

BATCHES_A_THREAD = 2  # at the same time
CLUSTER_POLL_SECONDS = 1.0  # [s] between two checks of the cluster
GIVE_UP_SECONDS = 600.0  # [s] without scheduler or workers
CONNECT_SECONDS = 10.0  # [s] for one attempt


class WorkerInDriverProcess(Exception):
    """A point with a time limit reached a worker thread of the driver process, which the limit would end."""


def process_identity() -> tuple[str, int]:
    """Host name and process id."""
    return socket.gethostname(), os.getpid()


def compute_batch(
    task: bytes,
    batch: Sequence[tuple[int, dict[str, Any], bytes | None]],
    limit: float | None = None,
    driver: tuple[str, int] | None = None,
) -> list[tuple[int, PointOutcome]]:
    """Compute points in a Dask worker, which exits at the time limit of a point.

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
        self._since: dict[Future, float] = {}  # time of submission
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
        """Each batch by its first point, since its submission: only the cluster knows more."""
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
        with suppress(Exception):  # a client without scheduler raises many kinds
            self._client.cancel(list(self._under_way))
        self._under_way.clear()
        if self._mine:
            with suppress(Exception):
                self._client.close(timeout=1.0)

    def _ended(self, future: Future) -> list[PointFinished | PointsLost]:
        """The events of a finished task: its points, or their loss."""
        numbers = self._under_way.pop(future, None)
        self._since.pop(future, None)
        if numbers is None:  # already lost
            return []
        if future.status == "finished":
            try:
                return [PointFinished(number, outcome) for number, outcome in future.result(timeout=CONNECT_SECONDS)]
            except Exception as failure:  # its worker was lost with the result
                return [PointsLost(numbers, None, f"{type(failure).__name__}")]
        if future.status != "error":  # cancelled, or lost with the scheduler
            return [PointsLost(numbers, None, "the scheduler was lost")]
        problem = future.exception(timeout=CONNECT_SECONDS)
        if type(problem).__name__ == "KilledWorker":
            # Dask blames all tasks of a dead worker, also waiting ones
            words = "each worker that had it died"
            if self._limit is not None:
                words += f" or was {limit_message(self._limit)}"
            return [PointsLost(numbers, None, words, killed=True)]
        if isinstance(problem, WorkerInDriverProcess):  # only the worker can know
            words = "limit= needs workers in processes of their own, for at the limit a worker ends its process"
            way_out = "use Client(processes=True), or leave limit out"
            raise InvalidInput(f"{words}; those of cluster= are threads of this Python: {way_out}").about("limit")
        words = (
            f"a Dask worker failed: {type(problem).__name__}: {problem}; install this slipstick and your module there"
        )
        raise InvalidInput(" ".join(words.split())).about("cluster")

    def _look(self) -> None:
        """The number of threads; reconnects to a lost scheduler."""
        if monotonic() - self._looked < CLUSTER_POLL_SECONDS:
            return
        try:
            self._threads = sum(self._client.nthreads().values()) if self._client.status == "running" else 0
        except Exception:  # the scheduler was lost meanwhile
            self._threads = 0
        if self._client.status == "closed":
            self._reconnect()
        if self._threads:
            self._alive = monotonic()
        elif monotonic() - self._alive > GIVE_UP_SECONDS:
            raise NotConverged(
                f"no worker of {self._address} has answered for {GIVE_UP_SECONDS:.0f} s; start some and start the "
                "sweep again"
            )
        self._looked = monotonic()

    def _reconnect(self) -> None:
        """Connect to a new scheduler at the same address; running points are lost."""
        from distributed import Client as Connected

        for future in list(self._under_way):
            self._done.put(future)
        try:
            how = {"timeout": CONNECT_SECONDS, "set_as_default": False, "security": self._client.security}
            self._client, self._mine = Connected(self._address, **how), True
        except OSError:  # not available yet
            sleep(CLUSTER_POLL_SECONDS)


def _dask_client(where: Any) -> tuple[Client, bool]:
    """A client, and whether it has to be closed here."""
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
