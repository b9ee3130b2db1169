"""Samples of a normal distribution truncated at bounds, even far in its tails."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol

GIBBS_SWEEPS = 200  # over all directions, until a draw is independent of its start


def sample_truncated_normal(
    middle: Array, root: Array, low: Array, high: Array, rng: np.random.Generator, count: int
) -> NDArray[np.float64]:
    """(count, k) x = middle + root z with z standard normal and low <= x <= high, by Gibbs sampling.

    middle : (k,) within the bounds.   root : (k, k) root of the covariance root root^T, which may be singular.

    The root is made triangular with the narrowest bounds first: these then limit the first z only, and the others mix
    quickly. Each z is drawn from its normal distribution, truncated where the others keep x within the bounds. Every
    draw is a chain of its own from the middle, so draws are independent.
    """
    deviation = np.sqrt(np.maximum(np.sum(root**2, axis=1), tol.AVOID_ZERO_DIVISION))
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
    return np.clip(x, low, high)  # rounding may cross a bound


def _conditional_range(low: Array, high: Array, along: Array) -> tuple[Array, Array]:
    """(count,) range of z for which low <= along z <= high."""
    moves = along != 0.0
    if not moves.any():
        return np.full(low.shape[0], -np.inf), np.full(low.shape[0], np.inf)
    first, second = low[:, moves] / along[moves], high[:, moves] / along[moves]
    a, b = np.minimum(first, second).max(axis=1), np.maximum(first, second).min(axis=1)
    return np.minimum(a, b), np.maximum(a, b)  # rounding may swap equal ends


def _sample_normal_between(a: Array, b: Array, rng: np.random.Generator) -> Array:
    """(count,) standard normal samples between a and b, accurate in the tails."""
    from scipy.special import ndtr, ndtri

    upper = a > 0.0  # only the lower tail is accurate, so the upper one is mirrored
    low, high = np.where(upper, -b, a), np.where(upper, -a, b)
    below, until = ndtr(low), ndtr(high)
    share = rng.random(a.size)
    drawn = np.clip(ndtri(below + share * (until - below)), low, high)
    drawn = np.where(
        until > below, drawn, np.where(np.abs(low) < np.abs(high), low, high)
    )  # no probability mass: the nearest end
    return np.asarray(np.where(upper, -drawn, drawn), dtype=float)
