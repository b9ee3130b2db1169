"""Reversals of a noisy deflection, and the cycles between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol

Places = NDArray[np.intp]

BRANCH_START_STEPS = 4  # steps that give the speed at the start of a branch


def sample_noise(x: Array) -> float:
    """Standard deviation of the noise of a signal, robustly from its third differences.

    Those of a smooth signal almost vanish; those of white noise of deviation s have the deviation sqrt(20) s.
    """
    if x.size < 8:
        return 0.0
    third = np.diff(x, 3)
    moving = third[third != 0.0]  # a clipped sensor does not change
    if moving.size > 0.1 * third.size:
        third = moving
    return robust_deviation(third) / float(np.sqrt(20.0))


def robust_deviation(x: Array) -> float:
    """Standard deviation from the median absolute deviation, which outliers hardly change."""
    return float(np.median(np.abs(x - np.median(x)))) / 0.6745  # ratio for a normal distribution


def reversal_indices(u: Array, threshold: float) -> Places:
    """Samples at which u reverses by more than a threshold, with the first and the last sample.

    Between two of them u is monotone except for wiggles below the threshold; each lies at an extreme of these wiggles.
    """
    n = u.size
    if n < 2:
        return np.arange(n)
    turns, direction = [0], 0
    top = bottom = 0  # the extremes since the last reversal
    for i in extreme_candidates(u):
        if u[i] > u[top]:
            top = i
        if u[i] < u[bottom]:
            bottom = i
        if direction >= 0 and u[top] - u[i] > threshold:
            if direction > 0:  # an initial rise below the threshold is a wiggle
                turns.append(top)
            direction, bottom, top = -1, i, i
        elif direction <= 0 and u[i] - u[bottom] > threshold:
            if direction < 0:
                turns.append(bottom)
            direction, top, bottom = 1, i, i
    if turns[-1] != n - 1:
        turns.append(n - 1)
    return np.unique(np.array(turns, dtype=np.intp))


def extreme_candidates(u: Array) -> Places:
    """Local extremes and both ends: the candidates for reversals."""
    moves = np.diff(u)
    moving = np.flatnonzero(moves != 0.0)
    if moving.size == 0:
        return np.array([0, u.size - 1], dtype=np.intp)
    signs = np.sign(moves[moving])
    inner = moving[1:][signs[1:] != signs[:-1]]
    return np.concatenate(([0], inner, [u.size - 1])).astype(np.intp)


class ReversalDetection(NamedTuple):
    """Reversals of a deflection.

    turns : samples of both ends and of all reversals.   raw : direction changes of the raw samples.
    noise : standard deviation of the noise of the deflection.   threshold : smallest return after a reversal.
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
        """True if noise adds reversals, so that the raw samples must not drive a law."""
        return self.raw > self.reversals + 2  # one at each end may be cut short


def detect_reversals(u: Array) -> ReversalDetection:
    """Detect the reversals of a deflection above its noise."""
    noise = sample_noise(u)
    threshold = max(tol.REVERSAL_NOISE_RATIO * noise, tol.REVERSAL_RANGE_SHARE * float(np.ptp(u)))
    return ReversalDetection(reversal_indices(u, threshold), extreme_candidates(u).size - 2, noise, threshold)


def full_cycles(u: Array, f: Array, turns: Places) -> list[slice]:
    """Full cycles: from one passage of a rising deflection through the middle of its range to the next.

    If all branches rise from one deflection, or up to one, and some do not reach that middle, each uses its own.

    Data that begin or end at the middle pass it there. Without two passages, the data are one cycle if deflection and
    force return to their start. Samples before the first and after the last passage belong to no cycle.
    """
    low, high = float(u[turns].min()), float(u[turns].max())
    middle = 0.5 * (low + high) - tol.ROUNDING_REL * (high - low)  # a sample at the middle has passed it
    passes = []
    for a, b in pairwise(turns):
        if u[a] < middle <= u[b]:
            branch = np.maximum.accumulate(u[a : b + 1])
            passes.append(int(a + np.searchsorted(branch, middle)))
    one_sided = _one_sided_passages(u, turns, middle)
    if one_sided:
        return [slice(a, b) for a, b in pairwise(one_sided)]
    reach = tol.REVERSAL_NOISE_RATIO * sample_noise(u)
    if 0.0 <= u[0] - middle <= _largest_first_step(u[: turns[1] + 1]) + reach:
        passes.insert(0, 0)
    if 0.0 < middle - u[-1] <= _largest_first_step(-u[turns[-2] :][::-1]) + reach:
        passes.append(u.size)
    if len(passes) > 1:
        return [slice(a, b) for a, b in pairwise(passes)]
    closed = (end for end in _return_indices(u, turns, reach) if _force_closes(f, end))
    return [slice(0, end) for end in islice(closed, 1)]


def _one_sided_passages(u: Array, turns: Places, middle: float) -> list[int]:
    """Passages of rising branches through their own middles; none if all pass the common one or vary at both ends."""
    near = tol.SAME_REVERSAL_SHARE * float(np.ptp(u))
    rising = [(a, b) for a, b in pairwise(turns.tolist()) if u[a] < u[b]]
    if rising and rising[0][0] == 0 and u[0] > u.min() + near:
        rising = rising[1:]  # its start is unknown
    if rising and rising[-1][1] == u.size - 1 and u[-1] < u.max() - near:
        rising = rising[:-1]  # its end is unknown
    lows, highs = (np.array([u[pair[k]] for pair in rising]) for k in (0, 1))
    if len(rising) < 2 or np.all((lows < middle) & (highs >= middle)) or min(np.ptp(lows), np.ptp(highs)) > near:
        return []
    branches = [(a, np.maximum.accumulate(u[a : b + 1]), 0.5 * (u[a] + u[b])) for a, b in rising]
    return [int(a + np.searchsorted(branch, centre)) for a, branch, centre in branches]


def _force_closes(f: Array, end: int) -> bool:
    """True if the force at the end of a cycle equals that at its start; at the end of the data, to one step."""
    near = tol.CLOSED_CYCLE_FORCE_SHARE * float(np.ptp(f))
    if end == f.size:
        near += tol.NEXT_STEP_GROWTH * abs(f[-1] - f[-2])
    return bool(abs(f[min(end, f.size - 1)] - f[0]) <= near)


def _largest_first_step(branch: Array) -> float:
    """Largest possible step of a rising branch to its first sample; minus infinity for a falling branch.

    It is the largest of the first steps, or more if steps grow towards the start, as away from a tip.
    """
    if branch[0] >= branch[-1]:
        return -np.inf
    steps = np.diff(branch[: BRANCH_START_STEPS + 1])
    extrapolated = 2.0 * steps[0] - steps[1] if steps.size > 1 else 0.0
    return tol.NEXT_STEP_GROWTH * float(max(steps.max(), extrapolated))


def _return_indices(u: Array, turns: Places, reach: float) -> Iterator[int]:
    """Samples at which a deflection may have returned to its start: at a tip, or after it in the same direction.

    A motion that begins near a tip passes its start at that tip, and again shortly after.
    """
    if turns.size < 3:
        return
    x = u if u[turns[1]] > u[0] else -u  # rising at the start
    alike = _largest_first_step(x[: turns[1] + 1]) + max(reach, tol.SAME_TIP_RANGE_SHARE * float(np.ptp(u)))
    tip = int(turns[2])  # end of the first falling branch
    if abs(x[tip] - x[0]) <= alike:
        repeated = abs(x[-1] - x[0]) < 0.5 * abs(x[1] - x[0])  # the last sample repeats the first
        yield tip + (tip == u.size - 1 and not repeated)
    if turns.size < 4 or x[tip] > x[0]:
        return
    branch = np.maximum.accumulate(x[tip : turns[3] + 1])
    if branch[-1] >= x[0]:
        yield tip + int(np.searchsorted(branch, x[0]))
    elif turns.size == 4 and x[0] - branch[-1] <= _largest_first_step(-x[tip:][::-1]) + reach:
        yield u.size
