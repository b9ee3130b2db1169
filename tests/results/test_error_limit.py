"""A certificate passes only where the error is small against the motion, in every place that shows a verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from models import one_mass

import slipstick as ss
from slipstick.papers.gear.rattle import loaded_train
from slipstick.results.certificate import Certificate, is_small
from slipstick.sweeps.point_outcome import certificate_summary


def certificate(error: float, motion: float, residual: float = 0.0) -> Certificate:
    return Certificate(error, {"engine": error}, residual, 1.0, {}, {}, 1.0, 1e-6, motion=motion)


def test_a_large_error_is_a_verdict_of_its_own() -> None:
    large = certificate(54.0, 0.008)
    assert (large.passed, large.doubtful, large.outcome) == (False, True, "error not small")
    assert large.verdict == "error not small: 54 (engine) is 6.8e+05 % of the motion, at most 1 %"
    assert "passed" not in repr(large)


@pytest.mark.parametrize(("share", "small"), [(0.0099, True), (0.0101, False), (0.8, False), (0.0, True)])
@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_the_bound_is_a_hundredth_of_the_motion_in_any_unit(share: float, small: bool, unit: float) -> None:
    assert is_small(share * unit, unit) is small
    assert certificate(share * unit, unit).passed is small


def test_failing_goes_before_doubt_and_rest_tells_nothing() -> None:
    assert certificate(1.0, 1.0, residual=1.0).outcome == "FAILED"
    assert certificate(1e-20, 0.0).passed
    assert certificate(1.0, np.nan).passed


def oscillator() -> ss.Model:
    return one_mass({"spring": ss.Linear(stiffness=1.0, damping=0.02)}, ss.Cosine(1e-3, order=1), displacement=1e-3)


def test_a_coarse_run_is_doubtful_and_a_fine_one_passes() -> None:
    coarse, fine = (oscillator().simulate(until=60.0, frequency=1.1, method="newmark", step=h) for h in (0.6, 0.01))
    x = coarse.data.displacement.sel(coordinate="x").values
    assert coarse.certificate.motion == pytest.approx(0.5 * np.ptp(x))
    assert coarse.certificate.error > 0.01 * coarse.certificate.motion
    assert not coarse.certificate.passed
    assert "certificate passed" not in repr(coarse)
    assert fine.certificate.passed


def test_the_motion_of_an_exact_run_is_known_without_samples() -> None:
    run = oscillator().simulate(until=60.0, frequency=1.1, samples=0)
    full = oscillator().simulate(until=60.0, frequency=1.1)
    assert run.certificate.motion == pytest.approx(full.certificate.motion, rel=0.05)
    assert run.certificate.passed


def test_a_curve_counts_its_rough_points_and_a_sweep_says_so() -> None:
    m = oscillator()
    m.connect(m["x"], ss.Freeplay(stiffness=20.0, half_gap=2e-4), name="stop")
    curve = m.frequency_response(at=[2.0, 3.0, 4.0], method="harmonic-balance", harmonics=1)
    rough = sum(p.error > 0.01 * float(p.amplitude.max()) for p in curve.points)
    assert rough > 0
    assert curve.rough == f"error not small (more than 1 % of the motion) at {rough} of 3 points"
    assert curve.rough in repr(curve)
    assert certificate_summary(curve)["passed"] is False
    exact = m.frequency_response(at=[2.0, 3.0, 4.0], method="shooting")
    assert exact.rough == ""
    assert certificate_summary(exact)["passed"] is True


def test_an_orbit_is_judged_by_its_own_motion() -> None:
    m = oscillator()
    m.connect(m["x"], ss.Freeplay(stiffness=20.0, half_gap=2e-4), name="stop")
    orbit = m.periodic(frequency=2.0, method="harmonic-balance", harmonics=1)
    assert not orbit.certificate.passed
    assert "error not small" in repr(orbit) or "FAILED" in repr(orbit)
    assert certificate_summary(orbit)["passed"] is False
    assert m.periodic(frequency=2.0).certificate.passed


def test_a_verdict_stays_in_a_file(tmp_path: object) -> None:
    run = oscillator().simulate(until=60.0, frequency=1.1, method="newmark", step=0.6)
    path = f"{tmp_path}/run.nc"
    run.save(path)
    again = ss.open(path)
    assert again.certificate.verdict == run.certificate.verdict
    assert again.certificate == replace(again.certificate, motion=run.certificate.motion)


def test_passed_means_a_small_error_where_a_gear_train_rattles() -> None:
    """The loaded train at both ends of its rattle. Before its mean was fixed, errors beyond the motion were stated."""
    outcomes = set()
    for frequency in (20.0, 44.0):
        for how in ({"method": "shooting"}, {"method": "harmonic-balance", "harmonics": 15}):
            orbit = loaded_train(0.4).periodic(frequency=frequency, **how)
            certificate, motion = orbit.certificate, float(orbit.point.amplitude.max())
            assert certificate.passed == (certificate.error <= 0.01 * motion)
            assert ("passed" in repr(orbit)) == certificate.passed
            outcomes.add((certificate.outcome, certificate.error > motion))
    assert outcomes == {("passed", False)}
