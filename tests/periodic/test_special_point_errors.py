"""Special points have an error of their place, which holds against shooting; small folds are kept, ripples are not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import slipstick as ss
from slipstick.results.curve_text import format_special_place
from slipstick.units.number_format import significant_digits
from slipstick.units.scales import NO_SCALE


def wall():
    """NLvib's example 3: two masses and a wall."""
    m = ss.Model("two masses and a wall")
    a, b = (m.coordinate(name, inertia=1.0) for name in "ab")
    m.connect(b - a, ss.Linear(stiffness=1.0, damping=0.03))
    m.connect(b, ss.Linear(stiffness=1.0, damping=0.03))
    m.connect(a, ss.Contact(stiffness=100.0, gap=1.0))
    m.load(b, ss.Cosine(0.1, order=1))
    return m


def contact_and_cubic():
    """Two of its folds are 0.03 % apart."""
    m = ss.Model("contact and cubic spring")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=0.5)
    m.connect(a, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(b - a, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(a, ss.Contact(stiffness=5.0, gap=0.2))
    m.connect(b - a, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    m.load(b, ss.Cosine(0.2, order=1))
    return m


def duffing(load=5.0):
    m = ss.Model("duffing")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0), damping=0.2))
    m.load(x, ss.Cosine(load, order=1))
    return m


def bilinear():
    m = ss.Model("bilinear")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(x, ss.Contact(stiffness=8.0, gap=0.0))
    m.load(x, ss.Cosine(1.0, order=1))
    return m


@cache
def by_shooting(model, between):
    """The curve that others are measured against, once for each model."""
    return model().frequency_response(between=between, method="shooting")


def of(curve):
    """Special points that both methods have, by kind and along the curve."""
    return sorted((s for s in curve.special if s["kind"] != "grazing"), key=lambda s: s["kind"])


@pytest.mark.parametrize(
    ("model", "between", "harmonics"),
    [
        (bilinear, (1.9, 2.8), 5),
        (duffing, (0.6, 2.0), 5),
        (wall, (0.8, 0.5), 41),
        (contact_and_cubic, (0.9, 1.3), 9),
    ],
    ids=["doubling", "pitchforks", "wall", "folds close together"],
)
def test_special_points_of_both_methods_agree_within_their_errors(model, between, harmonics):
    exact = of(by_shooting(model, between))
    found = of(model().frequency_response(between=between, method="harmonic-balance", harmonics=harmonics))
    assert [s["kind"] for s in found] == [s["kind"] for s in exact]
    for own, other in zip(found, exact, strict=True):
        assert abs(own["frequency"] - other["frequency"]) <= own["error"] + other["error"]
        assert 0.0 < own["error"] < 0.15 * own["frequency"]
        assert 0.0 < other["error"] < 1e-4 * other["frequency"]


def test_few_harmonics_at_a_wall_say_how_far_off_their_doublings_are():
    """They are per cents off, as the orbits are not; so are their errors."""
    exact = [s["frequency"] for s in of(by_shooting(wall, (0.8, 0.5)))
             if s["kind"] == "period-doubling"]  # fmt: skip
    curve = wall().frequency_response(between=(0.8, 0.5), method="harmonic-balance", harmonics=21)
    doublings = [s for s in curve.special if s["kind"] == "period-doubling"]
    assert len(doublings) == len(exact) == 2
    for own, place in zip(doublings, exact, strict=True):
        assert 1e-2 < abs(own["frequency"] - place) <= own["error"]
    assert "period-doubling at 0.7, 0.7" in repr(curve)  # no digits that mean nothing


def test_folds_by_harmonic_balance_that_are_close_together_need_no_more_harmonics():
    curve = contact_and_cubic().frequency_response(between=(1.0, 1.2), method="harmonic-balance", harmonics=25)
    folds = [s["frequency"] for s in curve.special if s["kind"] == "fold"]
    assert folds[-2:] == pytest.approx([1.108868, 1.108558], abs=1e-6)  # by shooting
    assert not any("raise harmonics" in note for note in curve.notes)


@pytest.mark.parametrize(("end", "harmonics"), [(1.0, 25), pytest.param(4.0, 40, marks=pytest.mark.long)])
def test_harmonic_balance_goes_on_where_its_first_branch_turns_back_at_a_pitchfork(end, harmonics):
    """As shooting does: along the symmetric branch, with the same branch points."""
    m = duffing(20.0)
    exact, found = (
        m.frequency_response(between=(0.6, end), method=method, harmonics=count)
        for method, count in (("shooting", None), ("harmonic-balance", harmonics))
    )
    assert found.points[-1].p == end
    assert not found.partial
    assert [s["kind"] for s in of(found)] == [s["kind"] for s in of(exact)]
    for own, other in zip(of(found), of(exact), strict=True):
        assert abs(own["frequency"] - other["frequency"]) <= own["error"] + other["error"]
        assert own["error"] < 1e-3


def soft_duffing():
    m = ss.Model("duffing")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.1), damping=0.05))
    m.load(x, ss.Cosine(0.18, order=1))
    return m


def play():
    m = ss.Model("gear with play")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.2, damping=0.08))
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5))
    m.load(x, ss.Cosine(0.2, order=1))
    return m


@pytest.mark.parametrize(("model", "harmonics"), [(play, 5), (play, 9), (soft_duffing, 3), (soft_duffing, 7)])
def test_an_orbit_at_a_fold_has_an_error_that_holds_and_is_bounded(model, harmonics):
    """To first order it would be thousands of times the motion: nothing holds an orbit along a fold."""
    exact = by_shooting(model, (0.6, 1.6))
    curve = model().frequency_response(between=(0.6, 1.6), method="harmonic-balance", harmonics=harmonics)
    for own, other in zip(of(curve), of(exact), strict=True):
        orbit = curve.orbit(own["point"])
        amplitude = float(exact.points[other["point"]].amplitude[0])
        assert orbit.certificate.error < 0.1 * amplitude
        assert abs(float(orbit.point.amplitude[0]) - amplitude) <= orbit.certificate.error


@pytest.mark.long
def test_over_a_parameter_the_error_is_one_of_the_parameter():
    over = {"parameter": "forcing.amplitude", "between": (0.7, 2.4), "frequency": 2.0}
    exact, few = (duffing(0.2).follow(**over, method=method, harmonics=harmonics)
                  for method, harmonics in (("shooting", None), ("harmonic-balance", 3)))  # fmt: skip
    pairs = list(zip(of(few), of(exact), strict=True))
    assert [own["kind"] for own, _ in pairs] == ["fold", "fold"]
    for own, other in pairs:
        assert abs(own["parameter"] - other["parameter"]) <= own["error"] + other["error"] < 0.05 * own["parameter"]


def test_digits_follow_the_error():
    assert [significant_digits(0.7260153, e) for e in (0.03, 4e-4, 1e-12, 2.0, np.nan, np.inf)] == [2, 4, 6, 1, 6, 1]
    assert format_special_place({"parameter": 0.7260153, "error": 0.03}, NO_SCALE) == "0.73"
    assert format_special_place({"parameter": 0.7260153}, NO_SCALE) == "0.726015"  # from a file that knows of no error


@pytest.mark.parametrize("between", [(0.8, 1.0), (1.0, 0.8)])
def test_errors_of_a_narrow_pair_of_doublings_are_not_those_of_the_whole_range(between):
    """The two lie between neighbouring points of the curve, where multipliers at points tell of no crossing."""
    m = ss.Model("one-sided stop")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.08))
    m.connect(x, ss.Contact(stiffness=6.0, gap=0.2))
    m.load(x, ss.Cosine(0.4, order=1))
    exact = [s["frequency"] for s in m.frequency_response(between=between, method="shooting").special
             if s["kind"] == "period-doubling"]  # fmt: skip
    curve = m.frequency_response(between=between, method="harmonic-balance", harmonics=31)
    own = [s for s in curve.special if s["kind"] == "period-doubling"]
    assert len(own) == len(exact) == 2
    for doubling, place in zip(own, exact, strict=True):
        assert abs(doubling["frequency"] - place) <= doubling["error"] < 0.5 * abs(exact[1] - exact[0])


def stop():
    """A mass beside a stiff stop."""
    m = ss.Model("stop")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(x, ss.Contact(stiffness=10.0, gap=0.3))
    m.load(x, ss.Cosine(0.2, order=1))
    return m


@pytest.mark.parametrize(
    ("model", "between", "harmonics"),
    [(stop, (0.4, 1.6), 3), (stop, (0.4, 1.6), 5), (wall, (0.8, 0.5), 5)],
    ids=["stop, 3", "stop, 5", "wall, 5"],
)
def test_few_harmonics_list_no_special_point_that_does_not_exist(model, between, harmonics):
    """Each is one of shooting within its error; multipliers of orbits that are not resolved give none."""
    exact = of(by_shooting(model, between))
    curve = model().frequency_response(between=between, method="harmonic-balance", harmonics=harmonics)
    found = of(curve)
    assert {s["kind"] for s in found} >= {"fold"}
    for own in found:
        offs = [abs(own["frequency"] - each["frequency"]) for each in exact if each["kind"] == own["kind"]]
        assert min(offs, default=np.inf) <= own["error"] + 1e-9
    assert any("special points left out" in note and "raise harmonics" in note for note in curve.notes)


@pytest.mark.parametrize("harmonics", [5, 7])
def test_doublings_that_more_harmonics_do_not_confirm_are_counted_in_a_note_and_not_listed(harmonics):
    """They were listed with an error as wide as the whole curve: up to four, where there are two elsewhere."""
    between = (0.8, 0.5)
    curve = wall().frequency_response(between=between, method="harmonic-balance", harmonics=harmonics)
    assert "period-doubling" not in {s["kind"] for s in curve.special}
    assert all(2.0 * s["error"] < abs(between[1] - between[0]) for s in curve.special)
    assert any("more harmonics do not confirm them" in note and "period-doubling" in note for note in curve.notes)
