"""A contact that comes and goes at the rounding of its forces: a run that would never end says so, and soon."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.transient.exact import places as at
from slipstick.transient.exact.engine import Flow, engine_of
from slipstick.transient.problem import pose

FREQUENCY = 38.52978863777773  # [rad/s] and a state at which the bearing of a wheel without inertia does so
STATE = np.array([
    2.9293830795060205e-03, 1.7896407254441374e-02, -1.1521239071759580e-02, -2.6679237837494440e-02,
    -3.9570563793806947e-02, 6.3196156855687207e01, 4.6594324092543275e01, -1.5096500226557385e01,
    1.2522473100286993e00, 1.4531573536400483e01,
])  # fmt: skip


def train() -> ss.Model:
    """Two bodies, three wheels without inertia between them, play at both ends, friction in every bearing.

    Numbers to the last digit: whether events pile up at a state is a matter of rounding.
    """
    m = ss.Model("train")
    inertia = {"motor": 0.02, "g1": 0.0, "g2": 0.0, "g3": 0.0, "load": 0.3}
    motor, g1, g2, g3, load = (m.coordinate(name, inertia=value) for name, value in inertia.items())
    m.connect(motor - g1, ss.Freeplay(stiffness=458.3662361046586, half_gap=0.005235987755982988), name="input shaft")
    m.connect(g1 + 2.5 * g2, ss.Linear(stiffness=859.4366926962349), name="mesh12")
    m.connect(g2 - 1.2 * g3, ss.Linear(stiffness=1145.9155902616465), name="mesh23")
    m.connect(g3 - load, ss.Freeplay(stiffness=1718.8733853924698, half_gap=0.003490658503988659), name="output shaft")
    m.connect(load, ss.Linear(stiffness=229.1831180523293, damping=0.6), name="hold")
    for wheel, limit, damping in ((motor, 0.05, 0.01), *((g, 0.02, 0.002) for g in (g1, g2, g3)), (load, 0.2, 0.05)):
        m.connect(wheel, ss.DryFriction(limit=limit, damping=damping))
    m.load(motor, ss.Constant(2.0) + ss.Cosine(3.0, order=2))
    return m


def impatient(_: float) -> None:
    pytest.fail("thousands of segments, and the run goes on")


def test_a_run_whose_events_take_next_to_no_time_each_ends_with_that_reason():
    engine = engine_of(pose(train(), 0.0, FREQUENCY))
    first = engine.state_of(STATE)
    first[at.WANTED] = 0.0
    flow = Flow(engine, 2.0 * math.pi / FREQUENCY, first)
    flow.go(impatient)  # called after each two thousand segments, and at the end
    assert flow.trouble in ("", "events pile up without time passing")  # with another rounding it may go through
    assert len(flow.record) < 2000


def test_many_events_that_take_their_time_are_no_reason_to_end():
    """A slider that slips back and forth, twice a period of a microsecond, in a run of a thousand periods."""
    m = ss.Model("quick")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    p = m.coordinate("p", motion=ss.Sine(1.0, frequency=2.0 * math.pi * 1e6))
    m.connect(p - x, ss.Jenkins(stiffness=1.0, limit=0.1), name="slider")
    run = m.simulate(until=1e-3, method="exact", samples=2)
    assert run.stats.events == pytest.approx(4000, abs=4)
