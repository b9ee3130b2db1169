"""Beams of many elements: their fastest modes are thousands of times faster than what moves."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.period import Period
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.newton import TOLERANCE, close
from slipstick.transient.accurate import product
from slipstick.transient.exact import places as at
from slipstick.transient.exact.root_exclusion import (
    BASIS_ROW,
    LAMBDA_ROW,
    MODE_ROW,
    bend_bound,
    free_stretch,
    root_free,
)
from slipstick.transient.problem import pose

LAWS = {
    "Jenkins": lambda length: ss.Jenkins(stiffness=2e4 / length, limit=5.0),
    "Freeplay": lambda length: ss.Freeplay(stiffness=2e4 / length, half_gap=1e-4 * length),
    "DryFriction": lambda _: ss.DryFriction(limit=5.0),
}


def beam(count, law="Jenkins", length=1.0, rayleigh=0.0):
    """A clamped steel beam of Euler's elements, 0.4 m long, with a law at its tip and a load of 20 N there.

    length : 1 for m, kg, s; 1000 for mm, t, s: forces are N in both.
    """
    e, rho, size, b, h = 2.1e11 / length**2, 7800.0 / length**4, 0.4 * length / count, 0.03 * length, 0.006 * length
    bend = e * b * h**3 / 12.0 / size**3
    k = bend * np.array(
        [[12, 6 * size, -12, 6 * size], [6 * size, 4 * size * size, -6 * size, 2 * size * size],
         [-12, -6 * size, 12, -6 * size], [6 * size, 2 * size * size, -6 * size, 4 * size * size]]
    )  # fmt: skip
    m = np.array(
        [[156, 22 * size, 54, -13 * size], [22 * size, 4 * size * size, 13 * size, -3 * size * size],
         [54, 13 * size, 156, -22 * size], [-13 * size, -3 * size * size, -22 * size, 4 * size * size]]
    ) * rho * b * h * size / 420.0  # fmt: skip
    mass, stiffness = np.zeros((2, 2 * count + 2, 2 * count + 2))
    for i in range(count):
        part = slice(2 * i, 2 * i + 4)
        mass[part, part] += m
        stiffness[part, part] += k
    mass, stiffness = mass[2:, 2:], stiffness[2:, 2:]
    model = ss.Model.from_matrices(mass, mass + rayleigh * stiffness, stiffness)
    tip = model[f"q{2 * count - 1}"]
    model.connect(tip, LAWS[law](length), name="joint")
    model.load(tip, ss.Cosine(20.0, order=1))
    return model


@pytest.mark.parametrize(
    ("count", "law", "length", "rayleigh"),
    [
        (10, "Jenkins", 1.0, 0.0),
        (20, "Jenkins", 1.0, 0.0),
        (20, "Jenkins", 1000.0, 1e-6),
        (20, "Freeplay", 1.0, 0.0),
        (20, "DryFriction", 1.0, 1e-6),
        (40, "Jenkins", 1.0, 1e-6),
    ],
)
def test_the_energy_of_a_beam_balances(count, law, length, rayleigh):
    run = beam(count, law, length, rayleigh).simulate(until=0.02, frequency=200.0, samples=2)
    assert run.stats.method == "exact"
    assert run.certificate.passed, run.certificate.verdict
    assert run.certificate.energy_residual < 1e-11  # 1e-9 and more where rounding of the fastest modes is in it


def test_a_slow_mode_keeps_its_frequency_beside_fast_ones():
    """K = T^2 with T of entries -1, 2, -1: whole numbers, and frequencies 4 sin^2(k pi / (2 n + 2)), over 1e3 apart."""
    n = 60
    t = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    shape = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    model = ss.Model.from_matrices(np.eye(n), None, t @ t)
    for coordinate, size in zip(model.coordinates, shape.tolist(), strict=True):
        coordinate.displacement = size
    model.connect(model["q1"], ss.Freeplay(stiffness=1.0, half_gap=10.0), name="stop")
    omega = 4.0 * math.sin(math.pi / (2 * n + 2)) ** 2
    times = np.linspace(0.0, 40.0 * math.pi / omega, 41)
    run = model.simulate(until=times[-1], samples=times, method="exact")
    wrong = run.data.displacement.to_numpy() - np.outer(np.cos(omega * times), shape)
    assert np.abs(wrong).max() < 1e-11


@pytest.mark.parametrize("gap", [1, 20])
def test_products_lose_nothing_where_large_terms_cancel(gap):
    """gap : of so many columns one has entries that are not zero."""
    rng = np.random.default_rng(3)
    a = rng.normal(size=(4, 30)) * 10.0 ** rng.uniform(-6, 6, (4, 30))
    b = rng.normal(size=(30, 2))
    a, b = np.hstack([a, -a]), np.vstack([b, b * (1.0 + 1e-12)])
    wide, tall = np.zeros((4, gap * 60)), rng.normal(size=(gap * 60, 2))
    wide[:, ::gap], tall[::gap] = a, b
    found = product(wide, tall)
    for i in range(4):
        for j in range(2):
            exact = sum(Fraction(x) * Fraction(y) for x, y in zip(a[i].tolist(), b[:, j].tolist(), strict=True))
            assert abs(Fraction(float(found[i, j])) - exact) < abs(exact) * Fraction(1, 10**7)
    plain = a @ b
    assert np.abs(plain - found).max() > 1e-6 * np.abs(found).max()  # what rounding leaves in order


@pytest.mark.parametrize("length", [1.0, 1000.0])
def test_a_beam_comes_back_after_a_period_within_the_rounding_of_its_modes(length):
    problem = pose(beam(20, length=length), frequency=200.0)
    period = ExactMap(problem, Period(200.0, 1).time)
    closed = close(period, period.first())
    assert closed.residual <= max(TOLERANCE, period.rounding)
    assert period.rounding < 1e-8
    again = period.go(closed.passed.state).state  # no step could bring it nearer
    assert np.abs((again - closed.state) / period.scales(closed.passed.flow)).max() < 3.0 * max(
        TOLERANCE, period.rounding
    )


def test_a_small_model_is_held_to_the_same_residual_as_ever():
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=2.0, limit=0.5), name="slider")
    m.load(x, ss.Cosine(1.0, order=1))
    period = ExactMap(pose(m, frequency=0.7), Period(0.7, 1).time)
    closed = close(period, period.first())
    assert 0.0 < period.rounding < 1e-13
    assert closed.residual <= TOLERANCE


def test_newton_finds_the_orbit_of_a_fine_mesh():
    """In displacements and velocities its matrix has a condition of 1e13, and steps lead to fast modes at random."""
    tips = []
    for count in (20, 40):
        period = ExactMap(pose(beam(count), frequency=200.0), Period(200.0, 1).time)
        closed = close(period, period.first())
        assert closed.residual <= max(TOLERANCE, period.rounding)
        assert closed.steps <= 15
        assert len(closed.passed.flow.events) <= 8  # two limits are reached and left in a period
        tips.append(closed.state[2 * count - 2])
    assert tips[1] == pytest.approx(tips[0], rel=1e-5)  # the first modes of cubic elements: 1e-6 and less


def test_modes_of_little_share_take_no_short_steps():
    """With parabolas of all modes, certified steps are of 3 us, and 1163 lead to an event."""
    run = beam(60).simulate(until=0.05, frequency=200.0, samples=2)
    assert run.certificate.passed, run.certificate.verdict
    assert run.stats.steps < 150 * run.stats.events


@pytest.mark.parametrize("seed", range(4))
def test_a_stretch_without_roots_has_none(seed):
    """Sums of a few slow and fast modes, seen at 4000 points of each stretch."""
    rng = np.random.default_rng(seed)
    model, table, state = np.zeros(at.MODEL_HEAD), np.zeros(200), np.zeros(500)
    r, longer = 6, 0
    model[[at.G_MODES, at.G_POLY, at.G_INFO, at.BASIS_E]] = 0, 100, 150, 200
    table[at.T_MODES], table[at.T_LAMBDA] = r, 100
    for _ in range(100):
        values = rng.uniform(-2.0, 0.1, r) + 1j * np.array([1.0, 2.0, 5.0, 300.0, 2e3, 1e4]) * rng.uniform(0.5, 2.0, r)
        sizes = (rng.normal(size=r) + 1j * rng.normal(size=r)) * np.array([1.0, 0.5, 0.2, 1e-2, 1e-3, 1e-4])
        slopes = sizes * values
        for k in range(r):
            table[100 + LAMBDA_ROW * k :][:2] = values[k].real, values[k].imag
            state[MODE_ROW * k :][:5] = (
                sizes[k].real, sizes[k].imag, slopes[k].real, slopes[k].imag, abs(slopes[k] * values[k])
            )  # fmt: skip
            state[200 + BASIS_ROW * k :][:3] = 1.0, 0.0, 1.0
        constant = 10.0 ** rng.uniform(-4, 1) - sizes.sum().real
        value, slope, ahead = constant + sizes.sum().real, slopes.sum().real, 3.0
        bend = bend_bound(model, table, state, 0, 0.0, ahead)
        found = min(root_free(model, table, state, 0, value, slope, bend, ahead), ahead)
        longer += found > 2.0 * free_stretch(value, slope, bend)
        times = np.linspace(0.0, found, 4000)
        assert (constant + (sizes * np.exp(values * times[:, None])).sum(axis=1).real).min() > -1e-12
    assert longer > 10
