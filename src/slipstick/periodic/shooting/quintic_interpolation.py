"""Functions of time given at the ends of steps, as one polynomial of degree five on each step: integrals and extremes.

A function with known first and second derivatives is the polynomial with those (Hermite); one without is that through
six neighbours that no event comes between. Both are of sixth order in the length of a step, one more than the steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex
from slipstick.laws.law_kernels import pointer
from slipstick.native import Native, compile_functions
from slipstick.periodic.shooting import quintic_interpolation_loop


def _loop(name: str) -> Native:
    return compile_functions(quintic_interpolation_loop.hermite, quintic_interpolation_loop.through)[name]


class ColumnMeasures(NamedTuple):
    """Of each column: (columns,) largest less least value, mean, mean square; (harmonics, columns) of the period."""

    spread: Array
    mean: Array
    square: Array
    harmonics: Complex


def hermite_measures(time: Array, values: Array, slopes: Array, bends: Array, harmonics: int) -> ColumnMeasures:
    """Of values (r + 1, columns) over one period.

    slopes, bends : (2, r, columns) first and second derivatives at the start and at the end of each step.
    """
    _, rows, columns = slopes.shape
    out = np.zeros((columns, 4 + 2 * harmonics))
    out[:, 0] = out[:, 1] = values[0]
    whole, work = float(time[-1] - time[0]), np.zeros(quintic_interpolation_loop.SCRATCH_SIZE)
    arrays = [np.ascontiguousarray(own) for own in (time, values, slopes, bends)]
    turn = 2.0 * np.pi / whole
    _loop("hermite").call(*map(pointer, arrays), rows, columns, harmonics, turn, pointer(work), pointer(out))
    table = np.asarray(2.0 / whole * (out[:, 4::2] - 1j * out[:, 5::2]).T, dtype=np.complex128)
    return ColumnMeasures(out[:, 1] - out[:, 0], out[:, 2] / whole, out[:, 3] / whole, table)


def interpolated_measures(
    time: Array, event: NDArray[np.bool_], begun: Array, ended: Array, cornered: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """(columns,) largest less least of values, and their integrals.

    begun, ended : (r, columns) at the start and at the end of each step; values and slopes may jump at events.
    cornered : (columns,) where slopes may jump within steps too.
    """
    rows, columns = begun.shape
    out, work = np.zeros((columns, 3)), np.zeros(quintic_interpolation_loop.SCRATCH_SIZE)
    out[:, 0] = out[:, 1] = begun[0]
    arrays = [np.ascontiguousarray(own, dtype=np.float64) for own in (time, event, begun, ended, cornered)]
    _loop("through").call(*map(pointer, arrays), rows, columns, pointer(work), pointer(out))
    return out[:, 1] - out[:, 0], out[:, 2]
