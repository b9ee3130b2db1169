"""What a picture of a run is drawn from: points that lie so close that lines between them tell no lies.

An exact run is read once more, at as many times as a picture can show and at its events from both sides. Other runs
have the samples that were asked for; where those are too far apart for a line, they are drawn as dots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.model.system import finite
from slipstick.results.trajectory import EDGE, Readable, Samples

if TYPE_CHECKING:
    from slipstick.results.run import Run

Array = NDArray[np.float64]

MOST_POINTS = 24_000  # of a reading,
MOST_OF_BANDS = 200_000  # of one of a fast motion,
MOST_NUMBERS = 4_000_000  # and the numbers in it, for a model with many connections
FEWEST_POINTS = 2000
MOST_TURNS = 200  # of a loop that is drawn whole; a longer run shows its last loops as lines, those before as dots,
LAST_TURNS = 60  # and these are so many
LEAST_A_TURN = 20  # samples between two turns, below which a line would cut corners
DUST = 1e-6  # of the range: a turn smaller than this is none
LARGEST = 1e100  # a motion that went beyond this cannot be drawn
SPREAD = 0.6180339887498949  # times are spread over their intervals: even ones would beat with a motion that is faster


class Window(NamedTuple):
    """The part of a run that is shown [s]."""

    begin: float
    end: float


class Reading(NamedTuple):
    """The points of a picture: all of the window, and those that loops are drawn from.

    joined : lines between the points of a loop are honest.
    """

    window: Window
    whole: Samples
    last: Samples
    joined: bool

    @property
    def last_only(self) -> bool:
        """True if loops show the end of the window only."""
        return self.last.time.size > 0 and self.last is not self.whole


def read(run: Run, start: Any, until: Any) -> Reading:
    """What to draw of a run between two times [s]; None: from its begin, to its end."""
    window = _window(run, start, until)
    if isinstance(run.trajectory, Readable):
        return _read_again(run, run.trajectory, window)
    s = run.samples
    inside = slice(int(np.searchsorted(s.time, window.begin)), int(np.searchsorted(s.time, window.end, side="right")))
    whole = _drawable(s.part(inside))
    count = most_turns(whole.deflection)
    joined = whole.time.size >= LEAST_A_TURN * (count + 1)
    if count <= MOST_TURNS or not joined:
        return Reading(window, whole, whole, joined)
    tail = slice(-(whole.time.size * LAST_TURNS // count), None)
    return Reading(window, whole, whole.part(tail), joined)


def _drawable(s: Samples) -> Samples:
    """Without what is beyond all bounds: the end of a motion that grew until it could not go on."""
    columns = {name: getattr(s, name) for name in ("displacement", "velocity", "deflection", "force")}
    return s._replace(**{name: np.where(np.abs(x) < LARGEST, x, np.nan) for name, x in columns.items()})


def most_turns(columns: Array) -> int:
    """How often the busiest of columns (k, m) turns round."""
    return max((turns(columns[:, j]) for j in range(columns.shape[1])), default=0)


def turns(x: Array) -> int:
    """How often a history (k,) turns round."""
    x = x[~np.isnan(x)]
    if x.size < 3:
        return 0
    moved = np.diff(x)
    ways = np.sign(moved[np.abs(moved) > DUST * np.ptp(x)])
    return int(np.count_nonzero(ways[1:] != ways[:-1]))


# ---- exact runs


def _read_again(run: Run, trajectory: Readable, window: Window) -> Reading:
    width = 2 * len(run.names.coordinates) + 3 * len(run.names.connections)
    room = MOST_NUMBERS // max(width, 1)
    count = int(np.clip(room, FEWEST_POINTS, MOST_POINTS))
    events = run.events["time"]
    whole = _drawable(trajectory.read(_times(window, count, events)))
    found, last, shown_turns = window, whole, most_turns(whole.deflection)
    if shown_turns > MOST_TURNS and room > count:  # a band is as wide as the peaks that were met
        whole = _drawable(trajectory.read(_times(window, min(room, MOST_OF_BANDS), events)))
    for _ in range(4):  # more than once where the motion is so fast that not all turns were seen
        if shown_turns <= MOST_TURNS:
            break
        found = Window(found.end - (found.end - found.begin) * LAST_TURNS / shown_turns, found.end)
        last = _drawable(trajectory.read(_times(found, count, events)))
        shown_turns = most_turns(last.deflection)
    return Reading(window, whole, last, True)


def _times(window: Window, count: int, events: Array) -> Array:
    """Increasing times within a window, its ends and the events in it among them, those from both sides."""
    begin, end = window
    spread = begin + (end - begin) * (np.arange(count) + SPREAD * np.arange(count) % 1.0) / count
    inside = events[(events > begin) & (events <= end)]
    if inside.size > count // 2:  # so many that they are closer than the points of the picture
        inside = inside[:0]
    both = np.concatenate([np.nextafter(inside, begin), inside])
    return np.asarray(np.unique(np.concatenate([[begin], spread, both, [end]])))


# ---- the window


def _window(run: Run, start: Any, until: Any) -> Window:
    begin, end = _span(run)
    edge = EDGE * (end - begin)
    wanted = []
    for name, value, own in (("start", start, begin), ("until", until, end)):
        if value is None:
            wanted.append(own)
            continue
        time = finite(name, value)
        if not begin - edge <= time <= end + edge:
            raise InvalidInput(f"{name} must be a time within the run, {begin:g} to {end:g} s, got {time:g} s")
        wanted.append(min(max(time, begin), end))
    if wanted[0] >= wanted[1] and not start is until is None:
        raise InvalidInput(f"until must be after start ({wanted[0]:g} s), got {wanted[1]:g} s")
    return Window(*wanted)


def _span(run: Run) -> Window:
    """From the first to the last instant that there is something to show of."""
    if isinstance(run.trajectory, Readable):
        return Window(run.stats.start, run.stats.reached)
    times = np.concatenate([run.samples.time[[0, -1]] if run.samples.time.size else [], run.events["time"]])
    return Window(float(times.min()), float(times.max())) if times.size else Window(run.stats.start, run.stats.reached)
