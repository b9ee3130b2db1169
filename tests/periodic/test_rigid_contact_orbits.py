"""Shooting with rigid contacts: orbits with stick, slip, lift-off and impacts, and their multipliers."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss


def pad(push=2.0, weight=5.0, swing=3.0, stiffness=4.0, **law):
    """A body on springs on a floor, with loads along and across it."""
    m = ss.Model("pad", frequency=2.0)
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=stiffness, damping=0.2), name="along")
    m.connect(y, ss.Linear(stiffness=1.0, damping=0.1), name="across")
    m.load(x, ss.Cosine(push, order=1))
    m.load(y, ss.Constant(-weight))
    m.load(y, ss.Cosine(swing, order=1, phase=1.0))
    m.connect((x, -y), ss.CoulombContact(**{"friction": 0.3, **law}), name="pad")
    return m


CASES = {
    "stick and slip": ({}, {"stick", "slip+", "slip-", "contact"}),
    "slip": ({"push": 20.0, "swing": 1.0}, {"slip+", "slip-", "contact"}),
    "lift-off": ({"push": 5.0, "weight": 2.0}, {"slip+", "slip-", "separated", "contact"}),
}


@pytest.mark.parametrize("case", CASES)
def test_an_orbit_is_what_a_long_run_settles_to(case):
    given, states = CASES[case]
    m = pad(**given)
    orbit = m.periodic()
    assert orbit.certificate.passed
    assert set(orbit.data["state"].values.ravel().tolist()) - {""} == states
    period = np.pi
    run = m.simulate(until=60.0 * period, method="exact", samples=59.0 * period + np.linspace(0.0, period, 17))
    amplitude = 0.5 * np.ptp(run.samples.displacement[:, 0])
    assert np.abs(orbit.data["displacement"].sel(coordinate="x")).max() > 0.0
    assert amplitude <= orbit.amplitude["x"] * (1.0 + 1e-9)
    assert amplitude >= 0.9 * orbit.amplitude["x"]


def test_multipliers_are_those_of_neighbouring_runs():
    """The largest multiplier against the decay of a small change over one period."""
    m = pad(push=20.0, swing=1.0)
    orbit = m.periodic()
    data = orbit.data
    start = {name: float(data["displacement"].sel(coordinate=name)[0]) for name in ("x", "y")}
    speed = {name: float(data["velocity"].sel(coordinate=name)[0]) for name in ("x", "y")}
    for name in ("x", "y"):
        m[name].displacement, m[name].velocity = start[name], speed[name]

    def after(q, v):
        m["x"].displacement, m["x"].velocity = start["x"] + q, speed["x"] + v
        run = m.simulate(until=np.pi, method="exact", samples=0)
        return np.array([run.samples.displacement[-1, 0], run.samples.velocity[-1, 0]])

    small = 1e-6
    columns = [(after(*(small * d)) - after(*(-small * d))) / (2.0 * small) for d in np.eye(2)]
    found = np.sort(np.abs(np.linalg.eigvals(np.array(columns).T)))
    np.testing.assert_allclose(np.sort(np.abs(orbit.multipliers))[-2:], found, rtol=1e-6)
    assert np.sort(np.abs(orbit.multipliers))[:2] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_a_frequency_response_passes_lift_off():
    curve = pad(push=5.0, weight=2.0, restitution=0.2).frequency_response(at=[1.5, 2.0, 2.5, 3.0])
    assert curve.data.sizes["point"] == 4


@pytest.mark.parametrize(
    ("name", "argument", "value"),
    [("along.stiffness", "stiffness", 4.0), ("pad.friction", "friction", 0.3), ("pad.gap", "gap", 0.0)],
)
def test_gradients_of_an_orbit_are_those_of_differences(name, argument, value):
    def amplitude(change):
        return pad(push=20.0, swing=1.0, **{argument: value + change}).periodic().amplitude["x"]

    gradient = pad(push=20.0, swing=1.0).periodic().gradient("x.amplitude", by=[name])
    assert gradient[name] == pytest.approx((amplitude(1e-5) - amplitude(-1e-5)) / 2e-5, rel=1e-6)
