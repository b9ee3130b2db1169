"""`StateSpace` as an element: closed forms of the closed loop, other methods, files, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.signal import tf2ss

import slipstick as ss

# integral action and a filtered derivative
A, B, C, D = np.diag([0.0, -50.0]), np.array([1.0, 50.0]), np.array([30.0, -40.0]), 60.0


def controlled(element, limit=0.0, displacement=0.1):
    m = ss.Model("controlled mass")
    x = m.coordinate("x", inertia=2.0, displacement=displacement)
    m.connect(x, ss.Linear(stiffness=100.0, damping=1.5), name="spring")
    if limit:
        m.connect(x, ss.DryFriction(limit=limit), name="guide")
    m.connect(x, element, name="controller")
    return m


def transfer(element, s):
    states = element.A.shape[0]
    gain = element.C @ np.linalg.solve(s * np.eye(states) - element.A, element.B) + element.D
    return gain if element.input == "deflection" else s * gain


def test_the_closed_loop_moves_as_its_matrix_exponential():
    run = controlled(ss.StateSpace(A, B, C, D)).simulate(1.0, samples=[0.0, 0.4, 1.0])
    closed = np.array([[0, 1, 0, 0], [-80, -0.75, -15, 20], [1, 0, 0, 0], [50, 0, 0, -50]])
    for t, seen, force in zip((0.4, 1.0), run.data.displacement.values[1:], run.data.force.values[1:]):
        x, _, *z = expm(closed * t) @ [0.1, 0.0, 0.0, 0.0]
        assert np.allclose(seen, [x, *z], rtol=0.0, atol=1e-14)
        assert force[-1] == pytest.approx(C @ z + D * x, abs=1e-12)


@pytest.mark.parametrize("way", ["deflection", "rate"])
@pytest.mark.parametrize("seed", range(5))
def test_the_closed_loop_has_the_transfer_function_of_the_textbook(way, seed):
    rng = np.random.default_rng(seed)
    n = 1 + seed % 3
    a = rng.normal(size=(n, n)) - 4.0 * np.eye(n)
    element = ss.StateSpace(a, rng.normal(size=(n, 1)), rng.normal(size=(1, n)), rng.normal(), input=way)
    m = controlled(element, displacement=0.0)
    omega = np.array([0.5, 3.0, 12.0])
    wanted = np.array([1.0 / (100.0 - 2.0 * w**2 + 1.5j * w + transfer(element, 1j * w)) for w in omega])
    space = m.state_space()
    assert np.allclose(space.frequency_response(omega)[:, 0, 0], wanted, rtol=1e-12)
    velocity = m.state_space(output="velocity").frequency_response(omega)[:, 0, 0]
    assert np.allclose(velocity, 1j * omega * wanted, rtol=1e-12)
    m.load(m["x"], ss.Cosine(1.0, order=1))
    if np.all(np.linalg.eigvals(space.A).real < 0.0):
        curve = m.frequency_response(at=omega.tolist())
        assert np.allclose(curve.data.amplitude.sel(coordinate="x"), abs(wanted), rtol=1e-9)


def test_a_derivative_gain_is_a_damper():
    damped = controlled(ss.Linear(damping=3.0)).simulate(1.0, samples=5)
    rate = ss.StateSpace([[-1.0]], [0.0], [0.0], 3.0, input="rate")
    own = controlled(rate).simulate(1.0, samples=5)
    assert np.allclose(own.data.displacement.sel(coordinate="x"), damped.data.displacement[:, 0], atol=1e-14)


def test_friction_beside_it_stays_exact():
    """Every stretch between reversals is a matrix exponential with a constant friction force; each ends at rest."""
    a, b, c, d = tf2ss([40.0, 30.0], [0.02, 1.0, 0.0])
    m = controlled(ss.StateSpace(a, b, c, d), limit=1.5)
    run = m.simulate(1.5)
    times = [t for t, after in zip(run.events["time"], run.events["after"]) if after.startswith("slip")]
    assert len(times) >= 4
    closed = np.zeros((5, 5))
    closed[0, 1], closed[1] = 1.0, [-50.0 - 0.5 * d.item(), -0.75, *(-0.5 * c[0]), 0.75]
    closed[2:4, 0], closed[2:4, 2:4] = b[:, 0], a
    y = np.array([0.1, 0.0, 0.0, 0.0, 1.0])
    for begin, end in zip(times, [*times[1:], 1.5]):
        y = expm(closed * (end - begin)) @ y
        assert end == 1.5 or y[1] == pytest.approx(0.0, abs=1e-13)
        if end != 1.5:
            y[4] = -y[4]
    assert run.stats.method == "exact"
    assert np.allclose(run.data.displacement[-1], y[[0, 2, 3]], rtol=0.0, atol=1e-14)


def test_shooting_and_harmonic_balance_agree_on_a_controlled_oscillator_with_a_gap():
    m = controlled(ss.StateSpace(A, B, C, D), displacement=0.0)
    m.connect(m["x"], ss.Freeplay(stiffness=100.0, half_gap=0.01), name="stop")
    m.load(m["x"], ss.Cosine(2.0, order=1))
    first = m.periodic(frequency=8.0, method="shooting")
    second = m.periodic(frequency=8.0, method="harmonic-balance", harmonics=41)
    apart = abs(first.data.displacement.values[0, 0] - second.data.displacement.values[0, 0])
    assert apart < 2.0 * second.certificate.error
    assert first.stable == second.stable


def test_the_force_may_act_elsewhere():
    m = ss.Model("sensor and actuator")
    x, y = m.coordinate("x", inertia=1.0, displacement=0.1), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=10.0), name="first")
    m.connect(y, ss.Linear(stiffness=20.0), name="second")
    m.connect(x, ss.StateSpace(-1.0 * np.eye(1), [1.0], [5.0]), name="controller", along=y)
    closed = np.array([[0, 1, 0, 0, 0], [-10, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, -20, 0, -5.0], [1, 0, 0, 0, -1.0]])
    wanted = expm(closed * 2.0) @ [0.1, 0.0, 0.0, 0.0, 0.0]
    assert np.allclose(m.simulate(2.0, samples=2).data.displacement[-1], wanted[[0, 2, 4]], atol=1e-14)


def test_a_saved_model_moves_alike(tmp_path):
    m = controlled(ss.StateSpace(A, B, C, D), limit=0.5)
    m.save(tmp_path / "controlled.yaml")
    again = ss.open(tmp_path / "controlled.yaml")
    assert np.array_equal(
        m.simulate(1.0, samples=3).data.displacement, again.simulate(1.0, samples=3).data.displacement
    )


@pytest.mark.parametrize(
    ("arguments", "named", "words"),
    [
        ((A, [1.0], C), {}, "B must be (n,) or (n, 1)"),
        (([1.0, 2.0], B, C), {}, "A must be (n, n)"),
        ((A, B, C, [1.0, 2.0]), {}, "D must be a number"),
        ((A, B, [np.nan, 1.0]), {}, "C must be finite"),
        ((A, B, "fast"), {}, "C must be numbers"),
        ((A, B, C), {"input": "velocity"}, 'input must be "deflection" or "rate"'),
    ],
)
def test_wrong_matrices_are_refused_in_one_line(refused, arguments, named, words):
    with refused("StateSpace", words):
        ss.StateSpace(*arguments, **named)


def test_an_element_without_a_force_adds_nothing(refused):
    m = ss.Model("mass")
    x = m.coordinate("x", inertia=1.0)
    with refused("no force"):
        m.connect(x, ss.StateSpace(A, B, 0.0 * C))
    assert len(m.coordinates) == 1
    assert not m.connections


def test_a_name_with_spaces_gives_states_of_its_letters():
    m = ss.Model("mass")
    m.connect(m.coordinate("x", inertia=1.0), ss.StateSpace(A, B, C), name="3rd PID (slow)")
    assert [c.name for c in m.coordinates] == ["x", "_3rd_PID__slow__z1", "_3rd_PID__slow__z2"]
    assert m.connection("3rd PID (slow)").deflection


def test_states_whose_names_are_taken_add_nothing(refused):
    m = ss.Model("mass")
    x = m.coordinate("x", inertia=1.0)
    m.coordinate("controller_z2", inertia=1.0)
    with refused("controller_z2", "choose another name"):
        m.connect(x, ss.StateSpace(A, B, C), name="controller")
    assert [c.name for c in m.coordinates] == ["x", "controller_z2"]
    assert not m.connections
