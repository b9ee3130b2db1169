"""`QuasiPeriodic`: a motion with two frequencies, as the amplitudes of its spectral lines."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import InvalidInput, arguments_in_words, finite_float, short_repr
from slipstick.results.certificate import Certificate
from slipstick.results.run import Names, Run, SavedResult
from slipstick.units.number_format import significant_digits

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

SECTION_POINTS = 400  # of a Poincare section
PHASE_TRIALS = 720  # of a tone whose phase nothing sets
WEAKEST_LINE_REL = 1e-9  # of the strongest: weaker ones are left out of `spectrum`
SETTLED_PART = 0.5  # of a run: its end is compared


@dataclass(frozen=True, eq=False)
class ToneLines:
    """L + 1 lines of n coordinates (all) and m connections, each q(t) = Re(c exp(i w t)); the first is the mean.

    orders : (L + 1, 2) multiples of the two frequencies.   frequencies : both [rad/s].
    displacement : (L + 1, n)   deflection, force : (L + 1, m)
    amplitude, rms : (n,) half peak to peak, root mean square with the mean, over all times.
    free : number of the frequency that is the motion's own, 0 or 1; None if loads set both.
    iterations, residual : of Newton's method.
    """

    orders: Array
    frequencies: tuple[float, float]
    displacement: Complex
    deflection: Complex
    force: Complex
    amplitude: Array
    rms: Array
    free: int | None
    iterations: int
    residual: float


class QuasiPeriodic(SavedResult):
    """Result of `Model.quasi_periodic`: a motion with two frequencies that have no common period.

    data : xarray.Dataset along "line", by frequency: frequency [rad/s], order_1, order_2; amplitude and phase by
        coordinate; deflection_amplitude, deflection_phase, force_amplitude, force_phase by connection.
    spectrum : the same, the strongest line first, without lines below 1e-9 of it.
    frequencies : both [rad/s].   harmonics : highest orders of both.
    amplitude, rms, mean : by coordinate; the motion comes arbitrarily close to its extremes in the course of time.
    certificate : its error follows from the motion with more harmonics. Energies are
        means over a period of the slower frequency.   notes : remarks.   model : a copy.
    """

    def __init__(
        self, lines: ToneLines, model: Any, certificate: Certificate, notes: tuple[str, ...], names: Names | None = None
    ) -> None:
        self.lines, self.model, self.certificate, self.notes = lines, model, certificate, notes
        self.names = names or Names.of(model)

    @property
    def frequencies(self) -> tuple[float, float]:
        return self.lines.frequencies

    @property
    def harmonics(self) -> tuple[int, int]:
        first, second = np.abs(self.lines.orders).max(axis=0).astype(int).tolist()
        return first, second

    @property
    def amplitude(self) -> dict[str, float]:
        return self._by_coordinate(self.lines.amplitude)

    @property
    def rms(self) -> dict[str, float]:
        return self._by_coordinate(self.lines.rms)

    @property
    def mean(self) -> dict[str, float]:
        return self._by_coordinate(self.lines.displacement[0].real)

    def _by_coordinate(self, values: Array) -> dict[str, float]:
        return dict(zip(self.names.coordinates, values.tolist(), strict=True))

    @cached_property
    def data(self) -> xarray.Dataset:
        import xarray

        own = self.lines
        omega = own.orders @ own.frequencies
        turned = omega < 0.0
        sign = np.where(turned, -1.0, 1.0)
        rank = np.argsort(np.abs(omega), kind="stable")
        moved, acting = self.names.data_axes
        columns: dict[str, Any] = {
            "frequency": ("line", np.abs(omega)[rank], {"units": "rad/s"}),
            "order_1": ("line", (sign * own.orders[:, 0])[rank]),
            "order_2": ("line", (sign * own.orders[:, 1])[rank]),
        }
        named = (("", own.displacement, "coordinate", moved), ("deflection_", own.deflection, "connection", acting),
                 ("force_", own.force, "connection", None))  # fmt: skip
        for prefix, series, axis, unit in named:
            lines = np.where(turned[:, None], series.conj(), series)[rank]
            units = {"units": unit.unit} if unit is not None and unit.unit else {}
            columns[f"{prefix}amplitude"] = (("line", axis), np.abs(lines), units)
            columns[f"{prefix}phase"] = (("line", axis), np.angle(lines), {"units": "rad"})
        return xarray.Dataset(
            columns,
            coords={
                "coordinate": np.array(self.names.coordinates, dtype=np.str_),
                "connection": np.array(self.names.connections, dtype=np.str_),
            },
            attrs={"model": self.names.model, "frequency_1": own.frequencies[0], "frequency_2": own.frequencies[1]},
        )

    @property
    def spectrum(self) -> xarray.Dataset:
        strength = self.data["amplitude"].values.max(axis=1, initial=0.0)
        rank = np.argsort(-strength, kind="stable")
        return self.data.isel(line=rank[strength[rank] > WEAKEST_LINE_REL * strength.max(initial=0.0)])

    @arguments_in_words
    def motion(self, times: Any) -> xarray.Dataset:
        """Displacement and velocity (time, coordinate) at times [s]."""
        import xarray

        t = np.atleast_1d(np.asarray(times, dtype=float))
        moved, rates = self._motion(np.outer(t, self.frequencies))
        coordinates = np.array(self.names.coordinates, dtype=np.str_)
        return xarray.Dataset(
            {"displacement": (("time", "coordinate"), moved), "velocity": (("time", "coordinate"), rates)},
            coords={"time": ("time", t, {"units": "s"}), "coordinate": coordinates},
        )

    def _motion(self, phases: Array) -> tuple[Array, Array]:
        """(k, n) displacements and velocities at phases (k, 2)."""
        own = self.lines
        waves = np.exp(1j * phases @ own.orders.T)
        omega = own.orders @ own.frequencies
        return (waves @ own.displacement).real, (waves @ (1j * omega[:, None] * own.displacement)).real

    @arguments_in_words
    def section(self, phase: float = 0.0, tone: int = 1) -> xarray.Dataset:
        """Poincare section: the closed curve of displacement and velocity at one phase of a tone.

        phase : [rad] value of frequency t of the tone, modulo 2 pi.   tone : 1 or 2.
        """
        import xarray

        if tone not in (1, 2):
            raise InvalidInput(f"tone must be 1 or 2, got {short_repr(tone)}").about("tone")
        other = np.linspace(0.0, 2.0 * np.pi, SECTION_POINTS + 1)
        held = np.full_like(other, finite_float("phase", phase))
        moved, rates = self._motion(np.column_stack([held, other] if tone == 1 else [other, held]))
        coordinates = np.array(self.names.coordinates, dtype=np.str_)
        return xarray.Dataset(
            {
                "displacement": (("other_phase", "coordinate"), moved),
                "velocity": (("other_phase", "coordinate"), rates),
            },
            coords={"other_phase": other, "coordinate": coordinates},
        )

    @arguments_in_words
    def distance_to(self, run: Run, start: float | None = None) -> float:
        """[m or rad] largest distance of a displacement from that of a run at the same time.

        start : [s] from when; default the second half of the run. Where nothing sets the phase of a tone, it is fitted.
        """
        if not isinstance(run, Run) or run.names.coordinates != self.names.coordinates:
            raise InvalidInput(f"distance_to takes a run of the same coordinates, got {short_repr(run)}")
        time, q = run.samples.time, run.samples.displacement
        stats = run.stats
        begin = stats.reached - SETTLED_PART * (stats.reached - stats.start) if start is None else start
        time, q = time[time >= begin], q[time >= begin]
        if not time.size:
            raise InvalidInput(f"the run has no samples from {begin:g} s on; choose an earlier start").about("start")

        own = self.lines
        waves = np.exp(1j * np.outer(time, self.frequencies) @ own.orders.T)
        turns = np.zeros(len(own.orders)) if own.free is None else own.orders[:, own.free]

        def apart(shift: float) -> float:
            shifted = np.exp(1j * shift * turns)[:, None] * own.displacement
            return float(np.abs((waves @ shifted).real - q).max())

        if own.free is None:
            return apart(0.0)
        from scipy.optimize import minimize_scalar

        trials = np.linspace(0.0, 2.0 * np.pi, PHASE_TRIALS, endpoint=False)
        best = float(min(trials, key=apart))
        step = float(trials[1])
        return float(minimize_scalar(apart, bounds=(best - step, best + step), method="bounded").fun)

    def plot(self, coordinate: str | None = None) -> Figure:
        """Figure of the spectrum, a stretch of time and the Poincare section of a coordinate; default the largest."""
        from slipstick.plot.quasi_periodic_plot import plot_quasi_periodic

        return plot_quasi_periodic(self, coordinate)

    def __repr__(self) -> str:
        own, certificate = self.lines, self.certificate
        k = int(np.argmax(own.amplitude)) if own.amplitude.size else 0
        size = float(own.amplitude[k]) if own.amplitude.size else 0.0
        digits = significant_digits(size, certificate.error)
        largest = f"amplitude {size:.{digits}g} ({self.names.coordinates[k]})" if own.amplitude.size else ""
        first, second = own.frequencies
        figures = f"passed: error <= {certificate.error_words}" if certificate.passed else certificate.verdict
        return (
            f'<QuasiPeriodic motion of "{self.names.model}" at {first:.6g} and {second:.6g} rad/s, {largest}, '
            f"harmonics {self.harmonics}; certificate {figures}>"
        )


_SERIES = ("displacement", "deflection", "force")
_AXES = ("coordinate", "connection", "connection")


def encode_quasi_periodic(result: QuasiPeriodic) -> xarray.Dataset:
    """Dataset for a file."""
    kept, own = result.data.copy(), result.lines
    kept = kept.drop_dims("connection") if not result.names.connections else kept
    for name, axis in zip(_SERIES, _AXES, strict=True):
        series = getattr(own, name)
        if series.shape[1]:
            kept[f"{name}_real"] = (("order", axis), series.real)
            kept[f"{name}_imag"] = (("order", axis), series.imag)
    kept["orders"] = (("order", "tone"), own.orders)
    kept["half_range"], kept["root_mean_square"] = ("coordinate", own.amplitude), ("coordinate", own.rms)
    setting = {"frequencies": own.frequencies, "free": own.free, "iterations": own.iterations, "residual": own.residual}
    kept.attrs |= {
        "lines_json": json.dumps(setting), "notes_json": json.dumps(result.notes),
        "certificate_json": json.dumps(asdict(result.certificate)),
    }  # fmt: skip
    return kept


def decode_quasi_periodic(dataset: xarray.Dataset, names: Names) -> QuasiPeriodic:
    """Inverse of `encode_quasi_periodic`, without the model."""
    setting = json.loads(dataset.attrs["lines_json"])
    orders = dataset["orders"].values.astype(float)

    def series(name: str) -> Complex:
        if f"{name}_real" not in dataset:
            return np.zeros((orders.shape[0], 0), dtype=complex)
        return np.asarray(dataset[f"{name}_real"].values + 1j * dataset[f"{name}_imag"].values)

    first, second = setting.pop("frequencies")
    displacement, deflection, force = (series(name) for name in _SERIES)
    amplitude, rms = (dataset[name].values.astype(float) for name in ("half_range", "root_mean_square"))
    lines = ToneLines(orders, (first, second), displacement, deflection, force, amplitude, rms, **setting)
    held = json.loads(dataset.attrs["certificate_json"])
    values = {f.name: held[f.name] for f in fields(Certificate) if f.name in held}
    values |= {key: tuple(values.get(key, ())) for key in ("notes", "failures")}
    return QuasiPeriodic(lines, None, Certificate(**values), tuple(json.loads(dataset.attrs["notes_json"])), names)
