"""The figures of an exact orbit: what a curve stores of it, to rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.measures import Action, Motion, harmonics_in, phase_in
from slipstick.periodic.period import Period
from slipstick.transient.exact import places as at
from slipstick.transient.exact.engine import Flow
from slipstick.transient.exact.meters import read

Array = NDArray[np.float64]


def figures(flow: Flow, period: Period) -> tuple[Motion, Action]:
    """Of the coordinates, and of the connections, over one period."""
    reading = read(flow, harmonics_in(period.turns))
    n = len(flow.engine.packed.problem.assembly.names)
    mean, spread = reading.mean[:n], reading.high - reading.low
    harmonics = np.vstack([mean[None, :].astype(complex), reading.harmonics[:, :n]])
    motion = Motion(0.5 * spread[:n], np.sqrt(reading.square[:n]), mean, harmonics, phase_in(harmonics, period.turns))
    return motion, Action(spread[n:], reading.work[n:], *sticking(flow, period))


def sticking(flow: Flow, period: Period) -> tuple[Array, Array]:
    """(m,) the part of the period in which all that can stick in a connection does, and the phase [rad] at which that
    begins first."""
    packed = flow.engine.packed
    problem, record = packed.problem, flow.record
    begins = record[:, at.R_TIME]
    lengths = np.append(begins[1:], flow.time) - begins
    held: dict[int, NDArray[np.bool_]] = {}
    for j, unit in enumerate(packed.units):
        if "stick" in unit.pieces:
            sticks = np.array([name == "stick" for name in unit.pieces])
            own = sticks[record[:, at.RECORD_HEAD + 2 * problem.n + j].astype(np.intp)]
            for connection in {problem.elements[e].connection for e in unit.elements}:
                held[connection] = own & held[connection] if connection in held else own
    share, lag = np.full((2, len(problem.system.connections)), np.nan)
    for connection, sticks in held.items():
        share[connection] = lengths @ sticks / period.time
        first = np.flatnonzero(sticks & ~np.roll(sticks, 1))
        if first.size:
            lag[connection] = period.base * (begins[first[0]] - problem.start)
    return share, lag
