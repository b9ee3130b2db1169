"""The compiled corrector of shooting against the general one; displacements that friction would cause."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.continuation.corrector import correct, newton_at, parameter_plane, solve_at
from slipstick.periodic.family_factory import ParametricModel
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.periodic.shooting.exact_map import NEGLIGIBLE_FRICTION_REL, ExactMap
from slipstick.transient.problem import Problem, pose


def rubbed(limit=0.5, swing=0.3):
    """An oscillator with dry friction under a varying normal load."""
    m = ss.Model("rubbed")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="shaft")
    m.connect(x, ss.DryFriction(limit=ss.Constant(limit) + ss.Sine(swing, order=1)), name="rub")
    m.load(x, ss.Sine(1.0, order=1))
    return m


def mixed():
    """Two masses with a slider, a contact of dry friction and a stop; loads of two orders."""
    m = ss.Model("mixed")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.5)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05), name="ground")
    m.connect(x - y, ss.Linear(stiffness=0.6, damping=0.02), name="between")
    m.connect(y, ss.DryFriction(limit=0.05), name="rub")
    m.connect(x - y, ss.Jenkins(stiffness=0.5, limit=0.1), name="slider")
    m.connect(x, ss.Contact(stiffness=2.0, gap=0.5), name="stop")
    m.load(x, ss.Cosine(1.0, order=1))
    m.load(y, ss.Sine(0.2, order=2))
    return m


def symmetric():
    """A slider under a load of order one: the second half of its orbits mirrors the first."""
    m = ss.Model("symmetric")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="shaft")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5), name="slider")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


def family_of(m, p, quick=True):
    models = ParametricModel(lambda _: m, p, same=True)
    found = Shooting(models.tuner(models.problem(p)), p, over_frequency=True)
    if not quick:
        found.__dict__["_quick"] = None
    return found


def ahead(family, p, step):
    """A point of a curve, a guess a step along it, and the plane there."""
    point = solve_at(family, family.start(p), p, 2.0)
    return point, point.z + step * point.slope, point.plane(step)


@pytest.mark.parametrize("model", [rubbed, mixed, symmetric])
@pytest.mark.parametrize("p", [0.7, 1.1, 1.9])
def test_a_point_on_a_plane_is_the_one_that_the_general_way_finds(model, p):
    quick, general = family_of(model(), p), family_of(model(), p, quick=False)
    _, guess, plane = ahead(general, p, 0.01)
    own = quick.corrected(guess, plane)
    assert own is not None
    found = correct(general, guess, plane)
    assert own.residual <= quick.tolerance
    assert own.iterations == found.iterations
    np.testing.assert_allclose(own.z / plane.scale, found.z / plane.scale, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(own.tangent, found.tangent, rtol=0.0, atol=1e-8)
    assert own.turn == pytest.approx(found.turn, abs=1e-8)
    assert abs(general.linearise(own.x, own.p).residual).max() <= 2.0 * quick.tolerance


def test_a_plane_of_one_frequency_holds_it_to_the_last_digit():
    family = family_of(rubbed(), 1.1)
    point, guess, _ = ahead(family, 1.1, 0.02)
    guess[-1] = 1.13
    found = family.corrected(guess, parameter_plane(guess, 1.13, point.scale))
    assert found is not None
    assert found.p == 1.13
    general = newton_at(family_of(rubbed(), 1.1, quick=False), guess, 1.13, point.scale)
    np.testing.assert_allclose(found.x, general.x, rtol=0.0, atol=1e-10)


def test_a_mirrored_orbit_comes_back_with_its_sign_changed_after_half_a_period():
    whole = family_of(symmetric(), 1.1)
    point, guess, plane = ahead(whole, 1.1, 0.02)
    half = whole.mirrored(point.x, point.p)
    found = half.corrected(guess, plane)
    assert found is not None
    np.testing.assert_allclose(found.z, correct(whole, guess, plane).z, rtol=0.0, atol=1e-10)
    period_map = whole.map_at(found.p)[0]
    passed = ExactMap(period_map.problem, 0.5 * period_map.time).go(found.x)
    np.testing.assert_allclose(passed.state, -found.x, rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("model", [rubbed, mixed, symmetric])
def test_a_corrected_orbit_comes_back_and_is_measured_as_the_general_way_measures_it(model):
    quick, general = family_of(model(), 1.1), family_of(model(), 1.1, quick=False)
    _, guess, plane = ahead(general, 1.1, 0.01)
    own, found = quick.corrected(guess, plane), correct(general, guess, plane)
    passed = ExactMap(general.problem_at(own.p), quick._made(own.p)[1].time).go(own.x)
    np.testing.assert_allclose(passed.state, own.x, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(quick.scales(own.x, own.p), general.scales(found.x, found.p), rtol=1e-9)
    one, other = quick.point(own.x, own.p), general.point(found.x, found.p)
    for name in ("amplitude", "rms", "multipliers", "force_range", "dissipated", "stick_share"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0.0, atol=1e-8, err_msg=name)
    assert one.events == other.events


def test_orbits_of_a_band_and_those_at_rest_are_left_to_the_general_way():
    stuck = family_of(rubbed(limit=3.0, swing=0.0), 1.1)
    point = stuck.start(1.1)
    assert stuck.is_banded(point, 1.1)
    z = np.append(point, 1.1)
    assert stuck.corrected(z, parameter_plane(z, 1.1, np.ones(z.size))) is None


def test_frequencies_that_are_none_are_left_to_the_general_way_which_refuses_them():
    family = family_of(rubbed(), 1.1)
    point, _, _ = ahead(family, 1.1, 0.01)
    z = np.append(point.x, -0.1)
    assert family.corrected(z, parameter_plane(z, -0.1, point.scale)) is None
    with pytest.raises(ss.errors.NotConverged, match=r"frequency of -0\.1"):
        correct(family, z, parameter_plane(z, -0.1, point.scale))


def test_free_bodies_and_laws_that_nothing_goes_with_are_left_to_the_general_way():
    free = ss.Model("free")
    x, y = free.coordinate("x", inertia=1.0), free.coordinate("y", inertia=2.0)
    free.connect(x - y, ss.Freeplay(stiffness=1.0, half_gap=0.1), name="gap")
    free.connect(x - y, ss.Linear(damping=0.1), name="damper")
    free.load(x - y, ss.Cosine(1.0, order=1))
    assert family_of(free, 1.1)._quick is None
    driven = ss.Model("driven")
    x, z = driven.coordinate("x", inertia=1.0), driven.coordinate("z", motion=ss.Sine(0.3, order=1))
    driven.connect(x - z, ss.Jenkins(stiffness=1.0, limit=0.1), name="slider")
    driven.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    assert family_of(driven, 1.1)._quick is None


def test_a_curve_makes_few_problems_besides_its_points(monkeypatch):
    made, retuned = [], Problem.retuned
    monkeypatch.setattr(Problem, "retuned", lambda self, p: made.append(p) or retuned(self, p))
    curve = rubbed().frequency_response(at=np.linspace(0.5, 1.5, 51), method="shooting")
    assert curve.data.sizes["point"] == 51
    assert len(set(made)) == 51
    assert len(made) <= 55
    made.clear()
    followed = rubbed().frequency_response(between=(0.5, 1.5), method="shooting")
    assert len(made) <= 4
    assert followed.data.sizes["point"] > 20


@pytest.mark.parametrize("omega", [0.3, 1.0, 4.0])
def test_least_sizes_are_a_little_of_what_the_limits_would_move(omega):
    """One mass under a limit f moves by f / (k + m omega^2); limits beyond the loads count no more than these."""
    own = ExactMap(pose(rubbed(), 0.0, omega), 2.0 * np.pi / omega)
    assert own.yielding == pytest.approx([0.8 / (1.0 + omega**2)], rel=1e-14)
    assert own.least == pytest.approx(NEGLIGIBLE_FRICTION_REL * 0.8 / (1.0 + omega**2), rel=1e-14)
    large = ExactMap(pose(rubbed(limit=5.0, swing=0.0), 0.0, omega), 2.0 * np.pi / omega)
    assert large.yielding == pytest.approx([5.0 / (1.0 + omega**2)], rel=1e-14)
    assert large.least == pytest.approx(NEGLIGIBLE_FRICTION_REL * 1.0 / (1.0 + omega**2), rel=1e-14)


def test_limits_move_two_masses_as_the_inverse_says_and_none_that_nothing_resists():
    m = ss.Model("two")
    x, y = m.coordinate("x", inertia=2.0), m.coordinate("y", inertia=3.0)
    m.connect(x, ss.Linear(stiffness=5.0), name="ground")
    m.connect(x - y, ss.Jenkins(stiffness=7.0, limit=0.1), name="slider")
    m.connect(y, ss.DryFriction(limit=0.4), name="rub")
    m.connect(x - y, ss.DryFriction(limit=0.2), name="inner")
    m.load(x, ss.Cosine(9.0, order=1))
    own = ExactMap(pose(m, 0.0, 1.5), 2.0 * np.pi / 1.5)
    resisting = np.array([[12.0, -7.0], [-7.0, 7.0]]) + 1.5**2 * np.diag([2.0, 3.0])
    moved = np.linalg.inv(resisting) @ np.array([[0.0, 0.2], [0.4, -0.2]])
    np.testing.assert_allclose(own.yielding, np.abs(moved).max(axis=0), rtol=1e-13)
    light = ss.Model("light")
    x, y = light.coordinate("x", inertia=1.0), light.coordinate("y", inertia=0.0)
    light.connect(x, ss.Linear(stiffness=1.0), name="ground")
    light.connect(y, ss.DryFriction(limit=0.4, damping=0.1), name="rub")
    light.load(x, ss.Cosine(1.0, order=1))
    assert ExactMap(pose(light, 0.0, 1.0), 2.0 * np.pi).yielding == pytest.approx([0.0], abs=1e-300)
