"""`EquilibriumCurve`: equilibria over a parameter, with eigenvalues and special points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import InvalidInput, arguments_in_words, short_repr
from slipstick.results.branch_result import BranchResult
from slipstick.results.curve import Curve
from slipstick.results.table_result import TableResult

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.special_curve import SpecialCurve


HOPF, FOLD, STICK = "hopf", "fold", "stick"
FLUTTER = "flutter"  # two undamped modes meet


@dataclass(frozen=True, eq=False)
class EquilibriumPoint:
    """One equilibrium, for n coordinates (all, in the model's order) and m connections.

    parameter : its value.   displacement : (n,) [m or rad].   force : (m,) [N or N m].
    eigenvalues : (k,) complex [rad/s], the largest real part first.   stable : no real part above zero.
    x : (r,) unknowns of the solver.   shape : (n,) complex, of the first eigenvalue.   residual : relative.
    """

    parameter: float
    displacement: Array
    force: Array
    eigenvalues: Complex
    stable: bool
    x: Array
    shape: Complex
    residual: float


class EquilibriumFindings(NamedTuple):
    """Points, special points and notes of a curve of equilibria."""

    points: tuple[EquilibriumPoint, ...]
    special: list[dict[str, Any]]
    notes: tuple[str, ...] = ()


@dataclass
class EquilibriumStats:
    """parameter, unit : what was followed.   begin, end : its range.   ended : why it ended early, in words, or empty.
    seconds : of the solver."""

    parameter: str
    unit: str = ""
    begin: float = np.nan
    end: float = np.nan
    ended: str = ""
    seconds: float = 0.0


class EquilibriumOrigin(Protocol):
    """The solver of a curve of equilibria."""

    def cycles(self, special: Mapping[str, Any], point: EquilibriumPoint) -> Curve:
        """The limit cycles that begin at a Hopf point."""

    def track(self, point: EquilibriumPoint, parameter: Any, between: Any) -> SpecialCurve:
        """A Hopf point over a second parameter."""


class EquilibriumCurve(TableResult, BranchResult[EquilibriumFindings, EquilibriumStats]):
    """Result of `Model.equilibria`.

    data : xarray.Dataset along "point": parameter, displacement by coordinate, force by connection, eigenvalues
        [rad/s], growth (their largest real part), stable.
    special : list of dicts, kind ("hopf", "fold", "stick", "branch-point", "flutter": two undamped modes meet),
        parameter, point (its number), error (of the parameter); for hopf and flutter also frequency [rad/s], for stick
        the connection.
    points : the same as plain arrays.   notes : remarks, in words.
    stats : parameter, unit, begin, end, ended, seconds.   model : a copy from the time of the computation.
    """

    findings_class = EquilibriumFindings
    called = "curve"
    origin: EquilibriumOrigin | None = None

    @property
    def points(self) -> tuple[EquilibriumPoint, ...]:
        return self.findings.points

    @property
    def special(self) -> list[dict[str, Any]]:
        return self.findings.special

    @cached_property
    def data(self) -> xarray.Dataset:
        import xarray

        points = self.points
        place, joint = self.names.data_axes
        most = max((p.eigenvalues.size for p in points), default=0)
        values = np.full((len(points), most), np.nan, dtype=complex)
        for k, point in enumerate(points):
            values[k, : point.eigenvalues.size] = point.eigenvalues
        attributes = {"long_name": self.stats.parameter, "units": self.stats.unit}
        rows = {
            "displacement": ("coordinate", place.unit, [p.displacement for p in points], len(self.names.coordinates)),
            "force": ("connection", joint.force, [p.force for p in points], len(self.names.connections)),
        }
        found: dict[str, Any] = {
            name: (("point", axis), np.array(own).reshape(len(points), width), {"units": unit})
            for name, (axis, unit, own, width) in rows.items()
        }
        found["eigenvalues"] = (("point", "eigenvalue"), values, {"units": "rad/s"})
        growth = [float(p.eigenvalues.real.max(initial=-np.inf)) for p in points]
        found["growth"] = ("point", growth, {"long_name": "largest real part of the eigenvalues", "units": "rad/s"})
        found["stable"] = ("point", [p.stable for p in points])
        coordinates = {
            "parameter": ("point", [p.parameter for p in points], attributes),
            "coordinate": list(self.names.coordinates),
            "connection": list(self.names.connections),
        }
        dataset = xarray.Dataset(found, coordinates)
        dataset.attrs = {"model": self.names.model, **asdict(self.stats)}
        return dataset

    def table_data(self) -> xarray.Dataset:
        return self.data.drop_vars("eigenvalues")

    @arguments_in_words
    def switch(self, special: Mapping[str, Any] | int) -> Curve:
        """The limit cycles that begin at a Hopf point, one of ``curve.special``, over the same parameter."""
        special = self._special_of(special, "switch")
        if special["kind"] != HOPF:
            raise InvalidInput(f"limit cycles begin at a hopf point, not at a {special['kind']} point").about("special")
        if self.origin is None:
            raise InvalidInput("this curve cannot be switched; compute it again")
        return self.origin.cycles(special, self.points[self.numbered(special["point"])])

    @arguments_in_words
    def track(self, special: Mapping[str, Any] | int, parameter: str, between: tuple[float, float]) -> SpecialCurve:
        """A Hopf point, one of ``curve.special``, over a second parameter: which damping keeps it quiet?

        parameter : a number of the model by name.   between : two values of it; the model's own lies between them.
        """
        special = self._special_of(special, "track")
        if special["kind"] != HOPF:
            raise InvalidInput(f"track follows a hopf point, not a {special['kind']} point").about("special")
        if self.origin is None:
            raise InvalidInput("no special point of this curve can be followed; compute it again")
        return self.origin.track(self.points[self.numbered(special["point"])], parameter, between)

    def _special_of(self, special: Any, verb: str) -> Mapping[str, Any]:
        """One of ``special``, by itself or by its number."""
        if isinstance(special, (int, np.integer)) and not isinstance(special, bool):
            if not -len(self.special) <= special < len(self.special):
                raise InvalidInput(f"curve.special has {len(self.special)} points, got number {special}")
            special = self.special[special]
        if not isinstance(special, Mapping) or not {"kind", "point"} <= special.keys():
            raise InvalidInput(f"{verb} takes one of curve.special, got {short_repr(special)}").about("special")
        return special

    @arguments_in_words
    def plot(self, coordinate: str | None = None) -> Figure:
        """Figure of a displacement and of the largest real part of the eigenvalues over the parameter.

        coordinate : by default the one that changes most.
        """
        from slipstick.plot.equilibrium_plot import plot_equilibria

        return plot_equilibria(self, coordinate)

    def __repr__(self) -> str:
        points, stats = self.points, self.stats
        values = [p.parameter for p in points]
        unstable = sum(not p.stable for p in points)
        unit = f" {stats.unit}" if stats.unit else ""
        words = [
            f'Equilibria of "{self.names.model}", {len(points)} point{"s" * (len(points) != 1)}, '
            f"{stats.parameter} {min(values):.6g} to {max(values):.6g}{unit}",
            f"{unstable} unstable" if unstable else "all stable",
            *(f"{s['kind']} at {s['parameter']:.6g}" for s in self.special),
            self.partial,
        ]
        return f"<{'; '.join(filter(None, words))}>"
