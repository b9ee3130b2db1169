"""Figure of a jump map: regions of several motions in the plane of frequency and a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.plot.style import ACCENT, BAND, BLUE, house_style, without_mathtext
from slipstick.plot.title import set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.jump_map import JumpMap


def plot_jump_map(found: JumpMap) -> Figure:
    """See `slipstick.results.jump_map.JumpMap.plot`."""
    from matplotlib.figure import Figure

    scale = found.curves[0].scales[0] if found.curves else None
    factor, unit = (1.0, "rad/s") if scale is None else (scale.factor, scale.unit)
    with house_style():
        figure = Figure(figsize=(8.5, 4.6))
        axes = figure.subplots()
        for k, curve in enumerate(found.curves):
            first = factor * np.array([p.frequency for p in curve.points])
            second = np.array([p.second for p in curve.points])
            if curve.points[0].second == curve.points[-1].second:  # both folds up to one end of the range
                label = "several motions" if not k else None
                axes.fill(first, second, color=BAND, alpha=0.5, linewidth=0, label=label)
            axes.plot(first, second, color=BLUE, label="fold" if not k else None)
        for k, (low, high) in enumerate(found.unknown):
            axes.axhspan(low, high, facecolor="none", edgecolor=BAND, hatch="//", label="unknown" if not k else None)
        for k, own in enumerate(found.limits):
            axes.plot(factor * own.frequency, own.value, "D", color=ACCENT, label="limit" if not k else None)
        axes.set_xlim(*(factor * p for p in found.frequencies))
        axes.set_ylim(min(found.between), max(found.between))
        axes.set_xlabel(f"frequency [{unit}]")
        axes.set_ylabel(f"{found.parameter} [{found.unit}]" if found.unit else found.parameter)
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
        set_title(figure, f'jumps of "{found.model}"')
    return without_mathtext(figure)
