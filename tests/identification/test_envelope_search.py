"""Generalised Dahl laws found without a start: with the papers' envelopes, and with envelopes of one's own."""

# ruff: noqa: ARG001 - an envelope is called with all four, whatever it looks at
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from identification.synthetic_loops import swings

import slipstick as ss
from slipstick.laws import envelopes
from slipstick.laws.parameters import parameter
from slipstick.units.dimensions import FORCE, STIFFNESS

WITH = ss.GeneralisedDahl.with_envelope
HYSTERESIS = ss.DynamicHysteresis(stiffness=8.0, limit=1.0)


def lines(u: float, direction: float, u_m: float, f_m: float, height: float, slope: float) -> float:
    return height + slope * direction * u


def with_values(u: float, direction: float, u_m: float, f_m: float, height: float = 1.0, slope: float = 0.5) -> float:
    return height + slope * direction * u


def with_the_rate(u: float, s: float, u_m: float, f_m: float, rate: float, height: float, slope: float) -> float:
    return height + slope * s * u + slope / rate


def saturating(u: float, s: float, u_m: float, f_m: float, height: float, swing: float, width: float) -> float:
    return height + swing * s * math.tanh(u / width)


# ---- envelopes of one's own


@pytest.mark.parametrize(
    ("envelope", "bounds", "values"),
    [
        (lines, {"height": (0.0, 100.0), "slope": (-10.0, 10.0)}, {"height": 1.1, "slope": 0.6}),
        (lines, {"height": parameter(FORCE, above=0.0), "slope": parameter(STIFFNESS)}, {"height": 1.4, "slope": -0.3}),
        (with_values, {}, {"height": 1.4, "slope": -0.3}),
        (with_the_rate, {"height": (0.0, 50.0), "slope": (-5.0, 5.0)}, {"rate": 9.0, "height": 1.1, "slope": 0.6}),
        pytest.param(
            saturating,
            {"height": (0.0, 10.0), "swing": (-2.0, 2.0), "width": (0.05, 2.0)},
            {"height": 1.1, "swing": 0.5, "width": 0.4},
            marks=pytest.mark.long,
        ),
    ],
    ids=["bounds", "units", "values to begin with", "the rate of the law", "three numbers"],
)
def test_an_envelope_of_ones_own_is_found_from_its_bounds(envelope: Any, bounds: Any, values: Any) -> None:
    law = ss.GeneralisedDahl(rate=9.0, exponent=0.8, envelope=envelopes.own(envelope, **values))
    fit = ss.identify(swings(law, samples=401), WITH(envelope, **bounds))
    assert fit.law.rate == pytest.approx(9.0, rel=1e-6)
    assert fit.law.exponent == pytest.approx(0.8, rel=1e-6)
    assert fit.law.envelope.values == pytest.approx(law.envelope.values, rel=1e-6)


def test_what_is_found_keeps_to_its_bounds_and_has_its_unit() -> None:
    law = ss.GeneralisedDahl(rate=9.0, envelope=envelopes.own(lines, height=1.1, slope=0.6))
    loops = swings(law, samples=301, noise=0.02)
    fit = ss.identify(
        loops, WITH(lines, height=parameter(FORCE, above=0.0), slope=(-1.0, 0.5)), fixed={"exponent": 1.0}
    )
    assert fit.parameters["slope"].value == pytest.approx(0.5, rel=1e-6)
    assert any("slope" in words and "bound" in words for words in fit.warnings)
    assert fit.parameters["height"].unit == "N"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: ss.identify(swings(HYSTERESIS), WITH(lines, height=(0.0, 1.0))),
            r"slope of lines has neither bounds nor a start value: give its bounds, "
            r"with_envelope\(lines, slope=\(low, high\)\), or a",
        ),
        (lambda: WITH(lines, heigth=(0.0, 1.0)), 'lines has no number "heigth"'),
        (lambda: WITH(lines, height=(1.0, 0.0)), r"height must be \(low, high\) with low < high, got \(1.0, 0.0\)"),
        (lambda: envelopes.own(lines, height=1.0), "lines needs slope; got height"),
        (lambda: envelopes.own(lines, height=1.0, slope=math.nan), "slope must be finite"),
        (lambda: ss.GeneralisedDahl(rate=1.0, envelope=lines), r"envelopes.own\(function, name=value\)"),
        (
            lambda: ss.identify(swings(HYSTERESIS), "generalised-dahl"),
            "has a function, which no file can hold; the laws of its envelopes are dynamic-hysteresis",
        ),
    ],
)
def test_what_is_missing_is_said_in_a_line(make: Any, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words) as refusal:
        make()
    assert "\n" not in str(refusal.value)


# ---- loops that somebody else's law made


def test_a_settled_loop_may_lie_at_any_force() -> None:
    """(9) with the rate sigma/tau_C is Dahl's dynamic hysteresis (8), whose loops it must therefore fit."""
    rng = np.random.default_rng(2)
    loops = [
        ss.Loop(own.u[300:], own.f[300:] + 5.0 + rng.normal(0.0, 0.01, 601), own.t[300:]) for own in swings(HYSTERESIS)
    ]
    fit = ss.identify(loops, WITH(envelopes.dynamic_hysteresis), fixed={"exponent": 1.0})
    assert fit.law.rate == pytest.approx(8.0, rel=0.01)
    assert fit.law.envelope.values == pytest.approx((1.0,), rel=0.01)
    assert fit.within_noise
    assert sum("mean force of this law is free; it was set to that of the loop" in words for words in fit.notes) == 2


def test_where_its_virgin_curve_is_another_it_misfits_until_the_loop_begins_at_a_reversal() -> None:
    """Law (8) begins on its backbone, (9) in a one-state model at rest: only later branches are the same."""
    loops, law = swings(HYSTERESIS, samples=361), WITH(envelopes.dynamic_hysteresis)
    whole = ss.identify(loops, law)
    assert not whole.within_noise
    assert all(loop.counts.all() for loop in whole.loops)
    later = [ss.Loop(own.u[40:], own.f[40:], own.t[40:]) for own in loops]  # a quarter of a cycle: the first reversal
    fit = ss.identify(later, law)
    assert fit.law.rate == pytest.approx(8.0, rel=1e-6)
    assert fit.law.exponent == pytest.approx(1.0, rel=1e-6)
    assert {loop.beginning for loop in fit.loops} == {"settled"}


def test_the_class_alone_takes_the_envelope_that_the_loops_ask_for() -> None:
    law = ss.GeneralisedDahl(rate=9.0, envelope=envelopes.bliman_sorine(9.0, 1.0, 0.4, 0.1))
    said: list[str] = []
    fit = ss.identify(
        swings(law, samples=301, noise=0.02), ss.GeneralisedDahl, progress=lambda words, _: said.append(words)
    )
    assert fit.law.envelope.shape.name == "bliman_sorine"
    assert fit.notes[0].startswith(
        "the envelope bliman_sorine was chosen by the Bayesian information criterion; rms residuals: dynamic_h"
    )
    assert any(words.startswith("envelope 4 of 4") for words in said)
    for name, value in zip(law.envelope.names, law.envelope.values, strict=True):
        assert fit.parameters[name].low < value < fit.parameters[name].high, name


def test_it_is_ranked_beside_other_laws() -> None:
    ranking = ss.rank(
        swings(HYSTERESIS, samples=301, noise=0.02), [ss.Jenkins, WITH(envelopes.dynamic_hysteresis)],
        bounds={"exponent": (0.5, 2.0)},
    )  # fmt: skip
    assert [row.name for row in ranking.table] == ["GeneralisedDahl with dynamic_hysteresis", "Jenkins"]


# ---- templates


def test_an_envelope_with_a_rate_of_its_own_keeps_it() -> None:
    """(14) with another rate than that of the law is another law: it is no number to be sought."""
    law = ss.GeneralisedDahl(rate=12.0, envelope=envelopes.with_polynomial(8.0, 1.0, (0.0, 1.0)))
    start = ss.GeneralisedDahl(rate=10.0, envelope=envelopes.with_polynomial(7.2, 0.9, (0.0, 0.8)))
    fit = ss.identify(swings(law, samples=301), start, fixed={"coefficients.1": 1.0})
    assert fit.law.envelope.values[0] == 8.0
    assert "rate" in fit.free
    assert fit.law.rate == pytest.approx(12.0, rel=1e-6)


@pytest.mark.long
def test_intervals_of_a_generalised_dahl_law_cover_the_truth_as_often_as_they_say() -> None:
    law = ss.GeneralisedDahl(rate=8.0, envelope=envelopes.dynamic_hysteresis(1.0))
    held = dict.fromkeys(("rate", "exponent", "limit"), 0)
    for seed in range(200):
        fit = ss.identify(swings(law, samples=300, noise=0.02, seed=seed), law)
        for name, value in (("rate", 8.0), ("exponent", 1.0), ("limit", 1.0)):
            held[name] += fit.parameters[name].low <= value <= fit.parameters[name].high
    assert all(180 <= count <= 198 for count in held.values()), held
