"""Laws with a stack of reversals: the fibre paper's numbers, its rules simulated again, ODEs, wiping-out."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.reference_solutions import BLIMAN, EPS, FIBRE, area, decayed, solved
from scipy.integrate import quad

import slipstick as ss
from slipstick.laws.base import Law

# ---- Prandtl's and Masing's rules


DHM = ss.DynamicHysteresis(stiffness=1.5, limit=0.8)
DHMS = [DHM, ss.DynamicHysteresis(stiffness=1.5, limit=0.8, exponent=0.5)]
FORGETFUL = [*DHMS, ss.DynamicHysteresis(stiffness=1.5, limit=0.8, exponent=1.7), BLIMAN]


def reduced(way: list[float]) -> list[float]:
    """What is left of a history from 0 when every closed loop is struck out: definitions, not a stack of branches."""
    left = [0.0]
    for u in way:
        if u == left[-1]:
            continue
        if len(left) > 1 and (left[-1] - left[-2]) * (u - left[-1]) > 0.0:
            left.pop()  # on the same way
        left.append(u)
        while len(left) > 2:
            first = len(left) == 3  # only the virgin curve and one reversal: it is closed at the mirror image
            if abs(u) < abs(left[1]) if first else abs(u - left[-2]) < abs(left[-2] - left[-3]):
                break
            del left[-2 if first else -3 : -1]
    return left


def by_masing(virgin: Any, way: list[float]) -> list[float]:
    """Forces by Masing's rule alone: the virgin curve, then twice itself from each reversal that is left."""
    forces = []
    for n in range(len(way)):
        points = reduced(way[: n + 1])
        total = virgin(points[1]) if len(points) > 1 else 0.0
        for a, b in pairwise(points[1:]):
            total += 2.0 * math.copysign(virgin(abs(b - a) / 2.0), b - a)
        forces.append(total)
    return forces


def backbone(law: Any, u: float) -> float:
    """(35) for any exponent: half of (8), integrated, at twice the strain."""
    r = law.stiffness / law.limit
    return math.copysign(0.5 * law.limit * (2.0 - decayed(2.0, 2.0 * r * abs(u), law.exponent)), u)


def bliman_backbone(u: float) -> float:
    """The tips of symmetric loops, from (16): r = sigma_1/tau_C1."""
    x = 2.0 * BLIMAN.stiffness / BLIMAN.limit * abs(u)
    size = -BLIMAN.limit * math.expm1(-x) + BLIMAN.overshoot_limit * math.expm1(-BLIMAN.ratio * x)
    return math.copysign(size, u)


@pytest.mark.parametrize("law", FORGETFUL, ids=repr)
def test_random_histories_follow_masings_rule_on_what_is_not_forgotten(law: Any) -> None:
    rng = np.random.default_rng(1)
    virgin = bliman_backbone if law is BLIMAN else lambda u: backbone(law, u)
    for _ in range(60):
        way = rng.uniform(-1.0, 1.0, 25) * rng.uniform(0.05, 2.0)
        if rng.random() < 0.3:  # and some that meet old reversals exactly
            way = np.round(way, 1)
        np.testing.assert_allclose(law.trace(way), by_masing(virgin, way.tolist()), rtol=0, atol=1e-13)


@pytest.mark.parametrize("law", FORGETFUL, ids=repr)
def test_a_closed_inner_loop_changes_nothing_not_even_a_bit(law: Law) -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        way = rng.uniform(-1.5, 1.5, 8).tolist()
        n = int(rng.integers(1, 8))
        last, here = way[n - 1], way[n]
        out = last + rng.uniform(0.2, 0.8) * (here - last)  # turn back on the way from last to here,
        inside = [last + rng.uniform(0.0, 1.0) * (out - last) for _ in range(int(rng.integers(1, 7)))]
        with_loop = [*way[:n], out, *inside, out, *way[n:]]  # wander about, and come back
        plain = [*way[:n], out, *way[n:]]
        np.testing.assert_array_equal(law.trace(with_loop)[-(8 - n) - 1 :], law.trace(plain)[-(8 - n) - 1 :])


@pytest.mark.parametrize("law", FORGETFUL, ids=repr)
def test_a_larger_loop_wipes_out_all_that_was_before(law: Law) -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        small = rng.uniform(-1.0, 1.0, 10)
        end = [-1.2, 0.3, 1.3, -0.4]
        np.testing.assert_array_equal(law.trace([*small, *end])[-4:], law.trace(end)[-4:])


@pytest.mark.parametrize("law", FORGETFUL, ids=repr)
def test_every_branch_starts_with_the_same_slope_and_has_the_same_shape(law: Any) -> None:
    rng = np.random.default_rng(4)
    first = law.linearised("stick").stiffness
    if law is BLIMAN:
        assert first == pytest.approx(2.0 * 2.0 * (1.0 - 0.3 * 0.4 / 1.0))  # (26)
    else:
        assert first == pytest.approx(2.0**law.exponent * law.stiffness)
    shapes = []
    for _ in range(10):
        memory = law.start(0.0)
        for u in (*rng.uniform(-2.0, 2.0, 5), 1.0):
            _, memory = law.update(u, 0.0, memory)
        f, memory = law.update(0.9, 0.0, memory)
        f, memory = law.update(0.95, 0.0, memory)  # turned at 0.9, and again here
        _, slope, _ = law.tangent(0.95 - 1e-9, -1.0, memory)
        assert slope == pytest.approx(first, rel=1e-7)
        shapes.append([f - law.update(0.95 - x, 0.0, memory)[0] for x in (0.01, 0.02, 0.04)])
    np.testing.assert_allclose(shapes, [shapes[0]] * 10, rtol=0, atol=8 * EPS)


@pytest.mark.parametrize("law", FORGETFUL, ids=repr)
def test_a_branch_is_the_virgin_curve_twice_as_large(law: Law) -> None:
    x = np.linspace(0.0, 1.0, 40)
    falling = law.trace([0.0, *(0.7 - 2.0 * 0.7 * x)])[1:]
    np.testing.assert_allclose(falling, law.trace([0.7])[0] - 2.0 * law.trace(0.7 * x), rtol=0, atol=8 * EPS)


@given(way=st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=20))
def test_the_hysteresis_model_stays_within_its_limit(way: list[float]) -> None:
    for law in DHMS:
        assert np.all(np.abs(law.trace(way)) <= 0.8 * (1.0 + 8 * EPS))


@pytest.mark.parametrize("law", [*FORGETFUL, ss.FibreShear(**FIBRE).scaled(deflection=1e-2, force=1e-4)], ids=repr)
def test_a_cycle_takes_energy_whatever_was_before(law: Law) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        low, high = np.sort(rng.uniform(-1.0, 1.0, 2))
        cycle = np.concatenate([np.linspace(high, low, 200), np.linspace(low, high, 200)[1:]])
        forces = law.trace([*rng.uniform(-1.0, 1.0, 6), *cycle])[6:]
        assert area(cycle, forces) >= 0.0


# ---- (8) with the paper's own rules


class Printed:
    """The four rules of the paper's section 4.1.1, simulated: (8) is integrated, the stack is a list of reversals."""

    def __init__(self, sigma: float, limit: float, exponent: float) -> None:
        self.sigma, self.limit, self.exponent = sigma, limit, exponent
        self.u = self.f = self.largest = 0.0
        self.s = 0.0  # direction
        self.reversals: list[tuple[float, float]] = []  # (gamma_m, tau_m) of branches 2, 3, ...

    def move(self, target: float) -> float:
        s = math.copysign(1.0, target - self.u) if target != self.u else 0.0
        if s and self.s and s != self.s:
            self.reversals.append((self.u, self.f))
        self.s = s or self.s
        while self.u != target:
            stop = target
            if len(self.reversals) >= 2:  # k > 2: the older branch is crossed at the last but one reversal
                stop = self.reversals[-2][0]
            elif len(self.reversals) == 1:  # maximal load so far
                stop = s * self.largest
            reaches, passes = (target - stop) * s >= 0.0, (target - stop) * s > 0.0
            self.follow(stop if passes else target, s)
            if passes or (reaches and len(self.reversals) >= 2):
                del self.reversals[-2:]
        self.largest = max(self.largest, abs(self.u))
        return self.f

    def follow(self, end: float, s: float) -> None:
        tau_m = self.reversals[-1][1] if self.reversals else -self.limit * s

        def rhs(_: float, y: Any) -> list[float]:
            left = 2.0 - s * (y[0] - tau_m) / self.limit  # below zero where a first loading starts beyond tau_C
            return [s * self.sigma * math.copysign(abs(left) ** self.exponent, left)]

        self.f = solved(rhs, [self.f], abs(end - self.u))[0]
        self.u = end


@pytest.mark.parametrize("exponent", [1.0, 1.6])
def test_the_printed_virgin_curve_follows_the_rules_of_the_paper(exponent: float) -> None:
    rng = np.random.default_rng(6)
    law = ss.DynamicHysteresis(stiffness=1.5, limit=0.8, exponent=exponent, virgin="printed")
    histories = [rng.uniform(-1.0, 1.0, 14) for _ in range(6)]
    histories.append(np.array([1.0, -1.0, 1.0, -1.0, 0.5, 1.0, 1.4, -1.4, 0.2, -1.5]))  # turns at the largest load
    histories.append(np.array([0.4, -0.5, 0.6, -0.7, 0.8, -0.9, 0.1, 0.3, 0.1, 0.95]))  # each beyond the last
    for way in histories:
        reference = Printed(1.5, 0.8, exponent)
        want = [reference.move(u) for u in way.tolist()]
        np.testing.assert_allclose(law.trace(way), want, rtol=0, atol=1e-10)  # the solver's, over a dozen branches


def test_the_two_virgin_curves_differ_by_a_factor_of_two_in_slope() -> None:
    for virgin, slope in (("printed", 1.5), ("backbone", 3.0)):
        law = ss.DynamicHysteresis(stiffness=1.5, limit=0.8, virgin=virgin)
        assert law.tangent(1e-12, 1.0, law.start(0.0))[1] == pytest.approx(slope, rel=1e-9)


@pytest.mark.parametrize("law", [DHM, BLIMAN], ids=repr)
@pytest.mark.parametrize("virgin", ["backbone", "printed"])
def test_a_turn_exactly_at_the_mirror_point_is_a_turn_just_before_it(law: Any, virgin: str) -> None:
    law = type(law)(**law.parameters() | {"virgin": virgin})
    way = np.array([0.0, 1.0, -1.0, -0.5, 0.0, 0.5, 1.0])
    near = way + np.array([0.0, 0.0, 1e-9, 0.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(law.trace(way), law.trace(near), rtol=0, atol=1e-7)


@pytest.mark.parametrize("exponent", [0.4, 0.9, 1.5, 3.0])
def test_a_branch_of_any_exponent_is_the_quadrature_of_equation_8(exponent: float) -> None:
    law = ss.DynamicHysteresis(stiffness=1.5, limit=0.8, exponent=exponent)
    top, memory = law.update(1.0, 0.0, law.start(0.0))
    for way in (0.01, 0.2, 0.7):
        gained = top - law.update(1.0 - way, 0.0, memory)[0]
        found, _ = quad(lambda g: 1.0 / (1.5 * (2.0 - g / 0.8) ** exponent), 0.0, gained, epsabs=0, epsrel=1e-13)
        # the force is good to roundings of itself: divided by the slope they are a way
        assert found == pytest.approx(way, abs=8 * EPS / (1.5 * (2.0 - gained / 0.8) ** exponent) + 1e-13)


# ---- stacks, sizes, ends


ALL = [
    *FORGETFUL,
    ss.DynamicHysteresis(stiffness=1.5, limit=0.8, virgin="printed"),
    ss.FibreShear(stiffness=1.5, limit=0.8, linear=0.4, cubic=0.3, overshoot=0.9, ratio=0.4),
]


@pytest.mark.parametrize("law", ALL, ids=repr)
def test_a_hundred_thousand_nested_reversals_are_kept_and_forgotten_again(law: Law) -> None:
    count = 100_000
    turns = np.linspace(1.0, 0.01, count) * np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    out = np.concatenate(([0.0], turns, [1.5, -0.2]))
    forces = law.trace(out)
    assert np.all(np.isfinite(forces))
    if law in FORGETFUL:
        assert forces[-2] == law.trace([0.0, 1.5])[-1]
        assert forces[-1] == law.trace([0.0, 1.5, -0.2])[-1]


def test_the_stack_grows_by_one_pair_a_reversal_and_shrinks_again() -> None:
    memory, sizes = DHM.start(0.0), []
    for u in (1.0, -0.5, 0.4, -0.3, 0.2, -0.5, 1.0, 1.5):
        memory = DHM.update(u, 0.0, memory)[1]
        sizes.append((len(memory) - 3) // 2)
    # on coming back to -0.5 the two inside are gone, and the way to it is again the one from 1.0
    assert sizes == [0, 1, 2, 3, 4, 1, 0, 0]


@pytest.mark.parametrize("law", ALL, ids=repr)
def test_no_way_no_change_and_the_smallest_way_hardly_any(law: Law) -> None:
    memory = law.start(0.3)
    f, same = law.update(0.3, 0.0, memory)
    assert same == memory
    for tiny in (5e-324, 1e-300, 1e-30):
        back, turned = law.update(0.3 - tiny, -1.0, memory)
        assert back == f
        assert law.update(0.3, 1.0, turned)[0] == f
    near_zero = law.trace([0.0, 5e-324, -5e-324, 1e-310, -0.0, 0.0])
    assert np.all(np.abs(near_zero) < 1e-300)


@pytest.mark.parametrize("size", [1e-12, 1e12])
@pytest.mark.parametrize("force", [1e-12, 1e12])
def test_the_size_of_the_numbers_does_not_matter(size: float, force: float) -> None:
    way = np.random.default_rng(11).uniform(-1.0, 1.0, 50)
    for exponent in (0.5, 1.0, 2.0):
        plain = ss.DynamicHysteresis(stiffness=1.5, limit=0.8, exponent=exponent).trace(way)
        law = ss.DynamicHysteresis(stiffness=1.5 * force / size, limit=0.8 * force, exponent=exponent)
        np.testing.assert_allclose(law.trace(way * size), plain * force, rtol=0, atol=64 * EPS * force)


@pytest.mark.parametrize("off", [1e-12, -1e-12])
def test_exponents_beside_one_go_over_into_exponent_one(off: float) -> None:
    way = np.random.default_rng(12).uniform(-1.0, 1.0, 30)
    one, other = (ss.DynamicHysteresis(stiffness=1.5, limit=0.8, exponent=i).trace(way) for i in (1.0, 1.0 + off))
    assert np.abs(one - other).max() < 30 * abs(off) + 1e-14


@pytest.mark.parametrize("law", ALL, ids=repr)
def test_neither_speed_nor_sampling_matters(law: Law) -> None:
    rng = np.random.default_rng(13)
    turns = rng.uniform(-1.0, 1.0, 20)
    coarse = law.trace(turns)
    fine = np.concatenate([np.linspace(a, b, 200)[1:] for a, b in pairwise([0.0, *turns])])
    at = np.searchsorted(np.arange(fine.size), np.arange(198, fine.size, 199))
    np.testing.assert_allclose(law.trace(fine)[at], coarse, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(law.trace(turns, np.cumsum(rng.uniform(0.1, 5.0, 20))), coarse)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ss.DynamicHysteresis(stiffness=1.0, limit=1.0, virgin="new"), 'must be "backbone" or "printed"'),
        (lambda: ss.DynamicHysteresis(stiffness=0.0, limit=1.0), "stiffness must be > 0, got 0"),
        (lambda: ss.DynamicHysteresis(stiffness=1.0, limit=1.0, exponent=0.0), "exponent must be > 0, got 0"),
        (
            lambda: ss.BlimanSorine(stiffness=1.0, limit=1.0, overshoot_limit=1.0, ratio=0.5),
            "overshoot_limit must be < limit (1), got 1",
        ),
        (
            lambda: ss.BlimanSorine(stiffness=1.0, limit=1.0, overshoot_limit=0.5, ratio=1.5),
            "ratio must be <= 1, got 1.5",
        ),
        (lambda: ss.BlimanSorine(stiffness=1.0, limit=1.0, overshoot_limit=0.5, ratio=0.5, memory=1), "True or False"),
        (lambda: ss.FibreShear(**FIBRE | {"cubic": -1.0}), "FibreShear: cubic must be >= 0, got -1"),
    ],
)
def test_parameters_without_meaning_are_refused(make: Any, words: str, refused: Any) -> None:
    with refused(words):
        make()


@pytest.mark.parametrize(
    "wrong", [(), (0.0,), (0.0, 1.0, 2.0, 3.0), 5.0, "abc", (0.0, None, 0.0), (0.0, math.nan, 0.0)]
)
def test_a_memory_that_is_none_is_refused(wrong: Any, refused: Any) -> None:
    with refused("memory of DynamicHysteresis is what start() and update() give"):
        DHM.trace([0.0, 1.0], memory=wrong)
