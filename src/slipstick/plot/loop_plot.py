"""Figures of measured loops and of fitted laws."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from slipstick.identification.preparing.amplitude_levels import (
    AmplitudeLevel,
    amplitude_levels_of,
    has_curve_of_amplitudes,
)
from slipstick.plot.style import (
    ACCENT,
    BLUE,
    CM_PER_INCH,
    GREEN,
    GREY,
    INK,
    checked_width,
    house_style,
    is_narrow,
    scaled,
    without_mathtext,
)
from slipstick.plot.ticks import set_linear_ticks
from slipstick.plot.title import set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.fit import Fit, LoopFit
    from slipstick.units.scales import LoopUnits

MAX_SAMPLES_DRAWN = 4000  # of a loop


def plot_loop(loop: Any, width: Any = None) -> Figure:
    """Force over deflection with the reversals, and deflection over time if there are times.   width : [cm] or None."""
    from matplotlib.figure import Figure

    page = checked_width(width)
    with house_style(page):
        timed = loop.t is not None
        stacked = timed and is_narrow(page)
        size = (9.0 if timed else 5.0, 4.0)
        if page is not None:
            across = page / CM_PER_INCH
            size = (across, across * (1.3 if stacked else 0.45 if timed else 0.8))
        figure = Figure(figsize=size)
        panels = figure.subplots(2 if stacked else 1, 2 if timed and not stacked else 1, squeeze=False).ravel()
        axes = panels[0]
        turns = loop.turning.turns[1:-1]
        u, f = loop.units.deflection.factor * loop.u, loop.units.force.factor * loop.f
        axes.plot(u, f, color=BLUE, linewidth=scaled(1.0))
        axes.plot(u[turns], f[turns], "o", color=ACCENT, markersize=4, label=_counted(turns.size, "reversal"))
        axes.set_xlabel(axis_label("deflection", loop.system, loop.units))
        axes.set_ylabel(axis_label("force", loop.system, loop.units))
        if turns.size:
            axes.legend(loc="upper left")
        if timed:
            beside = panels[1]
            beside.plot(loop.t, u, color=BLUE, linewidth=scaled(1.0))
            beside.plot(loop.t[turns], u[turns], "o", color=ACCENT, markersize=4)
            beside.set_xlabel("time [s]")
            beside.set_ylabel(axis_label("deflection", loop.system, loop.units))
        for panel in figure.axes:
            set_linear_ticks(panel, "x", 5)
            set_linear_ticks(panel, "y", 6)
        axes.set_title(loop.name)
    return without_mathtext(figure)


def plot_fit(fit: Fit, width: Any = None) -> Figure:
    """Measured and fitted loops, residuals below, and backbone and energy error of several amplitudes.

    width : [cm] of the figure, or None.
    """
    from matplotlib.figure import Figure

    loops_shown = [in_file_units(loop, fit.units) for loop in fit.loops]
    levels = amplitude_levels_of(loops_shown)
    several = has_curve_of_amplitudes(levels)
    page = checked_width(width)
    with house_style(page):
        figure = Figure(figsize=_fit_figure_size(several, page))
        grid = _fit_grid(figure, several, stacked=is_narrow(page))
        loops = figure.add_subplot(grid[0])
        left = figure.add_subplot(grid[1], sharex=loops)
        _loops(loops, loops_shown, fit)
        _residuals(left, loops_shown, fit)
        if several:
            _backbone(figure.add_subplot(grid[2]), levels, fit)
            _energies(figure.add_subplot(grid[3]), levels, fit)
        for panel in figure.axes:
            set_linear_ticks(panel, "x", 5)
            set_linear_ticks(panel, "y", 6)
        colour = INK if fit.within_noise else ACCENT
        set_title(figure, _title(fit), colour=colour)
    return without_mathtext(figure)


def _fit_figure_size(several: bool, page: float | None) -> tuple[float, float]:
    """Width and height [inches]."""
    if page is None:
        return (10.0 if several else 7.5), 6.5
    across = page / CM_PER_INCH
    if is_narrow(page):
        return across, across * (1.9 if several else 1.1)
    return across, across * (0.68 if several else 0.75)


def _fit_grid(figure: Figure, several: bool, stacked: bool) -> list[Any]:
    """Places of the loops, the residuals below them, the backbone and the energy errors."""
    if stacked:
        rows = 4 if several else 2
        return [cell for (cell,) in _cells(figure.add_gridspec(rows, 1, height_ratios=(2.2, 1.0, 1.6, 1.0)[:rows]))]
    grid = figure.add_gridspec(2, 2 if several else 1, height_ratios=(2.2, 1.0), width_ratios=(1.6, 1.0)[: 1 + several])
    return [row[k] for k in range(1 + several) for row in _cells(grid)]


def _cells(grid: Any) -> list[list[Any]]:
    return [[grid[i, k] for k in range(grid.ncols)] for i in range(grid.nrows)]


def _title(fit: Fit) -> str:
    force = fit.units.force
    words = f"{fit.kind}: residual {force.words(fit.residual, 3)} rms, noise {force.words(fit.noise, 3)}"
    words += "" if fit.within_noise else "; does not fit within the noise"
    return words if not fit.warnings else f"{words}; {_counted(len(fit.warnings), 'warning')}"


def in_file_units(loop: LoopFit, units: LoopUnits) -> LoopFit:
    """A loop in the units of a file."""
    u, f = units.deflection.factor, units.force.factor
    if u == 1.0 and f == 1.0:
        return loop
    return loop._replace(
        u=u * loop.u, f=f * loop.f, fitted=f * loop.fitted, noise=f * loop.noise, amplitude=u * loop.amplitude,
        energy=f * u * loop.energy, measured_energy=f * u * loop.measured_energy,
    )  # fmt: skip


def _loops(axes: Axes, loops: Sequence[LoopFit], fit: Fit) -> None:
    for loop in loops:
        step = max(loop.u.size // MAX_SAMPLES_DRAWN, 1)
        compared = loop.counts
        axes.plot(
            loop.u[::step], loop.f[::step], ".", color=GREY, markersize=2.0, label="measured", rasterized=True
        )  # fmt: skip
        if not compared.all():
            axes.plot(loop.u[~compared], loop.f[~compared], "x", color=GREEN, markersize=3.5, label="excluded")
        axes.plot(loop.u[::step], loop.fitted[::step], color=BLUE, linewidth=scaled(1.4), label="fitted")
    axes.set_ylabel(axis_label("force", fit.system, fit.units))
    legend_once(axes, loc="upper left", markerscale=3.0)


def legend_once(axes: Axes, **options: Any) -> None:
    """A legend without repeated labels."""
    handles, labels = axes.get_legend_handles_labels()
    each = dict(zip(labels, handles, strict=True))
    axes.legend(each.values(), each.keys(), **options)


def _residuals(axes: Axes, loops: Sequence[LoopFit], fit: Fit) -> None:
    """Residuals of all loops over deflection, with a band of two standard deviations of the noise."""
    noise = fit.units.force.factor * fit.noise
    for loop in loops:
        step = max(loop.u.size // MAX_SAMPLES_DRAWN, 1)
        keep = loop.counts[::step]
        axes.plot(
            loop.u[::step][keep],
            (loop.fitted - loop.f)[::step][keep],
            ".",
            color=BLUE,
            markersize=1.5,
            alpha=0.6,
            rasterized=True,
        )
    if noise > 0.0:
        axes.axhspan(-2.0 * noise, 2.0 * noise, color=GREY, alpha=0.25, label="noise, two deviations")
        axes.legend(loc="upper right", frameon=True, framealpha=0.8, edgecolor="none")  # over dots
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set_xlabel(axis_label("deflection", fit.system, fit.units))
    axes.set_ylabel(residual_label(fit.units))


def _backbone(axes: Axes, levels: Sequence[AmplitudeLevel], fit: Fit) -> None:
    """Force between the tips over amplitude."""
    amplitudes = [level.amplitude for level in levels]
    axes.plot(amplitudes, [level.measured for level in levels], "o", color=GREY, label="measured")
    axes.plot(amplitudes, [level.fitted for level in levels], "+", color=BLUE, markersize=9, label="fitted")
    axes.set_title("backbone")
    axes.set_ylabel(f"{axis_label('force', fit.system, fit.units)} at the tips")
    axes.legend(loc="upper left")


def _energies(axes: Axes, levels: Sequence[AmplitudeLevel], fit: Fit) -> None:
    """Relative energy error of a cycle over amplitude."""
    errors = [100.0 * level.energy_error for level in levels]
    axes.plot([level.amplitude for level in levels], errors, "o", color=BLUE, markersize=4)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set_xlabel(f"amplitude of the {axis_label('deflection', fit.system, fit.units)}")
    axes.set_ylabel("energy error [%]")
    if not any(isfinite(error) for error in errors):
        axes.text(0.5, 0.6, "no closed cycles", transform=axes.transAxes, ha="center", color=INK)


def residual_label(units: LoopUnits) -> str:
    """Axis label of residuals, fitted less measured force."""
    return f"residual [{units.force.unit}]"


def axis_label(what: str, system: str, units: LoopUnits) -> str:
    """``"force [N]"``; a strain has no unit."""
    unit = units.force.unit if what == "force" else units.deflection.unit
    if system == "stress":
        what = "stress" if what == "force" else "strain"
    return f"{what} [{unit}]" if unit else what


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"
