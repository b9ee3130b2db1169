"""FMUs give what `simulate` gives: motions, deflections and forces, at any communication step.

The reference is `simulate` with the method "exact", whose own tests compare it with closed forms. Between communication
points an FMU takes inputs as straight lines, so the same inputs as `ss.Signal` have the same solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fmu.conftest import on_a_pad, walk
from models import chain, one_mass, slider

import slipstick as ss

WAVE = ss.Cosine(1.0, frequency=0.8)
SPRING = ss.Linear(stiffness=1.0, damping=0.02)


def belt(motion: Any) -> ss.Model:
    """A mass on a belt: friction, a spring, a gap and a damper between them."""
    m = ss.Model("belt")
    b = m.coordinate("belt", motion=motion)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x - b, ss.DryFriction(limit=0.4, damping=0.01), name="pad")
    m.connect(x - b, ss.Linear(stiffness=3.0, damping=0.05), name="spring")
    m.connect(x - b, ss.Freeplay(stiffness=3.0, half_gap=0.1), name="gap")
    m.connect(x, ss.Linear(stiffness=1.0), name="wall")
    return m


def driven_chain() -> ss.Model:
    m = chain(4, ss.Masing(stiffness=100.0, limit=0.5, parallel_stiffness=50.0, damping=0.1))
    m.load(m["x4"], ss.Cosine(1.0, frequency=2.0))
    return m


def light_end() -> ss.Model:
    """A coordinate without inertia, held by friction."""
    m = ss.Model("light")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y")
    m.connect(y - x, ss.Linear(stiffness=5.0, damping=0.1), name="spring")
    m.connect(y, ss.DryFriction(limit=0.3, damping=0.1), name="friction")
    m.connect(x, ss.Linear(stiffness=1.0), name="wall")
    m.load(x, ss.Cosine(1.0, frequency=0.9))
    return m


def in_series() -> ss.Model:
    """A slider behind a gap, and a spring with a damper in series: joints without inertia between them."""
    m = slider(WAVE)
    gap = ss.Series(ss.Jenkins(stiffness=1.0, limit=0.5), ss.Freeplay(stiffness=2.0, half_gap=0.1))
    m.connect(m["x"], gap, name="joint")
    m.connect(m["x"], ss.Zener(stiffness=3.0, damping=0.2, parallel_stiffness=1.0), name="mount")
    return m


BELT = ss.Ramp(0.3)


def on_a_foot(law: ss.Law, inertia: float = 0.0, motion: Any = BELT) -> ss.Model:
    """The pad under a foot, on a belt that moves."""
    m = ss.Model("foot")
    x, z, belt = (
        m.coordinate("x", inertia=1.0),
        m.coordinate("z", inertia=1.0),
        m.coordinate("belt", motion=motion),
    )
    foot = m.coordinate("foot", inertia=inertia)
    m.connect(foot - x, ss.Linear(stiffness=60.0, damping=0.5), name="leg")
    for q in (x, z):
        m.connect(q, ss.Linear(stiffness=10.0, damping=0.2))
    m.connect((foot - belt, z), law, name="pad")
    m.load(z, ss.Cosine(20.0, frequency=1.7))
    return m


RIGID_PAD = ss.CoulombContact(friction=0.3, gap=0.1, restitution=0.5)
ELASTIC_PAD = ss.FrictionContact(normal_stiffness=50.0, tangential_stiffness=100.0, friction=0.3, preload=10.0)


def irregular(until: float, step: float) -> np.ndarray:
    """Communication points with steps between a third and nearly twice a length."""
    steps = np.random.default_rng(1).uniform(0.3, 1.8, size=int(2.0 * until / step)) * step
    times = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray([*times[times < until], until])


def largest_differences(
    running: Any, reference: ss.Model, times: np.ndarray, inputs: Any = None, **options: Any
) -> dict[str, float]:
    """The largest difference of each output, over its largest value."""
    names = [name for name in running.outputs if not name.endswith(".state") and ".joint" not in name]
    found = walk(running, times, names, inputs)
    data = reference.simulate(until=times[-1], samples=times, method="exact", **options).data
    worst = {}
    for name in names:
        owner, what = name.rsplit(".", 1)
        own = {"coordinate" if what in ("displacement", "velocity") else "connection": owner}
        wanted = data[what].sel(own).values[1:]
        worst[name] = float(np.abs(found[name] - wanted).max() / max(np.abs(wanted).max(), 1e-300))
    return worst


MODELS: dict[str, Callable[[], ss.Model]] = {
    "slider": lambda: slider(WAVE),
    "dry friction": lambda: one_mass({"spring": SPRING, "friction": ss.DryFriction(limit=0.3)}, WAVE),
    "static friction": lambda: one_mass(
        {"spring": SPRING, "friction": ss.DryFriction(limit=0.3, static_limit=0.4)}, WAVE
    ),
    "gap": lambda: one_mass(
        {"spring": SPRING, "gap": ss.Freeplay(stiffness=30.0, half_gap=0.3)}, WAVE, displacement=1.0
    ),
    "stop": lambda: one_mass({"spring": SPRING, "stop": ss.Impact(gap=0.5, restitution=0.7)}, WAVE),
    "moving belt": lambda: belt(ss.Ramp(0.1) + ss.Sine(0.2, frequency=2.0)),
    "sampled load": lambda: slider(ss.Signal([0, 1, 2.5, 2.5, 7, 9], [0, 1, -1, 0.5, 2, 0])),
    "varying limit": lambda: one_mass(
        {"spring": SPRING, "friction": ss.DryFriction(limit=ss.Constant(0.3) + ss.Sine(0.1, frequency=1.7))}, WAVE
    ),
    "chain": driven_chain,
    "without inertia": light_end,
    "series": in_series,
    "friction contact": lambda: on_a_pad(ELASTIC_PAD),
    "friction contact on a foot without inertia": lambda: on_a_foot(ELASTIC_PAD),
    "rigid friction contact": lambda: on_a_pad(RIGID_PAD),
    "two laws in one": lambda: one_mass(
        {"joint": SPRING + ss.DryFriction(limit=0.2) + ss.DryFriction(limit=0.1)}, WAVE
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_an_fmu_gives_what_simulate_gives_at_steps_of_any_length(fmu, name: str) -> None:
    model = MODELS[name]()
    running = fmu(model)
    running.begin()
    worst = largest_differences(running, model, irregular(20.0, 0.3))
    assert max(worst.values()) < 1e-11, worst


def test_both_versions_give_the_same_bits(fmu) -> None:
    times = np.linspace(0.0, 10.0, 41)
    found = []
    for fmi in (2, 3):
        running = fmu(slider(WAVE), fmi=fmi)
        running.begin()
        found.append(walk(running, times, ["x.displacement", "slider.force", "slider.state"]))
    for name in found[0]:
        np.testing.assert_array_equal(found[0][name], found[1][name])


def test_few_long_steps_end_where_many_short_ones_do(fmu) -> None:
    """The exact flow does not depend on the communication step: no chatter, no damping of its own."""
    ends = []
    for count in (4, 400):
        running = fmu(MODELS["dry friction"]())
        running.begin()
        ends.append(walk(running, np.linspace(0.0, 20.0, count + 1), ["x.displacement", "x.velocity"]))
    assert ends[0]["x.displacement"][-1] == pytest.approx(ends[1]["x.displacement"][-1], rel=1e-12)
    assert ends[0]["x.velocity"][-1] == pytest.approx(ends[1]["x.velocity"][-1], rel=1e-12)


@pytest.mark.parametrize("law", [ELASTIC_PAD, RIGID_PAD], ids=["elastic", "rigid"])
def test_loads_and_velocities_as_inputs_act_on_friction_contacts(fmu, law: ss.Law) -> None:
    """Reactions jump where loads or rates do; the FMU gives those of the step that ends."""

    def model(motion: Any, load: Any) -> ss.Model:
        m = on_a_foot(law, inertia=0.5, motion=motion)
        m.load(m["x"], load)
        return m

    times = np.linspace(0.0, 20.0, 81)
    values, places = 5.0 * np.cos(0.8 * times), np.sin(0.5 * times)
    stairs = ss.Signal(np.repeat(times, 2)[1:-1], np.repeat(values[:-1], 2))
    running = fmu(model(ss.Constant(0.0), ss.Constant(0.0)))
    running.begin()

    def inputs(t: float, h: float) -> dict[str, float]:
        speed = (np.sin(0.5 * (t + h)) - np.sin(0.5 * t)) / h
        return {"load.x": 5.0 * math.cos(0.8 * t), "speed.belt": float(speed)}

    worst = largest_differences(running, model(ss.Signal(times, places), stairs), times, inputs)
    jump = {"belt.velocity", "leg.force", "pad.tangential.force", "pad.normal.force"}
    assert max(e for name, e in worst.items() if name not in jump) < 1e-9, worst


def test_a_load_held_within_steps_is_a_staircase(fmu) -> None:
    times = np.linspace(0.0, 30.0, 121)
    values = np.cos(0.8 * times)
    stairs = ss.Signal(np.repeat(times, 2)[1:-1], np.repeat(values[:-1], 2))
    running = fmu(slider())
    running.begin()
    worst = largest_differences(running, slider(stairs), times, lambda t, _: {"load.x": math.cos(0.8 * t)})
    assert max(worst.values()) < 1e-9, worst


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_load_with_slopes_is_linear_between_its_values(fmu, fmi: int) -> None:
    times = irregular(30.0, 0.25)
    running = fmu(slider(), fmi=fmi)
    running.begin()

    def line(t: float, h: float) -> dict[str, float]:
        return {"load.x": math.cos(0.8 * t), "load.x.slope": (math.cos(0.8 * (t + h)) - math.cos(0.8 * t)) / h}

    worst = largest_differences(running, slider(ss.Signal(times, np.cos(0.8 * times))), times, line)
    assert max(worst.values()) < 1e-9, worst


def test_input_derivatives_of_version_2_are_the_slopes(fmu) -> None:
    """A load t: a mass on a frictionless slide moves by t^3 / 6."""
    running = fmu(one_mass({"friction": ss.DryFriction(limit=1e-12)}), fmi=2)
    running.begin()
    running.slave.setRealInputDerivatives([running.variables["load.x"].valueReference], [1], [1.0])
    running.step(2.0)
    assert running.get("x.displacement")[0] == pytest.approx(8.0 / 6.0, rel=1e-9)


@pytest.mark.parametrize("own", [ss.Constant(0.0), ss.Ramp(0.1) + ss.Sine(0.2, frequency=3.0)], ids=["held", "moving"])
def test_a_velocity_moves_a_prescribed_coordinate(fmu, own: Any) -> None:
    """Its displacement is linear within a step. At communication points rates jump: forces of friction and dampers
    have two values there, of which the FMU gives that of the step that ends."""
    times = irregular(30.0, 0.25)
    places = np.sin(0.5 * times)
    running = fmu(belt(own))
    running.begin()

    def velocity(t: float, h: float) -> dict[str, float]:
        return {"speed.belt": float((np.sin(0.5 * (t + h)) - np.sin(0.5 * t)) / h)}

    worst = largest_differences(running, belt(own + ss.Signal(times, places)), times, velocity)
    jump = {"belt.velocity", "pad.force", "spring.force"}
    assert max(e for name, e in worst.items() if name not in jump) < 1e-9, worst


def test_loads_with_an_order_follow_the_frequency_input(fmu) -> None:
    model = slider(ss.Cosine(1.0, order=1) + ss.Sine(0.3, order=3), frequency=0.5)
    running = fmu(model)
    running.begin()
    times = irregular(30.0, 0.25)
    worst = largest_differences(
        running, model, times, lambda t, _: {"frequency": 0.5 + 0.02 * t, "frequency.slope": 0.02},
        speed=ss.Constant(0.5) + ss.Ramp(0.02),
    )  # fmt: skip
    assert max(worst.values()) < 1e-9, worst


def test_a_frequency_that_jumps_keeps_the_phase(fmu) -> None:
    model = slider(ss.Cosine(1.0, order=1), frequency=0.5)
    running = fmu(model)
    running.begin()
    speed = ss.Signal([0.0, 10.0, 10.0, 30.0], [0.5, 0.5, 0.9, 0.9])
    times = np.linspace(0.0, 20.0, 81)
    worst = largest_differences(
        running, model, times, lambda t, _: {"frequency": 0.5 if t < 10.0 else 0.9}, speed=speed
    )
    assert max(worst.values()) < 1e-9, worst


def test_an_fmu_goes_on_as_simulate_does_from_the_end_of_a_run(fmu) -> None:
    model = MODELS["dry friction"]()
    first = model.simulate(until=7.3, samples=0)
    second = model.simulate(until=20.0, start=first.end, samples=0)
    running = fmu(model)
    running.begin()
    running.step(7.3)
    running.step(20.0 - 7.3)
    found = running.get("x.displacement", "x.velocity")
    assert found == pytest.approx([second.end.displacement["x"], second.end.velocity["x"]], rel=1e-12)


@pytest.mark.parametrize("name", ["slider", "sampled load", "moving belt"])
def test_an_fmu_may_start_at_any_time(fmu, name: str) -> None:
    """Loads are functions of absolute time."""
    model = MODELS[name]()
    running = fmu(model)
    running.begin(start=1.7)
    times = np.linspace(1.7, 9.7, 41)
    found = walk(running, times, ["x.displacement"])["x.displacement"]
    wanted = model.simulate(until=9.7, start=1.7, samples=times).data["displacement"].sel(coordinate="x")[1:]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11)


def test_a_controller_is_part_of_an_fmu(fmu) -> None:
    """Its states are coordinates without inertia."""
    m = slider(ss.Cosine(1.0, frequency=0.8))
    m.connect(m["x"], ss.StateSpace(A=[[-2.0]], B=[[1.0]], C=[[0.5]], D=[[0.1]]), name="controller")
    running = fmu(m)
    running.begin()
    times = irregular(20.0, 0.3)
    found = walk(running, times, ["x.displacement", "x.velocity"])
    data = m.simulate(until=20.0, samples=times, method="exact").data
    for what in ("displacement", "velocity"):
        np.testing.assert_allclose(found[f"x.{what}"], data[what].sel(coordinate="x")[1:], rtol=0, atol=1e-11)


def test_states_are_those_of_the_events(fmu) -> None:
    model = one_mass({"spring": SPRING, "friction": ss.DryFriction(limit=0.7)}, WAVE)
    running = fmu(model)
    running.begin()
    times = np.linspace(0.0, 20.0, 101)
    codes = walk(running, times, ["friction.state"])["friction.state"]
    words = model.simulate(until=20.0, samples=times).data["state"].sel(connection="friction").values[1:]
    assert [{-1: "slip-", 0: "stick", 1: "slip+"}[int(code)] for code in codes] == words.tolist()
    assert {-1, 0, 1} == set(codes)


@pytest.mark.parametrize("law", [ELASTIC_PAD, ss.CoulombContact(friction=0.3, gap=0.1)], ids=["elastic", "rigid"])
def test_states_of_friction_contacts_tell_the_direction_of_slip(fmu, law: ss.Law) -> None:
    """The friction force has the sign of the slip, and no force means separated."""
    running = fmu(on_a_pad(law))
    running.begin()
    found = walk(
        running, np.linspace(0.0, 20.0, 201), ["pad.tangential.state", "pad.tangential.force", "pad.normal.force"]
    )
    code, force, pressure = (np.asarray(values) for values in found.values())
    assert {-1, 1, 2} <= set(code)
    assert set(code) <= {-1, 0, 1, 2}
    np.testing.assert_array_equal(pressure > 0.0, code != 2)
    for sign in (-1, 1):
        np.testing.assert_allclose(force[code == sign], sign * 0.3 * pressure[code == sign], rtol=1e-11)
    words = running.variables["pad.tangential.state"].description
    assert sorted(words.split(", ")) == ["-1: slip-", "0: stick", "1: slip+", "2: separated"]
