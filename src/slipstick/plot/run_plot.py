"""Figures of runs and orbits: time histories, states as bands, loops, and the multipliers of orbits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.plot import style
from slipstick.plot import tolerances as tol
from slipstick.plot.error_text import error_text
from slipstick.plot.run_sampling import RunSamples, sample_run
from slipstick.plot.state_bands import draw_state_bands
from slipstick.plot.ticks import set_linear_ticks
from slipstick.plot.time_histories import (
    CONNECTION_QUANTITIES,
    MARKED_SAMPLES,
    HistoryPanel,
    draw_histories,
    history_panels,
)
from slipstick.plot.title import set_title
from slipstick.results.trajectory import refuse_unknown_quantity
from slipstick.units.axes import AxisUnit, column_axes
from slipstick.units.scales import frequency_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from slipstick.results.orbit import Orbit
    from slipstick.results.run import Run

MAX_HISTORIES = 12
MAX_LOOPS = 6
MAX_BANDS = 12
MAX_LOOP_DOTS = 20_000


class SelectedColumns(NamedTuple):
    """Columns to show, and a remark on omitted ones."""

    histories: list[int]
    loops: list[int]
    bands: list[int]
    left_out: str


@dataclass(frozen=True)
class RunView:
    """What a figure of a run shows.

    coordinates, connections : names, or None for those that fit.   start, until : [s] or None.
    quantity : of the histories, or None for displacements and velocities.
    width : [cm] of the figure, or None for a screen.
    """

    coordinates: Any = None
    connections: Any = None
    start: Any = None
    until: Any = None
    quantity: str | None = None
    width: Any = None


def plot_run(run: Run, view: RunView) -> Figure:
    """See `slipstick.results.run.Run.plot`."""
    return _run_figure(run, view)[0]


def plot_orbit(orbit: Orbit, view: RunView) -> Figure:
    """See `slipstick.results.orbit.Orbit.plot`."""
    width = tol.MULTIPLIER_PANEL_WIDTH if orbit.multipliers.size > 0 else 0.0
    frequency = frequency_scale(orbit.names.units.frequency).words(orbit.frequency)
    figure, side = _run_figure(orbit, view, side_width=width, caption=frequency)
    if side is not None:
        with style.house_style(view.width):
            _multipliers(side.subplots(), orbit)
    return figure


def _run_figure(run: Run, view: RunView, side_width: float = 0.0, caption: str = "") -> tuple[Figure, SubFigure | None]:
    """The figure, and an empty part on its right of a width in inches (None for zero).

    caption : text of the title after model and method.
    """
    import matplotlib.pyplot as plt

    page = style.checked_width(view.width)
    if view.quantity is not None:
        refuse_unknown_quantity(view.quantity)
    reading = sample_run(run, view.start, view.until)
    chosen = _choose(run, reading, view)
    rows = history_panels(run.names, reading, chosen.histories, view.quantity)
    heights = [_row_height(len(chosen.histories))] * len(chosen.histories)
    heights += [0.3 * len(chosen.bands) + 0.25] if chosen.bands else []
    with style.house_style(page):
        if style.is_narrow(page):
            parts = _stacked_parts(plt.figure(), chosen, side_width > 0.0, heights, page)
        else:
            parts = _parts_side_by_side(plt.figure(), chosen, side_width, heights, page)
        _draw_histories_and_states(parts.histories, run, reading, chosen, rows, heights)
        if parts.loops is not None:
            _loops(parts.loops, run, reading, chosen.loops)
        _title(parts.whole, run, reading, chosen, caption)
    return style.without_mathtext(parts.whole), parts.side


class _FigureParts(NamedTuple):
    """A figure, and its parts for histories and states, for loops, and for multipliers."""

    whole: Figure
    histories: Any
    loops: Any
    side: SubFigure | None


def _parts_side_by_side(
    figure: Figure, chosen: SelectedColumns, side_width: float, heights: Sequence[float], page: float | None
) -> _FigureParts:
    width = 11.0 if chosen.loops else 7.5
    height = max(sum(heights) + 1.2, 3.4)
    if page is None:
        figure.set_size_inches(width + side_width, height)
    else:
        figure.set_size_inches(page / style.CM_PER_INCH, height * style.text_size(page) / style.USUAL_TEXT)
    parts: Any = figure.subfigures(1, 2, width_ratios=(width, side_width)) if side_width else (figure, None)
    halves: Any = parts[0].subfigures(1, 2, width_ratios=(1.5, 1.0)) if chosen.loops else (parts[0], None)
    return _FigureParts(figure, halves[0], halves[1], parts[1])


def _stacked_parts(
    figure: Figure, chosen: SelectedColumns, has_side: bool, heights: Sequence[float], page: float | None
) -> _FigureParts:
    """Parts below each other, for a column of a paper."""
    down = -(-len(chosen.loops) // 2)
    each = [tol.COLUMN_ROW_HEIGHT * sum(heights) + tol.COLUMN_AXIS_HEIGHT]
    each += [tol.COLUMN_LOOP_HEIGHT * down + tol.COLUMN_AXIS_HEIGHT] if down else []
    each += [tol.COLUMN_LOOP_HEIGHT + tol.COLUMN_AXIS_HEIGHT] if has_side else []
    figure.set_size_inches((page or style.NARROW_CM) / style.CM_PER_INCH, sum(each) + tol.COLUMN_AXIS_HEIGHT)
    parts = list(np.ravel(figure.subfigures(len(each), 1, height_ratios=each, squeeze=False)))
    return _FigureParts(figure, parts[0], parts[1] if down else None, parts[-1] if has_side else None)


def _draw_histories_and_states(
    part: Any,
    run: Run,
    reading: RunSamples,
    chosen: SelectedColumns,
    rows: Sequence[HistoryPanel],
    heights: Sequence[float],
) -> None:
    """Time histories, with the states below."""
    panels = part.subplots(len(heights), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    draw_histories(panels, reading, rows)
    if chosen.bands:
        draw_state_bands(panels[-1], run, reading, chosen.bands)
    panels[-1].set_xlabel("time [s]")
    if reading.window.end > reading.window.begin:
        panels[-1].set_xlim(*reading.window)
    part.align_ylabels(panels[: len(chosen.histories)])


# ---- selection


def _choose(run: Run, reading: RunSamples, view: RunView) -> SelectedColumns:
    """The requested columns; else those that move most, as many as fit."""
    names, s = run.names, reading.whole
    coordinates, connections, quantity = view.coordinates, view.connections, view.quantity
    moved, acting = _ranges(s.displacement), _ranges(s.deflection) * _ranges(s.force)
    kind, known, requested = "coordinate", names.coordinates, coordinates
    if quantity in CONNECTION_QUANTITIES:
        kind, known, requested, moved = "connection", names.connections, connections, _ranges(getattr(s, quantity))
    histories = select_columns(kind, known, requested, moved, MAX_HISTORIES)
    loops = select_columns("connection", names.connections, connections, acting, MAX_LOOPS)
    changes = Counter(run.events["connection"].tolist())
    has_states = [j for j, name in enumerate(names.connections) if changes[name] or (s.state[:, j] != "").any()]
    if connections is not None:
        has_states = [j for j in has_states if j in loops]
    busiest = sorted(has_states, key=lambda j: -changes[names.connections[j]])[:MAX_BANDS]
    bands = sorted(busiest)
    omitted = [
        f"{shown_count} of {count} {what}"
        for what, shown_count, count in (
            (f"{kind}s", len(histories), len(known)),
            ("loops", len(loops), len(names.connections)),
            ("bands", len(bands), len(has_states)),
        )
        if shown_count < count
    ]
    is_explicit = coordinates is not None or connections is not None
    return SelectedColumns(
        histories, loops, bands, "" if is_explicit or not omitted else f"shown: {', '.join(omitted)}"
    )


def select_columns(what: str, known: Sequence[str], requested: Any, size: Any, most: int) -> list[int]:
    """Numbers of the columns requested by name; else of the largest ones, as many as fit."""
    if requested is None:
        largest = np.argsort(-np.nan_to_num(size), kind="stable")[:most]
        return sorted(int(i) for i in largest)
    names = [requested] if isinstance(requested, str) else list(requested)
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise InvalidInput(f"no {what} {short_repr(name)}{hint}")
    return [known.index(name) for name in names]


def _ranges(columns: Any) -> Any:
    seen = columns[~np.isnan(columns).any(axis=1)]
    return np.ptp(seen, axis=0) if seen.size else np.zeros(columns.shape[1])


def _row_height(count: int) -> float:
    """Height of a time history in inches: large for a few, still readable for a dozen."""
    return 3.0 if count == 1 else max(0.85, 4.6 / max(count, 1))


# ---- parts


def _loops(part: Any, run: Run, reading: RunSamples, columns: Sequence[int]) -> None:
    narrow = part.get_figure(root=True).get_figwidth() * style.CM_PER_INCH < style.NARROW_CM
    across = 1 if len(columns) <= (1 if narrow else 2) else 2
    down = -(-len(columns) // across)
    panels = part.subplots(down, across, squeeze=False).ravel()
    axes = column_axes(run.names.units.connections, run.names.connections, columns)
    for panel, j, axis in zip(panels, columns, axes.each, strict=False):
        _loop(panel, reading, j, axis)
        name = run.names.connections[j]
        words = name if axes.shared else f"{name}  [{axis.unit}, {axis.force}]"
        panel.set_title(words, fontweight="normal", fontsize="medium", loc="right")
        for which in ("x", "y"):
            set_linear_ticks(panel, which, 3 if across == 2 and which == "x" else 4)
    for panel in panels[len(columns) :]:
        panel.set_visible(False)
    part.supxlabel(f"deflection [{axes.shared.unit}]" if axes.shared else "deflection", fontsize="medium")
    part.supylabel(f"force [{axes.shared.force}]" if axes.shared else "force", fontsize="medium")


def _loop(panel: Any, reading: RunSamples, j: int, axis: AxisUnit) -> None:
    whole, last = reading.whole, reading.last
    if reading.shows_last_part:
        some = slice(None, None, 1 + whole.time.size // MAX_LOOP_DOTS)
        u, f = whole.deflection[some, j], whole.force[some, j]
        panel.plot(axis.factor * u, f, ".", color=style.GREY, markersize=1)
    dots = not reading.joined or last.time.size < MARKED_SAMPLES
    how = {"linestyle": "", "marker": ".", "markersize": 4 if last.time.size < 20 * MARKED_SAMPLES else 2}
    panel.plot(
        axis.factor * last.deflection[:, j],
        last.force[:, j],
        color=style.BLUE,
        linewidth=style.scaled(1.0),
        **(how if dots else {}),
    )


def _title(figure: Figure, run: Run, reading: RunSamples, chosen: SelectedColumns, caption: str) -> None:
    c = run.computed_certificate
    words = "  ·  ".join(filter(None, (run.names.model, run.stats.method, caption)))
    if c.passed:
        words += f"  ·  error ≤ {error_text(c, run.names)}"
    lines = [words, run.partial] + ([] if c.passed else [f"certificate {c.verdict}"])
    if chosen.loops and reading.shows_last_part:
        lines.append(f"loops in blue: the last ones, from {reading.last.time[0]:.6g} s on; in grey: all before")
    if reading.whole.time.size < 2:
        count = "is one sample" if reading.whole.time.size else "are no samples"
        lines.append(f"there {count} to draw; simulate(samples=...) asks for more")
    lines.append(chosen.left_out)
    colour = style.INK if c.passed or c.not_computed else style.AMBER if c.doubtful else style.ACCENT
    set_title(figure, *lines, colour=style.ACCENT if run.partial else colour)


def _multipliers(panel: Axes, orbit: Orbit) -> None:
    """Multipliers in the complex plane, with those outside the unit circle in the accent colour."""
    m = orbit.multipliers
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    panel.plot(np.cos(turn), np.sin(turn), color=style.GREY, linewidth=1.0)
    outside = np.abs(m) > tol.UNSTABLE_MODULUS
    for which, colour in ((~outside, style.BLUE), (outside, style.ACCENT)):
        panel.plot(m[which].real, m[which].imag, "o", color=colour, markersize=4)
    panel.set_aspect("equal")
    panel.set_title("multipliers", fontweight="normal", fontsize="medium", loc="right")
    word = {True: "stable", False: "unstable", None: "stability not known"}[orbit.stable]
    colour = style.ACCENT if orbit.stable is False else style.INK
    panel.set_xlabel(f"{word}\nlargest {np.abs(m).max():.4g}", color=colour)
    for axis in ("x", "y"):
        set_linear_ticks(panel, axis, 3)
