"""A ledger as a dataset: figures over the dimensions of the plan, with the state of every point."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from slipstick.errors import FileError
from slipstick.results.sweep import Sweep
from slipstick.results.sweep_units import FACTOR_ATTRIBUTE, UNIT_ATTRIBUTE
from slipstick.sweeps.ledger import Ledger, LedgerRow
from slipstick.sweeps.ledger_repair import describe_damage
from slipstick.sweeps.point_arrays import read_arrays
from slipstick.sweeps.point_outcome import DONE, FAILED, POINT_STATES


def open_sweep(path: Path) -> Sweep:
    """The sweep of a ledger, finished or not, also while it is filled."""
    ledger = Ledger.read_only(path)
    try:
        damaged = ledger.damaged()
        if damaged:
            words = f"{path}: {describe_damage(damaged)}; counted as waiting: start the sweep again to compute them"
            warnings.warn(words, stacklevel=3)  # where slipstick.open is called
        return dataset_of(ledger)
    finally:
        ledger.close()


def dataset_of(ledger: Ledger) -> Sweep:
    """Everything that is known; figures of points that are not done are not numbers."""
    points = _PointTable(ledger)
    for row in ledger.rows():
        points.put(row)
    attributes = {
        "slipstick_version": ledger.about["version"],
        "study": ledger.about["study"],
        "store": str(ledger.path),
        "figures": list(points.figures),
    }
    found = Sweep(points.data(), points.coordinates(), attributes)
    for name, (unit, factor) in ledger.about.get("shown", {}).items():
        if name in found:
            found[name].attrs |= {UNIT_ATTRIBUTE: unit, FACTOR_ATTRIBUTE: factor}
    for name, unit in ledger.about.get("units", {}).items():
        if name in found and unit:
            found[name].attrs["units"] = unit
    return found


class _PointTable:
    """Rows of a ledger, each put where it belongs in the columns of a table."""

    def __init__(self, ledger: Ledger) -> None:
        self.path, total = ledger.path, ledger.total
        self._dimensions: list[tuple[str, int, list[str]]] = [tuple(d) for d in ledger.about["dimensions"]]
        self._axes = {name: _Axis(k, self._dimensions) for k, d in enumerate(self._dimensions) for name in d[2]}
        self._state, self._seconds = np.zeros(total, dtype=np.int8), np.full(total, np.nan)
        self._message = np.full(total, "", dtype=object)
        self._passed, self._error = np.full(total, np.nan), np.full(total, np.nan)
        self.figures: dict[str, _Column] = {}

    def put(self, row: LedgerRow) -> None:
        """A row, whatever its state."""
        i = row.number
        self._state[i], self._message[i] = POINT_STATES.index(row.state), row.message
        self._seconds[i] = np.nan if row.seconds is None else row.seconds
        for name, axis in self._axes.items():
            if name in row.parameters:  # those of a damaged row are not known
                axis.put(i, row.parameters[name], sure=row.state in (DONE, FAILED))
        if row.certificate:
            self._passed[i] = row.certificate["passed"]
            self._error[i] = np.nan if row.certificate["error"] is None else row.certificate["error"]
        if row.state == DONE:
            for name, value in self._held(row).items():
                if name not in self.figures:
                    self.figures[name] = _Column(self._state.size)
                self.figures[name].put(i, value)

    def _held(self, row: LedgerRow) -> dict[str, Any]:
        """The figures of a finished point; without arrays that cannot be read."""
        if not row.arrays:
            return row.figures
        try:
            return row.figures | read_arrays(self.path, row.arrays)
        except FileError as trouble:
            self._message[row.number] = str(trouble)
            return row.figures

    def coordinates(self) -> dict[str, Any]:
        return {name: (self._dimensions[axis.dimension][0], axis.values()) for name, axis in self._axes.items()}

    def data(self) -> dict[str, Any]:
        """Figures, then state, message, seconds and certificates, over the dimensions of the plan."""
        names, shape = [d[0] for d in self._dimensions], tuple(d[1] for d in self._dimensions)
        data: dict[str, Any] = {}
        for name, column in self.figures.items():
            values, more = column.table()
            own = [_free_dimension_name(f"{name}_{k}", {*self.figures, *names, *self._axes}) for k in range(more)]
            data[name] = ([*names, *own], values.reshape(shape + values.shape[1:]))
        data["state"] = (names, np.array(POINT_STATES)[self._state].reshape(shape))
        data["message"] = (names, self._message.reshape(shape))
        data["seconds"] = (names, self._seconds.reshape(shape), {"units": "s", "long_name": "time that a point took"})
        if not np.all(np.isnan(self._passed)):
            words = {"long_name": "1 where the certificate holds"}
            data["certificate_passed"] = (names, self._passed.reshape(shape), words)
            words = {"long_name": "estimated largest error of a displacement [m or rad]"}
            data["certificate_error"] = (names, self._error.reshape(shape), words)
        return data


class _Axis:
    """The values of a column along its dimension, read off the points."""

    def __init__(self, dimension: int, dimensions: list[tuple[str, int, list[str]]]) -> None:
        self.dimension, self.count = dimension, dimensions[dimension][1]
        self.stride = int(np.prod([d[1] for d in dimensions[dimension + 1 :]], dtype=int))
        self._held: list[Any] = [None] * self.count

    def put(self, number: int, value: Any, sure: bool) -> None:
        """sure : by a checksum."""
        place = (number // self.stride) % self.count
        if sure or self._held[place] is None:
            self._held[place] = value

    def values(self) -> Any:
        unknown = "" if any(isinstance(each, str) for each in self._held) else np.nan
        return np.array([unknown if each is None else each for each in self._held])


class _Column:
    """A figure of all points; arrays of different length are filled up with NaN."""

    def __init__(self, total: int) -> None:
        self._numbers = np.full(total, np.nan)  # eight megabytes for a million points
        self._others: dict[int, Any] = {}  # words and arrays

    def put(self, number: int, value: Any) -> None:
        if isinstance(value, (bool, int, float)):
            self._numbers[number] = value
        else:
            self._others[number] = value

    def table(self) -> tuple[Any, int]:
        """(points, ...) and how many dimensions of its own it has."""
        if not self._others:
            return self._numbers, 0
        if any(_has_words(value) for value in self._others.values()):
            return self._as_words(), 0
        arrays = {i: np.asarray(value, dtype=float) for i, value in self._others.items()}
        most = max(array.ndim for array in arrays.values())
        shape = tuple(max((array.shape[k] if k < array.ndim else 1) for array in arrays.values()) for k in range(most))
        table: Any = np.full((self._numbers.size, *shape), np.nan)
        if table.size:
            table[(slice(None), *(0,) * most)] = self._numbers
        for i, array in arrays.items():
            padded = array.reshape(array.shape + (1,) * (most - array.ndim))
            table[(i, *map(slice, padded.shape))] = padded
        return table, most

    def _as_words(self) -> Any:
        words = np.full(self._numbers.size, "", dtype=object)
        for i in np.flatnonzero(~np.isnan(self._numbers)).tolist():
            words[i] = str(self._numbers[i])
        for i, value in self._others.items():
            words[i] = str(value)
        return words


def _free_dimension_name(name: str, taken: set[str]) -> str:
    """A name that is not taken, for a dimension of a figure's own."""
    while name in taken:
        name += "_"
    return name


def _has_words(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and any(isinstance(each, str) for each in value))
