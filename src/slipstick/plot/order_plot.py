"""Figures of orders over speed and of spectra over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.plot import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.order_analysis import Orders, Spectrogram

MAX_PANELS = 4
DYNAMIC_RANGE = 60.0  # dB below the largest amplitude that a spectrogram shows


def plot_orders(orders: Orders, names: Sequence[str] | str | None) -> Figure:
    """Figure of amplitudes over speed, a panel a name."""
    import matplotlib.pyplot as plt

    data = orders.data
    largest = np.nan_to_num(data.amplitude.values).max(axis=(0, 1))
    chosen = choose_names(data.name.values.tolist(), names, largest, MAX_PANELS)
    with style.house_style():
        figure, panels = plt.subplots(
            len(chosen), 1, sharex=True, squeeze=False, figsize=(7.5, 1.2 + 2.1 * len(chosen)), layout="constrained"
        )
        for panel, name in zip(panels[:, 0], chosen, strict=True):
            for order in data.order.values:
                line = data.amplitude.sel(order=order, name=name).values
                panel.plot(orders.frequency.factor * data.speed.values, line, label=f"{order:g}")
            panel.set_ylabel(f"{name}\n{orders.label}")
            panel.set_ylim(bottom=0.0)
        panels[0, 0].legend(title="order", ncols=min(len(data.order), 6))
        panels[-1, 0].set_xlabel(f"speed [{orders.frequency.unit}]")
        figure.suptitle("orders over speed")
    return style.without_mathtext(figure)


def plot_spectrogram(spectrogram: Spectrogram, name: str | None) -> Figure:
    """Figure of amplitudes in dB over time and frequency."""
    import matplotlib.pyplot as plt

    data = spectrogram.data
    largest = np.nan_to_num(data.amplitude.values).max(axis=(1, 2))
    chosen = choose_names(data.name.values.tolist(), name, largest, 1)[0]
    amplitude = np.nan_to_num(data.amplitude.sel(name=chosen).values)
    peak = max(float(amplitude.max()), 1e-300)
    level = 20.0 * np.log10(np.maximum(amplitude / peak, 10.0 ** (-DYNAMIC_RANGE / 20.0)))
    with style.house_style():
        figure, panel = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
        panel.grid(False)
        frequency = spectrogram.frequency.factor * data.frequency.values
        mesh = panel.pcolormesh(data.time.values, frequency, level, shading="nearest", cmap="magma")
        figure.colorbar(mesh, ax=panel, label=f"dB of {peak:.3g}")
        visible = frequency[(level > -DYNAMIC_RANGE).any(axis=1)]
        panel.set_ylim(0.0, 1.1 * float(visible.max(initial=frequency[1])))
        panel.set_xlabel("time [s]")
        panel.set_ylabel(f"frequency [{spectrogram.frequency.unit}]")
        panel.set_title(f"{chosen}: {spectrogram.label}")
    return style.without_mathtext(figure)


def choose_names(
    known: list[str], names: Sequence[str] | str | None, amplitudes: NDArray[np.float64], count: int
) -> list[str]:
    """The given names; by default the ``count`` of largest amplitude, in the order of ``known``."""
    if names is None:
        largest = sorted(np.argsort(-amplitudes, kind="stable")[:count].tolist())
        return [known[i] for i in largest]
    wanted = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    if not wanted:
        raise InvalidInput(f"give at least one name of {', '.join(known)}").about("names")
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise InvalidInput(f"no coordinate or connection {short_repr(name)} here{hint}").about("names")
    return wanted
