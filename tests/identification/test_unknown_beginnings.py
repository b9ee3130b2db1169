"""Loops that begin neither virgin nor settled: what came before is left out, and said."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.drive import covered_from

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


@pytest.mark.parametrize("begin", [3e-4, 9e-4])
def test_a_slider_that_stood_elsewhere_is_found_again(begin: float) -> None:
    f = slid(begin) + np.random.default_rng(1).normal(0.0, NOISE, T.size)
    fit = ss.identify(ss.Loop(U, f, T), ss.Masing)
    assert fit.within_noise
    for name, value in (("stiffness", K), ("limit", LIMIT), ("parallel_stiffness", BESIDE)):
        own = fit.parameters[name]
        assert abs(own.value - value) < 3.0 * own.deviation
    assert fit.loops[0].beginning == "unknown"
    assert any("neither virgin nor settled" in words for words in fit.notes)
    assert 0.5 * T.size < fit.loops[0].samples < T.size


def test_a_virgin_loop_stays_whole() -> None:
    f = slid(0.0) + np.random.default_rng(1).normal(0.0, NOISE, T.size)
    fit = ss.identify(ss.Loop(U, f, T), ss.Masing)
    assert fit.loops[0].beginning == "virgin"
    assert fit.loops[0].counts.all()


def test_the_range_is_covered_at_the_second_extreme() -> None:
    turns = ss.Loop(U, slid(0.0), T).turning.turns
    begin = covered_from(U, turns)
    assert begin is not None
    assert T[begin] == pytest.approx(0.75, abs=0.01)  # a quarter up, and half a cycle down
    assert covered_from(U[:300], ss.Loop(U[:300], slid(0.0)[:300], T[:300]).turning.turns) is None
