"""Sliders beside smooth laws by the default method: past the onset of slip, where a band of stuck orbits closes.

Oracles: harmonic balance with many harmonics, a long run, and the closed form of a slider that sticks.
"""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.common_period import period_of
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.transient.problem import pose

SLIDERS = {
    "jenkins": ss.Jenkins(stiffness=1.0, limit=0.3),
    "masing": ss.Masing(stiffness=0.8, limit=0.25, parallel_stiffness=0.1),
    "iwan": ss.Iwan(stiffnesses=(0.5, 0.5), limits=(0.1, 0.2)),
}
SMOOTH = {
    "cubic": ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.1)),
    "tanh": ss.DryFriction(limit=0.01).regularised("tanh", sharpness=10.0),
    "bouc-wen": ss.BoucWen(stiffness=0.1, ratio=0.5, beta=5.0, gamma=5.0),
}
NOT_ALWAYS = pytest.mark.long  # one coordinate and two: each slider and each smooth law is met once in each
PAIRS = [
    pytest.param(slider, smooth, bodies, marks=() if (i + j) % 3 == bodies - 1 else NOT_ALWAYS)
    for bodies in (1, 2)
    for i, slider in enumerate(SLIDERS)
    for j, smooth in enumerate(SMOOTH)
]


def oscillator(slider, smooth, bodies=1, mean=0.0):
    m = ss.Model("slider and smooth law")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(x, slider, name="slider")
    form = x
    if bodies == 2:
        form = m.coordinate("y", inertia=0.5) - x
        m.connect(form, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(form, smooth)
    m.load(x, ss.Cosine(0.25, order=1))
    if mean:
        m.load(x, mean)
    return m


@pytest.mark.parametrize(("slider", "smooth", "bodies"), PAIRS)
def test_the_default_method_passes_the_onset_of_slip(slider, smooth, bodies):
    m = oscillator(SLIDERS[slider], SMOOTH[smooth], bodies)
    curve = m.frequency_response(between=(0.6, 2.3))
    assert curve.stats.method == "shooting"
    assert not curve.stats.ended
    assert curve.points[-1].frequency == 2.3
    assert all(point.stable for point in curve.points)
    assert {(s["kind"], s["connection"]) for s in curve.special} == {("grazing", "slider")}
    chosen = curve.points[:: len(curve.points) // 5]
    other = m.frequency_response(at=[p.frequency for p in chosen], method="harmonic-balance", harmonics=25)
    for own, balanced in zip(chosen, other.points, strict=True):
        assert np.abs(own.amplitude - balanced.amplitude).max() <= own.error + balanced.error


def test_a_long_run_settles_on_the_curve_past_the_onset_of_slip():
    m = oscillator(SLIDERS["jenkins"], SMOOTH["cubic"])
    curve = m.frequency_response(between=(1.0, 1.3))
    last = curve.points[-1]
    run = m.frequency_response(at=[1.3], method="integration")
    assert last.amplitude[0] == pytest.approx(run.points[0].amplitude[0], rel=1e-5)


@pytest.mark.parametrize("mean", [pytest.param(0.15, marks=pytest.mark.long), 0.6])
def test_under_a_mean_load_the_curve_is_the_same_from_both_ends(mean):
    """Where the virgin place of the slider leaves the band the curve stays inside, and still goes on to slip."""
    m = oscillator(SLIDERS["jenkins"], SMOOTH["cubic"], mean=mean)
    up, down = (m.frequency_response(between=ends) for ends in ((0.9, 1.9), (1.9, 0.9)))
    for curve in (up, down):
        assert not curve.stats.ended
        assert all(point.stable for point in curve.points)
    places = [sorted(s["frequency"] for s in curve.special) for curve in (up, down)]
    assert len(places[0]) == 2
    assert places[0] == pytest.approx(places[1], rel=1e-6)


def three_bodies():
    m = ss.Model("three bodies with sliders, cubic springs and a stop")
    q = [m.coordinate(f"q{i}", inertia=1.0) for i in (1, 2, 3)]
    for form in (q[0], q[1] - q[0], q[2] - q[1], q[2]):
        m.connect(form, ss.Linear(stiffness=1.0, damping=0.02))
    for form in (q[0], q[1] - q[0]):
        m.connect(form, ss.Jenkins(stiffness=20.0, limit=1.0))
    for form in (q[1], q[2] - q[1]):
        m.connect(form, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1.0)))
    m.connect(q[2], ss.Contact(stiffness=1.0, gap=0.25))
    m.load(q[1], ss.Cosine(1.0, order=1))
    return m


@pytest.mark.long
def test_no_fold_is_found_where_harmonic_balance_has_none():
    m = three_bodies()
    curve = m.frequency_response(between=(0.72, 0.77))
    assert not curve.stats.ended
    assert curve.points[-1].frequency == 0.77
    assert not [s for s in curve.special if s["kind"] == "fold"]
    balanced = m.frequency_response(at=[0.77], method="harmonic-balance", harmonics=11).points[0]
    assert np.abs(curve.points[-1].amplitude - balanced.amplitude).max() <= curve.points[-1].error + balanced.error


@pytest.mark.long
def test_folds_within_a_band_of_a_slider_that_sticks_are_those_of_harmonic_balance():
    """The slider moves with the motion along the curve, and stays where it is for the multipliers: one of these passes
    +1 before the curve turns, where no branch crosses."""
    m = three_bodies()
    start = m.frequency_response(at=[1.55, 1.58, 1.6, 1.615, 1.625]).orbit(-1)
    found = []
    for method, harmonics in (("shooting", None), ("harmonic-balance", 31)):
        curve = m.frequency_response(between=(1.622, 1.642), start=start, method=method, harmonics=harmonics)
        assert curve.stats.method == method
        found.append([s for s in curve.special if s["kind"] != "grazing"])
    assert [[s["kind"] for s in each] for each in found] == [["fold", "fold"]] * 2
    for own, other in zip(*found, strict=True):
        assert abs(own["frequency"] - other["frequency"]) <= own["error"] + other["error"]


def test_a_slider_that_sticks_is_virgin_and_its_equations_have_the_derivative_of_differences():
    """It is virgin wherever it began, as long as that lies within the band; one that slips both ways is where it is."""
    problem = pose(oscillator(ss.Jenkins(stiffness=1.0, limit=0.3), SMOOTH["cubic"]), 0.0, 1.3)
    own = AdaptiveMap(problem, period_of(problem).time, 1e-10)
    assert own.go(np.array([0.001, 0.0, 0.002])).state[2] != 0.0  # the load alone makes it slip
    own = AdaptiveMap(problem.retuned(20.0), 2.0 * np.pi / 20.0, 1e-10)
    assert own.go(np.array([0.001, 0.0, 0.002])).state[2] == 0.0
    for state in (np.array([0.01, 0.0, 0.002]), np.array([0.9, 0.2, 0.5])):
        passed = own.go(state, derivative=True)
        for k in range(3):
            aside = 1e-6 * np.eye(3)[k]
            slope = (own.go(state + aside).state - own.go(state - aside).state) / 2e-6
            assert passed.derivative[:, k] == pytest.approx(slope, abs=2e-4)
