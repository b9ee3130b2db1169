"""Reversals of a noisy deflection, and the cycles between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.intp]

REVERSAL_NOISE_RATIO = 8.0  # a turn counts if the way back from it is so many times the noise
REVERSAL_RANGE_SHARE = 1e-3  # ... and at least this share of the whole range: no rig turns on less
BRANCH_START_STEPS = 4  # steps that tell how fast a branch begins
NEXT_STEP_GROWTH = 1.2  # of the largest of them: the next one outwards may be larger
RANGE_ROUNDING_REL = 1e-9  # of the whole range
SAME_PLACE_RANGE_SHARE = 0.05  # of the whole range: reversals so near to each other are at one place
CLOSED_CYCLE_FORCE_SHARE = 0.05  # of the range of force: a cycle ends so near to where it began
SAME_TIP_RANGE_SHARE = 0.01  # of the whole range: tips so near to each other are one


def sample_noise(x: Array) -> float:
    """The standard deviation of what changes from sample to sample, from third differences, robustly.

    A smooth signal has next to none of them; white noise of deviation s has sqrt(20) s.
    """
    if x.size < 8:
        return 0.0
    third = np.diff(x, 3)
    moving = third[third != 0.0]  # where a sensor is at its end nothing changes
    if moving.size > 0.1 * third.size:
        third = moving
    return robust_deviation(third) / float(np.sqrt(20.0))


def robust_deviation(x: Array) -> float:
    """The standard deviation, from the median of distances from the median: outliers hardly move it."""
    return float(np.median(np.abs(x - np.median(x)))) / 0.6745  # of a normal distribution


def reversal_indices(u: Array, threshold: float) -> Places:
    """Samples at which u turns and goes back by more than a threshold; the first and the last sample included.

    Between two of them u goes one way but for wiggles below the threshold, and each lies at the extreme of its wiggles.
    """
    n = u.size
    if n < 2:
        return np.arange(n)
    found, way = [0], 0
    top = bottom = 0  # the extremes since the last turn
    for i in extreme_candidates(u):
        if u[i] > u[top]:
            top = i
        if u[i] < u[bottom]:
            bottom = i
        if way >= 0 and u[top] - u[i] > threshold:
            if way > 0:  # what the first samples rose by before is a wiggle
                found.append(top)
            way, bottom, top = -1, i, i
        elif way <= 0 and u[i] - u[bottom] > threshold:
            if way < 0:
                found.append(bottom)
            way, top, bottom = 1, i, i
    if found[-1] != n - 1:
        found.append(n - 1)
    return np.unique(np.array(found, dtype=np.intp))


def extreme_candidates(u: Array) -> Places:
    """The local extremes and both ends: the only samples at which anything can turn."""
    moves = np.diff(u)
    moving = np.flatnonzero(moves != 0.0)
    if moving.size == 0:
        return np.array([0, u.size - 1], dtype=np.intp)
    signs = np.sign(moves[moving])
    inner = moving[1:][signs[1:] != signs[:-1]]
    return np.concatenate(([0], inner, [u.size - 1])).astype(np.intp)


class ReversalDetection(NamedTuple):
    """What is known of the reversals of a deflection.

    turns : samples of both ends and of all reversals.   raw : how often the samples themselves change direction.
    noise : the standard deviation of the noise in the deflection.   threshold : what a turn goes back by, at least.
    """

    turns: Places
    raw: int
    noise: float
    threshold: float

    @property
    def reversals(self) -> int:
        return max(self.turns.size - 2, 0)

    @property
    def is_noisy(self) -> bool:
        """True if the samples turn oftener than the motion does: a law must not be driven by them as they are."""
        return self.raw > self.reversals + 2  # one at each end may be cut short


def detect_reversals(u: Array) -> ReversalDetection:
    """The reversals of a deflection, told from its noise."""
    noise = sample_noise(u)
    threshold = max(REVERSAL_NOISE_RATIO * noise, REVERSAL_RANGE_SHARE * float(np.ptp(u)))
    return ReversalDetection(reversal_indices(u, threshold), extreme_candidates(u).size - 2, noise, threshold)


def full_cycles(u: Array, f: Array, turns: Places) -> list[slice]:
    """Full cycles: from where a rising deflection passes the middle of its range to where it does so again.

    Where all of them rise from one place, or up to one, and some do not reach that middle, each passes its own.

    Data that begin or end on the middle pass it there. Where there are not two such places, but deflection and force
    come back to where they begin, that is one cycle; else none. Samples before the first and after the last belong to
    no cycle.
    """
    low, high = float(u[turns].min()), float(u[turns].max())
    middle = 0.5 * (low + high) - RANGE_ROUNDING_REL * (high - low)  # what lies on it has passed it
    passes = []
    for a, b in pairwise(turns):
        if u[a] < middle <= u[b]:
            branch = np.maximum.accumulate(u[a : b + 1])
            passes.append(int(a + np.searchsorted(branch, middle)))
    sided = _one_sided_passages(u, turns, middle)
    if sided:
        return [slice(a, b) for a, b in pairwise(sided)]
    reach = REVERSAL_NOISE_RATIO * sample_noise(u)
    if 0.0 <= u[0] - middle <= _largest_first_step(u[: turns[1] + 1]) + reach:
        passes.insert(0, 0)
    if 0.0 < middle - u[-1] <= _largest_first_step(-u[turns[-2] :][::-1]) + reach:
        passes.append(u.size)
    if len(passes) > 1:
        return [slice(a, b) for a, b in pairwise(passes)]
    closed = (end for end in _return_indices(u, turns, reach) if _force_closes(f, end))
    return [slice(0, end) for end in islice(closed, 1)]


def _one_sided_passages(u: Array, turns: Places, middle: float) -> list[int]:
    """Where rising branches pass their own middles; nowhere if all pass that of the whole, or go to both sides."""
    near = SAME_PLACE_RANGE_SHARE * float(np.ptp(u))
    rising = [(a, b) for a, b in pairwise(turns.tolist()) if u[a] < u[b]]
    if rising and rising[0][0] == 0 and u[0] > u.min() + near:
        rising = rising[1:]  # nobody knows where it began
    if rising and rising[-1][1] == u.size - 1 and u[-1] < u.max() - near:
        rising = rising[:-1]  # nor where this one would have ended
    lows, highs = (np.array([u[pair[k]] for pair in rising]) for k in (0, 1))
    if len(rising) < 2 or np.all((lows < middle) & (highs >= middle)) or min(np.ptp(lows), np.ptp(highs)) > near:
        return []
    branches = [(a, np.maximum.accumulate(u[a : b + 1]), 0.5 * (u[a] + u[b])) for a, b in rising]
    return [int(a + np.searchsorted(branch, own)) for a, branch, own in branches]


def _force_closes(f: Array, end: int) -> bool:
    """Whether a force is at the end of a cycle what it was where that began; where the data end, but for one step."""
    near = CLOSED_CYCLE_FORCE_SHARE * float(np.ptp(f))
    if end == f.size:
        near += NEXT_STEP_GROWTH * abs(f[-1] - f[-2])
    return bool(abs(f[min(end, f.size - 1)] - f[0]) <= near)


def _largest_first_step(branch: Array) -> float:
    """The most that a branch may rise by to its first sample; a falling one does not rise.

    As much as from one sample to the next, where it begins; more if the steps grow towards there, as beside a tip.
    """
    if branch[0] >= branch[-1]:
        return -np.inf
    steps = np.diff(branch[: BRANCH_START_STEPS + 1])
    grown = 2.0 * steps[0] - steps[1] if steps.size > 1 else 0.0
    return NEXT_STEP_GROWTH * float(max(steps.max(), grown))


def _return_indices(u: Array, turns: Places, reach: float) -> Iterator[int]:
    """Samples at which a deflection may have come back to where it begins: at a tip, or the same way beyond it.

    One that begins near a tip passes it again at that tip, and once more a little later.
    """
    if turns.size < 3:
        return
    x = u if u[turns[1]] > u[0] else -u  # it begins to rise
    alike = _largest_first_step(x[: turns[1] + 1]) + max(reach, SAME_TIP_RANGE_SHARE * float(np.ptp(u)))
    tip = int(turns[2])  # the first end of a falling branch
    if abs(x[tip] - x[0]) <= alike:
        again = abs(x[-1] - x[0]) < 0.5 * abs(x[1] - x[0])  # its last sample is its first one again
        yield tip + (tip == u.size - 1 and not again)
    if turns.size < 4 or x[tip] > x[0]:
        return
    branch = np.maximum.accumulate(x[tip : turns[3] + 1])
    if branch[-1] >= x[0]:
        yield tip + int(np.searchsorted(branch, x[0]))
    elif turns.size == 4 and x[0] - branch[-1] <= _largest_first_step(-x[tip:][::-1]) + reach:
        yield u.size
