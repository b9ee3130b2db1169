"""Tables in the formats of spreadsheets, MATLAB and data loggers: .xlsx, .mat, .json, .parquet, .tdms.

Each is read by the library that its users know, imported at first use; the extra ``files`` installs all of them.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import FileError, InvalidInput
from slipstick.identification.reading.clock_times import clock_seconds, is_clock_time
from slipstick.identification.reading.decimal_signs import DECIMAL_COMMA, parse_number
from slipstick.identification.reading.table_layout import CLOCK, NUMBER, TEXT, TableLayout
from slipstick.identification.reading.table_rows import TableRows
from slipstick.identification.reading.text_lines import unknown_encoding
from slipstick.model.files.headers import taken_apart, titles_of

MAX_FILE_BYTES = 512 * 1024 * 1024
MAX_HEADER_ROWS = 50  # of a sheet above its numbers
MAX_LISTED_COLUMNS = 5  # of other lengths, in a note
NO_JSON_TABLE_TEXT = 'has no table: write {"u": [...], "F": [...]} or a list of rows'


class MeasuredTable(NamedTuple):
    """layout : names, units and kinds of columns.   rows : their numbers."""

    layout: TableLayout
    rows: TableRows


class CellOptions(NamedTuple):
    """How cells are read.   decimal : decimal sign of numbers in cells of text.   skip_lines : rows at the top that
    are not read.   encoding : of text.   columns : names that the user gave; their length is that of the table.
    """

    decimal: str | None = None
    skip_lines: int = 0
    encoding: str | None = None
    columns: tuple[str, ...] = ()

    def number(self, value: Any) -> float:
        """A cell as a number; NaN if it is none."""
        if value is None or isinstance(value, bool):
            return math.nan
        if isinstance(value, str):
            own = parse_number(value.strip(), self.decimal == DECIMAL_COMMA, grouped=self.decimal is not None)
            return math.nan if own is None else own
        try:
            return float(value)
        except (TypeError, ValueError):
            return math.nan

    def refuse_unused(self, file: str, used: Sequence[str]) -> None:
        """Refuse options of text files that a format has no use for."""
        for name in ("decimal", "skip_lines", "encoding"):
            if getattr(self, name) and name not in used:
                words = f"has no effect on {Path(file).suffix} files; leave it out for {Path(file).name}"
                raise InvalidInput(words, subject=name)


Reader = Callable[[str, bytes | None, CellOptions], MeasuredTable]


def table_reader(file: str) -> Reader | None:
    """The reader of a file, by the end of its name; None for text."""
    suffix = Path(file).suffix.lower()
    read = _READERS.get(suffix)
    if read is None:
        return None

    def reader(file: str, content: bytes | None, options: CellOptions) -> MeasuredTable:
        options.refuse_unused(file, _USED_OPTIONS.get(suffix, ()))
        data = _bytes_of(file) if content is None else content
        try:
            return read(file, data, options)
        except InvalidInput:
            raise
        except ModuleNotFoundError as missing:
            words = f"needs {missing.name}; install it with: pip install 'slipstick[files]', or export CSV"
            raise FileError(file, None, "", words) from None
        except Exception as problem:  # the readers have a dozen kinds of errors for damaged files
            words = str(problem).splitlines()[0][:200] if str(problem) else type(problem).__name__
            raise FileError(file, None, "", f"cannot be read: {words}; export it again, or as CSV") from None

    return reader


def _bytes_of(file: str) -> bytes:
    try:
        path = Path(file)
        if path.stat().st_size > MAX_FILE_BYTES:
            words = f"has more than {MAX_FILE_BYTES // 1024**2} MB, the limit; keep every tenth sample, or one loop"
            raise FileError(file, None, "", words)
        return path.read_bytes()
    except FileNotFoundError:
        raise FileError(file, None, "", "there is no such file; check the name and the folder") from None
    except OSError as problem:
        raise FileError(file, None, "", f"cannot be read: {problem.strerror or problem}") from None


# ---- formats


def _read_xlsx(file: str, data: bytes, options: CellOptions) -> MeasuredTable:
    """The first sheet with two columns of numbers, with names and units from the rows above them."""
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    for sheet in book.worksheets:
        rows = [list(row) for row in sheet.iter_rows(values_only=True)]
        rows[: options.skip_lines] = [[] for _ in rows[: options.skip_lines]]  # row numbers stay
        top = enumerate(rows[: MAX_HEADER_ROWS + options.skip_lines])
        first = next((k for k, row in top if sum(_is_number(cell, options) for cell in row) > 1), None)
        if first is None:
            continue
        used = [j for j in range(len(rows[first])) if any(_cell(row, j) is not None for row in rows[first:])]
        above = [[str(_cell(row, j) or "") for j in used] for row in rows[:first]]
        above = [row for row in above if sum(map(bool, row)) > 1][-3:]
        titles = titles_of(above) if above else None
        columns = [[_cell(row, j) for row in rows[first:]] for j in used]
        names, units = (titles.names, titles.units) if titles else ((), ())
        note = f'sheet "{sheet.title}"'
        return _table(file, _Columns(names, units, columns, note), options, first_line=first)
    raise FileError(file, None, "", "has no sheet with two columns of numbers; a loop needs deflection and force")


def _cell(row: Sequence[Any], j: int) -> Any:
    return row[j] if j < len(row) else None


def _is_number(value: Any, options: CellOptions) -> bool:
    """True for a cell with a number; text counts only if its decimal sign is known."""
    return math.isfinite(options.number(value)) and (options.decimal is not None or not isinstance(value, str))


def _read_mat(file: str, data: bytes, options: CellOptions) -> MeasuredTable:
    """Numeric vectors and matrices of a MATLAB file, version 5 by SciPy, version 7.3 by h5py."""
    if data[:4] == b"\x89HDF" or b"MATLAB 7.3" in data[:128]:
        import h5py

        with h5py.File(io.BytesIO(data)) as opened:
            return _table_of_arrays(file, dict(_hdf_arrays(opened)), options)
    from scipy.io import loadmat

    held = loadmat(io.BytesIO(data), squeeze_me=True, struct_as_record=False)
    return _table_of_arrays(file, dict(_mat_arrays(held, "")), options)


def _hdf_arrays(group: Any, path: str = "") -> Iterable[tuple[str, NDArray[Any]]]:
    for name, item in group.items():
        if hasattr(item, "items"):
            yield from () if name.startswith("#") else _hdf_arrays(item, f"{path}{name}.")
        elif item.dtype.kind in "iuf" and item.attrs.get("MATLAB_class") != b"char":
            yield f"{path}{name}", np.asarray(item).T  # MATLAB counts columns first


def _mat_arrays(held: Mapping[str, Any], path: str) -> Iterable[tuple[str, NDArray[Any]]]:
    for name, item in held.items():
        if hasattr(item, "_fieldnames"):
            yield from _mat_arrays({key: getattr(item, key) for key in item._fieldnames}, f"{path}{name}.")
        elif isinstance(item, np.ndarray) and item.dtype.kind in "iuf":
            yield f"{path}{name}", item


def _table_of_arrays(file: str, arrays: Mapping[str, NDArray[Any]], options: CellOptions) -> MeasuredTable:
    """Columns of vectors and matrices of one length; a matrix has several columns."""
    columns: dict[str, Array] = {}
    for name, array in arrays.items():
        own = np.squeeze(array)
        if own.ndim == 1:
            columns[name] = own
        elif own.ndim == 2:
            tall = own if own.shape[0] >= own.shape[1] else own.T
            columns |= {f"{name} {j}": tall[:, j] for j in range(tall.shape[1])}
    columns = {name: column for name, column in columns.items() if column.size > 1}
    if not columns:
        raise FileError(file, None, "", "has no vectors of numbers; save deflection and force as vectors")
    kept, note = _columns_of_one_length(columns, list(columns), options)
    names, units = taken_apart([name.rpartition(".")[2] for name in kept])
    if len(set(names)) < len(names):
        names, units = taken_apart(list(kept))
    return _table(file, _Columns(names, units, list(kept.values()), note), options)


def _columns_of_one_length(
    columns: Mapping[str, Any], numeric: Sequence[str], options: CellOptions
) -> tuple[dict[str, Any], str]:
    """Columns of the length of those that the user named, else of the length with most numbers; a note on the others.

    Two columns of a length go before a single one.   numeric : names of the columns that may decide.
    """
    lengths = [len(columns[name]) for name in numeric]
    named = [
        name for name in columns if {name, name.rpartition(".")[2], taken_apart([name])[0][0]} & {*options.columns}
    ]
    if named:
        length = len(columns[named[0]])
    else:
        length = max(set(lengths), key=lambda n: (lengths.count(n) > 1, n * lengths.count(n)))
    kept = {name: column for name, column in columns.items() if len(column) == length}
    others = [f"{name} ({len(columns[name])})" for name in numeric if name not in kept]
    more = f" and {len(others) - MAX_LISTED_COLUMNS} more" if len(others) > MAX_LISTED_COLUMNS else ""
    note = f"columns of {length} samples read; of other lengths: {', '.join(others[:MAX_LISTED_COLUMNS])}{more}"
    return kept, note if others else ""


def _read_json(file: str, data: bytes, options: CellOptions) -> MeasuredTable:
    """An object of lists, a list of objects, or a list of rows."""
    held = json.loads(_decoded(data, options.encoding))
    if isinstance(held, dict):
        lists = {key: value for key, value in held.items() if isinstance(value, list)}
        only = next(iter(lists.values())) if len(lists) == 1 else []
        if only and isinstance(only[0], (dict, list)):
            held = only  # {"data": [...]}
        else:
            numeric = [key for key, value in lists.items() if value and math.isfinite(options.number(value[0]))]
            if not numeric:
                raise FileError(file, None, "", NO_JSON_TABLE_TEXT)
            kept, note = _columns_of_one_length(lists, numeric, options)
            return _table(file, _Columns(*taken_apart(list(kept)), list(kept.values()), note), options)
    if isinstance(held, list) and held and isinstance(held[0], dict):
        keys = list(dict.fromkeys(key for row in held for key in row))
        columns = [[row.get(key) for row in held] for key in keys]
        return _table(file, _Columns(*taken_apart(keys), columns), options)
    if isinstance(held, list) and held and isinstance(held[0], list):
        columns = [[_cell(row, j) for row in held] for j in range(len(held[0]))]
        return _table(file, _Columns((), (), columns), options)
    raise FileError(file, None, "", NO_JSON_TABLE_TEXT)


def _read_parquet(file: str, data: bytes, options: CellOptions) -> MeasuredTable:
    from pyarrow import parquet

    table = parquet.read_table(io.BytesIO(data))
    columns = [column.to_pylist() for column in table.columns]
    return _table(file, _Columns(*taken_apart(table.column_names), columns), options)


def _read_tdms(file: str, data: bytes, options: CellOptions) -> MeasuredTable:
    """All channels of one length, with the time of their waveform if there is no column of times."""
    from nptdms import TdmsFile

    opened = TdmsFile.read(io.BytesIO(data))
    channels = [channel for group in opened.groups() for channel in group.channels() if len(channel)]
    if not channels:
        raise FileError(file, None, "", "has no channel with samples; export deflection and force")
    by_path = {f"{channel.group_name}.{channel.name}": channel for channel in channels}
    kept, note = _columns_of_one_length(by_path, list(by_path), options)
    names, units = map(list, taken_apart([channel.name for channel in kept.values()]))
    own = [str(channel.properties.get("unit_string", "")) for channel in kept.values()]
    units = [unit or from_name for unit, from_name in zip(own, units, strict=True)]
    columns = [channel[:] for channel in kept.values()]
    step = max(float(channel.properties.get("wf_increment", 0.0)) for channel in kept.values())
    if step > 0.0 and not any(name.lower() in ("t", "time") for name in names):
        names, units, columns = ["time", *names], ["s", *units], [step * np.arange(len(columns[0])), *columns]
    return _table(file, _Columns(names, units, columns, note), options)


_READERS: dict[str, Callable[[str, bytes, CellOptions], MeasuredTable]] = {
    ".xlsx": _read_xlsx,
    ".xlsm": _read_xlsx,
    ".mat": _read_mat,
    ".json": _read_json,
    ".parquet": _read_parquet,
    ".tdms": _read_tdms,
}
TABLE_SUFFIXES = tuple(_READERS)
_USED_OPTIONS = {  # options of text files that a format uses, too
    ".xlsx": ("decimal", "skip_lines"),
    ".xlsm": ("decimal", "skip_lines"),
    ".json": ("decimal", "encoding"),
    ".parquet": ("decimal",),
}


# ---- columns


class _Columns(NamedTuple):
    """names, units : of columns, or empty.   values : of each column.   note : on how they were chosen."""

    names: Sequence[str]
    units: Sequence[str]
    values: Sequence[Any]
    note: str = ""


def _table(file: str, columns: _Columns, options: CellOptions, first_line: int = 0) -> MeasuredTable:
    """A table of columns of numbers, times or text.   first_line : line of the first row, for messages."""
    parsed = [_parsed_column(column, options) for column in columns.values]
    kinds = tuple(kind for kind, _ in parsed)
    if kinds.count(NUMBER) < 2:
        raise FileError(file, None, "", "has fewer than two columns of numbers; a loop needs deflection and force")
    numbers = np.stack([values for _, values in parsed], axis=1)
    where = first_line + np.arange(numbers.shape[0])
    layout = TableLayout(None, False, tuple(columns.names), tuple(columns.units), first_line, kinds=kinds)

    def fault(row: int, column: int) -> FileError:
        return FileError(file, int(where[row]) + 1, layout.column_title(column), "has no number")

    notes = (columns.note,) if columns.note else ()
    return MeasuredTable(layout, TableRows(numbers, where, (0, numbers.shape[0]), notes, fault))


def _parsed_column(column: Any, options: CellOptions) -> tuple[str, Array]:
    """Kind and numbers of a column; NaN for cells without a number."""
    array = np.asarray(column)
    if array.dtype.kind in "iuf":
        return NUMBER, array.astype(float)
    if array.dtype.kind == "M":
        return CLOCK, (array - array[0]) / np.timedelta64(1, "s")
    cells = [each for each in column if each is not None]
    if cells and all(isinstance(each, (datetime, time)) for each in cells):
        return CLOCK, clock_seconds(["" if each is None else _stamp(each) for each in column])
    texts = ["" if each is None or isinstance(each, date) else str(each) for each in column]
    if cells and 2 * sum(map(is_clock_time, texts)) > len(cells):
        return CLOCK, clock_seconds(texts)
    values = np.array([options.number(each) for each in column])
    return (NUMBER if cells and 2 * np.isfinite(values).sum() > len(cells) else TEXT), values


def _stamp(value: datetime | time) -> str:
    return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()


def _decoded(data: bytes, encoding: str | None) -> str:
    try:
        return data.decode(encoding or "utf-8-sig")
    except LookupError:
        raise unknown_encoding(encoding) from None
