"""Branches of doubled period by shooting, where changes grow many times within a period."""

from __future__ import annotations

import numpy as np
import pytest
from models import one_mass

import slipstick as ss


@pytest.fixture
def biased():
    m = ss.Model("biased")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 0.1, 0.0, 1.0), damping=0.1))
    m.load(x, ss.Constant(0.4) + ss.Cosine(1.1, order=1))
    return m


@pytest.mark.long
def test_the_doubled_branch_of_a_duffing_oscillator_in_two_wells_takes_few_points():
    """x'' + 0.3 x' - x + x^3 = F cos(1.2 t), Jordan and Smith's example; the next doubling as harmonic balance has it.

    With one-sided differences by the parameter Newton's method converged linearly, and the branch took 1365 points.
    """
    m = ss.Model("wells")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, -1.0, 0.0, 1.0), damping=0.3))
    m.load(x, ss.Cosine(0.2, order=1), name="forcing")
    found = []
    for method, harmonics, most in (("shooting", None, 0.65), ("harmonic-balance", 20, 0.3)):
        curve = m.follow("forcing.amplitude", (0.2, most), frequency=1.2, method=method, harmonics=harmonics)
        branch = curve.switch(next(s for s in curve.special if s["kind"] == "period-doubling"))
        assert len(branch.points) < 200
        found.append(next(s["parameter"] for s in branch.special if s["kind"] == "period-doubling"))
    assert found[0] == pytest.approx(found[1], rel=1e-5)


def test_the_branch_at_a_doubling_beside_a_fold_is_not_the_one_that_is_left(biased):
    """x'' + 0.1 x' + 0.1 x + x^3 = 0.4 + 1.1 cos(w t): doublings 0.014 and 0.001 rad/s from a fold. There the curve
    that is left runs along the critical direction, and its orbits close after two periods as well as after one.
    """
    curve = biased.frequency_response(between=(0.5, 0.8), method="shooting")
    places = [s for s in curve.special if s["kind"] == "period-doubling"]
    assert len(places) == 2
    low, high = sorted(s["frequency"] for s in places)
    for special in places:
        branch = curve.switch(special)
        assert all(low < point.frequency < high for point in branch.points[1:6])
        data = branch.orbit(5).data["displacement"].sel(coordinate="x")
        middle = 0.5 * float(data["time"][0] + data["time"][-1])
        assert abs(float(data.interp(time=middle)) - float(data[0])) > 1e-3, "after one period it is elsewhere"


@pytest.mark.parametrize(
    ("method", "harmonics"), [pytest.param("shooting", None, marks=pytest.mark.long), ("harmonic-balance", 9)]
)
def test_a_doubled_branch_ends_at_the_other_doubling_of_its_parent(biased, method, harmonics):
    """Beyond lie its own orbits one period later, or those of the single period, counted twice: shooting slid onto
    these at 0.66745 rad/s, as integration does not give both images of an orbit alike to the last digit.
    """
    curve = biased.frequency_response(between=(0.5, 0.8), method=method, harmonics=harmonics)
    places = [s for s in curve.special if s["kind"] == "period-doubling"]
    assert len(places) == 2
    for special, other in (places, places[::-1])[: 2 if method == "shooting" else 1]:
        branch = curve.switch(special)
        assert not branch.stats.closed
        ends = [s for s in branch.special if s["kind"] == "branch-point"]
        assert [s["point"] for s in ends] == [len(branch.points) - 1]
        errors = ends[0]["error"] + other["error"]
        assert errors < 1e-3
        assert abs(ends[0]["frequency"] - other["frequency"]) <= errors
        assert any("half its period" in note for note in branch.notes)
        odd = np.abs(branch.data.harmonics.values[:, 1::2, 0]).max(axis=1)  # of half the frequency
        assert (odd[1:-1] > 1e-3).all()
        assert odd[-1] < 1e-4 * odd.max()
    back = branch.switch(ends[0])
    assert back.points[0].period == curve.points[0].period
    assert [s["kind"] for s in back.special] == [s["kind"] for s in curve.special]


@pytest.mark.long  # two curves and their doubled branches
def test_the_last_doubling_before_the_end_of_a_branch_is_found_by_both_methods():
    """The last stretch ends at the branch of half the period; orbits solved by themselves on it lay on that one."""
    m = one_mass(
        {"wells": ss.Polynomial(coefficients=(0.0, -0.5, 0.0, 0.5), damping=0.168)},
        displacement=1.0,
    )
    m.load(m["x"], ss.Cosine(0.1, order=1), name="forcing")
    places = []
    for options in ({"method": "shooting"}, {"method": "harmonic-balance", "harmonics": 30}):
        curve = m.follow("forcing.amplitude", between=(0.05, 0.3), frequency=1.0, **options)
        for _ in range(2):
            curve = curve.switch(next(s for s in curve.special if s["kind"] == "period-doubling"))
        places.append([s["parameter"] for s in curve.special if s["kind"] == "period-doubling"])
    assert len(places[0]) == 4
    assert places[0] == pytest.approx(places[1], rel=1e-5)
