"""Power spectral density and shock response spectrum of a run.

The density is one-sided, per hertz: its sum times the distance of its frequencies is the variance.

An oscillator of natural frequency w and damping ratio z on a coordinate with the acceleration a(t) has the
acceleration y, y'' + 2 z w y' + w^2 y = 2 z w a' + w^2 a. Between samples a is linear, so the recursion over samples
is exact (D. O. Smallwood, Shock and Vibration Bulletin 51, 1981). The spectrum is the largest |y| within the run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, finite_float
from slipstick.results.notebook_view import NotebookView
from slipstick.results.order_analysis import Histories, positive_numbers, spectrum_window
from slipstick.results.table_result import TableResult
from slipstick.units.scales import Scale

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.run import Run


SAMPLES_PER_PERIOD = 40.0  # of an oscillator: its largest value is between samples by at most a parabola
MAX_FINER_SAMPLES = 20_000_000  # of one coordinate


class Spectrum(TableResult, NotebookView):
    """Values over frequency.   data : xarray.Dataset; density or acceleration (frequency, name)."""

    def __init__(self, data: xarray.Dataset, label: str, frequency: Scale) -> None:
        self.data, self.label, self.frequency = data, label, frequency  # the last: how frequencies are shown

    @property
    def values(self) -> xarray.DataArray:
        """The only variable of ``data``."""
        return next(iter(self.data.data_vars.values()))

    def plot(self, names: Sequence[str] | str | None = None) -> Figure:
        """Figure with a panel a name, logarithmic axes. names : default the largest four."""
        from slipstick.plot.spectrum_plot import plot_spectrum

        return plot_spectrum(self, names)

    def __repr__(self) -> str:
        low, high = (self.frequency.factor * float(self.data.frequency.values[i]) for i in (0, -1))
        count, unit = self.data.frequency.size, self.frequency.unit
        return f"<Spectrum of {count} frequencies from {low:.4g} to {high:.4g} {unit}: {self.label}>"


def run_psd(run: Run, quantity: str, window: float | None) -> Spectrum:
    """See `slipstick.results.run.Run.psd`."""
    from scipy.signal import welch

    history = Histories(run, quantity)
    length, count = spectrum_window(history, window)
    frequency, density = welch(history.values, 1.0 / history.step, "hann", count, detrend="constant", axis=0)
    label = re.sub(r"\[(.*)\]$", r"[(\1)²/Hz]", f"spectral density of {history.label}")
    method = "Welch: Hann windows that overlap by half"
    return _spectrum("density", 2.0 * np.pi * frequency, density, history, label, {"window": length, "method": method})


def run_shock_spectrum(run: Run, frequencies: Any, damping: float) -> Spectrum:
    """See `slipstick.results.run.Run.shock_spectrum`."""
    wanted = positive_numbers("frequencies", frequencies, "must be numbers > 0 [rad/s], such as [10, 20, 50]")
    ratio = finite_float("damping", damping)
    if not 0.0 <= ratio < 1.0:
        raise InvalidInput(f"damping must be a ratio from 0 to below 1, got {ratio:g}").about("damping")
    history = Histories(run, "acceleration")
    history.refuse_uneven()
    largest = np.array([_largest_response(history, w, ratio) for w in wanted])
    label = f"largest {history.label} of an oscillator"
    return _spectrum("acceleration", wanted, largest, history, label, {"damping": ratio})


def _spectrum(
    kind: str, frequency: Array, values: Array, history: Histories, label: str, attributes: dict[str, Any]
) -> Spectrum:
    import xarray

    data = xarray.Dataset(
        {kind: (("frequency", "name"), values, {"long_name": label})},
        coords={
            "frequency": ("frequency", frequency, {"units": "rad/s"}),
            "name": np.array(history.names, dtype=np.str_),
        },
        attrs=attributes,
    )
    return Spectrum(data, label, history.frequency)


def _largest_response(history: Histories, omega: float, ratio: float) -> Array:
    """(columns,) the largest |y| of an oscillator on each coordinate."""
    from scipy.signal import lfilter

    finer = max(1, math.ceil(omega * history.step * SAMPLES_PER_PERIOD / (2.0 * math.pi)))
    count = finer * (history.times.size - 1) + 1
    if count > MAX_FINER_SAMPLES:
        raise InvalidInput(
            f"an oscillator of {omega:.4g} rad/s needs {count:.2g} samples, at most {MAX_FINER_SAMPLES:.0e}; "
            "ask for lower frequencies, or simulate a shorter time"
        ).about("frequencies")
    step = history.step / finer
    places = np.arange(count) / finer
    decay, turn = math.exp(-ratio * omega * step), math.sqrt(1.0 - ratio**2) * omega * step
    c, s = decay * math.cos(turn), decay * math.sin(turn) / turn
    b, a = [1.0 - s, 2.0 * (s - c), decay**2 - s], [1.0, -2.0 * c, decay**2]
    stepped = 1.0 - c + ratio * omega * step * s  # y after one step of a = 1 from rest
    found = []
    for column in history.values.T:
        pushed = np.interp(places, np.arange(history.times.size), column)
        y, _ = lfilter(b, a, pushed, zi=[-b[0] * pushed[0], (stepped - b[0] - b[1]) * pushed[0]])  # y = 0 at first
        found.append(_peak(np.abs(y)))
    return np.array(found)


def _peak(values: Array) -> float:
    """The largest value, by a parabola through its neighbours."""
    if not np.isfinite(values).all():
        return math.nan
    k = int(np.argmax(values))
    if not 0 < k < values.size - 1:
        return float(values[k])
    a, b, c = values[k - 1 : k + 2].tolist()
    bend = a - 2.0 * b + c
    return float(b - (a - c) ** 2 / (8.0 * bend)) if bend < 0.0 else b
