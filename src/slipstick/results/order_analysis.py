"""Orders of a run over its speed, and spectra over time.

An order o of a motion is the part A(t) cos(o phi + p(t)) with the shaft angle phi. `Orders` finds all wanted orders at
once, window by window, by weighted least squares:

    x(t) = sum over o of (a_o(s) cos(o phi) + b_o(s) sin(o phi)) + c(s),    s the time from the middle of the window

with quadratics a, b, c and a Hann weight. Constant amplitudes come out to rounding, however close the orders are; the
window only has to hold enough revolutions to tell them apart. Amplitudes that grow by a cube or faster within a window
are smoothed. What no wanted order explains is the residual.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.angle import Angle
from slipstick.errors import Advice, InvalidInput, short_repr

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.run import Run

Array = NDArray[np.float64]

REVOLUTIONS_PER_SPACING = 4.0  # of a window, times the smallest distance between orders
WINDOW_COUNT = 200
MIN_SAMPLES_PER_TURN = 4.0  # of the highest order, at the highest speed
DEGREE = 2  # of amplitudes within a window
COORDINATE_QUANTITIES = ("displacement", "velocity", "acceleration")


class Orders:
    """Amplitude and phase of orders over the speed of a run.

    data : xarray.Dataset; amplitude, phase (time, order, column), residual (time, column), speed (time). The time is
        that of the middle of a window; x = amplitude cos(order * angle + phase).
    """

    def __init__(self, data: xarray.Dataset, label: str) -> None:
        self.data, self.label = data, label

    def plot(self, names: Sequence[str] | str | None = None) -> Figure:
        """Amplitudes over speed, a panel a column and a line an order. names : of columns; default the largest four."""
        from slipstick.plot.order_plot import plot_orders

        return plot_orders(self, names)

    def __repr__(self) -> str:
        orders, speeds = self.data.order.values, self.data.speed.values
        words = ", ".join(f"{o:g}" for o in orders)
        return f"<Orders {words} from {speeds[0]:.4g} to {speeds[-1]:.4g} rad/s, {speeds.size} windows>"


class Spectrogram:
    """Amplitudes over time and frequency.   data : xarray.Dataset; amplitude (column, frequency, time)."""

    def __init__(self, data: xarray.Dataset, label: str) -> None:
        self.data, self.label = data, label

    def plot(self, name: str | None = None) -> Figure:
        """A picture of one column; default the one that moves most."""
        from slipstick.plot.order_plot import plot_spectrogram

        return plot_spectrogram(self, name)

    def __repr__(self) -> str:
        sizes = self.data.sizes
        return f"<Spectrogram of {sizes['time']} times and {sizes['frequency']} frequencies>"


class _Histories:
    """One quantity of a run: times (k,), values (k, columns), their names and label."""

    def __init__(self, run: Run, quantity: str) -> None:
        from slipstick.results.trajectory import QUANTITIES, refuse_unknown_quantity

        refuse_unknown_quantity(quantity)
        assert quantity in QUANTITIES
        moved = quantity in COORDINATE_QUANTITIES
        self.times, self.values = run.samples.time, getattr(run.samples, quantity)
        self.names = run.names.coordinates if moved else run.names.connections
        self.label = str(run.data[quantity].attrs["long_name"])

    @cached_property
    def step(self) -> float:
        """[s] between samples; refuses histories that are short."""
        if self.times.size < 32:
            raise InvalidInput(f"a spectrum needs at least 32 samples, got {self.times.size}; simulate with more")
        return float((self.times[-1] - self.times[0]) / (self.times.size - 1))


def run_orders(run: Run, orders: Any, quantity: str, revolutions: float | None) -> Orders:
    """See `slipstick.results.run.Run.orders`."""
    import xarray

    wanted, angle = _checked_orders(orders), _angle(run)
    history = _Histories(run, quantity)
    t, phi = history.times, angle.over(history.times)
    turns = _window_turns(wanted, revolutions)
    _check_sampling(history, phi, wanted)
    centres = _window_centres(t, phi, turns)
    found = [_fit_window(history, phi, angle, wanted, float(centre), turns) for centre in centres]
    amplitude, phase, residual = (np.array(part) for part in zip(*found, strict=True))
    data = xarray.Dataset(
        {
            "amplitude": (("time", "order", "name"), amplitude, {"long_name": f"amplitude of {history.label}"}),
            "phase": (("time", "order", "name"), phase, {"long_name": "phase [rad]"}),
            "residual": (("time", "name"), residual, {"long_name": f"root mean square of the rest, {history.label}"}),
            "speed": ("time", np.abs(angle.over(centres, 1)), {"long_name": "speed [rad/s]"}),
        },
        coords={"time": centres, "order": wanted, "name": np.array(history.names, dtype=np.str_)},
        attrs={"window_revolutions": turns, "method": "least squares in Hann windows, quadratic amplitudes"},
    )
    return Orders(data, history.label)


def run_spectrogram(run: Run, quantity: str, window: float | None) -> Spectrogram:
    """See `slipstick.results.run.Run.spectrogram`."""
    import xarray
    from scipy.signal import ShortTimeFFT, get_window

    history = _Histories(run, quantity)
    step, span = history.step, float(history.times[-1] - history.times[0])
    uneven = float(np.abs(np.diff(history.times) - step).max())
    if uneven > 1e-6 * step:
        raise InvalidInput("a spectrogram needs equally spaced samples; simulate with a number of samples")
    length = span / 16.0 if window is None else _number("window", window)
    if not 8.0 * step <= length <= 0.5 * span:
        raise InvalidInput(
            f"window must hold 8 samples to half of the run ({8 * step:.3g} to {0.5 * span:.3g} s), got {length:.3g} s"
        ).about("window")
    count = round(length / step)
    hann = get_window("hann", count)
    transform = ShortTimeFFT(hann, hop=max(count // 8, 1), fs=1.0 / step, scale_to="magnitude")
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
    return Spectrogram(data, history.label)


# ---- checks


def _checked_orders(orders: Any) -> Array:
    try:
        wanted = np.atleast_1d(np.asarray(orders, dtype=float))
    except (TypeError, ValueError):
        wanted = np.zeros(0)
    if wanted.ndim != 1 or not wanted.size or not np.all(np.isfinite(wanted) & (wanted > 0.0)):
        raise InvalidInput(f"orders must be numbers > 0, such as [0.5, 1, 2], got {short_repr(orders)}").about("orders")
    if np.unique(wanted).size < wanted.size:
        raise InvalidInput(f"orders must differ from each other, got {short_repr(orders)}").about("orders")
    return np.asarray(wanted)


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be a number, got {short_repr(value)}").about(name) from None


def _angle(run: Run) -> Angle:
    if run.angle is None:
        way = Advice("simulate with {speed} or {frequency}")
        raise InvalidInput("orders need the speed of the run, and this one has none", advice=[way])
    return run.angle


def _window_turns(wanted: Array, revolutions: float | None) -> float:
    """Revolutions of the shaft in a window."""
    spacing = float(np.diff(np.sort(np.append(wanted, 0.0))).min())
    least = 1.0 / spacing
    turns = REVOLUTIONS_PER_SPACING * least if revolutions is None else _number("revolutions", revolutions)
    if not turns >= 2.0 * least:
        raise InvalidInput(f"revolutions must be at least {2.0 * least:.3g} to tell these orders apart, got {turns:g}")
    return turns


def _check_sampling(history: _Histories, phi: Array, wanted: Array) -> None:
    """Refuse steps of the angle phi (k,) between samples that are too long for the highest order."""
    span, way = history.step * (history.times.size - 1), np.abs(np.diff(phi))
    per_turn = 2.0 * np.pi / max(float(wanted.max() * way.max()), 1e-300)
    if per_turn < MIN_SAMPLES_PER_TURN:
        fastest = float(wanted.max() * (way / np.diff(history.times)).max())
        need = 2 + int(span * fastest * MIN_SAMPLES_PER_TURN / (2.0 * np.pi))
        raise InvalidInput(
            f"order {wanted.max():g} has {per_turn:.2g} samples a turn where they are farthest apart, at least "
            f"{MIN_SAMPLES_PER_TURN:g} are needed; simulate with samples={need}"
        )


def _window_centres(t: Array, phi: Array, turns: float) -> Array:
    """Times at which windows are centred, equally spaced over the angle."""
    way = np.diff(phi)
    if not (np.all(way > 0.0) or np.all(way < 0.0)):
        raise InvalidInput("orders need a speed that keeps its sign and is not zero; simulate a part with such a speed")
    passed, half = np.abs(phi - phi[0]), np.pi * turns
    if passed[-1] <= 2.0 * half:
        raise InvalidInput(
            f"the run has {passed[-1] / (2.0 * np.pi):.3g} revolutions, a window needs {turns:.3g}; "
            "simulate longer, or ask for orders farther apart"
        )
    return np.interp(np.linspace(half, passed[-1] - half, WINDOW_COUNT), passed, t)


# ---- the fit


def _fit_window(
    history: _Histories, phi: Array, angle: Angle, wanted: Array, centre: float, turns: float
) -> tuple[Array, Array, Array]:
    """Amplitudes and phases (orders, columns) in the middle of a window, and the rest (columns,)."""
    away = (phi - float(angle.over(centre))) / (np.pi * turns)  # -1 to 1 within the window
    inside = np.abs(away) < 1.0
    s = away[inside]
    weight = np.cos(0.5 * np.pi * s)  # squared it is Hann's
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
    rest = np.sqrt(((values - basis @ solved) ** 2).sum(axis=0) / (weight**2).sum())
    middle = solved[:: DEGREE + 1][1:]
    a, b = middle[0::2], middle[1::2]
    return np.hypot(a, b), np.arctan2(-b, a), rest
