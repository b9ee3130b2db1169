"""Structures whose fastest rates are orders of magnitude above the response: condensed beams with many laws."""

import mpmath
import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import expm

import slipstick as ss
from slipstick.periodic.balance import HarmonicBalance
from slipstick.periodic.balance.compliance import LinearPart, ModalCompliance, compliance_of
from slipstick.periodic.balance.linear_propagators import LinearSteps
from slipstick.periodic.continuation.corrector import solve_at
from slipstick.periodic.continuation.path import Path
from slipstick.periodic.continuation.step_control import ParameterRange


def assembled(elements, element):
    """The matrix (2 elements, 2 elements) of a clamped beam from that of an element (4, 4)."""
    first = 2 * np.arange(elements)[:, None, None]
    rows, columns = (np.broadcast_to(first + own, (elements, 4, 4)).ravel() for own in np.indices((4, 4)))
    values = np.tile(element.ravel(), elements)
    return sparse.csr_array(sparse.coo_array((values, (rows, columns))))[2:, 2:]


def beam(elements, law, *, damping=1e-4, load=5.0, modes=20):
    """A steel cantilever of 1 m with ten laws along it, loaded at its tip and condensed."""
    h, bending, mass = 1.0 / elements, 2.1e11 * 0.01**4 / 12.0, 7800.0 * 0.01**2
    unit = np.outer((1.0, h, 1.0, h), (1.0, h, 1.0, h))
    bent = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])
    moved = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])
    k = assembled(elements, bending / h**3 * unit * bent)
    model = ss.Model.from_matrices(assembled(elements, mass * h / 420.0 * unit * moved), damping * k, k)
    for j in range(1, 11):
        model.connect(model[f"q{2 * (elements // 10) * j - 1}"], law, name=f"law{j}")
    model.load(model[f"q{2 * elements - 1}"], ss.Cosine(load, order=1))
    return model.condense(modes=modes)


SLIDER = ss.Jenkins(stiffness=2e3, limit=0.5)


@pytest.mark.parametrize("dashpot", [0.0, 5.0])
def test_modes_of_a_condensed_beam_answer_as_exactly_as_its_matrices(dashpot):
    plain = HarmonicBalance(beam(200, SLIDER), frequency=40.0).plain_part
    damping = 1e-4 * plain.stiffness
    damping[3, 3] += dashpot
    part = LinearPart(plain.mass, damping, plain.stiffness)
    found = compliance_of(part, 40.0)
    assert isinstance(
        found, ModalCompliance
    )  # steps along a curve are compiled, and the answer is smooth over frequency
    load = np.zeros((30, 1), dtype=complex)
    load[9] = 1.0
    for s in (-40.0j, -250.0j):
        with mpmath.workdps(40):
            matrix = mpmath.matrix((part.mass * s).tolist()) * mpmath.mpc(s)
            matrix += mpmath.matrix(part.damping.tolist()) * mpmath.mpc(s) + mpmath.matrix(part.stiffness.tolist())
            exact = np.array([complex(q) for q in mpmath.lu_solve(matrix, mpmath.matrix(load.ravel().tolist()))])
        own = found.values(np.array([s]), load)[0, :, 0]
        assert np.abs(own[:10] - exact[:10]).max() < 2e-11 * np.abs(exact[:10]).max()


def test_steps_in_modes_are_those_of_the_exponential():
    # at rest, slow, swinging, critical, damped, beyond, fast, buckled
    square = np.array([0.0, 1e-3, 1.0, 1.0, 25.0, 2e3, 4.0, -0.5])
    damping = np.array([0.0, 0.0, 0.1, 2.0, 30.0, 1.0, 4.0, 0.1])
    lengths = np.array([0.0, 1e-6, 1e-3, 0.02, 0.3, 1.0])
    part = LinearPart(np.eye(8), np.diag(damping), np.diag(square))
    own = LinearSteps(part, np.eye(8)).of(lengths)
    for i, h in enumerate(lengths):
        for j, (k, c) in enumerate(zip(square, damping, strict=True)):
            a = np.zeros((4, 4))
            a[0, 1], a[1], a[2, 3] = 1.0, (-k, -c, 1.0, 0.0), 1.0  # displacement, rate, force, its slope
            e = expm(a * h)
            both = np.ix_((j, 8 + j), (j, 8 + j))
            assert own.flow[i][both] == pytest.approx(e[:2, :2], abs=1e-12 * np.abs(e).max())
            last = e[:2, 3] / h if h else np.zeros(2)
            assert -own.last[i, [j, 8 + j], j] == pytest.approx(last, abs=1e-12 * h)
            assert -own.first[i, [j, 8 + j], j] == pytest.approx(e[:2, 2] - last, abs=1e-12 * h)


@pytest.mark.parametrize(
    ("law", "between", "most"),
    [
        (SLIDER, (40.0, 90.0), 200),
        (ss.DryFriction(limit=0.5), (40.0, 300.0), 400),
        (ss.Freeplay(stiffness=2e3, half_gap=1e-4), (40.0, 90.0), 200),
    ],
)
def test_a_curve_of_a_condensed_beam_takes_ordinary_steps(law, between, most):
    family, begin = HarmonicBalance(beam(1000, law), frequency=between[0], harmonics=5), between[0]
    start = solve_at(family, family.solve(begin).x, begin, between[1] - begin)
    path = Path(family, start if start.tangent[-1] > 0.0 else start.reversed(), ParameterRange(*between))
    points = list(path)
    assert points[-1].p == between[1]
    assert not path.notes  # which tell of other ways than a step along the tangent
    assert len(points) < most
    assert sum(point.iterations for point in points) < 5 * len(points)


def test_an_orbit_near_resonance_of_a_beam_is_that_of_shooting_within_its_error():
    model = beam(200, SLIDER)
    orbit = model.periodic(frequency=50.0, method="harmonic-balance", harmonics=9)
    exact = model.periodic(frequency=50.0, method="shooting", start=orbit)
    assert orbit.distance_to(exact) <= orbit.certificate.error
    assert np.abs(orbit.multipliers[:2]) == pytest.approx(np.abs(exact.multipliers[:2]), abs=3e-3)
