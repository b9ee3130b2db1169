"""The long version: a hundred killed drivers, fifty killed workers, a full disk."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import sweep_helpers as helpers
from pace import READY, until

import slipstick as ss

OVER = {"a": [float(k) for k in range(50)], "b": [float(k) for k in range(40)]}
POINTS = 2000


class Life:
    """One driver, from its start until it is killed at an instant that is drawn for it."""

    def __init__(self, folder, chance):
        self.folder, self.chance = folder, chance
        self.journal = folder / "map.sqlite-finished"
        self.before = helpers.done(folder / "map.sqlite")
        self.lines = len(helpers.begun(folder))
        self.asides = len(list(folder.glob(".slipstick-*.sqlite")))
        self.driver = helpers.start_driver(folder, OVER, "traced")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.driver.poll() is None:  # something else failed here
            helpers.kill(self.driver)

    def until_the_ledger_is_being_made(self):
        """While it is written aside."""
        made = self.folder / "map.sqlite"
        self._until(
            lambda: made.exists() or len(list(self.folder.glob(".slipstick-*.sqlite"))) > self.asides, pause=0.0
        )

    def until_some_time(self):
        """Anywhere in the start: imports, the ledger that is opened, workers that begin."""
        time.sleep(self.chance.uniform(0.0, 1.2))

    def until_some_points(self):
        """Anywhere in the work: up to 40 points are begun, of which the ledger has none, some or most."""
        wanted = self.lines + self.chance.randint(1, 40)
        self._until(lambda: len(helpers.begun(self.folder)) >= wanted)
        time.sleep(self.chance.uniform(0.0, 0.03))

    def until_it_writes(self):
        """In the midst of a commit: lines are beside the ledger, and are about to be in it."""
        for _ in range(self.chance.randint(1, 3)):
            size = self.journal.stat().st_size
            self._until(lambda size=size: self.journal.stat().st_size > size, pause=0.0)
        time.sleep(self.chance.uniform(0.0, 0.002))

    def kill(self):
        """It died of this, unfinished; numbers of the points that the ledger has now, and points that it began."""
        workers = _children(self.driver.pid)
        helpers.kill(self.driver)
        assert self.driver.returncode == -signal.SIGKILL
        until(lambda: not any(_runs(pid) for pid in workers))
        now = helpers.done(self.folder / "map.sqlite")
        assert self.before <= now
        assert len(now) < POINTS
        return now, self.begun()

    def begun(self):
        """Points that it has begun, in order."""
        return [(a, b) for a, b, _ in helpers.begun(self.folder)[self.lines :]]

    def _until(self, condition, pause=0.001):
        end = time.monotonic() + READY
        while not condition():
            assert self.driver.poll() is None, "the driver ended by itself"
            assert time.monotonic() < end, "the driver did not come so far"
            time.sleep(pause)


@pytest.mark.long
def test_a_driver_killed_at_a_hundred_random_instants(tmp_path):
    chance = random.Random(11)
    instants = [*["until_some_time"] * 19, *["until_it_writes"] * 15, *["until_some_points"] * 60]
    chance.shuffle(instants)
    instants = [*["until_the_ledger_is_being_made"] * 5, "until_some_points", *instants]
    assert len(instants) == 100
    reached = []
    for instant in instants:
        with Life(tmp_path, chance) as life:
            getattr(life, instant)()
            now, begun = life.kill()
        assert not {_point(number) for number in life.before} & set(begun), "a finished point was computed again"
        reached.append((instant, len(life.before), len(now), len(begun)))
    assert len(list(tmp_path.glob(".slipstick-*.sqlite"))) >= 3, "no ledger was half made"
    with Life(tmp_path, chance) as last:
        assert last.driver.wait() == 0
    assert sorted(last.begun()) == sorted(_point(number) for number in set(range(POINTS)) - last.before)
    _tell(reached)
    assert len({before for _, before, _, _ in reached}) > 40, "the kills hit the start only"
    whole = tmp_path / "whole"
    whole.mkdir()
    assert helpers.start_driver(whole, OVER, "traced").wait() == 0
    table = helpers.rows(tmp_path / "map.sqlite")
    assert [number for number, *_ in table] == list(range(POINTS))
    assert {state for _, _, state, _ in table} == {"done"}
    assert table == helpers.rows(whole / "map.sqlite")
    a, b = np.meshgrid(OVER["a"], OVER["b"], indexing="ij")
    assert np.array_equal(ss.open(tmp_path / "map.sqlite")["quotient"].values, a / (b + 3.0))


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


def test_a_full_disk_is_reported_in_a_line_and_loses_nothing(tmp_path):
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


def _tell(reached):
    """What the kills hit, for whoever runs this with -s."""
    for kind in sorted({instant for instant, *_ in reached}):
        lives = [each for each in reached if each[0] == kind]
        began, kept = sum(n for *_, n in lives), sum(now - before for _, before, now, _ in lives)
        print(f"{kind}: {len(lives)} killed, {began} points begun, {kept} kept")


def _children(pid):
    try:
        pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(p) for p in pids if b"slipstick.workers" in Path(f"/proc/{p}/cmdline").read_bytes()]
    except OSError:
        return []


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
