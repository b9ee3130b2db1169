"""The mean cycle of a long record, and the band that holds most of its cycles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


MIN_CYCLES = 12  # fewer can be seen apart in a picture
MIN_LEVEL_CYCLES = 6  # of one amplitude, for a band
MIN_SHARE = 0.9  # of the cycles in such levels; the others pass from one amplitude to another
MAX_LEVELS = 4  # amplitudes with a mean cycle each
SAME_AMPLITUDE_REL = 0.05  # difference of amplitudes within one level
MAX_AVERAGED = 400  # cycles of a level that are averaged, evenly spread over the record
BRANCH_POINTS = 100  # of each half of a cycle
BAND_PERCENTILES = (2.5, 97.5)  # of the force at equal phases: 95 % of the cycles


@dataclass(frozen=True)
class MeanCycle:
    """Cycles of one amplitude, at equal phases.   u, f : (2, n) means of both branches, from tip to tip.

    low, high : (2, n) percentiles of the force.   count : cycles of this amplitude.
    """

    u: Array
    f: Array
    low: Array
    high: Array
    count: int


def mean_cycles(loop: Loop) -> list[MeanCycle]:
    """Mean cycles by ascending amplitude; none for a short record, or one whose amplitude changes steadily."""
    turns = loop.turning.turns[1:-1]
    tips = np.array([turns[k : k + 3] for k in range(0, len(turns) - 2, 2)])  # (cycles, 3) from a tip to its like
    if len(tips) < MIN_CYCLES:
        return []
    amplitudes = 0.25 * np.abs(loop.u[tips] @ np.array([1.0, -2.0, 1.0]))
    order = np.argsort(amplitudes, kind="stable")
    breaks = [
        k + 1
        for k, (one, next_) in enumerate(pairwise(amplitudes[order].tolist()))
        if next_ - one > SAME_AMPLITUDE_REL * next_
    ]
    levels = [np.sort(own) for own in np.split(order, breaks) if own.size >= MIN_LEVEL_CYCLES]
    spread = [np.ptp(amplitudes[own]) > 2.0 * SAME_AMPLITUDE_REL * amplitudes[own].max() for own in levels]
    if any(spread) or len(levels) > MAX_LEVELS or sum(map(len, levels)) < MIN_SHARE * len(tips):
        return []
    return [_mean_cycle(loop, tips[own]) for own in levels]


def band_note(cycles: list[MeanCycle]) -> str:
    """What the picture shows in place of the samples."""
    count = sum(cycle.count for cycle in cycles)
    return f"{count} cycles: the picture shows their mean and the band that holds 95 % of them; all are fitted"


def _mean_cycle(loop: Loop, tips: NDArray[np.intp]) -> MeanCycle:
    few = tips[np.unique(np.linspace(0, len(tips) - 1, MAX_AVERAGED).astype(int))]
    both = np.array([_branches(loop, *own) for own in few.tolist()])  # (cycles, u and f, branches, n)
    low, high = np.percentile(both[:, 1], BAND_PERCENTILES, axis=0)
    u, f = both.mean(axis=0)
    return MeanCycle(u, f, low, high, len(tips))


def _branches(loop: Loop, begin: int, middle: int, end: int) -> Array:
    """(2, 2, n) deflection and force on both branches of a cycle, at equal phases between its tips."""
    x = loop.clock
    share = np.linspace(0.0, 1.0, BRANCH_POINTS)
    at = [x[a] + share * (x[b] - x[a]) for a, b in ((begin, middle), (middle, end))]
    own = slice(begin, end + 1)
    return np.array([[np.interp(each, x[own], values[own]) for each in at] for values in (loop.u, loop.f)])
