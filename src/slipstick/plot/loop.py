"""Pictures of measured loops and of laws fitted to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.plot.style import ACCENT, BLUE, GREEN, GREY, INK, applied

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.fit import Fit, LoopFit

MOST_DRAWN = 4000  # samples of a loop in a picture


def plot_loop(loop: Any) -> Figure:
    """Force over deflection, reversals marked; over time beside it where there are times."""
    from matplotlib.figure import Figure

    with applied():
        timed = loop.t is not None
        figure = Figure(figsize=(9.0 if timed else 5.0, 4.0))
        panels = figure.subplots(1, 2 if timed else 1, squeeze=False)
        axes = panels[0][0]
        turns = loop.turning.turns[1:-1]
        axes.plot(loop.u, loop.f, color=BLUE, linewidth=1.0)
        axes.plot(loop.u[turns], loop.f[turns], "o", color=ACCENT, markersize=4, label=_counted(turns.size, "reversal"))
        axes.set_xlabel("deflection")
        axes.set_ylabel("force")
        if turns.size:
            axes.legend(loc="upper left")
        if timed:
            beside = panels[0][1]
            beside.plot(loop.t, loop.u, color=BLUE, linewidth=1.0)
            beside.plot(loop.t[turns], loop.u[turns], "o", color=ACCENT, markersize=4)
            beside.set_xlabel("time [s]")
            beside.set_ylabel("deflection")
        axes.locator_params(axis="x", nbins=5)
        axes.set_title(loop.name)
    return figure


def plot_fit(fit: Fit) -> Figure:
    """Measured and fitted loops; residuals below them; tips over amplitude where there are several."""
    from matplotlib.figure import Figure

    several = len({round(loop.amplitude, 12) for loop in fit.loops}) > 2
    with applied():
        figure = Figure(figsize=(10.0 if several else 6.5, 6.5))
        grid = figure.add_gridspec(
            2, 2 if several else 1, height_ratios=(2.2, 1.0), width_ratios=(1.6, 1.0)[: 1 + several]
        )
        loops, left = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[1, 0])
        _loops(loops, fit.loops)
        _residuals(left, fit)
        if several:
            _backbone(figure.add_subplot(grid[0, 1]), fit.loops)
            _energies(figure.add_subplot(grid[1, 1]), fit.loops)
        for panel in figure.axes:
            panel.locator_params(axis="x", nbins=5)
        figure.suptitle(_title(fit), x=0.01, ha="left", fontsize=11, fontweight="bold")
    return figure


def _title(fit: Fit) -> str:
    words = f"{type(fit.law).__name__}: residual {fit.residual:.3g} rms, noise {fit.noise:.3g}"
    return words if not fit.warnings else f"{words}; {_counted(len(fit.warnings), 'warning')}"


def _loops(axes: Axes, loops: Sequence[LoopFit]) -> None:
    for k, loop in enumerate(loops):
        step = max(loop.u.size // MOST_DRAWN, 1)
        compared = loop.counts
        first = k == 0
        axes.plot(loop.u[::step], loop.f[::step], ".", color=GREY, markersize=2.0, label="measured" if first else None)
        if not compared.all():
            axes.plot(loop.u[~compared], loop.f[~compared], "x", color=GREEN, markersize=3.5, label="left out")
        axes.plot(loop.u[::step], loop.fitted[::step], color=BLUE, linewidth=1.4, label="fitted" if first else None)
    axes.set_xlabel("deflection [m, rad or strain]")
    axes.set_ylabel("force [N, N m or Pa]")
    axes.legend(loc="upper left")


def _residuals(axes: Axes, fit: Fit) -> None:
    """Over deflection, all loops, with a band of two standard deviations of the noise."""
    for loop in fit.loops:
        step = max(loop.u.size // MOST_DRAWN, 1)
        keep = loop.counts[::step]
        axes.plot(
            loop.u[::step][keep], (loop.fitted - loop.f)[::step][keep], ".", color=BLUE, markersize=1.5, alpha=0.6
        )
    if fit.noise > 0.0:
        axes.axhspan(-2.0 * fit.noise, 2.0 * fit.noise, color=GREY, alpha=0.25, label="noise, two deviations")
        axes.legend(loc="upper right")
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set_xlabel("deflection [m, rad or strain]")
    axes.set_ylabel("fitted - measured")


def _backbone(axes: Axes, loops: Sequence[LoopFit]) -> None:
    """Forces at the upper tips over amplitude."""
    ordered = sorted(loops, key=lambda loop: loop.amplitude)
    tips = [int(np.argmax(loop.u)) for loop in ordered]
    amplitudes = [loop.amplitude for loop in ordered]
    axes.plot(amplitudes, [o.f[i] for o, i in zip(ordered, tips, strict=True)], "o", color=GREY, label="measured")
    axes.plot(amplitudes, [o.fitted[i] for o, i in zip(ordered, tips, strict=True)], color=BLUE, label="fitted")
    axes.set_title("backbone")
    axes.set_xlabel("amplitude")
    axes.set_ylabel("force at the tip")
    axes.legend(loc="upper left")


def _energies(axes: Axes, loops: Sequence[LoopFit]) -> None:
    ordered = sorted(loops, key=lambda loop: loop.amplitude)
    axes.plot([o.amplitude for o in ordered], [100.0 * o.energy_error for o in ordered], "o-", color=BLUE, markersize=4)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set_xlabel("amplitude")
    axes.set_ylabel("energy error [%]")


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"
