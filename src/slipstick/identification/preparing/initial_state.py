"""How a measured loop begins: as a virgin sample, or settled into its cycle; told from the data alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.loop import Loop
from slipstick.identification.preparing.imposed_path import InitialState
from slipstick.identification.preparing.loop_geometry import interpolate_branch, measure_geometry

Array = NDArray[np.float64]

# of half the width of the loop: passes that differ by less are the same; a virgin curve begins in the middle
SAME_PASS_REL = 0.25


class InitialStateGuess(NamedTuple):
    """beginning : of the loop.   sure : the data tell it; else both are tried.   gap : what passes differ by."""

    beginning: InitialState
    sure: bool
    gap: float = 0.0


def guess_initial_state(loop: Loop) -> InitialStateGuess:
    """Compare the first branch with the next one that goes the same way over the same deflections.

    They are the same line in a settled loop. A virgin curve starts inside the loop that later branches draw.
    """
    turns, u = loop.turning.turns, loop.u
    if turns.size < 4:  # it never passes the same way again
        return InitialStateGuess("settled", sure=False)
    first, later = slice(turns[0], turns[1] + 1), slice(turns[2], turns[3] + 1)
    way = np.sign(u[turns[1]] - u[turns[0]])
    low = max(way * u[turns[0]], way * u[turns[2]])
    high = min(way * u[turns[1]], way * u[turns[3]])
    if high - low < 0.05 * np.ptp(u):
        return InitialStateGuess("settled", sure=False)
    grid = np.linspace(low, high, 41)[:-4]  # near the tip every branch comes together
    one, other = (interpolate_branch(grid, way * u[part], loop.f[part]) for part in (first, later))
    gap = one - other
    size = float(np.max(np.abs(_five_point_means(gap))))
    limit = SAME_PASS_REL * measure_geometry(loop).half_width
    told = limit > 3.0 * loop.noise  # five samples are averaged
    return InitialStateGuess("virgin" if size > limit else "settled", sure=told, gap=size)


def _five_point_means(x: Array) -> Array:
    """Means of five neighbours."""
    means: Array = np.convolve(x, np.full(5, 0.2), mode="valid")
    return means
