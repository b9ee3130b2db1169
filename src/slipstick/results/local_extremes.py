"""Local extremes of a sequence, without ripple."""

from __future__ import annotations

from collections.abc import Sequence

from slipstick.results import tolerances as tol


def find_local_extremes(values: Sequence[float], ripple: float = tol.RIPPLE_REL) -> list[tuple[int, float]]:
    """Indices of local extremes, with 1 for a maximum and -1 for a minimum.

    ripple : relative reversal that is ignored.
    """
    found, extreme, sign = list[tuple[int, float]](), 0, 0.0
    low = high = 0
    for k, value in enumerate(values):
        margin = ripple * abs(value)
        if sign == 0.0:
            low, high = (k if value < values[low] else low), (k if value > values[high] else high)
            if values[high] - values[low] > margin:
                sign, extreme = (1.0, high) if high > low else (-1.0, low)
        elif sign * (value - values[extreme]) > 0.0:
            extreme = k
        elif sign * (values[extreme] - value) > margin:
            found.append((extreme, sign))
            sign, extreme = -sign, k
    return found
