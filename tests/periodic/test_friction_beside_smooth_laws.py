"""Orbits with set-valued friction beside smooth laws: shooting with jumps of small changes at stick and slip."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.transient.problem import pose


def pair(spring: ss.Law, limit: float, static: float | None, omega: float, falling: float | None = None) -> ss.Model:
    """Two masses with a contact each; the first on a spring of any kind."""
    m = ss.Model("pair", frequency=omega)
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.7)
    m.connect(x, spring, name="spring")
    m.connect(x, ss.DryFriction(limit=limit, static_limit=static, stribeck_velocity=falling), name="first")
    m.connect(x - y, ss.Linear(stiffness=1.5, damping=0.05), name="between")
    m.connect(y, ss.DryFriction(limit=0.5 * limit), name="second")
    m.load(x, ss.Cosine(1.0, order=1) + ss.Sine(0.2, order=2))
    return m


STRAIGHT = ss.Linear(stiffness=1.0, damping=0.1)
SAME = ss.Polynomial(coefficients=(0.0, 1.0), damping=0.1)
CUBIC = ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.5), damping=0.1)
CASES = {"equal limits": (0.4, None, 0.6), "static": (0.5, 0.6, 0.35), "short stick": (0.3, 0.35, 1.3)}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_straight_spring_that_is_called_a_polynomial_has_the_orbit_of_the_exact_flow(case):
    exact, orbit = (pair(spring, *case).periodic() for spring in (STRAIGHT, SAME))
    times = exact.data.time
    np.testing.assert_allclose(orbit.data.displacement.interp(time=times), exact.data.displacement, atol=1e-6)
    found, expected = (np.sort(np.abs(one.multipliers)) for one in (orbit, exact))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    for name in ("first", "second"):
        assert orbit.stick_share[name] == pytest.approx(exact.stick_share[name], abs=1e-7)
        assert orbit.force_range[name] == pytest.approx(exact.force_range[name], rel=1e-9)
        assert orbit.dissipated[name] == pytest.approx(exact.dissipated[name], rel=1e-5)
    assert [*orbit.events["after"]] == [*exact.events["after"]]


@pytest.mark.parametrize(
    "case", [(0.5, None, 0.7), (0.5, 0.6, 0.7), (0.5, 0.6, 0.7, 0.3)], ids=["equal", "static", "fall"]
)
def test_the_derivative_of_the_period_is_that_of_differences(case):
    m = pair(CUBIC, *case)
    period = 2.0 * math.pi / case[2]
    settled = m.simulate(20.0 * period, samples=0, tolerance=1e-10).samples
    state = np.concatenate([settled.displacement[-1], settled.velocity[-1]])
    period_map = AdaptiveMap(pose(m), period, 1e-11)
    passed = period_map.go(state, derivative=True, swept=True)
    assert len(passed.flow.events.time) >= 6
    for k in range(4):
        step = 1e-6 * np.eye(4)[k]
        ends = (period_map.at_tolerance(state + side * step, 1e-12) for side in (1.0, -1.0))
        np.testing.assert_allclose(passed.derivative[:, k], np.subtract(*ends) / 2e-6, atol=1e-6)
    ends = []
    for frequency in (case[2] + 1e-6, case[2] - 1e-6):
        other = AdaptiveMap(pose(m, frequency=frequency), 2.0 * math.pi / frequency, 1e-12)
        ends.append(other.at_tolerance(state, 1e-12))
    np.testing.assert_allclose(passed.by_frequency, np.subtract(*ends) / 2e-6, atol=1e-5)


def test_a_curve_with_friction_and_a_cubic_spring_has_folds_and_the_settled_motion():
    m = ss.Model("block", frequency=1.0)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, CUBIC)
    m.connect(x, ss.DryFriction(limit=0.3), name="friction")
    m.load(x, ss.Cosine(1.0, order=1))
    curve = m.frequency_response(between=(0.5, 2.5))
    assert curve.stats.method == "shooting"
    assert [point["kind"] for point in curve.special].count("fold") == 2
    orbit = m.periodic(frequency=0.4)
    period = 2.0 * math.pi / 0.4
    times = np.linspace(40.0, 41.0, 1001) * period
    run = m.simulate(41.0 * period, frequency=0.4, samples=times, tolerance=1e-11)
    assert orbit.stable
    assert np.ptp(orbit.data.displacement.values) == pytest.approx(np.ptp(run.samples.displacement), rel=1e-4)
    sticks = run.data.state.sel(connection="friction").values == "stick"
    assert orbit.stick_share["friction"] == pytest.approx(sticks.mean(), abs=5e-3)
    assert sticks.mean() > 0.02
