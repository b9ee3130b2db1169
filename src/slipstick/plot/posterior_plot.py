"""Figure of a posterior: each parameter, and each pair of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.plot import style
from slipstick.plot.title import set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.posterior import Posterior

MAX_PARAMETERS = 8  # the first ones; more leave no room for a panel
PANEL_INCHES = 1.9
BINS = 24
TICKS = 3  # of an axis


def plot_posterior(posterior: Posterior) -> Figure:
    """See `slipstick.results.posterior.Posterior.plot`."""
    from matplotlib.figure import Figure

    names = list(posterior.parameters)[:MAX_PARAMETERS]
    size = len(names)
    inches = max(PANEL_INCHES * size, 4.5)
    with style.house_style():
        figure = Figure(figsize=(inches + 0.6, inches + 0.6))
        panels = figure.subplots(size, size, squeeze=False, sharex="col")
        for i, row in enumerate(panels):
            for j, panel in enumerate(row):
                if j > i:
                    panel.set_visible(False)
                elif i == j:
                    _marginal(panel, posterior, names[i])
                else:
                    drawn = posterior.values
                    panel.plot(drawn[:, j], drawn[:, i], ".", color=style.BLUE, markersize=2, alpha=0.4)
                panel.locator_params(nbins=TICKS)
                panel.tick_params(labelsize=8, labelleft=j == 0)
                if j == 0 and i > 0:
                    panel.set_ylabel(_label(posterior, names[i]), fontsize=9)
                if i == size - 1:
                    panel.set_xlabel(_label(posterior, names[j]), fontsize=9)
        set_title(figure, f"posterior of {posterior.subject}", "red: interval from curvature, blue: 95 % of the draws")
    return style.without_mathtext(figure)


def _marginal(panel: Axes, posterior: Posterior, name: str) -> None:
    """Histogram of one parameter with both intervals."""
    drawn = posterior.values[:, list(posterior.parameters).index(name)]
    panel.hist(drawn, BINS, color=style.BAND)
    own, curvature = posterior.parameters[name], posterior.curvature[name]
    height = panel.get_ylim()[1]
    for estimate, level, colour in ((own, 1.04, style.BLUE), (curvature, 1.12, style.ACCENT)):
        ends = [end for end in (estimate.low, estimate.high) if np.isfinite(end)]
        if len(ends) == 2:
            panel.plot(ends, [level * height] * 2, color=colour, marker="|", markersize=5)
    panel.set_yticks([])
    panel.grid(False)


def _label(posterior: Posterior, name: str) -> str:
    unit = posterior.parameters[name].unit
    return name if unit == "1" else f"{name} [{unit}]"
