"""Whole curves: traced between two parameter values, or solved at given ones."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, Message, NotConverged
from slipstick.periodic.branches.period_halving import ParentWatch
from slipstick.periodic.continuation.corrector import CurvePoint, solve_at
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.initial_point import MAX_CORRECTION_REL, find_start, has_jumped, reach_parameter
from slipstick.periodic.continuation.path import Path, rescaled_point
from slipstick.periodic.continuation.point_checks import retraced_from
from slipstick.periodic.continuation.step_control import ParameterRange, StepControl, checked_range

PointCallback = Callable[[CurvePoint], object]

MAX_EXTRAPOLATION_POINTS = 5  # points, by which the next one is predicted
MAX_EXTRAPOLATION_REL = 2.5  # times the distance between two of those: so far ahead they lead
SAME_BRANCH_REL = 0.3  # of its size: so far from the last, or where it was expected, an orbit as stable as that may lie
NO_TANGENT = np.zeros(0)  # the tangent of a point that was visited by a quicker way


@dataclass
class CurveTrace:
    """A curve as it was followed.

    points : in order along the curve.   notes : restarts and ends, in words.
    ended : why it ended before its bounds, in words; nothing if it did not.   ends : the same, of each way that did.
    interrupted : by Ctrl-C, so that nobody waits for what takes long.
    closed : it came back to its start.
    along : neighbouring points are neighbours on the curve; False for points that were only visited.
    starts_at_branch_point : its first point is where it leaves another branch.   first_error : of a displacement there.
    missed : that it did not get to the end that was asked for, in words; nothing if it did.
    crossings : numbers of points at which it goes on along another branch, with what they may be off by (a length).
    """

    family: Family
    points: list[CurvePoint]
    notes: list[str] = field(default_factory=list)
    ended: str = ""
    interrupted: bool = False
    ends: list[NotConverged] = field(default_factory=list)
    closed: bool = False
    along: bool = True
    starts_at_branch_point: bool = False
    first_error: float = 0.0
    missed: str = ""
    crossings: dict[int, float] = field(default_factory=dict)


def trace_curve(
    family: Family,
    between: tuple[float, float],
    *,
    start: tuple[Array, float] | None = None,
    how: StepControl | None = None,
    watch: PointCallback | None = None,
    tried: Callable[[], object] | None = None,
) -> CurveTrace:
    """The curve between two values of the parameter, from the first towards the second.

    start : unknowns and parameter of an orbit to begin from, both ways; default the orbit at the first value.
    watch : called with every new point; Ctrl-C in it, or anywhere, ends the curve with what there is.
    tried : called after every step that failed.

    Raises `NotConverged` with the curve so far as ``partial`` (a `CurveTrace`).
    """
    within = checked_range(between)
    x, p = (None, within.begin) if start is None else (np.asarray(start[0], dtype=float), float(start[1]))
    if not within.low <= p <= within.high:
        low, high = family.format_parameter(within.low), family.format_parameter(within.high)
        raise InvalidInput(
            f"the start must lie between {low} and {high}",
            argument="start",
            value=p,
            got=family.format_parameter(p),
            advice=[Advice("widen {between}")],
        )
    try:
        first, notes = find_start(family, p, x, within)
        first = rescaled_point(family, first, within.span)
    except KeyboardInterrupt:
        words = f"interrupted while searching for the first orbit, at {family.format_parameter(p)}"
        raise NotConverged(words, interrupted=True) from None
    traced = trace_from(family, first, within, notes, how, watch, tried=tried)
    back = None if traced.closed else retraced_from(traced.points)
    if back is not None:
        traced.points = traced.points[: back + 1]
        traced.ended = (
            f"the continuation ran back along the curve from {family.format_parameter(traced.points[-1].p, 6)}"
        )
        raise NotConverged(traced.ended, traced)
    ends = {traced.points[0].p, traced.points[-1].p}
    on_parent = not traced.crossings.keys().isdisjoint((0, len(traced.points) - 1))
    if not traced.closed and not on_parent and within.end not in ends:
        traced.missed = Message(
            f"the curve turned back and left the range at {family.format_parameter(within.begin)} again; "
            f"{family.format_parameter(within.end)} was not reached",
            advice=[family.other_end_advice(*within)],
        )
    return traced


def trace_from(
    family: Family,
    first: CurvePoint,
    within: ParameterRange,
    notes: Sequence[str] = (),
    how: StepControl | None = None,
    watch: PointCallback | None = None,
    both: bool = True,
    tried: Callable[[], object] | None = None,
) -> CurveTrace:
    """The curve through a point, both ways (or along its tangent only)."""
    if both and (first.tangent[-1] < 0.0) == (within.end > within.begin):  # towards the end first
        first = first.reversed()
    traced = CurveTrace(family, [first], list(notes))
    own = family.mirrored(first.x, first.p) or family
    ways = [Path(own, first, within, how), *([Path(own, first.reversed(), within, how)] if both else [])]
    for k, path in enumerate(ways):
        interrupted, why = False, None
        path.tried = tried
        try:
            parent = ParentWatch(own, first, within)
            for point in path:
                if not parent.idle and parent.meets(point):
                    break
                if watch is not None and not (k and point is path.start):
                    watch(point)
        except KeyboardInterrupt:
            path.end, interrupted = "interrupted", True
        except NotConverged as failure:
            path.end, why = failure.message, failure
        _join(traced, path, why, backward=bool(k))
        if parent.words:
            _end_at(traced, parent, backward=bool(k))
        if path.closed or interrupted:
            break
    if traced.ended:
        raise NotConverged(traced.ended, traced, interrupted=interrupted)
    return traced


def _join(traced: CurveTrace, path: Path, why: NotConverged | None, backward: bool) -> None:
    """Put the points of a path before or behind those there are; a backward one is turned round."""
    new = path.points[1:]
    if backward:
        traced.points = [point.reversed() for point in reversed(new)] + traced.points
        traced.crossings = {k + len(new): error for k, error in traced.crossings.items()}
    else:
        traced.points = traced.points + new
    traced.notes += path.notes
    traced.closed |= path.closed
    if path.end:
        traced.ends.append(why or NotConverged(path.end))
        traced.ended = Message.joined(each.message for each in traced.ends)


def _end_at(traced: CurveTrace, parent: ParentWatch, backward: bool) -> None:
    """Take off the point that lies beyond the end of a branch, and put the end itself in its place."""
    traced.notes.append(parent.words)
    if backward:
        traced.points[:1] = [point.reversed() for point in reversed(parent.rest)]
        traced.crossings = {k + len(parent.rest) - 1: error for k, error in traced.crossings.items()}
    else:
        traced.points[-1:] = parent.rest
    if parent.end is not None:
        traced.crossings[0 if backward else len(traced.points) - 1] = parent.end.error


def solve_at_values(
    family: Family,
    at: Sequence[float],
    *,
    start: tuple[Array, float] | None = None,
    watch: PointCallback | None = None,
) -> CurveTrace:
    """The points at given values of the parameter, each reached from the one before; the first from the start.

    Where Newton's method fails from one to the next, the curve is followed there. Raises as `trace_curve` does.
    """
    wanted = [float(p) for p in at]
    if not wanted or not all(map(math.isfinite, wanted)):
        raise InvalidInput("at must have at least one value, all of them finite").about("at")
    traced = CurveTrace(family, [], along=False)
    within = ParameterRange(min(wanted), max(wanted))
    try:
        if start is None:
            first, notes = find_start(family, wanted[0], None, within)
        else:
            begun, notes = find_start(family, float(start[1]), np.asarray(start[0], dtype=float), within)
            first, more = reach_parameter(family, begun, wanted[0], within)
            notes += more
        traced.notes += notes
        for p in wanted:
            new, more = (first, []) if not traced.points else _next(family, traced.points, p, within)
            traced.points.append(new)
            traced.notes += more
            if watch is not None:
                watch(new)
    except (NotConverged, KeyboardInterrupt) as failure:
        words = "interrupted" if isinstance(failure, KeyboardInterrupt) else failure.message
        traced.ended = words
        raise NotConverged(words, traced, interrupted=getattr(failure, "interrupted", True)) from failure
    return traced


def _next(family: Family, points: list[CurvePoint], p: float, within: ParameterRange) -> tuple[CurvePoint, list[str]]:
    """The orbit at the next value: by the family's own quick way from where the last points lead, else by
    `reach_parameter`."""
    last = points[-1]
    if p == last.p:
        return last, []
    found = _solve_quickly(family, points, p)
    if found is not None:
        return found, []
    if last.tangent is NO_TANGENT:
        try:
            last = solve_at(family, last.x, last.p, float(last.scale[-1]))
        except NotConverged:  # an orbit at the edge of its band, from which no curve goes on
            return find_start(family, p, None, within)
    return reach_parameter(family, last, p, within)


def _solve_quickly(family: Family, points: list[CurvePoint], p: float) -> CurvePoint | None:
    """The orbit at p by the family's own quick way; None if there is none, or it may lie on another branch."""
    last = points[-1]
    for guess in _extrapolated(points, p):
        try:
            found = family.solve_near(guess[:-1], p)
        except NotConverged:
            continue
        if found is None:
            return None
        z, scale = guess.copy(), last.scale.copy()
        z[:-1], scale[:-1] = found.x, family.scales(found.x, p)
        missed, gone = _distance(z, guess, scale), _distance(z, last.z, scale)
        alike = found.alike and min(missed, gone) <= SAME_BRANCH_REL
        new = CurvePoint(z, scale, NO_TANGENT, found.iterations, found.residual)
        near = missed <= MAX_CORRECTION_REL * _distance(guess, last.z, scale) and not has_jumped(new, last.z)
        if found.banded or alike or near:
            return new
    return None


def _distance(a: Array, b: Array, scale: Array) -> float:
    apart = (a - b) / scale
    return math.sqrt(apart.dot(apart))


def _extrapolated(points: list[CurvePoint], p: float) -> Iterator[Array]:
    """(size + 1,) where the polynomial through the last points leads at p, where the last two lead, and the last one.

    Points count as far back as they go the same way and are not much nearer to each other than p is.
    """
    some = points[: -MAX_EXTRAPOLATION_POINTS - 1 : -1]
    values = [point.p for point in some]
    ahead, known = p - values[0], 1
    for value, earlier in itertools.pairwise(values):
        gap = value - earlier
        if not gap * ahead > 0.0 or abs(ahead) > MAX_EXTRAPOLATION_REL * abs(gap):
            break
        known += 1
    for count in dict.fromkeys((known, min(known, 2), 1)):
        weights = [
            math.prod((p - other) / (own - other) for other in values[:count] if other != own) for own in values[:count]
        ]
        z = np.array(weights) @ np.array([point.z for point in some[:count]])
        z[-1] = p
        yield z


class TimedStats(Protocol):
    """What a result says of how it was made."""

    ended: str
    seconds: float


def trace_timed(trace: Callable[[], CurveTrace], stats: TimedStats) -> tuple[CurveTrace, NotConverged | None]:
    """The curve; and what ended it early, to be raised with the result of the part as its ``partial``.

    Raises what ended it before its first point.
    """
    began, failure = perf_counter(), None
    try:
        traced = trace()
    except NotConverged as stopped:
        if not isinstance(stopped.partial, CurveTrace) or not stopped.partial.points:
            stopped.partial = None
            raise
        traced = stopped.partial
        traced.interrupted = stopped.interrupted
        stats.ended = traced.ended or stopped.message
        failure = NotConverged(str(stopped), interrupted=stopped.interrupted)
    stats.ended = stats.ended or traced.missed
    stats.seconds = perf_counter() - began
    return traced, failure
