"""Laws with a stack of reversals: the fibre paper's numbers, its rules simulated again, ODEs, wiping-out."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from golden import table
from hypothesis import given
from hypothesis import strategies as st
from laws.oracles import EPS, area, decayed
from scipy.integrate import quad, solve_ivp

import slipstick as ss
from slipstick.laws.base import Law

GOLDEN = table("fibre")
FIBRE = {"stiffness": 1.49e6, "limit": 1.07e3, "linear": 6.16e6, "cubic": 2.38e9, "overshoot": 0.92, "ratio": 0.37}


def solved(rhs: Any, start: list[float], way: float) -> list[float]:
    """The state after a way of dy/dx = rhs(x, y), by a solver that knows nothing of the laws."""
    found = solve_ivp(rhs, (0.0, way), start, method="DOP853", rtol=1e-12, atol=1e-14 * max(1.0, *map(abs, start)))
    return [float(y) for y in found.y[:, -1]]


# ---- the fibre paper


@pytest.mark.parametrize("size", ["1e-3", "5e-3"])
def test_the_loops_of_the_full_model_are_those_of_the_table(size: str) -> None:
    g, law = float(size), ss.FibreShear(**FIBRE)
    forces = law.trace([0.0, g, -g, -g / 2, 0.0, g / 2, g])
    for place, at in (("tip", 1), ("low", 3), ("middle", 4), ("high", 5), ("tip", 6)):
        GOLDEN[f"{place}_{size}"].assert_agrees(forces[at])


@pytest.mark.parametrize("size", ["1e-3", "5e-3"])
@pytest.mark.parametrize(("word", "overshoot"), [("energy", 0.92), ("plain_energy", 0.0)])
def test_the_energy_of_a_cycle_is_that_of_the_table(size: str, word: str, overshoot: float) -> None:
    g, law = float(size), ss.FibreShear(**FIBRE | {"overshoot": overshoot})
    memory = law.update(-g, 0.0, law.start(g))[1]
    work, _ = quad(lambda u: law.update(u, 0.0, memory)[0], -g, g, epsabs=0.0, epsrel=1e-12)
    GOLDEN[f"{word}_{size}"].assert_agrees(2.0 * work)  # the falling branch is the rising one turned round


def test_the_path_of_the_dynamic_hysteresis_model_is_that_of_the_table() -> None:
    law = ss.DynamicHysteresis(stiffness=1.49e6, limit=1.07e3)
    forces = law.trace([0.0, 6e-4, -2e-4, 3e-4, -2e-4, 6e-4, 9e-4])
    for i in range(1, 7):
        GOLDEN[f"path_{i}"].assert_agrees(forces[i])
    assert law.trace([0.0, 6e-4, -2e-4, 6e-4, 9e-4])[-1] == forces[-1]


def test_a_loop_inside_the_large_one_of_the_full_model_comes_back_lower() -> None:
    forces = ss.FibreShear(**FIBRE).trace([0.0, 1e-2, -1e-2, 8e-3, 2e-3, 8e-3, 1e-2])
    GOLDEN["shift"].assert_agrees(forces[5] - forces[3])
    plain = ss.FibreShear(**FIBRE).trace([0.0, 1e-2, -1e-2, 8e-3, 1e-2])
    assert forces[6] - plain[4] == pytest.approx(forces[5] - forces[3], rel=1e-10)  # the older branch, shifted


def test_the_modulus_after_a_reversal_tells_which_sigma_is_meant() -> None:
    law = ss.FibreShear(**FIBRE | {"stiffness": GOLDEN["sigma"].value})
    _, slope, _ = law.tangent(1e-12, 1.0, law.start(0.0))
    GOLDEN["initial_modulus"].assert_agrees(slope)
    assert float(GOLDEN["sigma"].published) == 1e3 * GOLDEN["sigma"].value


# ---- Prandtl's and Masing's rules


DHM = ss.DynamicHysteresis(stiffness=1.5, limit=0.8)
DHMS = [DHM, ss.DynamicHysteresis(stiffness=1.5, limit=0.8, exponent=0.5)]
BLIMAN = ss.BlimanSorine(stiffness=2.0, limit=1.0, overshoot_limit=0.4, ratio=0.3)
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


# ---- Bliman and Sorine


def one_and_two_states(turns: list[float]) -> tuple[list[float], list[float]]:
    """(20) and (16) integrated along one branch after the other, from the tip of a symmetric loop."""
    c1, c2, r, xi = BLIMAN.limit, BLIMAN.overshoot_limit, BLIMAN.stiffness / BLIMAN.limit, BLIMAN.ratio
    u, x = turns[0], 2.0 * r * abs(turns[0])
    t1, t2 = -c1 * math.expm1(-x), c2 * math.expm1(-xi * x)
    one, both = [t1 + t2], [t1 + t2]
    for target in turns[1:]:
        s = math.copysign(1.0, target - u)

        def single(x: float, y: Any, s: float = s, m: float = one[-1]) -> list[float]:
            h = 2.0 * c1 - 2.0 * c2 * (1.0 - (1.0 - xi) * math.exp(-xi * r * x))
            return [s * r * (h - s * (y[0] - m))]

        def double(x: float, y: Any, s: float = s, m1: float = t1, m2: float = t2) -> list[float]:
            return [s * r * (2.0 * c1 - s * (y[0] - m1)), s * xi * r * (-2.0 * c2 - s * (y[1] - m2)) + 0.0 * x]

        one += solved(single, [one[-1]], abs(target - u))
        t1, t2 = solved(double, [t1, t2], abs(target - u))
        both.append(t1 + t2)
        u = target
    return one, both


def test_one_state_and_two_states_are_the_same_law() -> None:
    turns = [1.0, -0.6, 0.5, -0.3, 0.2]  # each inside the last: no loop closes
    one, two = one_and_two_states(turns)
    np.testing.assert_allclose(one, two, rtol=1e-10)
    np.testing.assert_allclose(BLIMAN.trace([0.0, *turns])[1:], two, rtol=1e-10)


def test_without_memory_the_law_is_the_original_one() -> None:
    c1, c2, r, xi = BLIMAN.limit, BLIMAN.overshoot_limit, BLIMAN.stiffness / BLIMAN.limit, BLIMAN.ratio
    t1, t2, u, want = 0.0, 0.0, 0.0, []
    turns = [0.8, -0.6, 0.9, 0.1, -1.5]
    for target in turns:
        s = math.copysign(1.0, target - u)
        # (15), each part integrated
        t1 = s * c1 + (t1 - s * c1) * math.exp(-r * abs(target - u))
        t2 = -s * c2 + (t2 + s * c2) * math.exp(-xi * r * abs(target - u))
        want.append(t1 + t2)
        u = target
    law = ss.BlimanSorine(stiffness=2.0, limit=1.0, overshoot_limit=0.4, ratio=0.3, memory=False)
    np.testing.assert_allclose(law.trace(turns), want, rtol=0, atol=8 * EPS)


def test_the_printed_first_loading_is_that_of_both_parts() -> None:
    """(16) with tau_m = -tau_C of each part: the virgin curve of (15)."""
    law = ss.BlimanSorine(stiffness=2.0, limit=1.0, overshoot_limit=0.4, ratio=0.3, virgin="printed")
    original = ss.BlimanSorine(stiffness=2.0, limit=1.0, overshoot_limit=0.4, ratio=0.3, memory=False)
    for s in (1.0, -1.0):
        x = s * np.linspace(0.0, 3.0, 50)
        np.testing.assert_allclose(law.trace(x), original.trace(x), rtol=0, atol=8 * EPS)


def test_the_overshoot_is_where_the_two_rates_balance() -> None:
    x = np.linspace(0.0, 6.0, 100_001)
    f = BLIMAN.trace(x)
    # the virgin curve is half the branch at twice the way: c1 e^-y = xi c2 e^(-xi y), y = 2 r x
    y = math.log(1.0 / (0.3 * 0.4)) / (1.0 - 0.3)
    assert x[int(np.argmax(f))] == pytest.approx(y / (2.0 * 2.0), abs=1e-4)
    assert f.max() > 0.6
    assert f[-1] == pytest.approx(0.6, abs=0.4 * math.exp(-0.3 * 24.0) * 1.01)


def test_ratio_and_overshoot_at_their_bounds_are_simpler_laws() -> None:
    way = np.random.default_rng(8).uniform(-1.0, 1.0, 30)
    shared = {"stiffness": 2.0, "limit": 1.0}
    plain = ss.DynamicHysteresis(**shared).trace(way)
    for extra in ({"overshoot_limit": 0.0, "ratio": 0.3}, {"overshoot_limit": 0.4, "ratio": 0.0}):
        np.testing.assert_allclose(ss.BlimanSorine(**shared, **extra).trace(way), plain, rtol=0, atol=4 * EPS)
        forgets = ss.BlimanSorine(**shared, **extra, memory=False).trace(way)
        np.testing.assert_allclose(forgets, ss.Dahl(**shared).trace(way), rtol=0, atol=4 * EPS)
    both = ss.BlimanSorine(**shared, overshoot_limit=0.4, ratio=1.0).trace(way)
    np.testing.assert_allclose(both, 0.6 * plain, rtol=0, atol=8 * EPS)


# ---- the full model


def test_the_virgin_curve_of_the_full_model_is_the_line_of_its_tips() -> None:
    law = ss.FibreShear(**FIBRE)
    for g in (5e-4, 2e-3, 7e-3, 1e-2):
        c2 = 0.92 * 2.38e9 * g**3
        c1 = 1.07e3 + c2  # (29)
        r = 1.49e6 / (1.07e3 + c2 * (1.0 - 0.37))  # sigma_1/tau_C1 of (30)
        elastic = 6.16e6 * g + 2.38e9 * g**3
        tip = -c1 * math.expm1(-2.0 * r * g) + c2 * math.expm1(-2.0 * 0.37 * r * g) + elastic
        for s in (1.0, -1.0):
            assert law.trace([s * g])[0] == pytest.approx(s * tip, rel=1e-14)
            assert law.trace(np.linspace(0.0, s * g, 7))[-1] == pytest.approx(s * tip, rel=1e-14)


def test_a_branch_of_the_full_model_is_equation_22() -> None:
    g, law = 8e-3, ss.FibreShear(**FIBRE)
    tip = law.trace([g])[0]
    c2 = 0.92 * 2.38e9 * g**3
    c1, s1 = 1.07e3 + c2, 1.49e6 * (1.07e3 + c2) / (1.07e3 + c2 * (1.0 - 0.37))

    def p(u: float) -> float:
        return 6.16e6 * u + 2.38e9 * u**3

    def falling(x: float, y: Any) -> list[float]:  # (22), (23) with sgn = -1, u = g - x
        u = g - x
        h = 2.0 * c1 - 2.0 * c2 * (1.0 - (1.0 - 0.37) * math.exp(-0.37 * s1 / c1 * x))
        h += -p(u) + (6.16e6 + 3.0 * 2.38e9 * u**2) * c1 / s1 - (tip - p(g))
        return [-s1 / c1 * (h + y[0])]

    for end in (7e-3, 2e-3, -5e-3):
        want = solved(falling, [tip], g - end)[0]
        assert law.trace([0.0, g, end])[-1] == pytest.approx(want, abs=1e-8 * tip)


def test_stress_is_continuous_where_loops_close() -> None:
    law, rng = ss.FibreShear(**FIBRE), np.random.default_rng(9)
    for _ in range(20):
        turns = rng.uniform(-1e-2, 1e-2, 12)
        gates = np.concatenate([turns, -turns])
        beside = np.concatenate(
            [gates - 1e-9, gates, gates + 1e-9]
        )  # where loops may close, and the smallest steps there
        steps = [0.0]
        for a, b in pairwise([0.0, *turns.tolist()]):
            way = np.concatenate([np.linspace(a, b, 300)[1:], beside[(beside - a) * (beside - b) < 0.0]])
            steps += sorted(way.tolist(), reverse=b < a)
        forces, gone = law.trace(steps), np.abs(np.diff(steps))
        steepest = 6.16e6 + 3.0 * 2.38e9 * 1e-4 + 2.0 * 1.49e6  # of the polynomial and of a fresh branch
        assert np.all(np.abs(np.diff(forces)) <= steepest * gone + 64 * EPS * 7e4)


def test_symmetric_loops_close_to_rounding() -> None:
    law = ss.FibreShear(**FIBRE)
    for g in (1e-4, 1e-3, 1e-2):
        forces = law.trace([0.0, *([g, -g] * 50)])[1:]
        assert np.abs(forces[::2] - forces[0]).max() <= 4 * EPS * forces[0]
        assert np.abs(forces[1::2] + forces[0]).max() <= 4 * EPS * forces[0]


def test_without_overshoot_the_full_model_is_its_parts() -> None:
    way = np.random.default_rng(10).uniform(-1e-2, 1e-2, 60)
    whole = ss.FibreShear(**FIBRE | {"overshoot": 0.0})
    parts = ss.DynamicHysteresis(stiffness=1.49e6, limit=1.07e3) + ss.Polynomial(
        coefficients=(0.0, 6.16e6, 0.0, 2.38e9)
    )
    np.testing.assert_allclose(whole.trace(way), parts.trace(way), rtol=0, atol=64 * EPS * 6.5e4)


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
