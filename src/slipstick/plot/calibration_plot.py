"""Figures of calibrations and of measured responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.plot import style
from slipstick.plot.title import set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.calibration.measured_response import MeasuredResponse
    from slipstick.results.calibration import Calibration

MAX_PANELS = 12
PANEL_COLUMNS = 2
MAX_MARKED_POINTS = 10


def plot_calibration(result: Calibration) -> Figure:
    """See `slipstick.results.calibration.Calibration.plot`."""
    from matplotlib.figure import Figure

    blocks = result.blocks[:MAX_PANELS]
    columns = min(PANEL_COLUMNS, len(blocks))
    rows = -(-len(blocks) // columns)
    with style.house_style():
        figure = Figure(figsize=(4.4 * columns, 0.6 + 2.5 * rows))
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel, block in zip(panels, blocks, strict=False):
            measured, predicted = (
                np.exp(values) if block.logarithmic else values for values in (block.measured, block.predicted)
            )
            order = np.argsort(block.over, kind="stable") if block.label != "deflection" else np.arange(block.over.size)
            panel.plot(block.over[order], measured[order], ".", color=style.GREY, markersize=3, label="measured")
            mark = "x" if block.over.size <= MAX_MARKED_POINTS else ""  # a line through one point is not seen
            panel.plot(
                block.over[order], predicted[order], color=style.ACCENT, marker=mark, linewidth=1.2, label="model"
            )
            if block.label == "mode":
                panel.set_xticks(np.unique(block.over))
            panel.set_title(block.name, fontsize=9)
            panel.set_ylabel(block.unit)
            panel.set_xlabel(block.label)
        for panel in panels[len(blocks) :]:
            panel.set_visible(False)
        panels[0].legend(loc="best")
        set_title(figure, f"calibration of {result.names.model}")
    return style.without_mathtext(figure)


def plot_measured_response(response: MeasuredResponse) -> Figure:
    """See `slipstick.calibration.measured_response.MeasuredResponse.plot`."""
    from matplotlib.figure import Figure

    with style.house_style():
        figure = Figure(figsize=(7.5, 4.2))
        panel = figure.subplots()
        for label, rows in response.sweeps().items():
            ratio = response.amplitude[rows] / response.force[rows]
            panel.plot(response.frequency[rows] / (2.0 * np.pi), ratio, ".-", markersize=4, label=label)
        panel.set_xlabel("frequency [Hz]")
        panel.set_ylabel(f"{response.channel} over force [SI]")
        panel.legend(title="level")
        figure.suptitle(response.name)
    return style.without_mathtext(figure)
