"""The orientation of a curve: sign of the determinant of its derivatives and tangent.

Along a curve it is the same everywhere, beyond folds and corners too, and changes where another branch crosses: there
the determinant goes through zero. Where it changes its sign and does not, a step has led over to another branch.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint, correct, determinant_sign
from slipstick.periodic.continuation.family import Family

Array = NDArray[np.float64]

CHECK_PLACES = (0.5, 0.3, 0.7)  # of the way: places at which the determinant is looked at, the next one where one fails
# of its change: so far from a straight line it may lie there; a step that led over is off by 0.3 or more
MAX_UNEVENNESS_REL = 0.2


def orientation(family: Family, z: Array, scale: Array, tangent: Array) -> float:
    """The sign of the determinant of derivatives and tangent; 0 where they are not square, or it is one of rounding."""
    return determinant_sign(_bordered(family, z, scale, tangent))


def determinant_crosses_zero(family: Family, last: CurvePoint, new: CurvePoint) -> bool:
    """True if the determinant, whose sign is another at a new point, changes evenly on the way there from the last."""

    def determinant(at: CurvePoint) -> tuple[float, float]:  # its sign, and the logarithm of its size
        sign, size = np.linalg.slogdet(_bordered(family, at.z, last.scale, at.tangent))
        return float(sign), float(size)

    ends = [determinant(each) for each in (last, new)]
    largest = max(size for _, size in ends)
    first, end = (sign * math.exp(size - largest) for sign, size in ends)
    whole = last.ahead(new.z)
    if not whole > 0.0:
        return False
    for part in CHECK_PLACES:
        try:
            found = correct(family, last.z + part * (new.z - last.z), last.plane(part * whole))
        except NotConverged:
            continue
        sign, size = determinant(found)
        own = sign * math.exp(min(size - largest, 1.0))  # e times as large is far enough off
        return abs(own - (1.0 - part) * first - part * end) <= MAX_UNEVENNESS_REL * abs(end - first)
    return False


def _bordered(family: Family, z: Array, scale: Array, tangent: Array) -> Array:
    _, by_x, by_p = family.linearise(z[:-1], float(z[-1]))
    return np.vstack([np.column_stack([by_x, by_p]) * scale, tangent])
