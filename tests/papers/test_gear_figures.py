"""The gear paper's figures: the block's instants, the simplifications, the rattle from both ends."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.papers.gear import characteristics, levels, rattle


def test_the_block_under_a_sine_slips_and_sticks_when_computed_apart():
    times, place = characteristics._under_sine()
    assert times == pytest.approx([0.643501108793284, 3.52345490581182], abs=1e-12)
    assert place == pytest.approx(0.788372108748076, abs=1e-12)


def test_friction_at_rest_follows_the_rule():
    data = ss.paper("gear", 8).data
    pull = data["force"].values
    assert data["friction"].values == pytest.approx(np.clip(pull, -0.6, 0.6), abs=1e-14)
    moves = np.where(np.abs(pull) > 0.6 + 1e-9, pull - 0.6 * np.sign(pull), 0.0)
    assert data["rate_after"].values == pytest.approx(0.1 * moves, abs=1e-14)


def test_the_simplifications_are_reached_in_proportion():
    data = ss.paper("gear", "convergence").data
    for name, over in (("to_first", "inertia"), ("to_second", "friction")):
        falls = data[name].values[1:-1] / data[name].values[2:]
        sizes = data[over].values[1:-1] / data[over].values[2:]
        assert np.log(falls) / np.log(sizes) == pytest.approx(1.0, abs=0.2)


def test_wheels_that_lose_their_friction_first_are_refused():
    assert levels._friction_first() == "refused"


def test_the_train_rattles_on_one_curve_from_both_ends():
    m = rattle.loaded(0.4)
    folds = []
    for between in (rattle.BETWEEN, rattle.BETWEEN[::-1]):
        curve = m.frequency_response(between=between, method="shooting")
        folds.append(sorted(one["frequency"] for one in curve.special if one["kind"] == "fold"))
    assert len(folds[0]) == 4
    assert folds[0] == pytest.approx(folds[1], abs=1e-4)
