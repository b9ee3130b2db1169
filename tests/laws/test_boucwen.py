"""Bouc-Wen against an ODE solver and closed forms, for every sign of its shape parameters."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.reference_solutions import EPS, area
from scipy.integrate import solve_ivp

import slipstick as ss


def moved(z: float, way: float, a: float, beta: float, gamma: float, n: float) -> float:
    """z after a way of dz/du = A - |z|^n (gamma + beta sgn(v z)), solved piece by piece: each sign of z on its own."""
    s = math.copysign(1.0, way)
    w, left = s * z, abs(way)
    for _ in range(3):
        c = gamma + beta if w > 0.0 or (w == 0.0 and a > 0.0) else gamma - beta

        def rhs(_: float, y: Any, c: float = c) -> list[float]:
            return [a - c * abs(y[0]) ** n]

        def zero(_: float, y: Any) -> float:
            return float(y[0])

        zero.terminal = True  # type: ignore[attr-defined]
        zero.direction = 1.0 if w < 0.0 else 0.0  # type: ignore[attr-defined]
        events = zero if w < 0.0 else None
        found = solve_ivp(rhs, (0.0, left), [w], method="DOP853", rtol=1e-12, atol=1e-14, events=events)
        if w < 0.0 and found.status == 1:
            w, left = 0.0, left - float(found.t[-1])
            continue
        return s * float(found.y[0, -1])
    raise AssertionError("it crosses zero once at most")


def forces(law: ss.BoucWen, turns: list[float]) -> list[float]:
    z, out = 0.0, []
    for a, b in pairwise([0.0, *turns]):
        z = moved(z, b - a, law.A, law.beta, law.gamma, law.exponent)
        out.append(law.stiffness * (law.ratio * b + (1.0 - law.ratio) * z))
    return out


TURNS = [0.4, -0.7, 0.2, 0.05, 0.9, -0.3]


@pytest.mark.parametrize("n", [0.7, 1.0, 2.0, 2.5])
@pytest.mark.parametrize(
    ("beta", "gamma"),
    [(0.6, 0.3), (0.6, -0.3), (0.2, 0.7), (0.3, -0.9), (0.5, 0.5), (0.5, -0.5), (-0.4, 0.9), (0.0, 0.0), (-0.2, -0.3)],
    ids=[
        "soft",
        "pinched",
        "beta < gamma",
        "beta + gamma < 0",
        "beta = gamma",
        "beta = -gamma",
        "beta < 0",
        "elastic",
        "hard",
    ],
)
@pytest.mark.parametrize("a", [1.0, 1.7])
def test_a_history_is_the_solution_of_its_equation(n: float, beta: float, gamma: float, a: float) -> None:
    law = ss.BoucWen(stiffness=2.0, ratio=0.2, beta=beta, gamma=gamma, exponent=n, A=a)
    want = forces(law, TURNS)
    size = max(1.0, *map(abs, want))
    np.testing.assert_allclose(law.trace(TURNS), want, rtol=0, atol=2e-10 * size)  # six branches at 1e-12 each


def test_exponent_one_has_exponentials() -> None:
    beta, gamma = 0.6, 0.3
    law = ss.BoucWen(stiffness=1.0, ratio=0.0, beta=beta, gamma=gamma)
    rest = 1.0 / (beta + gamma)
    up = rest * -math.expm1(-0.9 * 0.8)
    assert law.trace([0.8])[0] == pytest.approx(up, rel=1e-15)
    # back: w = -z rises from -up, dw/dx = 1 + (gamma - beta)... below zero, then as before
    below = beta - gamma
    to_zero = math.log1p(below * up) / below
    assert law.trace([0.8, 0.8 - to_zero])[-1] == pytest.approx(0.0, abs=4 * EPS)
    assert law.trace([0.8, 0.8 - to_zero - 0.5])[-1] == pytest.approx(-rest * -math.expm1(-0.9 * 0.5), rel=1e-13)


def test_exponent_two_has_tangents() -> None:
    law = ss.BoucWen(stiffness=1.0, ratio=0.0, beta=0.7, gamma=-0.2, exponent=2.0)
    assert law.trace([0.6])[0] == pytest.approx(math.tanh(0.6 * math.sqrt(0.5)) / math.sqrt(0.5), rel=1e-14)
    hard = ss.BoucWen(stiffness=1.0, ratio=0.0, beta=-0.7, gamma=0.2, exponent=2.0)
    assert hard.trace([0.6])[0] == pytest.approx(math.tan(0.6 * math.sqrt(0.5)) / math.sqrt(0.5), rel=1e-14)


@pytest.mark.parametrize("n", [0.7, 1.0, 2.5])
def test_one_step_and_ten_thousand_give_the_same_force(n: float) -> None:
    law = ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=-0.3, exponent=n)
    fine = np.concatenate([np.linspace(a, b, 10_001)[1:] for a, b in pairwise([0.0, *TURNS])])
    # z is carried from sample to sample: each may add the rounding of its table, 37 there and back, over n
    step = 4 * EPS if n == 1.0 else 2 * 37 * EPS / min(n, 1.0)
    assert np.abs(law.trace(fine)[9_999::10_000] - law.trace(TURNS)).max() < 60_000 * step


@given(
    n=st.floats(0.3, 5.0),
    beta=st.floats(0.05, 2.0),
    share=st.floats(-0.99, 0.99),
    way=st.lists(st.floats(-20.0, 20.0), min_size=1, max_size=10),
)
def test_z_stays_within_its_rest_where_beta_is_the_larger(
    n: float, beta: float, share: float, way: list[float]
) -> None:
    gamma = share * beta
    law = ss.BoucWen(stiffness=1.0, ratio=0.0, beta=beta, gamma=gamma, exponent=n)
    rest = (1.0 / (beta + gamma)) ** (1.0 / n)
    assert np.all(np.abs(law.trace(way)) <= rest * (1.0 + 1e-12))


@pytest.mark.parametrize("n", [0.7, 1.0, 2.5])
@pytest.mark.parametrize("gamma", [-0.5, 0.0, 0.5])
def test_a_steady_cycle_takes_energy(n: float, gamma: float) -> None:
    law = ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=gamma, exponent=n)
    cycle = np.concatenate([np.linspace(1.0, -1.0, 400), np.linspace(-1.0, 1.0, 400)[1:]])
    forces_ = law.trace(np.tile(cycle, 30))[-cycle.size :]
    assert area(cycle, forces_) > 0.0


def test_a_stiff_exponent_is_a_slider() -> None:
    """n to infinity: elastic up to z = 1, then sliding."""
    law = ss.BoucWen(stiffness=2.0, ratio=0.0, beta=0.5, gamma=0.5, exponent=2000.0)
    way = [0.3, 0.9, 1.4, 1.0, -0.2, -1.5, -1.2]
    np.testing.assert_allclose(law.trace(way), ss.Jenkins(stiffness=2.0, limit=2.0).trace(way), atol=2.0 * 5e-3)


@pytest.mark.parametrize("off", [1e-12, -1e-12])
def test_exponents_beside_one_go_over_into_exponent_one(off: float) -> None:
    one, other = (
        ss.BoucWen(stiffness=1.0, ratio=0.1, beta=0.6, gamma=0.2, exponent=n).trace(TURNS) for n in (1.0, 1.0 + off)
    )
    assert np.abs(one - other).max() < 30 * abs(off) + 1e-13


@pytest.mark.parametrize("size", [1e-9, 1e9])
@pytest.mark.parametrize("n", [0.7, 1.0, 2.5])
def test_the_size_of_the_numbers_does_not_matter(size: float, n: float) -> None:
    plain = ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=-0.3, exponent=n).trace(TURNS)
    law = ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6 / size**n, gamma=-0.3 / size**n, exponent=n)
    np.testing.assert_allclose(law.trace(np.array(TURNS) * size), plain * size, rtol=0, atol=1e-12 * size)


@pytest.mark.parametrize(("n", "beta", "gamma"), [(2.0, -0.7, 0.2), (2.5, -0.5, 0.9), (1.0, -2.0, 0.5)])
def test_a_law_that_runs_away_says_so(n: float, beta: float, gamma: float, refused: Any) -> None:
    """beta + gamma < 0, or beta < 0: z has no bound, and above exponent 1 it is endless after a finite way."""
    law = ss.BoucWen(stiffness=1.0, ratio=0.0, beta=beta, gamma=gamma, exponent=n)
    with refused("the force of BoucWen", "at sample", error=ss.NotConverged) as _:
        law.trace([0.5, 1.4, -900.0, 900.0])


def test_what_was_reached_comes_with_the_error() -> None:
    law = ss.BoucWen(stiffness=1.0, ratio=0.0, beta=-0.7, gamma=0.2, exponent=2.0)
    with pytest.raises(ss.NotConverged) as caught:
        law.trace([0.5, 1.0, 50.0])
    np.testing.assert_array_equal(caught.value.partial, law.trace([0.5, 1.0]))


def test_no_way_no_change() -> None:
    law = ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=-0.3, exponent=2.5)
    f, memory = law.update(0.4, 1.0, law.start(0.0))
    assert law.update(0.4, 1.0, memory) == (f, memory)
    assert law.update(0.4 - 1e-30, -1.0, memory)[0] == f


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"exponent": 0.0}, "exponent must be > 0, got 0"),
        ({"A": 0.0}, "A must be > 0, got 0"),
        ({"ratio": 1.2}, "ratio must be <= 1, got 1.2"),
        ({"ratio": -0.1}, "ratio must be >= 0, got -0.1"),
        ({"stiffness": 0.0}, "stiffness must be > 0, got 0"),
        ({"beta": math.inf}, "beta must be finite, got inf"),
    ],
)
def test_parameters_without_meaning_are_refused(change: dict[str, float], words: str, refused: Any) -> None:
    with refused("BoucWen", words):
        ss.BoucWen(**{"stiffness": 1.0, "ratio": 0.1, "beta": 0.5, "gamma": 0.5} | change)
