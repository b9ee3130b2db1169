"""What a run without samples keeps: events, not steps."""

from __future__ import annotations

import tracemalloc

import pytest

import slipstick as ss


def peak(model, until, **how):
    model.simulate(until=0.5, samples=0, **how)  # compiles
    tracemalloc.start()
    try:
        run = model.simulate(until=until, samples=0, **how)
        return tracemalloc.get_traced_memory()[1], run.stats.steps
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "how",
    [{"method": "inclusion", "step": 1e-3}, {"method": "newmark", "step": 1e-3}, {"method": "exact"}],
    ids=lambda how: how["method"],
)
def test_a_run_without_events_and_samples_takes_no_more_room_when_it_is_longer(how):
    m = ss.Model("swing")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.01))
    m.load(x, ss.Sine(0.3, frequency=0.8))
    (short, few), (long, many) = (peak(m, until, **how) for until in (10.0, 200.0))
    if how["method"] != "exact":  # which takes one stretch however long it is
        assert many > 15 * few
    assert long < 1.2 * short + 20_000
