"""States of connections over time: one row a connection, one colour a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Flags
from slipstick.plot import style
from slipstick.plot import tolerances as tol
from slipstick.plot.run_sampling import RunSamples, TimeWindow
from slipstick.results.connection_states import split_states

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from slipstick.results.run import Run

BAND_COLUMNS = 300  # of a band: a state shorter than one column would be narrower than a pixel

STATE_COLOURS = {
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
FALLBACK_COLOURS = (style.BLUE, "#6b5b95", "#8fb8d0", "#b8aed0", "#c98b2b", style.GREY)  # of other states


class StateSpans(NamedTuple):
    """edges : (k + 1,) [s] of the states of a connection.   state : (k,) index of each in `words`."""

    edges: NDArray[np.float64]
    state: NDArray[np.intp]
    words: list[str]

    def lane(self, i: int) -> StateSpans:
        """States of one part of the law."""
        own = [(*split_states(word), *[""] * (i + 1))[i] for word in self.words]
        words = list(dict.fromkeys(own))
        state = np.array([words.index(word) for word in own], dtype=np.intp)[self.state]
        begins = np.append(True, state[1:] != state[:-1])
        return StateSpans(np.append(self.edges[:-1][begins], self.edges[-1]), state[begins], words)


def draw_state_bands(panel: Axes, run: Run, reading: RunSamples, columns: Sequence[int]) -> None:
    """One row a connection, one colour a state; a law of several parts has a lane for each of them.

    Changes are at the events. States too brief to be visible are stacked, with heights by their shares of the time.
    """
    from matplotlib.patches import Patch

    seen: dict[str, str] = {}
    shares = False
    for row, j in enumerate(columns):
        spans = state_spans(run, reading, j)
        if spans is None:
            continue
        lanes = max(1, *(len(split_states(word)) for word in spans.words))
        for lane in range(lanes):
            own = spans.lane(lane)
            for word in own.words:
                seen.setdefault(word, _colour(word, seen))
            bottom = row + tol.BAND_HEIGHT * ((lane + 1) / lanes - 0.5)  # the axis points down
            brief = np.diff(own.edges) < (own.edges[-1] - own.edges[0]) / BAND_COLUMNS
            _bars(panel, own, ~brief, seen, bottom, tol.BAND_HEIGHT / lanes)
            for first, last in _brief_ranges(brief):
                _draw_shares(panel, own, first, last, seen, bottom, tol.BAND_HEIGHT / lanes)
                shares = shares or last > first + 1
    panel.set_yticks(range(len(columns)), [run.names.connections[j] for j in columns])
    panel.set_ylim(len(columns) - 0.4, -0.6)
    panel.grid(False)
    handles = [Patch(color=colour, label=state) for state, colour in sorted(seen.items()) if state]
    if shares:
        panel.set_title("heights: share of the time", loc="right", fontsize="small", fontweight="normal")
    across = min(6, max(2, int((_width(panel) - tol.BAND_LABEL_WIDTH) / (tol.STATE_NAME_WIDTH * style.scaled(1.0)))))
    how = {"ncols": across, "borderpad": 0.1, "fontsize": "small", "handlelength": 1.2, "columnspacing": 1.1}
    panel.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), **how)


def _width(panel: Axes) -> float:
    """Width of the part of the figure that holds a panel [inches]."""
    root = panel.get_figure(root=True)
    part = panel.get_figure(root=False)
    assert root is not None
    assert part is not None
    return float(part.bbox.width / root.dpi)


def _bars(panel: Axes, spans: StateSpans, which: Flags, colours: dict[str, str], bottom: float, height: float) -> None:
    for k, word in enumerate(spans.words):
        own = (spans.state == k) & which
        if not own.any():
            continue
        begins, widths = spans.edges[:-1][own], np.diff(spans.edges)[own]
        bars = list(zip(begins.tolist(), widths.tolist(), strict=True))
        panel.broken_barh(bars, (bottom - height, height), facecolors=colours[word], linewidth=0)


def _brief_ranges(brief: Flags) -> list[tuple[int, int]]:
    """Begin and end of each run of brief states."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], brief, [False]]).astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _draw_shares(
    panel: Axes, spans: StateSpans, first: int, last: int, colours: dict[str, str], bottom: float, height: float
) -> None:
    """Draw brief states in columns, stacked by their shares of the time.

    Each state that occurs has at least `MIN_STATE_HEIGHT` of the height, so that it is visible.
    """
    edges, states = spans.edges[first : last + 1], spans.state[first:last]
    column = (spans.edges[-1] - spans.edges[0]) / BAND_COLUMNS
    columns = np.linspace(edges[0], edges[-1], max(int((edges[-1] - edges[0]) / column), 1) + 1)
    present = np.unique(states)
    held = [np.append(0.0, np.cumsum(np.diff(edges) * (states == k))) for k in present]  # [s] of this state so far
    share = np.array([np.diff(np.interp(columns, edges, own)) for own in held]) / np.diff(columns)
    share = np.where(share > 0.0, np.maximum(share, tol.MIN_STATE_HEIGHT), 0.0)
    tops = bottom - height * np.cumsum(share / share.sum(axis=0), axis=0)
    if columns.size == 2:  # a single column, widened to be visible
        middle = 0.5 * (columns[0] + columns[1])
        wide = 0.5 * max(column, float(columns[1] - columns[0]))
        columns = np.clip([middle - wide, middle + wide], spans.edges[0], spans.edges[-1])
    below = np.full(columns.size - 1, bottom)
    for k, top in zip(present.tolist(), tops, strict=True):
        low, high = (np.append(y, y[-1]) for y in (below, top))
        colour = colours[spans.words[k]]
        panel.fill_between(columns, low, high, step="post", facecolor=colour, linewidth=0, zorder=2)  # above bars
        below = top


def state_spans(run: Run, reading: RunSamples, j: int) -> StateSpans | None:
    """States of a connection over the window; None without any."""
    window, s = reading.window, reading.whole
    own = np.flatnonzero(run.events["connection"] == run.names.connections[j])
    if own.size:
        at, before, after = (run.events[name][own] for name in ("time", "before", "after"))
        begins = np.append(min(window.begin, at[0]), at)
        states = np.append(before[:1], after)
    elif s.time.size:
        states = s.state[:, j]
        changes = np.append(True, states[1:] != states[:-1])
        begins, states = s.time[changes], states[changes]
    else:
        return None
    return _inside(begins, states, window)


def _inside(begins: NDArray[np.float64], states: NDArray[np.str_], window: TimeWindow) -> StateSpans | None:
    """States within a window."""
    first = max(int(np.searchsorted(begins, window.begin, "right")) - 1, 0)
    last = int(np.searchsorted(begins, window.end, "left"))
    edges = np.append(np.maximum(begins[first:last], window.begin), window.end)
    lasts = np.diff(edges) > 0.0  # of simultaneous events, the last one counts
    if not lasts.any():
        return None
    words, state = np.unique(states[first:last][lasts], return_inverse=True)
    return StateSpans(np.append(edges[:-1][lasts], window.end), state, [str(word) for word in words])


def _colour(state: str, seen: dict[str, str]) -> str:
    if not state:
        return "#ffffff"
    free = [colour for colour in FALLBACK_COLOURS if colour not in seen.values()]
    return STATE_COLOURS.get(state) or (free[0] if free else FALLBACK_COLOURS[len(seen) % len(FALLBACK_COLOURS)])
