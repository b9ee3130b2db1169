"""Figure of a measured record: a panel for each history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.plot import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.identification.record import Record

MAX_PANELS = 8
UNITS = {
    "displacement": "m or rad", "velocity": "m/s or rad/s", "acceleration": "m/s^2 or rad/s^2",
    "force": "N or N m", "deflection": "m or rad",
}  # fmt: skip


def channel_label(channel: str) -> str:
    """Name of a channel with its SI unit, if the name says the quantity: "x.acceleration"."""
    unit = UNITS.get(channel.rpartition(".")[2], "") if "." in channel else ""
    return f"{channel} [{unit}]" if unit else channel


def plot_record(record: Record) -> Figure:
    """See `slipstick.identification.record.Record.plot`."""
    from matplotlib.figure import Figure

    histories = [
        *((channel_label(name).replace(" [", "\n["), values, style.BLUE) for name, values in record.channels.items()),
        *((f"load on {name}\n[N or N m]", values, style.ACCENT) for name, values in record.loads.items()),
        *((f"motion of {name}\n[m or rad]", values, style.GREEN) for name, values in record.motions.items()),
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
