"""Rows that compare: a wrong number gets another why. Certificates of figures: what failed is said."""

from __future__ import annotations

import math
from dataclasses import replace

import models
import pytest

import slipstick as ss
from slipstick.papers.certificate_summary import ErrorEvidence, certificate_line, fits_certificate_line
from slipstick.papers.comparison_rows import (
    SAME_TEXT,
    UNEXPLAINED_TEXT,
    agrees_with_print,
    half_unit,
    interpretation_row,
    number_row,
    statement_row,
)
from slipstick.papers.reproduction import Reproduction, Row


@pytest.mark.parametrize(("figure", "half"), [("338", 0.5), ("4.36e-3", 5e-6), ("0.245", 5e-4), ("1.49e9", 5e6)])
def test_a_printed_number_is_known_to_half_a_unit_of_its_last_digit(figure, half):
    assert half_unit(figure) == pytest.approx(half, rel=1e-12)
    assert agrees_with_print(float(figure) + 0.99 * half, figure)
    assert not agrees_with_print(float(figure) + 1.01 * half, figure)


def of(here, **given):
    return number_row("T0", here, form=".2f", unit="N", **given)


def test_a_number_that_agrees_with_the_print_is_the_same():
    assert of(338.4, printed="338", why="a reason") == Row("T0", "338 N", "338.40 N", SAME_TEXT)


def test_the_reason_is_reported_for_the_number_of_the_independent_computation_alone():
    given = {"printed": "338", "independent": "834.01", "why": "(51) gives ours"}
    assert of(834.012, **given).why == "(51) gives ours; independent computation: 834.01 N"
    wrong = of(834.2, **given).why
    assert wrong == f"{UNEXPLAINED_TEXT}: independent computation: 834.01 N"


def test_a_reason_explains_only_so_much():
    given = {"printed": "546", "explains": 10.0, "why": "how branches start is not printed"}
    assert of(537.0, **given).why == given["why"]
    assert of(530.0, **given).why == f"{UNEXPLAINED_TEXT}: 16 N from the print"
    assert UNEXPLAINED_TEXT in of(537.0, printed="546").why


def test_of_several_numbers_one_wrong_one_is_enough():
    given = {"printed": ("4.42", "4.40"), "why": ""}
    assert of((4.42, 4.398), **given) == Row("T0", "4.42, 4.40 N", "4.42, 4.40 N", SAME_TEXT)
    assert UNEXPLAINED_TEXT in of((4.42, 4.44), **given).why


def test_what_is_not_printed_is_compared_with_the_independent_number():
    assert of(1.234, independent="1.23", within=0.005) == Row(
        "T0", "not printed", "1.23 N", "agrees; independent computation: 1.23 N"
    )
    assert UNEXPLAINED_TEXT in of(1.24, independent="1.23", within=0.005).why
    assert UNEXPLAINED_TEXT in of(math.nan, independent="1.23").why
    assert UNEXPLAINED_TEXT in of(math.nan, printed="1.23", explains=10.0, why="a reason").why


def test_a_statement_that_does_not_hold_is_not_the_same():
    assert statement_row("closes", "yes", "yes", same=True, why="a reason").why == SAME_TEXT
    assert statement_row("closes", "yes", "no", same=False, why="a reason").why == "a reason"
    assert statement_row("closes", "yes", "no", same=False).why == UNEXPLAINED_TEXT


def test_a_reading_can_be_distinguished_from_a_result():
    rows = (
        interpretation_row("sigma", "1.49e9 Pa", "1.49e6 Pa", "a slip of the pen"),
        statement_row("a", "b", "c", same=True),
    )
    assert [row.reading for row in rows] == [True, False]
    told = str(Reproduction("fibre", "4", "a test", None, rows, "by hand", "none", 0.1, str))
    assert "read as: 1.49e6 Pa" in told
    assert "read as: c" not in told


@pytest.fixture(scope="module")
def slider():
    return models.slider(ss.Cosine(1.0, order=1), frequency=2.0, stiffness=2.0)


def failed(run):
    """The same, with a certificate that did not pass."""
    found = run.model.simulate(until=1.0)
    found.__dict__["certificate"] = replace(run.certificate, failures=("an event was missed",))
    return found


def test_trust_has_the_figures_of_the_certificates(slider):
    run, orbit = slider.simulate(until=5.0), slider.periodic()
    curve = slider.frequency_response(at=[1.5, 2.0])
    told = certificate_line([run, orbit, curve], "m")
    for own in (ErrorEvidence.of(run), ErrorEvidence.of(orbit), ErrorEvidence.of(curve)):
        assert f"error at most {own.error:.1e} m" in told
    assert f"energy residual at most {run.certificate.energy_residual:.1e}" in told
    assert "1 run:" in told
    assert "1 orbit:" in told
    assert "2 points:" in told
    assert "FAILED" not in told


def test_a_run_that_did_not_pass_is_reported_first(slider):
    good = slider.simulate(until=1.0)
    told = certificate_line({"one": good, "other": failed(good)}, "m")
    assert told.startswith("other: FAILED, 1 of 1 run: an event was missed")
    assert "FAILED, 1 of 3 runs: an event was missed" in certificate_line([good, failed(good), good])


def test_points_without_an_estimate_are_counted():
    told = certificate_line([ErrorEvidence("point", 3, 1e-6, unknown=1), ErrorEvidence("point", 2, 1e-5)], "rad")
    assert told == "5 points: error at most 1.0e-05 rad, of 1 the error is not known"
    assert "the error is not known" in certificate_line(ErrorEvidence("point", 2, math.nan, unknown=2))
    assert certificate_line(ErrorEvidence("point", 1, 0.0, reasons=("PARTIAL: stopped",))).startswith(
        "FAILED, 1 of 1 point: PARTIAL"
    )


class Fitted:
    def __init__(self, residual, within_noise=True, converged=True):
        self.residual, self.within_noise, self.converged = residual, within_noise, converged


def test_a_fit_that_is_not_within_the_noise_is_reported_first():
    good = {"Masing": Fitted(4.94), "ModifiedDahl": Fitted(5.0)}
    assert fits_certificate_line(good, "N") == (
        "Masing: 4.94 N rms left; ModifiedDahl: 5 N rms left; within the noise; 95 % intervals"
    )
    many = {f"{hertz} Hz": Fitted(20.0 + hertz) for hertz in range(3)}
    assert fits_certificate_line(many, "Pa").startswith("3 fits: at most 22 Pa rms left; within the noise")
    for bad in (Fitted(9.0, within_noise=False), Fitted(5.0, converged=False)):
        assert fits_certificate_line({**good, "Masing": bad}, "N").startswith("FAILED, not within the noise: Masing. ")
