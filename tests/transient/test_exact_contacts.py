"""The exact flow of several rubbing contacts: decided together, redundant ones, chatter, simultaneous events."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import slipstick as ss


def exact(m, until, samples=0, **options):
    return m.simulate(until=until, method="exact", samples=samples, **options)


def stack(pull, low=2.0, top=1.0, floor=0.5, between=2.0):
    """Two blocks on each other; the upper one is pulled."""
    m = ss.Model("stack")
    a, b = m.coordinate("low", inertia=low), m.coordinate("top", inertia=top)
    m.connect(a, ss.DryFriction(limit=floor), name="floor")
    m.connect(b - a, ss.DryFriction(limit=between), name="between")
    m.load(b, pull)
    return m


# ---- stacked blocks


@pytest.mark.parametrize(
    ("pull", "low", "top", "states"),
    # rest; both together at (F - 0.5)/3; apart: the lower one at (2 - 0.5)/2, the upper one at F - 2
    [
        (0.4, 0.0, 0.0, ("stick", "stick")),
        (1.7, 0.4, 0.4, ("slip+", "stick")),
        (3.5, 0.75, 1.5, ("slip+", "slip+")),
        (-3.5, -0.75, -1.5, ("slip-", "slip-")),
    ],
)
def test_stacked_blocks_are_decided_together(pull, low, top, states):
    s = exact(stack(ss.Constant(pull)), 2.0, samples=5).samples
    np.testing.assert_allclose(s.velocity, np.outer(s.time, [low, top]), atol=1e-15)
    assert (s.state == np.array(states)).all()
    # Newton for each block: the forces of the contacts are what is needed
    np.testing.assert_allclose(s.force[:, 1], pull - top, atol=1e-14)
    np.testing.assert_allclose(s.force[:, 0], pull - top - 2.0 * low, atol=1e-14)


def test_a_growing_pull_sets_the_stack_off_together_and_then_tears_it_apart():
    run = exact(stack(ss.Ramp(1.0)), 5.0)
    # together when F = 0.5; the contact between carries F - (F - 0.5)/3, which is 2 at F = 2.75
    assert list(run.events) == [
        (pytest.approx(0.5, rel=1e-15), "floor", "stick", "slip+"),
        (pytest.approx(2.75, rel=1e-15), "between", "stick", "slip+"),
    ]
    together = (2.75 - 0.5) ** 2 / 6.0
    assert run.samples.velocity[-1, 0] == pytest.approx(together + 0.75 * 2.25, rel=1e-14)
    assert run.samples.velocity[-1, 1] == pytest.approx(together + 0.5 * (5.0**2 - 2.75**2) - 2.0 * 2.25, rel=1e-14)


def test_a_pull_that_ends_lets_the_stack_join_again_and_stop():
    run = exact(stack(ss.Signal((0.0, 1.0, 1.0), (3.5, 3.5, 0.0))), 10.0)
    # apart by 0.75 m/s at 1 s; then the upper brakes with 2, the lower gains 0.75: joined at 1 + 0.75/2.75
    joined = 1.0 + 0.75 / 2.75
    speed = 1.5 - 2.0 * (joined - 1.0)
    stopped = joined + speed / (0.5 / 3.0)
    assert [(e.connection, e.after) for e in run.events] == [("between", "stick"), ("floor", "stick")]
    np.testing.assert_allclose(run.events["time"], [joined, stopped], rtol=1e-14)
    low = 0.375 + 0.75 * (joined - 1.0) + 0.375 * (joined - 1.0) ** 2 + 0.5 * speed * (stopped - joined)
    assert run.samples.displacement[-1, 0] == pytest.approx(low, rel=1e-14)
    assert not run.samples.velocity[-1].any()


def test_random_stacks_at_rest_go_the_way_that_all_cases_gone_through_say():
    """Three blocks on each other, random masses, limits and pulls: every combination of states is tried by hand."""
    rng = np.random.default_rng(11)
    moved = 0
    for _ in range(150):
        mass, limit, pull = rng.uniform(0.3, 3.0, 3), rng.uniform(0.1, 2.0, 3), 0.8 * rng.normal(size=3)
        m = ss.Model("stack")
        q = [m.coordinate(f"q{i}", inertia=float(mass[i])) for i in range(3)]
        for i in range(3):
            m.connect(q[i] - q[i - 1] if i else q[i], ss.DryFriction(limit=float(limit[i])), name=f"rub{i}")
            m.load(q[i], ss.Constant(float(pull[i])))
        v = exact(m, 1e-3, samples=2).samples.velocity[-1]
        expected = accelerations(mass, limit, pull)
        np.testing.assert_allclose(v / 1e-3, expected, atol=1e-11)
        moved += bool(np.abs(expected).max() > 1e-9)
    assert 30 < moved < 120


def accelerations(mass, limit, pull):
    """Of three stacked blocks at rest: each contact holds or slips either way; the only consistent case."""
    w = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]])  # columns: contacts
    for states in itertools.product((-1, 0, 1), repeat=3):
        side = np.array(states)
        force = side * limit
        hold = side == 0
        if hold.any():
            g = w[:, hold].T @ (w[:, hold] / mass[:, None])
            force = force + 0.0
            force[hold] = np.linalg.solve(g, w[:, hold].T @ ((pull - w @ force) / mass))
        a = (pull - w @ force) / mass
        if (np.abs(force) <= limit + 1e-12).all() and (side * (w.T @ a) >= -1e-12).all():
            return a
    raise AssertionError("no case fits")


# ---- blocks in series


def test_two_blocks_in_series_stick_together_and_move_as_one_until_the_contact_gives():
    """Both on springs, a contact between: as one they are an oscillator of the sum; the contact carries the rest."""
    m = ss.Model("series")
    a = m.coordinate("a", inertia=1.0, displacement=1.0)
    b = m.coordinate("b", inertia=3.0, displacement=1.0)
    m.connect(a, ss.Linear(stiffness=1.0), name="soft")
    m.connect(b, ss.Linear(stiffness=15.0), name="stiff")
    m.connect(a - b, ss.DryFriction(limit=5.0), name="rub")
    s = exact(m, 20.0, samples=201).samples
    w = 2.0  # (1 + 15)/(1 + 3)
    assert (s.state[:, 2] == "stick").all()
    np.testing.assert_allclose(s.displacement, np.cos(w * s.time)[:, None] * np.ones(2), atol=1e-13)
    # a alone would need -w^2 x: its spring gives -1 x, so the contact carries (w^2 - 1) x
    np.testing.assert_allclose(s.force[:, 2], 3.0 * np.cos(w * s.time), atol=1e-12)


def test_two_blocks_in_series_part_at_the_first_instant_if_the_contact_is_too_weak():
    m = ss.Model("series")
    a = m.coordinate("a", inertia=1.0, displacement=1.0)
    b = m.coordinate("b", inertia=3.0, displacement=1.0)
    m.connect(a, ss.Linear(stiffness=1.0), name="soft")
    m.connect(b, ss.Linear(stiffness=15.0), name="stiff")
    m.connect(a - b, ss.DryFriction(limit=2.0), name="rub")
    run = exact(m, 0.3, samples=31)
    s = run.samples
    assert (s.state[:, 2] == "slip+").all()  # b falls back faster, so a - b grows
    np.testing.assert_allclose(s.displacement[:, 0], -2.0 + 3.0 * np.cos(s.time), atol=1e-14)
    x_b = 2.0 / 15.0 + (1.0 - 2.0 / 15.0) * np.cos(math.sqrt(5.0) * s.time)
    np.testing.assert_allclose(s.displacement[:, 1], x_b, atol=1e-14)


# ---- redundant contacts


def one_block(*laws, pull):
    m = ss.Model("block")
    z = m.coordinate("z", inertia=1.0)
    for i, law in enumerate(laws):
        m.connect(z, law, name=f"rub{i}")
    m.load(z, pull)
    return m


@pytest.mark.parametrize("limits", [(0.3, 0.3), (0.3, 0.2), (0.1, 0.3, 0.1)])
def test_frictions_on_one_deflection_add(limits):
    run = exact(
        one_block(*(ss.DryFriction(limit=f) for f in limits), pull=ss.Sine(1.0, frequency=1.0)), 10.0, samples=101
    )
    one = exact(one_block(ss.DryFriction(limit=math.fsum(limits)), pull=ss.Sine(1.0, frequency=1.0)), 10.0, samples=101)
    np.testing.assert_allclose(run.samples.displacement, one.samples.displacement, atol=1e-14)
    np.testing.assert_allclose(run.samples.force.sum(axis=1), one.samples.force[:, 0], atol=1e-14)
    assert (np.abs(run.samples.force) <= np.array(limits) + 1e-15).all()


def test_frictions_of_different_static_ratios_on_one_deflection_let_go_together():
    """The sum of what both can hold at rest is the most; once it slides both give their sliding limits."""
    laws = ss.DryFriction(limit=0.3, static_limit=0.6), ss.DryFriction(limit=0.2)
    run = exact(one_block(*laws, pull=ss.Ramp(0.1)), 10.0)
    assert run.events["time"][0] == pytest.approx(8.0, rel=1e-13)
    assert run.samples.velocity[-1, 0] == pytest.approx(0.05 * (100.0 - 64.0) - 0.5 * 2.0, rel=1e-13)


def test_frictions_on_one_deflection_with_different_time_functions_hold_their_sum():
    fixed = ss.DryFriction(limit=0.3)
    varying = ss.DryFriction(limit=ss.Fourier(0.4, cos=(0.2,), frequency=1.0))
    run = exact(one_block(fixed, varying, pull=ss.Constant(0.6)), 4.0)
    off = math.acos(-0.5)
    assert run.events["time"][0] == pytest.approx(off, rel=1e-13)
    v = -0.1 * (4.0 - off) - 0.2 * (math.sin(4.0) - math.sin(off))
    end = run.samples.velocity[-1, 0]
    assert end == pytest.approx(v, rel=1e-13)


def loop(pull_a, pull_b=0.0, limits=(0.4, 0.5, 0.6)):
    """A on the ground, B on the ground, A on B: three contacts on two coordinates."""
    m = ss.Model("loop")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=2.0)
    m.connect(a, ss.DryFriction(limit=limits[0]), name="a-ground")
    m.connect(b, ss.DryFriction(limit=limits[1]), name="b-ground")
    m.connect(a - b, ss.DryFriction(limit=limits[2]), name="a-b")
    m.load(a, pull_a)
    if pull_b:
        m.load(b, ss.Constant(pull_b))
    return m


def test_a_loop_of_contacts_holds_up_to_the_sum_of_what_leads_to_the_ground():
    """A ramp on a: ground and b hold it. With (0.4, 0.5, 0.6) all of b's ground is used before a slips on b."""
    run = exact(loop(ss.Ramp(0.1)), 30.0)
    # both grounds give 0.4 + 0.5 at t = 9; then a and b slide as one (0.1 t - 0.9)/3 until a - b carries 0.6:
    # 0.5 + 2 acc = 0.6 at acc = 0.05, t = 10.5; a slides off before or at that instant
    assert run.events["time"][0] == pytest.approx(9.0, rel=1e-12)
    together = run.samples.time <= 10.5
    np.testing.assert_allclose(run.samples.velocity[together, 0], run.samples.velocity[together, 1], atol=1e-13)
    last = run.events["time"][run.events["connection"] == "a-b"]
    assert last[-1] == pytest.approx(10.5, rel=1e-12)
    speed = 0.05 * 1.5**2 / 3.0
    v_b = speed + 0.05 * (30.0 - 10.5)
    v_a = speed + 0.05 * (30.0**2 - 10.5**2) - (0.4 + 0.6) * (30.0 - 10.5)
    np.testing.assert_allclose(run.samples.velocity[-1], [v_a, v_b], rtol=1e-12)


def test_a_weak_link_in_a_loop_slips_first():
    run = exact(loop(ss.Ramp(0.1), limits=(0.4, 0.5, 0.1)), 20.0)
    # a is held by 0.4 + 0.1: b never moves
    assert run.events["time"][0] == pytest.approx(5.0, rel=1e-12)
    assert not run.samples.velocity[:, 1].any()
    assert run.samples.velocity[-1, 0] == pytest.approx(0.05 * (400.0 - 25.0) - 0.5 * 15.0, rel=1e-12)


@pytest.mark.parametrize("limits", [(0.4, 0.5, 0.6), (0.4, 0.4, 0.4), (0.1, 0.9, 0.3), (0.7, 0.1, 0.2)])
@pytest.mark.parametrize("amplitude", [0.5, 1.0, 2.5])
def test_redundant_contacts_keep_newton_energy_and_their_limits(limits, amplitude):
    m = loop(ss.Sine(amplitude, frequency=0.7) + ss.Cosine(0.2, frequency=2.3), limits=limits)
    run = exact(m, 60.0, samples=3001)
    s = run.samples
    assert (np.abs(s.force) <= np.array(limits) + 1e-12).all()
    assert run.certificate.energy_residual <= 1e-9
    # Newton over each sampling interval without an event: the momentum gained is the impulse (Simpson)
    mid = exact(m, 60.0, samples=6001).samples
    force = np.column_stack([mid.force[:, 0] + mid.force[:, 2], mid.force[:, 1] - mid.force[:, 2]])
    push = np.column_stack([amplitude * np.sin(0.7 * mid.time) + 0.2 * np.cos(2.3 * mid.time), 0.0 * mid.time]) - force
    impulse = (push[:-1:2] + 4.0 * push[1::2] + push[2::2]) * 0.02 / 6.0
    quiet = ~np.histogram(run.events["time"], bins=s.time)[0].astype(bool)
    gained = np.diff(s.velocity, axis=0) * np.array([1.0, 2.0])
    np.testing.assert_allclose(gained[quiet], impulse[quiet], atol=1e-9)
    assert quiet.sum() > 2500
    # the first block holds by its own contact and by the weaker of the two in the chain beyond
    pull = np.abs(push[:, 0] + force[:, 0]).max()
    assert bool(s.velocity.any()) == bool(pull > limits[0] + min(limits[1:]))


# ---- chatter and rest


def test_a_ball_on_a_damped_floor_bounces_to_rest():
    m = ss.Model("ball")
    z = m.coordinate("z", inertia=1.0, displacement=1.0)
    m.connect(-z, ss.Contact(stiffness=1e4, gap=0.0, damping=20.0), name="floor")
    m.load(z, ss.Constant(-9.81))
    run = exact(m, 12.0)
    hits = run.events["time"][run.events["after"] == "contact"]
    assert hits[0] == pytest.approx(math.sqrt(2.0 / 9.81), rel=1e-14)
    assert hits.size > 4
    assert (np.diff(hits, n=2) < 0.0).all()
    assert run.samples.state[-1, 0] == "contact"
    assert run.samples.displacement[-1, 0] == pytest.approx(-9.81 / 1e4, rel=1e-9)
    assert run.certificate.passed


def test_a_row_of_sliding_blocks_comes_to_rest_one_by_one():
    m = ss.Model("row")
    speeds = [1.0, 2.0, 3.0, 4.0]
    for i, v in enumerate(speeds):
        x = m.coordinate(f"x{i}", inertia=1.0, velocity=v)
        m.connect(x, ss.DryFriction(limit=0.5), name=f"rub{i}")
    run = exact(m, 10.0)
    np.testing.assert_allclose(run.events["time"], [2.0, 4.0, 6.0, 8.0], rtol=1e-15)
    np.testing.assert_allclose(run.samples.displacement[-1], [v * v for v in speeds], rtol=1e-15)
    assert not run.samples.velocity[-1].any()


def test_a_symmetric_pair_stops_at_the_same_instant_and_stays_symmetric():
    m = ss.Model("pair")
    a, b = m.coordinate("a", inertia=1.0, velocity=1.0), m.coordinate("b", inertia=1.0, velocity=-1.0)
    m.connect(a - b, ss.Linear(stiffness=3.0, damping=0.1), name="spring")
    m.connect(a, ss.DryFriction(limit=0.1), name="rub a")
    m.connect(b, ss.DryFriction(limit=0.1), name="rub b")
    m.connect(a - b, ss.Freeplay(stiffness=2.0, half_gap=0.2), name="gap")
    run = exact(m, 20.0)
    s = run.samples
    np.testing.assert_allclose(s.displacement[:, 0], -s.displacement[:, 1], atol=1e-15)
    times = run.events["time"]
    for side in ("rub a", "rub b"):
        assert (run.events["connection"] == side).sum() > 3
    np.testing.assert_allclose(
        times[run.events["connection"] == "rub a"], times[run.events["connection"] == "rub b"], rtol=1e-14
    )
    assert (s.state[-1, 1:3] == "stick").all()


@pytest.mark.parametrize("n", [3, 5, 8, 10, 12])
def test_a_chain_of_many_contacts_holds_and_then_slides_as_one(n):
    for pull, acceleration in ((n - 0.1, 0.0), (1.1 * n, 0.1)):
        m = ss.Model("chain")
        q = [m.coordinate(f"q{i}", inertia=1.0) for i in range(n)]
        for i, x in enumerate(q):
            m.connect(x, ss.DryFriction(limit=1.0), name=f"floor{i}")
            if i:
                m.connect(x - q[i - 1], ss.DryFriction(limit=20.0), name=f"link{i}")
        m.load(q[-1], ss.Constant(pull))
        s = exact(m, 1.0, samples=2).samples
        np.testing.assert_allclose(s.velocity[-1], acceleration, atol=1e-13)
