"""What friction carries at rest: the rule that the equations tell, the principles and the exact flow agree."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import lsq_linear

import slipstick as ss
from slipstick.laws.law_symbols import Sgn, luz, t


def gauss(mass: np.ndarray, w: np.ndarray, limits: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Contact forces in their box with the least M^-1-weighted acceleration: a problem with bounds (gear 3.1)."""
    root = np.sqrt(mass)[:, None]
    found = lsq_linear(w / root, f / root[:, 0], bounds=(-limits, limits), method="bvls", tol=1e-15)
    return np.asarray(found.x)


def jourdain(mass: np.ndarray, w: np.ndarray, limits: np.ndarray, f: np.ndarray, force: np.ndarray) -> bool:
    """True if no virtual rate v gains power: (limit - |s|) is left only where the contact does not begin to slide."""
    change = w.T @ ((f - w @ force) / mass)
    inside = np.abs(force) < limits - 1e-9
    return bool(np.all(np.abs(change[inside]) < 1e-9) and np.all(change[~inside] * force[~inside] > -1e-9))


def told(m: ss.Model) -> dict[str, Any]:
    """What each contact carries as the equations tell it, F s* = P - luz(P, F), P with loads and motions put in."""
    equations = m.equations(numbers=True)
    given = {e.lhs: e.rhs for e in equations.given}
    found = {}
    for rule in equations.at_rest:
        held = rule.balance.rhs.subs(given).doit() if given else rule.balance.rhs
        found[rule.contact] = rule.rule.rhs.xreplace({rule.balance.lhs: held})
    return found


def number(expression: Any) -> float:
    """An expression without anything unknown in it."""
    return float(expression.replace(luz, lambda x, a: x - min(max(x, -a), a)))


def at(expression: Any, place: dict[str, float], rate: dict[str, float], time: float = 0.0) -> float:
    """An expression of coordinates and their rates, at a state."""
    rates = {sp.Function(name)(t).diff(t): value for name, value in rate.items()}
    places = {sp.Function(name)(t): value for name, value in place.items()}
    return number(expression.xreplace(rates).xreplace(places).subs(t, time).replace(Sgn, sp.sign))


def flow(m: ss.Model) -> dict[str, float]:
    """The forces with which the exact method begins."""
    data = m.simulate(1e-6, samples=[0.0]).data["force"]
    return {str(name): float(data.sel(connection=name).values[0]) for name in data["connection"].values}


def test_one_contact_carries_what_the_rule_tells_on_random_states() -> None:
    rng = np.random.default_rng(0)
    mass, limit, k, c = sp.symbols("mass limit k c", positive=True)
    family = ss.Model("block")
    x = family.coordinate("x", inertia=mass)
    family.connect(x, ss.DryFriction(limit=limit, damping=0.4), name="floor")
    family.connect(x, ss.Linear(stiffness=k, damping=c), name="spring")
    family.load(x, 1.5)
    modules = [{"luz": lambda x, a: x - np.clip(x, -a, a)}, "numpy"]
    force = sp.lambdify((mass, limit, k, c, sp.Function("x")(t)), told(family)["floor"], modules=modules)
    for i in range(1000):
        m, f, stiffness, place = rng.uniform(0.1, 10.0), rng.uniform(0.1, 3.0), rng.uniform(0.0, 3.0), rng.normal()
        rule = float(force(m, f, stiffness, 0.7, place))
        one, acting = np.ones((1, 1)), np.array([1.5 - stiffness * place])
        assert rule == pytest.approx(gauss(np.array([m]), one, np.array([f]), acting)[0], abs=1e-7)
        assert jourdain(np.array([m]), one, np.array([f]), acting, np.array([rule]))
        if i % 50 == 0:
            model = family.with_values({mass: m, limit: f, k: stiffness, c: 0.7})
            model["x"].displacement = place
            assert flow(model)["floor"] == pytest.approx(rule, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_a_pad_between_two_moving_bodies_carries_what_the_rule_tells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = ss.Model("pad")
    rate = float(rng.normal())
    x, y = (
        m.coordinate(n, inertia=float(rng.uniform(0.5, 3.0)), velocity=v) for n, v in (("x", 2.0 * rate), ("y", rate))
    )
    m.connect(x - 2.0 * y, ss.DryFriction(limit=0.7, damping=0.4), name="pad")
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.6), name="left")
    m.connect(x + y, ss.Linear(stiffness=2.0, damping=0.3), name="right")
    m.load(x, float(rng.normal(0.0, 3.0)))
    rule = told(m)["pad"]
    assert flow(m)["pad"] == pytest.approx(at(rule, {"x": 0.0, "y": 0.0}, {"x": 2.0 * rate, "y": rate}), abs=1e-12)


@pytest.mark.parametrize("factor", [1.0, -2.0])
def test_a_block_on_a_moving_belt_follows_it_or_not_as_the_rule_tells(factor: float) -> None:
    belt = ss.Ramp(0.5) + ss.Sine(0.4, frequency=3.0)
    for limit in (0.3, 5.0):
        m = ss.Model("belt")
        moved, x = m.coordinate("belt", motion=belt), m.coordinate("x", inertia=2.0)
        x.velocity = float(belt.at(0.0, derivative=1)) / factor
        x.displacement = 0.7
        m.connect(factor * x - moved, ss.DryFriction(limit=limit, damping=0.2), name="belt")
        m.connect(x, ss.Linear(stiffness=3.0, damping=0.1), name="spring")
        rule, places, rates = told(m)["belt"], {"x": 0.7}, {"x": x.velocity}
        assert flow(m)["belt"] == pytest.approx(at(rule, places, rates), abs=1e-9)
        (motion,) = (e for e in m.equations(numbers=True).structure)
        case = motion.rhs.args[-1][0]
        given = {sp.Function("belt")(t): 0.5 * t + 0.4 * sp.sin(3 * t)}
        follows = at(case.subs(given).doit(), places, rates) / 2.0
        run = m.simulate(1e-4, samples=[0.0, 1e-4]).data["velocity"].sel(coordinate="x").values
        assert (run[1] - run[0]) / 1e-4 == pytest.approx(follows, rel=1e-2, abs=2e-3)


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


@pytest.mark.parametrize("seed", range(25))
def test_contacts_that_depend_on_each_other_are_solved_together(seed: int) -> None:
    m, mass, w, limits, f = stack(np.random.default_rng(seed))
    wanted = by_all_states(mass, w, limits, f)
    assert np.abs(gauss(mass, w, limits, f) - wanted).max() < 1e-6
    found = flow(m)
    assert max(abs(found[f"contact{i}"] - wanted[i]) for i in range(limits.size)) < 1e-10
    # with the forces of the others put in, the rule of each contact gives its own
    rules = {rule.contact: rule for rule in m.equations(numbers=True).at_rest}
    for i, (name, force) in enumerate(told(m).items()):
        tied = [other for other in range(limits.size) if abs(other - i) == 1]
        assert rules[name].together == tuple(f"contact{other}" for other in tied)
        signs = {sgn: wanted[other] / limits[other] for other in tied for sgn in _signs(force, other)}
        assert number(force.xreplace(signs)) == pytest.approx(wanted[i], abs=1e-9)


def _signs(force: Any, contact: int) -> list[Any]:
    """The set-valued sign of a contact, as a force has it."""
    upper = sp.Function(f"x{contact}")(t).diff(t)
    lower = sp.Function(f"x{contact - 1}")(t).diff(t) if contact else sp.S.Zero
    return [sgn for sgn in force.atoms(Sgn) if sp.expand(sgn.args[0] - (upper - lower)) == 0]


def test_contacts_across_equal_masses_do_not_depend_on_each_other() -> None:
    m = ss.Model("cross")
    x, y = m.coordinate("x", inertia=2.0), m.coordinate("y", inertia=2.0)
    m.connect(x - y, ss.DryFriction(limit=0.3), name="apart")
    m.connect(x + y, ss.DryFriction(limit=0.3), name="together")
    m.load(x, 0.4)
    assert all(rule.together == () for rule in m.equations(numbers=True).at_rest)
    assert {name: at(force, {}, {}) for name, force in told(m).items()} == pytest.approx(flow(m))


def test_a_factor_of_unknown_sign_keeps_the_set_valued_sign() -> None:
    p = sp.Symbol("p", real=True)
    m = ss.Model("block")
    m.connect(p * m.coordinate("x", inertia=1.0), ss.DryFriction(limit=1.0), name="floor")
    (motion,) = m.equations().structure
    assert motion.has(Sgn)


def test_equations_tell_which_contacts_are_solved_together() -> None:
    m, *_ = stack(np.random.default_rng(2))
    rules = {rule.contact: rule for rule in m.equations().at_rest}
    assert rules["contact0"].together == ("contact1",)
    assert "contact0" in str(m.equations()).splitlines()[-1]
