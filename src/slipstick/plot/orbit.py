"""The picture of an orbit: that of its run over one period, with its multipliers beside the unit circle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.plot import style
from slipstick.plot.run import plot_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.orbit import Orbit

OUTSIDE = 1.0 + 1e-6  # a modulus that is drawn as unstable


def plot_orbit(
    orbit: Orbit, coordinates: Any = None, connections: Any = None, start: Any = None, until: Any = None
) -> Figure:
    """See `slipstick.results.orbit.Orbit.plot`."""
    return plot_run(orbit, coordinates, connections, start, until)


def draw_multipliers(panel: Axes, multipliers: Any) -> None:
    """Multipliers in the complex plane; those outside the unit circle in the accent."""
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    panel.plot(np.cos(turn), np.sin(turn), color=style.GREY, linewidth=1.0)
    outside = np.abs(multipliers) > OUTSIDE
    for which, colour in ((~outside, style.BLUE), (outside, style.ACCENT)):
        panel.plot(multipliers[which].real, multipliers[which].imag, "o", color=colour, markersize=4)
    panel.set_aspect("equal", adjustable="datalim")
