"""What a picture of a run is drawn from: points that lie so close that lines between them tell no lies.

An exact run is read once more, at as many times as a picture can show and at its events from both sides. Other runs
have the samples that were asked for; where those are too far apart for a line, they are drawn as dots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.model.system import finite_float
from slipstick.plot import tolerances as tol
from slipstick.results.tolerances import END_TIME_TOLERANCE_REL
from slipstick.results.trajectory import ReadableTrajectory, Samples

if TYPE_CHECKING:
    from slipstick.results.run import Run

Array = NDArray[np.float64]

MAX_POINTS = 24_000  # of a reading,
MAX_BAND_POINTS = 200_000  # of one of a fast motion,
MAX_VALUES = 4_000_000  # and the numbers in it, for a model with many connections
MIN_POINTS = 2000
# of a loop that is drawn whole; a longer run shows its last loops as lines, those before as dots,
MAX_LOOP_REVERSALS = 200
LAST_REVERSALS = 60  # and these are so many
MIN_SAMPLES_PER_REVERSAL = 20  # samples between two turns, below which a line would cut corners


class TimeWindow(NamedTuple):
    """The part of a run that is shown [s]."""

    begin: float
    end: float


class RunSamples(NamedTuple):
    """The points of a picture: all of the window, and those that loops are drawn from.

    joined : lines between the points of a loop are honest.
    """

    window: TimeWindow
    whole: Samples
    last: Samples
    joined: bool

    @property
    def shows_last_part(self) -> bool:
        """True if loops show the end of the window only."""
        return self.last.time.size > 0 and self.last is not self.whole


def sample_run(run: Run, start: Any, until: Any) -> RunSamples:
    """What to draw of a run between two times [s]; None: from its begin, to its end."""
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
    """Without what is beyond all bounds: the end of a motion that grew until it could not go on."""
    columns = {name: getattr(s, name) for name in ("displacement", "velocity", "deflection", "force")}
    return s._replace(**{name: np.where(np.abs(x) < tol.MAX_DRAWABLE, x, np.nan) for name, x in columns.items()})


def max_reversals(columns: Array) -> int:
    """How often the busiest of columns (k, m) turns round."""
    return max((count_reversals(columns[:, j]) for j in range(columns.shape[1])), default=0)


def count_reversals(x: Array) -> int:
    """How often a history (k,) turns round."""
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
    if shown_reversals > MAX_LOOP_REVERSALS and room > count:  # a band is as wide as the peaks that were met
        whole = _drawable(trajectory.read(_times(window, min(room, MAX_BAND_POINTS), events)))
    for _ in range(4):  # more than once where the motion is so fast that not all turns were seen
        if shown_reversals <= MAX_LOOP_REVERSALS:
            break
        found = TimeWindow(found.end - (found.end - found.begin) * LAST_REVERSALS / shown_reversals, found.end)
        last = _drawable(trajectory.read(_times(found, count, events)))
        shown_reversals = max_reversals(last.deflection)
    return RunSamples(window, whole, last, True)


def _times(window: TimeWindow, count: int, events: Array) -> Array:
    """Increasing times within a window, its ends and the events in it among them, those from both sides."""
    begin, end = window
    spread = begin + (end - begin) * (np.arange(count) + tol.GOLDEN_RATIO_FRACTION * np.arange(count) % 1.0) / count
    inside = events[(events > begin) & (events <= end)]
    if inside.size > count // 2:  # so many that they are closer than the points of the picture
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
    """From the first to the last instant that there is something to show of."""
    if isinstance(run.trajectory, ReadableTrajectory):
        return TimeWindow(run.stats.start, run.stats.reached)
    times = np.concatenate([run.samples.time[[0, -1]] if run.samples.time.size else [], run.events["time"]])
    return (
        TimeWindow(float(times.min()), float(times.max()))
        if times.size
        else TimeWindow(run.stats.start, run.stats.reached)
    )
