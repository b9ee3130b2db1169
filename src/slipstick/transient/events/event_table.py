"""`EventTable`: the events of a run as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array


class EventTable(NamedTuple):
    """Events at which steps ended, k of them: reversals, corners and edges.

    time : (k,) [s].   element, kind : (k,).   way : (k,) direction, or at an edge the side of it.   deflection : (k,).
    states : (k, 2n + m) q, v, forces.
    """

    time: Array
    element: NDArray[np.int64]
    kind: NDArray[np.int64]
    way: Array
    deflection: Array
    states: Array

    def select(self, chosen: Any) -> EventTable:
        """Some of them, by their numbers or by a mask."""
        return EventTable(*(column[chosen] for column in self))
