"""A load that hardly passes the static limit: the instant of breaking away is known to the root of that, not better."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import slipstick as ss

MASS, DAMPING, STIFFNESS, LOAD = 0.7, 0.1, 2.0, 1.0


def block(omega: float, static: float, ratio: float) -> ss.Model:
    m = ss.Model("block")
    x = m.coordinate("x", inertia=MASS)
    m.connect(x, ss.Linear(stiffness=STIFFNESS, damping=DAMPING), name="spring")
    m.connect(x, ss.DryFriction(limit=static / ratio, static_limit=static), name="floor")
    m.load(x, ss.Sine(LOAD, frequency=omega))
    return m


def displacement(omega: float, static: float, ratio: float, t: float) -> mp.mpf:
    """While the block slides for the first time, in 40 digits: steady response, spring at the limit, free decay."""
    with mp.workdps(40):
        m, c, k, w = (mp.mpf(value) for value in (MASS, DAMPING, STIFFNESS, omega))
        limit = mp.mpf(static / ratio)
        begin = mp.asin(mp.mpf(static) / LOAD) / w
        response = LOAD / (k - m * w**2 + 1j * c * w)
        steady, rate = ((factor * response * mp.e ** (1j * w * begin)).imag for factor in (1, 1j * w))
        root = (-c + mp.sqrt(mp.mpc(c * c - 4 * m * k))) / (2 * m)
        left, left_rate = limit / k - steady, -rate  # x = v = 0 at the begin
        amplitude = (left_rate - mp.conj(root) * left) / (root - mp.conj(root))
        later = mp.mpf(t) - begin
        return +(
            (response * mp.e ** (1j * w * t)).imag - limit / k + 2 * (amplitude * mp.e ** (root * later)).real
        )  # fmt: skip


@pytest.mark.parametrize("passed", [1e-3, 1e-6, 1e-9, 1e-12])
def test_the_claimed_error_covers_the_instant_of_breaking_away(passed: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(8):
        omega, ratio = float(rng.uniform(0.7, 1.6)), float(rng.uniform(1.1, 1.6))
        static = LOAD * (1.0 - passed)
        t = (0.5 * math.pi + 0.6) / omega
        run = block(omega, static, ratio).simulate(until=t, samples=[t], method="exact")
        assert [event.after for event in run.events] == ["slip+"]
        off = abs(mp.mpf(float(run.data.displacement[-1, 0])) - displacement(omega, static, ratio, t))
        assert off <= run.certificate.error
        # rounding of the load over its slope there, and a motion of no more than 1 m/s
        assert run.certificate.error <= 300.0 * 2.2e-16 / (omega * math.sqrt(2.0 * passed))


@pytest.mark.parametrize("passed", [1e-6, 1e-9, 1e-12])
def test_the_same_of_a_block_without_inertia(passed: float) -> None:
    """c x' + k x = load - limit from rest at the begin: the rest of the steady response decays."""
    static, omega, t = LOAD * (1.0 - passed), 1.3, (0.5 * math.pi + 0.3) / 1.3
    m = ss.Model("light block")
    x = m.coordinate("x")
    m.connect(x, ss.Linear(stiffness=STIFFNESS, damping=0.5), name="spring")
    m.connect(x, ss.DryFriction(limit=static / 1.3, static_limit=static), name="floor")
    m.load(x, ss.Sine(LOAD, frequency=omega))
    run = m.simulate(until=t, samples=[t], method="exact")
    assert [event.after for event in run.events] == ["slip+"]
    with mp.workdps(40):
        k, c, w, limit = mp.mpf(STIFFNESS), mp.mpf(0.5), mp.mpf(omega), mp.mpf(static / 1.3)
        begin = mp.asin(mp.mpf(static) / LOAD) / w
        steady, first = ((LOAD / (k + 1j * c * w) * mp.e ** (1j * w * s)).imag for s in (mp.mpf(t), begin))
        exact = steady - limit / k + (limit / k - first) * mp.e ** (-k / c * (t - begin))
        assert abs(mp.mpf(float(run.data.displacement[-1, 0])) - exact) <= run.certificate.error
