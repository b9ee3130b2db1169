"""The text of fits, rankings and trends is in the units of the file, as the screens are; their numbers are in SI."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import slipstick as ss

TRUE = ss.Masing(stiffness=8e5, limit=250.0, parallel_stiffness=1e5)


@pytest.fixture
def loops(tmp_path: Path) -> list[ss.Loop]:
    """Two frequencies, in mm and kN, with 2 N of noise."""
    rng, found = np.random.default_rng(3), []
    for hertz in (1.0, 10.0):
        t = np.linspace(0.0, 3.0 / hertz, 301)
        u = 1e-3 * np.sin(2.0 * np.pi * hertz * t)
        table = np.column_stack((t, 1e3 * u, 1e-3 * (TRUE.trace(u, t) + rng.normal(0.0, 2.0, t.size))))
        file = tmp_path / f"{hertz:g}.csv"
        np.savetxt(file, table, delimiter=",", header="t [s],u [mm],F [kN]", comments="")
        found.append(ss.Loop.read_csv(file))
    return found


def test_a_fit_is_told_in_the_units_of_its_file(loops: list[ss.Loop]) -> None:
    fit = ss.identify(loops[0], ss.Masing, fixed={"damping": 0.0, "preload": 0.0})
    lines = {line.split()[0]: line.split() for line in repr(fit).splitlines()[1:]}
    assert "in the units of the file (fit.parameters are in SI)" in repr(fit).splitlines()[0]
    assert (float(lines["stiffness"][1]), lines["stiffness"][2]) == (pytest.approx(0.8, rel=0.02), "kN/mm")
    assert (float(lines["limit"][1]), lines["limit"][2]) == (pytest.approx(0.25, rel=0.02), "kN")
    assert (float(lines["slip_begins"][1]), lines["slip_begins"][2]) == (pytest.approx(0.3125, rel=0.02), "mm")
    assert (float(lines["residual"][1]), lines["residual"][2]) == (pytest.approx(0.002, rel=0.2), "kN")
    assert fit.parameters["limit"].value == pytest.approx(250.0, rel=0.02)
    rule = float(repr(fit).split("limit ")[1].split("by the paper's rule ")[1].split()[0])
    assert rule == pytest.approx(1e-3 * fit.rules["limit"].value, rel=1e-3)


def test_a_loop_without_units_is_told_in_si() -> None:
    u = 1e-3 * np.sin(np.linspace(0.0, 20.0, 301))
    fit = ss.identify(ss.Loop(u, TRUE.trace(u)), ss.Masing)
    assert "units of the file" not in repr(fit)
    assert "stiffness           800000 N/m" in repr(fit)


def test_rankings_and_trends_are_told_in_the_units_of_their_files(loops: list[ss.Loop]) -> None:
    ranking = ss.rank(loops[0], [ss.Masing, ss.Jenkins])
    assert "(residuals in kN)" in repr(ranking).splitlines()[1]
    assert float(repr(ranking).splitlines()[2].split()[2]) == pytest.approx(1e-3 * ranking.best.residual, rel=1e-3)
    trend = ss.trend(loops, ss.Masing, fixed={"damping": 0.0, "preload": 0.0})
    row = next(line for line in repr(trend).splitlines() if line.strip().startswith("limit"))
    assert float(row.split()[1]) == pytest.approx(0.25, rel=0.02)
    assert row.endswith("kN")
