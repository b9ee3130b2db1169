"""Figure of a curve: stable parts solid, unstable ones dashed, special points marked, a band for the error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.plot import style
from slipstick.plot import tolerances as tol
from slipstick.plot.branch_jumps import branch_jumps
from slipstick.plot.curve_quantity import QUANTITY_LABELS, PanelData, select_quantity
from slipstick.plot.error_text import curve_error_text
from slipstick.plot.panels import axes_for, checked_axes, legend_entries
from slipstick.plot.response_band_plot import check_band_matches, draw_band, legend_of_band
from slipstick.plot.ticks import set_linear_ticks, set_log_ticks
from slipstick.plot.title import set_title
from slipstick.results.curve_interpolation import interpolate_curve
from slipstick.results.curve_refinement import refine_curve
from slipstick.units.scales import Scale, frequency_scale

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.curve import Curve


MAX_PANELS = 4
ERROR_BAND: dict[str, Any] = {"color": style.BAND, "alpha": 0.5, "linewidth": 0}
# marker, colour, size
SPECIAL_MARKERS = {
    "fold": ("o", style.ACCENT, 6),
    "period-doubling": ("D", "#6b5b95", 6),
    "neimark-sacker": ("*", "#c98b2b", 10),
    "branch-point": ("s", style.GREEN, 6),
    "grazing": ("|", style.INK, 8),
}
OTHERS_COLOUR = "#c98b2b"  # of branches that are not connected to the curve
SWEEP_DIRECTIONS = {"upwards": (">", style.BLUE), "downwards": ("<", style.ACCENT)}  # marker, colour
STABILITY_LINES: dict[bool | None, tuple[Any, str]] = {  # dashes and label, by stability
    True: ("-", "stable"),
    False: (style.DASHES, "unstable"),
    None: ((0, (1, 1)), "stability not known"),
}


@dataclass(frozen=True)
class CurveView:
    """What a figure of a curve shows, and where; see `slipstick.results.curve.Curve.plot`."""

    coordinates: Any = None
    quantity: str = "amplitude"
    log: bool = False
    connections: Any = None
    ax: Any = None
    label: str | None = None
    band: Any = None
    width: Any = None


def plot_curve(curve: Curve, view: CurveView) -> Figure:
    """See `slipstick.results.curve.Curve.plot`."""
    label, quantity, ax, band = view.label, view.quantity, view.ax, view.band
    if label is not None and not isinstance(label, str):
        raise InvalidInput(f"label must be words, got {short_repr(label)}").about("label")
    given = None if ax is None else checked_axes(ax)
    max_panels = MAX_PANELS if given is None else len(given)
    what = select_quantity(curve, quantity, view.coordinates, view.connections, max_panels)
    check_band_matches(band, curve, quantity)
    branches = [curve, *curve.others]
    lines = [refine_curve(c, lambda points: what.values(points, joined=True)) if _is_line(c) else c for c in branches]
    panels = [what.panels(line) for line in lines]
    width = style.checked_width(view.width)
    with style.house_style(width):
        axes = axes_for(ax, len(what.columns), width)
        for k, (axis, column) in enumerate(zip(axes, what.columns, strict=False)):
            if band is not None:
                draw_band(axis, band, column, curve.names.units)
            colours = [_next_colour(axis), *(OTHERS_COLOUR for _ in curve.others)]
            for line, own, colour in zip(lines, panels, colours, strict=True):
                _panel(axis, line, own[k], view.log, label if line is lines[0] else None, colour)
        unit = parameter_scale(curve).unit
        axes[-1].set_xlabel(f"{curve.stats.parameter} [{unit}]" if unit else curve.stats.parameter)
        _legend(axes[0], lines, any(panel.has_band for own in panels for panel in own), label)
        if band is not None:
            legend_of_band(axes[0], band)
        figure = axes[0].get_figure(root=True)
        assert figure is not None
        if given is None:
            axes[0].set_title(QUANTITY_LABELS[quantity], fontweight="normal", fontsize="medium", loc="right")
            figure.align_ylabels(axes)
            _title(figure, curve, what.left_out)
            style.without_mathtext(figure, label)
        elif figure.get_suptitle().startswith(_named_by(curve)):  # its title describes the first curve only
            set_title(figure, curve.names.model)
    return figure


def parameter_scale(curve: Curve) -> Scale:
    """Unit of display of the parameter, as in the file of the model or the study."""
    if curve.stats.parameter == "frequency":
        return frequency_scale(curve.names.units.frequency)
    return curve.names.units.parameter or Scale(curve.stats.unit, 1.0)


# ---- parts


def _panel(axis: Axes, curve: Curve, panel: PanelData, log: bool, label: str | None, colour: Any) -> None:
    p = parameter_scale(curve).factor * np.array([point.p for point in curve.points])
    y = panel.values
    low, high = np.maximum(y - panel.error, panel.least), y + panel.error
    if panel.has_band:
        for part in _monotone_runs(p):
            line = _line(curve, part, p, y, low, high)
            axis.fill_between(line[0], np.maximum(line[2], panel.least), line[3], **ERROR_BAND)
    if _is_line(curve):
        for k, (dashes, _, part) in enumerate(_parts(curve)):
            named = label if label and not k else "_"  # one label for all parts
            how: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": style.scaled(1.6), "label": named}
            if dashes == STABILITY_LINES[False][0]:  # on top with white gaps, which a stable branch would fill
                how |= {"gapcolor": "white", "zorder": tol.UNSTABLE_ZORDER}
            axis.plot(*_line(curve, part, p, y), **how)
    else:
        _dots(axis, p, y, branch_jumps(curve), colour, label)
    for kind, (marker, colour, marked) in SPECIAL_MARKERS.items():
        at = [s["point"] for s in curve.special if s["kind"] == kind]
        axis.plot(
            p[at],
            y[at],
            marker,
            color=colour,
            markersize=style.scaled(marked),
            markeredgewidth=style.scaled(1.2),
            fillstyle="none",
        )
    axis.set_ylabel(f"{panel.name}\n[{panel.unit}]", rotation=0, ha="right", va="center")
    if not log:
        set_linear_ticks(axis, "y", 6)
        return
    set_log_ticks(axis, "y")
    _log_limits(axis)
    if p.size and 0.0 < 10.0 * p.min() < p.max():
        set_log_ticks(axis, "x")


def _log_limits(axis: Axes) -> None:
    """Limits from below the lowest curve to above everything drawn.

    An error band may reach zero, so it counts only at the top.
    """
    lines = [line for line in axis.get_lines() if line.get_transform() is axis.transData]
    values = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in lines] or [np.zeros(0)])
    seen = values[np.isfinite(values) & (values > 0.0)]
    if seen.size:
        axis.set_ylim(
            tol.LOG_AXIS_MARGIN * float(seen.min()),
            max(float(axis.dataLim.y1), float(seen.max())) / tol.LOG_AXIS_MARGIN,
        )


def _parts(curve: Curve) -> Iterator[tuple[Any, str, NDArray[np.int_]]]:
    """Dashes, label and point numbers of each part of equal stability."""
    all_unknown = not any(point.stable is not None for point in curve.points)
    for stable, part in curve.parts():
        dashes, words = STABILITY_LINES[stable]
        yield "-" if all_unknown else dashes, words, part


def _line(curve: Curve, part: NDArray[np.int_], *columns: Array) -> Array:
    """(columns, many) interpolated points of a part of a curve, with corners at special points."""
    points = np.column_stack([column[part] for column in columns])
    if not _is_line(curve):
        return points.T
    return interpolate_curve(points, [s["point"] - int(part[0]) for s in curve.special]).T


def _is_line(curve: Curve) -> bool:
    """True if neighbouring points are neighbours on the curve; a sweep may jump."""
    return curve.stats.joined and curve.stats.method != "integration"


def _monotone_runs(p: Array) -> Iterator[NDArray[np.int_]]:
    """Runs of points with monotone parameter."""
    turns = np.flatnonzero(np.diff(np.sign(np.diff(p))) != 0.0) + 1
    edges = [0, *turns.tolist(), p.size - 1]
    for a, b in pairwise(edges):
        if b > a:
            yield np.arange(a, b + 1)


def _next_colour(axis: Axes) -> Any:
    """Next colour of the colour cycle of these axes."""
    (line,) = axis.plot([], [])
    line.remove()
    return line.get_color()


def _goes_both_ways(p: Array) -> bool:
    ways = np.diff(p)
    return bool((ways < 0.0).any() and (ways > 0.0).any())


def _dots(axis: Axes, p: Array, y: Array, jumps: NDArray[np.intp], colour: Any, label: str | None) -> None:
    """Separate points: dots, or arrows in the direction of a sweep that goes both ways.

    jumps : numbers of the points after which the response jumps.
    """
    if not _goes_both_ways(p):
        broken = (np.insert(values, jumps + 1, np.nan) for values in (p, y))
        axis.plot(*broken, color=style.BAND, linewidth=0.8, label="_")
        axis.plot(p, y, "o", color=colour, markersize=3.5, label=label or "_")
        return
    ways = np.sign(np.diff(p, prepend=p[:1]))
    ways[0] = ways[1]
    for way, (marker, own) in zip(
        (1.0, -1.0), SWEEP_DIRECTIONS.values(), strict=True
    ):  # both have labels in the legend
        at = ways == way
        axis.plot(p[at], y[at], marker, color=own, markersize=4, fillstyle="none", label=label or "_")


def _legend(axis: Axes, branches: Sequence[Curve], has_band: bool, label: str | None) -> None:
    """Extend the legend by entries that it does not have yet.   branches : the curve first, then its other ones."""
    handles, curve = legend_entries(axis), branches[0]
    swept = not _is_line(curve) and _goes_both_ways(np.array([point.p for point in curve.points]))
    if label and not swept:
        handles[label] = _named(axis, label)
    if curve.partial and label:
        handles[f"{label}: PARTIAL"] = _legend_handle(linestyle="")
    for own in branches:
        for words, handle in _legend_handles(own, has_band, style.INK if label else style.BLUE):
            handles.setdefault(f"{label}, {words}" if label and words in SWEEP_DIRECTIONS else words, handle)
    if branches[1:]:
        handles.setdefault("other branches", _legend_handle(color=OTHERS_COLOUR, linestyle="-"))
    if handles:
        axis.legend(handles.values(), handles.keys(), loc="best")


def _named(axis: Axes, label: str) -> Artist:
    """Legend handle of a curve: its stable line."""
    line = next(line for line in reversed(axis.get_lines()) if line.get_label() == label)
    dashes = "" if line.get_linestyle() == "None" else "-"
    return _legend_handle(color=line.get_color(), marker=line.get_marker(), linestyle=dashes)


def _legend_handle(**how: Any) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], **how)


def _legend_handles(curve: Curve, has_band: bool, colour: str) -> Iterator[tuple[str, Artist]]:
    """Labels and handles: kinds of lines if there are several, sweep directions, the band, and special points."""
    from matplotlib.patches import Patch

    if _is_line(curve):
        kinds = {words: dashes for dashes, words, _ in _parts(curve)}
        if list(kinds) != [STABILITY_LINES[True][1]]:
            for words, dashes in kinds.items():
                yield words, _legend_handle(color=colour, linestyle=dashes)
    elif _goes_both_ways(np.array([point.p for point in curve.points])):
        for words, (marker, own) in SWEEP_DIRECTIONS.items():
            yield words, _legend_handle(color=own, marker=marker, linestyle="", fillstyle="none")
    if has_band:
        yield "estimated error", Patch(**ERROR_BAND)
    for kind, (marker, own, size) in SPECIAL_MARKERS.items():
        if any(s["kind"] == kind for s in curve.special):
            yield kind, _legend_handle(color=own, marker=marker, linestyle="", markersize=size, fillstyle="none")


def _named_by(curve: Curve) -> str:
    return f"{curve.names.model}  ·  "


def _title(figure: Figure, curve: Curve, left_out: str) -> None:
    error, place = curve_error_text(curve).replace("<=", "≤"), ""
    if curve.stats.parameter != "frequency" and curve.points:
        scale = frequency_scale(curve.names.units.frequency)
        place = f"at {scale.words(curve.points[0].frequency)}  ·  "
    words = f"{_named_by(curve)}{place}{curve.stats.method}  ·  {len(curve.points)} points  ·  {error}"
    set_title(figure, words, curve.partial, left_out, colour=style.ACCENT if curve.partial else style.INK)
