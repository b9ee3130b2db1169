"""A rig that dwells at its extremes is no sensor at its end."""

from __future__ import annotations

import numpy as np

import slipstick as ss
from slipstick.identification.faults import clipped_deflection

LAW = ss.Masing(stiffness=1e6, limit=300.0, parallel_stiffness=1e5, damping=0.0, preload=0.0)


def with_noise(u: np.ndarray, law: ss.Masing = LAW) -> np.ndarray:
    t = 0.01 * np.arange(u.size)
    return law.trace(u, t) + np.random.default_rng(5).normal(0.0, 1.0, u.size)


def test_dwells_at_both_extremes_are_kept() -> None:
    there, back = np.linspace(1e-3, -1e-3, 200), np.linspace(-1e-3, 1e-3, 200)
    top, bottom = np.full(60, 1e-3), np.full(60, -1e-3)
    u = np.concatenate((np.linspace(0.0, 1e-3, 100), top, there, bottom, back, top, there))
    fit = ss.identify(ss.Loop(u, with_noise(u), 0.01 * np.arange(u.size)), ss.Masing)
    assert fit.loops[0].counts.all()
    assert not any("sensor" in words for words in fit.notes)


def test_a_deflection_cut_short_is_still_found() -> None:
    whole = 1e-3 * np.sin(2.0 * np.pi * np.arange(900) / 300.0)
    u = np.clip(whole, -0.8e-3, 0.8e-3)
    found = clipped_deflection(ss.Loop(u, with_noise(whole), 0.01 * np.arange(u.size)))
    assert np.array_equal(found.samples, np.abs(whole) >= 0.8e-3)
