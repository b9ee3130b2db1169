"""Other branches of a curve in its file: each as the tables of a curve, whose names begin with its number."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from slipstick.results.netcdf_writer import TableSet

if TYPE_CHECKING:
    import xarray

    from slipstick.results.curve import Curve

KEPT = ("coordinate", "connection")  # tables that all branches share
ATTRIBUTE = "others_json"


def prefix(number: int) -> str:
    return f"other_{number}_"


def add_others(kept: TableSet, others: list[TableSet]) -> None:
    """Put the tables of other branches beside those of the first."""
    for k, tables in enumerate(others):
        own = tables.prefixed(prefix(k), kept=KEPT)
        kept.tables = own.tables | kept.tables
        kept.coordinates = tuple(dict.fromkeys((*kept.coordinates, *own.coordinates)))
    if others:
        kept.attrs[ATTRIBUTE] = json.dumps([tables.attrs for tables in others])


def others_of(dataset: xarray.Dataset, decode: Callable[[xarray.Dataset], Curve]) -> list[Curve]:
    """The other branches in the file of a curve.   decode : a curve from its tables."""
    found = []
    for k, attributes in enumerate(json.loads(dataset.attrs.get(ATTRIBUTE, "[]"))):
        start = prefix(k)
        own = [name for name in dataset.variables if str(name).startswith(start)]
        tables = dataset[own]
        names = {name: str(name)[len(start) :] for name in (*own, *tables.dims) if str(name).startswith(start)}
        tables = tables.rename(names)
        tables.attrs = attributes
        found.append(decode(tables))
    return found
