"""Figure of a trend: each parameter of a law over frequency, for all sets of samples (fibre, Fig. 16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.plot import tolerances as tol
from slipstick.plot.style import PALETTE, house_style, without_mathtext
from slipstick.plot.title import set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.trend import Trend

MARKERS = ("o", "s", "^", "D", "v", "P")
PANEL_COLUMNS = (3, 4)  # up to six parameters, and beyond


def plot_trend(trend: Trend) -> Figure:
    """See `slipstick.results.trend.Trend.plot`."""
    from matplotlib.figure import Figure

    names = trend.parameters
    columns = min(PANEL_COLUMNS[len(names) > 6], len(names))
    rows = -(-len(names) // columns)
    with house_style():
        figure = Figure(figsize=(3.1 * columns, 2.6 * rows + 0.6))
        panels = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel()
        for axes, name in zip(panels, names, strict=False):
            _panel(axes, trend, name)
        for axes in panels[len(names) :]:
            axes.set_visible(False)
        for k in range(max(len(names) - columns, 0), len(names)):
            panels[k].set_xlabel("frequency [Hz]")
            panels[k].tick_params(labelbottom=True)
        if len(trend.sets) > 1:
            panels[0].legend(loc="best")
        words = f"{trend.law} over frequency; dashed lines do not depend on it within their uncertainty"
        set_title(figure, words)
    return without_mathtext(figure)


def _panel(axes: Axes, trend: Trend, name: str) -> None:
    """Values with their intervals, and the line; dashed if it does not depend on frequency."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for k, which in enumerate(trend.sets):
        colour = PALETTE[k % len(PALETTE)]
        hertz = np.array(list(trend.fits[which]))
        own = [trend.estimate(name, f, which).shown_in(trend.fits[which][f].units) for f in hertz.tolist()]
        si = trend.estimate(name, float(hertz[0]), which)
        scale = 1.0 if si.dimension is None else trend.fits[which][float(hertz[0])].units.of(si.dimension).factor
        value = np.array([e.value for e in own])
        reach = np.array([[e.value - e.low for e in own], [e.high - e.value for e in own]])
        axes.errorbar(
            hertz, value, reach, fmt=MARKERS[k % len(MARKERS)], color=colour, markersize=4, capsize=2, linewidth=1.0,
            label=which or None,
        )  # fmt: skip
        line = trend.lines[which][name]
        fine = np.geomspace(hertz.min(), hertz.max(), 50)
        axes.plot(
            fine,
            [scale * line.at(f) for f in fine],
            "-" if line.depends else "--",
            color=colour,
            linewidth=1.2,
            alpha=0.7,
        )
    axes.set_xscale("log")
    axes.set_xticks(_ticks(trend))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    low, high = axes.get_ylim()
    middle = 0.5 * (low + high)
    if high - low < tol.MIN_PANEL_HEIGHT_REL * abs(middle):
        axes.set_ylim(
            middle - 0.5 * tol.MIN_PANEL_HEIGHT_REL * abs(middle), middle + 0.5 * tol.MIN_PANEL_HEIGHT_REL * abs(middle)
        )
    unit = own[0].unit
    axes.set_title(f"{name} [{unit}]" if unit != "1" else name, fontsize=10)


def _ticks(trend: Trend) -> list[float]:
    """Measured frequencies, without those whose labels would overlap."""
    kept: list[float] = []
    for hertz in sorted({f for own in trend.fits.values() for f in own}):
        if not kept or hertz > tol.TICK_SPACING_RATIO * kept[-1]:
            kept.append(hertz)
    return kept
