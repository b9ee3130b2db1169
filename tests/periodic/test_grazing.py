"""Grazes are located where closed forms have them, by few orbits, and name their connection."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.periodic.continuation import curve_segment
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.periodic.shooting.symmetric_family import SymmetricShooting
from slipstick.periodic.stability import special_points


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
    solved, correct = [], curve_segment.correct
    monkeypatch.setattr(curve_segment, "correct", lambda *given, **named: solved.append(1) or correct(*given, **named))
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


def failing_near(monkeypatch, places, width):
    """Let every orbit near some frequencies fail, just before it is found; a list that gets an entry for each."""
    failed, corrected = [], Shooting.corrected

    def is_near(p):
        return np.abs(np.asarray(places) - p).min() < width

    def broken(linearise):
        def at(self, x, p):
            found = linearise(self, x, p)
            if is_near(p) and np.abs(found.residual).max() < 1e-7:
                failed.append(p)
                raise NotConverged("events pile up")
            return found

        return at

    def not_quickly(self, guess, plane, rough=False):
        found = corrected(self, guess, plane, rough)
        return None if found is not None and is_near(found.p) else found

    for kind in (Shooting, SymmetricShooting):
        monkeypatch.setattr(kind, "linearise", broken(kind.linearise))
    monkeypatch.setattr(Shooting, "corrected", not_quickly)
    return failed


def test_a_graze_beside_which_orbits_fail_takes_few_of_them_and_is_told_with_its_interval(monkeypatch):
    """Such an orbit may take seconds: Newton's step is not tried again and again for it."""
    curve, place = two_gaps().frequency_response(between=(0.3, 2.5)), reaches(1.0)[0]
    failed = failing_near(monkeypatch, [place], 1e-4)
    found = {s["frequency"]: s for s in curve.special}
    assert len(failed) <= 8
    assert [s["located"] for s in found.values()].count(False) == 1
    (rough,) = (s for s in found.values() if not s["located"])
    assert rough["connection"] == "near stop"
    assert abs(rough["frequency"] - place) <= rough["width"]
    assert 1e-4 <= rough["width"] < 0.1


def test_after_many_orbits_in_vain_the_other_grazes_of_a_curve_are_told_by_their_interval(monkeypatch):
    curve = two_gaps().frequency_response(between=(0.3, 2.5))
    places = sorted(reaches(1.0) + reaches(2.0))
    failing_near(monkeypatch, places[:1], 1e-4)
    monkeypatch.setattr(special_points, "MAX_FAILED_ORBITS", 1)
    found = sorted(curve.special, key=lambda s: s["frequency"])
    assert [s["located"] for s in found] == [False] * 4
    for s, place in zip(found, places, strict=True):
        assert abs(s["frequency"] - place) <= s["width"]


@pytest.mark.parametrize("between", [(1.0, 0.2), (0.2, 1.0)])
def test_a_period_that_begins_in_slip_has_no_event_at_its_begin(between):
    """A slider that slips in both directions at both ends does so twice a period all the way: nothing grazes."""
    m = ss.Model("slider")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5), name="slider")
    m.load(x, ss.Cosine(1.0, order=1))
    curve = m.follow("slider.stiffness", between=between, frequency=1.0)
    assert curve.points[-1].p == between[1]
    assert [s for s in curve.special if s["kind"] == "grazing"] == []


def test_grazes_of_a_curve_that_was_interrupted_are_told_by_their_interval_without_another_orbit(monkeypatch):
    """Who presses Ctrl-C does not wait for them."""

    def impatient(_, frequency):
        if frequency > 0.5 * sum(reaches(1.0)):
            raise KeyboardInterrupt

    with pytest.raises(NotConverged) as stopped:
        two_gaps().frequency_response(between=(0.3, 2.5), progress=impatient)
    solved, correct = [], curve_segment.correct
    monkeypatch.setattr(curve_segment, "correct", lambda *given, **named: solved.append(1) or correct(*given, **named))
    (found,) = stopped.value.partial.special
    assert (found["connection"], found["located"], solved) == ("near stop", False, [])
    assert abs(found["frequency"] - reaches(1.0)[0]) <= found["width"]
    assert any("as the curve was interrupted" in note for note in stopped.value.partial.notes)


def den_hartog(stiffness: float, load: float, limit: float, low: float, high: float) -> float:
    """[rad/s] where an oscillator of mass one, under dry friction alone, ceases to stick at its turning points.

    Sliding without a stop its amplitude is a^2 = (A V)^2 - (f U)^2 with A = load / k, f = limit / k, r = w / sqrt(k),
    V = 1 / (1 - r^2), U = tan(pi / 2 r) / r (Den Hartog 1931); it turns at once where a r^2 > f.
    """

    def excess(w: float) -> float:
        r = w / math.sqrt(stiffness)
        v, u = 1.0 / (1.0 - r * r), math.tan(math.pi / (2.0 * r)) / r
        return math.sqrt((load * v) ** 2 - (limit * u) ** 2) * r * r - limit

    return float(brentq(excess, low, high, xtol=1e-14))


def test_where_a_stick_begins_in_the_turn_of_a_sliding_there_is_one_graze_and_it_lies_where_den_hartog_has_it():
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=2.0), name="spring")
    m.connect(x, ss.DryFriction(limit=0.6), name="ground")
    m.load(x, ss.Cosine(1.0, order=1))
    found = [s for s in m.frequency_response(between=(1.3, 0.7)).special if s["kind"] == "grazing"]
    assert [s["frequency"] for s in found] == pytest.approx([den_hartog(2.0, 1.0, 0.6, 0.85, 1.1)], rel=1e-8)
    assert found[0]["located"]
