"""Grazes are located where closed forms have them, by few orbits, and name their connection."""

import math

import pytest

import slipstick as ss
from slipstick.periodic import stretch


def two_gaps() -> ss.Model:
    """Two oscillators side by side, each within a gap of its own."""
    m = ss.Model("two gaps")
    for name, stiffness in (("near", 1.0), ("far", 2.0)):
        x = m.coordinate(name, inertia=1.0)
        m.connect(x, ss.Linear(stiffness=stiffness, damping=0.4), name=f"{name} spring")
        m.connect(x, ss.Freeplay(stiffness=0.3, half_gap=0.5), name=f"{name} stop")
        m.load(x, ss.Cosine(0.3, order=1))
    return m


def reaches(stiffness: float) -> list[float]:
    """[rad/s] where the linear oscillator has an amplitude of 0.5: (k - w^2)^2 + (c w)^2 = (f / 0.5)^2."""
    half = stiffness - 0.5 * 0.4**2
    root = math.sqrt(half**2 - stiffness**2 + (0.3 / 0.5) ** 2)
    return [math.sqrt(half - root), math.sqrt(half + root)]


def test_grazes_lie_where_the_linear_amplitude_is_the_gap_and_name_the_stop():
    found = [s for s in two_gaps().frequency_response(between=(0.3, 2.5)).special if s["kind"] == "grazing"]
    for name, stiffness in (("near", 1.0), ("far", 2.0)):
        own = sorted(s["frequency"] for s in found if s["connection"] == f"{name} stop")
        assert own == pytest.approx(reaches(stiffness), rel=1e-8)
    assert len(found) == 4


def test_a_graze_takes_few_orbits(monkeypatch):
    curve = two_gaps().frequency_response(between=(0.3, 2.5))
    solved, correct = [], stretch.correct
    monkeypatch.setattr(stretch, "correct", lambda *given: solved.append(1) or correct(*given))
    assert len(curve.special) == 4
    assert len(solved) <= 4 * 15  # halves would take 4 x 28


def test_a_slider_and_a_contact_that_begin_to_slip_are_named():
    m = ss.Model("joints")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5), name="slider")
    m.connect(y - x, ss.Linear(stiffness=1.0, damping=0.1), name="between")
    m.connect(y - x, ss.Jenkins(stiffness=1.0, limit=50.0), name="stuck")
    m.load(x, ss.Cosine(0.3, order=1))
    found = [s for s in m.frequency_response(between=(0.3, 3.0)).special if s["kind"] == "grazing"]
    assert {s["connection"] for s in found} == {"slider"}
