"""The steps that are chosen come from the stiffest state of every law, whatever its states are called."""

from __future__ import annotations

import math

import numpy as np
import pytest
from models import one_mass

import slipstick as ss
from slipstick.laws.faces import Linearised
from slipstick.transient.implicit.step_choice import stiffest_frequency
from slipstick.transient.inclusion.setup import split_problem
from slipstick.transient.inclusion.step_choice import StepStability
from slipstick.transient.law_tangents import state_tangents
from slipstick.transient.problem import pose

STAGES = ss.PiecewiseLinear(breaks=(-0.1, 0.1), slopes=(1e6, 1.0, 1e4), value_at=(0.0, 0.0), damping=30.0)


def oscillator(law: ss.Law, **start: float) -> ss.Model:
    return one_mass({"law": law}, **start)


def test_every_stage_counts_and_the_stiffest_comes_first():
    assert state_tangents(STAGES, 0.0) == [Linearised(1e6, 30.0), Linearised(1e4, 30.0), Linearised(1.0, 30.0)]


def test_both_stops_of_a_gap_are_one_state():
    assert {t.stiffness for t in state_tangents(ss.Freeplay(stiffness=7.0, half_gap=0.1), 0.0)} == {7.0, 0.0}


def test_a_slider_is_its_spring_or_nothing_and_stuck_friction_has_no_slope():
    assert [t.stiffness for t in state_tangents(ss.Jenkins(stiffness=5.0, limit=1.0), 0.0)] == [5.0, 0.0]
    assert state_tangents(ss.DryFriction(limit=1.0, damping=2.0), 0.0) == [Linearised(0.0, 2.0)]


def test_a_law_without_states_is_taken_where_it_begins():
    cubic = ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 2.0))
    assert state_tangents(cubic, 3.0)[0].stiffness == pytest.approx(1.0 + 3.0 * 2.0 * 9.0)
    assert stiffest_frequency(pose(oscillator(cubic, displacement=3.0))) == pytest.approx(math.sqrt(55.0))


def test_newmark_resolves_the_stiffest_stage():
    assert stiffest_frequency(pose(oscillator(STAGES))) == pytest.approx(1000.0)


def test_inclusion_is_stable_in_every_stage():
    parts = split_problem(pose(oscillator(STAGES)))
    # Euler's steps of x'' + c x' + k x = 0 do not grow for h <= c/k; over a second, by e^0.1 a little beyond
    limit = StepStability(parts, None, 1.0).limit()
    assert 30.0 / 1e6 <= limit < 1.1 * 30.0 / 1e6


def test_the_step_that_inclusion_chooses_follows_a_stiff_stage():
    model = oscillator(STAGES, velocity=-20.0)
    run, true = (model.simulate(0.3, method=method, samples=301) for method in ("inclusion", "exact"))
    error = np.abs(run.samples.displacement - true.samples.displacement).max()
    assert error < 0.01 * np.ptp(true.samples.displacement)
    assert true.samples.displacement.min() < -0.1  # it was there


def test_many_laws_with_many_stages_are_looked_at_in_a_moment():
    m = ss.Model("chain")
    for i in range(12):
        m.connect(m.coordinate(f"x{i}", inertia=1.0), STAGES)
    parts = split_problem(pose(m))
    assert len(StepStability(parts, None, 1.0).modes) == 2
