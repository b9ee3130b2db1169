"""Numbers that are fixed stay what they were given as, or are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import slipstick as ss

T = np.linspace(0.0, 3.0, 300)
U = 1e-3 * np.sin(2.0 * np.pi * T)
LOOP = ss.Loop(
    U, ss.Dahl(stiffness=1e6, limit=300.0).trace(U, T) + np.random.default_rng(1).normal(0.0, 2.0, T.size), T
)


def test_an_exponent_beyond_what_a_search_would_try_is_held() -> None:
    fit = ss.identify(LOOP, ss.DynamicHysteresis, fixed={"exponent": 30.0})
    assert fit.parameters["exponent"].value == 30.0
    assert fit.law.exponent == 30.0
    assert all(law.exponent == 30.0 for law in fit.sample(3))


@pytest.mark.parametrize(
    ("law", "fixed", "words"),
    [
        (ss.BoucWen, {"ratio": 2.0}, '"ratio" must be <= 1, got 2'),
        (ss.Jenkins, {"limit": -3.0}, '"limit" must be >= 0, got -3'),
        (ss.Jenkins, {"stiffness": -1.0}, '"stiffness" must be > 0, got -1'),
    ],
)
def test_a_value_that_a_law_cannot_have_is_refused(law: Any, fixed: dict[str, float], words: str) -> None:
    with pytest.raises(ss.SlipstickError, match=words):
        ss.identify(LOOP, law, fixed=fixed)


@pytest.mark.parametrize("other", [{"bounds": {"limit": (100.0, 200.0)}}, {"priors": {"limit": (150.0, 20.0)}}])
def test_what_is_fixed_cannot_be_sought_too(other: dict[str, Any]) -> None:
    with pytest.raises(ss.SlipstickError, match=f'holds "limit", which has {next(iter(other))} too'):
        ss.identify(LOOP, ss.Jenkins, fixed={"limit": 300.0}, **other)


def test_redundant_parameters_of_a_given_law_keep_their_values() -> None:
    law = ss.BoucWen(stiffness=1e6, ratio=0.1, beta=4e3, gamma=1e3, A=0.5)
    fit = ss.identify(ss.Loop(U, law.trace(U, T), T), law)
    assert fit.parameters["A"].value == 0.5
    assert fit.parameters["beta"].value == pytest.approx(4e3, rel=1e-4)
    pinched = ss.BoucWenBaberNoori(
        stiffness=1e6, ratio=0.1, beta=2e3, gamma=1e3, pinching=0.5, pinching_rate=1.0, pinching_width=1e-4
    )
    fit = ss.identify(ss.Loop(U, pinched.trace(U, T), T), pinched)
    assert fit.parameters["pinching_width"].value == 1e-4
    assert fit.residual < 1e-3 * fit.loops[0].f.max()
