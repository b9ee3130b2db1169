"""Laws by the names that files use, and sums of a spring and one law beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.law_names import DEFAULT_LAWS, default_laws_for, law_classes_of
from slipstick.identification.preparing.prepared_loop import prepare_loops

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
    assert all(law_classes_of(name) for name in DEFAULT_LAWS)


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
        ("linear+polynomial", "at most one spring"),
        ("linear+polynomial+dahl", "at most one spring"),
        ("dahl+masing+jenkins+maxwell", "1 to 3 other laws"),
        ("two-stage", "no start values; use one of"),
        ("mylaw.py:Wedge", r'fitted in Python.*ss.identify\(ss.Loop.read\("loop.csv"\), Wedge\('),
        ("mylaw.py", r"fitted in Python.*MyLaw\("),
    ],
)
def test_what_cannot_begin_is_refused(name: str, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words):
        ss.identify(loop_of(ss.Jenkins(stiffness=8e5, limit=250.0)), name)


def test_an_iwan_law_has_as_many_elements_as_its_name_says() -> None:
    u = 1e-3 * np.sin(np.linspace(0.0, 6.0 * np.pi, 300))
    true = ss.Iwan(stiffnesses=(3e5, 2e5, 1e5), limits=(60.0, 90.0, 80.0))
    loop = ss.Loop(u, true.trace(u) + np.random.default_rng(3).normal(0.0, 0.5, u.size))
    fit = ss.identify(loop, "iwan:3")
    assert len(fit.law.limits) == 3
    assert fit.within_noise
    assert len(ss.identify(loop, "iwan:1").law.limits) == 1


@pytest.mark.parametrize(
    ("name", "words"), [("iwan:0", "from 1 to 30"), ("iwan:x", "from 1 to 30"), ("dahl:3", "only iwan")]
)
def test_elements_are_counted_of_iwan_alone(name: str, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words):
        law_classes_of(name)


def test_laws_that_loops_can_tell_are_compared_where_nobody_says() -> None:
    t = np.linspace(0.0, 6.0 * np.pi, 100)
    true = ss.Jenkins(stiffness=8e5, limit=250.0)
    loops = [ss.Loop(a * np.sin(t), true.trace(a * np.sin(t))) for a in (5e-4, 1e-3, 2e-3)]
    assert default_laws_for(prepare_loops(loops[:1])) == DEFAULT_LAWS
    assert default_laws_for(prepare_loops(loops[:2])) == (*DEFAULT_LAWS, "iwan")  # 200 samples
    assert default_laws_for(prepare_loops(loops)) == (*DEFAULT_LAWS, "iwan", "fibre-shear")
    strain = ss.Loop(loops[0].u, loops[0].f, system="stress")
    assert default_laws_for(prepare_loops([strain])) == (*DEFAULT_LAWS, "fibre-shear")


def test_a_sum_of_several_laws_is_found_by_its_name() -> None:
    t = np.linspace(0.0, 12.0, 3000)
    u = 1e-3 * np.sin(2.0 * np.pi * t) * np.where(t < 6.0, 1.0, 0.4)
    true = ss.Linear(stiffness=5e4) + ss.Jenkins(stiffness=4e5, limit=80.0) + ss.Maxwell(stiffness=2e5, damping=3e4)
    f = true.trace(u, t) + np.random.default_rng(2).normal(0.0, 0.5, t.size)
    fit = ss.identify(ss.Loop(u, f, t), "linear+jenkins+maxwell")
    assert fit.residual < 1.05 * 0.5
    values = {"0.stiffness": 5e4, "1.stiffness": 4e5, "limit": 80.0, "2.stiffness": 2e5, "2.damping": 3e4}
    for name, value in values.items():
        own = fit.parameters[name]
        assert own.value == pytest.approx(value, rel=0.02), name


def test_a_series_may_be_a_term_of_a_sum() -> None:
    assert law_classes_of("series(freeplay, jenkins) + linear") == (ss.Linear, ss.Freeplay, ss.Jenkins)
    t = np.linspace(0.0, 4.0, 1500)
    u = 2e-3 * np.sin(2.0 * np.pi * t)
    series = ss.Series(ss.Freeplay(stiffness=2e6, half_gap=4e-4), ss.Jenkins(stiffness=5e5, limit=150.0))
    f = (ss.Linear(stiffness=2e4) + series).trace(u, t) + np.random.default_rng(2).normal(0.0, 0.5, t.size)
    fit = ss.identify(ss.Loop(u, f, t), "linear+series(freeplay, jenkins)")
    assert fit.residual < 1.05 * 0.5
    assert fit.parameters["half_gap"].value == pytest.approx(4e-4, rel=0.02)


def test_times_may_begin_below_zero_for_laws_that_relax() -> None:
    t = np.linspace(-1.0, 5.0, 1500)
    u = 1e-3 * np.sin(2.0 * np.pi * t + 0.4)
    f = ss.Maxwell(stiffness=2e5, damping=3e4).trace(u, t + 1.0) + np.random.default_rng(2).normal(0.0, 0.2, t.size)
    fits = [ss.identify(ss.Loop(u, f, own), ss.Maxwell) for own in (t, t + 1.0)]
    assert fits[0].residual < 1.05 * 0.2
    assert fits[0].law.damping == pytest.approx(fits[1].law.damping, rel=1e-9)
