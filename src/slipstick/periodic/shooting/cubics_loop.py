"""Cubics over steps: integrals, extremes and harmonics; compiled."""

from __future__ import annotations

import math
from collections.abc import Sequence

from slipstick.laws.parsing import Buffer

NODES_USED = 3
SIDE_NODE = 0.3872983346207417  # of Gauss's rule with three nodes on a step, from its middle
SIDE_WEIGHT = 5 / 18
MIDDLE_WEIGHT = 8 / 18


def hermite(
    time: Sequence[float],
    values: Sequence[float],
    leaving: Sequence[float],
    coming: Sequence[float],
    rows: int,
    columns: int,
    harmonics: int,
    turn: float,
    out: Buffer,
) -> None:
    """Of each column: its least and largest value, the integrals of it, of its square, and of it with cos and sin.

    values : (rows + 1, columns); leaving, coming : (rows, columns) slopes at the begin and the end of each step.
    turn : [rad/s] of the first harmonic.   out : (columns, 4 + 2 harmonics), the extremes of the first row in it.
    """
    width = 4 + 2 * harmonics
    for i in range(rows):
        h = time[i + 1] - time[i]
        for k in range(columns):
            a = values[i * columns + k]
            b = values[(i + 1) * columns + k]
            s = h * leaving[i * columns + k]
            e = h * coming[i * columns + k]
            widen(a, s, 3.0 * (b - a) - 2.0 * s - e, 2.0 * (a - b) + s + e, out, k * width)
        for node in range(NODES_USED):
            x = 0.5 + SIDE_NODE * (node - 1)
            weight = h * (MIDDLE_WEIGHT if node == 1 else SIDE_WEIGHT)
            phase = turn * (time[i] + x * h - time[0])
            c1 = math.cos(phase)
            s1 = math.sin(phase)
            for k in range(columns):
                a = values[i * columns + k]
                b = values[(i + 1) * columns + k]
                s = h * leaving[i * columns + k]
                e = h * coming[i * columns + k]
                y = a + x * (s + x * (3.0 * (b - a) - 2.0 * s - e + x * (2.0 * (a - b) + s + e)))
                at = k * width
                out[at + 2] += weight * y
                out[at + 3] += weight * y * y
                c = c1 * weight * y
                s = s1 * weight * y
                for j in range(harmonics):
                    out[at + 4 + 2 * j] += c
                    out[at + 5 + 2 * j] += s
                    turned = c * c1 - s * s1
                    s = s * c1 + c * s1
                    c = turned


def widen(a: float, b: float, c: float, d: float, out: Buffer, at: int) -> None:
    """Widen least and largest value to those of a + b x + c x^2 + d x^3 for x from 0 to 1."""
    end = a + b + c + d
    out[at] = min(out[at], min(a, end))
    out[at + 1] = max(out[at + 1], max(a, end))
    root = c * c - 3.0 * b * d
    if root <= 0.0:
        return
    # the roots of the slope, without cancellation
    q = -(c + math.copysign(math.sqrt(root), c))
    for k in range(2):
        top = q if k == 0 else b
        below = 3.0 * d if k == 0 else q
        if abs(top) < abs(below) and top * below > 0.0:
            x = top / below
            y = a + x * (b + x * (c + x * d))
            out[at] = min(out[at], y)
            out[at + 1] = max(out[at + 1], y)


def through(
    time: Sequence[float], event: Sequence[float], values: Sequence[float], rows: int, columns: int, out: Buffer
) -> None:
    """Of each column, through four neighbours that no event comes between: least, largest, integral.

    values : (rows + 1, columns).   event : (rows + 1,) not 0 where slopes may jump.   out : (columns, 3)
    """
    begin = 0
    end = 0
    for i in range(rows):
        if event[i] != 0.0:
            begin = i
        if i >= end:
            end = i + 1
            while end < rows and event[end] == 0.0:
                end += 1
        h = time[i + 1] - time[i]
        first = max(min(i - 1, end - 3), begin)
        wide = end - begin >= 3
        for k in range(columns):
            a = values[i * columns + k]
            b = values[(i + 1) * columns + k] - a
            c = 0.0
            d = 0.0
            if wide:
                a, b, c, d = cubic(time, values, first, columns, k, time[i], h)
            widen(a, b, c, d, out, 3 * k)
            out[3 * k + 2] += h * (a + b / 2.0 + c / 3.0 + d / 4.0)


def cubic(
    time: Sequence[float], values: Sequence[float], first: int, columns: int, k: int, origin: float, h: float
) -> tuple[float, float, float, float]:
    """Coefficients of the cubic through four neighbours, in (t - origin)/h."""
    x0 = (time[first] - origin) / h
    x1 = (time[first + 1] - origin) / h
    x2 = (time[first + 2] - origin) / h
    x3 = (time[first + 3] - origin) / h
    f0 = values[first * columns + k]
    f1 = values[(first + 1) * columns + k]
    f2 = values[(first + 2) * columns + k]
    f3 = values[(first + 3) * columns + k]
    d01 = (f1 - f0) / (x1 - x0)
    d12 = (f2 - f1) / (x2 - x1)
    d23 = (f3 - f2) / (x3 - x2)
    d012 = (d12 - d01) / (x2 - x0)
    d123 = (d23 - d12) / (x3 - x1)
    d = (d123 - d012) / (x3 - x0)
    c = d012 - d * (x0 + x1 + x2)
    b = d01 - d012 * (x0 + x1) + d * (x0 * x1 + x0 * x2 + x1 * x2)
    a = f0 - d01 * x0 + d012 * x0 * x1 - d * x0 * x1 * x2
    return a, b, c, d
