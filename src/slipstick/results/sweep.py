"""`Sweep`: the table of a sweep, an xarray Dataset over the axes of its plan."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from slipstick.results.atomic_write import replacing_file, target_path

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


class Sweep(xarray.Dataset):  # type: ignore[no-untyped-call]
    """Result of `sweep`: figures over the axes of its plan, with state, message and time of every point.

    Figures of failed or unfinished points are NaN. A part, ``sweep.sel(f1=20.0)``, is a Sweep too.
    """

    __slots__ = ()

    @property
    def figures(self) -> list[str]:
        """Names of the figures."""
        return [name for name in self.attrs.get("figures", []) if name in self]

    @property
    def counts(self) -> dict[str, int]:
        """Number of points in each state."""
        states, counts = np.unique(self["state"].values, return_counts=True)
        return dict(zip(states.tolist(), counts.tolist()))

    @property
    def left_out(self) -> str:
        """Number of points without figures, in words: ``2 of 40 points failed``; empty if all are done."""
        counts, total = self.counts, self["state"].size
        failed, done = counts.get("failed", 0), counts.get("done", 0)
        words = [f"{failed} of {total} points failed"] if failed else []
        if failed + done < total:
            words.append(f"{total - failed - done} of {total} points are not computed")
        return ", ".join(words)

    @property
    def failed(self) -> list[dict[str, Any]]:
        """Failed points: their values by name, with the message."""
        states = self["state"]
        if not states.dims:  # one selected point
            values = {str(name): axis.item() for name, axis in self.coords.items() if not axis.dims}
            return [values | {"message": self["message"].item()}] if states.item() == "failed" else []
        at = np.nonzero(states.values == "failed")
        place = dict(zip(states.dims, at))
        axes = [(str(name), axis) for name, axis in self.coords.items() if axis.dims]
        axes.sort(key=lambda each: states.dims.index(each[1].dims[0]))  # in the order of the plan
        columns = {name: axis.values[place[axis.dims[0]]].tolist() for name, axis in axes}
        fixed = {str(name): axis.item() for name, axis in self.coords.items() if not axis.dims}
        columns["message"] = self["message"].values[at].tolist()
        return [fixed | dict(zip(columns, row)) for row in zip(*columns.values())]

    def plot(  # type: ignore[override]
        self, figure: str | None = None, x: str | None = None, by: str | None = None, *, log: bool = False
    ) -> Figure:
        """Figure of one axis as a line, of two as a map, or as lines over ``x`` coloured by ``by``.

        figure : its name; by default the first.   x : the horizontal axis; by default the longest.
        log : a logarithmic scale of the figure.
        """
        from slipstick.plot.sweep_plot import plot_sweep

        return plot_sweep(self, figure, x, by, log)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write netCDF (.nc), a table with one row a point (.csv, .parquet, .xlsx), or its arrays (.mat)."""
        from slipstick.results.sweep_files import writer_for

        target = target_path(path, "sweep.nc")
        write = writer_for(target)
        with replacing_file(target) as aside:
            write(self, aside)

    def to_pandas(self) -> pandas.DataFrame:
        """A table with one row a point, in the units of the study."""
        from slipstick.results.sweep_files import point_table

        return point_table(self)


def read_sweep(path: str | os.PathLike[str]) -> Sweep:
    """Read a sweep that was saved as .nc."""
    from slipstick.results import result_files as files
    from slipstick.results.sweep_files import FIGURES_ATTRIBUTE, WHOLE_NUMBERS_ATTRIBUTE

    held = files.read_dataset(path, (files.SWEEP_KIND,))
    with files.damaged_file_errors(path):
        attributes = {
            key: value
            for key, value in held.attrs.items()
            if key not in (files.FORMAT_ATTRIBUTE, files.KIND_ATTRIBUTE, files.SEAL_ATTRIBUTE)
        }
        attributes[FIGURES_ATTRIBUTE] = json.loads(attributes[FIGURES_ATTRIBUTE])
        found = Sweep(held.data_vars, held.coords, attributes)
        for name in [name for name in found.coords if found[name].attrs.pop(WHOLE_NUMBERS_ATTRIBUTE, False)]:
            found[name] = found[name].astype(np.int64)
        repr((found.counts, found.failed))  # wrong shapes raise here, not on first access
        return found
