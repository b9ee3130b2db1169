"""Jumps between branches in responses at separate frequencies, as at a fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.plot import tolerances as tol

if TYPE_CHECKING:
    from slipstick.results.curve import Curve


def branch_jumps(curve: Curve) -> NDArray[np.intp]:
    """Numbers of the points after which amplitudes change much more, and more steeply, than on both sides."""
    p = np.array([point.p for point in curve.points])
    if p.size < 3:
        return np.zeros(0, dtype=np.intp)
    sizes = np.array([point.amplitude for point in curve.points]).reshape(p.size, -1)
    span = np.ptp(sizes, axis=0)
    step = np.max(np.abs(np.diff(sizes / np.where(span > 0.0, span, np.inf), axis=0)), axis=1, initial=0.0)
    width = np.maximum(np.abs(np.diff(p)), tol.AVOID_ZERO_DIVISION)
    found = step > tol.MIN_JUMP_REL
    for change in (step, step / width):
        beside = np.maximum(np.append(0.0, change[:-1]), np.append(change[1:], 0.0))
        found &= change > tol.JUMP_STEP_RATIO * beside
    return np.flatnonzero(found)
