"""Derivatives of the equations of harmonic balance against differences, for every law."""

from __future__ import annotations

import numpy as np
import pytest
from laws.example_laws import every_law
from periodic.balance_models import chain, oscillator

import slipstick as ss
from slipstick.periodic.balance import HarmonicBalance

LAWS = every_law()
# relaxing springs are linear parts of a model; a force that changes with every cycle and a static limit are refused
NOT_SAMPLED = ("linear", "maxwell", "zener", "bouc-wen-baber-noori", "dry-friction stribeck")
BROKEN = ("freeplay", "freeplay damped", "two-stage", "piecewise-linear", "contact", "contact damped")


def assert_slope(f, x, slope, bound, steps=(1e-5, 1e-6, 1e-7)):
    """Every column of a derivative is nearer than the bound to differences of f, central or one-sided, at some step.

    One-sided ones count because a sample may sit in a corner of a law: the derivative is that of one side.
    """
    middle = f(x)
    errors = np.full(x.size, np.inf)
    for h in steps:
        for i in np.flatnonzero(errors >= bound):
            d = np.zeros(x.size)
            d[i] = h
            up, down = f(x + d), f(x - d)
            for found in ((up - down) / (2 * h), (up - middle) / h, (middle - down) / h):
                errors[i] = min(errors[i], np.abs(found - slope[:, i]).max())
    assert errors.max() < bound


def some_orbit(family, seed=1, size=0.9):
    """Series with harmonics that fall like 1/h, so that laws slip, stick, touch and turn back several times."""
    rng = np.random.default_rng(seed)
    fall = np.append(np.repeat(1.0 / np.arange(1, family.index + 1), 2), 0.3)
    return (size * rng.standard_normal((family.size // fall.size, fall.size)) * fall).ravel()


def assert_derivatives(family, p, seed=1):
    x = some_orbit(family, seed)
    found = family.linearise(x, p)
    size = np.abs(found.by_x).max()
    assert_slope(lambda y: family.linearise(y, p).residual, x, found.by_x, 2e-7 * size)
    size = max(size, np.abs(found.by_p).max())
    assert_slope(lambda q: family.linearise(x, q[0]).residual, np.array([p]), found.by_p[:, None], 2e-7 * size)


@pytest.mark.parametrize("name", [n for n in LAWS if n not in NOT_SAMPLED])
def test_derivatives_of_every_law_are_those_of_differences(name):
    family = HarmonicBalance(oscillator(LAWS[name]), frequency=0.8, harmonics=3)
    assert_derivatives(family, 0.83)


@pytest.mark.parametrize("name", ["jenkins", "dahl", "freeplay damped", "fibre-shear", "lugre", "dry-friction viscous"])
def test_derivatives_hold_with_factors_in_time_and_a_subharmonic(name):
    law = LAWS[name].modulated(ss.Fourier(mean=1.0, sin=(0.3, 0.0, 0.1), order=0.5))
    family = HarmonicBalance(oscillator(law), frequency=0.8, harmonics=2)
    assert family.order == 2
    assert_derivatives(family, 0.83, seed=5)


def test_derivatives_of_a_law_whose_force_level_is_neutral():
    # this envelope forgets its older reversals: only loops with two reversals close
    family = HarmonicBalance(oscillator(LAWS["generalised-dahl"]), frequency=0.8, harmonics=1)
    assert_derivatives(family, 0.83, seed=2)


def test_derivatives_of_several_lines_with_motions_and_moved_stiffness():
    m = ss.Model("two masses between walls")
    wall = m.coordinate("wall", motion=ss.Sine(0.4, order=1) + ss.Cosine(0.1, order=2))
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.6)
    m.connect(x - wall, ss.Jenkins(stiffness=2.0, limit=0.4) + ss.Linear(damping=0.05))
    m.connect(x - y, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.5)))
    m.connect(y, ss.Freeplay(stiffness=3.0, half_gap=0.1), along=y + 0.2 * x)
    m.load(y, ss.Cosine(0.7, order=1) + ss.Constant(0.2))
    family = HarmonicBalance(m, frequency=1.1, harmonics=3)
    assert family.moved_stiffness.any()
    assert_derivatives(family, 1.07)


def test_derivatives_where_coordinates_are_fewer_than_connections():
    m = chain(3, ())
    for i, limit in enumerate((0.1, 0.2, 0.3, 0.4, 0.5)):
        m.connect(m[f"q{i % 3 + 1}"], ss.Jenkins(stiffness=1.0 + i, limit=limit))
    family = HarmonicBalance(m, frequency=0.7, harmonics=3)
    assert family.size == 3 * 7
    assert_derivatives(family, 0.72)


@pytest.mark.parametrize("name", [n for n in LAWS if n not in (*NOT_SAMPLED, *BROKEN)])
def test_harmonics_of_the_derivatives_are_those_of_their_samples(name):
    """Tangents without memory go by their spectrum, those with memory by rows: either is the projection of all rows.

    Forces that are broken at given deflections have more than samples tell: differences test those.
    """
    family = HarmonicBalance(oscillator(LAWS[name]), frequency=0.8, harmonics=6)
    family.follow(some_orbit(family), 0.83)
    rows, follower = family.follower.by_x.copy(), family.follower
    follower.harmonics[:] = np.nan
    follower.run_harmonics(0.83)
    projected = np.einsum("lsk,sc->lkc", rows, family.waves.projection)
    assert follower.harmonics == pytest.approx(projected, abs=1e-13 * np.abs(projected).max())


@pytest.mark.parametrize("name", ["polynomial", "freeplay damped", "sqrt-friction", "dry-friction viscous"])
def test_many_harmonics_have_the_derivatives_of_few(name):
    few, many = (
        HarmonicBalance(oscillator(LAWS[name]), frequency=0.8, harmonics=h, samples=512, width=0.1) for h in (20, 25)
    )
    x = some_orbit(few)
    y = np.concatenate([x[:-1], np.zeros(10), x[-1:]])
    one, other = few.linearise(x, 0.83), many.linearise(y, 0.83)
    kept = np.append(np.arange(40), 50)
    assert other.by_x[np.ix_(kept, kept)] == pytest.approx(one.by_x, abs=1e-12 * np.abs(one.by_x).max())
    assert other.by_p[kept] == pytest.approx(one.by_p, abs=1e-12 * np.abs(one.by_p).max())
    slope = other.by_x[:, [40, 41]]
    for i, column in zip((40, 41), slope.T, strict=True):  # a harmonic that only the many have
        d = np.zeros(y.size)
        d[i] = 1e-6
        change = (many.linearise(y + d, 0.83).residual - many.linearise(y - d, 0.83).residual) / 2e-6
        assert change == pytest.approx(column, abs=1e-6 * np.abs(other.by_x).max())
