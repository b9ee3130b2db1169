"""The clutch: its three readings against independent numbers, its laws, its torque."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import slipstick as ss
from slipstick.systems.clutch import ROTOR_PAIRS

AT_002 = [3.974800132e-04, 1.646679283e-01, 1.650654083e-01, 1.521704936e-01, 2.028110318e-01]
AT_012 = [4.706222544e-05, 2.642584014e-01, 2.643054636e-01, 1.075145785e-01, 2.010473307e-01]


def deltas(run):
    end = run.data["displacement"].isel(time=-1)
    return np.array([float(end.sel(coordinate=f"theta{a}") - end.sel(coordinate=f"theta{b}")) for a, b in ROTOR_PAIRS])


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


def test_sharper_laws_come_to_the_exact_ones():
    exact = deltas(ss.systems.clutch(laws="exact").simulate(0.02, samples=2))
    frictions = ("plate", "flywheel", "tangential")
    distances = []
    for share in (1.0, 0.1, 0.01):
        m = ss.systems.clutch(
            rounding=dict.fromkeys(("springs", "spline", *frictions), 0.001 * share),
            width=dict.fromkeys(frictions, 0.1 * share),
        )
        run = m.simulate(0.02, method="newmark", step=5e-7, samples=2)
        distances.append(np.abs(deltas(run) - exact).max())
    assert distances[1] <= 0.5 * distances[0]
    assert distances[2] <= 0.5 * distances[1]


def test_smoothing_is_that_of_section_6_1_where_nothing_else_is_given():
    rounded = ss.systems.clutch(rounding={"spline": 1e-5}, width={"plate": 0.02})
    smooth = ss.systems.clutch(laws="tanh", sharpness={"springs": 300.0})
    for name, rounding, width, sharpness in (
        ("springs", 1e-4, None, 300.0),
        ("spline", 1e-5, None, 100.0),
        ("plate", 1e-3, 0.02, 50.0),
        ("flywheel", 1e-3, 0.008, 50.0),
        ("tangential y", 1e-2, 8.0, 50.0),
    ):
        law = rounded.connection(name).law
        assert (law.rounding, getattr(law, "width", None)) == (rounding, width)
        assert smooth.connection(name).law.sharpness == sharpness


def test_the_torque_has_the_frequency_of_all_cylinders():
    assert ss.systems.clutch().frequency == 120.0
    assert ss.systems.clutch(cylinders=6, engine_frequency=25.0).frequency == 150.0
    assert ss.systems.clutch(frequency=90.0).frequency == 90.0


def test_the_kinetic_coefficient_is_three_quarters_of_the_static_one():
    for given, limit in (({}, 112500.0), ({"static_coefficient": 0.4}, 1.5e5), ({"friction_coefficient": 0.1}, 5e4)):
        assert ss.systems.clutch(laws="exact", **given).connection("tangential x").law.limit == pytest.approx(limit)


def test_every_number_of_table_1_is_a_keyword():
    defaults = {name: one.default for name, one in inspect.signature(ss.systems.clutch).parameters.items()}
    scalars = {0.1, 1e10, 8e5, 17500.0, 3e5, 350.0, 300.0, 30.0, 4, 0.3, 5e5, 0.2, 0.125, 0.167}
    assert scalars <= {value for value in defaults.values() if isinstance(value, float | int)}
    assert defaults["inertias"] == (0.2, 12e-3, 83e-4, 2e-4, 18e-2)
    assert defaults["masses"] == (10.0, 1.17, 0.8, 0.2, 9.0)
    assert defaults["torque_amplitudes"] == (250.0,)


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
        ({"torque_amplitudes": 250.0}, ("torque_amplitudes are numbers, one for each harmonic", "250.0")),
        ({"spline_half_gap": -1.0}, ("half_gap", "-1")),
        ({"frequency": 90.0, "cylinders": 6}, ("leave out cylinders and engine_frequency",)),
        ({"engine_frequency": "30"}, ("engine_frequency must be a number > 0", "'30'")),
        ({"static_coefficient": 0.4, "friction_coefficient": 0.2}, ("leave one out",)),
        ({"width": {"springs": 0.1}}, ("width of 'springs' is not in the paper", "plate, flywheel, tangential")),
        ({"width": 0.1}, ("width is a number for each contact", "0.1")),
        ({"sharpness": {"plate": 9.0}}, ('sharpness does not belong to laws "sqrt"', 'or set laws="tanh"')),
        (
            {"laws": "exact", "rounding": {"plate": 1e-4}},
            ('rounding does not belong to laws "exact"', 'or set laws="sqrt"'),
        ),
        ({"masses": (10.0, 1.17, 0.8, 0.2, -0.5)}, ("masses are five numbers, one for each rotor, > 0", "-0.5")),
        ({"clamp_force": -1.0}, ("clamp_force must be a number >= 0", "-1")),
        ({"resisting_torque": "a"}, ("resisting_torque must be a number", "'a'")),
        ({"static_coefficient": 10**400}, ("static_coefficient must be a number >= 0",)),
        ({"diaphragm_stiffness": None, "reading": "paper"}, ("diaphragm_stiffness must be a number", "None")),
        ({"hub_damping": "0.1", "reading": "paper"}, ("hub_damping must be a number", "'0.1'")),
    ],
)
def test_what_cannot_be_is_said(given, words, refused):
    with refused(*words):
        ss.systems.clutch(**given)
