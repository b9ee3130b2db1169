"""LuGre: exact at a constant rate, second order otherwise, between Coulomb and static friction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import slipstick as ss

LAW = ss.LuGre(bristle_stiffness=20.0, bristle_damping=0.3, viscous=0.1, coulomb=0.6, static=0.9, stribeck_velocity=0.5)


def sliding(v: float) -> float:
    """g(v)."""
    return 0.6 + 0.3 * math.exp(-((v / 0.5) ** 2))


def force(v: float, z: float) -> float:
    return 20.0 * z + 0.3 * (v - 20.0 * abs(v) * z / sliding(v)) + 0.1 * v


@pytest.mark.parametrize("v", [0.01, 0.4, 3.0, -0.7])
def test_a_constant_rate_is_exact_whatever_the_step(v: float) -> None:
    t = np.array([0.0, 0.01, 0.5, 0.7, 4.0])
    rest = math.copysign(sliding(v) / 20.0, v)
    z = rest * -np.expm1(-20.0 * abs(v) * t / sliding(v))
    want = [force(v, x) for x in z.tolist()]
    np.testing.assert_allclose(LAW.trace(v * t, t, rate=np.full(5, v)), want, rtol=0, atol=1e-14)


@pytest.mark.parametrize("v", [0.02, 0.3, 1.0, -2.0])
def test_steady_sliding_is_the_stribeck_curve_and_the_viscous_part(v: float) -> None:
    t = np.array([0.0, 400.0 / abs(v)])
    found = LAW.trace(v * t, t, rate=[v, v])[-1]
    assert found == pytest.approx(math.copysign(sliding(v), v) + 0.1 * v, rel=1e-14)


def rate_at(t: float) -> float:
    return 0.8 * math.sin(1.3 * t) + 0.35  # changes sign at times that are on no grid


def deflection_at(t: float) -> float:
    return 0.8 / 1.3 * (1.0 - math.cos(1.3 * t)) + 0.35 * t


def solved(end: float) -> float:
    """The force at the end: dz/dt = v - s0 |v| z/g(v), restarted where v changes sign."""
    turns = [t for k in range(9) for t in ((math.pi + math.asin(0.35 / 0.8)) / 1.3 + k * 2 * math.pi / 1.3,
             (2 * math.pi - math.asin(0.35 / 0.8)) / 1.3 + k * 2 * math.pi / 1.3) if t < end]  # fmt: skip
    z, begin = 0.0, 0.0
    for stop in [*sorted(turns), end]:
        found = solve_ivp(
            lambda t, y: [rate_at(t) - 20.0 * abs(rate_at(t)) * y[0] / sliding(rate_at(t))],
            (begin, stop), [z], method="DOP853", rtol=1e-12, atol=1e-14,
        )  # fmt: skip
        z, begin = float(found.y[0, -1]), stop
    return force(rate_at(end), z)


def test_a_varying_rate_is_second_order_in_the_step() -> None:
    end = 7.3
    want, errors = solved(end), []
    counts = [200, 400, 800, 1600, 3200, 6400]
    for count in counts:
        t = np.linspace(0.0, end, count + 1)
        u, v = (np.array([f(x) for x in t.tolist()]) for f in (deflection_at, rate_at))
        errors.append(abs(LAW.trace(u, t, rate=v)[-1] - want))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.mean(orders) == pytest.approx(2.0, abs=0.2)
    assert errors[-1] < 1e-6


def test_break_away_lies_between_coulomb_and_static_friction_and_falls_with_the_speed_of_loading() -> None:
    """A spring pulls the contact ever faster: the peak is near the static force if slow, near Coulomb's if fast."""
    peaks = []
    for speed in (1e-3, 1e-2, 1e-1, 1.0):
        t = np.linspace(0.0, 1.0 / speed, 4000)
        # without bristle damping and viscous friction what is left is s0 z
        dry = ss.LuGre(
            bristle_stiffness=20.0, bristle_damping=0.0, viscous=0.0, coulomb=0.6, static=0.9, stribeck_velocity=0.05
        )
        u = 0.5 * (2.0 * speed) * t**2 / t[-1]  # the rate grows from 0 to 2 * speed
        peaks.append(float(dry.trace(u, t, rate=2.0 * speed * t / t[-1]).max()))
    assert all(0.6 * (1.0 - 1e-13) <= p <= 0.9 for p in peaks)
    assert peaks == sorted(peaks, reverse=True)
    assert peaks[0] > 0.89
    assert peaks[-1] < 0.61


def test_bristles_hold_like_a_spring_before_they_slip() -> None:
    t = np.linspace(0.0, 1e-3, 20)
    v = np.full(20, 0.01)
    # z = u (1 - s0 u/(2 g) ...)
    np.testing.assert_allclose(LAW.trace(v * t, t, rate=v), 20.0 * v * t + 0.4 * v, rtol=2e-4)
    stuck, slipping = LAW.linearised("stick"), LAW.linearised("slip")
    assert (stuck.stiffness, stuck.damping) == (20.0, 0.4)
    assert (slipping.stiffness, slipping.damping) == (0.0, 0.1)


def test_the_bristles_never_stretch_beyond_static_friction() -> None:
    rng = np.random.default_rng(1)
    t = np.cumsum(rng.uniform(0.01, 1.0, 2000))
    u = np.cumsum(rng.normal(size=2000))
    memory = LAW.start(0.0)
    for x, v in zip(u.tolist(), np.gradient(u, t).tolist(), strict=True):
        _, memory = LAW.update(x, v, memory)
        assert abs(20.0 * memory[2]) <= 0.9 * (1.0 + 1e-14)


def test_lugre_needs_times_or_rates(refused: Any) -> None:
    with refused("depends on the rate", "trace(u, t)", "trace(u, rate=...)"):
        LAW.trace([0.0, 1.0])


def test_no_way_no_change() -> None:
    f, memory = LAW.update(0.1, 0.5, LAW.start(0.0))
    assert LAW.update(0.1, 0.5, memory) == (f, memory)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"static": 0.5}, "static must be >= coulomb (0.6), got 0.5"),
        ({"coulomb": 0.0}, "coulomb must be > 0, got 0"),
        ({"stribeck_velocity": 0.0}, "stribeck_velocity must be > 0, got 0"),
        ({"bristle_stiffness": 0.0}, "bristle_stiffness must be > 0, got 0"),
        ({"bristle_damping": -1.0}, "bristle_damping must be >= 0, got -1"),
        ({"viscous": math.nan}, "viscous must be finite, got nan"),
    ],
)
def test_parameters_without_meaning_are_refused(change: dict[str, float], words: str, refused: Any) -> None:
    with refused("LuGre", words):
        ss.LuGre(**LAW.parameters() | change)
