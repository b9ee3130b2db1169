"""Extrapolated differences: exact for smooth functions, refused at kinks and jumps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from slipstick.errors import NotConverged
from slipstick.sensitivity.richardson import Kink, derivative, difference


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (math.exp, 1.0),
        (lambda s: math.sin(3.0 * s), 3.0),
        (lambda s: 1.0 / (2.0 + s), -0.25),
        (lambda s: 7.0 + 0.0 * s, 0.0),
    ],
)
def test_smooth_functions_have_their_derivative(function, expected):
    found = derivative(lambda s: np.array([function(s)]), np.array([function(0.0)]), 1.0)
    assert found.value[0] == pytest.approx(expected, rel=1e-10, abs=1e-12)
    assert abs(found.value[0] - expected) <= 1e-12 + max(found.error, 1e-10) * abs(expected)


def test_a_function_that_changes_within_a_small_part_of_its_scale_needs_shorter_steps():
    found = derivative(lambda s: np.array([math.tanh(500.0 * s)]), np.zeros(1), 1.0)
    assert found.value[0] == pytest.approx(500.0, rel=1e-8)


def test_a_kink_is_refused():
    with pytest.raises(Kink):
        derivative(lambda s: np.array([abs(s) + 0.3 * s]), np.zeros(1), 1.0)


def test_a_jump_is_refused():
    with pytest.raises(NotConverged):
        derivative(lambda s: np.array([math.copysign(1.0, s)]), np.zeros(1), 1.0)


def test_a_function_that_fails_far_away_is_differentiated_nearby():
    def function(s: float) -> np.ndarray:
        if abs(s) > 1e-4:
            raise NotConverged("too far")
        return np.array([math.exp(s)])

    assert derivative(function, np.ones(1), 1.0).value[0] == pytest.approx(1.0, rel=1e-8)


def test_a_single_difference_is_a_first_guess():
    assert difference(lambda s: np.array([math.exp(s)]), 1.0)[0] == pytest.approx(1.0, rel=1e-6)
