"""Folds, period doublings, Neimark-Sacker points, branch points and grazes are found where they are known to be."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.analytic_families import (
    Duffing,
    Equation,
    Neutral,
    Stubborn,
    circle,
    corner,
    cubic,
    delayed_logistic,
    logistic,
    plain_point,
)

from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.branches.switching import switch_branch
from slipstick.periodic.continuation.curve_trace import solve_at_values, trace_curve
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.stability.special_points import special_points_of


def places(found, kind):
    return [s["parameter"] for s in found.special if s["kind"] == kind]


def test_folds_of_a_cubic_are_at_plus_and_minus_two():
    found = special_points_of(trace_curve(cubic(), (-10.0, 10.0)))
    assert places(found, "fold") == pytest.approx([2.0, -2.0], abs=1e-12)
    at = [found.points[s["point"]].x[0] for s in found.special if s["kind"] == "fold"]
    assert at == pytest.approx([-1.0, 1.0], abs=1e-8)


def test_a_special_point_is_a_point_of_the_curve_between_its_neighbours():
    traced = trace_curve(cubic(), (-10.0, 10.0))
    found = special_points_of(traced)
    assert len(found.points) == len(traced.points) + len(found.special)
    x = np.array([point.x[0] for point in found.points])
    assert np.all(np.diff(x) > 0.0)
    for s in found.special:
        point = found.points[s["point"]]
        assert (point.p, point.frequency) == (s["parameter"], s["frequency"])


def test_folds_of_a_circle_are_its_sides():
    found = special_points_of(trace_curve(circle(radius=0.7, centre=2.0), (0.0, 4.0), start=([0.7], 2.0)))
    assert sorted(places(found, "fold")) == pytest.approx([1.3, 2.7], abs=1e-12)


class Listed(Equation):
    """x = p, with multipliers that are functions of p."""

    def __init__(self, multipliers):
        super().__init__(lambda x, p: x - p, lambda *_: 1.0, lambda *_: -1.0)
        self.multipliers = multipliers

    def point(self, x, p):
        return plain_point(x, p, self.multipliers(p))


@pytest.mark.parametrize("angle", [np.pi, 3.0, 2.0, 0.3])
def test_a_pair_through_the_unit_circle_is_found_at_any_angle_and_minus_one_is_one(angle):
    pair = Listed(lambda p: p * np.exp(1j * np.array([angle, -angle])))
    found = special_points_of(trace_curve(pair, (0.5, 1.6)))
    assert [s["kind"] for s in found.special] == ["neimark-sacker"]
    assert found.special[0]["parameter"] == pytest.approx(1.0, abs=1e-9)
    assert found.special[0]["angle"] == pytest.approx(angle, abs=1e-9)


def test_two_multipliers_through_minus_one_in_one_step_are_no_pair():
    found = special_points_of(trace_curve(Listed(lambda p: -np.array([p, p - 0.02])), (0.5, 1.6)))
    kinds = {s["kind"] for s in found.special}
    assert kinds == {"period-doubling"}
    assert places(found, "period-doubling") == pytest.approx([1.0, 1.02], abs=1e-9)


def exact_folds(family):
    """Both fold frequencies of the closed form: dW/dR = 0 on (1 + 3/4 b R - W)^2 + 4 z^2 W = f^2 / R, by bisection."""
    z, b, force = family.z, family.b, family.force

    def slope(r2, side):
        k, g = 1.0 + 0.75 * b * r2, 0.75 * b
        half = k - 2.0 * z**2
        root = np.sqrt(half**2 - k**2 + force**2 / r2)
        return g + side * 0.5 * (2.0 * half * g - 2.0 * k * g - force**2 / r2**2) / root, half + side * root

    # the peak, where both frequencies of an amplitude meet, bounds the branches: half^2 - k^2 + f^2 / R = 0
    low, high = 1e-6, 1e3
    for _ in range(200):
        middle = 0.5 * (low + high)
        k = 1.0 + 0.75 * b * middle
        inside = (k - 2.0 * z**2) ** 2 - k**2 + force**2 / middle > 0.0
        low, high = (middle, high) if inside else (low, middle)
    peak = low
    folds = []
    grid = np.concatenate([np.linspace(1e-3, 0.999, 4000) * peak, peak * (1.0 - np.logspace(-3, -12, 4000))])
    signs = np.array([slope(r2, 1.0)[0] for r2 in grid])
    for i in np.flatnonzero(signs[1:] * signs[:-1] < 0.0):
        a, c = grid[i], grid[i + 1]
        for _ in range(200):
            m = 0.5 * (a + c)
            a, c = (m, c) if slope(m, 1.0)[0] * slope(a, 1.0)[0] > 0.0 else (a, m)
        folds.append(float(np.sqrt(slope(0.5 * (a + c), 1.0)[1])))
    return sorted(folds)


@pytest.mark.parametrize(("damping", "force"), [(0.05, 0.3), (0.02, 0.1), (0.1, 1.0)])
def test_duffing_folds_are_those_of_the_closed_form_in_both_directions(damping, force):
    family = Duffing(damping=damping, force=force)
    expected = exact_folds(family)
    assert len(expected) == 2
    for between in ((0.3, 4.0), (4.0, 0.3)):
        found = special_points_of(trace_curve(family, between))
        assert sorted(places(found, "fold")) == pytest.approx(expected, abs=1e-8)


def test_duffing_is_unstable_between_its_folds_and_stable_elsewhere():
    found = special_points_of(trace_curve(Duffing(), (0.3, 2.5)))
    a, b = (s["point"] for s in found.special)
    assert all(point.stable for point in (*found.points[:a], *found.points[b + 1 :]))
    assert not any(point.stable for point in found.points[a + 1 : b])


@pytest.mark.parametrize("slope", [0.5, 5.0, 500.0])
def test_a_fold_that_is_a_corner_is_located(slope):
    found = special_points_of(trace_curve(corner(slope), (0.0, 2.0)))
    assert places(found, "fold") == pytest.approx([1.0], abs=1e-8)


def test_a_sharp_corner_between_curved_branches_is_located():
    # p = x + 0.3 (x - 1)^2, then 1 - 20 (x - 1) - 2 (x - 1)^2
    family = Equation(
        lambda x, p: p - (x + 0.3 * (x - 1.0) ** 2 if x < 1.0 else 1.0 - 20.0 * (x - 1.0) - 2.0 * (x - 1.0) ** 2),
        lambda x, _: -(1.0 + 0.6 * (x - 1.0)) if x < 1.0 else 20.0 + 4.0 * (x - 1.0),
        lambda *_: 1.0,
        guess=lambda p: p,
    )
    assert places(special_points_of(trace_curve(family, (0.4, 2.0))), "fold") == pytest.approx([1.0], abs=1e-8)


# ---- multipliers


def test_the_logistic_map_doubles_its_period_at_three():
    found = special_points_of(trace_curve(logistic(), (1.5, 3.6)))
    assert places(found, "period-doubling") == pytest.approx([3.0], abs=1e-9)
    assert len(found.special) == 1
    point = found.points[found.special[0]["point"]]
    assert point.multipliers[0] == pytest.approx(-1.0, abs=1e-8)


def test_the_cascade_is_followed_by_switching_branches():
    within, family = ParameterRange(1.5, 3.56), logistic()
    found = special_points_of(trace_curve(family, (1.5, 3.56)))
    cascade = []
    for _ in range(3):
        (place,) = (s for s in found.special if s["kind"] == "period-doubling")
        cascade.append(place["parameter"])
        family = family.doubled()
        found = special_points_of(switch_branch(family, found.points[place["point"]].x, place["parameter"], within))
    # the third is a root of a polynomial of degree twelve (Bailey, Borwein, Kapustin, Weisstein 2006)
    assert cascade == pytest.approx([3.0, 1.0 + np.sqrt(6.0), 3.5440903595519], abs=1e-8)


def test_the_orbit_of_two_is_the_one_in_closed_form():
    traced = switch_branch(logistic().doubled(), np.array([2.0 / 3.0]), 3.0, ParameterRange(1.5, 3.4))
    assert traced.points[0].p == 3.0
    assert traced.points[-1].p == 3.4
    assert special_points_of(traced).special == []  # nor is the point it leaves from
    for point in traced.points[1:]:
        p = point.p
        both = (p + 1.0 + np.array([-1.0, 1.0]) * np.sqrt((p - 3.0) * (p + 1.0))) / (2.0 * p)
        assert np.abs(both - point.x[0]).min() < 1e-10


def test_the_delayed_logistic_map_loses_a_pair_at_two_and_sixty_degrees():
    found = special_points_of(trace_curve(delayed_logistic(), (1.2, 2.5)))
    (place,) = found.special
    assert place["kind"] == "neimark-sacker"
    assert place["parameter"] == pytest.approx(2.0, abs=1e-8)
    assert place["angle"] == pytest.approx(np.pi / 3.0, abs=1e-7)


def test_a_multiplier_of_one_for_ever_is_no_special_point():
    plain, neutral = (
        special_points_of(trace_curve(family, (1.2, 2.5))) for family in (Duffing(), Neutral(Duffing(), 0.2))
    )
    assert places(plain, "fold") == pytest.approx(places(neutral, "fold"), abs=1e-9)
    assert len(plain.special) == len(neutral.special) == 2


def pitchfork():
    """p x - x^3 = 0 beside the map x - (x^3 - p x): the branch x = 0 is left at p = 0 by x = +-sqrt(p)."""
    return Equation(lambda x, p: x**3 - p * x, lambda x, p: 3.0 * x**2 - p, lambda x, _: -x)


def test_a_pitchfork_is_a_branch_point_and_is_switched_at():
    family = pitchfork()
    found = special_points_of(trace_curve(family, (-0.5, 0.5)))
    (place,) = found.special
    assert place["kind"] == "branch-point"
    assert place["parameter"] == pytest.approx(0.0, abs=1e-8)
    branch = switch_branch(family, found.points[place["point"]].x, place["parameter"], ParameterRange(-0.5, 0.5))
    assert branch.points[-1].p == 0.5
    assert special_points_of(branch).special == []
    assert abs(branch.points[-1].x[0]) == pytest.approx(np.sqrt(0.5), abs=1e-10)


def test_a_branch_that_cannot_be_followed_is_kept_with_the_point_it_leaves_from():
    family = Stubborn(logistic().doubled(), lambda _x, p: p > 3.2)
    with pytest.raises(NotConverged) as caught:
        switch_branch(family, np.array([2.0 / 3.0]), 3.0, ParameterRange(1.5, 3.4))
    assert caught.value.partial.points[0].p == 3.0
    assert caught.value.partial.points[-1].p == pytest.approx(3.2, abs=1e-6)


def test_where_no_branch_starts_switching_is_refused(refused):
    with refused("no other branch crosses at 2.5", "curve.special", error=InvalidInput):
        switch_branch(logistic(2), np.array([0.6]), 2.5, ParameterRange(1.5, 3.6))


def test_a_branch_that_lies_outside_the_range_is_told_so():
    """The branch x = +-sqrt(p) of the pitchfork is at positive p only."""
    with pytest.raises(NotConverged, match=r"the last: the step led to 1e-08, outside -0\.5 to 0$"):
        switch_branch(pitchfork(), np.zeros(1), 0.0, ParameterRange(-0.5, 0.0))


def test_a_fold_has_one_branch_alone_which_is_seen_to_turn_away():
    """x^2 = p / 40000: at x = -1e-4 the slope dp/dx is -8, in units of the range of two -4, at an angle of atan(4)."""
    family = Equation(lambda x, p: x**2 - p / 4e4, lambda x, _: 2.0 * x, lambda *_: -1.0 / 4e4)
    with pytest.raises(NotConverged, match=rf"the last: .* turns by {np.arctan(4.0):.2g} rad \(limit 1\.2\)$"):
        switch_branch(family, np.zeros(1), 0.0, ParameterRange(-1.0, 1.0))


def test_derivatives_that_are_no_numbers_where_a_branch_is_looked_for():
    family = Equation(lambda x, _: x, lambda *_: np.nan, lambda *_: 0.0)
    with pytest.raises(NotConverged, match=r"derivatives of the orbit at 0\.25 are not finite"):
        switch_branch(family, np.zeros(1), 0.25, ParameterRange(0.0, 1.0))


# ---- events


def test_grazes_are_located_one_after_the_other():
    # events appear at x = 0.31 and at 0.33, closer together than a step
    family = Equation(
        lambda x, p: x - p, lambda *_: 1.0, lambda *_: -1.0, events=lambda x, _: 2 * (x > 0.31) + 2 * (x > 0.33)
    )
    found = special_points_of(trace_curve(family, (0.0, 1.0)))
    assert [s["kind"] for s in found.special] == ["grazing", "grazing"]
    assert places(found, "grazing") == pytest.approx([0.31, 0.33], abs=1e-8)


def test_points_that_were_only_visited_have_nothing_between_them():
    found = special_points_of(solve_at_values(logistic(), [2.0, 2.5, 3.3]))
    assert found.special == []
    assert [point.p for point in found.points] == [2.0, 2.5, 3.3]


def test_points_tell_the_steps_and_the_residual_of_their_solution():
    traced = trace_curve(Duffing(), (0.3, 1.0))
    found = special_points_of(traced)
    assert [point.iterations for point in found.points] == [point.iterations for point in traced.points]
    assert all(point.residual <= 1e-12 for point in found.points)
