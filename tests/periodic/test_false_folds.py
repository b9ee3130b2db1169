"""A curve turns only where its orbits do: not where a state leaps, ripples or has a corner."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from periodic.analytic_families import Equation, circle, cubic

import slipstick as ss
from slipstick.periodic.continuation.corrector import solve_at
from slipstick.periodic.continuation.curve_trace import trace_curve
from slipstick.periodic.continuation.path import Path
from slipstick.periodic.continuation.point_checks import lies_on_past_curve, retraced_from, turns_back_without_fold
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.stability.special_points import special_points_of


def driven(law, inertia=1.0):
    model = ss.Model("gear")
    x = model.coordinate("x", inertia=inertia)
    model.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
    model.connect(x, law, name="mesh")
    model.load(x, ss.Cosine(0.2, order=1))
    return model


def of_kind(curve, kind):
    return sorted(s["frequency"] for s in curve.special if s["kind"] == kind)


def test_an_impact_at_the_begin_of_a_period_is_no_fold():
    """At 0.468 rad/s the wall is hit just when a period begins: the velocity there leaps, the motion does not."""
    model = driven(ss.Contact(stiffness=1e9, gap=0.1))
    up = model.frequency_response(between=(0.3, 2.0), method="shooting")
    down = model.frequency_response(between=(2.0, 0.3), method="shooting")
    for curve in (up, down):
        assert {curve.points[0].p, curve.points[-1].p} == {0.3, 2.0}
        assert not [f for f in of_kind(curve, "fold") if not 0.41 < f < 0.44]  # what is there is a resonance
    doubled = of_kind(up, "period-doubling")
    assert np.diff(doubled).min() > 1e-3  # none is there twice
    assert of_kind(down, "period-doubling") == pytest.approx(doubled, abs=1e-6)


@pytest.mark.long
def test_the_last_bits_of_a_number_do_not_choose_the_branch_beyond_an_impact():
    """Where the period begins amid the impact, Newton's method may end anywhere: no short step may lead there."""
    told = []
    for bits in (-6, -3, 0, 3, 6):
        model = driven(ss.Contact(stiffness=1e9, gap=0.1), inertia=1.0 + bits * 1e-15)
        curve = model.frequency_response(between=(2.0, 0.3), method="shooting")
        told.append(of_kind(curve, "fold") + of_kind(curve, "period-doubling"))
        assert np.abs(np.diff(curve.data.frequency.values)).max() < 0.1
    assert all(len(each) == len(told[0]) for each in told)
    assert np.ptp(told, axis=0).max() < 1e-6


@pytest.mark.parametrize("between", [(0.45, 0.54), (0.54, 0.45)])
def test_an_impact_at_the_begin_of_a_period_doubles_none(between):
    """Amid an impact a state is no measure of the motion: no point of the curve begins there."""
    curve = driven(ss.Contact(stiffness=1e9, gap=0.1)).frequency_response(between=between, method="shooting")
    assert len(curve) < 100
    first, last = of_kind(curve, "period-doubling")
    assert len(curve.special) == 2
    for omega, steady in ((first - 0.01, True), (first + 0.01, False), (last - 0.01, False), (last + 0.01, True)):
        assert comes_back(omega) == steady


def comes_back(omega):
    """True where a long run comes back to itself after every period."""
    ends = (400.5 + np.arange(2)) * 2.0 * np.pi / omega  # half a period from where it is near the wall
    run = driven(ss.Contact(stiffness=1e9, gap=0.1)).simulate(until=ends[-1], frequency=omega, samples=ends)
    before, after = run.data.displacement.values[:, 0]
    return bool(abs(after - before) < 1e-6)


@pytest.mark.parametrize("between", [(0.004, 4.0), (0.001, 40.0)])
def test_a_long_ring_before_a_period_begins_is_no_fold(between):
    """Below 0.05 rad/s the motion is quasi-static (one orbit, multipliers of nearly nothing), its state ripples."""
    model = driven(ss.Freeplay(stiffness=1.0, half_gap=0.5))
    try:
        curve = model.frequency_response(between=between, method="shooting")
    except ss.NotConverged as failure:
        curve = failure.partial
    frequency, amplitude = curve.data.frequency.values, curve.data.amplitude.values.ravel()
    slow = int(np.argmax(frequency > 0.05))
    assert slow > 3
    assert (np.diff(frequency[:slow]) > 0.0).all()
    assert not [f for f in of_kind(curve, "fold") if f < 0.05]
    still = 0.5 + 0.1 / 1.2  # under the largest load: shaft and mesh in parallel, the mesh beyond its gap
    assert amplitude[:3] == pytest.approx(still, rel=0.05)


def rippled(height, length):
    """x = p + height sin(2 pi p / length): one x for every p."""
    k = 2.0 * math.pi / length
    return Equation(
        lambda x, p: x - p - height * math.sin(k * p),
        lambda *_: 1.0,
        lambda _, p: -1.0 - height * k * math.cos(k * p),
        guess=0.0,
    )


@pytest.mark.parametrize("between", [(0.0, 1.0), (1.0, 0.0)])
@pytest.mark.parametrize(("height", "length"), [(1e-2, 1e-1), (1e-2, 2e-2)])
def test_ripples_are_followed_or_passed_in_one_direction(between, height, length):
    traced = trace_curve(rippled(height, length), between)
    assert traced.points[-1].p == between[1]
    gone = np.diff([point.p for point in traced.points])
    assert (gone * (between[1] - between[0]) > 0.0).all()
    assert special_points_of(traced).special == []


def test_a_fold_is_told_from_a_step_that_leads_back():
    family = cubic()  # x^3 - 3 x = p: three orbits at 0
    low, middle, high = (solve_at(family, np.array([x]), 0.0, 20.0) for x in (-1.7, 0.1, 1.7))
    assert not turns_back_without_fold(family, low, middle.reversed() if middle.tangent[-1] > 0.0 else middle)
    back = solve_at(family, np.array([-1.6]), -0.1, 20.0)
    assert turns_back_without_fold(family, low, back)  # both lead on to higher values, and it lies at a lower one
    assert turns_back_without_fold(family, low, high.reversed())


def test_points_that_were_passed_are_known():
    family = cubic()
    points = trace_curve(family, (-10.0, 10.0)).points
    assert lies_on_past_curve(family, points, solve_at(family, np.array([-1.7]), 0.0, 20.0))
    assert not lies_on_past_curve(family, points[:4], solve_at(family, np.array([1.7]), 0.0, 20.0))


def test_a_curve_that_runs_back_is_known_from_one_that_goes_on():
    points = trace_curve(cubic(), (-10.0, 10.0)).points
    middle = len(points) // 2
    assert retraced_from(points) is None
    assert retraced_from(points[:middle] + points[middle - 2 :: -1]) == middle - 1


def test_a_curve_that_comes_round_to_a_later_point_than_its_first_ends():
    family = circle(1.0, 2.0)
    first = solve_at(family, np.array([1.0]), 2.0, 4.0)
    path = Path(family, first, ParameterRange(0.0, 4.0))
    next(path)
    path.start = first._replace(z=np.array([5.0, 2.0]))  # as if it had come to the circle from elsewhere
    for _ in itertools.islice(path, 2000):
        pass
    assert path.over
    assert "where it had been before" in path.end
    angles = np.unwrap([math.atan2(point.x[0], point.p - 2.0) for point in path.points])
    assert 2.0 * math.pi - 0.3 < abs(angles[-1] - angles[0]) < 2.0 * math.pi + 0.3
