"""The states of connections over time: one row a connection, a colour a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from slipstick.plot import style
from slipstick.plot.reading import Reading
from slipstick.results.states import split

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from slipstick.results.run import Run

COLUMNS = 2000  # more than a picture has pixels across

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


def draw_bands(panel: Axes, run: Run, reading: Reading, columns: Sequence[int]) -> None:
    """One row a connection, a colour a state; a law of several parts with states has a lane for each of them.

    Changes stand where the events say.
    """
    from matplotlib.patches import Patch

    seen: dict[str, str] = {}
    for row, j in enumerate(columns):
        spans = _spans(run, reading, j)
        lanes = max((len(split(state)) for _, _, state in spans), default=1) or 1
        for lane in range(lanes):
            bars: dict[str, list[tuple[float, float]]] = {}
            for begin, end, state in _lane(spans, lane):
                bars.setdefault(state, []).append((begin, end - begin))
            for state, own in bars.items():
                seen.setdefault(state, _colour(state, seen))
                where = (row - 0.36 + 0.72 * lane / lanes, 0.72 / lanes)
                panel.broken_barh(own, where, facecolors=seen[state], linewidth=0)
    panel.set_yticks(range(len(columns)), [run.names.connections[j] for j in columns])
    panel.set_ylim(len(columns) - 0.4, -0.6)
    panel.grid(False)
    handles = [Patch(color=colour, label=state) for state, colour in sorted(seen.items()) if state]
    panel.legend(handles=handles, ncols=6, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderpad=0.1, fontsize=8)


def _lane(spans: list[tuple[float, float, str]], lane: int) -> list[tuple[float, float, str]]:
    """The spans of one part of a law, those of one state after another in one."""
    found: list[tuple[float, float, str]] = []
    for begin, end, state in spans:
        word = (*split(state), *[""] * (lane + 1))[lane]
        if found and found[-1][2] == word:
            found[-1] = (found[-1][0], end, word)
        else:
            found.append((begin, end, word))
    return found


def _spans(run: Run, reading: Reading, j: int) -> list[tuple[float, float, str]]:
    """(begin, end, state) of a connection over the window."""
    window, s = reading.window, reading.whole
    own = np.flatnonzero(run.events["connection"] == run.names.connections[j])
    if own.size:
        at, before, after = (run.events[name][own].tolist() for name in ("time", "before", "after"))
        edges = [(min(window.begin, at[0]), before[0]), *zip(at, after, strict=True)]
    elif s.time.size:
        states = s.state[:, j]
        changes = np.flatnonzero(states[1:] != states[:-1]) + 1
        edges = [(float(s.time[k]), str(states[k])) for k in (0, *changes)]
    else:
        return []
    edges = _inside(edges, window.begin, window.end)
    if not edges:  # a window of one instant
        return []
    if len(edges) > COLUMNS:  # narrower than a pixel: what holds somewhere in each column, not always at the same
        # place of it, else a band that repeats itself would seem to change slowly
        begins, columns = np.array([begin for begin, _ in edges]), np.linspace(*window, COLUMNS + 1)
        somewhere = columns[:-1] + np.diff(columns) * (0.618034 * np.arange(COLUMNS) % 1.0)
        held = np.searchsorted(begins, somewhere, side="right") - 1
        edges = [(float(t), edges[k][1]) for t, k in zip(columns, np.maximum(held, 0), strict=False)]
    ends = [*(begin for begin, _ in edges[1:]), window.end]
    return [(begin, end, state) for (begin, state), end in zip(edges, ends, strict=True) if end > begin]


def _inside(edges: list[tuple[float, str]], begin: float, end: float) -> list[tuple[float, str]]:
    """The states that hold within a window, and when each begins to."""
    first = max((k for k, (t, _) in enumerate(edges) if t <= begin), default=0)
    return [(max(t, begin), state) for t, state in edges[first:] if t < end]


def _colour(state: str, seen: dict[str, str]) -> str:
    if not state:
        return "#ffffff"
    free = [colour for colour in OTHERS if colour not in seen.values()]
    return STATES.get(state) or (free[0] if free else OTHERS[len(seen) % len(OTHERS)])
