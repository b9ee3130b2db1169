"""`Comparison`: distance of a model from its reduced model, as the neglected terms shrink."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.results import tolerances as tol
from slipstick.results.run import Names, SavedResult

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Comparison(SavedResult):
    """Differences of the primary model from the reduced one.

    scales : (k,) factors of the neglected terms.   names : of the reduced model and of the common coordinates.
    differences : (k, n) largest over time [m or rad].   sizes : (n,) largest displacement of each.
    until : [s] duration.   notes : on failed runs, in words.
    """

    scales: tuple[float, ...]
    names: Names
    differences: Array
    sizes: Array
    until: float
    notes: tuple[str, ...] = ()

    model = None  # it compares two models and stores neither

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self.names.coordinates

    @property
    def _moves(self) -> NDArray[np.bool_]:
        """(n,) mask of coordinates that move by more than rounding."""
        return np.asarray(self.sizes > tol.ROUNDING_DISPLACEMENT_REL * np.max(self.sizes, initial=0.0))

    @property
    def relative(self) -> Array:
        """(k, n) differences over the largest displacement; NaN for a coordinate at rest."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self._moves, self.differences / self.sizes, np.nan))

    @property
    def shares(self) -> Array:
        """(k,) largest relative difference of the moving coordinates; NaN if the run failed or none moves."""
        moving = self.relative[:, self._moves]
        return np.asarray(np.max(moving, axis=1)) if moving.size else np.full(len(self.scales), np.nan)

    @property
    def orders(self) -> tuple[float, ...]:
        """Observed order of convergence from each scale to the next; 1 is linear."""
        share = self.shares
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(share[:-1] / share[1:]) / np.log(np.divide(self.scales[:-1], self.scales[1:]))
        return tuple(float(x) for x in found)

    @cached_property
    def data(self) -> xarray.Dataset:
        """difference (scale, coordinate), share (scale), size (coordinate)."""
        import xarray

        return xarray.Dataset(
            {
                "difference": (("scale", "coordinate"), self.differences),
                "share": ("scale", self.shares),
                "size": ("coordinate", self.sizes),
            },
            coords={"scale": list(self.scales), "coordinate": list(self.coordinates)},
            attrs={"model": self.names.model, "until": self.until},
        )

    def plot(self) -> Figure:
        """Figure of the differences over the scale of the neglected terms."""
        from slipstick.plot.comparison_plot import plot_comparison

        return plot_comparison(self)

    def __repr__(self) -> str:
        from slipstick.units.axes import column_axes

        axes = column_axes(self.names.units.coordinates, self.coordinates, range(len(self.coordinates))).each
        widths = [max(10, len(name), len(axis.unit)) for name, axis in zip(self.coordinates, axes, strict=True)]
        head, units = (
            "  ".join(f"{word:>{width}}" for word, width in zip(words, widths, strict=True))
            for words in (self.coordinates, [axis.unit for axis in axes])
        )
        lines = [
            f"largest difference from the reduced model up to {self.until:g} s",
            f"   neglected x  {head}       order",
            f"                {units}",
        ]
        orders = ("", *(f"{own:.2f}" if math.isfinite(own) else "" for own in self.orders))
        for scale, row, order in zip(self.scales, self.differences, orders, strict=True):
            shown = [f"{axis.factor * x:>{n}.3g}" for x, axis, n in zip(row, axes, widths, strict=True)]
            lines.append(f"  {scale:>12g}  " + "  ".join(shown) + f"  {order:>10}")
        lines += [f"note: {words}" for words in self.notes]
        return "\n".join(lines)


def encode_comparison(comparison: Comparison) -> xarray.Dataset:
    """A comparison as a netCDF 3 dataset."""
    kept = comparison.data.copy()
    kept.attrs["notes_json"] = json.dumps(comparison.notes)
    return kept


def decode_comparison(dataset: xarray.Dataset, names: Names) -> Comparison:
    scales, differences, sizes = (np.array(dataset[name].values, float) for name in ("scale", "difference", "size"))
    notes = tuple(json.loads(dataset.attrs["notes_json"]))
    return Comparison(tuple(scales.tolist()), names, differences, sizes, float(dataset.attrs["until"]), notes)
