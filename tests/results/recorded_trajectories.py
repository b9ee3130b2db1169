"""Trajectories made by hand, for tests of what is around the solvers."""

from __future__ import annotations

import math

import numpy as np

from slipstick.results.certificate import Certificate
from slipstick.results.trajectory import Event, RecordedTrajectory, Samples, Stats


def certificate(system, **changes) -> Certificate:
    names = [c.name for c in system.connections]
    values = {
        "error": 2e-9,
        "errors": {c.name: 2e-9 for c in system.coordinates},
        "energy_residual": 3e-13,
        "work_in": 1.25,
        "dissipated": dict.fromkeys(names, 0.5),
        "stored": dict.fromkeys(names[:1], 0.25),
        "kinetic": 0.5,
        "tolerance": 1e-9,
        "notes": ("made by hand",),
    }
    return Certificate(**{**values, **changes})


def trajectory(system, times, *, events=True, **changes) -> RecordedTrajectory:
    """A smooth wobble of all coordinates; connections in turn have states "slip+", "stick", "slip-" or none."""
    times = np.asarray(times, dtype=float)
    n, m = len(system.coordinates), len(system.connections)
    phase = np.arange(1, n + 1)
    q = np.sin(times[:, None] * (1.0 + 0.3 * phase)) / phase
    v = np.cos(times[:, None] * (1.0 + 0.3 * phase)) * (1.0 + 0.3 * phase) / phase
    u = np.sin(times[:, None] * (1.0 + 0.2 * np.arange(m)))
    force = np.clip(2.0 * u, -0.8, 0.8) * (1.0 + np.arange(m))
    state = np.where(u > 0.4, "slip+", np.where(u < -0.4, "slip-", "stick"))
    state[:, 1::2] = ""
    found = []
    if events and m:
        for k in np.flatnonzero(state[1:, 0] != state[:-1, 0]):
            found.append(Event(float(times[k + 1]), system.connections[0].name, str(state[k, 0]), str(state[k + 1, 0])))
    stats = Stats("exact", steps=7, events=len(found), factorisations=2, solves=math.prod((3, 4)))
    return RecordedTrajectory(
        stats, Samples(times, q, v, u, force, state, np.zeros_like(q)), found, certificate(system, **changes)
    )
