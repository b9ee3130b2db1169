"""Nonlinear modes against runs by the exact method that decay along them: no harmonics, no periodic motion, no zeta."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

import slipstick as ss

SAMPLES = 1000  # of a cycle


def chain(count, tangential, limit):
    """Masses in a row on springs of 1, each with a slider to the ground; all damping is friction."""
    m = ss.Model("chain")
    q = [m.coordinate(f"q{i + 1}", inertia=1.0 + 0.1 * i) for i in range(count)]
    for i in range(count):
        m.connect(q[i] - q[i - 1] if i else q[0], ss.Linear(stiffness=1.0), name=f"spring{i + 1}")
        m.connect(q[i], ss.Jenkins(stiffness=tangential, limit=limit), name=f"slider{i + 1}")
    return m


def inertias(m):
    return np.array([c.inertia for c in m.coordinates])


def effective(mode):
    """(points,) what 2/(omega^2 T) times the integral of q'' M q' over a cycle is the square of."""
    c, h = mode.data.harmonics.values, np.arange(mode.data.sizes["harmonic"])
    return np.sqrt((inertias(mode.model) * np.abs(c) ** 2 * h[:, None] ** 2).sum(axis=(1, 2)))


def decay(mode, cycles):
    """Effective amplitude, frequency and damping ratio of each cycle of a run that begins on the mode's last point.

    A cycle lasts between zeros of the modal displacement. The damping ratio is the energy lost in it over 2 omega times
    the integral of q'' M q'; the frequency is that of the decaying motion over sqrt(1 - zeta^2).
    """
    m = mode.model
    for coordinate, q, v in zip(m.coordinates, *(state.values() for state in mode.state(-1)), strict=True):
        coordinate.displacement, coordinate.velocity = q, v
    until = cycles * 2.0 * np.pi / float(mode.data.frequency[-1])
    run = m.simulate(until=until, samples=cycles * SAMPLES + 1, method="exact")
    assert run.certificate.passed
    t, q, v = (run.data[name].values for name in ("time", "displacement", "velocity"))
    stored = 0.5 * (inertias(m) * v**2).sum(axis=1)
    for j, connection in enumerate(m.connections):
        force, law = run.data.force.values[:, j], connection.law
        stored += 0.5 * force**2 / law.stiffness  # of a spring, and of the spring of a slider
    power = (inertias(m) * v**2).sum(axis=1)
    work = np.append(0.0, np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t)))
    along = q @ (inertias(m) * mode.data.shape.values[-1].real)
    k = np.flatnonzero((along[:-1] < 0.0) & (along[1:] >= 0.0))
    zero = t[k] - along[k] * (t[k + 1] - t[k]) / (along[k + 1] - along[k])
    period, energy, moved = np.diff(zero), np.interp(zero, t, stored), np.diff(np.interp(zero, t, work))
    damped = 2.0 * np.pi / period
    zeta = -np.diff(energy) / (2.0 * damped * moved)
    omega = damped / np.sqrt(1.0 - zeta**2)
    return np.sqrt(2.0 * moved / period) / omega, omega, zeta


def compared(m, number, highest, cycles, skipped):
    """Cycle by cycle, after those that are skipped: amplitude over that at which the first slider slips, and the
    relative differences of frequency and damping ratio. Cycles of less than 2.5 are left out: in them slip fades so
    fast that a decaying motion is no periodic one any more."""
    mode = m.nonlinear_mode(number, amplitudes=np.geomspace(highest / 50.0, highest, 120), harmonics=9)
    amplitude, omega, zeta = (values[skipped:] for values in decay(mode, cycles))
    known, ratio = effective(mode), mode.data.damping_ratio.values
    over = amplitude / known[np.flatnonzero(ratio < 1e-9)[-1]]
    assert over[0] > 5.0
    found = [PchipInterpolator(np.log(known), mode.data[name].values) for name in ("frequency", "damping_ratio")]
    expected = [f(np.log(amplitude)) for f in found]
    kept = over > 2.5
    return over[kept], (expected[0] / omega - 1.0)[kept], (expected[1] / zeta - 1.0)[kept]


@pytest.mark.parametrize(("tangential", "highest", "cycles"), [(0.1, 8.0, 20), (0.2, 20.0, 26)])
def test_a_slider_oscillator_decays_with_the_frequency_and_damping_of_its_mode(tangential, highest, cycles):
    over, frequency, damping = compared(chain(1, tangential, limit=tangential), 1, highest, cycles, skipped=1)
    assert over.min() < 3.5
    assert np.abs(frequency).max() < 1e-3
    assert np.abs(damping).max() < 0.01


@pytest.mark.parametrize(("number", "tangential", "cycles"), [(1, 0.005, 30), (2, 0.05, 40), (3, 0.1, 40)])
def test_a_chain_decays_along_its_modes(number, tangential, cycles):
    m = chain(4, tangential, limit=tangential)
    over, frequency, damping = compared(m, number, 16.0, cycles, skipped=4)
    assert over.min() < 0.7 * over.max()
    assert np.abs(frequency).max() < 2e-3
    assert np.abs(damping).max() < 0.01
