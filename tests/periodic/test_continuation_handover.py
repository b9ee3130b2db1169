"""What a user gets of a curve that was followed, whole or in part."""

from __future__ import annotations

import pytest
from periodic.analytic import Duffing, Stubborn, cubic, logistic

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.periodic.branching import switch
from slipstick.periodic.continuation import Bounds
from slipstick.periodic.curves import follow, visit
from slipstick.periodic.handover import hand_over
from slipstick.results.curve import Curve, CurveStats


def model():
    m = ss.Model("one")
    m.connect(m.coordinate("x", inertia=1.0), ss.Linear(stiffness=1.0), name="c")
    return m


def test_a_whole_curve_is_handed_over_with_its_statistics():
    stats = CurveStats("shooting", reason="because", begin=0.3, end=2.5)
    curve = hand_over(lambda: follow(Duffing(), (0.3, 2.5)), model(), stats)
    assert [s["kind"] for s in curve.special] == ["fold", "fold"]
    assert (curve.stats.method, curve.stats.reason, curve.stats.ended) == ("shooting", "because", "")
    assert curve.stats.seconds > 0.0
    assert curve.stats.joined


def test_points_that_were_only_visited_are_not_joined():
    assert not hand_over(lambda: visit(Duffing(), [0.5, 1.0]), model(), CurveStats("shooting")).stats.joined


def test_a_failure_carries_the_curve_so_far():
    family = Stubborn(cubic(), lambda x, _p: -0.7 < x[0] < 0.1)
    with pytest.raises(NotConverged) as caught:
        hand_over(lambda: follow(family, (-10.0, 10.0)), model(), CurveStats("shooting"))
    partial = caught.value.partial
    assert isinstance(partial, Curve)
    assert str(caught.value) == partial.stats.ended
    assert [s["kind"] for s in partial.special] == ["fold"]
    assert "PARTIAL" in repr(partial)


def test_a_curve_is_switched_at_a_period_doubling():
    family, within = logistic(), Bounds(1.5, 3.6)

    def other(curve):
        def follow_doubled(special):
            doubled = family.doubled(curve.points[special["point"]].x)
            return hand_over(
                lambda: switch(doubled.family, doubled.x, special["parameter"], within), model(), CurveStats("shooting")
            )

        return follow_doubled

    curve = hand_over(lambda: follow(family, (1.5, 3.6)), model(), CurveStats("shooting"), other)
    branch = curve.switch(curve.special[0])
    assert branch.special[0]["frequency"] == pytest.approx(1.0 + 6.0**0.5, abs=1e-8)
    assert set(branch.data.period.values) == {2.0}
