"""Numbers of the papers by exact integration: tensioner, torsional, gear; tests/reference has their sources."""

from __future__ import annotations

import math

import numpy as np
import pytest
from golden import table
from transient.gear_train import simplification_1, train
from transient.tensioner_model import BEGIN, FIG_21, WINDOW, ratios, two_dof

import slipstick as ss

TENSIONER, TORSIONAL = table("tensioner"), table("torsional")


def exact(m, until, samples=0, **options):
    return m.simulate(until=until, method="exact", samples=samples, **options)


# ---- tensioner


def test_two_dof_ratios_of_the_tensioner_with_masing_exact():
    """(58) for (52)-(53), t in [3, 3.15] sampled at 1e-5 s."""
    run = exact(two_dof(), 3.15, samples=WINDOW, start=BEGIN)
    found = ratios(run.samples.force)
    for name, own in zip("tf", found, strict=True):
        TENSIONER[f"ratio_{name}_exact"].assert_agrees(own)
    assert run.certificate.passed
    assert run.certificate.energy_residual <= 1e-9


@pytest.mark.parametrize(("amplitude", "frequency"), FIG_21)
def test_points_of_fig_21_with_masing_exact(amplitude, frequency):
    """max T - min T over [17, 20] s, by direct integration from rest at 0."""
    m = ss.systems.tensioner(amplitude=amplitude, frequency=frequency)
    coarse = 17.0 + 1e-4 * np.arange(30_001)
    tension = exact(m, 20.0, samples=coarse).samples.force[:, 0]
    peaks = []
    for at in sorted((int(np.argmin(tension)), int(np.argmax(tension)))):
        fine = np.linspace(max(coarse[at] - 1e-4, 17.0), min(coarse[at] + 1e-4, 20.0), 2001)
        near = exact(m, 20.0, samples=fine).samples.force[:, 0]
        peaks += [near.min(), near.max()]
    swing = TENSIONER[f"fig21_exact_{amplitude}_{frequency}"].value
    assert max(peaks) - min(peaks) == pytest.approx(swing, abs=6e-6)


# ---- torsional


def torsional(limit, frequency, zeta=0.05):
    """theta'' + 2 zeta theta' + theta + N(tau) Sgn(theta') = sin(Omega tau): (5) of the torsional paper."""
    m = ss.Model("torsional", frequency=frequency)
    theta = m.coordinate("theta", inertia=1.0)
    m.connect(theta, ss.Linear(stiffness=1.0, damping=2.0 * zeta), name="shaft")
    m.connect(theta, ss.DryFriction(limit=limit), name="rub")
    m.load(theta, ss.Sine(1.0, order=1))
    return m


def settled(m, frequency, periods, count=8000):
    """The motion over the last periods of a run long enough that nothing is left of its start, and that one's rms."""
    period = 2.0 * math.pi / frequency * periods
    begin = math.ceil(650.0 / period) * period
    times = begin + period * np.arange(count) / count
    theta = exact(m, begin + period, samples=times).samples.displacement[:, 0]
    # the mean of equally spaced samples of a periodic function; friction leaves its second derivative with jumps
    return theta, math.sqrt(np.mean(theta**2))


@pytest.mark.parametrize(("order", "phase"), [(0, 0), (0.5, 0), (1, 0), (2, 0), (1, 60), (1, 120)])
def test_rms_of_the_torsional_oscillator_with_varying_normal_load(order, phase):
    swing = 0.3 * np.array([math.sin(math.radians(phase)), math.cos(math.radians(phase))])
    limit = ss.Fourier(0.5, cos=(swing[0],), sin=(swing[1],), order=order) if order else 0.5
    for omega in (0.4, 1.0, 1.6):
        _, rms = settled(torsional(limit, omega), omega, 2)
        assert rms == pytest.approx(TORSIONAL[f"rms_{order}_{phase}_{omega}"].value, abs=2e-9)


def test_rms_with_the_normal_load_of_fig_2_cut_off_at_zero():
    """d = [0.6 0.2 0.1 0.3 -0.5]: N dips to -0.036, where it is zero."""
    limit = ss.Fourier(0.6, cos=(0.1, -0.5), sin=(0.2, 0.3), order=1)
    with pytest.warns(UserWarning, match="cut off"):
        m = torsional(limit, 1.0)
    _, rms = settled(m, 1.0, 1)
    assert rms == pytest.approx(TORSIONAL["rms_clipped"].value, abs=1e-9)


def test_den_hartogs_amplitude_without_stops():
    """zeta = 0.1, f = 0.5, Omega = 1.5."""
    theta, _ = settled(torsional(0.5, 1.5, zeta=0.1), 1.5, 1, count=200_000)
    assert 0.5 * np.ptp(theta) == pytest.approx(TORSIONAL["den_hartog"].value, abs=1e-9)


# ---- gear

TIMES = np.linspace(0.0, 20.0, 201)


@pytest.fixture(scope="module")
def reduced():
    """Simplification 1 from its equations."""
    return simplification_1(TIMES)


def test_gear_train_simplification_1_from_its_equations(reduced):
    q = exact(train(), 20.0, samples=TIMES).samples.displacement
    np.testing.assert_allclose(q, reduced, atol=2e-9)


def test_primary_gear_train_tends_to_simplification_1_with_order_one(reduced):
    """As I -> 0; the paper's Simplification 1 is the limit."""
    errors = [np.abs(exact(train(i), 20.0, samples=TIMES).samples.displacement - reduced).max() for i in (1e-2, 1e-3)]
    assert errors[0] < 2e-2
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.15)


@pytest.mark.parametrize("inertia", [1e-4, 1e-5])
def test_gear_train_with_very_light_wheels(inertia, reduced):
    q = exact(train(inertia), 20.0, samples=TIMES).samples.displacement
    assert 0.3 * inertia < np.abs(q - reduced).max() < 3.0 * inertia


@pytest.mark.parametrize("rates", [(-0.01, 0.0), (0.02, -0.03), (-1e-9, 1e-9)])
def test_a_train_without_wheel_inertia_starts_from_bodies_in_motion(rates):
    """The load pushes one way, the body still goes the other: it slides the way it goes."""

    def moving(gears):
        m = train(gears)
        m.load(m["psi"], ss.Constant(2.0))
        m["psi"].velocity, m["phi"].velocity = rates
        return m.simulate(until=3.0, method="exact", samples=np.linspace(0.0, 3.0, 31))

    limit = moving(0.0)
    assert limit.certificate.passed, limit.certificate
    off = [np.abs(moving(gears).data.displacement - limit.data.displacement).max() for gears in (1e-3, 1e-4, 1e-5)]
    assert off[2] < 0.02 * off[0]
    assert off[0] < 1e-2
