"""A special point that cannot be located leaves a note, and the rest of its curve."""

from __future__ import annotations

from periodic.analytic import Stubborn, corner

from slipstick.periodic.curves import follow
from slipstick.periodic.special import findings


def test_a_corner_that_cannot_be_located_is_noted_and_the_curve_is_there():
    traced = follow(corner(2.0), (0.0, 2.0))
    (fold,) = findings(traced).special
    assert abs(fold["frequency"] - 1.0) < 1e-9
    traced.family = Stubborn(traced.family, lambda *_: True)
    found = findings(traced)
    assert found.special == []
    assert len(found.points) == len(traced.points)
    assert any("not located: the flow broke down" in note for note in found.notes)
