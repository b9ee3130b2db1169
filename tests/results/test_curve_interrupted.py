"""Ctrl-C while stability and special points are computed: the points that were looked at by then are a curve."""

from __future__ import annotations

import pytest
from periodic.analytic_families import Duffing

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.curve_trace import trace_curve
from slipstick.periodic.stability.special_points import special_points_of
from slipstick.results.curve import Curve, CurveStats


class Impatient(Duffing):
    """Ctrl-C when so many points have been looked at."""

    def __init__(self, patience):
        super().__init__()
        self.patience = patience

    def point(self, x, p):
        self.patience -= 1
        if self.patience < 0:
            raise KeyboardInterrupt
        return super().point(x, p)


def curve(patience, **stats):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0), damping=0.1), name="spring")
    traced = trace_curve(Impatient(patience), (0.3, 2.5))
    return Curve(lambda: special_points_of(traced), m, CurveStats("harmonic-balance", begin=0.3, end=2.5, **stats))


def test_what_was_looked_at_is_kept_and_says_partial(tmp_path):
    with pytest.raises(NotConverged, match="interrupted while stability") as stopped:
        print(curve(12))
    assert stopped.value.interrupted
    part = stopped.value.partial
    whole = curve(10_000)
    assert [point.p for point in part.points] == [point.p for point in whole.points[:12]]
    assert part.partial.startswith("PARTIAL: interrupted while stability")
    part.save(tmp_path / "part.nc")
    assert ss.open(tmp_path / "part.nc").partial == part.partial
    assert whole.partial == ""


def test_a_curve_that_had_ended_early_says_both():
    with pytest.raises(NotConverged) as stopped:
        curve(3, ended="no way on").data  # noqa: B018
    assert stopped.value.partial.partial.startswith("PARTIAL: no way on; interrupted while")
