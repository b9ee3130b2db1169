"""Large sparse models with few laws are condensed by themselves, and say so with their error."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array

import slipstick as ss
from slipstick.model import automatic_condensation
from slipstick.model.automatic_condensation import condensed_if_large


def rod(n, sparse=True, laws=1):
    """A clamped steel rod of 1 m in n elements, with sliders at its end and a load there."""
    h = 1.0 / n
    k = 2.1e11 * 1e-4 / h * diags_array([np.append(np.full(n - 1, 2.0), 1.0), *2 * [np.full(n - 1, -1.0)]],
                                        offsets=[0, 1, -1])  # fmt: skip
    m = 7850.0 * 1e-4 * h * diags_array(np.append(np.ones(n - 1), 0.5))
    matrices = [csr_array(each) if sparse else each.toarray() for each in (m, 1e-6 * k + 200.0 * m, k)]
    model = ss.Model.from_matrices(*matrices, name="rod")
    for i in range(laws):
        model.connect(model[f"q{n - i}"], ss.Jenkins(stiffness=1e7, limit=200.0), name=f"slider {i}")
    model.load(model[f"q{n}"], ss.Cosine(500.0, order=1))
    return model


@pytest.fixture
def from_hundred(monkeypatch):
    monkeypatch.setattr(automatic_condensation, "MIN_COORDINATES", 100)


@pytest.mark.usefixtures("from_hundred")
def test_a_response_is_that_of_the_whole_model_within_its_error():
    at = [6000.0, 7500.0]
    how = {"at": at, "method": "harmonic-balance", "harmonics": 3}
    large, whole = (rod(120, sparse).frequency_response(**how) for sparse in (True, False))
    names = [curve.names.coordinates for curve in (large, whole)]
    assert len(names[0]) < 60
    assert len(names[1]) == 120
    own, other = (curve.data.amplitude.sel(coordinate="q120").values for curve in (large, whole))
    assert np.abs(own - other) == pytest.approx(np.zeros(2), abs=max(p.error for p in large.points))
    assert "condensed automatically: 120 coordinates became 1 and 40 modes" in large.notes[0]
    assert "that is in the error" in large.notes[1]
    assert not any("condensed" in note for note in whole.notes)


@pytest.mark.usefixtures("from_hundred")
def test_a_run_is_that_of_the_whole_model_within_its_error_and_has_all_coordinates():
    large, whole = (rod(120, sparse).simulate(until=1e-3, frequency=7000.0) for sparse in (True, False))
    own, other = (run.data.displacement.sel(coordinate="q120").values for run in (large, whole))
    error = large.certificate.errors["q120"] + whole.certificate.errors["q120"]
    assert np.abs(own - other).max() <= error
    assert error < 0.02 * np.abs(other).max()
    assert any("condensed automatically" in note for note in large.certificate.notes)
    inner = large.model.condensation.inner(large.data["displacement"])
    middle = whole.data.displacement.sel(coordinate="q60").values
    at = large.model.condensation.inside.index("q60")
    assert np.abs(inner[:, at] - middle).max() < 0.02 * np.abs(middle).max()


@pytest.mark.usefixtures("from_hundred")
def test_it_is_condensed_once_and_again_after_a_change():
    model = rod(120)
    first, second = condensed_if_large(model), condensed_if_large(model)
    assert first.condensation is second.condensation
    model["q120"].displacement = 1e-4
    third = condensed_if_large(model)
    assert third.condensation is not first.condensation
    assert third["q120"].displacement == 1e-4


@pytest.mark.usefixtures("from_hundred")
def test_dense_models_and_laws_on_many_coordinates_stay_as_they_are():
    for model in (rod(120, sparse=False), rod(120, laws=30), rod(99)):
        assert condensed_if_large(model) is model


def test_nothing_of_the_square_of_the_coordinates_is_made():
    n = 4000
    tracemalloc.start()
    rod(n).frequency_response(at=[6000.0], method="harmonic-balance", harmonics=3).data  # noqa: B018
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * 8 * n * n  # [bytes] half of one dense matrix
