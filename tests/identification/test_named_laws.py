"""Laws by the names that files use, and sums of a spring and one law beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.naming import USUAL, kinds_of

T = np.linspace(0.0, 3.0, 400)
U = 1e-3 * np.sin(2.0 * np.pi * T)


def loop_of(law: ss.Law, noise: float = 0.0) -> ss.Loop:
    return ss.Loop(U, law.trace(U) + np.random.default_rng(2).normal(0.0, noise, U.size))


@pytest.mark.parametrize(
    ("name", "true"),
    [
        ("linear+dahl", ss.Linear(stiffness=2e5, preload=4.0) + ss.Dahl(stiffness=5e5, limit=200.0, exponent=1.2)),
        (
            "polynomial+dynamic-hysteresis",
            ss.Polynomial(coefficients=(5.0, 1e5, 0.0, 1e11))
            + ss.DynamicHysteresis(stiffness=5e5, limit=200.0, exponent=0.7),
        ),
        ("Jenkins+Linear", ss.Linear(stiffness=1e5) + ss.Jenkins(stiffness=8e5, limit=250.0)),
    ],
)
def test_a_sum_by_name_is_found_without_a_start(name: str, true: Any) -> None:
    fit = ss.identify(loop_of(true), name)
    np.testing.assert_allclose(fit.law.trace(U), true.trace(U), atol=1e-6 * 400.0)
    for found, term in zip(fit.law.terms, true.terms, strict=True):  # the spring is first, however it is named
        assert type(found.law) is type(term.law)


def test_a_name_is_the_class() -> None:
    loop = loop_of(ss.Jenkins(stiffness=8e5, limit=250.0), noise=2.0)
    assert ss.identify(loop, "jenkins").law == ss.identify(loop, ss.Jenkins).law


def test_rank_takes_names_and_calls_rows_by_them() -> None:
    loop = loop_of(ss.Linear(stiffness=1e5) + ss.Jenkins(stiffness=8e5, limit=250.0), noise=2.0)
    ranking = ss.rank(loop, ["jenkins", "linear+jenkins"])
    assert [row.name for row in ranking.table] == ["linear+jenkins", "jenkins"]
    assert ranking.best.kind == "Linear + Jenkins"
    assert len(ranking.plot().axes) == 3


def test_the_usual_laws_are_known() -> None:
    assert all(kinds_of(name) for name in USUAL)


def test_progress_of_a_ranking_goes_from_nothing_to_all_and_never_back() -> None:
    told: list[tuple[str, float]] = []
    loop = loop_of(ss.Jenkins(stiffness=8e5, limit=250.0), noise=2.0)
    ss.rank(loop, ["jenkins", "linear"], progress=lambda words, share: told.append((words, share)))
    shares = [share for _, share in told]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    assert any(words.startswith("linear: ") for words, _ in told)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("massing", 'unknown law "massing" .did you mean "masing"'),
        ("linear+", 'unknown law ""'),
        ("dahl+masing", "only the sum of a spring"),
        ("linear+polynomial", "only the sum of a spring"),
        ("linear+dahl+masing", "only the sum of a spring"),
        ("two-stage", "no values to begin with"),
    ],
)
def test_what_cannot_begin_is_refused(name: str, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words):
        ss.identify(loop_of(ss.Jenkins(stiffness=8e5, limit=250.0)), name)
