"""Lyapunov exponents against closed forms, multipliers, the divergence of the flow and pairs of runs."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from models import DUFFING, one_mass

import slipstick as ss
from slipstick.periodic.stability.lyapunov import exponents_of, frame_growth

TWO_WELLS = {"spring": ss.Linear(stiffness=-1.0, damping=0.2), "stops": ss.Freeplay(stiffness=3.0, half_gap=0.5)}


class BakerMap:
    """Derivatives of the baker's map, turned by a fixed angle: it doubles one direction and halves another."""

    size = 2

    def next(self):
        turn = np.array([[0.8, -0.6], [0.6, 0.8]])
        return turn @ np.diag([2.0, 0.5]) @ turn.T


def test_the_bakers_map_has_the_logarithms_of_two_and_of_one_half():
    found, errors = exponents_of(frame_growth(BakerMap(), 200, 2), 1.0)
    assert found == pytest.approx([math.log(2.0), -math.log(2.0)], abs=1e-12)
    assert errors == pytest.approx([1.0 / 180.0] * 2)  # the means of batches are equal, so the least error is left


def test_a_linear_oscillator_has_its_eigenvalues():
    strong = one_mass({"spring": ss.Linear(stiffness=1.0, damping=3.0)}, ss.Cosine(1.0, order=1), frequency=1.3)
    found = strong.simulate(until=400.0, samples=2).lyapunov(2)
    assert found.exponents == pytest.approx([-1.5 + math.sqrt(1.25), -1.5 - math.sqrt(1.25)], abs=1e-9)
    assert found.verdict == "regular"
    weak = one_mass({"spring": ss.Linear(stiffness=1.0, damping=0.2)}, ss.Cosine(1.0, order=1), frequency=1.3)
    found = weak.simulate(until=400.0, samples=2).lyapunov(2)
    assert (np.abs(found.exponents + 0.1) <= found.errors).all()
    assert found.exponents.sum() == pytest.approx(-0.2, abs=1e-10)


@pytest.mark.parametrize("law", [DUFFING, ss.BoucWen(stiffness=2.0, ratio=0.3, beta=1.0, gamma=1.0)])
def test_a_periodic_motion_has_the_logarithms_of_its_multipliers(law):
    m = one_mass({"law": law, "damper": ss.Linear(damping=0.1)}, ss.Cosine(0.3, order=1), frequency=0.7)
    expected = math.log(np.abs(m.periodic().multipliers).max()) / (2.0 * math.pi / 0.7)
    found = m.simulate(until=900.0, samples=2).lyapunov()
    assert abs(found.largest - expected) <= found.errors[0] + 1e-6
    assert found.verdict == "regular"


def test_a_chaotic_piecewise_linear_oscillator_is_said_to_be():
    m = one_mass(TWO_WELLS, ss.Cosine(0.35, order=1), frequency=1.0, displacement=1.0)
    run = m.simulate(until=3000.0, samples=2)
    found = run.lyapunov(2)
    assert found.verdict == "chaotic"
    assert found.exponents.sum() == pytest.approx(-0.2, abs=1e-9)  # the divergence of the flow: -damping/inertia
    assert abs(found.largest - _from_pairs(m, run.end, 150)) <= 3.0 * found.errors[0]
    assert "chaotic" in repr(found)


def _from_pairs(m, end, periods):
    """The largest exponent from two runs whose distance is made small again after each period."""
    state, small, period = np.array([end.displacement["x"], end.velocity["x"]]), 1e-7, 2.0 * math.pi
    beside, total = state + np.array([small, 0.0]), 0.0

    def after(state):
        m.coordinates[0].displacement, m.coordinates[0].velocity = state.tolist()
        last = m.simulate(until=period, samples=2).end
        return np.array([last.displacement["x"], last.velocity["x"]])

    for _ in range(periods):
        state, beside = after(state), after(beside)
        apart = np.linalg.norm(beside - state)
        total += math.log(apart / small)
        beside = state + small / apart * (beside - state)
    return total / (periods * period)


def test_a_sliding_rest_has_its_eigenvalue_and_a_stick_slip_cycle_a_zero():
    m = ss.Model("belt")
    x, belt = m.coordinate("x", inertia=1.0), m.coordinate("belt", motion=ss.Ramp(1.5))
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    m.connect(x - belt, ss.DryFriction(limit=0.5, static_limit=1.0, stribeck_velocity=0.5, stribeck_exponent=1))
    x_start = m.coordinates[0]
    x_start.displacement = 0.52
    rest = m.simulate(until=1300.0, samples=2).lyapunov(2)
    expected = -0.5 * (0.1 - math.exp(-3.0))  # damping less the falling slope of the friction
    assert rest.exponents.sum() == pytest.approx(2.0 * expected, abs=1e-5)
    assert abs(rest.largest - expected) <= rest.errors[0]
    x_start.displacement = -1.0
    cycle = m.simulate(until=1300.0, samples=2).lyapunov(2)
    assert abs(cycle.largest) <= cycle.errors[0]
    assert cycle.exponents[1] == -math.inf  # sticking forgets how it began
    assert (cycle.has_loads, cycle.verdict) == (False, "regular")


def test_bad_requests_are_refused(refused):
    m = one_mass({"spring": DUFFING}, ss.Cosine(0.3, order=1), frequency=1.0)
    run = m.simulate(until=400.0, samples=2)
    with refused("count must be a whole number from 1 to 2"):
        run.lyapunov(3)
    with refused("time must be at least 301.6 s"):
        run.lyapunov(time=10.0)
    with refused("cannot be continued", "simulate the model again"):
        pickle.loads(pickle.dumps(run)).lyapunov()
    with refused("speed of this run varies"):
        m.simulate(until=400.0, samples=2, speed=ss.Ramp(0.01)).lyapunov()
