"""The picture of a run: time histories, states of connections as bands, loops of force over deflection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.plot import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.run import Run

MOST_HISTORIES = 12
MOST_LOOPS = 6
MOST_BANDS = 12
MOST_POINTS = 20_000  # of a line; beyond, a history is its envelope, and a loop its end with dots for what came before
COLUMNS = 2000  # more than a picture has pixels across
FEW_SAMPLES = 60  # below this each is marked, so that straight lines between them deceive nobody

STATES = {
    "stick": style.INK,
    "slip+": style.ACCENT,
    "slip-": "#eba9b1",
    "contact": style.GREEN,
    "contact+": style.GREEN,
    "contact-": "#9fcdb9",
    "open": "#c98b2b",
    "open+": "#c98b2b",
    "open-": "#e6c893",
    "free": "#dfe5ea",
}
OTHERS = (style.BLUE, "#6b5b95", "#8fb8d0", "#b8aed0", "#c98b2b", style.GREY)  # for states that have no colour


class Chosen(NamedTuple):
    """Columns to show, and what is left out."""

    histories: list[int]
    loops: list[int]
    bands: list[int]
    left_out: str


def plot_run(run: Run, coordinates: Any = None, connections: Any = None) -> Figure:
    """See `slipstick.results.run.Run.plot`."""
    import matplotlib.pyplot as plt

    chosen = _choose(run, coordinates, connections)
    with style.applied():
        rows = len(chosen.histories) + bool(chosen.bands)
        heights = [_row_height(len(chosen.histories))] * len(chosen.histories)
        heights += [0.3 * len(chosen.bands) + 0.25] if chosen.bands else []
        figure = plt.figure(figsize=(11.0 if chosen.loops else 7.5, max(sum(heights) + 1.2, 3.4)))
        halves: Any = figure.subfigures(1, 2, width_ratios=(1.5, 1.0)) if chosen.loops else (figure, None)
        left, right = halves
        panels = left.subplots(rows, 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
        _histories(panels, run, chosen.histories)
        if chosen.bands:
            _bands(panels[-1], run, chosen.bands)
        panels[-1].set_xlabel("time [s]")
        if run.samples.time[-1] > run.samples.time[0]:
            panels[-1].set_xlim(run.samples.time[0], run.samples.time[-1])
        left.align_ylabels(panels[: len(chosen.histories)])
        if right is not None:
            _loops(right, run, chosen.loops)
        _title(figure, run, chosen.left_out)
    return figure


# ---- what is shown


def _choose(run: Run, coordinates: Any, connections: Any) -> Chosen:
    """The columns asked for, or those that fit: the ones that move, or take, most."""
    s, names = run.samples, run.names
    histories = _columns("coordinate", names.coordinates, coordinates, _ranges(s.displacement), MOST_HISTORIES)
    acting = _ranges(s.deflection) * _ranges(s.force)
    loops = _columns("connection", names.connections, connections, acting, MOST_LOOPS)
    has_states = [j for j in range(len(names.connections)) if (s.state[:, j] != "").any()]
    if connections is not None:
        has_states = [j for j in has_states if j in loops]
    bands = has_states[:MOST_BANDS]
    gone = [
        f"{shown_count} of {count} {what}"
        for what, shown_count, count in (
            ("coordinates", len(histories), len(names.coordinates)),
            ("loops", len(loops), len(names.connections)),
            ("bands", len(bands), len(has_states)),
        )
        if shown_count < count
    ]
    asked = coordinates is not None or connections is not None
    return Chosen(histories, loops, bands, "" if asked or not gone else f"shown: {', '.join(gone)}")


def _columns(what: str, known: Sequence[str], asked: Any, size: Any, most: int) -> list[int]:
    if asked is None:
        largest = np.argsort(-np.nan_to_num(size), kind="stable")[:most]
        return sorted(int(i) for i in largest)
    names = [asked] if isinstance(asked, str) else list(asked)
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise InvalidInput(f"no {what} {shown(name)}{hint}")
    return [known.index(name) for name in names]


def _ranges(columns: Any) -> Any:
    return np.ptp(columns, axis=0) if columns.size else np.zeros(columns.shape[1])


def _row_height(count: int) -> float:
    """Inches of a time history: generous for a few, still readable for a dozen."""
    return 3.0 if count == 1 else max(0.85, 4.6 / max(count, 1))


# ---- parts


def _histories(panels: Any, run: Run, columns: Sequence[int]) -> None:
    marks = {"marker": ".", "markersize": 4} if run.samples.time.size < FEW_SAMPLES else {}
    crowded = len(columns) > 4
    for panel, i in zip(panels, columns, strict=False):
        panel.plot(
            *_thinned(run.samples.time, run.samples.displacement[:, i]), color=style.BLUE, linewidth=1.4, **marks
        )
        panel.set_ylabel(run.names.coordinates[i], rotation=0, ha="right", va="center")
        panel.margins(x=0.0)
        panel.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useMathText=True)
        if crowded:
            panel.locator_params(axis="y", nbins=3)
    if len(columns):
        panels[0].set_title("displacement [m or rad]", fontweight="normal", fontsize=10)


def _thinned(t: Any, x: Any) -> tuple[Any, Any]:
    """A long history as its least and largest value in every column of the picture: it looks the same."""
    if t.size <= MOST_POINTS:
        return t, x
    edges = np.unique(np.searchsorted(t, np.linspace(t[0], t[-1], COLUMNS, endpoint=False)))
    low, high = np.minimum.reduceat(x, edges), np.maximum.reduceat(x, edges)
    return np.repeat(t[edges], 2), np.column_stack([low, high]).ravel()


def _bands(panel: Axes, run: Run, columns: Sequence[int]) -> None:
    """One row a connection, a colour a state; changes stand where the events say."""
    from matplotlib.patches import Patch

    seen: dict[str, str] = {}
    for row, j in enumerate(columns):
        spans: dict[str, list[tuple[float, float]]] = {}
        for begin, end, state in _spans(run, j):
            spans.setdefault(state, []).append((begin, end - begin))
        for state, bars in spans.items():
            seen.setdefault(state, _colour(state, seen))
            panel.broken_barh(bars, (row - 0.36, 0.72), facecolors=seen[state], linewidth=0)
    panel.set_yticks(range(len(columns)), [run.names.connections[j] for j in columns])
    panel.set_ylim(len(columns) - 0.4, -0.6)
    panel.grid(False)
    handles = [Patch(color=colour, label=state) for state, colour in sorted(seen.items()) if state]
    panel.legend(handles=handles, ncols=6, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderpad=0.1, fontsize=8)


def _spans(run: Run, j: int) -> list[tuple[float, float, str]]:
    """(begin, end, state) of a connection over the run."""
    times, states = run.samples.time, run.samples.state[:, j]
    own = np.flatnonzero(run.events["connection"] == run.names.connections[j])
    if own.size:
        at, before, after = (run.events[name][own].tolist() for name in ("time", "before", "after"))
        edges = [(min(float(times[0]), at[0]), before[0]), *zip(at, after, strict=True)]
    else:
        changes = np.flatnonzero(states[1:] != states[:-1]) + 1
        edges = [(float(times[k]), str(states[k])) for k in (0, *changes)]
    if len(edges) > COLUMNS:  # narrower than a pixel: what holds somewhere in each column, not always at the same
        # place of it, else a band that repeats itself would seem to change slowly
        begins, columns = np.array([begin for begin, _ in edges]), np.linspace(times[0], times[-1], COLUMNS + 1)
        somewhere = columns[:-1] + np.diff(columns) * (0.618034 * np.arange(COLUMNS) % 1.0)
        held = np.searchsorted(begins, somewhere, side="right") - 1
        edges = [(float(t), edges[k][1]) for t, k in zip(columns, np.maximum(held, 0), strict=False)]
    ends = [*(begin for begin, _ in edges[1:]), float(times[-1])]
    return [(begin, end, state) for (begin, state), end in zip(edges, ends, strict=True) if end > begin]


def _colour(state: str, seen: dict[str, str]) -> str:
    if not state:
        return "#ffffff"
    free = [colour for colour in OTHERS if colour not in seen.values()]
    return STATES.get(state) or (free[0] if free else OTHERS[len(seen) % len(OTHERS)])


def _loops(part: Any, run: Run, columns: Sequence[int]) -> None:
    across = 1 if len(columns) <= 2 else 2
    down = -(-len(columns) // across)
    panels = part.subplots(down, across, squeeze=False).ravel()
    few = run.samples.time.size < FEW_SAMPLES
    for panel, j in zip(panels, columns, strict=False):
        u, f = run.samples.deflection[:, j], run.samples.force[:, j]
        if u.size > MOST_POINTS:
            stride = -(-u.size // MOST_POINTS)
            panel.plot(u[::stride], f[::stride], ".", color=style.GREY, markersize=1)
        tail = slice(-MOST_POINTS, None)
        panel.plot(u[tail], f[tail], "." if few else "-", color=style.BLUE, linewidth=1.0, markersize=4)
        panel.set_title(run.names.connections[j], fontweight="normal", fontsize=10)
        panel.ticklabel_format(style="sci", scilimits=(-3, 4), useMathText=True)
        panel.locator_params(nbins=4)
    for panel in panels[len(columns) :]:
        panel.set_visible(False)
    part.supxlabel("deflection [m or rad]", fontsize=10)
    part.supylabel("force [N or N m]", fontsize=10)


def _title(figure: Figure, run: Run, left_out: str) -> None:
    c = run.certificate
    words = f"{run.names.model}  ·  {run.stats.method}"
    if c.passed:
        words += f"  ·  error ≤ {c.error_words}"
    lines = [words] + ([] if c.passed else [_wrapped(f"certificate {c.verdict}")]) + ([left_out] if left_out else [])
    colour = style.INK if c.passed else style.ACCENT
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=11, fontweight="bold", color=colour)


def _wrapped(text: str, width: int = 110) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(text, width)[:3])
