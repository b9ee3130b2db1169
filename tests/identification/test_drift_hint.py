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
    (note,) = [words for words in fit.notes if "steadily with time" in words]
    assert "without_drift()" in note
    assert "by 3" in note or "by 2.9" in note


def test_nothing_is_said_of_a_loop_that_stays() -> None:
    fit = ss.identify(ss.Loop(U, F, T), ss.Masing)
    assert not any("steadily" in words for words in fit.notes)
