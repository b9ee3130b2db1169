"""Writers of sweeps: netCDF, and tables with one row a point for other programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xarray

from slipstick.errors import FileError, InvalidInput, short_repr
from slipstick.results.result_files import (
    SWEEP_KIND,
    write_dataset,
)
from slipstick.results.result_tables import TABLE_WRITERS, need
from slipstick.results.sweep_units import axis_label, in_shown_units

if TYPE_CHECKING:
    import pandas

    from slipstick.results.sweep import Sweep

FIGURES_ATTRIBUTE = "figures"  # their names
WHOLE_NUMBERS_ATTRIBUTE = "whole_numbers"  # marks integers beyond 32 bits, which netCDF 3 stores as text


def write_netcdf(sweep: Sweep, target: Path) -> None:
    """Write a sweep as netCDF."""
    plain = xarray.Dataset(sweep.data_vars, sweep.coords, sweep.attrs | {FIGURES_ATTRIBUTE: json.dumps(sweep.figures)})
    slashed = next((str(name) for name in plain.variables if "/" in str(name)), None)
    if slashed is not None:  # SciPy writes it, but other programs cannot open the file
        raise InvalidInput(
            f"netCDF has no names with a slash, got {short_repr(slashed)}; rename it, or save it as .csv"
        )
    for name in plain.coords:
        if plain[name].dtype.kind == "i" and np.abs(plain[name].values).max(initial=0) > np.iinfo(np.int32).max:
            plain[name] = plain[name].astype(str).assign_attrs(plain[name].attrs | {WHOLE_NUMBERS_ATTRIBUTE: 1})
    try:
        write_dataset(plain, SWEEP_KIND, target)
    except (ValueError, TypeError, UnicodeError) as problem:  # an empty name, or text that cannot be encoded
        words = f"the sweep cannot be saved as netCDF: {' '.join(str(problem).split())}; save it as .csv"
        raise InvalidInput(words) from None


def point_table(sweep: Sweep) -> pandas.DataFrame:
    """One row a point, in the units of the study: ``x.amplitude [mm]``; in SI if none are known."""
    if not sweep["state"].dims:  # one selected point
        sweep = sweep.expand_dims("point")
    dims = set(sweep["state"].dims)
    flat = [name for name in sweep.data_vars if set(sweep[name].dims) == dims]
    scaled = in_shown_units(sweep)
    table = xarray.Dataset(scaled[flat].data_vars, scaled.coords).to_dataframe().reset_index()
    return table.rename(columns={str(name): axis_label(sweep, str(name)) for name in sweep.variables})


def _write_parquet(sweep: Sweep, target: Path) -> None:
    need("pyarrow", "Parquet", "parquet")
    point_table(sweep).to_parquet(target)


def _write_excel(sweep: Sweep, target: Path) -> None:
    need("openpyxl", "Excel", "files")
    with target.open("wb") as stream:
        point_table(sweep).to_excel(stream, index=False, engine="openpyxl")


def _write_csv(sweep: Sweep, target: Path) -> None:
    point_table(sweep).to_csv(target, index=False)


WRITERS: dict[str, Callable[[Sweep, Path], None]] = {
    ".nc": write_netcdf,
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".xlsx": _write_excel,
    ".mat": TABLE_WRITERS[".mat"],
}


def writer_for(target: Path) -> Callable[[Sweep, Path], None]:
    """The writer for a file suffix."""
    write = WRITERS.get(target.suffix.lower())
    if write is None:
        words = f"a sweep is saved as {', '.join(WRITERS)}, got {target.suffix or 'no suffix'}; add one of them"
        raise FileError(str(target), None, "", words)
    return write
