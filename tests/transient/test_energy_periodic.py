"""The energy balance of motions that close: little is left at the end, and the residual is measured by what passed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from transient.test_energy import certificate, snapshots

import slipstick as ss
from slipstick.transient.energy import WorkIntegrals
from slipstick.transient.exact.trajectory import ExactTrajectory
from slipstick.transient.problem import pose

METHODS = ("exact", "events", "newmark", "taylor", "inclusion")
PERIOD = 2.0 * math.pi


def stepped(law, unit=1.0):
    """A mass of 1 kg at rest under a step load: x = unit (1 - cos t) with a spring of 1 N/m, closed after 2 pi s."""
    m = ss.Model("step")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, law, name="spring")
    m.load(x, unit)
    return m


def resonant(damping=0.3):
    """x = sin t from the start: the load balances the damper, and each takes part in pi damping J a period."""
    m = ss.Model("resonant")
    x = m.coordinate("x", inertia=1.0, velocity=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=damping), name="spring")
    m.load(x, ss.Cosine(damping, frequency=1.0))
    return m


@pytest.mark.parametrize(
    ("law", "method"),
    [(ss.Linear(stiffness=1.0), method) for method in METHODS]
    + [(ss.Freeplay(stiffness=1.0, half_gap=0.0), method) for method in METHODS if method != "taylor"],
)
def test_an_oscillator_that_returns_to_rest_passes(law, method):
    c = stepped(law).simulate(until=PERIOD, method=method, samples=101).certificate
    assert c.passed, c.verdict
    assert abs(c.work_in) < 1e-2  # 2 J went in and came back


@pytest.mark.parametrize("unit", [1e-9, 1e9])
@pytest.mark.parametrize("method", ["exact", "events", "newmark"])
def test_the_verdict_does_not_depend_on_units(method, unit):
    c = stepped(ss.Linear(stiffness=1.0), unit).simulate(until=PERIOD, method=method, samples=101).certificate
    assert c.passed, c.verdict


def test_a_ball_passes_after_one_bounce_and_after_a_hundred():
    """Free fall from 1 m and half a turn or more on the floor's spring: the period is a closed form."""
    g, k = 9.81, 1e4
    fall = math.sqrt(2.0 / g)
    period = 2.0 * fall + 2.0 * (math.pi - math.atan(fall * math.sqrt(k))) / math.sqrt(k)
    m = ss.Model("ball")
    x = m.coordinate("x", inertia=1.0, displacement=-1.0)
    m.connect(x, ss.Contact(stiffness=k, gap=0.0), name="floor")
    m.load(x, g)
    for bounces in (1, 100):
        run = m.simulate(until=bounces * period, method="exact", samples=2)
        assert float(run.data.displacement[-1, 0]) == pytest.approx(-1.0, abs=1e-9)
        assert run.certificate.passed, run.certificate.verdict
        assert run.certificate.energy_residual < 1e-11


def test_a_spring_that_is_pulled_slowly_and_let_back_passes():
    """Nothing but the work of a prescribed motion measures the balance: there is hardly any kinetic energy."""
    m = ss.Model("pulled")
    y = m.coordinate("y", motion=ss.Signal([0.0, 10.0, 20.0], [0.0, 1.0, 0.0]))
    x = m.coordinate("x", inertia=1e-6)
    m.connect(y - x, ss.Linear(stiffness=1.0), name="rope")
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.01), name="spring")
    c = m.simulate(until=20.0, method="exact", samples=2).certificate
    assert c.passed, c.verdict


@pytest.mark.parametrize("law", [ss.Freeplay(stiffness=1.0, half_gap=0.1), ss.Polynomial(coefficients=(0, 1, 0, 1))])
def test_an_orbit_by_harmonic_balance_that_dissipates_nothing_passes(law):
    m = ss.Model("conservative")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, law, name="spring")
    m.load(x, ss.Cosine(0.3, order=1))
    assert m.periodic(frequency=0.5, method="harmonic-balance").certificate.passed


def test_the_exchanged_energy_is_the_largest_of_the_run():
    """x = 1 - cos t under a load of 1 N: the load has done 2 J in the middle, which the spring has then."""
    problem = pose(stepped(ss.Linear(stiffness=1.0)))
    t = np.linspace(0.0, PERIOD, 20001)
    h, v, x = t[1], np.sin(t), 1.0 - np.cos(t)
    half = WorkIntegrals.none(problem).plus(h * v[:10000], (h * x * v)[:10000, None], 0.0 * v[:10000])
    whole = half.plus(h * v[10000:], (h * x * v)[10000:, None], 0.0 * v[10000:])
    assert half.exchanged == pytest.approx(4.0, rel=1e-6)
    assert whole.exchanged == half.exchanged
    assert abs(whole.work_in) < 1e-12


# ---- energy that is really wrong is found


@pytest.mark.parametrize("lost", [1e-8, -1e-8])
def test_a_part_of_what_was_exchanged_is_missed(lost):
    problem = pose(stepped(ss.Linear(stiffness=1.0)))
    first, last = snapshots(problem, 0.0, 0.0, 0.0, PERIOD, 0.0, 0.0)
    c = certificate(problem, lost, np.zeros(1), first, last, np.zeros(1), exchanged=4.0)
    assert c.energy_residual == pytest.approx(2.5e-9)
    assert not c.passed
    assert certificate(problem, 0.1 * lost, np.zeros(1), first, last, np.zeros(1), exchanged=4.0).passed


@pytest.mark.parametrize("periods", [1, 30])
def test_forces_that_are_wrong_in_the_eighth_digit_fail_over_a_closed_motion(monkeypatch, periods):
    given = ExactTrajectory.forces
    run = resonant().simulate(until=periods * PERIOD, method="exact", samples=2)
    assert run.certificate.passed
    assert run.certificate.work_in == pytest.approx(0.3 * math.pi * periods, rel=1e-12)
    monkeypatch.setattr(ExactTrajectory, "forces", lambda self, motion: (1.0 + 1e-7) * given(self, motion))
    again = resonant().simulate(until=periods * PERIOD, method="exact", samples=2)
    assert "energy does not balance" in again.certificate.verdict


def test_steps_that_are_too_long_fail_over_a_closed_motion():
    m = ss.Model("duffing")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1.0)), name="spring")
    period = 7.416298709205487  # 4 K(1/sqrt 2): x = cn t
    for method in ("newmark", "taylor"):
        assert "energy does not balance" in m.simulate(until=period, method=method, step=period / 6).certificate.verdict
        assert m.simulate(until=period, method=method, step=period / 2000).certificate.passed


# ---- a wheel with hardly any mass


def light_wheel(inertia):
    m = ss.Model("light wheel")
    x, y = m.coordinate("x", inertia=1.0, displacement=0.5), m.coordinate("y", inertia=inertia)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="s")
    m.connect(x - y, ss.Linear(stiffness=1.0, damping=0.5), name="c")
    m.connect(y, ss.DryFriction(limit=0.1), name="f")
    return m


def test_energies_of_a_wheel_with_hardly_any_mass_are_numbers():
    light = light_wheel(1e-12).simulate(until=20.0, method="exact", samples=2).certificate
    none = light_wheel(0.0).simulate(until=20.0, method="exact", samples=2).certificate
    assert light.passed, light.verdict
    assert none.passed
    for name in ("s", "c", "f"):
        assert light.dissipated[name] == pytest.approx(none.dissipated[name], rel=1e-9)


@pytest.mark.parametrize("inertia", [1e-12, 1e-18, 1e-30])
def test_a_wheel_with_hardly_any_mass_is_dragged_along_exactly(inertia):
    """In 20 inertias of time the rest stands still: 0.4 N against a damper of 0.5 N s/m."""
    run = light_wheel(inertia).simulate(until=20.0 * inertia, method="exact", samples=2)
    way = 0.8 * (20.0 - 2.0 * (1.0 - math.exp(-10.0))) * inertia
    assert float(run.data.displacement[-1, 1]) == pytest.approx(way, rel=1e-9)
    assert run.certificate.passed, run.certificate.verdict
