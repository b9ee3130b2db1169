"""Runs go to other processes and come back: pickled and copied, with all that they know."""

from __future__ import annotations

import copy
import pickle

import pytest

import slipstick as ss

METHODS = {
    "exact": {},
    "adaptive": {"method": "adaptive"},
    "newmark": {"method": "newmark", "step": 1e-2},
}
COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda run: pickle.loads(pickle.dumps(run))}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
def test_a_copy_of_a_run_has_equal_data_events_and_certificate(options, copied):
    m = ss.Model("copied")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=1.0))
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.2), name="slider")
    run = m.simulate(until=5.0, samples=11, **options)
    other = copied(run)
    assert other.data.identical(run.data)
    assert other.events.to_pandas().equals(run.events.to_pandas())
    assert str(other.certificate) == str(run.certificate)
    assert other.certificate.errors == run.certificate.errors
    assert other.model == run.model
