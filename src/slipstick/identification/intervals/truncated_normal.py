"""Draws from a normal distribution that is cut at bounds, however little of it lies within them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GIBBS_SWEEPS = 200  # of all directions, until a draw has forgotten where it began


def sample_truncated_normal(
    middle: Array, root: Array, low: Array, high: Array, rng: np.random.Generator, count: int
) -> NDArray[np.float64]:
    """(count, k) x = middle + root z with z standard normal, given that low <= x <= high, by Gibbs' sweeps.

    middle : (k,) within the bounds.   root : (k, k) of the covariance, root root^T; it may be singular.

    A triangular root takes its place, with the narrowest bounds first: they then hold the first z and leave the later
    ones their way, which they would have to creep along otherwise. One z after the other is drawn from its own normal
    distribution, cut where the others leave it within all bounds. Each of the draws goes its own way from the middle,
    so they do not depend on each other.
    """
    deviation = np.sqrt(np.maximum(np.sum(root**2, axis=1), 1e-300))
    order = np.argsort((high - low) / deviation, kind="stable")
    root = root.copy()
    root[order] = np.linalg.qr(root[order].T)[1].T
    z = np.zeros((count, root.shape[1]))
    x = np.tile(middle, (count, 1))
    for _ in range(GIBBS_SWEEPS):
        for i in range(root.shape[1]):
            along = root[:, i]
            rest = x - np.outer(z[:, i], along)
            z[:, i] = _sample_normal_between(*_conditional_range(low - rest, high - rest, along), rng)
            x = rest + np.outer(z[:, i], along)
    return np.clip(x, low, high)  # rounding may end beside a bound


def _conditional_range(low: Array, high: Array, along: Array) -> tuple[Array, Array]:
    """(count,) ends of the z for which low <= along z <= high."""
    moves = along != 0.0
    if not moves.any():
        return np.full(low.shape[0], -np.inf), np.full(low.shape[0], np.inf)
    first, second = low[:, moves] / along[moves], high[:, moves] / along[moves]
    a, b = np.minimum(first, second).max(axis=1), np.maximum(first, second).min(axis=1)
    return np.minimum(a, b), np.maximum(a, b)  # rounding may turn ends that meet


def _sample_normal_between(a: Array, b: Array, rng: np.random.Generator) -> Array:
    """(count,) of the standard normal distribution between a and b, to full digits in its tails."""
    from scipy.special import ndtr, ndtri

    upper = a > 0.0  # the lower tail has its digits, the upper one is turned
    low, high = np.where(upper, -b, a), np.where(upper, -a, b)
    below, until = ndtr(low), ndtr(high)
    share = rng.random(a.size)
    drawn = np.clip(ndtri(below + share * (until - below)), low, high)
    drawn = np.where(until > below, drawn, np.where(np.abs(low) < np.abs(high), low, high))  # no mass to tell: nearest
    return np.asarray(np.where(upper, -drawn, drawn), dtype=float)
