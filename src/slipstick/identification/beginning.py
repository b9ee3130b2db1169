"""How a measured loop begins: as a virgin sample, or settled into its cycle; told from the data alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.drive import Beginning
from slipstick.identification.geometry import geometry_of, on_grid
from slipstick.identification.loop import Loop

Array = NDArray[np.float64]

CLOSE = (
    0.25  # of half the width of the loop: passes that differ by less are the same; a virgin curve begins in the middle
)


class Judgement(NamedTuple):
    """beginning : of the loop.   sure : the data tell it; else both are tried.   gap : what passes differ by."""

    beginning: Beginning
    sure: bool
    gap: float = 0.0


def beginning_of(loop: Loop) -> Judgement:
    """Compare the first branch with the next one that goes the same way over the same deflections.

    They are the same line in a settled loop. A virgin curve starts inside the loop that later branches draw.
    """
    turns, u = loop.turning.turns, loop.u
    if turns.size < 4:  # it never passes the same way again
        return Judgement("settled", sure=False)
    first, later = slice(turns[0], turns[1] + 1), slice(turns[2], turns[3] + 1)
    way = np.sign(u[turns[1]] - u[turns[0]])
    low = max(way * u[turns[0]], way * u[turns[2]])
    high = min(way * u[turns[1]], way * u[turns[3]])
    if high - low < 0.05 * np.ptp(u):
        return Judgement("settled", sure=False)
    grid = np.linspace(low, high, 41)[:-4]  # near the tip every branch comes together
    one, other = (on_grid(grid, way * u[part], loop.f[part]) for part in (first, later))
    gap = one - other
    size = float(np.max(np.abs(_smooth(gap))))
    limit = CLOSE * geometry_of(loop).half_width
    told = limit > 3.0 * loop.noise  # five samples are averaged
    return Judgement("virgin" if size > limit else "settled", sure=told, gap=size)


def _smooth(x: Array) -> Array:
    """Means of five neighbours."""
    means: Array = np.convolve(x, np.full(5, 0.2), mode="valid")
    return means
