"""The figures of an exact orbit: what a curve stores of it, to rounding.

Means and harmonics are integrals by Gauss rules on panels that end at events; extremes are searched between their
points; shares of time come from the segments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.period import Period
from slipstick.transient.exact import places as at
from slipstick.transient.exact.certify import quadrature
from slipstick.transient.exact.trajectory import ExactTrajectory

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

HARMONICS = 12  # of the period
ZOOMS, FINER = 6, 33  # searches for an extreme, each that many points between the neighbours of the last


class Figures(NamedTuple):
    """Of n coordinates (all of the model's) and m connections; see `results.orbit.OrbitPoint`."""

    amplitude: Array
    rms: Array
    mean: Array
    harmonics: Complex
    phase: Array
    force_range: Array
    dissipated: Array
    stick_share: Array
    lag: Array


def figures(trajectory: ExactTrajectory, period: Period) -> Figures:
    """The figures of one period."""
    parts = [(motion, weights) for _, motion, weights in quadrature(trajectory)]
    time = np.concatenate([motion.time for motion, _ in parts])
    weights = np.concatenate([w for _, w in parts]) / period.time
    samples = trajectory.read(time)
    mean = weights @ samples.displacement
    turns = np.exp(-2j * math.pi / period.time * np.outer(np.arange(1, HARMONICS + 1), time))
    harmonics = np.vstack([mean[None, :].astype(complex), 2.0 * (turns * weights) @ samples.displacement])
    base = round(period.turns)
    whole = abs(base - period.turns) < 1e-9 and base <= HARMONICS
    stick, lag = sticking(trajectory, period)
    return Figures(
        amplitude=0.5 * _spread(trajectory, time, samples.displacement, "displacement"),
        rms=np.sqrt(weights @ samples.displacement**2),
        mean=mean,
        harmonics=harmonics,
        phase=np.angle(harmonics[base]) if whole else np.full(mean.size, np.nan),
        force_range=_spread(trajectory, time, samples.force, "force"),
        dissipated=period.time * (weights @ (samples.force * _rates(trajectory, time))),
        stick_share=stick,
        lag=lag,
    )


def _rates(trajectory: ExactTrajectory, time: Array) -> Array:
    """(k, m) rates of the connections' deflections."""
    from slipstick.model.system import dense

    p = trajectory.problem
    samples = trajectory.read(time)
    return np.asarray(samples.velocity @ dense(p.assembly.deflections))


def _spread(trajectory: ExactTrajectory, time: Array, values: Array, what: str) -> Array:
    """(columns,) largest less smallest value over the period, events included."""
    instants = np.unique(np.concatenate([trajectory.flow.record[:, at.R_TIME], [trajectory.flow.time]]))
    corners = getattr(trajectory.read(instants), what)
    every = np.concatenate([time, instants])
    order = np.argsort(every, kind="stable")
    every, values = every[order], np.concatenate([values, corners])[order]
    found = np.empty(values.shape[1])
    for j in range(values.shape[1]):
        column = values[:, j]
        if not np.ptp(column):
            found[j] = 0.0
            continue

        def at_times(t: Array, j: int = j) -> Array:
            return np.asarray(getattr(trajectory.read(t), what)[:, j])

        found[j] = _extreme(at_times, every, column, 1.0) + _extreme(at_times, every, column, -1.0)
    return found


def _extreme(at_times: Callable[[Array], Array], time: Array, values: Array, sign: float) -> float:
    """The largest value of sign * f, searched ever closer around the largest of the samples."""
    best = float((sign * values).max())
    k = int(np.argmax(sign * values))
    low, high = float(time[max(k - 1, 0)]), float(time[min(k + 1, time.size - 1)])
    for _ in range(ZOOMS):
        if not high > low:
            break
        t = np.linspace(low, high, FINER)
        v = sign * at_times(t)
        i = int(np.argmax(v))
        best = max(best, float(v[i]))
        low, high = float(t[max(i - 1, 0)]), float(t[min(i + 1, FINER - 1)])
    return best


def sticking(trajectory: ExactTrajectory, period: Period) -> tuple[Array, Array]:
    """(m,) the part of the period each connection sticks, and the phase [rad] at which the first stick begins."""
    record = trajectory.flow.record
    lengths = np.diff(np.append(record[:, at.R_TIME], trajectory.flow.time))
    states = trajectory.states
    held = np.char.find(states, "stick") >= 0
    can = np.array([_can_stick(trajectory, j) for j in range(states.shape[1])], dtype=bool)
    share = np.where(can, (lengths @ held) / period.time, np.nan)
    lag = np.full(states.shape[1], np.nan)
    for j in np.flatnonzero(can):
        begins = np.flatnonzero(held[:, j] & ~np.roll(held[:, j], 1))
        if begins.size:
            lag[j] = period.base * (record[begins[0], at.R_TIME] - trajectory.problem.start)
    return share, lag


def _can_stick(trajectory: ExactTrajectory, connection: int) -> bool:
    units, p = trajectory.packed.units, trajectory.problem
    return any("stick" in unit.pieces for unit in units if p.elements[unit.elements[0]].connection == connection)
