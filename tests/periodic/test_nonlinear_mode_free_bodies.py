"""Nonlinear modes of trains that nothing holds to the ground, and that only sliders hold together."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.initial_point import find_start
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.modes.amplitude_continuation import trace_mode
from slipstick.periodic.modes.mode_family import ModeFamily
from slipstick.periodic.modes.nonlinear_mode import _checked_request

STIFFNESS, LIMIT = 1.0, 0.3


def pair() -> ss.Model:
    m = ss.Model("pair")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=1.0)
    m.connect(a - b, ss.Jenkins(stiffness=STIFFNESS, limit=LIMIT), name="slider")
    return m


def train(count: int = 4) -> ss.Model:
    """Masses of 1, sliders between them, a spring in the place of the second."""
    m = ss.Model("train")
    q = [m.coordinate(f"q{i}", inertia=1.0) for i in range(count)]
    for i in range(count - 1):
        slider = ss.Jenkins(stiffness=STIFFNESS, limit=LIMIT * (1.0 + 0.3 * i))
        m.connect(q[i] - q[i + 1], ss.Linear(stiffness=1.0) if i == 1 else slider, name=f"between {i}")
    return m


def one_harmonic(relative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frequency and damping ratio of two masses of 1 on a slider, from its describing function (Caughey 1960).

    A cosine of size X about the reduced mass 1/2: with cos(t) = 1 - 2 f/(k X) the slider sticks over an angle t, and

        k_eq = k (t - sin(2 t)/2)/pi,     loss in a cycle = 4 f (X - f/k) = 2 pi zeta m w^2 X^2,     m w^2 = k_eq.
    """
    slips = relative > LIMIT / STIFFNESS
    angle = np.where(slips, np.arccos(np.clip(1.0 - 2.0 * LIMIT / (STIFFNESS * relative), -1.0, 1.0)), np.pi)
    stiffness = STIFFNESS * (angle - 0.5 * np.sin(2.0 * angle)) / np.pi
    loss = np.where(slips, 4.0 * LIMIT * (relative - LIMIT / STIFFNESS), 0.0)
    return np.sqrt(stiffness / 0.5), loss / (2.0 * np.pi * stiffness * relative**2)


def test_two_masses_on_a_slider_have_the_describing_function_of_the_slider_to_where_they_swing_no_more():
    mode = pair().nonlinear_mode(2, between=(0.01, 30.0), harmonics=1)
    relative = np.sqrt(2.0) * mode.data.amplitude.values  # of unit modal mass each moves by 1/sqrt(2)
    frequency, damping = one_harmonic(relative)
    sampling = (2.0 * np.pi / 256) ** 2  # corners of the force lie between samples
    np.testing.assert_allclose(mode.data.frequency, frequency, rtol=sampling)
    np.testing.assert_allclose(mode.data.damping_ratio, damping, atol=sampling)
    assert mode.partial == ""
    sizes = np.linspace(0.3, 3.0, 20_001)
    end = sizes[np.argmax(one_harmonic(sizes)[1] >= 1.0)] / np.sqrt(2.0)
    assert mode.data.amplitude.values.max() == pytest.approx(end, rel=0.05)
    assert any("it no longer oscillates" in note for note in mode.notes)


@pytest.mark.parametrize("number", [2, 3, 4])
def test_a_train_on_sliders_is_followed_to_where_it_swings_no_more_and_no_farther(number):
    mode = train().nonlinear_mode(number, between=(0.01, 30.0))
    assert mode.partial == ""
    assert 0.0 <= mode.data.damping_ratio.values.max() < 1.0
    linear = abs(train().modes().eigenvalues[number - 1])
    assert mode.data.frequency.values[0] == pytest.approx(linear, rel=1e-9)
    reached = mode.data.amplitude.values.max() == pytest.approx(30.0)
    assert reached or any("it no longer oscillates" in note for note in mode.notes)


def test_between_and_single_amplitudes_agree_where_the_mode_does_not_turn_back():
    whole = train().nonlinear_mode(2, between=(0.01, 0.8)).data
    some = train().nonlinear_mode(2, amplitudes=whole.amplitude.values[::6]).data
    np.testing.assert_allclose(some.frequency, whole.frequency[::6], rtol=1e-8)
    np.testing.assert_allclose(some.damping_ratio, whole.damping_ratio[::6], atol=1e-8)


def test_a_range_that_begins_where_a_mode_swings_no_more_is_refused_with_where_it_swings():
    with pytest.raises(NotConverged, match=r"^the mode does not oscillate at amplitude 2: .*; begin below ") as caught:
        pair().nonlinear_mode(2, between=(2.0, 30.0), harmonics=1)
    sizes = np.linspace(0.3, 3.0, 20_001)
    end = sizes[np.argmax(one_harmonic(sizes)[1] >= 1.0)] / np.sqrt(2.0)
    begin = float(str(caught.value).rpartition(" ")[2])
    assert 0.5 * end < begin <= end
    assert len(pair().nonlinear_mode(2, between=(0.9 * begin, begin), harmonics=1)) > 1


def test_a_mode_that_is_lost_where_another_end_swings_no_more_is_told_as_lost(monkeypatch):
    """Both ends of a curve count: one that is overdamped is no reason to forget that the other failed."""
    linearise, lowest = ModeFamily.linearise, np.log10(0.15)

    def lost_below(self, x, p):
        if p < lowest:
            raise NotConverged("nothing is known there")
        return linearise(self, x, p)

    family = _checked_request(pair(), mode=2, between=(0.2, 30.0), harmonics=1).plan.family
    start = find_start(family, np.log10(0.3), None, ParameterRange(-1.0, 1.0))[0]
    monkeypatch.setattr(ModeFamily, "linearise", lost_below)
    with pytest.raises(NotConverged, match=r"could not be followed beyond amplitude 0\.15"):
        trace_mode(family, (-1.0, np.log10(30.0)), [start], lambda _: None)
