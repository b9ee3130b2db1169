"""Grazes over a second parameter, against the closed form of motions that just reach a gap."""

from __future__ import annotations

import pytest
from models import DUFFING, one_mass

import slipstick as ss

STIFFNESS, DAMPING, HALF_GAP = 0.2, 0.08, 0.5


def gear(load=0.2, mean=0.0):
    laws = {
        "shaft": ss.Linear(stiffness=STIFFNESS, damping=DAMPING),
        "mesh": ss.Freeplay(stiffness=1.0, half_gap=HALF_GAP),
    }
    return one_mass(laws, ss.Cosine(load, order=1) + ss.Constant(mean), name="gear")


def grazes(curve):
    return [s for s in curve.special if s["kind"] == "grazing"]


def resistance(omega):
    return abs(STIFFNESS - omega**2 + 1j * DAMPING * omega)


def test_the_graze_of_a_gap_is_where_the_linear_amplitude_is_half_the_gap():
    curve = gear().frequency_response(between=(0.6, 1.6))
    found = curve.track(grazes(curve)[0], "forcing.amplitude", between=(0.1, 0.4))
    assert {found.points[0].second, found.points[-1].second} == {0.1, 0.4}
    assert len(found) > 5
    for point in found.points:
        assert HALF_GAP * resistance(point.frequency) == pytest.approx(point.second, abs=1e-8)


def test_the_graze_turns_at_resonance_where_the_load_is_least():
    curve = gear(0.02).frequency_response(between=(0.4, 0.5))
    found = curve.track(max(grazes(curve), key=lambda s: s["frequency"]), "forcing.amplitude", between=(0.01, 0.025))
    (turn,) = found.special
    resonance = (STIFFNESS - 0.5 * DAMPING**2) ** 0.5
    assert turn["kind"] == "turn"
    assert turn["frequency"] == pytest.approx(resonance, abs=1e-7)
    assert turn["forcing.amplitude"] == pytest.approx(HALF_GAP * resistance(resonance), abs=1e-9)


@pytest.mark.long
def test_a_graze_over_the_gap_itself_moves_with_it():
    curve = gear(mean=0.02).frequency_response(between=(0.6, 1.6))
    found = curve.track(grazes(curve)[-1], "mesh.half_gap", between=(0.4, 0.6))
    for point in found.points:  # one side is reached first
        assert 0.02 / STIFFNESS + 0.2 / resistance(point.frequency) == pytest.approx(point.second, abs=1e-8)


def test_grazes_that_cannot_be_followed_are_refused(refused):
    laws = {"spring": ss.Linear(stiffness=1.0, damping=0.1), "slider": ss.Jenkins(stiffness=1.0, limit=0.5)}
    curve = one_mass(laws, ss.Cosine(0.5, order=1)).frequency_response(between=(0.5, 2.5))
    with refused("not followed"):
        curve.track(grazes(curve)[0], "forcing.amplitude", (0.4, 0.6))
    m = one_mass({"spring": DUFFING}, ss.Cosine(0.2, order=1))
    assert not grazes(m.frequency_response(between=(0.5, 0.6)))
