"""Figures of spectra, and Campbell diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from slipstick.plot import style
from slipstick.plot.order_plot import MAX_PANELS, choose_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.campbell import Campbell
    from slipstick.results.spectra import Spectrum

LABEL_SHARE = 0.94  # of the line of an order: where its label is


def plot_spectrum(spectrum: Spectrum, names: Sequence[str] | str | None) -> Figure:
    """Figure of a spectrum, a panel a name."""
    import matplotlib.pyplot as plt

    table, factor = spectrum.values, spectrum.frequency.factor
    largest = np.nan_to_num(table.values).max(axis=0)
    chosen = choose_names(table["name"].values.tolist(), names, largest, MAX_PANELS)
    with style.house_style():
        figure, panels = plt.subplots(
            len(chosen), 1, sharex=True, squeeze=False, figsize=(7.5, 1.2 + 2.1 * len(chosen)), layout="constrained"
        )
        frequency = factor * table["frequency"].values
        shown = frequency > 0.0
        for panel, name in zip(panels[:, 0], chosen, strict=True):
            panel.loglog(frequency[shown], table.sel(name=name).values[shown], color=style.BLUE)
            panel.set_ylabel(name)
        panels[-1, 0].set_xlabel(f"frequency [{spectrum.frequency.unit}]")
        figure.suptitle(spectrum.label)
    return style.without_mathtext(figure)


def plot_campbell(campbell: Campbell) -> Figure:
    """Figure of the frequencies of modes over speed, lines of orders, and marks where they meet."""
    import matplotlib.pyplot as plt

    factor, unit = campbell.frequency.factor, campbell.frequency.unit
    speed = factor * np.array([campbell.low, campbell.high])
    with style.house_style():
        figure, panel = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
        top = 1.15 * factor * float(campbell.frequencies.max(initial=campbell.high / 1.15))
        for i, frequency in enumerate(campbell.frequencies.tolist(), start=1):
            panel.plot(speed, [factor * frequency] * 2, color=style.BLUE)
            place = speed[1], factor * frequency
            panel.annotate(f"mode {i}", place, (-4, 3), textcoords="offset points", ha="right")
        for order in campbell.orders.tolist():
            panel.plot(speed, order * speed, color=style.INK, linestyle="--", linewidth=1.0)
            end = LABEL_SHARE * min(speed[1], top / order)
            panel.annotate(f"order {order:g}", (end, order * end), (-5, 0), textcoords="offset points", ha="right")
        marks = [(factor * c["speed"], factor * c["frequency"]) for c in campbell.critical]
        if marks:
            panel.plot(*zip(*marks, strict=True), "o", color=style.ACCENT)
        panel.set(xlim=speed, ylim=(0.0, top), xlabel=f"speed [{unit}]", ylabel=f"frequency [{unit}]")
        panel.set_title("Campbell diagram: modes, orders (dashed), critical speeds (dots)")
    return style.without_mathtext(figure)
