"""Pictures of orders over speed and of spectra over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput, did_you_mean, short_repr
from slipstick.plot import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.order_analysis import Orders, Spectrogram

MAX_PANELS = 4
DYNAMIC_RANGE = 60.0  # dB below the largest amplitude that a spectrogram shows


def plot_orders(orders: Orders, names: Sequence[str] | str | None) -> Figure:
    """Amplitudes over speed, a panel a column."""
    import matplotlib.pyplot as plt

    data = orders.data
    chosen = _columns(data.name.values.tolist(), names, _peaks(data.amplitude, "name"))
    with style.house_style():
        figure, panels = plt.subplots(
            len(chosen), 1, sharex=True, squeeze=False, figsize=(7.5, 1.2 + 2.1 * len(chosen)), layout="constrained"
        )
        for panel, name in zip(panels[:, 0], chosen, strict=True):
            for order in data.order.values:
                line = data.amplitude.sel(order=order, name=name).values
                panel.plot(data.speed.values, line, label=f"{order:g}")
            panel.set_ylabel(f"{name}\n{orders.label}")
            panel.set_ylim(bottom=0.0)
        panels[0, 0].legend(title="order", ncols=min(len(data.order), 6))
        panels[-1, 0].set_xlabel("speed [rad/s]")
        figure.suptitle("orders over speed")
    return style.without_mathtext(figure)


def plot_spectrogram(spectrogram: Spectrogram, name: str | None) -> Figure:
    """Amplitudes in dB over time and frequency."""
    import matplotlib.pyplot as plt

    data = spectrogram.data
    known, peaks = data.name.values.tolist(), _peaks(data.amplitude, "name")
    (chosen,) = _columns(known, known[int(np.argmax(peaks))] if name is None else name, peaks)
    amplitude = np.nan_to_num(data.amplitude.sel(name=chosen).values)
    peak = max(float(amplitude.max()), 1e-300)
    level = 20.0 * np.log10(np.maximum(amplitude / peak, 10.0 ** (-DYNAMIC_RANGE / 20.0)))
    with style.house_style():
        figure, panel = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
        panel.grid(False)
        mesh = panel.pcolormesh(data.time.values, data.frequency.values, level, shading="nearest", cmap="magma")
        figure.colorbar(mesh, ax=panel, label=f"dB of {peak:.3g}")
        heard = data.frequency.values[(level > -DYNAMIC_RANGE).any(axis=1)]
        panel.set_ylim(0.0, 1.1 * float(heard.max(initial=data.frequency.values[1])))
        panel.set_xlabel("time [s]")
        panel.set_ylabel("frequency [rad/s]")
        panel.set_title(f"{chosen}: {spectrogram.label}")
    return style.without_mathtext(figure)


def _peaks(amplitude: Any, column: str) -> Any:
    """The largest amplitude of each column; 0 for a coordinate without inertia, whose accelerations are NaN."""
    return amplitude.fillna(0.0).max([name for name in amplitude.dims if name != column]).values


def _columns(known: list[str], names: Sequence[str] | str | None, sizes: Any) -> list[str]:
    """The named columns; else the largest ones, in their order."""
    if names is None:
        largest = sorted(np.argsort(-sizes, kind="stable")[:MAX_PANELS].tolist())
        return [known[i] for i in largest]
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise InvalidInput(f"no column {short_repr(name)}{hint}")
    return wanted
