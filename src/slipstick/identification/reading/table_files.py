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

from slipstick.errors import FileError
from slipstick.identification.reading.clock_times import clock_seconds, is_clock_time
from slipstick.identification.reading.table_layout import CLOCK, NUMBER, TEXT, TableLayout
from slipstick.identification.reading.table_rows import Array, TableRows
from slipstick.model.files.headers import taken_apart, titles_of

MAX_FILE_BYTES = 512 * 1024 * 1024
MAX_HEADER_ROWS = 50  # of a sheet above its numbers
NO_JSON_TABLE_TEXT = 'has no table: write {"u": [...], "F": [...]} or a list of rows'


class Table(NamedTuple):
    """layout : names, units and kinds of columns.   rows : their numbers."""

    layout: TableLayout
    rows: TableRows


Reader = Callable[[str, bytes | None], Table]


def table_reader(file: str) -> Reader | None:
    """The reader of a file, by the end of its name; None for text."""
    read = _READERS.get(Path(file).suffix.lower())
    if read is None:
        return None

    def reader(file: str, content: bytes | None) -> Table:
        data = _bytes_of(file) if content is None else content
        try:
            return read(file, data)
        except FileError:
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


def _read_xlsx(file: str, data: bytes) -> Table:
    """The first sheet with two columns of numbers; names and units stand in the rows above them."""
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    for sheet in book.worksheets:
        rows = [list(row) for row in sheet.iter_rows(values_only=True)]
        first = next((k for k, row in enumerate(rows[:MAX_HEADER_ROWS]) if sum(map(_is_number, row)) > 1), None)
        if first is None:
            continue
        used = [j for j in range(len(rows[first])) if any(_cell(row, j) is not None for row in rows[first:])]
        above = [[str(_cell(row, j) or "") for j in used] for row in rows[:first]]
        above = [row for row in above if sum(map(bool, row)) > 1][-3:]
        titles = titles_of(above) if above else None
        columns = [[_cell(row, j) for row in rows[first:]] for j in used]
        names, units = (titles.names, titles.units) if titles else ((), ())
        note = f'sheet "{sheet.title}"'
        return _table(file, names, units, columns, note, first_line=first)
    raise FileError(file, None, "", "has no sheet with two columns of numbers")


def _cell(row: Sequence[Any], j: int) -> Any:
    return row[j] if j < len(row) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _read_mat(file: str, data: bytes) -> Table:
    """Numeric vectors and matrices of a MATLAB file, version 5 by SciPy, version 7.3 by h5py."""
    if data[:4] == b"\x89HDF" or b"MATLAB 7.3" in data[:128]:
        import h5py

        with h5py.File(io.BytesIO(data)) as opened:
            return _table_of_arrays(file, dict(_hdf_arrays(opened)))
    from scipy.io import loadmat

    held = loadmat(io.BytesIO(data), squeeze_me=True, struct_as_record=False)
    return _table_of_arrays(file, dict(_mat_arrays(held, "")))


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


def _table_of_arrays(file: str, arrays: Mapping[str, NDArray[Any]]) -> Table:
    """Columns of the arrays of the length that has most numbers; a matrix has several columns."""
    columns: dict[str, Array] = {}
    for name, array in arrays.items():
        own = np.squeeze(array)
        if own.ndim == 1:
            columns[name] = own
        elif own.ndim == 2:
            tall = own if own.shape[0] >= own.shape[1] else own.T
            columns |= {f"{name} {j}": tall[:, j] for j in range(tall.shape[1])}
    lengths = [column.size for column in columns.values() if column.size > 1]
    if not lengths:
        raise FileError(file, None, "", "has no vectors of numbers")
    length = largest_table_length(lengths)
    kept = {name: column for name, column in columns.items() if column.size == length}
    names, units = taken_apart([name.rpartition(".")[2] for name in kept])
    if len(set(names)) < len(names):
        names, units = taken_apart(list(kept))
    others = [name for name in columns if name not in kept]
    note = f"not of {length} samples: {', '.join(others[:5])}" if others else ""
    return _table(file, names, units, list(kept.values()), note)


def largest_table_length(lengths: Sequence[int]) -> int:
    """The length of columns that have most numbers together; two columns or more go before a single one."""
    return max(set(lengths), key=lambda n: (lengths.count(n) > 1, n * lengths.count(n)))


def _read_json(file: str, data: bytes) -> Table:
    """An object of lists, a list of objects, or a list of rows."""
    held = json.loads(data.decode("utf-8-sig"))
    if isinstance(held, dict):
        lists = {key: value for key, value in held.items() if isinstance(value, list)}
        only = next(iter(lists.values())) if len(lists) == 1 else []
        if only and isinstance(only[0], (dict, list)):
            held = only  # {"data": [...]}
        else:
            numbers = {key: value for key, value in lists.items() if value and not isinstance(value[0], str)}
            if not numbers:
                raise FileError(file, None, "", NO_JSON_TABLE_TEXT)
            length = largest_table_length([len(value) for value in numbers.values()])
            kept = {key: value for key, value in lists.items() if len(value) == length}
            return _table(file, *taken_apart(list(kept)), list(kept.values()))
    if isinstance(held, list) and held and isinstance(held[0], dict):
        keys = list(dict.fromkeys(key for row in held for key in row))
        return _table(file, *taken_apart(keys), [[row.get(key) for row in held] for key in keys])
    if isinstance(held, list) and held and isinstance(held[0], list):
        return _table(file, (), (), [[_cell(row, j) for row in held] for j in range(len(held[0]))])
    raise FileError(file, None, "", NO_JSON_TABLE_TEXT)


def _read_parquet(file: str, data: bytes) -> Table:
    from pyarrow import parquet

    table = parquet.read_table(io.BytesIO(data))
    return _table(file, *taken_apart(table.column_names), [column.to_pylist() for column in table.columns])


def _read_tdms(file: str, data: bytes) -> Table:
    """All channels of one length, with the time of their waveform if there is no column of times."""
    from nptdms import TdmsFile

    opened = TdmsFile.read(io.BytesIO(data))
    channels = [channel for group in opened.groups() for channel in group.channels() if len(channel)]
    if not channels:
        raise FileError(file, None, "", "has no channel with samples")
    lengths = [len(channel) for channel in channels]
    length = largest_table_length(lengths)
    kept = [channel for channel in channels if len(channel) == length]
    names, units = map(list, taken_apart([channel.name for channel in kept]))
    units = [str(channel.properties.get("unit_string", "")) or own for channel, own in zip(kept, units, strict=True)]
    columns = [channel[:] for channel in kept]
    step = float(kept[0].properties.get("wf_increment", 0.0))
    if step > 0.0 and not any(name.lower() in ("t", "time") for name in names):
        names, units, columns = ["time", *names], ["s", *units], [step * np.arange(length), *columns]
    return _table(file, tuple(names), tuple(units), columns)


_READERS: dict[str, Callable[[str, bytes], Table]] = {
    ".xlsx": _read_xlsx,
    ".xlsm": _read_xlsx,
    ".mat": _read_mat,
    ".json": _read_json,
    ".parquet": _read_parquet,
    ".tdms": _read_tdms,
}
TABLE_SUFFIXES = tuple(_READERS)


# ---- columns


def _table(
    file: str, names: Sequence[str], units: Sequence[str], columns: Sequence[Any], note: str = "", first_line: int = 0
) -> Table:
    """A table of columns of numbers, times or text.   first_line : line of the first row, for messages."""
    parsed = [_parsed_column(column) for column in columns]
    kinds = tuple(kind for kind, _ in parsed)
    if kinds.count(NUMBER) < 2:
        raise FileError(file, None, "", "has no two columns of numbers; a loop needs deflection and force")
    numbers = np.stack([values for _, values in parsed], axis=1)
    where = first_line + np.arange(numbers.shape[0])
    layout = TableLayout(None, False, tuple(names), tuple(units), first_line, kinds=kinds)

    def fault(row: int, column: int) -> FileError:
        name = names[column] if names else f"column {column}"
        return FileError(file, int(where[row]) + 1, name, "has no number")

    return Table(layout, TableRows(numbers, where, (0, numbers.shape[0]), (note,) if note else (), fault))


def _parsed_column(column: Any) -> tuple[str, Array]:
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
    values = np.array([_float(each) for each in column])
    return (NUMBER if cells and 2 * np.isfinite(values).sum() > len(cells) else TEXT), values


def _stamp(value: datetime | time) -> str:
    return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()


def _float(value: Any) -> float:
    try:
        return math.nan if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return math.nan
