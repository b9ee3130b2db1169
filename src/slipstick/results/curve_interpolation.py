"""Lines through the points of a curve that look as smooth as it is, and keep its corners.

Points of a curve lie as far apart as following it allows, which is too far for straight lines between them. Akima's
cubic goes through all of them, hardly swings beyond them, and does not flatten the tops between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PLACES_A_POINT = 8  # places on the line for each point of the curve
CORNER_ANGLE, CORNER_ANGLE_RATIO = (
    0.3,
    3.0,
)  # [rad] a turn that is a corner, if it is by so many times larger than those beside it
MIN_PIECE_POINTS = 4  # points of a piece that is drawn smooth


def interpolate_curve(points: Array, corners: Iterable[int]) -> Array:
    """(many, columns) places along the line through points (k, columns), the first two of which are its x and y.

    corners : numbers of points at which the line may bend sharply.
    """
    if np.isnan(points[:, :2]).any():
        return points
    pieces = [_interpolate_piece(points[a : b + 1]) for a, b in _pieces_between(corners, len(points))]
    return np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])]) if pieces else points


def find_corners(points: Array) -> list[int]:
    """Numbers of the points (k, 2) at which the line turns much more than at their neighbours: corners, as far as
    points alone can tell."""
    ranges = np.ptp(points, axis=0)
    steps = np.diff(points, axis=0) / np.where(ranges > 0.0, ranges, 1.0)
    ways = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    turns = np.concatenate([[0.0], np.abs(np.diff(ways)), [0.0]])
    beside = np.maximum(turns[:-2], turns[2:])
    return [
        int(k) + 1 for k in np.flatnonzero((turns[1:-1] > CORNER_ANGLE) & (turns[1:-1] > CORNER_ANGLE_RATIO * beside))
    ]


def interpolation_errors(points: Array, corners: Iterable[int]) -> Array:
    """(k - 1,) by how much the line between two neighbours may be off, as parts of the picture's ranges of x and y.

    That is how far other good lines are apart from Akima's in the middle, a monotone one and the smoothest one; beside
    a top, how far that of a parabola lies above it; where a piece has too few points for a smooth line, a tenth of the
    way between them.
    """
    from scipy.interpolate import Akima1DInterpolator, CubicSpline, PchipInterpolator

    ranges = np.ptp(points, axis=0)
    places = points / np.where(ranges > 0.0, ranges, 1.0)
    found: Array = 0.1 * np.hypot(*np.diff(places, axis=0).T)
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
    """(k,) by how much the parabola through a point and its neighbours reaches beyond it, if it is a top or a bottom.

    Over x, not along the line, which hurries up to a sharp top and away from it.
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
    """The line through some points without corners."""
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
    """The x of a line, with those of a monotone one between points where it would turn back and they do not.

    A line that turns back shows a branch that is not there.
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
    """(k,) how far along the line each of (k, 2) places is, x and y measured by their own ranges."""
    ranges = np.ptp(places, axis=0)
    steps = np.diff(places, axis=0) / np.where(ranges > 0.0, ranges, 1.0)
    return np.concatenate([[0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))])
