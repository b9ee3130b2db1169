"""`WorkerProcess`: a worker process as its parent sees it, and `WorkerListener`, which accepts its link."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from time import sleep
from typing import Any

from slipstick.workers.boot import BOOT_SCRIPT

THREAD_COUNT_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS",
)  # fmt: skip
EXIT_WAIT_SECONDS = 5.0  # [s] from when its link closes until a process has ended
CONNECT_POLL_SECONDS = 0.02  # [s] between two checks for a new link
CLOSING_NAME = ""  # sent by the listener to itself


def usable_processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerListener:
    """Accepts the links of new worker processes, in a thread of its own."""

    def __init__(self) -> None:
        self.key = secrets.token_bytes(32)
        self._listener = Listener(authkey=self.key)
        self.address = self._listener.address
        self._closed = False
        self._links: dict[str, Connection[Any, Any]] = {}
        self._arrival = threading.Condition()
        threading.Thread(target=self._accept_forever, daemon=True).start()

    def take(self, name: str, timeout: float = 0.0) -> Connection[Any, Any] | None:
        """The link of a worker; None if it has not connected after ``timeout`` [s]."""
        with self._arrival:
            self._arrival.wait_for(lambda: name in self._links, timeout)
            return self._links.pop(name, None)

    def close(self) -> None:
        # the thread must still accept this last link: without its answer `Client` waits for ever
        with suppress(OSError, EOFError), Client(self.address, authkey=self.key) as last:
            last.send(CLOSING_NAME)
        self._closed = True
        self._listener.close()
        for link in self._links.values():
            link.close()

    def _accept_forever(self) -> None:
        while True:
            try:
                link = self._listener.accept()
                name = link.recv()
            except (AuthenticationError, EOFError, OSError):  # the worker died, or the listener is closed
                sleep(CONNECT_POLL_SECONDS)
                if self._closed:
                    return
                continue
            if name == CLOSING_NAME:
                return
            with self._arrival:
                self._links[name] = link
                self._arrival.notify_all()


class WorkerProcess:
    """A process that runs ``function`` ("module:function") with a link to this process.

    link : None until the process has connected.
    """

    def __init__(self, listener: WorkerListener, function: str) -> None:
        # with one hash seed, sums over sets of words come out the same in all processes
        environment = os.environ | dict.fromkeys(THREAD_COUNT_VARIABLES, "1") | {"PYTHONHASHSEED": "0"}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", BOOT_SCRIPT], stdin=subprocess.PIPE, env=environment
        )
        self.link: Connection[Any, Any] | None = None
        self._listener, self._name = listener, secrets.token_hex(8)
        settings = {
            "path": [str(folder) for folder in sys.path],
            "address": listener.address,
            "key": listener.key.hex(),
            "name": self._name,
            "function": function,
        }
        assert self.process.stdin is not None
        with suppress(OSError):  # it has ended already; its exit code shows it later
            self.process.stdin.write(json.dumps(settings).encode() + b"\n")
            self.process.stdin.flush()

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def connect(self, timeout: float = 0.0) -> bool:
        """True once the process has connected, which this waits for until ``timeout`` [s]."""
        if self.link is None:
            self.link = self._listener.take(self._name, timeout)
        return self.link is not None

    def wait_for_link(self) -> Connection[Any, Any]:
        """The link, as soon as the process has connected; raises EOFError if it ends before."""
        while not self.connect(CONNECT_POLL_SECONDS):
            if not self.is_alive and not self.connect():
                raise EOFError("the worker process ended before it connected")
        assert self.link is not None
        return self.link

    def describe_end(self) -> str:
        """How the process ended; its link closes a little earlier."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(EXIT_WAIT_SECONDS)
        return describe_exit(self.process.poll())

    def kill(self) -> None:
        """End the process; its link stays open."""
        self.process.kill()
        self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()

    def close_link(self) -> None:
        if self.connect() and self.link is not None:
            self.link.close()

    def stop(self) -> None:
        """End the process and close its link."""
        self.kill()
        self.close_link()


def describe_exit(code: int | None) -> str:
    """How a process ended: ``killed by SIGABRT``, ``ended with exit code 3``."""
    if code is None:
        return "lost"
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return f"ended with exit code {code}"
