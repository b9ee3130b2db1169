"""The picture of a run: time histories, states of connections as bands, loops of force over deflection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput, did_you_mean, short_repr
from slipstick.plot import style
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

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

    from slipstick.results.run import Run

MAX_HISTORIES = 12
MAX_LOOPS = 6
MAX_BANDS = 12
MAX_LOOP_DOTS = 20_000  # of a loop


class SelectedColumns(NamedTuple):
    """Columns to show, and what is left out."""

    histories: list[int]
    loops: list[int]
    bands: list[int]
    left_out: str


def plot_run(
    run: Run,
    coordinates: Any = None,
    connections: Any = None,
    start: Any = None,
    until: Any = None,
    quantity: str | None = None,
) -> Figure:
    """See `slipstick.results.run.Run.plot`."""
    return run_figure(run, coordinates, connections, start, until, quantity)[0]


def run_figure(
    run: Run,
    coordinates: Any,
    connections: Any,
    start: Any,
    until: Any,
    quantity: str | None = None,
    *,
    beside: float = 0.0,
    told: str = "",
) -> tuple[Figure, SubFigure | None]:
    """The figure, and an empty part of it on the right, so many inches wide (none, if that is zero).

    told : what the title says beside model and method.
    """
    import matplotlib.pyplot as plt

    refuse_unknown_quantity(quantity)
    reading = sample_run(run, start, until)
    chosen = _choose(run, reading, coordinates, connections, quantity)
    rows = history_panels(run.names, reading, chosen.histories, quantity)
    heights = [_row_height(len(chosen.histories))] * len(chosen.histories)
    heights += [0.3 * len(chosen.bands) + 0.25] if chosen.bands else []
    width = 11.0 if chosen.loops else 7.5
    with style.house_style():
        figure = plt.figure(figsize=(width + beside, max(sum(heights) + 1.2, 3.4)))
        whole: Any = figure.subfigures(1, 2, width_ratios=(width, beside)) if beside else (figure, None)
        halves: Any = whole[0].subfigures(1, 2, width_ratios=(1.5, 1.0)) if chosen.loops else (whole[0], None)
        _draw_histories_and_states(halves[0], run, reading, chosen, rows, heights)
        if halves[1] is not None:
            _loops(halves[1], run, reading, chosen.loops)
        _title(figure, run, reading, chosen, told)
    return style.without_mathtext(figure), whole[1]


def _draw_histories_and_states(
    part: Any,
    run: Run,
    reading: RunSamples,
    chosen: SelectedColumns,
    rows: Sequence[HistoryPanel],
    heights: Sequence[float],
) -> None:
    """Time histories, and below them the states."""
    panels = part.subplots(len(heights), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
    draw_histories(panels, reading, rows)
    if chosen.bands:
        draw_state_bands(panels[-1], run, reading, chosen.bands)
    panels[-1].set_xlabel("time [s]")
    if reading.window.end > reading.window.begin:
        panels[-1].set_xlim(*reading.window)
    part.align_ylabels(panels[: len(chosen.histories)])


# ---- what to show


def _choose(run: Run, reading: RunSamples, coordinates: Any, connections: Any, quantity: str | None) -> SelectedColumns:
    """What was asked for; else what moves most, as far as it fits."""
    names, s = run.names, reading.whole
    moved, acting = _ranges(s.displacement), _ranges(s.deflection) * _ranges(s.force)
    what, known, asked_for = "coordinate", names.coordinates, coordinates
    if quantity in CONNECTION_QUANTITIES:
        what, known, asked_for, moved = "connection", names.connections, connections, _ranges(getattr(s, quantity))
    histories = select_columns(what, known, asked_for, moved, MAX_HISTORIES)
    loops = select_columns("connection", names.connections, connections, acting, MAX_LOOPS)
    changes = Counter(run.events["connection"].tolist())
    has_states = [j for j, name in enumerate(names.connections) if changes[name] or (s.state[:, j] != "").any()]
    if connections is not None:
        has_states = [j for j in has_states if j in loops]
    busiest = sorted(has_states, key=lambda j: -changes[names.connections[j]])[:MAX_BANDS]
    bands = sorted(busiest)
    gone = [
        f"{shown_count} of {count} {kind}"
        for kind, shown_count, count in (
            (f"{what}s", len(histories), len(known)),
            ("loops", len(loops), len(names.connections)),
            ("bands", len(bands), len(has_states)),
        )
        if shown_count < count
    ]
    asked = coordinates is not None or connections is not None
    return SelectedColumns(histories, loops, bands, "" if asked or not gone else f"shown: {', '.join(gone)}")


def select_columns(what: str, known: Sequence[str], asked: Any, size: Any, most: int) -> list[int]:
    """The numbers of the columns that were asked for by name; else of the largest, as many as fit."""
    if asked is None:
        largest = np.argsort(-np.nan_to_num(size), kind="stable")[:most]
        return sorted(int(i) for i in largest)
    names = [asked] if isinstance(asked, str) else list(asked)
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise InvalidInput(f"no {what} {short_repr(name)}{hint}")
    return [known.index(name) for name in names]


def _ranges(columns: Any) -> Any:
    seen = columns[~np.isnan(columns).any(axis=1)]
    return np.ptp(seen, axis=0) if seen.size else np.zeros(columns.shape[1])


def _row_height(count: int) -> float:
    """Inches of a time history: generous for a few, still readable for a dozen."""
    return 3.0 if count == 1 else max(0.85, 4.6 / max(count, 1))


# ---- parts


def _loops(part: Any, run: Run, reading: RunSamples, columns: Sequence[int]) -> None:
    across = 1 if len(columns) <= 2 else 2
    down = -(-len(columns) // across)
    panels = part.subplots(down, across, squeeze=False).ravel()
    axes = column_axes(run.names.units.connections, run.names.connections, columns)
    for panel, j, axis in zip(panels, columns, axes.each, strict=False):
        _loop(panel, reading, j, axis)
        name = run.names.connections[j]
        words = name if axes.shared else f"{name}  [{axis.unit}, {axis.force}]"
        panel.set_title(words, fontweight="normal", fontsize=10, loc="right")
        for which in ("x", "y"):
            set_linear_ticks(panel, which, 3 if across == 2 and which == "x" else 4)
    for panel in panels[len(columns) :]:
        panel.set_visible(False)
    part.supxlabel(f"deflection [{axes.shared.unit}]" if axes.shared else "deflection", fontsize=10)
    part.supylabel(f"force [{axes.shared.force}]" if axes.shared else "force", fontsize=10)


def _loop(panel: Any, reading: RunSamples, j: int, axis: AxisUnit) -> None:
    whole, last = reading.whole, reading.last
    if reading.shows_last_part:
        some = slice(None, None, 1 + whole.time.size // MAX_LOOP_DOTS)
        u, f = whole.deflection[some, j], whole.force[some, j]
        panel.plot(axis.factor * u, f, ".", color=style.GREY, markersize=1)
    dots = not reading.joined or last.time.size < MARKED_SAMPLES
    how = {"linestyle": "", "marker": ".", "markersize": 4 if last.time.size < 20 * MARKED_SAMPLES else 2}
    panel.plot(
        axis.factor * last.deflection[:, j], last.force[:, j], color=style.BLUE, linewidth=1.0, **(how if dots else {})
    )


def _title(figure: Figure, run: Run, reading: RunSamples, chosen: SelectedColumns, told: str) -> None:
    c = run.computed_certificate
    words = "  ·  ".join(filter(None, (run.names.model, run.stats.method, told)))
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
