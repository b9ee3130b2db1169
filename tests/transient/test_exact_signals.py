"""Loads and motions of many samples: exact between them, with work that grows no faster than their number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lsim

import slipstick as ss
from slipstick.signals import Signal


def noise(samples, seed=0):
    """Samples 0.01 s apart."""
    times = 0.01 * np.arange(samples + 1)
    return times, np.random.default_rng(seed).normal(0.0, 1.0, times.size)


def oscillator(load=None, base=None, slider=False):
    """Mass 1 kg on 4 N/m and 0.3 N s/m, from ground or from a base that moves."""
    m = ss.Model("road")
    x = m.coordinate("x", inertia=1.0)
    foot = x if base is None else x - m.coordinate("y", motion=base)
    m.connect(foot, ss.Linear(stiffness=4.0, damping=0.3), name="spring")
    if slider:
        m.connect(x, ss.Jenkins(stiffness=2.0, limit=0.05), name="slider")
    if load is not None:
        m.load(x, load)
    return m


def test_a_load_of_many_samples_gives_what_scipy_gives():
    """`lsim` with linear interpolation is exact for a load that is linear between samples."""
    times, values = noise(5000)
    run = oscillator(ss.Signal(times, values)).simulate(until=50.0, method="exact", samples=times)
    _, there, _ = lsim(([[0.0, 1.0], [-4.0, -0.3]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]]), values, times)
    assert np.abs(run.data.displacement[:, 0].to_numpy() - there).max() < 1e-11
    assert run.certificate.passed


def test_a_motion_of_many_samples_gives_what_scipy_gives():
    """The base works through k y + c y'; with z = x' - c y the rate of y drops out."""
    times, values = noise(5000)
    values = np.cumsum(values) * 0.01  # a motion has no jumps
    run = oscillator(base=ss.Signal(times, values)).simulate(until=50.0, method="exact", samples=times)
    c, k = 0.3, 4.0
    system = ([[0.0, 1.0], [-k, -c]], [[c], [k - c * c]], [[1.0, 0.0]], [[0.0]])
    start = [0.0, -c * values[0]]
    _, there, _ = lsim(system, values, times, X0=start)
    assert np.abs(run.data.displacement[:, 0].to_numpy() - there).max() < 1e-10
    assert run.certificate.passed


@pytest.mark.parametrize("moves", [False, True])
def test_a_signal_is_read_as_often_for_many_samples_as_for_few(monkeypatch, moves):
    """Whole arrays are read, not sample by sample: each reading looks at all samples, so that more would be N^2."""
    read, counts = Signal.sampled, []

    def counted(self, t, derivative=0):
        counts[-1] += 1
        return read(self, t, derivative)

    monkeypatch.setattr(Signal, "sampled", counted)
    for samples in (100, 3000):
        signal = ss.Signal(*noise(samples))
        m = oscillator(base=signal, slider=True) if moves else oscillator(signal, slider=True)
        counts.append(0)
        assert m.simulate(until=0.01 * samples, method="exact", samples=0).stats.steps >= samples
    assert counts[0] == counts[1] <= 8


def test_steps_grow_with_the_samples_and_progress_is_reported():
    told: list[float] = []
    steps = []
    for samples in (5_000, 20_000):
        m = oscillator(ss.Signal(*noise(samples)), slider=True)
        told.clear()
        steps.append(m.simulate(until=0.01 * samples, method="exact", samples=0, progress=told.append).stats.steps)
    assert steps[1] < 4.4 * steps[0]
    assert len(told) >= 10
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_the_seconds_of_a_run_include_packing_the_samples(monkeypatch):
    """A clock that only the packing moves on: what it says is in the figure."""
    from slipstick.transient.exact import engine, method

    clock = [100.0]
    pack = engine.pack_model

    def slow(problem):
        clock[0] += 7.0
        return pack(problem)

    monkeypatch.setattr(engine, "pack_model", slow)
    monkeypatch.setattr(method, "perf_counter", lambda: clock[0])
    assert oscillator(ss.Signal(*noise(10))).simulate(until=0.1, method="exact").stats.seconds == 7.0
