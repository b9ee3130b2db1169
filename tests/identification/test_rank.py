"""Rankings: the right law where there is one, none where there is none, and what noise of other kinds does to that."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identification.synthetic_loops import (
    MASING,
    PERIOD,
    RIG,
    STEP,
    Array,
    filtered,
    given_parameters,
    hum,
    loop_with,
    motion,
    swings,
    times,
    white,
)

import slipstick as ss
from slipstick.identification.preparing.noise_level import first_to_last_change
from slipstick.identification.preparing.prepared_loop import prepare_loops
from slipstick.identification.preparing.value_groups import groups_within_factor
from slipstick.identification.rank import sort_by_criterion
from slipstick.identification.ranking.cross_validation import held_out_error
from slipstick.identification.ranking.information_criterion import _independent_samples
from slipstick.report.fit_tables import ranking_table
from slipstick.results.ranking import RankedLaw
from slipstick.results.tolerances import DECISIVE_BIC_DIFFERENCE
from slipstick.study.command_messages import COMMAND

QUICK = ["jenkins", "masing"]


def at(name: str, frequency: float) -> list[ss.Loop]:
    return [loop for loop in ss.dataset(name) if loop.frequency == frequency]


def test_of_laws_that_tie_the_simplest_leads() -> None:
    made = [
        RankedLaw(name, SimpleNamespace(searched=count, held=()), own, math.nan)  # type: ignore[arg-type]
        for name, count, own in (("rich", 6, 100.0), ("poor", 2, 109.0), ("middle", 3, 104.0), ("behind", 1, 110.5))
    ]
    assert [row.name for row in sort_by_criterion(made)] == ["poor", "middle", "rich", "behind"]


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(0.0, 1e3), st.booleans(), st.booleans()), min_size=1, max_size=8)
)
def test_the_order_is_that_of_the_criterion_whatever_else_is_known(rows: list[tuple[float, float, bool, bool]]) -> None:
    """The residual, and whether a law is within the noise, change nothing; laws without a fit are last."""
    made = [
        RankedLaw(
            str(k),
            SimpleNamespace(residual=left, within_noise=within, searched=1, held=()) if fits else None,  # type: ignore[arg-type]
            own,
            math.nan,
        )
        for k, (own, left, within, fits) in enumerate(rows)
    ]
    found = sort_by_criterion(made)
    assert sorted(row.name for row in found) == sorted(row.name for row in made)
    fitted = [row.criterion for row in found if row.fit is not None]
    assert fitted == sorted(fitted)
    assert all(row.fit is None for row in found[len(fitted) :])


def test_table_report_and_file_have_the_order_of_the_criterion() -> None:
    gap = ss.Freeplay(stiffness=5.0, half_gap=0.4) + ss.Jenkins(stiffness=4.0, limit=0.5)
    ranking = ss.rank(swings(gap, (1.0,), samples=201, noise=0.01), ["jenkins", "linear", "dry-friction"])
    leads = [float(row[3]) for row in ranking_table(ranking).rows]
    assert min(leads) == 0.0
    ties = sum(lead < DECISIVE_BIC_DIFFERENCE for lead in leads)
    assert leads[ties:] == sorted(leads[ties:])
    assert np.all(np.diff(ranking.data["criterion"].values[ties:]) >= 0.0)
    shown = [line.split() for line in repr(ranking).splitlines()[2:5]]
    assert [line[0] for line in shown] == [row.name for row in ranking.table]
    assert [float(line[-1]) for line in shown] == pytest.approx(leads, rel=1e-3)
    bars = ranking.plot().axes[2].get_yticklabels()
    assert [bar.get_text() for bar in bars] == [row.name for row in ranking.table]


@pytest.mark.parametrize("finer", [1, 4, 16])
def test_samples_that_are_alike_are_worth_the_same_however_closely_they_are_taken(finer: int) -> None:
    """Independent values joined by lines: correlations are a cubic B-spline over 2/3, which adds up to 3/2 a value."""
    values = np.random.default_rng(0).standard_normal(4000)
    left = np.interp(np.arange(4000 * finer) / finer, np.arange(4000), values)
    assert _independent_samples(left) == pytest.approx(4000.0 if finer == 1 else 4000.0 / 1.5, rel=0.1)


# ---- the sets that are shipped


@pytest.mark.parametrize("name", ["series-gap", "worn-rig", "joint-lag"])
def test_outside_every_family_none_fits_and_it_is_said_how_far_off(name: str) -> None:
    ranking = ss.rank(ss.dataset(name), QUICK)
    assert not ranking.within_noise
    assert ranking.verdict.startswith("none fits within the noise of ")
    assert f"is off by {ranking.best.residual:.3g} N rms" in ranking.verdict
    assert "times the noise" in ranking.verdict
    assert ranking.best.residual > 3.0 * ranking.noise
    assert [row.criterion for row in ranking.table] == sorted(row.criterion for row in ranking.table)
    assert ranking.best.residual == min(row.fit.residual for row in ranking.table if row.fit is not None)


def test_a_rig_that_wears_is_told_to_change_by_itself(made: SimpleNamespace) -> None:
    """By what laws as worn as the rig differ, seven cycles apart: more after the first reversal than before the end."""
    (loop,) = ss.dataset("worn-rig")
    assert loop.t is not None
    around = np.arange(0.0, 3.0 * PERIOD, STEP)

    def settled(time: float) -> Array:
        worn = 1.0 - np.exp(-time / PERIOD / made.WITHIN)
        less = {"limit": 1.0 - made.WORN * worn, "parallel_stiffness": 1.0 - made.SOFTER * worn}
        law = ss.Masing(**{name: value * less.get(name, 1.0) for name, value in given_parameters(MASING).items()})
        return law.trace(motion(around), around)[around > 2.0 * PERIOD]

    def change(time: float) -> float:
        return float(np.sqrt(np.mean((settled(time + 7.0 * PERIOD) - settled(time)) ** 2)))

    least, most = change(loop.t[-1] - 7.0 * PERIOD), change(loop.t[loop.turning.turns[1]])
    assert least < first_to_last_change(loop) < most
    verdict = ss.rank(loop, ["masing"]).verdict
    assert f"the loop itself changes by {first_to_last_change(loop):.3g} N rms from first to last cycle" in verdict
    assert "the scatter between 8 cycles" in verdict


def test_fibres_are_told_from_their_parts() -> None:
    ranking = ss.rank(at("fibre-set-2", 60.0)[::3], [ss.FibreShear, "linear+dynamic-hysteresis"])
    assert ranking.table[0].name == "FibreShear"
    assert ranking.within_noise
    assert ranking.table[0].validation == pytest.approx(20.0, rel=0.1)  # what is left out is told to the noise


@pytest.mark.parametrize(
    ("name", "law", "other"),
    [("tensioner-masing", "masing", "jenkins"), ("tensioner-dahl", "modified-dahl", "masing")],
)
def test_a_rig_is_given_its_law(name: str, law: str, other: str) -> None:
    (whole,) = ss.dataset(name)
    assert whole.t is not None
    thin = ss.Loop(whole.u[::10], whole.f[::10], whole.t[::10])
    ranking = ss.rank(thin, [other, law])
    assert ranking.table[0].name == law
    assert ranking.within_noise, ranking.verdict


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("tensioner-masing", "masing"),
        ("tensioner-dahl", "modified-dahl"),
        ("series-gap", "series(freeplay, masing)"),
        ("worn-rig", None),
        ("joint-lag", None),
    ],
)
def test_a_ranking_without_names_finds_the_law(name: str, law: str | None) -> None:
    ranking = ss.rank(ss.dataset(name))
    assert ranking.within_noise == (law is not None), ranking.verdict
    if law is None:
        assert ranking.verdict.startswith("none fits within the noise of ")
    else:
        assert ranking.table[0].name == law, ranking.verdict


@pytest.mark.long
@pytest.mark.parametrize("name", ["tensioner-masing", "tensioner-dahl", "fibre-set-1", "fibre-set-2"])
def test_other_noise_of_the_same_size_raises_no_alarm(name: str, made: SimpleNamespace) -> None:
    right = 0
    for seed in range(100, 120):
        rows = made.made(name, seed).rows
        law: Any
        if name.startswith("fibre"):
            rows = rows[(rows[:, 0] > 10) & (rows[:, 0] <= 20)]  # 20 Hz
            parts = [rows[rows[:, 0] == k] for k in np.unique(rows[:, 0])]
            loops = [ss.Loop(part[:, 2], part[:, 3], part[:, 1]) for part in parts]
            law = made.fibre_law(name, 20.0)
        else:
            loops = [ss.Loop(1e-3 * rows[:, 1], rows[:, 2], rows[:, 0])]
            law = made.TENSIONER[name]
        right += ss.identify(loops, law).within_noise
    assert right >= 19


# ---- noise of other kinds


@pytest.mark.parametrize("kind", ["filtered", "filtered-more", "hum", "steps"])
def test_noise_that_is_not_white_raises_no_alarm_where_cycles_repeat(kind: str) -> None:
    t = times(4.2)
    right = 0
    for seed in range(10):
        noise = {
            "filtered": filtered(t.size, 9, seed=seed),
            "filtered-more": filtered(t.size, 25, seed=seed),
            "hum": hum(t) + white(t.size, 0.5, seed),
            "steps": white(t.size, 0.5, seed),
        }[kind]
        loop = loop_with(noise, t)
        if kind == "steps":
            loop = ss.Loop(loop.u, 10.0 * np.round(loop.f / 10.0), t)
        right += ss.identify(loop, MASING).within_noise
    assert right == 10


def test_correlated_residuals_within_the_noise_name_both_causes() -> None:
    t = times(4.2)
    fit = ss.identify(loop_with(filtered(t.size, 15), t), MASING)
    (words,) = [words for words in fit.warnings if words.startswith("neighbouring residuals")]
    assert "the noise is filtered or has hum, or the law is slightly wrong" in words
    assert COMMAND.message(words).endswith("compare laws with slipstick rank")
    assert words.endswith("if the residuals show a pattern over the deflection, compare laws with ss.rank")


def test_one_cycle_that_was_filtered_is_told_to_leave_it_open() -> None:
    """Nothing tells noise so smooth from a law that is wrong; the verdict says what would."""
    t = times(1.05)
    verdict = ss.rank(loop_with(filtered(t.size, 60), t), ["masing"]).verdict
    assert "measure several cycles of the same motion" in verdict


@pytest.mark.parametrize(("share", "told"), [(0.0, ""), (0.5, "repeats in every cycle"), (1.0, "does not fit")])
def test_how_small_a_defect_is_told(share: float, told: str) -> None:
    """Waves that no law has: sqrt(1 + share^2) of the noise is left, and 1.25 is the limit."""
    t = times(6.2)
    for seed in range(5):
        defect = 5.0 * share * np.sqrt(2.0) * np.sin(15.0 * RIG["omega"] * t)
        fit = ss.identify(loop_with(white(t.size, seed=seed) + defect, t), MASING)
        assert fit.within_noise == (share < 0.75)
        told_of = [words for words in fit.warnings if "repeats in every cycle" in words or "does not fit" in words]
        assert bool(told_of) == bool(told)
        assert all(told in words for words in told_of)


# ---- leaving out


def test_loops_of_one_amplitude_are_left_out_together() -> None:
    assert groups_within_factor([1.0, 2.0, 3.0], 1.05) == [[0], [1], [2]]
    assert groups_within_factor([3.0, 1.0, 1.01, 2.0, 3.02], 1.05) == [[1, 2], [3], [0, 4]]
    assert groups_within_factor([1.0, 1.0, 2.0], 1.05) == [[0, 1], [2]]


def test_with_two_amplitudes_parts_of_the_record_are_held_out() -> None:
    loops = swings(ss.Jenkins(stiffness=8.0, limit=1.0), amplitudes=(0.3, 0.3, 1.0, 1.0), noise=0.02)
    assert held_out_error(prepare_loops(loops), ss.identify(loops, ss.Jenkins)) == pytest.approx(0.02, rel=0.1)
    wrong = ss.identify(loops, ss.Linear)
    assert held_out_error(prepare_loops(loops), wrong) > wrong.residual


def test_what_was_left_out_is_told_to_the_noise_by_the_right_law_and_badly_by_another() -> None:
    loops = swings(ss.Jenkins(stiffness=8.0, limit=1.0), amplitudes=(0.3, 0.6, 1.0, 1.5), noise=0.02)
    right, wrong = ss.identify(loops, ss.Jenkins), ss.identify(loops, ss.Linear)
    assert held_out_error(prepare_loops(loops), right) == pytest.approx(0.02, rel=0.1)
    assert held_out_error(prepare_loops(loops), wrong) > 10.0 * 0.02
    short = [ss.Loop(loops[3].u[:450], loops[3].f[:450])]  # two reversals: no part predicts another
    assert np.isnan(held_out_error(prepare_loops(short), ss.identify(short, ss.Jenkins)))


def test_laws_that_are_the_same_are_not_decided_between() -> None:
    loops = swings(ss.Jenkins(stiffness=8.0, limit=1.0), amplitudes=(0.3, 1.0), noise=0.02)
    verdict = ss.rank(loops, [ss.Jenkins, ss.Jenkins(stiffness=8.0, limit=1.0)]).verdict
    assert verdict.startswith("the data cannot decide between Jenkins and Jenkins(")


def test_a_number_that_is_not_needed_costs() -> None:
    loops = swings(ss.Jenkins(stiffness=8.0, limit=1.0), amplitudes=(0.3, 1.0), noise=0.02)
    ranking = ss.rank(loops, [ss.Masing, ss.Jenkins])
    assert ranking.table[0].name == "Jenkins"
    assert "with 2 parameters it fits as well as Masing with 5" in ranking.verdict


# ---- what the last column of the table says


def with_corners(samples: int, noise: float) -> ss.Loop:
    t = np.linspace(0.0, 6.0, samples)
    u = 0.5e-3 * np.sin(np.pi * t)
    joint = ss.Masing(stiffness=1.2e7, limit=1800.0, parallel_stiffness=2.5e6)
    return ss.Loop(u, joint.trace(u) + np.random.default_rng(3).normal(0.0, noise, samples), t)


def said(loop: ss.Loop) -> dict[str, str]:
    ranking = ss.rank(loop, ["masing", "linear+dahl", "iwan:2", "linear"], {"damping": 0.0})
    return {row.name: ranking.in_noise(row) for row in ranking.table}


def test_a_round_law_on_a_loop_with_corners_is_only_nearly_in_the_noise() -> None:
    """It leaves a tenth more than the noise, which 1500 samples tell; a law with more numbers leaves no more."""
    assert said(with_corners(1500, 30.0)) == {"masing": "yes", "iwan:2": "yes", "linear+dahl": "nearly", "linear": "no"}


def test_where_noise_hides_the_corners_both_laws_are_in_it() -> None:
    assert said(with_corners(300, 300.0)) == {"masing": "yes", "iwan:2": "yes", "linear+dahl": "yes", "linear": "no"}


def test_a_parameter_at_a_bound_counts_in_the_criterion_and_gives_no_lead_in_a_tie() -> None:
    """The bend of a corner is any sharp one: `bouc-wen` ends at a bound, and has not become the simpler law."""
    t = np.arange(1500) / 300.0
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    f = ss.Masing(stiffness=4e5, limit=150.0, parallel_stiffness=5e4).trace(u)
    f = f + 20.0 * np.random.default_rng(4).standard_normal(t.size)
    ranking = ss.rank(ss.Loop(u=u, f=f, t=t), ["bouc-wen", "masing"])
    fits = {row.name: row.fit for row in ranking.table}
    assert fits["bouc-wen"] is not None
    assert fits["bouc-wen"].held == ("exponent",)
    assert fits["bouc-wen"].searched == 5
    assert ranking.table[0].name == "masing"
