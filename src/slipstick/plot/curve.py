"""The picture of a curve: stable parts as lines, unstable ones dashed, special points marked, a band for the error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.plot import style
from slipstick.plot.run import columns, in_lines
from slipstick.plot.smooth import smoothed
from slipstick.plot.ticks import logarithmic, ticks
from slipstick.plot.units import Axis, axes_of, error_of_curve
from slipstick.results.units import Scale, frequency_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.curve import Curve

Array = NDArray[np.float64]

MOST_PANELS = 4
THIN = 4e-3  # of the range: a band of errors below this is as thin as the line, and the title has the figure

MOVED = ("amplitude", "rms", "mean", "peak_to_peak", "phase")
ACTING = ("force_range", "dissipated", "stick_share", "lag")
WORDS = {
    "amplitude": "amplitude",
    "rms": "rms",
    "mean": "mean",
    "peak_to_peak": "peak to peak",
    "phase": "phase",
    "force_range": "range of force",
    "dissipated": "dissipated in a period",
    "stick_share": "share of stick",
    "lag": "begin of stick",
}
SIGNED = ("mean", "phase")
ERROR_BAND: dict[str, Any] = {"color": style.BAND, "alpha": 0.5, "linewidth": 0}
ERRORS = {"amplitude": 1.0, "rms": 1.0, "mean": 1.0, "peak_to_peak": 2.0}  # over that of a displacement
# marker, colour, size
MARKS = {
    "fold": ("o", style.ACCENT, 6),
    "period-doubling": ("D", "#6b5b95", 6),
    "neimark-sacker": ("*", "#c98b2b", 10),
    "branch-point": ("s", style.GREEN, 6),
    "grazing": ("|", style.INK, 8),
}
LINES: dict[bool | None, tuple[Any, str]] = {  # by stability: dashes and words
    True: ("-", "stable"),
    False: ((0, (4, 2)), "unstable"),
    None: ((0, (1, 1)), "stability not known"),
}


class Shown(NamedTuple):
    """A panel: its name, the values (points,) and their errors in its unit; least : that a value can be."""

    name: str
    values: Array
    error: Array
    unit: str
    least: float

    @property
    def has_band(self) -> bool:
        """True if errors can be seen."""
        size = float(np.nanmax(np.abs(self.error), initial=0.0)) if not np.isnan(self.error).all() else 0.0
        return size > THIN * max(float(np.ptp(self.values)) if self.values.size else 0.0, 1e-300)


def plot_curve(
    curve: Curve, coordinates: Any = None, quantity: str = "amplitude", log: bool = False, connections: Any = None
) -> Figure:
    """See `slipstick.results.curve.Curve.plot`."""
    import matplotlib.pyplot as plt

    panels, left_out = _shown(curve, coordinates, quantity, connections)
    with style.applied():
        count = max(len(panels), 1)
        figure, axes = plt.subplots(
            count, 1, sharex=True, squeeze=False, figsize=(8.5, 4.4 if count == 1 else 1.6 + 2.3 * count)
        )
        for axis, panel in zip(axes[:, 0], panels, strict=False):
            _panel(axis, curve, panel, log)
        unit = parameter_scale(curve).unit
        axes[-1, 0].set_xlabel(f"{curve.stats.parameter} [{unit}]" if unit else curve.stats.parameter)
        axes[0, 0].set_title(WORDS[quantity], fontweight="normal", fontsize=10, loc="right")
        _legend(axes[0, 0], curve, any(panel.has_band for panel in panels))
        figure.align_ylabels(axes[:, 0])
        _title(figure, curve, left_out)
    return figure


def parameter_scale(curve: Curve) -> Scale:
    """How values of the parameter are shown: in the unit that the author of the model, or of the study, thinks in."""
    if curve.stats.parameter == "frequency":
        return frequency_scale(curve.names.units.frequency)
    return curve.names.units.parameter or Scale(curve.stats.unit, 1.0)


# ---- what to show


def _shown(curve: Curve, coordinates: Any, quantity: str, connections: Any) -> tuple[list[Shown], str]:
    known = MOVED + ACTING
    if not isinstance(quantity, str) or quantity not in known:
        hint = did_you_mean(quantity, known) if isinstance(quantity, str) else f" (known: {', '.join(known)})"
        raise InvalidInput(f"no quantity {shown(quantity)}{hint}").about("quantity")
    moved = quantity in MOVED
    what, names, asked = (
        ("coordinate", curve.names.coordinates, coordinates)
        if moved
        else ("connection", curve.names.connections, connections)
    )
    if (connections if moved else coordinates) is not None:
        wrong = "connections" if moved else "coordinates"
        raise InvalidInput(f"{quantity} belongs to {what}s; leave {wrong}= out, or choose a quantity of theirs").about(
            wrong
        )
    table, error = curve.data[quantity].values, curve.data["error"].values * ERRORS.get(quantity, np.nan)
    largest = curve.data["amplitude" if moved else "force_range"].values
    chosen = columns(what, names, asked, largest.max(axis=0, initial=0.0), MOST_PANELS)
    if asked is None:  # a spring has no share of stick
        chosen = [i for i in chosen if not np.isnan(table[:, i]).all()] or chosen
    units = curve.names.units.coordinates if moved else curve.names.units.connections
    least = -np.inf if quantity in SIGNED else 0.0
    panels = []
    for i, axis in zip(chosen, axes_of(units, names, chosen).each, strict=True):
        unit, factor = _unit(quantity, axis)
        values = np.unwrap(table[:, i]) if quantity == "phase" and curve.stats.joined else table[:, i]
        panels.append(Shown(names[i], factor * values, factor * error, unit, least))
    left = f"shown: {len(chosen)} of {len(names)} {what}s" if asked is None and len(chosen) < len(names) else ""
    return panels, left


def _unit(quantity: str, axis: Axis) -> tuple[str, float]:
    turn = ("deg", 180.0 / np.pi)
    fixed = {"phase": turn, "lag": turn, "force_range": (axis.force, 1.0), "dissipated": ("J", 1.0)}
    return {**fixed, "stick_share": ("%", 100.0)}.get(quantity, (axis.unit, axis.factor))


# ---- parts


def _panel(axis: Axes, curve: Curve, panel: Shown, log: bool) -> None:
    p = parameter_scale(curve).factor * np.array([point.p for point in curve.points])
    y = panel.values
    low, high = np.maximum(y - panel.error, panel.least), y + panel.error
    if panel.has_band:
        for part in _one_way(p):
            line = _line(curve, part, p, y, low, high)
            axis.fill_between(line[0], line[2], line[3], **ERROR_BAND)
    if _is_line(curve):
        for dashes, _, part in _parts(curve):
            axis.plot(*_line(curve, part, p, y), color=style.BLUE, linestyle=dashes, linewidth=1.6)
    else:
        _dots(axis, p, y)
    for kind, (marker, colour, marked) in MARKS.items():
        at = [s["point"] for s in curve.special if s["kind"] == kind]
        axis.plot(p[at], y[at], marker, color=colour, markersize=marked, markeredgewidth=1.2, fillstyle="none")
    axis.set_ylabel(f"{panel.name}\n[{panel.unit}]", rotation=0, ha="right", va="center")
    if not log:
        ticks(axis, "y", 6)
        return
    logarithmic(axis, "y")
    seen = y[y > 0.0]
    if seen.size:  # not the error, which may reach down to nothing
        axis.set_ylim(bottom=0.7 * float(seen.min()))
    if p.size and 0.0 < 10.0 * p.min() < p.max():
        logarithmic(axis, "x")


def _parts(curve: Curve) -> Iterator[tuple[Any, str, NDArray[np.int_]]]:
    """Dashes, words and numbers of neighbouring points with one stability; neighbours share the point between them.

    A special point counts to neither side: it is where the stability changes.
    """
    special = {s["point"] for s in curve.special if s["kind"] != "grazing"}
    flags = [point.stable for point in curve.points]
    pieces = [flags[b] if a in special else flags[a] for a, b in pairwise(range(len(flags)))]
    begin, all_unknown = 0, not any(flag is not None for flag in flags)
    for k, stable in enumerate(pieces):
        if k + 1 == len(pieces) or pieces[k + 1] is not stable:
            dashes, words = LINES[stable]
            yield "-" if all_unknown else dashes, words, np.arange(begin, k + 2)
            begin = k + 1


def _line(curve: Curve, part: NDArray[np.int_], *columns: Array) -> Array:
    """(columns, many) places along a part of a curve, smooth but for its special points."""
    points = np.column_stack([column[part] for column in columns])
    if not _is_line(curve):
        return points.T
    return smoothed(points, [s["point"] - int(part[0]) for s in curve.special]).T


def _is_line(curve: Curve) -> bool:
    """Neighbours are neighbours on a curve; a sweep jumps from one to the next."""
    return curve.stats.joined and curve.stats.method != "integration"


def _one_way(p: Array) -> Iterator[NDArray[np.int_]]:
    """Runs of points along which the parameter only grows, or only falls."""
    turns = np.flatnonzero(np.diff(np.sign(np.diff(p))) != 0.0) + 1
    edges = [0, *turns.tolist(), p.size - 1]
    for a, b in pairwise(edges):
        if b > a:
            yield np.arange(a, b + 1)


def _dots(axis: Axes, p: Array, y: Array) -> None:
    """Points that were only visited: dots, or arrows the way a sweep went, where it went both ways."""
    ways = np.sign(np.diff(p, prepend=p[:1]))
    if p.size > 1:
        ways[0] = ways[1]
    if (ways < 0.0).any() and (ways > 0.0).any():
        for way, marker, colour in ((1.0, ">", style.BLUE), (-1.0, "<", style.ACCENT)):
            at = ways == way
            axis.plot(p[at], y[at], marker, color=colour, markersize=4, fillstyle="none")
    else:
        axis.plot(p, y, color=style.BAND, linewidth=0.8)
        axis.plot(p, y, "o", color=style.BLUE, markersize=3.5)


def _legend(axis: Axes, curve: Curve, has_band: bool) -> None:
    """Only what needs to be told: lines where there is more than one kind, the band, and marks."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Line2D | Patch] = []
    if _is_line(curve):
        kinds = {words: dashes for dashes, words, _ in _parts(curve)}
        if list(kinds) != [LINES[True][1]]:
            handles += [Line2D([], [], color=style.BLUE, linestyle=d, label=words) for words, d in kinds.items()]
    else:
        p = np.diff([point.p for point in curve.points])
        if (p > 0.0).any() and (p < 0.0).any():
            for marker, colour, words in ((">", style.BLUE, "upwards"), ("<", style.ACCENT, "downwards")):
                handles.append(Line2D([], [], color=colour, marker=marker, linestyle="", fillstyle="none", label=words))
    if has_band:
        handles.append(Patch(**ERROR_BAND, label="estimated error"))
    present: Sequence[str] = [kind for kind in MARKS if any(s["kind"] == kind for s in curve.special)]
    for kind in present:
        marker, colour, size = MARKS[kind]
        handles.append(
            Line2D([], [], color=colour, marker=marker, linestyle="", markersize=size, fillstyle="none", label=kind)
        )
    if handles:
        axis.legend(handles=handles, loc="best")


def _title(figure: Figure, curve: Curve, left_out: str) -> None:
    error = error_of_curve(curve).replace("<=", "≤")
    words = f"{curve.names.model}  ·  {curve.stats.method}  ·  {len(curve.points)} points  ·  {error}"
    lines = [words, in_lines(curve.partial, 85), left_out]
    colour = style.ACCENT if curve.partial else style.INK
    text = "\n".join(line for line in lines if line)
    figure.suptitle(text, x=0.01, ha="left", fontsize=11, fontweight="bold", color=colour)
