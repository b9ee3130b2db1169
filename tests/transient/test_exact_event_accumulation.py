"""Contacts that stay at their limits to rounding: wheels without inertia come to rest by exponentials, and all that
tells stick from slip is gone after some forty times of the fastest. A run that would never end says so, and soon."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import slipstick as ss
from slipstick.transient.exact import flow_run
from slipstick.transient.exact.engine import engine_of
from slipstick.transient.exact.flow_run import Flow
from slipstick.transient.problem import pose

# [rad/s] and states (q, v) at which bearings of wheels without inertia do so: the first two flipped every 1e-18 s, in
# the third a rate that is a difference of forces was below zero by its rounding
HOVERING = {
    38.52978863777773: [
        2.9293830795060205e-03, 1.7896407254441374e-02, -1.1521239071759580e-02, -2.6679237837494440e-02,
        -3.9570563793806947e-02, 6.3196156855687207e01, 4.6594324092543275e01, -1.5096500226557385e01,
        1.2522473100286993e00, 1.4531573536400483e01,
    ],
    38.52941651753526: [
        0.003959059016512487, 0.01865520328388573, -0.011766938727148839, -0.02665825209428052,
        -0.039332852919299825, 63.21421127214743, 46.60786337973165, -15.100948434075681,
        1.2523219365836515, 14.535278228080712,
    ],
    45.866391216670706: [
        0.0860601221995969, 0.09132319265903918, -0.036536108474949924, -0.030458873042233197,
        -0.02943400991999817, 0.15536652368466333, 0.0, 0.0, 0.0, 0.03600951315500605,
    ],
}  # fmt: skip


def train(**angles: float) -> ss.Model:
    """Two bodies, three wheels without inertia between them, play at both ends, friction in every bearing.

    Numbers to the last digit: whether events pile up at a state is a matter of rounding.
    """
    m = ss.Model("train")
    inertia = {"motor": 0.02, "g1": 0.0, "g2": 0.0, "g3": 0.0, "load": 0.3}
    motor, g1, g2, g3, load = (
        m.coordinate(name, inertia=value, displacement=angles.get(name, 0.0)) for name, value in inertia.items()
    )
    m.connect(motor - g1, ss.Freeplay(stiffness=458.3662361046586, half_gap=0.005235987755982988), name="input shaft")
    m.connect(g1 + 2.5 * g2, ss.Linear(stiffness=859.4366926962349), name="mesh12")
    m.connect(g2 - 1.2 * g3, ss.Linear(stiffness=1145.9155902616465), name="mesh23")
    m.connect(g3 - load, ss.Freeplay(stiffness=1718.8733853924698, half_gap=0.003490658503988659), name="output shaft")
    m.connect(load, ss.Linear(stiffness=229.1831180523293, damping=0.6), name="hold")
    for wheel, limit, damping in ((motor, 0.05, 0.01), *((g, 0.02, 0.002) for g in (g1, g2, g3)), (load, 0.2, 0.05)):
        m.connect(wheel, ss.DryFriction(limit=limit, damping=damping))
    m.load(motor, ss.Constant(2.0) + ss.Cosine(3.0, order=2))
    return m


def walked(frequency: float, state: list[float]) -> Flow:
    """One period."""
    own = engine_of(pose(train(), 0.0, frequency))
    first = own.state_of(np.array(state))
    first.steps_before_table = 0.0
    flow = Flow(own, 2.0 * math.pi / frequency, first)
    flow.go(impatient)
    return flow


def impatient(done: float) -> None:
    """Called after each two thousand segments, and at the end."""
    if done < 1.0:
        pytest.fail("thousands of segments, and the run goes on")


@pytest.mark.parametrize("frequency", HOVERING)
def test_a_bearing_that_stays_at_its_limit_to_rounding_does_not_come_and_go(frequency: float):
    flow = walked(frequency, HOVERING[frequency])
    assert flow.trouble == ""
    assert len(flow.times) < 200
    # not by chance: from a little beside, the wheels a little further on, a period ends a little beside
    for aside in (1e-9, -1e-9):
        other = np.array(HOVERING[frequency])
        other[:5] += aside
        np.testing.assert_allclose(walked(frequency, other).arrived, flow.arrived, atol=1e-6)


def test_a_run_whose_segments_take_next_to_no_time_each_ends_with_that_reason(monkeypatch):
    monkeypatch.setattr(flow_run, "MIN_SEGMENT_TIME_REL", 1e-3)  # of the run: those below take a quarter of that
    with pytest.raises(ss.NotConverged, match="events accumulate at one instant"):
        quick().simulate(until=1e-3, method="exact", samples=2)


def quick() -> ss.Model:
    """A slider that slips back and forth, twice a period of a microsecond."""
    m = ss.Model("quick")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    p = m.coordinate("p", motion=ss.Sine(1.0, frequency=2.0 * math.pi * 1e6))
    m.connect(p - x, ss.Jenkins(stiffness=1.0, limit=0.1), name="slider")
    return m


def test_many_events_that_take_their_time_are_no_reason_to_end():
    """A thousand periods."""
    run = quick().simulate(until=1e-3, method="exact", samples=2)
    assert run.stats.events == pytest.approx(4000, abs=4)


STARTS = [("g1", 2.0), ("g2", -2.0), ("g3", -5.0)]  # [deg] of a wheel, all else at zero


@pytest.mark.parametrize(("wheel", "angle"), STARTS)
def test_wheels_without_inertia_that_start_under_tension_come_to_rest(wheel: str, angle: float):
    """Within a tenth of a millisecond they are at their limits to rounding; a stiff integrator is the judge.

    C v = luz(F, F0) of a wheel; that the friction of bodies turns within 1e-6 rad/s is what it leaves.
    """
    m = train(**{wheel: math.radians(angle)})
    start = [math.radians(angle) if name == wheel else 0.0 for name in ("motor", "g1", "g2", "g3", "load")]
    run = m.simulate(until=2e-3, frequency=40.0, samples=2)
    meant = solve_ivp(_rates, (0.0, 2e-3), [*start, 0.0, 0.0], "Radau", rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.data.displacement.values[-1], meant.y[:5, -1], atol=1e-7)
    assert m.simulate(until=0.5, frequency=40.0, samples=2).stats.events > 20


def _rates(t: float, y: np.ndarray) -> list[float]:
    motor, g1, g2, g3, load, v_motor, v_load = y
    shaft = 458.3662361046586 * luz(motor - g1, 0.005235987755982988)
    mesh12, mesh23 = 859.4366926962349 * (g1 + 2.5 * g2), 1145.9155902616465 * (g2 - 1.2 * g3)
    output = 1718.8733853924698 * luz(g3 - load, 0.003490658503988659)
    pulls = (shaft - mesh12, -2.5 * mesh12 - mesh23, 1.2 * mesh23 - output)
    drive = 2.0 + 3.0 * math.cos(80.0 * t) - shaft - 0.01 * v_motor - 0.05 * np.clip(v_motor / 1e-6, -1.0, 1.0)
    hold = output - 229.1831180523293 * load - 0.65 * v_load - 0.2 * np.clip(v_load / 1e-6, -1.0, 1.0)
    return [v_motor, *(luz(pull, 0.02) / 0.002 for pull in pulls), v_load, drive / 0.02, hold / 0.3]


def luz(x: float, a: float) -> float:
    return x - min(max(x, -a), a)
