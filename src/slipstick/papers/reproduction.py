"""`Reproduction`: a computed figure or table, with its data and its comparison with the print."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple

from slipstick.errors import InvalidInput

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


INTERPRETATION_PREFIX = "read as: "
OWN_SCHEME_SUFFIX = "-own-scheme"  # after the label of results of the paper's own scheme
CHANGED_SUFFIX = "-changed"  # after the label of results with other numbers than the paper's
FILE_ATTRIBUTES = (
    "paper",
    "label",
    "title",
    "method",
    "certificate",
    "seconds",
    "changed",
)  # fields that are stored as attributes
TABLE_HEADS = ("", "paper", "here", "why they differ")


class Row(NamedTuple):
    """A quantity in the paper and here, with units, and why they differ, in words.

    reading : ``here`` is our reading of the print; nothing was computed for it. `slipstick.papers.comparison_rows`
    makes rows that compare.
    """

    quantity: str
    paper: str
    here: str
    why: str
    reading: bool = False

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The cells below `TABLE_HEADS`; a reading has a prefix."""
        return self.quantity, self.paper, f"{INTERPRETATION_PREFIX}{self.here}" if self.reading else self.here, self.why


@dataclass(frozen=True)
class Reproduction:
    """One figure or table of a paper.

    data : every line of it, with units in attributes.   rows : printed value, value here, reason of a difference.
    method, certificate : in words.   seconds : that it took.
    changed : numbers that are not the paper's, in words; empty if all are.
    """

    paper: str
    label: str
    title: str
    data: xarray.Dataset
    rows: tuple[Row, ...]
    method: str
    certificate: str
    seconds: float
    draw: Callable[[xarray.Dataset], Figure] = field(repr=False)
    changed: str = ""

    def plot(self) -> Figure:
        """The figure in the house style, with numbers that are not the paper's below it."""
        from slipstick.plot import style

        with style.house_style():
            figure = self.draw(self.data)
            if self.changed:
                wrapped = fill(self.changed, width=round(13 * figure.get_figwidth()))
                figure.supxlabel(wrapped, x=0.01, ha="left", fontsize=8, color=style.ACCENT)
            return figure

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write NAME-LABEL.png, .svg and .nc, which `ss.open` opens, into a folder, made if it is not there."""
        from matplotlib import pyplot as plt

        from slipstick.plot.style import FILE_DPI
        from slipstick.results.atomic_write import replacing_file

        place = Path(folder)
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"save: the folder {place} cannot be made: {error.strerror}").about("folder") from None
        stem = f"{self.paper}-{self.label.replace(' ', '-')}"
        figure = self.plot()
        targets = [place / f"{stem}{suffix}" for suffix in (".png", ".svg", ".nc")]
        for target in targets:
            with replacing_file(target) as aside:
                if target.suffix == ".nc":
                    self._dataset().to_netcdf(aside, engine="scipy")
                else:
                    figure.savefig(aside, dpi=FILE_DPI)
        plt.close(figure)
        return targets

    def _dataset(self) -> xarray.Dataset:
        """The data with everything else in attributes: the rows as text, and as JSON to read back."""
        from slipstick.results.result_files import FILE_FORMAT, FORMAT_ATTRIBUTE, KIND_ATTRIBUTE, REPRODUCTION_KIND

        held = {
            FORMAT_ATTRIBUTE: FILE_FORMAT,
            KIND_ATTRIBUTE: REPRODUCTION_KIND,
            **{name: getattr(self, name) for name in FILE_ATTRIBUTES},
            "rows": "\n".join(" | ".join(row.cells) for row in self.rows),
            "rows_json": json.dumps(self.rows),
        }
        return self.data.assign_attrs({**self.data.attrs, **held})

    def __str__(self) -> str:
        lines = [f"{self.paper}, {self.label}: {self.title}"]
        if self.rows:
            table = [TABLE_HEADS, *(row.cells for row in self.rows)]
            widths = [max(len(cells[i]) for cells in table) for i in range(3)]
            lines += ["  ".join((*(cells[i].ljust(widths[i]) for i in range(3)), cells[3])) for cells in table]
        lines += [f"changed: {self.changed}"] if self.changed else []
        lines += [f"method: {self.method}", f"certificate: {self.certificate}", f"took {self.seconds:.2g} s"]
        return "\n".join(lines)
