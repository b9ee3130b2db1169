"""Orbits of trains whose wheels have no inertia: their velocities follow from forces and are no part of a state; how a
period changes with its state is exact, through all events."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.transient.problem import pose


def train() -> ss.Model:
    """Two bodies, three wheels without inertia between them, play at both ends, friction in every bearing."""
    m = ss.Model("train")
    inertia = {"motor": 0.02, "g1": 0.0, "g2": 0.0, "g3": 0.0, "load": 0.3}
    motor, g1, g2, g3, load = (m.coordinate(name, inertia=value) for name, value in inertia.items())
    m.connect(motor - g1, ss.Freeplay(stiffness=458.0, half_gap=0.0052), name="input shaft")
    m.connect(g1 + 2.5 * g2, ss.Linear(stiffness=859.0), name="mesh12")
    m.connect(g2 - 1.2 * g3, ss.Linear(stiffness=1146.0), name="mesh23")
    m.connect(g3 - load, ss.Freeplay(stiffness=1719.0, half_gap=0.0035), name="output shaft")
    m.connect(load, ss.Linear(stiffness=229.0, damping=0.6), name="hold")
    for wheel, limit, damping in ((motor, 0.05, 0.01), *((g, 0.02, 0.002) for g in (g1, g2, g3)), (load, 0.2, 0.05)):
        m.connect(wheel, ss.DryFriction(limit=limit, damping=damping))
    m.load(motor, ss.Constant(2.0) + ss.Cosine(3.0, order=2))
    return m


def geared(seed: int) -> ss.Model:
    """A random train of two bodies and up to two light wheels, with sliders, contacts and damped gaps."""
    rng = np.random.default_rng(seed)
    m, wheels = ss.Model("geared", frequency=float(rng.uniform(0.8, 2.0))), int(rng.integers(1, 3))
    names = ["a", *(f"w{i}" for i in range(wheels)), "b"]
    inertia = {name: 0.0 if name[0] == "w" else float(rng.uniform(0.5, 2.0)) for name in names}
    q: list[Any] = [m.coordinate(name, inertia=value) for name, value in inertia.items()]
    for i, (left, right) in enumerate(itertools.pairwise(q)):
        k, gap = float(rng.uniform(3.0, 10.0)), float(rng.uniform(0.02, 0.2))
        law = ss.Freeplay(stiffness=k, half_gap=gap, damping=float(rng.choice([0.0, 0.1])))
        form = left - float(rng.choice([1.0, -0.6])) * right
        m.connect(form, law if rng.random() < 0.7 else ss.Linear(stiffness=k), name=f"mesh {i}")
    for i, each in enumerate(q):
        limit, damping = float(rng.uniform(0.02, 0.1)), float(rng.uniform(0.1, 0.5))
        m.connect(each, ss.DryFriction(limit=limit, damping=damping), name=f"bearing {i}")
    m.connect(q[-1], ss.Linear(stiffness=2.0, damping=0.1), name="ground")
    m.connect(q[0], ss.Jenkins(stiffness=2.0, limit=0.3), name="slider")
    m.load(q[0], ss.Cosine(float(rng.uniform(0.5, 2.0)), order=1) + ss.Constant(float(rng.uniform(-0.3, 0.3))))
    return m


def test_the_derivative_through_all_events_is_that_of_differences():
    close = total = 0
    for seed in range(24):
        problem = pose(geared(seed))
        period = ExactMap(problem, 2.0 * math.pi / problem.frequency)
        state = period.go(period.go(period.first()).state).state  # off the start, where much is at rest
        passed = period.go(state, derivative=True)
        assert passed.derivative is not None
        assert len(passed.flow.events) > 3
        sizes, total = np.maximum(passed.flow.sizes, 1e-6), total + 1
        misses = []
        for sign in (1.0, -1.0):  # one-sided: a contact that rests at its limit goes on otherwise to either side
            columns = []
            for k in range(period.size):
                step = np.zeros(period.size)
                step[k] = sign * 1e-7 * sizes[k]
                columns.append((period.go(state + step).state - passed.state) / (sign * 1e-7) / sizes)
            misses.append(np.abs(np.array(columns).T - passed.derivative * sizes[None, :] / sizes[:, None]).max(axis=0))
        close += bool((np.minimum(*misses) < 1e-4).all())
    assert close >= 0.95 * total


def test_what_velocity_a_wheel_without_inertia_is_given_changes_nothing():
    problem = pose(train(), 0.0, 40.0)
    period = ExactMap(problem, 2.0 * math.pi / 40.0)
    state = period.go(period.first()).state
    assert not state[6:9].any()  # of the wheels
    other = state.copy()
    other[6:9] = 3.0, -20.0, 500.0
    np.testing.assert_allclose(period.go(other).state, period.go(state).state, atol=1e-12)


@pytest.mark.parametrize("between", [(383.5, 384.5), (494.0, 497.0)])
def test_a_curve_does_not_creep_where_an_event_passes_the_begin_of_the_period(between: tuple[float, float]):
    """In microseconds a wheel gets from one velocity to another: steps along the curve shrank to 1e-6 there."""
    curve = train().frequency_response(between=tuple(ss.rpm(n) for n in between), method="shooting")
    assert len(curve.points) < 60
    assert max(point.residual for point in curve.points) <= 1e-11
    first = curve.points[0]
    times = np.linspace(799 * first.period, 800 * first.period, 2001)
    run = train().simulate(until=800 * first.period, frequency=first.frequency, samples=times)
    np.testing.assert_allclose(0.5 * np.ptp(run.data.displacement.values, axis=0), first.amplitude, rtol=1e-4)
