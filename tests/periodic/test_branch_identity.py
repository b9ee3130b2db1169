"""A curve stays on its branch where another one crosses it, and in its range where it turns just outside."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.analytic_families import Equation

import slipstick as ss
from slipstick.periodic.continuation.curve_trace import trace_curve


def oscillator(law, stiffness, damping, force):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=stiffness, damping=damping), name="spring")
    m.connect(x, law, name="law")
    m.load(x, ss.Cosine(force, order=1))
    return m


# ---- branches that cross


@pytest.mark.parametrize(
    ("play", "stiffness", "damping", "force", "between"),
    [
        (ss.Freeplay(stiffness=5.0, half_gap=0.5), 0.1, 0.08, 0.4, (4.0, 0.3)),
        (ss.Freeplay(stiffness=17.7, half_gap=0.525), 0.127, 0.175, 0.889, (10.5, 0.63)),
        (ss.Freeplay(stiffness=16.7, half_gap=0.897), 0.0733, 0.1445, 0.9353, (10.2, 0.61)),
    ],
)
def test_a_symmetric_response_stays_symmetric_past_the_points_where_others_leave_it(
    play, stiffness, damping, force, between
):
    curve = oscillator(play, stiffness, damping, force).frequency_response(between=between)
    assert np.abs(curve.data["mean"].values).max() < 1e-7
    assert curve.points[-1].p == between[1]
    assert "branch-point" in {s["kind"] for s in curve.special}


def test_a_doubled_branch_has_twice_the_period_all_along():
    """It ends in another doubling: beyond that lie the same orbits one period later."""
    model = oscillator(ss.Contact(stiffness=100.0, gap=0.2), 1.0, 0.1, 1.0)
    single = model.frequency_response(between=(0.6, 5.0))
    first, other = (s for s in single.special if s["kind"] == "period-doubling" and 0.9 < s["frequency"] < 1.2)
    branch = single.switch(first)
    odd = np.abs(branch.data.harmonics.values[:, 1::2, 0]).max(axis=1)
    ends = [first["frequency"], other["frequency"]]
    near = np.abs(np.subtract.outer(branch.data.frequency.values, ends)).min(axis=1) < 1e-6
    assert (odd[~near] > 1e-4).all()
    (end,) = (s for s in branch.special if s["kind"] == "branch-point")
    assert end["point"] == len(branch.points) - 1
    assert end["frequency"] == pytest.approx(other["frequency"], abs=1e-7)


# ---- ends of the range


@pytest.mark.parametrize("outside", [1e-2, 1e-3, 1e-4])
def test_a_closed_curve_that_turns_just_outside_the_range_is_left_at_its_bound(outside):
    """x^2 + (p - 1)^2 = 1 spans 0 to 2: from p = outside it comes back there on its other side."""
    family = Equation(
        lambda x, p: x**2 + (p - 1.0) ** 2 - 1.0, lambda x, _: 2.0 * x, lambda _, p: 2.0 * (p - 1.0), guess=1.0
    )
    traced = trace_curve(family, (outside, 6.0))
    first, last = traced.points[0], traced.points[-1]
    assert (first.p, last.p) == (outside, outside)
    assert last.x[0] == pytest.approx(-first.x[0], abs=1e-9)
    assert not traced.closed
    assert "6 was not reached" in traced.missed
    assert all(outside <= point.p <= 6.0 for point in traced.points)


@pytest.mark.long
def test_a_gear_train_whose_curve_turns_just_below_its_range_is_followed_to_the_other_end():
    m = ss.Model("train")
    a, b, c = (m.coordinate(name, inertia=inertia) for name, inertia in (("a", 1.0), ("b", 2.0), ("c", 1.5)))
    m.connect(a - b, ss.Freeplay(stiffness=10.0, half_gap=0.05, damping=0.2), name="mesh")
    m.connect(b - c, ss.Linear(stiffness=5.0, damping=0.1), name="shaft")
    m.load(a, ss.Constant(0.1) + ss.Cosine(1.0, order=1))
    m.load(c, ss.Constant(-0.1))
    curve = m.frequency_response(between=(0.5, 6.0))
    assert not curve.stats.closed
    assert not curve.partial
    frequency = curve.data.frequency.values
    assert (frequency[0], frequency[-1], frequency.min(), frequency.max()) == (0.5, 6.0, 0.5, 6.0)
    alone = m.periodic(frequency=6.0)
    shaft = [
        max(map(abs, run.data.force.sel(connection="shaft").values)) for run in (alone, curve.orbit(len(curve) - 1))
    ]
    assert shaft[0] == pytest.approx(shaft[1], rel=1e-6)
