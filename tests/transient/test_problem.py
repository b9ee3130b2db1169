"""A problem: what has no inertia, deflections of elements."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.transient.problem import pose


def posed(mass):
    return pose(ss.Model.from_matrices(np.array(mass), None, np.eye(len(mass))))


@pytest.mark.parametrize(
    ("mass", "null"),
    [
        ([[2.0, 0.0], [0.0, 3.0]], []),
        ([[2.0, 0.0], [0.0, 1e-30]], []),  # light is not massless
        ([[2.0, 0.0], [0.0, 0.0]], [[0.0, 1.0]]),
        ([[1.0, -1.0], [-1.0, 1.0]], [[1.0, 1.0]]),  # the sum of the two carries none
        ([[1e-12, -1e-6], [-1e-6, 1.0]], [[1.0, 1e-6]]),
        ([[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]),
    ],
)
def test_motions_without_inertia_are_found_in_any_units(mass, null):
    p = posed(mass)
    assert p.massless is bool(null)
    assert p.null_space.shape == (2, len(null))
    assert np.abs(p.null_space.T @ p.null_space - np.eye(len(null))).max(initial=0.0) <= 1e-14
    for direction in np.array(null).reshape(-1, 2):
        held = p.null_space @ (p.null_space.T @ direction)
        np.testing.assert_allclose(held, direction, atol=1e-9)
    t = p.inertial_space
    np.testing.assert_allclose(t.T @ p.mass @ t, np.eye(2 - len(null)), atol=1e-12)


def test_deflections_and_rates_follow_coordinates_and_motions():
    m = ss.Model("shaken")
    base = m.coordinate("base", motion=ss.Sine(0.3, frequency=2.0))
    x = m.coordinate("x", inertia=1.0)
    m.connect(2.0 * x - base, ss.Linear(stiffness=1.0), name="spring")
    p = pose(m)
    times, q = np.array([0.1, 0.7]), np.array([[0.5], [-0.2]])
    u = 2.0 * q[:, 0] - 0.3 * np.sin(2.0 * times)
    v = 2.0 * q[:, 0] - 0.6 * np.cos(2.0 * times)
    np.testing.assert_allclose(p.deflections_at(times, q)[:, 0], u, rtol=1e-14)
    np.testing.assert_allclose(p.rates_at(times, q)[:, 0], v, rtol=1e-14)
    np.testing.assert_allclose(p.deflections_at(0.7, q[1]), u[1:], rtol=1e-14)
    np.testing.assert_allclose(p.rates_at(0.7, q[1]), v[1:], rtol=1e-14)
