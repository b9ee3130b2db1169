"""A Dask cluster of processes that can be killed one by one: a scheduler and workers as a user starts them."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from sweep_helpers import begun

HERE = os.path.dirname(os.path.abspath(__file__))
QUIET = {"DASK_LOGGING__DISTRIBUTED": "critical", "PYTHONWARNINGS": "ignore"}


class Host(NamedTuple):
    """address : of a computer.   enter : the command that runs another one there."""

    address: str = "127.0.0.1"
    enter: tuple[str, ...] = ()


class Machines:
    """A scheduler at one address, and workers that keep looking for it.

    host, worker_host : where the scheduler and the workers run.
    """

    def __init__(self, folder, count=2, host=Host(), worker_host=Host()):  # noqa: B008 - immutable
        self.folder, self.count, self.host, self.worker_host = folder, count, host, worker_host
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://{host.address}:{self.port}"
        self.scheduler = None
        self.workers = []
        self.start_scheduler()
        self.fill_up()

    def start_scheduler(self):
        options = ("--host", self.host.address, "--port", str(self.port), "--no-dashboard", "--no-show")
        self.scheduler = self._run(self.host, "scheduler", *options)

    def fill_up(self):
        """Replace workers that are gone, as a batch system does."""
        self.workers = [w for w in self.workers if w.poll() is None]
        while len(self.workers) < self.count:
            options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", "120")
            self.workers.append(self._run(self.worker_host, "worker", self.address, *options))

    def kill_scheduler(self):
        _kill(self.scheduler)
        assert self.scheduler.returncode == -signal.SIGKILL

    def kill_a_worker(self, chance: random.Random, busy=None):
        """Kill one of those that run, or of the processes ``busy`` alone."""
        able = [w for w in self.workers if w.poll() is None and (busy is None or w.pid in busy)]
        killed = chance.choice(able)
        _kill(killed)
        assert killed.returncode == -signal.SIGKILL

    def busy(self, folder):
        """Processes that have begun a point of `sweep_helpers.traced` in this folder, and run."""
        return {pid for *_, pid in begun(folder)} & {w.pid for w in self.workers if w.poll() is None}

    def stop(self):
        for process in (*self.workers, self.scheduler):
            _kill(process)

    def _run(self, host, *words):
        command = [*host.enter, sys.executable, "-m", "dask", *words]
        # functions of these tests travel by name: workers have to find them, as they have to find a user's own modules
        environment = os.environ | QUIET | {"PYTHONPATH": HERE}
        return subprocess.Popen(command, cwd=self.folder, env=environment, stderr=subprocess.DEVNULL)


@contextmanager
def machines(folder, count=2, **hosts):
    """A cluster inside this block.   hosts : as of `Machines`."""
    with ExitStack() as stack:
        made = Machines(folder, count, **hosts)
        stack.callback(made.stop)
        yield made


@contextmanager
def driving(folder, address, over, build, host=Host()):  # noqa: B008 - immutable
    """A sweep on the cluster in a process of its own, inside this block."""
    code = (
        f"import sys; sys.path.insert(0, {HERE!r})\n"
        "import sweep_helpers as helpers, slipstick as ss\n"
        f"ss.sweep(helpers.{build}, over={over!r}, store='map.sqlite', cluster={address!r})\n"
    )
    environment = os.environ | QUIET | {"PYTHONPATH": HERE}
    driver = subprocess.Popen([*host.enter, sys.executable, "-c", code], cwd=folder, env=environment)
    try:
        yield driver
    finally:
        _kill(driver)


def _kill(process):
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
