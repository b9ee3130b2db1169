"""A branch of a machine with friction and play that turns within 1e-6 of its frequency, beside other branches.

Judges: the machine is symmetric, so everything special on one half of a closed branch is so on its mirror image; and
the same branch from its other end.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import slipstick as ss

ENDS = (91.943424, 97.694393)  # [rad/s] the branch points at which it leaves


def cabinet(bits=0):
    """The curve that the branches leave; bits : by how many last ones a number of the model is off."""
    m = ss.Model("cabinet")
    frame = m.coordinate("frame", inertia=40.0 * (1.0 + bits * 1e-15))
    drawer, latch = m.coordinate("drawer", inertia=6.0), m.coordinate("latch", inertia=0.3)
    m.connect(frame, ss.Linear(stiffness=8e5, damping=600.0), name="mount")
    m.connect(drawer - frame, ss.DryFriction(limit=8.0), name="slide")
    m.connect(drawer - frame, ss.Linear(stiffness=6e4, damping=15.0), name="spring")
    m.connect(latch - drawer, ss.Freeplay(stiffness=2e5, half_gap=2e-4, damping=20.0), name="play")
    m.connect(latch - frame, ss.Linear(stiffness=5e3, damping=4.0), name="keeper")
    m.load(frame, ss.Cosine(200.0, order=1))
    return m.frequency_response(between=(ss.hz(14.4), ss.hz(15.8)))


@pytest.fixture(scope="module")
def curve():
    return cabinet()


def leaving(curve):
    """The branch points at both ends."""
    found = {round(s["frequency"], 6): s for s in curve.special if s["kind"] == "branch-point"}
    return [found[end] for end in ENDS]


def places(branch):
    """Kind and frequency of everything special but the ends, each with how often."""
    return Counter((s["kind"], round(s["frequency"], 5)) for s in branch.special if s["kind"] != "branch-point")


@pytest.mark.long
def test_a_closed_branch_has_everything_twice_and_is_the_same_from_either_end(curve):
    branches = [curve.switch(end) for end in leaving(curve)]
    for branch in branches:
        assert branch.stats.closed
        assert set(places(branch).values()) == {2}
        values = branch.data.frequency.values
        turns = np.flatnonzero(np.diff(np.sign(np.diff(values))) != 0) + 1
        folds = [s["frequency"] for s in branch.special if s["kind"] == "fold"]
        for k in turns:  # at a fold, or at an end
            assert min(abs(values[k] - p) for p in (*folds, *ENDS)) < 1e-5
    assert places(branches[0]) == places(branches[1])


@pytest.mark.long
@pytest.mark.parametrize("bits", [-5, -3, -1, 1, 3, 5])
def test_a_branch_is_the_same_whatever_the_last_bits_of_a_number(bits, curve):
    other = cabinet(bits)
    for end, own in zip(leaving(curve), leaving(other), strict=True):
        known, branch = curve.switch(end), other.switch(own)
        assert branch.stats.closed
        assert not branch.notes  # no other means than steps along it are needed
        assert places(branch) == places(known)
