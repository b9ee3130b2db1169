"""`Curve`: orbits over frequency or another parameter, with special points and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, InvalidInput, Message, NotConverged, did_you_mean, short_repr
from slipstick.results.branch_result import BranchResult
from slipstick.results.certificate import ERROR_LIMIT_REL, is_small
from slipstick.results.local_extremes import find_local_extremes
from slipstick.results.orbit import Orbit, OrbitPoint
from slipstick.results.peak import NO_ORBITS, NO_ORIGIN, Peak
from slipstick.results.run import Names
from slipstick.units.scales import Scale, frequency_scale, significant_digits

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

MAX_REPR_SPECIALS = 6  # special points in the repr
MAX_SAVED_PEAK_COORDINATES = 6  # coordinates of a model whose largest peaks are located for a file
VALLEY_PEAK_SHARE = 0.5  # of the highest peak: a point so low is on no hill that is higher


UNRESOLVED_ERROR_REL = 0.1  # of the motion: an error beyond it says no more than that harmonics are too few
MAX_UNRESOLVED_SHARE = 0.5  # of the points: a curve with more of them is not to be trusted


class CurveFindings(NamedTuple):
    """What was found of a curve.

    points : in order along it, the special ones among them.
    special : dicts with kind, frequency [rad/s], point (its number), parameter, error (of the parameter).
    notes : restarts, and what else a reader should know, in words.
    """

    points: tuple[OrbitPoint, ...]
    special: list[dict[str, Any]]
    notes: tuple[str, ...] = ()


@dataclass
class CurveStats:
    """How a curve was made.

    method : the one used;  reason : why, where it was chosen by itself.
    parameter : what was varied, "frequency" or another;  unit : of it.
    begin, end : the values between which it was followed.
    ended : why it ended before that, in words; nothing if it did not.   closed : it came back to its start.
    joined : neighbouring points are neighbours on the curve; False for points that were only visited.
    branch : where it leaves another curve, in words; nothing if it does not.
    harmonics : of harmonic balance.   subharmonic : that was asked for.   0 if there were none.
    remade : the model makes the orbits again, as it does after the curve was saved; not by integration, and not where
        a function made a model for every value.
    seconds : of the solver alone.   other : a method without harmonics that can be given the same model.
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
    """What has made a curve, or can make it again, and can be asked for more of it."""

    def other_branch(self, special: Mapping[str, Any], points: tuple[OrbitPoint, ...], number: int) -> Curve:
        """The branch that starts at a special point, by its number among the curve's points."""

    def orbit(self, point: OrbitPoint) -> Orbit:
        """The orbit at a point of the curve."""

    def between(self, points: tuple[OrbitPoint, ...], first: int) -> OrbitPoint:
        """The orbit in the middle between a point and the next one; raises `NotConverged`."""

    def peak(self, points: tuple[OrbitPoint, ...], index: int, figure: Callable[[OrbitPoint], float]) -> OrbitPoint:
        """The orbit near a point at which a figure is largest; raises `NotConverged`."""


class Curve(BranchResult[CurveFindings, CurveStats]):
    """What `Model.frequency_response` and `Model.follow` give.

    Stability and special points are computed when first looked at.

    data : xarray.Dataset along "point": frequency; amplitude (half peak to peak), rms (with the mean), mean,
        peak_to_peak, harmonics, phase by coordinate; force_range, dissipated, stick_share, lag by connection;
        multipliers, stable, error, residual, iterations, events, period.
    special : list of dicts, kind ("fold", "period-doubling", "neimark-sacker", "branch-point", "grazing"),
        frequency [rad/s], point (its number along the curve), error (estimated, of the parameter: of a frequency
        [rad/s]); of a graze the connection, and located: False where it is only known to lie within a width.
    points : the orbits as plain arrays.   notes : restarts, and what else to know, in words.
    stats : method, reason, parameter, begin, end, ended, closed, branch, seconds.
    model : a copy, as it was; None for a curve from a file that could not hold its model.
    names : of the model, its coordinates and connections, with their units.
    origin : what has made it, or can make it again, and can be asked for more of it; None by integration, and for a
        curve from a file that a function made the models of, or that an older slipstick wrote.
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

    @property
    def points(self) -> tuple[OrbitPoint, ...]:
        return self.findings.points

    @property
    def special(self) -> list[dict[str, Any]]:
        return self.findings.special

    @cached_property
    def data(self) -> xarray.Dataset:
        from slipstick.results.curve_points import curve_dataset

        found = curve_dataset(self.points, self.names, self.stats.parameter)
        found.attrs = {"model": self.names.model, **asdict(self.stats), "partial": self.partial}
        found.attrs |= {name: int(getattr(self.stats, name)) for name in ("closed", "joined", "remade")}
        return found

    @property
    def error(self) -> float:
        """The largest estimated error of a displacement over all points [m or rad]; not a number if none has one."""
        errors = [p.error for p in self.points if not np.isnan(p.error)]
        return max(errors, default=np.nan)

    @property
    def rough(self) -> str:
        """At how many points the error is not small against the motion, in words; nothing where it is at all."""
        count = sum(not is_small(p.error, float(p.amplitude.max(initial=0.0))) for p in self.points)
        bound = f"more than {100.0 * ERROR_LIMIT_REL:g} % of the motion"
        return f"error not small ({bound}) at {count} of {len(self.points)} points" if count else ""

    @property
    def doubt(self) -> str:
        """Why it is not to be trusted, in one line: most of its errors are as large as its motion. Else nothing."""
        rough = sum(p.error > UNRESOLVED_ERROR_REL * float(p.amplitude.max(initial=0.0)) for p in self.points)
        if rough <= MAX_UNRESOLVED_SHARE * len(self.points):
            return ""
        balanced = self.stats.method == "harmonic-balance"
        ways = [Advice("raise {harmonics}, or use {method}", method=self.stats.other)] if balanced else []
        return Message(
            f"{rough} of {len(self.points)} orbits have an error beyond a tenth of their motion", advice=ways
        )

    def parts(self) -> Iterator[tuple[bool | None, NDArray[np.int_]]]:
        """Stability, and numbers of neighbouring points that have it; neighbouring parts share the point between them.

        A special point counts to neither side: it is where the stability changes.
        """
        special = {s["point"] for s in self.special if s["kind"] != "grazing"}
        flags = [point.stable for point in self.points]
        pieces = [flags[b] if a in special else flags[a] for a, b in pairwise(range(len(flags)))]
        begin = 0
        for k, stable in enumerate(pieces):
            if k + 1 == len(pieces) or pieces[k + 1] is not stable:
                yield stable, np.arange(begin, k + 2)
                begin = k + 1

    def orbit(self, point: int | Mapping[str, Any]) -> Orbit:
        """The orbit at a point of the curve, with its motion over a period and its certificate; unstable ones too.

        point : its number along the curve, or one of ``curve.special``.
        """
        point = self.numbered(point["point"] if isinstance(point, Mapping) and "point" in point else point)
        if self.origin is None:
            raise InvalidInput(NO_ORBITS)
        return self.origin.orbit(self.points[point])

    def peak(self, coordinate: str | None = None) -> Peak:
        """The largest amplitude of a coordinate, located between the points of the curve.

        coordinate : its name; default the one that moves most.

        ``curve.peak().frequency``, ``.amplitude``, ``.orbit()``; `Peak` has the rest. An end of the curve may be the
        largest; then ``within`` is False.
        """
        if not self.points:
            raise InvalidInput("the curve has no points, and no peak")
        column = self._column(coordinate)
        heights = np.nan_to_num([point.amplitude[column] for point in self.points])
        end = 0 if heights[0] >= heights[-1] else -1
        best = self._peak_at(column, self.points[end], within=False)
        highest = float(heights[end])
        for index in sorted(self._hills(column), key=lambda k: -heights[k]):
            if heights[index] > VALLEY_PEAK_SHARE * highest:
                best = max(best, self._located(column, index), key=lambda peak: float(np.nan_to_num(peak.amplitude)))
                highest = best.amplitude
        return best

    def peaks(self, coordinate: str | None = None) -> list[Peak]:
        """Every peak of a coordinate along the curve: where its amplitude falls to both sides, by 0.1 % or more."""
        column = self._column(coordinate)
        return [self._located(column, index) for index in self._hills(column)]

    def _hills(self, column: int) -> list[int]:
        """Numbers of the points that are the highest of a hill."""
        found = find_local_extremes(np.nan_to_num([point.amplitude[column] for point in self.points]).tolist())
        return [index for index, sign in found if sign > 0.0]

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
        """The peak next to a point that has no larger neighbour; the point itself where nothing leads beyond it."""
        if (column, index) not in self._peaks:
            peak = self._peak_at(column, self.points[index], within=True)
            if self.origin is not None and self.stats.joined:
                try:
                    found = self.origin.peak(self.points, index, lambda point: float(point.amplitude[column]))
                    peak = self._peak_at(column, found, within=True, located=True)
                    peak = replace(peak, frequency_error=self._moved(column, index, found))
                except NotConverged:
                    pass
            self._peaks[column, index] = peak
        # one from a file was put here before there was a model
        return replace(self._peaks[column, index], orbit_at=None if self.origin is None else self.origin.orbit)

    def _peak_at(self, column: int, point: OrbitPoint, within: bool, located: bool = False) -> Peak:
        name, amplitude = self.names.coordinates[column], float(point.amplitude[column])
        orbit_at = None if self.origin is None else self.origin.orbit
        return Peak(
            name, point.frequency, amplitude, point.p, point.stable, within, located, point, point.error,
            orbit_at=orbit_at,
        )  # fmt: skip

    def _moved(self, column: int, index: int, top: OrbitPoint) -> float:
        """How far from the top of a hill the curve is lower by twice the error: to the first points that are, and less
        by the parabola through them."""
        found = []
        for side in (self.points[index - 1 :: -1] if index else (), self.points[index + 1 :]):
            for point in side:
                fall = float(top.amplitude[column] - point.amplitude[column])
                if fall > 2.0 * top.error:
                    found.append(abs(point.p - top.p) * np.sqrt(2.0 * top.error / fall))
                    break
        return float(max(found, default=np.nan))

    def located_peaks(self) -> dict[tuple[int, int], Peak]:
        """All peaks that were located, by column and number of the point; those of the largest of each first."""
        if self.points and len(self.names.coordinates) <= MAX_SAVED_PEAK_COORDINATES:
            for name in self.names.coordinates:
                self.peak(name)
        return {key: peak for key, peak in self._peaks.items() if peak.located}

    def restore_peaks(self, kept: Mapping[tuple[int, int], tuple[OrbitPoint, float]]) -> None:
        """Peaks that were located before: where they belong, the orbit, and the error of the place."""
        for (column, index), (point, moved) in kept.items():
            peak = self._peak_at(column, point, within=True, located=True)
            self._peaks[column, index] = replace(peak, frequency_error=moved)

    def switch(self, special: Mapping[str, Any] | int) -> Curve:
        """The other branch at a special point: a period doubling or a branch point, one of ``curve.special``."""
        if isinstance(special, (int, np.integer)) and not isinstance(special, bool):
            if not -len(self.special) <= special < len(self.special):
                raise InvalidInput(f"the curve has {len(self.special)} special points, got the number {special}")
            special = self.special[special]
        if not isinstance(special, Mapping) or not {"kind", "point"} <= special.keys():
            raise InvalidInput("switch takes one of curve.special", value=special, got=short_repr(special)).about(
                "special"
            )
        if special["kind"] not in ("period-doubling", "branch-point"):
            raise InvalidInput(
                f"no other branch starts at a {special['kind']}; switch at a period-doubling or a branch-point"
            ).about("special")
        if self.origin is None:
            raise InvalidInput(f"this curve cannot be switched: {NO_ORIGIN}; compute it anew")
        return self.origin.other_branch(special, self.points, self.numbered(special["point"]) % len(self))

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
    ) -> Figure:
        """A figure: stable parts as lines, unstable ones dashed, special points marked, a band for the error.

        coordinates : names to show; default those that move most.
        quantity : "amplitude", "rms", "mean", "peak_to_peak", "phase"; or, with ``connections``, "force_range",
            "dissipated", "stick_share".
        log : a logarithmic scale, and another of the parameter where it spans more than a decade.
        connections : names to show a quantity of connections for.
        ax : matplotlib axes to draw into, or several, one for each name: ``first.plot().axes`` for a second curve.
        label : what the curve is called in the legend.
        band : what `ss.response_band` gave, to be drawn below the amplitude.

        Where straight or smooth lines between its points would be seen to be off, more points are solved for.
        """
        from slipstick.plot.curve_plot import plot_curve

        return plot_curve(self, coordinates, quantity, log, connections, ax, label, band)

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
                words[0] += f", at {frequency_scale(self.names.units.frequency).words(points[0].frequency)}"
        words[0] += ", closed" if stats.closed else ""
        words += [
            _describe_stability(points),
            _describe_specials(self.special, scale),
            self.error_words,
            self.rough,
            self.partial,
        ]
        words += [f"NOT TO BE TRUSTED: {self.doubt}"] if self.doubt else []
        return f"<{'; '.join(filter(None, words))}>"

    @property
    def scale(self) -> Scale:
        """The unit in which the parameter is told in words: of a frequency that of the model's file, else SI."""
        if self.stats.parameter == "frequency":
            return frequency_scale(self.names.units.frequency)
        return Scale(self.stats.unit, 1.0)

    @property
    def error_words(self) -> str:
        """The largest error, and of how many points it is not known."""
        unknown = sum(np.isnan(p.error) for p in self.points)
        if unknown == len(self.points):
            return "errors not known"
        return f"error <= {self.error:.2g}" + (f", of {unknown} not known" if unknown else "")


def _describe_stability(points: tuple[OrbitPoint, ...]) -> str:
    count = sum(p.stable is False for p in points)
    unknown = sum(p.stable is None for p in points)
    if unknown == len(points):
        return "stability not known"
    return f"{count} unstable" if count else "all stable" if not unknown else f"stability of {unknown} not known"


def _describe_specials(special: list[dict[str, Any]], scale: Scale) -> str:
    """ "fold at 1.62, 1.31; period-doubling at 0.8"; only counts where there are many."""
    named = [f"{s['kind']} of {s['connection']}" if s.get("connection") else s["kind"] for s in special]
    kinds = Counter(named)
    words = []
    for kind, count in kinds.items():
        own = (s for s, name in zip(special, named, strict=True) if name == kind)
        places = Counter(
            (f"{s['parameter']:.6g}", format_special_place(s, scale)) for s in own
        )  # a gap opens at both sides
        told = ", ".join(place if many == 1 else f"{place} ({many} x)" for (_, place), many in places.items())
        words.append(f"{kind} at {told}" if count <= MAX_REPR_SPECIALS else f"{count} x {kind}")
    return "; ".join(words)


def format_special_place(special: Mapping[str, Any], scale: Scale) -> str:
    """The value of the parameter at a special point, in a unit, with the digits that its error leaves."""
    digits = significant_digits(special["parameter"], special.get("error", 0.0))
    return f"{scale.factor * special['parameter']:.{digits}g}"
