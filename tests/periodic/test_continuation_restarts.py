"""Where a point fails, other ways are tried, and told; what was reached is kept."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.analytic_families import Duffing, Stubborn, cubic, logistic

from slipstick.errors import NotConverged
from slipstick.periodic.continuation.curve_trace import solve_at_values, trace_curve
from slipstick.periodic.continuation.restarts import RestartLog, failure_reason
from slipstick.periodic.stability.special_points import special_points_of


def hole(x, _p):
    return -0.7 < x[0] < -0.4


def test_a_curve_that_cannot_be_followed_is_kept_up_to_there():
    with pytest.raises(NotConverged) as caught:
        trace_curve(Stubborn(cubic(), hole), (-10.0, 10.0))
    message, partial = str(caught.value), caught.value.partial
    for words in ("not be followed beyond 1.757", "steps down to 1e-07", "secant", "corner", "the flow broke down"):
        assert words in message
    assert "\n" not in message
    assert partial.points[0].p == -10.0
    assert partial.points[-1].x[0] == pytest.approx(-0.7, abs=1e-6)
    assert partial.ended == message
    assert [s["kind"] for s in special_points_of(partial).special] == ["fold"]


def test_a_softer_family_leads_past_what_fails():
    family = Stubborn(cubic(), hole, [("a rounded law", cubic())])
    traced = trace_curve(family, (-10.0, 10.0))
    assert traced.points[-1].p == 10.0
    assert not any(hole(point.x, point.p) for point in traced.points)
    (note,) = traced.notes
    for words in ("at 1.757", "found with a rounded law", "secant", "failed"):
        assert words in note


def test_the_softest_of_a_ladder_is_taken_only_if_those_before_fail():
    stuck = Stubborn(cubic(), hole)
    family = Stubborn(cubic(), hole, [("a little softer", stuck), ("much softer", cubic())])
    traced = trace_curve(family, (-10.0, 10.0))
    (note,) = traced.notes
    assert "found with much softer" in note
    assert "a little softer" in note.split("after")[1]


def test_a_narrow_hole_is_stepped_over_without_a_word():
    traced = trace_curve(Stubborn(cubic(), lambda x, _p: -0.501 < x[0] < -0.5), (-10.0, 10.0))
    assert traced.points[-1].p == 10.0
    assert traced.notes == []


class Crooked(Duffing):
    """Derivatives by the parameter that are wrong in a stretch, as those of a law that is sampled too coarsely."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def linearise(self, x, p):
        found = super().linearise(x, p)
        return found._replace(by_p=found.by_p * (self.factor if 0.55 < p < 0.75 else 1.0))


def test_where_derivatives_by_the_parameter_are_wrong_it_is_stepped_in_alone():
    traced, family = trace_curve(Crooked(-1.0), (0.3, 1.0)), Duffing()
    assert traced.points[-1].p == 1.0
    assert any("steps of the parameter alone" in note for note in traced.notes)
    assert len(traced.notes) < 5  # the same words are told once for all points in a row
    for point in traced.points:
        assert np.abs(family.linearise(point.x, point.p).residual).max() < 1e-11


def test_a_path_that_makes_no_way_ends_and_says_so():
    with pytest.raises(NotConverged, match="continuation stalled") as caught:
        trace_curve(Crooked(4.0), (0.3, 1.0))
    assert len(caught.value.partial.points) < 500
    assert 0.55 < caught.value.partial.points[-1].p < 0.75


def test_a_start_is_found_from_elsewhere_and_told():
    family = cubic()
    family.guess = 0.0  # between the folds of p = x^3 - 3 x: Newton's method cycles
    traced = trace_curve(family, (2.5, 10.0))
    (note,) = traced.notes
    assert "start at 2.5: found with a start at" in note
    assert "least squares" in note
    assert traced.points[0].x[0] == pytest.approx(np.roots([1.0, 0.0, -3.0, -2.5]).real.max())


def test_a_start_climbs_down_and_up_a_ladder():
    def hard(x, p):
        return abs(x[0] ** 3 - 3.0 * x[0] - p) > 1.0

    family = Stubborn(cubic(), hard, [("a rounded law", cubic())])
    family.family.guess = -1.5
    traced = trace_curve(family, (-10.0, 10.0))
    assert "start at -10: found with a rounded law" in traced.notes[0]
    assert traced.points[0].x[0] ** 3 - 3.0 * traced.points[0].x[0] == pytest.approx(-10.0)


def test_without_any_start_everything_that_was_tried_is_told():
    with pytest.raises(NotConverged) as caught:
        trace_curve(
            Stubborn(cubic(), lambda *_: True, [("a rounded law", Stubborn(cubic(), lambda *_: True))]), (-9.0, 9.0)
        )
    message = str(caught.value)
    for words in ("no orbit was found at -9", "Newton's method", "least squares", "a rounded law", "a start at"):
        assert words in message
    assert caught.value.partial is None


def test_values_beyond_a_hole_keep_what_was_visited():
    family = Stubborn(logistic(), lambda _x, p: p > 2.6)
    with pytest.raises(NotConverged) as caught:
        solve_at_values(family, [2.0, 2.5, 3.0, 3.2])
    assert "the orbit at 3 was not reached from 2.5" in str(caught.value)
    assert [point.p for point in caught.value.partial.points] == [2.0, 2.5]


def test_an_orbit_that_cannot_be_measured_is_left_out_and_told():
    class Shy(Duffing):
        def point(self, x, p):
            if 0.5 < p < 0.6:
                raise NotConverged("its period was too long")
            return super().point(x, p)

    traced = trace_curve(Shy(), (0.3, 1.0))
    found = special_points_of(traced)
    lost = [point for point in traced.points if 0.5 < point.p < 0.6]
    assert lost
    assert len(found.points) == len(traced.points) - len(lost)
    assert sum("left out" in note for note in found.notes) == len(lost)


def test_residuals_that_are_not_numbers_are_failures_not_points():
    class Broken(Duffing):
        def linearise(self, x, p):
            found = super().linearise(x, p)
            return found._replace(residual=found.residual * (np.nan if p > 0.8 else 1.0))

    with pytest.raises(NotConverged, match="not finite") as caught:
        trace_curve(Broken(), (0.3, 1.0))
    assert caught.value.partial.points[-1].p == pytest.approx(0.8, abs=1e-6)


def test_the_reason_of_a_failure_is_that_of_the_innermost_try():
    within, outside = RestartLog("no orbit at 1"), RestartLog("not reached from 0")
    within.failed("a guess", NotConverged("the residual grew (to 3)"))
    outside.failed("the curve", within.refusal())
    failure = outside.refusal()
    assert failure.reason == failure_reason(failure) == "the residual grew (to 3)"
    assert str(failure) == (
        "not reached from 0; tried: the curve; the last: no orbit at 1; tried: a guess; "
        "the last: the residual grew (to 3)"
    )
    assert failure_reason(NotConverged("the last: word")) == "the last: word"
