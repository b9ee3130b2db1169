"""Accelerations in the data of runs and orbits."""

import numpy as np
import pytest

import slipstick as ss


def acceleration(result, name="x"):
    return result.data.acceleration.sel(coordinate=name).values


def test_a_free_oscillator_has_the_acceleration_of_its_closed_form():
    m = ss.Model("free")
    x = m.coordinate("x", inertia=2.0, displacement=0.03)
    m.connect(x, ss.Linear(stiffness=200.0), name="spring")
    run = m.simulate(3.0)
    t = run.data.time.values
    np.testing.assert_allclose(acceleration(run), -3.0 * np.cos(10.0 * t), rtol=0, atol=1e-13)


def test_a_block_that_stops_has_the_acceleration_right_after_the_event():
    """Sliding against friction, then at rest: the acceleration jumps to zero when it stops."""
    m = ss.Model("block")
    x = m.coordinate("x", inertia=2.0, velocity=3.0)
    m.connect(x, ss.DryFriction(limit=4.0), name="floor")
    stop = 1.5
    run = m.simulate(2.0, samples=[0.0, 1.0, stop, 1.75, 2.0])
    np.testing.assert_allclose(acceleration(run)[:2], -2.0, rtol=1e-14)
    np.testing.assert_allclose(acceleration(run)[3:], 0.0, rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", ["exact", "events", "newmark", "inclusion"])
def test_the_acceleration_is_the_slope_of_the_velocity(method):
    m = ss.Model("two")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.5)
    base = m.coordinate("base", motion=ss.Sine(0.01, frequency=3.0))
    m.connect(x - base, ss.Linear(stiffness=100.0, damping=1.0), name="mount")
    m.connect(y - x, ss.Jenkins(stiffness=80.0, limit=0.2), name="joint")
    m.connect(y, ss.Linear(stiffness=40.0, damping=0.2), name="ground")
    m.load(y, ss.Cosine(1.0, frequency=7.0))
    step = {} if method in ("exact", "events") else {"step": 1e-4}
    times = np.linspace(0.0, 2.0, 20_001)
    run = m.simulate(2.0, method=method, samples=times, **step)
    events = m.simulate(2.0).events["time"]
    away = np.abs(times[:, None] - events[None, :]).min(axis=1)[1:-1] > 1e-3
    for name in ("x", "y", "base"):
        v = run.data.velocity.sel(coordinate=name).values
        slope = (v[2:] - v[:-2]) / (times[2:] - times[:-2])
        scale = np.abs(acceleration(run, name)).max()
        assert np.abs(slope - acceleration(run, name)[1:-1])[away].max() < 2e-3 * scale


def test_base_excitation_has_the_second_derivative_of_its_motion():
    m = ss.Model("base")
    x = m.coordinate("x", inertia=1.0)
    y = m.coordinate("y", motion=ss.Cosine(0.01, order=1))
    m.connect(x - y, ss.Linear(stiffness=100.0), name="spring")
    run = m.simulate(2.0, speed=ss.Constant(3.0) + ss.Ramp(1.5))
    t = run.data.time.values
    angle, speed = 3.0 * t + 0.75 * t**2, 3.0 + 1.5 * t
    expected = -0.01 * (speed**2 * np.cos(angle) + 1.5 * np.sin(angle))
    np.testing.assert_allclose(acceleration(run, "y"), expected, rtol=0, atol=1e-14)


def test_a_coordinate_without_inertia_has_no_acceleration():
    m = ss.Model("massless")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y")
    m.connect(x - y, ss.Linear(stiffness=100.0), name="spring")
    m.connect(y, ss.Linear(stiffness=50.0, damping=2.0), name="ground")
    m.load(x, ss.Cosine(1.0, frequency=3.0))
    run = m.simulate(1.0)
    assert np.isnan(acceleration(run, "y")).all()
    t, u = run.data.time.values, run.data.deflection.sel(connection="spring").values
    np.testing.assert_allclose(acceleration(run, "x"), np.cos(3.0 * t) - 100.0 * u, rtol=0, atol=1e-13)


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_orbits_have_accelerations(method):
    m = ss.Model("linear")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=100.0, damping=0.5), name="spring")
    m.load(x, ss.Cosine(1.0, order=1))
    orbit = m.periodic(frequency=8.0, method=method)
    size = 1.0 / abs(100.0 - 64.0 + 4.0j) * 64.0
    assert np.abs(acceleration(orbit)).max() == pytest.approx(size, rel=1e-3)
    displacement = orbit.data.displacement.sel(coordinate="x").values
    np.testing.assert_allclose(acceleration(orbit), -64.0 * displacement, rtol=0, atol=1e-11)


def test_accelerations_are_saved_and_drawn(tmp_path):
    m = ss.Model("free")
    x = m.coordinate("x", inertia=2.0, displacement=0.03)
    m.connect(x, ss.Linear(stiffness=200.0), name="spring")
    run = m.simulate(1.0)
    run.save(tmp_path / "run.nc")
    np.testing.assert_array_equal(acceleration(ss.open(tmp_path / "run.nc")), acceleration(run))
    figure = run.plot(quantity="acceleration")
    assert any("acceleration" in text.get_text() for text in figure.findobj(lambda a: hasattr(a, "get_text")))
