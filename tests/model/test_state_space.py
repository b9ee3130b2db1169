"""The state space of a linearised model: closed forms, modes, SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import StateSpace, lsim

import slipstick as ss


def chain(limit=0.0):
    m = ss.Model("chain")
    x, y = m.coordinate("x", inertia=2.0), m.coordinate("y", inertia=3.0)
    m.connect(x, ss.Linear(stiffness=50.0, damping=0.4), name="ground")
    m.connect(x - y, ss.Linear(stiffness=80.0, damping=0.3), name="shaft")
    if limit:
        m.connect(y, ss.DryFriction(limit=limit), name="brake")
    return m


def test_the_receptance_of_one_mass_is_that_of_the_textbook():
    m = ss.Model("mass")
    m.connect(m.coordinate("x", inertia=2.0), ss.Linear(stiffness=50.0, damping=0.4), name="spring")
    omega = np.array([0.0, 3.0, 5.0, 20.0])
    receptance = 1.0 / (50.0 - 2.0 * omega**2 + 0.4j * omega)
    assert np.allclose(m.state_space().frequency_response(omega)[:, 0, 0], receptance, rtol=1e-13)
    mobility = m.state_space(output="velocity").frequency_response(omega)[:, 0, 0]
    assert np.allclose(mobility, 1j * omega * receptance, rtol=1e-12)
    inertance = m.state_space(output="acceleration").frequency_response(omega)[:, 0, 0]
    assert np.allclose(inertance, -(omega**2) * receptance, rtol=1e-12, atol=1e-15)


def test_eigenvalues_are_those_of_the_modes():
    values = np.linalg.eigvals(chain().state_space().A)
    upper = np.sort_complex(values[values.imag > 0.0])
    assert np.allclose(upper, np.sort_complex(chain().modes().eigenvalues), rtol=1e-12)


def test_scipy_takes_the_matrices():
    own = chain().state_space()
    t = np.linspace(0.0, 2.0, 201)
    step = lsim(StateSpace(own.A, own.B[:, :1], own.C, own.D[:, :1]), np.ones(t.size), t)[1]
    m = chain()
    m.load(m["x"], ss.Constant(1.0))
    assert np.allclose(step, m.simulate(until=2.0, samples=t).data.displacement, atol=1e-12)
    a, b, c, d = own
    assert (a.shape, b.shape, c.shape, d.shape) == ((4, 4), (4, 2), (2, 4), (2, 2))
    assert own.inputs == ("x", "y")
    assert own.outputs == ("x.displacement", "y.displacement")


def test_a_stuck_contact_is_a_constraint():
    held = chain(limit=5.0).state_space(state={"brake": "stick"})
    omega = np.array([2.0, 7.0])
    ratio = held.frequency_response(omega)
    assert np.allclose(ratio[:, 0, 0], 1.0 / (130.0 - 2.0 * omega**2 + 0.7j * omega), rtol=1e-12)
    assert np.allclose(ratio[:, 1], 0.0)
    assert "brake" in held.notes[0]


@pytest.mark.parametrize(
    ("build", "change", "words"),
    [
        (chain, {"output": "speed"}, "output must be one of"),
        (chain, {"state": {"brak": "stick"}}, "brak"),
        (lambda: massless(), {}, "has no inertia"),
    ],
)
def test_what_has_no_state_space_is_refused_in_one_line(refused, build, change, words):
    with refused(words):
        build().state_space(**change)


def massless():
    m = chain()
    m.connect(m.coordinate("z", inertia=0.0) - m["y"], ss.Linear(stiffness=5.0), name="tip")
    return m


def test_an_undamped_resonance_is_refused(refused):
    m = ss.Model("mass")
    m.connect(m.coordinate("x", inertia=1.0), ss.Linear(stiffness=4.0), name="spring")
    with refused("undamped mode"):
        m.state_space().frequency_response(2.0)
