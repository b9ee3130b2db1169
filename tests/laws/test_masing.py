"""Spring and slider: closed forms, exact rational arithmetic, Masing's rules, the tensioner paper's numbers."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden import table
from hypothesis import given
from hypothesis import strategies as st
from laws.reference_solutions import EPS, Tensioner, area

import slipstick as ss
from slipstick import maps
from slipstick.laws.base import Law

GOLDEN = table("tensioner")
RIG = Tensioner


def masing_of_the_paper(damping: float = RIG.c) -> ss.Masing:
    return ss.Masing(stiffness=RIG.k, limit=RIG.alpha, parallel_stiffness=RIG.k0, damping=damping, preload=RIG.preload)


def mdm_of_the_paper() -> ss.ModifiedDahl:
    return ss.ModifiedDahl(rate=RIG.rate, exponent=RIG.exponent, upper=RIG.upper, lower=RIG.lower)


# ---- the tensioner paper


def through_the_loop(times: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """The reversals of four cycles and the times asked for, in order: deflections and rates."""
    turns = [((n + 0.5) * math.pi - RIG.phase) / RIG.omega for n in range(2, 10)]
    t = np.array(sorted({*turns, *times}))
    return RIG.deflection(t), np.where(np.isin(t, turns), 0.0, RIG.rate_at(t))


PLACES = [(u, rising) for u in (3e-4, 8e-4) for rising in (True, False)]


@pytest.mark.parametrize(("u", "rising"), PLACES)
@pytest.mark.parametrize(("name", "law"), [("masing", masing_of_the_paper()), ("mdm", mdm_of_the_paper())])
def test_the_forces_of_the_imposed_deflection_are_those_of_the_table(
    name: str, law: Law, u: float, rising: bool
) -> None:
    t = RIG.time_at(u, rising)
    way, rate = through_the_loop([t])
    at = int(np.argmin(np.abs(way - u)))
    assert way[at] == pytest.approx(u, rel=1e-12)
    word = f"{name}_{'up' if rising else 'down'}_{u:.0e}".replace("e-0", "e-")
    GOLDEN[word].assert_agrees(law.trace(way, rate=rate)[at])


def test_the_masing_loop_is_that_of_equations_21_and_25() -> None:
    t, u, cycle = one_cycle(1000)  # with the turning points among the samples
    v = RIG.rate_at(t)
    found = masing_of_the_paper().trace(u, rate=v)[cycle]
    eta, low, high = RIG.alpha / RIG.k, RIG.mean - RIG.swing, RIG.mean + RIG.swing
    rising = np.arange(1001) <= 500
    u, v = u[cycle], v[cycle]
    stretch = np.where(rising, np.minimum(u - low - eta, eta), np.maximum(u - high + eta, -eta))
    # read as the corrections say: + c u' on both branches
    want = RIG.k * stretch + RIG.k0 * u + RIG.c * v + RIG.preload
    np.testing.assert_allclose(found, want, rtol=0, atol=16 * EPS * 1100.0)


def test_rates_taken_from_samples_are_as_good_as_their_order_says() -> None:
    law, h = masing_of_the_paper(), RIG.period / 2000
    t = RIG.time_at(3e-4, True) + h * np.arange(-4000, 4001)
    u = RIG.deflection(t)
    off = np.abs(law.trace(u, t) - law.trace(u, t, rate=RIG.rate_at(t)))
    # five points: h^4/30 of the fifth derivative; three at the ends: h^2/6 and h^2/3 of the third
    # weights of 1.5/h in all, on deflections whose angle and sum round
    angle = float(np.abs(RIG.omega * t).max()) + RIG.phase
    rounding = RIG.c * 1.5 / h * EPS * (RIG.swing * angle + float(np.abs(u).max())) + 8.0 * EPS * 1100.0
    assert off[2:-2].max() <= RIG.c * RIG.swing * RIG.omega**5 * h**4 / 30.0 + rounding
    assert off[[1, -2]].max() <= RIG.c * RIG.swing * RIG.omega**3 * h**2 / 6.0 * 1.01 + rounding
    assert off[[0, -1]].max() <= RIG.c * RIG.swing * RIG.omega**3 * h**2 / 3.0 * 1.01 + rounding
    # the lowest deflection, passed between two samples, is what this grid misses most of
    missed = RIG.k * RIG.swing * (0.5 * RIG.omega * h) ** 2 / 2.0
    assert abs(law.trace(u, t)[4000] - GOLDEN["masing_up_3e-4"].value) <= missed


@pytest.mark.parametrize(("u", "rising"), PLACES)
def test_two_thousand_samples_a_cycle_give_the_masing_force_without_a_given_rate(u: float, rising: bool) -> None:
    t, _, _ = one_cycle(2000)  # with the turning points
    t = np.unique(np.append(t, RIG.time_at(u, rising)))
    at = int(np.argmin(np.abs(t - RIG.time_at(u, rising))))
    word = f"masing_{'up' if rising else 'down'}_{u:.0e}".replace("e-0", "e-")
    GOLDEN[word].assert_agrees(masing_of_the_paper().trace(RIG.deflection(t), t)[at])


def one_cycle(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A lead-in and one cycle from lowest to lowest deflection: times, deflections and where the cycle begins."""
    begin = (1.5 * math.pi - RIG.phase) / RIG.omega + 2 * RIG.period
    t = begin + RIG.period * np.arange(-count, count + 1) / count
    return t, RIG.deflection(t), np.arange(count, 2 * count + 1)


@pytest.mark.parametrize(("name", "law"), [("masing_area", masing_of_the_paper()), ("mdm_area", mdm_of_the_paper())])
def test_the_work_of_a_cycle_is_that_of_the_table(name: str, law: Law) -> None:
    t, u, cycle = one_cycle(40_000)
    v = RIG.rate_at(t)
    f = law.trace(u, rate=v)
    # the trapezium in time is spectral for c v^2 and second order for what has corners
    GOLDEN[name].assert_agrees(float(np.sum((f * v)[cycle[:-1]]) * RIG.period / 40_000))


def test_the_dry_part_is_a_parallelogram_and_the_rest_is_viscous() -> None:
    low, high, eta = RIG.mean - RIG.swing, RIG.mean + RIG.swing, RIG.alpha / RIG.k
    corners = np.array([high, low, low + 2 * eta, high, high - 2 * eta, low])  # (20), exactly
    dry = area(corners[1:], masing_of_the_paper(damping=0.0).trace(corners)[1:])
    GOLDEN["masing_dry_area"].assert_agrees(dry)
    assert dry == pytest.approx(4.0 * RIG.alpha * (RIG.swing - eta), rel=1e-12)
    GOLDEN["masing_area"].assert_agrees(dry + math.pi * RIG.swing**2 * RIG.omega * RIG.c)  # (30)


def tangent_turn(law: Law, t: float, gap: float) -> float:
    """By how much the loop's tangent turns around time t, in the plane scaled to the loop: [rad]."""
    times = np.concatenate(([t - RIG.period, t - 0.5 * RIG.period], t + gap * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])))
    start = np.linspace(t - 3 * RIG.period, t - RIG.period, 4001)[:-1]
    way = np.concatenate((start, np.linspace(t - RIG.period, times[2], 4000)[:-1], times[2:]))
    f = law.trace(RIG.deflection(way), rate=RIG.rate_at(way))[-5:] / 300.0
    u = RIG.deflection(way)[-5:] / RIG.swing
    before = math.atan2(f[1] - f[0], u[1] - u[0])
    after = math.atan2(f[4] - f[3], u[4] - u[3])
    turn = abs(after - before) % math.pi  # a line, not an arrow: at a cusp it comes back along itself
    return min(turn, math.pi - turn)


def test_slope_is_continuous_where_the_other_model_has_its_corner() -> None:
    """Tensioner 3.3: stick to slip has a corner for Masing only, slip to stick for the modified Dahl model only."""
    slips = RIG.time_at(RIG.mean - RIG.swing + 2 * RIG.alpha / RIG.k, True)
    turns = (0.5 * math.pi - RIG.phase) / RIG.omega + 3 * RIG.period
    masing, mdm = masing_of_the_paper(), mdm_of_the_paper()
    gaps = [1e-3, 1e-4, 1e-5]
    corner = [tangent_turn(masing, slips, gap) for gap in gaps]
    smooth = [tangent_turn(mdm, slips, gap) for gap in gaps]
    assert min(corner) > 0.2
    assert smooth[2] < smooth[1] / 5 < smooth[0] / 25
    assert smooth[2] < 1e-3
    corner = [tangent_turn(mdm, turns, gap) for gap in gaps]
    smooth = [tangent_turn(masing, turns, gap) for gap in gaps]
    assert min(corner) > 0.2
    assert smooth[2] < smooth[1] / 5 < smooth[0] / 25
    assert smooth[2] < 2e-3


def test_the_slopes_beside_stick_to_slip_differ_by_the_slider_spring() -> None:
    """(24): p- - p+ = k, measured on the damped loop of the paper."""
    t, h = RIG.time_at(RIG.mean - RIG.swing + 2 * RIG.alpha / RIG.k, True), 1e-6
    times = t + h * np.array([-2.0, -1.0, 1.0, 2.0])
    way = np.concatenate(([RIG.mean + RIG.swing, RIG.mean - RIG.swing], RIG.deflection(times)))
    rate = np.concatenate((np.zeros(2), RIG.rate_at(times)))
    f, u = masing_of_the_paper().trace(way, rate=rate)[-4:], way[-4:]
    jump = (f[1] - f[0]) / (u[1] - u[0]) - (f[3] - f[2]) / (u[3] - u[2])
    # between the middles of the chords, 3 h apart, c G' = c u''/u' changes by 3 h c (u'''/u' - (u''/u')^2)
    bend = RIG.omega**2 * (1.0 + math.tan(RIG.omega * t + RIG.phase) ** 2)
    assert jump == pytest.approx(RIG.k, abs=3.1 * h * RIG.c * bend + 16.0 * EPS * 1000.0 / (u[1] - u[0]))


# ---- against exact arithmetic


def exact_iwan(pairs: list[tuple[Fraction, Fraction]], parallel: Fraction, way: list[Fraction]) -> list[Fraction]:
    """Element by element, increment by increment: stretch, and cut off what is beyond the limit."""
    stretches, last, forces = [Fraction(0)] * len(pairs), Fraction(0), []
    for u in way:
        for i, (k, limit) in enumerate(pairs):
            stretch = stretches[i] + (u - last)
            stretches[i] = max(-limit / k, min(limit / k, stretch))
        last = u
        forces.append(sum((k * w for (k, _), w in zip(pairs, stretches, strict=True)), parallel * u))
    return forces


def dyadic(rng: np.random.Generator, low: int, high: int, bits: int) -> Fraction:
    """A number that floats hold exactly, with room for the sums and products of these tests."""
    return Fraction(int(rng.integers(low, high)), 1 << bits)


@pytest.mark.parametrize("seed", range(3))
def test_a_hundred_random_histories_are_exact(seed: int) -> None:
    """300 in all, with stiffnesses that are powers of two, so that floating point rounds nowhere."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        count = int(rng.integers(1, 5))
        pairs = [(Fraction(2) ** int(rng.integers(-3, 4)), dyadic(rng, 0, 1 << 10, 8)) for _ in range(count)]
        parallel = dyadic(rng, -64, 64, 4)
        turns = [dyadic(rng, -(1 << 13), 1 << 13, 10) for _ in range(12)]
        way = [Fraction(0)]
        for a, b in itertools.pairwise([Fraction(0), *turns]):
            way += [a + (b - a) * Fraction(part, 4) for part in (1, 2, 3, 4)]
        law = ss.Iwan(
            stiffnesses=[float(k) for k, _ in pairs],
            limits=[float(a) for _, a in pairs],
            parallel_stiffness=float(parallel),
        )
        found = law.trace([float(u) for u in way])
        assert [Fraction(f) for f in found.tolist()] == exact_iwan(pairs, parallel, way)


def test_other_numbers_are_exact_to_the_roundings_of_the_slider() -> None:
    rng = np.random.default_rng(7)
    for _ in range(100):
        k, limit = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-3, 3)
        way = rng.uniform(-3, 3, 40) * limit / k
        want = exact_iwan([(Fraction(k), Fraction(limit))], Fraction(0), [Fraction(u) for u in way.tolist()])
        found = ss.Jenkins(stiffness=k, limit=limit).trace(way)
        # eta rounds once, the slider and its distance from u once each; nothing adds up over the history
        bound = k * (EPS / 2 * limit / k + EPS * (np.abs(way).max() + limit / k)) + EPS * limit
        assert max(abs(float(Fraction(f) - w)) for f, w in zip(found.tolist(), want, strict=True)) <= bound


# ---- rules that hold for every history

numbers = st.floats(min_value=1e-150, max_value=1e150)
ways = st.lists(st.floats(min_value=-1e150, max_value=1e150), min_size=1, max_size=12)


@given(k=numbers, limit=st.one_of(st.just(0.0), numbers), way=ways)
def test_the_force_never_exceeds_its_limit_by_a_single_bit(k: float, limit: float, way: list[float]) -> None:
    law = ss.Jenkins(stiffness=k, limit=limit)
    memory = law.start(0.0)
    for u in way:
        f, memory = law.update(u, 0.0, memory)
        assert abs(f) <= limit
    assert np.all(np.abs(law.trace(way)) <= limit)


@given(way=ways)
def test_a_slider_without_limit_holds_nothing(way: list[float]) -> None:
    assert not np.any(ss.Jenkins(stiffness=3.0, limit=0.0).trace(way))


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("force", [1e-12, 1.0, 1e12])
def test_the_size_of_the_numbers_does_not_matter(size: float, force: float) -> None:
    way = np.random.default_rng(3).normal(size=200)
    plain = ss.Jenkins(stiffness=2.0, limit=0.7).trace(way)
    found = ss.Jenkins(stiffness=2.0 * force / size, limit=0.7 * force).trace(way * size)
    np.testing.assert_allclose(found, plain * force, rtol=0, atol=16 * EPS * 2.0 * np.abs(way).max() * force)


def test_a_law_is_where_the_play_and_stop_operators_are() -> None:
    way = np.cumsum(np.random.default_rng(5).normal(size=400))
    law = ss.Jenkins(stiffness=4.0, limit=2.5)
    np.testing.assert_array_equal(law.trace(way), 4.0 * maps.stop(way, 2.5 / 4.0))
    memory = law.start(0.0)
    for u, slider in zip(way.tolist(), maps.play(way, 2.5 / 4.0).tolist(), strict=True):
        memory = law.update(u, 0.0, memory)[1]
        assert memory == (slider,)


@pytest.mark.parametrize(("swing", "stiffness", "limit"), [(1.0, 2.0, 0.6), (0.25, 8.0, 1.5), (3.0, 0.5, 1.4375)])
def test_the_work_of_a_cycle_is_four_times_limit_times_sliding_way(
    swing: float, stiffness: float, limit: float
) -> None:
    law, eta = ss.Jenkins(stiffness=stiffness, limit=limit), limit / stiffness
    corners = np.array([swing, -swing, -swing + 2 * eta, swing, swing - 2 * eta, -swing])
    work = area(corners[1:], law.trace(corners)[1:])
    assert work == pytest.approx(4.0 * limit * (swing - eta), rel=1e-14)


def test_a_stuck_slider_is_a_spring_and_does_no_work() -> None:
    law = ss.Jenkins(stiffness=2.0, limit=0.6)
    way = 0.3 * np.sin(np.linspace(0.0, 4.0 * math.pi, 200))
    np.testing.assert_allclose(law.trace(way), 2.0 * way, rtol=0, atol=4 * EPS)
    assert abs(area(way, law.trace(way))) < 1e-15


SMOOTH_IWAN = ss.Iwan(stiffnesses=(2.0, 1.0, 0.5, 4.0), limits=(0.25, 0.5, 0.75, 1.5), parallel_stiffness=0.25)


def test_every_branch_is_the_virgin_curve_twice_as_large() -> None:
    """Masing's rule: f - f_m = 2 F((u - u_m)/2), here in numbers that do not round."""
    steps = np.arange(65) / 32.0
    virgin = SMOOTH_IWAN.trace(steps)
    down = np.concatenate((steps, 2.0 - 2.0 * steps))
    forces = SMOOTH_IWAN.trace(down)[65:]
    np.testing.assert_array_equal(forces, virgin[-1] - 2.0 * virgin)


def test_closed_inner_loops_leave_no_trace() -> None:
    """Return-point memory: a loop that closes changes nothing, to the bit in these numbers."""
    rng = np.random.default_rng(9)
    before, after = [0.0, 3.0, -2.5, 2.0, -1.5], [1.0, 2.25, -3.0, 3.5]
    plain = SMOOTH_IWAN.trace(before + after)
    for _ in range(50):
        inner = (rng.integers(-96, 128, rng.integers(1, 9)) / 64.0).tolist()  # between the last two reversals
        way = [*before, *inner, before[-1], *after]
        np.testing.assert_array_equal(SMOOTH_IWAN.trace(way)[-5:], plain[-5:])


def test_neither_speed_nor_sampling_matters() -> None:
    rng = np.random.default_rng(11)
    turns = rng.integers(-200, 200, 40) / 64.0
    coarse = SMOOTH_IWAN.trace(turns)
    fine: list[float] = []
    ends = []
    for a, b in itertools.pairwise([turns[0], *turns.tolist()]):
        fine += [a + (b - a) * part / 8.0 for part in range(1, 9)]
        ends.append(len(fine) - 1)
    np.testing.assert_array_equal(SMOOTH_IWAN.trace(fine)[ends], coarse)
    slow = np.cumsum(rng.uniform(0.1, 9.0, turns.size))
    np.testing.assert_array_equal(SMOOTH_IWAN.trace(turns, slow), coarse)
    np.testing.assert_array_equal(SMOOTH_IWAN.trace(turns, rate=rng.normal(size=turns.size)), coarse)


def test_staying_where_one_is_changes_nothing() -> None:
    turns = np.array([0.0, 2.0, 2.0, 2.0, -0.5, -0.5, 1.0])
    forces = SMOOTH_IWAN.trace(turns)
    np.testing.assert_array_equal(forces[[1, 4]], forces[[3, 5]])
    np.testing.assert_array_equal(forces[[0, 1, 4, 6]], SMOOTH_IWAN.trace(turns[[0, 1, 4, 6]]))


@pytest.mark.parametrize("count", [10, 40, 160])
def test_many_elements_come_close_to_a_smooth_curve_and_its_branches(count: int) -> None:
    """Elements that yield at the corners of a chord line through F(u) = 1 - e^-u: within h^2/8 of F."""
    h = 4.0 / count
    nodes = h * np.arange(count + 1)
    slopes = np.diff(1.0 - np.exp(-nodes)) / h
    drops = slopes - np.append(slopes[1:], 0.0)  # what each element takes with it when it yields
    law = ss.Iwan(stiffnesses=drops.tolist(), limits=(drops * nodes[1:]).tolist())
    u = np.linspace(0.0, 4.0, 999)
    bound = h**2 / 8.0
    assert np.abs(law.trace(u) - (1.0 - np.exp(-u))).max() <= bound
    tip, back = 1.0 - math.exp(-4.0), np.linspace(4.0, -4.0, 999)
    branch = tip - 2.0 * (1.0 - np.exp(-(4.0 - back) / 2.0))
    assert np.abs(law.trace([0.0, *back])[1:] - branch).max() <= 2.0 * bound
    assert np.abs(law.trace(u) - (1.0 - np.exp(-u))).max() > 0.5 * bound  # and not by luck


def test_masing_is_the_sum_of_its_parts() -> None:
    rng = np.random.default_rng(2)
    u, v = rng.normal(size=100), rng.normal(size=100)
    whole = ss.Masing(stiffness=2.0, limit=0.6, parallel_stiffness=0.5, damping=0.125, preload=0.25)
    want = ss.Jenkins(stiffness=2.0, limit=0.6).trace(u) + (0.5 * u + 0.125 * v + 0.25)
    np.testing.assert_allclose(whole.trace(u, rate=v), want, rtol=0, atol=8 * EPS * 4.0)
    parts = ss.Jenkins(stiffness=2.0, limit=0.6) + ss.Linear(stiffness=0.5, damping=0.125, preload=0.25)
    np.testing.assert_array_equal(whole.trace(u, rate=v), parts.trace(u, rate=v))


def test_masing_starts_stuck_or_slid_to_where_it_is() -> None:
    law = ss.Jenkins(stiffness=2.0, limit=0.5)
    assert law.start(0.125) == (0.0,)
    assert law.start(1.0) == (0.75,)
    assert law.start(-1.0) == (-0.75,)
    np.testing.assert_array_equal(law.trace([1.0, 0.875, 0.5, 0.25]), [0.5, 0.25, -0.5, -0.5])


# ---- states and parameters


@pytest.mark.parametrize(
    ("law", "stick", "slip"),
    [
        (ss.Jenkins(stiffness=2.0, limit=0.5), (2.0, 0.0), (0.0, 0.0)),
        (ss.Masing(stiffness=2.0, limit=0.5, parallel_stiffness=0.5, damping=0.1), (2.5, 0.1), (0.5, 0.1)),
        (SMOOTH_IWAN, (7.75, 0.0), (0.25, 0.0)),
    ],
)
def test_stick_and_slip_have_the_stiffness_of_what_holds(law: Law, stick: Any, slip: Any) -> None:
    for state, (k, c) in (("stick", stick), ("slip", slip), (None, stick)):
        found = law.linearised(state)
        assert (found.stiffness, found.damping) == pytest.approx((k, c))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ss.Jenkins(stiffness=0.0, limit=1.0), "Jenkins: stiffness must be > 0, got 0"),
        (lambda: ss.Jenkins(stiffness=1.0, limit=-1.0), "Jenkins: limit must be >= 0, got -1"),
        (lambda: ss.Jenkins(stiffness=math.nan, limit=1.0), "Jenkins: stiffness must be finite, got nan"),
        (lambda: ss.Masing(stiffness=-2.0, limit=1.0), "Masing: stiffness must be > 0, got -2"),
        (lambda: ss.Masing(stiffness=1.0, limit=1.0, damping="a"), "Masing: damping must be a number"),  # type: ignore[arg-type]
        (lambda: ss.Iwan(stiffnesses=(1.0,), limits=(1.0, 2.0)), "equally many, got 1 and 2"),
        (lambda: ss.Iwan(stiffnesses=(), limits=()), "stiffnesses must have at least one number"),
        (lambda: ss.Iwan(stiffnesses=(1.0, 0.0), limits=(1.0, 2.0)), "stiffnesses[1] must be > 0, got 0"),
        (lambda: ss.Iwan(stiffnesses=(1.0, 1.0), limits=(1.0, -2.0)), "limits[1] must be >= 0, got -2"),
    ],
)
def test_parameters_without_meaning_are_refused(make: Any, words: str, refused: Any) -> None:
    with refused(words):
        make()


def slider_by_hand(k: float, high: float, low: float, path: list[float]) -> list[float]:
    """A spring and a slider whose force is clipped at both limits, step by step; zero force at the start."""
    force, last, found = 0.0, 0.0, []
    for u in path:
        force, last = min(max(force + k * (u - last), -low), high), u
        found.append(force)
    return found


def test_different_limits_clip_the_force_of_the_slider() -> None:
    path = [0.1, 0.4, 0.9, 0.7, 0.2, -0.6, -0.5, 0.3, 0.31, 1.0, -1.0]
    law = ss.Masing(stiffness=4.0, limit=1.2, reverse_limit=0.5, parallel_stiffness=0.3)
    want = np.array(slider_by_hand(4.0, 1.2, 0.5, path)) + 0.3 * np.array(path)
    np.testing.assert_allclose(law.trace(path), want, atol=1e-14)
    np.testing.assert_allclose((law + ss.Linear(stiffness=1.0)).trace(path), want + np.array(path), atol=1e-14)
    assert law.update(0.0, 0.0, law.start())[0] == pytest.approx(0.0, abs=1e-15)
    assert ss.Jenkins(stiffness=4.0, limit=1.0).asymmetric(positive=1.2, negative=0.5).limit == 1.2


@pytest.mark.parametrize(
    "law",
    [
        ss.Jenkins(stiffness=4.0, limit=1.0),
        ss.Masing(stiffness=4.0, limit=1.0),
        ss.Iwan(stiffnesses=(3.0, 1.0), limits=(0.6, 0.4)),
        ss.Dahl(stiffness=4.0, limit=1.0),
        ss.Dahl(stiffness=4.0, limit=1.0, exponent=0.5),
        ss.DryFriction(limit=1.0),
        ss.PowerDamper(coefficient=1.0, exponent=0.5),
    ],
    ids=lambda law: type(law).__name__,
)
def test_asymmetric_laws_reach_both_limits_and_never_give_energy(law: ss.Law) -> None:
    """At large motions the force is a factor times that of the symmetric law; work less stored energy never falls."""
    own = law.asymmetric(positive=1.5, negative=0.25)
    t = np.linspace(0.0, 20.0, 4001)
    u = (0.4 + 0.2 * np.sin(0.3 * t)) * 5.0 * np.sin(t)
    f, g = own.trace(u, t), law.trace(u, t)
    assert f.max() == pytest.approx(1.5 * g.max(), rel=1e-3)
    assert f.min() == pytest.approx(0.25 * g.min(), rel=1e-3)
    turn = np.concatenate([np.linspace(0.0, 5.0, 501), np.linspace(5.0, -5.0, 1001)[1:]])
    rate = np.gradient(turn)
    force = own.trace(turn, rate=rate) if own.needs_rate else own.trace(turn)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(turn))])
    assert work.min() > -0.05
    assert work[-1] > work[500]
    with pytest.raises(ss.InvalidInput, match="negative must be >= 0"):
        law.asymmetric(negative=-1.0)


def test_laws_without_an_asymmetric_form_name_those_that_have_one() -> None:
    with pytest.raises(ss.MissingFace, match="LuGre has no asymmetric form; Jenkins, Masing"):
        ss.LuGre(
            bristle_stiffness=1.0, bristle_damping=0.0, viscous=0.0, coulomb=1.0, static=1.5, stribeck_velocity=0.1
        ).asymmetric(positive=2.0)


def test_an_asymmetric_slider_is_exact_in_runs_and_orbits(tmp_path: Path) -> None:
    m = ss.Model("ratchet", frequency=1.3)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Masing(stiffness=4.0, limit=1.2, reverse_limit=0.5, parallel_stiffness=1.0), name="joint")
    m.load(x, ss.Cosine(1.5, order=1))
    exact = m.simulate(until=12.0)
    adaptive = m.simulate(until=12.0, method="events", tolerance=1e-9)
    assert exact.stats.method == "exact"
    assert exact.certificate.passed
    np.testing.assert_allclose(exact.data["displacement"].values, adaptive.data["displacement"].values, atol=1e-6)
    slider = exact.data["force"].values[:, 0] - exact.data["displacement"].values[:, 0]
    assert slider.max() == pytest.approx(1.2, abs=1e-9)
    assert slider.min() == pytest.approx(-0.5, abs=1e-9)
    m.save(tmp_path / "m.yaml")
    assert "reverse_limit: 0.5" in (tmp_path / "m.yaml").read_text()
    assert ss.open(tmp_path / "m.yaml") == m


def test_both_limits_are_found_where_the_preload_is_known() -> None:
    law = ss.Masing(stiffness=4.0, limit=1.2, reverse_limit=0.5, parallel_stiffness=0.3)
    t = np.linspace(0.0, 12.0, 401)
    u = np.sin(t)
    loop = ss.Loop(u, law.trace(u) + np.random.default_rng(0).normal(0.0, 0.01, t.size), t)
    start = ss.Masing(stiffness=2.0, limit=1.0, reverse_limit=1.0, parallel_stiffness=0.1)
    fit = ss.identify(loop, start, fixed={"preload": 0.0, "damping": 0.0})
    for name in ("limit", "reverse_limit", "stiffness"):
        own = fit.parameters[name]
        assert own.value == pytest.approx(getattr(law, name), rel=0.02)
