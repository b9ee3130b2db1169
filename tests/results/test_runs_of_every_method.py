"""What every method hands over is a run like any other: right, certified, drawn, saved and opened."""

from __future__ import annotations

import math

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from models import one_mass

import slipstick as ss
from slipstick.transient.methods import METHODS

mpl.use("Agg")

K, C, MASS, X0 = 40.0, 0.8, 2.0, 0.3
STEPS = {"inclusion": 1e-5, "newmark": 1e-4, "taylor": 1e-4}


def oscillator():
    return one_mass({"spring": ss.Linear(stiffness=K, damping=C)}, inertia=MASS, displacement=X0)


def decay(t):
    """The free decay of a damped oscillator from rest at X0."""
    d, w0 = C / (2.0 * MASS), math.sqrt(K / MASS)
    w = math.sqrt(w0**2 - d**2)
    return X0 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))


@pytest.fixture(params=METHODS)
def run(request):
    return oscillator().simulate(until=3.0, method=request.param, step=STEPS.get(request.param), samples=200)


def test_it_is_right_within_what_it_says(run):
    gap = np.abs(run.data.displacement.values[:, 0] - decay(run.data.time.values)).max()
    assert run.certificate.passed
    assert gap <= max(10.0 * run.certificate.error, 1e-15)
    assert gap < 1e-4
    assert run.certificate.errors.keys() == {"x"}


def test_its_energy_is_that_of_the_closed_form(run):
    c = run.certificate
    t = np.linspace(0.0, 3.0, 300_001)
    rate = np.gradient(decay(t), t)
    assert c.work_in == pytest.approx(0.0, abs=1e-12)
    assert c.dissipated["spring"] == pytest.approx(C * np.trapezoid(rate**2, t), rel=2e-3)
    assert c.stored["spring"] == pytest.approx(0.5 * K * (decay(3.0) ** 2 - X0**2), rel=2e-3)


def test_its_data_have_all_columns(run):
    data = run.data
    assert data.time.values.tolist() == np.linspace(0.0, 3.0, 200).tolist()
    assert np.array_equal(data.deflection.values, data.displacement.values)
    expected = K * data.deflection + C * data.velocity.values
    assert np.allclose(data.force.values, expected.values, rtol=1e-9, atol=1e-9)
    assert len(run.events) == 0
    assert run.stats.seconds > 0.0


def test_it_is_drawn_saved_and_opened(run, tmp_path):
    figure = run.plot()
    assert run.stats.method in figure.get_suptitle()
    plt.close(figure)
    run.save(tmp_path / "run.nc")
    again = ss.open(tmp_path / "run.nc")
    assert again.data.identical(run.data)
    assert again.events == run.events
    assert again.certificate == run.certificate
    assert again.stats == run.stats
    assert again.model == oscillator()
    assert again.stats.method == run.stats.method
