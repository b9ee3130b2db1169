"""Sweeps on this machine: every point once, whatever happens."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import sweep_helpers as helpers
from pace import until

import slipstick as ss
from slipstick.errors import FileError, InvalidInput, NotConverged
from slipstick.workers.boot import BOOT_SCRIPT

AXES = {"a": [0.1 * k for k in range(6)], "b": [0.3 * k for k in range(5)]}


def counts(sweep):
    return {state: sweep.counts.get(state, 0) for state in ("done", "failed", "waiting", "running")}


def test_every_point_is_computed_with_its_values(tmp_path):
    found = ss.sweep(helpers.product, over=AXES, store=tmp_path / "map.sqlite", workers=2)
    a, b = np.meshgrid(AXES["a"], AXES["b"], indexing="ij")
    assert np.array_equal(found["quotient"].values, a / (b + 3.0))
    assert counts(found) == {"done": 30, "failed": 0, "waiting": 0, "running": 0}


def test_chance_does_not_depend_on_the_worker(tmp_path):
    def draw(a):
        return {"drawn": a + random.random() + np.random.random()}  # noqa: NPY002

    found = [ss.sweep(draw, over={"a": range(20)}, store=tmp_path / f"{n}.sqlite", workers=n) for n in (1, 3)]
    assert np.array_equal(found[0]["drawn"].values, found[1]["drawn"].values)
    assert len(set((found[0]["drawn"] - found[0]["a"]).values.tolist())) == 20


def test_a_finished_sweep_computes_nothing_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = ss.sweep(helpers.logged, over=AXES, store="map.sqlite", workers=2)
    again = ss.sweep(helpers.logged, over=AXES, store="map.sqlite", workers=2)
    assert len((tmp_path / "computed.log").read_text().splitlines()) == 30
    assert first.equals(again)


@pytest.mark.parametrize("times", [2, pytest.param(6, marks=pytest.mark.long)])
def test_a_driver_that_is_killed_leaves_a_ledger_that_goes_on(tmp_path, times):
    over = {"a": [float(k) for k in range(20)], "b": [float(k) for k in range(60)]}
    ledger = tmp_path / "map.sqlite"
    before: set[int] = set()
    kills = 0
    for seed in range(times):
        enough = len(before) + 40
        driver = helpers.start_driver(tmp_path, over)
        while len(helpers.done(ledger)) < enough and driver.poll() is None:
            time.sleep(random.Random(seed).uniform(0.005, 0.03))
        helpers.kill(driver)
        kills += driver.returncode == -signal.SIGKILL
        now = helpers.done(ledger)
        assert before <= now
        before = now
    assert kills >= 1  # on a busy machine this process may have come too late for some
    kept = {number: row for number, *row in helpers.rows(ledger) if number in before}
    computed_before = (tmp_path / "computed.log").read_text().splitlines()
    assert helpers.start_driver(tmp_path, over).wait() == 0
    table = helpers.rows(ledger)
    assert [number for number, *_ in table] == list(range(1200))
    assert {state for _, _, state, _ in table} == {"done"}
    # what the ledger had before it was killed for the last time is as it was, and was not computed again
    assert {number: row for number, *row in table if number in before} == kept
    computed_after = (tmp_path / "computed.log").read_text().splitlines()[len(computed_before) :]
    again = {tuple(json.loads(line)) for line in computed_after}
    points = {number: tuple(json.loads(parameters).values()) for number, parameters, *_ in table}
    assert not again & {points[number] for number in before}
    whole = ss.sweep(helpers.product, over=over, store=tmp_path / "whole.sqlite", workers=1)
    assert np.array_equal(ss.open(ledger)["quotient"].values, whole["quotient"].values)


def test_workers_go_when_their_driver_is_killed(tmp_path):
    driver = helpers.start_driver(tmp_path, {"a": [1, 2]}, "asleep")
    files = [tmp_path / "1.pid", tmp_path / "2.pid"]
    until(lambda: all(file.exists() and file.read_text() for file in files))
    pids = [int(file.read_text()) for file in files]
    helpers.kill(driver)
    until(lambda: not any(_alive(pid) for pid in pids))


@pytest.mark.parametrize("said", [b"", b'{"path": ['])
def test_a_worker_goes_when_its_driver_died_before_it_said_all(said):
    done = subprocess.run([sys.executable, "-P", "-c", BOOT_SCRIPT], input=said, capture_output=True, timeout=600)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_worker_that_is_killed_is_replaced_and_its_point_computed(tmp_path):
    killed, all_killed = [], tmp_path / "all killed"

    def build(a):
        if not all_killed.exists():  # so slowly that it does not end before
            time.sleep(0.01)
        return {"pid": os.getpid(), "twice": 2 * a}

    def kill_one(status):
        if status.done >= 20 * (len(killed) + 1) and len(killed) < 3:
            pid = _a_worker()
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        if len(killed) == 3:
            all_killed.touch()

    found = ss.sweep(build, over={"a": range(2000)}, store=tmp_path / "map.sqlite", workers=2, progress=kill_one)
    assert len(killed) == 3
    assert counts(found)["done"] == 2000
    assert found["twice"].values.tolist() == [2.0 * a for a in range(2000)]


def test_a_point_that_kills_its_worker_is_quarantined_and_named(tmp_path):
    def build(a):
        if a == 7:
            os.abort()
        return {"twice": 2 * a}

    found = ss.sweep(build, over={"a": range(20)}, store=tmp_path / "map.sqlite", workers=2)
    assert counts(found) == {"done": 19, "failed": 1, "waiting": 0, "running": 0}
    (failed,) = found.failed
    assert failed["a"] == 7
    assert "killed its worker 3 times" in failed["message"]
    assert "SIGABRT" in failed["message"]


def test_a_point_that_raises_has_its_message_and_the_rest_goes_on(tmp_path):
    def build(a):
        if a == 3:
            raise ValueError("three\nis too many")
        if a == 4:
            raise SystemExit(5)
        return {"twice": 2 * a}

    found = ss.sweep(build, over={"a": range(6)}, store=tmp_path / "map.sqlite", workers=2)
    assert [each["message"] for each in found.failed] == ["ValueError: three is too many", "SystemExit: 5"]
    assert counts(found)["done"] == 4


def test_failed_points_are_computed_once_more_only_if_asked(tmp_path):
    switch = tmp_path / "works"

    def build(a):
        if not switch.exists():
            raise RuntimeError("not yet")
        return {"twice": 2 * a}

    how = {"over": {"a": range(4)}, "store": tmp_path / "map.sqlite", "workers": 1}
    assert counts(ss.sweep(build, **how))["failed"] == 4
    switch.touch()
    assert counts(ss.sweep(build, **how))["failed"] == 4
    assert counts(ss.sweep(build, **how, retry=True))["done"] == 4


def test_a_changed_study_is_refused_with_what_changed_or_started_beside(tmp_path):
    store = tmp_path / "map.sqlite"
    ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    other = AXES | {"a": [1.0, 2.0]}
    with pytest.raises(InvalidInput, match=r"over a was 6 values from 0 to 0\.5, is 2 values from 1 to 2"):
        ss.sweep(helpers.product, over=other, store=store, workers=1)
    with pytest.raises(InvalidInput, match="build logged is new"):
        ss.sweep(helpers.logged, over=AXES, store=store, workers=1)
    beside = ss.sweep(helpers.product, over=other, store=store, workers=1, new=True)
    assert beside.attrs["store"] == str(tmp_path / "map-2.sqlite")
    assert ss.open(store)["quotient"].shape == (6, 5)


def test_functions_without_a_module_travel_by_value(tmp_path):
    shift = 5.0
    found = ss.sweep(lambda a: a + shift, over={"a": [1.0, 2.0]}, store=tmp_path / "map.sqlite", workers=1)
    assert found["value"].values.tolist() == [6.0, 7.0]


def test_long_arrays_go_to_files_and_come_back(tmp_path):
    def build(a):
        return {"line": np.arange(100.0) * a, "short": [a, a], "ragged": list(range(a))}

    found = ss.sweep(build, over={"a": [1, 2, 3]}, store=tmp_path / "map.sqlite", workers=2)
    assert found["line"].shape == (3, 100)
    assert np.array_equal(found["line"].values[2], 3.0 * np.arange(100.0))
    assert np.array_equal(found["ragged"].values, [[0, np.nan, np.nan], [0, 1, np.nan], [0, 1, 2]], equal_nan=True)
    assert len(list((tmp_path / "map.sqlite-arrays").rglob("*.npz"))) == 3


def test_two_drivers_of_one_ledger_are_refused(tmp_path):
    store = tmp_path / "map.sqlite"
    told = []

    def try_too(_):
        if not told:
            with pytest.raises(InvalidInput, match="being filled by another process") as refusal:
                ss.sweep(helpers.product, over=AXES, store=store, workers=1)
            told.append(refusal)

    ss.sweep(helpers.product, over=AXES, store=store, workers=1, progress=try_too)
    assert told


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_a_truncated_ledger_is_reported_and_loses_nothing(tmp_path, share):
    store = tmp_path / "map.sqlite"
    over = {"a": [float(k) for k in range(200)], "b": [1.0]}
    before = ss.sweep(helpers.product, over=over, store=store, workers=1)
    os.truncate(store, int(share * store.stat().st_size))
    with pytest.raises(FileError, match="recover=True") as refusal:
        ss.sweep(helpers.product, over=over, store=store, workers=1)
    assert "\n" not in str(refusal.value)
    computed = []
    after = ss.sweep(helpers.product, over=over, store=store, workers=1, recover=True, progress=computed.append)
    assert after.equals(before)
    assert not computed
    assert share == 0.0 or list(tmp_path.glob("map.sqlite*damaged*"))


def test_ctrl_c_keeps_what_is_done_and_goes_on(tmp_path):
    interrupted_once = tmp_path / "interrupted once"

    def slow(a):
        if not interrupted_once.exists():  # so slowly that it does not end before
            time.sleep(0.02)
        return {"twice": 2 * a}

    def stop(status):
        if status.done >= 10:
            interrupted_once.touch()
            raise KeyboardInterrupt

    how = {"over": {"a": range(1000)}, "store": tmp_path / "map.sqlite", "workers": 2}
    with pytest.raises(NotConverged, match="start it again to continue") as interrupted:
        ss.sweep(slow, **how, progress=stop)
    reached = interrupted.value.partial.counts
    assert 10 <= reached["done"] < 1000
    assert "running" not in reached
    assert counts(ss.sweep(slow, **how))["done"] == 1000


def test_progress_counts_and_gives_the_largest_figure(tmp_path):
    seen = []
    ss.sweep(helpers.product, over=AXES, store=tmp_path / "map.sqlite", workers=2, progress=seen.append)
    assert seen[-1].done == seen[-1].total == 30
    assert seen[-1].best.figure == "quotient"
    assert seen[-1].best.value == pytest.approx(0.5 / 3.0)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"build": 5}, "build must be a function"),
        ({"build": lambda a: a}, 'over= has "b", which build does not take; build takes a'),
        ({"build": lambda a, b, c: a + b + c}, 'build needs "c"'),
        ({"measure": 5}, "measure must be a function"),
        ({"measure": []}, "measure is empty"),
        ({"measure": lambda: 1}, "measure must take one argument"),
        ({"measure": lambda built, z: built + z}, 'measure needs "z"'),
        ({"store": "map.txt"}, "SQLite file"),
        ({"store": "nowhere/map.sqlite"}, "does not exist; make it first"),
        ({"workers": 0}, "workers must be"),
        ({"workers": 1.5}, "workers must be"),
        ({"along": "c"}, "along must be one of a, b"),
        ({"cluster": 5}, "cluster must be an address"),
        ({"worker": 2}, 'no argument "worker"'),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(tmp_path, monkeypatch, how, words):
    monkeypatch.chdir(tmp_path)
    arguments = {"build": helpers.product, "over": AXES, "store": "map.sqlite"} | how
    with pytest.raises(InvalidInput, match=words) as refusal:
        ss.sweep(**arguments)
    assert "\n" not in str(refusal.value)


def test_a_file_of_somebody_else_is_left_alone(tmp_path):
    store = tmp_path / "map.sqlite"
    store.write_text("my notes")
    with pytest.raises(FileError, match="is not a sweep"):
        ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    assert store.read_text() == "my notes"


def _a_worker():
    """The process of one of this process's workers."""
    pids = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children").read_text().split()
    return next(int(pid) for pid in pids if b"slipstick.workers" in Path(f"/proc/{pid}/cmdline").read_bytes())


def _alive(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


def test_large_batches_and_large_outcomes_do_not_wait_for_each_other(tmp_path):
    def build(word):
        return {"line": np.arange(20_000.0), "length": len(word)}

    words = [f"{k:05d}" + "x" * 20_000 for k in range(120)]
    found = ss.sweep(build, over={"word": words}, store=tmp_path / "map.sqlite", workers=1)
    assert counts(found)["done"] == 120


def test_a_driver_that_is_killed_while_it_makes_the_ledger_leaves_none(tmp_path):
    from slipstick.sweeps.ledger import Ledger
    from slipstick.sweeps.plan import plan_of

    plan, seen = plan_of({"a": [1.0, 2.0]}), []

    class Dying(type(plan)):
        def parameters(self, number):
            seen.append((tmp_path / "map.sqlite").exists())
            if number == 1:
                raise KeyboardInterrupt
            return {"a": 1.0}

    with pytest.raises(KeyboardInterrupt):
        Ledger.made(tmp_path / "map.sqlite", Dying(plan.dimensions), {})
    assert seen == [False, False]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a", "state", "seconds", "message", "certificate_error"])
def test_a_figure_with_a_name_that_is_taken_is_reported(tmp_path, name):
    found = ss.sweep(lambda a: {name: a}, over={"a": [1.0]}, store=tmp_path / "map.sqlite", workers=1)
    assert "name" in found.failed[0]["message"]
    assert ss.open(tmp_path / "map.sqlite").counts == {"failed": 1}


@pytest.mark.parametrize(
    "value", [None, 1j, {"x": {"y": 1}}, object(), [[1], [1, 2]], "a" * 3, np.longdouble(1.5), np.array(["x"] * 100)]
)
def test_whatever_a_function_gives_the_sweep_ends(tmp_path, value):
    found = ss.sweep(
        lambda a: {"x": value, "file": np.full(100, a)}, over={"a": [1.0]}, store=tmp_path / "m.sqlite", workers=1
    )
    assert sum(ss.open(tmp_path / "m.sqlite").counts.values()) == 1
    assert found.counts in ({"done": 1}, {"failed": 1})


def test_two_functions_that_change_places_are_another_study(tmp_path):
    def first(built):
        return built

    def second(built):
        return -built

    how = {"build": lambda a: a, "over": {"a": [1.0]}, "store": tmp_path / "m.sqlite", "workers": 1}
    ss.sweep(**how, measure={"x": first, "y": second})
    with pytest.raises(InvalidInput, match="measure x"):
        ss.sweep(**how, measure={"x": second, "y": first})


def test_a_new_sweep_beside_an_old_one_goes_on_in_its_own_ledger(tmp_path):
    store = tmp_path / "map.sqlite"
    ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    other = AXES | {"a": [1.0]}
    first = ss.sweep(helpers.product, over=other, store=store, workers=1, new=True)
    again = ss.sweep(helpers.product, over=other, store=store, workers=1, new=True)
    assert first.attrs["store"] == again.attrs["store"] == str(tmp_path / "map-2.sqlite")
    assert np.array_equal(first["seconds"].values, again["seconds"].values)


def test_recover_leaves_a_ledger_alone_that_can_be_read(tmp_path):
    store = tmp_path / "map.sqlite"
    before = ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    (tmp_path / "map.sqlite-finished").write_text("")
    after = ss.sweep(helpers.product, over=AXES, store=store, workers=1, recover=True)
    assert after.equals(before)
    assert not list(tmp_path.glob("*damaged*"))


def test_a_ledger_whose_beginning_is_lost_is_recovered_too(tmp_path):
    store = tmp_path / "map.sqlite"
    before = ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    os.truncate(store, 10)
    with pytest.raises(FileError, match=r"its beginning is lost.*recover=True"):
        ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    assert ss.sweep(helpers.product, over=AXES, store=store, workers=1, recover=True).equals(before)
    # a file that is nobody's is left alone
    other = tmp_path / "notes.sqlite"
    other.write_text("my notes")
    with pytest.raises(FileError, match="not a sweep of slipstick"):
        ss.sweep(helpers.product, over=AXES, store=other, workers=1, recover=True)
    assert other.read_text() == "my notes"


def test_a_ledger_with_wrong_bytes_is_whole_or_reported_in_one_line(tmp_path):
    store = tmp_path / "map.sqlite"
    truth = ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    whole, chance = store.read_bytes(), random.Random(5)
    told = set()
    for _ in range(150):
        held = bytearray(whole)
        for _ in range(chance.choice([1, 5, 40])):
            held[chance.randrange(100, len(held))] ^= chance.randrange(1, 256)
        store.write_bytes(held)
        try:
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                found = ss.open(store)
        except FileError as refusal:
            told.add(str(refusal))
            continue
        told.update(str(each.message) for each in heard)
        done = (found["state"] == "done").values
        assert bool(heard) == bool(not done.all())
        assert found.figures == truth.figures or not done.any()
        for name in found.figures:
            assert np.array_equal(found[name].values[done], truth[name].values[done])
            assert np.all(np.isnan(found[name].values[~done]))
    assert any("is damaged" in line for line in told)
    assert any("wrong checksum" in line for line in told)
    assert not any("\n" in line for line in told)
