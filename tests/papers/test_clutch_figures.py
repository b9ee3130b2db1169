"""The clutch paper's figures: errors of the rounded laws, counts of Table 2, the residual of both solvers."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import lambertw

import slipstick as ss
from slipstick.papers import entry
from slipstick.papers.clutch import parameter_table, solver_comparison, transient_responses
from slipstick.papers.entry import EntryRequest


@pytest.mark.parametrize(("figure", "root", "tanh"), [(2, 1.249925e-5, 1.159805e-3), (3, 1.99990e-5, 1.392323e-3)])
def test_rounded_springs_are_as_far_from_the_exact_ones_as_an_independent_computation_says(figure, root, tanh):
    made = ss.paper("clutch", figure)
    for name, over, expected in (("square_root", "rounding", root), ("tanh", "sharpness", tanh)):
        last = made.data[name].isel({over: -1}).squeeze()
        assert float(np.abs(last - made.data["exact"]).max()) == pytest.approx(expected, rel=2e-3)
    assert made.rows[0].why == "the same"


def test_the_clearance_of_tanh_is_not_monotone():
    made = ss.paper("clutch", 3)
    slope = np.gradient(made.data["tanh"].sel(sharpness=100.0).values, made.data["x"].values)
    assert slope.min() == pytest.approx(-0.0998, abs=2e-4)
    assert "not monotone" in made.rows[1].why


def told(figure, begins, **numbers):
    """The numbers in the words of one row."""
    row = next(row for row in ss.paper("clutch", figure, numbers=numbers).rows if row.quantity.startswith(begins))
    return [float(word) for word in re.findall(r"-?[\d.]+(?:e[+-]\d+)?", row.here)]


@pytest.mark.parametrize("sharpness", [300.0, 1e4])
def test_the_error_of_a_sharp_tanh_goes_as_one_over_its_sharpness(sharpness):
    """x (1 - tanh(sigma x)) is y/(e^y + 1)/sigma with y = 2 sigma x, at most where e^y (y - 1) = 1: W(1/e)/sigma."""
    height = float(lambertw(np.exp(-1.0)).real) / sharpness
    assert told(2, "springs", sharpness=sharpness)[1] == pytest.approx(0.5 * (1.0 - 0.167) * height, rel=5e-4)
    assert told(3, "spline", sharpness=sharpness)[1] == pytest.approx(0.5 * height, rel=5e-4)
    # the slope of x tanh x, least where x tanh x = 1
    x = brentq(lambda x: x * np.tanh(x) - 1.0, 0.5, 2.0)
    slope, place = told(3, "tanh clearance", sharpness=sharpness)
    assert slope == pytest.approx(0.5 - 0.5 * (np.tanh(x) + x / np.cosh(x) ** 2), abs=6e-5)
    assert place == pytest.approx(0.2 - x / sharpness, abs=6e-4)


def test_the_error_of_a_blunt_tanh_is_that_at_the_corner():
    assert told(3, "spline", sharpness=0.1)[1] == pytest.approx(0.5 * 0.4 * (1.0 - np.tanh(0.1 * 0.4)), rel=5e-4)
    assert told(3, "tanh clearance", sharpness=0.1)[0] == pytest.approx(1.0 - 2.0 * 0.1 * 0.2, abs=2e-4)  # at rest


@pytest.mark.parametrize("numbers", [{"sharpness": 1e4}, {"sharpness": 0.1}, {"width": 100.0}, {"rounding": 1.0},
                                     {"rounding": 1e-6}])  # fmt: skip
@pytest.mark.parametrize(("figure", "contact", "limit"), [(4, "plate", 350.0), (5, "tangential", 112500.0)])
def test_areas_to_a_sign_are_whole(figure, contact, limit, numbers):
    """Over all rates, by quadrature of the printed formulas; of tanh, 2 T ln(2)/sigma."""
    given = {"sharpness": 50.0, "width": {4: 0.08, 5: 8.0}[figure], "rounding": {4: 1e-3, 5: 1e-2}[figure]} | numbers
    found = told(figure, contact, **numbers)
    assert found[1] == pytest.approx(2.0 * limit * np.log(2.0) / given["sharpness"], rel=5e-4)

    def left(x):  # of 1, at a rate in widths; the difference of the roots without cancellation
        roots = np.hypot(x + 1.0, 2.0 * given["rounding"]), np.hypot(x - 1.0, 2.0 * given["rounding"])
        return 1.0 - 2.0 * x / sum(roots)

    total = quad(left, 0.0, 1.0)[0] + quad(left, 1.0, 2.0)[0] + quad(left, 2.0, np.inf)[0]
    assert found[0] == pytest.approx(2.0 * limit * given["width"] * total, rel=5e-4)


@pytest.mark.parametrize(
    ("figure", "contact", "rounding", "root", "better"),
    # a ramp of half width eps leaves T_s eps, and tanh of sharpness sigma 2 T_s ln(2)/sigma
    [(4, "plate", 1e-3, 350 * 0.08, False), (4, "flywheel", 1e-3, 350 * 0.008, True),
     (5, "tangential", 1e-2, 112500 * 8, False)],
)  # fmt: skip
def test_a_square_root_is_nearer_to_a_sign_than_tanh_where_its_width_is_small(figure, contact, rounding, root, better):
    made = ss.paper("clutch", figure)
    limit = float(made.data["exact"].max())
    lines = made.data["square_root"].sel(contact=contact, rounding=rounding), made.data["tanh"].sel(sharpness=50.0)
    areas = [float(np.trapezoid(np.abs(line - made.data["exact"]), made.data["x"])) for line in lines]
    assert areas == pytest.approx([root, 2.0 * limit * np.log(2.0) / 50.0], rel=4e-3)
    (row,) = (row for row in made.rows if row.quantity.startswith(contact))
    assert (row.why == "the same") is better
    assert f"eta = {rounding:g}" in row.quantity


def test_table_1_has_the_defaults_of_the_system_and_tells_of_one_that_differs(monkeypatch):
    made = ss.paper("clutch", "table 1")
    assert {row.why for row in made.rows if not row.reading} == {"the same"}
    assert float(made.data["spline_half_gap"][0]) == 0.2
    monkeypatch.setattr(parameter_table, "clutch", lambda spline_half_gap=0.25: spline_half_gap)
    monkeypatch.setattr(
        parameter_table, "PRINTED_TABLE", tuple(one for one in parameter_table.PRINTED_TABLE if one.symbols == "b_sc")
    )
    row = ss.paper("clutch", "table 1").rows[0]
    assert row.here == "0.25 rad"
    assert row.why.startswith("NOT EXPLAINED")


def test_the_solvers_leave_less_than_the_paper_asks(monkeypatch):
    monkeypatch.setattr(solver_comparison, "UNTIL", 0.004)
    made = ss.paper("clutch", 8)
    assert float(made.data["residual"].max()) <= 1e-4
    assert float(np.abs(made.data["delta1"][0] - made.data["delta1"][1]).max()) <= 1e-12
    assert [row.why for row in made.rows[2:]] == ["the same", "the same"]
    assert made.certificate.startswith("Taylor: 1 run: error at most")


def test_a_wrong_motion_leaves_more(monkeypatch):
    """The residual is that of the equations: a run under another torque does not have it."""
    monkeypatch.setattr(solver_comparison, "UNTIL", 0.0004)
    steps = np.arange(0, 900, 100)
    m, other = ss.systems.clutch("paper"), ss.systems.clutch("paper", mean_torque=301.0)
    times = np.unique(np.concatenate((steps, steps + 1))) * solver_comparison.STEP
    run = other.simulate(0.0004, method="newmark", step=solver_comparison.STEP, samples=times)
    assert solver_comparison._residual_norms(m, run, steps).max() > 0.5


@pytest.mark.long
def test_table_2_counts():
    data = ss.paper("clutch", "table 2").data
    assert data["factorisations"].values == pytest.approx([568, 537, 520, 489, 443, 404], abs=1)


@pytest.mark.parametrize(("count", "why"), [(520, "the same"), (524, "how branches start"), (700, "NOT EXPLAINED")])
def test_a_count_is_explained_only_where_it_is_near_the_printed_one(count, why):
    run = SimpleNamespace(stats=SimpleNamespace(factorisations=count, solves=1, seconds=0.1), partial="")
    assert solver_comparison._order(14, run).why.startswith(why)


def test_the_spline_is_out_of_contact_while_the_angle_is_within_the_gap():
    import xarray

    delta = np.zeros((1, 5, 4))
    delta[0, 4] = [0.1, 0.3, -0.25, -0.1]
    data = xarray.Dataset(
        {"delta": (("laws", "angle", "time"), delta)}, coords={"laws": ["sqrt"], "angle": range(1, 6)}
    )
    assert transient_responses._free(data, "sqrt", ss.systems.clutch(laws="exact")) == pytest.approx(
        0.5 * transient_responses.UNTIL
    )


def test_angles_and_actions_of_a_reading_are_of_one_computation(monkeypatch):
    monkeypatch.setattr(transient_responses, "UNTIL", 0.002)
    for suffix in ("", "-consistent"):
        angles, actions = (entry("clutch", f"{label}{suffix}") for label in (6, 7))
        assert angles.compute is actions.compute
    content = angles.compute(EntryRequest())
    assert content.method.startswith("reading consistent")
    starts = [{row.quantity.split()[0] for row in one.of(content, 0.0).rows} for one in (angles, actions)]
    assert starts == [{"factorisations,", "spline", "largest"}, {"tanh", "plate"}]
    data = content.data
    for action, angle in (("springs", 4), ("spline", 5)):
        assert np.array_equal(data["over"].sel(action=action), data["delta"].sel(angle=angle))
    # of each action over its deflection or rate the law of Table 1
    spline = data.sel(laws="exact", action="spline")
    force = 3e5 * np.sign(spline["over"]) * np.maximum(np.abs(spline["over"]) - 0.2, 0.0)
    assert spline["force"].values == pytest.approx(force.values, abs=1e-6)
    plate = data.sel(laws="tanh", action="plate")
    assert plate["force"].values == pytest.approx(350.0 * np.tanh(50.0 * plate["over"]).values, abs=1e-6)
    assert "exact laws: 1 run" in content.certificate
