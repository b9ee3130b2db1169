"""Loops from text files: one or more loops a file, one or more files.

Nothing is dropped silently. A line that cannot be read is an error with its number; skipped comments, empty lines,
repeated headers and text around the numbers are counted in the notes of the loop.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from slipstick.errors import Advice, FileError, InvalidInput, did_you_mean, short_repr
from slipstick.identification import tolerances as tol
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
from slipstick.identification.reading.decimal_signs import DECIMAL_COMMA, DECIMAL_POINT
from slipstick.identification.reading.table_layout import TableLayout, detect_layout
from slipstick.identification.reading.table_rows import Places, TableRows, parse_rows
from slipstick.identification.reading.text_lines import read_lines
from slipstick.model.files.headers import COLUMNS, plain
from slipstick.units.dimensions import ALL_KINDS, COORDINATE_KINDS, DEFLECTION_EXPONENTS, FORCE_EXPONENTS, UNIT_SYSTEMS
from slipstick.units.parser import parse_unit
from slipstick.units.scales import LoopUnits, Scale

MAX_LOOPS = 1000  # in a file

# system of units, by the exponents of the force, else of the deflection
_SYSTEMS: dict[str, dict[tuple[float, ...], str]] = {
    "force": {FORCE_EXPONENTS[kind]: kind for kind in ALL_KINDS},
    "deflection": {DEFLECTION_EXPONENTS[kind]: kind for kind in COORDINATE_KINDS},
}


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How the columns of a text file are read.

    deflection, force, time : column names, or numbers from 0; by default from the header or the order.
    by : column whose values separate the loops, or several; a column in Hz gives their frequencies.
    units : of columns whose header has none, such as {"deflection": "mm"}; SI by default.
    decimal : decimal sign, "." or ","; by default from the numbers, and required if they are ambiguous.
    """

    deflection: Column | None = None
    force: Column | None = None
    time: Column | None = None
    by: Column | Sequence[Column] | None = None
    units: dict[str, str] | None = None
    decimal: str | None = None

    @property
    def group_columns(self) -> list[Column]:
        """The columns of `by`."""
        return [self.by] if isinstance(self.by, (str, int)) else list(self.by or ())


def read_loop(path: str | os.PathLike[str], options: TableOptions) -> Loop:
    """The loop of a text file, possibly compressed (.gz); an error if there are several."""
    loops = read_loops(path, options)
    if len(loops) > 1:
        raise FileError(
            _loop_name(path),
            None,
            "",
            f"holds {len(loops)} loops, in blocks with empty lines or headers between them; "
            "read all of them with Loop.read_many",
        )
    return loops[0]


def read_many(paths: Any, options: TableOptions) -> list[Loop]:
    """All loops of several text files; paths : file names, or patterns such as "rig*.csv", in the order of names."""
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
            loops += read_loops(file, options)
    return loops


def read_loops(
    path: str | os.PathLike[str], options: TableOptions | None = None, *, content: bytes | None = None
) -> list[Loop]:
    """All loops of a text file: one for each value of the column ``by``, or one for each block of numbers.

    content : bytes of the file, if it was uploaded; no file is opened, and the path is only a name.
    """
    file, options = _loop_name(path), options or TableOptions()
    own_units = _checked_units(options.units)
    if options.decimal not in (None, DECIMAL_POINT, DECIMAL_COMMA):
        raise InvalidInput(f'decimal must be "." or ",", got {short_repr(options.decimal)}').about("decimal")
    lines = read_lines(file, content)
    layout = detect_layout(file, lines, options.decimal)
    rows = parse_rows(file, lines, layout)
    requested: dict[str, Column | None] = {role: getattr(options, role) for role in ROLE_NAMES}
    columns = assign_columns(file, layout, rows, requested, options.group_columns)
    notes = list(rows.notes)
    factors = {
        role: column_factor(file, layout, i, role, own_units) for role, i in columns.items() if role in ROLE_NAMES
    }
    notes.append(describe_assignment(layout, columns, factors))
    written = {role: unit for role, (_, unit) in factors.items()}
    try:
        _refuse_mixed_units(written)
    except InvalidInput as problem:
        raise FileError(file, None, "", problem.message) from None
    system = _system_of(written)
    group_columns = [i for role, i in columns.items() if role.startswith(GROUP_ROLE_PREFIX)]
    parts = (
        _split_by_values(file, layout, rows, group_columns) if group_columns else _split_by_block(rows, columns, notes)
    )
    hertz = next((i for i in group_columns if layout.units and layout.units[i] == "Hz"), None)
    common = {"notes": notes, "system": system, "units": _display_units(factors, system)}
    loops = []
    for label, places in parts:
        values = {role: rows.numbers[places, columns[role]] * factor for role, (factor, _) in factors.items()}
        frequency = None if hertz is None else float(rows.numbers[places[0], hertz])
        loops.append(_make_loop(file, label, values, rows.where[places], {**common, "frequency": frequency}))
    return loops


def _loop_name(path: Any) -> str:
    try:
        return os.fsdecode(path)
    except TypeError:
        raise InvalidInput(f"a file is named by a text or a path, got {short_repr(path)}").about("path") from None


def _checked_units(units: Any) -> dict[str, str]:
    """Check the units given by role."""
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


def _make_loop(file: str, label: str, values: dict[str, Any], where: Places, attributes: dict[str, Any]) -> Loop:
    """A loop of some rows; errors name the line.   where : line of each row.   attributes : of the loop."""
    name = f"{Path(file).name} {label}".strip()
    try:
        loop = Loop(
            values["deflection"], values["force"], values.get("time"), name=name, file=Path(file).name, **attributes
        )
        refuse_extreme_sizes(loop)
        return loop
    except InvalidInput as problem:
        line = None if problem.sample is None else int(where[problem.sample]) + 1
        raise FileError(file, line, label, problem.message) from None


# ---- units


def _system_of(units: Mapping[str, str]) -> str:
    """System of units of the columns, from their written units; translation by default."""
    for role, known in _SYSTEMS.items():
        if units.get(role):
            exponents = tuple(round(e) for e in parse_unit(plain(units[role])).exponents)
            if exponents in known:
                return known[exponents]
    return "translation"


def _display_units(columns: Mapping[str, tuple[float, str]], system: str) -> LoopUnits:
    """Units of display; columns : factor to SI and written unit of each.

    A strain is dimensionless however it is written, as a stiffness per per cent is of no use.
    """
    force, deflection, _ = UNIT_SYSTEMS[system]
    shown = {"deflection": Scale(deflection, 1.0), "force": Scale(force, 1.0)}
    for role in shown:
        factor, unit = columns[role]
        if unit and not (role == "deflection" and system == "stress"):
            shown[role] = Scale(plain(unit), 1.0 / factor)
    bare = tuple(role for role in shown if not columns[role][1] and shown[role].unit)
    return LoopUnits(**shown, written=any(columns[role][1] for role in shown), bare=bare)


def _refuse_mixed_units(units: Mapping[str, str]) -> None:
    """Refuse units of deflection and force that do not belong together, such as a moment and a length."""
    of = {}
    for role in ("deflection", "force"):
        if not units.get(role):
            return
        of[role] = tuple(round(e) for e in parse_unit(plain(units[role])).exponents)
    deflection, force = (next((kind for e, kind in COLUMNS[role].items() if e == own), "") for role, own in of.items())
    wanted = {"a force": ("a length",), "a moment": ("an angle", "a strain"), "a stress": ("a strain", "an angle")}.get(
        force, ()
    )
    if deflection and wanted and deflection not in wanted:
        said = f"deflection in {units['deflection']} is {deflection}, force in {units['force']} is {force}"
        way = Advice("or say what the numbers are in: {units}", units={"deflection": ...})
        raise InvalidInput(f"{said}, which goes with {wanted[0]}", advice=["choose other columns", way])


# ---- rows of each loop


def _split_by_block(rows: TableRows, columns: dict[str, int], notes: list[str]) -> list[tuple[str, Places]]:
    every = np.arange(rows.numbers.shape[0])
    edges = list(rows.blocks)
    if "time" in columns and len(edges) > 2:
        t = rows.numbers[:, columns["time"]]
        usual = float(np.median(np.diff(t)))
        joined = [b for b in edges[1:-1] if 0.0 < t[b] - t[b - 1] <= tol.SAME_LOOP_TIME_STEPS * usual]
        if joined:
            notes.append(f"{len(joined)} gap{'s' * (len(joined) != 1)} within the loop skipped, as time continues")
            edges = [b for b in edges if b not in joined]
    if len(edges) == 2:
        return [("", every)]
    notes.append(f"one of {len(edges) - 1} blocks with empty lines or headers between them")
    return [(f"block {k + 1}", every[a:b]) for k, (a, b) in enumerate(pairwise(edges))]


def _split_by_values(
    file: str, layout: TableLayout, rows: TableRows, columns: Sequence[int]
) -> list[tuple[str, Places]]:
    """Label and rows of each value of a column, or of several, in the order of the file."""
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
