"""`Run`: a simulated motion with its data, events and certificate."""

from __future__ import annotations

import logging
import math
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.errors import Advice, InvalidInput, Message, arguments_in_words
from slipstick.results import tolerances as tol
from slipstick.results.certificate import Certificate
from slipstick.results.events import Events
from slipstick.results.notebook_view import NotebookView
from slipstick.results.run_end import RunEnd
from slipstick.results.trajectory import ReadableTrajectory, RecordedTrajectory, Samples, Stats, Trajectory
from slipstick.units.axes import AxisUnit, data_axis
from slipstick.units.scales import UNKNOWN_UNITS, ModelUnits

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    import pandas
    import xarray
    from matplotlib.figure import Figure

    from slipstick.angle import Angle
    from slipstick.results.gradient import Gradient
    from slipstick.results.lyapunov import Lyapunov
    from slipstick.results.order_analysis import Orders, Spectrogram
    from slipstick.results.spectra import Spectrum

_log = logging.getLogger(__name__)


MAX_EAGER_STEPS = 100_000  # certificates of longer runs are computed on request only
MIN_MOTION_SAMPLES = 64  # with fewer, the motion is read again, or else unknown
WIDEST_SAMPLE_STEP = 4.0  # of a step of as many even samples: wider ones, as between events, may miss the motion


class SavedResult(NotebookView):
    """Base of results that can be saved, and shown in a notebook."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result: netCDF (.nc), with its model or laws, which `slipstick.open` reads.

        Tables for other programs: .csv, .parquet, .xlsx (one row a time or point), .mat (the arrays of ``data``).
        """
        from slipstick.results.result_files import write_result

        write_result(self, path)  # type: ignore[arg-type]

    def to_pandas(self) -> pandas.DataFrame:
        """A table with one row a time, point or frequency; columns such as ``x.displacement``, ``joint.force``."""
        from slipstick.results.result_tables import result_table

        return result_table(self.table_data())

    def table_data(self) -> xarray.Dataset:
        """The data of tables."""
        return self.data  # type: ignore[attr-defined, no-any-return]


class Names(NamedTuple):
    """Names of a model, its coordinates and connections, and their units of display."""

    model: str
    coordinates: tuple[str, ...]
    connections: tuple[str, ...]
    units: ModelUnits = UNKNOWN_UNITS

    @classmethod
    def of(cls, model: Any) -> Names:
        coordinates, connections = (
            tuple(each.name for each in kind) for kind in (model.coordinates, model.connections)
        )
        return cls(model.name, coordinates, connections, model.units)

    @property
    def data_axes(self) -> tuple[AxisUnit, AxisUnit]:
        """Units of data in SI, of all coordinates and of all connections."""
        return data_axis(self.units.coordinates, self.coordinates), data_axis(self.units.connections, self.connections)


class Run(SavedResult):
    """Result of `Model.simulate`. Everything but `stats` is computed on first access.

    data : xarray.Dataset; displacement, velocity, acceleration (time, coordinate); deflection, force, state (time,
        connection). At an event, values are those right after it.
    events : table with the columns time, connection, before, after.
    certificate : error estimate and energy balance.
    end : state at the end, from which another run continues.
    stats : method, reason, steps, events, factorisations, solves, seconds; start, until, reached, ended.
    model : a copy from the time of the simulation; None for a run from a file without its model.
    angle : angle of the shaft in a run with a speed or a base frequency; else None.
    """

    def __init__(
        self, trajectory: Trajectory, model: Any, names: Names | None = None, angle: Angle | None = None
    ) -> None:
        self.trajectory, self.model, self.angle = trajectory, model, angle
        self.solver: Callable[[Run, Any, Any], Lyapunov] | None = None  # of `lyapunov`: results solve nothing
        # read now: the caller may change the model before the data are read
        self.names = names or Names.of(model)

    @property
    def stats(self) -> Stats:
        return self.trajectory.stats

    @property
    def partial(self) -> str:
        """Text that says where a run ended early; empty if it is complete."""
        stats = self.stats
        return f"PARTIAL: ended at t = {stats.reached:.6g} s of {stats.until:.6g} s" if stats.ended else ""

    @property
    def summary(self) -> tuple[str, str]:
        """Two lines: model, method and its reason; time span and counts."""
        stats = self.stats
        reason = f" ({stats.reason})" if stats.reason else ""
        counts = [(self.samples.time.size, "sample"), (stats.events, "event"), (stats.steps, "step")]
        words = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n)
        span = f"{stats.start:g} to {stats.reached:g} s"
        return f"{self.names.model} by {stats.method}{reason}", f"{span}, {words}"

    @cached_property
    def certificate(self) -> Certificate:
        try:
            certificate = self.trajectory.certificate()
            return replace(certificate, motion=self._motion()) if math.isnan(certificate.motion) else certificate
        except Exception as error:  # a diverged run is still shown and saved, with the reason
            _log.debug("the certificate could not be computed", exc_info=True)
            words = " ".join(str(error).split()) or type(error).__name__
            return Certificate.none(self.names.coordinates, f"no certificate: it could not be computed ({words})")

    def _motion(self) -> float:
        """[m or rad] largest half range of the coordinates without a prescribed motion."""
        samples = self.samples
        t, span = samples.time, self.stats.reached - self.stats.start
        apart = np.diff(t, prepend=self.stats.start, append=self.stats.reached).max()
        sparse = t.size < MIN_MOTION_SAMPLES or apart * MIN_MOTION_SAMPLES > WIDEST_SAMPLE_STEP * span
        if sparse and isinstance(self.trajectory, ReadableTrajectory):
            samples = self.trajectory.read(np.linspace(self.stats.start, self.stats.reached, MIN_MOTION_SAMPLES))
        if samples.time.size < MIN_MOTION_SAMPLES:
            return math.nan
        prescribed = () if self.model is None else tuple(c.motion is not None for c in self.model.coordinates)
        free = [i for i in range(samples.displacement.shape[1]) if not (len(prescribed) > i and prescribed[i])]
        q = samples.displacement[:, free]
        ranges = 0.5 * np.ptp(q, axis=0)
        return float(np.maximum(ranges, tol.RESTING_MOTION_REL * np.abs(q).max(axis=0)).max(initial=0.0))

    def leave_uncertified(self, reason: str) -> None:
        """Set a certificate that states why it is not computed, unless there is one already."""
        self.__dict__.setdefault("certificate", Certificate.open(self.names.coordinates, reason))

    @property
    def computed_certificate(self) -> Certificate:
        """The certificate if it exists or is quick to compute; else one that says how to compute it."""
        stats = self.stats
        long = stats.steps > MAX_EAGER_STEPS or stats.seconds > tol.MAX_EAGER_SECONDS
        if not long or "certificate" in self.__dict__ or isinstance(self.trajectory, RecordedTrajectory):
            return self.certificate
        words = Message("it may take ten times as long as the run", advice=[Advice("{certificate} computes it")])
        return Certificate.open(self.names.coordinates, words)

    @cached_property
    def samples(self) -> Samples:
        """The samples as plain arrays."""
        try:
            return self.trajectory.samples()
        except Exception:
            if not self.stats.ended:
                raise
            # a diverged motion may lie outside the valid range of its laws; the run is shown without samples
            _log.debug("the samples of a run that ended early could not be read", exc_info=True)
            moved, acting = np.zeros((0, len(self.names.coordinates))), np.zeros((0, len(self.names.connections)))
            return Samples(np.zeros(0), moved, moved, acting, acting, acting.astype(np.str_), moved)

    @cached_property
    def end(self) -> RunEnd:
        """The state at the end, from which another run continues: ``m.simulate(until, start=run.end)``."""
        end = self.trajectory.end()
        if end is None:
            raise InvalidInput(
                "this run has no end to continue from: its model is condensed, it is an orbit, or its file has none",
                advice=["simulate the whole time in one run"],
            )
        return end

    @cached_property
    def events(self) -> Events:
        return Events(self.trajectory.events())

    @cached_property
    def data(self) -> xarray.Dataset:
        return self._dataset()

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
        """Figure of time histories, states of connections as bands, and loops of force over deflection.

        coordinates, connections : names to show; by default those that fit.
        quantity : of the histories: "displacement", "velocity" or "acceleration" of coordinates, "deflection" or
            "force" of connections. Default: displacements, and velocities of drifting coordinates, as of rotating
            shafts.
        start, until : [s] the part of the run to show; by default all of it.
        width : [cm] of the figure: 8.5 for a column of a paper, 25 for a slide; by default for a screen.

        An exact run is drawn from the motion itself, other runs from their samples.
        """
        from slipstick.plot.run_plot import RunView, plot_run

        return plot_run(self, RunView(coordinates, connections, start, until, quantity, width))

    @arguments_in_words
    def gradient(self, figure: str, by: Sequence[str]) -> Gradient:
        """Derivatives of a figure by parameters of the model, exact to about nine digits.

        figure : "x.last", "x.last_velocity", "x.mean", "x.rms", "x.highest", "x.lowest", "x.amplitude",
            "x.peak_to_peak".
        by : names of parameters, such as ["joint.limit", "x.inertia"], as of `Model.follow`.

        Also by "x.displacement" and "x.velocity", the state at the start. For runs by "exact" without impacts.
        """
        from slipstick.sensitivity.gradient import gradient

        return gradient(self, figure, by)

    @arguments_in_words
    def orders(self, orders: Any, quantity: str = "displacement", revolutions: float | None = None) -> Orders:
        """Amplitude and phase of orders over speed, for a run with ``speed=`` or a base frequency.

        orders : multiples of the speed, for example [0.5, 1, 2].   quantity : a variable of `data`.
        revolutions : revolutions in a window; default four over the smallest distance between the orders.
        """
        from slipstick.results.order_analysis import run_orders

        return run_orders(self, orders, quantity, revolutions)

    @arguments_in_words
    def spectrogram(self, quantity: str = "displacement", window: float | None = None) -> Spectrogram:
        """Amplitudes over time and frequency, by a short-time Fourier transform.

        quantity : a variable of `data`.   window : [s] length of a Hann window; default a sixteenth of the run.
        """
        from slipstick.results.order_analysis import run_spectrogram

        return run_spectrogram(self, quantity, window)

    @arguments_in_words
    def section(self, frequency: float | None = None, phase: float = 0.0) -> xarray.Dataset:
        """Poincare section: displacement and velocity (time, coordinate) once in each period of a frequency.

        frequency : [rad/s]; default the base frequency of the run.   phase : [rad] value of frequency t, modulo 2 pi.
        """
        from slipstick.results.poincare import poincare_section

        return poincare_section(self, frequency, phase)

    @arguments_in_words
    def lyapunov(self, count: int = 1, *, time: float | None = None) -> Lyapunov:
        """The largest Lyapunov exponents of the motion that follows this run, with their errors; chaos is said as such.

        count : how many of them.   time : [s] how long to follow the motion; default as long as the run was. What the
        run passed through is not counted, so it should have settled.
        """
        if self.solver is None:
            raise InvalidInput(
                "this run cannot be continued: it is no result of simulate, or it was sent between processes",
                advice=["simulate the model again"],
            )
        return self.solver(self, count, time)

    @arguments_in_words
    def psd(self, quantity: str = "displacement", window: float | None = None) -> Spectrum:
        """Power spectral density over frequency, by Welch's method: Hann windows that overlap by half, means removed.

        quantity : as of `orders`.   window : [s] length of a window; default a sixteenth of the run.
        """
        from slipstick.results.spectra import run_psd

        return run_psd(self, quantity, window)

    @arguments_in_words
    def shock_spectrum(self, frequencies: Any, damping: float = 0.05) -> Spectrum:
        """Shock response spectrum: the largest acceleration of oscillators that each coordinate would carry.

        frequencies : natural frequencies [rad/s].   damping : their damping ratio, 0 to below 1.
        """
        from slipstick.results.spectra import run_shock_spectrum

        return run_shock_spectrum(self, frequencies, damping)

    def __reduce__(self) -> Any:
        """Pickle a run with its computed samples, events and certificate, without the solver's data."""
        recorded = RecordedTrajectory(self.stats, self.samples, self.events, self.certificate, self.trajectory.end())
        return Run, (recorded, self.model, self.names, self.angle)

    def __repr__(self) -> str:
        stats, certificate = self.stats, self.computed_certificate
        count = f"{stats.events} event{'' if stats.events == 1 else 's'}"
        if stats.events is None:
            count = "which locates no events"
        words = "; ".join(filter(None, (f'Run of "{self.names.model}" by {stats.method}, {count}', self.partial)))
        if not certificate.passed:
            return f"<{words}; certificate {certificate.verdict}>"
        figures = f"error <= {certificate.error_words}, energy residual {certificate.energy_residual:.2g}"
        return f"<{words}; certificate passed: {figures}>"

    def _dataset(self) -> xarray.Dataset:
        import xarray

        s = self.samples
        moved, acting = ("time", "coordinate"), ("time", "connection")
        place, joint = self.names.data_axes
        stats = {key: value for key, value in asdict(self.stats).items() if value is not None}
        # without the certificate, which may be expensive
        attributes: dict[str, Any] = {"model": self.names.model, **stats, "partial": self.partial}
        return xarray.Dataset(
            {
                "displacement": (moved, s.displacement, {"long_name": f"displacement [{place.unit}]"}),
                "velocity": (moved, s.velocity, {"long_name": f"velocity [{place.rate}]"}),
                "acceleration": (moved, s.acceleration, {"long_name": f"acceleration [{place.acceleration}]"}),
                "deflection": (acting, s.deflection, {"long_name": f"deflection [{joint.unit}]"}),
                "force": (acting, s.force, {"long_name": f"force that resists the deflection [{joint.force}]"}),
                "state": (acting, s.state, {"long_name": "state of the connection; empty where it has none"}),
            },
            coords={
                "time": ("time", s.time, {"units": "s", "long_name": "time"}),
                "coordinate": np.array(self.names.coordinates, dtype=np.str_),
                "connection": np.array(self.names.connections, dtype=np.str_),
            },
            attrs=attributes,
        )
