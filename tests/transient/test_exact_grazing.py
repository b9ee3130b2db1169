"""What only touches its limit, to the last digit, goes on as if it had not."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss


@pytest.mark.parametrize("omega", np.linspace(0.2, 3.0, 29).tolist())
def test_a_force_that_reaches_the_limit_of_friction_and_no_more_moves_nothing(omega) -> None:
    """0.3 N of the spring and 0.2 N of the load meet 0.5 N once a period."""
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0, displacement=0.3)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="base")
    m.connect(x, ss.DryFriction(limit=0.5), name="ground")
    m.load(x, ss.Cosine(0.2, order=1))
    run = m.simulate(until=40.0 * np.pi / omega, frequency=omega, samples=101)
    assert np.abs(run.data.displacement.values - 0.3).max() < 1e-15
    assert run.stats.events == 0


@pytest.mark.parametrize("omega", [0.4, 0.9, 1.3, 2.2])
def test_a_body_that_just_reaches_its_stops_moves_as_without_them(omega) -> None:
    """It begins on the steady response of the free oscillator, whose amplitude is the half gap."""
    response = 1.0 / (0.5 - omega**2 + 0.2j * omega)
    m = ss.Model("gap")
    x = m.coordinate("x", inertia=1.0, displacement=response.real, velocity=-omega * response.imag)
    m.connect(x, ss.Linear(stiffness=0.5, damping=0.2), name="base")
    m.connect(x, ss.Freeplay(stiffness=50.0, half_gap=abs(response)), name="stops")
    m.load(x, ss.Cosine(1.0, order=1))
    run = m.simulate(until=40.0 * np.pi / omega, frequency=omega, samples=501)
    expected = (response * np.exp(1j * omega * run.data.time.values)).real
    assert np.abs(run.data.displacement.values[:, 0] - expected).max() < 1e-12 * abs(response)


@pytest.mark.parametrize("omega", np.linspace(0.3, 2.9, 27).tolist())
@pytest.mark.parametrize("phase", [0.0, 1e-9, -1e-9, 1e-7, -1e-7])
def test_a_load_that_reaches_the_limit_where_a_run_begins_or_ends_moves_nothing(omega, phase) -> None:
    """Its peaks lie at the very begin and end of each run, or a hair beside them."""
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="base")
    m.connect(x, ss.DryFriction(limit=1.0), name="ground")
    m.load(x, ss.Cosine(np.cos(phase), order=1) + ss.Sine(np.sin(phase), order=1))
    for turns in (1, 3):
        run = m.simulate(until=2.0 * np.pi * turns / omega, frequency=omega, samples=5)
        assert np.abs(run.data.displacement.values).max() < 1e-20
        assert np.abs(run.data.velocity.values).max() < 1e-20
