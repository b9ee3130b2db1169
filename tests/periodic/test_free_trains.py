"""Trains that nothing holds to the ground: their rigid rotation belongs neither to an error nor to a verdict.

Oracle: two inertias and a gear are one oscillator in the deflection u = a - g b, of mass 1 / (1/J1 + g^2/J2).
"""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

FIRST, SECOND, LOAD = 0.2, 2.0, 30.0
LAWS = {
    "linear": (ss.Linear(stiffness=1400.0, damping=0.5),),
    "friction": (ss.Linear(stiffness=1400.0, damping=0.5), ss.DryFriction(limit=4.0)),
    "cubic": (ss.Linear(stiffness=1400.0, damping=0.5), ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 5000.0))),
}


def trains(laws, gear, count=1, drag=0.0):
    m = ss.Model("free trains")
    for i in range(count):
        a, b = m.coordinate(f"a{i}", inertia=FIRST), m.coordinate(f"b{i}", inertia=SECOND)
        for law in laws:
            m.connect(a - gear * b, law)
        if drag:
            m.connect(a, ss.Linear(damping=drag))
        m.load(a, ss.Cosine(LOAD, order=1))
    return m


def oscillator(laws, gear):
    mass = 1.0 / (1.0 / FIRST + gear**2 / SECOND)
    m = ss.Model("the same in its deflection")
    u = m.coordinate("u", inertia=mass)
    for law in laws:
        m.connect(u, law)
    m.load(u, ss.Cosine(LOAD * mass / FIRST, order=1))
    return m


def twist(orbit, gear, train=0):
    q = orbit.data.displacement
    return 0.5 * np.ptp((q.sel(coordinate=f"a{train}") - gear * q.sel(coordinate=f"b{train}")).values)


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("gear", "count"), [(1.0, 1), (3.0, 2)])
def test_a_free_train_is_an_oscillator_in_its_deflection(law, gear, count, method):
    m = trains(LAWS[law], gear, count)
    orbit = m.periodic(frequency=60.0, method=method)
    other = oscillator(LAWS[law], gear).periodic(frequency=60.0, method=method)
    own, size = (found.point.error for found in (orbit, other)), other.amplitude["u"]
    assert orbit.point.error <= max(100.0 * other.point.error, 1e-9 * size)
    for train in range(count):
        assert twist(orbit, gear, train) == pytest.approx(size, abs=(1.0 + gear) * sum(own) + 1e-4 * size)
    assert orbit.stable
    assert "edge of stability" not in repr(orbit)


@pytest.mark.parametrize("drag", [0.0, 1e-3, 0.05])
@pytest.mark.parametrize("law", ["friction", "cubic"])
def test_errors_of_a_curve_are_those_of_deflections(law, drag):
    curve = trains(LAWS[law], 3.0, drag=drag).frequency_response(between=(50.0, 70.0))
    assert not curve.doubt
    assert all(point.error <= 1e-5 * point.amplitude.max() for point in curve.points)
    assert all(point.stable for point in curve.points)
    assert not [s for s in curve.special if s["kind"] != "grazing"]


def test_the_rigid_motions_of_free_bodies_have_multipliers_of_exactly_one():
    """The others are those of the oscillator."""
    orbit = trains(LAWS["friction"], 3.0, 2).periodic(frequency=60.0)
    alone = oscillator(LAWS["friction"], 3.0).periodic(frequency=60.0)
    assert np.count_nonzero(orbit.multipliers == 1.0) == 4
    rest = np.sort_complex(orbit.multipliers[orbit.multipliers != 1.0])
    assert rest == pytest.approx(np.sort_complex(np.tile(alone.multipliers, 2)), abs=1e-9)
