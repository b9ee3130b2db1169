"""A click on a point of the curve shows the orbit at that point."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from models import slider

import slipstick as ss

pytest.importorskip("plotly")
pytest.importorskip("ipywidgets")


@pytest.fixture(scope="module")
def curve() -> ss.Model:
    return slider(ss.Cosine(0.8, order=1), damping=0.05).frequency_response(between=(0.7, 1.6))


def click(trace: Any, index: int) -> None:
    trace._dispatch_on_click(SimpleNamespace(point_inds=[index]), None)


def test_a_click_shows_the_orbit_of_that_point(curve: Any) -> None:
    explorer = curve.explore("x")
    line = explorer.figure.data[0]
    click(line, 3)
    assert explorer.point == line.customdata[3]
    assert explorer.orbit.frequency == pytest.approx(curve.points[explorer.point].frequency, rel=1e-9)
    marker = explorer.figure.data[-1]
    assert (marker.x[0], marker.y[0]) == (line.x[3], line.y[3])
    assert explorer.widget.children[1].value.count("<img") == 1


def test_it_opens_at_the_peak_and_shows_special_points(curve: Any) -> None:
    explorer = curve.explore()
    assert explorer.point == int(np.argmax(curve.data["amplitude"].sel(coordinate="x").values))
    names = {trace.name for trace in explorer.figure.data}
    assert {special["kind"] for special in curve.special} <= names


def test_quantities_of_connections_are_explored_by_name(curve: Any) -> None:
    explorer = curve.explore("slider", quantity="stick_share")
    assert "stick of slider [%]" in explorer.figure.layout.yaxis.title.text


def test_a_curve_without_its_solver_says_so_instead_of_an_orbit(curve: Any) -> None:
    bare = type(curve)(curve.findings, None, curve.stats, curve.names)
    explorer = bare.explore()
    assert explorer.orbit is None
    assert "no orbit at point" in explorer.widget.children[1].value


def test_unknown_names_and_missing_packages_are_one_line(curve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ss.InvalidInput, match="no coordinate 'y'"):
        curve.explore("y")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ss.InvalidInput, match=r"slipstick\[notebook\]"):
        curve.explore()
