"""Figure of a special point over two parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.plot.style import ACCENT, BLUE, house_style, without_mathtext
from slipstick.plot.title import set_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.special_curve import SpecialCurve

MARKERS = {"cusp": "D", "turn": "o"}


def plot_special_curve(curve: SpecialCurve) -> Figure:
    """See `slipstick.results.special_curve.SpecialCurve.plot`."""
    from matplotlib.figure import Figure

    first, second = (
        scale.factor * np.array([(p.first, p.second)[k] for p in curve.points]) for k, scale in enumerate(curve.scales)
    )
    with house_style():
        figure = Figure(figsize=(8.5, 4.6))
        axes = figure.subplots()
        axes.plot(first, second, color=BLUE, label=curve.kind)
        for own in curve.special:
            k = own["point"]
            known = axes.get_legend_handles_labels()[1]
            label = own["kind"] if own["kind"] not in known else None
            axes.plot(first[k], second[k], MARKERS[own["kind"]], color=ACCENT, label=label)
        labels = [
            f"{name} [{scale.unit}]" if scale.unit else name
            for name, scale in zip(curve.parameters, curve.scales, strict=True)
        ]
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.legend()
        set_title(figure, f'{curve.kind} of "{curve.names.model}" over two parameters')
    return without_mathtext(figure)
