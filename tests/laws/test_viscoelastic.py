"""Maxwell and Zener: relaxation, complex stiffness, loss, and fits against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import slipstick as ss

K, C, K0 = 2.0, 3.0, 0.7
MAXWELL = ss.Maxwell(stiffness=K, damping=C)
ZENER = ss.Zener(stiffness=K, damping=C, parallel_stiffness=K0)


def complex_stiffness(omega: float) -> complex:
    tau = C / K
    return K * 1j * omega * tau / (1.0 + 1j * omega * tau)


def test_the_force_relaxes_after_a_ramp_as_an_exponential() -> None:
    """A ramp of rate r up to T, then rest: f = c r (1 - e^(-t/tau)), then it falls from there with e^(-(t - T)/tau)."""
    rate, end, tau = 0.4, 1.3, C / K
    t = np.concatenate((np.linspace(0.0, end, 7), end + np.array([0.1, 0.5, 2.0, 9.0])))
    u = rate * np.minimum(t, end)
    rise = C * rate * (1.0 - np.exp(-np.minimum(t, end) / tau))
    want = rise * np.exp(-np.maximum(t - end, 0.0) / tau)
    np.testing.assert_allclose(MAXWELL.trace(u, t), want, rtol=0, atol=1e-14)
    np.testing.assert_allclose(ZENER.trace(u, t), want + K0 * u, rtol=0, atol=1e-14)


def test_a_jump_meets_the_spring_and_no_time_passes_within_it() -> None:
    t = np.array([0.0, 1e-12, 0.75])
    np.testing.assert_allclose(MAXWELL.trace([0.0, 0.5, 0.5], t), [0.0, 1.0, np.exp(-0.5)], rtol=1e-10)
    assert MAXWELL.update(0.5, 0.0, MAXWELL.start())[0] == 1.0


@pytest.mark.parametrize("omega", [0.05, 0.6667, 20.0])
def test_a_harmonic_motion_meets_the_complex_stiffness(omega: float) -> None:
    """Steady force Re(K* e^(i omega t)), second order in the step; loss pi Im(K*) X^2."""
    errors = []
    for n in (400, 800):
        t = np.arange(0, (5 + int(6.0 * omega)) * n + 1) * 2.0 * np.pi / n / omega
        u = np.cos(omega * t)
        want = np.real(complex_stiffness(omega) * np.exp(1j * omega * t))
        errors.append(np.abs(MAXWELL.trace(u, t) - want)[-n:].max())
    assert errors[1] < 2e-5 * K
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    f = ZENER.trace(u, t)[-n - 1 :]
    loss = float(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(u[-n - 1 :])))
    assert loss == pytest.approx(np.pi * complex_stiffness(omega).imag, rel=1e-3)


def test_work_is_stored_or_lost_in_the_damper() -> None:
    """Work - stored = integral of f^2/c, by a fine trace of a wild motion."""
    t = np.linspace(0.0, 20.0, 200001)
    u = np.sin(t) + 0.4 * np.sin(3.7 * t)
    f = MAXWELL.trace(u, t)
    work = np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(u))
    lost = np.sum(0.5 * (f[1:] ** 2 + f[:-1] ** 2) * np.diff(t)) / C
    assert MAXWELL.stored(u[-1], (t[-1], t[-1], u[-1], f[-1])) == pytest.approx(work - lost, rel=1e-5)


def mass_on(law: ss.Law, *others: ss.Law, displacement: float = 0.1) -> ss.Model:
    m = ss.Model("mass", frequency=1.3)
    x = m.coordinate("x", inertia=1.5, displacement=displacement)
    m.connect(x, law, name="mount")
    for i, other in enumerate(others):
        m.connect(x, other, name=f"other{i}")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


def by_scipy(t: np.ndarray) -> np.ndarray:
    """x, v, force of the Maxwell element of a mass 1.5 on Zener and Linear(stiffness=1, damping=0.1)."""

    def rhs(t: float, y: np.ndarray) -> list[float]:
        x, v, g = y
        return [v, (np.cos(1.3 * t) - (1.0 + K0) * x - 0.1 * v - g) / 1.5, K * v - g * K / C]

    return solve_ivp(rhs, (0.0, t[-1]), [0.1, 0.0, 0.0], t_eval=t, rtol=1e-11, atol=1e-13, method="DOP853").y


@pytest.mark.parametrize(("method", "error"), [("exact", 1e-9), ("newmark", 2e-4), ("taylor", 2e-4), ("events", 1e-6)])
def test_a_run_in_a_model_is_that_of_an_ode_solver(method: str, error: float) -> None:
    t = np.linspace(0.0, 12.0, 61)
    run = mass_on(ZENER, ss.Linear(stiffness=1.0, damping=0.1)).simulate(until=12.0, method=method, samples=t)
    want = by_scipy(t)
    assert run.certificate.passed
    np.testing.assert_allclose(run.data["displacement"].sel(coordinate="x"), want[0], atol=error)
    np.testing.assert_allclose(run.data["force"].sel(connection="mount"), K0 * want[0] + want[2], atol=3 * error)


def test_results_show_the_connection_as_it_was_written() -> None:
    """A sum with a damper: the same motion as with Zener and the damper apart; neither joints nor parts show."""
    t = np.linspace(0.0, 12.0, 61)
    whole = MAXWELL + ss.Linear(stiffness=K0) + ss.Linear(stiffness=1.0, damping=0.1)
    run = mass_on(whole).simulate(until=12.0, samples=t)
    want = by_scipy(t)
    np.testing.assert_allclose(run.data["displacement"].sel(coordinate="x"), want[0], atol=1e-9)
    whole_force = (1.0 + K0) * want[0] + 0.1 * want[1] + want[2]
    np.testing.assert_allclose(run.data["force"].sel(connection="mount"), whole_force, atol=1e-9)
    assert run.data["connection"].values.tolist() == ["mount"]
    assert run.data["coordinate"].values.tolist() == ["x"]
    assert set(run.certificate.dissipated) == {"mount"}
    lost = run.certificate.work_in - run.certificate.stored["mount"] - run.certificate.kinetic
    assert run.certificate.dissipated["mount"] == pytest.approx(lost, rel=1e-6)


def test_names_may_end_with_inner_and_factors_may_be_negative() -> None:
    m = mass_on(ZENER + MAXWELL.scaled(force=-0.5))
    m.coordinate("mount_inner", inertia=1.0)
    run = m.simulate(until=3.0, method="newmark", step=1e-3)
    half = ss.Zener(stiffness=0.5 * K, damping=0.5 * C, parallel_stiffness=K0)
    plain = mass_on(half).simulate(until=3.0, samples=run.data["time"].values)
    np.testing.assert_allclose(
        run.data["displacement"].sel(coordinate="x"), plain.data["displacement"].sel(coordinate="x"), atol=1e-6
    )


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_a_response_has_the_amplitude_of_the_complex_stiffness(method: str) -> None:
    at = [0.4, 1.1, 3.0]
    curve = mass_on(MAXWELL.scaled(deflection=0.5, force=3.0), ss.Linear(stiffness=1.0)).frequency_response(
        at=at, method=method
    )
    want = [abs(1.0 / (1.0 + 1.5 * complex_stiffness(w) - 1.5 * w * w)) for w in at]
    np.testing.assert_allclose(curve.data["amplitude"].sel(coordinate="x"), want, rtol=1e-9)
    assert curve.data["stable"].values.all()


def test_the_multipliers_hold_the_relaxation() -> None:
    """Eigenvalues of the three-state system over a period, and one zero for the inner coordinate's rate."""
    m = mass_on(ZENER, ss.Linear(stiffness=1.0, damping=0.1))
    orbit = m.periodic(frequency=1.1, method="shooting")
    matrix = np.array([[0.0, 1.0, 0.0], [-(1.0 + K0) / 1.5, -0.1 / 1.5, -1.0 / 1.5], [0.0, K, -K / C]])
    want = np.exp(np.linalg.eigvals(matrix) * 2.0 * np.pi / 1.1)
    found = sorted(orbit.multipliers, key=abs)[1:]
    np.testing.assert_allclose(sorted(np.abs(found)), sorted(np.abs(want)), rtol=1e-9)
    assert m.frequency_response(between=(1.0, 1.3), start=orbit).data["stable"].values.all()


def test_modes_have_the_relaxation_as_an_over_damped_one() -> None:
    m = mass_on(ZENER, ss.Linear(stiffness=1.0, damping=0.1))
    matrix = np.array([[0.0, 1.0, 0.0], [-(1.0 + K0) / 1.5, -0.1 / 1.5, -1.0 / 1.5], [0.0, K, -K / C]])
    want = np.linalg.eigvals(matrix)
    found = [mode.eigenvalue for mode in m.modes()]
    np.testing.assert_allclose(sorted({round(abs(x), 9) for x in found}), sorted({round(abs(x), 9) for x in want}))


def test_a_mount_on_a_moved_base_begins_relaxed() -> None:
    m = ss.Model("base")
    x = m.coordinate("x", inertia=1.0)
    base = m.coordinate("base", motion=ss.Constant(0.3))
    m.connect(base - x, MAXWELL, name="mount")
    run = m.simulate(until=1.0)
    assert abs(run.data["force"].sel(connection="mount")).max() < 1e-15


def test_a_modulated_element_runs_by_its_memory_rate() -> None:
    """f = q(t) g with dg/dt = k v - g k/c, by an ODE solver."""
    run = mass_on(MAXWELL.modulated(ss.Fourier(1.0, cos=(0.2,), frequency=2.0))).simulate(until=3.0, tolerance=1e-9)
    t = run.data["time"].values

    def rhs(t: float, y: np.ndarray) -> list[float]:
        _, v, g = y
        return [v, (np.cos(1.3 * t) - (1.0 + 0.2 * np.cos(2.0 * t)) * g) / 1.5, K * v - g * K / C]

    want = solve_ivp(rhs, (0.0, 3.0), [0.1, 0.0, 0.0], t_eval=t, rtol=1e-11, atol=1e-13, method="DOP853").y
    assert run.stats.method == "events"
    np.testing.assert_allclose(run.data["displacement"].sel(coordinate="x"), want[0], atol=1e-7)


def test_values_out_of_bounds_are_refused_in_one_line(refused: Any) -> None:
    with refused("Maxwell: damping must be > 0, got 0"):
        ss.Maxwell(stiffness=1.0, damping=0.0)
    with refused("Zener: parallel_stiffness must be >= 0, got -1"):
        ss.Zener(stiffness=1.0, damping=1.0, parallel_stiffness=-1.0)


def test_loops_at_two_frequencies_determine_all_three_parameters() -> None:
    loops, rng = [], np.random.default_rng(0)
    for omega in (0.3, 3.0):
        t = np.linspace(0.0, 6.0 * np.pi / omega, 601)
        u = np.sin(omega * t)
        loops.append(ss.Loop(u, ZENER.trace(u, t) + rng.normal(0.0, 0.01, t.size), t))
    fit = ss.identify(loops, ss.Zener)
    for name, value in ZENER.parameters().items():
        own = fit.parameters[name]
        assert own.low < value < own.high
        assert own.value == pytest.approx(value, rel=0.01)
    assert fit.derived["relaxation_time"].value == pytest.approx(C / K, rel=0.01)
    assert ss.rank(loops, ["maxwell", "zener", "masing"]).best.law.__class__ is ss.Zener


def test_a_loop_without_times_is_refused(refused: Any) -> None:
    u = np.sin(np.linspace(0.0, 12.0, 200))
    with refused("'Maxwell' depends on the rate, and loop has no times"):
        ss.identify(ss.Loop(u, u), ss.Maxwell)


def test_a_model_file_keeps_the_law(tmp_path: Any) -> None:
    m = mass_on(ZENER, MAXWELL)
    m.save(tmp_path / "m.yaml")
    assert "law: zener" in (tmp_path / "m.yaml").read_text()
    assert ss.open(tmp_path / "m.yaml") == m
