"""The sign that a curve keeps: that of the determinant of its derivatives and its tangent.

Along a curve it is the same everywhere, beyond folds and corners too, and changes where another branch crosses: there
the determinant goes through zero. Where it changes its sign and does not, a step has led over to another branch.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.corrector import Located, correct, sign_of
from slipstick.periodic.family import Family

Array = NDArray[np.float64]

BETWEEN = (0.5, 0.3, 0.7)  # of the way: places at which the determinant is looked at, the next one where one fails
EVENLY = 0.2  # of its change: so far from a straight line it may lie there; a step that led over is off by 0.3 or more


def orientation(family: Family, z: Array, scale: Array, tangent: Array) -> float:
    """The sign of the determinant of derivatives and tangent; 0 where they are not square, or it is one of rounding."""
    return sign_of(_bordered(family, z, scale, tangent))


def crosses_between(family: Family, last: Located, new: Located) -> bool:
    """True if the determinant, whose sign is another at a new point, changes evenly on the way there from the last."""

    def determinant(at: Located) -> tuple[float, float]:  # its sign, and the logarithm of its size
        sign, size = np.linalg.slogdet(_bordered(family, at.z, last.scale, at.tangent))
        return float(sign), float(size)

    ends = [determinant(each) for each in (last, new)]
    largest = max(size for _, size in ends)
    first, end = (sign * math.exp(size - largest) for sign, size in ends)
    whole = last.ahead(new.z)
    if not whole > 0.0:
        return False
    for part in BETWEEN:
        try:
            found = correct(family, last.z + part * (new.z - last.z), last.plane(part * whole))
        except NotConverged:
            continue
        sign, size = determinant(found)
        own = sign * math.exp(min(size - largest, 1.0))  # e times as large is far enough off
        return abs(own - (1.0 - part) * first - part * end) <= EVENLY * abs(end - first)
    return False


def _bordered(family: Family, z: Array, scale: Array, tangent: Array) -> Array:
    _, by_x, by_p = family.linearise(z[:-1], float(z[-1]))
    return np.vstack([np.column_stack([by_x, by_p]) * scale, tangent])
