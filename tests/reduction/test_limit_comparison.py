"""Comparisons of a model with its reduced one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.results.comparison import Comparison
from slipstick.results.run import Names


def two_springs() -> Any:
    m = ss.Model("pair")
    x, node, rest = (
        m.coordinate("x", inertia=1.0),
        m.coordinate("node", inertia=0.01),
        m.coordinate("rest", inertia=1.0),
    )
    m.connect(x - node, ss.Linear(stiffness=10.0), name="one")
    m.connect(x, ss.Linear(damping=0.1), name="damper")
    m.connect(node, ss.Linear(stiffness=20.0), name="two")
    m.connect(rest, ss.Linear(stiffness=1.0), name="apart")
    m.load(x, ss.Cosine(1.0, frequency=2.0))
    return m.reduce(massless=[node])


def made(differences: list[list[float]], sizes: list[float]) -> Comparison:
    names = Names("made", tuple(f"x{i}" for i in range(len(sizes))), ())
    scales = tuple(0.1**i for i in range(len(differences)))
    return Comparison(scales, names, np.array(differences), np.array(sizes), 2.0, ("at 0.1 it failed",))


def test_a_coordinate_that_rests_has_no_share() -> None:
    comparison = made([[0.2, 3e-3, 1e-29], [0.02, 4e-3, 1e-28]], [2.0, 0.0, 1e-31])
    assert comparison.shares == pytest.approx([0.1, 0.01])
    assert np.isnan(comparison.relative[:, 1:]).all()
    assert comparison.orders == pytest.approx((1.0,))


def test_a_run_that_failed_has_no_share_and_is_reported() -> None:
    comparison = made([[np.nan], [0.02]], [2.0])
    assert np.isnan(comparison.shares[0])
    assert comparison.shares[1] == pytest.approx(0.01)
    assert "note: at 0.1 it failed" in repr(comparison)


def test_a_comparison_is_saved_and_opened(tmp_path: Path) -> None:
    comparison = two_springs().compare(2.0, scales=(1.0, 0.1, 0.01))
    comparison.save(tmp_path / "comparison.nc")
    again = ss.open(tmp_path / "comparison.nc")
    assert type(again) is Comparison
    assert repr(again) == repr(comparison)
    assert np.array_equal(again.data["difference"], comparison.data["difference"])
    assert again.orders == comparison.orders


def test_the_figure_has_a_line_for_what_moves_and_one_in_proportion() -> None:
    comparison = two_springs().compare(2.0, scales=(1.0, 0.1, 0.01))
    (axes,) = comparison.plot().axes
    lines = {line.get_label(): line.get_xydata() for line in axes.get_lines()}
    assert set(lines) == {"x", "in proportion"}
    assert lines["x"][:, 1] == pytest.approx(comparison.relative[:, 0])
    assert lines["in proportion"][-1, 1] == pytest.approx(comparison.shares[-1])
    assert lines["in proportion"][0, 1] == pytest.approx(100.0 * comparison.shares[-1])


def test_the_figure_of_runs_that_all_failed_tells_so() -> None:
    (axes,) = made([[np.nan], [np.nan]], [2.0]).plot().axes
    assert [text.get_text() for text in axes.texts] == ["at 0.1 it failed"]


def test_a_primary_model_that_cannot_be_run_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    from slipstick.transient import simulate as room

    red, whole = two_springs(), room.simulate

    def fails(system: ss.Model, *arguments: Any, **options: Any) -> Any:
        if any(c.name == "node" and c.inertia < 5e-4 for c in system.coordinates):
            raise NotConverged("exact: it stopped")
        return whole(system, *arguments, **options)

    monkeypatch.setattr(room, "simulate", fails)
    comparison = red.compare(1.0, scales=(1.0, 0.1, 0.01))
    assert comparison.notes == ("at 0.01 the primary model could not be run to its end: exact: it stopped",)
    assert list(np.isfinite(comparison.shares)) == [True, True, False]
