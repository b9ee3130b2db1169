"""Detects closed curves, and points that a curve visits again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint, correct
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.step_control import MAX_CORRECTION_OF_STEP, ParameterRange, arc_length

Array = NDArray[np.float64]

MIN_POINTS_APART = 3  # points since one at least, before it can be met again
SAME_POINT_LENGTH = 1e-6  # length within which two points are one


def closes_at_start(
    family: Family,
    first: CurvePoint,
    points: Sequence[CurvePoint],
    new: CurvePoint,
    step: float,
    within: ParameterRange,
) -> bool:
    """True if the first point of a curve was met again on the step to a new point: an isolated branch that closes.

    Not one that starts on a bound: it can only come back there from outside.
    """
    last = points[-1]
    if len(points) < 4 or first.p in (within.low, within.high) or abs(first.p - last.p) > 2.0 * step * within.span:
        return False
    ahead = last.ahead(first.z)
    if not 0.0 < ahead <= step * 1.0001:
        return False
    aside = (first.z - last.z) / last.scale - ahead * last.tangent
    if arc_length(aside) > step or first.tangent @ (last.slope / first.scale) <= 0.0:
        return False
    return leads_to_point(family, first, last, last.z + ahead / step * (new.z - last.z), ahead)


def revisited_point(family: Family, points: Sequence[CurvePoint], values: Array, new: CurvePoint) -> int | None:
    """The number of an earlier point that lies on the way from the last to a new one, if any does.

    values : (points, or more) of the parameter at each.
    """
    last, whole = points[-1], points[-1].ahead(new.z)
    if not whole > 0.0:
        return None
    values, way = values[: max(len(points) - MIN_POINTS_APART, 0)], new.z - last.z
    among = (values >= min(last.p, new.p)) & (values <= max(last.p, new.p))
    for k in (np.flatnonzero(among[1:]) + 1).tolist():
        early = points[k]
        ahead = last.ahead(early.z)
        place = last.z + ahead / whole * way
        near = 0.0 < ahead <= whole and arc_length((early.z - place) / last.scale) <= MAX_CORRECTION_OF_STEP * whole
        if near and leads_to_point(family, early, last, place, ahead):
            return k
    return None


def leads_to_point(family: Family, early: CurvePoint, last: CurvePoint, guess: Array, ahead: float) -> bool:
    """True if the point so far ahead of the last is an earlier one."""
    try:
        again = correct(family, guess, last.plane(ahead))
    except NotConverged:
        return False
    return arc_length((again.z - early.z) / last.scale) <= SAME_POINT_LENGTH + 10.0 * family.tolerance
