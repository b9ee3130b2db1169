"""Points of a figure of a run, dense enough for lines between them.

An exact run is evaluated again, at as many times as a figure can show and on both sides of its events. Other runs have
their samples; if these are too sparse for a line, they are drawn as dots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, finite_float
from slipstick.plot import tolerances as tol
from slipstick.results.tolerances import END_TIME_TOLERANCE_REL
from slipstick.results.trajectory import ReadableTrajectory, Samples

if TYPE_CHECKING:
    from slipstick.results.run import Run


MAX_POINTS = 24_000  # evaluated points
MAX_BAND_POINTS = 200_000  # ... of a fast motion
MAX_VALUES = 4_000_000  # ... times their values, for a model with many connections
MIN_POINTS = 2000
MAX_LOOP_REVERSALS = 200  # drawn as lines; of a longer run, only the last ones, and the others as dots
LAST_REVERSALS = 60
MIN_SAMPLES_PER_REVERSAL = 20  # below, a line would cut corners


class TimeWindow(NamedTuple):
    """Displayed part of a run [s]."""

    begin: float
    end: float


class RunSamples(NamedTuple):
    """Points of a figure: the whole window, and the last part for loops.

    joined : points are dense enough for lines between them.
    """

    window: TimeWindow
    whole: Samples
    last: Samples
    joined: bool

    @property
    def shows_last_part(self) -> bool:
        """True if loops show only the end of the window."""
        return self.last.time.size > 0 and self.last is not self.whole


def sample_run(run: Run, start: Any, until: Any) -> RunSamples:
    """Points of a run between two times [s]; None for its start or end."""
    window = _window(run, start, until)
    if isinstance(run.trajectory, ReadableTrajectory):
        return _resample(run, run.trajectory, window)
    s = run.samples
    inside = slice(int(np.searchsorted(s.time, window.begin)), int(np.searchsorted(s.time, window.end, side="right")))
    whole = _drawable(s.part(inside))
    count = max_reversals(whole.deflection)
    joined = whole.time.size >= MIN_SAMPLES_PER_REVERSAL * (count + 1)
    if count <= MAX_LOOP_REVERSALS or not joined:
        return RunSamples(window, whole, whole, joined)
    tail = slice(-(whole.time.size * LAST_REVERSALS // count), None)
    return RunSamples(window, whole, whole.part(tail), joined)


def _drawable(s: Samples) -> Samples:
    """Samples with NaN for the huge values of a diverged motion."""
    columns = {name: getattr(s, name) for name in ("displacement", "velocity", "deflection", "force")}
    return s._replace(**{name: np.where(np.abs(x) < tol.MAX_DRAWABLE, x, np.nan) for name, x in columns.items()})


def max_reversals(columns: Array) -> int:
    """Largest number of reversals of columns (k, m)."""
    return max((count_reversals(columns[:, j]) for j in range(columns.shape[1])), default=0)


def count_reversals(x: Array) -> int:
    """Number of reversals of a history (k,)."""
    x = x[~np.isnan(x)]
    if x.size < 3:
        return 0
    moved = np.diff(x)
    ways = np.sign(moved[np.abs(moved) > tol.MIN_REVERSAL_REL * np.ptp(x)])
    return int(np.count_nonzero(ways[1:] != ways[:-1]))


# ---- exact runs


def _resample(run: Run, trajectory: ReadableTrajectory, window: TimeWindow) -> RunSamples:
    width = 2 * len(run.names.coordinates) + 3 * len(run.names.connections)
    room = MAX_VALUES // max(width, 1)
    count = int(np.clip(room, MIN_POINTS, MAX_POINTS))
    events = run.events["time"]
    whole = _drawable(trajectory.read(_times(window, count, events)))
    found, last, shown_reversals = window, whole, max_reversals(whole.deflection)
    if shown_reversals > MAX_LOOP_REVERSALS and room > count:  # more points find more peaks of a fast motion
        whole = _drawable(trajectory.read(_times(window, min(room, MAX_BAND_POINTS), events)))
    for _ in range(4):  # repeated, as a fast motion hides reversals between points
        if shown_reversals <= MAX_LOOP_REVERSALS:
            break
        found = TimeWindow(found.end - (found.end - found.begin) * LAST_REVERSALS / shown_reversals, found.end)
        last = _drawable(trajectory.read(_times(found, count, events)))
        shown_reversals = max_reversals(last.deflection)
    return RunSamples(window, whole, last, True)


def _times(window: TimeWindow, count: int, events: Array) -> Array:
    """Increasing times within a window, with its ends and both sides of its events."""
    begin, end = window
    spread = begin + (end - begin) * (np.arange(count) + tol.GOLDEN_RATIO_FRACTION * np.arange(count) % 1.0) / count
    inside = events[(events > begin) & (events <= end)]
    if inside.size > count // 2:  # closer than the points of the figure
        inside = inside[:0]
    both = np.concatenate([np.nextafter(inside, begin), inside])
    return np.asarray(np.unique(np.concatenate([[begin], spread, both, [end]])))


# ---- the window


def _window(run: Run, start: Any, until: Any) -> TimeWindow:
    begin, end = _span(run)
    edge = END_TIME_TOLERANCE_REL * (end - begin)
    wanted = []
    for name, value, own in (("start", start, begin), ("until", until, end)):
        if value is None:
            wanted.append(own)
            continue
        time = finite_float(name, value)
        if not begin - edge <= time <= end + edge:
            raise InvalidInput(f"{name} must be a time within the run, {begin:g} to {end:g} s, got {time:g} s")
        wanted.append(min(max(time, begin), end))
    if wanted[0] >= wanted[1] and not start is until is None:
        raise InvalidInput(f"until must be after start ({wanted[0]:g} s), got {wanted[1]:g} s")
    return TimeWindow(*wanted)


def _span(run: Run) -> TimeWindow:
    """First and last time with data."""
    if isinstance(run.trajectory, ReadableTrajectory):
        return TimeWindow(run.stats.start, run.stats.reached)
    times = np.concatenate([run.samples.time[[0, -1]] if run.samples.time.size else [], run.events["time"]])
    return (
        TimeWindow(float(times.min()), float(times.max()))
        if times.size
        else TimeWindow(run.stats.start, run.stats.reached)
    )
