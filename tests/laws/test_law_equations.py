"""A law's equation says what the law does: numbers put in, both agree."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
import sympy as sp
from laws.example_laws import every_law

import slipstick as ss
from slipstick.laws import law_symbols as s
from slipstick.laws.base import Law
from slipstick.laws.parameters import spec_of

LAWS = every_law()
U_TOP, U_HERE, H = 0.6, 0.1, 1e-5  # a branch that falls from U_TOP through U_HERE


def values(law: Law) -> dict[Any, float]:
    """The numbers behind the symbols of a law, by what its parameters say of themselves."""
    found: dict[Any, float] = {}
    for field in fields(law):
        spec, value = spec_of(field), getattr(law, field.name)
        name = spec.symbol or field.name
        if isinstance(value, float):
            found[sp.Symbol(name, real=True)] = value
        elif isinstance(value, tuple):
            found |= {sp.Symbol(f"{name}_{spec.first + i}", real=True): x for i, x in enumerate(value)}
    return found


def evaluated(expression: Any, numbers: dict[Any, Any]) -> float:
    expression = expression.subs(numbers).replace(s.luz, lambda x, a: x - sp.Max(-a, sp.Min(a, x)))
    return float(expression.replace(s.Sgn, sp.sign))


SINGLE = [name for name, law in LAWS.items() if not isinstance(law.equation(), tuple)]


@pytest.mark.parametrize("name", SINGLE)
def test_one_equation_gives_the_force(name: str) -> None:
    law, rng = LAWS[name], np.random.default_rng(1)
    rule, numbers = law.equation(), values(law)
    assert rule.lhs == s.f
    for u, v in rng.uniform(-1.2, 1.2, (20, 2)).tolist():
        way = [u - np.sign(v), u]  # dry friction goes by the way, not by the rate
        found = evaluated(rule.rhs, numbers | {s.u: u, s.v: v})
        assert found == pytest.approx(law.trace(way, rate=[v, v])[-1], abs=1e-12)


BRANCHES = [
    name
    for name in LAWS
    if name.split(" ")[0] in ("dahl", "duhem", "modified-dahl", "dynamic-hysteresis", "bliman-sorine", "fibre-shear")
    and name != "bliman-sorine original"
]


@pytest.mark.parametrize("name", BRANCHES)
def test_the_equation_of_a_branch_gives_its_slope(name: str) -> None:
    law = LAWS[name]
    rules = law.equation()
    force = sp.Function("f")(s.u)
    assert rules[0].lhs == force.diff(s.u)
    near = [law.trace([0.0, U_TOP, U_HERE + k * H])[-1] for k in (-2, -1, 0, 1, 2)]
    slope = (near[0] - 8.0 * near[1] + 8.0 * near[3] - near[4]) / (12.0 * H)
    numbers: dict[Any, Any] = values(law)
    numbers |= {force: near[2], s.u: U_HERE, s.v: -1.0, s.u_m: U_TOP, s.f_m: law.trace([0.0, U_TOP])[-1]}
    right = rules[0].rhs
    for _ in rules:  # what stands in the first is explained by the others, and what stands in those
        right = right.subs({rule.lhs: rule.rhs for rule in rules[1:]})
    assert evaluated(right.subs(force, near[2]), numbers) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("name", ["bouc-wen", "bouc-wen 2.5", "lugre", "bliman-sorine original"])
@pytest.mark.parametrize("v", [0.7, -0.7])
def test_equations_with_inner_variables_give_force_and_rate(name: str, v: float) -> None:
    law = LAWS[name]
    rules, numbers = law.equation(), values(law) | {s.v: v}
    memory = law.start(0.0)
    for u in (0.3, 0.2):
        _, memory = law.update(u, v, memory)
    # on the way from there, at three times H apart
    (_, before), (force, here), (_, after) = (law.update(0.2 + k * v * H, v, memory) for k in (1, 2, 3))
    inside = dict(zip(inner_symbols(name), inner(law, here), strict=True))
    slopes = [(b - a) / (2.0 * H) for a, b in zip(inner(law, before), inner(law, after), strict=True)]
    rates = dict(zip((x.diff(s.t) for x in inside), slopes, strict=True))
    extra = {rule.lhs: rule.rhs for rule in rules if rule.lhs.is_Symbol and rule.lhs != s.f}
    for rule in rules:
        if rule.lhs in rates:
            right = rule.rhs.subs(extra).subs(inside)
            assert evaluated(right, numbers) == pytest.approx(rates[rule.lhs], abs=1e-6)
    right = rules[0].rhs.subs(rates).subs(extra).subs(inside).subs(s.u, 0.2 + 2 * v * H)
    assert evaluated(right, numbers) == pytest.approx(force, abs=1e-6)


def inner(law: Law, memory: Any) -> list[float]:
    """The inner variables within a memory; those of a sum times their factors."""
    if isinstance(law, ss.BlimanSorine):
        return [leaf.force * leaf.law.inner_state(own) for leaf, own in zip(law.leaves(), memory, strict=True)]
    return [law.inner_state(memory)]


def inner_symbols(name: str) -> list[Any]:
    names = ["f_1", "f_2"] if name.startswith("bliman") else ["z"]
    return [sp.Function(n)(s.t) for n in names]


def test_the_symbols_of_a_sum_carry_the_number_of_their_term() -> None:
    law = ss.Jenkins(stiffness=2.0, limit=0.6) + ss.Jenkins(stiffness=3.0, limit=0.5).scaled(deflection=2.0, force=0.5)
    force, first, second = law.equation()
    w1, w2 = (sp.Function(f"w_{i}")(s.t) for i in (1, 2))
    k1, k2 = (sp.Symbol(f"k_{i}", real=True) for i in (1, 2))
    assert sp.simplify(force.rhs - (k1 * w1 + 0.5 * k2 * w2)) == 0
    assert first.has(w1)
    assert not first.has(w2)
    assert second.rhs == 2 * s.v


def test_a_part_that_is_a_differential_equation_has_a_force_and_a_deflection_of_its_own() -> None:
    force, own, *_ = (ss.Dahl(stiffness=3.0, limit=0.8).scaled(deflection=4.0) + ss.Linear(stiffness=1.0)).equation()
    u1 = sp.Symbol("u_1", real=True)
    assert (own.lhs, own.rhs) == (u1, 4 * s.u)
    assert force.rhs == sp.Function("f_1")(u1) + sp.Symbol("k_2", real=True) * s.u


def test_the_springs_of_iwan_are_counted_from_one_also_in_numbers() -> None:
    model = ss.Model("joint")
    x = model.coordinate("x", inertia=1.0)
    model.connect(x, ss.Iwan(stiffnesses=(11.0, 12.0), limits=(0.1, 0.2), parallel_stiffness=5.0), name="j")
    assert "5*x + 11*w_1_j + 12*w_2_j" in str(model.equations(numbers=True))
    assert "k_0_j*x + k_1_j*w_1_j + k_2_j*w_2_j" in str(model.equations())


def test_every_law_has_an_equation_that_can_be_typeset() -> None:
    for law in LAWS.values():
        rules = law.equation()
        for rule in rules if isinstance(rules, tuple) else (rules,):
            assert "=" in sp.latex(rule)
