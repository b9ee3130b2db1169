"""BoucWenBaberNoori: against an ODE solver, its limits without degradation, and what periodic methods say of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import slipstick as ss
from slipstick.identification.preparing.loop_geometry import measure_geometry
from slipstick.identification.search.start_values import loop_view

SHAPE = {"stiffness": 2.0, "ratio": 0.1, "beta": 0.8, "gamma": 0.4, "exponent": 1.5}
LOSS = {"strength_degradation": 0.05, "stiffness_degradation": 0.1}
PINCHED = {
    "pinching": 0.8, "pinching_rate": 0.5, "pinching_level": 0.1, "pinching_width": 0.4, "pinching_spread": 0.01,
    "pinching_coupling": 0.3,
}  # fmt: skip
TURNS = np.array([0.0, 0.5, -0.8, 1.2, -0.3, 0.9, -1.6, 2.0, -2.0, 1.0])


def by_scipy(p: dict[str, float]) -> np.ndarray:
    """Force at each turn, from the equations of the papers."""
    k, a, b, g, n = (p[name] for name in SHAPE)
    z, e, forces = 0.0, 0.0, [0.0]
    for start, end in pairwise(TURNS):
        s = np.sign(end - start)

        def rhs(_x: float, y: np.ndarray, s: float = s) -> list[float]:
            z, e = y
            nu, eta = 1.0 + p.get("strength_degradation", 0.0) * e, 1.0 + p.get("stiffness_degradation", 0.0) * e
            h = 1.0
            if "pinching" in p:
                zu = (1.0 / (nu * (b + g))) ** (1.0 / n)
                z1 = p["pinching"] * (1.0 - np.exp(-p["pinching_rate"] * e))
                z2 = (p["pinching_width"] + p["pinching_spread"] * e) * (p["pinching_coupling"] + z1)
                h = 1.0 - z1 * np.exp(-((z * s - p["pinching_level"] * zu) ** 2) / z2**2)
            change = h / eta * (s - nu * (b * abs(z) ** (n - 1.0) * z + g * s * abs(z) ** n))
            return [change, (1.0 - a) * k * z * s]

        z, e = solve_ivp(rhs, (0.0, abs(end - start)), [z, e], rtol=1e-11, atol=1e-13, max_step=0.01).y[:, -1]
        forces.append(a * k * end + (1.0 - a) * k * z)
    return np.array(forces)


@pytest.mark.parametrize("given", [SHAPE, SHAPE | LOSS, SHAPE | LOSS | PINCHED], ids=["plain", "loss", "pinched"])
@pytest.mark.parametrize("between", [1, 7])
def test_forces_are_those_of_an_ode_solver_for_any_samples(given: dict[str, float], between: int) -> None:
    law = ss.BoucWenBaberNoori(**given)
    ticks = np.arange(TURNS.size)
    u = np.interp(np.linspace(0.0, ticks[-1], between * (TURNS.size - 1) + 1), ticks, TURNS)
    np.testing.assert_allclose(law.trace(u)[::between], by_scipy(given), atol=5e-6)


def test_without_degradation_it_is_bouc_wen() -> None:
    np.testing.assert_allclose(ss.BoucWenBaberNoori(**SHAPE).trace(TURNS), ss.BoucWen(**SHAPE).trace(TURNS), atol=2e-6)


def test_strength_falls_as_the_energy_says() -> None:
    """Far into yield z is at its limit, which falls with the energy in the memory."""
    law = ss.BoucWenBaberNoori(**SHAPE, strength_degradation=0.05)
    memory = law.start(0.0)
    for u in np.linspace(0.0, 20.0, 2001):
        _, memory = law.update(float(u), 0.0, memory)
    z, energy = memory[1], memory[2]
    assert energy > 10.0
    assert z == pytest.approx((1.0 / ((1.0 + 0.05 * energy) * 1.2)) ** (1.0 / 1.5), rel=0.01)


def test_a_pinched_loop_is_narrower_near_zero_force() -> None:
    u = 1.5 * np.sin(np.linspace(0.0, 12.0 * np.pi, 4001))
    slack, full = (ss.BoucWenBaberNoori(**SHAPE, **extra) for extra in (PINCHED, {}))
    areas = [abs(np.sum(np.diff(u[-668:]) * law.trace(u)[-667:])) for law in (slack, full)]
    assert areas[0] < 0.9 * areas[1]


def test_periodic_methods_refuse_it_in_one_line(refused: Any) -> None:
    m = ss.Model("column", frequency=1.0)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.BoucWenBaberNoori(**SHAPE, **LOSS), name="column")
    m.load(x, ss.Cosine(1.0, order=1))
    for method in ("shooting", "harmonic-balance"):
        with refused(
            "its memory and its force grow with every cycle", "so there is no periodic response", error=ss.MissingFace
        ):
            m.periodic(frequency=1.0, method=method)
    ends = [
        m.simulate(until=20.0, method=method).data["displacement"].values[-1, 0] for method in ("events", "newmark")
    ]
    assert ends[0] == pytest.approx(ends[1], abs=2e-3)


def test_degradation_is_found_in_a_virgin_test_of_growing_cycles() -> None:
    law = ss.BoucWenBaberNoori(**(SHAPE | {"exponent": 1.0}), **LOSS)
    t = np.linspace(0.0, 8.0, 1601)
    u = 0.3 * t * np.sin(2.0 * np.pi * t)
    loop = ss.Loop(u, law.trace(u) + np.random.default_rng(0).normal(0.0, 0.003, t.size), t)
    fit = ss.identify(loop, law)
    assert fit.residual == pytest.approx(0.003, rel=0.2)
    for name in LOSS:
        assert fit.parameters[name].value == pytest.approx(LOSS[name], rel=0.1)


def test_a_template_keeps_its_pinching_and_bounds_free_it() -> None:
    law = ss.BoucWenBaberNoori(**(SHAPE | {"exponent": 1.0}), **LOSS, **PINCHED)
    t = np.linspace(0.0, 4.0, 201)
    u = 0.4 * t * np.sin(2.0 * np.pi * t)
    loop = ss.Loop(u, law.trace(u) + np.random.default_rng(0).normal(0.0, 0.003, t.size), t)
    fit = ss.identify(loop, law, fixed={"exponent": 1.0})
    assert fit.residual == pytest.approx(0.003, rel=0.2)
    assert {name: getattr(fit.law, name) for name in PINCHED} == PINCHED
    freed = ss.identify(loop, replace(law, pinching=0.5), fixed={"exponent": 1.0}, bounds={"pinching": (0.0, 0.95)})
    assert freed.parameters["pinching"].value == pytest.approx(PINCHED["pinching"], rel=0.05)


def test_start_values_allow_bounds_on_pinching_alone() -> None:
    u = np.linspace(-1.0, 1.0, 101)
    loops = loop_view([measure_geometry(ss.Loop(*closed_loop(u)))])
    starts = list(ss.BoucWenBaberNoori.start_values(loops))
    assert starts
    assert all(replace(start, pinching=0.5).pinching_width > 0.0 for start in starts)


def closed_loop(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A settled loop of a slider over both branches, twice."""
    path = np.tile(np.concatenate([u, u[-2:0:-1]]), 3)
    return path, ss.Jenkins(stiffness=4.0, limit=1.0).trace(path)


def test_values_that_do_not_fit_are_refused_in_one_line(refused: Any) -> None:
    with refused("pinching needs pinching_width > 0"):
        ss.BoucWenBaberNoori(**SHAPE, pinching=0.5)
    with refused("beta + gamma must be > 0"):
        ss.BoucWenBaberNoori(**(SHAPE | {"beta": -0.5}))
