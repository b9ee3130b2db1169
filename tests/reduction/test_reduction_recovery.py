"""What was eliminated comes back from a run of the reduced model: places, their bounds, the force of each spring."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy as sp
import xarray as xr
from scipy.optimize import linprog

import slipstick as ss


def luz(x: np.ndarray, a: float) -> np.ndarray:
    return x - np.clip(x, -a, a)


def held(coordinates: list[str], q: np.ndarray) -> xr.Dataset:
    """Displacements (samples, coordinates) as a run has them."""
    return xr.Dataset(
        {"displacement": (("time", "coordinate"), q)},
        coords={"time": np.arange(len(q), dtype=float), "coordinate": coordinates},
    )


class Springs(NamedTuple):
    """A network: forms (springs, coordinates), stiffnesses, half gaps, and which are rigid."""

    model: ss.Model
    forms: np.ndarray
    stiffness: np.ndarray
    gap: np.ndarray
    rigid: np.ndarray


def network(rng: np.random.Generator) -> Springs:
    """Heavy bodies and massless nodes with springs on one, two or three of them, some with gaps, some rigid."""
    heavy, light = int(rng.integers(1, 4)), int(rng.integers(1, 6))
    m = ss.Model("network")
    q = [m.coordinate(f"h{i}", inertia=1.0) for i in range(heavy)]
    q += [m.coordinate(f"n{i}", inertia=0.0) for i in range(light)]
    count, share = light + int(rng.integers(1, 4)), rng.choice([0.0, 0.5, 1.0])
    b = np.zeros((count, len(q)))
    k = rng.choice([10.0, 20.0, 35.0], count)
    a = np.where(rng.random(count) < share, rng.choice([0.1, 0.2], count), 0.0)
    for row, stiffness, gap in zip(b, k, a, strict=True):
        some = rng.choice(len(q), size=min(int(rng.choice([1, 2, 2, 2, 2, 3])), len(q)), replace=False)
        row[some] = rng.choice([1.0, -1.0, 2.0, -2.0, 0.5, -0.3, 1.7], some.size)
        form = sum((row[i] * q[i] for i in some[1:]), start=row[some[0]] * q[some[0]])
        m.connect(form, ss.Freeplay(stiffness=stiffness, half_gap=gap))
    return Springs(m, b, k, a, rng.random(count) < 0.12)


def bounds(s: Springs, force: np.ndarray, q: np.ndarray, kept: list[int], node: int) -> tuple[float, float]:
    """The least and the largest place of a node, all others free: a linear programme."""
    fixed = np.concatenate([np.eye(q.size)[kept], s.forms[force != 0.0]])
    apart = s.forms[force == 0.0]
    limits = np.tile(s.gap[force == 0.0], 2)
    found = []
    for side in (1.0, -1.0):
        solved = linprog(
            side * np.eye(q.size)[node],
            A_ub=np.concatenate([apart, -apart]) if len(apart) else None,
            b_ub=limits + 1e-12 if len(apart) else None,
            A_eq=fixed,
            b_eq=fixed @ q,
            bounds=(None, None),
        )
        found.append(side * solved.fun if solved.status == 0 else -side * np.inf)
    return found[0], found[1]


def reduced(rng: np.random.Generator) -> tuple[Springs, Any]:
    """The first network that has a reduction without any of its nodes, and that."""
    while True:
        s = network(rng)
        rigid = [c.name for c, own in zip(s.model.connections, s.rigid, strict=True) if own]
        try:
            return s, s.model.reduce(massless=[c for c in s.model.coordinates if c.inertia == 0.0], rigid=rigid)
        except ss.InvalidInput:
            continue


@pytest.mark.parametrize("seed", range(60))
def test_places_and_forces_of_a_random_network_are_in_balance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s, red = reduced(rng)
    names = [c.name for c in s.model.coordinates]
    connections = [c.name for c in s.model.connections]
    kept = [c.name for c in red.model.coordinates]
    places = rng.normal(size=(12, len(kept))) * rng.choice([0.05, 0.3, 1.0], size=(12, 1))
    found = red.recover(held(kept, places))
    q = found["displacement"].values
    force = found["force"].sel(spring=connections).values
    u = q @ s.forms.T
    for j in range(len(connections)):
        if s.rigid[j]:
            assert np.abs(luz(u[:, j], s.gap[j])).max() < 1e-9
        else:
            assert np.abs(force[:, j] - s.stiffness[j] * luz(u[:, j], s.gap[j])).max() < 1e-8
    ours = np.zeros_like(places)
    for c in red.model.connections:
        form = np.array([c.deflection.terms.get(name, 0.0) for name in kept])
        ours += np.outer(c.law.stiffness * luz(places @ form, getattr(c.law, "half_gap", 0.0)), form)
    known = ~np.isnan(force @ np.abs(s.forms))  # without a rigid spring that two bodies or two springs share
    balance = np.where(known, np.nan_to_num(force) @ s.forms, 0.0)
    for i, name in enumerate(names):
        wanted = ours[:, kept.index(name)] if name in kept else 0.0
        assert np.abs(np.where(known[:, i], balance[:, i] - wanted, 0.0)).max() < 1e-8
    _check_bounds(s, found, force, kept, names)


def _check_bounds(s: Springs, found: Any, force: np.ndarray, kept: list[str], names: list[str]) -> None:
    if np.isnan(force).any():
        return
    at = [names.index(name) for name in kept]
    for t in (0, 6, 11):
        q = found["displacement"].values[t]
        for i, name in enumerate(names):
            low, high = found["low"].values[t, i], found["high"].values[t, i]
            least, most = (q[i], q[i]) if name in kept else bounds(s, force[t], q, at, i)
            assert low <= least + 1e-7  # never narrower than they are
            assert high >= most - 1e-7
            assert low <= q[i] <= high


def test_both_springs_of_a_law_in_stages_are_counted() -> None:
    m = ss.Model("stages")
    x, node, y = m.coordinate("x", inertia=1.0), m.coordinate("node"), m.coordinate("y", inertia=2.0)
    m.connect(x, ss.TwoStage(stiffness=100.0, inner_ratio=0.3, half_gap=0.1), name="clutch")
    m.connect(x - node, ss.Linear(stiffness=10.0) + ss.Linear(stiffness=10.0), name="twice")
    m.connect(node - y, ss.Linear(stiffness=30.0), name="end")
    red = m.reduce(massless=[node])
    found = red.recover(held(["x", "y"], np.array([[1.0, 0.0], [-0.05, 0.5]])))
    # by hand: 100 (0.3 u + 0.7 luz(u, 0.1)); 20 and 30 in series are 12
    assert found["force"].sel(spring="clutch").values == pytest.approx([93.0, -1.5])
    assert found["force"].sel(spring="twice").values == pytest.approx([12.0, -6.6])
    assert found["force"].sel(spring="end").values == pytest.approx([12.0, -6.6])


def test_a_rigid_spring_has_the_force_that_keeps_its_node_in_balance() -> None:
    m = ss.Model("chain")
    x, d, g, y = (m.coordinate(name, inertia=i) for name, i in (("x", 1.0), ("d", 0.0), ("g", 0.0), ("y", 1.0)))
    m.connect(x - d, ss.Freeplay(stiffness=100.0, half_gap=0.1), name="a")
    m.connect(d - 2.0 * g, ss.Linear(stiffness=1e5), name="mesh")
    m.connect(g - y, ss.Freeplay(stiffness=100.0, half_gap=0.1), name="c")
    red = m.reduce(massless=[d, g], rigid=["mesh"])
    found = red.recover(held(["x", "y"], np.array([[1.0, 0.0], [0.05, 0.0]])))
    # u = x - 2 y = 1, half gap 0.1 + 2 0.1, compliance 1/100 + 4/100
    assert found["force"].sel(spring="mesh").values == pytest.approx([0.7 / 0.05, 0.0])
    assert found["force"].sel(spring="c").values == pytest.approx([2.0 * 0.7 / 0.05, 0.0])
    assert "NaN" not in found.attrs["note"]
    low, high = found["low"].sel(coordinate="g").values, found["high"].sel(coordinate="g").values
    assert low == pytest.approx(found["low"].sel(coordinate="d").values / 2.0)
    assert high == pytest.approx(found["high"].sel(coordinate="d").values / 2.0)
    # x in [d - 0.1, d + 0.1] and |d/2| <= 0.1, at x = 0.05
    assert (2.0 * low[1], 2.0 * high[1]) == pytest.approx((-0.05, 0.15))


def test_a_rigid_spring_between_bodies_has_a_force_that_is_not_reported() -> None:
    m = ss.Model("pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=2.0)
    m.connect(x - 2.0 * y, ss.Linear(stiffness=1e5), name="mesh")
    m.load(y, 3.0)
    red = m.reduce(rigid=["mesh"])
    found = red.recover(red.model.simulate(1.0, samples=[0.0, 1.0]))
    assert list(found["spring"].values) == ["mesh"]
    assert np.isnan(found["force"].values).all()
    assert "NaN" in found.attrs["note"]
    assert found["displacement"].values[1] == pytest.approx([0.5, 0.25])  # (1 + 2/4) x'' = 3/2


def test_a_curve_and_a_family_are_shown_what_to_give() -> None:
    k = sp.Symbol("k", positive=True)
    family = ss.Model("family")
    x, node, y = family.coordinate("x", inertia=1.0), family.coordinate("node"), family.coordinate("y", inertia=2.0)
    family.connect(x - node, ss.Linear(stiffness=k), name="shaft")
    family.connect(node - y, ss.Linear(stiffness=3.0), name="mesh")
    family.connect(y, ss.Linear(stiffness=1.0, damping=0.1), name="ground")
    family.load(x, ss.Cosine(1.0, order=1))
    red = family.reduce(massless=[node])
    with pytest.raises(ss.InvalidInput, match=r"k has no value yet.*family.with_values\(values\).reduce"):
        red.recover(None)
    red = family.with_values({"k": 6.0}).reduce(massless=["node"])
    with pytest.raises(ss.InvalidInput, match=r"got a curve; give one of its orbits: recover\(curve.orbit\(i\)\)"):
        red.recover(red.model.frequency_response(between=(0.9, 1.0)))
    with pytest.raises(ss.InvalidInput, match=r"red.model.periodic"):
        red.recover(3.0)
    orbit = red.model.periodic(frequency=1.0)
    found, place = red.recover(orbit), orbit.data["displacement"]
    between = place.sel(coordinate="x") - place.sel(coordinate="y")
    assert found["force"].sel(spring="mesh").values == pytest.approx(2.0 * between.values)


def test_values_of_a_whole_family_are_taken_by_the_reduced_model() -> None:
    k, j = sp.symbols("k j", positive=True)
    family = ss.Model("family")
    x, node, y = family.coordinate("x", inertia=1.0), family.coordinate("node", inertia=j), family.coordinate("y")
    family.connect(x - node, ss.Linear(stiffness=k), name="shaft")
    family.connect(node - y, ss.Linear(stiffness=3.0), name="mesh")
    family.connect(y, ss.Linear(stiffness=1.0, damping=0.1), name="ground")
    small = family.reduce(massless=[node]).model
    assert small.with_values({"j": 1e-5, "k": 6.0}).connection("x-y").law.stiffness == pytest.approx(2.0)
    assert small.with_values({"k": 6.0}).with_values({j: 1e-5}) == small.with_values({"k": 6.0})
    with pytest.raises(ss.InvalidInput, match='no symbol "jj"'):
        small.with_values({"jj": 1.0})
    with pytest.raises(ss.InvalidInput, match="j"):
        small.with_values({"j": float("nan")})
