"""Where a sequence of values turns back, but for ripples of it."""

from __future__ import annotations

from collections.abc import Sequence

RIPPLE_REL = 1e-3  # of a value: so much of turning back is taken for that of samples


def find_local_extremes(values: Sequence[float], ripple: float = RIPPLE_REL) -> list[tuple[int, float]]:
    """Numbers of the values at which a sequence turns back for good, and 1 for peaks and -1 for valleys.

    ripple : of a value, as much as it may turn back and go on.
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
