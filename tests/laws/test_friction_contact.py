"""`FrictionContact` along imposed paths: closed forms, exactness on straight paths, energy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import slipstick as ss

LOOP = ss.Loop(np.sin(np.arange(40.0)), np.sin(np.arange(40.0)))
KN, KT, MU = 2e4, 1e4, 0.5


def contact(**options):
    return ss.FrictionContact(normal_stiffness=KN, tangential_stiffness=KT, friction=MU, **options)


def subdivided(path, parts):
    """Each straight piece of a path (n,) in so many parts."""
    at = np.arange((path.size - 1) * parts + 1) / parts
    return np.interp(at, np.arange(path.size), path)


def random_path(seed, count=60, size=1e-3):
    return size * np.random.default_rng(seed).normal(size=count)


# ---- one tangential direction


def test_a_constant_normal_load_gives_jenkins():
    t = random_path(0, 400, 3e-3)
    force, pressure = contact(preload=20.0).trace((t, np.zeros_like(t)))
    assert np.array_equal(pressure, np.full(t.size, 20.0))
    assert force == pytest.approx(ss.Jenkins(stiffness=KT, limit=MU * 20.0).trace(t), abs=1e-13)


def test_stick_slip_and_separation_at_instants_in_closed_form():
    """t = A cos, n = B sin: touches at 0, sticks to 2 atan(mu k_n B / (k_t A)), slips to pi, is apart to 2 pi."""
    a, b = 2e-3, 1e-3
    begin = 2.0 * math.atan(MU * KN * b / (KT * a))
    phase = np.linspace(0.0, 4.0 * np.pi, 40_001)
    force, pressure = contact().trace((a * np.cos(phase), b * np.sin(phase)))
    own = phase % (2.0 * np.pi)
    stick, slip = KT * a * (np.cos(own) - 1.0), -MU * KN * b * np.sin(own)
    expected = np.where(own <= begin, stick, np.where(own <= np.pi, slip, 0.0))
    settled = phase > 2.0 * np.pi
    assert force[settled] == pytest.approx(expected[settled], abs=2e-6 * KT * a)
    states = contact().states(np.array([force, pressure]))
    inside = settled & (np.abs(own - begin) > 1e-3) & (np.abs(own - np.pi) > 1e-3) & (own > 1e-3) & (own < 6.28)
    names = np.where(own <= begin, "stick", np.where(own <= np.pi, "slip", "separated"))
    assert np.array_equal(states[inside], names[inside])
    # the area of the loop by hand
    t1 = a * math.cos(begin)
    slip_work = MU * KN * a * b * ((math.pi - begin) / 2.0 + math.sin(2.0 * begin) / 4.0)
    area = np.trapezoid(force[settled], a * np.cos(phase[settled]))
    assert area == pytest.approx(0.5 * KT * (t1 - a) ** 2 + slip_work, rel=1e-6)


def test_slip_ends_where_the_limit_grows_faster_than_the_motion():
    """Loaded normal motion without separation: each slip ends where k_t t' = -+ mu N', by hand, and begins again where
    a stick from there meets the limit, the root of a sine."""
    a, b, n0, phi = 1.5e-3, 0.6e-3, 1e-3, 0.8
    phase = np.linspace(0.0, 6.0 * np.pi, 60_001)
    t, n = a * np.cos(phase), n0 + b * np.cos(phase + phi)
    force, pressure = contact().trace((t, n))
    slips = contact().states(np.array([force, pressure])) == "slip"
    last = phase > 4.0 * np.pi
    ends = phase[1:][last[1:] & slips[:-1] & ~slips[1:]] - 4.0 * np.pi
    begins = phase[1:][last[1:] & ~slips[:-1] & slips[1:]] - 4.0 * np.pi

    def end(sign):  # k_t a sin(x) = sign mu k_n b sin(x + phi)
        c = sign * MU * KN * b
        return math.atan2(c * math.sin(phi), KT * a - c * math.cos(phi))

    forward, backward = end(1.0), math.pi + end(-1.0)
    expected = sorted(x % (2.0 * math.pi) for x in (forward, backward))
    assert sorted(ends % (2.0 * np.pi)) == pytest.approx(expected, abs=1e-3)

    def next_begin(x0, sign):
        """Stick from x0 with force sign mu N(x0), until the force is -sign mu N: R cos(x + psi) = c."""
        limit = MU * KN * (n0 + b * math.cos(x0 + phi))
        # k_t a (cos x - cos x0) + sign limit = -sign mu k_n (n0 + b cos(x + phi))
        z = KT * a + sign * MU * KN * b * complex(math.cos(phi), math.sin(phi))
        c = KT * a * math.cos(x0) - sign * (limit + MU * KN * n0)
        turn = math.acos(c / abs(z))
        psi = math.atan2(z.imag, z.real)
        return sorted(((s * turn - psi - x0) % (2.0 * math.pi)) for s in (1.0, -1.0))[0] + x0

    after = [next_begin(forward, 1.0), next_begin(backward, -1.0)]
    assert sorted(begins % (2.0 * np.pi)) == pytest.approx(sorted(x % (2.0 * math.pi) for x in after), abs=1e-3)


@pytest.mark.parametrize("directions", [2, 3])
@pytest.mark.parametrize("options", [{}, {"preload": 8.0}, {"gap": 4e-4}])
def test_straight_paths_in_one_step_or_in_many_give_the_same_forces(directions, options):
    for seed in range(10):
        paths = [random_path(100 * seed + k) for k in range(directions)]
        coarse = contact(**options).trace(tuple(paths))
        fine = contact(**options).trace(tuple(subdivided(path, 37) for path in paths))
        for one, many in zip(coarse, fine, strict=True):
            assert one == pytest.approx(many[::37], abs=1e-9)  # of forces of 30 N


def test_damping_acts_in_contact_and_never_pulls():
    law = contact(normal_damping=100.0)
    n = np.array([0.0, 1e-3, 1e-3, 1e-3, -1e-3])
    rate = (np.zeros(5), np.array([0.0, 0.0, 0.1, -1.0, 5.0]))
    force, pressure = law.trace((np.zeros(5), n), rate=rate)
    assert pressure == pytest.approx([0.0, 20.0, 30.0, 0.0, 0.0])
    assert np.array_equal(force, np.zeros(5))


def test_friction_begins_anew_where_contact_is_made():
    """Pressed, led aside, lifted, led on, pressed again: the new force counts from the place of the new contact."""
    t = np.array([0.0, 0.0, 1e-4, 1e-4, 7e-4, 7e-4, 8e-4])
    n = np.array([0.0, 1e-3, 1e-3, -1e-3, -1e-3, 1e-3, 1e-3])
    force, _ = contact().trace((t, n))
    assert force == pytest.approx([0.0, 0.0, KT * 1e-4, 0.0, 0.0, 0.0, KT * 1e-4], abs=1e-12)


# ---- two tangential directions


def test_a_straight_path_in_the_plane_is_that_of_one_direction():
    t, n = random_path(3, 300), 1e-3 * np.abs(random_path(4, 300, 1.0)) - 3e-4
    one, pressure = contact().trace((t, n))
    first, second, other = contact().trace((0.6 * t, -0.8 * t, n))
    assert np.array_equal(other, pressure)
    assert 0.6 * first - 0.8 * second == pytest.approx(one, abs=1e-11)
    assert 0.8 * first + 0.6 * second == pytest.approx(np.zeros(t.size), abs=1e-11)


def test_a_circle_under_constant_load_slips_steadily_at_an_angle_by_hand():
    """The force has the size mu N and lags the velocity by asin(mu N / (k_t A)); the polygon converges as h^2."""
    a, load = 1e-3, 10.0
    lag, errors = math.asin(MU * load / (KT * a)), []
    for count in (500, 1000, 2000):
        phase = np.linspace(0.0, 6.0 * np.pi, 3 * count + 1)
        f1, f2, _ = contact(preload=load).trace((a * np.cos(phase), a * np.sin(phase), np.zeros(phase.size)))
        assert math.hypot(f1[-1], f2[-1]) == pytest.approx(MU * load, rel=1e-12)
        middle = phase[-1] - 0.5 * (phase[1] - phase[0])  # the velocity on the last chord
        angle = math.atan2(f2[-1], f1[-1])
        errors.append(abs((middle + 0.5 * math.pi - lag - angle + math.pi) % (2.0 * math.pi) - math.pi))
    assert errors[-1] < 2.0 * math.pi / 2000  # within half a chord and its turn
    assert errors[0] / errors[2] > 3.9


def test_the_force_turns_towards_the_motion_by_its_closed_form():
    """From T across the motion at the limit R: tan(theta / 2) decays by exp(-k_t x / R)."""
    load = 10.0
    limit = MU * load
    ahead = limit / KT  # led aside to the limit exactly, then across
    x = np.linspace(0.0, 3.0 * ahead, 7)
    t1 = np.concatenate([[0.0, ahead], np.full(6, ahead)])
    t2 = np.concatenate([[0.0], x])
    f1, f2, _ = contact(preload=load).trace((t1, t2, np.zeros(8)))
    theta = 2.0 * np.arctan(np.exp(-KT * x / limit))
    assert f1[1:] == pytest.approx(limit * np.sin(theta), rel=1e-12)
    assert f2[1:] == pytest.approx(limit * np.cos(theta), rel=1e-12, abs=1e-12)


# ---- energy, derivatives, refusals


@pytest.mark.parametrize("directions", [2, 3])
def test_friction_gains_no_energy(directions):
    law = contact(preload=5.0).for_directions(directions)
    for seed in range(3):
        paths = tuple(subdivided(random_path(10 * seed + k), 50) for k in range(directions))
        forces = law.trace(paths)
        memory, stored = law.start(tuple(p[0] for p in paths)), []
        for k in range(paths[0].size):
            at = tuple(p[k] for p in paths)
            memory = law.update(at, (0.0,) * directions, memory)[1]
            stored.append(sum(law.direction_stored(d, at[d], memory) for d in range(directions - 1)))
        work = sum(0.5 * (f[1:] + f[:-1]) * np.diff(p) for f, p in zip(forces[:-1], paths[:-1], strict=True))
        lost = work - np.diff(stored)
        step = max(np.abs(np.diff(p)).max() for p in paths[:-1])
        assert lost.min() > -KT * step**2 / 8.0 * (directions - 1)  # what the trapezoidal rule errs at a corner
        assert lost.sum() > 0.01


@pytest.mark.parametrize("directions", [2, 3])
def test_derivatives_of_kernels_are_those_of_differences(directions):
    from slipstick.laws.law_kernels import pointer, tangent_kernel, value_kernel
    from slipstick.laws.law_packing import pack_parameters

    law = ss.FrictionContact(
        normal_stiffness=2.0, tangential_stiffness=1.0, friction=0.5, preload=1.0, normal_damping=0.1
    ).for_directions(directions)
    random, p, m = np.random.default_rng(1), pack_parameters(law), len(law.remembers)
    inputs = m + 2 * directions
    for _ in range(200):
        start = np.concatenate([random.normal(size=inputs), np.zeros(directions + 1)])
        step = np.concatenate([random.normal(size=inputs), np.zeros(directions + 1)])
        ends = []
        for side in (1e-6, -1e-6):
            room = start + side * step
            value_kernel(type(law)).call(pointer(p), 0.0, 0.0, pointer(room))
            ends.append(room)
        room, slope, first = start.copy(), step.copy(), np.zeros(1)
        tangent_kernel(type(law)).call(pointer(p), 0.0, 0.0, pointer(room), 0.0, 0.0, pointer(slope), pointer(first))
        found = np.delete(slope, np.arange(m, inputs))
        assert found == pytest.approx(np.delete((ends[0] - ends[1]) / 2e-6, np.arange(m, inputs)), abs=2e-5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda law: law + law, "several deflections"),
        (lambda law: law.scaled(force=2.0), "several deflections"),
        (lambda law: law.modulated(ss.Cosine(1.0, order=1)), "several deflections"),
        (lambda law: law.tangent(0.0, 0.0, ()), "several deflections"),
        (lambda law: ss.Series(law, ss.Linear(stiffness=1.0)), "several deflections"),
        (lambda law: law.trace([0.0, 1.0]), "tuple of lists"),
        (lambda law: law.trace(([0.0, 1.0], [0.0])), "2 samples"),
        (lambda law: law.trace(([0.0],) * 4), "got 4"),
        (lambda law: ss.identify(LOOP, law), "a loop has one"),
        (lambda law: ss.identify(LOOP, type(law)), "a loop has one"),
        (lambda law: replace(law, normal_stiffness=0.0), "normal_stiffness"),
        (lambda law: replace(law, friction=-0.1), "friction"),
    ],
)  # fmt: skip
def test_what_a_law_of_several_deflections_cannot_do_is_refused(call, words):
    with pytest.raises(ss.InvalidInput, match=words):
        call(contact())


@pytest.mark.parametrize("samples", [200, 2000, 20000])
def test_the_friction_circle_holds_with_damping_at_any_sampling(samples):
    law = ss.FrictionContact(
        normal_stiffness=5e4, tangential_stiffness=4e4, friction=0.3, preload=8.0, normal_damping=20.0
    )
    t = np.linspace(0.0, 0.02, samples)
    u, w, n = (a * np.sin(500.0 * t + p) for a, p in ((1e-3, 0.0), (4e-4, 1.3), (3e-4, -0.4)))
    first, second, normal = law.trace((u, w, n), t)
    assert (np.hypot(first, second) - 0.3 * normal).max() < 1e-13
    straight, plane = law.trace((u, 0.0 * u, n), t), law.trace((u, n), t)
    assert np.allclose(straight[0], plane[0], atol=1e-12)


def test_modes_of_a_law_that_does_not_state_its_stiffness_are_refused(refused):
    class Pair(ss.Law):
        """Two springs."""

        directions = ("a", "b")
        stiffness: float = ss.parameter((1, -1, 0), above=0)

        def update(self, u, v, memory):
            return (self.stiffness * u[0], self.stiffness * u[1]), memory

    m = ss.Model("pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect((x, y), Pair(stiffness=100.0), name="pair")
    with refused("does not state its stiffness", "direction_stiffness"):
        m.modes()


@pytest.mark.parametrize("names", [("a", "a"), ("", "b"), (1, 2), "ab", ("a b", "c")])
def test_directions_are_different_names(refused, names):
    class Odd(ss.FrictionContact):
        """A contact with other names."""

        directions = names

        def update(self, u, v, memory):
            return (0.0, 0.0), memory

    m = ss.Model("odd")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    with refused("directions must be"):
        m.connect((x, y), Odd(normal_stiffness=1.0, tangential_stiffness=1.0, friction=0.1))
