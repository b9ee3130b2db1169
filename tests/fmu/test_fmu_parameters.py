"""Parameters of FMUs: those before a run and those changed within one give what `simulate` gives."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from fmu.conftest import on_a_pad, walk
from models import one_mass, slider

import slipstick as ss
from slipstick.fmu.parameter_program import ParameterProgram, Slot
from slipstick.fmu.records import MAX_STACK

WAVE = ss.Cosine(1.0, frequency=0.8)


def every_law(k: float = 1.0, limit: float = 0.5, mass: float = 1.0, damping: float = 0.1) -> ss.Model:
    """A mass with laws of all kinds, on a base that moves."""
    m = ss.Model("laws")
    x, base = m.coordinate("x", inertia=mass), m.coordinate("base", motion=ss.Sine(0.3, frequency=0.3))
    m.connect(x - base, ss.Linear(stiffness=k, damping=damping, preload=0.1 * k), name="spring")
    m.connect(x, ss.Masing(stiffness=2.0, limit=limit, parallel_stiffness=0.3), name="slider")
    m.connect(x, ss.DryFriction(limit=0.2 * limit, damping=0.1 * damping), name="friction")
    m.connect(x, ss.Freeplay(stiffness=5.0 * k, half_gap=limit), name="gap")
    m.connect(x, ss.TwoStage(stiffness=k, inner_ratio=0.2, half_gap=limit), name="stages")
    m.connect(x, ss.Impact(gap=2.0 * limit, restitution=0.5), name="stop")
    m.load(x, WAVE)
    return m


CHANGED = {
    "spring.stiffness": 1.7, "spring.damping": 0.2, "spring.preload": 0.17, "x.inertia": 2.5, "slider.limit": 0.8,
    "friction.limit": 0.16, "friction.damping": 0.02, "gap.stiffness": 8.5, "gap.half_gap": 0.8,
    "stages.stiffness": 1.7, "stages.half_gap": 0.8, "stop.gap": 1.6,
}  # fmt: skip


def test_parameters_before_the_start_give_the_model_that_has_them(fmu) -> None:
    running = fmu(every_law())
    running.begin(**CHANGED)
    times = np.linspace(0.0, 20.0, 81)
    found = walk(running, times, ["x.displacement", "x.velocity", "spring.force", "slider.force", "friction.force"])
    data = every_law(1.7, 0.8, 2.5, 0.2).simulate(until=20.0, samples=times).data
    for name in ("displacement", "velocity"):
        np.testing.assert_allclose(found[f"x.{name}"], data[name].sel(coordinate="x")[1:], rtol=0, atol=1e-11)
    for name in ("spring", "slider", "friction"):
        np.testing.assert_allclose(found[f"{name}.force"], data["force"].sel(connection=name)[1:], rtol=0, atol=1e-10)


def test_inertias_under_a_rigid_contact_with_friction_are_parameters(fmu) -> None:
    law = ss.CoulombContact(friction=0.3, gap=0.1, restitution=0.5)
    running = fmu(on_a_pad(law))
    running.begin(**{"x.inertia": 2.5})
    times = np.linspace(0.0, 10.0, 41)
    found = walk(running, times, ["x.displacement", "pad.normal.force"])
    data = on_a_pad(law, mass=2.5).simulate(until=10.0, samples=times).data
    np.testing.assert_allclose(
        found["x.displacement"], data["displacement"].sel(coordinate="x")[1:], rtol=0, atol=1e-11
    )
    np.testing.assert_allclose(
        found["pad.normal.force"], data["force"].sel(connection="pad.normal")[1:], rtol=0, atol=1e-9
    )


def test_the_values_of_the_model_change_no_bit(fmu) -> None:
    times, found = np.linspace(0.0, 10.0, 41), []
    for values in ({}, {"spring.stiffness": 1.0, "slider.limit": 0.5, "x.inertia": 1.0}):
        running = fmu(every_law())
        running.begin(**values)
        found.append(walk(running, times, ["x.displacement"])["x.displacement"])
    np.testing.assert_array_equal(found[0], found[1])


def test_a_parameter_that_changes_within_a_run_goes_on_as_from_run_end(fmu) -> None:
    first = slider(WAVE).simulate(until=5.0, samples=0)
    times = np.linspace(5.0, 20.0, 61)
    second = slider(WAVE, limit=0.35, stiffness=1.2).simulate(until=20.0, start=first.end, samples=times)
    running = fmu(slider(WAVE))
    running.begin()
    running.step(5.0)
    running.set({"slider.limit": 0.35, "slider.stiffness": 1.2})
    found = walk(running, times, ["x.displacement", "slider.force"])
    np.testing.assert_allclose(found["x.displacement"], second.data["displacement"][1:, 0], rtol=0, atol=1e-11)
    wanted = second.data["force"].sel(connection="slider")[1:]
    np.testing.assert_allclose(found["slider.force"], wanted, rtol=0, atol=1e-11)


def test_the_start_is_a_parameter(fmu) -> None:
    """A free mass: x = x0 + v0 t."""
    running = fmu(one_mass({"gap": ss.Freeplay(stiffness=1.0, half_gap=100.0)}))
    running.begin(**{"x.start_displacement": 2.0, "x.start_velocity": -0.5})
    assert running.get("x.displacement", "x.velocity") == [2.0, -0.5]
    running.step(3.0)
    assert running.get("x.displacement")[0] == pytest.approx(0.5, rel=1e-14)


def test_a_slider_with_a_stretch_at_the_start_offers_no_parameters(fmu) -> None:
    """The stretch would depend on them."""
    assert "slider.limit" not in fmu(slider(WAVE, displacement=0.3)).variables
    assert "slider.limit" in fmu(slider(WAVE)).variables


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"slider.stiffness": 0.0}, "slider.stiffness must be > 0, got 0"),
        ({"slider.limit": -1.0}, "slider.limit must be >= 0, got -1"),
        ({"x.inertia": -2.0}, "x.inertia must be > 0, got -2"),
        ({"slider.limit": float("nan")}, "slider.limit must be finite"),
        ({"load.x": float("inf")}, "load.x must be finite"),
        ({"x.displacement": 1.0}, "x.displacement is not an input or parameter and cannot be set"),
    ],
)
def test_a_bad_value_is_refused_with_a_message(fmu, values: dict[str, float], words: str) -> None:
    running = fmu(slider(WAVE))
    with pytest.raises(Exception, match="status 3"):
        running.set(values)
    assert words in running.messages[-1]
    running.begin()  # nothing has been set
    running.step(1.0)
    assert running.get("x.displacement")[0] == pytest.approx(
        float(slider(WAVE).simulate(until=1.0, samples=0).data["displacement"][-1, 0]), rel=1e-12
    )


def test_a_fixed_parameter_is_refused_within_a_run(fmu) -> None:
    running = fmu(slider(WAVE))
    running.begin()
    with pytest.raises(Exception, match="status 3"):
        running.set({"x.inertia": 2.0})
    assert "x.inertia is fixed and cannot be set after initialization" in running.messages[-1]


def continued_fraction(terms: int) -> sp.Expr:
    """1 + 1 / (2 + 1 / (3 + ... p)), whose evaluation holds a number for each term."""
    value: sp.Expr = sp.Symbol("p", positive=True)
    for k in range(terms, 0, -1):
        value = sp.Add(k, 1 / value, evaluate=False)
    return value


@pytest.mark.parametrize("terms", [5, MAX_STACK - 1])
def test_a_program_fits_the_stack(terms: int) -> None:
    slot, expression = Slot("model", "mass", 0), continued_fraction(terms)
    (place, count, *_) = ParameterProgram([], {slot: expression}).operations(
        {sp.Symbol("p", positive=True): 1}, lambda _: 7
    )
    assert (place, count) == (7, 3 * terms + 1)


def test_a_program_beyond_the_stack_is_refused(refused) -> None:
    program = ParameterProgram([], {Slot("model", "mass", 0): continued_fraction(MAX_STACK)})
    with refused(f"more than {MAX_STACK} numbers at once"):
        program.operations({sp.Symbol("p", positive=True): 1}, lambda _: 7)
