"""What the tests of sweeps have in common: functions to sweep over, and a driver in a process of its own."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent

DRIVER = """
import sys
sys.path.insert(0, {here!r})
import sweep_helpers as helpers
import slipstick as ss
ss.sweep(helpers.{build}, over={over}, store="map.sqlite", workers=2)
"""


def product(a, b):
    """A figure with rounding in it, so that equal means the same computation."""
    return {"quotient": a / (b + 3.0), "product": a * b}


def logged(a, b):
    """The same, slowly, with a line in a file for each computation that came to its end."""
    end = time.perf_counter() + 0.004
    while time.perf_counter() < end:
        pass
    with open("computed.log", "a") as file:
        file.write(json.dumps([a, b]) + "\n")
    return product(a, b)


def gated(a, b):
    """The same, and so slowly until there is a file `go` that no sweep ends before a test has made it."""
    if not Path("go").exists():
        time.sleep(0.05)
    return logged(a, b)


def asleep(a):
    """For ten minutes, after a file that says which process it is."""
    Path(f"{a}.pid").write_text(str(os.getpid()))
    time.sleep(600.0)
    return a


def start_driver(folder: Path, over: dict[str, list[float]], build: str = "logged") -> subprocess.Popen[bytes]:
    """A sweep in a process of its own, in a folder of its own; its workers are of its group."""
    code = DRIVER.format(here=str(HERE), over=over, build=build)
    return subprocess.Popen([sys.executable, "-c", code], cwd=folder, start_new_session=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the driver alone, at once; its workers have to find out by themselves."""
    process.kill()  # nothing, if it has come to its end
    process.wait()


def rows(ledger: Path) -> list[tuple[int, str, str, str]]:
    """Number, parameters, state and figures of every point, read by nobody's code but SQLite's."""
    database = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
    try:
        return list(database.execute("SELECT number, parameters, state, figures FROM points ORDER BY number"))
    finally:
        database.close()


def done(ledger: Path) -> set[int]:
    """Numbers of the points that a ledger has as done; none where there is no ledger yet."""
    try:
        return {number for number, _, state, _ in rows(ledger) if state == "done"}
    except sqlite3.OperationalError:
        return set()


def poisonous(a, b):
    """The same, but one point takes its process with it."""
    if (a, b) == (3.0, 1.0):
        os.abort()
    return logged(a, b)


def rounded(a, b):
    """Figures with the rounding of a matrix product in them."""
    i = np.arange(1.0, 61.0)
    square = np.sin(np.outer(i, i) * (1.0 + a) + b)
    return {"quotient": a / (b + 3.0), "trace": np.trace(square @ square.T @ square)}


def traced(a, b):
    """The same in some 30 ms, with a line in a file when it is begun: the point and the process."""
    with open("begun.log", "a") as file:
        file.write(json.dumps([a, b, os.getpid()]) + "\n")
    end = time.perf_counter() + 0.03
    found = rounded(a, b)
    while time.perf_counter() < end:
        pass
    return found


def begun(folder: Path) -> list[tuple[float, float, int]]:
    """What `traced` has begun in a folder: a, b and the process, in order."""
    log = folder / "begun.log"
    return [tuple(json.loads(line)) for line in log.read_text().splitlines()] if log.exists() else []
