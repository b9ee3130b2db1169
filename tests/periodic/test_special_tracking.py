"""Special points over a second parameter, against closed forms and curves at other values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from analytic_families import Map
from models import DUFFING, one_mass
from scipy.optimize import brentq

import slipstick as ss
from slipstick.periodic.branches.special_family import bialternate_square
from slipstick.periodic.branches.special_tracking import track_special
from slipstick.periodic.continuation.step_control import ParameterRange

DAMPING = 0.1


def duffing_curve(**how):
    m = one_mass({"spring": DUFFING}, ss.Cosine(0.2, order=1), name="duffing")
    return m.frequency_response(between=(0.6, 2.0), method="harmonic-balance", harmonics=1, **how)


def gear_curve(load=0.2, between=(0.6, 1.6)):
    laws = {"shaft": ss.Linear(stiffness=0.2, damping=0.08), "mesh": ss.Freeplay(stiffness=1.0, half_gap=0.5)}
    return one_mass(laws, ss.Cosine(load, order=1), name="gear").frequency_response(between=between)


def load_at(square, frequency):
    """Amplitude of the load of x'' + 0.1 x' + x + x^3 by one harmonic, from amplitude squared; Kovacic (2011)."""
    omega2 = frequency**2
    return math.sqrt(square * ((1.0 - omega2 + 0.75 * square) ** 2 + DAMPING**2 * omega2))


def fold_residual(square, frequency):
    """The derivative of the squared load by the squared amplitude, over the size of its terms: zero at a fold."""
    omega2 = frequency**2
    own = 1.0 - omega2 + 0.75 * square
    parts = own**2 + DAMPING**2 * omega2, 1.5 * square * own
    return sum(parts) / (abs(parts[0]) + abs(parts[1]))


def closed_cusp():
    """(frequency, load) at which both folds of the one-harmonic Duffing oscillator meet.

    With s = 1 - W + 3A/4 the folds solve s^2 + d^2 W + 3/2 A s = 0, doubly at s = -3A/8.
    """

    def square(omega2):  # from -3/8 A = 1 - W + 3/4 A
        return (omega2 - 1.0) * 8.0 / 9.0

    omega2 = brentq(
        lambda w: (3 / 8 * square(w)) ** 2 + DAMPING**2 * w - 9 / 16 * square(w) ** 2, 1.05, 3.0, xtol=1e-15
    )
    return math.sqrt(omega2), load_at(square(omega2), math.sqrt(omega2))


@pytest.fixture(scope="module")
def tracked():
    curve = duffing_curve()
    fold = next(s for s in curve.special if s["kind"] == "fold")
    return curve.track(fold, "forcing.amplitude", between=(0.04, 0.22))


def test_folds_of_duffings_oscillator_are_those_of_one_harmonic(tracked):
    assert len(tracked) > 20
    for point in tracked.points:
        square = float(point.amplitude[0]) ** 2
        assert load_at(square, point.frequency) == pytest.approx(point.second, abs=1e-8)
        assert abs(fold_residual(square, point.frequency)) < 1e-7
    assert {tracked.points[0].second, tracked.points[-1].second} == {0.22}  # both folds up to the end of the range


def test_the_cusp_of_duffings_oscillator_is_that_of_the_closed_form(tracked):
    (cusp,) = tracked.special
    frequency, load = closed_cusp()
    assert cusp["kind"] == "cusp"
    assert cusp["frequency"] == pytest.approx(frequency, abs=1e-8)
    assert cusp["forcing.amplitude"] == pytest.approx(load, abs=1e-8)
    assert min(p.second for p in tracked.points) == pytest.approx(load, abs=1e-8)


def test_a_tracked_curve_has_data_a_picture_and_words(tracked):
    assert tracked.data.attrs["second"] == "forcing.amplitude"
    assert tracked.data.amplitude.shape == (len(tracked), 1)
    assert "cusp at" in repr(tracked)
    axes = tracked.plot().axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("frequency [rad/s]", "forcing.amplitude")


def test_folds_by_shooting_are_those_of_a_curve_at_the_other_load():
    curve = gear_curve()
    fold = max((s for s in curve.special if s["kind"] == "fold"), key=lambda s: s["parameter"])
    found = curve.track(fold, "forcing.amplitude", between=(0.2, 0.3))
    end = max(found.points, key=lambda p: p.second)
    other = max(s["parameter"] for s in gear_curve(0.3).special if s["kind"] == "fold")
    assert end.second == 0.3
    assert end.frequency == pytest.approx(other, abs=1e-7)


def bilinear_curve(damping):
    laws = {"shaft": ss.Linear(stiffness=1.0, damping=damping), "stop": ss.Contact(stiffness=8.0, gap=0.0)}
    return one_mass(laws, ss.Cosine(0.2, order=1), name="bilinear").frequency_response(between=(2.0, 2.6))


def test_a_period_doubling_by_shooting_is_that_of_a_curve_at_the_other_damping():
    curve = bilinear_curve(0.1)
    doubling = next(s for s in curve.special if s["kind"] == "period-doubling")
    found = curve.track(doubling, "shaft.damping", between=(0.1, 0.09))
    end = min(found.points, key=lambda p: p.second)
    other = next(s for s in bilinear_curve(0.09).special if s["kind"] == "period-doubling")
    assert end.second == 0.09
    assert end.first == pytest.approx(other["parameter"], abs=1e-7)


@pytest.mark.long
def test_folds_over_a_parameter_are_followed_over_another():
    m = one_mass({"spring": DUFFING}, ss.Cosine(0.2, order=1), name="duffing")
    curve = m.follow("forcing.amplitude", between=(0.01, 0.6), frequency=1.4, method="harmonic-balance", harmonics=1)
    folds = [s for s in curve.special if s["kind"] == "fold"]
    found = curve.track(folds[0], "spring.damping", between=(0.1, 0.12))
    assert found.parameters == ("forcing.amplitude", "spring.damping")
    start = next(p for p in found.points if p.second == 0.1)
    assert load_at(float(start.amplitude[0]) ** 2, 1.4) == pytest.approx(start.first, abs=1e-8)
    assert np.ptp([p.first for p in found.points]) > 1e-3


def test_bad_requests_are_refused(refused):
    curve = duffing_curve()
    with refused("curve.special has 2 points to track at, got number 5"):
        curve.track(5, "forcing.amplitude", (0.1, 0.3))
    with refused("track takes one of curve.special"):
        curve.track("fold", "forcing.amplitude", (0.1, 0.3))
    with refused("between must hold the model's own forcing.amplitude, 0.2"):
        curve.track(0, "forcing.amplitude", (0.3, 0.4))
    with refused("beside frequency"):
        curve.track(0, "frequency", (0.3, 0.4))
    with refused('no connection, load or coordinate "sprin"', "spring"):
        curve.track(0, "sprin.damping", (0.3, 0.4))
    gear = gear_curve()
    with refused("a branch-point is not followed"):
        gear.track({**gear.special[0], "kind": "branch-point"}, "forcing.amplitude", (0.1, 0.3))
    m = one_mass({"spring": DUFFING}, ss.Cosine(0.2, order=1))
    shot = m.frequency_response(between=(1.2, 2.0), method="shooting")
    with refused("no second derivatives", "harmonic-balance"):
        shot.track(next(s for s in shot.special if s["kind"] == "fold"), "forcing.amplitude", (0.1, 0.3))


def test_a_fold_that_goes_to_infinity_ends_after_a_bounded_number_of_points():
    """Without damping the resonance has no end: its amplitude is F / (c w), on the backbone w^2 = 1 + 3/4 A^2."""
    curve = duffing_curve()
    resonance = max((s for s in curve.special if s["kind"] == "fold"), key=lambda s: s["frequency"])
    found = curve.track(resonance, "spring.damping", between=(DAMPING, 0.0))
    assert len(found) < 400
    assert "left the curve's range by 10 times its width" in found.ended
    k = int(np.argmin(found.data.second.values))
    last = found.data.isel(point=k)
    amplitude, frequency = float(last.amplitude[0]), float(last.first)
    assert frequency > 10.0
    assert frequency**2 == pytest.approx(1.0 + 0.75 * amplitude**2, rel=1e-3)
    assert float(last.second) * frequency * amplitude == pytest.approx(0.2, rel=1e-3)


class DelayedLogistic(Map):
    """(x, y) -> (p x (1 - y) + q, x): its fixed point loses a pair of multipliers where p x = 1, at p = 2 / (1 + q)."""

    def __init__(self, q):
        super().__init__(
            lambda z, p: np.array([p * z[0] * (1.0 - z[1]) + q, z[0]]),
            lambda z, p: [[p * (1.0 - z[1]), -p * z[0]], [1.0, 0.0]],
            lambda z, _: np.array([z[0] * (1.0 - z[1]), 0.0]),
            lambda p: [1.0 - 1.0 / p, 1.0 - 1.0 / p],
        )

    def scales(self, x, p):
        return np.full(2, np.sqrt(2.0))  # over the root of their number, the unit of the equations


def test_a_neimark_sacker_point_is_that_of_the_closed_form():
    found = track_special(
        DelayedLogistic, "neimark-sacker", (np.array([0.5, 0.5]), 2.0, 0.0), 1.0, ParameterRange(-0.2, 0.2)
    )
    assert {found.points[0].second, found.points[-1].second} == {-0.2, 0.2}
    for point in found.points:
        assert point.first == pytest.approx(2.0 / (1.0 + point.second), abs=1e-8)


def test_products_of_two_eigenvalues_are_those_of_the_bialternate_square():
    matrix = np.random.default_rng(1).normal(size=(4, 4))
    values = np.linalg.eigvals(matrix)
    products = [values[i] * values[j] for i in range(4) for j in range(i)]
    found = np.linalg.eigvals(bialternate_square(matrix))
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(np.array(products)), abs=1e-12)


def two_masses(load):
    m = ss.Model("two masses")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.5)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.03), name="spring")
    m.connect(x - y, ss.Linear(stiffness=1.2, damping=0.03), name="coupling")
    m.connect(y, ss.Freeplay(stiffness=12.5, half_gap=0.42), name="gap")
    m.load(x, ss.Cosine(load, order=1))
    return m.frequency_response(between=(0.66, 0.74))


@pytest.mark.long
def test_a_neimark_sacker_point_of_two_masses_is_that_of_a_curve_at_the_other_load():
    curve = two_masses(0.354)
    point = next(s for s in curve.special if s["kind"] == "neimark-sacker")
    found = curve.track(point, "forcing.amplitude", between=(0.354, 0.36))
    end = max(found.points, key=lambda p: p.second)
    others = [s["parameter"] for s in two_masses(0.36).special if s["kind"] == "neimark-sacker"]
    assert end.second == 0.36
    assert min(abs(end.first - each) for each in others) < 1e-7
