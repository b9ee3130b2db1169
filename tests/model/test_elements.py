"""Elements of drivelines."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss


def test_a_gear_pair_is_the_same_seen_from_either_wheel() -> None:
    m = ss.Model("pair")
    delta, gamma = m.coordinate("delta", inertia=1.0), m.coordinate("gamma", inertia=1.0)
    radii, tooth, play = (0.05, 0.12), 2e6, 1e-4
    mesh = ss.elements.gear_pair(m, delta, gamma, radii=radii, tooth_stiffness=tooth, half_gap=play, name="mesh")
    assert mesh.ratio == pytest.approx(0.12 / 0.05)
    assert mesh.connection.deflection.terms == pytest.approx({"delta": 1.0, "gamma": -0.12 / 0.05})
    # teeth that overlap by 3e-4 m beyond their play push with tooth * 3e-4 N on both radii
    first, second = 4e-4 / 0.05, -4e-4 / 0.12
    assert mesh.stiffness * (first - mesh.half_gap) == pytest.approx(0.05 * tooth * 3e-4)
    assert mesh.stiffness_second * (-second - mesh.half_gap_second) == pytest.approx(0.12 * tooth * 3e-4)
    assert float(mesh.connection.law.trace([first])[0]) == pytest.approx(0.05 * tooth * 3e-4)


def test_elements_make_the_friction_block_of_the_paper() -> None:
    m = ss.Model("block")
    z = ss.elements.friction_block(m, "z", mass=1.0, limit=0.6)
    m.load(z, ss.Sine(1.0, frequency=1.0))
    events = m.simulate(3.6).events
    assert events["time"][0] == pytest.approx(0.643501108793284, abs=1e-12)
    assert events["time"][1] == pytest.approx(3.52345490581182, abs=1e-12)


@pytest.mark.parametrize("radii", [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (1.0,), 3.0, ("a", 1.0)])
def test_radii_that_are_none_are_refused(radii: object) -> None:
    m = ss.Model("pair")
    delta, gamma = m.coordinate("delta", inertia=1.0), m.coordinate("gamma", inertia=1.0)
    with pytest.raises(ss.InvalidInput, match="radi"):
        ss.elements.gear_pair(m, delta, gamma, radii=radii, tooth_stiffness=1.0, name="mesh")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tooth_stiffness": "x"}, "gear_pair: tooth_stiffness must be a number, got 'x'"),
        ({"tooth_stiffness": -1.0}, "gear_pair: tooth_stiffness must be >= 0, got -1"),
        ({"half_gap": "1 mm"}, "gear_pair: half_gap must be a number"),
        ({"half_gap": None}, "gear_pair: half_gap must be a number"),
        ({"half_gap": -0.01}, "gear_pair: half_gap must be >= 0, got -0.01"),
        ({"half_gap": np.array([0.01, 0.02])}, "gear_pair: half_gap must be a number"),
        ({"half_gap": 10**400}, "gear_pair: half_gap must be finite, got inf"),
        ({"radii": (1e200, 0.2)}, "gear_pair: first radius^2 * tooth_stiffness must be finite, got inf"),
        ({"radii": (0.1, 1e200)}, "gear_pair: second radius^2 * tooth_stiffness must be finite, got inf"),
        ({"radii": (1e-310, 1.0), "tooth_stiffness": 0.0}, "gear_pair: second radius/first radius must be finite"),
        ({"radii": (1e-310, 1e-310), "half_gap": 1.0}, "gear_pair: half_gap/first radius must be finite, got inf"),
        ({"radii": (np.array([0.1, 0.2]), 0.2)}, "gear_pair: a radius must be a number"),
    ],
)
def test_numbers_of_a_gear_pair_are_checked_before_they_are_used(
    refused, options: dict[str, object], words: str
) -> None:
    m = ss.Model("pair")
    delta, gamma = m.coordinate("delta", inertia=1.0), m.coordinate("gamma", inertia=1.0)
    with refused(words):
        ss.elements.gear_pair(m, delta, gamma, **{"radii": (0.1, 0.2), "tooth_stiffness": 1.0, **options})
    assert not m.connections


@pytest.mark.parametrize(
    ("half_gap", "words"),
    [
        (np.array([0.01, 0.02]), "shaft: half_gap must be a number"),
        (10**400, "shaft: half_gap must be finite, got inf"),
        (-0.1, "shaft: half_gap must be >= 0, got -0.1"),
        (None, "shaft: half_gap must be a number, got None"),
    ],
)
def test_a_half_gap_of_a_shaft_that_is_none_is_refused(refused, half_gap: object, words: str) -> None:
    m = ss.Model("pair")
    delta, gamma = m.coordinate("delta", inertia=1.0), m.coordinate("gamma", inertia=1.0)
    with refused(words):
        ss.elements.shaft(m, delta, gamma, stiffness=1.0, half_gap=half_gap)
    assert not m.connections


def test_a_shaft_without_play_is_a_plain_spring() -> None:
    m = ss.Model("pair")
    delta, gamma = m.coordinate("delta", inertia=1.0), m.coordinate("gamma", inertia=1.0)
    assert ss.elements.shaft(m, delta, gamma, stiffness=3.0).law == ss.Linear(stiffness=3.0)
    assert ss.elements.shaft(m, delta, gamma, stiffness=3.0, half_gap=0.1).law == ss.Freeplay(
        stiffness=3.0, half_gap=0.1
    )
