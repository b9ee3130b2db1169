"""Matrix products that are exact to rounding of the result, though large terms cancel in them.

The entries of a fine mesh's stiffness matrix K are large against the forces K x of a slow motion, so that an ordinary
sum is mostly rounding. Here factors are cut into slices of few bits, whose products are summed without rounding
(Ozaki, Ogita, Oishi and Rump, 2012), by matrix products.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from slipstick.arrays import Array

MANTISSA_BITS = 53  # bits of a number
DENSE_SHARE = 0.1  # part of entries that are not zero: below, products skip the others
MAX_SLICES = 4  # further slices lie far below rounding of the result


def accurate_product(a: Array, b: Array) -> Array:
    """(m, k) times (k, p), each entry to its own rounding and 1e-21 of its terms."""
    bits = (MANTISSA_BITS - math.ceil(math.log2(max(a.shape[1], 2)))) // 2
    parts = [
        (i + j, one @ other)
        for i, one in enumerate(_sparse_if_empty(_slices(a, bits, axis=1)))
        for j, other in enumerate(_slices(b, bits, axis=0))
        if i + j < MAX_SLICES
    ]
    total = np.zeros((a.shape[0], b.shape[1]))
    for _, part in sorted(parts, key=lambda pair: -pair[0]):  # the smallest first
        total += part
    return total


def _sparse_if_empty(slices: list[Array]) -> list[Any]:
    """Parts of a matrix, sparse where the first has few entries."""
    if not slices or np.count_nonzero(slices[0]) >= DENSE_SHARE * slices[0].size:
        return slices
    from scipy.sparse import csr_array

    return [csr_array(part) for part in slices]


def _slices(a: Array, bits: int, axis: int) -> list[Array]:
    """Parts of a matrix that add up to it, each of so many bits below the largest entry along an axis."""
    found, rest = [], a
    for _ in range(MAX_SLICES):
        size = np.abs(rest).max(axis=axis, keepdims=True, initial=0.0)
        if not size.any():
            break
        step = np.exp2(np.ceil(np.log2(np.where(size > 0.0, size, 1.0))) + (MANTISSA_BITS - bits))
        found.append((rest + step) - step)
        rest = rest - found[-1]
    return found
