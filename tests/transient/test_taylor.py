"""Steps by Taylor series: the same motion as Newton's, the paper's counts, and no trust in the series alone."""

from __future__ import annotations

import numpy as np
import pytest
from golden import table
from models import one_mass

import slipstick as ss
from slipstick.errors import InvalidInput, MissingFace
from slipstick.systems import clutch
from slipstick.transient.implicit.stepper import Stepper

GOLDEN = table("clutch")


def gap(model, until, step, **options):
    """The largest distance to Newton's solution of the same steps, over the size of each coordinate; and the run."""
    one = model.simulate(until, method="newmark", step=step, newton="full")
    other = model.simulate(until, method="taylor", step=step, **options)
    size = np.abs(one.samples.displacement).max(axis=0)
    apart = np.abs(one.samples.displacement - other.samples.displacement).max(axis=0)
    return float(np.max(apart / np.where(size > 0.0, size, np.inf))), other


def oscillator(law, load, **start):
    return one_mass({"law": law}, load, **start)


@pytest.mark.parametrize("order", [8, 14, 20, 25])
@pytest.mark.parametrize(("step", "until"), [(4e-7, 0.01), (4e-6, 0.04), (2e-5, 0.12)])
def test_the_clutch_moves_as_with_newton(step, until, order):
    apart, run = gap(clutch(), until, step, order=order)
    assert apart <= 1e-10
    assert run.trajectory.stepper.halved == 0
    assert run.stats.solves >= order * run.stats.steps


@pytest.mark.parametrize("order", [13, 14, 20])
def test_factorisations_of_table_2(order):
    run = clutch("paper").simulate(0.12, method="taylor", step=4e-7, order=order, kappa=1e-9, samples=0)
    assert run.stats.steps == 300_000
    # where kappa is just met, the last bit of a square root decides
    assert run.stats.factorisations == pytest.approx(GOLDEN[f"factorisations_{order}"].value, abs=2)


@pytest.mark.parametrize("kappa", [0.5, 1e-3, 1e-12])
@pytest.mark.parametrize("order", [2, 3, 30])
def test_no_step_is_accepted_on_the_range_of_the_series_alone(order, kappa):
    """A low order and a careless kappa let the series claim anything; the residual decides."""
    law = ss.TwoStage(stiffness=30.0, inner_ratio=0.1, half_gap=0.2).regularised("sqrt", rounding=1e-3)
    apart, _ = gap(oscillator(law, ss.Sine(3.0, frequency=2.0)), 10.0, 0.02, order=order, kappa=kappa)
    assert apart <= 1e-8


def test_a_series_that_ends_early_is_continued(monkeypatch):
    """Sharp friction and large steps: most series from the linear problem end before the true one."""
    law = ss.DryFriction(limit=1.0).regularised("sqrt", rounding=1e-3, width=1e-3) + ss.Linear(stiffness=4.0)
    rescued, rescue = [], Stepper._rescue
    monkeypatch.setattr(Stepper, "_rescue", lambda *step: (rescued.append(step), rescue(*step)))
    apart, run = gap(oscillator(law, ss.Sine(2.0, frequency=1.3)), 20.0, 0.05)
    assert apart <= 1e-8
    assert run.stats.factorisations > 2 * len(rescued) + 60
    assert run.trajectory.stepper.halved == 0


class Hardening(ss.Law):
    """k u + u^3, with Taylor coefficients on arrays only."""

    stiffness: float

    def update(self, u, v, memory):
        return self.stiffness * u + u * u * u, memory

    def taylor(self, u, v):
        return self.stiffness * u + np.convolve(np.convolve(u, u), u)[: u.size]


def test_a_law_with_series_on_arrays_alone_is_called_back(caplog):
    shake = ss.Sine(2.0, frequency=1.3)
    _, run = gap(oscillator(Hardening(stiffness=2.0), shake), 2.0, 0.02)
    assert "no taylor_term" in caplog.text
    own = ss.Polynomial(coefficients=(0.0, 2.0, 0.0, 1.0))
    _, other = gap(oscillator(own, shake), 2.0, 0.02)
    assert np.abs(run.samples.displacement - other.samples.displacement).max() <= 1e-12


def test_sums_scales_and_moving_bases_are_expanded_too():
    m = ss.Model("moved")
    x, y = m.coordinate("x", inertia=1.0, displacement=0.3), m.coordinate("y", inertia=0.5)
    base = m.coordinate("base", motion=ss.Sine(0.4, frequency=1.1) + ss.Ramp(0.05))
    law = ss.Polynomial(coefficients=(0.1, 2.0, 0.5, 1.0), damping=0.1).scaled(deflection=2.0, force=0.5)
    m.connect(x - base, law + ss.Linear(stiffness=1.0, preload=0.2), name="foot")
    m.connect(x - y, ss.Freeplay(stiffness=9.0, half_gap=0.1).regularised("sqrt", rounding=0.01), name="gap")
    m.connect(y, ss.Linear(stiffness=1.0, damping=0.05))
    apart, run = gap(m, 20.0, 0.02)
    assert apart <= 1e-10
    assert run.certificate.passed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"order": 1}, "order must be from 2 to 60, got 1"),
        ({"order": 2.5}, "order must be a whole number, got 2.5"),
        ({"kappa": 0.0}, "kappa must be between 0 and 1, got 0.0"),
        ({"kappa": "small"}, "kappa must be between 0 and 1"),
        ({"ordre": 14}, 'did you mean "order"?'),
    ],
)
def test_options_are_refused_in_words(options, words, refused):
    with refused(words, error=InvalidInput):
        oscillator(ss.Linear(stiffness=1.0), 1.0).simulate(1.0, method="taylor", step=0.1, **options)


def test_a_law_without_taylor_coefficients_is_named(refused):
    with refused('"law" (Jenkins)', "Taylor coefficients", "newmark", error=MissingFace):
        oscillator(ss.Jenkins(stiffness=1.0, limit=1.0), 1.0).simulate(1.0, method="taylor", step=0.1)


def test_a_coordinate_that_only_curved_laws_hold_is_named_before_anything_runs(refused):
    m = ss.Model("node")
    x, node = m.coordinate("x", inertia=1.0), m.coordinate("node")
    m.connect(x - node, ss.Linear(stiffness=1.0))
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0)))
    m.simulate(1.0, method="taylor", step=0.01, samples=0)
    curved = ss.Model("curved")
    x, node = curved.coordinate("x", inertia=1.0), curved.coordinate("node")
    curved.connect(x - node, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0)))
    curved.connect(node, ss.Polynomial(coefficients=(0.0, 1.0)))
    with refused(
        "taylor: every coordinate needs inertia", 'coordinate "node" is held by other laws', error=InvalidInput
    ):
        curved.simulate(1.0, method="taylor", step=0.01)
