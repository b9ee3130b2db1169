"""`Events`: the changes of state of a run, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results.trajectory import Event

MAX_REPR_ROWS = 10


class Events:
    """Columns time [s], connection, before, after: ``events["time"]``; rows by number, slice, mask, or one by one."""

    columns = Event._fields

    def __init__(self, given: Iterable[Event]) -> None:
        if isinstance(given, Events):  # from another process or file: no copy row by row
            self._table: dict[str, NDArray[Any]] = given._table
            return
        rows = list(given)
        self._table = {"time": np.array([row[0] for row in rows], dtype=float)}
        for i, name in enumerate(self.columns[1:], start=1):
            self._table[name] = np.array([row[i] for row in rows], dtype=np.str_)

    @classmethod
    def from_columns(cls, *columns: NDArray[Any]) -> Events:
        """The table of these columns (k,): time [s], connection, before, after."""
        found = cls(())
        found._table = dict(zip(cls.columns, columns, strict=True))
        return found

    def __len__(self) -> int:
        return int(self._table["time"].size)

    def __iter__(self) -> Iterator[Event]:
        return (Event(*row) for row in zip(*(self._table[name].tolist() for name in self.columns), strict=True))

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, a row by its number, or the rows of a slice or a mask as a table."""
        if isinstance(key, str):
            if key not in self._table:
                raise InvalidInput(f'events have no column "{key}"{did_you_mean(key, self.columns)}')
            return self._table[key]
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            if not -len(self) <= key < len(self):
                raise IndexError(f"there are {len(self)} events, got the number {key}")
            return Event(*(self._table[name][key].item() for name in self.columns))
        try:
            rows = np.arange(len(self))[key]
        except (IndexError, TypeError, ValueError):
            raise InvalidInput(
                f"events are picked by a column's name, a number, a slice or a mask of {len(self)}, got "
                f"{short_repr(key)}"
            ) from None
        return Events([self[int(i)] for i in np.atleast_1d(rows)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Events):
            return NotImplemented
        return len(self) == len(other) and all(np.array_equal(self[name], other[name]) for name in self.columns)

    __hash__ = None  # type: ignore[assignment]

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        return import_module("pandas").DataFrame(self._table)  # comes with xarray

    def __repr__(self) -> str:
        count = len(self)
        head = f"{count} event{'' if count == 1 else 's'}"
        if not count:
            return head
        few = count > MAX_REPR_ROWS
        shown_rows = (
            [*range(MAX_REPR_ROWS // 2), *range(count - MAX_REPR_ROWS // 2, count)] if few else list(range(count))
        )
        rows = [[f"{row.time:.9g}", row.connection, row.before, row.after] for row in (self[i] for i in shown_rows)]
        widths = [max(len(row[i]) for row in (list(self.columns), *rows)) for i in range(4)]
        lines = ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        if few:
            lines.insert(MAX_REPR_ROWS // 2, "...")
        title = "  ".join(f"{name:<{w}}" for name, w in zip(self.columns, widths, strict=True)).rstrip()
        return "\n".join([head, title, *lines])
