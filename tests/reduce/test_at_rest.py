"""What friction carries at rest: the heuristic rule, Jourdain's and Gauss' principles and the exact flow agree."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import lsq_linear, minimize_scalar

import slipstick as ss
from slipstick.laws.symbols import luz


def heuristic(f: float, limit: float) -> float:
    """The force that balances, up to the limit (gear 3.1)."""
    return limit if f >= limit else -limit if f <= -limit else f


def jourdain(mass: float, f: float, limit: float) -> float:
    """The force of the box that leaves the least |z''|, by golden sections."""
    found = minimize_scalar(
        lambda s: abs(f - limit * s) / mass, bounds=(-1.0, 1.0), method="bounded", options={"xatol": 1e-9}
    )
    return limit * float(found.x)


def gauss(mass: float, f: float, limit: float) -> float:
    """The force of the box with the least M (z'')^2: a problem with bounds, by least squares."""
    found = lsq_linear([[limit / np.sqrt(mass)]], [f / np.sqrt(mass)], bounds=(-1.0, 1.0), tol=1e-14)
    return limit * float(found.x[0])


def test_three_principles_and_the_flow_give_one_force() -> None:
    rng = np.random.default_rng(0)
    for i in range(1000):
        mass, limit, f = rng.uniform(0.1, 10.0), rng.uniform(0.1, 3.0), rng.normal(0.0, 3.0)
        rule = heuristic(f, limit)
        assert jourdain(mass, f, limit) == pytest.approx(rule, abs=1e-6 * limit)
        assert gauss(mass, f, limit) == pytest.approx(rule, abs=1e-7 * limit)
        if i % 10 == 0:
            m = ss.Model("block")
            x = m.coordinate("x", inertia=mass)
            m.connect(x, ss.DryFriction(limit=limit), name="floor")
            m.load(x, f)
            assert float(m.simulate(1e-6, samples=[0.0]).data["force"].values[0, 0]) == pytest.approx(rule, abs=1e-12)


def stack(rng: np.random.Generator) -> tuple[ss.Model, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Blocks on each other and on the ground, pushed: the model, M, contacts W, limits and loads."""
    n = int(rng.integers(2, 5))
    m = ss.Model("stack")
    mass, f = rng.uniform(0.5, 3.0, n), rng.normal(0.0, 2.0, n)
    q = [m.coordinate(f"x{i}", inertia=mass[i]) for i in range(n)]
    w, limits = np.zeros((n, n)), rng.uniform(0.2, 2.0, n)
    for i in range(n):
        w[i, i] = 1.0
        if i:
            w[i - 1, i] = -1.0
        m.connect(q[i] - q[i - 1] if i else q[i], ss.DryFriction(limit=limits[i]), name=f"contact{i}")
        m.load(q[i], float(f[i]))
    return m, mass, w, limits, f


def by_all_states(mass: np.ndarray, w: np.ndarray, limits: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Contact forces at rest: every choice of stick, slip up and slip down is tried; the one that holds is taken."""
    n = limits.size
    for states in product((0, 1, -1), repeat=n):
        force = np.array(states) * limits
        stuck = [i for i in range(n) if states[i] == 0]
        inverse = (w.T / mass) @ w
        rate = w.T @ (f / mass)
        if stuck:
            rest = rate[stuck] - inverse[np.ix_(stuck, range(n))] @ force
            force[stuck] = np.linalg.solve(inverse[np.ix_(stuck, stuck)], rest)
        change = rate - inverse @ force
        holds = np.all(np.abs(force) <= limits * (1.0 + 1e-12))
        slides = all(change[i] * states[i] > -1e-12 for i in range(n) if states[i])
        if holds and slides:
            return force
    raise AssertionError("no state holds")


def test_contacts_that_depend_on_each_other_are_solved_together() -> None:
    rng = np.random.default_rng(1)
    alone = 0
    for _ in range(100):
        m, mass, w, limits, f = stack(rng)
        wanted = by_all_states(mass, w, limits, f)
        found = m.simulate(1e-6, samples=[0.0]).data["force"].values[0]
        assert np.abs(found - wanted).max() < 1e-10
        held = (w.T @ (f / mass)) / np.diag((w.T / mass) @ w)  # each contact as if it were the only one
        alone += bool(np.abs(np.clip(held, -limits, limits) - wanted).max() < 1e-9)
    assert alone < 80  # one by one is wrong too often to be a rule


def test_equations_tell_which_contacts_are_solved_together() -> None:
    m, *_ = stack(np.random.default_rng(2))
    rules = {rule.contact: rule for rule in m.equations().at_rest}
    assert rules["contact0"].together == ("contact1",)
    assert "contact0" in str(m.equations()).splitlines()[-1]


def test_the_rule_between_two_bodies_is_that_of_their_common_motion() -> None:
    m = ss.Model("pad")
    x, y = m.coordinate("x", inertia=2.0), m.coordinate("y", inertia=3.0)
    m.connect(x - y, ss.DryFriction(limit=0.7), name="pad")
    m.load(x, 5.0)
    m.load(y, 1.0)
    (rule,) = m.equations(numbers=True).at_rest
    p = sp.Symbol("P_pad", real=True)
    force = float(rule.balance.rhs.subs(_loads(m)))
    assert force == pytest.approx(5.0 - 2.0 * (5.0 + 1.0) / 5.0)  # both move at 6/5: what x passes on
    assert rule.rule.rhs == p - luz(p, sp.Float(0.7))
    found = m.simulate(1e-6, samples=[0.0]).data["force"].values[0, 0]
    assert found == pytest.approx(min(force, 0.7))


def _loads(m: ss.Model) -> dict[object, float]:
    return {e.lhs: float(e.rhs) for e in m.equations(numbers=True).given}
