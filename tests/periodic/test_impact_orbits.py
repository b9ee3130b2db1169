"""Periodic motions with rigid stops: the impact oscillator in closed form, multipliers, chatter."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from scipy.linalg import expm

import slipstick as ss

DAMPING, GAP = 0.1, 0.3


def oscillator(restitution=0.7, gap=GAP, load=1.0):
    m = ss.Model("impact oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=DAMPING), name="spring")
    m.connect(x, ss.Impact(gap=gap, restitution=restitution), name="stop")
    m.load(x, ss.Cosine(load, order=1))
    return m


class PeriodOne:
    """The orbit x'' + c x' + x = cos(omega t), x <= gap, with one impact a period, from the linear flow.

    Let p(t) be the steady response (x, v) without the stop and F = exp(A T). Between impacts z - p changes by F, so
    with the rate w before an impact p0 = (1 - F)^-1 ((gap, w) - F (gap, -e w)) at the impact. As p0 lies on the
    ellipse of the steady response, w solves a quadratic equation. Of its roots, that of a motion that stays below the
    gap counts.
    """

    def __init__(self, omega, e):
        self.omega, self.e, self.period = omega, e, 2.0 * math.pi / omega
        self.a = np.array([[0.0, 1.0], [-1.0, -DAMPING]])
        self.steady = 1.0 / (1.0 - omega**2 + 1j * DAMPING * omega)
        flow, one = expm(self.a * self.period), np.eye(2)
        slope = np.linalg.solve(one - flow, (one + e * flow) @ [0.0, 1.0])
        scale = np.array([1.0, 1.0 / omega])
        b, d = scale * [GAP, 0.0], scale * slope
        roots = np.roots([d @ d, 2.0 * (b @ d), b @ b - abs(self.steady) ** 2])
        (self.rate, self.time), *others = [own for own in (self.at(w, slope) for w in roots) if own is not None]
        assert not others
        load = math.cos(omega * self.time)
        before, after = load - GAP - DAMPING * self.rate, load - GAP + DAMPING * e * self.rate
        jump = np.array([[-e, 0.0], [(e * before + after) / self.rate, -e]])
        self.multipliers = np.sort_complex(np.linalg.eigvals(jump @ flow))
        self.loss = 0.5 * (1.0 - e**2) * self.rate**2

    def at(self, rate, slope):
        """The rate before an impact and its time; None if the motion would pass the gap."""
        if abs(rate.imag) > 0.0 or rate.real <= 0.0:
            return None
        w, omega = float(rate.real), self.omega
        p0 = np.array([GAP, 0.0]) + slope * w
        time = (cmath.phase(complex(p0[0], -p0[1] / omega)) - cmath.phase(self.steady)) / omega % self.period
        for s in np.linspace(0.0, self.period, 400)[1:-1]:
            free = (expm(self.a * s) @ (np.array([GAP, -self.e * w]) - p0))[0]
            if free + (self.steady * cmath.exp(1j * omega * (time + s))).real > GAP:
                return None
        return w, time


@pytest.mark.parametrize(("omega", "restitution"), [(2.0, 0.7), (1.8, 0.5), (1.6, 0.8)])
def test_the_impact_oscillator_has_its_analytic_orbit_and_multipliers(omega, restitution):
    known = PeriodOne(omega, restitution)
    m = oscillator(restitution)
    orbit = m.periodic(frequency=omega)
    struck = [t for t, after in zip(orbit.events["time"], orbit.events["after"], strict=True) if after == "impact"]
    assert len(struck) == 1
    assert struck[0] == pytest.approx(known.time, rel=1e-11)
    k = int(np.flatnonzero(orbit.data.time.values == struck[0])[0])
    sides = orbit.data.velocity.values[k - 1 : k + 1, 0]
    np.testing.assert_allclose(sides, [known.rate, -restitution * known.rate], rtol=1e-12)
    np.testing.assert_allclose(np.sort_complex(orbit.multipliers), known.multipliers, atol=1e-10)
    assert orbit.certificate.dissipated["stop"] == pytest.approx(known.loss, rel=1e-11)
    assert orbit.certificate.passed


def test_a_curve_has_the_loss_of_the_stop_and_its_period_doubling():
    curve = oscillator(0.7).frequency_response(between=(1.8, 2.2))
    at = int(np.argmin(np.abs(curve.data.frequency.values - 1.95)))
    omega = float(curve.data.frequency.values[at])
    assert curve.data.dissipated.sel(connection="stop").values[at] == pytest.approx(
        PeriodOne(omega, 0.7).loss, rel=1e-9
    )
    special = next(s for s in curve.special if s["kind"] == "period-doubling")
    multipliers = PeriodOne(special["frequency"], 0.7).multipliers
    assert np.abs(multipliers + 1.0).min() < 1e-7


def test_multipliers_through_impacts_of_two_bodies_are_those_of_differences():
    m = ss.Model("two bodies")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=0.7)
    m.connect(a, ss.Linear(stiffness=1.0, damping=0.2), name="left")
    m.connect(b, ss.Linear(stiffness=2.0, damping=0.2), name="right")
    m.connect(a - b, ss.Impact(gap=0.1, restitution=0.6), name="between")
    m.connect(-b, ss.Impact(gap=0.4, restitution=0.4), name="wall")
    m.load(a, ss.Cosine(0.8, order=1))
    omega = 1.1
    orbit = m.periodic(frequency=omega)
    assert orbit.certificate.passed
    first = np.concatenate([orbit.data[name].values[0] for name in ("displacement", "velocity")])

    def after_a_period(state):
        names = "a", "b"
        for name, q, v in zip(names, state[:2], state[2:], strict=True):
            m[name].displacement, m[name].velocity = float(q), float(v)
        s = m.simulate(until=orbit.period, frequency=omega).samples
        return np.concatenate([s.displacement[-1], s.velocity[-1]])

    h = 1e-6
    columns = [(after_a_period(first + h * e) - after_a_period(first - h * e)) / (2.0 * h) for e in np.eye(4)]
    found = np.sort(np.abs(np.linalg.eigvals(np.array(columns).T)))
    np.testing.assert_allclose(np.sort(np.abs(orbit.multipliers)), found, atol=1e-6)


def test_chatter_ends_in_contact_once_a_period():
    """A slow load presses the mass on the stop: rebounds accumulate, and contact ends where the load falls to k gap."""
    omega = 0.2
    orbit = oscillator(0.5).periodic(frequency=omega)
    after, times = list(orbit.events["after"]), np.array(orbit.events["time"])
    assert after.count("contact") == 1
    leaves = [before == "contact" for before in orbit.events["before"]]
    assert times[leaves] == pytest.approx([math.acos(GAP) / omega], rel=1e-12)
    assert np.abs(orbit.multipliers).max() < 1e-8  # contact forgets both numbers of the state
    assert orbit.certificate.passed


def test_the_acceleration_amplitude_of_a_struck_coordinate_is_not_finite():
    m = oscillator()
    m.connect(m.coordinate("y", inertia=1.0) - m["x"], ss.Linear(stiffness=0.1, damping=0.1), name="hanging")
    struck = m.periodic(frequency=2.0)
    assert "impact" in struck.events["after"]
    assert math.isnan(struck.acceleration_amplitude["x"])
    assert struck.acceleration_amplitude["y"] > 0.0
    free = oscillator(gap=100.0).periodic(frequency=2.0)
    assert free.acceleration_amplitude["x"] == pytest.approx(4.0 * free.amplitude["x"], rel=1e-9)
