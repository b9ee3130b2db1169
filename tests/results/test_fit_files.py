"""Fits in files: what was identified comes back, can be looked at and drawn from."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import Advice, Message
from slipstick.results.fit import RuleValue, RuleValues
from slipstick.results.result_notes import decode_message
from slipstick.results.tolerances import WITHIN_NOISE_RATIO

TRUE = ss.Masing(stiffness=8e5, limit=250.0, parallel_stiffness=1e5)


def measured(law=TRUE, amplitude=1e-3, noise=4.0, seed=1, name="joint", scale=1.0):
    t = np.linspace(0.0, 3.0, 900)
    u = amplitude * np.sin(2.0 * np.pi * t)
    force = law.trace(u, t) + np.random.default_rng(seed).normal(0.0, noise, t.size)
    return ss.Loop(u, scale * force, t, name=name)


@pytest.fixture(scope="module")
def fit():
    return ss.identify([measured(), measured(amplitude=6e-4, seed=2, name="small")], ss.Masing, fixed={"damping": 0.0})


@pytest.fixture(scope="module")
def again(fit, tmp_path_factory):
    path = tmp_path_factory.mktemp("fits") / "joint.nc"
    fit.save(path)
    return ss.open(path)


def test_a_fit_comes_back_as_it_was(fit, again):
    assert again.law == fit.law
    assert repr(again.parameters) == repr(fit.parameters)
    assert repr(again.derived) == repr(fit.derived)  # with what is not a number
    assert (again.free, again.warnings, again.notes) == (fit.free, fit.warnings, fit.notes)
    assert [note.parts for note in again.notes] == [note.parts for note in fit.notes]
    assert (again.residual, again.noise, again.converged) == (fit.residual, fit.noise, fit.converged)
    np.testing.assert_array_equal(again.correlation, fit.correlation)
    assert repr(again) == repr(fit)


def test_its_loops_come_back_sample_by_sample(fit, again):
    assert [loop.name for loop in again.loops] == ["joint", "small"]
    for own, other in zip(again.loops, fit.loops, strict=True):
        for key in ("u", "f", "fitted", "counts"):
            np.testing.assert_array_equal(getattr(own, key), getattr(other, key))
        assert (own.rms, own.energy_error, own.beginning) == (other.rms, other.energy_error, other.beginning)
    assert again.within_noise is fit.within_noise


def test_laws_are_drawn_from_a_file_as_from_the_fit(fit, again):
    assert again.sample(5, seed=3) == fit.sample(5, seed=3)


def test_laws_that_are_drawn_spread_as_the_intervals_say(again):
    limits = np.array([law.limit for law in again.sample(2000)])
    own = again.parameters["limit"]
    assert abs(limits.mean() - own.value) < 4.0 * own.deviation / np.sqrt(2000)
    assert limits.std() == pytest.approx(own.deviation, rel=0.1)
    assert all(law.damping == 0.0 for law in again.sample(3))  # it was fixed


def test_a_fit_from_a_file_is_drawn(again):
    assert len(again.plot().axes) >= 2


def test_its_data_are_the_loops_one_after_the_other(fit):
    data = fit.data
    assert data.sizes["sample"] == sum(loop.u.size for loop in fit.loops)
    np.testing.assert_array_equal(data["force"].values[data["loop"].values == 1], fit.loops[1].f)
    assert float(data["value"].sel(parameter="limit")) == fit.parameters["limit"].value


def test_a_sum_comes_back_with_its_terms(tmp_path):
    template = ss.Polynomial(coefficients=(0.0, 1e5)) + ss.Jenkins(stiffness=7e5, limit=200.0)
    fit = ss.identify(measured(), template)
    fit.save(tmp_path / "sum.nc")
    again = ss.open(tmp_path / "sum.nc")
    assert again.law == fit.law
    assert again.kind == "Polynomial + Jenkins"
    assert again.sample(2) == fit.sample(2)


def test_a_law_of_somebodys_own_is_not_in_the_file_and_that_is_said(tmp_path):
    class Own(ss.Jenkins):
        """A slider by another name."""

    fit = ss.identify(measured(ss.Jenkins(stiffness=8e5, limit=250.0)), Own(stiffness=7e5, limit=200.0))
    fit.save(tmp_path / "own.nc")
    again = ss.open(tmp_path / "own.nc")
    assert again.law is None
    assert repr(again.parameters) == repr(fit.parameters)
    with pytest.raises(ss.InvalidInput, match="is not in its file, so no laws can be drawn"):
        again.sample(1)


def test_numbers_by_rules_and_why_others_do_not_apply_come_back(fit, tmp_path):
    refusal = Message("damping: there are no times", advice=[Advice("{times}")])
    warning = Message("damping is negative", advice=[Advice("fix it, with {fixed}", fixed={"damping": 0})])
    with_rules = replace(fit, rules=RuleValues({"limit": RuleValue(249.0, "masing")}, (refusal,)), warnings=(warning,))
    with_rules.save(tmp_path / "rules.nc")
    again = ss.open(tmp_path / "rules.nc")
    assert again.rules == {"limit": RuleValue(249.0, "masing")}
    assert [note.parts for note in again.rules.refusals] == [refusal.parts]
    assert [words.parts for words in again.warnings] == [warning.parts]


def test_notes_of_older_files_have_a_wording_for_commands():
    old = decode_message(["the force drifts", "loop.csv", "the force drifts: use --remove-drift"])
    assert str(old) == "loop.csv: the force drifts"
    assert old.parts.advice == ()


def test_a_profile_needs_the_search_again(again):
    with pytest.raises(ss.InvalidInput, match="no profiles; identify the law again"):
        again.profile("limit")


def test_an_unknown_suffix_is_refused_with_the_known_ones(fit, tmp_path):
    with pytest.raises(ss.FileError, match=r"a fit is saved as \.nc, \.csv, .*, got \.doc"):
        fit.save(tmp_path / "fit.doc")


def test_a_damaged_file_is_refused_in_one_line(fit, tmp_path):
    path = tmp_path / "fit.nc"
    fit.save(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ss.FileError, match="damaged"):
            ss.open(path)


def test_the_file_tells_whether_the_law_fits(tmp_path):
    wrong = ss.identify(measured(ss.BoucWen(stiffness=9e5, ratio=0.1, beta=3e3, gamma=1e3), noise=1.0), ss.Jenkins)
    wrong.save(tmp_path / "wrong.nc")
    again = ss.open(tmp_path / "wrong.nc")
    assert not again.within_noise
    assert again.loops[0].rms > WITHIN_NOISE_RATIO * again.loops[0].noise
    assert any("does not fit within the noise" in words for words in again.warnings)
