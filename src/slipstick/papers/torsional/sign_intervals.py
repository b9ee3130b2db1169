"""Where one of two curves over frequency lies above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

DISTINGUISHABLE = 1e-6  # T_p/K: curves that are closer cannot be told apart, and orbits are known better than that

Span = tuple[float | None, float | None]


def positive_intervals(x: Array, y: Array) -> list[Span]:
    """Intervals of x where y is above zero, on straight lines between its points; None where it is so up to an end."""
    sign = np.where(np.abs(y) > DISTINGUISHABLE, np.sign(y), 0.0)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], sign > 0.0, [False])).astype(int)))
    return [
        (_between(x, y, sign, a - 1, a) if a > 0 else None, _between(x, y, sign, b - 1, b) if b < x.size else None)
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]


def _between(x: Array, y: Array, sign: Array, k: int, after: int) -> float:
    """Where y goes through zero; from a stretch that is zero, its end."""
    if sign[k] * sign[after] == 0.0:
        return float(x[k] if sign[k] == 0.0 else x[after])
    return float(x[k] - y[k] * (x[after] - x[k]) / (y[after] - y[k]))


def intervals_text(found: list[Span]) -> str:
    """In words: "above 1.816", "below 0.443 and between 0.7 and 0.9", "nowhere"."""
    return " and ".join(_interval_text(*one) for one in found) or "nowhere"


def _interval_text(low: float | None, high: float | None) -> str:
    if low is None:
        return "everywhere" if high is None else f"below {high:.3f}"
    return f"above {low:.3f}" if high is None else f"between {low:.3f} and {high:.3f}"
