"""Loops that begin neither virgin nor settled: the reversal before the first sample is fitted, no sample dropped."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.preparing.imposed_path import covering_reversal

K, LIMIT, BESIDE, NOISE = 1e6, 300.0, 1e5, 2.0
T = np.arange(0.0, 4.0, 1 / 250.0)
U = 1e-3 * np.sin(2.0 * np.pi * T)


def slid(begin: float) -> np.ndarray:
    """The force of a spring with a slider that stands somewhere at first, and of a spring beside it, step by step."""
    at, found = begin, []
    for u in U:
        at = min(max(at, u - LIMIT / K), u + LIMIT / K)
        found.append(K * (u - at) + BESIDE * u)
    return np.array(found)


@pytest.mark.parametrize("begin", [-2e-4, 1e-4, 3e-4, 9e-4])
def test_a_slider_that_stood_elsewhere_is_found_again(begin: float) -> None:
    f = slid(begin) + np.random.default_rng(1).normal(0.0, NOISE, T.size)
    fit = ss.identify(ss.Loop(U, f, T), ss.Masing)
    assert fit.within_noise
    for name, value in (("stiffness", K), ("limit", LIMIT), ("parallel_stiffness", BESIDE)):
        own = fit.parameters[name]
        assert abs(own.value - value) < 3.0 * own.deviation
    assert fit.loops[0].beginning == "unknown"
    assert any("neither virgin nor settled" in words for words in fit.notes)
    assert fit.loops[0].counts.all()
    assert fit.residual == pytest.approx(NOISE, rel=0.1)
    # pulled to b a slider of this spring stands at b - LIMIT/K, and goes along as soon as it has to
    turned = begin + np.copysign(LIMIT / K, begin)
    if abs(begin) < LIMIT / K:
        assert fit.loops[0].before == pytest.approx(turned, abs=3e-6)
    else:
        assert fit.loops[0].before >= 2.0 * LIMIT / K - 3e-6


def test_a_ranking_compares_the_same_samples_of_all_laws() -> None:
    """A loop that grows, pinches and weakens: no law fits, and none may choose what it is compared with."""
    t = np.linspace(0.0, 4.0, 240)
    u = 1e-3 * t * np.sin(2.0 * np.pi * t)
    masing = ss.Masing(stiffness=K, limit=LIMIT, parallel_stiffness=BESIDE).trace(u)
    f = (1.0 - 0.08 * t) * masing * (0.4 + 0.6 * np.abs(u) / (1e-3 * (1.0 + t)))
    ranking = ss.rank(ss.Loop(u, f), ["jenkins", "masing", "linear+dahl"])
    for row in ranking.table:
        assert row.fit is not None
        (loop,) = row.fit.loops
        assert loop.counts.all()
        assert row.fit.residual == pytest.approx(np.sqrt(np.mean((loop.fitted - f) ** 2)), rel=1e-12)
        if loop.beginning == "virgin":
            assert np.allclose(loop.fitted, row.fit.law.trace(u), atol=1e-9 * np.ptp(f))
    assert "all 240 samples" in repr(ranking.best)


def test_a_virgin_loop_stays_whole() -> None:
    f = slid(0.0) + np.random.default_rng(1).normal(0.0, NOISE, T.size)
    fit = ss.identify(ss.Loop(U, f, T), ss.Masing)
    assert fit.loops[0].beginning == "virgin"
    assert fit.loops[0].counts.all()


def test_the_range_is_covered_at_the_second_extreme() -> None:
    turns = ss.Loop(U, slid(0.0), T).turning.turns
    begin = covering_reversal(U, turns)
    assert begin is not None
    assert T[begin] == pytest.approx(0.75, abs=0.01)  # a quarter up, and half a cycle down
    assert covering_reversal(U[:300], ss.Loop(U[:300], slid(0.0)[:300], T[:300]).turning.turns) is None


def test_a_virgin_loop_far_from_zero_is_found_though_its_sensors_have_offsets() -> None:
    """The stroke is a tenth of the offset, so that trial reversals between zero and the loop pass it by."""
    law = ss.Masing(stiffness=4e5, limit=150.0, parallel_stiffness=5e4)
    t = np.linspace(0.0, 3.0, 600)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    f = law.trace(u) + 900.0 + 2.0 * np.random.default_rng(4).standard_normal(t.size)
    fit = ss.identify(ss.Loop(u + 0.02, f, t), ss.Masing, fixed={"damping": 0.0})
    assert fit.within_noise
    for name in ("stiffness", "limit", "parallel_stiffness"):
        assert fit.parameters[name].value == pytest.approx(getattr(law, name), rel=0.02)
