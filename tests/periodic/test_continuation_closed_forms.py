"""Curves that are known exactly are followed, from both ends, round folds and corners, to their bounds."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.analytic_families import Duffing, Equation, Map, Neutral, Overdetermined, circle, corner, cubic

from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.continuation.curve_trace import solve_at_values, trace_curve
from slipstick.periodic.continuation.initial_point import find_start
from slipstick.periodic.continuation.path import Path
from slipstick.periodic.continuation.step_control import StepControl, checked_range


def values(traced):
    return np.array([[*point.x, point.p] for point in traced.points])


def test_every_point_of_a_cubic_lies_on_it():
    found = values(trace_curve(cubic(), (-10.0, 10.0)))
    assert np.abs(found[:, 0] ** 3 - 3.0 * found[:, 0] - found[:, 1]).max() < 1e-11
    assert np.all(np.diff(found[:, 0]) > 0.0)


def test_bounds_are_hit_to_the_last_digit_from_either_side():
    for between in ((-9.7, 8.3), (8.3, -9.7)):
        family = cubic()
        family.guess = -2.5 if between[0] < 0.0 else 2.5
        traced = trace_curve(family, between)
        assert (traced.points[0].p, traced.points[-1].p) == between


def test_the_family_is_never_asked_for_points_far_beyond_its_bounds():
    asked = []

    class Watched(Duffing):
        def linearise(self, x, p):
            asked.append(p)
            return super().linearise(x, p)

    trace_curve(Watched(), (0.3, 2.5))
    assert min(asked) > 0.25
    assert max(asked) < 2.55


def test_no_step_turns_more_than_asked_or_moves_more():
    how = StepControl(largest_step=0.05, max_turn=0.2)
    traced = trace_curve(Duffing(damping=0.02), (0.3, 3.0), how=how)
    assert max(point.turn for point in traced.points) <= 0.2
    for a, b in zip(traced.points, traced.points[1:], strict=False):
        assert a.ahead(b.z) <= 0.05 * (1.0 + 1e-9)


@pytest.mark.parametrize("damping", [0.2, 0.05, 0.01])
def test_duffing_points_fulfil_the_closed_form_of_the_amplitude(damping):
    family = Duffing(damping=damping, force=0.2)
    for point in trace_curve(family, (0.3, 2.4)).points:
        gap = min(abs(point.p - w) for w in family.frequencies(float(np.hypot(*point.x))))
        # where both frequencies meet, the closed form is a square root: its own rounding is that of 1e-15
        assert gap < 3e-8


def test_both_directions_give_the_same_curve():
    family = Duffing()
    up, down = trace_curve(family, (0.3, 2.5)), trace_curve(family, (2.5, 0.3))
    assert np.abs(up.points[0].z - down.points[-1].z).max() < 1e-11
    assert np.abs(up.points[-1].z - down.points[0].z).max() < 1e-11
    # each point of one is found again on the other, on the plane across its own tangent
    from slipstick.periodic.continuation.corrector import correct

    middle = len(up.points) // 2
    for point in up.points[middle - 20 : middle + 20 : 5]:
        near = min(down.points, key=lambda other: float(np.abs((other.z - point.z) / point.scale).max()))
        again = correct(family, near.z, point.plane(0.0))
        assert np.abs(again.z - point.z).max() < 1e-10


def test_an_imperfect_pitchfork_is_left_on_the_branch_it_began_on():
    # p x - x^3 + 0.01 = 0: without the 0.01 a pitchfork at p = 0; with it the upper branch goes through without a fold
    family = Equation(lambda x, p: p * x - x**3 + 0.01, lambda x, p: p - 3.0 * x**2, lambda x, _: x, guess=0.01)
    found = values(trace_curve(family, (-1.0, 1.0)))
    assert (found[:, 0] > 0.0).all()
    assert np.all(np.diff(found[:, 1]) > 0.0)
    assert found[-1, 0] == pytest.approx(np.roots([-1.0, 0.0, 1.0, 0.01]).real.max(), abs=1e-11)


def test_the_lower_branch_of_an_imperfect_pitchfork_turns_back():
    family = Equation(lambda x, p: p * x - x**3 + 0.01, lambda x, p: p - 3.0 * x**2, lambda x, _: x, guess=-1.0)
    found = values(trace_curve(family, (1.0, -1.0)))
    # p = x^2 - 0.01 / x has its least value where 2 x^3 = -0.01
    least = (0.005 ** (1.0 / 3.0)) ** 2 + 0.01 / 0.005 ** (1.0 / 3.0)
    assert found[:, 1].min() >= least - 1e-12
    assert found[:, 1].min() == pytest.approx(least, abs=1e-3)
    assert found[-1, 1] == 1.0


def test_a_curve_from_a_start_inside_goes_both_ways():
    family = cubic()
    traced = trace_curve(family, (-10.0, 10.0), start=([0.0], 0.0))
    assert (traced.points[0].p, traced.points[-1].p) in ((-10.0, 10.0), (10.0, -10.0))
    assert min(abs(point.x[0]) for point in traced.points) < 1e-12
    found = values(traced)
    assert np.all(np.diff(found[:, 0]) > 0.0) or np.all(np.diff(found[:, 0]) < 0.0)


def test_a_closed_curve_ends_where_it_began():
    traced = trace_curve(circle(), (0.0, 4.0), start=([1.0], 2.0))
    assert traced.closed
    assert traced.points[-1] is traced.points[0] or np.array_equal(traced.points[-1].z, traced.points[0].z)
    angle = np.unwrap(np.arctan2(values(traced)[:, 0], values(traced)[:, 1] - 2.0))
    assert abs(angle[-1] - angle[0]) == pytest.approx(2.0 * np.pi, abs=1e-9)


def test_a_closed_curve_that_is_cut_by_a_bound_is_an_arc():
    traced = trace_curve(circle(), (1.5, 4.0), start=([1.0], 2.0))
    assert not traced.closed
    assert traced.points[0].p == traced.points[-1].p == 1.5
    assert traced.points[0].x[0] == pytest.approx(-traced.points[-1].x[0], abs=1e-11)


@pytest.mark.parametrize("slope", [0.5, 1.5, 5.0, 50.0, 500.0])
def test_a_curve_goes_round_a_corner_of_any_sharpness(slope):
    traced = trace_curve(corner(slope), (0.0, 2.0))
    assert traced.points[0].p == traced.points[-1].p == 0.0
    assert traced.points[-1].x[0] == pytest.approx(1.0 + 1.0 / slope, abs=1e-9)


def test_an_unknown_that_nothing_determines_stays_where_it_began():
    plain, neutral = trace_curve(Duffing(), (0.3, 2.5)), trace_curve(Neutral(Duffing(), 0.37), (0.3, 2.5))
    assert {float(point.x[-1]) for point in neutral.points} == {0.37}
    assert neutral.points[-1].x[:-1] == pytest.approx(plain.points[-1].x, abs=1e-11)


def test_more_equations_than_unknowns_are_solved_in_least_squares():
    plain, more = trace_curve(Duffing(), (0.3, 2.5)), trace_curve(Overdetermined(Duffing()), (0.3, 2.5))
    assert more.points[-1].x == pytest.approx(plain.points[-1].x, abs=1e-11)


def test_newton_takes_few_steps_a_point():
    traced = trace_curve(Duffing(), (0.3, 2.5))
    steps = sum(point.iterations for point in traced.points)
    assert steps < 2.6 * len(traced.points)
    assert len(traced.points) < 120


def test_a_curve_that_turns_back_to_its_begin_says_that_the_end_was_not_reached():
    family = Equation(lambda x, p: p - 1.0 + x**2, lambda x, _: 2.0 * x, lambda *_: 1.0, guess=1.0)  # p = 1 - x^2
    missed = trace_curve(family, (0.0, 3.0)).missed
    assert "left the range at 0 again; 3 was not reached" in missed
    assert "between=(3, 0)" in missed
    assert trace_curve(cubic(), (-10.0, 10.0)).missed == ""


def test_the_scale_of_an_unknown_does_not_change_the_points():
    family = Duffing()

    class Micro(Duffing):
        def start(self, p):
            return 1e-6 * super().start(p)

        def linearise(self, x, p):
            found = super().linearise(1e6 * x, p)
            return found._replace(by_x=1e6 * found.by_x)

    one, other = values(trace_curve(family, (0.3, 2.5))), values(trace_curve(Micro(), (0.3, 2.5)))
    assert one.shape == other.shape
    assert one[:, -1] == pytest.approx(other[:, -1], abs=1e-9)


# ---- as an iterator


def test_a_path_can_be_watched_left_and_gone_on_with():
    family, within = Duffing(), checked_range((0.3, 2.5))
    start, _ = find_start(family, 0.3, None, within)
    path = Path(family, start, within)
    first = [next(path) for _ in range(10)]
    assert first[0] is start
    assert not path.over
    rest = list(path)
    assert path.over
    assert path.last.p == 2.5
    whole = trace_curve(family, (0.3, 2.5))
    assert [point.p for point in (*first, *rest)] == [point.p for point in whole.points]
    assert list(path) == []


def test_a_watcher_sees_every_point_once():
    seen = []
    traced = trace_curve(cubic(), (-10.0, 10.0), start=([0.0], 0.0), watch=seen.append)
    assert len(seen) == len(traced.points)


def test_ctrl_c_keeps_what_there_is():
    seen = []

    def impatient(point):
        seen.append(point)
        if len(seen) == 12:
            raise KeyboardInterrupt

    with pytest.raises(NotConverged, match="interrupted") as caught:
        trace_curve(Duffing(), (0.3, 2.5), watch=impatient)
    assert len(caught.value.partial.points) == 12
    assert caught.value.partial.ended == "interrupted"


def test_it_ends_at_the_most_points_and_says_so():
    with pytest.raises(NotConverged, match="30 points were reached") as caught:
        trace_curve(Duffing(), (0.3, 2.5), how=StepControl(max_points=30))
    assert len(caught.value.partial.points) == 30


# ---- given values


def test_visited_points_are_those_asked_for_in_their_order():
    at = [0.5, 0.9, 0.7, 2.2, 2.0]
    family = Duffing()
    traced = solve_at_values(family, at)
    assert [point.p for point in traced.points] == at
    for point in traced.points:
        assert np.abs(family.linearise(point.x, point.p).residual).max() <= family.tolerance
        assert min(abs(point.p - w) for w in family.frequencies(float(np.hypot(*point.x)))) < 1e-9


def test_visited_points_lie_on_the_branch_of_the_start():
    family = Duffing()
    upper = trace_curve(family, (0.3, 1.5)).points[-1]  # before the fold: the upper branch
    low = solve_at_values(family, [1.6], start=(solve_at_values(family, [2.2]).points[0].x, 2.2)).points[0]
    high = solve_at_values(family, [1.6], start=(upper.x, upper.p)).points[0]
    assert np.hypot(*low.x) < 0.25
    assert np.hypot(*high.x) > 1.4


def test_a_value_that_the_branch_does_not_reach_is_said_to_be_on_another():
    # two branches, x = +-sqrt(p - 1) for p > 1 and x = 3 + p: from the fold on there is only the second
    family = Equation(
        lambda x, p: (x**2 - (p - 1.0)) * (x - 3.0 - p),
        lambda x, p: 2.0 * x * (x - 3.0 - p) + x**2 - (p - 1.0),
        lambda x, p: -(x - 3.0 - p) - (x**2 - (p - 1.0)),
        guess=lambda p: 3.0 + p,
    )
    traced = solve_at_values(family, [1.2, 0.5], start=([np.sqrt(0.2)], 1.2))
    assert traced.points[0].x[0] == pytest.approx(np.sqrt(0.2))
    assert traced.points[1].x[0] == pytest.approx(3.5)
    assert any("another branch" in note and "turns back" in note for note in traced.notes)


# ---- refusals


def test_refusals_are_in_words(refused):
    with refused("between", "two different values", error=InvalidInput):
        trace_curve(cubic(), (1.0, 1.0))
    with refused("between", error=InvalidInput):
        trace_curve(cubic(), (1.0, np.inf))
    with refused("start must lie between -1 and 1, got 3", error=InvalidInput):
        trace_curve(cubic(), (-1.0, 1.0), start=([0.0], 3.0))
    with refused("at must have at least one value", error=InvalidInput):
        solve_at_values(cubic(), [])
    with refused("smallest_step", error=InvalidInput):
        StepControl(smallest_step=1.0)
    with refused("most_points", error=InvalidInput):
        StepControl(max_points=1)


def test_a_map_without_a_fixed_point_has_no_start(refused):
    family = Map(lambda x, p: x + 1.0 + p**2, lambda *_: [[1.0]], lambda _, p: np.array([2.0 * p]), [0.0])
    with refused("no orbit was found at 1", "least squares", error=NotConverged):
        trace_curve(family, (1.0, 2.0))
