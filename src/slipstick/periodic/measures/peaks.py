"""Peaks of a curve, solved for between its points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint, correct
from slipstick.periodic.continuation.curve_segment import CurveSegment, segment_between, solved_orbit
from slipstick.periodic.continuation.family import Family
from slipstick.results.orbit import OrbitPoint

MeasureOfPoint = Callable[[OrbitPoint], float]

# of the distance between two points of the curve: so near is a peak before a polynomial is laid over it
ROUGH_PEAK_REL = 0.02
PEAK_TOLERANCE_REL = 1e-5  # of a window, where the curve is not smooth in it
FIT_PLACES = np.linspace(-1.0, 1.0, 7)  # places of that polynomial, in units of its window
FIT_WINDOWS_REL = (0.1, 0.03)  # of the distance between two points
MAX_FIT_ERROR_REL = 1e-7  # of the figure: what a curve may lie off that polynomial


def find_peak(
    family: Family,
    points: Sequence[OrbitPoint],
    index: int,
    span: float,
    figure: MeasureOfPoint,
    joined: bool = True,
) -> OrbitPoint:
    """The orbit with the largest figure next to a point of the curve that has a larger one than its neighbours.

    span : of the parameter, by which lengths are measured.
    joined : the points are neighbours on one branch. Where they may not be, only a smooth maximum between the
        neighbours counts. Raises `NotConverged` without one, and where the curve cannot be solved for.
    """
    best = points[index]
    for first in _sides(points, index, figure):
        stretch = segment_between(family, points, first, span)
        if not stretch.length > 0.0:  # a sharp corner, and a point of the curve is on either side of it
            continue
        found, is_top = _highest(family, stretch, figure)
        best = max(best, found, key=figure)
        if is_top and (joined or (best is found and _is_between_neighbours(points, index, found))):
            return best
    if not joined:
        raise NotConverged("there is no smooth maximum between the neighbours of this point")
    return best


def _is_between_neighbours(points: Sequence[OrbitPoint], index: int, found: OrbitPoint) -> bool:
    ends = sorted((points[max(index - 1, 0)].p, points[min(index + 1, len(points) - 1)].p))
    return ends[0] < found.p < ends[1]


def _sides(points: Sequence[OrbitPoint], index: int, figure: MeasureOfPoint) -> list[int]:
    """Numbers of the points at which the stretches on both sides begin; first the side with the larger neighbour."""
    sides = [k for k in (index - 1, index) if 0 <= k < len(points) - 1]
    return sorted(sides, key=lambda k: -figure(points[k if k != index else index + 1]))


def _highest(family: Family, stretch: CurveSegment, figure: MeasureOfPoint) -> tuple[OrbitPoint, bool]:
    """The top of the polynomial over the highest part of a stretch, and True; without one, what is highest there."""
    along = _largest(lambda s: figure(stretch.point(s)), stretch.length, ROUGH_PEAK_REL)
    if stretch.band_opens:  # beside it, orbits are many
        return stretch.point(along), False
    middle = stretch.located(along)

    def there(s: float) -> OrbitPoint:
        return solved_orbit(family, _beside(family, middle, s))

    for width in (part * stretch.length for part in FIT_WINDOWS_REL):
        try:
            top = _top(np.array([figure(there(width * place)) for place in FIT_PLACES]))
        except NotConverged:  # beyond a sharp corner
            continue
        if top is not None:
            return there(width * top), True
    low, high = max(along - width, 0.0), min(along + width, stretch.length)
    return stretch.point(
        low + _largest(lambda s: figure(stretch.point(low + s)), high - low, PEAK_TOLERANCE_REL)
    ), False


def _top(values: Array) -> float | None:
    """Where the polynomial over values at `FIT_PLACES` is largest; None where it is not, or where they are not
    smooth."""
    fit = np.polynomial.Polynomial.fit(FIT_PLACES, values, 4)
    if np.abs(fit(FIT_PLACES) - values).max() > MAX_FIT_ERROR_REL * np.abs(values).max():
        return None
    slope = fit.deriv()
    turns = [float(root.real) for root in slope.roots() if root.imag == 0.0 and abs(root.real) < 1.0]
    tops = [turn for turn in turns if slope.deriv()(turn) < 0.0]
    return max(tops, key=lambda s: float(fit(s))) if tops else None


def _beside(family: Family, point: CurvePoint, s: float) -> CurvePoint:
    """The point of the curve so far ahead of another."""
    return correct(family, point.z + s * point.slope, point.plane(s)) if s else point


def _largest(value: Callable[[float], float], length: float, part: float) -> float:
    """Where a function is largest between 0 and a length, to a part of it; `NotConverged` is the least of values."""
    from scipy.optimize import minimize_scalar  # a tenth of a second that most curves do not need

    def negative(s: float) -> float:
        try:
            return -value(s)
        except NotConverged:
            return np.inf

    with np.errstate(invalid="ignore"):  # differences of infinite values
        found = minimize_scalar(negative, bounds=(0.0, length), method="bounded", options={"xatol": part * length})
    return float(found.x)
