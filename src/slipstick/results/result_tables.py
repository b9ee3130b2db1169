"""Results as tables for other programs: pandas, CSV, Parquet, Excel, MATLAB.

A table has one row a time, point or frequency. Its columns are named as in studies: ``x.displacement``,
``joint.force``; complex numbers have a column for each part. MATLAB files hold the arrays of ``.data`` as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput

if TYPE_CHECKING:
    import pandas
    import xarray

ROW_DIMENSIONS = (
    "time",
    "point",
    "start",
    "mode",
    "law",
    "scale",
    "frequency",
    "parameter",
    "draw",
    "line",
)  # rows run along the first one in a dataset
NAME_DIMENSIONS = ("coordinate", "connection", "name")  # their labels precede the quantity
MAX_SHEET_ROWS, MAX_SHEET_COLUMNS = 1_048_576, 16_384  # of Excel
MAX_MATLAB_NAME = 63


def result_table(data: xarray.Dataset) -> pandas.DataFrame:
    """The variables of a dataset that have its rows, one column each."""
    import pandas

    rows = next(name for name in ROW_DIMENSIONS if name in data.sizes)
    columns: dict[str, Any] = {}
    for name in (*(c for c in data.coords if data[c].dims == (rows,)), *data.data_vars):
        variable = data[name]
        if rows in variable.dims:
            columns |= dict(_columns(str(name), variable.transpose(rows, ...), data))
    return pandas.DataFrame(columns)


def _columns(name: str, variable: xarray.DataArray, data: xarray.Dataset) -> Iterator[tuple[str, Any]]:
    """Names and values of the columns of one variable."""
    others = variable.dims[1:]
    for place in product(*(range(variable.sizes[d]) for d in others)):
        labels = {str(d): _label(data, str(d), i) for d, i in zip(others, place, strict=True)}
        before = [label for d, label in labels.items() if d in NAME_DIMENSIONS]
        after = [f"{d}_{label}" for d, label in labels.items() if d not in NAME_DIMENSIONS]
        title = ".".join([*before, name, *after])
        values: Any = np.asarray(variable.values)[np.index_exp[:] + place]
        if np.iscomplexobj(values):
            yield f"{title}.real", values.real
            yield f"{title}.imag", values.imag
        else:
            yield title, values


def _label(data: xarray.Dataset, dimension: str, index: int) -> str:
    """Label of a place along a dimension; its number if it has none."""
    if dimension not in data.coords:
        return str(index)
    value = data[dimension].values[index]
    return f"{value:g}" if isinstance(value, float) else str(value)


# ---- files


def _write_csv(data: xarray.Dataset, target: Path) -> None:
    result_table(data).to_csv(target, index=False)


def _write_parquet(data: xarray.Dataset, target: Path) -> None:
    need("pyarrow", "Parquet", "parquet")
    result_table(data).to_parquet(target, index=False)


def _write_excel(data: xarray.Dataset, target: Path) -> None:
    need("openpyxl", "Excel", "files")
    table = result_table(data)
    if len(table) >= MAX_SHEET_ROWS or table.shape[1] > MAX_SHEET_COLUMNS:
        size = f"{len(table)} rows and {table.shape[1]} columns"
        raise InvalidInput(f"the table has {size}, a sheet holds 1048575 and 16384; save it as .csv or .parquet")
    with target.open("wb") as stream:
        table.to_excel(stream, index=False, engine="openpyxl")


def _write_matlab(data: xarray.Dataset, target: Path) -> None:
    from scipy.io import savemat

    held: dict[str, Any] = {}
    for name in data.variables:
        values = data[name].values
        held[_matlab_name(str(name))] = values.astype(object) if values.dtype.kind in "US" else values
    with target.open("wb") as stream:
        savemat(stream, held, do_compression=True, oned_as="column")


def _matlab_name(name: str) -> str:
    plain = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in name)[:MAX_MATLAB_NAME]
    return plain if plain[:1].isalpha() else f"v{plain}"[:MAX_MATLAB_NAME]


def need(package: str, what: str, extra: str, otherwise: str = "save as .nc or .csv") -> None:
    """Refuse what needs a package that is not installed.   otherwise : the way without it."""
    from importlib.util import find_spec

    if find_spec(package) is None:
        words = f"{what} needs {package}; install it with: pip install 'slipstick[{extra}]', or {otherwise}"
        raise InvalidInput(words)


TABLE_WRITERS: dict[str, Callable[[Any, Path], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".xlsx": _write_excel,
    ".mat": _write_matlab,
}
