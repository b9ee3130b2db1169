"""Curves and modes whose errors are as large as they are themselves say so, and leave the command line with 1."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

import slipstick as ss
from slipstick.cli.mode_screen import _significant_digits
from slipstick.results.curve import Curve, CurveFindings


@pytest.fixture(scope="module")
def curve() -> ss.Curve:
    m = ss.Model("mass")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.2), name="slider")
    m.load(x, ss.Cosine(0.3, order=1))
    return m.frequency_response(between=(0.5, 2.0), method="harmonic-balance")


def with_errors(curve: ss.Curve, share: float, error: float) -> ss.Curve:
    """The same with the first points in doubt; error : of their motion."""
    count = round(share * len(curve.points))
    points = [
        replace(p, error=error * float(p.amplitude.max())) if k < count else replace(p, error=0.0)
        for k, p in enumerate(curve.points)
    ]
    return Curve(CurveFindings(tuple(points), curve.special), curve.model, curve.stats)


@pytest.mark.parametrize(("share", "error", "told"), [(0.9, 0.2, True), (0.9, 0.05, False), (0.3, 0.2, False)])
def test_most_of_the_errors_must_be_small_beside_the_motion(
    curve: ss.Curve, share: float, error: float, told: bool
) -> None:
    doubted = with_errors(curve, share, error)
    assert ("above 10 % of their motion; raise harmonics=" in doubted.doubt) is told
    assert ("NOT TO BE TRUSTED" in repr(doubted)) is told
    assert bool(doubted.doubt) is told


def test_a_good_curve_is_trusted(curve: ss.Curve) -> None:
    assert curve.doubt == ""


@pytest.mark.parametrize(("error", "digits"), [(27.0, 2), (1.0, 3), (1e-3, 6), (1e-9, 6), (0.0, 6), (float("nan"), 6)])
def test_a_frequency_has_the_digits_that_its_error_leaves(error: float, digits: int) -> None:
    assert _significant_digits(SimpleNamespace(frequency=100.0, frequency_error=error)) == digits
