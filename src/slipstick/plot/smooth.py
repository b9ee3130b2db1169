"""Lines through the points of a curve that look as smooth as it is, and keep its corners.

Points of a curve lie as far apart as following it allows, which is too far for straight lines between them. A monotone
cubic goes through all of them and nowhere beyond: it makes up no peak.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BETWEEN = 8  # places on the line for each point of the curve
FEWEST = 4  # points of a piece that is drawn smooth


def smoothed(points: Array, corners: Iterable[int]) -> Array:
    """(many, columns) places along the line through points (k, columns), the first two of which are its x and y.

    corners : numbers of points at which the line may bend sharply.
    """
    if np.isnan(points[:, :2]).any():
        return points
    inner = sorted(k for k in set(corners) if 0 < k < len(points) - 1)
    pieces = [_piece(points[a : b + 1]) for a, b in pairwise([0, *inner, len(points) - 1])]
    return np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])]) if pieces else points


def _piece(points: Array) -> Array:
    """The line through some points without corners."""
    from scipy.interpolate import PchipInterpolator

    along = _lengths(points[:, :2])
    distinct = np.append(True, np.diff(along) > 0.0)
    kept = points[distinct]
    if len(kept) < FEWEST or np.isnan(kept).any():
        return points
    along = along[distinct]
    steps = np.linspace(along[:-1], along[1:], BETWEEN, endpoint=False).T.ravel()
    return np.vstack([PchipInterpolator(along, kept)(steps), points[-1:]])


def _lengths(places: Array) -> Array:
    """(k,) how far along the line each of (k, 2) places is, x and y measured by their own ranges."""
    ranges = np.ptp(places, axis=0)
    steps = np.diff(places, axis=0) / np.where(ranges > 0.0, ranges, 1.0)
    return np.concatenate([[0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))])
