"""Dry friction whose limit is none, or goes through zero; and bodies without inertia."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest

import slipstick as ss


def exact(m, until, samples=0):
    return m.simulate(until=until, method="exact", samples=samples)


# ---- a static limit, and nothing to slide against


def test_a_contact_that_only_holds_lets_a_swinging_mass_pass_its_turning_points():
    m = ss.Model("catch")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.DryFriction(limit=0.0, static_limit=0.5))
    m.connect(x, ss.Linear(stiffness=1.0))
    run = exact(m, 20.0, [20.0])
    assert float(run.data.displacement[-1, 0]) == pytest.approx(math.cos(20.0), abs=1e-13)
    assert run.certificate.passed


def test_a_contact_that_only_holds_breaks_loose_once():
    m = ss.Model("ramp")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.DryFriction(limit=0.0, static_limit=0.5))
    m.load(x, ss.Ramp(1.0))
    run = exact(m, 2.0, [0.5, 2.0])
    # loose from t = 1/2 on: x'' = t, so x = s^3 / 6 + s^2 / 4 with s = t - 1/2
    np.testing.assert_allclose(run.data.displacement[:, 0], [0.0, 1.125], atol=1e-13)


# ---- a limit that goes through zero: cut off there, the contact is open


def swinging(mean, swing, w):
    with pytest.warns(UserWarning, match="cut off at zero"):
        return ss.DryFriction(limit=ss.Fourier(mean, cos=(swing,), frequency=w))


def test_a_limit_that_swings_through_zero_brakes_half_of_the_time():
    m = ss.Model("brake")
    x = m.coordinate("x", inertia=1.0, velocity=10.0)
    m.connect(x, swinging(0.0, 1.0, 1.0))
    run = exact(m, 6.0 * math.pi, 0)
    k = 3  # v loses 2 a period; x = sum over periods j of (10 - 2 j) 2 pi - 2 pi
    assert float(run.data.velocity[-1, 0]) == pytest.approx(10.0 - 2.0 * k, abs=1e-12)
    assert float(run.data.displacement[-1, 0]) == pytest.approx(2.0 * math.pi * (10.0 * k - k * k), rel=1e-13)
    expected = math.pi * (0.5 + np.arange(6))
    np.testing.assert_allclose(run.events["time"], expected, rtol=1e-13)
    assert run.certificate.passed


def test_a_contact_lets_go_when_its_limit_falls_below_the_load():
    m = ss.Model("let go")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, swinging(0.0, 1.0, 1.0))
    m.load(x, ss.Constant(0.5))
    until = 9.0
    run = exact(m, until, [until])
    # from t = pi/3 on it only slips: x = integral of (until - s) (1/2 - max(cos s, 0))
    with mp.workdps(30):
        corners = [mp.pi / 3, mp.pi / 2, 3 * mp.pi / 2, 5 * mp.pi / 2, until]
        expected = mp.quad(lambda s: (until - s) * (mp.mpf(1) / 2 - max(mp.cos(s), 0)), corners)
    assert float(run.data.displacement[-1, 0]) == pytest.approx(float(expected), rel=1e-13)
    assert run.events["time"][0] == pytest.approx(math.pi / 3.0, rel=1e-14)
    assert run.certificate.passed


LIMITS = [(0.0, 1.0, 1.0), (0.11, 0.32, 2.09)]  # mean, swing, frequency: both go below zero


def by_small_steps(mean, swing, w, until, h):
    """Mass, spring and a contact, velocity after velocity: the contact takes what it can of each (first order)."""
    x, v = 0.0, 0.3
    for i in range(round(until / h)):
        t = (i + 0.5) * h
        free = v + h * (math.sin(0.77 * t) - 0.5 * x)
        most = h * max(mean + swing * math.cos(w * t), 0.0)
        v = math.copysign(max(abs(free) - most, 0.0), free)
        x += h * v
    return x


@pytest.mark.parametrize(("mean", "swing", "w"), LIMITS)
def test_a_sprung_mass_under_such_a_limit_moves_as_by_small_steps(mean, swing, w):
    m = ss.Model("limit")
    x = m.coordinate("x", inertia=1.0, velocity=0.3)
    m.connect(x, swinging(mean, swing, w), name="contact")
    m.connect(x, ss.Linear(stiffness=0.5))
    m.load(x, ss.Sine(1.0, frequency=0.77))
    run = exact(m, 20.0, [20.0])
    h = 2e-4  # wrong by about h times a rate, which comes to 5 here
    assert float(run.data.displacement[-1, 0]) == pytest.approx(by_small_steps(mean, swing, w, 20.0, h), abs=5.0 * h)
    assert "unloaded" in run.events["after"].tolist()
    long = exact(m, 1000.0)
    assert long.certificate.passed
    assert len(long.events) > 300


# ---- without inertia

MASSLESS = {
    "friction": [ss.DryFriction(limit=0.2)],
    "friction, spring": [ss.DryFriction(limit=0.2), ss.Linear(stiffness=1.0)],
    "friction, damper": [ss.DryFriction(limit=0.2), ss.Linear(damping=1.0)],
    "friction, damper, spring": [ss.DryFriction(limit=0.2), ss.Linear(stiffness=1.0, damping=1.0)],
    "slider": [ss.Jenkins(stiffness=1.0, limit=0.3)],
    "friction, slider": [ss.DryFriction(limit=0.2), ss.Jenkins(stiffness=1.0, limit=0.3)],
    "friction, slider, spring": [
        ss.DryFriction(limit=0.2),
        ss.Jenkins(stiffness=1.0, limit=0.3),
        ss.Linear(stiffness=1.0),
    ],
    "gap": [ss.Freeplay(stiffness=1.0, half_gap=0.3)],
}


def without_inertia(laws):
    m = ss.Model("without inertia")
    x = m.coordinate("x", inertia=1.0)
    y = m.coordinate("y")
    m.connect(x - y, ss.Linear(stiffness=2.0))
    m.connect(x, ss.Linear(damping=0.05))
    for law in laws:
        m.connect(y, law)
    m.load(x, ss.Sine(2.0, frequency=1.3))
    return m


@pytest.mark.parametrize("laws", MASSLESS.values(), ids=MASSLESS)
def test_the_error_of_a_model_without_inertia_is_a_small_number(laws):
    c = exact(without_inertia(laws), 50.0).certificate
    assert c.passed, str(c)
    assert 0.0 < c.error < 1e-8


def test_the_error_of_two_coordinates_without_inertia_in_a_row_is_a_small_number():
    m = without_inertia([ss.DryFriction(limit=0.2)])
    z = m.coordinate("z")
    m.connect(m["y"] - z, ss.Jenkins(stiffness=1.0, limit=0.3))
    m.connect(z, ss.Linear(stiffness=1.0, damping=0.5))
    c = exact(m, 50.0).certificate
    assert c.passed, str(c)
    assert 0.0 < c.error < 1e-8


def test_friction_without_inertia_behind_a_spring_is_a_slider():
    m = ss.Model("slider")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(damping=0.05))
    m.connect(x, ss.Jenkins(stiffness=2.0, limit=0.2))
    m.load(x, ss.Sine(2.0, frequency=1.3))
    times = np.linspace(0.0, 50.0, 11)[1:]
    slider, contact = exact(m, 50.0, times), exact(without_inertia(MASSLESS["friction"]), 50.0, times)
    apart = np.abs(slider.data.displacement.values[:, 0] - contact.data.displacement.values[:, 0]).max()
    assert apart <= 10.0 * (slider.certificate.error + contact.certificate.error)


# ---- ties


def test_bilinear_chains_that_leave_their_corners_by_high_orders_are_linear_chains():
    """From rest under a ramp on the last mass no deflection ever turns negative: the chain of the slopes above."""
    for count in (3, 7, 11):
        law = ss.PiecewiseLinear(breaks=(0.0,), slopes=(50.0, 100.0), value_at=(0.0, 0.0))
        m = ss.Model("chain")
        q = [m.coordinate(f"q{i}", inertia=1.0) for i in range(count)]
        m.connect(q[0], law)
        for a, b in itertools.pairwise(q):
            m.connect(b - a, law)
        m.load(q[-1], ss.Ramp(1.0))
        run = m.simulate(until=3.0, method="exact", samples=[0.1, 0.3, 3.0])
        stiffness = 100.0 * (2.0 * np.eye(count) - np.eye(count, k=1) - np.eye(count, k=-1))
        stiffness[-1, -1] = 100.0
        values, shapes = np.linalg.eigh(stiffness)
        w, t = np.sqrt(values), np.array([0.1, 0.3, 3.0])[:, None]
        expected = (shapes[-1] * (t / w**2 - np.sin(w * t) / w**3)) @ shapes.T
        assert not len(run.events)
        np.testing.assert_allclose(run.data.displacement.values, expected, atol=1e-14)


def test_a_slider_in_series_with_friction_of_the_same_limit():
    """Against limits that differ by a little either way: the motion is continuous in them."""
    ends = []
    for limit in (1.0 - 1e-9, 1.0, 1.0 + 1e-9):
        m = ss.Model("series")
        a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=1.0)
        m.connect(a, ss.DryFriction(limit=1.0))
        m.connect(b - a, ss.Jenkins(stiffness=10.0, limit=limit))
        m.connect(b, ss.Linear(stiffness=1.0))
        m.load(b, ss.Sine(2.0, frequency=2.0))
        run = m.simulate(until=10.0, method="exact", samples=[10.0])
        assert run.certificate.passed
        ends.append(run.data.displacement.values[0])
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-7)
    np.testing.assert_allclose(ends[1], ends[2], atol=1e-7)


def test_two_equal_sliders_in_series_through_a_node_without_inertia_are_one_of_half_the_stiffness():
    def oscillator():
        m = ss.Model("series")
        x = m.coordinate("x", inertia=1.0)
        m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
        m.load(x, ss.Sine(1.0, frequency=0.8) + ss.Cosine(0.3, frequency=2.3))
        return m, x

    m, x = oscillator()
    node = m.coordinate("node", inertia=0.0)
    m.connect(x - node, ss.Jenkins(stiffness=10.0, limit=0.4))
    m.connect(node, ss.Jenkins(stiffness=10.0, limit=0.4))
    one, x = oscillator()
    one.connect(x, ss.Jenkins(stiffness=5.0, limit=0.4))
    times = np.linspace(0.0, 60.0, 61)
    two = m.simulate(until=60.0, method="exact", samples=times)
    np.testing.assert_allclose(
        two.data.displacement.values[:, 0],
        one.simulate(until=60.0, method="exact", samples=times).data.displacement.values[:, 0],
        atol=1e-12,
    )


@pytest.mark.parametrize(
    "case", ["load at the limit", "motion that just touches", "spring that just reaches the limit"]
)
def test_motions_that_are_only_rounding_pass(case):
    m = ss.Model("tie")
    x = m.coordinate("x", inertia=1.0)
    if case == "load at the limit":
        m.connect(x, ss.DryFriction(limit=1.0))
        m.load(x, ss.Sine(1.0, frequency=1.0))
    elif case == "motion that just touches":
        p = m.coordinate("p", motion=ss.Sine(0.5, frequency=1.0))
        m.connect(x - p, ss.Freeplay(stiffness=1.0, half_gap=0.5))
    else:
        p = m.coordinate("p", motion=ss.Sine(0.2, frequency=1.0))
        m.connect(x - p, ss.Linear(stiffness=5.0))
        m.connect(x, ss.DryFriction(limit=1.0))
    run = m.simulate(until=20.0, method="exact")
    assert run.certificate.passed, run.certificate
    largest = np.abs(run.data.displacement.sel(coordinate="x").values).max()
    assert largest < 1e-15
    assert largest <= 10.0 * run.certificate.errors["x"]  # all of it is error


@pytest.mark.parametrize("damping", [-100.0, -1e4, -1e6])
def test_a_strongly_negative_damper_is_followed_as_far_as_numbers_go(damping: float) -> None:
    """x = x0 (a e^(b t) - b e^(a t)) / (a - b), with a and b the roots of s^2 + c s + k."""
    m = ss.Model("growth")
    x = m.coordinate("x", inertia=1.0, displacement=1e-3)
    m.connect(x, ss.Linear(stiffness=4.0, damping=damping), name="damper")
    a = 0.5 * (-damping + math.sqrt(damping**2 - 16.0))
    b = 4.0 / a
    for _ in range(2):  # the second time the modes are known from the start
        with pytest.raises(ss.NotConverged, match="grows without bound") as caught:
            m.simulate(until=2000.0 / a, method="exact")
        partial = caught.value.partial
        assert partial is not None
        t, found = partial.data.time.values, partial.data.displacement.values[:, 0]
        exact = 1e-3 * (a * np.exp(b * t) - b * np.exp(a * t)) / (a - b)
        # a t is known to rounding of some hundreds
        np.testing.assert_allclose(found, exact, rtol=1e-11)
        assert abs(partial.data.velocity.values[-1, 0]) > 1e245


@pytest.mark.parametrize(
    ("stiffness", "damping", "law"),
    [
        (1.0, -2.0, None),  # both roots are one
        (1.0, -0.5, ss.Freeplay(stiffness=5.0, half_gap=0.1)),
        (1e4, -30.0, ss.DryFriction(limit=0.01)),
        (1e4, -1.5, ss.Jenkins(stiffness=3.0, limit=0.2)),
    ],
)
def test_growth_is_named_where_switches_fall_below_rounding(stiffness, damping, law) -> None:
    """The envelope grows like e^(-c t / 2), whatever a bounded law, or one that adds stiffness only, does."""
    m = ss.Model("growth")
    x = m.coordinate("x", inertia=1.0, displacement=0.1)
    m.connect(x, ss.Linear(stiffness=stiffness, damping=damping))
    if law is not None:
        m.connect(x, law)
    with pytest.raises(
        ss.NotConverged, match=r'grows without bound, .*"x" to .* at t = .*; look for a negative damper'
    ) as caught:
        m.simulate(until=1e4, samples=0, method="exact")
    size, time = (float(caught.value.args[0].split(word)[1].split()[0].rstrip(",")) for word in ('"x" to', "at t ="))
    assert math.log(size) == pytest.approx(-0.5 * damping * time, rel=0.2)


def test_rest_beside_a_strongly_negative_damper_stays_rest() -> None:
    m = ss.Model("rest")
    x = m.coordinate("x", inertia=1.0)
    y = m.coordinate("y", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=4.0, damping=-1e4), name="damper")
    m.connect(y, ss.Linear(stiffness=1.0), name="spring")
    for _ in range(2):
        run = m.simulate(until=10.0, samples=[10.0], method="exact")
        assert run.data.displacement.values[-1].tolist() == pytest.approx([0.0, math.cos(10.0)], abs=1e-13)
