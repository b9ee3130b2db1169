"""Where a branch of an even sub-harmonic meets its parent, the branch of half its period.

Half a period later an orbit of it is a solution of the same equations too: its image, which is the same motion. On the
parent the two are equal. The difference between them goes through zero where the branch ends, in a period doubling of
the parent; beyond lie the images once more, or the parent's own orbits, counted twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import cast

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.branches.branch_points import BranchPoint, branch_point_near
from slipstick.periodic.continuation.corrector import CurvePoint, Plane, correct, tangent_at
from slipstick.periodic.continuation.curve_segment import LOCATION_LENGTH, SOLVER_FAILURES, CurveSegment
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.results.orbit import OrbitPoint

SAME_ORBIT_REL = 1e-6  # of the orbit: two that differ by less are one
# of the largest difference on the branch: so little remains on the parent where maps are not exact
PARENT_DIFFERENCE_REL = 1e-3
PARENT_SEARCH_REL = 0.2  # likewise: from so near the parent is looked for
PARENT_RETRY_REL = 0.5  # of the difference where it was looked for last: then it is looked for again
# of the difference: so far from the middle between an orbit and its image the doubling may lie
MAX_MIDDLE_OFFSET_REL = 0.25
END_SEARCH_PARTS = (
    0.3,
    0.1,
    0.03,
)  # of the way to where the difference is zero: points from which the end is looked for
PARENT_STEP_REL = 1e-3  # likewise: the first step along the parent
MAX_DOUBLING_SHAPE_CHANGE = 0.5  # of the difference: by so much the motion that doubles may differ from it
MAX_SECANT_STEPS = 20
SIGN_CHANGE_COSINE = -0.5  # cosine between two neighbouring differences: below it one has gone through zero on the way


class ParentWatch:
    """Tells when a path of an even sub-harmonic meets its parent; never of one that begins on it, or has none.

    words : where the branch ended, once it did.   rest : its last points, in place of the last one that was shown.
    end : the branch point among them; None where it was not located.   idle : it has no parent to meet.
    """

    def __init__(self, family: Family, first: CurvePoint, within: ParameterRange) -> None:
        self.family, self.within, self.words = family, within, ""
        self.rest, self.end = list[CurvePoint](), cast("BranchPoint | None", None)
        self._last, self._apart = first, half_period_difference(family, first)
        self._largest = self._size = 0.0 if self._apart is None else _length(self._apart)
        self._looked = math.inf
        self.idle = not self._largest > SAME_ORBIT_REL

    def meets(self, new: CurvePoint) -> bool:
        """True if the branch ends beside this point, or between the last one and this one."""
        if self.idle or new is self._last:
            return False
        last, before, apart = self._last, self._apart, half_period_difference(self.family, new)
        assert before is not None
        assert apart is not None
        size = _length(apart)
        joined = size <= max(SAME_ORBIT_REL, PARENT_DIFFERENCE_REL * self._largest)
        if joined or float(before @ apart) < SIGN_CHANGE_COSINE * self._size * size:
            part = self._size / (self._size + size)  # of the way, where it is zero
            way = abs(last.ahead(new.z))
            found = (
                parent_branch_point_near(self.family, each, way) for each in _between(self.family, last, new, part)
            )
            if self._ends_at(next(filter(None, found), None), [], joined, (last.p, new.p)):
                return True
        elif size >= PARENT_SEARCH_REL * self._largest:
            self._looked = math.inf
        elif size < PARENT_RETRY_REL * self._looked:
            self._looked = size
            if self._ends_at(parent_branch_point_near(self.family, new), [new]):
                return True
        self._last, self._apart, self._size, self._largest = new, apart, size, max(size, self._largest)
        return False

    def _ends_at(
        self, end: BranchPoint | None, kept: list[CurvePoint], surely: bool = False, between: tuple[float, ...] = ()
    ) -> bool:
        """Note the end of the branch; surely : it has one, though it was not located between two values."""
        words_of, found = self.family.format_parameter, end is not None and self.within.beyond(end.located.p) is None
        if found:
            assert end is not None
            self.end, self.rest, place = end, [*kept, end.located], f"at {words_of(end.located.p)}"
        elif surely:
            place = "between " + " and ".join(map(words_of, between))
        else:
            return False
        self.words = (
            f"the branch ends {place} at a period doubling of the branch with half its period, which continues there"
        )
        return True


def _between(family: Family, last: CurvePoint, new: CurvePoint, part: float) -> Iterator[CurvePoint]:
    """Points of the branch from which its end is looked for: the last one, and others ever nearer to a part of the way
    to a new one."""
    yield last
    length = last.ahead(new.z)
    for s in (part * (1.0 - near) for near in END_SEARCH_PARTS):
        try:
            yield correct(family, last.z + s * (new.z - last.z), last.plane(s * length))
        except NotConverged:
            continue


def half_period_difference(family: Family, point: CurvePoint) -> Array | None:
    """(size,) between an orbit and its image, over the scale; None where half a period later is no solution."""
    image = family.half_period_later(point.x, point.p)
    return None if image is None else (image - point.x) / point.scale[:-1]


def ends_on_parent(family: Family, points: Sequence[OrbitPoint], number: int) -> bool:
    """True for the first or last of some points if it repeats after half its period, and its neighbour does not."""
    if number not in (0, len(points) - 1) or len(points) < 2:
        return False
    sizes = list[float]()
    for point in (points[number], points[1 if number == 0 else -2]):
        image = family.half_period_later(point.x, point.p)
        if image is None:
            return False
        sizes.append(_length((image - point.x) / family.scales(point.x, point.p)))
    return sizes[0] <= PARENT_DIFFERENCE_REL * sizes[1]


def parent_branch_point_near(family: Family, last: CurvePoint, reach: float = 0.0) -> BranchPoint | None:
    """The end of a branch near a point: halfway to its image, or as far from there along the parent as a length
    reaches; None where there is none."""
    try:
        image = family.half_period_later(last.x, last.p)
        assert image is not None
        z = np.append(image, last.p)
        if family.parent is not None:
            return _doubling_near(family.parent, last, z, reach)
        tangent = tangent_at(family, z, last.scale, (z - last.z) / last.scale)
        a = last if last.ahead(z) > 0.0 else last.reversed()
        ends = family.point(last.x, last.p), family.point(image, last.p)
        stretch = CurveSegment(family, a, last._replace(z=z, tangent=tangent), ends)
        return branch_point_near(stretch, 0.5 * stretch.length)
    except SOLVER_FAILURES:
        return None


def _doubling_near(parent: Family, last: CurvePoint, image: Array, reach: float) -> BranchPoint | None:
    """The period doubling of the parent halfway to an image; None where it is too far, or another motion doubles.

    Integration does not give an orbit and its image alike to the last digit, which leaves no branch point among the
    orbits of the whole period; those of the parent have their doubling.
    """
    scale, middle, apart = last.scale, 0.5 * (last.z + image), image - last.z
    size = _length(apart / scale)
    reach = max(reach, MAX_MIDDLE_OFFSET_REL * size)
    _, by_x, by_p = parent.linearise(middle[:-1], last.p)
    along = np.linalg.svd(np.column_stack([by_x, by_p]) * scale)[2][-1]
    first = correct(parent, middle, Plane(along, middle, scale, 0.0))

    def located(s: float) -> CurvePoint:
        return correct(parent, first.z + s * first.slope, first.plane(s))

    def value(s: float) -> float:
        found = located(s)
        return float(np.prod(parent.point(found.x, found.p).multipliers + 1.0).real)

    s, step = _root(value, PARENT_STEP_REL * size, reach)
    there = located(s)
    _, by_x, _ = parent.linearise(there.x, there.p)
    left = parent.linearise(last.x, last.p).residual
    turned = np.abs(by_x @ apart[:-1] + 2.0 * left).max() <= MAX_DOUBLING_SHAPE_CHANGE * np.abs(left).max()
    if not (turned and _length((there.z - middle) / scale) <= reach):
        return None
    way = (there.z - last.z) / scale
    return BranchPoint(
        _length(way), there._replace(scale=scale, tangent=way / _length(way)), abs(step) + LOCATION_LENGTH
    )


def _root(value: Callable[[float], float], step: float, most: float) -> tuple[float, float]:
    """Where a value is zero near zero, by secants, and the last step; `NotConverged` beyond a distance."""
    s, before, here = step, value(0.0), value(step)
    for _ in range(MAX_SECANT_STEPS):
        if before == here:
            break
        step *= here / (before - here)
        s, before = s + step, here
        if abs(step) <= LOCATION_LENGTH:
            return s, step
        if not abs(s) <= most:
            break
        here = value(s)
    raise NotConverged("no period doubling was found there")


def _length(vector: Array) -> float:
    return math.sqrt(vector.dot(vector))
