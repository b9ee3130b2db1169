"""The tensioner paper's rules: envelopes, rate and exponent, rate from area, Masing geometry, damping from energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from identification.synthetic_loops import DAHL, MASING, RIG, rig
from scipy.integrate import solve_ivp

import slipstick as ss
from slipstick.identification.rules.area import filled_share

DUHEM = ss.Duhem(rate=5.0, upper=(1.0, 0.3), lower=(-1.2, 0.2))
SKELETON = ("stiffness", "limit", "parallel_stiffness", "preload")
DRY = 4.0 * MASING.limit * (RIG["swing"] - MASING.limit / MASING.stiffness)  # energy of a cycle without its damper


def settled(law: Any, amplitude: float, middle: float = 0.0, samples: int = 4000, omega: float = 9.4) -> ss.Loop:
    """Three cycles from the lower reversal on, after eight others; every reversal is a sample."""
    t = np.arange(3 * samples + 1) * (2.0 * np.pi / omega / samples)
    u = middle - amplitude * np.cos(omega * t)
    lead = np.tile([u.min(), u.max()], 8)
    before = np.linspace(-2.0, -1.0, lead.size) * (t[-1] - t[0])
    force = law.trace(np.concatenate((lead, u)), np.concatenate((before, t)))[lead.size :]
    return ss.Loop(u, force, t, name="settled")


# ---- envelopes


def test_lines_of_a_long_loop_lie_slope_over_rate_inside_its_envelopes() -> None:
    found = ss.rules.envelopes(settled(DUHEM, 5.0))  # e^-50 of the way is left
    assert found.upper == pytest.approx((1.0 - 0.3 / 5.0, 0.3), rel=1e-9)
    assert found.lower == pytest.approx((-1.2 + 0.2 / 5.0, 0.2), rel=1e-9)
    assert found.upper_rms < 1e-12
    assert found.upper_bend < 1e-9


def test_samples_of_the_lines_are_the_last_part_of_each_branch() -> None:
    found = ss.rules.envelopes(settled(DUHEM, 2.0), share=0.1)
    assert found.upper_samples.u.min() == pytest.approx(2.0 - 0.1 * 4.0, abs=4e-3)
    assert found.upper_samples.u.max() == 2.0
    assert found.lower_samples.u.max() == pytest.approx(-2.0 + 0.1 * 4.0, abs=4e-3)


@pytest.mark.parametrize(("left", "reached"), [(0.3, False), (0.1, False), (0.03, True), (0.001, True)])
def test_an_envelope_counts_as_reached_when_a_twentieth_of_the_way_is_left(left: float, reached: bool) -> None:
    law = ss.Duhem(rate=-np.log(left) / 2.0, upper=(1.0,), lower=(-1.0,))
    loop = settled(law, 1.0)
    if reached:
        assert ss.rules.envelopes(loop).upper_bend < 0.25
    else:
        with pytest.raises(ss.InvalidInput, match=r"the upper envelope is not reached.*larger amplitude"):
            ss.rules.envelopes(loop)


@pytest.mark.parametrize("samples", [40, 60])
def test_with_few_samples_nothing_passes_for_reached(samples: int) -> None:
    """Half of the way to the envelope is left: no sampling makes that an envelope."""
    law = ss.Duhem(rate=-np.log(0.5) / 2.0, upper=(1.0,), lower=(-1.0,))
    u = np.sin(np.linspace(0.0, 6.0 * np.pi, 3 * samples))
    with pytest.raises(ss.InvalidInput, match=r"too few samples to decide whether the (upper|lower) envelope.*finer"):
        ss.rules.envelopes(ss.Loop(u[-samples:], law.trace(u)[-samples:]))


# ---- rate and exponent


def test_the_tensioners_loop_settles_as_far_inside_its_envelopes_as_it_must() -> None:
    found = ss.rules.rate_and_exponent(rig(DAHL, noise=0.0))
    # slopes are within 1e-3, as the last 15 % of a branch still bends; the distances go with their power 1/0.37
    inside = [(slope / DAHL.rate) ** (1.0 / DAHL.exponent) for _, slope in (DAHL.upper, DAHL.lower)]
    assert found.upper[0] - found.envelopes.upper[0] == pytest.approx(inside[0], rel=3e-3)
    assert found.envelopes.lower[0] - found.lower[0] == pytest.approx(inside[1], rel=3e-3)
    assert found.rate == pytest.approx(DAHL.rate, rel=1e-4)
    assert found.exponent == pytest.approx(DAHL.exponent, rel=1e-4)
    assert found.upper == pytest.approx(DAHL.upper, rel=1e-3)
    assert found.lower == pytest.approx(DAHL.lower, rel=1e-3)


def test_lines_through_more_of_the_branch_bias_the_rate() -> None:
    loop = rig(DAHL, noise=0.0)
    off = {s: ss.rules.rate_and_exponent(loop, share=s).rate / DAHL.rate - 1.0 for s in (0.15, 0.3, 0.5)}
    assert abs(off[0.15]) < 0.01
    assert off[0.3] == pytest.approx(0.09, abs=0.01)
    assert off[0.5] == pytest.approx(0.6, abs=0.05)


def test_rate_and_exponent_are_within_four_and_two_percent_of_five_newtons_noise() -> None:
    for seed in range(4):
        found = ss.rules.rate_and_exponent(rig(DAHL, seed=seed))
        assert found.rate == pytest.approx(DAHL.rate, rel=0.04)
        assert found.exponent == pytest.approx(DAHL.exponent, rel=0.02)
        assert found.rms == pytest.approx(5.0, rel=0.1)


def test_what_is_predicted_is_the_loop_of_the_law_that_follows() -> None:
    loop = settled(DUHEM, 2.0, samples=400)
    found = ss.rules.rate_and_exponent(loop)
    assert found.exponent == pytest.approx(1.0, abs=1e-4)
    lead = np.tile([found.u.max(), found.u.min()], 5)
    assert found.law.trace(np.concatenate((lead, found.u)))[lead.size :] == pytest.approx(found.predicted, abs=1e-9)
    assert found.rms == pytest.approx(np.sqrt(np.mean((found.predicted - found.measured) ** 2)))


# ---- rate from area


def test_the_filled_share_is_that_of_a_loop_integrated_by_another_method() -> None:
    """Two branches of f' = rate (h - f) around and around, their area as a further unknown."""
    a, b, d, e, amplitude = 0.3, 1.0, 0.2, -1.2, 1.5
    for rate in (0.7, 2.0, 6.0):
        f, area = 0.0, 0.0
        for _ in range(10):
            up = solve_ivp(lambda u, y, r=rate: [r * (a * u + b - y[0]), y[0]], (-amplitude, amplitude), [f, 0.0],
                           rtol=1e-11, atol=1e-12)  # fmt: skip
            down = solve_ivp(lambda u, y, r=rate: [-r * (d * u + e - y[0]), y[0]], (amplitude, -amplitude),
                             [up.y[0, -1], 0.0], rtol=1e-11, atol=1e-12)  # fmt: skip
            f, area = down.y[0, -1], up.y[1, -1] + down.y[1, -1]
        between = 2.0 * amplitude * (b - a / rate - (e + d / rate))  # the mean width is that at zero
        assert area / between == pytest.approx(filled_share(rate * amplitude), rel=1e-8)


def test_the_filled_share_rises_from_zero_to_one_between_its_bounds() -> None:
    x = np.geomspace(1e-4, 1e4, 400)
    filled = np.array([filled_share(float(v)) for v in x])
    assert np.all(np.diff(filled) > 0.0)
    assert np.all(filled <= x * x / 3.0)
    assert np.all(filled >= 1.0 - 1.0 / x)


@pytest.mark.parametrize("rate", [3.0, 5.0, 12.0])
def test_the_rate_of_a_duhem_law_follows_from_the_area_of_its_loop(rate: float) -> None:
    law = ss.Duhem(rate=rate, upper=DUHEM.upper, lower=DUHEM.lower)
    found = ss.rules.rate_from_area(settled(law, 4.0, samples=8000))
    assert found.rate == pytest.approx(rate, rel=3e-5)  # the area of a polygon of 8000 corners
    assert found.law.upper == pytest.approx(law.upper, rel=1e-5)
    assert found.law.lower == pytest.approx(law.lower, rel=1e-5)
    assert found.area == pytest.approx(found.filled * found.between)


def test_the_area_converges_with_the_square_of_the_step() -> None:
    off = [abs(ss.rules.rate_from_area(settled(DUHEM, 4.0, samples=n)).rate / 5.0 - 1.0) for n in (500, 1000, 2000)]
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.2)
    assert off[1] / off[2] == pytest.approx(4.0, rel=0.2)


def test_a_loop_wider_than_its_lines_has_no_rate() -> None:
    """A Jenkins loop with a dip before its end: the area is more than the lines hold."""
    t = np.linspace(0.0, 3.25, 2601)
    u = np.sin(2.0 * np.pi * t)
    f = ss.Jenkins(stiffness=50.0, limit=1.0).trace(u)
    rising = np.gradient(u) > 0.0
    bulge = 0.5 * np.exp(-((u / 0.3) ** 2)) * np.where(rising, 1.0, -1.0)
    with pytest.raises(ss.InvalidInput, match="a rate follows only if the first is above 0 and below the second"):
        ss.rules.rate_from_area(ss.Loop(u, f + bulge, t))


# ---- Masing geometry and damping


def tensioner(law: Any = MASING, samples: int = 4000) -> ss.Loop:
    return settled(law, RIG["swing"], RIG["middle"], samples, RIG["omega"])


def test_the_geometry_of_the_tensioners_masing_loop_is_exact() -> None:
    found = ss.rules.masing_geometry(tensioner())
    for name in SKELETON:
        assert getattr(found, name) == pytest.approx(getattr(MASING, name), rel=1e-9), name
    eta = MASING.limit / MASING.stiffness
    assert found.rising.u == pytest.approx(found.low + 2.0 * eta, rel=1e-9)  # (22c)
    assert found.falling.u == pytest.approx(found.high - 2.0 * eta, rel=1e-9)
    assert found.rising.before - found.rising.after == pytest.approx(MASING.stiffness, rel=1e-9)  # (26c)
    assert found.dry_energy == pytest.approx(DRY, rel=1e-9)
    assert found.law == ss.Masing(**{name: getattr(found, name) for name in SKELETON})


def test_the_damping_of_the_tensioners_masing_loop_follows_from_its_energy() -> None:
    found = ss.rules.damping_from_energy(tensioner())
    square = np.pi * RIG["swing"] ** 2 * RIG["omega"]  # (30)
    assert found.energy == pytest.approx(DRY + MASING.damping * square, rel=1e-6)  # (28)
    assert found.dry_energy == pytest.approx(DRY, rel=1e-9)
    assert found.rate_squared == pytest.approx(square, rel=1e-9)
    assert found.frequency == pytest.approx(RIG["omega"], rel=1e-9)
    assert found.damping == pytest.approx(MASING.damping, rel=2e-6)
    assert found.law.damping == found.damping
    assert found.at(73.15) == pytest.approx(MASING.damping * RIG["omega"] / 73.15, rel=2e-6)  # (31)


def test_without_times_a_harmonic_motion_is_taken_and_the_skeleton_is_exact() -> None:
    loop = tensioner()
    found = ss.rules.masing_geometry(ss.Loop(loop.u, loop.f))
    for name in SKELETON:
        assert getattr(found, name) == pytest.approx(getattr(MASING, name), rel=1e-6), name
    assert found.rising.damper == pytest.approx(MASING.damping * 9.4, rel=1e-6)


def test_a_motion_that_is_not_harmonic_gives_its_damping_too() -> None:
    t = np.arange(12001) * (2.0 * np.pi / 4000)
    u = -np.cos(t) - 0.1 * np.cos(3.0 * t)
    law = ss.Masing(stiffness=6.0, limit=1.0, parallel_stiffness=1.0, damping=0.2)
    found = ss.rules.damping_from_energy(ss.Loop(u, law.trace(u, t), t))
    assert found.rate_squared == pytest.approx(np.pi * (1.0 + 9.0 * 0.01), rel=1e-6)
    assert found.rate_squared != pytest.approx(found.harmonic, rel=0.01)
    assert found.damping == pytest.approx(0.2, rel=1e-4)


def test_the_masing_numbers_are_within_a_percent_of_five_newtons_noise() -> None:
    for seed in range(4):
        found = ss.rules.damping_from_energy(rig(MASING, seed=seed))
        for name in SKELETON:
            assert getattr(found.geometry, name) == pytest.approx(getattr(MASING, name), rel=0.01), name
        assert found.damping == pytest.approx(MASING.damping, rel=0.01)


def test_a_micrometre_of_noise_in_the_deflection_leaves_the_rule_within_five_percent() -> None:
    clean = rig(MASING)
    noisy = clean.u + 1e-6 * np.random.default_rng(5).standard_normal(len(clean))
    found = ss.rules.damping_from_energy(ss.Loop(noisy, clean.f, clean.t))
    for name in SKELETON:
        assert getattr(found.geometry, name) == pytest.approx(getattr(MASING, name), rel=0.05), name
    assert found.damping == pytest.approx(MASING.damping, rel=0.05)


# ---- what does not apply


def test_a_loop_that_never_slips_has_no_corner() -> None:
    with pytest.raises(ss.InvalidInput, match="no corner where slipping begins"):
        ss.rules.masing_geometry(settled(ss.Linear(stiffness=3.0, damping=0.1), 1.0))


def test_damping_needs_times_and_a_full_cycle() -> None:
    loop = tensioner()
    with pytest.raises(ss.InvalidInput, match="it has no times, so its damper cannot be determined"):
        ss.rules.damping_from_energy(ss.Loop(loop.u, loop.f))
    with pytest.raises(ss.InvalidInput, match="it has no full cycle"):
        ss.rules.damping_from_energy(loop.part(slice(0, 3900)))  # of 4000 a cycle


@pytest.mark.parametrize("rule", ["envelopes", "rate_and_exponent", "rate_from_area"])
@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, float("nan"), "much", None])
def test_a_share_is_between_zero_and_one(rule: str, share: Any) -> None:
    with pytest.raises(ss.InvalidInput, match=f"rules.{rule}: share must be between 0 and 1, got"):
        getattr(ss.rules, rule)(tensioner(samples=400), share=share)


@pytest.mark.parametrize("frequency", [0.0, -1.0, "fast", float("nan"), True])
def test_another_frequency_is_above_zero(frequency: Any) -> None:
    with pytest.raises(ss.InvalidInput, match="at needs a frequency > 0 rad/s, got"):
        ss.rules.damping_from_energy(tensioner(samples=400)).at(frequency)


def test_a_skeleton_is_what_masing_geometry_gives() -> None:
    with pytest.raises(ss.InvalidInput, match="geometry must be what masing_geometry gives, got"):
        ss.rules.damping_from_energy(tensioner(samples=400), geometry=MASING)
