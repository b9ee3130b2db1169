"""Time histories: displacements or velocities of coordinates, deflections or forces of connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.plot import style
from slipstick.plot import tolerances as tol
from slipstick.plot.run_sampling import MIN_SAMPLES_PER_REVERSAL, RunSamples, count_reversals
from slipstick.plot.ticks import set_linear_ticks
from slipstick.units.axes import AxisUnit, column_axes

if TYPE_CHECKING:
    from slipstick.results.run import Names


CONNECTION_QUANTITIES = ("deflection", "force")

ENVELOPE_COLUMNS = 600  # of a history drawn as a range: about one a pixel
MAX_LINE_REVERSALS = 400  # 3 pixels a cycle; a line with more would fill the panel and alias with the pixels
THIN_LINE_REVERSALS = 150  # above, the line is thin
MARKED_SAMPLES = 60  # fewer samples, or few a reversal, are marked, as the line between them is uncertain
MAX_LINE_POINTS = 25_000  # more look the same


class HistoryPanel(NamedTuple):
    """name : of a coordinate or connection.   what : the quantity.   x : (k,) history in the unit."""

    name: str
    what: str
    unit: str
    x: Array


def history_panels(
    names: Names, reading: RunSamples, columns: Sequence[int], quantity: str | None
) -> list[HistoryPanel]:
    """Histories of columns; without a requested quantity, a drifting coordinate shows its velocity."""
    s = reading.whole
    mine = (
        (names.connections, names.units.connections)
        if quantity in CONNECTION_QUANTITIES
        else (names.coordinates, names.units.coordinates)
    )
    found = []
    for i, axis in zip(columns, column_axes(mine[1], mine[0], columns).each, strict=True):
        own = quantity or ("velocity" if is_drifting(s.time, s.displacement[:, i]) else "displacement")
        factor, unit = _shown_in(own, axis)
        found.append(HistoryPanel(mine[0][i], own, unit, factor * getattr(s, own)[:, i]))
    return found


def _shown_in(quantity: str, axis: AxisUnit) -> tuple[float, str]:
    if quantity == "force":
        return 1.0, axis.force
    if quantity == "velocity":
        return axis.factor, axis.rate
    if quantity == "acceleration":
        return axis.factor, axis.acceleration
    return axis.factor, axis.unit


def is_drifting(t: Array, x: Array) -> bool:
    """True for a displacement that drifts by much more than it swings, as of a rotating shaft."""
    known = ~np.isnan(x)
    t, x = t[known], x[known]
    if t.size < 3 or t[-1] <= t[0]:
        return False
    line = np.polynomial.Polynomial.fit(t, x, 1)
    away = abs(float(line(t[-1]) - line(t[0])))
    return away > tol.DRIFT_RATIO * float(np.ptp(x - line(t)))


def draw_histories(panels: Any, reading: RunSamples, rows: Sequence[HistoryPanel]) -> None:
    """One panel a row; a common quantity and unit are above the first."""
    kinds, units = {row.what for row in rows}, {row.unit for row in rows}
    crowded, ranges = len(rows) > 4, False
    for panel, row in zip(panels, rows, strict=False):
        ranges = _history(panel, reading.whole.time, row.x, labelled=not ranges) or ranges
        below = [row.what] if len(kinds) > 1 else []
        below += [f"[{row.unit}]"] if len(kinds) > 1 or len(units) > 1 else []
        panel.set_ylabel("\n".join([row.name, *below]), rotation=0, ha="right", va="center")
        panel.margins(x=0.0)
        set_linear_ticks(panel, "y", 3 if crowded else 6)
    if len(kinds) == 1:
        unit = f" [{rows[0].unit}]" if len(units) == 1 else ""
        panels[0].set_title(f"{rows[0].what}{unit}", fontweight="normal", fontsize="medium", loc="right")


def _history(panel: Any, t: Array, x: Array, labelled: bool) -> bool:
    """Draw a line, or the range between extremes if it has too many reversals. Returns True for a range."""
    count = count_reversals(x)
    if count <= MAX_LINE_REVERSALS:
        sparse = t.size < max(MARKED_SAMPLES, MIN_SAMPLES_PER_REVERSAL * count)
        marks = {"marker": ".", "markersize": 4} if sparse else {}
        panel.plot(
            *thinned_history(t, x),
            color=style.BLUE,
            linewidth=style.scaled(1.4 if count <= THIN_LINE_REVERSALS else 0.7),
            **marks,
        )
        return False
    columns = _column_envelope(t, x, min(ENVELOPE_COLUMNS, count // 2))  # a narrower one than a cycle shows steps
    middles = 0.5 * (columns.begin + np.append(columns.begin[1:], t[-1]))
    middles[[0, -1]] = t[0], t[-1]
    label = "range" if labelled else None
    colours = {"facecolor": style.BAND, "edgecolor": style.BLUE, "linewidth": 0.8}
    panel.fill_between(middles, columns.low, columns.high, label=label, **colours)
    if labelled:
        panel.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderpad=0.1, fontsize="small")
    return True


class ColumnEnvelope(NamedTuple):
    """begin : start time of each column.   first : its first point.   low, high : its extremes."""

    begin: Array
    first: NDArray[np.intp]
    low: Array
    high: Array


def _column_envelope(t: Array, x: Array, count: int) -> ColumnEnvelope:
    first = np.unique(np.searchsorted(t, np.linspace(t[0], t[-1], count, endpoint=False)))
    return ColumnEnvelope(t[first], first, np.fmin.reduceat(x, first), np.fmax.reduceat(x, first))


def thinned_history(t: Array, x: Array, most: int = MAX_LINE_POINTS) -> tuple[Array, Array]:
    """A long history reduced to extremes in narrow columns, which looks the same."""
    if t.size <= most:
        return t, x
    columns = _column_envelope(t, x, 3 * ENVELOPE_COLUMNS)
    last = np.append(columns.first[1:] - 1, x.size - 1)
    rising = x[columns.first] <= x[last]  # in the order of the line
    up = np.column_stack([columns.low, columns.high])
    pairs = np.where(rising[:, None], up, up[:, ::-1])
    return np.append(np.repeat(columns.begin, 2), t[-1]), np.append(pairs, x[-1])
