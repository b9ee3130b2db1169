"""Tables as a netCDF 3 file, as xarray would write them.

xarray takes most of a second to import, and its writer imports Dask where that is installed. The file is the same to
xarray: names of coordinates, text as UTF-8 characters, flags as bytes, NaN for missing numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import xarray

NETCDF3_INT = np.int32  # netCDF 3 has no longer one


class NetcdfVariable(NamedTuple):
    """Values with named dimensions and attributes, as xarray takes them."""

    dims: tuple[str, ...]
    values: NDArray[Any]
    attrs: Mapping[str, Any]


@dataclass
class TableSet:
    """Tables and attributes of a file.

    coordinates : names of the tables that are coordinates.
    """

    tables: dict[str, NetcdfVariable] = field(default_factory=dict)
    coordinates: tuple[str, ...] = ()
    attrs: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, dataset: xarray.Dataset) -> TableSet:
        """The tables of a dataset."""
        tables = {
            str(name): NetcdfVariable(tuple(map(str, variable.dims)), variable.values, variable.attrs)
            for name, variable in dataset.variables.items()
        }
        return cls(tables, tuple(map(str, dataset.coords)), dict(dataset.attrs))

    def dataset(self) -> xarray.Dataset:
        """The same as a dataset."""
        import xarray

        data = {name: table for name, table in self.tables.items() if name not in self.coordinates}
        coords = {name: self.tables[name] for name in self.coordinates}
        return xarray.Dataset(data, coords=coords, attrs=self.attrs)

    def prefixed(self, prefix: str, kept: Sequence[str]) -> TableSet:
        """With a prefix on all names of tables and dimensions but some."""

        def named(name: str) -> str:
            return name if name in kept else f"{prefix}{name}"

        tables = {
            named(name): NetcdfVariable(tuple(map(named, table.dims)), table.values, table.attrs)
            for name, table in self.tables.items()
        }
        return TableSet(tables, tuple(map(named, self.coordinates)), dict(self.attrs))


def write_tables(kept: TableSet, file: Path) -> None:
    """Write tables as netCDF 3 with 64-bit offsets."""
    from scipy.io import netcdf_file

    with netcdf_file(str(file), "w", version=2) as out:
        for name, value in kept.attrs.items():
            setattr(out, name, _attribute(value))
        sizes: dict[str, int] = {}
        for name, table in kept.tables.items():
            dims, values, attrs = _encoded(name, table, kept)
            for dim, size in zip(dims, values.shape, strict=True):
                if dim not in sizes:
                    out.createDimension(dim, size)
                    sizes[dim] = size
            variable = out.createVariable(name, values.dtype, dims)
            for key, value in attrs.items():
                setattr(variable, key, _attribute(value))
            variable.data[...] = values


def _encoded(name: str, table: NetcdfVariable, kept: TableSet) -> NetcdfVariable:
    """A table in the types of netCDF 3, with the names of its coordinates."""
    values, attrs = np.asarray(table.values), dict(table.attrs)
    dims = table.dims
    beside = [other for other in kept.coordinates if _belongs(dims, kept.tables[other], other)]
    if name not in kept.coordinates and beside:
        attrs["coordinates"] = " ".join(beside)
    if values.dtype.kind == "O" and all(isinstance(each, str) for each in values.flat):
        values = values.astype(np.str_)
    if values.dtype.kind in "US":
        text = np.char.encode(values, "utf-8") if values.dtype.kind == "U" else values
        width = max(text.dtype.itemsize, 1)
        letters = np.ascontiguousarray(text.astype(f"S{width}")).view("S1").reshape(*values.shape, width)
        return NetcdfVariable((*dims, f"string{width}"), letters, {**attrs, "_Encoding": "utf-8"})
    if values.dtype.kind == "b":
        return NetcdfVariable(dims, values.astype(np.int8), {**attrs, "dtype": "bool"})
    if values.dtype.kind in "iu" and values.dtype.itemsize > np.dtype(NETCDF3_INT).itemsize:
        narrow = values.astype(NETCDF3_INT)
        if (narrow != values).any():
            raise ValueError(f"{name} has whole numbers beyond the 32 bits of netCDF 3")
        values = narrow
    if values.dtype.kind == "f":
        attrs["_FillValue"] = values.dtype.type(np.nan)
    return NetcdfVariable(dims, values, attrs)


def _belongs(dims: tuple[str, ...], other: NetcdfVariable, name: str) -> bool:
    """True for a coordinate along these dimensions that is not one of them."""
    return other.dims != (name,) and set(other.dims) <= set(dims)


def _attribute(value: Any) -> Any:
    """An attribute in the types of netCDF 3."""
    if isinstance(value, str):
        return value.encode("utf-8")
    numbers = np.atleast_1d(np.asarray(value))
    if numbers.dtype.kind == "b":
        return numbers.astype(np.int8)
    return numbers.astype(NETCDF3_INT) if numbers.dtype.kind in "iu" and numbers.dtype.itemsize > 4 else numbers
