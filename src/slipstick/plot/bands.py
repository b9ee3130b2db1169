"""The states of connections over time: one row a connection, a colour a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.plot import style
from slipstick.plot.reading import Reading, Window
from slipstick.results.states import split

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from slipstick.results.run import Run

MOST_SPANS = 2000  # of a band: more than a picture has pixels across
COLUMNS = 300  # of a band with more, which shows shares of the time

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
HEIGHT = 0.72  # of a band, of the height of its row


class Spans(NamedTuple):
    """The states of a connection: edges (k + 1,) [s] between them, state (k,) the number of each among words."""

    edges: NDArray[np.float64]
    state: NDArray[np.intp]
    words: list[str]

    def lane(self, i: int) -> Spans:
        """Those of one part of the law, one state after another."""
        own = [(*split(word), *[""] * (i + 1))[i] for word in self.words]
        words = list(dict.fromkeys(own))
        state = np.array([words.index(word) for word in own], dtype=np.intp)[self.state]
        begins = np.append(True, state[1:] != state[:-1])
        return Spans(np.append(self.edges[:-1][begins], self.edges[-1]), state[begins], words)


def draw_bands(panel: Axes, run: Run, reading: Reading, columns: Sequence[int]) -> None:
    """One row a connection, a colour a state; a law of several parts with states has a lane for each of them.

    Changes stand where the events say. Where there are more of them than pixels, heights are shares of the time.
    """
    from matplotlib.patches import Patch

    seen: dict[str, str] = {}
    shares = False
    for row, j in enumerate(columns):
        spans = spans_of(run, reading, j)
        if spans is None:
            continue
        lanes = max(1, *(len(split(word)) for word in spans.words))
        for lane in range(lanes):
            own = spans.lane(lane)
            for word in own.words:
                seen.setdefault(word, _colour(word, seen))
            bottom = row + HEIGHT * ((lane + 1) / lanes - 0.5)  # the axis points down
            shares = own.state.size > MOST_SPANS or shares
            draw = _shares if own.state.size > MOST_SPANS else _bars
            draw(panel, own, seen, bottom, HEIGHT / lanes)
    panel.set_yticks(range(len(columns)), [run.names.connections[j] for j in columns])
    panel.set_ylim(len(columns) - 0.4, -0.6)
    panel.grid(False)
    handles = [Patch(color=colour, label=state) for state, colour in sorted(seen.items()) if state]
    if shares:
        panel.set_title("heights: share of the time", loc="right", fontsize=8, fontweight="normal")
    panel.legend(handles=handles, ncols=6, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderpad=0.1, fontsize=8)


def _bars(panel: Axes, spans: Spans, colours: dict[str, str], bottom: float, height: float) -> None:
    for k, word in enumerate(spans.words):
        own = spans.state == k
        begins, widths = spans.edges[:-1][own], np.diff(spans.edges)[own]
        bars = list(zip(begins.tolist(), widths.tolist(), strict=True))
        panel.broken_barh(bars, (bottom - height, height), facecolors=colours[word], linewidth=0)


def _shares(panel: Axes, spans: Spans, colours: dict[str, str], bottom: float, height: float) -> None:
    """The states in columns, one on another, each as high as its share of the time there."""
    columns = np.linspace(spans.edges[0], spans.edges[-1], COLUMNS + 1)
    top = np.full(COLUMNS, bottom)
    for k, word in enumerate(spans.words):
        held = np.append(0.0, np.cumsum(np.diff(spans.edges) * (spans.state == k)))  # [s] of this state so far
        share = np.diff(np.interp(columns, spans.edges, held)) / np.diff(columns)
        higher = top - height * share
        low, high = (np.append(y, y[-1]) for y in (top, higher))
        panel.fill_between(columns, low, high, step="post", facecolor=colours[word], linewidth=0)
        top = higher


def spans_of(run: Run, reading: Reading, j: int) -> Spans | None:
    """The states of a connection over the window; None where there is nothing to show."""
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


def _inside(begins: NDArray[np.float64], states: NDArray[np.str_], window: Window) -> Spans | None:
    """What holds within a window."""
    first = max(int(np.searchsorted(begins, window.begin, "right")) - 1, 0)
    last = int(np.searchsorted(begins, window.end, "left"))
    edges = np.append(np.maximum(begins[first:last], window.begin), window.end)
    lasts = np.diff(edges) > 0.0  # of events at one instant, the last counts
    if not lasts.any():
        return None
    words, state = np.unique(states[first:last][lasts], return_inverse=True)
    return Spans(np.append(edges[:-1][lasts], window.end), state, [str(word) for word in words])


def _colour(state: str, seen: dict[str, str]) -> str:
    if not state:
        return "#ffffff"
    free = [colour for colour in OTHERS if colour not in seen.values()]
    return STATES.get(state) or (free[0] if free else OTHERS[len(seen) % len(OTHERS)])
