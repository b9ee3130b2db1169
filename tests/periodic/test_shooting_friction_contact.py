"""Shooting with friction contacts whose normal force comes from the motion: derivatives, orbits, curves, bands."""

from __future__ import annotations

import math

import numpy as np
import pytest
from periodic.test_balance_several_deflections import oscillator
from transient.contact_oracle import random_model

import slipstick as ss
from slipstick.model.named_parameter import parameter_of
from slipstick.periodic.balance.multipliers import SAMPLED_SWITCH_ERROR
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.transient.problem import pose


def period_map(model, omega):
    return ExactMap(pose(model, 0.0, omega), 2.0 * math.pi / omega)


@pytest.mark.parametrize("seed", range(8))
def test_derivatives_of_a_period_are_those_of_differences(seed):
    """With events and saltation, by the state and by the frequency; a difference across a slip that has just begun has
    an error in proportion to its step."""
    model = random_model(seed)
    built = model.build()
    own = period_map(built, model.omega)
    state = own.first()
    for _ in range(5):
        state = own.go(state).state
    passed = own.go(state, swept=True)
    scales, found = own.scales(passed.flow), passed.derivative
    assert len(passed.flow.events) > 2
    for k in range(state.size):
        errors = []
        for h in (1e-6, 1e-7):
            step = h * scales[k] * np.eye(state.size)[k]
            change = (own.go(state + step).state - own.go(state - step).state) / (2.0 * h * scales[k])
            errors.append(np.abs((change - found[:, k]) * scales[k] / scales).max())
        assert min(errors) < 1e-5
        assert errors[0] < 1e-7 or errors[1] < 0.2 * errors[0] or errors[0] == pytest.approx(errors[1], rel=0.01)
    step = 1e-7 * model.omega
    ends = [period_map(built, model.omega + s).go(state).state for s in (step, -step)]
    assert (ends[0] - ends[1]) / (2.0 * step) / scales == pytest.approx(passed.by_frequency / scales, abs=1e-7)


def test_an_orbit_is_where_a_long_run_ends():
    orbit = oscillator().periodic()
    assert orbit.certificate.passed
    assert orbit.stable
    assert set(np.unique(orbit.data["state"].sel(connection="pad.normal"))) == {"stick", "slip", "separated"}
    until = 150.0 * orbit.period  # free motions decay by 0.68 a period
    run = oscillator().simulate(until=until, samples=[until])
    assert run.data["displacement"].values[0] == pytest.approx(orbit.data["displacement"].values[0], abs=1e-12)


def test_a_constant_normal_load_has_the_orbit_and_multipliers_of_jenkins():
    orbits = []
    for is_contact in (True, False):
        m = ss.Model("constant load", frequency=8.0)
        x, n = m.coordinate("x", inertia=1.0), m.coordinate("n", motion=ss.Constant(0.0))
        m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
        if is_contact:
            law = ss.FrictionContact(normal_stiffness=300.0, tangential_stiffness=150.0, friction=0.4, preload=2.0)
            m.connect((x, n), law)
        else:
            m.connect(x, ss.Jenkins(stiffness=150.0, limit=0.8))
        m.load(x, ss.Sine(3.0, order=1))
        orbits.append(m.periodic())
    assert orbits[0].amplitude["x"] == pytest.approx(orbits[1].amplitude["x"], rel=1e-11)
    assert orbits[0].multipliers == pytest.approx(orbits[1].multipliers, abs=1e-10)


@pytest.mark.long
def test_curves_of_both_methods_agree():
    between = (5.0, 18.0)
    exact = oscillator().frequency_response(between=between)
    assert exact.data.attrs["method"] == "shooting"
    at = np.linspace(6.0, 17.0, 12)
    for omega in at:
        own = oscillator().periodic(frequency=omega, method="shooting")
        other = oscillator().periodic(frequency=omega, method="harmonic-balance", harmonics=21)
        for name in "xz":
            assert own.amplitude[name] == pytest.approx(other.amplitude[name], abs=max(other.certificate.error, 1e-9))
    x = exact.data["amplitude"].sel(coordinate="x").values
    near = np.interp(at, exact.data["frequency"].values, x)
    assert near[3] == pytest.approx(oscillator().periodic(frequency=at[3]).amplitude["x"], rel=2e-2)


def test_a_contact_that_sticks_throughout_keeps_its_place():
    """The slider keeps the place where contact began, so the motion is that of the springs alone."""
    m = ss.Model("pressed", frequency=8.0)
    x, z = (m.coordinate(name, inertia=1.0) for name in "xz")
    m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
    m.connect(z, ss.Linear(stiffness=200.0, damping=1.0))
    law = ss.FrictionContact(normal_stiffness=300.0, tangential_stiffness=150.0, friction=0.4, preload=2.0)
    m.connect((x, z), law, name="pad")
    m.load(x, ss.Sine(0.1, order=1) + ss.Constant(0.05))
    m.load(z, ss.Sine(0.1, order=1, phase=1.0))
    orbit = m.periodic()
    assert set(np.unique(orbit.data["state"].sel(connection="pad.normal"))) == {"stick"}
    assert orbit.mean["x"] == pytest.approx(0.05 / 250.0, rel=1e-9)
    assert orbit.amplitude["x"] == pytest.approx(0.1 / abs(complex(250.0 - 64.0, 4.0)), rel=1e-9)
    assert orbit.mean["z"] == pytest.approx(-2.0 / 500.0, rel=1e-9)
    low, high = orbit.band["x"]
    assert low < orbit.mean["x"] < high


@pytest.mark.parametrize("name", ["pad.friction", "pad.tangential_stiffness", "pad.normal_stiffness", "pad.preload"])
def test_gradients_of_orbits_and_runs_are_those_of_differences(name):
    m = oscillator()
    parameter = parameter_of(m, name)
    value, h = parameter.value, 1e-5 * parameter.value

    def difference(figure):
        return (figure(parameter.at(value + h)) - figure(parameter.at(value - h))) / (2.0 * h)

    def last(model):
        return model.simulate(until=3.0, samples=[3.0]).data["displacement"].sel(coordinate="x").values[0]

    own = m.periodic().gradient("x.amplitude", by=[name]).values[name]
    assert own == pytest.approx(difference(lambda model: model.periodic().amplitude["x"]), rel=1e-5)
    own = m.simulate(until=3.0, samples=[3.0]).gradient("x.last", by=[name]).values[name]
    assert own == pytest.approx(difference(last), rel=1e-5)


# ---- integrated orbits


def in_space(**options):
    m = ss.Model("plane", frequency=8.0)
    x, y, z = (m.coordinate(name, inertia=1.0) for name in "xyz")
    for q in (x, y, z):
        m.connect(q, ss.Linear(stiffness=100.0, damping=0.5))
    law = {"normal_stiffness": 300.0, "tangential_stiffness": 150.0, "friction": 0.4, "preload": 1.0, **options}
    m.connect((x, y, z), ss.FrictionContact(**law), name="pad")
    m.load(x, ss.Sine(3.0, order=1))
    m.load(y, ss.Sine(2.0, order=1, phase=1.2))
    m.load(z, ss.Sine(4.0, order=1, phase=0.5))
    return m


def test_the_integrated_map_and_its_derivative_are_those_of_the_exact_flow():
    m = oscillator()
    problem = pose(m, 0.0, 8.0)
    exact, own = ExactMap(problem, 2.0 * math.pi / 8.0), AdaptiveMap(problem, 2.0 * math.pi / 8.0)
    state = exact.first()
    for _ in range(4):
        state = exact.go(state).state
    place = state[0] - state[4]
    passed = exact.go(state, derivative=True)
    other = own.go(np.append(state[:4], place), derivative=True)
    assert other.state[:4] == pytest.approx(passed.state[:4], abs=1e-7)
    assert other.state[4] == pytest.approx(passed.state[0] - passed.state[4], abs=1e-7)
    roots = [np.real(np.poly(np.linalg.eigvals(each.derivative))) for each in (passed, other)]
    assert roots[0] == pytest.approx(roots[1], abs=1e-5)


LONG = pytest.mark.long


@pytest.mark.parametrize(
    "options", [pytest.param({}, marks=LONG), pytest.param({"preload": 4.0}, marks=LONG), {"preload": 40.0}]
)
def test_orbits_in_space_are_those_of_harmonic_balance(options):
    exact = in_space(**options).periodic(method="shooting")
    other = in_space(**options).periodic(method="harmonic-balance", harmonics=41)
    assert exact.certificate.passed
    for name in "xyz":
        allowed = exact.certificate.error + other.certificate.error + 1e-12
        assert abs(exact.amplitude[name] - other.amplitude[name]) < allowed
    apart = np.abs(exact.multipliers[:6, None] - other.multipliers[None]).min(axis=1)
    assert apart.max() < SAMPLED_SWITCH_ERROR


def test_auto_takes_harmonic_balance_where_maps_are_differentiated_by_differences():
    assert in_space().periodic().stats.method == "harmonic-balance"
    assert oscillator().periodic().stats.method == "shooting"


@pytest.mark.long
def test_lyapunov_exponents_are_those_of_the_multipliers():
    run = in_space().simulate(until=60.0)
    assert run.stats.method == "events"
    found = run.lyapunov()
    orbit = in_space().periodic(method="shooting")
    expected = math.log(abs(orbit.multipliers[0])) / orbit.period
    assert found.exponents[0] == pytest.approx(expected, abs=max(found.errors[0], 0.02))
