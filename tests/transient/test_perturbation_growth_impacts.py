"""Growth of perturbations through hard impacts: a ball on a stiff, damped floor."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss

G, ZETA = 9.81, 0.12


def ball(stiffness, height=1.0):
    m = ss.Model("ball")
    y = m.coordinate("y", inertia=1.0, displacement=height)
    law = ss.Contact(stiffness=stiffness, gap=0.0, damping=2.0 * ZETA * math.sqrt(stiffness))
    m.connect(-y, law, name="floor")
    m.load(y, -G)
    return m


def height_of(stiffness, until, height=1.0):
    """In closed form: free fall, and a damped half swing until the floor would have to pull."""
    t, y, v = 0.0, height, 0.0
    decay, omega = ZETA * math.sqrt(stiffness), math.sqrt(stiffness * (1.0 - ZETA**2))
    while True:
        fall = (v + math.sqrt(v * v + 2.0 * G * y)) / G
        if t + fall >= until:
            s = until - t
            return y + v * s - 0.5 * G * s * s
        t, v = t + fall, v - G * fall
        mean = -G / stiffness
        a, b = -mean, (v - decay * mean) / omega

        def state(s, a=a, b=b, mean=mean):
            c, sn, e = math.cos(omega * s), math.sin(omega * s), math.exp(-decay * s)
            return mean + e * (a * c + b * sn), e * ((b * omega - a * decay) * c - (a * omega + b * decay) * sn)

        low, high = 0.5 * math.pi / omega, 1.5 * math.pi / omega
        for _ in range(200):
            middle = 0.5 * (low + high)
            own = state(middle)
            pushes = stiffness * own[0] + 2.0 * decay * own[1] < 0.0
            low, high = (middle, high) if pushes else (low, middle)
        t, (y, v) = t + low, state(low)


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e8, 1e10, 1e12])
@pytest.mark.parametrize("until", [0.9, 1.5, 2.4])
def test_a_ball_that_bounces_is_not_called_sensitive_and_its_error_is_honest(stiffness, until):
    run = ball(stiffness).simulate(until=until, samples=3)
    c = run.certificate
    assert c.passed, c.verdict
    wrong = abs(float(run.data.displacement[-1, 0]) - height_of(stiffness, until))
    assert wrong <= 10.0 * c.error
    assert c.error < 1e-11


def test_the_growth_of_the_height_is_small_in_closed_form():
    beside = abs(height_of(1e8, 1.5, 1.0 + 1e-7) - height_of(1e8, 1.5)) / 1e-7
    assert beside < 2.0


def test_impacts_that_amplify_are_still_called_sensitive():
    """A ball between two walls that shake, with gaps so wide that each impact multiplies what differs."""
    m = ss.Model("rattle")
    x = m.coordinate("x", inertia=1.0, displacement=0.1, velocity=0.3)
    m.connect(x, ss.Freeplay(stiffness=1e6, half_gap=0.5), name="walls")
    m.connect(x, ss.Linear(stiffness=0.0, damping=0.05), name="air")
    m.load(x, ss.Cosine(1.0, frequency=1.0))
    run = m.simulate(until=400.0, samples=3)
    assert run.certificate.sensitive
    near = m.simulate(until=20.0, samples=3)
    assert not near.certificate.sensitive
    assert np.isfinite(near.certificate.error)
