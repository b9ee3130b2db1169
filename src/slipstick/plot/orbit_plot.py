"""The picture of an orbit: that of its run over one period, with its multipliers beside the unit circle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.plot import style
from slipstick.plot.run_plot import run_figure
from slipstick.plot.ticks import set_linear_ticks
from slipstick.units.scales import frequency_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.orbit import Orbit

MULTIPLIER_PANEL_WIDTH = 2.6  # inches of the panel with the multipliers
UNSTABLE_MODULUS = 1.0 + 1e-6  # a modulus that is drawn as unstable


def plot_orbit(
    orbit: Orbit,
    coordinates: Any = None,
    connections: Any = None,
    start: Any = None,
    until: Any = None,
    quantity: str | None = None,
) -> Figure:
    """See `slipstick.results.orbit.Orbit.plot`."""
    known = orbit.multipliers.size > 0
    width = MULTIPLIER_PANEL_WIDTH if known else 0.0
    told = frequency_scale(orbit.names.units.frequency).words(orbit.frequency)
    figure, beside = run_figure(orbit, coordinates, connections, start, until, quantity, beside=width, told=told)
    if beside is not None:
        with style.house_style():
            _multipliers(beside.subplots(), orbit)
    return figure


def _multipliers(panel: Axes, orbit: Orbit) -> None:
    """Multipliers in the complex plane; those outside the unit circle in the accent."""
    m = orbit.multipliers
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    panel.plot(np.cos(turn), np.sin(turn), color=style.GREY, linewidth=1.0)
    outside = np.abs(m) > UNSTABLE_MODULUS
    for which, colour in ((~outside, style.BLUE), (outside, style.ACCENT)):
        panel.plot(m[which].real, m[which].imag, "o", color=colour, markersize=4)
    panel.set_aspect("equal")
    panel.set_title("multipliers", fontweight="normal", fontsize=10, loc="right")
    word = {True: "stable", False: "unstable", None: "stability not known"}[orbit.stable]
    colour = style.ACCENT if orbit.stable is False else style.INK
    panel.set_xlabel(f"{word}, largest {np.abs(m).max():.4g}", color=colour)
    for axis in ("x", "y"):
        set_linear_ticks(panel, axis, 3)
