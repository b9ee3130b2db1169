"""The clutch paper's figures: errors of the rounded laws, counts of Table 2, the residual of both solvers."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.papers.clutch import motions, solvers


@pytest.mark.parametrize(("figure", "root", "tanh"), [(2, 1.249925e-5, 1.159805e-3), (3, 1.99990e-5, 1.392323e-3)])
def test_rounded_springs_are_as_far_from_the_exact_ones_as_computed_apart(figure, root, tanh):
    data = ss.paper("clutch", figure).data
    for name, over, expected in (("square_root", "rounding", root), ("tanh", "sharpness", tanh)):
        last = data[name].isel({over: -1})
        assert float(np.abs(last - data["exact"]).max()) == pytest.approx(expected, rel=2e-3)


def test_the_clearance_of_tanh_is_not_monotone():
    data = ss.paper("clutch", 3).data
    slope = np.gradient(data["tanh"].sel(sharpness=100.0).values, data["x"].values)
    assert slope.min() == pytest.approx(-0.0998, abs=2e-4)


def test_the_square_root_torque_is_farther_from_a_sign_than_that_of_tanh():
    data = ss.paper("clutch", 4).data
    areas = [
        float(np.trapezoid(np.abs(data[name].isel({over: -1}) - data["exact"]), data["x"]))
        for name, over in (("square_root", "rounding"), ("tanh", "sharpness"))
    ]
    assert areas == pytest.approx([28.0, 9.70], rel=2e-3)


def test_the_solvers_leave_less_than_the_paper_asks(monkeypatch):
    monkeypatch.setattr(solvers, "UNTIL", 0.004)
    data = ss.paper("clutch", 8).data
    assert float(data["residual"].max()) <= 1e-4
    assert float(np.abs(data["delta1"][0] - data["delta1"][1]).max()) <= 1e-12


def test_a_wrong_motion_leaves_more(monkeypatch):
    """The residual is that of the equations: a run of another clamp force does not have it."""
    monkeypatch.setattr(solvers, "UNTIL", 0.0004)
    steps = np.arange(0, 900, 100)
    m, other = ss.systems.clutch("paper"), ss.systems.clutch("paper", mean_torque=301.0)
    times = np.unique(np.concatenate((steps, steps + 1))) * solvers.STEP
    run = other.simulate(0.0004, method="newmark", step=solvers.STEP, samples=times)
    assert solvers._left(m, run, steps).max() > 0.5


@pytest.mark.long
def test_table_2_counts():
    data = ss.paper("clutch", "table 2").data
    assert data["factorisations"].values == pytest.approx([568, 537, 520, 489, 443, 404], abs=1)


def test_the_spline_is_out_of_contact_while_the_angle_is_within_the_gap():
    import xarray

    delta = np.zeros((1, 5, 4))
    delta[0, 4] = [0.1, 0.3, -0.25, -0.1]
    data = xarray.Dataset(
        {"delta": (("laws", "angle", "time"), delta)}, coords={"laws": ["sqrt"], "angle": range(1, 6)}
    )
    assert motions._free(data, "sqrt") == pytest.approx(0.5 * motions.UNTIL)
