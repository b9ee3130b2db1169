"""Loops from files: one or more loops a file, one or more files.

Nothing is dropped silently. A row without a number in a used column is an error with its line; skipped comments, empty
lines, repeated headers and text around the numbers are counted in the notes of the loop.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from glob import glob, has_magic
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, FileError, InvalidInput, WrongArguments, short_repr
from slipstick.identification import tolerances as tol
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.sensor_faults import refuse_extreme_sizes
from slipstick.identification.reading.column_roles import (
    GROUP_ROLE_PREFIX,
    NORMAL_ROLE_PREFIX,
    ROLE_NAMES,
    Column,
    assign_columns,
    column_factor,
    describe_assignment,
)
from slipstick.identification.reading.decimal_signs import DECIMAL_COMMA, DECIMAL_POINT
from slipstick.identification.reading.labview import as_plain_table
from slipstick.identification.reading.table_files import CellOptions, MeasuredTable, table_reader
from slipstick.identification.reading.table_layout import TableLayout, detect_layout
from slipstick.identification.reading.table_rows import Places, TableRows, check_rows, parse_rows
from slipstick.identification.reading.text_lines import read_lines
from slipstick.model.files.headers import COLUMNS, plain
from slipstick.name_hints import did_you_mean
from slipstick.units.dimensions import ALL_KINDS, COORDINATE_KINDS, DEFLECTION_EXPONENTS, FORCE_EXPONENTS, UNIT_SYSTEMS
from slipstick.units.parser import parse_unit
from slipstick.units.scales import LoopUnits, Scale

AUTOMATIC = "auto"  # finds a lag, or turns a wrong sign
MAX_LOOPS = 1000  # in a file

# system of units, by the exponents of the force, else of the deflection
_SYSTEMS: dict[str, dict[tuple[float, ...], str]] = {
    "force": {FORCE_EXPONENTS[kind]: kind for kind in ALL_KINDS},
    "deflection": {DEFLECTION_EXPONENTS[kind]: kind for kind in COORDINATE_KINDS},
}
# kinds of deflection that belong to a kind of force
_DEFLECTIONS_OF_FORCE = {
    "a force": ("a length",),
    "a moment": ("an angle", "a strain", "a curvature"),
    "a stress": ("a strain", "an angle"),
}


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How the columns of a text file are read.

    deflection, force, time : column names, or numbers from 0; by default from the header or the order.
    by : column whose values separate the loops, or several; a column in Hz gives their frequencies.
    units : of columns whose header has none, such as {"deflection": "mm"}; SI by default.
    decimal : decimal sign, "." or ","; by default from the numbers, and required if they are ambiguous.
    rate : [Hz] samples per second, instead of a time column; a number, or a text such as "1024 Hz".
    skip_lines : lines at the top that are not read.   skip_incomplete : leave out rows with holes.
    encoding : of the text, such as "cp1251"; by default it is detected.
    normal, mass, lag, sign : what is done with the loops, as in `ReadKeywords`.
    """

    deflection: Column | None = None
    force: Column | None = None
    time: Column | None = None
    by: Column | Sequence[Column] | None = None
    units: dict[str, str] | None = None
    decimal: str | None = None
    rate: float | str | None = None
    skip_lines: int = 0
    skip_incomplete: bool = False
    encoding: str | None = None
    normal: Column | Sequence[Column] | None = None
    mass: float | None = None
    lag: float | str | None = None
    sign: str | None = None

    def __post_init__(self) -> None:
        if self.sign not in (None, AUTOMATIC):
            raise InvalidInput(f'must be "{AUTOMATIC}", got {short_repr(self.sign)}', subject="sign")
        if isinstance(self.lag, str) and self.lag != AUTOMATIC:
            raise InvalidInput(f'must be a time [s] or "{AUTOMATIC}", got {short_repr(self.lag)}', subject="lag")

    @property
    def group_columns(self) -> list[Column]:
        """The columns of `by`."""
        return [self.by] if isinstance(self.by, (str, int)) else list(self.by or ())

    @property
    def normal_columns(self) -> list[Column]:
        """The columns whose sum is the normal load."""
        return [self.normal] if isinstance(self.normal, (str, int)) else list(self.normal or ())


def table_options(**options: Any) -> TableOptions:
    """Options by name; an error for an unknown one."""
    known = {item.name for item in fields(TableOptions)}
    for name in options:
        if name not in known:
            words = f'has no option "{name}"{did_you_mean(name, known)}'
            raise WrongArguments(words, owner="Loop.read")
    return TableOptions(**options)


def read_loop(path: str | os.PathLike[str], options: TableOptions) -> Loop:
    """The loop of a text file, possibly compressed (.gz); an error if there are several."""
    loops = read_loops(path, options)
    if len(loops) > 1:
        raise FileError(
            file_name(path),
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
        name = file_name(path)
        files = sorted(glob(name)) if has_magic(name) and not os.path.exists(name) else [name]
        if not files:
            raise FileError(name, None, "", "no file matches; check the pattern and the folder")
        for file in files:
            loops += read_loops(file, options)
    return loops


def read_loops(
    path: str | os.PathLike[str], options: TableOptions | None = None, *, content: bytes | None = None
) -> list[Loop]:
    """All loops of a text file: one for each value of the column ``by``, or one for each block of numbers.

    content : bytes of the file, if it was uploaded; no file is opened, and the path is only a name.
    """
    file, options = file_name(path), options or TableOptions()
    own_units, rate = _checked_units(options.units), checked_rate(options.rate)
    table = read_table(file, options, content)
    layout = table.layout
    requested: dict[str, Column | None] = {role: getattr(options, role) for role in ROLE_NAMES}
    further = {GROUP_ROLE_PREFIX: options.group_columns, NORMAL_ROLE_PREFIX: options.normal_columns}
    columns = assign_columns(file, layout, table.rows, requested, further)
    if rate is not None:
        columns.pop("time", None)
    rows = check_rows(file, table.rows, list(columns.values()), options.skip_incomplete)
    notes = list(rows.notes)
    factors = {
        role: column_factor(file, layout, i, role, own_units) for role, i in columns.items() if role in ROLE_NAMES
    }
    notes.append(describe_assignment(layout, table.rows, columns, factors))
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
    if rate is not None:
        notes.append(f"times from a rate of {rate:g} Hz")
    common = {"notes": notes, "system": system, "units": _display_units(factors, system)}
    loops = []
    for label, places in parts:
        values = {role: rows.numbers[places, columns[role]] * factor for role, (factor, _) in factors.items()}
        if rate is not None:
            values["time"] = np.arange(places.size) / rate
        frequency = None if hertz is None else float(rows.numbers[places[0], hertz])
        own = {"frequency": frequency, "normal": _normal_load(file, layout, rows.numbers[places], columns)}
        loops.append(_make_loop(file, label, values, rows.where[places], {**common, **own}))
    return [_conditioned(loop, options) for loop in loops]


def _normal_load(file: str, layout: TableLayout, numbers: Array, columns: Mapping[str, int]) -> Array | None:
    """(n,) sum of the columns of the normal load [N]; None without any."""
    places = [i for role, i in columns.items() if role.startswith(NORMAL_ROLE_PREFIX)]
    if not places:
        return None
    parts = [column_factor(file, layout, i, "force", {})[0] * numbers[:, i] for i in places]
    return np.asarray(np.sum(parts, axis=0))


def _conditioned(loop: Loop, options: TableOptions) -> Loop:
    """The loop after the steps that were requested, each with a note: lag, inertia, sign."""
    if options.lag is not None:
        loop = loop.without_lag(None if isinstance(options.lag, str) else options.lag)
    if options.mass is not None:
        loop = loop.without_inertia(options.mass)
    return loop.with_correct_sign() if options.sign == AUTOMATIC else loop


def read_table(file: str, options: TableOptions, content: bytes | None = None) -> MeasuredTable:
    """The table of a file: text, or one of the formats of `table_files`.   content : its bytes, if it was uploaded."""
    if options.decimal not in (None, DECIMAL_POINT, DECIMAL_COMMA):
        raise InvalidInput(f'decimal must be "." or ",", got {short_repr(options.decimal)}').about("decimal")
    if isinstance(options.skip_lines, bool) or not isinstance(options.skip_lines, int) or options.skip_lines < 0:
        words = f"must be a whole number of lines, got {short_repr(options.skip_lines)}"
        raise InvalidInput(words, subject="skip_lines")
    if file.lower().endswith((".yaml", ".yml")):
        words = "is a model or study file, not a table; name a table of samples such as loop.csv"
        raise FileError(file, None, "", words)
    reader = table_reader(file)
    if reader is not None:
        named = (getattr(options, role) for role in ROLE_NAMES)
        columns = tuple(name for name in (*named, *options.group_columns) if isinstance(name, str))
        return reader(file, content, CellOptions(options.decimal, options.skip_lines, options.encoding, columns))
    lines = as_plain_table(file, read_lines(file, content, options.encoding))
    lines[: options.skip_lines] = [""] * min(options.skip_lines, len(lines))  # line numbers stay
    layout = detect_layout(file, lines, options.decimal)
    return MeasuredTable(layout, parse_rows(file, lines, layout))


def checked_rate(rate: Any) -> float | None:
    """A rate of samples [Hz]."""
    if rate is None:
        return None
    match = re.fullmatch(r"\s*([0-9.eE+-]+)\s*([kM]?Hz|1/s|)\s*", str(rate))
    try:
        value = float(match[1]) if match else math.nan
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf or match is None:
        raise InvalidInput(f"must be a number above 0 in Hz, such as 1024 Hz, got {short_repr(rate)}", subject="rate")
    return value * {"kHz": 1e3, "MHz": 1e6}.get(match[2], 1.0)


def file_name(path: Any) -> str:
    """Name of a file given as text or path."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise InvalidInput(f"a file name must be text or a path, got {short_repr(path)}").about("path") from None


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
        coarse = Advice("if the samples are evenly spaced, give {rate}", rate="100 Hz")
        raise FileError(file, line, label, problem.message, advice=[coarse] * (problem.argument == "time")) from None


# ---- units


def _system_of(units: Mapping[str, str]) -> str:
    """System of units of the columns, from their written units; translation by default."""
    for role, known in _SYSTEMS.items():
        if units.get(role):
            exponents = tuple(round(e) for e in parse_unit(plain(units[role], role)).exponents)
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
            name = plain(unit, role)
            shown[role] = Scale(f"({name})" if name.startswith("1/") else name, 1.0 / factor)
    bare = tuple(role for role in shown if not columns[role][1] and shown[role].unit)
    return LoopUnits(**shown, written=any(columns[role][1] for role in shown), bare=bare)


def _refuse_mixed_units(units: Mapping[str, str]) -> None:
    """Refuse units of deflection and force that do not belong together, such as a moment and a length."""
    of = {}
    for role in ("deflection", "force"):
        if not units.get(role):
            return
        of[role] = tuple(round(e) for e in parse_unit(plain(units[role], role)).exponents)
    deflection, force = (next((kind for e, kind in COLUMNS[role].items() if e == own), "") for role, own in of.items())
    wanted = _DEFLECTIONS_OF_FORCE.get(force, ())
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
            file,
            None,
            "by",
            f"the column has {len(values)} different values; a file may hold at most {MAX_LOOPS} loops: "
            "choose another column",
        )
    names = [layout.header[i] if layout.header else f"column {i}" for i in columns]
    found = []
    for k in np.argsort(first):
        label = ", ".join(f"{name} = {value:g}" for name, value in zip(names, values[k], strict=True))
        found.append((label, np.flatnonzero(which.ravel() == k)))
    return found
