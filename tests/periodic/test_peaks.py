"""A peak is located between the points of a curve: closed forms give its frequency and its height."""

from __future__ import annotations

import math

import numpy as np
import pytest
from periodic.analytic_families import Duffing, Equation, Stubborn

import slipstick as ss
from slipstick.errors import InvalidInput
from slipstick.periodic.continuation.curve_trace import trace_curve
from slipstick.periodic.measures.peaks import find_peak
from slipstick.periodic.stability.special_points import special_points_of

ZETA = 0.05
LINEAR = (math.sqrt(1.0 - 2.0 * ZETA**2), 0.5 / (ZETA * math.sqrt(1.0 - ZETA**2)))  # rad/s, and over the static one


def oscillator(law=None):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=2.0 * ZETA), name="spring")
    if law is not None:
        m.connect(x, law, name="law")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_the_peak_of_a_linear_oscillator_is_where_the_closed_form_has_it(method):
    curve = oscillator().frequency_response(between=(0.3, 1.7), method=method)
    peak = curve.peak("x")
    assert peak.frequency == pytest.approx(LINEAR[0], abs=1e-7)
    assert peak.amplitude == pytest.approx(LINEAR[1], rel=1e-10)
    assert (peak.coordinate, peak.stable, peak.within, peak.located) == ("x", True, True, True)
    assert curve.peaks() == [peak]
    assert peak.orbit().amplitude["x"] == pytest.approx(LINEAR[1], rel=1e-9)


def test_the_peak_of_a_bent_curve_lies_before_its_fold():
    family = Duffing()
    found = special_points_of(trace_curve(family, (0.3, 2.5)))
    index = int(np.argmax([point.amplitude[0] for point in found.points]))
    peak = find_peak(family, found.points, index, 2.2, lambda point: float(point.amplitude[0]))
    low, high = 0.5, 10.0  # of both frequencies at an amplitude, which meet at the peak
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if family.frequencies(middle) else (low, middle)
    assert peak.amplitude[0] == pytest.approx(low, rel=1e-12)
    assert peak.p == pytest.approx(math.sqrt(1.0 + 0.75 * low**2 - 2.0 * family.z**2), abs=1e-6)
    assert peak.residual <= family.tolerance


@pytest.mark.parametrize("slope", [0.5, 2.0])
def test_a_peak_with_a_corner_is_found_too(slope):
    tent = Equation(
        lambda x, p: x + slope * abs(p - 1.0) - 2.0,
        lambda *_: 1.0,
        lambda _, p: math.copysign(slope, p - 1.0),
        guess=1.0,
    )
    found = special_points_of(trace_curve(tent, (0.5, 1.7)))
    index = int(np.argmax([point.amplitude[0] for point in found.points]))
    peak = find_peak(tent, found.points, index, 1.2, lambda point: float(point.amplitude[0]))
    assert (peak.p, peak.amplitude[0]) == pytest.approx((1.0, 2.0), abs=3e-6)


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_the_peak_of_a_slider_is_higher_than_its_neighbours(method):
    m = oscillator(ss.Jenkins(stiffness=1.0, limit=0.5))
    peak = m.frequency_response(between=(0.3, 1.7), method=method).peak()
    assert peak.located
    height = m.periodic(frequency=peak.frequency, method=method).amplitude["x"]
    assert peak.amplitude == pytest.approx(height, rel=1e-9)
    for beside in (1.0 - 2e-4, 1.0 + 2e-4):
        assert m.periodic(frequency=beside * peak.frequency, method=method).amplitude["x"] < height


def test_an_end_may_be_the_largest_and_says_so():
    curve = oscillator().frequency_response(between=(0.3, 0.8))
    peak = curve.peak()
    assert (peak.frequency, peak.within) == (0.8, False)
    assert curve.peaks() == []
    assert peak.amplitude == pytest.approx(1.0 / math.hypot(1.0 - 0.64, 2.0 * ZETA * 0.8), rel=1e-10)


def test_single_frequencies_have_the_largest_of_their_points_and_files_keep_what_was_located(tmp_path):
    some = oscillator().frequency_response(at=[0.9, 1.0, 1.1])
    assert (some.peak().frequency, some.peak().located) == (1.0, False)
    curve = oscillator().frequency_response(between=(0.3, 1.7))
    curve.save(tmp_path / "curve.nc")
    peak, before = ss.open(tmp_path / "curve.nc").peak(), curve.peak()
    assert peak.located
    for name in ("frequency", "amplitude", "stable", "within", "error", "frequency_error"):
        assert getattr(peak, name) == getattr(before, name)
    orbit = peak.orbit()  # from the model in the file
    assert orbit.point.amplitude[0] == pytest.approx(before.amplitude, rel=1e-9)


def test_the_error_of_a_peak_by_harmonic_balance_reaches_to_that_by_shooting():
    m = ss.Model("play")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="mesh")
    m.load(x, ss.Cosine(0.2, order=1))
    exact, rough = (
        m.frequency_response(between=(0.6, 1.6), method=how).peak() for how in ("shooting", "harmonic-balance")
    )
    assert exact.error < 1e-9 < abs(rough.amplitude - exact.amplitude) <= rough.error
    assert exact.frequency_error < 1e-6 < abs(rough.frequency - exact.frequency) <= rough.frequency_error


def test_each_coordinate_has_its_own_peaks():
    m = ss.Model("two")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    for form, name in ((x, "a"), (y - x, "b"), (y, "c")):
        m.connect(form, ss.Linear(stiffness=1.0, damping=0.05), name=name)
    m.load(x, ss.Cosine(1.0, order=1))
    curve = m.frequency_response(between=(0.5, 2.2))

    def exact(w):
        k = np.array([[2.0, -1.0], [-1.0, 2.0]])
        return np.abs(np.linalg.solve(k * complex(1.0, 0.05 * w) - w**2 * np.eye(2), [1.0, 0.0]))

    for column, name in enumerate(("x", "y")):
        peaks = curve.peaks(name)
        assert [peak.frequency for peak in peaks] == pytest.approx([1.0, math.sqrt(3.0)], abs=0.02)
        for peak in peaks:
            assert peak.amplitude == pytest.approx(exact(peak.frequency)[column], rel=1e-9)
            for beside in (1.0 - 1e-4, 1.0 + 1e-4):
                assert exact(beside * peak.frequency)[column] < peak.amplitude
    with pytest.raises(InvalidInput, match="no coordinate 'z'"):
        curve.peak("z")


def test_where_nothing_can_be_solved_the_largest_point_is_given():
    curve = oscillator().frequency_response(between=(0.3, 1.7))
    object.__setattr__(curve.origin, "family", Stubborn(curve.origin.family, lambda *_: True))
    peak = curve.peak()
    assert (peak.amplitude, peak.located) == (curve.data.amplitude.max(), False)
