"""The Python form of the equations, integrated by SciPy, is the motion that slipstick computes."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from laws.example_laws import every_law
from scipy.integrate import solve_ivp

import slipstick as ss

LAWS = {
    "freeplay": ss.Freeplay(stiffness=30.0, half_gap=0.05, damping=0.4),
    "polynomial": ss.Polynomial(coefficients=(0.0, 3.0, 0.0, 8.0), damping=0.1),
    "masing": ss.Masing(stiffness=8.0, limit=0.4, parallel_stiffness=2.0, damping=0.2),
    "dahl": ss.Dahl(stiffness=8.0, limit=0.4),
    "bouc-wen": ss.BoucWen(stiffness=5.0, ratio=0.3, beta=2.0, gamma=1.0),
    "lugre": ss.LuGre(
        bristle_stiffness=40.0, bristle_damping=0.5, viscous=0.1, coulomb=0.2, static=0.3, stribeck_velocity=0.1
    ),
    "maxwell": ss.Maxwell(stiffness=4.0, damping=0.8),
    "tanh friction": ss.DryFriction(limit=0.3).regularised("tanh", sharpness=20.0),
}


def two_masses(law: ss.Law) -> ss.Model:
    m = ss.Model("two masses", frequency=2.0)
    x, y = m.coordinate("x", inertia=1.0, velocity=0.3), m.coordinate("lambda1", inertia=0.5, displacement=0.0)
    m.connect(x, ss.Linear(stiffness=5.0, damping=0.1), name="ground")
    m.connect(x - y, law, name="joint")
    m.load(x, ss.Cosine(1.0, order=1) + ss.Constant(0.2))
    return m


def integrated(m: ss.Model, until: float, start: list[float]) -> Any:
    module: dict[str, Any] = {}
    exec(m.equations().python(), module)
    state = np.zeros(len(module["NAMES"]))
    state[: len(start)] = start
    end = solve_ivp(module["rates"], (0.0, until), state, rtol=1e-9, atol=1e-11, max_step=0.02).y[:, -1]
    return dict(zip(module["NAMES"], end, strict=True))


@pytest.mark.parametrize("name", LAWS)
def test_scipy_on_the_printed_code_agrees_with_a_run(name: str) -> None:
    m = two_masses(LAWS[name])
    end = integrated(m, 6.0, [0.0, 0.0, 0.0, 0.3])  # names in alphabetical order: lambda1, x
    run = m.simulate(until=6.0, samples=0, tolerance=None if name in ("masing", "freeplay", "maxwell") else 1e-9)
    for coordinate in ("x", "lambda1"):
        expected = float(run.data["displacement"].sel(coordinate=coordinate)[-1])
        assert end[coordinate] == pytest.approx(expected, abs=2e-6)


def test_given_matrices_and_prescribed_motions_are_written_out() -> None:
    m = ss.Model.from_matrices([[2.0, 0.5], [0.5, 1.0]], [[0.2, 0.0], [0.0, 0.1]], [[9.0, -2.0], [-2.0, 4.0]])
    base = m.coordinate("base", motion=ss.Sine(0.3, frequency=1.7))
    m.connect(m.coordinates[0] - base, ss.Linear(stiffness=6.0, damping=0.3), name="mount")
    end = integrated(m, 5.0, [])
    run = m.simulate(until=5.0, samples=0)
    for c in m.coordinates[:2]:
        assert end[c.name] == pytest.approx(float(run.data["displacement"].sel(coordinate=c.name)[-1]), abs=1e-7)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (ss.DryFriction(limit=1.0), "set-valued friction"),
        (ss.DynamicHysteresis(stiffness=1.0, limit=0.3), "not given by a differential equation"),
    ],
)
def test_what_is_no_differential_equation_is_refused(law: ss.Law, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words):
        two_masses(law).equations().python()


@pytest.mark.parametrize("name", sorted(every_law()))
def test_every_law_between_two_masses_has_equations_and_code_or_a_refusal(name: str) -> None:
    law = every_law()[name]
    if law.directions:
        pytest.skip("needs several deflections")
    equations = two_masses(law).equations()
    assert str(equations)
    with contextlib.suppress(ss.InvalidInput):
        compile(equations.python(), "equations", "exec")
