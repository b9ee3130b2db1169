"""The exact flow of springs, gaps, stops and sliders, against closed forms."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from models import one_mass

import slipstick as ss

TIGHT = {"rtol": 1e-12, "atol": 1e-12}


def exact(m, until, samples=0, **options):
    return m.simulate(until=until, method="exact", samples=samples, **options)


def oscillator(*laws, load=None, **own):
    return one_mass({f"law{i}": law for i, law in enumerate(laws)}, load, **own)


# ---- linear, and not bounded


def test_an_undamped_resonance_grows_as_t_sin_t():
    w, size = 3.0, 0.7
    m = oscillator(ss.Linear(stiffness=w * w), load=ss.Cosine(size, frequency=w))
    s = exact(m, 200.0, samples=401).samples
    np.testing.assert_allclose(s.displacement[:, 0], size / (2 * w) * s.time * np.sin(w * s.time), atol=1e-11)
    rate = size / (2 * w) * (np.sin(w * s.time) + w * s.time * np.cos(w * s.time))
    np.testing.assert_allclose(s.velocity[:, 0], rate, atol=3e-11)


@pytest.mark.parametrize("off", [1e-3, 1e-6, 1e-9, 1e-12])
def test_next_to_a_resonance_it_beats_without_losing_digits(off):
    w = 2.0
    m = oscillator(ss.Linear(stiffness=w * w), load=ss.Cosine(1.0, frequency=w * (1.0 + off)))
    s = exact(m, 50.0, samples=101).samples
    drive = w * (1.0 + off)
    # (cos a - cos b) by sines of half sums and differences, which do not cancel
    beat = np.sin(0.5 * (drive - w) * s.time) / (0.5 * (drive - w))
    expected = beat * np.sin(0.5 * (drive + w) * s.time) / (drive + w)
    np.testing.assert_allclose(s.displacement[:, 0], expected, atol=1e-11)


def test_a_free_mass_under_a_constant_a_ramp_and_a_sine_is_a_polynomial_and_a_wave():
    load = ss.Constant(0.3) + ss.Ramp(-0.02) + ss.Sine(2.0, frequency=1.7)
    m = oscillator(inertia=2.0, load=load, displacement=1.0, velocity=-0.4)
    s = exact(m, 100.0, samples=201).samples
    t, w = s.time, 1.7
    v = -0.4 + (0.3 * t - 0.01 * t**2 + 2.0 / w * (1.0 - np.cos(w * t))) / 2.0
    x = 1.0 - 0.4 * t + (0.15 * t**2 - 0.01 / 3.0 * t**3 + 2.0 / w * (t - np.sin(w * t) / w)) / 2.0
    np.testing.assert_allclose(s.displacement[:, 0], x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(s.velocity[:, 0], v, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("damping", [1.0, 1e-2, 1e-4, 1e-6])
def test_a_free_mass_with_little_damping_coasts_by_the_exponential(damping):
    m = oscillator(ss.Linear(damping=damping), load=ss.Constant(1.0) + ss.Ramp(0.1), velocity=2.0)
    s = exact(m, 30.0, samples=31).samples
    with mp.workdps(40):
        c = mp.mpf(damping)
        for t, x in zip(s.time.tolist(), s.displacement[:, 0], strict=True):
            gone = (1 - mp.exp(-c * t)) / c
            ramp = mp.mpf(0.1) / c
            steady = (1 - ramp) / c
            expected = (2 - steady) * gone + steady * t + ramp * mp.mpf(t) ** 2 / 2
            assert x == pytest.approx(float(expected), rel=1e-11, abs=1e-12)


def test_two_masses_with_a_spring_drift_and_swing_apart():
    m = ss.Model("dumbbell")
    a, b = m.coordinate("a", inertia=1.0, velocity=1.0), m.coordinate("b", inertia=3.0)
    m.connect(a - b, ss.Linear(stiffness=6.0), name="spring")
    m.load(b, ss.Constant(0.4))
    s = exact(m, 60.0, samples=121).samples
    centre = 0.25 * s.time + 0.05 * s.time**2
    w, still = math.sqrt(8.0), -0.4 / 3.0 / 8.0
    apart = still * (1.0 - np.cos(w * s.time)) + np.sin(w * s.time) / w
    np.testing.assert_allclose(s.displacement[:, 0], centre + 0.75 * apart, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(s.displacement[:, 1], centre - 0.25 * apart, rtol=1e-12, atol=1e-12)


def test_several_frequencies_superpose():
    k, c, waves = 5.0, 0.3, ((1.0, 0.4, 0.1), (0.5, 1.9, 2.0), (2.0, math.pi, -1.0))
    load = sum((ss.Cosine(f, frequency=w, phase=p) for f, w, p in waves), start=ss.Constant(0.25))
    m = oscillator(ss.Linear(stiffness=k, damping=c), load=load)
    s = exact(m, 40.0, samples=161).samples
    answers = [(f / (k - w * w + 1j * c * w) * np.exp(1j * p), w) for f, w, p in waves]

    def forced(t, derivative=0):
        return sum((z * (1j * w) ** derivative * np.exp(1j * w * t)).real for z, w in answers)

    own = math.sqrt(k - c * c / 4.0)
    a = -0.25 / k - forced(0.0)
    b = (-forced(0.0, 1) + 0.5 * c * a) / own
    fade = np.exp(-0.5 * c * s.time) * (a * np.cos(own * s.time) + b * np.sin(own * s.time))
    np.testing.assert_allclose(s.displacement[:, 0], 0.25 / k + forced(s.time) + fade, atol=1e-13)


def test_critical_damping_which_has_one_mode_only_is_followed():
    m = oscillator(ss.Linear(stiffness=4.0, damping=4.0), displacement=1.0, velocity=1.0)
    s = exact(m, 6.0, samples=61).samples
    np.testing.assert_allclose(s.displacement[:, 0], (1.0 + 3.0 * s.time) * np.exp(-2.0 * s.time), atol=1e-13)


@pytest.mark.parametrize("off", [1e-13, 1e-10, 1e-7, 1e-4])
def test_next_to_critical_damping_no_digits_are_lost(off):
    c = 4.0 * (1.0 + off)
    m = oscillator(ss.Linear(stiffness=4.0, damping=c), displacement=1.0, velocity=1.0)
    s = exact(m, 6.0, samples=61).samples
    root = math.sqrt((c - 4.0) * (c + 4.0)) / 2.0
    a = c / 2.0
    t = s.time
    expected = np.exp(-a * t) * (np.cosh(root * t) + (1.0 + a) * np.sinh(root * t) / root)
    np.testing.assert_allclose(s.displacement[:, 0], expected, atol=3e-11)


# ---- sampled signals


def test_a_signal_with_a_jump_and_corners_moves_a_free_mass_by_its_integrals():
    times, values = (1.0, 2.0, 2.0, 4.0, 5.0), (0.0, 3.0, -1.0, -1.0, 0.5)
    m = oscillator(load=ss.Signal(times, values))
    s = exact(m, 7.0, samples=71).samples

    def velocity(t):
        total = 0.0
        for t0, t1, f0, f1 in ((1, 2, 0, 3), (2, 4, -1, -1), (4, 5, -1, 0.5), (5, 99, 0.5, 0.5)):
            h = min(max(t - t0, 0.0), t1 - t0)
            total += f0 * h + 0.5 * (f1 - f0) / (t1 - t0) * h * h
        return total

    np.testing.assert_allclose(s.velocity[:, 0], [velocity(t) for t in s.time], atol=1e-14)
    points, weights = np.polynomial.legendre.leggauss(4)
    edges = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 7.0])
    way = sum(
        0.5 * (b - a) * w * velocity(0.5 * (a + b) + 0.5 * (b - a) * p)
        for a, b in itertools.pairwise(edges)
        for p, w in zip(points, weights, strict=True)
    )
    assert s.displacement[-1, 0] == pytest.approx(way, rel=1e-14)


def test_a_block_starts_where_a_signal_jumps_over_its_limit_and_not_before():
    m = oscillator(ss.DryFriction(limit=0.5), load=ss.Signal((0.0, 2.0, 2.0, 3.0, 3.0), (0.4, 0.4, 1.5, 1.5, 0.0)))
    run = exact(m, 10.0)
    assert list(run.events) == [
        (2.0, "law0", "stick", "slip+"),
        (pytest.approx(5.0, rel=1e-15), "law0", "slip+", "stick"),
    ]
    assert run.samples.displacement[-1, 0] == pytest.approx(0.5 + 1.0, rel=1e-14)


def test_a_spring_moved_by_a_sampled_motion():
    m = ss.Model("moved")
    x = m.coordinate("x", inertia=1.0)
    base = m.coordinate("base", motion=ss.Signal((0.0, 2.0, 3.0), (0.0, 1.0, 1.0)))
    m.connect(x - base, ss.Linear(stiffness=9.0), name="spring")
    s = exact(m, 5.0, samples=51).samples

    def ramp(t):
        return np.where(t > 0, t - np.sin(3.0 * t) / 3.0, 0.0)

    np.testing.assert_allclose(s.displacement[:, 0], 0.5 * (ramp(s.time) - ramp(s.time - 2.0)), atol=1e-14)


# ---- gaps and stops


@pytest.mark.parametrize(("half_gap", "start", "inertia", "k"), [(0.5, 2.0, 1.0, 1.0), (0.013, 0.1, 2.5, 1e4)])
def test_a_backlash_oscillator_has_the_closed_form_period(half_gap, start, inertia, k):
    w = math.sqrt(k / inertia)
    period = 2.0 * math.pi / w + 4.0 * half_gap / (w * (start - half_gap))  # gear, freeplay
    m = oscillator(ss.Freeplay(stiffness=k, half_gap=half_gap), inertia=inertia, displacement=start)
    s = exact(m, 25.0 * period, samples=26).samples
    np.testing.assert_allclose(s.displacement[:, 0], start, rtol=1e-12)
    run = exact(m, 25.0 * period)
    assert len(run.events) == 100
    np.testing.assert_allclose(run.events["time"][4:] - run.events["time"][:-4], period, rtol=1e-12)
    assert list(run.events["after"][:4]) == ["free", "contact-", "free", "contact+"]


def test_a_mass_flies_freely_between_two_stops():
    k, speed, gap = 400.0, 3.0, 1.0
    m = oscillator(ss.Contact(stiffness=k, gap=gap), velocity=speed)
    m.connect(-m["x"], ss.Contact(stiffness=k, gap=gap), name="other")
    run = exact(m, 30.0)
    half = 2.0 * gap / speed + math.pi / 20.0
    hits = run.events["time"][run.events["after"] == "contact"]
    np.testing.assert_allclose(hits, gap / speed + half * np.arange(hits.size), rtol=1e-12)
    assert hits.size > 35
    flying = (run.samples.state == "free").all(axis=1)
    np.testing.assert_allclose(np.abs(run.samples.velocity[flying, 0]), speed, rtol=1e-12)


def test_a_ball_on_a_damped_stop_loses_the_same_share_each_time():
    """Contact and let-go of k u + c v = 0 under no gravity: the speed after is that before times a constant."""
    k, c = 100.0, 4.0
    m = oscillator(ss.Contact(stiffness=k, gap=0.0, damping=c), displacement=-1.0, velocity=1.0)
    run = exact(m, 3.0)
    # x = e^(-at) sin(wt)/w; the force k x + c x' ends at tan(wt) = -c w/(k - c a): the first t > 0
    a = 0.5 * c
    w = math.sqrt(k - a * a)
    lasts = (math.pi - math.atan2(c * w, k - c * a)) / w
    leave = math.exp(-a * lasts) * (math.cos(w * lasts) - a / w * math.sin(w * lasts))
    hit, off = run.events["time"][:2]
    assert hit == pytest.approx(1.0, rel=1e-15)
    assert off - hit == pytest.approx(lasts, rel=1e-13)
    assert run.samples.velocity[-1, 0] == pytest.approx(leave, rel=1e-13)


def test_a_stop_that_is_just_touched_changes_nothing():
    """x = cos t with a stop at exactly x = -1: touched once a period, never pressed."""
    for edge in (1.0, 1.0 + 1e-9, 1.0 - 1e-12):
        m = oscillator(ss.Linear(stiffness=1.0), displacement=1.0)
        m.connect(-m["x"], ss.Contact(stiffness=50.0, gap=edge), name="stop")
        s = exact(m, 40.0, samples=81).samples
        np.testing.assert_allclose(s.displacement[:, 0], np.cos(s.time), atol=1e-12)


def test_a_two_stage_spring_has_the_energy_of_its_stages():
    law = ss.TwoStage(stiffness=8.0, inner_ratio=0.25, half_gap=0.3)
    m = oscillator(law, displacement=1.0)
    run = exact(m, 10.0)
    energy = 0.5 * 2.0 * 0.3**2 + 0.5 * 8.0 * 0.7**2 + 2.0 * 0.3 * 0.7
    middle = run.events["time"][1]
    first = run.events["time"][0]
    speed = math.sqrt(2.0 * (energy - 0.5 * 2.0 * 0.3**2))
    still = 0.3 - 2.0 * 0.3 / 8.0  # of the outer stage
    assert first == pytest.approx(math.acos((0.3 - still) / (1.0 - still)) / math.sqrt(8.0), rel=1e-13)
    inner = math.sqrt(2.0)
    assert middle - first == pytest.approx(2.0 * math.atan2(0.3 * inner, speed) / inner, rel=1e-13)


# ---- sliders


def test_a_mass_on_a_slider_that_never_slips_is_an_oscillator():
    m = oscillator(ss.Jenkins(stiffness=4.0, limit=10.0), displacement=1.0)
    s = exact(m, 50.0, samples=101).samples
    assert (s.state == "stick").all()
    np.testing.assert_allclose(s.displacement[:, 0], np.cos(2.0 * s.time), **TIGHT)


def test_a_thrown_mass_stretches_its_slider_drags_it_and_swings_about_where_it_left_it():
    k, limit, speed = 4.0, 1.0, 3.0
    m = oscillator(ss.Jenkins(stiffness=k, limit=limit), velocity=speed)
    run = exact(m, 20.0, samples=401)
    slips = math.asin(limit / (speed * 2.0)) / 2.0
    at_slip = speed * math.cos(2.0 * slips)
    sticks = slips + at_slip / limit
    reach = limit / k + 0.5 * at_slip**2 / limit
    np.testing.assert_allclose(run.events["time"][:2], [slips, sticks], rtol=1e-14)
    # from there on it swings to just the limit, and may slip for a moment that is lost in rounding
    late = run.samples.time > sticks
    swing = reach - limit / k + limit / k * np.cos(2.0 * (run.samples.time[late] - sticks))
    np.testing.assert_allclose(run.samples.displacement[late, 0], swing, **TIGHT)
    np.testing.assert_allclose(run.samples.force[late, 0], k * (swing - reach + limit / k), atol=1e-12)
    assert run.certificate.dissipated["law0"] == pytest.approx(0.5 * at_slip**2, rel=1e-13)


def test_a_parallel_spring_makes_a_slider_a_masing_law_with_closed_form_turns():
    """k0 x + slider: from X the first turn back is where the energy is spent; the loop of the slider is known."""
    k0, k, limit, start = 1.0, 3.0, 0.5, 2.0
    m = oscillator(ss.Masing(stiffness=k, limit=limit, parallel_stiffness=k0), displacement=start)
    run = exact(m, 6.0)
    # the slider begins at +limit (led to X); it unloads over 2 limit/k, then slips
    knee = start - 2.0 * limit / k
    # 1/2 v^2 = work of k0 x over [x, X] + of the slider: 0 over the symmetric unloading, then -limit over knee - x
    speed = math.sqrt(k0 * (start**2 - knee**2))
    w = math.sqrt(k0 + k)
    still = (k * start - limit) / (k0 + k)  # of the sticking phase: k0 x + limit + k (x - X) = 0
    assert run.events["time"][0] == pytest.approx(math.acos((knee - still) / (start - still)) / w, rel=1e-13)
    at_slip = run.samples.displacement[list(run.samples.time).index(run.events["time"][0]), 0]
    assert at_slip == pytest.approx(knee, rel=1e-13)
    turn = limit / k0 - math.sqrt(speed**2 / k0 + (knee - limit / k0) ** 2)
    second = list(run.samples.time).index(run.events["time"][1])
    assert run.samples.displacement[second, 0] == pytest.approx(turn, rel=1e-13)


# ---- many at once


def test_equal_oscillators_do_the_same_to_the_last_digit_and_switch_together():
    m = ss.Model("twins")
    for i in range(3):
        x = m.coordinate(f"x{i}", inertia=1.3, displacement=1.1)
        m.connect(x, ss.Linear(stiffness=2.0, damping=0.05), name=f"spring{i}")
        m.connect(x, ss.DryFriction(limit=0.2), name=f"rub{i}")
        m.connect(x, ss.Freeplay(stiffness=5.0, half_gap=0.4), name=f"gap{i}")
        m.load(x, ss.Cosine(1.0, frequency=0.8))
    run = exact(m, 60.0)
    q = run.samples.displacement
    scale = np.abs(q).max()
    assert np.ptp(q, axis=1).max() < 1e-14 * scale
    times = run.events["time"]
    assert times.size % 3 == 0
    assert np.ptp(times.reshape(-1, 3), axis=1).max() < 1e-12
    one = ss.Model("one")
    x = one.coordinate("x", inertia=1.3, displacement=1.1)
    one.connect(x, ss.Linear(stiffness=2.0, damping=0.05), name="spring")
    one.connect(x, ss.DryFriction(limit=0.2), name="rub")
    one.connect(x, ss.Freeplay(stiffness=5.0, half_gap=0.4), name="gap")
    one.load(x, ss.Cosine(1.0, frequency=0.8))
    alone = exact(one, 60.0)
    assert len(alone.events) * 3 == times.size
    np.testing.assert_allclose(alone.samples.displacement[-1, 0], q[-1], atol=1e-13)


def test_what_has_no_inertia_and_hangs_loose_in_a_gap_leaves_a_shaken_mass_alone():
    """x'' + 4 x = sin 1.3 t from rest, beside a coordinate that only a gap connects to it."""
    m = ss.Model("loose")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.0)
    m.connect(x, ss.Linear(stiffness=4.0))
    m.connect(x - y, ss.Freeplay(stiffness=10.0, half_gap=0.1))
    m.load(x, ss.Sine(1.0, frequency=1.3))
    run = exact(m, 20.0, samples=np.linspace(0.0, 20.0, 101))
    t = run.samples.time
    expected = (np.sin(1.3 * t) - 0.65 * np.sin(2.0 * t)) / (4.0 - 1.69)
    np.testing.assert_allclose(run.samples.displacement[:, 0], expected, atol=1e-13)
    gap = run.samples.displacement[:, 0] - run.samples.displacement[:, 1]
    assert (np.abs(gap) < 0.1 + 1e-12).all()
