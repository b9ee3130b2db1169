"""`connect_patch`: one law on the nodes of an interface."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

LAW = ss.FrictionContact(normal_stiffness=300.0, tangential_stiffness=200.0, friction=0.3, preload=12.0, gap=0.01)
AREAS, PRESSURE = (1.0, 2.0, 1.0), (1.0, 3.0, 2.0)


def plate(patch=True, **options):
    """A rigid plate on an interface of three nodes: it slides, lifts and turns."""
    m = ss.Model("plate", frequency=9.0)
    x, z, turn = (m.coordinate(name, inertia=own) for name, own in zip("xza", (1.0, 1.0, 0.1), strict=True))
    for q in (x, z, turn):
        m.connect(q, ss.Linear(stiffness=50.0, damping=1.0))
    m.load(x, ss.Sine(4.0, order=1))
    m.load(z, ss.Sine(15.0, order=1, phase=1.0))
    nodes = [(x, z + place * turn) for place in (-0.5, 0.0, 0.5)]
    if patch:
        m.connect_patch(nodes, LAW, **{"areas": AREAS, "pressure": PRESSURE, **options}, name="joint")
    return m, nodes


def test_stiffness_is_shared_by_area_and_preload_by_pressure_and_area():
    m, _ = plate()
    laws = [m.connection(f"joint{i}.normal").law.stated for i in (1, 2, 3)]
    np.testing.assert_allclose([law.normal_stiffness for law in laws], [75.0, 150.0, 75.0], rtol=1e-15)
    np.testing.assert_allclose([law.tangential_stiffness for law in laws], [50.0, 100.0, 50.0], rtol=1e-15)
    np.testing.assert_allclose([law.preload for law in laws], np.array([1.0, 6.0, 2.0]) / 9.0 * 12.0, rtol=1e-15)
    assert {(law.friction, law.gap) for law in laws} == {(0.3, 0.01)}


def test_nodes_that_move_alike_act_as_the_whole():
    """Equal pressure, no turning: three shares on one pair of deflections are the law itself."""
    motions = []
    for patch in (True, False):
        m, nodes = plate(patch=False)
        x, z = nodes[1]
        if patch:
            m.connect_patch([(x, z)] * 3, LAW, AREAS)
        else:
            m.connect((x, z), LAW)
        motions.append(m.simulate(until=3.0, samples=50).data["displacement"].values)
    np.testing.assert_allclose(*motions, rtol=0.0, atol=1e-13)


def test_a_patch_opens_from_its_edge_and_harmonic_balance_follows_it():
    m, _ = plate()
    orbit = m.periodic(method="harmonic-balance", harmonics=21)
    states = [set(orbit.data["state"].sel(connection=f"joint{i}.normal").values) for i in (1, 2, 3)]
    assert "separated" in states[0]
    exact = m.periodic(method="shooting")
    apart = np.abs(exact.data["displacement"].max("time") - orbit.data["displacement"].max("time")).max()
    assert apart < orbit.certificate.error


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"areas": (1.0, 2.0)}, "areas must have one number for each of 3 nodes"),
        ({"areas": (1.0, 0.0, 2.0)}, "areas[1] must be finite and > 0, got 0"),
        ({"areas": "small"}, "areas must be a number"),
        ({"pressure": (1.0, -2.0, 0.0)}, "pressure[1] must be finite and >= 0, got -2"),
        ({"pressure": (0.0, 0.0, 0.0)}, "pressure must be above 0 at one node at least"),
    ],
)
def test_wrong_shares_are_refused(options, words):
    m, nodes = plate(patch=False)
    with pytest.raises(ss.InvalidInput) as error:
        m.connect_patch(nodes, LAW, **{"areas": AREAS, **options})
    assert words in str(error.value)
    assert len(m.connections) == 3


@pytest.mark.parametrize(
    ("nodes", "law", "words"),
    [
        ([], LAW, "needs at least one node"),
        (3.0, LAW, "needs at least one node"),
        ([ss.Model("m").coordinate("x")], LAW, "each node is a tuple of deflections"),
        ([(ss.Model("m").coordinate("x"),)], ss.Linear(stiffness=1.0), "takes one deflection, not a tuple"),
        ([(ss.Model("m").coordinate("x"),) * 2], "rough", "the law must be one such as"),
    ],
)
def test_wrong_nodes_and_laws_are_refused(nodes, law, words):
    m, _ = plate(patch=False)
    with pytest.raises(ss.InvalidInput) as error:
        m.connect_patch(nodes, law, [1.0])
    assert words in str(error.value)
