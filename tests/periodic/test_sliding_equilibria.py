"""Equilibria of sliding models, their Hopf points and the limit cycles that begin there, against closed forms."""

import numpy as np
import pytest
from self_excited_models import belt, belt_times, mode_coupling, rayleigh, stribeck_belt

import slipstick as ss


@pytest.mark.parametrize(("damping", "fall"), [(0.1, 0.5), (0.05, 0.3)])
def test_the_hopf_speed_of_a_stribeck_belt_is_that_of_the_closed_form(damping, fall):
    # the slope of F(v) = F_c + (F_s - F_c) exp(-v / v_s) is -damping at v = v_s ln((F_s - F_c) / (v_s damping))
    speed = 0.5 * np.log((1.0 - fall) / (0.5 * damping))
    curve = stribeck_belt(damping, limit=fall).equilibria("belt.speed", between=(2.5, 0.2))
    (hopf,) = curve.special
    assert hopf["kind"] == "hopf"
    assert hopf["parameter"] == pytest.approx(speed, abs=1e-8)
    assert abs(hopf["parameter"] - speed) <= hopf["error"]
    assert hopf["frequency"] == pytest.approx(1.0, abs=1e-8)
    data = curve.data
    v = data.parameter.values
    force = fall + (1.0 - fall) * np.exp(-v / 0.5)
    np.testing.assert_allclose(data.displacement.sel(coordinate="x"), force, rtol=1e-10)
    growth = 0.5 * ((1.0 - fall) / 0.5 * np.exp(-v / 0.5) - damping)
    np.testing.assert_allclose(data.growth, growth, atol=1e-9)
    assert (data.stable.values == (growth <= 1e-9)).all()
    assert "hopf at" in repr(curve)


def test_the_curve_ends_where_the_belt_stands_and_friction_sticks():
    curve = stribeck_belt().equilibria("belt.speed", between=(2.5, -0.2))
    stick = curve.special[-1]
    assert (stick["kind"], stick["connection"]) == ("stick", "pad")
    assert abs(stick["parameter"]) <= stick["error"]
    assert "changes between stick and slip" in curve.partial


def test_a_contact_without_speed_sticks_until_its_limit():
    m = ss.Model("pulled")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    m.connect(x, ss.DryFriction(limit=0.5, static_limit=0.8), name="ground")
    m.load(x, ss.Constant(0.1), name="pull")
    curve = m.equilibria("pull.value", between=(0.1, 2.0))
    (stick,) = curve.special
    assert (stick["kind"], stick["connection"]) == ("stick", "ground")
    assert stick["parameter"] == pytest.approx(0.8, rel=1e-9)
    np.testing.assert_allclose(curve.data.displacement, 0.0, atol=1e-12)


def test_a_snap_through_has_two_folds_in_closed_form():
    m = ss.Model("snap")
    x = m.coordinate("x", inertia=1.0, displacement=-1.2)
    m.connect(x, ss.Polynomial(coefficients=(0.0, -1.0, 0.0, 1.0), damping=0.1))
    m.load(x, ss.Constant(-0.6), name="pull")
    curve = m.equilibria("pull.value", between=(-0.6, 0.6))
    folds = sorted(s["parameter"] for s in curve.special if s["kind"] == "fold")
    most = 2.0 / (3.0 * np.sqrt(3.0))  # of u^3 - u
    np.testing.assert_allclose(folds, [-most, most], rtol=1e-7)


@pytest.mark.parametrize("damping", [0.02, 0.1])
def test_mode_coupling_flutters_at_the_closed_form(damping):
    # K = [[1.5, 0.5 + f], [0.5, 1.9]] and equal dampers: Im(kappa)^2 = c^2 Re(kappa) for an eigenvalue kappa of K
    threshold = -0.58 - 2.0 * 1.7 * damping**2
    curve = mode_coupling(damping).equilibria("friction.stiffness", between=(-0.1, -1.0))
    (hopf,) = curve.special
    assert hopf["kind"] == "hopf"
    assert hopf["parameter"] == pytest.approx(threshold, rel=1e-8)
    assert hopf["frequency"] == pytest.approx(np.sqrt(1.7), rel=1e-7)


def test_modes_of_a_running_belt_are_those_of_sliding():
    m = stribeck_belt(0.1, speed=0.5)
    modes = m.modes()
    slope = -np.exp(-1.0)  # of the friction force at 0.5 m/s
    assert modes.damping_ratio[0] == pytest.approx(0.5 * (0.1 + slope), rel=1e-9)
    assert any("slides at 0.5" in note and "linearised there" in note for note in modes.notes)
    with pytest.raises(ss.InvalidInput):
        m.modes({"pad": "stick"})  # nothing can move


def test_limit_cycles_begin_at_the_hopf_point_of_a_rayleigh_oscillator():
    # x'' + d x' + x'^3 / 3 + x = 0: by averaging the amplitude is 2 sqrt(-d)
    m = rayleigh(mu=0.1)
    m.connect(m["x"], ss.Linear(damping=0.15), name="extra")
    curve = m.equilibria("extra.damping", between=(0.15, 0.05))
    (hopf,) = curve.special
    assert hopf["parameter"] == pytest.approx(0.1, abs=1e-9)
    branch = curve.switch(hopf)
    assert all(point.stable for point in branch.points)
    grown = [point for point in branch.points if point.p < 0.099]
    assert len(grown) > 3
    for point in grown:
        negative = 0.1 - point.p
        averaged = 2.0 * np.sqrt(negative / 0.1)
        assert point.amplitude[0] == pytest.approx(averaged, rel=1e-2)
    assert branch.points[-1].p == pytest.approx(0.05)


def test_cycles_of_the_belt_are_followed_with_their_closed_form():
    m = belt()
    orbit = m.limit_cycle(m.simulate(60.0))
    curve = m.follow("belt.speed", between=(0.3, 0.9), start=orbit)
    assert {0.3, 0.9} <= {point.p for point in curve.points}
    for point in curve.points:
        exact = sum(belt_times(point.p, 0.6, 1.0))
        assert point.period == pytest.approx(exact, rel=1e-10)
        assert point.stable
    again = curve.orbit(2)
    assert again.period == pytest.approx(curve.points[2].period, rel=1e-12)
    assert " to " in repr(curve).split(", at ")[1]


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_the_period_does_not_depend_on_what_only_scales_the_motion(method):
    m = rayleigh()
    orbit = m.limit_cycle(m.simulate(60.0), method)
    curve = m.follow("damper.coefficient", between=(0.25, 0.5), start=orbit)
    assert curve.stats.method == method
    for point in curve.points:
        assert point.period == pytest.approx(orbit.period, rel=1e-7)
        assert point.amplitude[0] * np.sqrt(point.p) == pytest.approx(orbit.amplitude["x"] / np.sqrt(3.0), rel=1e-6)


def test_a_frequency_is_refused_for_limit_cycles():
    m = belt()
    orbit = m.limit_cycle(m.simulate(60.0))
    with pytest.raises(ss.InvalidInput, match="frequency of its own"):
        m.follow("belt.speed", between=(0.3, 0.9), start=orbit, frequency=1.0)


def test_laws_with_memory_that_slide_are_refused():
    m = ss.Model("bristles")
    x = m.coordinate("x", inertia=1.0)
    moving = m.coordinate("belt", motion=ss.Ramp(0.5))
    m.connect(x, ss.Linear(stiffness=1.0))
    law = ss.LuGre(
        bristle_stiffness=1e3, bristle_damping=1.0, viscous=0.1, coulomb=0.5, static=0.8, stribeck_velocity=0.1
    )
    m.connect(x - moving, law, name="pad")
    with pytest.raises(ss.InvalidInput, match=r'"pad".*memory that slides'):
        m.equilibria("belt.speed", between=(1.0, 0.1))


def test_switch_takes_hopf_points_only():
    curve = stribeck_belt().equilibria("belt.speed", between=(2.5, -0.2))
    with pytest.raises(ss.InvalidInput, match="begin at a hopf point"):
        curve.switch(-1)


def test_equilibria_are_saved_as_tables(tmp_path):
    curve = stribeck_belt().equilibria("belt.speed", between=(2.5, 1.0))
    curve.save(tmp_path / "rest.csv")
    assert "growth" in (tmp_path / "rest.csv").read_text()
    curve.save(tmp_path / "rest.nc")
    assert ss.open(tmp_path / "rest.nc")["growth"].values.tolist() == curve.data["growth"].values.tolist()
    with pytest.raises(ss.InvalidInput, match="saved as"):
        curve.save(tmp_path / "rest.png")


@pytest.mark.long
def test_the_unstable_cycles_of_a_stribeck_belt_end_where_they_touch_stick():
    curve = stribeck_belt().equilibria("belt.speed", between=(2.5, 0.2))
    branch = curve.switch(0)
    assert branch.points[0].stable is False
    graze = branch.special[-1]
    assert (graze["kind"], graze["connection"]) == ("grazing", "pad")
    last = branch.points[graze["point"]]
    assert last.amplitude[0] * last.frequency == pytest.approx(graze["parameter"], rel=0.02)  # as fast as the belt
    assert "corner" in branch.partial


def test_undamped_flutter_is_marked_where_two_modes_meet(refused):
    """K = [[1, f], [-0.3, 1.6]] with unit masses: its eigenvalues meet at 1.3 where (0.6 / 2)^2 = 0.3 f."""
    m = ss.Model("follower forces")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0))
    m.connect(y, ss.Linear(stiffness=1.6))
    m.connect(y, ss.Linear(stiffness=0.1), along=x, name="follower")
    m.connect(x, ss.Linear(stiffness=-0.3), along=y)
    for ends in ((0.01, 1.5), (1.5, 0.01)):
        curve = m.equilibria("follower.stiffness", between=ends)
        (flutter,) = curve.special
        assert flutter["kind"] == "flutter"
        assert flutter["parameter"] == pytest.approx(0.3, abs=1e-8)
        assert abs(flutter["parameter"] - 0.3) <= flutter["error"]
        assert flutter["frequency"] == pytest.approx(1.3**0.5, abs=1e-4)  # changes as a square root there
        stable = curve.data.stable.values
        assert (stable == (curve.data.parameter.values <= flutter["parameter"])).all()
        assert "flutter at 0.3" in repr(curve)
        with refused("limit cycles begin at a hopf point, not at a flutter point"):
            curve.switch(flutter)


def test_a_curve_that_grows_without_bound_says_so():
    m = ss.Model("spring that goes")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.load(x, ss.Constant(0.3))
    curve = m.equilibria("spring.stiffness", between=(1.0, 0.0))
    np.testing.assert_allclose(curve.data.displacement.sel(coordinate="x"), 0.3 / curve.data.parameter, rtol=1e-9)
    assert "grows without bound as the curve comes near 0" in curve.partial


def damped_rayleigh(damping):
    m = rayleigh(mu=0.1)
    m.connect(m["x"], ss.Linear(damping=damping), name="extra")
    return m


@pytest.mark.parametrize("method", ["auto", "harmonic-balance"])
def test_a_limit_cycle_begins_from_a_hopf_point_at_the_value_of_the_model(method):
    (hopf,) = damped_rayleigh(0.15).equilibria("extra.damping", between=(0.15, 0.05)).special
    m = damped_rayleigh(0.06)
    orbit = m.limit_cycle(start=hopf, method=method)
    settled = m.limit_cycle(m.simulate(400.0))
    assert orbit.period == pytest.approx(settled.period, rel=1e-7)
    assert orbit.amplitude["x"] == pytest.approx(settled.amplitude["x"], rel=1e-6)


def test_hopf_points_without_a_cycle_at_the_model_are_refused(refused):
    (hopf,) = damped_rayleigh(0.15).equilibria("extra.damping", between=(0.15, 0.05)).special
    with refused("the value of the Hopf point"):
        damped_rayleigh(hopf["parameter"]).limit_cycle(start=hopf)
    with refused("not at 0.14", "extra.damping"):
        damped_rayleigh(0.14).limit_cycle(start=hopf)
    with refused("at a hopf point, not at a fold"):
        damped_rayleigh(0.05).limit_cycle(start={**hopf, "kind": "fold"})


def test_a_hopf_point_over_a_second_parameter_is_that_of_the_closed_form(refused):
    # of x'' + d x' + x'^3 / 3 - 0.1 x' + e x' + x: at d + e = 0.1
    m = damped_rayleigh(0.15)
    m.connect(m["x"], ss.Linear(damping=0.0), name="more")
    curve = m.equilibria("extra.damping", between=(0.15, 0.05))
    found = curve.track(curve.special[0], "more.damping", between=(-0.02, 0.04))
    assert {found.points[0].second, found.points[-1].second} == {-0.02, 0.04}
    for point in found.points:
        assert point.first + point.second == pytest.approx(0.1, abs=1e-8)
        assert point.frequency == pytest.approx(1.0, abs=1e-8)
    with refused("beside extra.damping"):
        curve.track(0, "extra.damping", between=(0.1, 0.2))
    with refused("between must hold the model's own more.damping"):
        curve.track(0, "more.damping", between=(0.1, 0.2))


def test_the_hopf_speed_of_a_stribeck_belt_over_its_damping_is_that_of_the_closed_form():
    curve = stribeck_belt(0.1).equilibria("belt.speed", between=(2.5, 0.2))
    found = curve.track(curve.special[0], "spring.damping", between=(0.1, 0.15))
    assert {found.points[0].second, found.points[-1].second} == {0.1, 0.15}
    for point in found.points:
        assert point.first == pytest.approx(0.5 * np.log(1.0 / point.second), abs=1e-8)
