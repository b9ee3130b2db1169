"""Where dry friction is just about to slip, or has just begun to: orbits, and curves through the onset."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import slipstick as ss


def block(force: float, limit: float = 1.0) -> ss.Model:
    """1 kg on a spring of 1 N/m that rubs."""
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="base")
    m.connect(x, ss.DryFriction(limit=limit), name="rub")
    m.load(x, ss.Cosine(force, order=1), name="forcing")
    return m


OMEGAS = [0.5, 0.8, 1.0, 1.7]


@pytest.mark.parametrize("omega", OMEGAS)
@pytest.mark.parametrize("force", [1.0, 1.0 + 1e-15, 1.0 - 1e-15])
def test_a_load_as_large_as_the_limit_sticks(omega, force) -> None:
    orbit = block(force).periodic(frequency=omega, method="shooting")
    assert orbit.amplitude["x"] == 0.0
    np.testing.assert_allclose(np.abs(orbit.multipliers), [1.0, 0.0], atol=1e-12)
    assert any("never slips" in note for note in orbit.notes)


@pytest.mark.parametrize("omega", OMEGAS)
@pytest.mark.parametrize("excess", [1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4])
def test_a_load_a_little_larger_slips_by_the_square_of_what_it_has_more(omega, excess) -> None:
    """Around its peak the load leaves excess - (omega t)^2/2: from rest this moves by 9/2 (excess/omega)^2."""
    orbit = block(1.0 + excess).periodic(frequency=omega, method="shooting")
    slip = 2.25 * (excess / omega) ** 2
    assert orbit.amplitude["x"] == pytest.approx(slip, rel=3.0 * np.sqrt(excess), abs=orbit.certificate.error)
    assert orbit.stable


@pytest.mark.parametrize("excess", [1e-3, 1e-2])
def test_just_beyond_the_onset_the_orbit_is_that_of_a_long_run(excess) -> None:
    omega = 0.8
    orbit = block(1.0 + excess).periodic(frequency=omega, method="shooting")
    time = 2.0 * np.pi / omega
    turns = int(np.ceil(8.0 / excess))
    instants = (turns - 1 + np.linspace(0.0, 1.0, 201)) * time
    run = block(1.0 + excess).simulate(until=turns * time, frequency=omega, samples=instants)
    x = run.data.displacement.values[:, 0]
    assert orbit.amplitude["x"] == pytest.approx(0.5 * (x.max() - x.min()), rel=1e-4)


@cache
def over_the_load(begin, end):
    return block(1.0, limit=0.2).follow("forcing.amplitude", between=(begin, end), frequency=0.8, method="shooting")


@pytest.mark.parametrize(
    ("begin", "end"),
    [(0.0, 0.25), pytest.param(0.25, 0.0, marks=pytest.mark.long), pytest.param(-0.5, 0.5, marks=pytest.mark.long)],
)
def test_a_curve_goes_on_through_the_onset_of_slip(begin, end) -> None:
    """It rests in the middle of its band until the load is the limit, and slips beyond: from both ends."""
    curve = over_the_load(begin, end)
    force, data = curve.data.parameter.values, curve.data
    assert (force[0], force[-1]) == (begin, end)
    assert {s["kind"] for s in curve.special} == {"grazing"}
    corners = np.array([s["parameter"] for s in curve.special])
    assert np.abs(np.abs(corners) - 0.2).min() < 1e-6
    sticks, slips = np.abs(force) < 0.2 - 1e-6, np.abs(force) > 0.2 + 1e-6
    amplitude, mean = data.amplitude.values[:, 0], data["mean"].values[:, 0]
    assert amplitude[sticks].max() == 0.0
    np.testing.assert_allclose(data.mean_high.values[sticks, 0], 0.2 - np.abs(force[sticks]), atol=1e-6)
    assert (np.diff(amplitude[slips][np.argsort(np.abs(force[slips]), kind="stable")]) > -1e-9).all()
    assert np.abs(mean[sticks | slips]).max() < 1e-7


def test_an_orbit_of_that_curve_is_that_of_a_long_run() -> None:
    omega, force = 0.8, 0.25
    time = 2.0 * np.pi / omega
    run = block(force, limit=0.2).simulate(
        until=200.0 * time, frequency=omega, samples=(199.0 + np.linspace(0.0, 1.0, 2001)) * time
    )
    x = run.data.displacement.values[:, 0]
    assert over_the_load(0.0, force).data.amplitude.values[-1, 0] == pytest.approx(0.5 * (x.max() - x.min()), rel=1e-5)
