"""Intervals where noise is not white, or is in the deflection: they hold the truth as often as they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from identification.synthetic_loops import filtered, swings
from numpy.typing import NDArray

import slipstick as ss
from slipstick.identification.intervals.deflection_noise import estimate_deflection_noise
from slipstick.identification.intervals.noise_colour import WHITE_NOISE, NoiseColour, fit_noise_colour
from slipstick.identification.preparing.prepared_loop import prepare_loops

Array = NDArray[np.float64]
NOISE = 0.02


def follows(n: int, share: float, seed: int) -> Array:
    """Noise of deviation one, each sample a share of the one before it and something new (AR(1))."""
    new = np.random.default_rng(seed).standard_normal(n) * np.sqrt(1.0 - share**2)
    made = np.empty(n)
    made[0] = new[0] / np.sqrt(1.0 - share**2)
    for i in range(1, n):
        made[i] = share * made[i - 1] + new[i]
    return made


def held(law: Any, sets: int, loops_of: Callable[[int], list[ss.Loop]], **options: Any) -> dict[str, int]:
    """How many sets of loops give intervals that hold each number of a law."""
    count: dict[str, int] = {}
    for seed in range(sets):
        fit = ss.identify(loops_of(seed), law, **options)
        for name, value in law.parameters().items():
            if isinstance(value, float):
                own = fit.parameters[name]
                count[name] = count.get(name, 0) + (own.low <= value <= own.high)
    return count


def in_colour(law: Any, share: float, seed: int) -> list[ss.Loop]:
    return [
        ss.Loop(loop.u, loop.f + NOISE * follows(len(loop), share, 2 * seed + i), loop.t)
        for i, loop in enumerate(swings(law, samples=300))
    ]


def with_strays(law: Any, deflection_noise_level: float, seed: int, samples: int = 300) -> list[ss.Loop]:
    rng = np.random.default_rng(seed)
    return [
        ss.Loop(
            loop.u + deflection_noise_level * rng.standard_normal(samples),
            loop.f + NOISE * rng.standard_normal(samples),
            loop.t,
        )
        for loop in swings(law, samples=samples)
    ]


@pytest.mark.long
@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("kind", [ss.Jenkins, ss.Dahl], ids=lambda k: k.__name__)
def test_intervals_cover_the_truth_where_each_sample_follows_the_last(kind: Any, share: float) -> None:
    law = kind(stiffness=8.0, limit=1.0)
    count = held(law, 100, lambda seed: in_colour(law, share, seed))
    assert all(90 <= own <= 99 for own in count.values()), count


@pytest.mark.long
@pytest.mark.parametrize("kind", [ss.Jenkins, ss.Dahl], ids=lambda k: k.__name__)
def test_intervals_cover_the_truth_where_the_deflection_is_noisy(kind: Any) -> None:
    law = kind(stiffness=8.0, limit=1.0)
    count = held(law, 100, lambda seed: with_strays(law, 0.004, seed))
    assert all(90 <= own <= 99 for own in count.values()), count


def test_intervals_are_as_wide_as_the_colour_of_the_noise_says() -> None:
    """A constant under noise that each sample takes 0.9 of: n samples are worth n (1 - 0.9)/(1 + 0.9)."""
    n = 20_000
    t = np.arange(n) / 1000.0
    u = np.sin(2.0 * np.pi * t)
    law = ss.Masing(stiffness=8.0, limit=1.0, parallel_stiffness=2.0, damping=0.0, preload=1.0)
    wide = [
        ss.identify(ss.Loop(u, law.trace(u) + NOISE * noise, t), law, fixed={"damping": 0.0}).parameters["preload"]
        for noise in (follows(n, 0.0, 1), follows(n, 0.9, 1))
    ]
    assert wide[1].deviation / wide[0].deviation == pytest.approx(np.sqrt(1.9 / 0.1), rel=0.1)
    assert wide[1].deviation == pytest.approx(NOISE * np.sqrt(19.0 / n), rel=0.1)


def test_white_noise_keeps_its_intervals() -> None:
    """The curvature alone: the deviation of a slope through n samples is noise / sqrt(sum u^2)."""
    loop = swings(ss.Linear(stiffness=3.0), amplitudes=(1.0,), samples=500, noise=NOISE)[0]
    fit = ss.identify(loop, ss.Linear, fixed={"damping": 0.0, "preload": 0.0})
    own = fit.parameters["stiffness"].deviation
    left = float(np.sum((loop.f - fit.law.trace(loop.u, loop.t)) ** 2)) / (len(loop) - 1)
    assert own == pytest.approx(np.sqrt(left / np.sum(loop.u**2)), rel=1e-9)


def test_a_profile_is_as_wide_as_the_interval_in_colour_too() -> None:
    law = ss.Jenkins(stiffness=8.0, limit=1.0)
    fit = ss.identify(in_colour(law, 0.9, 3), law)
    own, profile = fit.parameters["limit"], fit.profile("limit")
    assert profile.high - profile.low == pytest.approx(own.high - own.low, rel=0.1)
    assert any("times as wide as for independent noise" in words for words in fit.warnings)


def test_correlations_of_a_colour_are_those_of_its_noise() -> None:
    """x^T R x with R_ij = 0.7^|i - j|, summed as it stands; and of white noise R is one."""
    x = np.random.default_rng(5).standard_normal((150, 3))
    apart = np.abs(np.subtract.outer(np.arange(150), np.arange(150)))
    assert NoiseColour(np.array([0.7])).correlated_product(x) == pytest.approx(x.T @ 0.7**apart @ x, rel=1e-9)
    assert WHITE_NOISE.correlated_product(x) == pytest.approx(x.T @ x, rel=1e-12)
    assert NoiseColour(np.array([0.7])).effective_samples(10_000) == pytest.approx(10_000 * 0.3 / 1.7, rel=1e-6)


def test_white_noise_is_seldom_taken_for_another() -> None:
    taken = [
        fit_noise_colour([np.random.default_rng(seed).standard_normal(600)]).coefficients.size for seed in range(200)
    ]
    assert np.count_nonzero(taken) <= 10  # Bayes' criterion lets through what chance makes of log(600) or more: 1 %


def test_a_model_looks_back_as_far_as_the_noise_does() -> None:
    first = fit_noise_colour([follows(5000, 0.6, 1), follows(5000, 0.6, 2)])
    assert first.coefficients[0] == pytest.approx(0.6, abs=0.04)
    hump = np.hanning(17)[1:-1]
    smooth = fit_noise_colour([filtered(20_000, 15, 1.0)])
    # all of what a mean over a hump leaves is at slow changes: its sum squared over the sum of its squares
    assert smooth.effective_samples(20_000) == pytest.approx(20_000 * np.sum(hump**2) / np.sum(hump) ** 2, rel=0.2)


# ---- noise in the deflection


def test_noise_in_a_deflection_is_told_where_it_shows() -> None:
    law = ss.Jenkins(stiffness=8.0, limit=1.0)
    noisy = with_strays(law, 0.004, 1, samples=901)
    assert [estimate_deflection_noise(loop) for loop in noisy] == pytest.approx([0.004, 0.004], rel=0.15)
    assert [estimate_deflection_noise(loop) for loop in swings(law)] == [0.0, 0.0]


def test_noise_in_a_deflection_makes_intervals_wider_as_if_it_were_in_the_force() -> None:
    """Along a spring noise s of the deflection is noise k s of the force."""
    t = np.arange(600) / 100.0
    u = np.sin(2.0 * np.pi * (t + 0.003))
    rng = np.random.default_rng(2)
    loop = ss.Loop(u, 5.0 * u + rng.normal(0.0, 0.05, t.size), t)
    held_numbers = {"damping": 0.0, "preload": 0.0}
    plain = ss.identify(loop, ss.Linear, fixed=held_numbers, deflection_noise=0.0).parameters["stiffness"]
    wider = ss.identify(loop, ss.Linear, fixed=held_numbers, deflection_noise=0.005).parameters["stiffness"]
    # what is left holds both noises, so that of the force is less by what is given: half of the variance of 0.05
    assert plain.deviation == pytest.approx(0.05 / np.sqrt(np.sum(u**2)), rel=0.1)
    assert 1.0 <= wider.deviation / plain.deviation < 1.15
    alone = ss.identify(ss.Loop(u, 5.0 * u, t), ss.Linear, fixed=held_numbers, deflection_noise=0.005)
    assert alone.parameters["stiffness"].deviation == pytest.approx(5.0 * 0.005 / np.sqrt(np.sum(u**2)), rel=0.25)


def test_noise_of_a_deflection_that_is_given_is_said() -> None:
    law = ss.Jenkins(stiffness=8.0, limit=1.0)
    fit = ss.identify(swings(law, noise=NOISE), law, deflection_noise=[0.001, 0.0])
    assert [words for words in fit.notes if "the given noise" in words] == [
        "amplitude 0.3: the intervals include the given noise of the deflection, 0.001 m"
    ]


@pytest.mark.parametrize("given", [-1.0, float("nan"), "much", [0.1, 0.2, 0.3]])
def test_a_noise_that_is_none_is_refused(given: Any) -> None:
    law = ss.Jenkins(stiffness=8.0, limit=1.0)
    with pytest.raises(ss.InvalidInput, match="deflection_noise must be a number >= 0, or one for each of the 2 loops"):
        ss.identify(swings(law), law, deflection_noise=given)


def test_shaking_is_smoothed_as_the_loop_was() -> None:
    """A Fourier series of one harmonic, a constant, a drift and a frequency keep 5 of n parts of white noise."""
    t = np.arange(2000) / 500.0
    rng = np.random.default_rng(3)
    u = np.sin(2.0 * np.pi * t) + 0.01 * rng.standard_normal(t.size)
    (r,) = prepare_loops(ss.Loop(u, ss.Jenkins(stiffness=8.0, limit=1.0).trace(np.sin(2.0 * np.pi * t)), t))
    assert any("Fourier series of 1 harmonic," in words for words in r.notes)
    left = [float(np.sum(r.filter(rng.standard_normal(t.size)) ** 2)) for _ in range(200)]
    assert np.mean(left) == pytest.approx(5.0, rel=0.2)
