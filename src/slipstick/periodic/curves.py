"""Whole curves: followed between two values of the parameter, or visited at given ones."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.arclength import Arclength, Bounds, bounds
from slipstick.periodic.continuation import Path, rescaled
from slipstick.periodic.corrector import Located, solve_at
from slipstick.periodic.family import Family
from slipstick.periodic.starting import NEAR, find_start, leaps, reach
from slipstick.periodic.turning import there_and_back

Array = NDArray[np.float64]
Watch = Callable[[Located], object]

MOST_KNOWN = 5  # points, by which the next one is predicted
FARTHEST = 2.5  # times the distance between two of those: so far ahead they lead
ALIKE = 0.3  # of its size: so far from the last, or where it was expected, an orbit as stable as that may lie
UNKNOWN = np.zeros(0)  # the tangent of a point that was visited by a quicker way


@dataclass
class Traced:
    """A curve as it was followed.

    points : in order along the curve.   notes : restarts and ends, in words.
    ended : why it ended before its bounds, in words; nothing if it did not.   ends : the same, of each way that did.
    interrupted : by Ctrl-C, so that nobody waits for what takes long.
    closed : it came back to its start.
    along : neighbouring points are neighbours on the curve; False for points that were only visited.
    branches_off : its first point is where it leaves another branch.   first_error : of a displacement there.
    missed : that it did not get to the end that was asked for, in words; nothing if it did.
    crossings : numbers of points at which it goes on along another branch, with what they may be off by (a length).
    """

    family: Family
    points: list[Located]
    notes: list[str] = field(default_factory=list)
    ended: str = ""
    interrupted: bool = False
    ends: list[NotConverged] = field(default_factory=list)
    closed: bool = False
    along: bool = True
    branches_off: bool = False
    first_error: float = 0.0
    missed: str = ""
    crossings: dict[int, float] = field(default_factory=dict)


def follow(
    family: Family,
    between: tuple[float, float],
    *,
    start: tuple[Array, float] | None = None,
    how: Arclength | None = None,
    watch: Watch | None = None,
    tried: Callable[[], object] | None = None,
) -> Traced:
    """The curve between two values of the parameter, from the first towards the second.

    start : unknowns and parameter of an orbit to begin from, both ways; default the orbit at the first value.
    watch : called with every new point; Ctrl-C in it, or anywhere, ends the curve with what there is.
    tried : called after every step that failed.

    Raises `NotConverged` with the curve so far as ``partial`` (a `Traced`).
    """
    within = bounds(between)
    x, p = (None, within.begin) if start is None else (np.asarray(start[0], dtype=float), float(start[1]))
    if not within.low <= p <= within.high:
        raise InvalidInput(
            f"the start must lie between {family.said(within.low)} and {family.said(within.high)}, "
            f"got {family.said(p)}; widen between="
        ).about("start")
    try:
        first, notes = find_start(family, p, x, within)
        first = rescaled(family, first, within.span)
    except KeyboardInterrupt:
        words = f"interrupted while an orbit at {family.said(p)} to begin with was looked for"
        raise NotConverged(words, interrupted=True) from None
    traced = follow_from(family, first, within, notes, how, watch, tried=tried)
    back = None if traced.closed else there_and_back(traced.points)
    if back is not None:
        traced.points = traced.points[: back + 1]
        traced.ended = f"the curve ran back along itself from {family.said(traced.points[-1].p, 9)}"
        raise NotConverged(traced.ended, traced)
    ends = {traced.points[0].p, traced.points[-1].p}
    if not traced.closed and within.end not in ends:
        traced.missed = (
            f"the curve turned back and left the range at {family.said(within.begin)} again; "
            f"{family.said(within.end)} was not reached: {family.said_of_the_other_end(*within)}"
        )
    return traced


def follow_from(
    family: Family,
    first: Located,
    within: Bounds,
    notes: Sequence[str] = (),
    how: Arclength | None = None,
    watch: Watch | None = None,
    both: bool = True,
    tried: Callable[[], object] | None = None,
) -> Traced:
    """The curve through a point, both ways (or along its tangent only)."""
    if both and (first.tangent[-1] < 0.0) == (within.end > within.begin):  # towards the end first
        first = first.reversed()
    traced = Traced(family, [first], list(notes))
    own = family.mirrored(first.x, first.p) or family
    ways = [Path(own, first, within, how), *([Path(own, first.reversed(), within, how)] if both else [])]
    for k, path in enumerate(ways):
        interrupted, why = False, None
        path.tried = tried
        try:
            for point in path:
                if watch is not None and not (k and point is path.start):
                    watch(point)
        except KeyboardInterrupt:
            path.end, interrupted = "interrupted", True
        except NotConverged as failure:
            path.end, why = str(failure), failure
        _join(traced, path, why, backward=bool(k))
        if path.closed or interrupted:
            break
    if traced.ended:
        raise NotConverged(traced.ended, traced, interrupted=interrupted)
    return traced


def _join(traced: Traced, path: Path, why: NotConverged | None, backward: bool) -> None:
    """Put the points of a path before or behind those there are; a backward one is turned round."""
    new = path.points[1:]
    traced.points = [point.reversed() for point in reversed(new)] + traced.points if backward else traced.points + new
    traced.notes += path.notes
    traced.closed |= path.closed
    if path.end:
        traced.ends.append(why or NotConverged(path.end))
        traced.ended = "; ".join(map(str, traced.ends))


def visit(
    family: Family,
    at: Sequence[float],
    *,
    start: tuple[Array, float] | None = None,
    watch: Watch | None = None,
) -> Traced:
    """The points at given values of the parameter, each reached from the one before; the first from the start.

    Where Newton's method fails from one to the next, the curve is followed there. Raises as `follow` does.
    """
    wanted = [float(p) for p in at]
    if not wanted or not all(map(math.isfinite, wanted)):
        raise InvalidInput("at must have at least one value, all of them finite").about("at")
    traced = Traced(family, [], along=False)
    within = Bounds(min(wanted), max(wanted))
    try:
        if start is None:
            first, notes = find_start(family, wanted[0], None, within)
        else:
            begun, notes = find_start(family, float(start[1]), np.asarray(start[0], dtype=float), within)
            first, more = reach(family, begun, wanted[0], within)
            notes += more
        traced.notes += notes
        for p in wanted:
            new, more = (first, []) if not traced.points else _next(family, traced.points, p, within)
            traced.points.append(new)
            traced.notes += more
            if watch is not None:
                watch(new)
    except (NotConverged, KeyboardInterrupt) as failure:
        words = "interrupted" if isinstance(failure, KeyboardInterrupt) else str(failure)
        traced.ended = words
        raise NotConverged(words, traced, interrupted=getattr(failure, "interrupted", True)) from failure
    return traced


def _next(family: Family, points: list[Located], p: float, within: Bounds) -> tuple[Located, list[str]]:
    """The orbit at the next value: by the family's own quick way from where the last points lead, else by `reach`."""
    last = points[-1]
    if p == last.p:
        return last, []
    found = _quickly(family, points, p)
    if found is not None:
        return found, []
    if last.tangent is UNKNOWN:
        try:
            last = solve_at(family, last.x, last.p, float(last.scale[-1]))
        except NotConverged:  # an orbit at the edge of its band, from which no curve goes on
            return find_start(family, p, None, within)
    return reach(family, last, p, within)


def _quickly(family: Family, points: list[Located], p: float) -> Located | None:
    """The orbit at p by the family's own quick way; None if there is none, or it may lie on another branch."""
    last = points[-1]
    for guess in _extrapolated(points, p):
        try:
            found = family.solved_near(guess[:-1], p)
        except NotConverged:
            continue
        if found is None:
            return None
        z, scale = guess.copy(), last.scale.copy()
        z[:-1], scale[:-1] = found.x, family.scales(found.x, p)
        missed, gone = _distance(z, guess, scale), _distance(z, last.z, scale)
        alike = found.alike and min(missed, gone) <= ALIKE
        new = Located(z, scale, UNKNOWN, found.iterations, found.residual)
        near = missed <= NEAR * _distance(guess, last.z, scale) and not leaps(new, last.z)
        if found.banded or alike or near:
            return new
    return None


def _distance(a: Array, b: Array, scale: Array) -> float:
    apart = (a - b) / scale
    return math.sqrt(apart.dot(apart))


def _extrapolated(points: list[Located], p: float) -> Iterator[Array]:
    """(size + 1,) where the polynomial through the last points leads at p, where the last two lead, and the last one.

    Points count as far back as they go the same way and are not much nearer to each other than p is.
    """
    some = points[: -MOST_KNOWN - 1 : -1]
    values = [point.p for point in some]
    ahead, known = p - values[0], 1
    for value, earlier in itertools.pairwise(values):
        gap = value - earlier
        if not gap * ahead > 0.0 or abs(ahead) > FARTHEST * abs(gap):
            break
        known += 1
    for count in dict.fromkeys((known, min(known, 2), 1)):
        weights = [
            math.prod((p - other) / (own - other) for other in values[:count] if other != own) for own in values[:count]
        ]
        z = np.array(weights) @ np.array([point.z for point in some[:count]])
        z[-1] = p
        yield z
