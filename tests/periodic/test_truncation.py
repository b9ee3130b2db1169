"""What modes that were left out of a condensed model change of its periodic responses is in their errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_structures import structure

import slipstick as ss


def apart(a: ss.Orbit, b: ss.Orbit, names: list[str]) -> float:
    """The largest distance of displacements over a period, by the harmonics that both have."""
    count = min(a.point.harmonics.shape[0], b.point.harmonics.shape[0])
    turns = np.exp(2j * np.pi / 400 * np.outer(np.arange(400), np.arange(count)))
    both = [orbit.point.harmonics[:count, [orbit.names.coordinates.index(n) for n in names]] for orbit in (a, b)]
    return float(np.abs((turns @ (both[0] - both[1])).real).max())


def rows(modes: int, seed: int, method: str, **how: object) -> tuple[float, float, float, float]:
    """The true change, the error that is stated, that without truncation, and the size of the motion."""
    m, omega, held = structure(np.random.default_rng(seed), **how)  # type: ignore[arg-type]
    condensed = m.condense(modes=modes)
    whole, small = (model.periodic(omega, method=method) for model in (m, condensed))
    stated = max(small.certificate.errors[name] for name in held)
    assert small.point.error >= stated * (1.0 - 1e-6)
    return apart(whole, small, held), stated, untold(condensed, omega, method), max(map(whole.amplitude.get, held))


def untold(condensed: ss.Model, omega: float, method: str) -> float:
    """The error of the same model when nothing tells that it was condensed."""
    plain = condensed.snapshot()
    plain.condensation = None
    return float(plain.periodic(omega, method=method).certificate.error)


@pytest.mark.parametrize("seed", range(20))
def test_the_error_of_an_orbit_by_harmonic_balance_holds_what_was_left_out(seed: int) -> None:
    true, stated, own, size = rows(2 + seed % 7, seed, "harmonic-balance")
    assert true < 0.3 * size  # else first order says nothing
    assert true <= stated
    assert stated <= 6.0 * true + 2.0 * own


@pytest.mark.parametrize("seed", range(6))
def test_the_error_of_an_orbit_by_shooting_holds_what_was_left_out(seed: int) -> None:
    true, stated, own, size = rows(2 + seed, seed, "shooting", kinds=("slider", "gap", "friction"))
    assert true < 0.3 * size
    assert true <= stated
    assert stated <= 6.0 * true + 2.0 * own


def test_a_linear_model_states_twice_what_was_left_out_however_much_it_is() -> None:
    m, omega, _ = structure(np.random.default_rng(3))
    for name in [c.name for c in m.connections]:
        m.connections.remove(m.connection(name))
    whole, small = m.periodic(omega), m.condense(keep=["q5"], modes=0).periodic(omega)
    assert small.certificate.errors["q5"] == pytest.approx(2.0 * apart(whole, small, ["q5"]), rel=2e-2)


def test_curves_carry_it_at_every_point_and_less_of_it_with_more_modes() -> None:
    m, omega, held = structure(np.random.default_rng(5))
    between = (0.8 * omega, 1.1 * omega)
    worst = []
    for modes in (1, 4, 12):
        curve = m.condense(modes=modes).frequency_response(between=between, method="harmonic-balance")
        whole = m.frequency_response(at=curve.data["frequency"].values, method="harmonic-balance")
        both = [c.data["harmonics"].sel(coordinate=held).values for c in (curve, whole)]
        true = np.abs(both[0][:, :8] - both[1][:, :8]).sum(axis=1).max(axis=1)
        assert (0.3 * true <= curve.data["error"].values + whole.data["error"].values).all()
        worst.append(float(curve.data["error"].values.max()))
        assert any("truncation" in note for note in curve.notes)
    assert worst[1] < worst[0]
    assert worst[2] < 0.2 * worst[1]


def test_what_is_changed_after_condensing_is_in_the_finer_model_too() -> None:
    m, omega, held = structure(np.random.default_rng(2), kinds=("slider",))
    small = m.condense(modes=4)
    for model in (m, small):
        model.connect(model[held[0]], ss.Linear(stiffness=50.0, damping=0.5), name="spring")
    whole, orbit = (model.periodic(omega, method="harmonic-balance") for model in (m, small))
    true, stated = apart(whole, orbit, held), max(orbit.certificate.errors[name] for name in held)
    assert true <= stated
    assert stated <= 6.0 * true + 2.0 * whole.certificate.error
    until = 6.0 * np.pi / omega
    runs = [model.simulate(until, frequency=omega, samples=200) for model in (m, small)]
    gone = np.abs(np.subtract(*(run.data["displacement"].sel(coordinate=held[0]).values for run in runs))).max()
    assert 0.3 * gone <= runs[1].certificate.errors[held[0]] <= 20.0 * gone


def test_a_followed_load_takes_what_was_left_out_along() -> None:
    m, omega, held = structure(np.random.default_rng(4), kinds=("slider",))
    curve = m.condense(modes=3).follow("force.amplitude", (1.6, 2.0), frequency=omega, method="harmonic-balance")
    m.loads[0] = replace(m.loads[0], function=ss.Cosine(2.0, order=1))
    whole, end = m.periodic(omega, method="harmonic-balance"), curve.orbit(-1)
    true, stated = apart(whole, end, held), float(curve.data["error"].values[-1])
    assert curve.data["parameter"].values[-1] == 2.0
    assert true <= stated <= 6.0 * true + 2.0 * whole.certificate.error
    assert stated == pytest.approx(end.point.error, rel=1e-6)


@pytest.mark.parametrize("mode", [1, 2])
def test_frequency_and_damping_of_a_nonlinear_mode_carry_it(mode: int) -> None:
    m, _, held = structure(np.random.default_rng(8), kinds=("slider",))
    amplitudes = np.geomspace(1e-5, 1e-3, 5)
    whole = m.nonlinear_mode(mode, amplitudes=amplitudes, coordinate=held[0])
    small = m.condense(modes=3).nonlinear_mode(mode, amplitudes=amplitudes, coordinate=held[0])
    for there, here in zip(whole.points, small.points, strict=True):
        true = abs(there.frequency - here.frequency)
        assert true <= here.frequency_error <= 6.0 * true + 2.0 * there.frequency_error
        assert abs(there.damping_ratio - here.damping_ratio) <= here.damping_error
    assert any("truncation" in note for note in small.notes)


def test_all_modes_say_that_nothing_was_left_out() -> None:
    m, omega, _ = structure(np.random.default_rng(1), kinds=("slider",))
    orbit = m.condense(modes=100).periodic(omega, method="harmonic-balance")
    assert any("nothing was left out" in note for note in orbit.certificate.notes)
    assert orbit.certificate.error == pytest.approx(m.periodic(omega, method="harmonic-balance").point.error, rel=0.1)


def test_integration_has_it_too() -> None:
    m, omega, held = structure(np.random.default_rng(9), kinds=("slider",))
    curve = m.condense(modes=2).frequency_response(at=[omega], method="integration")
    whole = m.periodic(omega, method="shooting")
    true = abs(curve.data["amplitude"].sel(coordinate=held[0]).values[0] - whole.amplitude[held[0]])
    assert true <= float(curve.data["error"].values[0])
    assert any("truncation" in note for note in curve.notes)
