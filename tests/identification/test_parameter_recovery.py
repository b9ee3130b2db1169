"""Laws found again from their own loops: without noise to all digits, with noise within their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from identification.random_laws import DRAWS, drawn
from identification.synthetic_loops import DAHL, FIBRE, MASING, RIG, given_parameters, rig, swings

import slipstick as ss

EXACT = [k for k in DRAWS if k not in (ss.Iwan, ss.ModifiedDahl, ss.BoucWen)]
SEEDS = 20


def worst(law: Any, found: Any) -> float:
    """The largest relative difference of two laws of a kind."""
    pairs = zip(np.ravel(numbers(law)), np.ravel(numbers(found)), strict=True)
    return max(abs(a - b) / max(abs(a), 1e-9) for a, b in pairs)


def numbers(law: Any) -> list[float]:
    values = (getattr(value, "values", value) for value in law.parameters().values())  # of an envelope: its numbers
    return [x for value in values if value is not None and not isinstance(value, (str, bool)) for x in np.ravel(value)]


@pytest.mark.filterwarnings("ignore:ModifiedDahl")
@pytest.mark.parametrize("kind", EXACT, ids=lambda k: k.__name__)
@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, SEEDS), marks=pytest.mark.long)], ids=["few", "all"])
def test_values_are_found_again_from_loops_without_noise(kind: Any, seeds: range) -> None:
    for seed in seeds:
        law = drawn(kind, seed)
        fit = ss.identify(swings(law), kind)
        assert worst(law, fit.law) < 1e-6, f"seed {seed}: {law!r} became {fit.law!r}"


@pytest.mark.filterwarnings("ignore:ModifiedDahl")
@pytest.mark.parametrize("kind", [ss.ModifiedDahl, ss.BoucWen], ids=lambda k: k.__name__)
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, SEEDS), marks=pytest.mark.long)], ids=["few", "all"])
def test_loops_are_found_again_where_numbers_can_stand_for_each_other(kind: Any, seeds: range) -> None:
    for seed in seeds:
        loops = swings(drawn(kind, seed))
        fit = ss.identify(loops, kind)
        assert fit.residual < 1e-8 * max(np.ptp(loop.f) for loop in loops), f"seed {seed}"


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, SEEDS), marks=pytest.mark.long)], ids=["few", "all"])
def test_elements_of_an_iwan_law_are_found_again_in_any_order(seeds: range) -> None:
    for seed in seeds:
        law = drawn(ss.Iwan, seed)
        found = ss.identify(swings(law), ss.Iwan).law

        def held(iwan: Any, u: float) -> float:
            """The force of all elements at a deflection on the virgin curve: any split of one element is the same."""
            return sum(min(k * u, limit) for k, limit in zip(iwan.stiffnesses, iwan.limits, strict=True))

        for u in np.linspace(0.02, 0.98, 25):
            assert held(found, u) == pytest.approx(held(law, u), rel=1e-6), f"seed {seed}"


def test_two_elements_one_percent_apart_are_told_apart() -> None:
    """A sample lies between them on each branch, so that nothing is redundant but their order."""
    law = drawn(ss.Iwan, 13)
    fit = ss.identify(swings(law), ss.Iwan)
    slips = sorted(zip(np.divide(fit.law.limits, fit.law.stiffnesses), fit.law.stiffnesses, strict=True))
    true = sorted(zip(np.divide(law.limits, law.stiffnesses), law.stiffnesses, strict=True))
    assert true[3][0] / true[2][0] < 1.011
    assert np.array(slips) == pytest.approx(np.array(true), rel=1e-6)
    assert fit.converged


def test_the_tensioners_masing_law_is_found_within_two_percent_of_five_newtons_noise() -> None:
    fit = ss.identify(rig(MASING), ss.Masing)
    for name, value in given_parameters(MASING).items():
        assert fit.parameters[name].value == pytest.approx(value, rel=0.02), name
    assert fit.residual == pytest.approx(5.0, rel=0.05)


def test_the_tensioners_modified_dahl_law_is_found_within_two_percent_of_five_newtons_noise() -> None:
    fit = ss.identify(rig(DAHL), ss.ModifiedDahl)
    assert fit.law.rate == pytest.approx(DAHL.rate, rel=0.02)
    assert fit.law.exponent == pytest.approx(DAHL.exponent, rel=0.02)
    assert fit.law.upper == pytest.approx(DAHL.upper, rel=0.02)
    assert fit.law.lower == pytest.approx(DAHL.lower, rel=0.02)
    assert any("rate and exponent cannot be determined separately" in words for words in fit.warnings)


def test_a_micrometre_of_noise_in_the_deflection_leaves_two_newtons_in_the_prediction() -> None:
    clean = rig(DAHL, noise=0.0)
    rng = np.random.default_rng(3)
    noisy = ss.Loop(
        clean.u + 1e-6 * rng.standard_normal(len(clean)), clean.f + rng.normal(0.0, 5.0, len(clean)), clean.t
    )
    fit = ss.identify(noisy, ss.ModifiedDahl)
    later = clean.t > 2.0 * np.pi / RIG["omega"]  # type: ignore[operator]
    left = (fit.law.trace(clean.u) - clean.f)[later]
    assert np.sqrt(np.mean(left**2)) < 2.0
    raw = (DAHL.trace(noisy.u) - clean.f)[later]
    assert np.max(np.abs(raw)) > 50.0  # what the noise does to a law that it drives
    assert any("smoothed by" in words for words in fit.notes)


def test_the_fibres_six_numbers_are_found_within_half_a_percent_of_twenty_pascals() -> None:
    t = np.arange(10_000) / 5000.0  # two seconds at 5 kHz
    rng = np.random.default_rng(1)
    loops = []
    for amplitude in np.linspace(5e-4, 1e-2, 10):
        u = amplitude * np.sin(2.0 * np.pi * 20.0 * t)
        loops.append(ss.Loop(u, FIBRE.trace(u) + rng.normal(0.0, 20.0, t.size), t, name=f"{amplitude:g}"))
    fit = ss.identify(loops, ss.FibreShear)
    for name, value in FIBRE.parameters().items():
        assert fit.parameters[name].value == pytest.approx(value, rel=0.005), name
    assert fit.derived["initial_modulus"].low < 9.14e6 < fit.derived["initial_modulus"].high  # G_i, as printed


@pytest.mark.long
@pytest.mark.parametrize("kind", [ss.Jenkins, ss.Dahl, ss.DynamicHysteresis], ids=lambda k: k.__name__)
def test_intervals_cover_the_truth_as_often_as_they_say(kind: Any) -> None:
    law = kind(stiffness=8.0, limit=1.0)
    held: dict[str, int] = {}
    for seed in range(200):
        fit = ss.identify(swings(law, samples=300, noise=0.02, seed=seed), law)
        for name, value in law.parameters().items():
            if isinstance(value, float):
                own = fit.parameters[name]
                held[name] = held.get(name, 0) + (own.low <= value <= own.high)
    assert all(180 <= count <= 198 for count in held.values()), held


def test_a_sum_of_laws_is_found_from_its_template() -> None:
    law = ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 2.0)) + ss.DynamicHysteresis(stiffness=9.0, limit=0.7)
    start = ss.Polynomial(coefficients=(0.0, 2.0, 0.0, 1.0)) + ss.DynamicHysteresis(stiffness=5.0, limit=1.0)
    fit = ss.identify(swings(law), start, fixed={"coefficients.0": 0.0, "coefficients.2": 0.0, "damping": 0.0})
    assert fit.parameters["coefficients.1"].value == pytest.approx(1.0, rel=1e-6)
    assert fit.parameters["coefficients.3"].value == pytest.approx(2.0, rel=1e-6)
    assert fit.parameters["limit"].value == pytest.approx(0.7, rel=1e-6)
    assert fit.parameters["damping"].fixed
