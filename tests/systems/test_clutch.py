"""The clutch: its three readings against independent numbers, its laws, its torque."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import slipstick as ss
from slipstick.systems.clutch import PAIRS, SMOOTHING

AT_002 = [3.974800132e-04, 1.646679283e-01, 1.650654083e-01, 1.521704936e-01, 2.028110318e-01]
AT_012 = [4.706222544e-05, 2.642584014e-01, 2.643054636e-01, 1.075145785e-01, 2.010473307e-01]


def deltas(run):
    end = run.data["displacement"].isel(time=-1)
    return np.array([float(end.sel(coordinate=f"theta{a}") - end.sel(coordinate=f"theta{b}")) for a, b in PAIRS])


def test_the_square_root_laws_move_it_as_computed_elsewhere():
    coarse, fine = (
        deltas(ss.systems.clutch().simulate(0.02, method="newmark", step=step, samples=2)) for step in (4e-7, 2e-7)
    )
    assert (4.0 * fine - coarse) / 3.0 == pytest.approx(AT_002, rel=2e-6)


@pytest.mark.long
def test_the_square_root_laws_to_the_end_of_the_papers_run():
    coarse, fine = (
        deltas(ss.systems.clutch().simulate(0.12, method="newmark", step=step, samples=2)) for step in (2e-7, 1e-7)
    )
    assert (4.0 * fine - coarse) / 3.0 == pytest.approx(AT_012, rel=2e-6)


def test_sharper_laws_come_to_the_exact_ones(monkeypatch):
    exact = deltas(ss.systems.clutch(laws="exact").simulate(0.02, samples=2))
    distances = []
    for share in (1.0, 0.1, 0.01):
        for name in SMOOTHING:
            width = None if name in ("springs", "spline") else 0.1 * share
            monkeypatch.setitem(SMOOTHING, name, replace(SMOOTHING[name], rounding=1e-3 * share, width=width))
        run = ss.systems.clutch().simulate(0.02, method="newmark", step=5e-7, samples=2)
        distances.append(np.abs(deltas(run) - exact).max())
    assert distances[1] <= 0.5 * distances[0]
    assert distances[2] <= 0.5 * distances[1]


def test_the_papers_reading_holds_no_third_angle_that_is_the_sum_of_two():
    run = ss.systems.clutch("paper").simulate(0.02, method="newmark", step=4e-6, samples=2)
    end = run.data["displacement"].isel(time=-1)
    d1, d2, d3 = (float(end.sel(coordinate=f"delta{i}")) for i in (1, 2, 3))
    assert abs(d3 - d1 - d2) > 0.1
    assert any("may create energy" in note for note in run.certificate.notes)


def test_as_printed_it_runs_away():
    """-k_d on the diagonal of delta_2: once that slides it grows by exp(sqrt(k_d/(I_2 + I_3)) t)."""
    m = ss.systems.clutch("printed")
    run = m.simulate(0.02, method="newmark", step=1e-6, samples=np.array([0.019, 0.02]))
    before, after = np.abs(run.data["displacement"].sel(coordinate="delta2").values[-2:])
    assert np.log(after / before) == pytest.approx(1e-3 * np.sqrt(8e5 / (12e-3 + 83e-4)), rel=1e-3)
    assert not run.certificate.passed


def test_the_torque_has_the_harmonics_that_are_given():
    m = ss.systems.clutch(torque_amplitudes=(200.0, 50.0), torque_phases=(0.0, 0.5), frequency=100.0)
    torque = next(load.function for load in m.loads if "theta1" in str(load.form))
    t = np.linspace(0.0, 0.1, 7)
    assert torque.at(t, 100.0) == pytest.approx(300.0 + 200.0 * np.cos(100.0 * t) + 50.0 * np.cos(200.0 * t + 0.5))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"reading": "papr"}, ('reading must be one of "consistent", "paper", "printed"', 'did you mean "paper"')),
        ({"laws": None}, ("laws must be one of", "None")),
        ({"inertias": (1.0, 2.0)}, ("inertias are five numbers", "(1.0, 2.0)")),
        ({"masses": 3.0}, ("masses are five numbers", "3.0")),
        ({"torque_amplitudes": (1.0, 2.0)}, ("torque_phases must have one phase for each of the 2",)),
        ({"spline_half_gap": -1.0}, ("half_gap", "-1")),
    ],
)
def test_what_cannot_be_is_said(given, words, refused):
    with refused(*words):
        ss.systems.clutch(**given)
