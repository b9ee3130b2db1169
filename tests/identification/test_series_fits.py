"""Laws in series, identified from loops."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.search.unknowns import Unknowns

START = ss.Series(
    ss.Freeplay(stiffness=5e6, half_gap=5e-5), ss.Masing(stiffness=2e5, limit=50.0, parallel_stiffness=5e4)
)


def test_parts_of_a_series_count_as_terms():
    law = ss.Linear(stiffness=7.0) + START
    unknowns = Unknowns.of(law)
    assert {"0.stiffness", "1.stiffness", "2.stiffness", "half_gap", "limit"} < set(unknowns.names)
    values = unknowns.values
    values[unknowns.names.index("half_gap")] = 0.3
    values[unknowns.names.index("limit")] = 9.0
    linear, series = (term.law for term in unknowns.law(values).as_terms())
    assert linear == ss.Linear(stiffness=7.0)
    assert [series.of[0].half_gap, series.of[1].limit, series.of[1].stiffness] == [0.3, 9.0, 2e5]


def test_the_gap_in_series_is_found_within_its_noise(made):
    fit = ss.identify(ss.dataset("series-gap"), START, fixed={"0.stiffness": made.CONTACT})
    assert fit.residual < 1.05 * fit.noise
    behind = made.BEHIND_THE_GAP
    true = {
        "half_gap": made.GAP,
        "1.stiffness": behind.stiffness,
        "limit": behind.limit,
        "parallel_stiffness": behind.parallel_stiffness,
        "preload": 0.0,
    }
    assert set(fit.free) == set(true)
    for name, value in true.items():
        assert fit.parameters[name].low <= value <= fit.parameters[name].high, name
    assert fit.parameters["0.damping"].fixed
    assert fit.warnings == ()


def test_a_ranking_prefers_the_series_and_a_file_keeps_it(tmp_path):
    ranking = ss.rank(ss.dataset("series-gap")[1:2], [START, ss.Masing])
    assert isinstance(ranking.best.law, ss.Series)
    ranking.best.save(tmp_path / "fit.nc")
    again = ss.open(tmp_path / "fit.nc")
    u = 1e-3 * np.sin(np.linspace(0.0, 10.0, 50))
    assert again.law.trace(u) == pytest.approx(ranking.best.law.trace(u), rel=1e-12)
