"""Special points followed over a second parameter, with the cusps and extremes of their curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.branches.special_family import FOLD, SpecialFamily
from slipstick.periodic.continuation.corrector import CurvePoint, correct, solve_at, with_own_tangent
from slipstick.periodic.continuation.curve_trace import CurveTrace, trace_from
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.results.special_curve import SpecialCurvePoint

CUSP_SLOPE = 1e-3  # of the tangent: both parameters turn at a cusp
LOCATION_REL = 1e-8  # of a step along the curve
MAX_WAY_REL = 10.0  # of the curve's range: a special point farther from it goes to infinity


class TrackedPoints(NamedTuple):
    """points : along the curve, turns among them.   turns : "cusp" or "turn", by number.   ended : why early."""

    points: list[SpecialCurvePoint]
    turns: dict[int, str]
    ended: str
    notes: list[str]


def track_special(
    family_at: Callable[[float], Family],
    kind: str,
    at: tuple[Array, float, float],
    span: float,
    within: ParameterRange,
) -> TrackedPoints:
    """Follow a special point (x, p, q) over q, both ways.   span : the range of p.

    Raises `NotConverged` where it cannot be found again as a point of both conditions.
    """
    family = SpecialFamily(family_at, kind, at, span, within.span)
    return follow_special(family, at, span, within, has_cusps=kind == FOLD)


def follow_special(
    family: Family, at: tuple[Array, float, float], span: float, within: ParameterRange, has_cusps: bool
) -> TrackedPoints:
    """Follow a family of special points (x, p) over q from one of them.

    span : the range of p.   has_cusps : both parameters may turn.
    """
    x, p, q = at
    first = solve_at(family, np.append(x, p), q, within.span)

    def watch(point: CurvePoint) -> None:
        there = float(point.x[-1])
        if abs(there - p) > MAX_WAY_REL * span:
            words = f"the special point left the curve's range by {MAX_WAY_REL:g} times its width, at {there:.6g}"
            raise NotConverged(f"{words}, where the second parameter is {point.p:.6g}")

    try:
        traced, ended = trace_from(family, first, within, watch=watch), ""
    except NotConverged as failure:
        if failure.interrupted or not isinstance(failure.partial, CurveTrace):
            raise
        traced, ended = failure.partial, str(failure)
    found, turns = list[SpecialCurvePoint](), dict[int, str]()
    for k, here in enumerate(traced.points):
        if k and traced.points[k - 1].tangent[-1] * here.tangent[-1] < 0.0:
            turn = _turn(family, traced.points[k - 1], here)
            if turn is not None:
                is_cusp = has_cusps and abs(float(turn.tangent[-2])) < CUSP_SLOPE
                turns[len(found)] = "cusp" if is_cusp else "turn"
                found.append(_measured(family, turn))
        found.append(_measured(family, here))
    return TrackedPoints(found, turns, ended, list(traced.notes))


def _turn(family: Family, a: CurvePoint, b: CurvePoint) -> CurvePoint | None:
    """The point between two neighbours at which the second parameter turns."""
    from scipy.optimize import brentq

    length = a.ahead(b.z)

    def point(s: float) -> CurvePoint:
        return with_own_tangent(family, correct(family, a.z + s / length * (b.z - a.z), a.plane(s)))

    try:
        s = brentq(lambda s: float(point(s).tangent[-1]), 0.0, length, xtol=LOCATION_REL * length)
        return point(float(s))
    except (NotConverged, ValueError):
        return None


def _measured(family: Family, located: CurvePoint) -> SpecialCurvePoint:
    orbit = family.point(located.x, located.p)
    return SpecialCurvePoint(float(located.x[-1]), located.p, orbit.frequency, orbit.amplitude, orbit.error)
