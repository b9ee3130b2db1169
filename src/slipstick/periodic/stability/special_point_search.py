"""Special points between two neighbouring points of a curve: folds, corners and grazes.

At a fold the curve turns back in the parameter; at a graze an event appears or vanishes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.branches.branch_points import MIDDLE_TOLERANCE_REL, BranchPoint, branch_point_near, rank_drop
from slipstick.periodic.continuation.corrector import CurvePoint, Plane, correct
from slipstick.periodic.continuation.curve_segment import LOCATION_LENGTH, MAX_BRACKET_REL, CurveSegment, solved_orbit
from slipstick.periodic.continuation.point_checks import scaled_distance
from slipstick.periodic.stability.grazing import Graze, find_grazes
from slipstick.results.orbit import OrbitPoint

CORNER_LENGTH = 1e-4  # distance from a corner at which its branches are compared, and then its square
# of its value at the ends: a singular value this small starts the search for a branch point
BRANCH_POINT_SUSPECT_REL = 0.5
END_MARGIN_REL = 0.05  # of the stretch: always searched at its ends
# of the parameter component of the tangents at the ends: a curve with more of it at a branch point does not turn there
PASSING_SLOPE_REL = 0.05
SMOOTH_TURN = 1e-6  # parameter component of the tangent at a fold: one that is larger jumps there


class SpecialPoint(NamedTuple):
    """A special point on a stretch: place, kind and orbit; for a graze also its data.

    width : length along the curve within which a branch point, or a fold without orbits around, lies.
    """

    along: float
    kind: str
    located: CurvePoint
    point: OrbitPoint
    graze: Graze | None = None
    width: float = 0.0


class KnownFolds(NamedTuple):
    """Folds of a stretch that are known in advance.

    fold : length along the stretch; None: no fold.   near : a fold is on this stretch or on a neighbour.
    """

    fold: float | None
    near: bool


def special_point_at(stretch: CurveSegment, along: float, kind: str) -> SpecialPoint:
    point, located = stretch.point(along), stretch.located(along)
    if kind == "fold":  # undetermined along the curve; across it, as good as its neighbours or its residual
        left = located.residual * float(point.amplitude.max(initial=0.0))
        across = max(left, *(stretch.point(s).error for s in (0.0, stretch.length)))
        point = replace(point, error=min(point.error, across))
    return SpecialPoint(along, kind, located, point)


def find_folds_between(stretch: CurveSegment, _: list[SpecialPoint], turned: KnownFolds | None) -> list[SpecialPoint]:
    """Folds: the parameter component of the tangent changes its sign."""
    if turned is not None:
        return [] if turned.fold is None else [special_point_at(stretch, turned.fold, "fold")]
    a, b = stretch.a.tangent[-1], stretch.b.tangent[-1]
    if a * b >= 0.0:
        return []

    def value(s: float) -> float:
        return float(stretch.located(s).tangent[-1])

    def may_cross(s: float) -> bool:  # one that is near an end is seen there as well as here
        inside = END_MARGIN_REL * stretch.length < s < (1.0 - END_MARGIN_REL) * stretch.length
        return not inside or rank_drop(stretch, stretch.located(s)) < BRANCH_POINT_SUSPECT_REL

    try:
        along, crossed = root_or_branch_point(stretch, value, may_cross)
    except NotConverged:
        along, width = stretch.bracketed_root(value, LOCATION_LENGTH, 0.0, stretch.length)
        if width > MAX_BRACKET_REL * stretch.length:
            raise
        return [SpecialPoint(along, "fold", stretch.located(along), stretch.point(along), width=width)]
    if crossed is None:
        return [special_point_at(stretch, along, "fold")]
    # a branch that begins at a branch point turns there; one that passes it may turn beside it
    passes = abs(crossed.located.tangent[-1]) > PASSING_SLOPE_REL * max(abs(a), abs(b))
    if passes and abs(value(along)) <= SMOOTH_TURN:
        return [crossed, special_point_at(stretch, along, "fold")]
    return [crossed]


def root_or_branch_point(
    stretch: CurveSegment,
    value: Callable[[float], float],
    may_cross: Callable[[float], bool],
    within: tuple[float, float] | None = None,
) -> tuple[float, SpecialPoint | None]:
    """The root of a value along the stretch, and the branch point at it, if any.

    may_cross : whether a branch point is likely at a place.
    """
    failure: NotConverged | None = None
    try:
        along = stretch.root(value, within=within)
        crosses = may_cross(along)
    except NotConverged as trouble:
        failure, along, crosses = (
            trouble,
            stretch.root(value, to=MIDDLE_TOLERANCE_REL * stretch.length, within=within),
            True,
        )
    crossing = branch_point_near(stretch, along) if crosses else None
    if failure is not None and crossing is None:
        raise failure
    if failure is None and crossing is not None and abs(crossing.along - along) > END_MARGIN_REL * stretch.length:
        crossing = None  # a branch point apart from this root
    return along, None if crossing is None else as_special_point(stretch, crossing)


def as_special_point(stretch: CurveSegment, crossing: BranchPoint) -> SpecialPoint:
    """A branch point as a special point; the error of its orbit includes that of its place."""
    ends = [stretch.point(s) for s in (0.0, stretch.length)]
    point = with_location_error(solved_orbit(stretch.family, crossing.located), crossing.error, crossing.located, *ends)
    return SpecialPoint(crossing.along, "branch-point", crossing.located, point, width=crossing.error)


def with_location_error(point: OrbitPoint, length: float, located: CurvePoint, *beside: OrbitPoint) -> OrbitPoint:
    """A branch point with its error: that of its neighbours plus the error of its place along the curve.

    Its own error has no meaning: the other branch leaves it undetermined.
    """
    off = length * float(np.sqrt(located.z.size) * point.amplitude.max(initial=0.0))
    return replace(point, error=off + min(point.error, max(each.error for each in beside)))


def find_corner_folds(stretch: CurveSegment, _: list[SpecialPoint], _turned: KnownFolds | None) -> list[SpecialPoint]:
    """A fold that is a corner of more than a right angle: where the lines along both branches meet."""
    family, a, b = stretch.family, stretch.a, stretch.b
    if a.tangent[-1] * b.tangent[-1] >= 0.0:
        return []
    for near in (CORNER_LENGTH, CORNER_LENGTH**2):
        corner = _meeting(a, b)
        b = correct(family, corner + near * b.slope, Plane(b.tangent, corner, b.scale, near))
        a = correct(family, corner - near * a.slope, Plane(a.tangent, corner, a.scale, -near))
    corner = _meeting(a, b)
    missed = float(np.abs(family.linearise(corner[:-1], float(corner[-1])).residual).max())
    located = CurvePoint(corner, a.scale, a.tangent, b.iterations, missed, b.turn)
    return [SpecialPoint(0.0, "fold", located, solved_orbit(family, located))]


def end_near_fold(stretch: CurveSegment) -> SpecialPoint:
    """The end of a stretch that lies nearer to a fold in between, which was not located."""
    a, b = stretch.a, stretch.b
    along, located = (0.0, a) if (a.p - b.p) * a.tangent[-1] > 0.0 else (stretch.length, b)
    return SpecialPoint(along, "fold", located, stretch.point(along), width=scaled_distance(a, b))


def _meeting(a: CurvePoint, b: CurvePoint) -> Array:
    """Where the tangents at two points meet, or nearly do."""
    lines = np.column_stack([a.tangent, -b.slope / a.scale])
    lengths = np.linalg.lstsq(lines, (b.z - a.z) / a.scale, rcond=None)[0]
    return np.asarray(a.z + lengths[0] * a.slope)


def find_grazes_between(stretch: CurveSegment, _: list[SpecialPoint], _turned: KnownFolds | None) -> list[SpecialPoint]:
    """Grazes: an event appears or vanishes, perhaps several in a row."""
    if stretch.point(0.0).events == stretch.point(stretch.length).events:
        return []
    return [
        special_point_at(stretch, each.along, "grazing")._replace(graze=each)
        for each in find_grazes(stretch, stretch.skip_location)
    ]
