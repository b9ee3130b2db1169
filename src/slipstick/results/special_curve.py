"""`SpecialCurve`: where a special point lies over a second parameter."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.results.notebook_view import NotebookView
from slipstick.results.run import Names
from slipstick.results.table_result import TableResult
from slipstick.units.scales import Scale

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


class SpecialCurvePoint(NamedTuple):
    """first, second : parameters.   frequency : [rad/s].   amplitude : (coordinates,).   error : of displacements."""

    first: float
    second: float
    frequency: float
    amplitude: Array
    error: float


class SpecialCurve(TableResult, NotebookView):
    """Result of `Curve.track`.

    kind : of the special point.   parameters : names of the first and the second parameter.
    points : along the curve.   special : list of dicts, kind ("cusp": two folds meet and end; "turn": the curve turns
        back in the second parameter, as where an isola is born), point, and both parameters by name.
    ended : why it ended before its bounds; empty if it did not.   notes : remarks.
    """

    def __init__(
        self,
        kind: str,
        parameters: tuple[str, str],
        scales: tuple[Scale, Scale],
        points: tuple[SpecialCurvePoint, ...],
        turns: dict[int, str],
        names: Names,
    ) -> None:
        self.kind, self.parameters, self.scales, self.points, self.names = kind, parameters, scales, points, names
        self.ended, self.notes = "", tuple[str, ...]()
        self.special: list[dict[str, Any]] = [
            {"kind": own, "point": k, parameters[0]: points[k].first, parameters[1]: points[k].second}
            for k, own in sorted(turns.items())
        ]

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def data(self) -> xarray.Dataset:
        """Along "point": first and second parameter (named in the attributes), frequency [rad/s], error; amplitude by
        coordinate."""
        import xarray

        columns = {name: ("point", np.array([getattr(p, name) for p in self.points])) for name in _COLUMNS}
        amplitude = np.array([p.amplitude for p in self.points])
        return xarray.Dataset(
            {**columns, "amplitude": (("point", "coordinate"), amplitude)},
            coords={"coordinate": np.array(self.names.coordinates, dtype=np.str_)},
            attrs={"kind": self.kind, "first": self.parameters[0], "second": self.parameters[1], "ended": self.ended},
        )

    def plot(self) -> Figure:
        """Figure of the special point in the plane of both parameters, with cusps and turns."""
        from slipstick.plot.special_curve_plot import plot_special_curve

        return plot_special_curve(self)

    def __repr__(self) -> str:
        words = [f'{self.kind} of "{self.names.model}", {len(self)} points']
        for k, (name, scale) in enumerate(zip(self.parameters, self.scales, strict=True)):
            values = [(p.first, p.second)[k] for p in self.points]
            words.append(f"{name} {scale.factor * min(values):.6g} to {scale.words(max(values))}")
        for own in self.special:
            first, second = (scale.words(own[name]) for name, scale in zip(self.parameters, self.scales, strict=True))
            words.append(f"{own['kind']} at {first}, {self.parameters[1]} {second}")
        words += [f"PARTIAL: {self.ended}"] if self.ended else []
        return f"<Curve of {'; '.join(words)}>"


_COLUMNS = ("first", "second", "frequency", "error")
