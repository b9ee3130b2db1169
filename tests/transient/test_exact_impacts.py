"""Rigid stops in the exact flow: impact times, accumulation to rest, chains, contact, energy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import slipstick as ss

G = 9.81


def exact(m, until, samples=0, **options):
    return m.simulate(until=until, method="exact", samples=samples, **options)


def ball(restitution, height=1.0, mass=2.0, **start):
    m = ss.Model("ball")
    x = m.coordinate("x", inertia=mass, displacement=height, **start)
    m.load(x, ss.Constant(-mass * G))
    m.connect(-x, ss.Impact(gap=0.0, restitution=restitution), name="floor")
    return m


def impacts(run, name):
    rows = zip(run.events["time"], run.events["connection"], run.events["after"], strict=True)
    return np.array([t for t, connection, after in rows if connection == name and after == "impact"])


# ---- the bouncing ball


@pytest.mark.parametrize("restitution", [0.3, 0.8, 0.95])
def test_a_ball_bounces_at_the_times_of_the_closed_form_and_comes_to_rest_in_finite_time(restitution):
    fall = math.sqrt(2.0 / G)
    rest = fall * (1.0 + restitution) / (1.0 - restitution)
    run = exact(ball(restitution), 1.2 * rest)
    found = impacts(run, "floor")
    flights = 2.0 * fall * restitution ** np.arange(1, found.size)
    np.testing.assert_allclose(found, fall + np.append(0.0, np.cumsum(flights)), rtol=1e-14)
    assert list(run.events["after"])[-1] == "contact"
    assert list(run.events["time"])[-1] == pytest.approx(rest, rel=1e-14)
    # rebounds go on until they are rounding
    assert flights[-1] < 1e-6
    assert run.samples.force[-1, 0] == pytest.approx(2.0 * G, rel=1e-15)
    assert run.samples.velocity[-1, 0] == 0.0
    assert any("accumulated to rest" in note for note in run.certificate.notes)


def test_the_energy_of_the_fall_is_dissipated_at_the_floor():
    certificate = exact(ball(0.8), 5.0).certificate  # samples at events alone, where the ball is at the floor
    assert certificate.passed
    assert certificate.dissipated["floor"] == pytest.approx(2.0 * G, rel=1e-14)
    assert certificate.energy_residual < 1e-14


def test_each_impact_takes_its_part_of_the_kinetic_energy():
    run = exact(ball(0.6), 0.6)  # one impact
    assert len(impacts(run, "floor")) == 1
    assert run.certificate.dissipated["floor"] == pytest.approx((1.0 - 0.6**2) * 2.0 * G, rel=1e-14)


def test_a_ball_of_restitution_one_returns_to_its_height_for_ever():
    fall = math.sqrt(2.0 / G)
    run = exact(ball(1.0), 200.0 * fall, samples=fall * np.arange(0, 201, 2))
    np.testing.assert_allclose(run.samples.displacement[:, 0], 1.0, atol=1e-11)
    assert run.certificate.passed


def test_restitution_zero_sticks_at_once():
    run = exact(ball(0.0), 3.0)
    fall = math.sqrt(2.0 / G)
    assert list(run.events["after"]) == ["impact", "contact"]
    np.testing.assert_allclose(run.events["time"], fall, rtol=1e-15)
    assert run.certificate.dissipated["floor"] == pytest.approx(2.0 * G, rel=1e-14)


def test_samples_at_events_have_both_sides_of_a_jump():
    run = exact(ball(0.5), 0.5)
    s, fall = run.samples, math.sqrt(2.0 / G)
    k = int(np.flatnonzero(s.time == run.events["time"][0])[0])
    assert s.time[k - 1] == np.nextafter(s.time[k], 0.0)
    np.testing.assert_allclose(s.velocity[k - 1 : k + 1, 0], [-G * fall, 0.5 * G * fall], rtol=1e-14)


def test_a_gap_far_from_zero_keeps_the_digits_of_small_rebounds():
    m = ss.Model("shifted")
    x = m.coordinate("x", inertia=1.0, displacement=-1.0)
    m.load(x, ss.Constant(G))
    m.connect(x, ss.Impact(gap=1.0, restitution=0.7), name="stop")
    run = exact(m, 9.0)
    fall = math.sqrt(4.0 / G)
    assert list(run.events["time"])[-1] == pytest.approx(fall * 1.7 / 0.3, rel=1e-13)


# ---- resting contact


def test_contact_ends_where_the_load_would_pull():
    m = ss.Model("pressed")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Impact(gap=0.0, restitution=0.5), name="stop")
    m.load(x, ss.Constant(0.5) + ss.Cosine(1.0, frequency=2.0))
    run = exact(m, 1.5, samples=[0.5, 1.4])
    leaves = math.acos(-0.5) / 2.0
    assert list(run.events["after"]) == ["free"]
    assert run.events["time"][0] == pytest.approx(leaves, rel=1e-14)
    assert run.samples.force[0, 0] == pytest.approx(0.5 + math.cos(1.0), rel=1e-14)
    s = 1.4
    gone = 0.25 * (s - leaves) ** 2 - 0.25 * (math.cos(2.0 * s) - math.cos(2.0 * leaves))
    gone -= 0.5 * math.sin(2.0 * leaves) * (s - leaves)
    assert run.samples.displacement[1, 0] == pytest.approx(gone, abs=1e-14)


def test_a_stop_at_rest_may_begin_in_contact_and_carries_the_load():
    run = exact(ball(0.7, height=0.0), 2.0, samples=5)
    np.testing.assert_array_equal(run.samples.displacement, 0.0)
    np.testing.assert_allclose(run.samples.force, 2.0 * G)
    assert len(run.events["time"]) == 0


# ---- several bodies


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_two_bodies_keep_momentum_and_part_by_newtons_law(restitution):
    m = ss.Model("two bodies")
    a = m.coordinate("a", inertia=2.0, velocity=3.0)
    b = m.coordinate("b", inertia=1.0, displacement=1.0, velocity=-1.0)
    m.connect(a - b, ss.Impact(gap=0.0, restitution=restitution), name="between")
    run = exact(m, 1.0)
    v = run.samples.velocity[-1]
    assert 2.0 * v[0] + v[1] == pytest.approx(5.0, rel=1e-15)
    assert v[0] - v[1] == pytest.approx(-4.0 * restitution, abs=1e-14)
    loss = 0.5 * (2.0 / 3.0) * 16.0 * (1.0 - restitution**2)
    assert run.certificate.dissipated["between"] == pytest.approx(loss, abs=1e-13)
    assert run.certificate.passed


def test_impacts_of_a_chain_are_decided_together():
    """Newton's law in both contacts of three equal bodies in a row: v = (-1, 2, 2)/3, with the energy kept."""
    m = ss.Model("chain")
    a, b, c = (m.coordinate(n, inertia=1.0, velocity=v) for n, v in zip("abc", (1.0, 0.0, 0.0), strict=True))
    m.connect(a - b, ss.Impact(gap=0.5, restitution=1.0), name="first")
    m.connect(b - c, ss.Impact(gap=0.0, restitution=1.0), name="second")
    run = exact(m, 1.0)
    np.testing.assert_allclose(run.samples.velocity[-1], np.array([-1.0, 2.0, 2.0]) / 3.0, atol=1e-15)
    assert run.certificate.passed


def test_a_separated_chain_passes_the_motion_on():
    m = ss.Model("cradle")
    a, b, c = (m.coordinate(n, inertia=1.0, velocity=v) for n, v in zip("abc", (1.0, 0.0, 0.0), strict=True))
    m.connect(a - b, ss.Impact(gap=0.5, restitution=1.0), name="first")
    m.connect(b - c, ss.Impact(gap=0.25, restitution=1.0), name="second")
    run = exact(m, 1.0)
    np.testing.assert_allclose(run.samples.velocity[-1], [0.0, 0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(np.unique(run.events["time"]), [0.5, 0.75], rtol=1e-15)


@pytest.mark.parametrize("e", list(itertools.product([0.3, 0.8], [0.5, 0.7])))
def test_a_stack_of_balls_comes_to_rest(e):
    m = ss.Model("stack")
    low = m.coordinate("low", inertia=1.0, displacement=1.0)
    top = m.coordinate("top", inertia=1.5, displacement=1.3)
    for x, mass in ((low, 1.0), (top, 1.5)):
        m.load(x, ss.Constant(-mass * G))
    m.connect(-low, ss.Impact(gap=0.0, restitution=e[0]), name="floor")
    m.connect(low - top, ss.Impact(gap=0.0, restitution=e[1]), name="between")
    run = exact(m, 30.0)
    np.testing.assert_allclose(run.samples.force[-1], [2.5 * G, 1.5 * G], rtol=1e-14)
    assert sum(run.certificate.dissipated.values()) == pytest.approx(G * (1.0 + 1.5 * 1.3), rel=1e-13)
    assert run.samples.deflection.max() < 1e-13


def test_a_stop_that_moves_gives_energy_to_a_ball():
    m = ss.Model("table")
    x = m.coordinate("x", inertia=1.0, displacement=1.0, velocity=-1.0)
    table = m.coordinate("table", motion=ss.Ramp(0.5))
    m.connect(table - x, ss.Impact(gap=0.0, restitution=0.5), name="table")
    run = exact(m, 2.0)
    assert impacts(run, "table")[0] == pytest.approx(1.0 / 1.5, rel=1e-14)
    assert run.samples.velocity[-1, 0] == pytest.approx(0.5 + 0.5 * 1.5, rel=1e-14)
    assert run.certificate.passed
    assert run.certificate.work_in == pytest.approx(0.5 * 1.5 * 1.5, rel=1e-14)
    assert run.certificate.dissipated["table"] == pytest.approx(0.5 * 0.75 * 1.5**2, rel=1e-14)


def test_an_impact_breaks_a_sticking_contact_loose():
    """Friction has no impulse: a block at rest moves off with the share of Newton's law."""
    m = ss.Model("struck block")
    hammer = m.coordinate("hammer", inertia=1.0, velocity=2.0)
    block = m.coordinate("block", inertia=3.0)
    m.connect(block, ss.DryFriction(limit=1.5), name="ground")
    m.connect(hammer - block, ss.Impact(gap=1.0, restitution=0.5), name="face")
    run = exact(m, 3.0)
    slides = 0.25 * 2.0 * 1.5  # momentum over both masses, times 1 + e
    assert sorted(run.events["after"]) == ["free", "impact", "slip+", "stick"]
    assert list(run.events["time"])[-1] == pytest.approx(0.5 + slides * 3.0 / 1.5, rel=1e-14)
    assert run.samples.displacement[-1, 1] == pytest.approx(0.5 * slides**2 * 3.0 / 1.5, rel=1e-13)


@pytest.mark.parametrize("ratio", [0.02, 0.1, 0.3, 0.7])
@pytest.mark.parametrize("kind", ["contact", "freeplay"])
def test_a_damped_contact_has_the_restitution_of_the_closed_form(kind, ratio):
    """u'' = 0 ends a contact that never pulls, at the phase pi - 2 asin(ratio) of the damped oscillation."""
    k, mass, angle = 1e4, 2.0, math.asin(ratio)
    c = 2.0 * ratio * math.sqrt(k * mass)
    laws = {
        "contact": ss.Contact(stiffness=k, gap=0.0, damping=c),
        "freeplay": ss.Freeplay(stiffness=k, half_gap=0.0, damping=c),
    }
    m = ss.Model("compliant stop")
    x = m.coordinate("x", inertia=mass, velocity=1.0)
    m.connect(x, laws[kind], name="stop")
    frequency = math.sqrt(k / mass * (1.0 - ratio**2))
    run = exact(m, (math.pi - 2.0 * angle) / frequency)
    assert run.samples.velocity[-1, 0] == pytest.approx(
        -math.exp(-(math.pi - 2.0 * angle) * math.tan(angle)), rel=1e-12
    )


# ---- scaled laws and random models


def test_a_scaled_stop_is_a_stop_at_the_scaled_gap():
    m = ss.Model("mirrored")
    x = m.coordinate("x", inertia=1.0, velocity=-1.0)
    m.load(x, ss.Constant(-1.0))
    m.connect(x, ss.Impact(gap=0.2, restitution=0.0).scaled(deflection=-2.0, force=-2.0), name="stop")
    run = exact(m, 2.0)
    assert run.samples.displacement[-1, 0] == pytest.approx(-0.1, rel=1e-14)
    assert run.samples.force[-1, 0] == pytest.approx(-1.0, rel=1e-14)
    assert run.certificate.dissipated["stop"] == pytest.approx(0.5 + 0.1, rel=1e-14)


def random_model(seed):
    """Bodies in a row with springs, friction, and stops of any restitution, under loads and a moving wall."""
    r = np.random.default_rng(seed)
    m = ss.Model("random")
    wall = m.coordinate("wall", motion=ss.Sine(0.2, order=1))
    bodies = [
        m.coordinate(f"x{i}", inertia=r.uniform(0.5, 2.0), displacement=r.uniform(-0.5, 0.2), velocity=r.normal())
        for i in range(r.integers(1, 4))
    ]
    for i, x in enumerate(bodies):
        m.connect(x, ss.Linear(stiffness=r.uniform(0.0, 2.0), damping=r.uniform(0.0, 0.1)), name=f"spring{i}")
        if r.random() < 0.3:
            m.connect(x, ss.DryFriction(limit=r.uniform(0.0, 0.5)), name=f"friction{i}")
        m.load(x, ss.Cosine(r.uniform(0.0, 1.0), order=1) + ss.Constant(0.7 * r.normal()))
        other = wall if i == 0 else bodies[i - 1]
        m.connect(x - other, ss.Impact(gap=0.9, restitution=r.choice([0.0, 0.3, 0.8, 0.95, 1.0])), name=f"stop{i}")
        m.connect(other - x, ss.Impact(gap=0.9, restitution=r.choice([0.0, 0.5, 0.9])), name=f"back{i}")
    return m


@pytest.mark.parametrize("seed", range(12))
def test_random_models_keep_their_gaps_and_their_energy(seed):
    m = random_model(seed)
    run = exact(m, 20.0, samples=2000, frequency=1.3)
    stops = [j for j, c in enumerate(m.connections) if c.law.rigid_stop is not None]
    assert run.samples.deflection[:, stops].max() < 0.9 + 1e-13
    assert run.samples.force[:, stops].min() > -1e-12
    assert run.certificate.energy_residual < 1e-12
    losses = run.certificate.dissipated
    assert min(losses[m.connections[j].name] for j in stops) > -1e-12


def test_an_impact_at_the_start_is_noted_with_its_energies():
    """2 kg at -3 m/s: 9 J before, and 0.25 of it after an impact of restitution 0.5."""
    run = exact(ball(0.5, height=0.0, velocity=-3.0), 0.1, samples=2)
    assert run.samples.velocity[0, 0] == pytest.approx(1.5, rel=1e-15)
    assert any("at the start changes the kinetic energy from 9 to 2.25 J" in note for note in run.certificate.notes)
    upward = exact(ball(0.5, height=0.0, velocity=3.0), 0.1)
    assert not any("at the start" in note for note in upward.certificate.notes)


# ---- refusals


def test_a_run_that_begins_beyond_a_stop_is_refused():
    with pytest.raises(ss.InvalidInput, match=r'0\.5 at the stop "floor", beyond its gap 0'):
        exact(ball(0.5, height=-0.5), 1.0)


@pytest.mark.parametrize("method", ["adaptive", "newmark", "inclusion", "taylor"])
def test_other_methods_name_the_one_that_takes_a_stop(method):
    with pytest.raises(ss.MissingFace, match=r'"floor" \(Impact\) has no .*methods that take this model: exact'):
        ball(0.5).simulate(until=1.0, method=method)


def test_a_stop_beside_a_smooth_law_is_refused_with_a_way_out():
    m = ball(0.5)
    m.connect(m["x"], ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0)), name="spring")
    with pytest.raises(ss.MissingFace, match='replace the rigid stop of "floor" by Contact with damping'):
        m.simulate(until=1.0)


def test_a_coordinate_without_inertia_is_refused_beside_a_stop():
    m = ball(0.5)
    m.connect(m.coordinate("tip") - m["x"], ss.Linear(stiffness=1.0))
    with pytest.raises(ss.MissingFace, match="impacts need inertia everywhere; use Contact"):
        m.simulate(until=1.0)
