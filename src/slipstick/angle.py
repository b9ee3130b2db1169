"""`Angle`: the angle of a shaft whose speed is linear between breaks, and waves along it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from slipstick.arrays import Array

SPEED_ROUNDING_REL = 1e-12  # of a speed: a smaller step at a break is rounding


class Angle(NamedTuple):
    """An angle over time whose speed is linear in each piece; the first and the last piece extend without bound.

    begins : [s] begins of the pieces.   angle, speed, acceleration : [rad, rad/s, rad/s^2] at these times.
    """

    begins: tuple[float, ...]
    angle: tuple[float, ...]
    speed: tuple[float, ...]
    acceleration: tuple[float, ...]

    def over(self, times: ArrayLike, derivative: int = 0) -> Array:
        """The angle at times, or its first or second derivative; at a break, right after it."""
        t = np.asarray(times, dtype=float)
        begins, angle, speed, acceleration = (np.asarray(part) for part in self)
        piece = np.clip(np.searchsorted(begins, t, side="right") - 1, 0, begins.size - 1)
        s, rate = t - begins[piece], acceleration[piece]
        if derivative == 0:
            return np.asarray(angle[piece] + s * (speed[piece] + 0.5 * rate * s))
        return np.asarray(speed[piece] + rate * s if derivative == 1 else rate)

    def scaled(self, order: float) -> Angle:
        """``order`` times the angle."""
        return Angle(self.begins, *(tuple(order * x for x in part) for part in self[1:]))

    def shifted(self, start: float) -> Angle:
        """The same angle over the time since ``start``."""
        return self._replace(begins=tuple(t - start for t in self.begins))

    def max_speed(self, start: float, until: float) -> float:
        """[rad/s] the largest magnitude of the speed between two times."""
        inside = [t for t in self.begins if start < t < until]
        return float(np.max(np.abs(self.over([start, *inside, np.nextafter(until, start)], 1))))

    def jumps_after(self, start: float) -> list[float]:
        """The times after ``start`` at which the speed jumps."""
        begins, _, speed, acceleration = (np.asarray(part) for part in self)
        before = speed[:-1] + acceleration[:-1] * np.diff(begins)
        size = np.abs(speed[:-1]) + np.abs(before) + np.abs(speed[1:])
        jumps = (np.abs(speed[1:] - before) > SPEED_ROUNDING_REL * size) & (begins[1:] > start)
        return list(begins[1:][jumps].tolist())

    def wave(self, cos: float, sin: float, times: ArrayLike, derivative: int = 0) -> Array:
        """cos * cos(x) + sin * sin(x) along this angle x, or its first or second derivative."""
        x = self.over(times)
        wave, slope = cos * np.cos(x) + sin * np.sin(x), sin * np.cos(x) - cos * np.sin(x)  # slope over x
        if derivative == 0:
            return np.asarray(wave)
        speed = self.over(times, 1)
        return np.asarray(speed * slope if derivative == 1 else self.over(times, 2) * slope - speed**2 * wave)
