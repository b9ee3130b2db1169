"""Laws of a ranking are the same, fitted side by side or one after the other."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.ranking import law_workers


class Wedge(ss.Law):
    """A law of the user's own, which other processes cannot import."""

    stiffness: float = ss.parameter((1, -1, 0), above=0)
    limit: float = ss.parameter((1, 0, 0), low=0)
    remembers = ("slider",)

    def update(self, u, v, memory):
        reach = self.limit / self.stiffness
        slider = min(max(memory[0], u - reach), u + reach)
        return self.stiffness * (u - slider), (slider,)


@pytest.fixture(scope="module")
def loop():
    u = 1e-3 * np.sin(np.linspace(0.0, 6.0 * np.pi, 301))
    force = ss.Jenkins(stiffness=2e5, limit=90.0).trace(u)
    force += np.random.default_rng(3).normal(0.0, 1.0, u.size)
    return ss.Loop(u, force)


@pytest.mark.parametrize("count", [1, 2])
def test_no_sample_and_no_law_is_lost(loop, monkeypatch, count):
    monkeypatch.setattr(law_workers, "MIN_PARALLEL_SAMPLES", 0)
    monkeypatch.setattr(law_workers, "usable_processors", lambda: count)
    seen = list[tuple[str, float]]()
    found = ss.rank(loop, ["jenkins", "masing"], progress=lambda step, share: seen.append((step, share)))
    alone = [ss.identify(loop, name) for name in ("jenkins", "masing")]
    assert {row.name for row in found.table} == {"jenkins", "masing"}
    for fit in alone:
        own = next(row.fit for row in found.table if type(row.fit.law) is type(fit.law))
        assert own.parameters["limit"].value == pytest.approx(fit.parameters["limit"].value, rel=1e-12)
    assert seen[-1] == ("done", 1.0)
    assert max(share for _, share in seen) <= 1.0


def test_a_law_of_ones_own_travels_to_other_processes(loop, monkeypatch):
    monkeypatch.setattr(law_workers, "MIN_PARALLEL_SAMPLES", 0)
    monkeypatch.setattr(law_workers, "usable_processors", lambda: 2)
    template = Wedge(stiffness=1e5, limit=50.0)
    found = ss.rank(loop, [template, "jenkins"])
    own = next(row.fit for row in found.table if isinstance(row.fit.law, Wedge))
    assert own.parameters["limit"].value == pytest.approx(90.0, rel=0.02)


def test_a_worker_that_dies_leaves_its_law_without_a_fit(loop, monkeypatch):
    monkeypatch.setattr(law_workers, "MIN_PARALLEL_SAMPLES", 0)
    monkeypatch.setattr(law_workers, "usable_processors", lambda: 2)
    monkeypatch.setattr(law_workers, "RUN_WORKER", "os:abort")
    with pytest.raises(ss.InvalidInput, match="no law could be fitted"):
        ss.rank(loop, ["jenkins", "masing"])
