"""Rigid connections, light nodes and models from matrices: nothing is lost on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import slipstick as ss


def gears(*, load_on_phi: bool = False) -> ss.Model:
    m = ss.Model("gear train")
    psi, delta, gamma, phi = (
        m.coordinate(name, inertia=i) for name, i in (("psi", 1.0), ("delta", 0.01), ("gamma", 0.01), ("phi", 2.0))
    )
    m.connect(psi - delta, ss.Freeplay(stiffness=100.0, half_gap=0.01), name="input")
    m.connect(delta - 2.0 * gamma, ss.Freeplay(stiffness=400.0, half_gap=0.01), name="mesh")
    m.connect(gamma - phi, ss.Linear(stiffness=3e4), name="output")
    for wheel in (delta, gamma):
        m.connect(wheel, ss.DryFriction(limit=0.01, damping=0.05), name=f"bearing {wheel}")
    m.connect(phi, ss.Linear(stiffness=20.0), name="to ground")
    m.load(phi if load_on_phi else psi, ss.Cosine(5.0, frequency=3.0))
    return m


@pytest.mark.parametrize("load_on_phi", [False, True])
def test_a_body_that_is_bound_to_a_massless_wheel_keeps_its_inertia(load_on_phi: bool) -> None:
    wheels = ["delta", "gamma"]
    red = gears(load_on_phi=load_on_phi).reduce(massless=wheels, frictionless=wheels, rigid=["output"])
    assert {c.name: c.inertia for c in red.model.coordinates} == {"psi": 1.0, "phi": 2.0}
    comparison = red.compare(2.0, scales=(0.1, 0.01))
    assert not comparison.notes
    assert all(0.7 < order < 1.4 for order in comparison.orders)


def test_a_light_wheel_on_a_heavy_shaft_does_not_rattle() -> None:
    def model(wheel: float) -> ss.Model:
        m = ss.Model("wheel")
        x, light, heavy = m.coordinate("x", inertia=1.0), m.coordinate("light", inertia=wheel), m.coordinate("heavy")
        m["heavy"].inertia = 2.0
        m.connect(x - light, ss.Freeplay(stiffness=50.0, half_gap=0.1), name="teeth")
        m.connect(light - heavy, ss.Linear(stiffness=1e5), name="fit")
        m.connect(heavy, ss.Linear(stiffness=10.0, damping=0.5), name="ground")
        m.load(x, ss.Cosine(4.0, frequency=2.0))
        return m

    red = model(0.01).reduce(massless=["light"], rigid=["fit"])
    assert [(c.name, c.inertia) for c in red.model.coordinates] == [("x", 1.0), ("heavy", 2.0)]
    assert all(0.7 < order < 1.4 for order in red.compare(2.0, scales=(0.1, 0.01, 0.001)).orders)


def test_matrices_stay_where_connections_are_reduced() -> None:
    stiffness = 100.0 * np.array([[2.0, -1.0], [-1.0, 2.0]])
    m = ss.Model.from_matrices(np.eye(2), 0.1 * np.eye(2), stiffness)
    node = m.coordinate("node", inertia=0.01)
    m.connect(m["q2"] - node, ss.Linear(stiffness=50.0), name="one")
    m.connect(node, ss.Linear(stiffness=30.0), name="two")
    m.load(m["q1"], ss.Cosine(3.0, frequency=5.0))
    red = m.reduce(massless=[node])
    by_hand = ss.Model.from_matrices(
        np.eye(2), 0.1 * np.eye(2), stiffness + np.diag([0.0, 1.0 / (1.0 / 50.0 + 1.0 / 30.0)])
    )
    by_hand.load(by_hand["q1"], ss.Cosine(3.0, frequency=5.0))
    times = np.linspace(0.0, 2.0, 101)
    ours, theirs = (each.simulate(2.0, samples=times).data["displacement"].values for each in (red.model, by_hand))
    assert np.abs(ours - theirs).max() < 1e-12
    assert all(0.9 < order < 1.1 for order in red.compare(1.0).orders)


def test_a_condensed_model_with_values_still_knows_what_was_left_out() -> None:
    k = sp.Symbol("k", positive=True)
    n = 30
    stiffness = 1e4 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))

    def condensed(own: Any) -> ss.Model:
        whole = ss.Model.from_matrices(1e-2 * np.eye(n), 1e-5 * stiffness, stiffness)
        whole.load(whole["q10"], ss.Cosine(2.0, frequency=30.0))
        small = whole.condense(keep=["q30"], modes=2)
        small.connect(small["q30"], ss.Freeplay(stiffness=own, half_gap=1e-4), name="stop")
        return small

    ours, theirs = condensed(k).with_values({k: 1e3}), condensed(1e3)
    errors = [each.simulate(0.1, samples=20).certificate.errors["q30"] for each in (ours, theirs)]
    assert errors[0] == errors[1] > 1e-9


def test_a_body_bound_to_a_coordinate_of_matrices_adds_its_inertia_there() -> None:
    m = ss.Model.from_matrices(np.diag([1.0, 2.0]), None, 100.0 * np.array([[2.0, -1.0], [-1.0, 2.0]]))
    body = m.coordinate("body", inertia=3.0)
    m.connect(2.0 * m["q2"] - body, ss.Linear(stiffness=1e6), name="link")
    red = m.reduce(rigid=["link"])
    frequencies = [abs(mode.eigenvalue) for mode in red.model.modes()]
    wanted = np.sqrt(np.linalg.eigvals(np.linalg.solve(np.diag([1.0, 2.0 + 12.0]), m.matrices.stiffness)))
    assert sorted(frequencies) == pytest.approx(sorted(wanted))


@pytest.mark.parametrize(
    ("motion", "start"),
    [
        (ss.Constant(0.3), {"displacement": 0.3}),
        (ss.Cosine(1.0, frequency=2.0), {"displacement": 1.0}),
        (ss.Sine(1.0, frequency=2.0), {"velocity": 2.0}),
    ],
)
def test_a_rigid_connection_to_a_prescribed_motion_begins_where_that_does(
    refused, motion: ss.Cosine, start: dict[str, float]
) -> None:
    def model(**start: float) -> ss.Model:
        m = ss.Model("base")
        base, x = m.coordinate("base", motion=motion), m.coordinate("x", inertia=1.0, **start)
        z = m.coordinate("z", inertia=1.0)
        m.connect(base - x, ss.Linear(stiffness=1e4), name="foot")
        m.connect(x - z, ss.Linear(stiffness=10.0), name="spring")
        return m

    red = model(**start).reduce(rigid=["foot"])
    assert all(0.9 < order < 1.1 for order in red.compare(1.0, scales=(0.1, 0.01, 0.001)).orders)
    with refused("change one of them"):
        model().reduce(rigid=["foot"])


def test_no_two_connections_get_one_name() -> None:
    m = ss.Model("names")
    x, y, z = (m.coordinate(name, inertia=1.0) for name in "xyz")
    m.connect(x - y, ss.Linear(stiffness=1e4), name="link")
    m.connect(x, ss.DryFriction(limit=0.1), name="a")
    m.connect(y, ss.DryFriction(limit=0.2), name="b")
    m.connect(z, ss.DryFriction(limit=0.4), name="a+b")
    red = m.reduce(rigid=["link"])
    found = {c.name: (dict(c.deflection.terms), c.law.limit) for c in red.model.connections}
    assert found == {"a+b": ({"z": 1.0}, 0.4), "a+b-2": ({"x": 1.0}, pytest.approx(0.3))}


@pytest.mark.parametrize("order", ["xy", "yx"])
def test_friction_of_bodies_that_become_one_is_one_pair_in_any_order(order: str) -> None:
    m = ss.Model("pair")
    body = {name: m.coordinate(name, inertia=1.0) for name in "xy"}
    for name in order:
        m.connect(body[name], ss.DryFriction(limit=0.1), name=name)
    m.connect(body["x"] - body["y"], ss.Linear(stiffness=1e4), name="link")
    (friction,) = m.reduce(rigid=["link"]).model.connections
    assert friction.law.limit == pytest.approx(0.2)


def test_a_law_beside_a_rigid_spring_goes_with_it() -> None:
    m = ss.Model("pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x - y, ss.Linear(stiffness=1e4), name="link")
    m.connect(x - y, ss.Polynomial(coefficients=(1.0, 0.0, 0.0, 5.0)), name="cubic")
    m.connect(x, ss.Polynomial(coefficients=(0.0, 2.0, 0.0, 5.0)), name="ground")
    assert [c.name for c in m.reduce(rigid=["link"]).model.connections] == ["ground"]


def test_the_light_member_of_a_differential_goes_wherever_it_stands() -> None:
    m = ss.Model("differential")
    case, left, right = m.coordinate("case"), m.coordinate("left", inertia=1.0), m.coordinate("right", inertia=2.0)
    m["left"].velocity = 1.0
    m.connect(2.0 * case - left - right, ss.Linear(stiffness=1e5), name="planets")
    m.connect(case, ss.Linear(stiffness=40.0), name="spring")
    red = m.reduce(massless=[case], rigid=["planets"])
    (spring,) = red.model.connections
    assert dict(spring.deflection.terms) == {"left": 0.5, "right": 0.5}


def test_a_stable_node_with_a_negative_stiffness_leaves_one() -> None:
    m = ss.Model("node")
    x, node, y = m.coordinate("x", inertia=1.0), m.coordinate("node"), m.coordinate("y", inertia=1.0)
    m.connect(x - node, ss.Linear(stiffness=-1.0), name="one")
    m.connect(node - y, ss.Linear(stiffness=3.0), name="two")
    (merged,) = m.reduce(massless=[node]).model.connections
    assert merged.law.stiffness == pytest.approx(-1.5)  # k1 k2/(k1 + k2)


def test_springs_of_other_gaps_to_one_place_are_a_loose_end() -> None:
    m = ss.Model("end")
    x, node = m.coordinate("x", inertia=1.0), m.coordinate("node")
    m.connect(x, ss.Linear(stiffness=5.0), name="ground")
    for i, gap in enumerate((0.1, 0.2, 0.3)):
        m.connect(x - node, ss.Freeplay(stiffness=3.0, half_gap=gap), name=f"gap{i}")
    red = m.reduce(massless=[node])
    assert [c.name for c in red.model.connections] == ["ground"]
    found = red.recover(red.model.simulate(1.0, samples=[0.0]))
    assert found["low"].sel(coordinate="node").values == pytest.approx(-0.1)
    assert found["high"].sel(coordinate="node").values == pytest.approx(0.1)
