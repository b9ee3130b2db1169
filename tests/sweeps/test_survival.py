"""The long version: a hundred killed drivers, fifty killed workers, a full disk."""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import sweep_helpers as helpers

import slipstick as ss

OVER = {"a": [float(k) for k in range(50)], "b": [float(k) for k in range(40)]}


def expected():
    a, b = np.meshgrid(OVER["a"], OVER["b"], indexing="ij")
    return a / (b + 3.0)


@pytest.mark.long
def test_a_driver_killed_at_a_hundred_random_instants(tmp_path):
    ledger, chance = tmp_path / "map.sqlite", random.Random(11)
    before: set[int] = set()
    computed: list[str] = []
    twice = 0
    for _ in range(100):
        driver = helpers.start_driver(tmp_path, OVER)
        time.sleep(chance.uniform(0.05, 2.5))
        helpers.kill(driver)
        now = helpers.done(ledger)
        assert before <= now
        lines = _lines(tmp_path / "computed.log")
        points = {tuple(json.loads(line)) for line in lines[len(computed) :]}
        twice += len(points & {_point(number) for number in before})
        before, computed = now, lines
    assert twice == 0, "a point that the ledger had as done was computed again"
    assert helpers.start_driver(tmp_path, OVER).wait() == 0
    assert Counter(number for number, *_ in helpers.rows(ledger)) == dict.fromkeys(range(2000), 1)
    assert {state for _, _, state, _ in helpers.rows(ledger)} == {"done"}
    assert np.array_equal(ss.open(ledger)["quotient"].values, expected())


@pytest.mark.long
def test_fifty_killed_workers(tmp_path):
    ledger, chance = tmp_path / "map.sqlite", random.Random(12)
    over = {"a": [float(k) for k in range(100)], "b": [float(k) for k in range(150)]}
    driver = helpers.start_driver(tmp_path, over)
    killed = 0
    while killed < 50 and driver.poll() is None:
        time.sleep(chance.uniform(0.02, 0.3))
        workers = _children(driver.pid)
        if workers and len(helpers.done(ledger)) > 30 * killed:
            os.kill(chance.choice(workers), signal.SIGKILL)
            killed += 1
    assert killed == 50
    assert driver.wait() == 0
    assert {state for _, _, state, _ in helpers.rows(ledger)} == {"done"}
    found = ss.open(ledger)
    assert np.array_equal(found["quotient"].values, found["a"].values[:, None] / (found["b"].values + 3.0))


def test_a_full_disk_is_told_in_a_line_and_loses_nothing(tmp_path):
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", place], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("a small disk cannot be mounted here; it takes root")
    try:
        over = {"a": [float(k) for k in range(100)], "b": [float(k) for k in range(50)]}
        with pytest.raises(ss.FileError, match="make room and start again") as refusal:
            ss.sweep(helpers.product, over=over, store=place / "map.sqlite", workers=1)
        assert "\n" not in str(refusal.value)
        ledger = place / "map.sqlite"
        reached = helpers.done(ledger)
        subprocess.run(["mount", "-o", "remount,size=20m", place], check=True)
        kept = {number: row for number, *row in helpers.rows(ledger) if number in reached}
        found = ss.sweep(helpers.product, over=over, store=ledger, workers=1)
        assert found.counts == {"done": 5000}
        assert {number: row for number, *row in helpers.rows(ledger) if number in reached} == kept
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def _point(number):
    return OVER["a"][number // 40], OVER["b"][number % 40]


def _lines(path):
    return path.read_text().splitlines() if path.exists() else []


def _children(pid):
    try:
        pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(p) for p in pids if b"sweeps.worker" in Path(f"/proc/{p}/cmdline").read_bytes()]
    except OSError:
        return []
