"""Stated errors and multipliers of adaptive shooting, beside orbits at a much tighter tolerance and a closed form."""

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.common_period import period_of
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.adaptive_orbits import adaptive_point_of
from slipstick.periodic.shooting.newton import solve_period_map_near
from slipstick.transient.problem import pose

LUGRE = ss.LuGre(
    bristle_stiffness=5.0, bristle_damping=0.2, viscous=0.05, coulomb=0.3, static=0.45, stribeck_velocity=0.1
)


def pushed(*laws, load=1.0):
    model = ss.Model()
    x = model.coordinate("x", inertia=1.0)
    for k, law in enumerate(laws):
        model.connect(x, law, name=f"law {k}")
    model.load(x, ss.Cosine(load, order=1))
    return model


@pytest.mark.parametrize("frequency", [0.9417, 0.9663, 0.9907, 1.0153, 1.114])
def test_the_stated_error_of_a_lugre_orbit_covers_what_it_is_off_by(frequency):
    model = pushed(ss.Linear(stiffness=1.0, damping=0.05), LUGRE)
    point = model.frequency_response(at=[frequency], method="shooting").points[0]
    problem = pose(model, 0.0, frequency)
    tight = AdaptiveMap(problem, 2.0 * np.pi / frequency, tolerance=1e-12)
    judge = adaptive_point_of(tight, period_of(problem, 1), solve_period_map_near(tight, point.x), frequency)
    off = max(
        abs(float(point.amplitude[0] - judge.amplitude[0])),
        abs(float(point.rms[0] - judge.rms[0])),
        float(np.abs(point.harmonics - judge.harmonics).max()),
    )
    assert 0.0 < off <= point.error < 1e-6


def test_multipliers_of_a_period_of_a_thousand_swings_are_those_of_the_damping():
    """det P' = exp(-c T / m) by Liouville, and both multipliers have its root where the motion swings about rest."""
    damping = 0.1
    spring = ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.3), damping=damping)
    curve = pushed(spring).frequency_response(at=[0.001, 0.00101], method="shooting")
    for point in curve.points:
        expected = -0.5 * damping * point.period
        assert np.log(np.abs(point.multipliers)) == pytest.approx([expected] * 2, rel=1e-2)
        assert point.error < 1e-6
        assert point.stable
    assert not curve.special
