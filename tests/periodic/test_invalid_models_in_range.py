"""Models over a parameter, some of which cannot be: what was reached before them is kept, and they are named."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import InvalidInput, NotConverged


def oscillator(stiffness=4.0, *, mean=0.0, gap=True):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=stiffness, damping=0.6), name="spring")
    if gap:
        m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=50.0), name="gap")
    m.load(x, ss.Cosine(1.0, order=1) + ss.Constant(mean))
    return m


def response(w, stiffness=4.0):
    return 1.0 / np.abs(stiffness - w**2 + 0.6j * w)


def test_a_spring_that_vanishes_under_a_mean_load_leaves_a_drift():
    """The mean is 1 / stiffness; without a spring the damper carries the mean load at a drift of load / damping."""
    m = oscillator(1.0, mean=1.0, gap=False)
    curve = m.follow("spring.stiffness", between=(1.0, 0.0), frequency=2.0, method="harmonic-balance")
    *points, last = curve.points
    assert len(points) > 5
    assert last.amplitude[0] == pytest.approx(response(2.0, 0.0), rel=1e-9)
    assert any(f"{1.0 / 0.6:.6g} per second" in str(note) for note in last.notes)
    for point in points:
        assert point.mean[0] == pytest.approx(1.0 / point.p, rel=1e-9)
        assert point.amplitude[0] == pytest.approx(response(2.0, point.p), rel=1e-9)


@pytest.mark.parametrize("method", ["integration", "harmonic-balance", "shooting"])
def test_frequencies_before_one_that_has_no_model_are_kept(method):
    def build(w):
        return oscillator(4.0 if w < 1.5 else math.nan)

    with pytest.raises(NotConverged, match="stiffness") as raised:
        ss.frequency_response(build, at=[1.0, 1.2, 1.4, 1.6, 1.8], method=method)
    curve = raised.value.partial
    assert [point.p for point in curve.points] == [1.0, 1.2, 1.4]
    for point in curve.points:
        assert point.amplitude[0] == pytest.approx(response(point.p), rel=1e-5)


@pytest.mark.parametrize("method", ["integration", "harmonic-balance", "shooting"])
def test_a_model_with_other_connections_on_the_way_is_named(method):
    with pytest.raises(NotConverged, match=r"connections are spring, those at 1 are spring, gap") as raised:
        ss.frequency_response(lambda w: oscillator(gap=w < 1.3), at=[1.0, 1.2, 1.4], method=method)
    assert "\n" not in str(raised.value)
    assert [point.p for point in raised.value.partial.points] == [1.0, 1.2]


def test_models_at_both_ends_of_a_parameter_have_the_same_coordinates(refused):
    def build(p):
        m = oscillator(p)
        if p > 5.0:
            m.coordinate("y", inertia=1.0)
        return m

    with refused("coordinates are x, y, those at 4 are x", error=InvalidInput):
        oscillator().follow(build, between=(4.0, 6.0), frequency=1.0)


@pytest.mark.parametrize("how", [{"between": (1.0, 3.0)}, {"at": [1.0, 1.5, 2.5], "method": "integration"}])
def test_whatever_a_function_raises_leaves_the_curve_up_to_there(how):
    def build(w):
        if w > 2.0:
            raise KeyError("no table\nbeyond 2")
        return oscillator()

    with pytest.raises(NotConverged, match=r"failed with KeyError: 'no table\\nbeyond 2'") as raised:
        ss.frequency_response(build, **how)
    assert "\n" not in str(raised.value)
    points = raised.value.partial.points
    assert len(points) >= 2
    assert points[-1].p <= 2.0
    for point in points:
        assert point.amplitude[0] == pytest.approx(response(point.p), rel=1e-5)


def test_what_a_function_raises_at_the_first_value_is_a_refusal():
    def build(_):
        raise ZeroDivisionError

    with pytest.raises(
        InvalidInput, match=r"build\(1\) failed with ZeroDivisionError; it must return a model"
    ) as raised:
        ss.frequency_response(build, between=(1.0, 3.0))
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
