"""Adds solved points to a curve where interpolation between its points would be visibly wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.results import tolerances as tol
from slipstick.results.curve import Curve, CurveFindings, CurveOrigin
from slipstick.results.curve_interpolation import interpolation_errors

if TYPE_CHECKING:
    from slipstick.results.orbit import OrbitPoint


MAX_ROUNDS = 8  # of halving intervals
MAX_ADDED_POINTS = 60


class _LinePoint(NamedTuple):
    """A point of the line; number : among the points of the curve, -1 for an added one."""

    point: OrbitPoint
    number: int


def refine_curve(curve: Curve, heights: Callable[[Sequence[OrbitPoint]], Array]) -> Curve:
    """The curve with more points where a figure needs them; unchanged if it has no solver.

    heights : (points, panels) values drawn over the parameter.
    """
    origin = curve.origin
    if origin is None or len(curve.points) < 2:
        return curve
    line = [_LinePoint(point, k) for k, point in enumerate(curve.points)]
    refused: set[int] = set()
    for _ in range(MAX_ROUNDS):
        room = MAX_ADDED_POINTS - (len(line) - len(curve.points))
        doubtful = [k for k in _inaccurate_intervals(curve, line, heights)[:room] if id(line[k].point) not in refused]
        if not doubtful:
            break
        line = _halve_intervals(origin, line, set(doubtful), refused)
    return _curve_with_points(curve, line)


def _inaccurate_intervals(
    curve: Curve, line: list[_LinePoint], heights: Callable[[Sequence[OrbitPoint]], Array]
) -> list[int]:
    """Numbers of the points before inaccurate intervals, the worst first."""
    points = [each.point for each in line]
    p, table = np.array([point.p for point in points]), heights(points)
    marked = {s["point"] for s in curve.special}
    corners = [k for k, each in enumerate(line) if each.number in marked]
    worst = np.zeros(len(line) - 1)
    for y in table.T:
        if np.isfinite(y).all():
            worst = np.maximum(worst, interpolation_errors(np.column_stack([p, y]), corners))
    order = np.argsort(-worst, kind="stable")
    return [int(k) for k in order if worst[k] > tol.VISIBLE_PICTURE_SHARE]


def _halve_intervals(
    origin: CurveOrigin, line: list[_LinePoint], doubtful: set[int], refused: set[int]
) -> list[_LinePoint]:
    points, new = tuple(each.point for each in line), list[_LinePoint]()
    for k, each in enumerate(line):
        new.append(each)
        if k in doubtful:
            try:
                new.append(_LinePoint(origin.between(points, k), -1))
            except NotConverged:
                refused.add(id(each.point))
    return new


def _curve_with_points(curve: Curve, line: list[_LinePoint]) -> Curve:
    places = {each.number: k for k, each in enumerate(line)}
    special = [{**s, "point": places[s["point"]]} for s in curve.special]
    found = CurveFindings(tuple(each.point for each in line), special, curve.notes)
    return Curve(found, curve.model, curve.stats, curve.names)
