"""Orbits at folds, from the curve that found them: integrated more tightly, there may be none at that frequency."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import slipstick as ss


def test_orbits_at_the_folds_of_a_duffing_oscillator_come_back():
    """SciPy's integration of x'' + 0.05 x' + x + 0.1 x^3 = 0.18 cos(w t) closes from the state that is handed over."""
    m = ss.Model("duffing")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.1), damping=0.05))
    m.load(x, ss.Cosine(0.18, order=1))
    curve = m.frequency_response(between=(1.0, 1.35), method="shooting")
    folds = [s for s in curve.special if s["kind"] == "fold"]
    assert len(folds) == 2
    for fold in folds:
        orbit, point = curve.orbit(fold), curve.points[fold["point"]]
        assert orbit.frequency == pytest.approx(fold["frequency"], rel=1e-7)
        assert orbit.point.amplitude[0] == pytest.approx(point.amplitude[0], rel=1e-4)
        assert np.abs(orbit.multipliers - 1.0).min() < 1e-3
        assert orbit.certificate.passed
        w = orbit.frequency
        state = [orbit.samples.displacement[0, 0], orbit.samples.velocity[0, 0]]
        end = solve_ivp(
            lambda t, y, w=w: [y[1], 0.18 * np.cos(w * t) - 0.05 * y[1] - y[0] - 0.1 * y[0] ** 3],
            (0.0, 2.0 * np.pi / w),
            state,
            rtol=1e-12,
            atol=1e-12,
        ).y[:, -1]
        assert end == pytest.approx(state, abs=1e-8)
