"""`Orbit`: one periodic solution, with its motion, Floquet multipliers and certificate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, InvalidInput, Message, arguments_in_words, short_repr
from slipstick.results import tolerances as tol
from slipstick.results.certificate import Certificate
from slipstick.results.run import Names, Run
from slipstick.results.trajectory import ReadableTrajectory, RecordedTrajectory, Trajectory
from slipstick.units.number_format import significant_digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.gradient import Gradient


HISTORY_NOTE = "depends on how the motion began"  # a part of the notes on kept offsets, also in saved files
FREE_BODIES_NOTE = "bodies without a connection to ground may be anywhere"  # the note of an orbit with free bodies
CYCLE_NOTE = "a limit cycle: one multiplier is 1 exactly, that of a shift in time"
NO_ORIGIN = "it was computed by integration, or its file lacks the data of its orbits"
NO_ORBITS = Message(
    f"orbits of this curve cannot be computed again: {NO_ORIGIN}", advice=[Advice("{periodic} gives one")]
)


@dataclass(frozen=True, eq=False)
class OrbitPoint:
    """One orbit of a curve, for a model with n coordinates (all, in its order) and m connections.

    p : parameter of the family: the frequency [rad/s], or another one.   x : unknowns of the family.
    frequency : base frequency Omega [rad/s].   period : [s] of the orbit, order * 2 pi / Omega.
    multipliers : (k,) complex, of coordinates, rates and memory over one period; empty if unknown.
    stable : no multiplier outside the unit circle; None if unknown.
    amplitude, rms, mean : (n,) half peak to peak; root mean square, the mean included; mean [m or rad].
    harmonics : (H+1, n) complex c with q(t) = Re sum over h of c_h exp(2 pi i h t / period); c_0 is the mean.
    phase : (n,) [rad] of the harmonic with the base frequency: q = |c| cos(Omega t + phase).
    force_range : (m,) largest less smallest force [N or N m].   dissipated : (m,) [J] in one period.
    stick_share : (m,) share of the period in stick, 0 to 1; NaN for connections that cannot stick.
    lag : (m,) [rad] Omega t at which the first stick begins, within one period (the pseudo lag of the torsional paper);
        NaN if none begins.
    error : estimated largest error of a displacement [m or rad]; NaN without an estimate.
    residual : largest scaled residual of the solver.   iterations : of Newton's method.
    events : changes of state in a period; 0 for methods that do not locate them.
    acceleration_amplitude : (n,) half peak to peak of the acceleration; NaN without inertia or with impacts, None if
        unknown.
    band : (n, 2) lowest and highest mean of a family of orbits, as some contact never slips; None if the orbit is
        unique, or the family is unknown.
    """

    p: float
    x: Array
    frequency: float
    period: float
    multipliers: Complex
    stable: bool | None
    amplitude: Array
    rms: Array
    mean: Array
    harmonics: Complex
    phase: Array
    force_range: Array
    dissipated: Array
    stick_share: Array
    lag: Array
    error: float
    residual: float = np.nan
    iterations: int = 0
    events: int = 0
    notes: tuple[str, ...] = ()
    band: Array | None = None
    acceleration_amplitude: Array | None = None


class Orbit(Run):
    """Result of `Model.periodic`: a run of one period that ends in its initial state. Computed on first access.

    data : xarray.Dataset as of a run; its times include both ends and all events (at an event, the state after it).
    events, certificate, stats, model : as of a run.
    multipliers : complex, of coordinates, rates and memory; neutral ones (of modulus one) are named in the notes.
    stable : no multiplier outside the unit circle.
    frequency : [rad/s] base frequency.   period : [s].
    amplitude, rms, mean, phase : by coordinate.   force_range, dissipated, stick_share, lag : by connection.
    band : lowest and highest mean by coordinate, if some contact never slips and orbits form a family.
    notes : remarks, in words.
    point : the same as plain arrays, as stored by a curve; ``start=orbit`` begins from it.
    """

    def __init__(self, trajectory: Trajectory, model: Any, point: OrbitPoint, names: Names | None = None) -> None:
        super().__init__(trajectory, model, names)
        self.point = point
        stats = trajectory.stats
        if not stats.until > stats.start:  # one period by definition
            stats.until = stats.reached = stats.start + point.period

    @property
    def computed_certificate(self) -> Certificate:
        return self.certificate  # of one period, which is quick

    @property
    def frequency(self) -> float:
        return self.point.frequency

    @property
    def period(self) -> float:
        return self.point.period

    @property
    def multipliers(self) -> Complex:
        return self.point.multipliers

    @property
    def stable(self) -> bool | None:
        return self.point.stable

    @property
    def stability(self) -> str:
        """ "stable (largest multiplier 0.75)" and the like."""
        return _stability(self.point)

    @property
    def notes(self) -> tuple[str, ...]:
        return self.point.notes

    @property
    def amplitude(self) -> dict[str, float]:
        return self._by_coordinate(self.point.amplitude)

    @property
    def rms(self) -> dict[str, float]:
        return self._by_coordinate(self.point.rms)

    @property
    def acceleration_amplitude(self) -> dict[str, float]:
        """Half peak to peak of the acceleration; NaN if unknown, without inertia, or infinite at impacts."""
        known = self.point.acceleration_amplitude
        return self._by_coordinate(np.full(self.point.amplitude.size, np.nan) if known is None else known)

    @property
    def mean(self) -> dict[str, float]:
        return self._by_coordinate(self.point.mean)

    @property
    def band(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest mean by coordinate, if some contact never slips and orbits form a family."""
        if self.point.band is None:
            return {}
        pairs = (tuple(pair) for pair in self.point.band.tolist())
        return dict(zip(self.names.coordinates, pairs, strict=True))

    @property
    def phase(self) -> dict[str, float]:
        return self._by_coordinate(self.point.phase)

    @property
    def force_range(self) -> dict[str, float]:
        return self._by_connection(self.point.force_range)

    @property
    def dissipated(self) -> dict[str, float]:
        return self._by_connection(self.point.dissipated)

    @property
    def stick_share(self) -> dict[str, float]:
        return self._by_connection(self.point.stick_share)

    @property
    def lag(self) -> dict[str, float]:
        return self._by_connection(self.point.lag)

    def distance_to(self, other: Orbit) -> float:
        """[m or rad] largest distance of a displacement from that of another orbit at the same frequency.

        Displacements are compared at equal times, so a phase difference counts. Orbits by shooting are evaluated at any
        time; others, and those from files, at their samples.
        """
        if not isinstance(other, Orbit) or self.names.coordinates != other.names.coordinates:
            raise InvalidInput(f"distance_to takes an orbit of the same coordinates, got {short_repr(other)}")
        if abs(other.frequency - self.frequency) > tol.SAME_FREQUENCY_REL * self.frequency:
            raise InvalidInput(
                f"orbits at {self.frequency:.9g} and {other.frequency:.9g} rad/s cannot be compared; take the same"
            )
        readable = [each for each in (self, other) if isinstance(each.trajectory, ReadableTrajectory)]
        # if only one can be evaluated anywhere, compare at the samples of the other, which include its corners
        taken = (self, other) if len(readable) != 1 else tuple(each for each in (self, other) if each not in readable)
        time = np.unique(np.concatenate([_repeated_times(each, max(self.period, other.period)) for each in taken]))
        return float(np.abs(_displacements(self, time) - _displacements(other, time)).max(initial=0.0))

    def _by_coordinate(self, values: Array) -> dict[str, float]:
        return dict(zip(self.names.coordinates, values.tolist(), strict=True))

    def _by_connection(self, values: Array) -> dict[str, float]:
        return dict(zip(self.names.connections, values.tolist(), strict=True))

    @arguments_in_words
    def gradient(self, figure: str, by: Sequence[str]) -> Gradient:
        """Derivatives of a figure by parameters of the model, exact to about nine digits.

        figure : "x.amplitude", "x.rms", "x.mean", "x.phase", "joint.force_range", "joint.dissipated" and so on.
        by : names of parameters, such as ["joint.limit", "x.inertia"], as of `Model.follow`.

        Also by "frequency". Refused where the orbit has no derivative, as at a fold or while a contact never slips.
        """
        from slipstick.sensitivity.gradient import gradient

        return gradient(self, figure, by)

    @arguments_in_words
    def plot(
        self,
        coordinates: Any = None,
        connections: Any = None,
        *,
        quantity: str | None = None,
        start: float | None = None,
        until: float | None = None,
        width: float | None = None,
    ) -> Figure:
        """Figure of one period: histories, states, loops, and the multipliers with the unit circle.

        Arguments as in `Run.plot`.
        """
        from slipstick.plot.run_plot import RunView, plot_orbit

        return plot_orbit(self, RunView(coordinates, connections, start, until, quantity, width))

    def __reduce__(self) -> Any:
        recorded = RecordedTrajectory(self.stats, self.samples, self.events, self.certificate)
        return Orbit, (recorded, self.model, self.point, self.names)

    def __repr__(self) -> str:
        words = f'Orbit of "{self.names.model}" by {self.stats.method} at {self.frequency:.6g} rad/s'
        certificate = self.certificate
        figures = f"passed: error <= {certificate.error_words}" if certificate.passed else certificate.verdict
        return f"<{words}, period {self.period:.6g} s, {self.stability}; certificate {figures}>"

    def _dataset(self) -> xarray.Dataset:
        data = super()._dataset()
        stable = "not known" if self.stable is None else ("yes" if self.stable else "no")
        data.attrs |= {"frequency": self.frequency, "period": self.period, "stable": stable}
        return data


@dataclass(frozen=True)
class Peak:
    """Local or global maximum of the amplitude of a coordinate along a curve.

    coordinate : its name.   frequency : [rad/s].   amplitude : half peak to peak [m or rad].
    parameter : value of the curve's parameter; the frequency for a frequency response.
    stable : stability of the orbit; None if unknown.
    within : the curve falls on both sides; False at an end of the curve, beyond which it may be larger.
    located : solved for between the points of the curve; False for the largest of its points (a curve from a file, or
        at given frequencies).
    error : estimated error of the amplitude [m or rad]; NaN if unknown.
    frequency_error : resulting error of the position [rad/s, or as the parameter]: the distance at which the curve is
        lower by twice the error. NaN if unknown.
    point : the orbit as plain arrays.
    """

    coordinate: str
    frequency: float
    amplitude: float
    parameter: float
    stable: bool | None
    within: bool
    located: bool
    point: OrbitPoint = field(repr=False)
    error: float = math.nan
    frequency_error: float = math.nan
    orbit_at: Callable[[OrbitPoint], Orbit] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        digits = significant_digits(self.parameter, self.frequency_error)
        place = f"{self.frequency:.{digits}g} rad/s"
        if self.parameter != self.frequency:
            place = f"{self.parameter:.{digits}g} ({self.frequency:.6g} rad/s)"
        known = "" if math.isnan(self.error) else f"; error <= {self.error:.2g}"
        moved = "" if math.isnan(self.frequency_error) else f", of its place <= {self.frequency_error:.2g}"
        end = "" if self.within else ", at an end of the curve"
        words = {True: ", stable", False: ", unstable", None: ""}[self.stable]
        amplitude = f"{self.amplitude:.{significant_digits(self.amplitude, self.error)}g}"
        return f"<Peak of {self.coordinate}: {amplitude} at {place}{words}{end}{known}{moved}>"

    def orbit(self) -> Orbit:
        """The orbit at the peak, with its motion over a period and its certificate."""
        if self.orbit_at is None:
            raise InvalidInput(NO_ORBITS)
        return self.orbit_at(self.point)


def _repeated_times(orbit: Orbit, until: float) -> Array:
    """(k,) sample times, repeated over periods."""
    own = orbit.samples.time - orbit.samples.time[0]
    repeats = max(round(until / orbit.period), 1)
    return np.concatenate([own + k * orbit.period for k in range(repeats)])


def _displacements(orbit: Orbit, time: Array) -> Array:
    """(k, coordinates) at times after the start of the period: from the trajectory, or by cubic Hermite interpolation
    of samples."""
    begin, end = float(orbit.samples.time[0]), float(orbit.samples.time[-1])
    own = np.clip(begin + np.mod(time, orbit.period), begin, end)
    if isinstance(orbit.trajectory, ReadableTrajectory):
        found, back = np.unique(own, return_inverse=True)
        return np.asarray(orbit.trajectory.read(found).displacement[back])
    from scipy.interpolate import CubicHermiteSpline

    samples = orbit.samples
    return np.asarray(CubicHermiteSpline(samples.time, samples.displacement, samples.velocity)(own))


def _stability(point: OrbitPoint) -> str:
    if point.stable is None:
        return "stability not known"
    word = "stable" if point.stable else "UNSTABLE"
    if not point.multipliers.size:
        return word
    if CYCLE_NOTE in point.notes:
        others = np.delete(point.multipliers, np.argmin(np.abs(point.multipliers - 1.0)))
        largest = np.abs(others).max(initial=0.0)
        return f"{word} (multipliers 1, of a shift in time, and at most {largest:.6g})"
    neutral = np.abs(point.multipliers - 1.0) <= tol.NEUTRAL_MULTIPLIER_BAND
    held = any(HISTORY_NOTE in note or FREE_BODIES_NOTE in note for note in point.notes)
    if (
        np.count_nonzero(neutral) == 1
        and point.band is None
        and not held
        and np.abs(point.multipliers[~neutral]).max(initial=0.0) <= 1.0
    ):
        word = "at the edge of stability, as at a fold"
    return f"{word} (largest multiplier {np.abs(point.multipliers).max():.6g})"
