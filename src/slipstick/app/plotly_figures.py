"""Figures as plotly dictionaries in the house style, with quantity and unit on every axis.

The page shows them on a clear ground, so that light and dark are matters of its style sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slipstick.plot import style

Trace = dict[str, Any]
Figure = dict[str, Any]

GRID_COLOUR = "rgba(128, 142, 155, 0.25)"  # of grids: readable on light and dark ground
FONT = {"family": "system-ui, sans-serif", "size": 13, "color": style.INK}
FIGURE_HEIGHT = 360
LEGEND_HEIGHT = 34  # above a plot, with or without a legend, so that nothing moves when one appears
# dragging zooms; pictures come from the buttons below, which write the settings into them
REMOVED_TOOLS = ["toImage", "lasso2d", "select2d", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d"]
# lines from the point under the pointer to both axes
CROSSHAIR: dict[str, Any] = {"showspikes": True, "spikemode": "toaxis", "spikethickness": 1}
CROSSHAIR |= {"spikedash": "dot", "spikecolor": style.GREY}


def axis(quantity: str, unit: str = "", **more: Any) -> dict[str, Any]:
    """An axis.   unit : "N", "mm"; empty for numbers without one."""
    words = f"{quantity} [{unit}]" if unit else quantity
    line = {"showline": True, "linecolor": style.GREY, "ticks": "outside", "tickcolor": style.GREY}
    return (
        {"title": {"text": words, "standoff": 8}, "gridcolor": GRID_COLOUR, "zeroline": False, "automargin": True}
        | line
        | CROSSHAIR
        | more
    )


def line(x: Sequence[float] | Any, y: Sequence[float] | Any, name: str, colour: str = style.BLUE, **more: Any) -> Trace:
    """A line through points.   more : of plotly's trace, such as mode or customdata; dash and width of the line."""
    how = {"color": colour, "width": more.pop("width", 2)}
    if dash := more.pop("dash", ""):
        how["dash"] = dash
    return {
        "type": "scatter",
        "mode": "lines",
        "x": _json_values(x),
        "y": _json_values(y),
        "name": name,
        "line": how,
    } | more


def marks(x: Any, y: Any, name: str, colour: str = style.ACCENT, **more: Any) -> Trace:
    """Points.   more : of plotly's trace; symbol and size of the marks."""
    how = {"color": colour, "size": more.pop("size", 8), "symbol": more.pop("symbol", "circle")}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": _json_values(x),
        "y": _json_values(y),
        "name": name,
        "marker": how,
    } | more


def figure(
    traces: Sequence[Trace], x: dict[str, Any], y: dict[str, Any], *, height: int = FIGURE_HEIGHT, **layout: Any
) -> Figure:
    """A figure with one pair of axes."""
    own = {
        "xaxis": x,
        "yaxis": y,
        "height": height,
        "margin": {"l": 60, "r": 16, "t": LEGEND_HEIGHT, "b": 44},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": style.GREY, "activecolor": style.BLUE},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": FONT,
        "hovermode": "closest",
        "showlegend": sum(trace.get("showlegend", True) for trace in traces) > 1,
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "bgcolor": "rgba(0,0,0,0)"},
        "uirevision": "kept",  # new data do not undo where somebody has zoomed
    }
    config = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": REMOVED_TOOLS}
    return {"data": list(traces), "layout": own | layout, "config": config}


def _json_values(values: Any) -> list[Any]:
    """As JSON has them: numbers that are none leave a gap in a line."""
    import numpy as np

    found = np.asarray(values)
    if found.dtype.kind != "f":
        return list(found.tolist())
    return [value if ok else None for value, ok in zip(found.tolist(), np.isfinite(found).tolist(), strict=True)]
