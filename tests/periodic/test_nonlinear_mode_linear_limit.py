"""Nonlinear modes of tiny amplitude are the linear modes, for any damping and stiffness matrix; their errors hold."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.balance_models import oscillator
from scipy.linalg import eigvals

import slipstick as ss
from slipstick.periodic.modes import equivalent_linearisation
from slipstick.periodic.modes.decaying_harmonic import DecayingForces, decay_exponent

RANDOM = np.random.default_rng(21)
SKEW = RANDOM.normal(size=(3, 3))
SKEW = SKEW - SKEW.T
STIFFNESS = np.array([[2.0, -0.7, 0.0], [-0.7, 1.5, -0.4], [0.0, -0.4, 1.0]])
MASS = np.diag([1.0, 0.6, 1.3])


def eigenvalues(mass, damping, stiffness):
    """One of each pair, in order of magnitude, from the pencil of the state space."""
    n, zero, eye = len(mass), np.zeros_like(mass), np.eye(len(mass))
    found = eigvals(np.block([[zero, eye], [-stiffness, -damping]]), np.block([[eye, zero], [zero, mass]]))
    found = found[found.imag > 0.0]
    assert found.size == n
    return found[np.argsort(np.abs(found))]


@pytest.mark.parametrize(
    ("damping", "stiffness"),
    [
        (0.03 * STIFFNESS, STIFFNESS),
        (0.02 * np.eye(3) + 0.3 * SKEW, STIFFNESS),
        (np.diag([0.5, 0.0, 0.05]), STIFFNESS),
        (0.05 * np.eye(3), STIFFNESS + 0.08 * SKEW),
        (np.diag([0.4, 0.1, 0.0]) + 0.4 * SKEW, STIFFNESS + 0.05 * SKEW),
    ],
    ids=["proportional", "gyroscopic", "one damper", "circulatory", "all of it"],
)
def test_a_tiny_amplitude_has_frequency_and_damping_of_the_linear_mode(damping, stiffness):
    m = ss.Model.from_matrices(MASS, damping, stiffness, names=["a", "b", "c"])
    m.connect(m["b"], ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    m.connect(m["c"] - m["a"], ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    for k, value in enumerate(eigenvalues(MASS, damping, stiffness)):
        point = m.nonlinear_mode(k + 1, amplitudes=[1e-4]).points[0]
        assert point.frequency == pytest.approx(abs(value), rel=1e-7)
        assert point.damping_ratio == pytest.approx(-value.real / abs(value), abs=1e-7)


@pytest.mark.parametrize("gyroscopic", [0.05, 0.4])
@pytest.mark.parametrize("stiffer", [1.0, 1.1])
def test_backward_and_forward_whirl_of_a_disc_are_two_modes(gyroscopic, stiffer):
    damping, stiffness = np.array([[0.02, gyroscopic], [-gyroscopic, 0.02]]), np.diag([1.0, stiffer])
    m = ss.Model.from_matrices(np.eye(2), damping, stiffness, names=["x", "y"])
    for name in ("x", "y"):
        m.connect(m[name], ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    for k, value in enumerate(eigenvalues(np.eye(2), damping, stiffness)):
        small, large = m.nonlinear_mode(k + 1, amplitudes=[1e-3, 1.0]).points
        assert small.frequency == pytest.approx(abs(value), rel=1e-6)
        assert small.damping_ratio == pytest.approx(-value.real / abs(value), abs=1e-6)
        assert large.frequency > 1.02 * abs(value)  # cubic springs are stiffer then


def test_dampers_inside_laws_count_as_those_of_the_matrices():
    stiffness, damping = np.diag([1.0, 1.5]) + 0.3, np.diag([0.4, 0.0])
    m = ss.Model.from_matrices(np.eye(2), np.zeros((2, 2)), stiffness - np.diag([0.2, 0.0]), names=["a", "b"])
    m.connect(m["a"], ss.Polynomial(coefficients=(0.0, 0.2, 0.0, 0.5), damping=0.4))
    for k, value in enumerate(eigenvalues(np.eye(2), damping, stiffness)):
        point = m.nonlinear_mode(k + 1, amplitudes=[1e-4]).points[0]
        assert point.frequency == pytest.approx(abs(value), rel=1e-7)
        assert point.damping_ratio == pytest.approx(-value.real / abs(value), abs=1e-7)


@pytest.mark.parametrize("zeta", [-1.4, -0.99, -0.3, 0.0, 0.2, 0.989, 0.9901, 1.7])
def test_the_exponent_is_that_of_a_decaying_motion_with_its_slope(zeta):
    value, slope = decay_exponent(zeta)
    step = 1e-7
    assert slope == pytest.approx(
        (decay_exponent(zeta + step)[0] - decay_exponent(zeta - step)[0]) / (2.0 * step), abs=1e-4
    )
    if abs(zeta) <= 0.99:
        assert value**2 + 2.0 * zeta * value + 1.0 == pytest.approx(0.0, abs=1e-14)
    assert value.imag < 0.0


def test_forces_on_a_decaying_motion_have_their_derivatives():
    force, u, more, aside = RANDOM.normal(size=(4, 3)) + 1j * RANDOM.normal(size=(4, 3))
    step = 1e-6
    sides = [
        DecayingForces(force + s * more, u + s * aside, 0.3, 1e-9, True).of(force + s * more) for s in (-step, step)
    ]
    own = DecayingForces(force, u, 0.3, 1e-9, True)
    np.testing.assert_allclose(own.by(more, aside), (sides[1] - sides[0]) / (2.0 * step), rtol=1e-7)
    damper = -0.7j * u  # omega c = 0.7
    np.testing.assert_allclose(
        DecayingForces(damper, u, 0.3, 0.0, True).of(damper), 0.7 * decay_exponent(0.3)[0] * u, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("law", "harmonics"),
    [
        (ss.Dahl(stiffness=0.5, limit=0.3), 15),
        (ss.Dahl(stiffness=0.5, limit=0.3), 3),
        (ss.Dahl(stiffness=0.5, limit=0.3, exponent=2), 15),
        (ss.DryFriction(limit=0.1).regularised("tanh", sharpness=100.0), 7),
        (ss.DryFriction(limit=0.1).regularised("sqrt", rounding=0.05, width=0.02), 7),
    ],
    ids=["Dahl, 15", "Dahl, 3", "Dahl, exponent 2", "tanh", "sqrt"],
)
def test_errors_of_frequency_and_damping_cover_what_many_harmonics_change(law, harmonics):
    at = [1.3, 2.0, 4.0, 9.0]
    m = oscillator(law, damping=0.02)
    few, many = (m.nonlinear_mode(1, amplitudes=at, harmonics=h).data for h in (harmonics, 101))
    for figure, error in (("frequency", "frequency_error"), ("damping_ratio", "damping_error")):
        assert (np.abs(few[figure] - many[figure]) <= few[error] + many[error]).all()
        assert (few[error] <= 0.05).all()


def test_a_large_model_is_guessed_in_a_few_shapes_and_solved_as_it_is(monkeypatch):
    """Rayleigh damping and a slider, which couples modes: no eigenvalues of all coordinates."""
    n, sizes, known = 120, [], equivalent_linearisation.dense_modes

    def counted(mass, damping, stiffness):
        sizes.append(len(mass))
        return known(mass, damping, stiffness)

    monkeypatch.setattr(equivalent_linearisation, "dense_modes", counted)
    stiffness = 1e4 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    m = ss.Model.from_matrices(np.eye(n), 1e-3 * stiffness, stiffness, names=[f"x{i}" for i in range(n)])
    m.connect(m["x60"], ss.Jenkins(stiffness=1e4, limit=1.0), name="slider")
    stuck = stiffness + 1e4 * np.diag(np.arange(n) == 60)
    for number in (1, 3):
        value = eigenvalues(np.eye(n), 1e-3 * stiffness, stuck)[number - 1]
        point = m.nonlinear_mode(number, amplitudes=[1e-5]).points[0]
        assert point.frequency == pytest.approx(abs(value), rel=1e-9)
        assert point.damping_ratio == pytest.approx(-value.real / abs(value), abs=1e-9)
    assert max(sizes, default=0) < 70
