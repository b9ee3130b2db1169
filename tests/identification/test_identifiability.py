"""What the data do not tell is said: numbers with no interval, on one side or on both, and loops that are lines."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.intervals.identifiability import _is_open_ended, assess_identifiability
from slipstick.report.fit_report import fit_page
from slipstick.report.fit_tables import parameter_table
from slipstick.results.fit import Estimate
from slipstick.study.command_messages import COMMAND

STIFFNESS, AMPLITUDE, NOISE = 1.2e6, 1e-3, 3.0


def line(seed: int) -> ss.Loop:
    """A spring with noise: no friction anywhere."""
    t = np.linspace(0.0, 3.0, 1500)
    u = AMPLITUDE * np.sin(2.0 * np.pi * t)
    return ss.Loop(u, STIFFNESS * u + np.random.default_rng(seed).normal(0.0, NOISE, t.size), t)


@pytest.mark.parametrize("seed", [0, 1, 2, 7])
def test_a_limit_that_is_never_reached_has_no_upper_end(seed: int) -> None:
    fit = ss.identify(line(seed), ss.Jenkins)
    own = fit.parameters["limit"]
    assert own.high == np.inf
    assert own.low <= 1.001 * STIFFNESS * AMPLITUDE  # it may begin to slip right at the tips
    assert fit.parameters["stiffness"].high < 1.001 * STIFFNESS  # that is told as ever
    assert fit.derived["slip_begins"].high == np.inf
    assert any("limit is poorly determined" in words for words in fit.warnings)
    assert any("encloses no area" in words for words in fit.warnings)


def test_nothing_is_drawn_of_what_is_not_told() -> None:
    fit = ss.identify(line(0), ss.Jenkins)
    with pytest.raises(ss.SlipstickError, match="do not determine limit") as refusal:
        fit.sample(5)
    assert "fixed=" in str(refusal.value)
    held = ss.identify(line(0), ss.Jenkins, fixed={"limit": 2000.0})
    assert len({law.stiffness for law in held.sample(5)}) == 5


def test_advice_to_fix_a_value_leaves_the_value_to_the_user(tmp_path: Path) -> None:
    t = np.linspace(0.0, 2.0, 400)
    u = AMPLITUDE * np.sin(2.0 * np.pi * t)
    force = STIFFNESS * u + np.random.default_rng(0).normal(0.0, NOISE, t.size)
    path = tmp_path / "line.csv"
    np.savetxt(path, np.column_stack((1e3 * u, 1e-3 * force)), delimiter=",", header="u [mm],F [kN]", comments="")
    fit = ss.identify(ss.Loop.read(path), ss.Jenkins)
    fit.save(tmp_path / "line.nc")
    for own in (fit, ss.open(tmp_path / "line.nc")):
        (words,) = [words for words in own.warnings if words.startswith("limit is poorly determined")]
        assert (
            'if you know it from elsewhere, fixed={"limit": ...}' in words
        )  # its own estimate would make others false
        assert "--fixed limit=..." in COMMAND.message(words)


def test_a_limit_far_beyond_reach_is_at_least_the_largest_force_that_was_seen() -> None:
    """A slider that slips at the tips shifts the whole other branch, which many samples tell."""
    covered = 0
    for seed in range(30):
        t = np.linspace(0.0, 3.0, 300)
        u = AMPLITUDE * np.sin(2.0 * np.pi * t)
        loop = ss.Loop(u, STIFFNESS * u + np.random.default_rng(seed).normal(0.0, NOISE, t.size), t)
        own = ss.identify(loop, ss.Jenkins(stiffness=1.1e6, limit=1e5)).parameters["limit"]
        assert own.high == np.inf
        assert own.low > STIFFNESS * AMPLITUDE - 2.0 * NOISE
        covered += own.low <= STIFFNESS * AMPLITUDE  # the least limit that would leave the same loop
    assert covered >= 26  # of 97.5 %: fewer in one of a thousand such tests


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_element_that_never_slips_is_told_from_below_beside_one_that_does(seed: int) -> None:
    """The second of two elements, 5e5 N/m over 1 mm, carries 500 N."""
    t = np.linspace(0.0, 3.0, 600)
    u = AMPLITUDE * np.sin(2.0 * np.pi * t)
    law = ss.Iwan(stiffnesses=(1e6, 5e5), limits=(200.0, 1e4), parallel_stiffness=0.0)
    f = law.trace(u, t) + np.random.default_rng(seed).normal(0.0, NOISE, t.size)
    fit = ss.identify(ss.Loop(u, f, t), law, fixed={"parallel_stiffness": 0.0})
    first, second = fit.parameters["limits.0"], fit.parameters["limits.1"]
    assert first.low < 200.0 < first.high < 210.0
    assert second.high == np.inf
    assert 490.0 < second.low <= 502.0
    assert any("at least" in words and "limits.1" in words for words in fit.warnings)
    profile = fit.profile("limits.1")
    assert (profile.low, profile.high) == (pytest.approx(second.low, rel=1e-3), np.inf)


def test_what_two_numbers_tell_together_only_stays_open_on_both_sides() -> None:
    """A slider that never slips beside a spring: its limit may be small where its stiffness is."""
    law = ss.Masing(stiffness=0.6e6, limit=1e5, parallel_stiffness=0.6e6, damping=0.0, preload=0.0)
    fit = ss.identify(line(3), law, fixed={"damping": 0.0, "preload": 0.0})
    own = fit.parameters["limit"]
    assert own.low < 0.01 * STIFFNESS * AMPLITUDE
    assert own.high == np.inf


def test_two_springs_side_by_side_are_told_together_only() -> None:
    """Their sum is told, neither of them is; the figure that is their sum has an interval, they have none."""
    from slipstick.identification.intervals.derived_quantities import estimate_derived
    from slipstick.identification.preparing.imposed_path import imposed_path_of
    from slipstick.identification.search.least_squares import FitProblem, minimise
    from slipstick.identification.search.unknowns import Unknowns

    loop = line(4)
    template = ss.Masing(stiffness=0.5e6, limit=1e9, parallel_stiffness=0.6e6, damping=0.0, preload=0.0)
    unknowns = Unknowns.of(template)
    free = tuple(unknowns.names.index(name) for name in ("stiffness", "parallel_stiffness"))
    path = imposed_path_of(loop, loop.u, "virgin")
    problem = FitProblem(unknowns, [path], free, np.array([1.0, 1e6]), np.array([1.0 / NOISE]))
    result = minimise(problem, problem.scaled(unknowns.values))
    identifiability = assess_identifiability(problem, result)
    assert identifiability.open_below.all()
    assert identifiability.open_above.all()
    whole = estimate_derived(problem, result.x, identifiability)["initial_stiffness"]
    # the slope of a line through n samples of u: noise / sqrt(sum u^2)
    expected = NOISE / np.sqrt(np.sum(loop.u**2))
    assert whole.deviation == pytest.approx(expected, rel=0.1)


def test_no_law_of_friction_wins_on_a_line() -> None:
    ranking = ss.rank(line(5), ["jenkins", "linear"])
    assert "no area" in ranking.verdict
    assert "fits best" not in ranking.verdict


def test_what_may_be_nothing_is_told_if_it_is_little_beside_the_data() -> None:
    t = np.arange(0.0, 4.0, 1 / 250.0)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    law = ss.Masing(stiffness=1e6, limit=300.0, parallel_stiffness=1e5, damping=0.0, preload=0.0)
    f = law.trace(u, t) + np.random.default_rng(6).normal(0.0, 1.0, t.size)
    fit = ss.identify(ss.Loop(u, f, t), ss.Masing)
    assert abs(fit.parameters["preload"].value) < 1.0
    assert not any("poorly determined" in words for words in fit.warnings)


def test_a_line_is_not_searched_for_long() -> None:
    """Laws with many numbers wander where nothing is told."""
    t = np.linspace(0.0, 2.0, 160)
    u = AMPLITUDE * np.sin(2.0 * np.pi * t)
    loop = ss.Loop(u, STIFFNESS * u + np.random.default_rng(8).normal(0.0, NOISE, t.size), t)
    assert ss.identify(loop, "bouc-wen").evaluations <= 25


@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_a_limit_that_is_never_reached_is_open_above_wherever_it_is_told(noise: float, tmp_path: Path) -> None:
    """A spring of 1e6 N/m moved by 0.2 mm: a slider behind it that holds 200 N or more is seen by nobody."""
    t = np.linspace(0.0, 3.25, 401)
    u = 2e-4 * np.sin(2.0 * np.pi * t)
    f = 1e6 * u + np.random.default_rng(0).normal(0.0, noise, t.size)
    fit = ss.identify(ss.Loop(u, f, t), ss.Jenkins)
    limit = fit.parameters["limit"]
    assert limit.high == np.inf
    assert limit.low <= 200.0 + noise  # it may begin to slip right at the tips
    assert limit.value >= limit.low
    assert fit.parameters["stiffness"].value == pytest.approx(1e6, rel=1e-9 + 1e-3 * noise)
    assert "open above" in str(limit)
    (row,) = (row for row in parameter_table(fit).rows if row[0] == "limit")
    assert row[3].endswith(", open above")
    assert any(
        "limit is poorly determined: its interval is" in words and "open above" in words for words in fit.warnings
    )
    assert "open above" in fit_page(fit, "rig", b"")
    fit.save(tmp_path / "rig.nc")
    again = ss.open(tmp_path / "rig.nc")
    assert again.parameters["limit"].high == np.inf
    assert str(again.data["interval"].sel(parameter="limit").values).endswith("open above")


def test_an_interval_is_told_in_words_where_it_is_open() -> None:
    ends = {(1.0, 2.0): "1 to 2", (1.0, np.inf): "1, open above", (-np.inf, 2.0): "open below, 2"}
    for (low, high), words in ends.items():
        assert Estimate(1.5, low, high, "N").interval() == words
    assert Estimate(1.5, -np.inf, np.inf, "N").interval() == "open below, open above"


def test_a_law_that_overflows_far_away_closes_its_interval_without_a_warning() -> None:
    far = np.full(8, 1e154)  # squares are numbers, their sum is not
    problem: Any = SimpleNamespace(
        bounds=lambda: (np.array([-np.inf]), np.array([np.inf])), count=8, residuals=lambda _: far
    )
    result: Any = SimpleNamespace(x=np.zeros(1), residuals=np.zeros(8))
    assert not _is_open_ended(problem, result, 0, np.ones(1), 4.0, 1.0)
