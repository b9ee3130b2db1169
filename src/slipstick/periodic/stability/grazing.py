"""Grazes: where an event appears or vanishes along a curve, and in which connection.

Two events of a connection that vanish at a graze meet there: a gap that hardly closes opens again at once. The time t
between them tells how far away the graze is: t^2 is in proportion to that where a force or a gap just reaches its
bound, t where a stick is passed over. So the place s is a polynomial of t, and its value at t = 0 is the graze.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from slipstick.periodic.continuation.corrector import NewtonStalled
from slipstick.periodic.continuation.curve_segment import LOCATION_LENGTH, SOLVER_FAILURES, CurveSegment
from slipstick.periodic.continuation.family import OrbitEvent

MAX_GRAZES = 6  # between two points
MAX_GRAZE_LOOKS = 24  # for one graze: by halves alone it is known to 1e-7 of the stretch then
GRAZE_TOLERANCE_REL = 1e-6  # of a stretch: a graze that is known so well is located
MIN_EVENT_DURATION_REL = 1e-6  # of the period: what is over so soon has not happened
PASSED_STATE_REL = 1e-11  # of the period: a state on the way to another that is over so soon was passed over
RETRY_OFFSETS_REL = (1e-7, 1e-5, 1e-3)  # of a stretch: so far beside a place without an orbit the next is looked at
MAX_FAILED_PLACES = 6  # places of a stretch without an orbit: then it is enough
SAME_GRAZE_DISTANCE_REL = 1e-6  # of a stretch: grazes so near to each other are one, parted by rounding
EXTRAPOLATION_PLACES = 4  # places that a guess is made from
FIRST_APPROACH_REL, LATER_APPROACH_REL = (
    0.05,
    1e-3,
)  # of the way to a guess: so far before it the next place is, at first and later


class Graze(NamedTuple):
    """Of an event that appears or vanishes.

    along : how far along the stretch, a place where it has.   width : of the parameter, back to where it has not.
    connection : whose event; nothing if it is not known.   located : it is known as well as it can be.
    """

    along: float
    width: float
    connection: str
    located: bool


class _EventsAtPlace(NamedTuple):
    """What happens in a period at a place of a stretch: in order, and how often by connection (nothing: not known)."""

    events_along: Sequence[OrbitEvent]
    counts: Counter[str]


def find_grazes(stretch: CurveSegment, skip_location: bool = False) -> list[Graze]:
    """All of a stretch, in order; skip_location : the stretch itself is the interval in which one lies."""
    search, found, begin = _GrazeSearch(stretch), list[Graze](), 0.0
    while search.seen(begin).counts != search.seen(stretch.length).counts and len(found) < MAX_GRAZES:
        low, high = (begin, stretch.length) if skip_location else search.narrowed(begin, stretch.length)
        width = abs(stretch.located(high).p - stretch.located(low).p)
        found.append(Graze(high, width, search.differing(low, high), high - low <= search.sure))
        if not found[-1].located:  # orbits are not to be had here
            break
        begin = min(high + SAME_GRAZE_DISTANCE_REL * stretch.length, stretch.length)
    return found


class _GrazeSearch:
    """Looks at places of a stretch, each once."""

    def __init__(self, stretch: CurveSegment) -> None:
        self.stretch, self.known = stretch, dict[float, _EventsAtPlace]()
        self.enough = max(LOCATION_LENGTH, 1e-9 * stretch.length)
        self.sure = max(self.enough, GRAZE_TOLERANCE_REL * stretch.length)
        self.nearly = 10.0 * self.enough  # by which rounding may lead a guess astray

    def seen(self, along: float) -> _EventsAtPlace:
        if along not in self.known:
            located = self.stretch.located(along, retries=False)
            events_along = self.stretch.family.events_along(located.z[:-1], float(located.z[-1]))
            if events_along is None:  # only how many there are
                counts = Counter({"": self.stretch.point(along).events})
            else:
                events_along = _lasting(events_along)
                counts = Counter(each.connection for each in events_along)
            self.known[along] = _EventsAtPlace(events_along or (), counts)
        return self.known[along]

    def differing(self, low: float, high: float) -> str:
        """The connection whose number of events differs most between two places."""
        a, b = self.seen(low).counts, self.seen(high).counts
        return max({**a, **b}, key=lambda name: abs(b[name] - a[name]))

    def narrowed(self, low: float, high: float) -> tuple[float, float]:
        """Two places close together: up to the first, all is as at the start; at the second it is not.

        As close as there are orbits: where something chatters there may be none.
        """
        here, last, looks = self.seen(low).counts, np.inf, 0
        while high - low > self.enough and looks < MAX_GRAZE_LOOKS:
            guess = self._guess(low, high)
            place = 0.5 * (low + high) if guess is None else self._next(guess, abs(guess - last), low, high)
            last = np.inf if guess is None else guess
            near = self._near(place, low, high)
            if near is None:
                break
            low, high = (near, high) if self.seen(near).counts == here else (low, near)
            looks += 1
        return low, high

    def _near(self, place: float, low: float, high: float) -> float | None:
        """A place as near to this one as there is an orbit, between two others; None if there is none.

        Where two events meet at once it may be that no orbit can be had, but a little beside there is one.
        """
        for aside in (0.0, *(sign * part * self.stretch.length for part in RETRY_OFFSETS_REL for sign in (1.0, -1.0))):
            if not low < place + aside < high or self.stretch.troubles > MAX_FAILED_PLACES:
                continue
            try:
                self.seen(place + aside)
                return place + aside
            except SOLVER_FAILURES as trouble:
                self.stretch.troubles += 1
                self.stretch.stalled |= isinstance(trouble, NewtonStalled)
                if high - low <= self.sure:  # known well enough: beside such a place orbits take long
                    return None
        return None

    def _with_more(self, low: float, high: float) -> tuple[float, str]:
        """The one of two places at which a connection has more events, and that connection."""
        name = self.differing(low, high)
        return (high if self.seen(high).counts[name] > self.seen(low).counts[name] else low), name

    def _guess(self, low: float, high: float) -> float | None:
        """Where two events meet, from places at which both are there; None where that is not known."""
        more, name = self._with_more(low, high)
        alike = [s for s, seen in self.known.items() if seen.counts == self.seen(more).counts and not low < s < high]
        places = sorted((s for s in alike if (s <= low) == (more == low)), key=lambda s: abs(s - more))[
            :EXTRAPOLATION_PLACES
        ]
        times = [_shortest(self.seen(s).events_along, name) for s in places]
        if len(places) < 2 or not times[-1] < np.inf or not np.all(np.diff(times) > 0.0):
            return None  # the nearest to each other may be other events, farther away
        guess = _at_zero(times, places)
        if not low - self.nearly <= guess <= high + self.nearly:
            return None
        return min(max(guess, low), high)

    def _next(self, guess: float, moved: float, low: float, high: float) -> float:
        """The next place to look at: before the guess, where events are still there; at the end, just behind it.

        moved : how far the guess lies from the last one.
        """
        more, _ = self._with_more(low, high)
        gone, way = abs(guess - more), (1.0 if more == high else -1.0)
        if gone > self.enough:
            place = guess + way * max(
                min(moved, FIRST_APPROACH_REL * gone), LATER_APPROACH_REL * gone, 0.4 * self.enough
            )
        else:
            place = more - way * 0.9 * self.enough
        return place if low < place < high else 0.5 * (low + high)


def _lasting(events_along: Sequence[OrbitEvent]) -> list[OrbitEvent]:
    """Without pairs of events of one connection that follow on each other at once: a touch by rounding. A state that is
    passed on the way to another, such as a stick where sliding turns round, is there however short it is, or else the
    pair is one event: were it none, a graze would have a second one beside it, where the stick is long enough.

    A period that begins in slip may have its start in slip counted as an event: alone, it makes their number odd.
    """
    kept: list[OrbitEvent] = []
    for each in events_along:
        own = next((one for one in reversed(kept) if one.connection == each.connection), None)
        passes = own is not None and own.part == each.part and own.before != each.after
        if own is None or each.time - own.time >= (PASSED_STATE_REL if passes else MIN_EVENT_DURATION_REL):
            kept.append(each)
        elif passes:
            kept[kept.index(own)] = own._replace(after=each.after)
        else:
            kept.remove(own)
    counts = Counter(each.connection for each in kept)
    return [each for each in kept if not (counts[each.connection] % 2 and _at_begin(each))]


def _at_begin(event: OrbitEvent) -> bool:
    return min(event.time, 1.0 - event.time) < MIN_EVENT_DURATION_REL


def _shortest(events_along: Sequence[OrbitEvent], name: str) -> float:
    """The shortest time from an event of a connection to its next, as a part of the period."""
    times = np.sort([each.time for each in events_along if each.connection == name])
    return float(np.diff(times, append=times[:1] + 1.0).min(initial=np.inf))


def _at_zero(times: Sequence[float], places: Sequence[float]) -> float:
    """The value at t = 0 of the polynomial s(t) through some places; of two, that of s(t^2)."""
    t = np.asarray(times) ** 2 if len(times) == 2 else np.asarray(times)
    value = 0.0
    for k, place in enumerate(places):
        others = np.delete(t, k)
        value += place * float(np.prod(others / (others - t[k])))
    return value
