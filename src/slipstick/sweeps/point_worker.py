"""Computes points in a worker process. It receives all data from its parent."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from slipstick.sweeps.time_limit import end_process_after

if TYPE_CHECKING:
    from slipstick.sweeps.backend import PointJob
    from slipstick.sweeps.point_outcome import PointOutcome
    from slipstick.sweeps.point_task import PointTask

TASK_READY, TASK_BROKEN = "ready", "broken"  # sent once the task is read, or cannot be read


def run_worker(link: Connection[Any, Any]) -> None:
    """Receive the task, then compute batches of points until the link closes."""
    try:
        task = pickle.loads(link.recv_bytes())
    except Exception as failure:
        link.send((TASK_BROKEN, f"{type(failure).__name__}: {failure}"))
        return
    link.send((TASK_READY, ""))
    batches: SimpleQueue[bytes | None] = SimpleQueue()
    # batches are received while points are computed: two ends that only send would block each other
    threading.Thread(target=_receive_batches, args=(link, batches), daemon=True).start()
    while (batch := batches.get()) is not None:
        for outcome in compute_points(task, pickle.loads(batch)):
            link.send_bytes(pickle.dumps(outcome, protocol=pickle.HIGHEST_PROTOCOL))


def compute_points(
    task: PointTask, batch: Sequence[PointJob], limit: float | None = None
) -> Iterator[tuple[int, PointOutcome]]:
    """Outcomes of the points of a batch; in a chain each point starts from the orbit of the one before.

    limit : [s] after which a point ends this process; None if another process watches the time.
    """
    start = None
    for number, arguments, given in batch:
        with end_process_after(limit):
            outcome = task.run(number, arguments, start if given is None else given)
        start = outcome.start
        yield number, outcome


def _receive_batches(link: Connection[Any, Any], batches: SimpleQueue[bytes | None]) -> None:
    try:
        while True:
            batches.put(link.recv_bytes())
    except (EOFError, OSError):
        batches.put(None)
