"""Figure of a measured record: a panel for each history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.plot import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.identification.record import Record

MAX_PANELS = 8


def plot_record(record: Record) -> Figure:
    """See `slipstick.identification.record.Record.plot`."""
    from matplotlib.figure import Figure

    histories = [
        *((name, values, style.BLUE) for name, values in record.channels.items()),
        *((f"load on {name}", values, style.ACCENT) for name, values in record.loads.items()),
        *((f"motion of {name}", values, style.GREEN) for name, values in record.motions.items()),
    ][:MAX_PANELS]
    with style.house_style():
        figure = Figure(figsize=(8.5, 1.0 + 1.5 * len(histories)))
        panels = figure.subplots(len(histories), 1, sharex=True, squeeze=False)[:, 0]
        for panel, (label, values, colour) in zip(panels, histories, strict=True):
            panel.plot(record.t, values, color=colour, linewidth=0.8)
            panel.set_ylabel(label)
        panels[-1].set_xlabel("time [s]")
        figure.suptitle(record.name)
    return style.without_mathtext(figure)
