"""Modes and Taylor steps: two ways through the same motion, which must agree and must both get on."""

from __future__ import annotations

import numpy as np
import pytest
from transient.propagators import run_by
from transient.random_models import KINDS, random_model, special_model, stretched

import slipstick as ss


def apart(model, until):
    """How far the two propagators are apart, over the size of the motion, and whether their events are the same."""
    modes, series = run_by("modes", model, until), run_by("series", model, until)
    assert series.flow.by_series.all()  # it did take Taylor steps
    q, p = modes.samples().displacement, series.samples().displacement
    same = [e[1:] for e in modes.events()] == [e[1:] for e in series.events()]
    return np.abs(q - p).max() / max(np.abs(q).max(), 1e-300), same


def test_both_propagators_give_the_same_motion_on_random_models():
    found = [apart(random_model(seed), 12.0) for seed in range(150)]
    errors = np.array([error for error, _ in found])
    assert np.median(errors) < 2e-14
    assert errors.max() < 1e-9
    assert sum(same for _, same in found) >= 148  # a touch may count as two events or none


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "chaotic"])
def test_both_propagators_give_the_same_motion_where_it_is_hard(kind):
    errors = [apart(special_model(kind, seed), 20.0)[0] for seed in range(25)]
    assert np.max(errors) < 1e-9


def test_the_same_model_in_other_coordinates_moves_the_same():
    for seed in range(60):
        m = random_model(seed)
        other, factor = stretched(m, seed)
        q = run_by("default", m, 12.0).samples().displacement
        p = run_by("default", other, 12.0).samples().displacement * factor
        np.testing.assert_allclose(p, q, atol=1e-10 * max(np.abs(q).max(), 1e-3))


@pytest.mark.parametrize("factor", [1.0, 2.1008762702450636, 0.40845931])
def test_a_block_that_is_held_takes_long_taylor_steps(factor):
    """Its accelerations are rounding only: they must not set the step, or it never gets on."""
    m = ss.Model("held", frequency=0.8)
    x = factor * m.coordinate("x", inertia=2.0 * factor**2)
    m.connect(x, ss.Linear(stiffness=1.18412319807), name="spring")
    m.connect(x, ss.DryFriction(limit=1.7, static_limit=2.0), name="rub")
    m.load(x, ss.Cosine(0.786986931676, order=1) + ss.Sine(0.689433963237, frequency=2.68498652285))
    run = run_by("series", m, 100.0, samples=5000)
    assert run.stats.steps < 200
    s = run.samples()
    np.testing.assert_allclose(s.displacement, 0.0, atol=1e-12)  # rounding adds up over 100 s
    pull = 0.786986931676 * np.cos(0.8 * s.time) + 0.689433963237 * np.sin(2.68498652285 * s.time)
    np.testing.assert_allclose(s.force[:, 1], pull, atol=1e-13)


def test_a_periodic_stick_and_slip_in_odd_units_is_sampled_to_its_end():
    m = ss.Model("odd", frequency=0.75)
    x = 2.1008762702450636 * m.coordinate("x", inertia=8.82736220575762)
    m.connect(x, ss.Linear(stiffness=1.18412319807), name="spring")
    limit = ss.Fourier(0.656278424075, cos=(0.297001464289,), order=1)
    m.connect(x, ss.DryFriction(limit=limit, damping=0.4), name="rub")
    m.load(x, ss.Cosine(0.786986931676, order=1))
    for propagator in ("default", "series", "modes"):
        run = run_by(propagator, m, 200.0, samples=3000)
        s = run.samples()
        assert s.time[-1] == 200.0
        stuck = s.state[:, 1] == "stick"
        assert 300 < stuck.sum() < 2700
        np.testing.assert_allclose(s.velocity[stuck], 0.0, atol=1e-14)
