"""Orders of a run over its speed, and spectra over time.

An order o of a motion is the part A(t) cos(o phi + p(t)) with the shaft angle phi. `run_orders` fits all orders at
once, window by window, by weighted least squares:

    x(t) = sum over o of (a_o(s) cos(o phi) + b_o(s) sin(o phi)) + c(s),    s the angle from the middle of the window

with quadratics a, b, c and a Hann weight. Constant amplitudes are exact to rounding, however close the orders are, if
the window holds enough revolutions to separate them. Amplitudes that vary faster than a quadratic within a window are
smoothed. The residual is the part that no order explains.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.angle import Angle
from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, finite_float, short_repr
from slipstick.results.notebook_view import NotebookView
from slipstick.results.table_result import TableResult
from slipstick.results.trajectory import refuse_unknown_quantity
from slipstick.units.scales import Scale, frequency_scale

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.run import Run


REVOLUTIONS_TIMES_SPACING = 4.0  # revolutions of a window times the smallest distance between orders
MIN_REVOLUTIONS_TIMES_SPACING = 2.0  # fewer revolutions do not separate the orders
WINDOW_COUNT = 200
MIN_SAMPLES_PER_PERIOD = 4.0  # of the highest order, at the highest speed
DEGREE = 2  # of amplitudes within a window
MIN_SPECTRUM_SAMPLES, MIN_WINDOW_SAMPLES = 32, 8
COORDINATE_QUANTITIES = ("displacement", "velocity", "acceleration")


class Orders(TableResult, NotebookView):
    """Amplitude and phase of orders over the speed of a run.

    data : xarray.Dataset; amplitude, phase (time, order, name), residual (time, name), speed (time). The time is the
        middle of a window; x = amplitude cos(order * angle + phase).
    """

    def __init__(self, data: xarray.Dataset, label: str, frequency: Scale) -> None:
        self.data, self.label, self.frequency = data, label, frequency  # the last: how frequencies are shown

    def plot(self, names: Sequence[str] | str | None = None) -> Figure:
        """Figure of amplitudes over speed, a panel a name and a line an order. names : default the largest four."""
        from slipstick.plot.order_plot import plot_orders

        return plot_orders(self, names)

    def __repr__(self) -> str:
        orders, speeds = self.data.order.values, self.data.speed.values
        words, (unit, factor) = ", ".join(f"{o:g}" for o in orders), self.frequency
        low, high = factor * speeds.min(), factor * speeds.max()
        return f"<Orders {words} from {low:.4g} to {high:.4g} {unit}, {speeds.size} windows>"


class Spectrogram(TableResult, NotebookView):
    """Amplitudes over time and frequency.   data : xarray.Dataset; amplitude (name, frequency, time)."""

    def __init__(self, data: xarray.Dataset, label: str, frequency: Scale) -> None:
        self.data, self.label, self.frequency = data, label, frequency  # the last: how frequencies are shown

    def plot(self, name: str | None = None) -> Figure:
        """Figure of one coordinate or connection; default the one with the largest amplitude."""
        from slipstick.plot.order_plot import plot_spectrogram

        return plot_spectrogram(self, name)

    def __repr__(self) -> str:
        sizes = self.data.sizes
        return f"<Spectrogram of {sizes['time']} times and {sizes['frequency']} frequencies>"


class Histories:
    """One quantity of a run: times (k,), values (k, columns), their names and label."""

    def __init__(self, run: Run, quantity: str) -> None:
        refuse_unknown_quantity(quantity)
        self.times, self.values = run.samples.time, getattr(run.samples, quantity)
        self.names = run.names.coordinates if quantity in COORDINATE_QUANTITIES else run.names.connections
        self.label = str(run.data[quantity].attrs["long_name"])
        self.frequency = frequency_scale(run.names.units.frequency)
        if quantity in ("acceleration", "force"):
            self._leave_out_impacts(struck_names(run, quantity), quantity)

    def _leave_out_impacts(self, struck: set[str], quantity: str) -> None:
        """NaN for columns with impulses, which samples do not have."""
        hit = [name in struck for name in self.names]
        if not any(hit):
            return
        self.values = np.where(hit, np.nan, self.values)
        names = ", ".join(name for name in self.names if name in struck)
        words = f"impacts make the {quantity} of {names} infinite for an instant, so its spectrum is NaN"
        text = f"{words}; use Contact, a stop with a spring, or the spectrum of another quantity"
        warnings.warn(text, stacklevel=6)  # where the spectrum is evaluated

    @cached_property
    def step(self) -> float:
        """[s] mean distance of the samples. Refuses short histories."""
        if self.times.size < MIN_SPECTRUM_SAMPLES:
            words = f"a spectrum needs at least {MIN_SPECTRUM_SAMPLES} samples, got {self.times.size}"
            raise InvalidInput(f"{words}; simulate with more")
        return float((self.times[-1] - self.times[0]) / (self.times.size - 1))

    def refuse_uneven(self) -> None:
        """Refuse samples that are not equally spaced."""
        if float(np.abs(np.diff(self.times) - self.step).max()) > 1e-6 * self.step:
            raise InvalidInput("a spectrum needs equally spaced samples; simulate with a number of samples")


def struck_names(run: Run, quantity: str) -> set[str]:
    """Coordinates whose velocity jumps during a run, or connections with impulses if the quantity is a force."""
    after = np.char.find(np.asarray(run.events["after"], dtype=np.str_), "impact") >= 0
    stops = {str(name) for name in run.events["connection"][after]}
    if not stops or quantity == "force":
        return stops
    if run.model is None or run.model.matrices is not None:  # inertia may couple any two coordinates
        return set(run.names.coordinates)
    return {name for stop in stops for name in run.model.connection(stop).along.terms}


def run_orders(run: Run, orders: Any, quantity: str, revolutions: float | None) -> Orders:
    """See `slipstick.results.run.Run.orders`."""
    import xarray

    wanted, angle = checked_orders(orders), _angle(run)
    history = Histories(run, quantity)
    t, phi = history.times, angle.over(history.times)
    width = _window_revolutions(wanted, revolutions)
    centres = _window_centres(t, phi, width)
    _check_sampling(history, phi, wanted)
    fits = [_fit_window(history, phi, angle, wanted, float(centre), width) for centre in centres]
    amplitude, phase, residual = (np.array(part) for part in zip(*fits, strict=True))
    data = xarray.Dataset(
        {
            "amplitude": (("time", "order", "name"), amplitude, {"long_name": f"amplitude of {history.label}"}),
            "phase": (("time", "order", "name"), phase, {"long_name": "phase [rad]"}),
            "residual": (("time", "name"), residual, {"long_name": f"rms residual of {history.label}"}),
            "speed": ("time", np.abs(angle.over(centres, 1)), {"long_name": "speed [rad/s]"}),
        },
        coords={"time": centres, "order": wanted, "name": np.array(history.names, dtype=np.str_)},
        attrs={"window_revolutions": width, "method": "least squares in Hann windows, quadratic amplitudes"},
    )
    return Orders(data, history.label, history.frequency)


def run_spectrogram(run: Run, quantity: str, window: float | None) -> Spectrogram:
    """See `slipstick.results.run.Run.spectrogram`."""
    import xarray
    from scipy.signal import ShortTimeFFT, get_window

    history = Histories(run, quantity)
    length, count = spectrum_window(history, window)
    hann = get_window("hann", count)
    transform = ShortTimeFFT(hann, hop=max(count // 8, 1), fs=1.0 / history.step, scale_to="magnitude")
    values = (history.values - history.values.mean(axis=0)).T
    sides = np.full(transform.f_pts, 2.0)  # a wave is at +f and -f, a constant at 0 alone
    sides[0] = 1.0
    amplitude = sides[:, None] * np.abs(transform.stft(values))
    times = history.times[0] + transform.t(history.times.size)
    inside = (times >= history.times[0] + 0.5 * length) & (times <= history.times[-1] - 0.5 * length)
    data = xarray.Dataset(
        {"amplitude": (("name", "frequency", "time"), amplitude[:, :, inside], {"long_name": history.label})},
        coords={
            "name": np.array(history.names, dtype=np.str_),
            "frequency": ("frequency", 2.0 * np.pi * transform.f, {"units": "rad/s"}),
            "time": ("time", times[inside], {"units": "s"}),
        },
        attrs={"window": length, "method": "short-time Fourier transform, Hann window"},
    )
    return Spectrogram(data, history.label, history.frequency)


# ---- checks


def positive_numbers(argument: str, given: Any, rule: str) -> Array:
    """(k,) one or more finite numbers above zero.   rule : text of the message, "must be ..."."""
    try:
        numbers = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.ndim != 1 or not numbers.size or not np.all(np.isfinite(numbers) & (numbers > 0.0)):
        raise InvalidInput(f"{argument} {rule}, got {short_repr(given)}").about(argument)
    return np.asarray(numbers)


def checked_orders(orders: Any) -> Array:
    wanted = positive_numbers("orders", orders, "must be numbers > 0, such as [0.5, 1, 2]")
    if np.unique(wanted).size < wanted.size:
        raise InvalidInput(f"orders must differ from each other, got {short_repr(orders)}").about("orders")
    return wanted


def spectrum_window(history: Histories, window: float | None) -> tuple[float, int]:
    """Length [s] and samples of a window. Refuses samples that are not equally spaced."""
    history.refuse_uneven()
    step, span = history.step, float(history.times[-1] - history.times[0])
    length = span / 16.0 if window is None else finite_float("window", window)
    if not MIN_WINDOW_SAMPLES * step <= length <= 0.5 * span:
        least = MIN_WINDOW_SAMPLES * step
        raise InvalidInput(
            f"window must hold {MIN_WINDOW_SAMPLES} samples to half of the run ({least:.3g} to {0.5 * span:.3g} s), "
            f"got {length:.3g} s"
        ).about("window")
    return length, round(length / step)


def _angle(run: Run) -> Angle:
    if run.angle is None:
        way = Advice("simulate with {speed} or {frequency}")
        raise InvalidInput("orders need the speed of the run, and this one has none", advice=[way])
    return run.angle


def _window_revolutions(wanted: Array, revolutions: float | None) -> float:
    """Revolutions of the shaft in a window."""
    spacing = float(np.diff(np.sort(np.append(wanted, 0.0))).min())
    least = MIN_REVOLUTIONS_TIMES_SPACING / spacing
    width = REVOLUTIONS_TIMES_SPACING / spacing if revolutions is None else finite_float("revolutions", revolutions)
    if not width >= least:
        words = f"revolutions must be at least {least:.3g} to separate these orders, got {width:g}"
        raise InvalidInput(words).about("revolutions")
    return width


def _check_sampling(history: Histories, phi: Array, wanted: Array) -> None:
    """Refuse steps of the angle phi (k,) between samples that are too long for the highest order."""
    span, steps = history.step * (history.times.size - 1), np.abs(np.diff(phi))
    density = 2.0 * np.pi / max(float(wanted.max() * steps.max()), 1e-300)
    if density < MIN_SAMPLES_PER_PERIOD:
        frequency = float(wanted.max() * (steps / np.diff(history.times)).max())
        need = 2 + int(span * frequency * MIN_SAMPLES_PER_PERIOD / (2.0 * np.pi))
        raise InvalidInput(
            f"order {wanted.max():g} has {density:.2g} samples a period where they are farthest apart, at least "
            f"{MIN_SAMPLES_PER_PERIOD:g} are needed; simulate with samples={need}"
        )


def _window_centres(t: Array, phi: Array, width: float) -> Array:
    """Times of the middles of the windows, equally spaced over the angle."""
    steps = np.diff(phi)
    if not (np.all(steps > 0.0) or np.all(steps < 0.0)):
        raise InvalidInput("orders need a speed that is not zero and keeps its sign; simulate the part before it stops")
    passed, half = np.abs(phi - phi[0]), np.pi * width
    if passed[-1] <= 2.0 * half:
        raise InvalidInput(
            f"the run has {passed[-1] / (2.0 * np.pi):.3g} revolutions, a window needs {width:.3g}; "
            "simulate longer, or ask for orders farther apart"
        )
    return np.interp(np.linspace(half, passed[-1] - half, WINDOW_COUNT), passed, t)


# ---- the fit


def _fit_window(
    history: Histories, phi: Array, angle: Angle, wanted: Array, centre: float, width: float
) -> tuple[Array, Array, Array]:
    """Amplitudes and phases (orders, columns) in the middle of a window, and the rms residual (columns,)."""
    distance = (phi - float(angle.over(centre))) / (np.pi * width)  # -1 to 1 within the window
    inside = np.abs(distance) < 1.0
    s = distance[inside]
    weight = np.cos(0.5 * np.pi * s)  # its square is the Hann window
    powers = s[:, None] ** np.arange(DEGREE + 1)
    waves = np.outer(phi[inside], wanted)
    columns = [powers, *(powers * wave[:, None] for x in waves.T for wave in (np.cos(x), np.sin(x)))]
    basis = weight[:, None] * np.hstack(columns)
    if basis.shape[0] < basis.shape[1]:
        raise InvalidInput(
            f"a window has {basis.shape[0]} samples for {basis.shape[1]} unknowns; simulate with more samples, or give "
            "more revolutions"
        )
    values = weight[:, None] * history.values[inside]
    solved = np.linalg.lstsq(basis, values, rcond=None)[0]
    residual = np.sqrt(((values - basis @ solved) ** 2).sum(axis=0) / (weight**2).sum())
    middle = solved[:: DEGREE + 1][1:]
    a, b = middle[0::2], middle[1::2]
    return np.hypot(a, b), np.arctan2(-b, a), residual
