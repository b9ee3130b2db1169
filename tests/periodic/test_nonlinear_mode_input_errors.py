"""Nonlinear modes: what cannot be asked for, and what is kept where one ends early."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.balance_models import chain, oscillator

import slipstick as ss


def test_what_cannot_be_asked_for_is_refused_in_one_line(refused):
    m = chain(4, (1, 3))
    for mode in (0, 5, 1.0, True, "first"):
        with refused("mode must be a whole number from 1 to 4"):
            m.nonlinear_mode(mode)
    with refused("amplitudes must have at least one of the amplitudes, got []"):
        m.nonlinear_mode(1, amplitudes=[])
    for amplitudes in ([1.0, 0.0], [-1.0], [np.nan], "big"):
        with refused("amplitudes must be"):
            m.nonlinear_mode(1, amplitudes=amplitudes)
    for between in ((1.0, 1.0), (1.0, 2.0, 3.0), (0.0, 1.0)):
        with refused("between must be"):
            m.nonlinear_mode(1, between=between)
    with refused("exclude each other"):
        m.nonlinear_mode(1, amplitudes=[1.0], between=(1.0, 2.0))
    with refused("no free coordinate 'q5'", "q4"):
        m.nonlinear_mode(1, coordinate="q5")
    with refused("harmonics must be a whole number from 1"):
        m.nonlinear_mode(1, harmonics=0)
    with refused("harmonics must be a whole number from 1 to 1000, got 30000"):
        m.nonlinear_mode(1, harmonics=30000)
    with refused('sustain must be "first" or "all"'):
        m.nonlinear_mode(1, sustain="some")
    with refused("amplitude", "did you mean", error=ss.WrongArguments):
        m.nonlinear_mode(1, amplitude=[1.0])


def test_laws_that_have_no_cycle_are_refused(refused):
    m = oscillator(ss.DryFriction(limit=1.0, static_limit=1.5))
    with refused('connection "law"', "static_limit", error=ss.MissingFace):
        m.nonlinear_mode(1)
    m = oscillator(ss.Linear(stiffness=1.0).modulated(ss.Fourier(1.0, cos=(0.2,), order=2)))
    with refused('connection "law"', "varies in time"):
        m.nonlinear_mode(1)


def test_modes_that_do_not_swing_are_refused_with_those_that_do(refused):
    m = ss.Model("train")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=3.0)
    m.connect(a - b, ss.Linear(stiffness=3.0), name="shaft")
    with refused("mode 1 does not oscillate", ": 2"):
        m.nonlinear_mode(1)
    m = oscillator(damping=3.0)
    with refused("mode 1 does not oscillate", "none"):
        m.nonlinear_mode(1)


def test_a_coordinate_at_rest_in_a_mode_has_no_amplitude(refused):
    m = ss.Model("pair")
    a, b, c = (m.coordinate(name, inertia=1.0) for name in "abc")
    for q, name in ((a - b, "left"), (c - b, "right")):
        m.connect(q, ss.Linear(stiffness=1.0), name=name)
    m.connect(b, ss.Linear(stiffness=5.0), name="middle")
    m.connect(a - b, ss.Jenkins(stiffness=0.1, limit=0.1), name="one")
    m.connect(c - b, ss.Jenkins(stiffness=0.1, limit=0.1), name="two")
    number = 1 + int(np.argmin(np.abs(m.modes().shape[:, 1])))
    with refused('"b" does not move in mode', "another coordinate"):
        m.nonlinear_mode(number, amplitudes=[1.0], coordinate="b")


def test_a_belt_that_moves_on_has_no_mode(refused):
    m = ss.Model("belt")
    x, belt = m.coordinate("x", inertia=1.0), m.coordinate("belt", motion=ss.Ramp(0.1))
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    m.connect(x - belt, ss.DryFriction(limit=0.1), name="friction")
    with refused('the motion of "belt" is not periodic', "Constant"):
        m.nonlinear_mode(1)


def test_an_interrupted_mode_keeps_what_it_has():
    def impatient(count, _):
        if count == 5:
            raise KeyboardInterrupt

    m = oscillator(ss.Jenkins(stiffness=1.0, limit=0.5))
    with pytest.raises(ss.NotConverged) as caught:
        m.nonlinear_mode(1, progress=impatient)
    part = caught.value.partial
    assert len(part) == 5
    assert "PARTIAL: interrupted" in repr(part)


def test_a_mode_that_cannot_be_followed_says_so_and_keeps_what_it_has():
    """Below its play nothing holds this mass: the frequency falls to zero there."""
    m = ss.Model("play")
    q = m.coordinate("q", inertia=1.0)
    m.connect(q, ss.Freeplay(stiffness=1.0, half_gap=0.1), name="play")
    with pytest.raises(ss.NotConverged) as caught:
        m.nonlinear_mode(1, amplitudes=[0.01, 0.2, 1.0])
    assert "nothing holds the mode" in str(caught.value)
    assert sorted(caught.value.partial.data.amplitude.values) == [0.2, 1.0]


@pytest.mark.parametrize("amplitudes", [[1e-300], [0.1, 1e300]])
def test_amplitudes_whose_squares_are_no_numbers_are_refused(amplitudes, refused):
    m = ss.Model("slider")
    q = m.coordinate("q", inertia=1.0)
    m.connect(q, ss.Jenkins(stiffness=1.0, limit=0.1))
    with refused("amplitudes must lie between 1e-60 and 1e+60"):
        m.nonlinear_mode(1, amplitudes=amplitudes)
