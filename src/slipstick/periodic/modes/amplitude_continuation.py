"""From one amplitude of a mode to the next: Newton's method at a fixed amplitude, in smaller steps where it fails.

Sliders that begin to slip are corners of the curve. Newton's method steps over them; the general code, which follows
the arclength, is left for where the mode turns back.
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Sequence

import numpy as np

from slipstick.errors import Advice, Message, NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint, newton_at
from slipstick.periodic.continuation.curve_trace import CurveTrace, PointCallback, trace_curve
from slipstick.periodic.continuation.initial_point import find_start, reach_parameter
from slipstick.periodic.continuation.path import rescaled_point
from slipstick.periodic.continuation.restarts import failure_reason
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.modes.mode_family import ModeFamily

_log = logging.getLogger(__name__)

MAX_STEP_CHANGE = 0.5  # of the mode's own size, in one step
MIN_STEP_REL = 1.0 / 64.0  # of the way to the next amplitude
MAX_NEWTON_STEPS = 15  # of Newton
OVERDAMPED_RATIO = 1.0  # damping ratio at which nothing swings
POINTS_PER_DECADE = 8  # amplitudes on the way to the first one


def solve_at_amplitudes(
    family: ModeFamily,
    at: Sequence[float],
    watch: PointCallback,
    start: CurvePoint | None = None,
    max_damping_ratio: float = math.inf,
) -> CurveTrace:
    """The points at given values of log10 of the amplitude, each from the one before; the first from the start.

    max_damping_ratio : damping ratio beyond which the rest is left out, and what cannot be reached too; a note says so.

    Raises `NotConverged` with the points so far as ``partial`` (a `CurveTrace`).
    """
    traced, within, p, last = CurveTrace(family, [], along=False), ParameterRange(min(at), max(at)), at[0], start
    try:
        for p in at:
            new, more = find_start(family, p, None, within) if last is None else _reached(family, last, p, within)
            zeta = float(new.x[-1])
            if zeta > max_damping_ratio and traced.points:
                traced.notes.append(
                    _ends(family, traced.points[-1], p, f"its damping ratio is {zeta:.2g}, too large to continue")
                )
                break
            last = new
            traced.notes += more
            traced.points.append(new)
            watch(new)
    except (NotConverged, KeyboardInterrupt) as failure:
        interrupted = isinstance(failure, KeyboardInterrupt)
        if math.isfinite(max_damping_ratio) and traced.points and not interrupted:
            traced.notes.append(_ends(family, traced.points[-1], p, "it was not found"))
            return traced
        traced.ended = "interrupted" if interrupted else _not_reached(family, traced.points, p, failure)
        raise NotConverged(traced.ended, traced, interrupted=interrupted) from failure
    return traced


class Overdamped(NotConverged):
    """It swings no more: the end of a mode, and no failure."""


def trace_mode(
    family: ModeFamily, between: tuple[float, float], way: Sequence[CurvePoint], watch: PointCallback
) -> CurveTrace:
    """The mode between two values of log10 of the amplitude by its length; to where it swings no more, with a note.

    way : points to the first of them, that at it last; there may be none.

    Beyond, solutions of the equations are no motions that decay, and the curve would lead anywhere.
    """
    start = way[-1] if way else None
    if start is not None and start.x[-1] >= OVERDAMPED_RATIO:
        raise _overdamped_message(family, start, way)
    overdamped = list[CurvePoint]()

    def swings(found: CurvePoint) -> None:
        if found.x[-1] >= OVERDAMPED_RATIO:
            overdamped.append(found)
            raise Overdamped("it swings no more")
        watch(found)

    try:
        traced = trace_curve(family, between, start=None if start is None else (start.x, start.p), watch=swings)
    except NotConverged as stopped:
        traced = stopped.partial
        if not overdamped or stopped.interrupted or not all(isinstance(end, Overdamped) for end in traced.ends):
            raise
        traced.points = [point for point in traced.points if point.x[-1] < OVERDAMPED_RATIO]
        if not traced.points:
            raise _overdamped_message(family, overdamped[0], way) from None
        traced.ended = ""
        for beyond in overdamped:
            last = min(traced.points, key=lambda point: float(np.linalg.norm(point.z - beyond.z)))
            zeta = f"its damping ratio is {beyond.x[-1]:.2g}: it no longer oscillates"
            traced.notes.append(_ends(family, last, beyond.p, zeta))
    return traced


def _overdamped_message(family: ModeFamily, first: CurvePoint, way: Sequence[CurvePoint]) -> Overdamped:
    """What is said where there is nothing to follow; way : points from where it swings to the first one."""
    swinging = list(itertools.takewhile(lambda point: point.x[-1] < OVERDAMPED_RATIO, way))
    where = "at another amplitude"
    if swinging:
        where = f"{'below' if swinging[-1].p < first.p else 'above'} {family.format_parameter(swinging[-1].p)}"
    here = family.format_parameter(first.p)
    return Overdamped(f"the mode does not oscillate at {here}: its damping ratio is {first.x[-1]:.3g}; begin {where}")


def lead_to_amplitude(family: ModeFamily, begin: float, p: float) -> list[CurvePoint]:
    """Points from where the mode is known to swing to p (log10 of an amplitude); raises `NotConverged`."""
    ends = f"{family.format_parameter(p)}, from {family.format_parameter(begin)}, where it oscillates"
    count = 2 + round(POINTS_PER_DECADE * abs(p - begin))
    try:
        return solve_at_amplitudes(family, np.linspace(begin, p, count).tolist(), lambda _: None).points
    except NotConverged as failure:
        if failure.interrupted:
            failure.partial = None  # it has none of the amplitudes that were asked for
            raise
        raise NotConverged(failure.message.wrapped(f"the mode was not reached at {ends}; on the way ")) from failure


def _ends(family: ModeFamily, last: CurvePoint, p: float, words: str) -> str:
    return f"the mode ends at {family.format_parameter(last.p)}: at {family.format_parameter(p)} {words}"


def _not_reached(family: ModeFamily, points: Sequence[CurvePoint], p: float, failure: BaseException) -> str:
    """Where it was lost, and what to do; the log has all that was tried."""
    _log.debug("a mode was not reached", exc_info=failure)
    last = points[-1] if points else None
    where = f"the mode was not reached at {family.format_parameter(p)}"
    if last is not None:
        where += f" from {family.format_parameter(last.p)}, where its damping ratio is {last.x[-1]:.3g}"
    tried = (
        "within the limit on evaluations" if family.effort.spent else "in small steps, along the curve or by a guess"
    )
    reason = Message.of(failure_reason(failure)).statement
    told = f"; the last: {reason}" if reason and not family.effort.spent else ""
    ways = [Advice("ask for other amplitudes, or raise {harmonics}")]
    if last is not None:
        ends = tuple(_rounded(end) for end in sorted((family.amplitude(last.p), family.amplitude(p))))
        way = Advice("{between}, {norm} follows it through an internal resonance", between=ends, norm="all")
        ways.insert(0, way)
    return Message(f"{where}, {tried}{told}; it may end there, or turn back", advice=ways)


def _rounded(amplitude: float) -> float:
    return float(f"{amplitude:.4g}")


def _reached(family: ModeFamily, last: CurvePoint, p: float, within: ParameterRange) -> tuple[CurvePoint, list[str]]:
    part, now = 1.0, last
    while now.p != p:
        aim = p if part == 1.0 else now.p + part * (p - last.p)
        if (aim - p) * (p - last.p) >= 0.0:
            aim = p
        try:
            now = _step(family, now, aim)
        except NotConverged:
            part *= 0.5
            if part < MIN_STEP_REL:
                return _along(family, now, p, within)
    return now, []


def _along(family: ModeFamily, last: CurvePoint, p: float, within: ParameterRange) -> tuple[CurvePoint, list[str]]:
    """By the general code; where that ends far away, a note says so."""
    new, notes = reach_parameter(family, last, p, within)
    if _change(last, new) > MAX_STEP_CHANGE and not notes:
        way = Advice("{between} shows how", between=tuple(_rounded(family.amplitude(each.p)) for each in (last, new)))
        notes = [Message("the mode turns back, or changes much, between two amplitudes", advice=[way])]
    return new, notes


def _change(last: CurvePoint, new: CurvePoint) -> float:
    """Of frequency, damping and shape, in parts of their own size."""
    moved = ((new.z - last.z) / last.scale)[:-1]
    return float(np.sqrt(moved @ moved))


def _step(family: ModeFamily, last: CurvePoint, p: float) -> CurvePoint:
    """Newton's method from the tangent, or from the last point where that is steep."""
    slope = last.slope
    guess = last.z + (p - last.p) / slope[-1] * slope if abs(last.tangent[-1]) > 0.1 else last.z
    new = newton_at(family, guess, p, last.scale, MAX_NEWTON_STEPS)
    if not _change(last, new) <= MAX_STEP_CHANGE:
        raise NotConverged("the mode changed too much in one step")
    return rescaled_point(family, new, float(last.scale[-1]))
