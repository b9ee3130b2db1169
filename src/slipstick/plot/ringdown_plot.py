"""Figure of a ring-down: frequency and damping over amplitude, and the decay over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.name_hints import did_you_mean
from slipstick.plot import style
from slipstick.plot.record_plot import channel_label
from slipstick.plot.ticks import set_linear_ticks, set_log_ticks
from slipstick.plot.title import set_title
from slipstick.results.ringdown import FREQUENCY_TO_HERTZ

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.nonlinear_mode import NonlinearMode
    from slipstick.results.ringdown import Ringdown

MIN_HEIGHT_REL = 0.01  # of a panel, over its values: digits of rounding are no content
EDGE_ALPHA = 0.35  # of windows that an end has cut


def plot_ringdown(decay: Ringdown, mode: NonlinearMode | None) -> Figure:
    """See `slipstick.results.ringdown.Ringdown.plot`."""
    from matplotlib.figure import Figure

    data = decay.data
    with style.house_style():
        figure = Figure(figsize=(8.5, 5.6))
        panels = figure.subplots(2, 2, squeeze=False)
        size = "displacement_amplitude" if mode is not None else "amplitude"
        for row, (key, factor, label) in enumerate(
            (("frequency", FREQUENCY_TO_HERTZ, "frequency [Hz]"), ("damping", 100.0, "damping ratio [%]"))
        ):
            for column, x in enumerate((data[size].values, data["time"].values)):
                _line(panels[row, column], decay, key, factor, x)
            panels[row, 0].set_ylabel(label)
            if mode is not None:
                _mode_line(panels[row, 0], decay, mode, key, factor)
            for panel in panels[row]:
                set_linear_ticks(panel, "y", 6)
        for panel in panels[:, 0]:
            set_log_ticks(panel, "x")
        panels[1, 0].set_xlabel(_amplitude_label(decay, mode))
        panels[1, 1].set_xlabel("time [s]")
        if mode is not None:
            panels[0, 0].legend(loc="best")
        set_title(
            figure, f"ring-down of {decay.channel}, bands: 95 % intervals; dotted: by filters; pale: cut by an end"
        )
    return style.without_mathtext(figure)


def _line(panel: Axes, decay: Ringdown, key: str, factor: float, x: NDArray[np.float64]) -> None:
    """Values with their interval; windows cut by an end are pale. The limits are those of full windows."""
    data = decay.data
    value, low, high = (factor * data[name].values for name in (key, f"{key}_low", f"{key}_high"))
    full = data["edge"].values == 0
    shown = full if full.any() else np.ones(full.size, dtype=bool)
    panel.fill_between(x[shown], low[shown], high[shown], color=style.BAND, alpha=0.6, linewidth=0.0)
    panel.plot(x[shown], value[shown], color=style.BLUE, label="measured")
    for end in ("low", "high"):
        wide = factor * data[f"{key}_by_filter_{end}"].values[shown]
        panel.plot(x[shown], wide, ":", color=style.GREY, linewidth=0.9)
    panel.plot(x[~shown], value[~shown], ".", color=style.BLUE, alpha=EDGE_ALPHA, markersize=4)
    reach = max(float(np.ptp(value[shown])), MIN_HEIGHT_REL * abs(float(value[shown].mean())))
    panel.set_ylim(float(low[shown].min()) - 0.1 * reach, float(high[shown].max()) + 0.1 * reach)


def _mode_line(panel: Axes, decay: Ringdown, mode: NonlinearMode, key: str, factor: float) -> None:
    """The nonlinear mode of a model, over the first harmonic of the measured coordinate."""
    names = mode.names.coordinates
    if decay.coordinate not in names:
        hint = did_you_mean(decay.coordinate, names)
        raise InvalidInput(f'the mode has no coordinate "{decay.coordinate}", which was measured{hint}').about("mode")
    amplitude = np.abs(mode.data["harmonics"].sel(harmonic=1, coordinate=decay.coordinate).values)
    values = mode.data["damped_frequency" if key == "frequency" else "damping_ratio"].values
    panel.plot(amplitude, factor * values, color=style.ACCENT, label=mode.names.model)


def _amplitude_label(decay: Ringdown, mode: NonlinearMode | None) -> str:
    if mode is None:
        return f"amplitude of {channel_label(decay.channel)}"
    return f"amplitude of {decay.coordinate} [m or rad]"
