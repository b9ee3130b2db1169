"""Rigid contacts with Coulomb friction in the exact flow, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import slipstick as ss

G = 9.81


def exact(m, until, samples=0, **options):
    return m.simulate(until=until, method="exact", samples=samples, **options)


def body(friction, restitution=0.0, mass=2.0, height=0.0, velocity=0.0, name="foot"):
    """A body above a floor: x along it, y away from it."""
    m = ss.Model("body")
    x = m.coordinate("x", inertia=mass, velocity=velocity)
    y = m.coordinate("y", inertia=mass, displacement=height)
    m.connect((x, -y), ss.CoulombContact(friction=friction, restitution=restitution), name=name)
    return m, x, y


def incline(angle, friction, velocity=0.0):
    m, x, y = body(friction, velocity=velocity)
    m.load(x, ss.Constant(2.0 * G * math.sin(angle)))
    m.load(y, ss.Constant(-2.0 * G * math.cos(angle)))
    return m


def changes(run, connection):
    rows = zip(run.events["time"], run.events["connection"], run.events["after"], strict=True)
    return [(t, after) for t, name, after in rows if name == connection]


# ---- one block


@pytest.mark.parametrize("angle", [0.05, 0.2, math.atan(0.3) - 1e-9])
def test_a_block_rests_on_an_incline_below_the_angle_of_friction(angle):
    run = exact(incline(angle, 0.3), 10.0)
    assert len(run.events) == 0
    assert run.samples.displacement[-1, 0] == 0.0
    assert list(run.samples.state[-1]) == ["stick", "contact"]
    np.testing.assert_allclose(run.samples.force[-1], [2.0 * G * math.sin(angle), 2.0 * G * math.cos(angle)])


@pytest.mark.parametrize("angle", [math.atan(0.3) + 1e-9, 0.4, 1.2])
def test_above_it_the_block_slides_at_the_acceleration_of_the_closed_form(angle):
    run = exact(incline(angle, 0.3), 2.0)
    way = 0.5 * G * (math.sin(angle) - 0.3 * math.cos(angle)) * 4.0
    assert run.samples.displacement[-1, 0] == pytest.approx(way, rel=1e-13, abs=1e-14)
    assert list(run.samples.state[-1]) == ["slip+", "contact"]
    dissipated = run.certificate.dissipated["foot.tangential"]
    assert dissipated == pytest.approx(0.3 * 2.0 * G * math.cos(angle) * way, rel=1e-12, abs=1e-14)
    assert run.certificate.passed


@pytest.mark.parametrize("velocity", [3.0, -0.7])
def test_a_thrown_block_stops_after_v_squared_over_two_mu_g(velocity):
    run = exact(incline(0.0, 0.3, velocity), 3.0)
    assert run.samples.displacement[-1, 0] == pytest.approx(velocity * abs(velocity) / (0.6 * G), rel=1e-14)
    assert changes(run, "foot.tangential") == [(pytest.approx(abs(velocity) / (0.3 * G), rel=1e-14), "stick")]


def test_a_block_thrown_up_an_incline_comes_back():
    angle, friction = 0.5, 0.2
    up = G * (math.sin(angle) + friction * math.cos(angle))
    down = G * (math.sin(angle) - friction * math.cos(angle))
    run = exact(incline(angle, friction, -2.0), 3.0)
    turn = 2.0 / up
    assert changes(run, "foot.tangential") == [(pytest.approx(turn, rel=1e-13), "slip+")]
    expected = -2.0 * turn + 0.5 * up * turn**2 + 0.5 * down * (3.0 - turn) ** 2
    assert run.samples.displacement[-1, 0] == pytest.approx(expected, rel=1e-13)


def test_without_friction_nothing_holds_along_the_floor():
    m, x, y = body(0.0)
    m.load(y, ss.Constant(-2.0 * G))
    m.load(x, ss.Sine(2.0, frequency=3.0))
    run = exact(m, 2.0)
    assert run.samples.displacement[-1, 0] == pytest.approx((2.0 - math.sin(6.0) / 3.0) / 3.0, rel=1e-12)


def test_a_constant_normal_load_is_dry_friction():
    """A mass on a belt: the same stick and slip as DryFriction of the limit friction * load."""
    runs = []
    for contact in (True, False):
        m = ss.Model("belt")
        x, belt = m.coordinate("x", inertia=1.0), m.coordinate("belt", motion=ss.Ramp(0.3))
        m.connect(x, ss.Linear(stiffness=30.0, damping=0.2), name="spring")
        m.load(x, ss.Sine(2.0, frequency=7.0))
        if contact:
            y = m.coordinate("y", inertia=3.0)
            m.load(y, ss.Constant(-8.0))
            m.connect((x - belt, -y), ss.CoulombContact(friction=0.25), name="pad")
        else:
            m.connect(x - belt, ss.DryFriction(limit=2.0), name="pad")
        runs.append(exact(m, 20.0, samples=101))
    contact, dry = runs
    np.testing.assert_allclose(contact.samples.displacement[:, 0], dry.samples.displacement[:, 0], atol=1e-12)
    np.testing.assert_allclose(contact.events["time"], dry.events["time"], rtol=1e-12)
    assert list(contact.events["after"]) == list(dry.events["after"])
    assert len(dry.events) > 10


# ---- impacts


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("along", [0.05, 0.6, 5.0])
def test_the_tangential_impulse_of_a_ball_is_the_smaller_of_friction_and_stop(restitution, along):
    friction, height, mass = 0.1, 0.3, 2.0
    m, _, y = body(friction, restitution, mass, height, along, "floor")
    m.load(y, ss.Constant(-mass * G))
    fall, fast = math.sqrt(2.0 * height / G), math.sqrt(2.0 * height * G)
    run = exact(m, fall + 1e-9, samples=[fall - 1e-9, fall + 1e-9])
    impulse = min(friction * (1.0 + restitution) * mass * fast, mass * along)
    before, after = run.samples.velocity
    np.testing.assert_allclose(mass * (before[0] - after[0]), impulse, rtol=1e-8)
    np.testing.assert_allclose(after[1], restitution * fast, rtol=1e-7, atol=1e-7)
    lost = run.certificate.dissipated
    tangential = impulse * (along - 0.5 * impulse / mass)
    assert lost["floor.tangential"] == pytest.approx(tangential, rel=1e-7)
    assert lost["floor.normal"] == pytest.approx(0.5 * mass * fast**2 * (1.0 - restitution**2), rel=1e-7)


def test_a_sliding_ball_bounces_to_rest_and_then_slides_to_a_stop():
    """Each bounce takes mu (1 + e) v_n; all of them together mu g times the time to rest and the first fall."""
    e, mu, fall = 0.8, 0.05, math.sqrt(2.0 / G)
    m, _, y = body(mu, e, 2.0, 1.0, 5.0, "floor")
    m.load(y, ss.Constant(-2.0 * G))
    run = exact(m, 15.0)
    rest = fall * (1.0 + e) / (1.0 - e)
    times = np.array([t for t, after in changes(run, "floor.normal") if after == "impact"])
    flights = 2.0 * fall * e ** np.arange(1, times.size)
    np.testing.assert_allclose(times, fall + np.append(0.0, np.cumsum(flights)), rtol=1e-13)
    assert changes(run, "floor.normal")[-1] == (pytest.approx(rest, rel=1e-13), "contact")
    stop = 5.0 / (mu * G)  # the mean normal force from the first fall's start to rest is the weight
    assert changes(run, "floor.tangential")[-1] == (pytest.approx(stop, rel=1e-12), "stick")
    assert run.certificate.passed
    assert any("accumulated to rest" in note for note in run.certificate.notes)


@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.9])
def test_a_ball_that_friction_stops_between_bounces_comes_to_rest(restitution):
    fall = math.sqrt(0.3 / G)
    m, _, y = body(0.3, restitution, 1.0, 0.15, 0.4, "floor")
    m.load(y, ss.Constant(-G))
    run = exact(m, 5.0)
    rest = fall * (1.0 + restitution) / (1.0 - restitution)
    assert changes(run, "floor.normal")[-1] == (pytest.approx(rest, rel=1e-13), "contact")
    assert run.samples.velocity[-1].tolist() == [0.0, 0.0]
    assert list(run.samples.state[-1]) == ["stick", "contact"]
    lost = run.certificate.dissipated
    assert lost["floor.tangential"] == pytest.approx(0.08, rel=1e-12)
    assert lost["floor.normal"] == pytest.approx(0.15 * G, rel=1e-12)


def test_two_bodies_that_land_together_share_the_blow():
    """A bar on two feet that lands flat: both feet at once, each with half of the weight's impulse."""
    m = ss.Model("bar")
    x, y, a = (m.coordinate(name, inertia=i) for name, i in (("x", 2.0), ("y", 2.0), ("a", 0.3)))
    m["y"].displacement, m["x"].velocity = 0.2, 3.0
    m.load(y, ss.Constant(-2.0 * G))
    for side, name in ((1.0, "right"), (-1.0, "left")):
        m.connect((x, -y - side * 0.4 * a), ss.CoulombContact(friction=0.3, restitution=0.5), name=name)
    fall, fast = math.sqrt(0.4 / G), math.sqrt(0.4 * G)
    run = exact(m, fall + 1e-9)
    np.testing.assert_allclose(run.samples.velocity[-1], [3.0 - 0.3 * 1.5 * fast, 0.5 * fast, 0.0], atol=1e-7)
    lost = run.certificate.dissipated
    assert lost["left.normal"] == pytest.approx(lost["right.normal"], rel=1e-12)


# ---- lift-off and landing


def test_a_pressed_block_lifts_off_where_the_load_passes_zero_and_lands_in_closed_form():
    """Normal load 1 + 2 cos 3t on a unit mass that slides: lift-off at 3t = 2 pi/3, flight, landing, sliding."""
    m, _, y = body(0.2, 0.0, 1.0, 0.0, 1.0, "floor")
    m.load(y, ss.Constant(-1.0))
    m.load(y, ss.Cosine(-2.0, frequency=3.0))
    lift = 2.0 * math.pi / 9.0

    def pushed(t):  # the impulse of the load up to t
        return t + 2.0 / 3.0 * math.sin(3.0 * t)

    def height(t):
        s = t - lift
        return -0.5 * s**2 + 2.0 / 9.0 * (math.cos(3.0 * t) - math.cos(3.0 * lift)) + 2.0 / 3.0 * math.sin(3 * lift) * s

    land = brentq(height, lift + 0.5, 2.5, xtol=1e-15, rtol=1e-15)
    run = exact(m, 2.7)
    assert [after for _, after in changes(run, "floor.normal")] == ["separated", "impact", "contact"]
    assert [t for t, _ in changes(run, "floor.normal")] == pytest.approx([lift, land, land], rel=1e-13)
    # in contact friction takes 0.2 of the load, at the landing 0.2 of the arrested momentum: all of the load's impulse
    assert run.samples.velocity[-1, 0] == pytest.approx(1.0 - 0.2 * pushed(2.7), rel=1e-12)
    assert run.certificate.passed


def test_a_block_sticks_until_the_sinking_load_no_longer_holds_it():
    """Tangential push 1, normal load 10 - t: slip where 0.25 (10 - t) = 1, lift-off at t = 10."""
    m, x, y = body(0.25, 0.0, 1.0)
    m.load(x, ss.Constant(1.0))
    m.load(y, ss.Constant(-10.0))
    m.load(y, ss.Ramp(1.0))
    run = exact(m, 12.0)
    assert changes(run, "foot.tangential") == [
        (pytest.approx(6.0, rel=1e-13), "slip+"),
        (pytest.approx(10.0, rel=1e-13), "separated"),
    ]
    # x'' = 1 - 0.25 (10 - t) = 0.25 (t - 6) up to 10, then 1
    assert run.samples.velocity[-1, 0] == pytest.approx(0.125 * 16.0 + 2.0, rel=1e-12)
    assert run.samples.displacement[-1, 1] == pytest.approx(8.0 / 6.0, rel=1e-12)


# ---- several contacts


def bar(push, friction=0.3, height=0.2, inertia=0.1, velocity=0.0, half_width=0.5):
    """A bar on two feet half a width from its middle, pushed at it."""
    m = ss.Model("bar")
    x, y, a = (m.coordinate(name, inertia=i) for name, i in (("x", 1.0), ("y", 1.0), ("a", inertia)))
    m["x"].velocity = velocity
    m.load(y, ss.Constant(-G))
    m.load(x, push)
    for side, name in ((1.0, "right"), (-1.0, "left")):
        m.connect((x + height * a, -y - side * half_width * a), ss.CoulombContact(friction=friction), name=name)
    return m


def test_two_feet_share_the_load_by_moments_and_only_the_sum_of_their_friction_is_unique():
    run = exact(bar(ss.Constant(2.0)), 1.0)
    right_t, right_n, left_t, left_n = run.samples.force[-1]
    assert right_t + left_t == pytest.approx(2.0, rel=1e-13)
    assert [right_n, left_n] == pytest.approx([0.5 * G + 0.4, 0.5 * G - 0.4], rel=1e-13)
    assert abs(right_t) <= 0.3 * right_n * (1.0 + 1e-12)
    assert abs(left_t) <= 0.3 * left_n * (1.0 + 1e-12)
    assert len(run.events) == 0
    assert any("the split is not" in note for note in run.certificate.notes)


def test_both_feet_slide_when_the_push_exceeds_their_friction():
    run = exact(bar(ss.Ramp(2.0)), 3.0)
    slip = 0.15 * G
    assert list(run.events["time"]) == pytest.approx([slip, slip], rel=1e-12)
    assert run.samples.velocity[-1, 0] == pytest.approx((3.0 - slip) ** 2, rel=1e-12)
    dissipated = run.certificate.dissipated
    way = run.samples.displacement[-1, 0]
    assert dissipated["right.tangential"] + dissipated["left.tangential"] == pytest.approx(0.3 * G * way, rel=1e-12)


def test_a_bar_that_slides_tips_over_its_leading_foot():
    """Friction mu on a high bar: the left foot lifts where mu h > half the distance; then by Newton's equations."""
    mu, h, inertia = 0.6, 1.2, 1.5
    run = exact(bar(ss.Constant(0.0), mu, h, inertia, 1.0), 0.05)
    assert list(run.samples.state[-1])[3] == "separated"
    # right foot alone: a'' inertia = 0.5 N - h mu N, y'' = N - g, y'' = -0.5 a''; x'' = -mu N, and the foot slides
    n = G / (1.0 + 0.5 * (0.5 - h * mu) / inertia)
    np.testing.assert_allclose(
        run.samples.displacement[-1],
        [0.05 - 0.5 * mu * n * 0.05**2, 0.5 * (n - G) * 0.05**2, 0.5 * (0.5 - h * mu) * n / inertia * 0.05**2],
        rtol=1e-11,
    )


def test_contacts_beside_stops_sliders_and_dry_friction_close_the_energy():
    m = ss.Model("mixed")
    x, y, z = (m.coordinate(name, inertia=i) for name, i in (("x", 1.0), ("y", 1.0), ("z", 0.5)))
    m["x"].velocity, m["y"].displacement = 2.0, 0.3
    m.connect(x - z, ss.Jenkins(stiffness=50.0, limit=2.0), name="slider")
    m.connect(z, ss.DryFriction(limit=0.4), name="rail")
    m.connect(x, ss.Impact(gap=0.5, restitution=0.5), name="wall")
    m.connect(z, ss.Linear(stiffness=5.0, damping=0.1), name="spring")
    m.load(y, ss.Constant(-G))
    m.load(x, ss.Sine(3.0, frequency=7.0))
    m.connect((x, -y), ss.CoulombContact(friction=0.3, restitution=0.3), name="floor")
    run = exact(m, 5.0)
    assert run.certificate.passed
    assert run.certificate.energy_residual < 1e-12
    assert {"wall", "rail", "slider", "floor.normal", "floor.tangential"} <= set(run.events["connection"])


# ---- Painleve's paradox


def rod(push, velocity, friction=0.7):
    """Two coordinates that a contact couples: N accelerates the tip into the floor where it slides one way.

    Compliances: normal 1 + 0.3**2 / 0.1 = 1.9, mixed 0.3 / 0.1 = 3: 1.9 - 0.7 * 3 < 0.
    """
    m = ss.Model("rod")
    x, y = m.coordinate("x", inertia=0.1, velocity=velocity), m.coordinate("y", inertia=1.0)
    m["y"].velocity = 0.3 * velocity  # the tip stays on the floor
    m.load(y, ss.Constant(push))
    m.connect((x, -y + 0.3 * x), ss.CoulombContact(friction=friction), name="tip")
    return m


def test_a_case_without_solution_is_reported(refused):
    with refused("no state of the rigid contacts", "Painleve", "at t = 0 s", "FrictionContact"):
        exact(rod(-1.0, -1.0), 1.0)


def test_a_case_with_several_solutions_is_noted():
    run = exact(rod(1.0, -1.0), 0.01)
    assert any("several states of the rigid contacts" in note for note in run.certificate.notes)


@pytest.mark.parametrize(("velocity", "friction"), [(1.0, 0.7), (-1.0, 0.6)])
def test_with_one_solution_the_rod_slides_by_the_closed_form(velocity, friction):
    run = exact(rod(-1.0, velocity, friction), 0.01)
    way = math.copysign(1.0, velocity)
    n = 1.0 / (1.9 + way * friction * 3.0)  # 0 = 1 - (1.9 + s mu 3) N along the normal
    acceleration = -(0.3 + way * friction) * n / 0.1
    assert run.samples.velocity[-1, 0] == pytest.approx(velocity + 0.01 * acceleration, rel=1e-12)
    assert not any("several" in note for note in run.certificate.notes)


def eccentric(restitution):
    """A tip that arrives with normal rate 1 and tangential rate 0.1, compliances 1.45, 1.5 and 5."""
    m = ss.Model("tip")
    x, y = m.coordinate("x", inertia=0.2, velocity=0.1), m.coordinate("y", inertia=1.0, velocity=-0.97)
    m["y"].displacement = 0.1
    m.connect((x, -y + 0.3 * x), ss.CoulombContact(friction=0.8, restitution=restitution), name="tip")
    return m


def test_an_impact_that_would_gain_energy_is_refused(refused):
    """Friction stops the tip: P_t = (1.45 * 0.1 - 1.5 (1 + e)) / 5 and the loss (P_n (1 - e) + 0.1 P_t) / 2."""
    with refused("an impact with this friction and restitution would gain energy at t = 0.1 s", "restitution=0"):
        exact(eccentric(1.0), 1.0)


@pytest.mark.parametrize("restitution", [0.0, 0.9])
def test_an_eccentric_impact_loses_the_energy_of_the_closed_form(restitution):
    run = exact(eccentric(restitution), 0.2)
    normal = (5.0 * (1.0 + restitution) - 1.5 * 0.1) / 5.0
    tangential = (1.45 * 0.1 - 1.5 * (1.0 + restitution)) / 5.0
    lost = run.certificate.dissipated
    loss = 0.5 * (normal * (1.0 - restitution) + 0.1 * tangential)
    assert lost["tip.tangential"] + lost["tip.normal"] == pytest.approx(loss, rel=1e-12)
    assert lost["tip.tangential"] >= 0.0
    assert run.certificate.passed


def test_a_start_beyond_the_gap_is_refused(refused):
    m, _, _ = body(0.3, height=-0.01)
    with refused("begins with a deflection of 0.01", "foot.normal", "beyond its gap 0"):
        exact(m, 1.0)


def test_a_run_goes_on_from_where_it_ended():
    m = incline(0.0, 0.3, 3.0)
    whole, first = exact(m, 2.0), exact(m, 0.7)
    rest = m.simulate(until=2.0, method="exact", samples=0, start=first.end)
    np.testing.assert_allclose(rest.samples.displacement[-1], whole.samples.displacement[-1], rtol=1e-14)


# ---- more contacts than candidates can be tried or compared for


def test_no_paradox_is_named_where_too_many_contacts_leave_states_untried(refused):
    """Six blocks at rest beside the rod without a state: 2 * 4**6 candidates."""
    m = rod(-1.0, -1.0)
    for k in range(6):
        x, y = m.coordinate(f"x{k}", inertia=1.0), m.coordinate(f"y{k}", inertia=1.0)
        m.load(y, ss.Constant(-G))
        m.connect((x, -y), ss.CoulombContact(friction=0.3), name=f"block{k}")
    with refused("too many contacts to try all states", "inclusion", "FrictionContact"):
        exact(m, 1.0)


def falling_ring(count):
    """Bodies that fall at once and rebound; each contact turns towards the next body."""
    m = ss.Model("ring")
    bodies = [(m.coordinate(f"x{k}", inertia=1.0), m.coordinate(f"y{k}", inertia=1.0)) for k in range(count)]
    for k, (x, y) in enumerate(bodies):
        m[f"y{k}"].velocity, m[f"y{k}"].displacement = -1.0, 0.125
        following = bodies[(k + 1) % count][0]
        m.connect((x, 0.1 * following - y), ss.CoulombContact(friction=0.3, restitution=0.5), name=f"foot{k}")
    return m


@pytest.mark.parametrize(("count", "noted"), [(4, False), (5, True)])  # 4**4 = 256 candidates are compared
def test_impacts_with_too_many_contacts_to_compare_are_noted(count, noted):
    run = exact(falling_ring(count), 0.2)
    assert any("1 instants have so many rigid contacts" in note for note in run.certificate.notes) == noted


@pytest.mark.parametrize("friction", [0.3, 0.8])
def test_a_rocking_block_comes_to_rest_by_impacts_in_turns(friction):
    """From foot to foot (half width 0.2, height 0.5) each impact keeps (I + h^2 - b^2) / (I + h^2 + b^2) of the rate.

    So it takes sqrt(2 a0 / s) (1 + 2 r / (1 - r)) to come to rest, s = g b / (I + h^2 + b^2), where no foot slides.
    """
    m = bar(ss.Constant(0.0), friction=friction, height=0.5, inertia=0.05, half_width=0.2)
    m["a"].displacement, m["y"].displacement = 0.05, 0.01
    run = exact(m, 2.0)
    assert not any("several states" in note for note in run.certificate.notes)
    assert run.certificate.passed
    assert list(run.samples.state[-1]) == ["stick", "contact"] * 2
    if friction == 0.8:
        kept, speeding = (0.05 + 0.25 - 0.04) / 0.34, G * 0.2 / 0.34
        expected = math.sqrt(0.1 / speeding) * (1.0 + 2.0 * kept / (1.0 - kept))
        assert run.events["time"][-1] == pytest.approx(expected, rel=1e-9)
