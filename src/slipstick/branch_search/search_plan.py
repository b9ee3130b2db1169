"""Where other branches are looked for: frequencies in the range, and starts at each of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array

if TYPE_CHECKING:
    from slipstick.results.orbit import OrbitPoint


FREQUENCIES, STARTS = 96, 6  # of a model with one free coordinate: narrow branches need close frequencies
STARTS_A_COORDINATE = 2  # more, for each further one
LEAST_SIZE_REL = 0.3  # of the motion at the frequency: size of the smallest start
LARGEST_SIZE_REL, LARGEST_RANGE_REL = 10.0, 2.0  # the same of the largest start; of the largest motion in the range


def search_frequencies(begin: float, end: float) -> Array:
    """Frequencies of a range, both ends among them: half spread evenly, half by equal ratios."""
    low, high = min(begin, end), max(begin, end)
    fine = np.linspace(low, high, 2001)
    even = (fine - low) / (high - low)
    ratios = even if low <= 0.0 else np.log(fine / low) / np.log(high / low)
    return np.asarray(np.interp(np.linspace(0.0, 1.0, FREQUENCIES), 0.5 * (even + ratios), fine))


def spread_order(count: int) -> list[int]:
    """Numbers 0 to count - 1 in an order whose first parts are spread over all of them: a search that ends early has
    looked everywhere."""
    bits = max(count - 1, 1).bit_length()
    return [k for k in (int(f"{i:0{bits}b}"[::-1], 2) for i in range(2**bits)) if k < count]


def start_states(count: int, local: Array, largest: Array, number: int) -> Array:
    """(count, 2n) displacements and velocities over the frequency of starts.

    Directions are random and sizes spread by equal ratios: a run passes smaller motions as it decays.
    local, largest : (n,) sizes of the known motions at the frequency, and in the whole range.
    number : of the frequency, so that each has starts of its own.
    """
    generator = np.random.default_rng(number)
    directions = generator.normal(size=(count, 2 * local.size))
    lengths = np.sqrt((directions**2).sum(axis=1, keepdims=True))
    strata = ((generator.permutation(count) + generator.random(count)) / count)[:, None]
    low = LEAST_SIZE_REL * local
    high = np.maximum(LARGEST_SIZE_REL * local, LARGEST_RANGE_REL * largest)
    return np.asarray(directions / lengths * np.tile(low * (high / low) ** strata, 2))


def largest_motion(points: Sequence[OrbitPoint], free: NDArray[np.intp]) -> Array:
    """(free coordinates,) the largest displacement of each on some orbits; of those that hardly move, a part of the
    largest."""
    rows = np.array([np.abs(p.mean[free]) + p.amplitude[free] for p in points])
    found = rows.max(axis=0)
    return np.asarray(np.maximum(found, max(1e-3 * found.max(initial=0.0), 1e-300)))


def points_beside(curves: Sequence[Sequence[OrbitPoint]], p: float) -> list[OrbitPoint]:
    """Points of curves between which a value of the parameter lies; all points where it lies between none."""
    pairs = (pair for points in curves for pair in pairwise(points))
    around = (pair for pair in pairs if min(each.p for each in pair) <= p <= max(each.p for each in pair))
    found = [point for pair in around for point in pair]
    return found or [point for points in curves for point in points]
