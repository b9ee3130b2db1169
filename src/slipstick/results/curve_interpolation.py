"""Smooth interpolation through the points of a curve, with its corners.

Points of a curve are too far apart for straight lines between them. Akima's cubic passes through all of them, hardly
overshoots, and does not flatten peaks between points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from slipstick.arrays import Array
from slipstick.results import tolerances as tol

PLACES_A_POINT = 8  # on the line, for each point of the curve
MIN_PIECE_POINTS = 4  # of a piece with smooth interpolation


def interpolate_curve(points: Array, corners: Iterable[int]) -> Array:
    """(many, columns) places along the line through points (k, columns); the first two columns are x and y.

    corners : numbers of points at which the line may have a corner.
    """
    if np.isnan(points[:, :2]).any():
        return points
    pieces = [_interpolate_piece(points[a : b + 1]) for a, b in _pieces_between(corners, len(points))]
    return np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])]) if pieces else points


def find_corners(points: Array) -> list[int]:
    """Numbers of the points (k, 2) at which the line turns much more than at their neighbours."""
    ranges = np.ptp(points, axis=0)
    steps = np.diff(points, axis=0) / np.where(ranges > 0.0, ranges, 1.0)
    ways = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    turns = np.concatenate([[0.0], np.abs(np.diff(ways)), [0.0]])
    beside = np.maximum(turns[:-2], turns[2:])
    return [
        int(k) + 1
        for k in np.flatnonzero((turns[1:-1] > tol.CORNER_ANGLE) & (turns[1:-1] > tol.CORNER_ANGLE_RATIO * beside))
    ]


def interpolation_errors(points: Array, corners: Iterable[int]) -> Array:
    """(k - 1,) interpolation error between neighbours, relative to the ranges of x and y.

    It is the distance of a monotone cubic and of a cubic spline from Akima's in the middle; next to a peak, also the
    height of a parabola above it; for a piece with too few points, a tenth of the distance between them.
    """
    from scipy.interpolate import Akima1DInterpolator, CubicSpline, PchipInterpolator

    ranges = np.ptp(points, axis=0)
    places = points / np.where(ranges > 0.0, ranges, 1.0)
    found: Array = tol.SHORT_PIECE_ERROR_SHARE * np.hypot(*np.diff(places, axis=0).T)
    for a, b in _pieces_between(corners, len(points)):
        own = places[a : b + 1]
        along = _arc_lengths(own)
        if len(own) < MIN_PIECE_POINTS or not (np.diff(along) > 0.0).all():
            continue
        middles = 0.5 * (along[1:] + along[:-1])
        drawn = Akima1DInterpolator(along, own)(middles)
        others = [way(along, own)(middles) for way in (PchipInterpolator, CubicSpline)]
        found[a:b] = np.max([np.hypot(*(other - drawn).T) for other in others], axis=0)
        missed = _parabola_overshoot(own)
        found[a:b] = np.maximum(found[a:b], np.maximum(missed[1:], missed[:-1]))
    return found


def _parabola_overshoot(places: Array) -> Array:
    """(k,) overshoot of the parabola through a local extreme and its neighbours; zero elsewhere.

    The parabola is over x, as arc length is distorted at a sharp peak.
    """
    (x, y), found = places.T, np.zeros(len(places))
    (first, last), (rise, fall) = (np.diff(x)[:-1], np.diff(x)[1:]), (np.diff(y)[:-1], np.diff(y)[1:])
    tops = np.flatnonzero((first * last > 0.0) & (rise * fall < 0.0))
    before, after = (rise / first)[tops], (fall / last)[tops]
    bend = (after - before) / (first + last)[tops]
    found[tops + 1] = np.abs(0.25 * (before + bend * first[tops]) ** 2 / bend)
    return found


def _pieces_between(corners: Iterable[int], count: int) -> Iterator[tuple[int, int]]:
    """First and last numbers of the pieces between corners."""
    inner = sorted(k for k in set(corners) if 0 < k < count - 1)
    return pairwise([0, *inner, count - 1])


def _interpolate_piece(points: Array) -> Array:
    """The line through points without corners."""
    from scipy.interpolate import Akima1DInterpolator

    along = _arc_lengths(points[:, :2])
    distinct = np.append(True, np.diff(along) > 0.0)
    kept = points[distinct]
    if len(kept) < MIN_PIECE_POINTS or np.isnan(kept).any():
        return points
    along = along[distinct]
    steps = np.linspace(along[:-1], along[1:], PLACES_A_POINT, endpoint=False).T.ravel()
    line = np.vstack([Akima1DInterpolator(along, kept)(steps), points[-1:]])
    line[:, 0] = _monotone_x(line[:, 0], along, kept[:, 0])
    return line


def _monotone_x(drawn: Array, along: Array, x: Array) -> Array:
    """The x of a line, replaced by monotone interpolation where it would turn back between monotone points.

    A line that turns back would show a false branch.
    """
    from scipy.interpolate import PchipInterpolator

    ways = np.sign(np.diff(x))
    goes_on = (ways != 0.0) & (np.append(ways[1:], ways[-1]) == ways) & (np.append(ways[:1], ways[:-1]) == ways)
    steps = np.diff(drawn).reshape(ways.size, PLACES_A_POINT)
    wrong = np.flatnonzero(goes_on & (np.sign(steps) != ways[:, None]).any(axis=1))
    if not wrong.size:
        return drawn
    found, monotone = drawn.copy(), PchipInterpolator(along, x)
    for k in wrong:
        places = np.linspace(along[k], along[k + 1], PLACES_A_POINT, endpoint=False)
        found[k * PLACES_A_POINT : (k + 1) * PLACES_A_POINT] = monotone(places)
    return found


def _arc_lengths(places: Array) -> Array:
    """(k,) arc length at (k, 2) places, with x and y relative to their ranges."""
    ranges = np.ptp(places, axis=0)
    steps = np.diff(places, axis=0) / np.where(ranges > 0.0, ranges, 1.0)
    return np.concatenate([[0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))])
