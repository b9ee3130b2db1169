"""Figure of a response band, with a thin line for each law and the nominal one on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.plot import style
from slipstick.plot.panels import axes_for, legend_entries
from slipstick.plot.run_plot import select_columns
from slipstick.plot.ticks import set_linear_ticks, set_log_ticks
from slipstick.plot.title import set_title
from slipstick.results.response_band import NOMINAL_LAW, ResponseBand
from slipstick.units.axes import column_axes
from slipstick.units.scales import ModelUnits, frequency_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.curve import Curve

MAX_PANELS = 4
BAND_STYLE: dict[str, Any] = {"color": style.BAND, "alpha": 0.45, "linewidth": 0}
SAMPLE_LINE_STYLE: dict[str, Any] = {"color": style.GREY, "linewidth": 0.5, "alpha": 0.7, "zorder": 1.5}
NOMINAL_LINE_STYLE: dict[str, Any] = {"color": style.BLUE, "linewidth": 1.8, "zorder": 2.2}


def plot_band(band: ResponseBand, coordinates: Any, log: bool, ax: Any) -> Figure:
    """See `slipstick.results.response_band.ResponseBand.plot`."""
    largest = np.max(np.concatenate([part.amplitude for part in band.parts]), axis=0)
    shown_columns = select_columns("coordinate", band.coordinates, coordinates, largest, MAX_PANELS)
    with style.house_style():
        panels = axes_for(ax, len(shown_columns))
        for panel, column in zip(panels, shown_columns, strict=True):
            draw_band(panel, band, column, band.names.units)
            _nominal(panel, band, column)
            axis = _axis(band, column)
            panel.set_ylabel(f"{band.coordinates[column]}\n[{axis.unit}]", rotation=0, ha="right", va="center")
            (set_log_ticks(panel, "y") if log else set_linear_ticks(panel, "y", 6))
        panels[-1].set_xlabel(f"frequency [{frequency_scale(band.names.units.frequency).unit}]")
        legend_of_band(panels[0], band)
        figure = panels[0].get_figure(root=True)
        assert figure is not None
        if ax is None:
            panels[0].set_title("amplitude", fontweight="normal", fontsize="medium", loc="right")
            set_title(figure, _title(band))
            style.without_mathtext(figure)
    return figure


def _title(band: ResponseBand) -> str:
    words = f"{band.names.model}  ·  {100.0 * band.coverage:g} % of {band.laws}"
    if band.warnings:
        words += f"  ·  their fit has {len(band.warnings)} warning{'s' * (len(band.warnings) > 1)}"
    return f"NOT TO BE TRUSTED: {band.missing}\n{words}" if band.missing else words


def check_band_matches(band: Any, curve: Curve, quantity: str) -> None:
    """Check that a band has the quantity, parameter and coordinates of a curve."""
    if band is None:
        return
    if not isinstance(band, ResponseBand):
        raise InvalidInput(f"band must be a result of ss.response_band, got {short_repr(band)}").about("band")
    if quantity != "amplitude" or curve.stats.parameter != "frequency":
        raise InvalidInput("a band is one of amplitudes over frequency; leave band= out here").about("band")
    if band.coordinates != curve.names.coordinates:
        words = (
            f"band has the coordinates {', '.join(band.coordinates)}, the curve {', '.join(curve.names.coordinates)}"
        )
        raise InvalidInput(f"{words}; build both from one model").about("band")


def draw_band(panel: Axes, band: ResponseBand, column: int, units: ModelUnits) -> None:
    """Draw a band and a thin line for each law; units : of the panel, maybe those of another model."""
    scale = frequency_scale(units.frequency).factor
    unit = column_axes(units.coordinates, band.coordinates, [column]).each[0].factor
    for part in band.parts:
        if part.law != NOMINAL_LAW:
            dashes = style.DASHES if part.stable is False else "-"
            panel.plot(
                scale * part.frequency,
                unit * part.amplitude[:, column],
                label="_",
                linestyle=dashes,
                **SAMPLE_LINE_STYLE,
            )
    low, high = unit * band.low[:, column], unit * band.high[:, column]
    panel.fill_between(scale * band.frequency, low, high, **BAND_STYLE)


def _nominal(panel: Axes, band: ResponseBand, column: int) -> None:
    scale, unit = frequency_scale(band.names.units.frequency).factor, _axis(band, column).factor
    for part in band.parts:
        if part.law == NOMINAL_LAW:
            dashes = style.DASHES if part.stable is False else "-"
            marker = "o" if part.frequency.size == 1 else ""
            x, y = scale * part.frequency, unit * part.amplitude[:, column]
            panel.plot(x, y, linestyle=dashes, marker=marker, markersize=3.5, label="_", **NOMINAL_LINE_STYLE)


def legend_of_band(panel: Axes, band: ResponseBand) -> None:
    """Extend the legend by the band."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: dict[str, Any] = {**legend_entries(panel)}
    if not handles and any(part.law == NOMINAL_LAW for part in band.parts):
        handles["nominal"] = Line2D([], [], **NOMINAL_LINE_STYLE)
    if np.isfinite(band.high).any():
        handles[f"{100.0 * band.coverage:g} % of the laws, at each frequency"] = Patch(**BAND_STYLE)
    handles["each law"] = Line2D([], [], **SAMPLE_LINE_STYLE)
    if any(part.stable is False and part.law != NOMINAL_LAW for part in band.parts):
        handles["each law, unstable"] = Line2D([], [], linestyle=style.DASHES, **SAMPLE_LINE_STYLE)
    panel.legend(handles.values(), handles.keys(), loc="best")


def _axis(band: ResponseBand, column: int) -> Any:
    return column_axes(band.names.units.coordinates, band.coordinates, [column]).each[0]
