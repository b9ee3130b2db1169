"""Curves by harmonic balance: those of shooting within their errors, the same from both ends, and other branches."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.balance_models import chain, gear, oscillator, torsional

import slipstick as ss
from slipstick.periodic.balance import HarmonicBalance, accuracy
from slipstick.periodic.continuation.corrector import correct, solve_at, tangent_at
from slipstick.periodic.continuation.initial_point import find_start
from slipstick.periodic.continuation.path import Path
from slipstick.periodic.continuation.step_control import checked_range


def slider():
    return oscillator(ss.Jenkins(stiffness=1.0, limit=0.5))


@pytest.mark.parametrize(
    ("model", "at"), [(slider(), (0.4, 0.8, 1.0, 1.3)), pytest.param(chain(), (0.25, 0.5, 0.9), marks=pytest.mark.long)]
)
def test_seven_harmonics_twenty_one_and_shooting_agree_within_the_stated_errors(model, at):
    few, many = (model.frequency_response(at=at, method="harmonic-balance", harmonics=h) for h in (7, 21))
    exact = model.frequency_response(at=at, method="shooting")
    for other in (many, exact):
        apart = np.abs(few.data.harmonics.values[:, :8] - other.data.harmonics.values[:, :8]).max(axis=(1, 2))
        assert (apart <= few.data.error.values).all()
    apart = np.abs(many.data.amplitude.values - exact.data.amplitude.values).max(axis=1)
    assert (apart <= many.data.error.values).all()
    assert many.error < 0.5 * few.error


def test_points_of_a_curve_solve_the_equations_and_have_their_tangents():
    family = HarmonicBalance(chain(), frequency=0.2, harmonics=5)
    within = checked_range((0.2, 0.6))
    points = list(Path(family, find_start(family, 0.2, None, within)[0], within))
    assert len(points) > 50
    for point in points[1::7]:
        assert np.abs(family.linearise(point.x, point.p).residual).max() <= family.tolerance
        tangent = tangent_at(family, point.z, point.scale, point.tangent)
        assert point.tangent @ tangent > np.cos(0.1)  # a Jacobian from before the last Newton steps may have given it
        assert np.allclose(point.scale[:-1], family.scales(point.x, point.p), rtol=1e-12)


def test_the_compiled_corrector_leads_along_the_curve_of_the_general_way():
    quick, general = (HarmonicBalance(slider(), frequency=0.3, harmonics=7) for _ in range(2))
    general.corrected = lambda *_: None
    within = checked_range((0.3, 1.7))
    first = find_start(quick, 0.3, None, within)[0]
    curves = []
    for family in (quick, general):
        points = list(Path(family, first, within))
        curves.append((np.array([p.p for p in points]), np.array([p.x for p in points])))
    (p, x), (q, y) = curves
    size = np.sqrt((x**2).sum(axis=1))
    assert np.interp(q, p, size) == pytest.approx(np.sqrt((y**2).sum(axis=1)), rel=5e-3)  # lines between points


def test_a_varying_friction_limit_takes_a_few_hundred_points_as_its_reversals_are_resolved():
    seen = []
    torsional(0.5).frequency_response(
        between=(0.4, 1.6), method="harmonic-balance", harmonics=7, progress=lambda count, _: seen.append(count)
    )
    assert 50 < seen[-1] < 400  # with 256 samples of a period it takes 1845


def test_friction_of_many_harmonics_is_rounded_so_widely_that_samples_see_it_turn():
    model = oscillator(ss.DryFriction(limit=0.3))
    family = HarmonicBalance(model, frequency=0.5, harmonics=200)
    start = solve_at(family, family.solve(0.5).x, 0.5, 0.1)
    path = Path(family, start if start.tangent[-1] > 0.0 else start.reversed(), checked_range((0.5, 0.54)))
    assert len(list(path)) < 60  # rounded over 0.1/200 it took hundreds
    exact = model.periodic(frequency=0.5, method="shooting")
    assert family.point(start.x, 0.5).amplitude[0] == pytest.approx(float(exact.data["displacement"].max()), abs=5e-5)


def test_a_point_on_a_plane_is_the_same_by_compiled_code_and_by_the_general_way():
    family = HarmonicBalance(slider(), frequency=0.9, harmonics=7)
    begin = solve_at(family, family.start(0.9), 0.9, 1.0)
    guess, plane = begin.z + 0.02 * begin.slope, begin.plane(0.02)
    quick = family.corrected(guess, plane)
    family.corrected = lambda *_: None
    slow = correct(family, guess, plane)
    assert quick is not None
    assert 0 < quick.iterations <= slow.iterations  # counts Jacobians, which serve for several steps
    assert quick.z == pytest.approx(slow.z, rel=1e-12, abs=1e-13)
    assert quick.tangent == pytest.approx(slow.tangent, abs=1e-11)
    assert quick.turn == pytest.approx(slow.turn, abs=1e-8)
    assert abs(quick.residual) <= family.tolerance


@pytest.mark.parametrize("harmonics", [3, 7, 15])
def test_folds_of_a_sampled_gap_are_the_same_from_both_ends_and_near_those_of_shooting(harmonics):
    model = gear()
    exact = sorted(s["frequency"] for s in model.frequency_response(between=(0.6, 1.6)).special if s["kind"] == "fold")
    assert len(exact) == 2
    for between in ((0.6, 1.6), (1.6, 0.6)):
        curve = model.frequency_response(between=between, method="harmonic-balance", harmonics=harmonics)
        found = sorted(s["frequency"] for s in curve.special)
        assert [s["kind"] for s in curve.special] == ["fold", "fold"]
        assert found == pytest.approx(exact, rel=3e-4)
        if between == (0.6, 1.6):
            forward = found
    assert found == pytest.approx(forward, rel=1e-6)


def test_the_branch_with_twice_the_period_is_switched_to():
    m = ss.Model("stop")
    z = m.coordinate("z", inertia=1.0)
    m.connect(z, ss.Contact(stiffness=20.0, gap=0.1), name="wall")
    m.connect(z, ss.Linear(stiffness=1.0, damping=0.2), name="spring")
    m.load(z, ss.Cosine(1.0, order=1))
    between = (2.2, 2.6)
    exact = m.frequency_response(between=between)
    single = m.frequency_response(between=between, method="harmonic-balance", harmonics=15)
    places = [next(s["frequency"] for s in c.special if s["kind"] == "period-doubling") for c in (exact, single)]
    assert places[1] == pytest.approx(places[0], rel=2e-3)
    doubled = single.switch(next(s for s in single.special if s["kind"] == "period-doubling"))
    assert doubled.data.period.values[-1] == pytest.approx(2.0 * single.data.period.values[-1], rel=1e-9)
    half = np.abs(doubled.data.harmonics.values[:, 1, 0])  # what has twice the period grows from nothing
    assert half[0] < 1e-6
    assert half.max() > 0.05


def test_distance_to_the_exact_orbit_is_within_the_stated_error():
    for model, omega in ((slider(), 0.9), (gear(), 0.7)):
        orbit = model.periodic(frequency=omega, method="harmonic-balance", harmonics=7)
        exact = model.periodic(frequency=omega, method="shooting", start=orbit)
        assert 1e-7 < orbit.distance_to(exact) <= orbit.certificate.error
        assert exact.stable


@pytest.mark.parametrize("order", [0, 1])
def test_error_of_a_sign_function_falls_like_one_over_harmonics_and_bounds_the_distance_to_shooting(order):
    model, omega = torsional(order), 0.4
    counts, stated = (8, 16, 32, 64), []
    for harmonics in counts:
        orbit = model.periodic(frequency=omega, method="harmonic-balance", harmonics=harmonics)
        exact = model.periodic(frequency=omega, method="shooting", start=orbit)
        assert orbit.distance_to(exact) <= orbit.certificate.error
        stated.append(orbit.certificate.error)
    slope = np.polyfit(np.log(counts), np.log(stated), 1)[0]
    assert -1.6 < slope < -0.6


@pytest.mark.parametrize("omega", [0.5, 0.8, 1.5, 2.2])
def test_a_wall_ten_thousand_times_as_stiff_as_the_spring_is_balanced(omega):
    model = oscillator(ss.Contact(stiffness=1e4, gap=0.1), damping=0.2)
    family = HarmonicBalance(model, frequency=omega, harmonics=15)
    solution = family.solve(omega)
    here = family.linearise(solution.x, omega)
    # what is left is rounding, of which so stiff a wall makes 1e-9 out of a last bit: the motion itself is known better
    assert np.abs(np.linalg.solve(here.by_x, here.residual)).max() < 1e-13
    assert solution.point.mean[0] < 0.0  # it bounces off to one side


def test_a_curve_starts_from_a_run_where_a_linear_guess_leads_nowhere():
    model = oscillator(ss.Contact(stiffness=1e3, gap=0.1), damping=0.2)
    curve = model.frequency_response(at=[0.8], method="harmonic-balance", harmonics=15)
    assert "a run of the model" in " ".join(curve.notes)
    assert curve.data.residual.values[0] < 1e-10


@pytest.mark.parametrize(
    ("law", "partial"),
    [
        (ss.Freeplay(stiffness=1.0, half_gap=0.5), True),
        (ss.Jenkins(stiffness=1.0, limit=0.5), True),
        (ss.Freeplay(stiffness=2000.0, half_gap=0.5), False),
    ],
    ids=["freeplay", "slider", "stiff"],
)
def test_a_matrix_of_the_lowest_harmonics_leads_to_the_points_of_the_whole_one(law, partial):
    family = HarmonicBalance(oscillator(law), frequency=0.6, harmonics=220)
    point = solve_at(family, family.solve(0.6).x, 0.6, 1.0)
    guess, plane = point.z + 1e-3 * point.slope, point.plane(1e-3)
    found = family.corrected(guess, plane)
    width = family.equations.matrix_width
    assert (width < family.waves.width) == partial
    family.corrected = lambda *_: None
    whole = correct(family, guess, plane)
    assert family.equations.matrix_width == family.waves.width
    np.testing.assert_allclose(found.z / plane.scale, whole.z / plane.scale, rtol=0.0, atol=1e-10)
    assert found.tangent @ whole.tangent > np.cos(
        0.01
    )  # a matrix from before the last steps of Newton may have given it
    assert np.abs(family.linearise(found.x, found.p).residual).max() <= family.tolerance


def test_answers_of_many_harmonics_are_those_of_the_whole_matrix():
    model = oscillator(ss.Freeplay(stiffness=1.0, half_gap=0.5), damping=0.5)
    family = HarmonicBalance(model, frequency=1.3, harmonics=220)
    matrix = family.linearise(family.solve(1.3).x, 1.3).by_x
    right = np.random.default_rng(0).normal(size=(family.size, 3))
    found = accuracy._answer_by_low_harmonics(family, matrix, right, np.ones(family.size))
    np.testing.assert_allclose(found, np.linalg.solve(matrix, right), rtol=0.0, atol=1e-12 * np.abs(found).max())
