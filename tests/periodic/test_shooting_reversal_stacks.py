"""Orbits of laws that remember a stack of reversals, by shooting: beside runs, harmonic balance and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.reversal_stack_models import SHEAR, oscillator
from scipy.optimize import brentq

import slipstick as ss
from slipstick.errors import NotConverged

DYNAMIC = ss.DynamicHysteresis(stiffness=1.0, limit=0.5)
OVERSHOOT = ss.BlimanSorine(stiffness=1.0, limit=0.5, overshoot_limit=0.2, ratio=0.3)
LAWS = {
    "dynamic": DYNAMIC,
    "brittle": ss.DynamicHysteresis(stiffness=1.0, limit=0.5, exponent=1.5),
    "ductile": ss.DynamicHysteresis(stiffness=1.0, limit=0.3, exponent=0.5),
    "overshoot": OVERSHOOT,
    "shear": SHEAR,
}


@pytest.mark.parametrize("name", LAWS)
def test_a_long_run_from_rest_comes_to_the_orbit(name: str) -> None:
    """But for an offset that the law holds: a loop that is not in the middle of the shear law drifts, slowly."""
    omega, periods = 1.1, 80
    m = oscillator(LAWS[name])
    orbit = m.periodic(frequency=omega, method="shooting")
    assert orbit.point.residual <= 1e-11
    times = 2.0 * np.pi / omega * (periods + np.linspace(0.0, 1.0, 401))
    run = m.simulate(until=times[-1], frequency=omega, samples=times, tolerance=1e-11, method="events")
    x, v = (run.data[what].values[1:, 0] for what in ("displacement", "velocity"))
    assert orbit.amplitude["x"] == pytest.approx(0.5 * np.ptp(x), rel=5e-5)  # between 400 samples
    assert orbit.data["velocity"].values[0, 0] == pytest.approx(v[-1], abs=1e-4 if name == "shear" else 2e-7)


@pytest.mark.parametrize(("cubic", "mean"), [(0.0, 0.0), (0.4, 0.2)], ids=["symmetric", "with a mean load"])
@pytest.mark.parametrize("name", ["dynamic", "overshoot"])
def test_harmonic_balance_comes_nearer_with_more_harmonics(name: str, cubic: float, mean: float) -> None:
    m = oscillator(LAWS[name], cubic, mean=mean)
    orbit = m.periodic(frequency=1.1, method="shooting")
    apart = []
    for harmonics in (5, 15, 45):
        other = m.periodic(frequency=1.1, method="harmonic-balance", harmonics=harmonics)
        apart.append(np.hypot(other.amplitude["x"] - orbit.amplitude["x"], other.mean["x"] - orbit.mean["x"]))
        assert apart[-1] <= other.point.error + orbit.point.error
    assert apart[2] < 0.25 * apart[0]
    assert orbit.multipliers == pytest.approx(other.multipliers, abs=1e-4)
    assert orbit.stable
    assert any("depends on how the motion began" in note for note in orbit.notes)
    assert any("virgin" in note for note in orbit.notes)


@pytest.mark.parametrize("name", LAWS)
def test_what_the_laws_take_is_what_the_load_does(name: str) -> None:
    """The load does pi f times the part of the motion that is a quarter behind it."""
    orbit = oscillator(LAWS[name]).periodic(frequency=1.1, method="shooting")
    done = -np.pi * 0.35 * orbit.point.harmonics[1, 0].imag
    assert sum(orbit.dissipated.values()) == pytest.approx(done, rel=3e-6)
    certificate = orbit.certificate  # of the law itself, led to its memory from the virgin state
    assert certificate.passed
    assert certificate.energy_residual < 1e-6
    assert certificate.error < 1e-7


@pytest.mark.parametrize("mean", [0.0, 0.2])
def test_the_loop_is_that_of_the_closed_form(mean: float) -> None:
    """Branches are g(x) = 2 f (1 - exp(-x s/f)): a loop of width D takes twice the integral of g, less D g(D)."""
    orbit = oscillator(DYNAMIC, mean=mean).periodic(frequency=1.1, method="shooting")
    width, way = 2.0 * orbit.amplitude["x"], DYNAMIC.limit / DYNAMIC.stiffness
    gained = 2.0 * DYNAMIC.limit * -np.expm1(-width / way)
    area = 4.0 * DYNAMIC.limit * (width + way * np.expm1(-width / way)) - width * gained
    assert orbit.dissipated["law"] == pytest.approx(area, rel=1e-6)
    assert orbit.force_range["law"] == pytest.approx(gained, rel=1e-7)
    top = float(np.abs(orbit.data["displacement"].values[:, 0]).max())
    assert np.abs(orbit.data["force"].sel(connection="law").values).max() == pytest.approx(
        DYNAMIC.limit * -np.expm1(-2.0 * top / way), rel=1e-4
    )  # on the virgin curve, between samples


def test_a_slow_load_leads_to_the_balance_of_forces_at_rest() -> None:
    orbit = oscillator(DYNAMIC).periodic(frequency=0.05, method="shooting")

    def left(x: float) -> float:
        return x - DYNAMIC.limit * float(np.expm1(-2.0 * x * DYNAMIC.stiffness / DYNAMIC.limit)) - 0.35

    assert orbit.amplitude["x"] == pytest.approx(brentq(left, 0.0, 1.0), rel=5e-3)


def test_a_curve_goes_round_its_folds() -> None:
    """As harmonic balance has them; there a multiplier passes one, which the equations of the curve do not know."""
    m = oscillator(DYNAMIC, cubic=0.3, load=0.6, mean=0.2)
    curve = m.frequency_response(between=(1.3, 1.6), method="shooting")
    assert [s["kind"] for s in curve.special] == ["fold", "fold"]
    balance = m.frequency_response(between=(1.3, 1.6), method="harmonic-balance", harmonics=15)
    folds = [s["frequency"] for s in balance.special]
    assert [s["frequency"] for s in curve.special] == pytest.approx(folds, rel=2e-4)
    first, last = (s["point"] for s in curve.special)
    for k, point in enumerate(curve.points):
        if k not in (first, last):
            assert point.stable is not (first < k < last)
    assert any("depends on how the motion began" in note for note in curve.notes)


def test_points_of_a_curve_are_orbits_of_their_own() -> None:
    m = oscillator(OVERSHOOT, cubic=0.1)
    at = [0.6, 0.9, 1.1, 1.7, 3.0]
    curve = m.frequency_response(at=at, method="shooting")
    for omega, point in zip(at, curve.points, strict=True):
        orbit = m.periodic(frequency=omega, method="shooting")
        assert abs(point.amplitude[0] - orbit.amplitude["x"]) <= point.error + orbit.point.error


def test_an_orbit_of_another_method_may_be_the_start() -> None:
    m = oscillator(DYNAMIC, cubic=0.3, load=0.6)
    first = m.periodic(frequency=1.45, method="harmonic-balance")
    orbit = m.periodic(frequency=1.45, method="shooting", start=first)
    assert orbit.amplitude["x"] == pytest.approx(first.amplitude["x"], abs=first.point.error)


def test_two_laws_that_turn_at_different_instants_have_their_reversals_each() -> None:
    m = ss.Model("two")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.5)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.03))
    m.connect(x - y, DYNAMIC)
    m.connect(y, OVERSHOOT + ss.Linear(stiffness=0.5, damping=0.02))
    m.load(x, ss.Cosine(0.4, order=1))
    m.load(y, ss.Constant(0.1))
    orbit = m.periodic(frequency=1.3, method="shooting")
    other = m.periodic(frequency=1.3, method="harmonic-balance", harmonics=31)
    for name in ("x", "y"):
        assert abs(orbit.amplitude[name] - other.amplitude[name]) <= orbit.point.error + other.point.error
        assert abs(orbit.mean[name] - other.mean[name]) <= orbit.point.error + other.point.error
    assert orbit.multipliers == pytest.approx(other.multipliers, abs=1e-3)
    assert orbit.certificate.passed


def test_a_period_that_begins_next_to_a_reversal_is_like_any_other() -> None:
    """The load is shifted by angles around the one at which the deflection is largest as the period begins."""
    first = oscillator(DYNAMIC).periodic(frequency=1.1, method="shooting")
    wave = first.point.harmonics[1, 0]
    for beside in (-1e-3, -1e-7, 0.0, 1e-7, 1e-3):
        load = ss.Cosine(0.35, order=1, phase=beside - float(np.angle(wave)))
        orbit = oscillator(DYNAMIC, load=load).periodic(frequency=1.1, method="shooting")
        assert orbit.amplitude["x"] == pytest.approx(first.amplitude["x"], abs=2.0 * first.point.error)
        assert orbit.stable


# ---- the shear mount


def test_the_mount_is_softer_then_stiffer_with_amplitude_by_both_methods() -> None:
    peaks = []
    for force in (0.5, 10.0, 40.0):
        m = ss.systems.fibre(amplitude=force)
        curve = m.frequency_response(between=(500.0, 700.0), method="shooting")
        top = int(np.argmax(curve.data["amplitude"].values[:, 0]))
        at = [float(curve.data["frequency"][top])]
        balance = m.frequency_response(at=at, method="harmonic-balance", harmonics=15)
        apart = abs(float(curve.data["amplitude"][top, 0]) - float(balance.data["amplitude"][0, 0]))
        assert apart <= float(curve.data["error"][top]) + float(balance.data["error"][0])
        assert float(curve.data["error"][top]) < 1e-4 * float(curve.data["amplitude"][top, 0])
        assert np.isnan(curve.data["stable"].values).all()
        peaks.append(at[0])
    assert peaks[1] < peaks[0]
    assert peaks[1] < peaks[2]


def test_a_mean_load_on_a_law_whose_loops_do_not_close_has_no_orbit() -> None:
    m = ss.systems.fibre(amplitude=20.0)
    m.load(m["x"], ss.Constant(5.0))
    with pytest.raises(NotConverged, match=r'"mount": the cycle does not close .*; method="integration"') as told:
        m.periodic(frequency=560.0, method="shooting")
    assert "\n" not in str(told.value)


def test_cycles_with_inner_loops_are_refused_in_one_line() -> None:
    m = oscillator(DYNAMIC, load=ss.Cosine(0.3, order=1) + ss.Cosine(0.6, order=5))
    with pytest.raises(NotConverged, match=r'has \d+ reversals .*; use method="harmonic-balance"') as told:
        m.periodic(frequency=0.2, method="shooting")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("between", [(0.5, 2.5), (1.0, 0.3)])
def test_curves_that_begin_at_or_come_to_inner_loops_say_so(between) -> None:
    m = oscillator(DYNAMIC, load=ss.Cosine(1.0, order=1) + ss.Cosine(1.5, order=3))
    with pytest.raises(NotConverged, match=r'has \d+ reversals .*; use method="harmonic-balance"') as told:
        m.frequency_response(between=between, method="shooting")
    assert "\n" not in str(told.value)


def test_auto_leaves_laws_with_a_stack_to_harmonic_balance() -> None:
    assert oscillator(DYNAMIC).periodic(frequency=1.1).stats.method == "harmonic-balance"
