"""Single samples of the deflection that are off are left out, and counted."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.preparing.sensor_faults import find_strays

T = np.linspace(0.0, 3.0, 1500)
U = 1e-3 * np.sin(2.0 * np.pi * T)
LAW = ss.Masing(stiffness=1e6, limit=300.0, parallel_stiffness=2e5, damping=0.0, preload=0.0)


def test_one_bad_deflection_does_not_spoil_a_fit() -> None:
    f = LAW.trace(U, T) + np.random.default_rng(2).normal(0.0, 3.0, T.size)
    u = U.copy()
    u[500] = 5e-3
    fit = ss.identify(ss.Loop(u, f, T), ss.Masing)
    assert fit.within_noise
    assert fit.parameters["limit"].value == pytest.approx(300.0, rel=0.01)
    assert any("deflection of 1 of 1500 samples" in words for words in fit.notes)
    assert not fit.loops[0].counts[500]


@pytest.mark.parametrize("per_cycle", [8, 20, 200])
def test_turns_and_dwells_are_no_strays(per_cycle: int) -> None:
    phase = np.arange(10 * per_cycle) / per_cycle
    triangle = np.interp(phase % 1.0, [0.0, 0.25, 0.75, 1.0], [0.0, 1.0, -1.0, 0.0])
    for u in (np.sin(2.0 * np.pi * phase), triangle, np.clip(triangle, -0.5, 0.5), np.sign(triangle)):
        assert not find_strays(u, 0.0).any()


def test_small_spikes_of_a_slow_motion_are_no_reversals() -> None:
    """Spikes of one sample and one per cent of the range would send a law back and forth."""
    t = np.arange(6000) / 100.0
    u = 0.02 * (2.0 / np.pi) * np.arcsin(np.sin(2.0 * np.pi * 0.05 * t))
    law, rng = ss.Jenkins(stiffness=2e4, limit=10.0), np.random.default_rng(7)
    f = law.trace(u, t) + rng.normal(0.0, 0.05, t.size)
    wrong = rng.choice(np.arange(5, t.size - 5), 40, replace=False)
    u[wrong] += 4e-4
    fit = ss.identify(ss.Loop(u, f, t), ss.Jenkins)
    assert fit.residual < 1.05 * 0.05
    assert any("of 6000 samples is far from its neighbours; excluded" in words for words in fit.notes)
