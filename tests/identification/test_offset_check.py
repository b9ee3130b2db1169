"""Laws without a constant force, on loops that are not about zero: why they fit badly is said, and what to do."""

from __future__ import annotations

import re

import numpy as np
import pytest

import slipstick as ss
from slipstick.app.identify.page_messages import IDENTIFY
from slipstick.report.fit_report import ranking_page
from slipstick.study.command_messages import COMMAND

T = np.linspace(0.0, 2.25, 300)
U = 8e-4 * np.sin(2.0 * np.pi * T)
LAW = ss.Jenkins(stiffness=4e5, limit=120.0)


def loop(deflection: float = 0.0, force: float = 0.0) -> ss.Loop:
    noise = np.random.default_rng(0).normal(0.0, 1.0, T.size)
    return ss.Loop(U + deflection, LAW.trace(U, T) + force + noise, T, name="rig")


def test_a_law_without_a_constant_force_says_that_an_offset_is_why_it_does_not_fit():
    (words, *_) = ss.identify(loop(force=60.0), "jenkins").warnings
    # a newton of noise beside an offset of 60 N
    middle = r"the law has no constant force, and the middle of rig is at (60|60\.1|59\.9) N"
    assert re.match(f"{middle}: centred at zero, the residual is 1\\.7 %", words), words
    assert "use loop.without_offset(), or take a law with a free preload" in words
    assert "use --remove-offset, or take a law with a free preload" in COMMAND.message(words)
    there = ss.identify(loop(force=60.0).without_offset(), "jenkins")  # the way out leads somewhere
    assert there.within_noise
    assert not any("constant force" in words for words in there.warnings)


def test_an_offset_is_not_blamed_where_it_is_not_the_reason():
    spring = ss.Polynomial(coefficients=(0.0, 1e5, 0.0, 1e12))
    off = loop(force=1.2)
    other = ss.Loop(off.u, spring.trace(off.u, T) + 60.0 * np.sign(np.gradient(off.u)) + 20.0, T, name="rig")
    for fit in (ss.identify(other, "jenkins"), ss.identify(loop(force=60.0), "masing"), ss.identify(off, "dahl")):
        assert not any("constant force" in words for words in fit.warnings), fit


def test_a_preload_that_is_held_at_zero_is_as_good_as_none():
    fit = ss.identify(loop(force=60.0), "masing", fixed={"preload": 0.0, "damping": 0.0})
    assert "free preload" in fit.warnings[0]


@pytest.fixture(scope="module")
def ranking() -> ss.Ranking:
    return ss.rank(loop(force=60.0), ["masing", "jenkins"])


def test_a_ranking_says_which_laws_are_behind_for_an_offset_alone(ranking):
    (words,) = ranking.remarks
    assert words.startswith("jenkins has no constant force, and the loops are not centred at zero")
    assert str(ranking).endswith(words)
    assert "jenkins has no constant force" in ranking_page(ranking, "rig", b"<svg></svg>")
    assert (
        'tick "remove the offset" under "signs, drift, offset, holes", or take a law with a free preload'
        in IDENTIFY.message(words)
    )
    assert ss.rank(loop(), ["masing", "jenkins"]).remarks == ()
