"""Functions of time in rows: at an instant, over many, packed for loops; and what prescribed motions become."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.forcing import Forcing, forcing_at, sum_functions
from slipstick.transient.problem import pose

SIGNAL = ss.Signal((0.0, 1.0, 2.0), (0.5, 2.0, -1.0))
PARTS = [
    (ss.Constant(0.3), np.array([1.0, -2.0])),
    (ss.Sine(2.0, frequency=3.0), np.array([0.5, 0.0])),
    (ss.Cosine(0.7, frequency=5.0), np.array([0.0, 4.0])),
    (SIGNAL, np.array([1.0, 1.0])),
]


def by_hand(t: float) -> list[float]:
    sampled = 0.5 + 1.5 * t if t < 1.0 else 2.0 - 3.0 * (t - 1.0)
    return [0.3 + math.sin(3.0 * t) + sampled, -0.6 + 2.8 * math.cos(5.0 * t) + sampled]


@pytest.mark.parametrize("t", [0.0, 0.25, 0.999, 1.0, 1.75])
def test_at_over_and_packed_give_the_same_sum(t):
    forcing, out = sum_functions(2, PARTS, None), [0.0, 0.0]
    forcing_at(forcing.packed(), t, out)
    for found in (forcing.at(t), forcing.over(np.array([t]))[0], out):
        assert np.asarray(found) == pytest.approx(by_hand(t), rel=1e-14)


def test_the_rate_is_the_derivative_between_corners():
    forcing = sum_functions(2, PARTS, None)
    for t in (0.2, 1.4):
        slope = 1.5 if t < 1.0 else -3.0
        expected = [3.0 * math.cos(3.0 * t) + slope, -14.0 * math.sin(5.0 * t) + slope]
        assert forcing.rate().at(t) == pytest.approx(expected, rel=1e-13)
        assert forcing.at(t, 1) == pytest.approx(expected, rel=1e-13)


def test_a_frequency_that_nothing_takes_part_in_is_left_out():
    forcing = sum_functions(2, PARTS, None)
    none = sum_functions(1, [], None).plus(np.array([[0.0, 1.0]]), forcing)
    assert none.omega.tolist() == [5.0]
    assert isinstance(none, Forcing)


def test_a_prescribed_motion_pushes_through_mass_damping_and_stiffness():
    matrices = {
        "mass": np.array([[2.0, 0.3], [0.3, 1.0]]),
        "damping": np.array([[0.5, -0.2], [-0.2, 0.4]]),
        "stiffness": np.array([[7.0, -3.0], [-3.0, 5.0]]),
    }
    motion = ss.Fourier(0.1, sin=(0.2,), cos=(0.4,), frequency=1.7)
    model = ss.Model.from_matrices(**matrices, names=("x", "wall"))
    model["wall"].motion = motion
    forcing = pose(model).forcing
    w = 1.7
    for t in (0.0, 0.6, 2.1):
        c, s = math.cos(w * t), math.sin(w * t)
        z, rate, acceleration = 0.1 + 0.2 * s + 0.4 * c, w * (0.2 * c - 0.4 * s), -w * w * (0.2 * s + 0.4 * c)
        assert forcing.at(t) == pytest.approx([-0.3 * acceleration + 0.2 * rate + 3.0 * z], rel=1e-13)
