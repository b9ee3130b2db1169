"""Time histories: displacements or velocities of coordinates, deflections or forces of connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.plot import style
from slipstick.plot.reading import LEAST_A_TURN, Reading, turns
from slipstick.plot.ticks import ticks
from slipstick.plot.units import Axis, axes_of

if TYPE_CHECKING:
    from slipstick.results.run import Names

Array = NDArray[np.float64]

OF_CONNECTIONS = ("deflection", "force")

COLUMNS = 600  # of a history that is drawn as a range: about as many as it has pixels across
FASTEST_LINE = 400  # turns of a line: 3 pixels a cycle; beyond, it would fill the panel, and beat with the pixels
MANY = 150  # turns, from which on a line is thin
FEW_SAMPLES = 60  # below this, or where it turns within a few of them, each is marked: the lines between are guesses
MOST_IN_LINE = 25_000  # points; more look the same
DRIFT = 3.0  # times what is left of a displacement without its straight line: it turns, and its velocity tells more


class Row(NamedTuple):
    """A panel: whose history, of what, in which unit; x : (k,) in that unit."""

    name: str
    what: str
    unit: str
    x: Array


def rows_of(names: Names, reading: Reading, columns: Sequence[int], quantity: str | None) -> list[Row]:
    """The histories of columns; where no quantity is asked for, a coordinate that drifts shows its velocity."""
    s = reading.whole
    mine = (
        (names.connections, names.units.connections)
        if quantity in OF_CONNECTIONS
        else (names.coordinates, names.units.coordinates)
    )
    found = []
    for i, axis in zip(columns, axes_of(mine[1], mine[0], columns).each, strict=True):
        own = quantity or ("velocity" if drifts(s.time, s.displacement[:, i]) else "displacement")
        factor, unit = _shown_in(own, axis)
        found.append(Row(mine[0][i], own, unit, factor * getattr(s, own)[:, i]))
    return found


def _shown_in(quantity: str, axis: Axis) -> tuple[float, str]:
    if quantity == "force":
        return 1.0, axis.force
    if quantity == "velocity":
        return axis.factor, axis.rate
    return axis.factor, axis.unit


def drifts(t: Array, x: Array) -> bool:
    """True for a displacement that goes away by much more than it swings: a shaft that turns."""
    known = ~np.isnan(x)
    t, x = t[known], x[known]
    if t.size < 3 or t[-1] <= t[0]:
        return False
    line = np.polynomial.Polynomial.fit(t, x, 1)
    away = abs(float(line(t[-1]) - line(t[0])))
    return away > DRIFT * float(np.ptp(x - line(t)))


def draw_histories(panels: Any, reading: Reading, rows: Sequence[Row]) -> None:
    """One panel a row; what all of them share stands above the first."""
    kinds, units = {row.what for row in rows}, {row.unit for row in rows}
    crowded, ranges = len(rows) > 4, False
    for panel, row in zip(panels, rows, strict=False):
        ranges = _history(panel, reading.whole.time, row.x, labelled=not ranges) or ranges
        below = [row.what] if len(kinds) > 1 else []
        below += [f"[{row.unit}]"] if len(kinds) > 1 or len(units) > 1 else []
        panel.set_ylabel("\n".join([row.name, *below]), rotation=0, ha="right", va="center")
        panel.margins(x=0.0)
        ticks(panel, "y", 3 if crowded else 6)
    if len(kinds) == 1:
        unit = f" [{rows[0].unit}]" if len(units) == 1 else ""
        panels[0].set_title(f"{rows[0].what}{unit}", fontweight="normal", fontsize=10, loc="right")


def _history(panel: Any, t: Array, x: Array, labelled: bool) -> bool:
    """A line; where it turns too often to be seen as one, the range between its least and largest values: True."""
    count = turns(x)
    if count <= FASTEST_LINE:
        sparse = t.size < max(FEW_SAMPLES, LEAST_A_TURN * count)
        marks = {"marker": ".", "markersize": 4} if sparse else {}
        panel.plot(*thinned(t, x), color=style.BLUE, linewidth=1.4 if count <= MANY else 0.7, **marks)
        return False
    columns = _columns(t, x, min(COLUMNS, count // 2))  # none narrower than a cycle, else it would look like steps
    middles = 0.5 * (columns.begin + np.append(columns.begin[1:], t[-1]))
    middles[[0, -1]] = t[0], t[-1]
    label = "range" if labelled else None
    colours = {"facecolor": style.BAND, "edgecolor": style.BLUE, "linewidth": 0.8}
    panel.fill_between(middles, columns.low, columns.high, label=label, **colours)
    if labelled:
        panel.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderpad=0.1, fontsize=8)
    return True


class Columns(NamedTuple):
    """A history in columns: when each begins, the number of its first point, its least and largest value."""

    begin: Array
    first: NDArray[np.intp]
    low: Array
    high: Array


def _columns(t: Array, x: Array, count: int) -> Columns:
    first = np.unique(np.searchsorted(t, np.linspace(t[0], t[-1], count, endpoint=False)))
    return Columns(t[first], first, np.fmin.reduceat(x, first), np.fmax.reduceat(x, first))


def thinned(t: Array, x: Array, most: int = MOST_IN_LINE) -> tuple[Array, Array]:
    """A history of more than so many points as its least and largest value in narrow columns: it looks the same."""
    if t.size <= most:
        return t, x
    columns = _columns(t, x, 3 * COLUMNS)
    last = np.append(columns.first[1:] - 1, x.size - 1)
    rising = x[columns.first] <= x[last]  # in the order in which the line meets them
    up = np.column_stack([columns.low, columns.high])
    pairs = np.where(rising[:, None], up, up[:, ::-1])
    return np.append(np.repeat(columns.begin, 2), t[-1]), np.append(pairs, x[-1])
