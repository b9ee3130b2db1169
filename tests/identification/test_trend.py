"""Numbers of a law over frequency: known trends come back within their intervals, and what has none is said so."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from identification.synthetic_loops import swings

import slipstick as ss
from slipstick.identification.trend import fit_trend_line
from slipstick.results.fit import Estimate
from slipstick.results.trend import Trend

SETS = {"set 1": "fibre-set-1", "set 2": "fibre-set-2"}


pytestmark = pytest.mark.xdist_group("trend")  # its costly fixture is made once


@pytest.fixture(scope="module")
def fibres() -> Trend:
    """Every second amplitude of each set, to be quick."""
    return ss.trend({name: ss.dataset(own)[1::2] for name, own in SETS.items()}, ss.FibreShear)


def estimate(value: float, deviation: float = 0.01) -> Estimate:
    return Estimate(value, value - 2.0 * deviation, value + 2.0 * deviation, "N", deviation)


def test_trends_that_were_put_in_come_back_within_their_intervals(fibres: Trend, made: SimpleNamespace) -> None:
    """Twelve intervals of 95 %: eleven at least hold the truth, and none is off by more than three deviations."""
    held = 0
    for name, own in SETS.items():
        for parameter, value in made.FIBRE[own].items():
            line = fibres.line(parameter, name)
            true = value * made.TRENDS[own].get(parameter, 0.0) * np.log(10.0)
            held += line.low <= true <= line.high
            assert abs(line.per_decade - true) < 3.0 * (line.high - line.low) / 3.9
            assert line.at(20.0) == pytest.approx(value, rel=0.03)
    assert held >= 11


def test_only_what_depends_on_frequency_is_said_to(fibres: Trend) -> None:
    depends = {(s, p) for s in fibres.sets for p in fibres.parameters if fibres.line(p, s).depends}
    assert {("set 1", "cubic"), ("set 2", "cubic"), ("set 2", "linear")} <= depends
    assert len(depends) <= 5  # G_i = linear + 2 stiffness follows; one in twenty may be chance
    words = "\n".join(fibres.sentences)
    assert "set 1: cubic grows with frequency: +2" in words
    line = fibres.line("cubic", "set 1")  # 0.1 for a factor e, of the value at 20 Hz
    assert line.per_decade / line.at(20.0) == pytest.approx(0.1 * np.log(10.0), rel=0.01)
    assert "set 1: linear does not depend on frequency within its uncertainty" in words


def test_values_at_each_frequency_are_those_of_the_samples(fibres: Trend, made: SimpleNamespace) -> None:
    off = []
    for name, own in SETS.items():
        for hertz in made.FIBRE_FREQUENCIES:
            true = made.fibre_law(own, hertz)
            for parameter in made.FIBRE[own]:
                found = fibres.estimate(parameter, hertz, name)
                off.append((found.value - getattr(true, parameter)) / found.deviation)
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(1.0, abs=0.25)  # sixty, in their own deviations


def test_the_table_is_an_array_with_names(fibres: Trend) -> None:
    data = fibres.data
    assert dict(data.sizes) == {"set": 2, "frequency": 5, "parameter": 7}
    own = data.sel(set="set 2", frequency=40.0, parameter="limit")
    assert float(own["low"]) < 1600.0 < float(own["high"])
    assert (
        float(data["line_per_decade"].sel(set="set 1", parameter="cubic")) == fibres.line("cubic", "set 1").per_decade
    )


def test_the_picture_has_a_panel_for_each_number_and_a_line_for_each_set(fibres: Trend) -> None:
    figure = fibres.plot()
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert len(panels) == 7
    for axes in panels:
        assert axes.get_xscale() == "log"
        assert len(axes.containers) == 2
    styles = [[line.get_linestyle() for line in axes.lines if line.get_xdata().size == 50] for axes in panels]
    assert styles[3] == ["-", "-"]  # cubic
    assert styles[0] == ["--", "--"]  # stiffness


def test_the_repr_has_values_and_sentences(fibres: Trend) -> None:
    words = repr(fibres)
    assert "FibreShear over 5 frequencies" in words
    assert all(sentence in words for sentence in fibres.sentences)


def test_a_line_is_the_weighted_least_squares_one() -> None:
    rng, hertz = np.random.default_rng(0), np.array([1.0, 3.0, 10.0, 50.0])
    deviations = np.array([0.1, 0.2, 0.1, 0.3])
    values = 2.0 + 0.5 * np.log10(hertz) + deviations * rng.standard_normal(4)
    line = fit_trend_line("limit", hertz, [estimate(v, d) for v, d in zip(values, deviations, strict=True)])
    slope, at_one = np.polyfit(np.log10(hertz), values, 1, w=1.0 / deviations)
    assert line.per_decade == pytest.approx(slope, rel=1e-9)
    assert line.at(1.0) == pytest.approx(at_one, rel=1e-9)
    _, covariance = np.polyfit(np.log10(hertz), values, 1, w=1.0 / deviations, cov="unscaled")
    assert line.high - line.low == pytest.approx(2.0 * 1.959964 * np.sqrt(covariance[0, 0]), rel=1e-6)


def test_intervals_of_lines_hold_the_truth_as_often_as_they_say() -> None:
    rng, hertz, held = np.random.default_rng(1), [1.0, 20.0, 40.0, 60.0, 80.0], 0
    for _ in range(400):
        line = fit_trend_line("limit", hertz, [estimate(v, 0.1) for v in rng.normal(3.0, 0.1, 5)])
        held += not line.depends
    assert 0.91 < held / 400 < 0.99


def test_values_that_scatter_more_than_they_should_widen_the_interval() -> None:
    hertz, values = [1.0, 10.0, 100.0, 1000.0], [1.0, 2.0, 1.1, 2.1]
    calm, wild = (fit_trend_line("limit", hertz, [estimate(v, d) for v in values]) for d in (1.0, 0.01))
    assert wild.scatter > 10.0
    assert wild.high - wild.low > 0.5 * (calm.high - calm.low)
    assert not wild.depends


def test_groups_may_be_given_by_frequency_or_told_from_the_loops() -> None:
    law = ss.Jenkins(stiffness=8.0, limit=1.0)
    slow = swings(law, noise=0.02, seed=1)  # one hertz
    fast = [ss.Loop(loop.u, loop.f, loop.t / 5.0, name=loop.name) for loop in swings(law, noise=0.02, seed=2)]
    told = ss.trend([*slow, *fast], ss.Jenkins)
    assert list(told.fits[""]) == pytest.approx([1.0, 5.0], rel=0.01)
    given = ss.trend({5.0: fast, 1.0: slow}, "jenkins")
    assert list(given.fits[""]) == [1.0, 5.0]
    for parameter in ("stiffness", "limit"):
        assert given.line(parameter).value == pytest.approx(told.line(parameter).value, rel=1e-4)
        assert not given.line(parameter).depends


def test_a_law_that_does_not_fit_is_said_beside_its_lines() -> None:
    loops = swings(ss.Jenkins(stiffness=8.0, limit=1.0), noise=0.02)
    found = ss.trend({1.0: loops, 2.0: loops}, ss.Linear)
    assert "does not fit within the noise at 1 Hz, 2 Hz" in found.sentences[-1]


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (3, "needs a list of Loops"),
        ({}, "two frequencies or more, got 0"),
        ({-1.0: []}, "a finite number > 0"),
        ({"set": {True: []}}, 'set "set": a frequency must be'),
        (swings(ss.Jenkins(stiffness=8.0, limit=1.0)), "two frequencies or more, got 1"),
        ([ss.Loop([0, 1, 0, 1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1, 0, 1, 0])], "has no frequency"),
    ],
)
def test_what_has_no_trend_is_refused_in_one_line(groups: object, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words) as refusal:
        ss.trend(groups, ss.Jenkins)
    assert "\n" not in str(refusal.value)


def test_a_wrong_name_is_told_with_what_was_meant(fibres: Trend) -> None:
    with pytest.raises(ss.InvalidInput, match='did you mean "limit"'):
        fibres.line("limt", "set 1")
    with pytest.raises(ss.InvalidInput, match="say which set"):
        fibres.line("limit")


def test_a_sum_is_named_by_its_terms_and_estimates_that_are_not_there_are_refused_in_words() -> None:
    law = ss.Linear(stiffness=1.0) + ss.Jenkins(stiffness=8.0, limit=1.0)
    fixed = {"damping": 0.0, "preload": 0.0}
    found = ss.trend({f: swings(law, amplitudes=(0.5,), samples=201) for f in (1.0, 10.0)}, law, fixed)
    assert found.law == "Linear + Jenkins"
    with pytest.raises(ss.InvalidInput, match="frequency must be one of 1, 10 Hz, got 5"):
        found.estimate("limit", 5.0, "")
    with pytest.raises(ss.InvalidInput, match=r"of must be one of .+, got .+set 1"):
        found.estimate("limit", 1.0, "set 1")


def test_a_frequency_at_which_nothing_slips_tells_no_limit() -> None:
    """At one of two frequencies the loop only sticks: its limit has no line, and a sentence says so."""
    t = np.linspace(0.0, 3.0, 600)
    law = ss.Jenkins(stiffness=1.2e6, limit=600.0)
    rng = np.random.default_rng(1)
    groups = {}
    for hertz, amplitude in ((1.0, 1e-3), (10.0, 2e-4)):
        u = amplitude * np.sin(2.0 * np.pi * t)
        groups[hertz] = [ss.Loop(u, law.trace(u, t / hertz) + rng.normal(0.0, 2.0, t.size), t / hertz)]
    found = ss.trend(groups, ss.Jenkins)
    line = found.line("limit")
    assert np.isnan(line.per_decade)
    assert line.value == pytest.approx(600.0, rel=0.01)
    assert not line.depends
    assert any("limit is determined at fewer than two frequencies" in words for words in found.sentences)
    assert np.isfinite(found.line("stiffness").per_decade)
    assert "nan" not in " ".join(found.sentences)
