"""Certified intervals in which a guard has no root; compiled.

From a point with g > 0, g + g' h - B h^2/2 > 0 certifies the interval of length h, B a bound of |g''| there; modes that
have decayed drop out of B. A mode with |l| h > 2 is bounded better by its size a than by its parabola. With such modes
separated, g - a + g' h - B h^2/2 > 0 of the others certifies an interval that may be far longer.
"""

from __future__ import annotations

import math

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.records import ModalTable, State

# a row of guard information: the unit, its number there, the size of its terms, the bound of its waves' g'', and its
# uncertainty where coordinates have no inertia
I_UNIT, I_GUARD, I_SIZE, I_BEND, I_GRAIN = 0, 1, 2, 3, 4
INFO_ROW = 5
# a row of a mode in a guard: c, the factor c l + c1 of e^(l s) in the slope, its size in the bend, c1, c2, and the size
# that rounding of c refers to
MODE_ROW = 10
BASIS_ROW = 7  # of a mode: e^(l s), its size, E1, E2
LAMBDA_ROW = 4  # of a mode: l, 1 if it is slow, and the size that rounding of l refers to
FAST_MODE_LIMIT = 2.0  # |l| h of a mode above which its size is the better bound
MAX_GROWTH_ROUNDS = 12  # in which an interval grows, as more modes are fast beside it
BOUND_ROUNDING_REL = 1e-12  # of a bound: above the rounding of the difference
MIN_GROWTH_GAIN = 1.2  # growth in a round that makes another one worth its cost


def bend_bound(table: ModalTable, state: State, g: int, s: float, ahead: float) -> float:
    """A bound of |g''| on [s, s + ahead]."""
    r = table.mode_count
    e = state.mode_basis
    lam = table.eigenvalues
    modes = view(state.guard_modes, g * MODE_ROW * r)
    poly = view(state.guard_polynomials, g * (at.DEGREE + 1))
    total = state.guard_info[INFO_ROW * g + I_BEND]
    for k in range(r):
        size = modes[MODE_ROW * k + 4] * e[BASIS_ROW * k + 2]
        if lam[LAMBDA_ROW * k] > 0.0:
            size *= math.exp(lam[LAMBDA_ROW * k] * ahead)
        total += size
    end = 1.0
    for p in range(2, at.DEGREE + 1):
        total += float(p * (p - 1)) * abs(poly[p]) * end
        end *= s + ahead
    return float(total)


def root_free(table: ModalTable, state: State, g: int, value: float, slope: float, bend: float, ahead: float) -> float:
    """The length of an interval without a root, from the time that the basis was set for; it counts up to ``ahead``.

    value, slope : at that time; the value is positive.   bend : from `bend_bound`, up to ahead.
    """
    best = free_length(value, slope, bend)
    for _ in range(MAX_GROWTH_ROUNDS):
        if best >= ahead:
            return best
        found = 0.0
        rest, rest_slope, apart = without_fast_modes(table, state, g, value, slope, ahead, FAST_MODE_LIMIT / best)
        if rest > 0.0 and apart != 0.0:
            found = free_length(rest, rest_slope, max(bend - apart, 0.0) + BOUND_ROUNDING_REL * bend)
        if found <= MIN_GROWTH_GAIN * best:
            return max(best, found)
        best = found
    return best


def without_fast_modes(
    table: ModalTable, state: State, g: int, value: float, slope: float, ahead: float, rate: float
) -> tuple[float, float, float]:
    """Value and slope of a guard less those of modes faster than ``rate``, and the part of these in the bound of g''.

    Such a mode is bounded by its size: the value is a lower bound.
    """
    r = table.mode_count
    e = state.mode_basis
    lam = table.eigenvalues
    modes = view(state.guard_modes, g * MODE_ROW * r)
    apart = 0.0
    for k in range(r):
        own = view(lam, LAMBDA_ROW * k)
        if own[2] != 0.0 or abs(own[0]) + abs(own[1]) <= rate:
            continue
        c = view(modes, MODE_ROW * k)
        row = view(e, BASIS_ROW * k)
        growth = math.exp(own[0] * ahead) if own[0] > 0.0 else 1.0
        value -= c[0] * row[0] - c[1] * row[1] + math.sqrt(c[0] * c[0] + c[1] * c[1]) * row[2] * growth
        slope -= c[2] * row[0] - c[3] * row[1]
        apart += c[4] * row[2] * growth
    return value, slope, apart


def free_length(value: float, slope: float, bend: float) -> float:
    """The root h > 0 of value + slope h - bend h^2/2, without cancellation."""
    root = math.sqrt(slope * slope + 2.0 * bend * value)
    return 2.0 * value / (root - slope) if slope < 0.0 else (slope + root) / bend
