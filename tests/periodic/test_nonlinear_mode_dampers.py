"""Modes of structures whose damping matrix holds a few single dampers beside a M + b K."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.balance.compliance import LinearPart
from slipstick.periodic.modes import elimination_choice
from slipstick.periodic.modes.bordered_elimination import CoupledElimination, DenseElimination
from slipstick.periodic.modes.nonlinear_mode import _checked_request, check
from slipstick.periodic.modes.single_dampers import single_dampers

N, PLACES = 48, (5, 20, 31)


def chain(n=N):
    """Mass, stiffness of a chain that is clamped at its begin, with masses of one and a half."""
    stiffness = 1e3 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    stiffness[-1, -1] = 1e3
    return 1.5 * np.eye(n) + 0.1 * (np.eye(n, k=1) + np.eye(n, k=-1)), stiffness


def with_slider(mass, damping, stiffness):
    model = ss.Model.from_matrices(mass, damping, stiffness)
    model.connect(model[f"q{len(mass)}"], ss.Jenkins(stiffness=50.0, limit=0.5), name="joint")
    return model


def dampers(n=N):
    """(3, n) two dampers to the ground, and one between neighbours; of each the damping."""
    rows = np.eye(n)[list(PLACES)]
    rows[2, PLACES[2] + 1] = -1.0
    return rows, np.array([2.0, 3.0, 40.0])


@pytest.mark.parametrize(("a", "b"), [(0.05, 1e-4), (0.05, 0.0), (0.0, 1e-4), (0.0, 0.0)])
def test_single_dampers_are_told_from_proportional_damping(a, b):
    mass, stiffness = chain()
    rows, own = dampers()
    beside = (rows.T * own) @ rows
    found = single_dampers(LinearPart(mass, a * mass + b * stiffness + beside, stiffness))
    assert found.rows.shape[0] == 3
    assert np.abs((found.along * found.moved[1]) @ found.rows - beside).max() < 1e-10
    assert not found.moved[0].any()


def test_proportional_damping_has_no_single_dampers():
    mass, stiffness = chain()
    assert single_dampers(LinearPart(mass, 0.05 * mass + 1e-4 * stiffness, stiffness)) is None


def test_dampers_in_the_matrix_are_as_dampers_that_are_connections(monkeypatch):
    mass, stiffness = chain()
    plain = 0.05 * mass + 1e-4 * stiffness
    rows, own = dampers()
    amplitudes = np.geomspace(1e-3, 0.3, 4)
    connected = with_slider(mass, plain, stiffness)
    for row, damping in zip(rows, own.tolist(), strict=True):
        form = sum(size * connected[f"q{i + 1}"] for i, size in enumerate(row.tolist()) if size)
        connected.connect(form, ss.Linear(damping=damping))
    monkeypatch.setattr(elimination_choice, "DenseElimination", None)  # matrices of all coordinates
    whole = with_slider(mass, plain + (rows.T * own) @ rows, stiffness)
    first, second = (m.nonlinear_mode(1, amplitudes=amplitudes).data for m in (whole, connected))
    for name in ("frequency", "damping_ratio"):
        assert first[name].to_numpy() == pytest.approx(second[name].to_numpy(), rel=1e-8)


def coupled_chain(n):
    """A chain with a slider, and a damping matrix that couples all modes."""
    mass, stiffness = chain(n)
    b = np.random.default_rng(1).normal(size=(n, n))
    return with_slider(mass, 1e-3 * (b @ b.T) / n, stiffness)


def test_damping_that_couples_all_modes_says_first_what_it_takes():
    with pytest.warns(UserWarning, match=r"200 coordinates.* s; condense the model first: m\.condense"):
        check(coupled_chain(200), mode=1, amplitudes=[0.1], sustain="all")


def test_modes_of_displacement_and_rate_solve_what_matrices_do(monkeypatch):
    asked = {"amplitudes": [1e-3, 0.03, 0.3], "harmonics": 5}

    def found(kind):
        assert type(_checked_request(coupled_chain(70), 1, **asked).plan.family.elimination) is kind
        return coupled_chain(70).nonlinear_mode(1, **asked).data

    modal = found(CoupledElimination)
    monkeypatch.setattr(elimination_choice, "MAX_INVERTED_COORDINATES", 70)
    dense = found(DenseElimination)
    for name in ("frequency", "damping_ratio"):
        assert modal[name].to_numpy() == pytest.approx(dense[name].to_numpy(), rel=1e-9)
    assert modal.frequency_error.to_numpy() == pytest.approx(dense.frequency_error.to_numpy(), rel=1e-4, abs=1e-9)


def test_many_coordinates_with_coupled_modes_take_one_factorisation_an_evaluation(monkeypatch):
    sizes = []
    tune = DenseElimination.tune

    def counted(self, omega, zeta):
        sizes.append(self.orders.numbers.size)
        tune(self, omega, zeta)

    monkeypatch.setattr(DenseElimination, "tune", counted)
    repr(coupled_chain(70).nonlinear_mode(1, amplitudes=[0.1]))
    assert sizes
    assert set(sizes) == {1}
