"""The laws of the fibre paper: its table, the overshoot of Bliman and Sorine, the full model."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from golden import table
from laws.reference_solutions import BLIMAN, EPS, FIBRE, solved
from scipy.integrate import quad

import slipstick as ss

GOLDEN = table("fibre")


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
