"""How far a model is from its reduced one, with less and less of what was neglected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Comparison:
    """Differences of the primary model from the reduced one.

    scales : of what was neglected.   coordinates : those that both have.
    differences : (scales, coordinates) largest over the time compared [m or rad].   sizes : (coordinates,) largest
    displacement of each.   until : [s].   notes : runs that failed, in words.
    """

    scales: tuple[float, ...]
    coordinates: tuple[str, ...]
    differences: Array
    sizes: Array
    until: float
    notes: tuple[str, ...] = ()

    @property
    def orders(self) -> tuple[float, ...]:
        """By how many powers the largest relative difference falls from each scale to the next; 1 is in proportion."""
        share = self.shares
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(share[:-1] / share[1:]) / np.log(np.divide(self.scales[:-1], self.scales[1:]))
        return tuple(float(x) for x in found)

    @property
    def shares(self) -> Array:
        """(scales,) the largest difference over the coordinates, each as a share of its largest displacement."""
        sizes = np.where(self.sizes > 0.0, self.sizes, 1.0)
        return np.asarray(np.max(self.differences / sizes, axis=1))

    def plot(self) -> Figure:
        """A figure: differences over the scale of what was neglected."""
        from slipstick.plot.reduction import plot_comparison

        return plot_comparison(self)

    def __repr__(self) -> str:
        head = "  ".join(f"{name:>10}" for name in self.coordinates)
        lines = [
            f"largest difference from the reduced model up to {self.until:g} s",
            f"   neglected x  {head}       order",
        ]
        orders = ("", *(f"{own:.2f}" if math.isfinite(own) else "" for own in self.orders))
        for scale, row, order in zip(self.scales, self.differences, orders, strict=True):
            lines.append(f"  {scale:>12g}  " + "  ".join(f"{x:>10.3g}" for x in row) + f"  {order:>10}")
        lines += [f"note: {words}" for words in self.notes]
        return "\n".join(lines)
