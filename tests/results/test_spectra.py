"""Power spectral density, shock response spectrum and Campbell diagram against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss


def free_mass(load):
    m = ss.Model("mass")
    m.load(m.coordinate("x", inertia=1.0, kind="translation"), load)
    return m


def two_tones(samples=4096):
    """x = 0.3 cos(20 w t) + 0.1 cos(50 w t) over 64 s, w = 2 pi/4: whole periods in windows of 4 s."""
    w = 2.0 * math.pi / 4.0
    m = ss.Model("prescribed")
    m.coordinate("x", motion=ss.Cosine(0.3, frequency=20 * w) + ss.Cosine(0.1, frequency=50 * w))
    m.coordinate("y", inertia=1.0)
    h = 64.0 / samples
    return m.simulate(until=64.0 - h, samples=samples), w


def test_the_density_has_the_variance_of_each_tone():
    run, w = two_tones()
    density = run.psd(window=4.0).data.density.sel(name="x").values
    for tone, amplitude in ((20, 0.3), (50, 0.1)):
        # a Hann window spreads a tone over three lines
        assert density[tone - 1 : tone + 2].sum() * 0.25 == pytest.approx(0.5 * amplitude**2, rel=1e-9)
        assert density[tone] == pytest.approx(0.5 * amplitude**2 / (1.5 * 0.25), rel=1e-9)
    assert density.sum() * 0.25 == pytest.approx(0.5 * (0.3**2 + 0.1**2), rel=1e-9)
    np.testing.assert_allclose(run.psd(window=4.0).data.frequency.values[:3], [0.0, w, 2.0 * w])


def test_a_density_of_unequal_samples_is_refused():
    run = free_mass(ss.Constant(1.0)).simulate(until=1.0, samples=np.linspace(0.0, 1.0, 64) ** 2)
    with pytest.raises(ss.InvalidInput, match="equally spaced samples; simulate with a number of samples"):
        run.psd()


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.3])
def test_a_step_of_acceleration_has_the_overshoot_of_the_oscillator(ratio):
    """The step response of 2 z w s + w^2 over s^2 + 2 z w s + w^2; its peak is where its slope is zero."""
    run = free_mass(ss.Constant(3.0)).simulate(until=4.0, samples=101)
    wanted = np.array([5.0, 20.0, 200.0])
    found = run.shock_spectrum(wanted, damping=ratio).data.acceleration.sel(name="x").values
    angle = math.asin(ratio)
    peak = 1.0 + math.exp(-(math.pi - 2.0 * angle) * math.tan(angle))
    np.testing.assert_allclose(found, 3.0 * peak, rtol=2e-5)


def test_a_slow_acceleration_is_followed_by_fast_oscillators():
    run = free_mass(ss.Sine(2.0, frequency=1.0)).simulate(until=7.0, samples=2001)
    found = run.shock_spectrum([300.0], damping=0.1).data.acceleration.values[0, 0]
    assert found == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(([],), "frequencies must be numbers > 0"), (([-1.0],), "got"), (([1.0], 1.0), "from 0 to below 1, got 1")],
)
def test_wrong_arguments_of_a_shock_spectrum_are_refused(arguments, words):
    run = free_mass(ss.Constant(1.0)).simulate(until=1.0, samples=64)
    with pytest.raises(ss.InvalidInput, match=words):
        run.shock_spectrum(*arguments)


def test_a_campbell_diagram_has_the_speeds_at_which_orders_meet_modes():
    m = ss.Model("two modes")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=1.0)
    m.connect(a, ss.Linear(stiffness=100.0), name="left")
    m.connect(a - b, ss.Linear(stiffness=150.0), name="middle")
    m.connect(b, ss.Linear(stiffness=100.0), name="right")
    diagram = m.campbell(between=(4.0, 30.0), orders=[1, 2, 4])
    # modes at 10 and 20 rad/s
    assert [(c["order"], c["mode"], pytest.approx(c["speed"])) for c in diagram.critical] == [
        (2.0, 1, 5.0), (4.0, 2, 5.0), (1.0, 1, 10.0), (2.0, 2, 10.0), (1.0, 2, 20.0),
    ]  # fmt: skip
    assert "order 1 meets mode 2 at 20 rad/s" in repr(diagram)
    axes = diagram.plot().axes[0]
    marks = next(line for line in axes.lines if line.get_marker() == "o")
    np.testing.assert_allclose(marks.get_xdata(), [5.0, 5.0, 10.0, 10.0, 20.0])
    with pytest.raises(ss.InvalidInput, match=r"between must be two speeds"):
        m.campbell(between=(3.0, 1.0))


def test_spectra_are_drawn_over_frequency_on_logarithmic_axes():
    run, _ = two_tones()
    axes = run.psd(window=4.0).plot("x").axes
    assert len(axes) == 1
    assert axes[0].get_xscale() == axes[0].get_yscale() == "log"
    assert axes[0].lines[0].get_xdata()[0] == pytest.approx(2.0 * math.pi / 4.0)


def test_impulses_of_impacts_are_not_left_out_of_a_spectrum_silently():
    """A jump dv of the velocity gives an oscillator w dv; samples of the acceleration have only -g."""
    m = ss.Model("ball beside a free mass")
    x, y = m.coordinate("x", inertia=1.0, displacement=1.0), m.coordinate("y", inertia=1.0)
    m.load(x, ss.Constant(-9.81))
    m.load(y, ss.Constant(3.0))
    m.connect(-x, ss.Impact(gap=0.0, restitution=0.8), name="floor")
    run = m.simulate(until=2.0, samples=201)
    with pytest.warns(UserWarning, match="impacts make the acceleration of x infinite"):
        found = run.shock_spectrum([100.0], damping=0.0).data.acceleration
    assert math.isnan(found.sel(name="x").item())
    assert found.sel(name="y").item() == pytest.approx(6.0, rel=1e-3)
    with pytest.warns(UserWarning, match="impacts make the force of floor infinite"):
        assert np.isnan(run.psd("force").data.density.sel(name="floor")).all()
    assert np.isfinite(run.psd("velocity").data.density).all()
    before = m.simulate(until=0.4, samples=201)
    assert before.shock_spectrum([100.0], damping=0.0).data.acceleration.sel(name="x").item() > 9.81
