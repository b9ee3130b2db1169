"""The exact flow of one mass that rubs: against closed forms, and against an oracle of arcs and bisection."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from transient.friction_block_oracle import Block

import slipstick as ss


def block(law, *, stiffness=0.0, damping=0.0, load=None, motion=None, **start):
    """A mass of 1 with a spring to the ground, rubbing on the ground or on a belt that moves."""
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0, **start)
    if stiffness or damping:
        m.connect(x, ss.Linear(stiffness=stiffness, damping=damping), name="spring")
    m.connect(x if motion is None else x - m.coordinate("belt", motion=motion), law, name="rub")
    if load is not None:
        m.load(x, load)
    return m


def exact(m, until, samples=0, **options):
    return m.simulate(until=until, method="exact", samples=samples, **options)


def end_of(run):
    return run.samples.displacement[-1, 0], run.samples.velocity[-1, 0]


# ---- Coulomb decay


def test_coulomb_decay_loses_four_limits_over_stiffness_a_cycle_and_ends_within_the_band():
    k, limit, start = 4.0, 0.37, 1.0
    run = exact(block(ss.DryFriction(limit=limit), stiffness=k, displacement=start), 20.0)
    turns = [start]
    while abs(turns[-1]) > limit / k:
        turns.append(-math.copysign(abs(turns[-1]) - 2.0 * limit / k, turns[-1]))
    assert len(turns) == 6  # five half cycles
    times = 0.5 * math.pi * np.arange(1, len(turns))
    np.testing.assert_allclose(run.events["time"], times, rtol=2e-15)
    assert list(run.events["after"]) == ["slip+", "slip-", "slip+", "slip-", "stick"]
    np.testing.assert_allclose(run.samples.displacement[:, 0], [*turns[1:], turns[-1]], atol=1e-15)
    assert run.samples.velocity[-1, 0] == 0.0
    spent = 0.5 * k * (start**2 - turns[-1] ** 2)
    assert run.certificate.dissipated["rub"] == pytest.approx(spent, rel=1e-13)


def test_coulomb_decay_that_turns_exactly_at_the_edge_of_the_band_stays_there():
    run = exact(block(ss.DryFriction(limit=0.25), stiffness=1.0, displacement=1.25), 100.0)
    x, v = end_of(run)
    assert x == pytest.approx(0.25, abs=1e-13)
    assert abs(v) < 1e-13


@pytest.mark.parametrize("place", [0.0, 0.2499, 0.25, -0.25])
def test_a_block_within_or_at_the_edge_of_the_band_never_moves(place):
    run = exact(block(ss.DryFriction(limit=0.25), stiffness=1.0, displacement=place), 10.0, samples=11)
    assert not len(run.events)
    assert (run.samples.displacement == place).all()
    assert (run.samples.state[:, 1] == "stick").all()
    np.testing.assert_allclose(run.samples.force[:, 1], -place, atol=1e-16)


def test_viscous_and_dry_friction_decay_by_the_logarithmic_law_between_turns():
    k, c, limit = 9.0, 0.4, 0.05
    run = exact(block(ss.DryFriction(limit=limit, damping=c), stiffness=k, displacement=1.0), 3.0, samples=0)
    own, shift = math.sqrt(k - c * c / 4.0), limit / k
    shrink = math.exp(-0.5 * c * math.pi / own)
    x = 1.0
    for i, t in enumerate(run.events["time"]):
        x = -math.copysign((abs(x) - shift) * shrink - shift, x)
        assert t == pytest.approx((i + 1) * math.pi / own, rel=1e-14)
        assert run.samples.displacement[i, 0] == pytest.approx(x, rel=1e-13)
    assert len(run.events) == 2


# ---- against the oracle

CASES = {
    # load amplitude, frequency, limit: how many stops a half cycle the steady motion has
    "no stop": ({"load": [(1.0, 1.3, 0.0)], "limit": 0.3}, 0),
    "one stop": ({"load": [(1.0, 0.7, 0.4)], "limit": 0.8}, 1),
    "two stops": ({"load": [(1.0, 0.15, 0.0)], "limit": 0.45, "c": 0.05}, 2),
    "high static limit": ({"load": [(1.0, 0.45, 0.0)], "limit": 0.3, "ratio": 1.7, "c": 0.1}, None),
    "normal load at twice the frequency": (
        {"load": [(1.0, 0.7, 0.4)], "limit": 0.5, "swing": [(0.4, 1.4, 0.3)], "c": 0.1},
        None,
    ),
    "normal load and static limit": (
        {"load": [(1.0, 0.7, 0)], "limit": 0.4, "swing": [(0.3, 2.1, 1.0)], "ratio": 1.3},
        None,
    ),
    "two frequencies": (
        {"load": [(0.7, 0.5, 0.0), (0.4, 2.7, 1.0)], "limit": 0.35, "constant": 0.2, "k": 2.3, "m": 1},
        None,
    ),
    "belt, static limit": ({"speed": 0.3, "limit": 0.5, "ratio": 1.6, "c": 0.05}, None),
    "belt that shakes": ({"speed": 0.1, "belt": [(0.2, 2.2, 0.7)], "limit": 0.5, "c": 0.05}, None),
    "belt that shakes, load, static limit": (
        {"speed": -0.2, "belt": [(0.3, 1.9, 0.0)], "load": [(0.4, 0.8, 0.0)], "limit": 0.4, "ratio": 1.25, "c": 0.1},
        None,
    ),
}


def made(case):
    """The package's model of an oracle's."""
    given = {"m": 1, "c": 0, "k": 1, "load": (), "constant": 0, "swing": (), "ratio": 1, "speed": 0, "belt": (), **case}
    limit, static = held(given, 1.0), held(given, given["ratio"]) if given["ratio"] != 1 else None
    motion = None
    if given["speed"] or given["belt"]:
        motion = ss.Ramp(float(given["speed"]))
        for amplitude, omega, phase in given["belt"]:
            motion = motion + ss.Cosine(amplitude, frequency=omega, phase=phase)
    load = ss.Constant(float(given["constant"]))
    for amplitude, omega, phase in given["load"]:
        load = load + ss.Cosine(amplitude, frequency=omega, phase=phase)
    law = ss.DryFriction(limit=limit, static_limit=static)
    return block(law, stiffness=float(given["k"]), damping=float(given["c"]), load=load, motion=motion)


def held(given, ratio):
    """Ratio times the limit of an oracle's model: a number, or a function of time."""
    if not given["swing"]:
        return ratio * given["limit"]
    [(amplitude, omega, phase)] = given["swing"]
    cos, sin = ratio * amplitude * math.cos(phase), -ratio * amplitude * math.sin(phase)
    return ss.Fourier(ratio * given["limit"], cos=(cos,), sin=(sin,), frequency=omega)


@pytest.mark.parametrize("name", CASES)
def test_instants_and_states_are_those_of_arcs_and_bisection(name):
    case, stops = CASES[name]
    until = 3.0 * 2.0 * math.pi / case["load"][0][1] if stops == 2 else 60.0
    changes, x, v = Block(**case).simulate(until)
    run = exact(made(case), until)
    assert run.events["before"][0] == changes[0].phase
    assert list(run.events["after"]) == [change.phase for change in changes[1:]]
    np.testing.assert_allclose(run.events["time"], [change.time for change in changes[1:]], rtol=1e-12)
    np.testing.assert_allclose(end_of(run), (x, v), rtol=0, atol=1e-12)
    assert len(changes) > 5
    if stops is not None:
        half = math.pi / case["load"][0][1]
        late = [change for change in changes if change.time > until - 2.0 * half]
        assert sum(change.phase == "stick" for change in late) == 2 * stops
    assert run.certificate.passed


# ---- belts


@pytest.mark.parametrize("static", [0.5, 0.8])
def test_a_belt_driven_oscillator_has_the_closed_form_period(static):
    limit, speed, w = 0.5, 0.21, 3.0
    k = w * w
    law = ss.DryFriction(limit=limit, static_limit=static if static > limit else None)
    m = block(law, stiffness=k, motion=ss.Ramp(speed), velocity=speed)
    run = exact(m, 40.0)
    if static == limit:
        # carried until the spring holds the limit; the arc then touches the belt's speed once a period, and goes on
        first = limit / k / speed
        assert run.events["time"][0] == pytest.approx(first, rel=1e-14)
        x, v = end_of(run)
        t = 40.0 - first
        assert x == pytest.approx(limit / k + speed / w * math.sin(w * t), abs=1e-12)
        assert v == pytest.approx(speed * math.cos(w * t), abs=1e-12)
        return
    # slip is an arc about limit/k from static/k to (2 limit - static)/k, both with the belt's speed
    above = (static - limit) / k
    slip = (2.0 * math.pi - 2.0 * math.atan2(above * w, speed)) / w
    stick = 2.0 * above / speed
    offs = run.events["time"][run.events["before"] == "stick"]
    ons = run.events["time"][run.events["after"] == "stick"]
    assert offs.size > 8
    assert offs[0] == pytest.approx(static / k / speed, rel=1e-14)
    np.testing.assert_allclose(np.diff(offs), slip + stick, rtol=1e-13)
    np.testing.assert_allclose(ons - offs[: ons.size], slip, rtol=1e-12)
    at_on = run.samples.displacement[np.isin(run.samples.time, ons), 0]
    np.testing.assert_allclose(at_on, (2.0 * limit - static) / k, rtol=1e-13)


def test_a_table_whose_acceleration_exceeds_the_limit_leaves_its_load_behind():
    size, w, limit = 0.7, 1.9, 1.1  # size w^2 = 2.527
    run = exact(block(ss.DryFriction(limit=limit), motion=ss.Sine(size, frequency=w), velocity=size * w), 3.0)
    with mp.workdps(30):
        off = mp.asin(mp.mpf(limit) / (size * mp.mpf(w) ** 2)) / w
        at_off = size * w * mp.cos(w * off)
        on = mp.findroot(lambda t: at_off - limit * (t - off) - size * w * mp.cos(w * t), (2.0, 2.6), solver="anderson")
        x_on = size * mp.sin(w * off) + at_off * (on - off) - mp.mpf(limit) * (on - off) ** 2 / 2
    events = list(run.events)
    assert [(e.before, e.after) for e in events[:1]] == [("stick", "slip+")]
    assert events[0].time == pytest.approx(float(off), rel=1e-14)
    assert events[1].time == pytest.approx(float(on), rel=1e-14)
    at_on = list(run.samples.time).index(events[1].time)
    assert run.samples.displacement[at_on, 0] == pytest.approx(float(x_on), rel=1e-13)


def test_a_belt_that_turns_sharply_slips_under_its_load_and_catches_it_again():
    """Speed 1, from 1 s on -1, from 3 s on 0, against a limit of 2: the corners cannot be followed."""
    run = exact(block(ss.DryFriction(limit=2.0), motion=ss.Signal((0.0, 1.0, 3.0), (0.0, 1.0, -1.0))), 5.0)
    np.testing.assert_allclose(run.events["time"], [0.5, 1.0, 2.0, 3.0, 3.5], rtol=1e-14)
    assert list(run.events["after"]) == ["stick", "slip+", "stick", "slip-", "stick"]
    np.testing.assert_allclose(run.samples.velocity[:, 0], [1.0, 1.0, -1.0, -1.0, 0.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(run.samples.displacement[:, 0], [0.25, 0.75, 0.75, -0.25, -0.5, -0.5], atol=1e-14)
    # 2 N over the ways that belt and block go apart: 1/4, 1, 1/4
    assert run.certificate.dissipated["rub"] == pytest.approx(2.0 * 1.5, rel=1e-13)


# ---- normal loads


def test_a_normal_load_that_is_cut_off_at_zero_lets_the_block_fly():
    with pytest.warns(UserWarning, match="cut off"):
        law = ss.DryFriction(limit=ss.Fourier(0.2, cos=(0.6,), frequency=1.0))
    run = exact(block(law, velocity=3.0), 4.0, samples=41)
    gone, back = math.acos(-1.0 / 3.0), 2.0 * math.pi - math.acos(-1.0 / 3.0)

    def taken(t):
        return 0.2 * t + 0.6 * math.sin(t)

    expected = [
        3.0 - taken(t) if t < gone else 3.0 - taken(gone) if t < back else 3.0 - taken(gone) - taken(t) + taken(back)
        for t in run.samples.time
    ]
    np.testing.assert_allclose(run.samples.velocity[:, 0], expected, rtol=1e-14)
    assert run.events["time"][0] == pytest.approx(gone, rel=1e-14)
    free = (run.samples.time > gone) & (run.samples.time < back)
    assert (run.samples.state[free, 0] == "unloaded").all()
    assert (run.samples.force[free, 0] == 0.0).all()


def test_a_block_at_rest_moves_as_soon_as_its_normal_load_falls_below_the_pull():
    law = ss.DryFriction(limit=ss.Fourier(0.5, cos=(0.4,), frequency=2.0))
    run = exact(block(law, load=ss.Constant(0.3)), 3.0)
    with mp.workdps(30):
        off = mp.acos(mp.mpf(-0.5)) / 2
        on = mp.findroot(lambda t: -0.2 * (t - off) - 0.2 * (mp.sin(2 * t) - mp.sin(2 * off)), 2.5)
    assert run.events["time"][0] == pytest.approx(float(off), rel=1e-14)
    assert run.events["time"][1] == pytest.approx(float(on), rel=1e-13)
    assert list(run.events["after"]) == ["slip+", "stick"]


# ---- first instants


@pytest.mark.parametrize(
    ("load", "state"),
    [
        (ss.Constant(0.4), "stick"),
        (ss.Constant(0.5), "stick"),  # at the limit, and no more
        (ss.Constant(0.6), "slip+"),
        (ss.Constant(-0.6), "slip-"),
        (ss.Constant(0.5) + ss.Ramp(0.1), "slip+"),  # at the limit, and rising
        (ss.Constant(0.5) + ss.Ramp(-0.1), "stick"),
        (ss.Cosine(0.5, frequency=1.0), "stick"),  # at the limit on a peak: falls at second order
        # at the limit in a valley: rises at second order
        (ss.Constant(1.0) + ss.Cosine(-0.5, frequency=1.0), "slip+"),
        (ss.Constant(-1.0) + ss.Cosine(0.5, frequency=1.0), "slip-"),
    ],
)
def test_the_first_instant_is_decided_by_the_first_derivative_that_tells(load, state):
    run = exact(block(ss.DryFriction(limit=0.5), load=load), 0.5, samples=3)
    assert list(run.samples.state[:, 0]) == [state] * 3
    assert not len(run.events)
    sign = {"stick": 0.0, "slip+": 1.0, "slip-": -1.0}[state]
    assert np.sign(run.samples.velocity[-1, 0]) == sign


def test_a_block_thrown_against_its_pull_stops_and_is_pulled_back():
    run = exact(block(ss.DryFriction(limit=0.5), load=ss.Constant(-2.0), velocity=3.0), 3.0)
    stop, way = 3.0 / 2.5, 9.0 / 5.0
    assert list(run.events) == [(pytest.approx(stop, rel=1e-15), "rub", "slip+", "slip-")]
    assert end_of(run)[0] == pytest.approx(way - 0.75 * (3.0 - stop) ** 2, rel=1e-14)


def test_the_friction_block_of_the_gear_paper():
    """gear 3.1: M = 1, F = sin t, limit 0.6, from rest."""
    run = exact(block(ss.DryFriction(limit=0.6), load=ss.Sine(1.0, frequency=1.0)), 3.7)
    slip, stick = run.events["time"]
    assert slip == pytest.approx(0.643501108793284, rel=1e-15)
    assert stick == pytest.approx(3.52345490581182, rel=3e-15)
    assert end_of(run) == (pytest.approx(0.788372108748076, rel=1e-15), 0.0)


@pytest.mark.parametrize("excess", [1e-3, 1e-5, 1e-7])
def test_leaving_stick_needs_more_than_the_limit_however_little(excess):
    assert not len(exact(block(ss.DryFriction(limit=0.5), load=ss.Sine(0.5 - excess, frequency=1.0)), 3.0).events)
    run = exact(block(ss.DryFriction(limit=0.5), load=ss.Sine(0.5 + excess, frequency=1.0)), 3.0)
    with mp.workdps(40):
        pull = mp.mpf(0.5 + excess)
        off = mp.asin(0.5 / pull)
        # near the peak slip lasts three times as long as it takes to get there
        guess = off + 3 * (mp.pi / 2 - off)
        on = mp.findroot(lambda t: pull * (mp.cos(off) - mp.cos(t)) - (t - off) / 2, guess)
    assert run.events["time"][0] == pytest.approx(float(off), abs=1e-15 / math.sqrt(excess))
    # the speed to lose is about excess^1.5: its rounding moves the end
    assert run.events["time"][1] == pytest.approx(float(on), abs=1e-15 / excess)
