"""Measures of an orbit from its samples: amplitude, rms, harmonics, force range, dissipation, stick.

Between two samples a displacement is the cubic with their values and velocities, which is of fourth order in their
distance; samples may lie anywhere, so that events can be among them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex
from slipstick.results.connection_states import split_states
from slipstick.results.trajectory import Samples

MAX_STORED_HARMONICS = 20  # harmonics of the base frequency, of a response by integration
NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)
FRICTION_STATES = ("stick", "slip+", "slip-", "unloaded")


class MotionMeasures(NamedTuple):
    """By coordinate (n,), as `slipstick.results.orbit.OrbitPoint` has it; harmonics (H+1, n)."""

    amplitude: Array
    rms: Array
    mean: Array
    harmonics: Complex
    phase: Array
    acceleration_amplitude: Array


class ConnectionMeasures(NamedTuple):
    """By connection (m,), as `slipstick.results.orbit.OrbitPoint` has it."""

    force_range: Array
    dissipated: Array
    stick_share: Array
    lag: Array


def measure_motion(samples: Samples, turns: float, harmonics: int | None = None) -> MotionMeasures:
    """Of samples over one period, both ends included, that holds so many turns of the base frequency.

    harmonics : how many of the period; default `MAX_STORED_HARMONICS` of the base frequency.
    """
    t, q, v = samples.time, samples.displacement, samples.velocity
    h, period = np.diff(t), t[-1] - t[0]
    x = 0.5 * (NODES + 1.0)
    weights = (0.5 * WEIGHTS * h[:, None]).ravel() / period
    values = _cubic(q, v, h, x).reshape(weights.size, -1)
    mean, square = weights @ values, weights @ values**2
    count = harmonic_count(turns) if harmonics is None else harmonics
    times = (t[:-1, None] + h[:, None] * x).ravel()
    turning = np.exp(-2j * np.pi / period * np.outer(np.arange(count + 1), times))
    table = 2.0 * ((turning * weights) @ values)
    table[0] *= 0.5
    low, high = _extremes(q, v, h)
    accelerated = 0.5 * np.ptp(samples.acceleration, axis=0)
    return MotionMeasures(0.5 * (high - low), np.sqrt(square), mean, table, base_phase(table, turns), accelerated)


@cache
def harmonic_count(turns: float, of_base: int = MAX_STORED_HARMONICS) -> int:
    """How many harmonics are kept of a period that holds so many turns of the base frequency."""
    return max(round(of_base * turns), 1)


def base_phase(harmonics: Complex, turns: float) -> Array:
    """(n,) the phase of the base frequency; not a number where the period does not hold whole turns of it."""
    base = round(turns)
    is_there = base < len(harmonics) and abs(base - turns) < 1e-9  # a load of order 2 alone repeats after half a turn
    return np.angle(harmonics[base]) if is_there else np.full(harmonics.shape[1], np.nan)


def measure_connections(samples: Samples, frequency: float) -> ConnectionMeasures:
    """Of samples over one period, both ends included; frequency : [rad/s] the base, for the lag."""
    f, u = samples.force, samples.deflection
    count = f.shape[1]
    share, lag = np.full(count, np.nan), np.full(count, np.nan)
    for j in range(count):
        sticks = _sticks(samples.state[:, j])
        if sticks is not None:
            h = np.diff(samples.time)
            share[j] = float(h[sticks[:-1]].sum() / h.sum())
            begins = np.flatnonzero(sticks[1:] & ~sticks[:-1]) + 1
            if begins.size:
                lag[j] = frequency * float(samples.time[begins[0]] - samples.time[0])
    return ConnectionMeasures(np.ptp(f, axis=0) if f.size else np.zeros(count), _work(f, u), share, lag)


def _work(f: Array, u: Array) -> Array:
    """(m,) the area of loops: trapezoids, extrapolated from those over every other sample."""
    fine, coarse = (
        0.5 * ((f[k::k] + f[:-k:k]) * (u[k::k] - u[:-k:k])).sum(axis=0) if f.shape[0] > k else np.zeros(f.shape[1])
        for k in (1, 2)
    )
    return np.asarray((4.0 * fine - coarse) / 3.0 if f.shape[0] % 2 else fine)


def _sticks(states: NDArray[np.str_]) -> NDArray[np.bool_] | None:
    """(k,) where all parts with friction stick; None if there is none."""
    words, codes = np.unique(states, return_inverse=True)
    parts = [[part for part in split_states(str(word)) if part in FRICTION_STATES] for word in words]
    if not any(parts):
        return None
    held = np.array([bool(own) and all(part == "stick" for part in own) for own in parts])
    return np.asarray(held[codes])


def _cubic(q: Array, v: Array, h: Array, x: Array) -> Array:
    """(k - 1, points, n) the values within each interval, at parts x of it."""
    p, rest = x[None, :, None], 1.0 - x[None, :, None]
    a, b = q[:-1, None], q[1:, None]
    slopes = h[:, None, None] * np.array([v[:-1], v[1:]])[:, :, None]
    ends = (1.0 + 2.0 * p) * rest**2 * a + (1.0 + 2.0 * rest) * p**2 * b
    return np.asarray(ends + p * rest * (rest * slopes[0] - p * slopes[1]))


def _extremes(q: Array, v: Array, h: Array) -> tuple[Array, Array]:
    """(n,) the least and the largest values, between samples too."""
    low, high = q.min(axis=0), q.max(axis=0)
    turn, column = np.nonzero(v[:-1] * v[1:] < 0.0)
    for i, j in zip(turn, column, strict=True):
        # the velocity of the cubic is a parabola, with one root inside as its ends have different signs
        jump, first, last = q[i + 1, j] - q[i, j], h[i] * v[i, j], h[i] * v[i + 1, j]
        roots = np.roots([3.0 * (first + last) - 6.0 * jump, 6.0 * jump - 4.0 * first - 2.0 * last, first])
        inside = roots[(np.abs(roots.imag) < 1e-12) & (roots.real > 0.0) & (roots.real < 1.0)].real
        if inside.size:
            value = _cubic(q[i : i + 2, j : j + 1], v[i : i + 2, j : j + 1], h[i : i + 1], inside).ravel()
            low[j], high[j] = min(low[j], value.min()), max(high[j], value.max())
    return low, high
