"""Sweeps on a Dask cluster: the same figures, whoever dies meanwhile."""

import random

import numpy as np
import pytest
import sweep_helpers as helpers
from dask_helpers import machines, start_driver, wait_for

import slipstick as ss
from slipstick.errors import InvalidInput

pytest.importorskip("distributed", reason="dask.distributed is not installed")
OVER = {"a": [float(k) for k in range(30)], "b": [float(k) for k in range(10)]}
LONG = 240.0  # [s] that a busy machine may take


def expected():
    a, b = np.meshgrid(OVER["a"], OVER["b"], indexing="ij")
    return a / (b + 3.0)


def test_a_cluster_that_loses_a_worker_and_its_scheduler_finishes_with_the_same_figures(tmp_path):
    ledger, chance = tmp_path / "map.sqlite", random.Random(5)
    with machines(tmp_path) as cluster:
        driver = start_driver(tmp_path, cluster.address, OVER, "logged")
        assert wait_for(lambda: len(helpers.done(ledger)) >= 50, LONG)
        cluster.kill_a_worker(chance)
        cluster.fill_up()
        assert wait_for(lambda: len(helpers.done(ledger)) >= 120, LONG)
        cluster.kill_scheduler()
        assert driver.poll() is None
        kept = helpers.done(ledger)
        cluster.start_scheduler()
        assert wait_for(lambda: cluster.fill_up() or driver.poll() is not None, LONG)
        assert driver.returncode == 0
    assert kept <= helpers.done(ledger)
    assert {state for _, _, state, _ in helpers.rows(ledger)} == {"done"}
    assert np.array_equal(ss.open(ledger)["quotient"].values, expected())


def test_an_address_where_nobody_answers_is_refused(tmp_path, monkeypatch):
    import slipstick.sweeps.cluster as cluster

    monkeypatch.setattr(cluster, "CONNECT", 0.5)
    with pytest.raises(InvalidInput, match="no Dask scheduler answers at tcp"):
        ss.sweep(helpers.product, over=OVER, store=tmp_path / "map.sqlite", cluster="tcp://127.0.0.1:9")


def test_workers_and_a_cluster_at_once_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="leave one of them out"):
        ss.sweep(helpers.product, over=OVER, store=tmp_path / "map.sqlite", cluster="tcp://127.0.0.1:9", workers=2)


@pytest.mark.long
def test_fifty_killed_workers_of_a_cluster(tmp_path):
    ledger, chance = tmp_path / "map.sqlite", random.Random(6)
    over = {"a": [float(k) for k in range(200)], "b": [float(k) for k in range(50)]}
    with machines(tmp_path, 3) as cluster:
        driver = start_driver(tmp_path, cluster.address, over, "logged")
        for k in range(50):
            wanted = 100 + 150 * k
            assert wait_for(lambda wanted=wanted: len(helpers.done(ledger)) >= wanted, LONG)
            cluster.kill_a_worker(chance)
            cluster.fill_up()
        assert wait_for(lambda: cluster.fill_up() or driver.poll() is not None, LONG)
        assert driver.returncode == 0
    table = ss.open(ledger)
    assert table.counts == {"done": 10_000}
    assert np.array_equal(table["quotient"].values, table["a"].values[:, None] / (table["b"].values + 3.0))


@pytest.mark.long
def test_a_scheduler_that_is_killed_and_started_again_five_times(tmp_path):
    ledger = tmp_path / "map.sqlite"
    over = {"a": [float(k) for k in range(100)], "b": [float(k) for k in range(20)]}
    with machines(tmp_path, 2) as cluster:
        driver = start_driver(tmp_path, cluster.address, over, "logged")
        for k in range(5):
            wanted = 100 + 300 * k
            assert wait_for(lambda wanted=wanted: cluster.fill_up() or len(helpers.done(ledger)) >= wanted, LONG)
            cluster.kill_scheduler()
            cluster.start_scheduler()
        assert wait_for(lambda: cluster.fill_up() or driver.poll() is not None, LONG)
        assert driver.returncode == 0
    assert ss.open(ledger).counts == {"done": 2000}


@pytest.mark.long
def test_a_poison_point_of_a_cluster_is_quarantined(tmp_path):
    ledger = tmp_path / "map.sqlite"
    with machines(tmp_path, 2) as cluster:
        driver = start_driver(tmp_path, cluster.address, OVER, "poisonous")
        assert wait_for(lambda: cluster.fill_up() or driver.poll() is not None, LONG)
        assert driver.returncode == 0
    table = ss.open(ledger)
    assert table.counts == {"done": 299, "failed": 1}
    assert (table.failed[0]["a"], table.failed[0]["b"]) == (3.0, 1.0)
    assert "quarantined" in table.failed[0]["message"]
