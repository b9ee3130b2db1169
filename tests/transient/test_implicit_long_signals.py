"""Sampled loads in steps of Newmark's family: corners cost nothing, jumps still begin a new interval."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss


def oscillator(load, law=None):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, law or ss.Linear(stiffness=40.0, damping=0.4), name="spring")
    m.load(x, load)
    return m


@pytest.mark.parametrize("method", ["newmark", "taylor"])
def test_a_long_sampled_load_is_one_interval_of_steps(method):
    """Progress is reported a hundred times in an interval, not once for each of 5000 samples."""
    t = np.linspace(0.0, 50.0, 5001)
    reports = []
    oscillator(ss.Signal(t, np.sin(3.0 * t))).simulate(50.0, method=method, step=0.01, progress=reports.append)
    assert 50 <= len(reports) <= 110
    assert reports[-1] == 1.0


def test_steps_across_corners_converge_to_the_exact_motion_at_second_order():
    t = np.linspace(0.0, 4.0, 41)
    m = oscillator(ss.Signal(t, np.sin(3.0 * t)))
    exact = m.simulate(4.0, samples=t).samples.displacement
    errors = [
        np.abs(m.simulate(4.0, method="newmark", step=h, samples=t).samples.displacement - exact).max()
        for h in (0.02, 0.01)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_a_jump_of_a_sampled_load_is_met_to_second_order():
    """Newmark's acceleration jumps with the load: without a new interval the order would be one."""
    times, values = [0.0, 1.0, 1.0, 2.0, 3.0], [0.0, 0.0, 5.0, 5.0, 1.0]
    m = oscillator(ss.Signal(times, values))
    at = np.linspace(0.0, 3.0, 31)
    exact = m.simulate(3.0, samples=at).samples.displacement
    errors = [
        np.abs(m.simulate(3.0, method="newmark", step=h, samples=at).samples.displacement - exact).max()
        for h in (0.02, 0.01)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
