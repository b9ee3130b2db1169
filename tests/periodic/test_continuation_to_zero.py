"""A parameter is followed to nothing and through it: a load of no size and a limit of zero are models."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss

OMEGA = 0.9


def oscillator(law=None):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    if law is not None:
        m.connect(x, law, name="slider")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


GAIN = 1.0 / math.hypot(1.0 - OMEGA**2, 0.1 * OMEGA)
STUCK = 1.0 / math.hypot(2.0 - OMEGA**2, 0.1 * OMEGA)


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
@pytest.mark.parametrize("between", [(1.0, 0.0), (0.0, 1.0), pytest.param((-0.5, 1.0), marks=pytest.mark.long)])
def test_a_load_is_followed_to_zero_from_it_and_through_it(method, between):
    curve = oscillator().follow("forcing.amplitude", between=between, frequency=OMEGA, method=method)
    values = curve.data.parameter.values
    assert (values[0], values[-1]) == between
    assert curve.data.amplitude.values[:, 0] == pytest.approx(GAIN * np.abs(values), rel=1e-9, abs=1e-12)
    assert not curve.notes


@pytest.mark.parametrize("between", [(1.0, 0.0), pytest.param((0.0, 1.0), marks=pytest.mark.long)])
def test_a_slider_under_no_load_is_at_rest(between):
    m = oscillator(ss.Jenkins(stiffness=1.0, limit=0.5))
    curve = m.follow("forcing.amplitude", between=between, frequency=OMEGA)
    amplitude = dict(zip(curve.data.parameter.values.tolist(), curve.data.amplitude.values[:, 0], strict=True))
    assert (min(amplitude), max(amplitude)) == (0.0, 1.0)  # no point lies beyond what was asked for
    assert amplitude[0.0] == 0.0
    for load, found in amplitude.items():
        if load * STUCK < 0.49:  # it never slips
            assert found == pytest.approx(load * STUCK, rel=1e-9)


@pytest.mark.parametrize("method", [pytest.param("shooting", marks=pytest.mark.long), "harmonic-balance"])
def test_a_limit_ends_at_zero_where_the_slider_is_not_there(method):
    m = oscillator(ss.Jenkins(stiffness=1.0, limit=0.5))
    curve = m.follow("slider.limit", between=(3.0, 0.0), frequency=OMEGA, method=method)
    assert curve.data.parameter.values[-1] == 0.0
    assert curve.data.amplitude.values[-1, 0] == pytest.approx(GAIN, rel=1e-8)
    assert curve.data.amplitude.values[0, 0] == pytest.approx(STUCK, rel=1e-8)
