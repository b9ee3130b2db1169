"""`Ringdown`: amplitude, frequency and damping of a free decay over time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.results.run import Names, SavedResult

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.nonlinear_mode import NonlinearMode


LONG_NAMES = {"amplitude": "amplitude", "frequency": "frequency [rad/s]", "damping": "damping ratio [1]"}
BY_FILTER = {"frequency_by_filter": "frequency", "damping_by_filter": "damping"}  # ranges of other methods
FREQUENCY_TO_HERTZ = 0.5 / np.pi


class Ringdown(SavedResult):
    """Result of `slipstick.ringdown`.

    data : xarray.Dataset over time [s], the middles of the windows: amplitude (of the channel, in its unit), frequency
        [rad/s], damping (ratio), each with a 95 % interval (`amplitude_low`, `amplitude_high`, ...);
        frequency_by_filter_low, damping_by_filter_low, ...: what a band-pass filter of the band may find, wider where
        the frequency moves within a window;
        displacement_amplitude [m or rad], for a channel of velocity or acceleration divided by the frequency;
        edge, 1 where the window was cut by the start or the end of the decay: its values rest on fewer samples.
    channel, coordinate : the measured history, and its coordinate.
    near, band : [rad/s] as requested.   window : [s] length.   notes : in words.
    """

    model = None  # a measurement has none

    def __init__(
        self, times: Array, values: Mapping[str, Array], reach: Mapping[str, Array], edge: NDArray[np.bool_],
        **setting: Any,
    ) -> None:  # fmt: skip
        """values, reach : amplitude, frequency and damping, and the half width of their intervals.

        setting : channel, coordinate, order (0 displacement, 1 velocity, 2 acceleration), near, band, window, notes.
        """
        self._times, self._values, self._reach, self._edge = times, dict(values), dict(reach), edge
        self.setting = {**setting, "notes": list(setting["notes"])}
        self.channel, self.coordinate = str(setting["channel"]), str(setting["coordinate"])
        self.near, self.band, self.window = (float(setting[key]) for key in ("near", "band", "window"))
        self.notes = tuple(setting["notes"])

    def on(self, coordinate: str) -> Ringdown:
        """The same ring-down of another coordinate, where the file had the name of its column."""
        setting = {**self.setting, "coordinate": coordinate}
        return Ringdown(self._times, self._values, self._reach, self._edge, **setting)

    @property
    def names(self) -> Names:
        return Names(f"ring-down of {self.channel}", (self.coordinate,), ())

    @cached_property
    def data(self) -> xarray.Dataset:
        import xarray

        variables: dict[str, Any] = {}
        for key, label in LONG_NAMES.items():
            value, reach = self._values[key], self._reach[key]
            variables[key] = ("time", value, {"long_name": label})
            low = value * value / (value + reach) if key == "amplitude" else value - reach  # symmetric in its logarithm
            variables[f"{key}_low"] = ("time", low, {"long_name": f"{label}, 95 % low"})
            variables[f"{key}_high"] = ("time", value + reach, {"long_name": f"{label}, 95 % high"})
        for key, own in BY_FILTER.items():
            for end, sign in (("low", -1.0), ("high", 1.0)):
                values = self._values[own] + sign * self._reach[key]
                variables[f"{key}_{end}"] = ("time", values, {"long_name": f"{LONG_NAMES[own]}, {end} by filters"})
        order = int(self.setting["order"])
        moved = self._values["amplitude"] / self._values["frequency"] ** order
        variables["displacement_amplitude"] = ("time", moved, {"long_name": "amplitude of displacement [m or rad]"})
        variables["edge"] = ("time", self._edge.astype(np.int8), {"long_name": "window cut by an end"})
        attributes = {"channel": self.channel, "near": self.near, "band": self.band, "window": self.window}
        return xarray.Dataset(variables, coords={"time": ("time", self._times, {"units": "s"})}, attrs=attributes)

    def plot(self, mode: NonlinearMode | None = None) -> Figure:
        """Figure of frequency and damping over amplitude, and of the decay over time.

        mode : a nonlinear mode of a model, drawn beside the measurement.
        """
        from slipstick.plot.ringdown_plot import plot_ringdown

        return plot_ringdown(self, mode)

    def __repr__(self) -> str:
        full = ~self._edge if np.any(~self._edge) else np.ones(self._edge.size, dtype=bool)
        ends = np.flatnonzero(full)[[0, -1]]
        hertz = FREQUENCY_TO_HERTZ * self._values["frequency"][ends]
        ratio, size = self._values["damping"][ends], self._values["amplitude"][ends]
        words = f"{hertz[0]:.5g} to {hertz[1]:.5g} Hz, damping {100 * ratio[0]:.3g} to {100 * ratio[1]:.3g} %"
        return f"<Ringdown of {self.channel}: {words}, amplitude {size[0]:.3g} to {size[1]:.3g}>"


def encode_ringdown(decay: Ringdown) -> xarray.Dataset:
    """Dataset for a file."""
    kept = decay.data.assign({f"{key}_reach": ("time", reach) for key, reach in decay._reach.items()})
    kept.attrs = {**kept.attrs, "model": decay.names.model, "setting_json": json.dumps(decay.setting)}
    return kept


def decode_ringdown(dataset: xarray.Dataset) -> Ringdown:
    """Inverse of `encode_ringdown`."""
    values = {key: dataset[key].values.astype(float) for key in LONG_NAMES}
    reach = {key: dataset[f"{key}_reach"].values.astype(float) for key in (*LONG_NAMES, *BY_FILTER)}
    edge = dataset["edge"].values.astype(bool)
    return Ringdown(
        dataset["time"].values.astype(float), values, reach, edge, **json.loads(dataset.attrs["setting_json"])
    )
