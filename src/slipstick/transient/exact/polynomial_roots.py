"""The first root of a guard that is a polynomial, with none missed; compiled. See `guard_roots` for the method."""

from __future__ import annotations

import math

from slipstick.native import Array
from slipstick.transient.exact.corner_guards import MOTION_ROUNDING_REL
from slipstick.transient.exact.guard_roots import (
    GRAZE_ROUNDING_UNITS,
    MACHINE_EPSILON,
    MAX_GUARD_LOOKS,
    MAX_TOUCH_LOOKS,
    TOUCH_ROUNDING_UNITS,
    ZERO_FALL,
    ZERO_SLOPE,
)
from slipstick.transient.exact.root_exclusion import free_length


def polynomial_root(g: Array, order: int, h: float, size: float, below: float) -> tuple[float, bool]:
    """The first root in [0, h) of a polynomial that begins at or above zero, by certified steps, and True.

    Without one: False, and the end of the certified interval. It may begin below zero by a given share of its size.
    """
    away = 0.0
    power = h
    for k in range(1, order):
        away += abs(g[k]) * power
        power *= h
    scale = max(size, abs(g[0]) + away)
    s = 0.0
    if g[0] < -below * scale:
        return 0.0, True
    if g[0] <= MOTION_ROUNDING_REL * scale:
        s = series_first_step(g, order, h, scale)
        if s < 0.0:
            return 0.0, True
    elif g[0] > away:
        return h, False
    for _ in range(MAX_GUARD_LOOKS):
        if s >= h:
            return h, False
        value, slope = polynomial_at(g, order, s)
        # a bound for the next interval only: a guard that leaves zero by a high order is flat at first
        reach = min(h, 2.0 * s) if s > 0.0 else h
        bend = bend_bound(g, order, reach)
        if value <= 4.0 * MACHINE_EPSILON * scale:
            if slope <= 0.0:
                behind = point_behind_touch(g, order, s, slope, bend, scale)
                if behind < 0.0:
                    return min(polish_polynomial_root(g, order, s), h), True
                s = behind
                continue
            s = reach if bend == 0.0 else min(s + slope / bend, reach)
            continue
        if slope < 0.0:
            newton = -value / slope
            if bend * newton * newton <= 0.5 * MACHINE_EPSILON * scale:
                behind = point_behind_touch(g, order, s, slope, bend, scale)
                if behind > 0.0:
                    s = behind
                    continue
                return min(polish_polynomial_root(g, order, s + newton), h), True
        if bend == 0.0:
            return (h, False) if slope >= 0.0 else (min(s - value / slope, h), True)
        s = min(s + free_length(value, slope, bend), reach)
    return s, False


def bend_bound(g: Array, order: int, reach: float) -> float:
    """A bound of the second derivative up to ``reach``."""
    bend = 0.0
    power = 1.0
    for k in range(2, order):
        bend += float(k * (k - 1)) * abs(g[k]) * power
        power *= reach
    return bend


def polynomial_at(g: Array, order: int, s: float) -> tuple[float, float]:
    """Value and slope."""
    value = g[order - 1]
    slope = 0.0
    for k in range(order - 2, -1, -1):
        slope = slope * s + value
        value = value * s + g[k]
    return value, slope


def point_behind_touch(g: Array, order: int, s: float, slope: float, bend: float, scale: float) -> float:
    """A point after one at which the guard is negative by rounding only; negative if it continues to fall."""
    if bend == 0.0 or slope * slope > GRAZE_ROUNDING_UNITS * MACHINE_EPSILON * scale * bend:
        return -1.0
    further = math.sqrt(2.0 * GRAZE_ROUNDING_UNITS * MACHINE_EPSILON * scale / bend)
    for _ in range(MAX_TOUCH_LOOKS):
        value, turned = polynomial_at(g, order, s + further)
        if value < -TOUCH_ROUNDING_UNITS * MACHINE_EPSILON * scale:
            return -1.0
        if turned > 0.0:  # between the two it may have been negative
            value, _ = polynomial_at(g, order, s + further * slope / (slope - turned))
            return s + further if value >= -TOUCH_ROUNDING_UNITS * MACHINE_EPSILON * scale else -1.0
        further *= 2.0
    return -1.0


def polish_polynomial_root(g: Array, order: int, s: float) -> float:
    """A root after one more Newton step, if that is a small one."""
    value, slope = polynomial_at(g, order, s)
    if slope < 0.0 and abs(value) < -1e-6 * slope * s:
        return s - value / slope
    return s


def series_first_step(g: Array, order: int, h: float, scale: float) -> float:
    """A certified step where the polynomial begins at zero; negative if it falls at once, h if it stays there."""
    power = h
    for k in range(1, order):
        if g[k] * power < -ZERO_FALL * scale:
            return -1.0
        if g[k] * power > ZERO_SLOPE * scale:
            rest = 0.0
            further = 1.0
            for j in range(k + 1, order):
                rest += abs(g[j]) * further
                further *= h
            return h if rest == 0.0 else min(0.5 * g[k] / rest, h)
        power *= h
    return h
