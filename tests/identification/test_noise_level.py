"""How noisy a force is: told right for noise of any colour where cycles repeat, and said how it is known."""

from __future__ import annotations

import numpy as np
import pytest
from identification.synthetic_loops import MASING, PERIOD, RIG, STEP, filtered, hum, loop_with, motion, times, white

import slipstick as ss
from slipstick.identification.preparing.noise_level import (
    first_to_last_change,
    repeated_samples_of,
    repeating_residual_rms,
)


@pytest.mark.parametrize("window", [1, 5, 15, 40])
def test_filtered_noise_is_told_from_cycles(window: int) -> None:
    t = times(4.2)
    found = [loop_with(filtered(t.size, window, seed=seed), t) for seed in range(5)]
    assert np.mean([loop.noise for loop in found]) == pytest.approx(5.0, rel=0.1)
    assert all("scatter between 4 cycles" in loop.noise_source for loop in found)


def test_third_differences_would_not_see_filtered_noise() -> None:
    t = times(4.2)
    assert np.std(np.diff(filtered(t.size, 40), 3)) / np.sqrt(20.0) < 0.05


def test_hum_counts_as_noise() -> None:
    t = times(4.2)
    assert 3.0 < loop_with(hum(t), t).noise < 9.0  # how far cycles are apart in its phase is chance


def test_what_changes_steadily_is_no_noise_but_a_change() -> None:
    t = times(6.2)
    loop = loop_with(white(t.size) + 10.0 * t / PERIOD, t)
    assert loop.noise == pytest.approx(5.0, rel=0.1)
    assert first_to_last_change(loop) == pytest.approx(50.0, rel=0.05)  # five cycles from the first to the last


def test_steps_of_a_converter_are_the_least_noise() -> None:
    t = times(4.2)
    u = motion(t)
    clean = MASING.trace(u, t)
    for step in (1.0, 20.0):
        loop = ss.Loop(u, step * np.round(clean / step), t)
        assert loop.noise == pytest.approx(step / np.sqrt(12.0), rel=0.15)


@pytest.mark.parametrize("window", [1, 5, 9])
def test_one_cycle_of_filtered_noise_is_told_from_samples_farther_apart(window: int) -> None:
    t = np.arange(0.0, 1.05 * PERIOD, 0.2 * STEP)
    found = [loop_with(filtered(t.size, window, seed=seed), t) for seed in range(5)]
    assert np.mean([loop.noise for loop in found]) == pytest.approx(5.0, rel=0.2)
    assert all("differences" in loop.noise_source for loop in found)


def test_a_motion_that_does_not_repeat_is_not_compared_with_itself() -> None:
    t = times(6.2)
    u = 1e-3 * np.sin(RIG["omega"] * t) * (1.0 + t)
    f = MASING.trace(u, t) + white(t.size)
    loop = ss.Loop(u, f, t)
    assert "differences of neighbouring samples" in loop.noise_source
    assert loop.noise == pytest.approx(5.0, rel=0.15)


def test_a_smooth_loop_has_no_noise() -> None:
    t = times(4.2)
    for loop in (loop_with(0.0, t), loop_with(0.0, times(1.05))):
        assert loop.noise < 1e-4 * np.ptp(loop.f)


def test_few_samples_a_cycle_do_not_look_like_noise() -> None:
    t = np.arange(0.0, 4.2 * PERIOD, PERIOD / 40.0)  # third differences of such a loop are those of its bends
    assert loop_with(0.0, t).noise < 1e-3 * np.ptp(MASING.trace(motion(t), t))


def test_without_times_samples_are_counted() -> None:
    t = times(4.2)
    loop = loop_with(filtered(t.size, 15), t)
    bare = ss.Loop(loop.u, loop.f)
    assert bare.noise == pytest.approx(loop.noise, rel=1e-3)


def test_the_period_is_that_of_the_motion() -> None:
    own = repeated_samples_of(loop_with(white(times(4.2).size), times(4.2)))
    assert own is not None
    assert own.period == pytest.approx(PERIOD, rel=1e-9)


def test_a_pattern_is_what_repeats_and_no_more() -> None:
    t = times(6.2)
    loop = loop_with(white(t.size), t)
    pattern = 2.0 * np.sqrt(2.0) * np.sin(3.0 * RIG["omega"] * t)
    assert repeating_residual_rms(loop, white(t.size, seed=1) + pattern) == pytest.approx(2.0, rel=0.15)
    assert [repeating_residual_rms(loop, white(t.size, seed=seed)) for seed in range(20)] == pytest.approx([0.0] * 20)


@pytest.mark.parametrize(("cycles", "rate"), [(5, 100.0), (3, 250.0)])
def test_a_triangle_that_repeats_exactly_is_not_said_to_change(cycles: int, rate: float) -> None:
    """The sine nearest to four-second triangles has not their period."""
    t = np.arange(0.0, 4.0 * cycles, 1.0 / rate)
    u = 1e-3 * np.interp(t % 4.0, [0.0, 1.0, 3.0, 4.0], [0.0, 1.0, -1.0, 0.0])
    law = ss.Masing(stiffness=1e6, limit=300.0, parallel_stiffness=1e5, damping=0.0, preload=0.0)
    loop = ss.Loop(u, law.trace(u, t) + np.random.default_rng(1).normal(0.0, 1.0, t.size), t)
    repeats = repeated_samples_of(loop)
    assert repeats is not None
    assert repeats.period == pytest.approx(4.0, rel=1e-5)
    assert first_to_last_change(loop) < 0.5  # half of the noise


def test_noise_that_shows_at_the_farthest_samples_only_is_told_mostly() -> None:
    """Smooth over 15 of 334 samples a branch: those 16 apart do not show all of it, and 28 are as far as is looked."""
    t = times(1.05)
    told = np.array([loop_with(filtered(t.size, 15, seed=seed), t).noise for seed in range(30)])
    assert np.count_nonzero(told > 2.5) >= 24
    assert np.median(told) == pytest.approx(5.0, rel=0.15)


@pytest.mark.parametrize("law", [ss.Jenkins(stiffness=1e6, limit=150.0), ss.Dahl(stiffness=3e5, limit=150.0)])
def test_the_variation_of_a_measured_normal_load_is_no_noise(law: ss.Law) -> None:
    t = np.arange(8000) / 1000.0
    u = 2e-3 * np.sin(2.0 * np.pi * t)
    load = 500.0 + 60.0 * np.sin(2.0 * np.pi * 0.37 * t)
    f = load / 500.0 * law.trace(u, t) + 3e4 * u + np.random.default_rng(3).normal(0.0, 1.0, t.size)
    assert ss.Loop(u, f, t).noise > 10.0
    assert ss.Loop(u, f, t, normal=load).noise == pytest.approx(1.0, rel=0.25)
