"""Error-controlled integration from starts where something leaves zero slowly, against exact runs."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

# ---- starts where something leaves zero slowly, against exact runs


def touching(count, damping=0.0, **start):
    """Bodies in a row that touch, the first as it is told to start: what is pushed through others moves late."""
    m = ss.Model("touching")
    bodies = [m.coordinate(f"q{i}", inertia=1.0, **(start if i == 0 else {})) for i in range(count)]
    for i in range(count - 1):
        m.connect(bodies[i] - bodies[i + 1], ss.Contact(stiffness=10.0, gap=0.0, damping=damping), name=f"touch{i}")
    return m, bodies


def assert_like_exact(m, until):
    exact = m.simulate(until, samples=501)
    run = m.simulate(until, method="events", samples=501)
    true = float(np.abs(run.data.displacement - exact.data.displacement).max())
    assert true < 1e-7
    assert true <= 10.0 * run.certificate.error
    assert run.certificate.passed
    changes = [[(e.connection, e.before, e.after) for e in found.events] for found in (run, exact)]
    assert changes[0] == changes[1]
    assert [e.time for e in run.events] == pytest.approx([e.time for e in exact.events], abs=1e-7)


@pytest.mark.parametrize("damping", [0.0, 0.5])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_bodies_that_touch_pass_a_blow_on(count, damping):
    m, _ = touching(count, damping, velocity=1.0)
    assert_like_exact(m, 5.0)


def test_bodies_that_touch_pass_on_what_a_spring_pushes():
    m, bodies = touching(3)
    m.connect(bodies[0], ss.Linear(stiffness=3.0, preload=-1.0), name="spring")
    assert_like_exact(m, 3.0)


@pytest.mark.parametrize("velocity", [1e-8, 0.3])
def test_a_stop_that_only_damps_lets_go_where_it_turns(velocity):
    m = ss.Model("damped stop")
    x = m.coordinate("x", inertia=1.0, displacement=0.3, velocity=velocity)
    m.connect(x, ss.Linear(stiffness=4.0), name="spring")
    m.connect(x, ss.Contact(stiffness=0.0, gap=0.1, damping=1.0), name="stop")
    m.load(x, ss.Sine(1.0, frequency=1.0))
    assert_like_exact(m, 5.0)
