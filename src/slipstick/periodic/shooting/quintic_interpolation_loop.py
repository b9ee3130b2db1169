"""Polynomials of degree five over steps: integrals, extremes and harmonics; compiled."""

from __future__ import annotations

import math
from collections.abc import Sequence

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view

DEGREE = 5
# of Gauss's rules with three and five nodes on a step: the nodes, from its middle, and their weights
GAUSS3_NODE = 0.3872983346207417
GAUSS5_NEAR, GAUSS5_FAR = 0.26923465505284155, 0.453089922969332
GAUSS5_MIDDLE_WEIGHT, GAUSS5_NEAR_WEIGHT, GAUSS5_FAR_WEIGHT = 64 / 225, 0.23931433524968324, 0.11846344252809454
MAX_THREE_NODE_PHASE = 0.5  # rad: up to so much of a turn of the highest harmonic in a step, three nodes do
EXTREME_SEARCH_PARTS = 4  # parts of a step at whose ends a slope is looked at
MIN_NODE_DISTANCE_REL = 0.2  # of the step: values nearer to each other would make much of their rounding
SCRATCH_SIZE = 32  # numbers to work on


def hermite(
    time: Sequence[float],
    values: Sequence[float],
    slopes: Sequence[float],
    bends: Sequence[float],
    rows: int,
    columns: int,
    harmonics: int,
    turn: float,
    work: Buffer,
    out: Buffer,
) -> None:
    """Of each column: its least and largest value, the integrals of it, of its square, and of it with cos and sin.

    values : (rows + 1, columns).   slopes, bends : (2, rows, columns) first and second derivatives at the start and at
    the end of each step.   turn : [rad/s] of the first harmonic.   out : (columns, 4 + 2 harmonics), the extremes of
    the first row in it.
    """
    width = 4 + 2 * harmonics
    for i in range(rows):
        h = time[i + 1] - time[i]
        count = 3 if harmonics * turn * h < MAX_THREE_NODE_PHASE else 5
        for node in range(count):
            x, _ = gauss(node, count)
            phase = turn * (time[i] + x * h - time[0])
            work[8 + 2 * node] = math.cos(phase)
            work[9 + 2 * node] = math.sin(phase)
        for k in range(columns):
            begin = i * columns + k
            end = (rows + i) * columns + k
            own = view(work, 0)
            quintic(
                values[begin],
                values[begin + columns],
                h * slopes[begin],
                h * slopes[end],
                h * h * bends[begin],
                h * h * bends[end],
                own,
            )
            widen_range(own, out, k * width)
            for node in range(count):
                x, weight = gauss(node, count)
                weight *= h
                y = value_at(own, x)
                at = k * width
                out[at + 2] += weight * y
                out[at + 3] += weight * y * y
                c1 = work[8 + 2 * node]
                s1 = work[9 + 2 * node]
                c = c1 * weight * y
                s = s1 * weight * y
                for j in range(harmonics):
                    out[at + 4 + 2 * j] += c
                    out[at + 5 + 2 * j] += s
                    turned = c * c1 - s * s1
                    s = s * c1 + c * s1
                    c = turned


def gauss(node: int, count: int) -> tuple[float, float]:
    """A node of Gauss's rule with three or five of them for x from 0 to 1, and its weight."""
    if count == 3:
        return 0.5 + GAUSS3_NODE * (node - 1), 8 / 18 if node == 1 else 5 / 18
    if node == 2:
        return 0.5, GAUSS5_MIDDLE_WEIGHT
    if node == 0 or node == 4:
        return 0.5 + GAUSS5_FAR * (0.5 * node - 1.0), GAUSS5_FAR_WEIGHT
    return 0.5 + GAUSS5_NEAR * (node - 2), GAUSS5_NEAR_WEIGHT


def quintic(a: float, b: float, s: float, e: float, p: float, q: float, out: Buffer) -> None:
    """Coefficients of the polynomial with values a, b, slopes s, e and second derivatives p, q at x = 0 and 1."""
    value = b - a - s - 0.5 * p
    slope = e - s - p
    bend = q - p
    out[0] = a
    out[1] = s
    out[2] = 0.5 * p
    out[3] = 10.0 * value - 4.0 * slope + 0.5 * bend
    out[4] = -15.0 * value + 7.0 * slope - bend
    out[5] = 6.0 * value - 3.0 * slope + 0.5 * bend


def value_at(c: Sequence[float], x: float) -> float:
    """The polynomial with these coefficients, lowest first."""
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))))


def slope_at(c: Sequence[float], x: float) -> float:
    """Its slope."""
    return c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * (4.0 * c[4] + x * 5.0 * c[5])))


def widen_range(c: Sequence[float], out: Buffer, at: int) -> None:
    """Widen least and largest value to those of a polynomial for x from 0 to 1."""
    include(value_at(c, 0.0), out, at)
    include(value_at(c, 1.0), out, at)
    if does_not_turn(c):
        return
    before = slope_at(c, 0.0)
    for look in range(EXTREME_SEARCH_PARTS):
        after = slope_at(c, (look + 1.0) / EXTREME_SEARCH_PARTS)
        if before * after < 0.0:
            include(
                value_at(
                    c,
                    slope_root(
                        c, float(look) / EXTREME_SEARCH_PARTS, (look + 1.0) / EXTREME_SEARCH_PARTS, before, after
                    ),
                ),
                out,
                at,
            )
        before = after


def does_not_turn(c: Sequence[float]) -> bool:
    """True where the slope cannot be zero for x from 0 to 1."""
    return abs(c[1]) > 2.0 * abs(c[2]) + 3.0 * abs(c[3]) + 4.0 * abs(c[4]) + 5.0 * abs(c[5])


def include(y: float, out: Buffer, at: int) -> None:
    """Widen least and largest value to a value."""
    out[at] = min(out[at], y)
    out[at + 1] = max(out[at + 1], y)


def slope_root(c: Sequence[float], low: float, high: float, first: float, last: float) -> float:
    """Where the slope is zero, between two places where it has different signs (Illinois)."""
    x = low
    side = 0
    for _ in range(40):
        x = low + (high - low) * first / (first - last)
        slope = slope_at(c, x)
        if slope == 0.0 or high - low <= 1e-9:  # the value is flat there
            return x
        if slope * first > 0.0:
            low = x
            first = slope
            if side == 1:
                last *= 0.5
            side = 1
        else:
            high = x
            last = slope
            if side == -1:
                first *= 0.5
            side = -1
    return x


def through(
    time: Sequence[float],
    event: Sequence[float],
    begun: Sequence[float],
    ended: Sequence[float],
    cornered: Sequence[float],
    rows: int,
    columns: int,
    work: Buffer,
    out: Buffer,
) -> None:
    """Of each column, through up to six neighbours that no event comes between: least, largest, integral.

    begun, ended : (rows, columns) values at the start and at the end of each step.   event : (rows + 1,) not 0 where
    values or slopes may jump.   cornered : (columns,) not 0 where they may jump anywhere: polynomials swing beyond a
    corner, so extremes count only where neighbours on both sides say that there is one.   out : (columns, 3)
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
        count = neighbours(time, i, begin, end, work)
        places = view(work, 8)
        for j in range(count):
            places[j] = (time[int(work[j])] - time[i]) / h
        own = view(work, 24)
        for k in range(columns):
            gather_neighbours(begun, ended, begin, columns, k, count, work)
            turns = cornered[k] == 0.0 or turns_within(work, i, count)
            newton_coefficients(places, view(work, 16), count, own)
            total = own[0] + own[1] / 2.0 + own[2] / 3.0 + own[3] / 4.0 + own[4] / 5.0 + own[5] / 6.0
            out[3 * k + 2] += h * total
            include(value_at(own, 0.0), out, 3 * k)
            include(value_at(own, 1.0), out, 3 * k)
            if turns:
                widen_range(own, out, 3 * k)


def gather_neighbours(
    begun: Sequence[float], ended: Sequence[float], begin: int, columns: int, k: int, count: int, work: Buffer
) -> None:
    """The values of a column at the neighbours, whose numbers are the first in ``work``, behind their places."""
    for j in range(count):
        node = int(work[j])
        work[16 + j] = begun[node * columns + k] if node == begin else ended[(node - 1) * columns + k]


def turns_within(work: Sequence[float], i: int, count: int) -> bool:
    """True if the values at the neighbours of step i, one on each side (the left one first), turn in it."""
    if count < 4 or (int(work[2]) < i) == (int(work[3]) < i):
        return False
    before = work[16] - work[18]
    after = work[19] - work[17]
    return before * after < 0.0


def neighbours(time: Sequence[float], i: int, begin: int, end: int, out: Buffer) -> int:
    """The ends of step i, and up to four more on both sides that are not too near to each other; how many."""
    least = MIN_NODE_DISTANCE_REL * (time[i + 1] - time[i])
    out[0] = float(i)
    out[1] = float(i + 1)
    count = 2
    left = i
    right = i + 1
    low = i - 1
    high = i + 2
    while count <= DEGREE and (low >= begin or high <= end):
        while low >= begin and time[left] - time[low] < least:
            low -= 1
        if low >= begin:
            left = low
            out[count] = float(left)
            count += 1
            low -= 1
        while high <= end and time[high] - time[right] < least:
            high += 1
        if high <= end and count <= DEGREE:
            right = high
            out[count] = float(right)
            count += 1
            high += 1
    return count


def newton_coefficients(places: Sequence[float], values: Buffer, count: int, out: Buffer) -> None:
    """Coefficients, lowest first, of the polynomial through values at places; differences take the place of values."""
    for level in range(1, count):
        for j in range(count - 1, level - 1, -1):
            values[j] = (values[j] - values[j - 1]) / (places[j] - places[j - level])
    for j in range(DEGREE + 1):
        out[j] = 0.0
    for j in range(count - 1, -1, -1):
        for k in range(DEGREE, 0, -1):
            out[k] = out[k - 1] - places[j] * out[k]
        out[0] = values[j] - places[j] * out[0]
