"""What is said of a nonlinear mode is said in amplitudes: that its parameter is a logarithm stays inside."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from periodic.balance_models import chain

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.periodic.modes import accuracy
from slipstick.periodic.modes.mode_family import ModeFamily
from slipstick.periodic.modes.nonlinear_mode import _checked_request

NUMBER = r"(\d+(?:\.\d+)?(?:e[-+]\d+)?)"


@pytest.fixture
def corner(monkeypatch):
    """Equations of a mode that end at an amplitude of 2: beyond it there are none."""
    linearise = ModeFamily.linearise

    def ends(self, x, p):
        if p > math.log10(2.0):
            raise NotConverged("nothing is known at 5.5 rad/s or at 400 rad/s")
        return linearise(self, x, p)

    monkeypatch.setattr(ModeFamily, "linearise", ends)


def test_folds_on_the_way_from_one_amplitude_to_the_next_lie_between_amplitudes():
    mode = chain().nonlinear_mode(1)
    (note,) = (note for note in mode.notes if "turns back" in note)
    low, high, *near = map(float, re.findall(f"amplitude {NUMBER}", note))
    asked = mode.data.amplitude.values
    beyond = asked[asked > low].min()
    assert high == pytest.approx(beyond, rel=1e-3)
    whole = chain().nonlinear_mode(1, between=(0.5 * low, 2.0 * high)).data.amplitude.values
    turns = whole[1:-1][np.diff(whole)[:-1] * np.diff(whole)[1:] < 0.0]
    assert near
    for place in near:
        assert np.abs(turns / place - 1.0).min() < 0.05


def slider() -> ss.Model:
    m = ss.Model("slider")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.3), name="slider")
    return m


@pytest.mark.usefixtures("corner")
def test_where_a_mode_is_lost_is_told_as_an_amplitude():
    with pytest.raises(NotConverged) as caught:
        slider().nonlinear_mode(1, between=(0.01, 10.0))
    told = str(caught.value)
    assert float(re.search(f"could not be followed beyond amplitude {NUMBER}", told)[1]) == pytest.approx(2.0, rel=1e-3)
    assert f"{math.log10(2.0):.3f}" not in told
    assert caught.value.partial.stats.ended == told


@pytest.mark.usefixtures("corner")
def test_other_numbers_in_what_is_said_stay_as_they_are():
    with pytest.raises(NotConverged) as caught:
        slider().nonlinear_mode(1, between=(2.5, 10.0))
    told = str(caught.value)
    assert "at amplitude 2.5" in told
    assert "nothing is known at 5.5 rad/s or at 400 rad/s" in told


def test_a_start_that_had_to_be_searched_for_is_told_as_an_amplitude(monkeypatch):
    linearise, looks = ModeFamily.linearise, [0]

    def at_first_nothing(self, x, p):
        looks[0] += 1
        if looks[0] == 1:
            raise NotConverged("nothing yet")
        return linearise(self, x, p)

    monkeypatch.setattr(ModeFamily, "linearise", at_first_nothing)
    (note,) = slider().nonlinear_mode(1, amplitudes=[0.01]).notes
    assert note.startswith("start at amplitude 0.01: found with ")


def test_the_way_to_the_other_end_of_a_range_is_told_in_amplitudes_too():
    family = _checked_request(slider(), between=(0.01, 10.0)).plan.family
    assert str(family.other_end_advice(-2.0, 1.0)) == (
        'norm="all" follows it through an internal resonance, amplitudes=[10] looks for it there'
    )


def test_an_error_that_is_not_determined_at_a_fold_is_said_in_words(monkeypatch):
    """Where the equations at one amplitude are all but singular, a first-order estimate is 1e6 times the frequency."""
    m = ss.Model("cubic")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0))
    m.connect(x, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1.0)))
    solve = accuracy.solve_matrix
    monkeypatch.setattr(accuracy, "solve_matrix", lambda *given: 1e12 * solve(*given))
    mode = m.nonlinear_mode(1, amplitudes=[1.0], harmonics=5)
    assert np.isnan(mode.points[0].frequency_error)
    assert any("at a fold over the amplitude" in note for note in mode.points[0].notes)
