"""Harmonic balance as a family: over frequency, over a parameter, with twice the period."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.balance_models import motion, oscillator, torsional
from scipy.optimize import fsolve

import slipstick as ss
from slipstick.periodic.balance import HarmonicBalance, ParametricBalance
from slipstick.periodic.balance.orbit_solver import BalanceSolution
from slipstick.periodic.continuation.corrector import correct, parameter_plane, scale_of
from slipstick.periodic.continuation.path import Path
from slipstick.periodic.continuation.step_control import ParameterRange


def followed(family, x, begin, end):
    """The points of a curve from x at begin."""
    z = np.append(x, begin)
    start = correct(family, z, parameter_plane(z, begin, scale_of(family, z, abs(end - begin))))
    return list(Path(family, start if end > begin else start.reversed(), ParameterRange(begin, end)))


def duffing(load=1.0):
    return oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)), load=ss.Cosine(load, order=1))


def fold_of_duffing(a, w):
    """Where one harmonic of Duffing's equation turns back, near an amplitude and a frequency.

    ((1 - w^2 + 3/8 A)^2 + (0.1 w)^2) A = 1 in A = a^2, and its derivative by A is zero.
    """

    def equations(y):
        size, s = y
        k = 1 - s * s + 0.375 * size
        return (k * k + 0.01 * s * s) * size - 1.0, k * k + 0.01 * s * s + 0.75 * k * size

    found, _, done, _ = fsolve(equations, (a * a, w), full_output=True, xtol=1e-12)
    assert done == 1
    return found[1]


def test_folds_of_duffing_with_one_harmonic_are_those_of_the_closed_form():
    family = HarmonicBalance(duffing(), frequency=0.4, harmonics=1)
    points = followed(family, family.solve(0.4).x, 0.4, 3.5)
    turns = [i for i in range(1, len(points)) if points[i].tangent[-1] * points[i - 1].tangent[-1] < 0.0]
    assert len(turns) == 2
    for i, side in zip(turns, (max, min), strict=True):
        farthest = side(points[i - 1].p, points[i].p)
        fold = fold_of_duffing(np.hypot(points[i].x[0], points[i].x[1]), points[i].p)
        assert fold == pytest.approx(farthest, rel=5e-3)
        assert side(fold, farthest) == pytest.approx(fold, rel=1e-12)  # no point lies beyond the fold


def test_curve_over_the_load_is_the_closed_form():
    # one harmonic: load^2 = ((1 - w^2 + 3/4 b a^2)^2 + (c w)^2) a^2
    family = ParametricBalance(duffing, 0.2, frequency=1.6, harmonics=1)
    x = family.at(0.2).solve(1.6).x
    points = followed(family, x, 0.2, 2.0)
    assert min(p.tangent[-1] for p in points) < 0.0  # there is a fold on the way
    for p in points:
        a = np.hypot(p.x[0], p.x[1])
        load = a * np.hypot(1 - 1.6**2 + 0.375 * a * a, 0.16)
        assert load == pytest.approx(p.p, rel=1e-8)
    assert family.point(points[-1].x, points[-1].p).p == points[-1].p
    assert family.point(points[-1].x, points[-1].p).frequency == 1.6


def test_a_curve_over_a_parameter_starts_from_a_run_where_a_linear_guess_leads_nowhere():
    model = oscillator(ss.Contact(stiffness=1e3, gap=0.1), damping=0.2)
    curve = model.follow("law.gap", between=(0.1, 0.12), frequency=0.8, method="harmonic-balance", harmonics=15)
    assert "a run of the model" in " ".join(curve.notes)
    assert curve.data.residual.values.max() < 1e-10
    exact = oscillator(ss.Contact(stiffness=1e3, gap=0.12), damping=0.2).periodic(frequency=0.8, method="shooting")
    last = curve.points[-1]
    assert last.amplitude[0] == pytest.approx(exact.point.amplitude[0], abs=last.error)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (ss.DryFriction(limit=0.2), "rounded over 4 times"),
        (ss.Jenkins(stiffness=1.0, limit=0.5), "4 harmonics instead"),
    ],
    ids=["friction", "slider"],
)
def test_softer_families_over_a_parameter_are_those_of_each_model(law, words):
    family = ParametricBalance(lambda f: oscillator(law, load=ss.Cosine(f, order=1)), 1.0, frequency=0.7, harmonics=9)
    first, *_ = family.softened()
    assert words in first.words
    x = family.at(1.2).solve(0.7).x
    same = next(soft for soft in family.at(1.2).softened() if soft.words == first.words)
    lowered = first.lower(x)
    own, other = first.family.linearise(lowered, 1.2), same.family.linearise(lowered, 0.7)
    np.testing.assert_allclose(own.residual, other.residual, atol=1e-14)
    np.testing.assert_allclose(own.by_x, other.by_x, atol=1e-14)
    assert first.lift(lowered).size == family.size


def test_orbit_run_through_twice_solves_the_family_of_twice_the_period():
    family = HarmonicBalance(oscillator(ss.Jenkins(stiffness=1.0, limit=0.5)), frequency=0.9, harmonics=6, samples=128)
    solution = family.solve(0.9)
    twice, x = family.changed(subharmonic=2, samples=None), family.doubled(solution.x)
    again = BalanceSolution(x, 0.9, 0, 0.0, (), twice)
    times = np.linspace(0.0, 20.0, 60)
    assert motion(again, times) == pytest.approx(motion(solution, times), abs=1e-12)
    # samples of the longer period are as many a harmonic: the residual is that of other samples, not of another motion
    assert np.abs(twice.linearise(x, 0.9).residual).max() < 2e-3


def test_multipliers_over_twice_the_period_are_squares():
    law = ss.Linear(stiffness=0.5).modulated(ss.Cosine(1.0, order=1))
    family = HarmonicBalance(oscillator(law, load=ss.Cosine(0.1, order=1)), frequency=1.4, harmonics=5)
    solution = family.solve(1.4)
    once = np.sort_complex(np.square(solution.point.multipliers))
    twice = family.changed(subharmonic=2, samples=None)
    assert np.sort_complex(twice.point(family.doubled(solution.x), 1.4).multipliers) == pytest.approx(once, abs=1e-8)


def test_curve_of_a_slider_is_the_same_in_both_directions():
    family = HarmonicBalance(oscillator(ss.Jenkins(stiffness=1.0, limit=0.5)), frequency=1.0, harmonics=5)
    up = followed(family, family.solve(0.4).x, 0.4, 1.6)
    down = followed(family, family.solve(1.6).x, 1.6, 0.4)
    assert np.abs(up[-1].x - down[0].x).max() < 1e-8
    assert np.abs(up[0].x - down[-1].x).max() < 1e-8


def test_friction_is_followed_at_its_own_width_over_all_frequencies():
    family = HarmonicBalance(torsional(1), frequency=1.0, harmonics=7)
    points = followed(family, family.solve(1.8).x, 1.8, 0.5)
    for p in points[:: len(points) // 5]:
        assert np.abs(family.solve(p.p).x - p.x).max() < 1e-7


def test_orbit_of_another_family_is_a_start():
    model = oscillator(ss.Contact(stiffness=3.0, gap=0.0), damping=0.05)
    short, long = (HarmonicBalance(model, frequency=0.9, harmonics=9, subharmonic=nu) for nu in (1, 2))
    point = short.solve(0.9).point
    x = long.unknowns_of(point)
    assert np.abs(short.unknowns_of(point) - point.x).max() < 1e-12
    assert np.abs(long.solve(0.9, x).x - x).max() < 1e-3
    # of a sub-harmonic orbit the shorter period keeps what it has
    back = short.unknowns_of(long.point(x, 0.9))
    assert np.abs(back - point.x).max() < 1e-12


def test_half_order_response_of_a_contact_is_stable_where_the_main_one_is_not():
    model = oscillator(ss.Contact(stiffness=3.0, gap=0.0), damping=0.05)
    main = HarmonicBalance(model, frequency=2.6, harmonics=8).solve(2.6).point
    assert not main.stable
    assert min(main.multipliers.real) < -1.0
    family = HarmonicBalance(model, frequency=2.6, harmonics=8, subharmonic=2)
    start = family.unknowns_of(main)
    start[0] += 0.8  # push it off, in the half order
    point = family.solve(2.6, start).point
    assert point.stable
    assert abs(point.harmonics[1, 0]) > 0.5
    # and a run from rest ends on it
    period = 4 * np.pi / 2.6
    times = (99 + np.linspace(0.0, 1.0, 60)) * period
    run = model.simulate(until=100 * period, frequency=2.6, samples=times, method="exact")
    q = run.data["displacement"].values[:, 0]
    found = BalanceSolution(point.x, 2.6, 0, 0.0, (), family)
    apart = [np.abs(motion(found, times + shift)[:, 0] - q).max() for shift in (0.0, 0.5 * period)]
    assert min(apart) < point.error + 1e-9


def test_default_harmonics_are_as_many_as_the_loads_have():
    law = ss.Jenkins(stiffness=1.0, limit=0.5)
    assert HarmonicBalance(oscillator(law), frequency=0.9).harmonics == 7
    assert HarmonicBalance(oscillator(law, load=ss.Cosine(1.0, order=9)), frequency=0.9).harmonics == 9
    assert HarmonicBalance(oscillator(law, load=ss.Cosine(1.0, order=8.5)), frequency=0.9).harmonics == 9
