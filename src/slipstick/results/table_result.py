"""`TableResult`: base of results whose numbers are saved, without their model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slipstick.errors import FileError

if TYPE_CHECKING:
    import pandas
    import xarray

TABLE_KIND = "table"  # of a netCDF file with numbers alone, which `slipstick.open` returns as a dataset


class TableResult:
    """Base of results with ``data``, an xarray.Dataset; a subclass may leave columns out of its tables."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the numbers: .csv, .parquet, .xlsx (tables), .mat (arrays) or netCDF (.nc).

        `slipstick.open` returns the dataset of a netCDF file.
        """
        from slipstick.results.atomic_write import replacing_file, target_path
        from slipstick.results.result_files import NETCDF_SUFFIX, write_dataset
        from slipstick.results.result_tables import TABLE_WRITERS

        target = target_path(path, "result.nc")
        suffix = target.suffix.lower()
        if suffix != NETCDF_SUFFIX and suffix not in TABLE_WRITERS:
            known = ", ".join((NETCDF_SUFFIX, *TABLE_WRITERS))
            words = f"this result is saved as {known}, got {target.suffix or 'no suffix'}; add one of them"
            raise FileError(str(target), None, "", words)
        with replacing_file(target) as aside:
            if suffix == NETCDF_SUFFIX:
                write_dataset(self.table_data(), TABLE_KIND, aside)
            else:
                TABLE_WRITERS[suffix](self.table_data(), aside)

    def to_pandas(self) -> pandas.DataFrame:
        """A table with one row a point, start, time, frequency or mode."""
        from slipstick.results.result_tables import result_table

        return result_table(self.table_data())

    def table_data(self) -> xarray.Dataset:
        """The data of tables."""
        return self.data  # type: ignore[attr-defined, no-any-return]
