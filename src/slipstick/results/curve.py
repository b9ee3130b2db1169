"""`Curve`: orbits over frequency or another parameter, with special points and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, InvalidInput, Message, NotConverged, arguments_in_words, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results import tolerances as tol
from slipstick.results.branch_result import BranchResult
from slipstick.results.certificate import is_small
from slipstick.results.curve_points import curve_dataset
from slipstick.results.curve_text import describe_specials, describe_stability
from slipstick.results.local_extremes import find_local_extremes
from slipstick.results.orbit import NO_ORBITS, NO_ORIGIN, Orbit, OrbitPoint, Peak
from slipstick.results.run import Names
from slipstick.units.scales import Scale, frequency_scale

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.plot.curve_explorer import CurveExplorer
    from slipstick.results.gradient import Gradient
    from slipstick.results.special_curve import SpecialCurve

MAX_SAVED_PEAK_COORDINATES = 6  # of a model whose peaks are located for a file


class CurveFindings(NamedTuple):
    """Points, special points and notes of a curve.

    points : in order along it, with the special ones.
    special : dicts with kind, frequency [rad/s], point (its number), parameter, error (of the parameter).
    notes : restarts and other remarks, in words.
    """

    points: tuple[OrbitPoint, ...]
    special: list[dict[str, Any]]
    notes: tuple[str, ...] = ()


@dataclass
class CurveStats:
    """How a curve was computed.

    method : the one used;  reason : of an automatic choice.
    parameter : "frequency" or another;  unit : of the parameter.
    begin, end : range of the parameter.
    ended : why it ended early, in words; empty if it did not.   closed : it returned to its start.
    joined : neighbouring points are neighbours on the curve; False for separate points.
    branch : where it leaves another curve, in words; empty if it does not.
    harmonics : of harmonic balance.   subharmonic : as requested.   0 without any.
    remade : the model can compute the orbits again, also after saving; False for integration, and if a function made a
        model for every value.
    seconds : of the solver alone.   other : a method without harmonics for the same model.
    """

    method: str
    reason: str = ""
    parameter: str = "frequency"
    unit: str = "rad/s"
    begin: float = np.nan
    end: float = np.nan
    ended: str = ""
    closed: bool = False
    joined: bool = True
    branch: str = ""
    harmonics: int = 0
    subharmonic: int = 0
    remade: bool = False
    seconds: float = 0.0
    other: str = "shooting"


class CurveOrigin(Protocol):
    """The solver of a curve, which can compute more of it."""

    def other_branch(self, special: Mapping[str, Any], points: tuple[OrbitPoint, ...], number: int) -> Curve:
        """The branch that starts at a special point, by its number among the curve's points."""

    def orbit(self, point: OrbitPoint) -> Orbit:
        """The orbit at a point of the curve."""

    def between(self, points: tuple[OrbitPoint, ...], first: int) -> OrbitPoint:
        """The orbit in the middle between a point and the next one; raises `NotConverged`."""

    def peak(self, points: tuple[OrbitPoint, ...], index: int, figure: Callable[[OrbitPoint], float]) -> OrbitPoint:
        """The orbit near a point with the largest value of a figure; raises `NotConverged`."""

    def track(self, special: Mapping[str, Any], point: OrbitPoint, parameter: Any, between: Any) -> SpecialCurve:
        """A special point at an orbit of the curve over a second parameter."""


class Curve(BranchResult[CurveFindings, CurveStats]):
    """Result of `Model.frequency_response` and `Model.follow`.

    Stability and special points are computed on first access.

    data : xarray.Dataset along "point": frequency; amplitude (half peak to peak), rms (with the mean), mean,
        peak_to_peak, harmonics, phase, acceleration_amplitude by coordinate; force_range, dissipated, stick_share, lag
        by connection; multipliers, stable, error, residual, iterations, events, period.
    special : list of dicts, kind ("fold", "period-doubling", "neimark-sacker", "branch-point", "grazing"),
        frequency [rad/s], point (its number along the curve), error (estimated, of the parameter: of a frequency
        [rad/s]); for grazing also connection, and located: False if it is only known to lie within a width.
    points : the orbits as plain arrays.   notes : restarts and other remarks, in words.
    stats : method, reason, parameter, begin, end, ended, closed, branch, seconds.
    model : a copy from the time of the computation; None for a curve from a file without its model.
    names : of the model, its coordinates and connections, with their units.
    others : curves of branches that are not connected to this one, of ``frequency_response(..., thorough=True)``.
    origin : the solver, which can compute more of the curve; None for integration, and for a curve from a file that was
        made by a function or by an older slipstick.
    """

    findings_class = CurveFindings
    called = "curve"

    def __init__(
        self,
        found: CurveFindings | Callable[[], CurveFindings],
        model: Any,
        stats: CurveStats,
        names: Names | None = None,
        origin: CurveOrigin | None = None,
    ) -> None:
        super().__init__(found, model, stats, names)
        self.origin = origin
        self.others: list[Curve] = []

    def __reduce__(self) -> Any:
        return *super().__reduce__(), {"others": self.others}

    @property
    def points(self) -> tuple[OrbitPoint, ...]:
        return self.findings.points

    @property
    def special(self) -> list[dict[str, Any]]:
        return self.findings.special

    @cached_property
    def data(self) -> xarray.Dataset:
        dataset = curve_dataset(self.points, self.names, self.stats.parameter)
        dataset.attrs = self.attributes
        return dataset

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of ``data``: the model's name and ``stats``."""
        flags = {name: int(getattr(self.stats, name)) for name in ("closed", "joined", "remade")}
        return {"model": self.names.model, **asdict(self.stats), "partial": self.partial, **flags}

    @property
    def error(self) -> float:
        """Largest estimated error of a displacement over all points [m or rad]; NaN without any."""
        errors = [p.error for p in self.points if not np.isnan(p.error)]
        return max(errors, default=np.nan)

    @property
    def rough(self) -> str:
        """Number of points whose error is not small against the motion, in words; empty if there are none."""
        count = sum(not is_small(p.error, float(p.amplitude.max(initial=0.0))) for p in self.points)
        bound = f"more than {100.0 * tol.ERROR_LIMIT_REL:g} % of the motion"
        return f"error not small ({bound}) at {count} of {len(self.points)} points" if count else ""

    @property
    def doubt(self) -> str:
        """Why the curve is unreliable, in one line: most errors exceed a tenth of the motion. Else empty."""
        rough = sum(p.error > tol.UNRESOLVED_ERROR_REL * float(p.amplitude.max(initial=0.0)) for p in self.points)
        if rough <= tol.MAX_UNRESOLVED_SHARE * len(self.points):
            return ""
        balanced = self.stats.method == "harmonic-balance"
        ways = [Advice("raise {harmonics}, or use {method}", method=self.stats.other)] if balanced else []
        return Message(f"{rough} of {len(self.points)} orbits have an error above 10 % of their motion", advice=ways)

    def parts(self) -> Iterator[tuple[bool | None, NDArray[np.int_]]]:
        """Parts of equal stability, with the numbers of their points; neighbouring parts share a point.

        A special point belongs to neither side, as the stability changes there.
        """
        special = {s["point"] for s in self.special if s["kind"] != "grazing"}
        flags = [point.stable for point in self.points]
        pieces = [flags[b] if a in special else flags[a] for a, b in pairwise(range(len(flags)))]
        begin = 0
        for k, stable in enumerate(pieces):
            if k + 1 == len(pieces) or pieces[k + 1] is not stable:
                yield stable, np.arange(begin, k + 2)
                begin = k + 1

    @arguments_in_words
    def orbit(self, point: int | Mapping[str, Any]) -> Orbit:
        """The orbit at a point of the curve, stable or not, with its motion over a period and its certificate.

        point : its number along the curve, or one of ``curve.special``.
        """
        point = self.numbered(point["point"] if isinstance(point, Mapping) and "point" in point else point)
        if self.origin is None:
            raise InvalidInput(NO_ORBITS)
        return self.origin.orbit(self.points[point])

    @arguments_in_words
    def peak(self, coordinate: str | None = None) -> Peak:
        """The largest amplitude of a coordinate, located between the points of the curve.

        coordinate : its name; by default the one that moves most.

        ``curve.peak().frequency``, ``.amplitude``, ``.orbit()``; see `Peak`. If an end of the curve is the largest,
        ``within`` is False.
        """
        if not self.points:
            raise InvalidInput("the curve has no points, so it has no peak; compute it again")
        column = self._column(coordinate)
        heights = np.nan_to_num([point.amplitude[column] for point in self.points])
        end = 0 if heights[0] >= heights[-1] else -1
        best = self._peak_at(column, self.points[end], within=False)
        highest = float(heights[end])
        for index in sorted(self._hills(column), key=lambda k: -heights[k]):
            if heights[index] > tol.VALLEY_PEAK_SHARE * highest:
                best = max(best, self._located(column, index), key=lambda peak: float(np.nan_to_num(peak.amplitude)))
                highest = best.amplitude
        return best

    @arguments_in_words
    def peaks(self, coordinate: str | None = None) -> list[Peak]:
        """All peaks of a coordinate along the curve: its amplitude falls on both sides by 0.1 % or more."""
        column = self._column(coordinate)
        return [self._located(column, index) for index in self._hills(column)]

    def _hills(self, column: int) -> list[int]:
        """Numbers of the points at local maxima."""
        extremes = find_local_extremes(np.nan_to_num([point.amplitude[column] for point in self.points]).tolist())
        return [index for index, sign in extremes if sign > 0.0]

    @cached_property
    def _peaks(self) -> dict[tuple[int, int], Peak]:
        return {}

    def _column(self, coordinate: str | None) -> int:
        names = self.names.coordinates
        if coordinate is None:
            return int(np.argmax(np.max([point.amplitude for point in self.points], axis=0))) if self.points else 0
        if coordinate not in names:
            hint = did_you_mean(str(coordinate), names)
            raise InvalidInput(f"no coordinate {short_repr(coordinate)}{hint}").about("coordinate")
        return names.index(coordinate)

    def _located(self, column: int, index: int) -> Peak:
        """The located peak next to a local maximum of the points, or that point if it cannot be located."""
        if (column, index) not in self._peaks:
            peak = self._peak_at(column, self.points[index], within=True)
            if self.origin is not None:
                try:
                    found = self.origin.peak(self.points, index, lambda point: float(point.amplitude[column]))
                    peak = self._peak_at(column, found, within=True, located=True)
                    peak = replace(peak, frequency_error=self._moved(column, index, found))
                except NotConverged:
                    pass
            self._peaks[column, index] = peak
        # a peak from a file was stored before the model existed
        return replace(self._peaks[column, index], orbit_at=None if self.origin is None else self.origin.orbit)

    def _peak_at(self, column: int, point: OrbitPoint, within: bool, located: bool = False) -> Peak:
        name, amplitude = self.names.coordinates[column], float(point.amplitude[column])
        orbit_at = None if self.origin is None else self.origin.orbit
        return Peak(
            name, point.frequency, amplitude, point.p, point.stable, within, located, point, point.error,
            orbit_at=orbit_at,
        )  # fmt: skip

    def _moved(self, column: int, index: int, top: OrbitPoint) -> float:
        """Distance from a peak at which the curve is lower by twice the error, by parabolas through the first points
        that are."""
        distances = []
        for side in (self.points[index - 1 :: -1] if index else (), self.points[index + 1 :]):
            for point in side:
                fall = float(top.amplitude[column] - point.amplitude[column])
                if fall > 2.0 * top.error:
                    distances.append(abs(point.p - top.p) * np.sqrt(2.0 * top.error / fall))
                    break
        return float(max(distances, default=np.nan))

    def located_peaks(self) -> dict[tuple[int, int], Peak]:
        """All located peaks, by column and point number, with the largest one of each coordinate."""
        if self.points and len(self.names.coordinates) <= MAX_SAVED_PEAK_COORDINATES:
            for name in self.names.coordinates:
                self.peak(name)
        return {key: peak for key, peak in self._peaks.items() if peak.located}

    def restore_peaks(self, kept: Mapping[tuple[int, int], tuple[OrbitPoint, float]]) -> None:
        """Restore located peaks, by column and point number: the orbit, and the error of its position."""
        for (column, index), (point, moved) in kept.items():
            peak = self._peak_at(column, point, within=True, located=True)
            self._peaks[column, index] = replace(peak, frequency_error=moved)

    @arguments_in_words
    def switch(self, special: Mapping[str, Any] | int) -> Curve:
        """The other branch at a special point: a period doubling or a branch point, one of ``curve.special``."""
        special = self._special_of(special, "switch")
        if special["kind"] not in ("period-doubling", "branch-point"):
            raise InvalidInput(
                f"no other branch starts at a {special['kind']}; switch at a period-doubling or a branch-point"
            ).about("special")
        if self.origin is None:
            raise InvalidInput(f"this curve cannot be switched: {NO_ORIGIN}; compute it again")
        return self.origin.other_branch(special, self.points, self.numbered(special["point"]) % len(self))

    @arguments_in_words
    def gradient(self, figure: str, by: Sequence[str]) -> Gradient:
        """Derivatives of a figure by parameters of the model, exact to about nine digits.

        figure : "x.peak", "x.peak_frequency", "folds.0.frequency", "points.3.x.amplitude", or "x.amplitude" of all
            points.
        by : names of parameters, such as ["joint.limit", "x.inertia"], as of `Model.follow`.

        Points stay at their frequency, so they also have a derivative by "frequency".
        """
        from slipstick.sensitivity.gradient import gradient

        return gradient(self, figure, by)

    def track(self, special: Mapping[str, Any] | int, parameter: str, between: tuple[float, float]) -> SpecialCurve:
        """A fold, period doubling, Neimark-Sacker point or graze over a second parameter, with cusps and turns.

        special : one of ``curve.special``, or its number.
        parameter : a number of the model by name, such as "forcing.amplitude", as in `Model.follow`.
        between : two values of it; the model's own lies between them.
        """
        special = self._special_of(special, "track")
        if special["kind"] not in ("fold", "period-doubling", "neimark-sacker", "grazing"):
            raise InvalidInput(
                f"a {special['kind']} is not followed; track takes the other kinds of curve.special"
            ).about("special")
        if self.origin is None:
            raise InvalidInput(f"no special point of this curve can be followed: {NO_ORIGIN}; compute it again")
        point = self.points[self.numbered(special["point"]) % len(self)]
        return self.origin.track(special, point, parameter, between)

    def _special_of(self, special: Any, verb: str) -> Mapping[str, Any]:
        """One of ``special``, by itself or by its number."""
        if isinstance(special, (int, np.integer)) and not isinstance(special, bool):
            if not -len(self.special) <= special < len(self.special):
                raise InvalidInput(f"curve.special has {len(self.special)} points to {verb} at, got number {special}")
            special = self.special[special]
        if not isinstance(special, Mapping) or not {"kind", "point"} <= special.keys():
            raise InvalidInput(f"{verb} takes one of curve.special", value=special, got=short_repr(special)).about(
                "special"
            )
        return special

    @arguments_in_words
    def plot(
        self,
        coordinates: Any = None,
        *,
        quantity: str = "amplitude",
        log: bool = False,
        connections: Any = None,
        ax: Any = None,
        label: str | None = None,
        band: Any = None,
        width: float | None = None,
    ) -> Figure:
        """Figure of the curve: stable parts solid, unstable ones dashed, special points marked, a band for the error.

        coordinates : names to show; by default those that move most.
        quantity : "amplitude", "rms", "mean", "peak_to_peak", "phase", "acceleration_amplitude"; or, with
            ``connections``, "force_range", "dissipated", "stick_share".
        log : a logarithmic scale, also of the parameter if it spans more than a decade.
        connections : names to show a quantity of connections for.
        ax : matplotlib axes to draw into, or several, one for each name: ``first.plot().axes`` for a second curve.
        label : of the curve in the legend.
        band : result of `ss.response_band`, drawn below the amplitude.
        width : [cm] of a new figure: 8.5 for a column of a paper, 25 for a slide; by default for a screen.

        More points are solved for where interpolation between points would be visibly wrong.
        """
        from slipstick.plot.curve_plot import CurveView, plot_curve

        return plot_curve(self, CurveView(coordinates, quantity, log, connections, ax, label, band, width))

    @arguments_in_words
    def explore(self, name: str | None = None, *, quantity: str = "amplitude") -> CurveExplorer:
        """Interactive figure for notebooks: a click on a point shows its orbit. Needs the extra "notebook".

        name : of a coordinate, or of a connection for its quantities; default the coordinate that moves most.
        quantity : as in `plot`.
        """
        from slipstick.plot.curve_explorer import CurveExplorer

        return CurveExplorer(self, quantity, name)

    def __repr__(self) -> str:
        stats, points = self.stats, self.points
        scale = self.scale
        words = [
            f'Curve of "{self.names.model}" by {stats.method}, {len(points)} point{"" if len(points) == 1 else "s"}'
        ]
        if points:
            values = [p.p for p in points]
            words[0] += f", {stats.parameter} {scale.factor * min(values):.6g} to {scale.words(max(values))}"
            if stats.parameter != "frequency":
                words[0] += f", at {self._frequency_words(points)}"
        words[0] += ", closed" if stats.closed else ""
        words += [
            describe_stability(points),
            describe_specials(self.special, scale),
            self.error_words,
            self.rough,
            self.partial,
            _others_words(len(self.others)),
        ]
        words += [f"NOT TO BE TRUSTED: {self.doubt}"] if self.doubt else []
        return f"<{'; '.join(filter(None, words))}>"

    def _frequency_words(self, points: tuple[OrbitPoint, ...]) -> str:
        """The base frequency, or its range along limit cycles."""
        shown, values = frequency_scale(self.names.units.frequency), [point.frequency for point in points]
        low, high = min(values), max(values)
        if high - low <= tol.SAME_FREQUENCY_REL * high:
            return shown.words(low)
        return f"{shown.factor * low:.6g} to {shown.words(high)}"

    @property
    def scale(self) -> Scale:
        """Unit of display of the parameter: that of the model's file for a frequency, else SI."""
        if self.stats.parameter == "frequency":
            return frequency_scale(self.names.units.frequency)
        return Scale(self.stats.unit, 1.0)

    @property
    def error_words(self) -> str:
        """Largest error, and the number of points without one."""
        unknown = sum(np.isnan(p.error) for p in self.points)
        if unknown == len(self.points):
            return "errors not known"
        return f"error <= {self.error:.2g}" + (f", of {unknown} not known" if unknown else "")


def _others_words(count: int) -> str:
    """Number of branches that are not connected to the curve."""
    return f"{count} other branch{'es' * (count != 1)} in curve.others" if count else ""
