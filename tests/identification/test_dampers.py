"""Dampers that are no dampers are told."""

from __future__ import annotations

import numpy as np

import slipstick as ss

T = np.linspace(0.0, 3.0, 3000)
U = 1e-3 * np.sin(2.0 * np.pi * T)
JOINT = ss.Masing(stiffness=8e5, limit=250.0, parallel_stiffness=1e5)


def noise(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, 1.0, T.size)


def test_damping_that_feeds_a_motion_is_told() -> None:
    fit = ss.identify(ss.Loop(U, JOINT.trace(U) - 300.0 * np.gradient(U, T) + noise(), T), ss.Masing)
    assert any("damping is negative" in words for words in fit.warnings)
    right = ss.identify(ss.Loop(U, JOINT.trace(U) + 300.0 * np.gradient(U, T) + noise(), T), ss.Masing)
    assert not any("damping" in words for words in right.warnings)


def test_damping_that_only_rounds_a_loop_of_another_law_is_told() -> None:
    many = ss.Iwan(stiffnesses=(3e5, 2e5, 2e5, 1e5), limits=(50.0, 60.0, 100.0, 80.0), parallel_stiffness=1e5)
    fit = ss.identify(ss.Loop(U, many.trace(U) + noise(), T), ss.Masing)
    assert any("one frequency only" in words for words in fit.warnings)
