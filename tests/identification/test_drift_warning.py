"""A force that drifts is pointed at where a law does not fit."""

from __future__ import annotations

import numpy as np

import slipstick as ss

T = np.arange(0.0, 8.0, 1 / 100.0)
U = 1e-3 * np.sin(2.0 * np.pi * T)
LAW = ss.Masing(stiffness=1e6, limit=300.0, parallel_stiffness=1e5, damping=0.0, preload=0.0)
F = LAW.trace(U, T) + np.random.default_rng(3).normal(0.0, 1.0, T.size)


def test_a_drift_of_the_force_is_pointed_at() -> None:
    fit = ss.identify(ss.Loop(U, F + 3.0 * T, T), ss.Masing)
    (note,) = [words for words in fit.notes if "linear in time" in words]
    assert "without_drift()" in note
    assert "time, 3" in note or "time, 2.9" in note


def test_nothing_is_said_of_a_loop_that_stays() -> None:
    fit = ss.identify(ss.Loop(U, F, T), ss.Masing)
    assert not any("linear in time" in words for words in fit.notes)


def test_drift_of_a_short_test_is_not_that_of_its_virgin_curve() -> None:
    """Two cycles and a quarter: the first one begins virgin, and its mean force is lower for that alone."""
    t = np.linspace(0.0, 2.25, 450)
    u = 8e-4 * np.sin(2.0 * np.pi * t)
    law = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5)
    loop = ss.Loop(u, law.trace(u, t) + 20.0 * t, t)
    mended = loop.without_drift()
    creep = np.polyfit(t, mended.f - law.trace(u, t), 1)[0]
    assert abs(creep) < 0.2  # of 20 N a second
    assert np.max(np.abs(mended.u - u)) < 1e-4 * 8e-4  # straight lines between 200 samples a cycle
    noisy = ss.Loop(u, mended.f + np.random.default_rng(0).normal(0.0, 1.0, t.size), t, notes=mended.notes)
    fit = ss.identify(noisy, "linear")
    assert not any("sensor's drift" in note for note in fit.notes)  # that was done already
