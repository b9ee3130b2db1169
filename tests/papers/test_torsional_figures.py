"""The torsional paper's figures: independent numbers at their points, and Den Hartog's boundary by two methods."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib import pyplot as plt

import slipstick as ss
from slipstick.papers.torsional import (
    additional_figures,
    four_harmonic_load,
    load_responses,
    method_comparison,
)


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(load_responses, "FREQUENCIES", np.array([0.4, 0.9, 1.0, 1.1, 1.6, 1.9, 2.0]))
    for module in (load_responses, method_comparison):
        monkeypatch.setattr(module, "COMPARISON_FREQUENCIES", np.array([1.0, 1.6]))


@pytest.mark.usefixtures("few")
def test_orders_have_the_rms_of_independent_computations():
    rms = ss.paper("torsional", 3).data["rms"]
    expected = {0.0: (0.846091092, 2.571123814), 0.5: (0.777744451, 2.583815963), 2.0: (0.592788117, 2.785991067)}
    for order, values in expected.items():
        assert rms.sel(order=order, frequency=[0.4, 1.0]).values == pytest.approx(values, abs=6e-10)


@pytest.mark.usefixtures("few")
def test_three_methods_are_on_one_picture_and_agree():
    made = ss.paper("torsional", 3)
    expected = {0.0: (2.571123814, 0.283681475), 0.5: (2.583815963, 0.363640260), 2.0: (2.785991067, 0.304648727)}
    for order, values in expected.items():
        assert made.data["rms_runs"].sel(order=order).values == pytest.approx(values, abs=1e-7)
        assert made.data["rms_balance"].sel(order=order).values == pytest.approx(values, abs=0.02)  # 21 harmonics
    labels = [text.get_text() for text in made.plot().axes[0].get_legend().get_texts()]
    assert labels[-2:] == ["harmonic balance, 21 harmonics", "runs"]
    assert "shooting: 28 points" in made.certificate
    plt.close("all")


def test_spans_end_between_the_points_and_say_on_which_side_they_lie():
    x = np.linspace(0.0, 3.0, 31)
    y = (x - 0.52) * (x - 2.03)
    (first, second) = load_responses.positive_intervals(x, y)
    assert (first[0], second[1]) == (None, None)
    assert [first[1], second[0]] == pytest.approx([0.52, 2.03], abs=2e-3)
    assert load_responses.positive_intervals(x, -y) == [(first[1], second[0])]
    assert load_responses.positive_intervals(x, 1.0 + x) == [(None, None)]
    assert [load_responses.intervals_text(load_responses.positive_intervals(x, sign * y)) for sign in (1.0, -1.0)] == [
        f"below {first[1]:.3f} and above {second[0]:.3f}", f"between {first[1]:.3f} and {second[0]:.3f}"
    ]  # fmt: skip
    assert (
        load_responses.intervals_text(load_responses.positive_intervals(x, 1e-9 * np.sin(40.0 * x))) == "nowhere"
    )  # rounding does not cross
    flat = np.where(x > 1.95, x - 2.0, 1e-12)  # from 2 on
    assert load_responses.positive_intervals(x, flat) == [(pytest.approx(2.0), None)]


def rows_of(label, **numbers):
    return {row.quantity: row.here for row in ss.paper("torsional", label, numbers=numbers).rows}


@pytest.mark.usefixtures("few")
def test_words_about_the_orders_are_those_of_the_curves():
    made = ss.paper("torsional", 3, numbers={"phase": 1.0})
    rms = {n: made.data["rms"].sel(order=n).values for n in load_responses.ORDERS}
    assert not np.any(rms[1.0] > np.max([rms[n] for n in (0.0, 0.5, 2.0)], axis=0))
    assert not np.any(rms[2.0] < rms[0.0])
    rows = {row.quantity: row.here for row in made.rows}
    assert rows["n = 1 is the highest of all"] == "nowhere"
    assert rows["n = 2 lies below n = 0"] == "nowhere"


@pytest.mark.usefixtures("few")
def test_a_constant_load_has_no_crossings_of_rounding():
    rows = rows_of(3, swing=0.0)
    assert rows["n = 1 is the highest of all"] == rows["n = 2 lies below n = 0"] == "nowhere"


@pytest.fixture
def held(monkeypatch):
    """N >= |sin| all the time; frequencies at which balance takes no time."""
    for module in (load_responses, method_comparison):
        monkeypatch.setattr(module, "COMPARISON_FREQUENCIES", np.array([2.0]))
    monkeypatch.setattr(additional_figures, "FREQUENCIES", np.array([0.4, 1.0, 2.0]))
    for name in ("SHOOTING_FREQUENCIES", "COMPARISON_FREQUENCIES"):
        monkeypatch.setattr(four_harmonic_load, name, np.array([1.0, 1.6]))


@pytest.mark.usefixtures("few", "held")
@pytest.mark.parametrize(
    ("label", "numbers", "names"),
    [
        ("3", {"mean": 1.5}, ["n = 0", "n = 0.5", "n = 1", "n = 2"]),
        ("4a", {"mean": 1.5}, [f"phi = {phi:g}" for phi in load_responses.PHASES]),
        ("4b", {"mean": 1.5}, [f"phi = {phi:g}" for phi in load_responses.PHASES]),
        ("4b", {"mean": 1.2}, [f"phi = {phi:g}" for phi in load_responses.PHASES]),
        ("zeta", {"mean": 1.5}, [f"zeta = {ratio:g}" for ratio in additional_figures.DAMPING_RATIOS]),
        ("2", {"d0": 2.0}, ["varying load", "constant load"]),
    ],
)
def test_what_friction_holds_is_at_rest(label, numbers, names):
    made = ss.paper("torsional", label, numbers=numbers)
    rows = [row for row in made.rows if row.quantity.startswith("rest")]
    assert [row.quantity for row in rows] == [f"rest, {name}" for name in names]
    assert all(row.here.startswith("nothing moves at any frequency") for row in rows)
    assert not any("nan" in row.here for row in made.rows)
    sizes = [name for name in made.data.data_vars if name.startswith(("rms", "varying", "constant", "balance", "runs"))]
    for name in set(sizes) - {"balance_error"}:
        assert np.all(made.data[name].values == 0.0), name
    lags = [name for name in made.data.data_vars if name.startswith("lag")]
    assert all(np.isnan(made.data[name].values).all() for name in lags)
    plt.close(made.plot())


@pytest.mark.usefixtures("few", "held")
def test_only_what_is_held_is_at_rest():
    """Some phases of the load hold the torque, others do not."""
    made = ss.paper("torsional", "4a", numbers={"mean": 1.02})
    turn = np.linspace(0.0, 2.0 * np.pi, 100_001)
    seen = set()
    for phi in load_responses.PHASES:
        load = 1.02 + 0.3 * np.sin(turn + math.radians(phi))
        # a place is held if |sin - place| <= N all the time: there is one if the bounds leave one
        is_held = np.max(np.sin(turn) - load) <= np.min(np.sin(turn) + load)
        seen.add(bool(is_held))
        assert (f"rest, phi = {phi:g}" in [row.quantity for row in made.rows]) == is_held
        assert np.all((made.data["rms"].sel(phase=phi).values == 0.0) == is_held)
    assert seen == {True, False}


def test_a_method_that_is_off_is_not_called_a_match():
    exact = np.array([1.0, 2.0])
    rows = method_comparison.agreement(exact, {"runs": exact + 0.1, "balance": exact + 0.1}, "an excellent match")
    assert [row.why for row in rows] == ["NOT EXPLAINED", method_comparison.SLOW_CONVERGENCE_REASON]
    assert method_comparison.agreement(exact, {"runs": exact + 1e-3})[0].why == "agrees within 1% of the peak"


@pytest.mark.usefixtures("few")
def test_phases_have_the_rms_of_independent_computations():
    rms = ss.paper("torsional", "4a").data["rms"]
    assert rms.sel(phase=60.0, frequency=[0.4, 1.0, 1.6]).values == pytest.approx(
        (0.862961077, 2.581852579, 0.257690192), abs=6e-10
    )


def test_the_lag_is_that_of_a_linear_oscillator_where_friction_vanishes():
    for frequency in (0.3, 0.9, 1.4):
        orbit = ss.systems.torsional(mean=1e-9, swing=0.0).periodic(frequency=frequency)
        expected = math.atan2(2 * 0.05 * frequency, 1 - frequency**2)
        assert method_comparison.phase_lag(orbit) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("zeta", "limit", "frequency", "amplitude"), [(0.0, 0.5, 0.8, 2.332234987541), (0.1, 0.5, 1.5, 0.434423245267)]
)
def test_den_hartogs_closed_form(zeta, limit, frequency, amplitude):
    found, push = additional_figures.nonstop_motion(zeta, limit, frequency)
    assert found == pytest.approx(amplitude, abs=1e-11)
    assert push > 0.0


@pytest.mark.parametrize("frequency", [0.45, 0.9, 1.5])
def test_orbits_begin_to_stop_at_den_hartogs_boundary(frequency):
    assert additional_figures.orbit_stick_limit(0.05, frequency) == pytest.approx(
        additional_figures.den_hartog_limit(0.05, frequency), abs=2e-7
    )


def test_the_clipped_load_has_the_rms_of_an_independent_computation():
    assert four_harmonic_load.model().periodic(frequency=1.0).rms["theta"] == pytest.approx(0.7816169284, abs=6e-10)


@pytest.mark.usefixtures("few")
def test_a_load_of_other_numbers_that_is_cut_off_is_warned_of():
    with pytest.warns(UserWarning, match="limit is negative"):
        ss.paper("torsional", "2", numbers={"d0": 0.0})
