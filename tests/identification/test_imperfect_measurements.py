"""Loops as rigs give them: virgin, half, clipped, with outliers, drift, swapped or with the wrong sign."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from identification.synthetic_loops import MASING, RIG, given_parameters, rig, swings

import slipstick as ss
from slipstick.identification.preparing.prepared_loop import prepare_loops
from slipstick.identification.preparing.signal_conditioning import estimate_drift
from slipstick.identification.search.loop_weights import pooled_noises
from slipstick.report.fit_tables import fit_verdict

JENKINS = ss.Jenkins(stiffness=1e6, limit=400.0)


def settled(law: ss.Law, noise: float = 0.0) -> ss.Loop:
    """One cycle of a law that has been through it before, from the middle of a branch."""
    t = np.linspace(0.0, 3.0, 1501)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    f = law.trace(u, t) + noise * np.random.default_rng(0).standard_normal(t.size)
    return ss.Loop(u[900:1400], f[900:1400], t[900:1400])


def test_figures_of_a_slider_are_its_closed_forms() -> None:
    t = np.linspace(0.0, 3.25, 20_001)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    (_, own, *_) = ss.Loop(u, JENKINS.trace(u), t).figures
    assert own.area == pytest.approx(4.0 * 400.0 * (1e-3 - 4e-4), rel=1e-5)
    assert own.secant == pytest.approx(400.0 / 1e-3, rel=1e-6)
    assert own.frequency == pytest.approx(1.0, rel=2e-4)  # a cycle is a whole number of 6154 samples


def test_figures_of_a_viscous_damper_are_its_closed_forms() -> None:
    t, omega, amplitude = np.linspace(0.0, 3.25, 20_001), 2.0 * np.pi, 1e-3
    u, rate = amplitude * np.sin(omega * t), amplitude * omega * np.cos(omega * t)
    (_, own, *_) = ss.Loop(u, 4e5 * u + 6e3 * rate, t).figures
    assert own.area == pytest.approx(np.pi * 6e3 * omega * amplitude**2, rel=2e-4)
    assert own.secant == pytest.approx(4e5, rel=2e-4)
    assert own.loss_factor == pytest.approx(6e3 * omega / 4e5, rel=2e-4)
    assert own.damping == pytest.approx(6e3, rel=2e-4)  # the frequency of 6154 samples


def test_drift_is_found_and_taken_out() -> None:
    t = np.linspace(0.0, 6.25, 5001)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    loop = ss.Loop(u + 1e-5 * t, JENKINS.trace(u) + 3.0 * t, t)
    drift = estimate_drift(loop)
    assert drift.deflection == pytest.approx(1e-5, rel=0.01)
    assert drift.force == pytest.approx(3.0, rel=0.05)
    clean = loop.without_drift()
    assert "drift removed" in clean.notes[-1]
    assert abs(estimate_drift(clean).force) < 0.1 * 3.0


def test_virgin_and_settled_loops_give_the_same_law() -> None:
    for loop in (swings(JENKINS, amplitudes=(1e-3,))[0], settled(JENKINS)):
        fit = ss.identify(loop, ss.Jenkins)
        assert fit.law.stiffness == pytest.approx(1e6, rel=1e-6)
        assert fit.law.limit == pytest.approx(400.0, rel=1e-6)


def test_a_half_cycle_is_fitted_and_says_what_it_cannot_tell() -> None:
    whole = rig(MASING)
    part = whole.part(slice(0, 1800))  # little more than half of a cycle
    fit = ss.identify(part, ss.Masing)
    assert fit.law.stiffness == pytest.approx(MASING.stiffness, rel=0.02)
    assert any("do not show whether it begins" in words for words in fit.notes)


@pytest.mark.parametrize("gone", [0.3, 0.55, 0.8, 1.05])
def test_a_half_cycle_missing_within_a_loop_is_said_and_leads_no_law_astray(gone: float) -> None:
    """A reversal lies in the gap, wherever it is: what follows is compared once the whole range is covered."""
    whole = rig(MASING)
    assert whole.t is not None
    period = 2.0 * np.pi / RIG["omega"]
    keep = (whole.t < gone * period) | (whole.t > (gone + 0.5) * period)
    fit = ss.identify(ss.Loop(whole.u[keep], whole.f[keep], whole.t[keep]), ss.Masing)
    for name, value in given_parameters(MASING).items():
        assert fit.parameters[name].value == pytest.approx(value, rel=0.02), name
    assert fit.within_noise
    assert any("no samples for 0.334 s" in words and "are excluded" in words for words in fit.notes)


def test_unequal_steps_are_no_gaps() -> None:
    t = np.sort(np.random.default_rng(3).uniform(0.0, 4.0, 2000))
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    fit = ss.identify(ss.Loop(u, JENKINS.trace(u), t), ss.Jenkins)
    assert not any("no samples for" in words for words in fit.notes)


@pytest.mark.parametrize("one_sided", [False, True])
def test_a_tenth_of_spikes_hardly_moves_the_numbers_and_counts_in_the_residual(one_sided: bool) -> None:
    loop, rng = rig(MASING), np.random.default_rng(5)
    wrong = rng.choice(len(loop), len(loop) // 10, replace=False)
    spikes = rng.normal(0.0, 500.0, wrong.size)
    f = loop.f.copy()
    f[wrong] += np.abs(spikes) if one_sided else spikes
    fit = ss.identify(ss.Loop(loop.u, f, loop.t), ss.Masing)
    for name, value in given_parameters(MASING).items():
        assert fit.parameters[name].value == pytest.approx(value, rel=0.02), name
    assert fit.loops[0].counts.all()
    true = f - MASING.trace(loop.u, loop.t)
    assert fit.residual == pytest.approx(np.sqrt(np.mean(true**2)), rel=0.01)
    assert not fit.within_noise
    assert any("is far from its neighbours; they count in the residual" in words for words in fit.warnings)


def test_a_sensor_at_its_end_is_seen_and_left_out() -> None:
    loop = rig(MASING)
    fit = ss.identify(ss.Loop(loop.u, np.minimum(loop.f, 1000.0), loop.t), ss.Masing)
    for name, value in given_parameters(MASING).items():
        assert fit.parameters[name].value == pytest.approx(value, rel=0.02), name
    assert any("the sensor is out of range" in words for words in fit.notes)
    used = fit.loops[0].samples
    assert np.count_nonzero(loop.f < 1000.0) <= used < len(loop)
    assert any(f"only {used} of {len(loop)} samples are compared" in words for words in fit.warnings)
    assert f"residual {fit.residual:.4g} N rms of {used} of {len(loop)} samples" in repr(fit)


def test_swapped_columns_and_a_wrong_sign_are_told_apart() -> None:
    loop = rig(MASING)
    with pytest.raises(ss.InvalidInput, match="seem to be swapped"):
        ss.identify(ss.Loop(loop.f, loop.u, loop.t), ss.Masing)
    for wrong in (ss.Loop(loop.u, -loop.f, loop.t), ss.Loop(-loop.u, loop.f, loop.t)):
        with pytest.raises(ss.InvalidInput, match="wrong sign"):
            ss.identify(wrong, ss.Masing)


def test_loops_in_millimetres_beside_loops_in_metres_are_refused() -> None:
    loops = swings(JENKINS, amplitudes=(1e-3, 2e-3))
    mixed = [loops[0], loops[1].scaled(deflection=1e3)]
    with pytest.raises(ss.InvalidInput, match="units mixed"):
        ss.identify(mixed, ss.Jenkins)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"fixed": {"limt": 1.0}}, 'did you mean "limit"'),
        ({"fixed": {"limit": "x"}}, "must be a finite number"),
        ({"bounds": {"limit": (2.0, 1.0)}}, "low < high"),
        ({"bounds": {"limit": 3.0}}, "must be a pair"),
        ({"priors": {"limit": (1.0, 0.0)}}, "must be > 0"),
        ({"fixed": {"limit": 1.0, "stiffness": 1.0}}, "every parameter is fixed"),
    ],
)
def test_wrong_wishes_are_refused_in_one_line(given: dict[str, object], words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words):
        ss.identify(swings(JENKINS, amplitudes=(1e-3,)), ss.Jenkins, **given)  # type: ignore[arg-type]


def test_a_prior_draws_a_value_and_a_bound_holds_it() -> None:
    loops = swings(ss.Jenkins(stiffness=8.0, limit=1.0), noise=0.02)
    free = ss.identify(loops, ss.Jenkins).parameters["limit"]
    sure = ss.identify(loops, ss.Jenkins, priors={"limit": (1.1, free.deviation)}).parameters["limit"]
    assert sure.value == pytest.approx(0.5 * (free.value + 1.1), abs=0.2 * (1.1 - free.value))
    held = ss.identify(loops, ss.Jenkins, bounds={"limit": (1.2, 2.0)})
    assert held.law.limit == pytest.approx(1.2)
    assert any("ends at its bound" in words for words in held.warnings)


def test_a_profile_is_the_linearised_interval_where_the_law_is_nearly_linear() -> None:
    fit = ss.identify(swings(ss.Jenkins(stiffness=8.0, limit=1.0), noise=0.02), ss.Jenkins)
    own, profile = fit.parameters["limit"], fit.profile("limit")
    assert profile.low == pytest.approx(own.low, abs=0.1 * own.deviation)
    assert profile.high == pytest.approx(own.high, abs=0.1 * own.deviation)


def test_a_profile_ends_at_a_bound_only_if_the_sum_of_squares_allows_it() -> None:
    """Without bounds the profile has its true ends; bounds just outside of them do not move them."""
    loops = swings(ss.Jenkins(stiffness=8.0, limit=1.0), noise=0.02)
    true = ss.identify(loops, ss.Jenkins).profile("limit")
    room = 0.1 * (true.high - true.low)
    outside = {"limit": (true.low - 0.01 * room, true.high + 0.01 * room)}
    held = ss.identify(loops, ss.Jenkins, bounds=outside).profile("limit")
    assert held.low == pytest.approx(true.low, abs=0.005 * room)
    assert held.high == pytest.approx(true.high, abs=0.005 * room)
    inside = ss.identify(loops, ss.Jenkins, bounds={"limit": (true.low + room, None)}).profile("limit")
    assert inside.low == pytest.approx(true.low + room, rel=1e-12)
    assert inside.high == pytest.approx(true.high, abs=0.005 * room)


def test_laws_drawn_from_a_fit_spread_as_it_says() -> None:
    fit = ss.identify(swings(ss.Jenkins(stiffness=8.0, limit=1.0), noise=0.02), ss.Jenkins)
    limits = [law.limit for law in fit.sample(400, seed=1)]
    assert np.mean(limits) == pytest.approx(fit.law.limit, abs=0.2 * fit.parameters["limit"].deviation)
    assert np.std(limits) == pytest.approx(fit.parameters["limit"].deviation, rel=0.15)


def test_the_winner_of_a_ranking_is_the_law_that_made_the_loop() -> None:
    ranking = ss.rank(swings(ss.Jenkins(stiffness=8.0, limit=1.0), noise=0.02), [ss.Dahl, ss.Jenkins])
    assert ranking.table[0].name == "Jenkins"
    assert ranking.within_noise
    assert "Jenkins fits best" in ranking.verdict


def test_a_law_outside_every_family_is_told_to_fit_none() -> None:
    t = np.linspace(0.0, 2.25, 901)
    u = np.sin(2.0 * np.pi * t)
    gap = ss.Freeplay(stiffness=5.0, half_gap=0.4) + ss.Jenkins(stiffness=4.0, limit=0.5)
    f = gap.trace(u) + 0.01 * np.random.default_rng(0).standard_normal(t.size)
    ranking = ss.rank(ss.Loop(u, f, t), [ss.Jenkins, ss.Dahl])
    assert not ranking.within_noise
    assert "none fits within the noise" in ranking.verdict


def test_without_times_dampers_are_held_and_laws_of_the_rate_refused() -> None:
    t = np.linspace(0.0, 2.25, 901)
    u = np.sin(2.0 * np.pi * t)
    fit = ss.identify(ss.Loop(u, ss.Masing(stiffness=8.0, limit=1.0).trace(u)), ss.Masing)
    assert fit.parameters["damping"].fixed
    assert any("no times" in words and "damping" in words for words in fit.notes)
    lugre = ss.LuGre(
        bristle_stiffness=50.0, bristle_damping=0.05, viscous=0.1, coulomb=1.0, static=1.5, stribeck_velocity=0.2
    )
    with pytest.raises(ss.InvalidInput, match="has no times"):
        ss.identify(ss.Loop(u, lugre.trace(u, t)), ss.LuGre)


def test_a_loop_of_few_samples_takes_its_noise_from_the_others() -> None:
    law = ss.Dahl(stiffness=8.0, limit=1.0)
    fine = swings(law, amplitudes=(1.0,), samples=2001, noise=0.01)[0]
    coarse = swings(law, amplitudes=(1.0,), samples=28, noise=0.01)[0]
    own, leaning = coarse.noise, pooled_noises(prepare_loops([fine, coarse]))
    assert own > 0.05  # twelve samples a cycle differ by the motion itself
    assert leaning[0] == pytest.approx(0.01, rel=0.25)
    assert leaning[1] < 0.02
    limit = ss.identify([fine, coarse], ss.Dahl).parameters["limit"]
    assert limit.value == pytest.approx(1.0, abs=4.0 * limit.deviation)


def test_a_bend_that_a_law_misses_is_no_outlier() -> None:
    loops = swings(ss.Iwan(stiffnesses=(4.0, 3.0), limits=(2.0, 1.8)), amplitudes=(1.0,))
    fit = ss.identify(loops, ss.Masing)
    assert not any("excluded" in words for words in fit.notes)


def test_a_slider_without_noise_is_no_sensor_at_its_end() -> None:
    fit = ss.identify(swings(ss.Jenkins(stiffness=8.0, limit=1.0), amplitudes=(1.0,), cycles=0.95), ss.Jenkins)
    assert not any("the sensor is out of range" in words for words in fit.notes)


def test_an_offset_that_no_law_can_follow_is_pointed_at() -> None:
    loop = swings(ss.Jenkins(stiffness=8.0, limit=1.0), noise=0.01)[1]
    moved = ss.identify(ss.Loop(loop.u, loop.f + 1e3, loop.t), ss.Jenkins)
    assert any("the force is about 1000" in words and "without_offset" in words for words in moved.notes)
    taken = ss.identify(ss.Loop(loop.u, loop.f + 1e3, loop.t).without_offset(), ss.Jenkins)
    assert taken.law.limit == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize(("deflection", "force"), [(1e-9, 1e9), (1e6, 1e-9)])
def test_units_of_any_size_are_fitted_alike(deflection: float, force: float) -> None:
    loop = swings(ss.Dahl(stiffness=8.0, limit=1.0), noise=0.01)[1]
    fit, plain = ss.identify(loop.scaled(deflection=deflection, force=force), ss.Dahl), ss.identify(loop, ss.Dahl)
    assert fit.law.limit == pytest.approx(force * plain.law.limit, rel=1e-6)
    assert fit.law.stiffness == pytest.approx(force / deflection * plain.law.stiffness, rel=1e-6)
    assert not any("envelope" in words for words in fit.warnings)


@pytest.mark.parametrize("drive", ["ramp", "random", "triangle", "unequal"])
def test_any_drive_gives_the_law_back(drive: str) -> None:
    rng = np.random.default_rng(4)
    t = np.sort(rng.uniform(0.0, 4.0, 1200)) if drive == "unequal" else np.linspace(0.0, 4.0, 1200)
    waves = sum(rng.normal() * np.sin(2.0 * np.pi * f * t) for f in rng.uniform(0.2, 1.5, 6))
    u = {
        "ramp": np.sin(2.0 * np.pi * t) * t / 4.0,
        "random": waves / np.max(np.abs(waves)),
        "triangle": 2.0 / np.pi * np.arcsin(np.sin(2.0 * np.pi * t)),
        "unequal": np.sin(2.0 * np.pi * t),
    }[drive]
    law = ss.DynamicHysteresis(stiffness=9.0, limit=0.7, exponent=1.2)
    fit = ss.identify(ss.Loop(u, law.trace(u), t), ss.DynamicHysteresis)
    for name in ("stiffness", "limit", "exponent"):
        assert fit.parameters[name].value == pytest.approx(getattr(law, name), rel=1e-6), name


def test_six_samples_a_cycle_are_a_good_loop() -> None:
    """Ten cycles of a slider at 6 samples each: every one has its figures, and all of them together the law."""
    phase = np.arange(60) / 6.0 + 0.03
    u = 1e-3 * np.sin(2.0 * np.pi * phase)
    loop = ss.Loop(u, JENKINS.trace(u), phase)
    assert [len(cycle) for cycle in loop.cycles] == [6] * len(loop.cycles)
    assert len(loop.figures) == len(loop.cycles) >= 8
    assert loop.figures[-1].frequency == pytest.approx(1.0)
    fit = ss.identify(loop, ss.Jenkins)
    assert fit.law.stiffness == pytest.approx(1e6, rel=1e-6)
    assert fit.law.limit == pytest.approx(400.0, rel=1e-6)


def test_the_offset_that_is_taken_out_does_not_have_the_noise_of_the_tips_in_it() -> None:
    t = np.linspace(0.0, 4.0, 2400)
    u = 1.6e-3 * np.sin(2.0 * np.pi * t)
    law = ss.BoucWen(stiffness=2e5, ratio=0.2, beta=8e4, gamma=3e4, exponent=1.5)
    noise = np.random.default_rng(5).normal(0.0, 1.0, (20, t.size))
    left = [ss.Loop(u, law.trace(u, t) - 40.0 + each, t).without_offset().f - law.trace(u, t) - each for each in noise]
    # some 1800 samples of settled cycles: 1 N of noise leaves 0.02 N, and the tips alone left half a newton
    assert np.abs([own.mean() for own in left]).max() < 0.15


def test_numbers_of_a_law_that_grow_beyond_all_bounds_are_no_overflow_on_the_screen() -> None:
    """Picometres: beta and gamma of a sharp corner are in 1/m^20."""
    t = np.linspace(0.0, 2.25, 300)
    u = 8e-4 * np.sin(2.0 * np.pi * t)
    force = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5).trace(u, t)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fit = ss.identify(ss.Loop(1e-12 * u, force, t), "bouc-wen")
    assert np.isfinite(fit.residual)


@pytest.mark.parametrize("power", [-200, 200])
@pytest.mark.parametrize("what", ["deflection", "force", "time"])
def test_sizes_beyond_all_units_are_refused_in_one_line(what: str, power: int) -> None:
    (loop,) = swings(ss.Jenkins(stiffness=8.0, limit=1.0), amplitudes=(1.0,), samples=101)
    assert loop.t is not None
    columns = {"deflection": loop.u, "force": loop.f, "time": loop.t}
    columns[what] = columns[what] * 10.0**power
    with pytest.raises(
        ss.InvalidInput, match=rf"the {what} has the size .*e[-+]200 .*a fit takes 1e-30 to 1e\+30 in SI"
    ):
        ss.identify(ss.Loop(*columns.values()), ss.Jenkins)


@pytest.mark.parametrize(("deflection", "force"), [(1e-29, 1e29), (1e29, 1e-29), (1e29, 1e29)])
def test_sizes_within_reach_give_the_same_law_in_other_units(deflection: float, force: float) -> None:
    (loop,) = swings(ss.Jenkins(stiffness=8.0, limit=1.0), amplitudes=(1.0,), samples=201, noise=0.01)
    plain = ss.identify(loop, ss.Jenkins)
    fit = ss.identify(loop.scaled(deflection=deflection, force=force), ss.Jenkins)
    assert fit.law.limit == pytest.approx(force * plain.law.limit, rel=1e-6)
    assert fit.law.stiffness == pytest.approx(force / deflection * plain.law.stiffness, rel=1e-6)


def test_a_gap_behind_the_first_sample_leaves_no_sample_out() -> None:
    t = np.concatenate(([0.0], np.linspace(0.5, 3.5, 600)))
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    f = JENKINS.trace(u) + np.random.default_rng(0).normal(0.0, 3.0, t.size)
    fit = ss.identify(ss.Loop(u, f, t), ss.Jenkins)
    assert fit.loops[0].counts.all()
    assert fit.law.limit == pytest.approx(400.0, rel=0.01)


@pytest.mark.parametrize("samples", [60, 200, 1000])
def test_a_computed_loop_that_slips_is_no_sensor_at_its_end(samples: int) -> None:
    u = 1.2e-3 * np.sin(np.linspace(0.0, 4.0 * np.pi, samples))
    fit = ss.identify(ss.Loop(u, ss.Jenkins(stiffness=2e6, limit=1500.0).trace(u)), ss.Masing)
    assert not any("the sensor is out of range" in words for words in fit.notes)
    assert fit.parameters["limit"].value == pytest.approx(1500.0, rel=1e-6)
    assert fit.parameters["stiffness"].value == pytest.approx(2e6, rel=1e-6)


def test_a_trial_law_that_overflows_at_its_start_warns_of_nothing() -> None:
    """Warnings are errors in tests; a search passes such laws, and the screen showed NumPy's words."""
    u = 20.0 + np.sin(np.linspace(0.0, 13.0, 200))
    (loop,) = prepare_loops(ss.Loop(u, ss.Jenkins(stiffness=1e5, limit=100.0).trace(u)))
    wild = ss.BoucWen(stiffness=1e308, ratio=0.1, beta=0.0, gamma=-0.01, exponent=1.3)
    assert loop.path.rms_residual(wild) == np.inf


def spiky_rig(drift: float = 0.0) -> ss.Loop:
    """A bilinear joint at 0.5 Hz, sampled at 200 Hz, with noise and two spikes among 3,200 samples."""
    t = np.arange(3200) / 200.0
    u = 1e-3 * np.sin(np.pi * t)
    f = ss.Masing(stiffness=5e6, limit=1200.0, parallel_stiffness=1e6).trace(u, t) + drift * t
    f += np.random.default_rng(4).normal(0.0, 20.0, t.size)
    f[[700, 2100]] += 3000.0, -4000.0
    return ss.Loop(u, f, t, name="rig")


def test_two_spikes_do_not_speak_against_a_law_that_fits(tmp_path: Path) -> None:
    fit = ss.identify(spiky_rig(), ss.Masing, fixed={"damping": 0.0})
    assert fit.loops[0].outliers == 2
    assert fit.residual > 2.0 * fit.noise
    assert fit.within_noise
    assert fit_verdict(fit).startswith("fits within the noise but for 2 outliers: residual")
    assert any("2 of 3200 samples is far from its neighbours" in words for words in fit.warnings)
    fit.save(tmp_path / "fit.nc")
    assert ss.open(tmp_path / "fit.nc").within_noise


def test_spikes_do_not_hide_a_drift() -> None:
    fit = ss.identify(spiky_rig(drift=15.0), ss.Masing, fixed={"damping": 0.0})
    assert not fit.within_noise
    assert any("linear in time" in note and "without_drift" in note for note in fit.notes)


def test_a_law_that_misses_the_force_does_not_fit_in_spite_of_few_outliers() -> None:
    fit = ss.identify(spiky_rig(), ss.Linear, fixed={"damping": 0.0})
    assert not fit.within_noise
