"""Multipliers that cross the unit circle and come back between two points of a curve, and those that only seem to."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.analytic_families import Equation, plain_point

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.curve_trace import solve_at_values
from slipstick.periodic.multipliers import critical_multiplier, multipliers_of
from slipstick.periodic.stability.special_points import special_points_of


class Bump(Equation):
    """x = p, with two multipliers of modulus 1 + height (1 - ((p - 1)/width)^2)/(1 + ((p - 1)/width)^2) at an angle."""

    def __init__(self, height, width, angle):
        super().__init__(lambda x, p: x - p, lambda _x, _p: 1.0, lambda _x, _p: -1.0, guess=lambda p: p)
        self.height, self.width, self.angle, self.looks = height, width, angle, 0

    def point(self, x, p):
        self.looks += 1
        off = ((p - 1.0) / self.width) ** 2
        size = 1.0 + self.height * (1.0 - off) / (1.0 + off)
        return plain_point(x, p, size * np.exp(1j * self.angle * np.array([1.0, -1.0])))


def looked_at(family, places):
    traced = solve_at_values(family, places)
    traced.along = True
    return special_points_of(traced)


@pytest.mark.parametrize("height", [0.05, -0.05])
def test_a_pair_that_crosses_and_comes_back_between_two_points_is_found(height):
    """At 1 - width and 1 + width; the points beside both lie on the same side of the circle."""
    found = looked_at(Bump(height, 0.1, 1.2), [0.2, 0.5, 0.85, 1.13, 1.4, 1.8])
    kinds = [(s["kind"], s["angle"]) for s in found.special]
    assert kinds == [("neimark-sacker", pytest.approx(1.2))] * 2
    assert [s["frequency"] for s in found.special] == pytest.approx([0.9, 1.1], abs=1e-8)
    first, last = (s["point"] for s in found.special)
    between = found.points[first + 1 : last]
    assert between, "what stability is between the two is on the curve"
    assert all(point.stable is (height < 0.0) for point in between)


def test_two_at_minus_one_that_cross_and_come_back_are_told():
    found = looked_at(Bump(0.05, 0.1, np.pi), [0.2, 0.5, 0.85, 1.13, 1.4, 1.8])
    assert [s["frequency"] for s in found.special] == pytest.approx([0.9, 1.1], abs=1e-8)


def test_multipliers_that_stay_away_from_the_circle_cost_no_orbits():
    family = Bump(-0.05, 10.0, 1.2)  # it would cross far outside
    found = looked_at(family, np.linspace(0.2, 1.8, 9))
    assert found.special == []
    assert family.looks == 9


def test_the_free_train_is_stable_for_a_while_between_two_points_of_its_curve():
    """By both methods the same: they take other steps, so that one saw what the other missed."""
    m = ss.Model("train")
    a, b, c = (m.coordinate(name, inertia=inertia) for name, inertia in (("a", 1.0), ("b", 2.0), ("c", 1.5)))
    m.connect(a - b, ss.Freeplay(stiffness=10.0, half_gap=0.05, damping=0.2))
    m.connect(b - c, ss.Linear(stiffness=5.0, damping=0.1))
    m.load(a, ss.Constant(0.1) + ss.Cosine(1.0, order=1))
    m.load(c, ss.Constant(-0.1))
    places = []
    for options in ({"method": "shooting"}, {"method": "harmonic-balance", "harmonics": 31}):
        curve = m.frequency_response(between=(3.4, 2.5), **options)
        places.append([s["frequency"] for s in curve.special if s["kind"] == "neimark-sacker" and s["frequency"] < 2.8])
    exact, balanced = places
    assert len(exact) == 2
    assert balanced == pytest.approx(exact, abs=5e-4)
    stable = m.periodic(frequency=0.5 * sum(exact), method="shooting")
    assert stable.stable


def test_few_harmonics_do_not_make_a_branch_point_of_a_wrong_multiplier():
    """Duffing's curve has two folds and is crossed nowhere; with one harmonic a multiplier passes one elsewhere."""
    m = ss.Model("hardening")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.5), damping=0.1))
    m.load(x, ss.Cosine(0.5, order=1))
    for harmonics in (1, 2, 3, 7):
        curve = m.frequency_response(between=(0.5, 2.5), method="harmonic-balance", harmonics=harmonics)
        assert [s["kind"] for s in curve.special] == ["fold", "fold"]
        told = " ".join(curve.notes)
        assert ("a multiplier passes 1 at 1.71" in told) is (harmonics < 3)
        assert ("may be wrong; raise harmonics=" in told) is (harmonics < 3)
        assert ("error above 10 % of their motion" in told) is (harmonics < 3)


def test_unknown_multipliers_have_no_critical_one():
    """Harmonic balance states none where its steps do not resolve them; a note had "argmin of an empty sequence"."""
    with pytest.raises(NotConverged, match="multipliers there are not known"):
        critical_multiplier(np.zeros(0, dtype=complex), 0)


class CrossingInTheMiddle(Equation):
    """x = p; a pair leaves the unit circle at p = 1 exactly, another bends beside -1 and is looked at there."""

    def __init__(self):
        super().__init__(lambda x, p: x - p, lambda _x, _p: 1.0, lambda _x, _p: -1.0, guess=lambda p: p)

    def point(self, x, p):
        pair, bent = (1.3 - 0.3 * p) * np.exp(2.0j), (2.5 * (p - 1.0) ** 2 - 0.8) * np.exp(0.05j)
        return plain_point(x, p, np.array([pair, pair.conjugate(), bent, bent.conjugate()]))


def test_a_pair_on_the_circle_at_a_place_that_is_looked_at_is_not_lost():
    """The place belonged to neither of the parts beside it."""
    found = looked_at(CrossingInTheMiddle(), [0.6, 0.8, 1.2, 1.4])
    assert [(s["kind"], s["frequency"]) for s in found.special] == [("neimark-sacker", pytest.approx(1.0, abs=1e-8))]


def test_a_derivative_that_is_not_finite_is_refused_in_silence(capfd):
    """LAPACK printed an error."""
    with pytest.raises(NotConverged, match="derivative is not finite"):
        multipliers_of(np.array([[1.0, np.nan], [0.0, 1.0]]))
    assert capfd.readouterr() == ("", "")
