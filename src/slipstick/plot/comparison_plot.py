"""Figure of a comparison: differences from the reduced model over the scale of the neglected terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.plot import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.results.comparison import Comparison


def plot_comparison(comparison: Comparison) -> Figure:
    """See `slipstick.results.comparison.Comparison.plot`."""
    import matplotlib.pyplot as plt

    with style.house_style():
        figure, axes = plt.subplots(figsize=(6.5, 4.5))
        for name, column in zip(comparison.coordinates, comparison.relative.T, strict=True):
            if np.isfinite(column).any():
                axes.loglog(comparison.scales, column, "o-", label=name)
        known = np.isfinite(comparison.shares) & (comparison.shares > 0.0)
        if known.any():
            last = int(np.flatnonzero(known)[-1])
            slope = comparison.shares[last] * np.divide(comparison.scales, comparison.scales[last])
            axes.loglog(comparison.scales, slope, "--", color=style.GREY, label="in proportion", zorder=0)
        axes.invert_xaxis()
        axes.set_xlabel("factor of the neglected terms")
        axes.set_ylabel("largest difference / largest displacement")
        axes.set_title(f"primary against reduced model, {comparison.until:g} s")
        for i, words in enumerate(comparison.notes):
            axes.annotate(words, (0.01, -0.2 - 0.09 * i), xycoords="axes fraction", fontsize="x-small", wrap=True)
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
    plt.close(figure)
    return style.without_mathtext(figure)
