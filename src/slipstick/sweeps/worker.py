"""A process that computes points. It is told all it needs by its parent, and goes when that goes."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from multiprocessing.connection import Client, Connection
from typing import Any

# what a new interpreter is told to run: where modules are comes from the parent, so that its own are found
BOOT = (
    "import json, sys; told = json.loads(sys.stdin.buffer.readline()); sys.path[:] = told['path'];"
    " from slipstick.sweeps.worker import main; main(told)"
)
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
BROKEN = "broken"  # sent instead of an outcome: the task cannot be read here


def main(told: dict[str, Any]) -> None:
    """Connect, take the task, and compute what comes until nothing more does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    threading.Thread(target=_go_with_the_parent, daemon=True).start()
    link: Connection[Any, Any] = Client(told["address"], authkey=bytes.fromhex(told["key"]))
    try:
        link.send(told["name"])
        _serve(link)
    except (EOFError, OSError):  # the parent is gone
        pass


def _serve(link: Connection[Any, Any]) -> None:
    try:
        task = pickle.loads(link.recv_bytes())
    except Exception as failure:
        link.send((BROKEN, f"{type(failure).__name__}: {failure}"))
        return
    while True:
        start = None
        for number, arguments, given in pickle.loads(link.recv_bytes()):
            outcome = task.run(number, arguments, start if given is None else given)
            start = outcome.start
            link.send_bytes(pickle.dumps((number, outcome), protocol=pickle.HIGHEST_PROTOCOL))


def _go_with_the_parent() -> None:
    """Its end of the pipe closes when it dies, at whatever instant: nobody is left to compute for."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(1)
