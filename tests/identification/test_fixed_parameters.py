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
