"""Further laws that `rank` adds where every default law misses the loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.preparing.prepared_loop import prepare_loops
from slipstick.identification.ranking.further_laws import DEGRADING_LAW, RATE_LAWS, further_laws_for, misfit_share


def shock_absorber(samples: int = 700) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, deflections and forces of a damper that differs by direction, with some friction."""
    t = np.linspace(0.0, 4.0, samples)
    u = 1e-2 * np.sin(2.0 * np.pi * t)
    damper = ss.PowerDamper(coefficient=900.0, exponent=0.4, reverse_coefficient=300.0)
    law = ss.Linear(stiffness=2e3) + ss.Jenkins(stiffness=2e5, limit=40.0) + damper
    return t, u, law.trace(u, t)


def growing_test() -> np.ndarray:
    """Deflections of growing amplitude."""
    peaks = np.repeat([2.0, 4.0, 6.0, 9.0], 2) * np.tile([1.0, -1.0], 4)
    ends = np.concatenate([[0.0], peaks, [0.0]])
    return 1e-3 * np.concatenate([np.linspace(a, b, 40)[1:] for a, b in pairwise(ends)])


def chosen(loop: ss.Loop, law: str) -> tuple[str, ...]:
    return further_laws_for(prepare_loops(loop), [ss.identify(loop, law)])


@pytest.fixture
def one_default_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ranking of one default law and one further law, for a short test."""
    monkeypatch.setattr("slipstick.identification.rank.default_laws_for", lambda _: ("jenkins",))
    monkeypatch.setattr("slipstick.identification.ranking.further_laws.RATE_LAWS", RATE_LAWS[:1])
    monkeypatch.setattr("slipstick.identification.ranking.further_laws.MAX_SLOW_SAMPLES", 0)


@pytest.mark.usefixtures("one_default_law")
def test_rank_adds_a_law_where_the_default_one_misses():
    t, u, f = shock_absorber()
    f = f + 0.3 * np.random.default_rng(2).standard_normal(t.size)
    steps: list[tuple[str, float]] = []
    ranking = ss.rank(ss.Loop(u=u, f=f, t=t), progress=lambda *step: steps.append(step))
    assert [row.name for row in ranking.table] == [RATE_LAWS[0], "jenkins"]
    assert ranking.within_noise
    usual = [share for name, share in steps if name.startswith("jenkins")]
    added = [share for name, share in steps if name.startswith(RATE_LAWS[0])]
    assert max(usual) <= min(added)
    assert steps[-1] == ("done", 1.0)


@pytest.mark.long
def test_a_damper_that_differs_by_direction_is_found_by_rank_itself():
    t, u, f = shock_absorber()
    f = f + 0.3 * np.random.default_rng(2).standard_normal(t.size)
    ranking = ss.rank(ss.Loop(u=u, f=f, t=t))
    assert ranking.within_noise
    assert "asymmetric(power-damper)" in ranking.table[0].name
    assert ranking.best.parameters["reverse_coefficient"].value == pytest.approx(300.0, rel=0.05)


def test_records_with_times_get_dampers_and_records_without_do_not():
    t, u, f = shock_absorber()
    assert set(RATE_LAWS) < set(chosen(ss.Loop(u=u, f=f, t=t), "jenkins"))
    assert not set(RATE_LAWS) & set(chosen(ss.Loop(u=u, f=f), "jenkins"))


def test_degradation_is_tried_where_the_amplitude_grows():
    u = growing_test()
    law = ss.BoucWenBaberNoori(
        stiffness=5e5, ratio=0.1, beta=400.0, gamma=400.0, strength_degradation=0.3, stiffness_degradation=0.6
    )
    assert DEGRADING_LAW in chosen(ss.Loop(u=u, f=law.trace(u)), "jenkins")
    t, u, f = shock_absorber()
    assert DEGRADING_LAW not in chosen(ss.Loop(u=u, f=f, t=t), "jenkins")


def test_no_further_law_is_tried_where_one_fits_or_misses_by_little():
    t, u, _ = shock_absorber()
    law = ss.Masing(stiffness=1e5, limit=150.0, parallel_stiffness=4e3)
    noise = np.random.default_rng(3).standard_normal(t.size)
    assert chosen(ss.Loop(u=u, f=law.trace(u) + noise, t=t), "masing") == ()
    wavy = ss.Loop(u=u, f=law.trace(u) + 2.0 * np.sin(5.0 * u / 1e-2), t=t)
    fit = ss.identify(wavy, "masing")
    assert not fit.within_noise
    assert misfit_share(fit) < 0.015
    assert further_laws_for(prepare_loops(wavy), [fit]) == ()


def test_laws_that_are_named_are_the_only_ones():
    t, u, f = shock_absorber()
    assert [row.name for row in ss.rank(ss.Loop(u=u, f=f, t=t), ["jenkins"]).table] == ["jenkins"]
