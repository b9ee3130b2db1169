"""Steady motions of single masses by brute force: many starts at once, by Runge-Kutta, without slipstick.

x'' + c x' + f(x) = F cos(w t) + F0, with a spring f that is a cubic or has a gap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_REPEATS = 6
STEPS, FINE_STEPS = 120, 960  # of Runge-Kutta in a period
SETTLED_REL, SAME_REL = 2e-4, 1e-2  # of the motion
DISTINCT_REL = 5e-3  # the same, by which periods of one motion differ; else it settles slowly


class Oscillator(NamedTuple):
    damping: float
    spring: Callable[[Array], Array]
    load: float
    mean: float = 0.0


class SteadyMotion(NamedTuple):
    """state : (q, v) at t = 0.   repeats : periods of the load in one of it.   amplitude : half peak to peak."""

    frequency: float
    state: tuple[float, float]
    repeats: int
    amplitude: float
    share: float


def run(
    own: Oscillator, omega: Array, q: Array, v: Array, periods: int, steps: int = STEPS
) -> tuple[Array, Array, Array, Array]:
    """States (periods + 1, ...) at the beginning of periods, lowest and highest displacement of each of the last."""
    h = 2.0 * np.pi / omega / steps
    turn = 2.0 * np.pi * np.arange(2 * steps + 1) / (2 * steps)
    load = own.load * np.cos(turn) + own.mean
    states_q, states_v = [q], [v]
    lows, highs = [], []

    def rate(q: Array, v: Array, f: float) -> Array:
        return f - own.damping * v - own.spring(q)

    for period in range(periods):
        low, high = q.copy(), q.copy()
        for k in range(steps):
            f0, f1, f2 = load[2 * k], load[2 * k + 1], load[2 * k + 2]
            a1 = rate(q, v, f0)
            v2 = v + 0.5 * h * a1
            a2 = rate(q + 0.5 * h * v, v2, f1)
            v3 = v + 0.5 * h * a2
            a3 = rate(q + 0.5 * h * v2, v3, f1)
            v4 = v + h * a3
            a4 = rate(q + h * v3, v4, f2)
            q = q + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
            v = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
            if period >= periods - MAX_REPEATS:
                np.minimum(low, q, out=low)
                np.maximum(high, q, out=high)
        states_q.append(q)
        states_v.append(v)
        if period >= periods - MAX_REPEATS:
            lows.append(low)
            highs.append(high)
    kept = slice(-2 * MAX_REPEATS - 1, None)
    return np.array(states_q[kept]), np.array(states_v[kept]), np.array(lows), np.array(highs)


def steady_motions(
    own: Oscillator, between: tuple[float, float], size: float, frequencies: int = 40, side: int = 8, periods: int = 0
) -> list[SteadyMotion]:
    """The different periodic motions that a grid of starts ends on at each of many frequencies.

    size : of displacements of the starts.   side : starts along either side of the grid.
    """
    omegas = np.linspace(*between, frequencies)
    unit = np.linspace(-1.0, 1.0, side)
    grid_q, grid_v = (part.ravel() for part in np.meshgrid(unit, unit))
    radius = np.geomspace(0.1, 1.0, grid_q.size)[np.random.default_rng(1).permutation(grid_q.size)]
    omega = np.repeat(omegas, grid_q.size)
    q, v = (np.tile(size * radius * part, frequencies) for part in (grid_q, grid_v))
    v = v * omega
    periods = periods or int(min(max(16.0 * float(omegas.max()) / (np.pi * own.damping), 40), 700))
    qs, vs, lows, highs = run(own, omega, q, v, periods)
    found = list[SteadyMotion]()
    for k, w in enumerate(omegas.tolist()):
        columns = slice(k * grid_q.size, (k + 1) * grid_q.size)
        found += _distinct(w, qs[:, columns], vs[:, columns], lows[:, columns], highs[:, columns])
    return found


def _distinct(w: float, qs: Array, vs: Array, lows: Array, highs: Array) -> list[SteadyMotion]:
    found = list[tuple[SteadyMotion, Array]]()
    counts = list[int]()
    for i in range(qs.shape[1]):
        amplitude = 0.5 * float(highs[:, i].max() - lows[:, i].min())
        size = max(amplitude, 1e-12)
        rows = np.column_stack([qs[:, i], vs[:, i] / w]) / size
        changes = [float(np.abs(rows[-1] - rows[-1 - r]).max()) for r in range(1, MAX_REPEATS + 1)]
        repeats = next((r for r, change in enumerate(changes, 1) if change < SETTLED_REL), 0)
        if not repeats or min(changes[: repeats - 1], default=1.0) < DISTINCT_REL:
            continue
        amplitude = 0.5 * float(highs[-repeats:, i].max() - lows[-repeats:, i].min())
        orbit = rows[-repeats:]
        for j, (other, known) in enumerate(found):
            if (
                other.repeats == repeats
                and min(float(np.abs(np.roll(orbit, s, axis=0) - known).max()) for s in range(repeats)) < SAME_REL
                and abs(other.amplitude - amplitude) < SAME_REL * amplitude
            ):
                counts[j] += 1
                break
        else:
            state = float(qs[-1, i]), float(vs[-1, i])
            found.append((SteadyMotion(w, state, repeats, amplitude, 0.0), orbit))
            counts.append(1)
    return [own._replace(share=n / qs.shape[1]) for (own, _), n in zip(found, counts, strict=True)]
