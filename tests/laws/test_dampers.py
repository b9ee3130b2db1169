"""PowerDamper and DamperTable: closed forms of work, tables, exact runs and fits."""

from __future__ import annotations

from itertools import pairwise
from math import gamma, pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import slipstick as ss
from slipstick.laws.base import Law

TABLE = ss.DamperTable(rates=(-1.0, -0.3, 0.0, 0.2, 1.0), forces=(-0.5, -0.3, 0.0, 0.4, 0.7))


@pytest.mark.parametrize("exponent", [0.2, 0.5, 1.0, 1.7, 2.0])
@pytest.mark.parametrize("reverse", [None, 0.9])
def test_a_cycle_dissipates_the_closed_form_with_gamma_functions(exponent: float, reverse: float | None) -> None:
    c, omega, size = 0.6, 2.3, 1.4
    law = ss.PowerDamper(coefficient=c, exponent=exponent, reverse_coefficient=reverse)
    mean = c if reverse is None else 0.5 * (c + reverse)
    shape = 2.0 * sqrt(pi) * gamma(0.5 * exponent + 1.0) / gamma(0.5 * exponent + 1.5)
    want = shape * mean * omega**exponent * size ** (exponent + 1.0)

    def power(t: float) -> float:
        v = omega * size * np.cos(omega * t)
        return law.update(0.0, v, ())[0] * v

    quarters = np.array([0.0, 0.25, 0.75, 1.0]) * 2.0 * pi / omega
    work = sum(quad(power, a, b, epsabs=1e-11, epsrel=1e-11)[0] for a, b in pairwise(quarters))
    assert work == pytest.approx(want, rel=1e-9)
    t = np.linspace(0.0, 2.0 * pi / omega, 20001)
    v = omega * size * np.cos(omega * t)
    f = law.trace(size * np.sin(omega * t), t, rate=v)
    assert float(np.sum(f[:-1] * v[:-1]) * t[1]) == pytest.approx(want, rel=1e-5)


def test_a_table_is_linear_between_its_points_and_beyond_them() -> None:
    v = np.linspace(-1.5, 1.6, 300)
    inside = (v >= -1.0) & (v <= 1.0)
    f = TABLE.trace(np.zeros_like(v), rate=v)
    np.testing.assert_allclose(f[inside], np.interp(v[inside], TABLE.rates, TABLE.forces), atol=1e-15)
    assert TABLE.update(0.0, 2.0, ())[0] == pytest.approx(0.7 + 0.375)
    assert TABLE.update(0.0, -2.0, ())[0] == pytest.approx(-0.5 - 0.2 / 0.7)


def test_two_points_are_a_linear_damper() -> None:
    law = ss.DamperTable(rates=(-2.0, 3.0), forces=(-1.0, 1.5))
    assert [law.update(0.0, v, ())[0] for v in (-3.0, 0.0, 5.0)] == pytest.approx([-1.5, 0.0, 2.5])
    assert law.is_passive
    assert not law.is_odd
    assert not ss.DamperTable(rates=(-1.0, 1.0), forces=(0.1, 1.0)).is_passive


def driven(law: Law) -> ss.Model:
    m = ss.Model("damped", frequency=1.0)
    x = m.coordinate("x", inertia=1.0, displacement=0.1)
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    m.connect(x, law, name="damper")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


@pytest.mark.parametrize(
    ("law", "method", "error"),
    [
        (TABLE, "exact", 2e-9),
        (TABLE, "events", 1e-5),
        (TABLE, "newmark", 2e-4),
        (ss.PowerDamper(coefficient=0.4, exponent=0.5, reverse_coefficient=0.2), "events", 3e-5),
        (ss.PowerDamper(coefficient=0.4, exponent=0.5, reverse_coefficient=0.2), "newmark", 5e-4),
        (ss.PowerDamper(coefficient=0.4, exponent=2.0), "events", 1e-5),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_a_run_is_that_of_an_ode_solver(law: Law, method: str, error: float) -> None:
    t = np.linspace(0.0, 10.0, 41)
    run = driven(law).simulate(until=10.0, method=method, samples=t)

    def rhs(t: float, y: np.ndarray) -> list[float]:
        return [y[1], np.cos(t) - y[0] - law.update(0.0, float(y[1]), ())[0]]

    want = solve_ivp(rhs, (0.0, 10.0), [0.1, 0.0], t_eval=t, rtol=1e-11, atol=1e-12, max_step=0.01).y
    assert run.certificate.passed
    np.testing.assert_allclose(run.data["displacement"].values[:, 0], want[0], atol=error)


def test_stages_of_a_table_are_events_of_an_exact_run_at_its_rates() -> None:
    run = driven(TABLE).simulate(until=10.0, method="exact", samples=0)
    rates = np.array(run.data["velocity"])[:, 0]
    for time in run.events["time"]:
        at = int(np.argmin(np.abs(run.data["time"].values - time)))
        assert np.min(np.abs(rates[at] - np.array(TABLE.rates))) < 1e-12


@pytest.mark.parametrize("law", [TABLE, ss.PowerDamper(coefficient=0.4, exponent=1.6)], ids=["table", "power"])
def test_shooting_and_harmonic_balance_agree_with_stability(law: Law) -> None:
    one, other = (driven(law).periodic(frequency=1.1, method=m) for m in ("shooting", "harmonic-balance"))
    sizes = [float(np.ptp(o.data["displacement"].values[:, 0])) for o in (one, other)]
    assert sizes[0] == pytest.approx(sizes[1], rel=3e-3)
    assert one.stable
    assert other.stable
    np.testing.assert_allclose(sorted(np.abs(one.multipliers)), sorted(np.abs(other.multipliers)), atol=5e-3)


def test_small_motions_feel_the_damping_at_rest() -> None:
    assert TABLE.linearised().damping == pytest.approx(0.5 * (1.0 + 2.0))
    assert TABLE.linearised("stage0").damping == pytest.approx(0.2 / 0.7)
    assert ss.PowerDamper(coefficient=2.0, exponent=1.0, reverse_coefficient=3.0).linearised().damping == 2.5
    assert ss.PowerDamper(coefficient=2.0, exponent=0.5).linearised().damping == 0.0


def test_wrong_tables_and_numbers_are_refused_in_one_line(refused: Any) -> None:
    with refused("DamperTable: rates must be as many as forces, at least two, got 2 and 3"):
        ss.DamperTable(rates=(0.0, 1.0), forces=(0.0, 1.0, 2.0))
    with refused("DamperTable: rates must increase"):
        ss.DamperTable(rates=(0.0, 0.0), forces=(0.0, 1.0))
    with refused("PowerDamper: exponent must be > 0, got 0"):
        ss.PowerDamper(coefficient=1.0, exponent=0.0)


def test_units_follow_the_exponent() -> None:
    assert ss.PowerDamper(coefficient=1.0, exponent=2.0).units()["coefficient"] == "N s^2/m^2"
    assert TABLE.units()["rates"].split(", ")[0] == "m/s"


def test_a_loop_gives_both_numbers_and_ranks_above_a_linear_damper() -> None:
    law = ss.PowerDamper(coefficient=2e3, exponent=0.5)
    t = np.linspace(0.0, 3.0, 601)
    u = 1e-3 * np.sin(2.0 * pi * t)
    loop = ss.Loop(u, law.trace(u, t) + np.random.default_rng(0).normal(0.0, 1.0, t.size), t)
    fit = ss.identify(loop, ss.PowerDamper)
    assert fit.parameters["exponent"].value == pytest.approx(0.5, abs=0.02)
    assert ss.rank([loop], ["linear", "power-damper"]).best.law.__class__ is ss.PowerDamper


@pytest.mark.parametrize("exponent", [0.2, 0.4])
def test_a_mass_released_from_rest_against_an_infinite_slope(exponent: float) -> None:
    """x'' = -k x - |v|^n sgn(v), by an implicit ODE solver."""
    m = ss.Model("released")
    x = m.coordinate("x", inertia=1.0, displacement=0.1)
    m.connect(x, ss.Linear(stiffness=100.0), name="spring")
    m.connect(x, ss.PowerDamper(coefficient=1.0, exponent=exponent), name="damper")
    t = np.linspace(0.0, 0.3, 16)
    run = m.simulate(until=0.3, samples=t)

    def rate(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -100.0 * y[0] - np.sign(y[1]) * abs(y[1]) ** exponent]

    want = solve_ivp(rate, (0.0, 0.3), [0.1, 0.0], t_eval=t, method="LSODA", rtol=1e-11, atol=1e-13).y[0]
    assert run.certificate.passed
    np.testing.assert_allclose(run.data["displacement"].values[:, 0], want, atol=1e-7)
