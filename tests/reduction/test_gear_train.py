"""The gear paper's simplifications, derived and simulated."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from reduction.gear_trains import SYMBOLS, numbers, train

import slipstick as ss
from slipstick.laws.law_symbols import Sgn, luz, t

WHEELS = ["delta", "gamma"]


def same(a: object, b: object) -> bool:
    return sp.simplify(sp.sympify(a) - sp.sympify(b)) == 0


def test_without_inertia_the_wheels_obey_equations_of_first_order() -> None:
    red = train(SYMBOLS).reduce(massless=WHEELS)
    psi, delta, gamma, phi = (sp.Function(name)(t) for name in ("psi", "delta", "gamma", "phi"))
    (k1, k2, k3), (a1, a2, a3), p = SYMBOLS.stiffness, SYMBOLS.gap, SYMBOLS.ratio
    mesh = k2 * luz(delta - p * gamma, a2)
    wanted = {
        delta: luz(k1 * luz(psi - delta, a1) - mesh, SYMBOLS.dry[1]) - SYMBOLS.viscous[1] * delta.diff(t),
        gamma: luz(p * mesh - k3 * luz(gamma - phi, a3), SYMBOLS.dry[2]) - SYMBOLS.viscous[2] * gamma.diff(t),
    }
    found = {e.lhs.atoms(sp.Derivative).pop().expr: e for e in red.equations.structure if e.lhs.has(sp.Derivative)}
    for wheel, right in wanted.items():
        assert same(found[wheel].lhs - found[wheel].rhs, -right)
    assert [c.inertia for c in red.model.coordinates] == [SYMBOLS.inertia[0], 0, 0, SYMBOLS.inertia[3]]


def test_without_friction_too_one_spring_is_left_with_the_summed_gap() -> None:
    red = train(SYMBOLS).reduce(massless=WHEELS, frictionless=WHEELS)
    k1, k2, k3 = SYMBOLS.stiffness
    a1, a2, a3 = SYMBOLS.gap
    p = SYMBOLS.ratio
    one = red.model.connection("psi-phi")
    assert same(one.law.stiffness, 1 / (1 / k1 + 1 / k2 + p**2 / k3))
    assert same(one.law.half_gap, a1 + a2 + p * a3)
    assert one.deflection.terms.keys() == {"psi", "phi"}
    assert same(one.deflection.terms["psi"], 1)
    assert same(one.deflection.terms["phi"], -p)
    rigid = train(SYMBOLS).reduce(massless=WHEELS, frictionless=WHEELS, rigid=["mesh"]).model.connection("psi-phi")
    assert same(rigid.law.stiffness, 1 / (1 / k1 + p**2 / k3))
    assert same(rigid.law.half_gap, a1 + a2 + p * a3)


def test_without_gaps_and_dry_friction_a_linear_model_is_left() -> None:
    red = train(SYMBOLS).reduce(
        massless=WHEELS,
        frictionless=WHEELS,
        rigid=["mesh"],
        no_gap=["input", "mesh", "output"],
        no_limit=["bearing psi", "bearing phi"],
    )
    psi, phi = sp.Function("psi")(t), sp.Function("phi")(t)
    k = {e.lhs: e.rhs for e in red.equations.rules}
    k1, _, k3 = SYMBOLS.stiffness
    p, spring = SYMBOLS.ratio, 1 / (1 / k1 + SYMBOLS.ratio**2 / k3)
    first, second = (e.lhs.subs(k) for e in red.equations.motion)
    i, mu = SYMBOLS.inertia, SYMBOLS.viscous
    assert same(first, i[0] * psi.diff(t, 2) + mu[0] * psi.diff(t) + spring * (psi - p * phi))
    assert same(second, i[3] * phi.diff(t, 2) + mu[3] * phi.diff(t) - p * spring * (psi - p * phi))
    assert not any(e.has(Sgn) or e.has(luz) for e in red.equations)


def test_a_ratio_below_zero_counts_with_its_size_in_the_gap() -> None:
    p = sp.Symbol("p", negative=True)
    red = train(SYMBOLS._replace(ratio=p)).reduce(massless=WHEELS, frictionless=WHEELS)
    a1, a2, a3 = SYMBOLS.gap
    assert same(red.model.connection("psi-phi").law.half_gap, a1 + a2 - p * a3)


@pytest.mark.parametrize("ratio", [2.0, -1.5])
def test_wheels_with_less_inertia_come_to_the_massless_model_in_proportion(ratio: float) -> None:
    times = np.linspace(0.0, 2.0, 301)

    def psi(inertia: float) -> np.ndarray:
        run = train(numbers(inertia, ratio=ratio)).simulate(2.0, samples=times)
        return run.data["displacement"].sel(coordinate="psi").values

    red = train(numbers(1e-2, ratio=ratio)).reduce(massless=WHEELS)
    limit = red.model.simulate(2.0, samples=times).data["displacement"].sel(coordinate="psi").values
    off = [np.abs(psi(inertia) - limit).max() for inertia in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)]
    assert abs(np.log10(off[0] / off[-1]) / 4.0 - 1.0) < 0.2
    assert all(small < 0.5 * large for large, small in pairwise(off))


def test_wheels_with_less_friction_come_to_one_spring_in_proportion() -> None:
    comparison = (
        train(numbers(1e-2)).reduce(massless=WHEELS, frictionless=WHEELS).compare(6.0, scales=(0.1, 0.01, 0.001))
    )
    assert not comparison.notes
    assert all(0.8 < order < 1.2 for order in comparison.orders)


def test_massless_wheels_with_less_friction_come_to_one_spring_in_proportion() -> None:
    times = np.linspace(0.0, 3.0, 301)
    one = train(numbers(1e-2)).reduce(massless=WHEELS, frictionless=WHEELS).model.simulate(3.0, samples=times)
    limit = one.data["displacement"].sel(coordinate=["psi", "phi"]).values
    off = []
    for friction in (1e-1, 1e-2, 1e-3, 1e-4):
        first_order = train(numbers(1e-2, friction=friction)).reduce(massless=WHEELS).model
        found = first_order.simulate(3.0, samples=times).data["displacement"].sel(coordinate=["psi", "phi"]).values
        off.append(np.abs(found - limit).max())
    assert abs(np.log10(off[0] / off[-1]) / 3.0 - 1.0) < 0.2


def test_torques_and_wheels_are_recovered_from_the_smaller_model() -> None:
    times = np.linspace(0.0, 6.0, 301)
    small = 1e-3
    red = train(numbers(1e-2)).reduce(massless=WHEELS, frictionless=WHEELS)
    found = red.recover(red.model.simulate(6.0, samples=times))
    primary = train(numbers(1e-2 * small**2, friction=small)).simulate(6.0, samples=times).data
    for name in ("input", "mesh", "output"):
        torque = primary["force"].sel(connection=name).values
        assert np.abs(found["force"].sel(spring=name).values - torque).max() < 10.0 * small * np.abs(torque).max()
    for name in WHEELS:
        true = primary["displacement"].sel(coordinate=name).values
        low, high = (found[which].sel(coordinate=name).values for which in ("low", "high"))
        assert np.all(low - 1e-2 * np.abs(true).max() <= true)
        assert np.all(true <= high + 1e-2 * np.abs(true).max())
    touching = np.abs(primary["force"].sel(connection="mesh").values) > 0.1
    middle = found["displacement"].sel(coordinate="delta").values
    assert np.abs(middle - primary["displacement"].sel(coordinate="delta").values)[touching].max() < 1e-3


def test_a_recovered_place_is_possible_for_all_wheels_at_once() -> None:
    n = numbers(1e-2)
    red = train(n).reduce(massless=WHEELS, frictionless=WHEELS)
    found = red.recover(red.model.simulate(6.0))
    q = {name: found["displacement"].sel(coordinate=name).values for name in ("psi", "delta", "gamma", "phi")}
    forms = (q["psi"] - q["delta"], q["delta"] - n.ratio * q["gamma"], q["gamma"] - q["phi"])
    for name, u, k, a in zip(("input", "mesh", "output"), forms, n.stiffness, n.gap, strict=True):
        own = k * (u - np.clip(u, -a, a))
        assert np.abs(own - found["force"].sel(spring=name).values).max() < 1e-10


def test_the_reduced_model_in_symbols_gets_its_numbers_later() -> None:
    red = train(SYMBOLS).reduce(massless=WHEELS, frictionless=WHEELS)
    flat = {
        symbol: value
        for symbols, values in zip(SYMBOLS[:5], numbers(1e-2)[:5], strict=True)
        for symbol, value in zip(symbols, values, strict=True)
    }
    kept = {s: v for s, v in {**flat, SYMBOLS.ratio: 2.0}.items() if s.name in red.model.symbols}
    ours = red.model.with_values(kept).simulate(2.0)
    theirs = train(numbers(1e-2)).reduce(massless=WHEELS, frictionless=WHEELS).model.simulate(2.0)
    assert np.abs(ours.data["displacement"] - theirs.data["displacement"]).max() < 1e-12
    with pytest.raises(ss.InvalidInput, match="has no value yet"):
        red.model.simulate(1.0)
