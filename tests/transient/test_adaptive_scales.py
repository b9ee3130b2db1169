"""The adaptive method in any units and at any start: the same motion, in as many steps."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import slipstick as ss

# powers of two scale without rounding; the others show that nothing hangs on that
EXACT_UNITS = [(2.0**-30, 1.0, 1.0), (1.0, 2.0**-66, 1.0), (1.0, 1.0, 2.0**20), (2.0**40, 2.0**-20, 2.0**-20)]
UNITS = [(1e-9, 1.0, 1.0), (1e-6, 1e-9, 1.0), (1.0, 1e-20, 1e-6), (1e-30, 1.0, 1.0), (1e3, 1e12, 1e7)]


def everything(length, mass, time):
    """A law by rate, a slider and a damped gap, which parts before its sides do."""
    k, c = mass / time**2, mass / time
    m = ss.Model("everything")
    x = m.coordinate("x", inertia=mass, displacement=0.3 * length)
    m.connect(x, ss.BoucWen(stiffness=k, ratio=0.1, beta=0.5 / length, gamma=0.5 / length))
    m.connect(x, ss.Freeplay(stiffness=5.0 * k, half_gap=0.5 * length, damping=0.1 * c))
    m.connect(x, ss.Jenkins(stiffness=k, limit=0.1 * k * length))
    m.load(x, ss.Sine(k * length, frequency=1.1 / time))
    return m.simulate(until=30.0 * time, method="events", samples=np.linspace(0.0, 30.0, 21)[1:] * time)


@pytest.fixture(scope="module")
def plain():
    return everything(1.0, 1.0, 1.0)


@pytest.mark.parametrize("units", EXACT_UNITS)
def test_units_that_scale_without_rounding_change_no_bit(plain, units):
    other = everything(*units)
    np.testing.assert_array_equal(other.data.displacement / units[0], plain.data.displacement)
    assert other.stats.steps == plain.stats.steps
    assert other.events["after"].tolist() == plain.events["after"].tolist()


@pytest.mark.parametrize("units", UNITS)
def test_units_change_only_the_rounding(plain, units):
    other = everything(*units)
    np.testing.assert_allclose(other.data.displacement / units[0], plain.data.displacement, rtol=0.0, atol=1e-12)
    assert other.certificate.passed
    assert other.certificate.error / units[0] == pytest.approx(plain.certificate.error, rel=1e-3)


# ---- late starts


def ringing(start):
    m = ss.Model("ringing")
    x = m.coordinate("x", inertia=1.0, displacement=0.8)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0)))
    m.connect(x, ss.Freeplay(stiffness=5.0, half_gap=0.5))
    times = start + np.array([12.5, 50.0, 100.0])
    return m.simulate(until=start + 100.0, start=start, method="events", samples=times)


@pytest.mark.parametrize("start", [2.0**20, 1e6, -1e7, 2.0**40])
def test_a_late_start_changes_nothing_of_a_system_that_does_not_know_the_time(start):
    early, late = ringing(0.0), ringing(start)
    np.testing.assert_array_equal(late.data.displacement, early.data.displacement)
    assert late.data.time.values[-1] == start + 100.0
    assert late.stats.steps == early.stats.steps
    np.testing.assert_allclose(late.events["time"] - start, early.events["time"], rtol=0.0, atol=2e-16 * abs(start))
    assert late.certificate.passed
    assert late.certificate.error == pytest.approx(early.certificate.error, rel=1e-3)


@pytest.mark.parametrize("start", [100.0, -37.5])
def test_loads_signals_motions_and_modulations_are_taken_at_absolute_time(start):
    """The same as from zero, with every function of time moved by hand."""

    def run(at, move):
        def wave(size, w):
            return ss.Sine(size, frequency=w, phase=float(mp.fmod(mp.mpf(w) * move, 2 * mp.pi)))

        m = ss.Model("moved")
        x = m.coordinate("x", inertia=1.0)
        base = m.coordinate("base", motion=wave(0.2, 0.9))
        stiff = ss.Linear(stiffness=2.0, damping=0.1)
        m.connect(x, stiff.modulated(ss.Constant(1.0) + wave(0.3, 3.0)))
        m.connect(x - base, ss.Dahl(stiffness=1.0, limit=0.4))
        sampled = ss.Signal(np.array([start + 1.0, start + 2.0, start + 5.0]) - move, (0.0, 0.5, -0.5))
        m.load(x, wave(1.0, 1.3) + sampled + ss.Constant(0.01 * move) + ss.Ramp(0.01))
        times = at + np.array([2.5, 10.0, 20.0])
        return m.simulate(until=at + 20.0, start=at, method="events", samples=times, tolerance=1e-10)

    late, early = run(start, 0.0), run(0.0, start)
    np.testing.assert_allclose(late.data.displacement, early.data.displacement, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(late.data.force, early.data.force, rtol=0.0, atol=1e-11)
    assert late.certificate.passed
