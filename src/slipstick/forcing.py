"""`Forcing`: several functions of time at once, as constant + ramp t + harmonics + sampled signals + sweeps.

Rows are forces on coordinates, or the part of deflections that prescribed motions give. All solvers read functions
of time in this form: as arrays here, or packed into floats for compiled loops (`packed`, `forcing_at`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from slipstick.angle import Angle
from slipstick.arrays import Array
from slipstick.native import view
from slipstick.signals import Base, Signal, TimeFunction


class SweptWaves(NamedTuple):
    """Waves (cos cos x + sin sin x) w^p a^b along an angle x with speed w and acceleration a; cos, sin : (r,).

    powers : (p, b). Both are 0 for a load, and higher for derivatives of prescribed motions.
    """

    angle: Angle
    powers: tuple[int, int]
    cos: Array
    sin: Array

    def over(self, times: Array) -> Array:
        """(k, r) the values at times (k,)."""
        x, (p, b) = self.angle.over(times), self.powers
        size = self.angle.over(times, 1) ** p * self.angle.over(times, 2) ** b
        return np.outer(size * np.cos(x), self.cos) + np.outer(size * np.sin(x), self.sin)

    def rate(self) -> list[SweptWaves]:
        """The derivative in time, between the breaks of the angle."""
        p, b = self.powers
        own = [SweptWaves(self.angle, (p + 1, b), self.sin, -self.cos)]
        return own if p == 0 else [*own, SweptWaves(self.angle, (p - 1, b + 1), p * self.cos, p * self.sin)]


@dataclass(frozen=True, eq=False)
class Forcing:
    """Functions of time as arrays of r rows, with h frequencies.

    constant, ramp : (r,)   omega : (h,) [rad/s], distinct   cos, sin : (r, h)
    signals : sampled functions, each with the column (r,) it multiplies.   sweeps : waves of varying frequency.
    """

    constant: Array
    ramp: Array
    omega: Array
    cos: Array
    sin: Array
    signals: tuple[tuple[Signal, Array], ...]
    sweeps: tuple[SweptWaves, ...] = ()

    @property
    def rows(self) -> int:
        return int(self.constant.size)

    @cached_property
    def is_zero(self) -> bool:
        return not (self.constant.any() or self.ramp.any() or self.omega.size or self.signals or self.sweeps)

    def at(self, t: float, derivative: int = 0) -> Array:
        """(r,) the values at time t, or their first or second derivative in time."""
        return np.asarray(self.over(np.array([t]), derivative)[0])

    def over(self, times: Array, derivative: int = 0) -> Array:
        """(k, r) the values at times (k,), or their first or second derivative."""
        rows = np.empty((times.size, self.rows))
        rows[:] = self.constant if derivative == 0 else self.ramp if derivative == 1 else 0.0
        if derivative == 0 and self.ramp.any():
            rows += np.outer(times, self.ramp)
        turn = 0.5 * math.pi * derivative
        for k, omega in enumerate(self.omega):
            phase, size = omega * times + turn, omega**derivative
            for wave, columns in ((np.cos, self.cos), (np.sin, self.sin)):
                if columns[:, k].any():
                    rows += np.outer(wave(phase), size * columns[:, k])
        for signal, column in self.signals:
            rows += np.outer(signal.sampled(times, derivative), column)
        sweeps = list(self.sweeps)
        for _ in range(derivative):
            sweeps = [part for sweep in sweeps for part in sweep.rate()]
        for sweep in sweeps:
            rows += sweep.over(times)
        return rows

    def max_frequency(self, start: float, until: float) -> float:
        """[rad/s] the highest frequency between two times."""
        return max([*self.omega.tolist(), *(s.angle.max_speed(start, until) for s in self.sweeps)], default=0.0)

    def swing(self, start: float, until: float) -> Array:
        """(r,) bounds of the functions without constants and ramps, between two times."""
        total = np.hypot(self.cos, self.sin).sum(axis=1)
        for signal, column in self.signals:
            total += np.abs(column) * np.abs(signal.values).max()
        for angle, (p, b), cos, sin in self.sweeps:
            total += np.hypot(cos, sin) * angle.max_speed(start, until) ** p * max(map(abs, angle.acceleration)) ** b
        return np.asarray(total)

    def size(self, start: float, until: float) -> Array:
        """(r,) bounds of the functions without ramps, between two times."""
        return np.asarray(np.abs(self.constant) + self.swing(start, until))

    def breaks(self, start: float, until: float) -> Array:
        """The times within (start, until) at which a sampled signal or a speed has a corner or a jump."""
        sampled = [signal.arrays[0] for signal, column in self.signals if column.any()]
        times = np.concatenate([[], *sampled, *(np.array(sweep.angle.begins) for sweep in self.sweeps)])
        return np.unique(times[(times > start) & (times < until)])

    def lines_from(self, times: Array) -> tuple[Array, Array]:
        """(k, r) constants and ramps of everything but harmonics and sweeps, from times (k,) to the next break."""
        constant, ramp = (np.tile(row, (times.size, 1)) for row in (self.constant, self.ramp))
        for signal, column in self.signals:
            slope = signal.sampled(times, 1)
            ramp += np.outer(slope, column)
            constant += np.outer(signal.sampled(times) - slope * times, column)
        return constant, ramp

    def rate(self) -> Forcing:
        """The derivative in time; a sampled signal becomes steps."""
        swept = tuple(part for sweep in self.sweeps for part in sweep.rate())
        moving = [(_slopes(signal), column) for signal, column in self.signals if len(signal.times) > 1]
        return Forcing(
            self.ramp, 0.0 * self.ramp, self.omega, self.sin * self.omega, -self.cos * self.omega, tuple(moving), swept
        )

    def plus(self, matrix: Array, other: Forcing) -> Forcing:
        """The sum of these functions and ``matrix`` times others.   matrix : (r, rows of the other)."""
        omega = np.array(list(dict.fromkeys([*self.omega, *other.omega])), dtype=float)
        cos, sin = np.zeros((self.rows, omega.size)), np.zeros((self.rows, omega.size))
        for part, share in ((self, np.eye(self.rows)), (other, matrix)):
            for k, w in enumerate(part.omega):
                at = int(np.flatnonzero(omega == w)[0])
                cos[:, at] += share @ part.cos[:, k]
                sin[:, at] += share @ part.sin[:, k]
        signals = [(signal, matrix @ column) for signal, column in other.signals]
        nonzero = cos.any(axis=0) | sin.any(axis=0)
        moved = (SweptWaves(s.angle, s.powers, matrix @ s.cos, matrix @ s.sin) for s in other.sweeps)
        return Forcing(
            self.constant + matrix @ other.constant,
            self.ramp + matrix @ other.ramp,
            omega[nonzero],
            cos[:, nonzero],
            sin[:, nonzero],
            (*self.signals, *((signal, column) for signal, column in signals if column.any())),
            (*self.sweeps, *(s for s in moved if s.cos.any() or s.sin.any())),
        )

    def packed(self) -> Array:
        """Flat array for `forcing_at`.

        head : counts of rows, frequencies, signals and sweeps; constants; ramps.
        each frequency : omega; cos and sin by row.
        each signal : column by row; count of samples, cursor; times; values.
        each sweep : cos and sin by row; powers; count of the numbers that follow; begin, angle, speed and acceleration
            of each piece.
        """
        counts = [self.rows, self.omega.size, len(self.signals), len(self.sweeps)]
        parts: list[Any] = [counts, self.constant, self.ramp]
        for k, omega in enumerate(self.omega):
            parts += [[omega], self.cos[:, k], self.sin[:, k]]
        for signal, column in self.signals:
            parts += [column, [len(signal.times), 0.0], signal.times, signal.values]
        for angle, powers, cos, sin in self.sweeps:
            parts += [cos, sin, powers, [4 * len(angle.begins)], np.array(angle).T.ravel()]
        return np.concatenate([np.asarray(part, dtype=float) for part in parts])


def forcing_at(numbers: Array, t: float, out: Array) -> None:
    """Write the values at time t to ``out``; compiled. Moves the cursors of signals within ``numbers``."""
    rows = int(numbers[0])
    line_at(numbers, t, out)
    for k in range(wave_count(numbers)):
        omega = frequency_of(numbers, k)
        add_wave(numbers, k, math.cos(omega * t), math.sin(omega * t), out)
    at = wave_index(numbers, wave_count(numbers))
    for _k in range(int(numbers[2])):
        count = int(numbers[at + rows])
        value = signal_value(view(numbers, at + rows), t)
        for i in range(rows):
            out[i] += numbers[at + i] * value
        at += rows + 2 + count + count  # column, count and cursor, times, values
    for _k in range(int(numbers[3])):
        c, s = swept_wave(view(numbers, at + 2 * rows), t)
        for i in range(rows):
            out[i] += numbers[at + i] * c + numbers[at + rows + i] * s
        at += 2 * rows + 3 + int(numbers[at + 2 * rows + 2])


def signal_value(numbers: Array, t: float) -> float:
    """The value of a sampled signal at time t; compiled. Moves its cursor to the last sample up to t."""
    count = int(numbers[0])
    cursor = int(numbers[1])
    times = view(numbers, 2)
    values = view(numbers, 2 + count)
    while cursor > 0 and times[cursor] > t:
        cursor -= 1
    while cursor < count - 1 and times[cursor + 1] <= t:
        cursor += 1
    numbers[1] = float(cursor)
    value = float(values[cursor])
    if cursor < count - 1 and t > times[cursor]:
        value += (values[cursor + 1] - value) * (t - times[cursor]) / (times[cursor + 1] - times[cursor])
    return value


def swept_wave(numbers: Array, t: float) -> tuple[float, float]:
    """The cosine and sine of a sweep at time t, with its powers of speed and acceleration; compiled."""
    last = int(numbers[2]) - 1
    at = 3
    while at < last and numbers[at + 4] <= t:
        at += 4
    since = t - numbers[at]
    speed = numbers[at + 2] + numbers[at + 3] * since
    x = numbers[at + 1] + since * (numbers[at + 2] + 0.5 * numbers[at + 3] * since)
    size = 1.0
    for _ in range(int(numbers[0])):
        size *= speed
    for _ in range(int(numbers[1])):
        size *= numbers[at + 3]
    return size * math.cos(x), size * math.sin(x)


def line_at(numbers: Array, t: float, out: Array) -> None:
    """Write constants and ramps at time t; compiled."""
    rows = int(numbers[0])
    for i in range(rows):
        out[i] = numbers[4 + i] + numbers[4 + rows + i] * t


def wave_count(numbers: Array) -> int:
    """Count of frequencies; compiled."""
    return int(numbers[1])


def has_signals(numbers: Array) -> bool:
    """True if there are sampled signals or sweeps; compiled."""
    return int(numbers[2]) + int(numbers[3]) != 0


def wave_index(numbers: Array, k: int) -> int:
    """Index of frequency k; its cos and sin by row follow. Compiled."""
    rows = int(numbers[0])
    return 4 + 2 * rows + k * (1 + 2 * rows)


def frequency_of(numbers: Array, k: int) -> float:
    """[rad/s] frequency k; compiled."""
    return float(numbers[wave_index(numbers, k)])


def add_wave(numbers: Array, k: int, c: float, s: float, out: Array) -> None:
    """Add the harmonics of frequency k to ``out``; compiled.   c, s : its cosine and sine."""
    rows = int(numbers[0])
    at = wave_index(numbers, k) + 1
    for i in range(rows):
        out[i] += numbers[at + i] * c + numbers[at + rows + i] * s


def sum_functions(rows: int, functions: Sequence[tuple[TimeFunction, Array]], frequency: Base) -> Forcing:
    """The sum of functions of time, each times a column (rows,)."""
    constant, ramp = np.zeros(rows), np.zeros(rows)
    waves: dict[float, tuple[Array, Array]] = {}
    signals: list[tuple[Signal, Array]] = []
    sweeps: list[SweptWaves] = []
    for function, column in functions:
        parts = function.parts()
        constant += parts.constant * column
        ramp += parts.ramp * column
        for omega, c, s in function.harmonics_at(frequency):
            cos, sin = waves.setdefault(omega, (np.zeros(rows), np.zeros(rows)))
            cos += c * column
            sin += s * column
        signals += [(signal, column) for signal in parts.signals]
        sweeps += [SweptWaves(angle, (0, 0), c * column, s * column) for angle, c, s in function.sweeps_at(frequency)]
    kept = {omega: pair for omega, pair in waves.items() if pair[0].any() or pair[1].any()}
    return Forcing(
        constant=constant,
        ramp=ramp,
        omega=np.array(list(kept), dtype=float),
        cos=np.array([pair[0] for pair in kept.values()]).reshape(len(kept), rows).T.copy(),
        sin=np.array([pair[1] for pair in kept.values()]).reshape(len(kept), rows).T.copy(),
        signals=tuple(signals),
        sweeps=_merged_sweeps(sweeps),
    )


def _merged_sweeps(sweeps: list[SweptWaves]) -> tuple[SweptWaves, ...]:
    """One sweep for each angle and powers."""
    found: dict[tuple[Any, Any], SweptWaves] = {}
    for new in sweeps:
        old = found.get((new.angle, new.powers))
        cos, sin = (new.cos, new.sin) if old is None else (old.cos + new.cos, old.sin + new.sin)
        found[new.angle, new.powers] = SweptWaves(new.angle, new.powers, cos, sin)
    return tuple(sweep for sweep in found.values() if sweep.cos.any() or sweep.sin.any())


def _slopes(signal: Signal) -> Signal:
    """The slope of a sampled signal: constant between its samples, zero outside."""
    times, values = [signal.times[0]], [0.0]
    for i in range(1, len(signal.times)):
        span = signal.times[i] - signal.times[i - 1]
        if span > 0.0:
            slope = (signal.values[i] - signal.values[i - 1]) / span
            times += [signal.times[i - 1], signal.times[i]]
            values += [slope, slope]
    times.append(signal.times[-1])
    values.append(0.0)
    return _merged(times, values)


def _merged(times: list[float], values: list[float]) -> Signal:
    """A signal with at most two samples at each time: the values before and after a step."""
    kept_times: list[float] = []
    kept_values: list[float] = []
    for t, value in zip(times, values, strict=True):
        if len(kept_times) > 1 and kept_times[-2] == t:
            kept_values[-1] = value
        else:
            kept_times.append(t)
            kept_values.append(value)
    return Signal(tuple(kept_times), tuple(kept_values))
