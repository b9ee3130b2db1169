"""What a fit says of itself: its grade, parameters at bounds, records that are no loops, random starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import slipstick as ss

T = np.arange(3000) / 500.0
U = 1e-3 * np.sin(2.0 * np.pi * T)
LAW = ss.Masing(stiffness=4e5, limit=150.0, parallel_stiffness=5e4)


def noisy(force: np.ndarray, size: float = 1.0, seed: int = 0) -> np.ndarray:
    return force + np.random.default_rng(seed).normal(0.0, size, force.size)


def test_a_fit_within_the_noise_is_good_for_everything() -> None:
    grade = ss.identify(ss.Loop(U, noisy(LAW.trace(U, T)), T), ss.Masing).grade
    assert grade.good_for == ("response", "energy", "peak force", "small motions")
    assert max(map(abs, grade)) < 0.02


def test_the_errors_of_a_wrong_force_are_those_of_its_factor() -> None:
    """A force that is 20 % too large: every figure is."""
    from slipstick.results.fit import LoopFit
    from slipstick.results.fit_grade import grade_of

    f = LAW.trace(U, T)
    energy = float(np.trapezoid(f[500:1000], U[500:1000]))
    every = np.ones(T.size, dtype=bool)
    grade = grade_of([LoopFit("a", U, f, 1.2 * f, every, 1e-9, 1.2 * energy, energy, 1e-3, "virgin", 1.0)])
    assert tuple(grade) == pytest.approx((0.2, 0.2, 0.2, 0.2), rel=1e-4)  # a peak is a mean of few samples
    assert grade.good_for == ()
    assert grade.words.endswith("not good for response, energy, peak force, small motions")


def test_a_spring_fitted_to_a_loop_is_graded_useless_for_energy_but_not_for_peak_force() -> None:
    fit = ss.identify(ss.Loop(U, noisy(LAW.trace(U, T)), T), ss.Linear, fixed={"damping": 0.0})
    assert fit.grade.energy == pytest.approx(-1.0, abs=0.01)
    assert "energy" in fit.grade.not_good_for
    assert "good for" in repr(fit)


def test_a_parameter_that_vanishes_is_held_and_said() -> None:
    """Data without static friction or bristle damping: the damping ends at zero."""
    law = ss.LuGre(
        bristle_stiffness=5e5, bristle_damping=0.0, viscous=0.0, coulomb=100.0, static=100.0, stribeck_velocity=1e-3
    )
    fit = ss.identify(ss.Loop(U, noisy(law.trace(U, T) - 3e3 * np.gradient(U, T)), T), ss.LuGre)
    viscous = fit.parameters["viscous"]
    assert viscous.fixed
    assert viscous.value == 0.0
    assert any("ended at bounds of the law" in words and "viscous at 0" in words for words in fit.warnings)
    assert all(
        np.isnan(own.start) or own.high < 1e12 * own.value or own.high == np.inf for own in fit.parameters.values()
    )


def test_a_ring_down_is_no_loop() -> None:
    t = np.arange(8000) / 2000.0
    u = 1e-3 * np.exp(-t) * np.sin(2.0 * np.pi * 30.0 * t)
    hammer = np.where(t < 0.01, 500.0 * np.sin(np.pi * t / 0.01), 0.0)
    with pytest.raises(ss.InvalidInput, match=r"hammer: is a ring-down, not a loop: .*use ss.ringdown"):
        ss.identify(ss.Loop(u, noisy(hammer, 0.1), t, name="hammer"), ss.Masing)


def test_a_freeplay_without_force_for_most_of_its_stroke_is_a_loop() -> None:
    force = noisy(ss.Freeplay(stiffness=1e6, half_gap=9.8e-4).trace(U, T), 0.1)
    fit = ss.identify(ss.Loop(U, force, T), ss.Freeplay(stiffness=9e5, half_gap=9.5e-4))
    assert fit.law.half_gap == pytest.approx(9.8e-4, rel=0.01)


def test_a_monotone_test_is_no_loop() -> None:
    with pytest.raises(ss.InvalidInput, match=r"does not turn; .* monotone test shows no memory: unload once"):
        ss.identify(ss.Loop(np.linspace(0.0, 1e-3, 100), np.linspace(0.0, 50.0, 100)), ss.Masing)


def test_channels_that_have_nothing_to_do_with_each_other_are_said_to() -> None:
    rng = np.random.default_rng(5)
    smooth = np.hanning(25) / np.hanning(25).sum()
    u, f = (np.convolve(rng.standard_normal(4000), smooth, "same") for _ in range(2))
    fit = ss.identify(ss.Loop(1e-3 * u, 100.0 * f, np.arange(4000) / 1000.0).with_correct_sign(), ss.Jenkins)
    assert "the force hardly follows the deflection" in fit.warnings[0]


def test_a_random_motion_of_a_joint_is_a_loop() -> None:
    rng = np.random.default_rng(6)
    u = 1e-3 * np.convolve(rng.standard_normal(4000), np.hanning(60) / 12.0, "same")
    fit = ss.identify(ss.Loop(u, noisy(LAW.trace(u)), np.arange(4000) / 1000.0), ss.Jenkins)
    assert not any("hardly follows" in words for words in fit.warnings)


def test_random_starts_leave_a_poor_minimum_and_change_nothing_in_a_good_one() -> None:
    fits = [ss.identify(ss.Loop(U, noisy(LAW.trace(U, T)), T), "bouc-wen") for _ in range(2)]
    assert fits[0].residual == fits[1].residual  # the same random numbers each time


def test_drawn_laws_scatter_as_much_as_the_misfit_where_it_counts_as_model_error(tmp_path: Path) -> None:
    """A corner fitted to a smooth bend: noise alone gives a spread that is far too narrow."""
    smooth = ss.Dahl(stiffness=4e5, limit=150.0)
    fit = ss.identify(ss.Loop(U, noisy(smooth.trace(U, T), 0.3), T), ss.Jenkins)
    misfit = np.sqrt(fit.residual**2 - fit.noise**2)
    fit.save(tmp_path / "fit.nc")
    for own in (fit, ss.open(tmp_path / "fit.nc")):
        plain, wide = (
            np.sqrt(np.mean([np.mean((law.trace(U, T) - fit.law.trace(U, T)) ** 2) for law in each.sample(200)]))
            for each in (own, own.with_misfit())
        )
        assert plain < 0.5 * misfit
        assert wide == pytest.approx(misfit, rel=0.35)


def test_a_law_that_fits_within_the_noise_has_no_model_error() -> None:
    fit = ss.identify(ss.Loop(U, noisy(LAW.trace(U, T)), T), ss.Masing)
    assert fit.spread is not None
    assert fit.spread.misfit < 3.0


def test_a_search_out_of_time_returns_its_best_point_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from slipstick.identification.search import problem_setup

    loop = ss.Loop(U, noisy(LAW.trace(U, T)), T)
    monkeypatch.setattr(problem_setup, "MAX_FIT_SECONDS", 0.0)
    fit = ss.identify(loop, ss.Masing)
    assert not fit.converged
    assert any("ended at its budget of time" in words for words in fit.warnings)
    assert fit.residual < 0.1 * np.ptp(loop.f)  # the start values fit that well
    low, high = fit.profile("limit").low, fit.profile("limit").high  # a profile has time of its own
    assert low < high


@pytest.mark.long
def test_free_pinching_ends_within_the_noise_and_its_budget() -> None:
    """Bounds of (0, None) let the pinched range shrink to nothing, where each force took seconds."""
    true = ss.BoucWenBaberNoori(
        stiffness=5e5, ratio=0.1, beta=2.5e3, gamma=2.5e3, strength_degradation=0.5, stiffness_degradation=1.0,
        pinching=0.8, pinching_rate=5.0, pinching_width=1e-4, pinching_coupling=0.5,
    )  # fmt: skip
    cycle = np.sin(np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False))
    u = np.concatenate([amplitude * cycle for amplitude in (2e-4, 4e-4, 6e-4, 8e-4, 1e-3, 1e-3)])
    bounds = dict.fromkeys(("pinching_rate", "pinching_width", "pinching_coupling"), (0.0, None))
    loop = ss.Loop(u, noisy(true.trace(u), 1.0))
    fixed = {"exponent": 1.0, "ratio": 0.1, "stiffness_degradation": 1.0}
    fit = ss.identify(loop, ss.BoucWenBaberNoori, fixed, {**bounds, "pinching": (0.0, 0.99)})
    assert fit.converged
    assert fit.residual < 1.1
    assert fit.parameters["pinching"].value == pytest.approx(0.8, rel=0.05)


def test_reversals_within_the_noise_are_not_called_a_monotone_test() -> None:
    """Four samples a branch: their differences look like noise as large as the motion."""
    u = np.array([0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0, 1.0, 2.0, 3.0, 2.0, 1.0, 0.0])
    with pytest.raises(ss.InvalidInput, match=r"no reversal stands out from the noise: .* sample it finer"):
        ss.identify(ss.Loop(u, np.clip(u, 0.5, 2.5)), ss.Jenkins)
