"""Where branches cross they are told from folds, passed straight through, switched at, and led to the end by."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.analytic_families import Equation

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.periodic.branches.branch_points import branch_points_of
from slipstick.periodic.branches.switching import switch_branch, trace_through_branch_points
from slipstick.periodic.continuation.corrector import CurvePoint
from slipstick.periodic.continuation.curve_segment import CurveSegment
from slipstick.periodic.continuation.curve_trace import trace_curve, trace_timed
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.stability.special_points import special_points_of
from slipstick.results.curve import Curve, CurveStats


def places(found, kind):
    return [s["parameter"] for s in found.special if s["kind"] == kind]


def pitchfork(guess):
    """x (x^2 - p) = 0: x = 0 is crossed at p = 0 by p = x^2."""
    return Equation(lambda x, p: x**3 - p * x, lambda x, p: 3.0 * x**2 - p, lambda x, _: -x, guess=guess)


def bubble(height):
    """x (x^2 - h (p - 1) (2 - p)) = 0: an ellipse crosses x = 0 at p = 1 and at p = 2."""
    return Equation(
        lambda x, p: x**3 - height * (p - 1.0) * (2.0 - p) * x,
        lambda x, p: 3.0 * x**2 - height * (p - 1.0) * (2.0 - p),
        lambda x, p: -height * (3.0 - 2.0 * p) * x,
    )


def test_a_branch_that_turns_where_another_crosses_has_a_branch_point_and_no_fold():
    found = special_points_of(trace_curve(pitchfork(np.sqrt(0.5)), (0.5, -0.5)))
    assert [s["kind"] for s in found.special] == ["branch-point"]
    assert places(found, "branch-point") == pytest.approx([0.0], abs=1e-10)
    assert found.points[-1].x[0] == pytest.approx(-np.sqrt(0.5), abs=1e-10)


def test_a_pitchfork_that_is_not_quite_one_has_a_fold():
    """x^3 - p x = e: dp/dx = 0 at x = -(e / 2)^(1/3), where p = 3 (e / 2)^(2/3)."""
    e = 1e-3
    family = Equation(lambda x, p: x**3 - p * x - e, lambda x, p: 3.0 * x**2 - p, lambda x, _: -x, guess=-0.7)
    found = special_points_of(trace_curve(family, (0.5, -0.5)))
    assert places(found, "branch-point") == []
    assert places(found, "fold") == pytest.approx([3.0 * (e / 2.0) ** (2.0 / 3.0)], abs=1e-9)


def test_a_curve_that_would_turn_back_at_a_branch_point_goes_on_to_its_end():
    traced = trace_through_branch_points(pitchfork(np.sqrt(0.5)), (0.5, -0.5))
    assert (traced.points[0].p, traced.points[-1].p, traced.missed) == (0.5, -0.5, "")
    for point in traced.points:
        expected = np.sqrt(point.p) if point.p > 0.0 else 0.0
        assert abs(point.x[0]) == pytest.approx(expected, abs=1e-5)
    assert "turns back at" in traced.notes[-1]
    found = special_points_of(traced)
    assert [s["kind"] for s in found.special] == ["branch-point"]
    assert places(found, "branch-point") == pytest.approx([0.0], abs=1e-10)


def test_what_is_interrupted_beyond_the_branch_point_keeps_both_parts():
    def impatient(point):
        if point.p < -0.1:
            raise KeyboardInterrupt

    with pytest.raises(NotConverged, match="interrupted") as caught:
        trace_through_branch_points(pitchfork(np.sqrt(0.5)), (0.5, -0.5), watch=impatient)
    assert caught.value.interrupted
    part = caught.value.partial
    assert part.points[0].p == 0.5
    assert part.points[-1].p < 0.0
    assert part.ended == "interrupted"


def test_a_curve_through_an_orbit_that_was_given_stays_on_its_branch():
    traced = trace_through_branch_points(pitchfork(0.0), (0.5, -0.5), start=([0.5], 0.25))
    assert traced.points[0].p == traced.points[-1].p == 0.5
    assert "-0.5 was not reached" in traced.missed


def test_a_curve_that_did_not_get_to_its_end_is_partial():
    family = Equation(lambda x, p: p - 1.0 + x**2, lambda x, _: 2.0 * x, lambda *_: 1.0, guess=1.0)  # p = 1 - x^2
    stats = CurveStats("shooting")
    traced, failure = trace_timed(lambda: trace_through_branch_points(family, (0.0, 3.0)), stats)
    assert failure is None
    assert "3 was not reached" in stats.ended
    assert "PARTIAL: the curve turned back" in repr(Curve(special_points_of(traced), None, stats, oscillator_names()))


def oscillator_names():
    from slipstick.results.run import Names

    return Names.of(hard_stops())


@pytest.mark.parametrize("height", [1e-2, 0.1, 1.0])
@pytest.mark.parametrize("between", [(0.0, 3.0), (3.0, 0.0)])
def test_a_bubble_is_passed_straight_through_and_switched_to_from_both_its_ends(height, between):
    family = bubble(height)
    found = special_points_of(trace_curve(family, between))
    assert sorted(places(found, "branch-point")) == pytest.approx([1.0, 2.0], abs=1e-8)
    assert max(abs(point.x[0]) for point in found.points) < 1e-12
    for s in found.special:
        beside = tuple(np.append(found.points[s["point"] + k].x, found.points[s["point"] + k].p) for k in (-1, 1))
        branch = switch_branch(
            family, found.points[s["point"]].x, s["parameter"], ParameterRange(*between), beside=beside
        )
        assert branch.closed
        for point in branch.points[1:]:
            square = height * (point.p - 1.0) * (2.0 - point.p)
            assert point.x[0] ** 2 == pytest.approx(square, abs=2.0 * family.tolerance / abs(point.x[0]))
        kinds = {each["kind"] for each in special_points_of(branch).special}
        assert kinds == {"branch-point"}


# ---- of models


def hard_stops():
    m = ss.Model("hard stops")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05), name="spring")
    m.connect(x, ss.Freeplay(stiffness=50.0, half_gap=1.0), name="stops")
    m.load(x, ss.Cosine(0.3, order=1))
    return m


@pytest.fixture(scope="module")
def both_ways():
    return [hard_stops().frequency_response(between=between) for between in ((0.5, 4.0), (4.0, 0.5))]


def test_a_symmetric_response_is_the_same_from_either_end(both_ways):
    up, down = both_ways
    for kind, count in (("branch-point", 2), ("fold", 2), ("grazing", 2)):
        assert len(places(up, kind)) == count
        assert sorted(places(up, kind)) == pytest.approx(sorted(places(down, kind)), abs=1e-8)
    assert up.notes == down.notes == ()


def test_the_mean_of_a_symmetric_response_is_zero_within_the_error_that_is_told(both_ways):
    for curve in both_ways:
        for point in curve.points:
            assert abs(point.mean[0]) <= point.error + 1e-14
        assert curve.error < 1e-8


def test_asymmetric_responses_are_switched_to_from_both_branch_points_and_back(both_ways):
    up = both_ways[0]
    ends = places(up, "branch-point")
    for s in (each for each in up.special if each["kind"] == "branch-point"):
        branch = up.switch(s)
        assert branch.stats.closed
        assert np.abs(branch.data["mean"].values).max() > 0.01
        assert places(branch, "fold") == []
        assert sorted(places(branch, "branch-point")) == pytest.approx(ends, abs=1e-7)
        back = branch.switch(next(each for each in branch.special if each["kind"] == "branch-point"))
        assert np.abs(back.data["mean"].values).max() < 1e-8
        assert back.points[-1].p in (0.5, 4.0)


def test_a_response_that_begins_on_an_asymmetric_branch_shows_the_resonance():
    m = ss.Model("gear with play")
    x = m.coordinate("x", inertia=1.2)
    m.connect(x, ss.Linear(stiffness=2e3, damping=8.0), name="shaft")
    m.connect(x, ss.Freeplay(stiffness=1e4, half_gap=0.5e-3), name="mesh")
    m.load(x, ss.Cosine(2.0, order=1))
    low, high = ss.hz(5.0), ss.hz(20.0)
    up, down = m.frequency_response(between=(low, high)), m.frequency_response(between=(high, low))
    assert abs(up.points[0].mean[0]) > 1e-4  # half a gap off
    assert (up.points[0].p, up.points[-1].p, up.partial) == (low, high, "")
    assert up.peak().amplitude == pytest.approx(down.peak().amplitude, rel=1e-8)
    assert up.peak().amplitude == pytest.approx(2.79999e-3, abs=1e-8)
    assert places(up, "branch-point") == pytest.approx(places(down, "branch-point"), rel=1e-8)
    (point,) = (up.points[s["point"]] for s in up.special if s["kind"] == "branch-point")
    assert abs(point.mean[0]) < 1e-12
    rest = up.switch(next(s for s in up.special if s["kind"] == "branch-point"))
    assert rest.points[-1].p == low
    assert abs(rest.points[-1].mean[0]) < 1e-12


def test_symmetry_breaks_at_the_same_frequencies_by_shooting_and_by_harmonic_balance():
    m = ss.Model("duffing")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.2), name="spring")
    m.connect(x, ss.Polynomial(coefficients=[0.0, 0.0, 0.0, 1.0]), name="cubic")
    m.load(x, ss.Cosine(25.0, order=1))
    found = []
    for method, harmonics in (("shooting", None), ("harmonic-balance", 21)):
        for between in ((1.0, 3.0), (3.0, 1.0)):
            curve = m.frequency_response(between=between, method=method, harmonics=harmonics)
            found.append(sorted(places(curve, "branch-point")))
    assert len(found[0]) == 3
    for each in found[1:]:
        assert each == pytest.approx(found[0], abs=1e-6)


def test_a_stretch_too_short_to_be_gone_along_by_steps_has_no_branch_points_and_raises_nothing():
    """x = 0 of the pitchfork, across p = 0: from so near, no step of a path is short enough for a part of it."""
    family, half = pitchfork(0.0), 5e-7
    ends = [CurvePoint(np.array([0.0, p]), np.ones(2), np.array([0.0, 1.0]), 1, 0.0) for p in (-half, half)]
    short = CurveSegment(family, *ends, tuple(family.point(each.x, each.p) for each in ends))
    assert branch_points_of(short) == []
    long = [each._replace(z=1e4 * each.z) for each in ends]
    (found,) = branch_points_of(CurveSegment(family, *long, tuple(family.point(each.x, each.p) for each in long)))
    assert found.located.p == pytest.approx(0.0, abs=1e-9)
