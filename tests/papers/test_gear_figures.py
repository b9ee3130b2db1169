"""The gear paper's figures: the block's instants, the simplifications, the rattle from both ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray
from matplotlib import pyplot as plt

import slipstick as ss
from slipstick.papers.comparison_rows import UNEXPLAINED_TEXT
from slipstick.papers.gear import characteristics, rattle, simplifications
from slipstick.papers.gear.figure_parameters import LOADED


def first_rest(limit):
    """Slip: sin t = F. Rest: where cos(t1) - cos t = F (t - t1), by bisection; and the way to there."""
    begin = np.arcsin(limit)
    low, high = 2.0, 2.0 * np.pi
    for _ in range(80):
        t = 0.5 * (low + high)
        low, high = (t, high) if np.cos(begin) - np.cos(t) - limit * (t - begin) > 0.0 else (low, t)
    path = np.cos(begin) * (low - begin) - np.sin(low) + np.sin(begin) - 0.5 * limit * (low - begin) ** 2
    return begin, low, path


def test_the_block_under_a_sine_slips_and_sticks_when_independent_numbers_say():
    expected = first_rest(0.6)
    assert characteristics.first_slip(characteristics._under_sine({"limit": 0.6})) == (
        *(pytest.approx(value, abs=1e-12) for value in expected),
        True,
    )
    told = [float(text) for text in (characteristics.SLIP, characteristics.STICK, characteristics.PLACE)]
    assert told == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("limit", [0.02, 0.3, 0.5, 0.7, 0.9])
def test_a_block_with_little_friction_turns_back_where_it_comes_to_rest(limit):
    """It sticks only if the force there, |sin t|, is one that friction can hold."""
    begin, end, path = first_rest(limit)
    rows = ss.paper("gear", 8, numbers={"limit": limit}).rows[-3:]
    assert [float(row.here.split()[0]) for row in rows] == pytest.approx([begin, end, path], abs=1e-12)
    sticks = abs(np.sin(end)) <= limit
    assert rows[1].quantity == ("and sticks at" if sticks else "and turns back, without sticking, at")


def test_projections_are_drawn_beyond_the_corners_of_luz():
    made = ss.paper("gear", 1, numbers={"a": 3.0})
    x = made.data["x"].values
    assert made.data["luz"].values == pytest.approx(np.sign(x) * np.maximum(np.abs(x) - 3.0, 0.0), abs=1e-15)
    assert x[-1] == pytest.approx(3.0 * 3.0)
    figure = made.plot()
    assert [ax.get_xlabel() for ax in figure.axes] == ["x", "x"]  # not in units of a: they are not divided by it
    plt.close(figure)


def test_friction_at_rest_follows_the_rule():
    made = ss.paper("gear", 8)
    pull = made.data["force"].values
    assert made.data["friction"].values == pytest.approx(np.clip(pull, -0.6, 0.6), abs=1e-14)
    moves = np.where(np.abs(pull) > 0.6 + 1e-9, pull - 0.6 * np.sign(pull), 0.0)
    assert made.data["rate_after"].values == pytest.approx(0.1 * moves, abs=1e-14)
    assert made.certificate.startswith("62 runs: error at most")
    assert not any(UNEXPLAINED_TEXT in row.why for row in made.rows)


def test_a_block_with_another_limit_is_not_called_the_same(monkeypatch):
    right = characteristics._block

    def wrong(numbers, **given):
        return right({**numbers, "limit": 0.61}, **given)

    monkeypatch.setattr(characteristics, "_block", wrong)
    for label in (7, 8):
        rows = [row for row in ss.paper("gear", label).rows if not row.reading]
        wanted = [row for row in rows if row.quantity != "it moves off at |F| = F_T0"]
        assert all(UNEXPLAINED_TEXT in row.why for row in wanted)


def test_a_run_that_fails_is_reported_in_the_certificate(monkeypatch):
    right = characteristics._under_sine

    def doubtful(numbers):
        run = right(numbers)
        run.__dict__["certificate"] = replace(run.certificate, failures=("an event was missed",))
        return run

    monkeypatch.setattr(characteristics, "_under_sine", doubtful)
    assert ss.paper("gear", 8).certificate.startswith("FAILED, 1 of 62 runs: an event was missed")


def test_the_merged_spring_has_the_formula_of_the_paper_and_the_sum_of_the_gaps():
    whole = simplifications.primary_train()
    rows = {row.quantity: row for row in simplifications._merged(whole)}
    assert rows["Simplification 2, stiffness"].why == "the same"
    assert float(rows["Simplification 2, stiffness"].here.split()[0]) == pytest.approx(
        1.0 / (1.0 / 40.0 + 1.0 / (1e5 * 0.04**2) + 2.0**2 / 120.0), rel=1e-5
    )
    assert float(rows["Simplification 2, half gap"].here.split()[0]) == pytest.approx(0.02 + 4e-4 / 0.04 + 2 * 0.02)
    assert "gaps in series add" in rows["Simplification 2, half gap"].why


def test_the_simplifications_are_reached_in_proportion():
    made = ss.paper("gear", "convergence")
    for name, over in (("to_first", "inertia"), ("to_second", "friction")):
        falls = made.data[name].values[1:-1] / made.data[name].values[2:]
        sizes = made.data[over].values[1:-1] / made.data[over].values[2:]
        assert np.log(falls) / np.log(sizes) == pytest.approx(1.0, abs=0.2)
    assert made.certificate.startswith("16 runs: error at most")
    assert [row.why for row in made.rows[:2]] == ["the same", "the same"]


def test_wheels_that_lose_their_friction_first_are_refused():
    assert simplifications._friction_first()


@pytest.mark.long
def test_the_train_rattles_on_one_curve_from_both_ends():
    m = rattle.loaded_train(0.4)
    folds = []
    for between in (rattle.BETWEEN, rattle.BETWEEN[::-1]):
        curve = m.frequency_response(between=between, method="shooting")
        folds.append(sorted(one["frequency"] for one in curve.special if one["kind"] == "fold"))
    assert len(folds[0]) == 4
    assert folds[0] == pytest.approx(folds[1], abs=1e-4)


@pytest.mark.parametrize(
    ("torque", "words"), [([1.0, 2.0], "stay"), ([0.0, 2.0], "one flank"), ([-1.0, 0.0, 2.0], "both flanks")]
)
def test_what_the_teeth_do_is_read_from_their_torque(torque, words):
    class Orbit:
        data = xarray.Dataset({"force": (("time", "connection"), np.array(torque)[:, None])}).assign_coords(
            connection=["psi-phi"]
        )

    assert words in rattle.tooth_contact(Orbit)


def test_a_lightly_shaken_train_stays_in_contact():
    assert rattle.tooth_contact(rattle.loaded_train(0.02).periodic(frequency=15.0)) == "teeth stay in contact"


@pytest.mark.parametrize("name", ["input_half_gap", "tooth_half_gap", "output_half_gap", "limit_psi", "limit_phi"])
def test_the_levels_of_a_train_without_one_of_its_gaps_or_frictions_are_made(name):
    assert f"{name} 0 " in ss.paper("gear", "levels", numbers={name: 0.0}).changed


def test_a_bearing_that_would_hold_the_train_is_refused_before_anything_is_computed(refused):
    for name in ("limit_psi", "limit_phi"):
        with refused(f"gear, rattle: {name} must be between 0 N m and", "got 0.5"):
            ss.paper("gear", "rattle", numbers={name: 0.5})
    assert max(knob.high for knob in LOADED if knob.name == "limit_psi") < min(rattle.AMPLITUDES)


@pytest.mark.long
@pytest.mark.parametrize("name", ["limit_psi", "limit_phi"])
def test_with_the_most_friction_that_is_taken_the_train_moves_and_is_drawn(name):
    (high,) = (knob.high for knob in LOADED if knob.name == name)
    made = ss.paper("gear", "rattle", numbers={name: high})
    for i in range(len(rattle.AMPLITUDES)):
        sizes = np.fmax(made.data[f"stable{i}"], made.data[f"unstable{i}"])
        assert np.all(sizes > 0.0)
    plt.close(made.plot())
