"""Normal loads that cross zero: the same whatever the unit of time, and however little is left of the motion."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss

pytestmark = pytest.mark.filterwarnings("ignore:DryFriction. limit is negative")


def brake(unit: float, *, mean: float, wave: float, load: float, start: float, damping: float = 0.1) -> ss.Model:
    """An oscillator of mass and stiffness 1 in a unit of time of so many seconds."""
    m = ss.Model("brake")
    x = m.coordinate("x", inertia=unit**2, displacement=start)
    m.connect(x, ss.Linear(stiffness=1.0, damping=damping * unit), name="spring")
    m.connect(x, ss.DryFriction(limit=ss.Fourier(mean, cos=(wave,), frequency=1.0 / unit)), name="pad")
    if load:
        m.load(x, ss.Sine(load, frequency=0.7 / unit))
    return m


@pytest.mark.parametrize("unit", [1e3, 1e-3, 1e-5, 1e-8])
@pytest.mark.parametrize("wave", [0.5, 0.3], ids=["crosses zero", "touches zero"])
def test_the_unit_of_time_changes_nothing(unit: float, wave: float) -> None:
    runs = [
        brake(u, mean=0.3, wave=wave, load=1.0, start=0.0).simulate(until=50.0 * u, samples=11, method="exact")
        for u in (1.0, unit)
    ]
    times = [[event.time / u for event in run.events] for run, u in zip(runs, (1.0, unit), strict=True)]
    assert times[1] == pytest.approx(times[0], rel=1e-11)
    apart = np.abs(runs[1].data.displacement.values - runs[0].data.displacement.values).max()
    assert apart <= 2.0 * runs[0].certificate.error


@pytest.mark.parametrize("unit", [1.0, 1e-4])
@pytest.mark.parametrize("start", [1e-2, 1e-6, 1e-10, 1e-13])
def test_a_block_at_rest_slips_just_before_its_load_is_gone(start: float, unit: float) -> None:
    run = brake(unit, mean=0.3, wave=0.5, load=0.0, start=start).simulate(until=3.0 * unit, method="exact")
    slips = math.acos((start - 0.3) / 0.5)  # the spring pulls with the limit
    unloads = math.acos(-0.3 / 0.5)
    first = run.events[0]
    assert first.before == "stick"
    assert first.time / unit == pytest.approx(slips, rel=1e-12)
    free = next(event.time / unit for event in run.events if event.after == "unloaded")
    assert free == pytest.approx(unloads, rel=1e-12)


def test_free_decay_goes_on_below_the_rounding_of_the_normal_load() -> None:
    rng = np.random.default_rng(1)
    for unit in (1.0, 1e-5):
        for _ in range(6):
            mean = float(rng.uniform(0.02, 0.2))
            m = brake(unit, mean=mean, wave=mean * float(rng.uniform(1.02, 3.0)), load=0.0, start=0.5)
            run = m.simulate(until=1000.0 * unit, samples=[1000.0 * unit], method="exact")
            assert run.certificate.passed
            assert abs(float(run.data.displacement[-1, 0])) < 1e-6
