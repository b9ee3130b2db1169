"""Functions of time given at the ends of steps, as one cubic on each step: their integrals and extremes.

A function with known slopes is the cubic with those (Hermite); one without is the cubic through four neighbours that no
event comes between. Both are of fourth order in the length of a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.compile import pointer
from slipstick.native import Native
from slipstick.periodic.shooting import cubics_loop
from slipstick.transient.kernels import modules_loops

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_ENTRIES = {
    "hermite": ("list",) * 4 + ("integer",) * 3 + ("number", "list"),
    "through": ("list",) * 3 + ("integer",) * 2 + ("list",),
}


def _loop(name: str) -> Native:
    return modules_loops((cubics_loop,), (), _ENTRIES)[name]


class Waves(NamedTuple):
    """Of each column: (columns,) largest less least value, mean, mean square; (harmonics, columns) of the period."""

    spread: Array
    mean: Array
    square: Array
    harmonics: Complex


def hermite(time: Array, values: Array, leaving: Array, coming: Array, harmonics: int) -> Waves:
    """Of values (r + 1, columns) over one period, with slopes at the begin and at the end of each step (r, columns)."""
    rows, columns = leaving.shape
    out = np.zeros((columns, 4 + 2 * harmonics))
    out[:, 0] = out[:, 1] = values[0]
    whole = float(time[-1] - time[0])
    arrays = [np.ascontiguousarray(own) for own in (time, values, leaving, coming)]
    _loop("hermite").call(*map(pointer, arrays), rows, columns, harmonics, 2.0 * np.pi / whole, pointer(out))
    table = np.asarray(2.0 / whole * (out[:, 4::2] - 1j * out[:, 5::2]).T, dtype=np.complex128)
    return Waves(out[:, 1] - out[:, 0], out[:, 2] / whole, out[:, 3] / whole, table)


def through(time: Array, event: NDArray[np.bool_], values: Array) -> tuple[Array, Array]:
    """(columns,) largest less least of values (r + 1, columns), and their integrals; slopes may jump at events."""
    rows, columns = values.shape[0] - 1, values.shape[1]
    out = np.zeros((columns, 3))
    out[:, 0] = out[:, 1] = values[0]
    arrays = [np.ascontiguousarray(own, dtype=np.float64) for own in (time, event, values)]
    _loop("through").call(*map(pointer, arrays), rows, columns, pointer(out))
    return out[:, 1] - out[:, 0], out[:, 2]
