"""Functions of time given at the ends of steps, as one cubic on each step: their integrals and extremes.

A function with known slopes is the cubic with those (Hermite); one without is the cubic through four neighbours that no
event comes between (Lagrange). Both are of fourth order in the length of a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

POINTS = 4


class Cubics(NamedTuple):
    """On step i, x from 0 to 1: c[0] + c[1] x + c[2] x^2 + c[3] x^3.   c : (4, r, columns)   h : (r,) lengths [s]."""

    c: Array
    h: Array

    def at(self, x: float) -> Array:
        """(r, columns) the values at a part of each step."""
        c = self.c
        return np.asarray(c[0] + x * (c[1] + x * (c[2] + x * c[3])))

    def integral(self) -> Array:
        """(columns,)"""
        c = self.c
        return np.asarray(self.h @ (c[0] + c[1] / 2.0 + c[2] / 3.0 + c[3] / 4.0))

    def spread(self) -> Array:
        """(columns,) the largest less the smallest value."""
        c = self.c
        low = np.minimum(c[0].min(axis=0), self.at(1.0).min(axis=0))
        high = np.maximum(c[0].max(axis=0), self.at(1.0).max(axis=0))
        # roots of the slope c1 + 2 c2 x + 3 c3 x^2, without cancellation
        root = np.sqrt(np.maximum(c[2] ** 2 - 3.0 * c[1] * c[3], 0.0))
        q = -(c[2] + np.copysign(root, c[2]))
        with np.errstate(divide="ignore", invalid="ignore"):
            turns = (q / (3.0 * c[3]), c[1] / q)
        for x in turns:
            inside = (x > 0.0) & (x < 1.0)
            step, column = np.nonzero(inside)
            y, own = x[inside], c[:, step, column]
            values = own[0] + y * (own[1] + y * (own[2] + y * own[3]))
            np.minimum.at(low, column, values)
            np.maximum.at(high, column, values)
        return np.asarray(high - low)


def hermite(h: Array, values: Array, leaving: Array, coming: Array) -> Cubics:
    """From values (r + 1, columns) and slopes at the begin and at the end of each step (r, columns)."""
    a, b = values[:-1], values[1:]
    s, e = h[:, None] * leaving, h[:, None] * coming
    return Cubics(np.array([a, s, 3.0 * (b - a) - 2.0 * s - e, 2.0 * (a - b) + s + e]), h)


def through(time: Array, event: NDArray[np.bool_], values: Array) -> Cubics:
    """From values (r + 1, columns) at times (r + 1,); slopes may jump at events."""
    steps = time.size - 1
    h, i = np.diff(time), np.arange(steps)
    marks = np.flatnonzero(event)
    last = marks[np.searchsorted(marks, i, side="right") - 1] if event[0] else np.zeros(steps, dtype=int)
    after = np.append(marks, steps)
    end = np.minimum(after[np.searchsorted(after, i + 1)], steps)
    first = np.clip(i - 1, last, np.maximum(end - POINTS + 1, last))
    wide = end - last >= POINTS - 1
    at = first[:, None] + np.arange(POINTS)
    at[~wide] = np.minimum(at[~wide], steps)  # replaced below
    x = (time[at] - time[:-1, None]) / h[:, None]
    f = values[at]
    x[~wide] = np.arange(POINTS)
    d1 = (f[:, 1:] - f[:, :-1]) / np.diff(x)[:, :, None]
    d2 = (d1[:, 1:] - d1[:, :-1]) / (x[:, 2:] - x[:, :-2])[:, :, None]
    d3 = (d2[:, 1] - d2[:, 0]) / (x[:, 3] - x[:, 0])[:, None]
    x0, x1, x2 = (x[:, k, None] for k in range(3))
    f0, d1, d2 = f[:, 0], d1[:, 0], d2[:, 0]
    c3 = d3
    c2 = d2 - d3 * (x0 + x1 + x2)
    c1 = d1 - d2 * (x0 + x1) + d3 * (x0 * x1 + x0 * x2 + x1 * x2)
    c0 = f0 - d1 * x0 + d2 * x0 * x1 - d3 * x0 * x1 * x2
    c = np.array([c0, c1, c2, c3])
    narrow = ~wide  # too near to two events: a straight line, over a short step
    c[0, narrow], c[1, narrow] = values[:-1][narrow], np.diff(values, axis=0)[narrow]
    c[2:, narrow] = 0.0
    return Cubics(c, h)
