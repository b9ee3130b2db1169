"""The process that computes points. It receives all data from its parent and ends with it."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Client, Connection
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from slipstick.sweeps.time_limit import end_process_after

if TYPE_CHECKING:
    from slipstick.sweeps.backend import PointJob
    from slipstick.sweeps.point_outcome import PointOutcome
    from slipstick.sweeps.point_task import PointTask

# what a new interpreter is told to run: where modules are comes from the parent, so that its own are found
BOOT_SCRIPT = (
    "import json, os, sys\n"
    "line = b''\n"
    "while not line.endswith(b'\\n'):\n"
    "    more = os.read(0, 1)\n"
    "    if not more: os._exit(1)\n"  # the parent died before it said anything
    "    line += more\n"
    "told = json.loads(line); sys.path[:] = told['path']\n"
    "from slipstick.sweeps.worker_process import main; main(told)"
)
THREAD_COUNT_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS",
)  # fmt: skip
TASK_READY, TASK_BROKEN = "ready", "broken"  # sent when the task is there, or cannot be read here


def usable_processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def main(told: dict[str, Any]) -> None:
    """Connect, take the task, and compute what comes until nothing more does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    pipe = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # whoever asks for input here gets none, instead of waiting for ever
    threading.Thread(target=_exit_with_parent, args=(pipe,), daemon=True).start()
    try:
        link: Connection[Any, Any] = Client(told["address"], authkey=bytes.fromhex(told["key"]))
        link.send(told["name"])
        _serve(link)
    except (EOFError, OSError):  # the parent is gone
        pass
    os._exit(0)  # threads that wait for it would make the interpreter's own end fail


def _serve(link: Connection[Any, Any]) -> None:
    try:
        task = pickle.loads(link.recv_bytes())
    except Exception as failure:
        link.send((TASK_BROKEN, f"{type(failure).__name__}: {failure}"))
        return
    link.send((TASK_READY, ""))
    batches: SimpleQueue[bytes | None] = SimpleQueue()
    # batches are taken in while points are computed: if both ends only sent, both would wait for ever
    threading.Thread(target=_receive_batches, args=(link, batches), daemon=True).start()
    while (batch := batches.get()) is not None:
        for found in compute_points(task, pickle.loads(batch)):
            link.send_bytes(pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))


def compute_points(
    task: PointTask, batch: Sequence[PointJob], limit: float | None = None
) -> Iterator[tuple[int, PointOutcome]]:
    """Points of a batch one after the other; in a chain each begins where the one before it has ended.

    limit : [s] after which a point ends this process; None where somebody else looks after that.
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


def _exit_with_parent(pipe: int) -> None:
    """Its end of the pipe closes when it dies, at whatever instant: nobody is left to compute for."""
    while os.read(pipe, 1):
        pass
    os._exit(1)
