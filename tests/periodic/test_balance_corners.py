"""Corners of forces between samples: against closed forms of harmonics, and against exact orbits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from periodic.balance_models import oscillator

import slipstick as ss
from slipstick.periodic.balance import HarmonicBalance


def harmonics_along_a_cosine(law, samples, amplitude, frequency=1.0, angle=0.37):
    """(H+1,) complex c_h of the force along amplitude cos(tau - angle), turned back by that angle, mean last."""
    family = HarmonicBalance(oscillator(law), frequency=frequency, harmonics=3, samples=samples)
    x = np.zeros(family.size)
    x[:2] = amplitude * np.cos(angle), amplitude * np.sin(angle)
    family.follow(x, frequency)
    found = family.follower.harmonics_of_forces()[0].view(complex)
    return found * np.exp(-1j * angle * family.waves.orders)


def order_of(errors, samples):
    return -np.polyfit(np.log(samples), np.log(errors), 1)[0]


def test_harmonics_of_a_gap_converge_to_their_integrals_with_the_third_power_of_the_samples():
    stiffness, gap, amplitude, counts = 3.0, 0.4, 1.0, 2 ** np.arange(5, 11)
    touch = np.arccos(gap / amplitude)
    first = 2.0 * stiffness / np.pi * (amplitude * touch - gap * np.sin(touch))
    # (2/pi) k times the integral of (A cos - a) cos 3 tau from -touch to touch
    third = 2.0 * stiffness / np.pi * (
        amplitude * (np.sin(4 * touch) / 4 + np.sin(2 * touch) / 2) - 2.0 * gap * np.sin(3 * touch) / 3
    )  # fmt: skip
    errors = []
    for count in counts:
        law = ss.Freeplay(stiffness=stiffness, half_gap=gap)
        apart = [
            np.abs(harmonics_along_a_cosine(law, int(count), amplitude, angle=angle)[[0, 2]] - [first, third]).max()
            for angle in 2.0 * np.pi / count * np.linspace(0.0, 1.0, 12)
        ]
        errors.append(max(apart))
    assert order_of(errors, counts) > 2.7
    assert errors[3] < 1e-6  # 256 samples; sums alone are off by 1e-4 there


def test_harmonics_of_a_contact_with_a_damper_have_its_jump():
    stiffness, damping, gap, frequency = 2.0, 1.5, 0.3, 1.3
    law = ss.Contact(stiffness=stiffness, gap=gap, damping=damping)
    tau = (np.arange(2_000_000) + 0.5) * (2.0 * np.pi / 2_000_000)
    u, v = np.cos(tau), -frequency * np.sin(tau)
    force = np.where(u > gap, np.maximum(stiffness * (u - gap) + damping * v, 0.0), 0.0)
    exact = np.array([2.0 * (force * np.exp(1j * h * tau)).mean() for h in (1, 2, 3)])
    counts, errors = 2 ** np.arange(6, 11), []
    for count in counts:
        apart = [
            np.abs(harmonics_along_a_cosine(law, int(count), 1.0, frequency, angle)[:3] - exact).max()
            for angle in 2.0 * np.pi / count * np.linspace(0.0, 1.0, 12)
        ]
        errors.append(max(apart))
    assert order_of(errors, counts) > 1.8
    assert errors[2] < 2e-4  # 256 samples; a sum over samples is off by half of a sample's share of the jump: 6e-3


@pytest.mark.parametrize("harmonics", [3, 5, 7, 9, 15, 31])
@pytest.mark.parametrize("law", [ss.Contact, ss.Freeplay])
def test_damped_contact_is_found_with_any_number_of_harmonics(law, harmonics):
    gap = {"gap": 0.2} if law is ss.Contact else {"half_gap": 0.2}
    model = oscillator(law(stiffness=8.0, damping=1.5, **gap))
    exact = model.periodic(frequency=1.0, method="shooting")
    orbit = model.periodic(frequency=1.0, method="harmonic-balance", harmonics=harmonics)
    assert orbit.distance_to(exact) <= orbit.certificate.error


def test_too_few_harmonics_for_an_impact_say_what_to_do():
    model = oscillator(ss.Contact(stiffness=8.0, gap=0.2, damping=1.5))
    few, more = (HarmonicBalance(model, frequency=1.0, harmonics=h).solve(1.0).point for h in (3, 15))
    assert any("3 harmonics do not resolve this motion" in n and "harmonics=12 or more" in n for n in few.notes)
    assert not any("do not resolve" in note for note in more.notes)


def play():
    m = ss.Model("gear with play")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="mesh")
    m.load(x, ss.Cosine(0.2, order=1))
    return m


def test_error_of_a_whole_curve_falls_with_the_harmonics():
    counts, stated = (3, 5, 7, 9, 15, 31), []
    exact = play().frequency_response(between=(0.6, 1.6), method="shooting")
    folds = sorted(s["frequency"] for s in exact.special if s["kind"] == "fold")
    for harmonics in counts:
        curve = play().frequency_response(between=(0.6, 1.6), method="harmonic-balance", harmonics=harmonics)
        stated.append(curve.error)
        found = sorted(s["frequency"] for s in curve.special if s["kind"] == "fold")
        assert found == pytest.approx(folds, abs=0.01 / harmonics**2)
    assert all(less < more for more, less in pairwise(stated))
    assert order_of(stated, counts) > 2.0


def test_hard_stops_are_followed_without_folds_that_only_samples_have():
    m = ss.Model("hard stops")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05), name="spring")
    m.connect(x, ss.Freeplay(stiffness=50.0, half_gap=1.0), name="stops")
    m.load(x, ss.Cosine(0.3, order=1))
    breaks = [s["frequency"] for s in m.frequency_response(between=(0.3, 3.0)).special if s["kind"] == "branch-point"]
    assert len(breaks) == 2
    for harmonics in (7, 15):
        curve = m.frequency_response(between=(0.3, 3.0), method="harmonic-balance", harmonics=harmonics)
        if harmonics == 7:  # its equations lose their rank nowhere, and the curve says that they should
            assert not curve.special
            assert "a multiplier passes 1" in curve.notes[0]
        else:
            assert [s["kind"] for s in curve.special] == ["branch-point"] * 2
            assert [s["frequency"] for s in curve.special] == pytest.approx(breaks, abs=2e-3)
        assert len(curve.points) < 120
        stable = [point for point in curve.points if point.stable]  # beside others there are two more, nearby
        for point in stable[:: len(stable) // 6]:
            orbit = curve.orbit(curve.points.index(point))
            exact = m.periodic(frequency=point.frequency, method="shooting", start=orbit)
            assert orbit.distance_to(exact) <= point.error + 1e-9
