"""Points that hang: a limit that ends them, and a line that names them where there is none."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sweep_helpers as helpers
from pace import until

import slipstick as ss
import slipstick.sweeps.time_limit as limits
from slipstick.cli import main
from slipstick.sweeps.ledger import Ledger
from slipstick.sweeps.status import read_status


def hangs_at_two(a):
    while a == 2:
        time.sleep(0.01)
    return a


def stopped_once(a):
    """A point whose process somebody stops, the first time."""
    mark = Path("stopped")
    if a == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGSTOP)
    return a


def test_a_point_that_hangs_is_left_out_at_the_limit_and_the_rest_is_done(tmp_path):
    found = ss.sweep(hangs_at_two, over={"a": range(6)}, store=tmp_path / "map.sqlite", workers=2, limit=1.0)
    assert found.counts == {"done": 5, "failed": 1}
    (point,) = found.failed
    assert point["a"] == 2
    assert "killed its worker 3 times" in point["message"]
    assert "the limit of 1 s" in point["message"]
    assert found["value"].sel(a=[0, 1, 3, 4, 5]).values.tolist() == [0, 1, 3, 4, 5]


def test_a_worker_that_is_stopped_is_replaced_at_the_limit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = ss.sweep(stopped_once, over={"a": range(6)}, store="map.sqlite", workers=1, limit=2.0)
    assert Path("stopped").exists()
    assert found["value"].values.tolist() == list(range(6))


def test_a_limit_is_of_each_point_and_not_of_a_batch(tmp_path):
    def short(a):
        time.sleep(0.05)
        return a

    found = ss.sweep(short, over={"a": range(40)}, store=tmp_path / "map.sqlite", workers=1, limit=1.0)
    assert found.counts == {"done": 40}
    assert float(found["seconds"].sum()) > 1.5


@pytest.mark.parametrize("limit", [0, -1.0, float("nan"), float("inf"), "5 s", True, 1e9])
def test_what_is_no_limit_is_refused_before_anything_runs(tmp_path, limit):
    with pytest.raises(ss.InvalidInput, match="limit must be the seconds") as refusal:
        ss.sweep(helpers.product, over={"a": [1], "b": [2]}, store=tmp_path / "map.sqlite", limit=limit)
    assert "\n" not in str(refusal.value)
    assert not list(tmp_path.iterdir())


def test_time_in_which_the_driver_was_stopped_itself_does_not_count(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(limits, "monotonic", lambda: now[0])
    clock = limits.AwakeClock()
    for step in (0.1, 1.0, 3600.0):
        now[0] += step
        clock.now()
    assert clock.now() == pytest.approx(1.1 + limits.MAX_CLOCK_GAP_SECONDS)


@pytest.mark.skipif(not hasattr(ctypes, "PyDLL") or os.name == "nt", reason="a sleep that holds the interpreter")
def test_a_process_ends_itself_at_the_limit_even_if_it_never_gives_the_interpreter_back():
    code = (
        "import ctypes, time\n"
        "from slipstick.sweeps.time_limit import end_process_after\n"
        "with end_process_after(1.0): pass\n"
        "time.sleep(1.2); print('still there', flush=True)\n"
        "with end_process_after(0.2): ctypes.PyDLL(None).sleep(600)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1
    assert done.stdout == "still there\n"
    assert "Timeout" in done.stderr


@pytest.mark.long
def test_a_cluster_leaves_out_a_point_that_hangs(tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    dask = pytest.importorskip("dask")
    how = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": "CRITICAL"}
    # a LocalCluster dismisses a worker for good that is being started again 15 s after it was lost
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
    with patient, distributed.LocalCluster(**how) as cluster, distributed.Client(cluster) as client:
        found = ss.sweep(hangs_at_two, over={"a": range(4)}, store=tmp_path / "map.sqlite", cluster=client, limit=1.0)
    assert found.counts == {"done": 3, "failed": 1}
    assert found.failed[0]["a"] == 2
    assert "the limit of 1 s" in found.failed[0]["message"]


OF_THREADS = """
import sys
sys.path.insert(0, {here!r})
import distributed
import slipstick as ss
import sweep_helpers as helpers

how = dict(processes=False, protocol={protocol!r}, n_workers=1, threads_per_worker=1, dashboard_address=None)
over = {{"a": [1, 2, 3], "b": [2]}}
with distributed.LocalCluster(**how) as cluster, distributed.Client(cluster) as client:
    for name, where in (("client", client), ("address", cluster.scheduler_address)):
        try:
            ss.sweep(helpers.product, over, store=name + ".sqlite", cluster=where, limit=1.0)
        except ss.InvalidInput as refusal:
            print(refusal)
        print(ss.sweep(helpers.product, over, store=name + ".sqlite", cluster=where).counts)
"""


@pytest.mark.parametrize("protocol", ["inproc", "tcp"])
def test_a_limit_is_refused_where_it_would_end_the_python_of_the_caller(tmp_path, protocol):
    """In a Python of its own: sockets that Dask closes later than the cluster would be told by another test."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    code = OF_THREADS.format(here=str(helpers.HERE), protocol=protocol)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert told[1::2] == ["{'done': 3}"] * 2
    for line in told[::2]:
        assert line.startswith("limit= needs workers in processes of their own")


def test_status_names_the_point_that_has_been_under_way_for_longest(tmp_path, capsys):
    started = time.time()
    driver = helpers.start_driver(tmp_path, {"a": [7, 8]}, "asleep")
    ledger, begun = tmp_path / "map.sqlite", [tmp_path / "7.pid", tmp_path / "8.pid"]
    try:
        until(lambda: all(file.exists() for file in begun) and _running(ledger) == 2)  # written down a little later
        longest = _longest(ledger)
        first = min(begun, key=lambda file: file.stat().st_mtime)
        assert started < longest.since < first.stat().st_mtime + limits.MAX_CLOCK_GAP_SECONDS
        with pytest.raises(SystemExit) as left:
            main(["sweep", "--status", str(ledger)])
        assert left.value.code == 0
    finally:
        helpers.kill(driver)
    told = capsys.readouterr().out
    assert f"longest under way: a = {7 + longest.point}: for " in told
    assert next(line.split() for line in told.splitlines() if line.startswith("running")) == ["running", "2"]


def _running(path):
    return sum(state == "running" for _, _, state, _ in helpers.rows(path)) if path.exists() else 0


def _longest(path):
    if not path.exists():
        return None
    ledger = Ledger.read_only(path)
    try:
        return read_status(ledger).longest
    finally:
        ledger.close()
