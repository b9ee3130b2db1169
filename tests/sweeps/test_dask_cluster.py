"""Sweeps on a Dask cluster: the same figures, whoever dies meanwhile."""

import random
import time

import numpy as np
import pytest
import sweep_helpers as helpers
from dask_helpers import driving, machines
from pace import until

import slipstick as ss
from slipstick.errors import InvalidInput

pytest.importorskip("distributed", reason="dask.distributed is not installed")
OVER = {"a": [float(k) for k in range(30)], "b": [float(k) for k in range(10)]}


def expected():
    a, b = np.meshgrid(OVER["a"], OVER["b"], indexing="ij")
    return a / (b + 3.0)


def test_a_cluster_that_loses_a_worker_and_its_scheduler_finishes_with_the_same_figures(tmp_path):
    ledger, chance = tmp_path / "map.sqlite", random.Random(5)
    with machines(tmp_path) as cluster, driving(tmp_path, cluster.address, OVER, "gated") as driver:
        until(lambda: len(helpers.done(ledger)) >= 50)
        cluster.kill_a_worker(chance)
        cluster.fill_up()
        until(lambda: len(helpers.done(ledger)) >= 120)
        cluster.kill_scheduler()
        assert driver.poll() is None
        kept = helpers.done(ledger)
        (tmp_path / "go").touch()
        cluster.start_scheduler()
        until(lambda: cluster.fill_up() or driver.poll() is not None)
        assert driver.returncode == 0
    assert kept <= helpers.done(ledger)
    assert {state for _, _, state, _ in helpers.rows(ledger)} == {"done"}
    assert np.array_equal(ss.open(ledger)["quotient"].values, expected())


def test_an_address_where_nobody_answers_is_refused(tmp_path, monkeypatch):
    import slipstick.sweeps.dask_cluster as cluster

    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(InvalidInput, match="no Dask scheduler answers at tcp"):
        ss.sweep(helpers.product, over=OVER, store=tmp_path / "map.sqlite", cluster="tcp://127.0.0.1:9")


def test_workers_and_a_cluster_at_once_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="leave one out"):
        ss.sweep(helpers.product, over=OVER, store=tmp_path / "map.sqlite", cluster="tcp://127.0.0.1:9", workers=2)


class Watch:
    """What was done when somebody was killed, to see that it was not begun again afterwards."""

    def __init__(self, folder, over):
        self.folder, self.over, self.seen = folder, over, []

    def look(self):
        """Note what is done, of a sweep that is not."""
        kept = helpers.done(self.folder / "map.sqlite")
        assert len(kept) < self.points
        self.seen.append((kept, len(helpers.begun(self.folder))))

    def check(self):
        """Complete, equal to the same figures computed here, and nothing twice that was done."""
        begun = helpers.begun(self.folder)
        for kept, lines in self.seen:
            again = {(a, b) for a, b, _ in begun[lines:]}
            assert not again & {self._point(number) for number in kept}
        print(f"{self.points} points, {len(self.seen)} killed, {len(begun)} points begun")
        whole = ss.sweep(helpers.rounded, over=self.over, store=self.folder / "whole.sqlite", workers=2)
        assert whole.counts == {"done": self.points}
        assert helpers.rows(self.folder / "map.sqlite") == helpers.rows(self.folder / "whole.sqlite")

    @property
    def points(self):
        return len(self.over["a"]) * len(self.over["b"])

    def _point(self, number):
        i, k = divmod(number, len(self.over["b"]))
        return self.over["a"][i], self.over["b"][k]


@pytest.mark.long
def test_fifty_killed_workers_of_a_cluster(tmp_path):
    ledger, chance = tmp_path / "map.sqlite", random.Random(6)
    over = {"a": [float(k) for k in range(60)], "b": [float(k) for k in range(50)]}
    watch = Watch(tmp_path, over)
    with machines(tmp_path, 3) as cluster, driving(tmp_path, cluster.address, over, "traced") as driver:
        for k in range(50):
            wanted = 10 + 55 * k
            until(lambda wanted=wanted: len(helpers.done(ledger)) >= wanted)
            until(lambda: cluster.busy(tmp_path))
            time.sleep(chance.uniform(0.0, 0.3))
            watch.look()
            cluster.kill_a_worker(chance, cluster.busy(tmp_path))
            cluster.fill_up()
        until(lambda: cluster.fill_up() or driver.poll() is not None)
        assert driver.returncode == 0
    watch.check()


@pytest.mark.long
def test_a_scheduler_that_is_killed_and_started_again_five_times(tmp_path):
    ledger, chance = tmp_path / "map.sqlite", random.Random(7)
    over = {"a": [float(k) for k in range(50)], "b": [float(k) for k in range(40)]}
    watch = Watch(tmp_path, over)
    with machines(tmp_path, 2) as cluster, driving(tmp_path, cluster.address, over, "traced") as driver:
        for k in range(5):
            wanted = 50 + 350 * k
            until(lambda wanted=wanted: cluster.fill_up() or len(helpers.done(ledger)) >= wanted)
            time.sleep(chance.uniform(0.0, 0.5))
            watch.look()
            cluster.kill_scheduler()
            time.sleep(chance.uniform(0.0, 3.0))
            cluster.start_scheduler()
        until(lambda: cluster.fill_up() or driver.poll() is not None)
        assert driver.returncode == 0
    watch.check()


@pytest.mark.long
def test_a_poison_point_of_a_cluster_is_quarantined(tmp_path):
    ledger = tmp_path / "map.sqlite"
    with machines(tmp_path, 2) as cluster, driving(tmp_path, cluster.address, OVER, "poisonous") as driver:
        until(lambda: cluster.fill_up() or driver.poll() is not None)
        assert driver.returncode == 0
    table = ss.open(ledger)
    assert table.counts == {"done": 299, "failed": 1}
    assert (table.failed[0]["a"], table.failed[0]["b"]) == (3.0, 1.0)
    assert "quarantined" in table.failed[0]["message"]
    others = expected()
    others[3, 1] = np.nan
    assert np.array_equal(table["quotient"].values, others, equal_nan=True)
