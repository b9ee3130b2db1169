"""Loops from text files: one or several in each, in one file or many.

Nothing is dropped silently: a line that cannot be read refuses the file and is named by its number; comments, empty
lines, repeated headers and text around the numbers are counted in the loop's notes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import glob, has_magic
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from slipstick.errors import FileError, InvalidInput, did_you_mean, short_repr
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.sensor_faults import refuse_extreme_sizes
from slipstick.identification.reading.column_roles import (
    GROUP_ROLE_PREFIX,
    ROLE_NAMES,
    Column,
    assign_columns,
    column_factor,
    describe_assignment,
)
from slipstick.identification.reading.column_units import refuse_mixed, shown_units, system_of
from slipstick.identification.reading.decimal_signs import DECIMAL_COMMA, DECIMAL_POINT
from slipstick.identification.reading.table_layout import TableLayout, detect_layout
from slipstick.identification.reading.table_rows import Places, TableRows, parse_rows
from slipstick.identification.reading.text_lines import read_lines
from slipstick.units.scales import LoopUnits

MAX_LOOPS = 1000  # in a file
SAME_LOOP_TIME_STEPS = 3.0  # steps of time: blocks that follow each other so closely are one loop


def read_loop(
    path: str | os.PathLike[str],
    deflection: Column | None = None,
    force: Column | None = None,
    time: Column | None = None,
    *,
    units: dict[str, str] | None = None,
    decimal: str | None = None,
) -> Loop:
    """The loop of a text file, possibly packed (.gz).

    deflection, force, time : names of columns, or their numbers from 0; by default told from the header or the order.
    units : of columns whose header has none, such as {"deflection": "mm"}; what has none at all is taken in SI.
    decimal : the decimal sign, "." or ","; told from the numbers by default.
    """
    loops = read_loops(path, deflection, force, time, units=units, decimal=decimal)
    if len(loops) > 1:
        raise FileError(
            _loop_name(path),
            None,
            "",
            f"holds {len(loops)} loops, in blocks with empty lines or headers between them; "
            "read all of them with Loop.read_many",
        )
    return loops[0]


def read_many(paths: Any, deflection: Column | None = None, force: Column | None = None, time: Column | None = None, *,
    by: Column | Sequence[Column] | None = None, units: dict[str, str] | None = None, decimal: str | None = None,
) -> list[Loop]:  # fmt: skip
    """All loops of several text files: names of files, or patterns such as "rig*.csv", in the order of names."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    if not isinstance(given, Sequence) or not given:
        raise InvalidInput(
            f"read_many needs a file, a pattern such as rig*.csv or a list, got {short_repr(paths)}"
        ).about("paths")
    loops = []
    for path in given:
        name = _loop_name(path)
        files = sorted(glob(name)) if has_magic(name) and not os.path.exists(name) else [name]
        if not files:
            raise FileError(name, None, "", "no file is called so; check the pattern and the folder")
        for file in files:
            loops += read_loops(file, deflection, force, time, by=by, units=units, decimal=decimal)
    return loops


def read_loops(
    path: str | os.PathLike[str],
    deflection: Column | None = None,
    force: Column | None = None,
    time: Column | None = None,
    *,
    by: Column | Sequence[Column] | None = None,
    units: dict[str, str] | None = None,
    decimal: str | None = None,
    content: bytes | None = None,
) -> list[Loop]:
    """All loops of a text file: one for each value of the column ``by``, or one for each block of numbers.

    by : several columns tell loops apart by all of their values; one in Hz tells their frequencies.
    decimal : the decimal sign, "." or ","; told from the numbers by default, and asked for where they do not tell it.
    content : what is in the file, where it came without one; nothing is opened, and the path is but a name.
    """
    file = _loop_name(path)
    own_units = _checked_units(units)
    if decimal not in (None, DECIMAL_POINT, DECIMAL_COMMA):
        raise InvalidInput(f'decimal must be "." or ",", got {short_repr(decimal)}').about("decimal")
    lines = read_lines(file, content)
    layout = detect_layout(file, lines, decimal)
    rows = parse_rows(file, lines, layout)
    apart = [by] if isinstance(by, (str, int)) else list(by or ())
    columns = assign_columns(file, layout, rows, deflection, force, time, apart)
    notes = list(rows.said)
    factors = {
        role: column_factor(file, layout, i, role, own_units) for role, i in columns.items() if role in ROLE_NAMES
    }
    notes.append(describe_assignment(layout, columns, factors))
    written = {role: unit for role, (_, unit) in factors.items()}
    try:
        refuse_mixed(written)
    except InvalidInput as problem:
        raise FileError(file, None, "", problem.message) from None
    system = system_of(written)
    units_shown = shown_units(factors, system)
    values = [i for role, i in columns.items() if role.startswith(GROUP_ROLE_PREFIX)]
    parts = _split_by_values(file, layout, rows, values) if values else _split_by_block(rows, columns, notes)
    hertz = next((i for i in values if layout.units and layout.units[i] == "Hz"), None)
    found = []
    for label, places in parts:
        own = {role: rows.numbers[places, columns[role]] * factor for role, (factor, _) in factors.items()}
        known = None if hertz is None else float(rows.numbers[places[0], hertz])
        found.append(_make_loop(file, label, own, notes, rows.where[places], system, units_shown, known))
    return found


def _loop_name(path: Any) -> str:
    try:
        return os.fsdecode(path)
    except TypeError:
        raise InvalidInput(f"a file is named by a text or a path, got {short_repr(path)}").about("path") from None


def _checked_units(units: Any) -> dict[str, str]:
    """Units by what they are of."""
    given = {} if units is None else units
    if not isinstance(given, dict):
        raise InvalidInput(
            f'units must be given by name, such as {{"deflection": "mm"}}, got {short_repr(units)}'
        ).about("units")
    for role, unit in given.items():
        if role not in ROLE_NAMES:
            raise InvalidInput(
                f"units are of {', '.join(ROLE_NAMES)}, got {short_repr(role)}{did_you_mean(str(role), ROLE_NAMES)}"
            )
        if not isinstance(unit, str):
            raise InvalidInput(f"the unit of {role} must be a text such as mm, got {short_repr(unit)}").about("units")
    return given


def _make_loop(
    file: str, label: str, own: dict[str, Any], notes: Sequence[str], where: Places, system: str, units: LoopUnits,
    frequency: float | None,
) -> Loop:  # fmt: skip
    name = f"{Path(file).name} {label}".strip()
    try:
        made = Loop(
            own["deflection"], own["force"], own.get("time"), name=name, notes=notes, system=system,
            file=Path(file).name, units=units, frequency=frequency,
        )  # fmt: skip
        refuse_extreme_sizes(made)
        return made
    except InvalidInput as problem:
        line = None if problem.sample is None else int(where[problem.sample]) + 1
        raise FileError(file, line, label, problem.message) from None


# ---- which rows are one loop


def _split_by_block(rows: TableRows, columns: dict[str, int], notes: list[str]) -> list[tuple[str, Places]]:
    every = np.arange(rows.numbers.shape[0])
    edges = list(rows.blocks)
    if "time" in columns and len(edges) > 2:
        t = rows.numbers[:, columns["time"]]
        usual = float(np.median(np.diff(t)))
        joined = [b for b in edges[1:-1] if 0.0 < t[b] - t[b - 1] <= SAME_LOOP_TIME_STEPS * usual]
        if joined:
            notes.append(f"{len(joined)} gap{'s' * (len(joined) != 1)} over which time goes on passed over")
            edges = [b for b in edges if b not in joined]
    if len(edges) == 2:
        return [("", every)]
    notes.append(f"one of {len(edges) - 1} blocks with empty lines or headers between them")
    return [(f"block {k + 1}", every[a:b]) for k, (a, b) in enumerate(pairwise(edges))]


def _split_by_values(
    file: str, layout: TableLayout, rows: TableRows, columns: Sequence[int]
) -> list[tuple[str, Places]]:
    """Rows of each value of a column, or of several, in the order in which they come."""
    own = rows.numbers[:, list(columns)]
    values, first, which = np.unique(own, axis=0, return_index=True, return_inverse=True)
    if len(values) > MAX_LOOPS:
        raise FileError(
            file, None, "by", f"the column has {len(values)} different values; at most {MAX_LOOPS} loops are in a file"
        )
    names = [layout.header[i] if layout.header else f"column {i}" for i in columns]
    found = []
    for k in np.argsort(first):
        label = ", ".join(f"{name} = {value:g}" for name, value in zip(names, values[k], strict=True))
        found.append((label, np.flatnonzero(which.ravel() == k)))
    return found
