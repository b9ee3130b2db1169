"""Samples of exact runs: however many are asked for, and however they lie, they are of the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss


def drifting() -> ss.Model:
    """Two masses that nothing holds: rigid motion under a ramp and a constant, with a damped spring and a slider."""
    m = ss.Model("drifting")
    x, y = (m.coordinate(name, inertia=mass, velocity=0.3) for name, mass in (("x", 1.0), ("y", 2.0)))
    m.connect(x - y, ss.Linear(stiffness=30.0, damping=0.4))
    m.connect(x - y, ss.Jenkins(stiffness=20.0, limit=0.5))
    m.load(x, ss.Ramp(0.2) + ss.Sine(4.0, frequency=3.0))
    m.load(y, ss.Constant(-0.5))
    return m


def stiff() -> ss.Model:
    """The tensioner under a ramp: rates between 4 and 17,000 a second, the slow ones driven by what grows."""
    m = ss.systems.tensioner()
    m.load(m["u1"], ss.Ramp(400.0))
    return m


def growing() -> ss.Model:
    """An unstable oscillator between stops."""
    m = ss.Model("growing")
    x = m.coordinate("x", inertia=1.0, displacement=0.1)
    m.connect(x, ss.Linear(stiffness=4.0, damping=-0.3))
    m.connect(x, ss.Freeplay(stiffness=50.0, half_gap=1.0, damping=5.0))
    return m


@pytest.mark.parametrize(("build", "until"), [(drifting, 12.0), (stiff, 0.5), (growing, 30.0)])
def test_samples_on_a_grid_are_those_asked_for_by_themselves(build, until):
    m = build()
    for _ in range(3):  # every state has its modes then, and all runs take the same way through them
        m.simulate(until, samples=0)
    grid = m.simulate(until, samples=4001).samples
    alone = m.simulate(until, samples=grid.time[::97]).samples  # too few in a segment to be computed from each other
    for name in ("displacement", "velocity", "force"):
        every, some = getattr(grid, name), getattr(alone, name)
        scale = np.abs(every).max(axis=0)
        if build is drifting and name == "force":  # of springs between coordinates that have gone far
            scale = scale + 30.0 * np.abs(grid.displacement).max()
        assert (np.abs(every[::97] - some) <= 1e-14 * scale).all(), name
    assert (grid.state[::97] == alone.state).all()


@pytest.mark.parametrize(("build", "until"), [(drifting, 12.0), (stiff, 0.5), (growing, 30.0)])
def test_samples_on_a_grid_that_is_not_quite_even_follow_their_own_times(build, until):
    m = build()
    times = np.linspace(0.0, until, 4001)
    times[1:-1] += 1e-3 * times[1] * np.random.default_rng(3).uniform(-1.0, 1.0, 3999)
    uneven = m.simulate(until, samples=times).samples
    alone = m.simulate(until, samples=times[::97]).samples
    assert (np.abs(uneven.displacement[::97] - alone.displacement) <= 1e-14 * np.abs(uneven.displacement).max(0)).all()
