"""Compile everything beforehand, on all cores.

`warm()` starts this module as worker processes, each with a share of the kernels; a worker prints the name
of each kernel as it begins. Kernels that exist already are left alone.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from slipstick.errors import SlipstickError
from slipstick.laws import LAWS, law_class
from slipstick.laws.base import Law
from slipstick.laws.compile import is_compiled, tangent_kernel, value_kernel
from slipstick.laws.translate import Source, tangent_source, value_source

Progress = Callable[[str, int, int], None]

MOST_WORKERS = 4
LOOPS = "loops"
LIGHT = 4_000  # characters of source; a kernel shorter than that compiles in a fraction of a second


def elementary_laws() -> dict[str, type[Law]]:
    """Every law of the package that has a kernel of its own, by class name."""
    from slipstick.laws.memory import OvershootHysteresis

    laws = [law for name in LAWS if (law := law_class(name)).compiled]
    return {law.__name__: law for law in [*laws, OvershootHysteresis]}


def kernels() -> dict[str, Source]:
    """Name -> source of every kernel; a set-valued law has no derivatives."""
    found = {}
    for name, law in elementary_laws().items():
        found[name] = value_source(law)
        if law.compiled != "slide":
            found[f"{name}, derivatives"] = tangent_source(law)
    return found


def warm(progress: Progress | None = None) -> float:
    """Compile what is not compiled yet; the seconds it took. ``progress(what, done, total)`` as pieces begin."""
    began = time.perf_counter()
    every = kernels()
    # heaviest first, so that the shares come out even
    missing = sorted((n for n, s in every.items() if not is_compiled(s)), key=lambda n: -weight(every[n]))
    report = _Report(progress, len(missing) + 1)
    report(LOOPS)
    _compile_loops()
    if missing:
        _compile_in_workers(missing, every, report)
    report.finish()
    return time.perf_counter() - began


def weight(source: Source) -> int:
    """A measure of how long a kernel takes to compile: the text it consists of."""
    return len(source.text) + sum(weight(needed) for needed in source.needs)


class _Report:
    """Counts pieces from several threads and hands them on one at a time."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0
        self.lock = threading.Lock()

    def __call__(self, what: str) -> None:
        with self.lock:
            if self.progress:
                self.progress(what, self.done, self.total)
            self.done += 1

    def finish(self) -> None:
        if self.progress:
            self.progress("done", self.total, self.total)


def _compile_in_workers(names: list[str], every: dict[str, Source], report: _Report) -> None:
    shares: list[list[str]] = [[] for _ in range(max(1, min(os.cpu_count() or 1, MOST_WORKERS, len(names))))]
    loads = [0] * len(shares)
    for name in names:
        lightest = loads.index(min(loads))
        shares[lightest].append(name)
        loads[lightest] += weight(every[name]) + LIGHT
    problems: list[str] = []
    threads = [threading.Thread(target=_run_worker, args=(share, report, problems)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise SlipstickError(f"compiling failed: {problems[0]}")


def _run_worker(names: list[str], report: _Report, problems: list[str]) -> None:
    command = [sys.executable, "-m", "slipstick.laws.warm", *names]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as worker:
        for line in worker.stdout or ():
            report(line.strip())
        words = worker.stderr.read() if worker.stderr else ""
    if worker.returncode:
        problems.append((words.strip().splitlines() or [f"a worker ended with code {worker.returncode}"])[-1])


def _compile_loops() -> None:
    from slipstick.laws.elastic import Linear

    logging.getLogger("slipstick").disabled, before = True, logging.getLogger("slipstick").disabled
    try:
        Linear(stiffness=1.0).trace([0.0, 1.0])
    finally:
        logging.getLogger("slipstick").disabled = before


def _work(names: list[str]) -> None:
    """What a worker does."""
    logging.getLogger("slipstick").disabled = True
    laws = elementary_laws()
    for name in names:
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        law, _, derivatives = name.partition(", ")
        (tangent_kernel if derivatives else value_kernel)(laws[law])


if __name__ == "__main__":
    _work(sys.argv[1:])
