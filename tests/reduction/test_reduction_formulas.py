"""Formulas tell what was done: with the numbers of the model they are the numbers of the reduced one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from reduction.gear_trains import numbers, train

import slipstick as ss
from slipstick.laws.law_symbols import t

WHEELS = ["delta", "gamma"]


def equal_gaps() -> Any:
    """Two springs whose gaps are the same number, not the same symbol."""
    m = ss.Model("pair")
    x, node, y = m.coordinate("x", inertia=1.0), m.coordinate("node"), m.coordinate("y", inertia=1.0)
    m.connect(x - node, ss.Freeplay(stiffness=3.0, half_gap=0.2), name="one")
    m.connect(2.0 * x - 2.0 * node, ss.Freeplay(stiffness=1.0, half_gap=0.4), name="two")
    m.connect(node - y, ss.Linear(stiffness=7.0), name="end")
    return m.reduce(massless=[node])


def meshed() -> Any:
    m = ss.Model("pair")
    x, y, z = (m.coordinate(name, inertia=i) for name, i in (("x", 2.0), ("y", 3.0), ("z", 5.0)))
    m.connect(x - 2.0 * y, ss.Linear(stiffness=1e4), name="mesh")
    m.connect(y + z, ss.Linear(stiffness=1e4), name="shaft")
    m.connect(x, ss.DryFriction(limit=0.5, damping=0.1), name="left")
    m.connect(y, ss.DryFriction(limit=0.4, damping=0.8), name="right")
    m.connect(z, ss.Linear(stiffness=9.0, damping=0.3), name="spring")
    return m.reduce(rigid=["mesh", "shaft"])


def star() -> Any:
    m = ss.Model("star")
    node, other = m.coordinate("node"), m.coordinate("other")
    ends = [m.coordinate(f"x{i}", inertia=1.0) for i in range(3)]
    for i, end in enumerate(ends):
        m.connect((1.0 + 0.5 * i) * node - end, ss.Linear(stiffness=2.0 + i), name=f"arm{i}")
        m.connect(other + 2.0 * end, ss.Linear(stiffness=5.0 - i), name=f"leg{i}")
    m.connect(node - other, ss.Linear(stiffness=4.0), name="bridge")
    return m.reduce(massless=[node, other])


def stages() -> Any:
    """A law of two springs with its gap left out, and one that keeps it in a sum."""
    m = ss.Model("stages")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    law = ss.TwoStage(stiffness=10.0, inner_ratio=0.3, half_gap=0.1, damping=0.2)
    m.connect(x - y, law, name="t")
    m.connect(x, law + ss.DryFriction(limit=0.3), name="sum")
    return m.reduce(no_gap=["t"])


def named_alike() -> Any:
    """A connection that is called as the merged one would be."""
    m = ss.Model("alike")
    x, node, y = m.coordinate("x", inertia=1.0), m.coordinate("node"), m.coordinate("y", inertia=1.0)
    m.connect(x - node, ss.Linear(stiffness=10.0), name="x-y")
    m.connect(node - y, ss.Linear(stiffness=20.0), name="b")
    m.connect(x, ss.Linear(stiffness=1.0), name="xy")
    return m.reduce(massless=[node])


def breaking_away() -> Any:
    """Friction without luz/tar form, on a coordinate that is not touched."""
    m = train(numbers(1e-2))
    m.connect(m["phi"] - m["psi"], ss.DryFriction(limit=0.1, static_limit=0.2), name="seal")
    return m.reduce(massless=WHEELS, frictionless=WHEELS)


def whole_train() -> Any:
    return train(numbers(1e-2)).reduce(massless=WHEELS, frictionless=WHEELS)


REDUCTIONS = (whole_train, equal_gaps, meshed, star, stages, named_alike, breaking_away)


@pytest.mark.parametrize("build", REDUCTIONS)
def test_steps_and_equations_with_the_model_s_numbers_are_the_reduced_model(build: Any) -> None:
    red = build()
    found = red.equations
    values = found.values
    meaning = {e.lhs: e.rhs for e in found.rules if e.lhs.is_Symbol}
    assert set(meaning) <= set(values)  # each derived symbol has its number
    for symbol, formula in meaning.items():
        assert symbol not in formula.free_symbols
        assert float(formula.xreplace(values)) == pytest.approx(values[symbol], rel=1e-12)
    for step in red.steps:
        for name, formula in step.formulas.items():
            assert sp.Symbol(name, real=True) not in formula.free_symbols
            if sp.Symbol(name, real=True) in values:
                assert float(formula.xreplace(values)) == pytest.approx(values[sp.Symbol(name, real=True)], rel=1e-12)
    _same_motion(found, red.model.equations(numbers=True), values)
    assert str(red)
    assert red.latex()


def _same_motion(symbols: Any, wanted: Any, values: dict[Any, float]) -> None:
    """Both sets of equations balance by the same amount at random states."""
    rng = np.random.default_rng(0)
    for ours, theirs in zip(symbols.motion, wanted.motion, strict=True):
        left, right = ((e.lhs - e.rhs).xreplace(values) for e in (ours, theirs))
        free = sorted(left.atoms(sp.Derivative) | right.atoms(sp.Derivative), key=lambda d: -d.derivative_count)
        state = {d: float(x) for d, x in zip(free, rng.normal(size=len(free)), strict=True)}
        left, right = (_numeric(side.xreplace(state)) for side in (left, right))
        assert left == pytest.approx(right, rel=1e-9)


def _numeric(expression: Any) -> float:
    from slipstick.laws.law_symbols import Sgn, luz

    functions = sorted((f for f in expression.atoms(sp.Function) if f.args == (t,)), key=str)
    place = {f: 0.1 + 0.7 * i for i, f in enumerate(functions)}
    plain = expression.xreplace(place).replace(luz, lambda x, a: x - sp.Min(sp.Max(x, -a), a)).replace(Sgn, sp.sign)
    return float(plain)


def test_formulas_of_the_train_are_those_of_the_paper() -> None:
    red = whole_train()
    k1, k2, k3, a1, a2, a3 = (
        sp.Symbol(f"{letter}_{name}", real=True) for letter in "ka" for name in ("input", "mesh", "output")
    )
    last = red.steps[-1].formulas
    assert sp.simplify(last["k_psiphi"] - 1 / (1 / k1 + 1 / k2 + 4 / k3)) == 0
    assert sp.simplify(last["a_psiphi"] - (a1 + a2 + 2 * a3)) == 0


def test_a_moved_inertia_has_a_symbol_of_its_own() -> None:
    red = meshed()
    x, y, z = sp.symbols("m_x m_y m_z", real=True)
    formulas = {name: formula for step in red.steps for name, formula in step.formulas.items()}
    assert sp.simplify(formulas["m_x_y_z"] - (x + (y + z) / 4)) == 0
    assert red.equations.values[sp.Symbol("m_x_y_z", real=True)] == 2.0 + 8.0 / 4.0


def test_nothing_is_reported_for_what_was_zero_already() -> None:
    assert [step.rule for step in named_alike().steps] == ["series"]
    assert all(name.startswith("k_") for name in named_alike().steps[0].formulas)  # no gap, no line on it


def test_a_grid_of_massless_nodes_is_reported_in_bounded_formulas() -> None:
    m = ss.Model("grid")
    inside = lambda i, j: 0 < i < 4 and 0 < j < 4  # noqa: E731
    q = {(i, j): m.coordinate(f"n{i}{j}", inertia=float(not inside(i, j))) for i in range(5) for j in range(5)}
    for (i, j), here in q.items():
        for there in ((i + 1, j), (i, j + 1)):
            if there in q:
                m.connect(here - q[there], ss.Linear(stiffness=1.0 + i + 2.0 * j))
    red = m.reduce(massless=[c for place, c in q.items() if inside(*place)])
    assert max(len(str(f)) for step in red.steps for f in step.formulas.values()) < 2000
    forms = [tuple(sorted(c.deflection.terms)) for c in red.model.connections if "-" in c.name]
    assert len(forms) == len(set(forms))  # one spring between two bodies
