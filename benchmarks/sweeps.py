"""Sweeps: two processes against one, what a point costs beside its work, many cheap points, and memory.

The peer is `concurrent.futures.ProcessPoolExecutor.map` with chunks: it computes the same points and keeps nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from timing import Sheet

import slipstick as ss

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
MANY = int(os.environ.get("SWEEP_POINTS", "100000"))  # cheap points
MOST = int(os.environ.get("SWEEP_MEMORY_POINTS", "1000000"))  # in the test of memory

MEMORY = """
import resource, sys, tempfile
import slipstick as ss
with tempfile.TemporaryDirectory() as folder:
    n = int(sys.argv[1])
    side = round(n ** 0.5)
    most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = []
    ss.sweep(lambda a, b: a * b, over={"a": range(side), "b": range(n // side)}, store=folder + "/m.sqlite", workers=2,
             progress=lambda status: found.append(most()))
    print(found[-1], most())
"""


def busy(a: float, seconds: float) -> float:
    """Work for a time of this process's own, whatever else the machine does."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return 2.0 * a


def at(seconds: float) -> object:
    return partial(busy, seconds=seconds)


def swept(count: int, seconds: float, workers: int) -> float:
    """[s] that a sweep takes, without the start of its processes: the points after the first tenth, scaled."""
    return count * each(count, seconds, workers=workers)[0]


def each(count: int, seconds: float, **where: Any) -> tuple[float, float]:
    """[s] that a point of a sweep takes, of those after the first tenth: in all, and by its own clock."""
    with tempfile.TemporaryDirectory() as folder:
        marks: list[tuple[float, int]] = []
        found = ss.sweep(
            at(seconds), over={"a": [float(k) for k in range(count)]}, store=Path(folder) / "m.sqlite", **where,
            progress=lambda status: marks.append((time.perf_counter(), status.finished)),
        )  # fmt: skip
    first = next(mark for mark in marks if mark[1] >= count // 10)
    last = marks[-1]
    return (last[0] - first[0]) / (last[1] - first[1]), float(found["seconds"].values[first[1] :].mean())


def mapped(count: int, seconds: float, workers: int) -> float:
    """[s] that the peer takes for the same points, its processes warm."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(busy, seconds=0.0), range(10 * workers)))
        chunk = max(1, min(count // (4 * workers), int(0.1 / seconds)))
        began = time.perf_counter()
        list(pool.map(at(seconds), [float(k) for k in range(count)], chunksize=chunk))  # type: ignore[arg-type]
        return time.perf_counter() - began


def scaling() -> None:
    sheet = Sheet("sweep: points of 20 ms, wall time", ("workers", "sweep, s", "executor, s", "sweep / executor"))
    taken = {}
    for workers in (1, 2):
        taken[workers] = swept(600, 0.02, workers)
        peer = mapped(600, 0.02, workers)
        sheet.row(str(workers), f"{taken[workers]:.2f}", f"{peer:.2f}", f"{taken[workers] / peer:.3f}")
    sheet.close(f"two processes are {taken[1] / taken[2]:.2f} times one (at least 1.85 on an idle machine)")


def overhead() -> None:
    sheet = Sheet(
        "sweep: what a point costs beside the time that it takes itself, one worker",
        ("point, ms", "points", "overhead, ms"),
    )
    for milliseconds, count in ((1.0, 4000), (5.0, 1000), (20.0, 300)):
        whole, own = each(count, milliseconds * 1e-3, workers=1)
        sheet.row(f"{milliseconds:g}", str(count), f"{1e3 * (whole - own):.3f}")
    sheet.close("at most 2 ms")


def cheap() -> None:
    sheet = Sheet(f"sweep: {MANY} points of 1 ms on {CORES} cores", ("", "wall, s", "of the ideal"))
    ideal = MANY * 1e-3 / CORES
    for name, run in (("sweep", swept), ("executor", mapped)):
        taken = run(MANY, 1e-3, CORES)
        sheet.row(name, f"{taken:.1f}", f"{taken / ideal:.2f}")
    sheet.close(f"ideal {ideal:.1f} s; at most 1.6 times that")


def memory() -> None:
    sheet = Sheet("sweep: resident memory of the driver", ("points", "while it runs, MB", "with its table, MB"))
    for count in (10_000, MOST // 10, MOST):
        run = subprocess.run([sys.executable, "-c", MEMORY, str(count)], capture_output=True, text=True, check=True)
        sheet.row(str(count), *(f"{float(each):.0f}" for each in run.stdout.split()))
    sheet.close("at most 500 MB and two batches")


def dask() -> None:
    """What a point costs on a cluster of one worker here."""
    from distributed import Client, LocalCluster

    sheet = Sheet("sweep on a Dask cluster here: the same, one worker", ("point, ms", "points", "overhead, ms"))
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        for milliseconds, count in ((1.0, 2000), (20.0, 300)):
            whole, own = each(count, milliseconds * 1e-3, cluster=client)
            sheet.row(f"{milliseconds:g}", str(count), f"{1e3 * (whole - own):.3f}")
    sheet.close("at most 15 ms")


TABLES = {
    "sweep": scaling, "sweep-overhead": overhead, "sweep-cheap": cheap, "sweep-memory": memory, "sweep-dask": dask,
}  # fmt: skip
