"""A special point that cannot be located leaves a note, and the rest of its curve."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.analytic_families import Equation, Stubborn, corner, cubic, logistic, plain_point

from slipstick.periodic.continuation.curve_trace import trace_curve
from slipstick.periodic.stability.special_points import special_points_of


def test_a_corner_that_cannot_be_located_is_noted_and_the_curve_is_there():
    traced = trace_curve(corner(2.0), (0.0, 2.0))
    (fold,) = special_points_of(traced).special
    assert abs(fold["frequency"] - 1.0) < 1e-9
    traced.family = Stubborn(traced.family, lambda *_: True)
    found = special_points_of(traced)
    (rough,) = found.special
    assert rough["kind"] == "fold"
    assert 0.0 < abs(rough["frequency"] - 1.0) <= rough["error"]
    assert len(found.points) == len(traced.points)
    assert any("not located: the flow broke down" in note for note in found.notes)


def test_the_note_names_the_interval_in_which_the_special_point_lies():
    traced = trace_curve(cubic(), (-10.0, 10.0))
    first = next(k for k, point in enumerate(traced.points) if point.tangent[-1] < 0.0)
    traced.family = Stubborn(traced.family, lambda *_: True)
    low, high = traced.points[first - 1].p, traced.points[first].p
    assert any(f"a fold between {low:.9g} and {high:.9g} was not" in note for note in special_points_of(traced).notes)


class Broken:
    """A family whose look at an orbit fails beyond a value of the parameter, with any exception."""

    sampled = False

    def __init__(self, family, beyond, trouble):
        self.family, self.beyond, self.trouble = family, beyond, trouble

    def __getattr__(self, name):
        return getattr(self.family, name)

    def point(self, x, p):
        if p > self.beyond:
            raise self.trouble
        return self.family.point(x, p)

    def points(self, x, p):
        return map(self.point, x, p)


@pytest.mark.parametrize("trouble", [np.linalg.LinAlgError("no eigenvalues"), ValueError("not finite")])
def test_what_numpy_raises_at_an_orbit_leaves_that_one_out_and_says_so(trouble):
    traced = trace_curve(logistic(), (1.5, 3.5))
    whole = special_points_of(traced)
    traced.family = Broken(traced.family, 3.2, trouble)
    found = special_points_of(traced)
    kept = [point.p for point in whole.points if point.p <= 3.2]
    assert [point.p for point in found.points] == kept
    assert [s["kind"] for s in found.special] == ["period-doubling"]
    (note,) = (note for note in found.notes if f"is left out: {trouble}" in note)
    assert note.startswith(f"{len(whole.points) - len(kept)} orbits are left out")


class Silent(Equation):
    """Its multiplier is no number near the place where it goes through -1."""

    def point(self, x, p):
        return plain_point(x, p, [np.nan if 0.999 < p < 1.001 else -p])


def test_a_multiplier_that_is_no_number_where_it_crosses_is_noted():
    found = special_points_of(trace_curve(Silent(lambda x, p: x - p, lambda *_: 1.0, lambda *_: -1.0), (0.5, 1.5)))
    assert any(note.startswith("a period doubling between") for note in found.notes)
