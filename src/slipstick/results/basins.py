"""`Basins`: which motion each of many random starts ends on, and the shares."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.name_hints import did_you_mean
from slipstick.results.notebook_view import NotebookView
from slipstick.results.run import Names
from slipstick.results.table_result import TableResult

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


class Motion(NamedTuple):
    """A motion that starts end on.

    share, low, high : of the starts, with its 95 % interval.
    repeats : periods of the loads in one of the motion; 0 without loads.   is_band : one of a continuum of motions.
    amplitude, lowest, highest : (free coordinates,) [m or rad] of displacements; of a rest or a band over all of it.
    example : number of a start that ends on it.
    """

    name: str
    share: float
    low: float
    high: float
    repeats: int
    is_band: bool
    amplitude: Array
    lowest: Array
    highest: Array
    example: int


class Basins(TableResult, NotebookView):
    """Result of `Model.basins`.

    motions : the motions, with shares.   ranges : (name, low, high) of what varies.   starts : (count, ranges).
    labels : (count,) number of the motion of each start.   times : (count,) [s] until it had settled.
    model : a copy.
    """

    def __init__(
        self,
        model: Any,
        ranges: tuple[tuple[str, float, float], ...],
        starts: Array,
        labels: NDArray[np.int64],
        times: Array,
        motions: tuple[Motion, ...],
    ) -> None:
        self.model, self.ranges, self.starts, self.labels = model, ranges, starts, labels
        self.times, self.motions = times, motions
        self.names = Names.of(model)

    @property
    def shares(self) -> dict[str, tuple[float, float, float]]:
        """By name of a motion: its share of the starts, and the ends of its 95 % interval (Wilson)."""
        return {own.name: (own.share, own.low, own.high) for own in self.motions}

    def example(self, name: str) -> dict[str, float]:
        """A start that ends on a motion: values by name, as in ``over``."""
        known = [own.name for own in self.motions]
        if name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else f"; known: {', '.join(known)}"
            raise InvalidInput(f"no start ends on {name!r}{hint}").about("name")
        row = self.starts[self.motions[known.index(name)].example]
        return dict(zip((own[0] for own in self.ranges), row.tolist(), strict=True))

    @cached_property
    def data(self) -> xarray.Dataset:
        """Along "start": the start, its motion and the time [s] until it settled; along "motion": share, low, high,
        repeats; amplitude, lowest and highest by coordinate."""
        import xarray

        place, _ = self.names.data_axes
        free = [c.name for c in self.model.coordinates if c.motion is None]
        names = np.array([own.name for own in self.motions], dtype=np.str_)
        by_coordinate = {}
        for name in ("amplitude", "lowest", "highest"):
            rows = np.array([getattr(own, name) for own in self.motions]).reshape(-1, len(free))
            by_coordinate[name] = (("motion", "coordinate"), rows)
        by_motion = {
            name: ("motion", np.array([getattr(own, name) for own in self.motions]))
            for name in ("share", "low", "high", "repeats")
        }
        return xarray.Dataset(
            {
                **{name: ("start", self.starts[:, k]) for k, (name, _, _) in enumerate(self.ranges)},
                "ends_on": ("start", names[self.labels]),
                "settled_after": ("start", self.times, {"units": "s"}),
                **by_motion,
                **by_coordinate,
            },
            coords={"motion": names, "coordinate": np.array(free, dtype=np.str_)},
            attrs={"model": self.names.model, "displacement": place.unit},
        )

    def plot(self, x: str | None = None, y: str | None = None) -> Figure:
        """Figure of the starts in the plane of two of their numbers, coloured by motion, with the shares.

        x, y : names as in ``over``; default the first two.
        """
        from slipstick.plot.basins_plot import plot_basins

        return plot_basins(self, x, y)

    def __repr__(self) -> str:
        lines = [f'Basins of "{self.names.model}": {len(self.starts)} starts']
        width = max((len(own.name) for own in self.motions), default=0)
        for own in self.motions:
            words = f"{own.share:7.4f}  ({own.low:.4f} to {own.high:.4f})"
            lines.append(f"  {own.name:<{width}} {words}{_remark(own)}")
        return "\n".join(lines)


def _remark(own: Motion) -> str:
    """What a line adds: a band, several periods, amplitudes."""
    parts = []
    if own.is_band:
        parts.append("a band of motions")
    if own.repeats > 1:
        parts.append(f"every {own.repeats} periods")
    if own.name.startswith("none"):
        parts.append("not settled in the time given, or no run was possible")
    if np.isfinite(own.amplitude).all() and own.amplitude.size:
        figure = own.amplitude.max()
        parts.append(f"amplitude {figure:.4g}" if figure else f"at {own.lowest[0]:.4g} to {own.highest[0]:.4g}")
    return f"  {', '.join(parts)}" if parts else ""
