"""Records from files: times and any number of channels, loads and motions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import FileError, InvalidInput, WrongArguments
from slipstick.identification.reading.column_roles import Column, column_factor, explicit_column, find_time
from slipstick.identification.reading.loop_tables import TableOptions, checked_rate, file_name, read_table
from slipstick.identification.reading.table_files import MeasuredTable
from slipstick.identification.reading.table_layout import CLOCK, NUMBER, TableLayout
from slipstick.identification.reading.table_rows import check_rows
from slipstick.identification.record import DEFLECTION_QUANTITY, FORCE_QUANTITY, Record, split_channel
from slipstick.name_hints import did_you_mean

OPTIONS = ("units", "decimal", "rate", "skip_lines", "skip_incomplete", "encoding")
GRAVITY_UNITS = ("g", "G", "gn", "g_n", "g0", "g_0")
STANDARD_GRAVITY = 9.80665  # m/s^2
_ANGLES = ((0, 0, 0, 1), (0, 0, 0, 0))  # radians may be written as plain numbers
UNITS_OF: Mapping[str, tuple[str, tuple[tuple[int, ...], ...]]] = {  # exponents of length, mass, time, angle
    "displacement": ("a", ((1, 0, 0, 0), *_ANGLES)),
    DEFLECTION_QUANTITY: ("a", ((1, 0, 0, 0), *_ANGLES)),
    "velocity": ("a", ((1, 0, -1, 0), (0, 0, -1, 1), (0, 0, -1, 0))),
    "acceleration": ("an", ((1, 0, -2, 0), (0, 0, -2, 1), (0, 0, -2, 0))),
    FORCE_QUANTITY: ("a", ((1, 1, -2, 0), (2, 1, -2, 0), (-1, 1, -2, 0))),
}


def read_record(
    path: Any, time: Column | None, wanted: Mapping[str, Mapping[str, Column] | None], options: Mapping[str, Any]
) -> Record:
    """See `Record.read`.   wanted : columns of channels (None: all others), loads and motions, by name."""
    for option in options:
        if option not in OPTIONS:
            raise WrongArguments(f'has no option "{option}"{did_you_mean(option, OPTIONS)}', owner="Record.read")
    file = file_name(path)
    units = dict(options.get("units") or {})
    rate = checked_rate(options.get("rate"))
    table = read_table(file, TableOptions(**{key: value for key, value in options.items() if key != "units"}))
    clock = None if rate is not None else _time_column(file, table, time)
    places = {
        kind: {
            name: explicit_column(file, table.layout, table.rows.numbers, name, column) for name, column in own.items()
        }
        for kind, own in wanted.items()
        if own is not None
    }
    if "channels" not in places:
        taken = {clock, *(i for own in places.values() for i in own.values())}
        places = {"channels": _other_columns(table.layout, taken), **places}
    if not places["channels"]:
        raise FileError(
            file, None, "", "has no column of numbers besides the time, loads and motions; export a measured history"
        )
    used = [*([] if clock is None else [clock]), *(i for own in places.values() for i in own.values())]
    rows = check_rows(file, table.rows, used, bool(options.get("skip_incomplete", False)))
    numbers, notes = rows.numbers, list(rows.notes)
    if clock is None:
        assert rate is not None
        times: Array = np.arange(numbers.shape[0]) / rate
        notes.append(f"times from a rate of {rate:g} Hz")
    else:
        factor, _ = column_factor(file, table.layout, clock, "time", units)
        times = numbers[:, clock] * factor
    histories = {
        kind: {
            name: numbers[:, i] * _factor(file, _Target(name, kind), (table.layout, i), units, notes)
            for name, i in own.items()
        }
        for kind, own in places.items()
    }
    name = Path(file).name
    try:
        channels = histories.pop("channels")
        return Record(times, channels, **histories, name=name, notes=notes)
    except InvalidInput as problem:
        line = None if problem.sample is None else int(rows.where[problem.sample]) + 1
        raise FileError(file, line, "", problem.message) from None


def _time_column(file: str, table: MeasuredTable, time: Column | None) -> int:
    """Column of the times."""
    if time is not None:
        return explicit_column(file, table.layout, table.rows.numbers, "time", time)
    found = find_time(table.layout, table.rows)
    if found is None:
        words = "which column is the time? give time= with its name or number, or rate= for equally spaced samples"
        raise FileError(file, None, "", words)
    return found


def _other_columns(layout: TableLayout, taken: set[int | None]) -> dict[str, int]:
    """Every other column of numbers, by its name in the header or its number."""
    names = layout.header or tuple(f"column {i}" for i in range(layout.width))
    return {
        names[i] or f"column {i}": i
        for i, kind in enumerate(layout.kinds)
        if kind == NUMBER and kind != CLOCK and i not in taken
    }


class _Target(NamedTuple):
    """What a column becomes.   name : of the channel or coordinate.   kind : "channels", "loads" or "motions"."""

    name: str
    kind: str

    @property
    def quantity(self) -> str:
        """Key of `UNITS_OF`; empty for a channel whose name says nothing."""
        own, quantity = split_channel(self.name)
        by_name = quantity if own != self.name else ""
        return {"loads": FORCE_QUANTITY, "motions": "displacement"}.get(self.kind, by_name)


def _factor(
    file: str, target: _Target, place: tuple[TableLayout, int], units: Mapping[str, str], notes: list[str]
) -> float:
    """Factor of a column to SI; 1 with a note for a unit that is not known, such as V."""
    from slipstick.model.files.headers import plain
    from slipstick.units.parser import parse_unit

    layout, column = place
    title = layout.header[column] if layout.header else ""
    unit = units.get(title) or (layout.units[column] if layout.units else "")
    if not unit or unit == "-":
        return 1.0
    if unit in GRAVITY_UNITS and target.quantity in ("", "acceleration"):  # a record has no masses
        notes.append(f"{layout.column_title(column)}: {unit} read as {STANDARD_GRAVITY} m/s^2")
        return STANDARD_GRAVITY
    try:
        found = parse_unit(plain(unit, target.quantity or None))
    except InvalidInput:
        notes.append(f"{layout.column_title(column)}: unit {unit} is not known, numbers stay as they are")
        return 1.0
    article, allowed = UNITS_OF.get(target.quantity, ("", ()))
    if allowed and tuple(round(e) for e in found.exponents) not in allowed:
        words = (
            f"must have a unit of {article} {target.quantity}, got {unit}; name the quantity that was measured "
            "(x.displacement, or --quantity in a terminal), or give units="
        )
        raise FileError(file, None, "", f"{target.name} {words}")
    return float(found.factor)
