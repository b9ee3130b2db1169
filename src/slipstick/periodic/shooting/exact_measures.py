"""The figures of an exact orbit: what a curve stores of it, to rounding."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.common_period import Period
from slipstick.periodic.measures.orbit_measures import ConnectionMeasures, MotionMeasures, base_phase, harmonic_count
from slipstick.transient.exact.engine import Flow
from slipstick.transient.exact.outputs import measure_run

Array = NDArray[np.float64]

STORED_HARMONICS = 12  # harmonics of the base frequency: each costs time where orbits are many


def measure_exact_orbit(
    flow: Flow, period: Period, harmonics: int = STORED_HARMONICS
) -> tuple[MotionMeasures, ConnectionMeasures]:
    """Of the coordinates, and of the connections, over one period; so many harmonics of the base frequency."""
    reading = measure_run(flow, harmonic_count(period.turns, harmonics))
    n = len(flow.engine.packed.problem.assembly.names)
    spread, heard = reading.high - reading.low, reading.harmonics[:, :n]
    motion = MotionMeasures(
        0.5 * spread[:n], np.sqrt(reading.square[:n]), reading.mean[:n], heard, base_phase(heard, period.turns)
    )
    return motion, ConnectionMeasures(spread[n:], reading.work[n:], *exact_stick_shares(flow, period))


def exact_stick_shares(flow: Flow, period: Period) -> tuple[Array, Array]:
    """(m,) the part of the period in which all that can stick in a connection does, and the phase [rad] at which that
    begins first."""
    packed = flow.engine.packed
    problem, begins = packed.problem, flow.times.tolist()
    pieces = flow.pieces.astype(np.intp).tolist()
    share, lag = np.full((2, len(problem.system.connections)), np.nan)
    for connection, units in flow.engine.sticking.items():
        held = [all(unit.pieces[own[j]] == "stick" for j, unit in units) for own in pieces]
        ends = [*begins[1:], flow.time]
        stuck = [end - begin for begin, end, sticks in zip(begins, ends, held, strict=True) if sticks]
        share[connection] = math.fsum(stuck) / period.time
        first = [begin for k, begin in enumerate(begins) if held[k] and not held[k - 1]]
        if first:
            lag[connection] = period.base * (first[0] - problem.start)
    return share, lag
