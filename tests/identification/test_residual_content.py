"""What residuals consist of, and the sums that `rank` tries for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.intervals.residual_content import ResidualContent, worst_content
from slipstick.identification.preparing.prepared_loop import prepare_loops
from slipstick.identification.ranking.further_laws import better_predictors, composed_laws_for
from slipstick.results.ranking import RankedLaw

T = np.arange(2000) / 500.0  # four cycles of 1 Hz
U = 1e-2 * np.sin(2.0 * np.pi * T)
V = np.gradient(U, T)
X, W = U / 1e-2, V / np.abs(V).max()
JENKINS = ss.Jenkins(stiffness=2e5, limit=100.0)


def fitted(extra: np.ndarray, law: str = "jenkins") -> tuple[list, ss.Fit]:
    """Prepared loops and the fit of a law to a slider with a further force; noise of 0.2 N."""
    noise = 0.2 * np.random.default_rng(4).standard_normal(T.size)
    loop = ss.Loop(u=U, f=JENKINS.trace(U, T) + extra + noise, t=T)
    return prepare_loops(loop), ss.identify(loop, law)


def content(extra: np.ndarray) -> ResidualContent:
    """Of a residual that is a known force and noise."""
    prepared, fit = fitted(extra)
    return worst_content(prepared, [fit.loops[0]._replace(fitted=JENKINS.trace(U, T))])


def test_a_curved_spring_is_seen_over_the_deflection():
    found = content(20.0 * (X**2 - 0.5))
    assert found.deflection > 0.95
    assert found.rate > 0.9  # in one harmonic motion the rate has the same square
    assert found.fast < 0.05
    assert "deflection" in found.words


def test_a_damper_is_seen_over_the_rate():
    found = content(20.0 * W**3)
    assert found.rate > 0.9
    assert found.deflection < 0.1
    assert "follows the rate" in found.words


def test_ringing_is_seen_with_its_frequency():
    found = content(20.0 * np.sin(2.0 * np.pi * 87.0 * T))
    assert found.fast > 0.95
    assert found.peak == pytest.approx(87.0, abs=0.5)
    assert "87" in found.words
    assert found.is_fast


def test_drift_is_seen_over_the_record():
    found = content(10.0 * (T - 2.0))
    assert found.time > 0.8
    assert "drift" in found.words


def test_a_constant_residual_belongs_to_no_share():
    found = content(np.full(T.size, 10.0))
    assert max(found[:4]) < 0.01


def test_a_misfit_within_one_cycle_is_no_drift():
    one = slice(0, 500)
    loop = ss.Loop(u=U[one], f=(JENKINS.trace(U, T) + 20.0 * (X**2 - 0.5))[one], t=T[one])
    fit = ss.identify(loop, "jenkins")
    found = worst_content(prepare_loops(loop), [fit.loops[0]._replace(fitted=JENKINS.trace(U, T)[one])])
    assert found.deflection > 0.95
    assert found.time < 0.01


def test_shares_of_noise_are_near_zero():
    found = content(np.zeros(T.size))
    assert max(found[:4]) < 0.05


def test_a_misfit_warning_says_what_the_residual_consists_of():
    _, fit = fitted(20.0 * np.sin(2.0 * np.pi * 87.0 * T) + 4.0 * X**2)
    assert any("faster than 20 Hz, mostly near 87 Hz" in str(words) for words in fit.warnings)


def test_parts_are_added_for_what_the_residual_follows_and_say_why():
    prepared, fit = fitted(20.0 * X**2 + 15.0 * W + 10.0 * W**3, "linear+jenkins")
    laws = composed_laws_for(prepared, [RankedLaw("linear+jenkins", fit, 0.0, 0.0)])
    names = ["polynomial+jenkins", "polynomial+jenkins+damper-table", "linear+jenkins+damper-table"]
    assert [law.name for law in laws] == names
    assert "% of the squared residual of linear+jenkins follows the deflection" in laws[0].reason
    best = ss.identify(prepared[0].loop, laws[1].name)
    assert best.loops[0].rms < 0.6
    assert composed_laws_for(prepared, [RankedLaw(laws[1].name, best, 0.0, 0.0)]) == ()


def test_no_part_is_added_for_ringing_nor_where_a_law_fits():
    for extra in (20.0 * np.sin(2.0 * np.pi * 87.0 * T), np.zeros(T.size)):
        prepared, fit = fitted(extra, "linear+jenkins")
        assert composed_laws_for(prepared, [RankedLaw("linear+jenkins", fit, 0.0, 0.0)]) == ()


def test_a_table_by_name_finds_the_force_at_its_rates():
    loop = ss.Loop(u=U, f=3e3 * U + 40.0 * np.tanh(6.0 * W) + 5.0, t=T)
    fit = ss.identify(loop, "linear+damper-table")
    table = fit.law.terms[1].law
    at = np.array(table.rates) / np.abs(V).max()
    np.testing.assert_allclose(table.forces, 5.0 + 40.0 * np.tanh(6.0 * at), atol=4.0)
    assert fit.parameters["preload"].fixed
    assert fit.parameters["preload"].value == 0.0


def test_a_ranking_keeps_the_sums_and_their_reasons(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("slipstick.identification.rank.default_laws_for", lambda _: ("linear+jenkins",))
    monkeypatch.setattr("slipstick.identification.rank.further_laws_for", lambda *_: ())
    few = slice(0, 2000, 10)
    ranking = ss.rank(ss.Loop(u=U[few], f=(JENKINS.trace(U, T) + 20.0 * X**2)[few], t=T[few]))
    assert [row.name for row in ranking.table][-1] == "linear+jenkins"
    ((name, reason), *_) = ranking.composed
    assert name == "polynomial+jenkins"
    assert f"tried {name}: {reason}" in repr(ranking)
    ranking.save(tmp_path / "ranked.nc")
    assert ss.open(tmp_path / "ranked.nc").composed == ranking.composed


def test_parameters_at_bounds_ask_for_a_second_slider():
    prepared, fit = fitted(20.0 * X**2, "bouc-wen")
    laws = composed_laws_for(prepared, [RankedLaw("bouc-wen", replace(fit, held=("ratio",)), 0.0, 0.0)])
    assert laws[-1].name == "linear+jenkins+bouc-wen"
    assert "bounds: ratio" in laws[-1].reason


def test_a_composed_law_that_predicts_worse_is_left_out():
    _, fit = fitted(20.0 * X**2, "linear+jenkins")
    rows = [RankedLaw("linear+jenkins", fit, 0.0, 5.0)]
    composed = [RankedLaw("better", fit, 0.0, 4.0), RankedLaw("worse", fit, 0.0, 6.0)]
    assert [row.name for row in better_predictors(rows, composed)] == ["better"]
