"""Laws in series: closed forms, a brute-force solver, derivatives and refusals."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import slipstick as ss
from slipstick.errors import InvalidInput, SlipstickError
from slipstick.laws.series_start import series_part_names, split_law_names

GAP = ss.Freeplay(stiffness=100.0, half_gap=0.05)
MASING = ss.Masing(stiffness=60.0, limit=2.0, parallel_stiffness=20.0)
PATHS = st.lists(st.floats(-0.5, 0.5), min_size=1, max_size=12)


def brute_force(first: ss.Law, second: ss.Law, path: list[float]) -> list[float]:
    """Forces along a path: brentq on the balance of two parts whose forces rise strictly beyond the gap."""
    memories, forces = [first.start(), second.start()], []
    for u in path:

        def excess(x: float, u: float = u) -> float:
            return first.update(x, 0.0, memories[0])[0] - second.update(u - x, 0.0, memories[1])[0]

        x = brentq(excess, -3.0, 3.0, xtol=1e-15, rtol=1e-14)
        force, memories[0] = first.update(x, 0.0, memories[0])
        memories[1] = second.update(u - x, 0.0, memories[1])[1]
        forces.append(force)
    return forces


def test_two_springs_have_the_stiffness_of_the_closed_form():
    law = ss.Series(ss.Linear(stiffness=3.0), ss.Linear(stiffness=6.0))
    u = np.array([0.0, 1.0, -2.0, 1e-9, 1e6])
    assert law.trace(u) == pytest.approx(3.0 * 6.0 / (3.0 + 6.0) * u, rel=1e-14)
    assert law.linearised().stiffness == pytest.approx(2.0, rel=1e-15)


def test_three_springs_share_the_deflection_by_their_compliances():
    law = ss.Series(*(ss.Linear(stiffness=k) for k in (1.0, 2.0, 4.0)))
    memory = law.start(7.0)
    assert law.part_deflections(memory) == pytest.approx((4.0, 2.0, 1.0), rel=1e-14)
    assert law.stored(7.0, memory) == pytest.approx(0.5 * 4.0 * 7.0, rel=1e-14)


def test_preloads_move_the_point_of_balance():
    law = ss.Series(ss.Linear(stiffness=2.0, preload=1.0), ss.Linear(stiffness=3.0, preload=-2.0))
    u = np.linspace(-1.0, 1.0, 5)
    assert law.trace(u) == pytest.approx(1.2 * (u + 1.0 / 2.0 - 2.0 / 3.0), rel=1e-13)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_gap_in_series_with_a_slider_is_the_loop_drawn_by_hand(swapped):
    parts = [ss.Freeplay(stiffness=100.0, half_gap=0.1), ss.Jenkins(stiffness=50.0, limit=2.0)]
    law = ss.Series(*(parts[::-1] if swapped else parts))
    # together 100/3 N/m: the gap closes at 0.1, the slider yields 0.06 later and then sits 0.14 further
    path = [0.05, 0.1, 0.13, 0.16, 0.3, 0.24, 0.2, 0.1, 0.04, 0.01, -0.02, -0.2, -0.14, 0.06, 0.09]
    by_hand = [0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0, -1.0, -2.0, -2.0, 0.0, 0.0, 1.0]
    assert law.trace(path) == pytest.approx(by_hand, abs=2e-14)


def test_rigid_friction_is_a_slider_whose_spring_is_elsewhere():
    rigid = ss.Series(GAP, ss.DryFriction(limit=2.0))
    elastic = ss.Series(ss.Freeplay(stiffness=200.0, half_gap=0.05), ss.Jenkins(stiffness=200.0, limit=2.0))
    u = 0.3 * np.sin(np.linspace(0.0, 30.0, 500)) * np.linspace(0.2, 1.0, 500)
    assert rigid.trace(u) == pytest.approx(elastic.trace(u), abs=1e-12)
    jenkins = ss.Series(ss.DryFriction(limit=2.0), ss.Linear(stiffness=100.0))
    assert jenkins.trace(u) == pytest.approx(ss.Jenkins(stiffness=100.0, limit=2.0).trace(u), abs=1e-12)


@given(PATHS)
@settings(max_examples=60, deadline=None)
def test_random_paths_agree_with_a_brute_force_solver(path):
    law = ss.Series(GAP, MASING)
    assert law.trace(path) == pytest.approx(brute_force(GAP, MASING, path), abs=1e-11)


@given(PATHS)
@settings(max_examples=30, deadline=None)
def test_curved_parts_agree_with_a_brute_force_solver(path):
    hardening = ss.Polynomial(coefficients=(0.0, 30.0, 0.0, 400.0))
    smooth = ss.ModifiedDahl(rate=40.0, exponent=1.2, upper=(2.0, 15.0), lower=(-2.0, 15.0))
    law = ss.Series(hardening, smooth)
    assert law.trace(path) == pytest.approx(brute_force(hardening, smooth, path), abs=1e-9)


@given(PATHS, st.permutations(range(3)))
@settings(max_examples=40, deadline=None)
def test_the_force_does_not_depend_on_the_order_of_the_parts(path, order):
    parts = [GAP, MASING, ss.Jenkins(stiffness=90.0, limit=3.0)]
    assert ss.Series(*(parts[i] for i in order)).trace(path) == pytest.approx(ss.Series(*parts).trace(path), abs=1e-11)


def test_of_two_gaps_the_first_closes_first_and_the_force_is_that_of_their_sum():
    law = ss.Series(ss.Freeplay(stiffness=10.0, half_gap=0.1), ss.Freeplay(stiffness=30.0, half_gap=0.2))
    assert law.part_deflections(law.start(0.08)) == (0.08, 0.0)
    path = [0.05, 0.2, 0.3, 0.5, -0.1, -0.6]
    assert law.trace(path) == pytest.approx(ss.Freeplay(stiffness=7.5, half_gap=0.3).trace(path), abs=1e-14)


def test_a_series_within_sums_and_factors():
    inner = ss.Series(GAP, MASING)
    law = (inner + ss.Linear(stiffness=5.0)).scaled(deflection=2.0, force=3.0)
    u = np.array([0.05, 0.2, -0.1, -0.3, 0.1])
    assert law.trace(u) == pytest.approx(3.0 * (inner.trace(2.0 * u) + 5.0 * 2.0 * u), rel=1e-13)
    outer = ss.Series(inner, ss.Linear(stiffness=40.0))
    flat = ss.Series(GAP, MASING, ss.Linear(stiffness=40.0))
    assert outer.trace(u) == pytest.approx(flat.trace(u), abs=1e-12)


@given(PATHS, st.floats(-0.5, 0.5))
@settings(max_examples=40, deadline=None)
def test_the_tangent_is_the_slope_of_the_force(path, u):
    law = ss.Series(ss.Polynomial(coefficients=(0.0, 30.0, 0.0, 400.0)), MASING)
    memory = law.start(0.0)
    for each in path:
        memory = law.update(each, 0.0, memory)[1]
    h = 1e-6
    low, middle, high = (law.update(u + d, 0.0, memory)[0] for d in (-h, 0.0, h))
    if abs(high - 2.0 * middle + low) < 1e-8:  # no corner within the difference
        force, slope, by_rate = law.tangent(u, 0.0, memory)
        assert force == pytest.approx(middle, abs=1e-12)
        assert slope == pytest.approx((high - low) / (2.0 * h), abs=1e-5)
        assert by_rate == 0.0


@pytest.mark.long
@given(PATHS)
@settings(max_examples=30, deadline=None)
def test_work_is_stored_or_dissipated_and_friction_never_gives_energy(path):
    law = ss.Series(GAP, MASING)
    u = np.concatenate([np.linspace(a, b, 400) for a, b in zip([0.0, *path], path, strict=False)])
    memory, work, lost = law.start(0.0), 0.0, []
    before, force = 0.0, 0.0
    for x in u.tolist():
        new, memory = law.update(x, 0.0, memory)
        work += 0.5 * (new + force) * (x - before)
        before, force = x, new
        lost.append(work - law.stored(x, memory))
    stiffest = 100.0 * 80.0 / 180.0
    of_trapezoid = stiffest * np.abs(np.diff(u)).max(initial=0.0) ** 2 / 8.0  # across one corner
    assert np.diff(lost).min(initial=0.0) >= -of_trapezoid - 1e-15


def test_states_facts_and_units_are_those_of_the_parts():
    law = ss.Series(GAP, MASING)
    assert law.is_odd
    assert law.is_passive
    assert not law.needs_rate
    assert set(law.state_names) == {"free", "contact", "stick", "slip"}
    assert law.linearised("slip", 0.0).stiffness == 0.0  # in the gap
    assert law.units()["0.half_gap"] == "m"
    assert law.units("rotation")["1.limit"] == "N m"
    assert pickle.loads(pickle.dumps(law)) == law == ss.Series(of=[GAP, MASING])
    assert repr(law).startswith("Series(Freeplay(stiffness=100, half_gap=0.05), Masing(")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([GAP], "needs two laws or more, got 1"),
        ([ss.DryFriction(limit=1.0), ss.DryFriction(limit=2.0)], "2 parts are rigid"),
        ([GAP, 3.0], "part 1 (float) must be a law"),
        ([GAP, MASING.modulated(ss.Cosine(1.0, order=1))], "varies in time; modulate the whole series"),
        ([GAP, ss.DynamicHysteresis(stiffness=1.0, limit=1.0)], "stack of reversals"),
        ([GAP, ss.DryFriction(limit=1.0, static_limit=2.0)], "has a static limit"),
        ([GAP, MASING.scaled(force=-1.0)], "has a negative factor"),
        ([GAP, ss.Iwan(stiffnesses=(1.0,) * 70, limits=(1.0,) * 70)], "remember 72 numbers, at most 64"),
    ],
)
def test_what_cannot_be_in_series_is_refused_in_one_line(parts, words):
    with pytest.raises(InvalidInput) as refusal:
        ss.Series(*parts)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_laws_are_given_one_by_one_or_as_a_list():
    with pytest.raises(SlipstickError, match="one by one"):
        ss.Series(GAP, of=[MASING])
    with pytest.raises(InvalidInput, match="of must be a list of laws"):
        ss.Series(of=GAP)


def test_the_solve_does_not_depend_on_the_scale_of_units():
    u = 0.3 * np.sin(np.linspace(0.0, 20.0, 300))
    law = ss.Series(GAP, MASING)
    for d, f in ((1e-9, 1e7), (1e6, 1e-3)):
        assert law.scaled(deflection=d, force=f).trace(u / d) / f == pytest.approx(law.trace(u), abs=1e-12)
        small = ss.Series(GAP.scaled(deflection=d, force=f), MASING.scaled(deflection=d, force=f))
        assert small.trace(u / d) / f == pytest.approx(law.trace(u), abs=1e-12)
    assert math.isfinite(law.update(1e300, 0.0, law.start())[0])


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (ss.Linear(stiffness=-2e3), "negative stiffness"),
        (ss.PowerDamper(coefficient=1.0, exponent=2.0), "needs the rate"),
    ],
    ids=["falling", "rate"],
)
def test_parts_without_a_unique_force_are_refused(part, words):
    with pytest.raises(ss.InvalidInput, match=words):
        ss.Series(ss.Linear(stiffness=1e3), part)


def test_one_law_may_be_two_parts():
    gap = ss.Freeplay(stiffness=1e3, half_gap=1e-3)
    law = ss.Series(gap, gap)
    np.testing.assert_allclose(law.trace([0.0, 1.5e-3, 3e-3]), [0.0, 0.0, 0.5], atol=1e-12)
    assert sum(law.part_deflections(law.start(0.8e-3))) == pytest.approx(0.8e-3)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_trace_of_a_spring_and_a_damper_is_exact_along_a_straight_path(swapped):
    """A ramp of rate r up to T, then rest: f = c r (1 - e^(-t k/c)), then it decays; samples far apart and jumps."""
    k, c, rate, end = 30.0, 8.0, 0.4, 1.3
    parts = [ss.Linear(stiffness=k), ss.Linear(damping=c)]
    law = ss.Series(*(parts[::-1] if swapped else parts))
    t = np.array([0.0, 0.2, 1.0, end, end + 0.01, end + 0.5, end + 40.0])
    rise = c * rate * (1.0 - np.exp(-np.minimum(t, end) * k / c))
    want = rise * np.exp(-np.maximum(t - end, 0.0) * k / c)
    assert law.trace(rate * np.minimum(t, end), t) == pytest.approx(want, abs=1e-11)
    assert law.trace([0.0, 0.5], [0.0, 1e-9])[1] == pytest.approx(0.5 * k, rel=1e-6)


def test_two_damped_springs_obey_their_differential_equation():
    """(c1 + c2) x' = k2 u + c2 u' - (k1 + k2) x for a ramp u = r t, in closed form."""
    k1, c1, k2, c2, rate = 20.0, 3.0, 35.0, 5.0, 0.7
    law = ss.Series(ss.Linear(stiffness=k1, damping=c1), ss.Linear(stiffness=k2, damping=c2))
    t = np.array([0.0, 0.05, 0.3, 1.0, 4.0])
    decay, slope = (k1 + k2) / (c1 + c2), rate * k2 / (k1 + k2)
    lag = (c2 * rate - (c1 + c2) * slope) / (k1 + k2)
    x = slope * t + lag * (1.0 - np.exp(-decay * t))
    v = slope + lag * decay * np.exp(-decay * t)
    assert law.trace(rate * t, t)[1:] == pytest.approx((k1 * x + c1 * v)[1:], rel=1e-12)


def test_a_curved_part_with_a_damper_is_of_second_order():
    law = ss.Series(ss.Polynomial(coefficients=(0.0, 20.0, 0.0, 50.0)), ss.Linear(stiffness=5.0, damping=8.0))

    def force(steps):
        t = np.linspace(0.0, 3.0, 150 * steps + 1)
        return law.trace(np.sin(3.0 * t), t)[::steps]

    fine = force(64)
    errors = [np.abs(force(n) - fine).max() for n in (1, 2, 4)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.15)


def test_a_maxwell_element_may_be_a_part():
    gap, spring, damper = GAP, ss.Linear(stiffness=30.0), ss.Linear(damping=8.0)
    t = np.linspace(0.0, 3.0, 301)
    u = 0.2 * np.sin(3.0 * t)
    whole = ss.Series(gap, ss.Maxwell(stiffness=30.0, damping=8.0)).trace(u, t)
    assert whole == pytest.approx(ss.Series(gap, spring, damper).trace(u, t), abs=1e-11)


def test_a_spring_and_a_damper_in_series_are_identified():
    law = ss.Series(ss.Linear(stiffness=30.0), ss.Linear(damping=8.0))
    t = np.linspace(0.0, 6.0, 401)
    u = np.sin(3.0 * t)
    loop = ss.Loop(u, law.trace(u, t) + np.random.default_rng(0).normal(0.0, 0.05, t.size), t)
    start = ss.Series(ss.Linear(stiffness=10.0), ss.Linear(damping=10.0))
    fixed = {"0.damping": 0.0, "1.stiffness": 0.0, "0.preload": 0.0, "1.preload": 0.0}
    fit = ss.identify(loop, start, fixed=fixed)
    assert fit.parameters["0.stiffness"].value == pytest.approx(30.0, rel=0.01)
    assert fit.parameters["1.damping"].value == pytest.approx(8.0, rel=0.01)


def test_modes_of_a_damped_series_are_those_of_the_third_order_system():
    """m x'' = -f, f' = k x' - (k/c) f; shapes have the coordinates of the model alone."""
    k, c, mass = 2e3, 60.0, 2.0
    m = ss.Model("a")
    x = m.coordinate("x", inertia=mass)
    m.connect(x, ss.Series(ss.Linear(stiffness=k), ss.Linear(damping=c)))
    modes = m.modes()
    matrix = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0 / mass], [0.0, k, -k / c]])
    found, want = (
        sorted({round(abs(value), 8) for value in values if abs(value) > 1e-9})
        for values in ([mode.eigenvalue for mode in modes], np.linalg.eigvals(matrix))
    )
    assert found == pytest.approx(want)
    assert list(modes[0].shape) == ["x"]


def test_names_of_series_are_split_at_commas_outside_parentheses():
    assert split_law_names("masing, series(freeplay,masing) ,linear+dahl") == [
        "masing",
        "series(freeplay,masing)",
        "linear+dahl",
    ]
    assert series_part_names("Series(freeplay, bouc-wen)") == ("freeplay", "bouc-wen")
    assert series_part_names("freeplay") == ()


def test_a_series_by_name_starts_from_the_loop_and_finds_gap_and_slider():
    """The contact is stiff beside the slider, so half gap, limit and stiffness of the whole are determined."""
    gap, slider = ss.Freeplay(stiffness=5e6, half_gap=1e-4), ss.Masing(stiffness=4e5, limit=120.0)
    law = ss.Series(gap, slider + ss.Linear(stiffness=1e5))
    t, noise = np.linspace(0.0, 2.0, 401), np.random.default_rng(0)
    u = 0.001 * np.sin(2.0 * np.pi * t)
    loop = ss.Loop(u, law.trace(u, t) + noise.normal(0.0, 2.0, t.size), t)
    fit = ss.identify(loop, "series(freeplay, masing)")
    assert fit.residual == pytest.approx(2.0, rel=0.1)
    assert fit.parameters["half_gap"].value == pytest.approx(1e-4, rel=0.05)
    assert fit.law.trace(u, t) == pytest.approx(law.trace(u, t), abs=3.0)


def test_a_series_by_name_needs_its_parts(refused):
    u = np.sin(np.linspace(0.0, 12.0, 200))
    with refused("series needs its parts, such as series(freeplay, masing)"):
        ss.identify(ss.Loop(u, u), "series")


def test_an_asymmetric_slider_in_series_begins_without_force():
    slider = ss.Masing(stiffness=50.0, limit=2.0, reverse_limit=0.5)
    law = ss.Series(ss.Linear(stiffness=50.0), slider)
    assert law.update(0.0, 0.0, law.start())[0] == pytest.approx(0.0, abs=1e-14)
    assert law.trace([0.01, 1.0, -1.0]) == pytest.approx([0.25, 2.0, -0.5], abs=1e-12)
