"""Runs go to other processes and come back: pickled and copied, with all that they know."""

from __future__ import annotations

import copy
import pickle

import pytest

import slipstick as ss

METHODS = {
    "exact": {},
    "events": {"method": "events"},
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


def test_the_events_of_a_run_are_listed_once_however_often_they_are_asked_for(monkeypatch):
    """Of a run of many events the list takes longer than the run: a copy for another process takes the table."""
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    m.connect(x, ss.DryFriction(limit=0.3), name="floor")
    m.load(x, ss.Sine(1.0, frequency=0.5))
    run = m.simulate(until=100.0, samples=0, method="exact")
    listed, given = [], type(run.trajectory).events
    monkeypatch.setattr(type(run.trajectory), "events", lambda self: listed.append(1) or given(self))
    sent = pickle.loads(pickle.dumps(run))
    again = pickle.loads(pickle.dumps(sent))
    assert len(run.events) == run.stats.events > 10
    assert run.events == sent.events == again.events
    assert list(again.events) == list(given(run.trajectory))
    assert len(listed) == 1
