"""Rankings and trends in files: what is opened is what was saved, and laws can be drawn from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import slipstick as ss

TRUE = ss.Jenkins(stiffness=8e5, limit=250.0)
T = np.linspace(0.0, 3.0, 200)


def loop(hertz: float = 1.0, seed: int = 0) -> ss.Loop:
    u = 1e-3 * np.sin(2.0 * np.pi * T)
    force = TRUE.trace(u) + np.random.default_rng(seed).normal(0.0, 2.0, T.size)
    return ss.Loop(u, force, T / hertz, name=f"{hertz:g} Hz")


def test_a_ranking_opens_as_it_was_saved(tmp_path: Path) -> None:
    saved = ss.rank(loop(), ["linear", "jenkins"])
    saved.save(tmp_path / "ranked.nc")
    opened = ss.open(tmp_path / "ranked.nc")
    assert repr(opened) == repr(saved)
    assert opened.data.identical(saved.data)
    assert [row.fit.law for row in opened.table] == [row.fit.law for row in saved.table]
    assert opened.best.sample(3) == saved.best.sample(3)
    assert np.array_equal(opened.best.loops[0].fitted, saved.best.loops[0].fitted)


def test_a_law_without_a_fit_stays_one_in_the_file(tmp_path: Path) -> None:
    many = ss.Iwan(stiffnesses=(3e4,) * 150, limits=tuple(np.linspace(1.0, 20.0, 150)))  # more numbers than samples
    saved = ss.rank(loop(), ["jenkins", many])
    saved.save(tmp_path / "ranked.nc")
    opened = ss.open(tmp_path / "ranked.nc")
    assert opened.table[1].fit is None
    assert opened.table[1].trouble == saved.table[1].trouble
    assert opened.table[1].trouble.parts.advice == saved.table[1].trouble.parts.advice


@pytest.mark.parametrize("named", [False, True])
def test_a_trend_opens_as_it_was_saved(named: bool, tmp_path: Path) -> None:
    loops = [loop(hertz, seed) for seed, hertz in enumerate((1.0, 5.0, 25.0))]
    saved = ss.trend({"new": loops, "worn": loops[1:]} if named else loops, "jenkins")
    saved.save(tmp_path / "trend.nc")
    opened = ss.open(tmp_path / "trend.nc")
    assert repr(opened) == repr(saved)
    assert opened.sets == saved.sets
    assert opened.data.identical(saved.data)
    first = saved.sets[0]
    assert list(opened.fits[first]) == list(saved.fits[first])
    for hertz, fit in saved.fits[first].items():
        assert opened.fits[first][hertz].law == fit.law
        assert opened.fits[first][hertz].sample(2) == fit.sample(2)
    assert opened.line("limit", of=first) == saved.line("limit", of=first)
