"""Contacts with a normal force from the motion: equilibrium under preload, modes of each state, condensed models."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

KN, KT, MU = 300.0, 150.0, 0.4
SPRINGS = np.diag([100.0, 200.0])
TANGENTIAL, NORMAL = np.array([1.0, 0.0]), np.array([0.3, 1.0])


def pressed(fx=0.0, fz=0.0, preload=2.0, friction=MU):
    m = ss.Model("pressed")
    x, z = (m.coordinate(name, inertia=1.0) for name in "xz")
    for q, k in zip((x, z), np.diag(SPRINGS), strict=True):
        m.connect(q, ss.Linear(stiffness=k, damping=0.4))
    law = ss.FrictionContact(normal_stiffness=KN, tangential_stiffness=KT, friction=friction, preload=preload)
    m.connect((x, z + 0.3 * x), law, name="pad")
    m.load(x, ss.Constant(fx))
    m.load(z, ss.Constant(fz))
    return m


def stiffness(state):
    """(2, 2) of the springs and the contact in a state: the sliding force in slip+ is mu times the normal one."""
    k = SPRINGS + (0.0 if state == "separated" else KN) * np.outer(NORMAL, NORMAL)
    shear = {"stick": KT * np.outer(TANGENTIAL, TANGENTIAL), "slip+": MU * KN * np.outer(TANGENTIAL, NORMAL)}
    return k + shear.get(state, -shear["slip+"] if state == "slip-" else 0.0)


@pytest.mark.parametrize(
    ("state", "fx", "fz", "preload"),
    [
        ("stick", 0.4, 0.5, 2.0),
        ("slip+", 5.0, 0.5, 2.0),
        ("slip-", -5.0, 0.5, 4.0),
        ("separated", 1.0, -9.0, 2.0),
        ("slip+", 5.0, 3.0, -0.5),
        ("separated", 1.0, -1.0, -0.5),
    ],
)
def test_a_model_under_preload_rests_where_the_matrices_of_its_state_say(state, fx, fz, preload):
    load = np.array([fx, fz])
    if state != "separated":
        load = load - preload * NORMAL
        load -= {"stick": 0.0, "slip+": MU, "slip-": -MU}[state] * preload * TANGENTIAL
    q = np.linalg.solve(stiffness(state), load)
    found = pressed(fx, fz, preload).equilibrium()
    assert [found.displacement[name] for name in "xz"] == pytest.approx(q, abs=1e-13)
    pressure = max(preload + KN * (NORMAL @ q), 0.0)
    assert found.force["pad.normal"] == pytest.approx(pressure, abs=1e-10)
    limit = MU * pressure
    shear = {"stick": KT * q[0], "slip+": limit, "slip-": -limit, "separated": 0.0}[state]
    assert found.force["pad.tangential"] == pytest.approx(shear, abs=1e-10)
    assert abs(shear) <= limit + 1e-12
    assert any(f'"pad" rests in {state.rstrip("+-")}' in note for note in found.notes)


def test_equilibrium_is_where_a_slow_load_leads():
    """Along a straight path the contact's own history is that of the rest state: load both slowly, in proportion."""
    m = pressed(preload=0.0)
    for name, force in (("x", 3.0), ("z", 1.0)):
        m.load(m[name], ss.Ramp(force / 40.0))
    run = m.simulate(until=40.0, samples=[40.0])
    found = pressed(3.0, 1.0, 0.0).equilibrium()
    moved = run.data["displacement"].values[0]
    assert moved == pytest.approx([found.displacement[name] for name in "xz"], rel=2e-2)


def test_two_tangential_directions_rest_on_one_circle():
    m = ss.Model("plane")
    x, y, z = (m.coordinate(name, inertia=1.0) for name in "xyz")
    for q in (x, y, z):
        m.connect(q, ss.Linear(stiffness=100.0))
    law = ss.FrictionContact(normal_stiffness=KN, tangential_stiffness=KT, friction=MU, preload=2.0)
    m.connect((x, y, z), law, name="pad")
    m.load(x, ss.Constant(3.0))
    m.load(y, ss.Constant(4.0))
    found = m.equilibrium()
    pressure = found.force["pad.normal"]
    shear = np.array([found.force["pad.tangential1"], found.force["pad.tangential2"]])
    assert np.hypot(*shear) == pytest.approx(MU * pressure, rel=1e-9)
    assert shear == pytest.approx(np.hypot(*shear) * np.array([0.6, 0.8]), rel=1e-8)
    assert pressure == pytest.approx(2.0 * 100.0 / 400.0, rel=1e-9)


@pytest.mark.parametrize("state", ["stick", "slip+", "slip-", "separated"])
def test_modes_of_each_state_are_those_of_its_matrices(state):
    flow = np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness(state), -0.4 * np.eye(2)]])
    expected = np.sort(np.abs(np.linalg.eigvals(flow)))[::2]
    assert np.sort(pressed().modes(state={"pad": state}).magnitude) == pytest.approx(expected, rel=1e-10)


def test_steady_sliding_flutters_by_the_normal_load():
    """Equal frequencies that the friction couples one way and the geometry the other merge: one mode grows."""
    m = ss.Model("brake")
    x, z = (m.coordinate(name, inertia=1.0) for name in "xz")
    m.connect(x, ss.Linear(stiffness=400.0))
    m.connect(z, ss.Linear(stiffness=100.0))
    m.connect(x - z, ss.Linear(stiffness=50.0))
    law = ss.FrictionContact(normal_stiffness=300.0, tangential_stiffness=150.0, friction=0.6, preload=2.0)
    m.connect((x, z), law, name="pad")
    growth = {state: m.modes(state={"pad": state}).eigenvalues.real.max() for state in ("slip", "slip+", "slip-")}
    coupled = np.array([[450.0, -50.0 + 180.0], [-50.0, 450.0]])
    assert abs(growth["slip"]) < 1e-9
    assert growth["slip+"] == pytest.approx(np.sqrt(-np.linalg.eigvals(coupled).astype(complex)).real.max(), rel=1e-9)
    assert growth["slip+"] > 1.0
    assert abs(growth["slip-"]) < 1e-9


def test_condensed_models_keep_the_coordinates_of_contacts():
    n = 40
    k = np.diag(np.full(n, 2e4)) - np.diag(np.full(n - 1, 1e4), 1) - np.diag(np.full(n - 1, 1e4), -1)
    m = ss.Model.from_matrices(0.1 * np.eye(n), 2e-5 * k, k, frequency=40.0)
    names = [coordinate.name for coordinate in m.coordinates]
    law = ss.FrictionContact(normal_stiffness=2e3, tangential_stiffness=1e3, friction=0.4, preload=0.3)
    m.connect((m[names[12]], m[names[25]]), law, name="pad")
    m.load(m[names[12]], ss.Cosine(30.0, order=1))
    m.load(m[names[25]], ss.Cosine(20.0, order=1, phase=1.0))
    small = m.condense(modes=30)
    kept = [coordinate.name for coordinate in small.coordinates]
    assert {names[12], names[25]} <= set(kept)
    assert len(kept) == 32
    whole, own = (model.periodic(method="shooting") for model in (m, small))
    assert set(np.unique(own.data["state"].sel(connection="pad.normal"))) == {"stick", "slip", "separated"}
    for name in (names[12], names[25]):
        assert abs(own.amplitude[name] - whole.amplitude[name]) <= own.certificate.error
    assert own.certificate.passed  # its error is small


def test_reduce_refuses_with_the_reason():
    with pytest.raises(ss.SlipstickError, match="several deflections"):
        pressed().reduce(massless=["z"])
