"""The law `CoulombContact`: its parameters, files, states, and what cannot take it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss


def pressed(friction=0.3):
    """A body on a floor, with a spring along it."""
    m = ss.Model("pressed")
    x, y = m.coordinate("x", inertia=2.0), m.coordinate("y", inertia=2.0)
    m.connect(x, ss.Linear(stiffness=8.0, damping=0.4), name="spring")
    m.load(y, ss.Constant(-4.0))
    m.connect((x, -y), ss.CoulombContact(friction=friction), name="pad")
    return m


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"friction": -0.1}, "friction must be >= 0, got -0.1"),
        ({"friction": math.inf}, "friction"),
        ({"friction": 0.3, "restitution": 1.5}, "<= 1, got 1.5"),
        ({"friction": 0.3, "gap": "wide"}, "gap"),
        ({}, "needs friction"),
    ],
)
def test_parameters_out_of_bounds_are_refused(given, words, refused):
    with refused(words):
        ss.CoulombContact(**given)


def test_it_takes_a_tangential_and_a_normal_deflection(refused):
    m = ss.Model()
    x = m.coordinate("x", inertia=1.0)
    with refused("tuple of deflections", "(tangential, normal)"):
        m.connect(x, ss.CoulombContact(friction=0.3))
    with refused("2 deflections", "got 3"):
        m.connect((x, x, x), ss.CoulombContact(friction=0.3))
    names = [c.name for c in m.connect((x, -x), ss.CoulombContact(friction=0.3), name="pad")]
    assert names == ["pad.tangential", "pad.normal"]


def test_units_and_defaults():
    law = ss.CoulombContact(friction=0.3)
    assert (law.gap, law.restitution) == (0.0, 0.0)
    assert law.units() == {"friction": "1", "gap": "m", "restitution": "1"}


def test_a_path_does_not_determine_its_forces(refused):
    law = ss.CoulombContact(friction=0.3, gap=0.1)
    with refused("a path does not determine the forces of a rigid contact", "FrictionContact"):
        law.trace(([0.0, 1.0], [0.0, 0.05]))
    assert law.update((0.3, 0.09), (0.0, 0.0), ()) == ((0.0, 0.0), ())
    assert law.update((0.3, 0.1), (0.0, 0.0), ()) == ((0.0, math.inf), ())


def test_a_model_file_keeps_a_contact(tmp_path):
    (tmp_path / "pad.yaml").write_text(
        "slipstick: 1\ncoordinates:\n  x: {inertia: 2 kg}\n  y: {inertia: 2 kg}\nconnections:\n  pad:\n"
        "    deflection: {tangential: x, normal: -y}\n    law: coulomb-contact\n    friction: 0.3\n    gap: 2 mm\n"
    )
    m = ss.open(tmp_path / "pad.yaml")
    assert m.connections[0].law.stated == ss.CoulombContact(friction=0.3, gap=0.002)
    m.save(tmp_path / "again.yaml")
    assert ss.open(tmp_path / "again.yaml") == m
    assert "coulomb-contact" in (tmp_path / "again.yaml").read_text()


def test_modes_hold_a_contact_that_touches(refused):
    m = pressed()
    assert m.modes(state={"pad": "separated"}).magnitude == pytest.approx([0.0, 2.0])
    m["y"].inertia = 1.0
    z = m.coordinate("z", inertia=1.0)
    m.connect(z - m["x"], ss.Linear(stiffness=9.0), name="link")
    assert m.modes(state={"pad": "stick"}).magnitude == pytest.approx([3.0])
    assert m.modes().magnitude == pytest.approx([3.0])
    with refused("in slip depend on its direction", "FrictionContact"):
        m.modes(state={"pad": "slip"})


@pytest.mark.parametrize("method", ["newmark", "events", "taylor"])
def test_methods_without_rigid_contacts_say_which_have_them(method, refused):
    with refused(
        "pad.tangential", "rigid contact", "FrictionContact", "methods that take this model: exact, inclusion"
    ):
        pressed().simulate(until=1.0, method=method)


def test_other_questions_are_refused_with_a_way(refused):
    m = pressed()
    with refused("pad.tangential", "equilibrium", "simulate"):
        m.equilibrium()
    with refused("pad.tangential", "nonlinear mode", "FrictionContact"):
        m.nonlinear_mode(1)
    with refused("pad.tangential", "CoulombContact", "harmonic-balance", "shooting"):
        m.periodic(frequency=1.0, method="harmonic-balance")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("massless", "impacts need inertia everywhere"),
        ("driven", "between prescribed motions"),
    ],
)
def test_contacts_that_cannot_be_solved_for_are_refused(change, words, refused):
    m = ss.Model()
    x = m.coordinate("x", inertia=1.0)
    y = m.coordinate("y", inertia=0.0 if change == "massless" else 1.0)
    belt = m.coordinate("belt", motion=ss.Ramp(1.0))
    m.connect(y, ss.Linear(stiffness=1.0, damping=1.0))
    m.connect((x, -belt if change == "driven" else -y), ss.CoulombContact(friction=0.3), name="pad")
    for method in ("exact", "auto"):
        with refused(words):
            m.simulate(until=1.0, method=method)


def test_auto_takes_exact_and_inclusion_beside_curved_springs():
    m = pressed()
    assert m.simulate(until=0.1).stats.method == "exact"
    m.connect(m["x"], ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 5.0)), name="curved")
    m["x"].velocity = 1.0
    run = m.simulate(until=2.0)
    assert run.stats.method == "inclusion"
    assert "first order" in run.stats.reason
    assert run.certificate.passed
    assert set(run.events["connection"]) == {"pad.tangential"}
    assert np.isfinite(run.samples.force).all()
