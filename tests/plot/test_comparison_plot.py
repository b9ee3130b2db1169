"""A comparison of a primary with its reduced model, as a table and as a picture; equations with all cases."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss


def chain() -> ss.Model:
    m = ss.Model("chain")
    x, y, z = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1e-2), m.coordinate("z", inertia=2.0)
    for a, b, name in ((x, y, "one"), (y, z, "two")):
        m.connect(a - b, ss.Linear(stiffness=100.0, damping=1.0), name=name)
    m.connect(z, ss.DryFriction(limit=0.5), name="ground")
    m.load(x, ss.Cosine(3.0, frequency=2.0))
    return m


def test_the_table_and_the_picture_show_differences_that_fall_in_proportion() -> None:
    found = chain().reduce(massless=["y"]).compare(until=1.0, scales=(1.0, 0.1, 0.01))
    assert np.asarray(found.orders) == pytest.approx(1.0, abs=0.2)
    lines = str(found).splitlines()  # what it is, names, their units, then a line for each scale
    assert [float(line.split()[0]) for line in lines[3:6]] == [1.0, 0.1, 0.01]
    axes = found.plot().axes[0]
    drawn = {line.get_label(): line for line in axes.lines}
    assert {"x", "z", "in proportion"} <= set(drawn)
    x, y = (np.asarray(data, dtype=float) for data in drawn["x"].get_data())
    assert x.tolist() == [1.0, 0.1, 0.01]
    assert y == pytest.approx(found.relative[:, found.coordinates.index("x")])
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_all_cases_of_friction_are_in_latex_and_markdown_where_they_are_asked_for() -> None:
    m = ss.Model("block")
    x = m.coordinate("x", inertia=2.0)
    m.connect(x, ss.DryFriction(limit=0.5), name="ground")
    m.load(x, ss.Cosine(1.0, frequency=3.0))
    equations = m.equations()
    for whole, plain in (
        (equations.latex(structure=True), equations.latex()),
        (equations.markdown(structure=True), equations.markdown()),
    ):
        assert r"\begin{cases}" in whole
        assert r"\begin{cases}" not in plain
    assert "At rest" not in equations.markdown(structure=True)
