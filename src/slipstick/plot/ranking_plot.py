"""Figure of a ranking: the best few laws over the measured loop, and the residuals of all laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.plot.loop_plot import MAX_SAMPLES_DRAWN, axis_label, in_file_units, residual_label
from slipstick.plot.style import ACCENT, BAND, BLUE, DASHES, GREEN, GREY, INK, house_style, without_mathtext
from slipstick.plot.ticks import set_linear_ticks
from slipstick.plot.title import set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.ranking import RankedLaw, Ranking
    from slipstick.units.scales import Scale

MAX_LAWS_DRAWN = 3
MIN_BAR_SLOTS = 4  # least space for bars, so that a single one is not too thick
LAW_COLOURS = (BLUE, ACCENT, GREEN)


def plot_ranking(ranking: Ranking) -> Figure:
    """See `slipstick.results.ranking.Ranking.plot`."""
    from matplotlib.figure import Figure

    fitted = [row for row in ranking.table if row.fit is not None]
    large = int(np.argmax([loop.amplitude for loop in ranking.best.loops]))
    with house_style():
        figure = Figure(figsize=(10.0, 6.5))
        grid = figure.add_gridspec(2, 2, height_ratios=(2.2, 1.0), width_ratios=(1.6, 1.0))
        loops = figure.add_subplot(grid[0, 0])
        residual_panel = figure.add_subplot(grid[1, 0], sharex=loops)
        bars = figure.add_subplot(grid[:, 1])
        _loops(loops, residual_panel, fitted[:MAX_LAWS_DRAWN], large)
        _bars(bars, fitted, ranking.noise, ranking.best.units.force)
        set_title(figure, ranking.verdict)
    return without_mathtext(figure)


def _loops(axes: Axes, residual_panel: Axes, rows: list[RankedLaw], large: int) -> None:
    """The largest loop with the force of each law, and the residuals below."""
    assert rows[0].fit is not None
    units, system = rows[0].fit.units, rows[0].fit.system
    own = in_file_units(rows[0].fit.loops[large], units)
    step = max(own.u.size // MAX_SAMPLES_DRAWN, 1)
    axes.plot(own.u[::step], own.f[::step], ".", color=GREY, markersize=2.0, rasterized=True)
    if own.noise > 0.0:
        residual_panel.axhspan(-2.0 * own.noise, 2.0 * own.noise, color=BAND, alpha=0.35, label="noise, two deviations")
    for row, colour in reversed(list(zip(rows, LAW_COLOURS, strict=False))):  # the best is on top
        assert row.fit is not None
        loop = in_file_units(row.fit.loops[large], units)
        axes.plot(loop.u[::step], loop.fitted[::step], color=colour, linewidth=1.3)
        keep = loop.counts[::step]
        gap = (loop.fitted - loop.f)[::step][keep]
        residual_panel.plot(loop.u[::step][keep], gap, ".", color=colour, markersize=1.6, alpha=0.6, rasterized=True)
    axes.set_ylabel(axis_label("force", system, units))
    axes.set_title(f"dots: {own.name}; lines: laws, colours as on the right", fontweight="normal", fontsize=10)
    residual_panel.axhline(0.0, color=INK, linewidth=0.8)
    residual_panel.legend(loc="upper right", frameon=True, framealpha=0.8, edgecolor="none")  # over dots
    residual_panel.set_xlabel(axis_label("deflection", system, units))
    residual_panel.set_ylabel(residual_label(units))
    set_linear_ticks(residual_panel, "x", 5)
    set_linear_ticks(axes, "y", 6)
    set_linear_ticks(residual_panel, "y", 4)


def _bars(axes: Axes, rows: list[RankedLaw], noise: float, force: Scale) -> None:
    """Residuals of all laws, best first from the top, with the noise."""
    names = [row.name for row in rows]
    sizes = [force.factor * row.fit.residual for row in rows if row.fit is not None]
    colours = [LAW_COLOURS[k] if k < MAX_LAWS_DRAWN else GREY for k in range(len(rows))]
    places = np.arange(len(rows))[::-1]
    axes.barh(places, sizes, color=colours, height=0.55)
    for place, size in zip(places, sizes, strict=True):
        axes.annotate(f"{size:.3g}", (size, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9)
    remark = ""
    if noise > 0.0:
        axes.axvline(force.factor * noise, color=INK, linewidth=1.0, linestyle=DASHES)
        remark = f"; dashed: noise {force.words(noise, 3)}"
    axes.set_yticks(places, names)
    axes.margins(x=0.15)
    axes.set_ylim(len(rows) - 0.5 - max(len(rows), MIN_BAR_SLOTS), len(rows) - 0.5)
    axes.grid(axis="y", visible=False)
    axes.set_title(f"residual, rms of the force [{force.unit}]{remark}", fontweight="normal", fontsize=10, loc="right")
    set_linear_ticks(axes, "x", 5)
