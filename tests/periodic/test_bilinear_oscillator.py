"""The bilinear oscillator, x'' + c x' + k x + k2 max(x, 0) = F cos(Omega t): its free period, and sub-harmonics.

The judge matches the closed forms of both halves: with x = 0 and velocity va at ta the wall is touched up to tb, then
left until ta + n periods of the load. The force is continuous, so the monodromy matrix is the product of both halves'.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import fsolve

import slipstick as ss

STIFFNESS, WALL, DAMPING, LOAD = 1.0, 3.0, 0.04, 0.5
SOFT, HARD = math.sqrt(STIFFNESS), math.sqrt(STIFFNESS + WALL)


def bilinear(displacement=0.0, velocity=0.0, damping=DAMPING, load=LOAD, wall=None):
    m = ss.Model("bilinear")
    x = m.coordinate("x", inertia=1.0, displacement=displacement, velocity=velocity)
    m.connect(x, ss.Linear(stiffness=STIFFNESS, damping=damping), name="spring")
    m.connect(x, wall or ss.Contact(stiffness=WALL, gap=0.0), name="wall")
    if load:
        m.load(x, ss.Cosine(load, order=1))
    return m


class Half:
    """x'' + c x' + k x = F cos(Omega t)."""

    def __init__(self, stiffness, omega):
        self.omega = omega
        self.roots = np.roots([1.0, DAMPING, stiffness]).astype(complex)
        self.modes = np.array([[1.0, 1.0], self.roots])
        self.answer = LOAD / (stiffness - omega**2 + 1j * DAMPING * omega)

    def steady(self, t):
        wave = self.answer * np.exp(1j * self.omega * t)
        return np.array([wave.real, (1j * self.omega * wave).real])

    def go(self, t, state, until):
        amplitudes = np.linalg.solve(self.modes, np.asarray(state) - self.steady(t))
        return (self.modes @ (amplitudes * np.exp(self.roots * (until - t)))).real + self.steady(until)

    def matrix(self, time):
        return (self.modes @ np.diag(np.exp(self.roots * time)) @ np.linalg.inv(self.modes)).real


def matched(omega, order, guess):
    """(ta, va, tb) of an orbit that touches once in some periods of the load, its state at time 0 and multipliers."""
    hard, soft, time = Half(STIFFNESS + WALL, omega), Half(STIFFNESS, omega), 2.0 * math.pi * order / omega

    def missed(z):
        leaves = hard.go(z[0], (0.0, z[1]), z[2])
        back = soft.go(z[2], (0.0, leaves[1]), z[0] + time)
        return [leaves[0], back[0], back[1] - z[1]]

    ta, va, tb = z = fsolve(missed, guess, xtol=1e-13)
    assert np.abs(missed(z)).max() < 1e-13
    leaves = (0.0, hard.go(ta, (0.0, va), tb)[1])
    # the motion is where it should be in between, too
    assert min(hard.go(ta, (0.0, va), t)[0] for t in np.linspace(ta, tb, 100)) > -1e-12
    assert max(soft.go(tb, leaves, t)[0] for t in np.linspace(tb, ta + time, 300)) < 1e-12
    values = np.linalg.eigvals(soft.matrix(time - (tb - ta)) @ hard.matrix(tb - ta))
    zero = time * math.ceil(ta / time)  # at which the load is as at time zero, within the orbit
    return z, hard.go(ta, (0.0, va), zero) if zero <= tb else soft.go(tb, leaves, zero), values


CASES = {2: (2.72, (0.325, 0.876, 1.733)), 3: (4.08, (0.12, 0.225, 1.3155))}


@pytest.mark.parametrize("wall", [None, ss.PiecewiseLinear(breaks=(0.0,), slopes=(0.0, WALL), value_at=(0.0, 0.0))])
def test_the_free_period_is_half_a_period_of_each_stiffness(wall):
    m = bilinear(velocity=1.0, damping=0.0, load=0.0, wall=wall)
    period = math.pi / SOFT + math.pi / HARD
    run = m.simulate(3.5 * period, samples=np.array([0.0, period, 2.0 * period, 3.0 * period]))
    np.testing.assert_allclose(run.samples.displacement[:, 0], 0.0, atol=1e-13)
    np.testing.assert_allclose(run.samples.velocity[:, 0], 1.0, rtol=1e-13)
    expected = [k * period + part for k in range(4) for part in (0.0, math.pi / HARD)]
    np.testing.assert_allclose(run.events["time"], expected[1:], rtol=1e-13)


@pytest.mark.parametrize("order", CASES)
def test_a_subharmonic_is_the_one_of_closed_forms_matched_at_the_wall(order):
    omega, guess = CASES[order]
    (ta, va, tb), start, multipliers = matched(omega, order, guess)
    orbit = bilinear(*start).periodic(frequency=omega, subharmonic=order)
    np.testing.assert_allclose(orbit.events["time"], (ta, tb), rtol=1e-10)
    np.testing.assert_allclose(orbit.point.x, start, rtol=1e-10)
    np.testing.assert_allclose(np.sort_complex(orbit.multipliers), np.sort_complex(multipliers), rtol=1e-10)
    assert orbit.stable
    assert orbit.period == pytest.approx(2.0 * math.pi * order / omega, rel=1e-14)
    touches = orbit.data.sel(time=orbit.events["time"][0])
    assert float(touches.velocity.sel(coordinate="x")) == pytest.approx(va, rel=1e-10)


def test_where_the_half_subharmonic_lives_the_harmonic_response_is_unstable():
    omega, _ = CASES[2]
    alone = bilinear().periodic(frequency=omega)
    assert not alone.stable
    assert alone.multipliers.real.min() < -1.0


def test_the_branch_of_the_half_subharmonic_ends_at_the_period_doublings():
    omega, guess = CASES[2]
    _, start, _ = matched(omega, 2, guess)
    m = bilinear(*start)
    branch = m.frequency_response(between=(2.1, 3.6), subharmonic=2, start=m.periodic(frequency=omega, subharmonic=2))
    single = bilinear().frequency_response(between=(2.1, 3.6))
    doublings = sorted(s["frequency"] for s in single.special if s["kind"] == "period-doubling")
    assert len(doublings) == 2
    assert not branch.stats.closed
    assert not branch.partial
    ends = [(s["frequency"], s["point"]) for s in branch.special if s["kind"] == "branch-point"]
    np.testing.assert_allclose(sorted(place for place, _ in ends), doublings, rtol=1e-6)
    assert {point for _, point in ends} == {0, len(branch.points) - 1}
    assert sum("the branch ends at" in note for note in branch.notes) == 2


def test_an_isolated_third_subharmonic_is_followed_round_from_one_orbit():
    omega, guess = CASES[3]
    _, start, _ = matched(omega, 3, guess)
    m = bilinear(*start)
    orbit = m.periodic(frequency=omega, subharmonic=3)
    branch = m.frequency_response(between=(3.3, 5.3), subharmonic=3, start=orbit)
    assert branch.stats.closed
    low, high = sorted(s["frequency"] for s in branch.special if s["kind"] == "fold")
    assert low < omega < high
    stable = branch.data.stable.values.astype(bool)
    assert stable.any()
    assert not stable.all()
    # the response of the load's own period is another curve, stable beside it
    assert bilinear().periodic(frequency=omega).stable
    for frequency in (3.9, 4.2):  # a point of the branch is an orbit of the closed forms, which are led there
        z = guess
        for between in np.linspace(omega, frequency, 9):
            z, state, multipliers = matched(between, 3, z)
        found = m.frequency_response(at=[frequency], subharmonic=3, start=orbit)
        np.testing.assert_allclose(found.points[0].x, state, rtol=1e-8)
        values = np.sort_complex(found.points[0].multipliers)
        np.testing.assert_allclose(values, np.sort_complex(multipliers), rtol=1e-7)
