"""Remedies for messages: a button for each advice that the page can carry out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from slipstick.app.identify.page_messages import IDENTIFY
from slipstick.app.identify.page_state import Column, ReadOptions, Remedy, UploadedFile
from slipstick.errors import Advice, Message, SlipstickError

if TYPE_CHECKING:
    from slipstick.identification.reading.table_files import MeasuredTable
    from slipstick.identification.reading.table_layout import TableLayout

# label of the button and flag of `ReadOptions`, by argument of the advice
TICK_REMEDIES = {
    "remove_drift": ("remove drift", "drift"),
    "remove_offset": ("remove offset", "offset"),
    "skip_incomplete": ("skip bad lines", "skip_incomplete"),
    "sign": ("turn the sign of the force", "turn_sign"),
    "lag": ("remove the delay", "remove_lag"),
}
# label of the button and field, where only the user knows the value
FIELD_REMEDIES = {
    "evaluations": ("fix a parameter", "fixed"),
    "rate": ("give samples per second", "rate"),
    "times": ("choose the column of time", "time"),
    "units": ("set units", "units"),
}
DECIMAL_LABELS = {".": "decimal point", ",": "decimal comma"}
MAX_COLUMN_PAIRS = 2  # of columns that are offered as deflection and force


def remedies_of(messages: Iterable[str]) -> tuple[Remedy, ...]:
    """Remedies for messages, each with the text that the page shows."""
    return tuple(remedy for message in messages for remedy in _message_remedies(message, IDENTIFY.message(message)))


def file_remedies(file: UploadedFile, reading: ReadOptions, error: SlipstickError) -> tuple[Remedy, ...]:
    """Remedies for an error of a file, with assignments of its columns."""
    line = IDENTIFY.message(error.message)
    advised = _advised_arguments(error.message)
    columns = _column_remedies(file, reading, line) if advised & {"deflection", "force"} else ()
    return (*_message_remedies(error.message, line), *columns)


def swap_remedies(file: UploadedFile, reading: ReadOptions, error: SlipstickError) -> tuple[Remedy, ...]:
    """A button that swaps deflection and force, if an error advises to."""
    advised = _advised_arguments(error.message)
    if "swapped_columns" not in advised:
        return ()
    from slipstick.identification.reading.column_roles import ROLE_NAMES, assign_columns

    table = _table_of(file, reading)
    requested = {role: reading.columns.get(role) for role in ROLE_NAMES}
    found = assign_columns(file.name, table.layout, table.rows, requested, {})
    keys = {role: column_key(table.layout, index) for role, index in found.items()}
    columns = {"deflection": keys["force"], "force": keys["deflection"]}
    return (Remedy(IDENTIFY.message(error.message), "swap deflection and force", columns=columns),)


def column_key(layout: TableLayout, index: int) -> Column:
    """The key of a column in `ReadOptions`: its name if that is unique, else its index."""
    names = [name.strip().lower() for name in layout.header]
    unique = bool(names) and bool(names[index]) and names.count(names[index]) == 1
    return layout.header[index] if unique else index


def _advice_of(message: str) -> list[Advice]:
    ways = message.parts.advice if isinstance(message, Message) else ()
    return [way for way in ways if isinstance(way, Advice)]


def _advised_arguments(message: str) -> set[str]:
    """Arguments that the advice of a message names."""
    return {name for way in _advice_of(message) for name in way.arguments}


def _message_remedies(message: str, line: str) -> Iterator[Remedy]:
    for way in _advice_of(message):
        for argument in way.arguments:
            value = way.values.get(argument)
            if argument in TICK_REMEDIES:
                label, flag = TICK_REMEDIES[argument]
                yield Remedy(line, label, ticks=(flag,))
            elif argument in FIELD_REMEDIES:
                label, place = FIELD_REMEDIES[argument]
                yield Remedy(line, label, input=place)
            elif argument == "decimal":
                yield from (Remedy(line, label, decimal=sign) for sign, label in DECIMAL_LABELS.items())
            elif argument == "scaled":
                yield Remedy(line, "remove the factors", clears_factors=True)
            elif argument == "fixed":
                yield from _fixed_remedies(line, value)


def _fixed_remedies(line: str, values: object) -> Iterator[Remedy]:
    """Remedies that fix each parameter at a value; without a value they lead to the field."""
    for name, value in values.items() if isinstance(values, dict) else ():
        if value is ...:
            yield Remedy(line, f"fix {name}", input="fixed")
        else:
            yield Remedy(line, f"fix {name} at {value:g}", fixed=f"{name}={value!r}")


def _column_remedies(file: UploadedFile, reading: ReadOptions, line: str) -> Iterator[Remedy]:
    """Remedies that assign the first two columns that rise and fall, in either order."""
    table = _table_of(file, reading)
    taken = {role: key for role, key in reading.columns.items() if role in ("deflection", "force")}
    free = [role for role in ("deflection", "force") if role not in taken]
    keys = [column_key(table.layout, i) for i in range(table.layout.width) if _rises_and_falls(table, i)]
    keys = [key for key in keys if key not in reading.columns.values()][:MAX_COLUMN_PAIRS]
    for order in (keys, keys[::-1]) if len(keys) > 1 else ():
        columns = dict(zip(free, order, strict=False))
        words = (f"{key if isinstance(key, str) else f'column {key}'} as {role}" for role, key in columns.items())
        yield Remedy(line, f"use {', '.join(words)}", columns=columns)


def _rises_and_falls(table: MeasuredTable, index: int) -> bool:
    """True for a column of numbers that rises and falls; times only rise."""
    import numpy as np

    values = table.rows.numbers[:, index]
    steps = np.diff(values[np.isfinite(values)])
    return bool(np.any(steps > 0.0) and np.any(steps < 0.0))


def _table_of(file: UploadedFile, reading: ReadOptions) -> MeasuredTable:
    from slipstick.identification.reading.loop_tables import TableOptions, read_table

    return read_table(file.name, TableOptions(decimal=reading.decimal or None), file.content)
