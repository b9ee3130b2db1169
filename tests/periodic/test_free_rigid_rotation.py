"""Trains that nothing holds to the ground: their rigid rotation belongs neither to an error nor to a verdict.

Oracle: two inertias and a gear are one oscillator in the deflection u = a - g b, of mass 1 / (1/J1 + g^2/J2).
"""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.continuation.initial_point import find_start
from slipstick.periodic.continuation.step_control import ParameterRange

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


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_a_single_free_mass_moves_by_the_load_over_its_inertia(method):
    m = ss.Model("free mass")
    m.load(m.coordinate("x", inertia=FIRST), ss.Cosine(LOAD, order=1))
    curve = m.frequency_response(at=[2.0, 3.0], method=method)
    assert [p.amplitude[0] for p in curve.points] == pytest.approx([LOAD / (FIRST * w**2) for w in (2.0, 3.0)])
    assert [abs(p.multipliers).max() for p in curve.points] == pytest.approx([1.0, 1.0])


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


def test_folds_beside_a_graze_of_a_train_with_a_stop_are_found_by_both_methods() -> None:
    """It begins to touch its stop at 38.8221 rad/s and turns back and forth there, within one step of the curve. Planes
    across that step cut the curve three times: by shooting the graze was not located, and the folds were missed.
    """
    m = ss.Model("train with a stop")
    a, b, d = (m.coordinate(name, inertia=own) for name, own in (("a", 0.2), ("b", 2.0), ("d", 120.0)))
    m.connect(a - b, ss.Linear(stiffness=1400.0, damping=0.3), name="shaft")
    m.connect(a - b, ss.Freeplay(stiffness=3000.0, half_gap=0.01), name="stop")
    m.connect(b - d, ss.Linear(stiffness=3000.0, damping=1.0), name="axle")
    m.connect(a, ss.Linear(damping=0.05), name="drag")
    m.load(a, ss.Constant(20.0) + ss.Cosine(30.0, order=1))
    m.load(d, -20.0)
    shot = m.frequency_response(between=(42.0, 38.7), method="shooting")
    balanced = m.frequency_response(between=(42.0, 38.7), method="harmonic-balance", harmonics=15)
    found, other = (sorted(s["frequency"] for s in c.special if s["kind"] == "fold") for c in (shot, balanced))
    error = max(s["error"] for s in balanced.special if s["kind"] == "fold")
    assert len(found) == 2 + sum(f > 38.9 for f in other)
    assert error < 1e-3
    assert found == pytest.approx(other, abs=error)
    assert all(s["located"] for s in shot.special if s["kind"] == "grazing")


TORQUE, DRAG = 20.0, 0.05
DRIVE_LAWS = {
    "linear": None,
    "gap": ss.Freeplay(stiffness=3000.0, half_gap=0.01),
    "friction": ss.DryFriction(limit=2.0),
    "cubic": ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 5e5)),
}


def driven_train(law=None, drag=DRAG):
    """A motor torque against drag: the train turns at a mean speed of torque / drag."""
    m = ss.Model("driven train")
    a, b, d = (m.coordinate(name, inertia=own) for name, own in (("a", 0.2), ("b", 2.0), ("d", 120.0)))
    m.connect(a - b, ss.Linear(stiffness=1400.0, damping=0.3), name="shaft")
    m.connect(b - d, ss.Linear(stiffness=3000.0, damping=1.0), name="axle")
    if law is not None:
        m.connect(a - b, law, name="clutch")
    m.connect(d, ss.Linear(damping=drag), name="drag")
    m.load(a, ss.Constant(TORQUE) + ss.Cosine(30.0, order=1))
    return m


@pytest.mark.parametrize("law", DRIVE_LAWS)
def test_a_train_that_turns_against_drag_agrees_with_shooting(law):
    m = driven_train(DRIVE_LAWS[law])
    one, other = (m.periodic(frequency=50.0, method=method) for method in ("harmonic-balance", "shooting"))
    assert one.certificate.passed
    turned = one.data.displacement.values[-1] - one.data.displacement.values[0]
    assert turned == pytest.approx(np.full(3, TORQUE / DRAG * one.period), rel=1e-10)
    for name in ("shaft", "axle"):
        mine, theirs = (o.data.deflection.sel(connection=name).values for o in (one, other))
        error = 2.0 * one.point.error
        assert [mine.max(), mine.min()] == pytest.approx(
            [theirs.max(), theirs.min()], abs=error + 1e-4 * np.ptp(theirs)
        )
    assert one.certificate.dissipated == pytest.approx(other.certificate.dissipated, rel=1e-3, abs=1e-3)
    assert one.certificate.work_in == pytest.approx(TORQUE * TORQUE / DRAG * one.period, rel=1e-3)
    assert one.stable == other.stable


def test_a_curve_of_a_train_that_turns_against_drag_has_the_amplitudes_of_a_balanced_one():
    """Drag that is linear, on a train that is linear but for its mean: the swing knows nothing of the mean speed."""
    m = driven_train(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 5e5)))
    balanced = driven_train(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 5e5)))
    balanced.load(balanced["d"], -TORQUE)
    grid = [40.0, 50.0, 60.0]
    one, other = (model.frequency_response(at=grid, method="harmonic-balance").data for model in (m, balanced))
    assert one.amplitude.values == pytest.approx(other.amplitude.values, rel=1e-7)
    assert one.force_range.values == pytest.approx(other.force_range.values, rel=1e-6)
    power = one.dissipated.sel(connection="drag").values * grid / (2.0 * np.pi)
    assert power == pytest.approx(np.full(3, TORQUE**2 / DRAG), rel=1e-6)


def test_a_train_that_nothing_resists_is_refused():
    with pytest.raises(ss.InvalidInput, match=r"nothing holds.*runs away.*spring or a damper"):
        driven_train(drag=0.0).periodic(frequency=50.0, method="harmonic-balance")


def held_by_friction(second=0.0):
    m = ss.Model("rotor in a bearing", frequency=8.0)
    a, b = m.coordinate("a", inertia=0.05), m.coordinate("b", inertia=0.1)
    m.connect(a - b, ss.Linear(stiffness=40.0, damping=0.2))
    m.connect(a, ss.DryFriction(limit=0.3, damping=0.05), name="bearing")
    m.load(a, ss.Cosine(2.0, order=1) + ss.Cosine(second, order=2))
    return m


@pytest.mark.parametrize("model", [held_by_friction, ss.systems.gear])
def test_a_rotation_against_friction_alone_leaves_no_singular_derivatives(model):
    balance = HarmonicBalance(model(), frequency=12.0)
    found = find_start(balance, 12.0, None, ParameterRange(12.0, 8.0))[0]
    assert np.linalg.cond(balance.linearise(found.x, found.p).by_x) < 1e8
    assert balance.corrected(found.z + 0.01 * found.slope, found.plane(0.01)) is not None


def test_a_rotation_against_friction_alone_agrees_with_shooting():
    m = held_by_friction()
    one, other = m.periodic(frequency=8.0, harmonics=31), m.periodic(frequency=8.0, method="shooting")
    size = {name: 0.5 * np.ptp(other.data.displacement.sel(coordinate=name).values) for name in "ab"}
    assert {name: one.amplitude[name] for name in "ab"} == pytest.approx(size, abs=one.point.error)
    assert one.point.error < 0.05 * size["a"]


def test_a_rotation_that_friction_lets_drift_is_refused():
    m = held_by_friction(second=1.5)
    run = m.simulate(until=60.0 * np.pi, frequency=8.0, samples=241)  # a sample at each whole period
    angle = run.data.displacement.sel(coordinate="a").values
    assert abs(angle[-1] - angle[120]) > 0.1  # the oracle: it turns on, period by period
    with pytest.raises(ss.NotConverged, match=r'"bearing".*drifts.*hold it by a spring'):
        m.frequency_response(at=[8.0], method="harmonic-balance")
