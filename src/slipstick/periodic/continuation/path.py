"""Pseudo-arclength continuation of orbits over frequency or another parameter.

`Path` is an iterator over the points of a curve in one direction: it can be watched, left and gone on with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint, Plane, correct, parameter_plane, tangent_at
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.point_checks import (
    MIN_POINTS_APART,
    closes_at_start,
    orientation,
    refuse_doubtful,
    revisited_point,
    scaled_distance,
    turns_back_without_fold,
)
from slipstick.periodic.continuation.restarts import RestartsFailed, find_same_orbit_beyond, restart_path
from slipstick.periodic.continuation.step_control import ParameterRange, StepControl

FINE_START_STEPS, SHARP_BEND_ANGLE = (
    4.0,
    0.1,
)  # smallest steps that are begun with, and [rad] in those: then finer ones come before leaps
# of the largest orbit so far: one that is smaller is measured by that, or it would never get to nothing
MIN_ORBIT_SIZE_REL = 1e-3
MAX_CRAWL_STEPS, MIN_CRAWL_LENGTH = 300, 0.03  # steps in a row, and the way that they should make at least together
MAX_TURN_BACKS = 4  # times that a path may be set forth where it ran back over its own points
# of the range: so near to its end an orbit runs away if it has grown so many times on the last thousandth of its way
DIVERGENCE_RANGE_REL, DIVERGENCE_GROWTH = 1e-5, 100.0
RIPPLE_STEPS, RIPPLE_TURNS = 50, 4  # such steps, and turns of an unknown in them: then it is tried to get past at once


class RestartNote(NamedTuple):
    """Points in a row that were found by other means, in the same words."""

    begin: float
    until: float
    points: int
    words: str

    def text(self, family: Family) -> str:
        begin, until = (family.format_parameter(p, 9) for p in (self.begin, self.until))
        return f"at {begin}" + (f" to {until}, {self.points} points" if self.points > 1 else "") + f": {self.words}"


class Path:
    """The points of a curve in one direction, one by one; the first is the start itself.

    points : those so far.   over : no more to come, because of ``end`` (in words).   notes : restarts, in words.
    tried : called after every step that failed, if it is set.
    """

    def __init__(
        self, family: Family, start: CurvePoint, within: ParameterRange, how: StepControl | None = None
    ) -> None:
        self.family, self.within, self.how = family, within, how or StepControl()
        self.start, self.points = start, list[CurvePoint]()
        self.step = self.how.first_step
        self.over, self.closed, self.end = False, False, ""
        self.tried: Callable[[], object] | None = None
        self._low, self._high, self._span = within.low, within.high, within.span
        self._restart_notes, self._crawl_steps, self._turned = list[RestartNote](), 0, 0
        self._largest = start.scale.copy()
        self._values = np.empty(self.how.max_points + 1)  # of the parameter at each point, to look them up
        self._values[0] = start.p
        self._low_seen, self._high_seen = math.inf, -math.inf  # of the parameter, but for the last points

    def __iter__(self) -> Iterator[CurvePoint]:
        return self

    def __next__(self) -> CurvePoint:
        if self.over:
            raise StopIteration
        if not self.points:
            self.points.append(self.start)
            return self.start
        if len(self.points) == 1 and self._leaves_range():
            raise StopIteration
        new = self._advance()
        early = self._revisited(new)
        if early is not None:
            here = self.family.format_parameter(self.points[early].p, 9)
            try:
                new = self._beyond_turn_back(early)
            except NotConverged:
                self._finish(f"the curve returned to {here}, where it had been before")
                raise StopIteration from None
        self._values[len(self.points)] = new.z[-1]
        self.points.append(new)
        self._count(new)
        return new

    def _revisited(self, new: CurvePoint) -> int | None:
        """The number of an earlier point on the way to a new one; no search where the parameter is new as well."""
        count, last, p = len(self.points), self.points[-1].z[-1], new.z[-1]
        if self.closed or count <= MIN_POINTS_APART + 1:
            return None
        self._low_seen = min(self._low_seen, self._values[count - 1 - MIN_POINTS_APART])
        self._high_seen = max(self._high_seen, self._values[count - 1 - MIN_POINTS_APART])
        if min(last, p) > self._high_seen or max(last, p) < self._low_seen:
            return None
        return revisited_point(self.family, self.points, self._values, new)

    def _count(self, last: CurvePoint) -> None:
        """End a path that has too many points, stalls or diverges."""
        if self.over:
            return
        if len(self.points) >= self.how.max_points:
            self._finish(f"{self.how.max_points} points were reached (max_points)")
        self._crawl_steps = self._crawl_steps + 1 if self.step < MIN_CRAWL_LENGTH / MAX_CRAWL_STEPS else 0
        if self._crawl_steps > MAX_CRAWL_STEPS and not self.over:
            here = self.family.format_parameter(last.p, 9)
            self._finish(
                f"continuation stalled at {here}: the last {MAX_CRAWL_STEPS} steps were all "
                f"below {MIN_CRAWL_LENGTH / MAX_CRAWL_STEPS:g}; its derivatives may be wrong there, or it "
                f"has a corner at every step"
            )
        bound = self._low if last.tangent[-1] < 0.0 else self._high
        if abs(last.z[-1] - bound) > DIVERGENCE_RANGE_REL * self._span or self.over:
            return
        if self._is_diverging(last, bound):
            near, here = (self.family.format_parameter(p) for p in (bound, last.p))
            self._finish(
                f"the orbit grows without bound as the curve comes near {near} (more than {DIVERGENCE_GROWTH:g} "
                f"times up to {here}); end the range before it, or hold the motion by a spring or damper"
            )

    def _is_diverging(self, last: CurvePoint, bound: float) -> bool:
        """True where the orbit grows and grows and the parameter only comes ever nearer to a bound."""
        left = abs(last.p - bound)
        sizes = [np.abs(each.z[:-1]).max(initial=0.0) for each in self.points if abs(each.p - bound) > 1e3 * left]
        return bool(np.abs(last.z[:-1]).max(initial=0.0) > DIVERGENCE_GROWTH * max(sizes, default=math.inf))

    @property
    def last(self) -> CurvePoint:
        return self.points[-1]

    @property
    def notes(self) -> list[str]:
        """Where other ways than a step along the tangent were needed, and which."""
        return [each.text(self.family) for each in self._restart_notes]

    # ---- one point further

    def _advance(self) -> CurvePoint:
        reasons = list[str]()
        if self._crawl_steps and self._crawl_steps % RIPPLE_STEPS == 0 and self._is_rippling():
            try:
                new = self._accept_restart(
                    find_same_orbit_beyond(self), "a value of the parameter further on, past ripples"
                )
                self._crawl_steps = 0
                return new
            except NotConverged:
                pass  # it is no more than a try
        while self.step >= self.how.smallest_step:
            try:
                return self._one_step(self.step)
            except NotConverged as failure:
                reasons.append(failure.message)
                if self.tried is not None:
                    self.tried()
                self.step *= 0.5 if self.step > 64.0 * self.how.smallest_step else 0.125
        bends = self._bends()
        fine = self._fine_step() if bends else None
        if fine is not None:
            return fine
        try:
            return self._accept_restart(*restart_path(self, reasons))
        except NotConverged as failure:
            return self._last_resort(failure, tried=bends)

    def _bends(self) -> bool:
        """True where the curve bends so sharply, as at some folds, that whatever leads farther may lead elsewhere."""
        if len(self.points) < 2:
            return False
        last, gone = self.last, scaled_distance(self.last, self.points[-2])
        seen = last.turn if gone <= self.how.corner else 0.0
        return max(seen, last.turn * FINE_START_STEPS * self.how.smallest_step / max(gone, 1e-300)) > SHARP_BEND_ANGLE

    def _fine_step(self) -> CurvePoint | None:
        """A point by steps that are smaller than usual, if any is found."""
        step = self.how.smallest_step
        while step >= self.family.finest:
            try:
                return self._one_step(step)
            except NotConverged:
                step *= 0.25
        return None

    def _last_resort(self, failure: NotConverged, tried: bool) -> CurvePoint:
        """A point by the finest steps, where nothing else has led on; else one that was doubtful, as where multipliers
        change at once round a corner; or raises the failure."""
        fine = None if tried else self._fine_step()
        if fine is not None:
            return fine
        if not isinstance(failure, RestartsFailed) or failure.doubtful is None:
            raise failure
        return self._accept_restart(*failure.doubtful)

    def _is_rippling(self) -> bool:
        """True where an unknown went up and down again and again in the last steps."""
        ways = np.sign([point.tangent[:-1] for point in self.points[-RIPPLE_STEPS:]])
        return bool((ways[1:] * ways[:-1] < 0.0).sum(axis=0).max(initial=0) >= RIPPLE_TURNS)

    def _accept_restart(self, new: CurvePoint, words: str) -> CurvePoint:
        """Make a point that was found by other means the last one, and keep in mind how."""
        last = self.last
        bound = self.within.beyond(new.p)
        if bound is not None:
            new = self._on_bound(new.z, bound)
        if self._restart_notes and self._restart_notes[-1].words == words:
            self._restart_notes[-1] = self._restart_notes[-1]._replace(
                until=last.p, points=self._restart_notes[-1].points + 1
            )
        else:
            self._restart_notes.append(RestartNote(last.p, last.p, 1, words))
        step = min(abs(last.ahead(new.z)), self.how.first_step)  # the state may have leapt where the motion did not
        return self._accept(new, max(step, 64.0 * self.how.smallest_step))

    def _one_step(self, step: float) -> CurvePoint:
        """The next point, one step ahead; raises `NotConverged`."""
        last, new = self.points[-1], self.attempt(self._predicted(step), step)
        family, way = self.family, new.z[-1] - last.z[-1]
        if not (new.tangent[-1] * way > 0.0 and last.tangent[-1] * way > 0.0):
            inward = new.z[-1] in (self._low, self._high) and not family.sampled and new.tangent[-1] * way < 0.0
            if inward or turns_back_without_fold(family, last, new):
                raise NotConverged("the step led back along the curve")
        return self._accept(new, step)

    def _predicted(self, step: float) -> Array:
        """Along the tangent, and bent as it has turned since the point before."""
        last = self.points[-1]
        if len(self.points) < 2 or not 0.0 < last.turn < self.how.target_turn:
            return np.asarray(last.z + step * last.tangent * last.scale)
        before = self.points[-2]
        way, old = (last.z - before.z) / last.scale, before.tangent * before.scale / last.scale
        curvature = (last.tangent - old / math.sqrt(old.dot(old))) / math.sqrt(way.dot(way))
        return np.asarray(last.z + (step * last.tangent + 0.5 * step * step * curvature) * last.scale)

    def attempt(self, guess: Array, step: float) -> CurvePoint:
        """A point one step ahead of the last from a guess, or on the bound that is nearer; raises `NotConverged`."""
        last = self.points[-1]
        bound = self._bound_beyond(guess[-1])
        if bound is None:
            new = correct(self.family, guess, Plane(last.tangent, last.z, last.scale, step), rough=True)
            moved = (new.z - guess) / last.scale
            refuse_doubtful(self.family, last, new, math.sqrt(moved.dot(moved)), step, self.within, self.how)
            bound = self._bound_beyond(new.z[-1])
            if bound is None:
                return new
            guess = new.z
        return self._on_bound(guess, bound)

    def _bound_beyond(self, p: float) -> float | None:
        """The bound that a value of the parameter lies beyond, if it does."""
        return self._low if p < self._low else self._high if p > self._high else None

    def _on_bound(self, beyond: Array, bound: float) -> CurvePoint:
        """The point on a bound, from one that lies beyond it."""
        last = self.points[-1]
        guess = last.z + (bound - last.p) / (float(beyond[-1]) - last.p) * (beyond - last.z)
        guess[-1] = bound
        new = correct(self.family, guess, parameter_plane(guess, bound, last.scale))
        if new.tangent @ last.tangent < 0.0:
            new = new.reversed()
        turn = math.acos(min(max(float(new.tangent @ last.tangent), -1.0), 1.0))
        new, moved = new._replace(turn=turn), (new.z - guess) / last.scale
        corrected = math.sqrt(moved.dot(moved))
        refuse_doubtful(self.family, last, new, corrected, last.ahead(guess), self.within, self.how)
        return new

    def _accept(self, new: CurvePoint, step: float) -> CurvePoint:
        """Make it the last point: measure lengths as the orbit has grown, choose the next step, see if it is an end."""
        if self._comes_back(new, step):
            return self.start
        self._choose_step(step, new.iterations, new.turn)
        if new.z[-1] in (self._low, self._high):
            self._finish("")
        new = rescaled_point(self.family, new, self._span, MIN_ORBIT_SIZE_REL * self._largest)
        self._largest = np.maximum(self._largest, new.scale)
        return new

    def _choose_step(self, step: float, effort: float, turn: float) -> None:
        """The next step, from what the last took and how far the curve turned in it."""
        how = self.how
        by_newton = 2.0 ** (0.5 * (how.target_newton_steps - effort))
        by_turn = how.target_turn / max(turn, 1e-12)
        self.step = min(step * min(max(min(by_newton, by_turn), 0.4), 2.0), how.largest_step)
        self.step = max(self.step, FINE_START_STEPS * how.smallest_step)

    def _leaves_range(self) -> bool:
        """True where the start lies on a bound and the curve leaves the range there."""
        last = self.last
        outward = (last.p == self._high and last.tangent[-1] > 0.0) or (last.p == self._low and last.tangent[-1] < 0.0)
        if outward:
            self._finish("")
        return outward

    def _finish(self, why: str) -> None:
        self.over, self.end = True, why

    # ---- points that are met again

    def _comes_back(self, new: CurvePoint, step: float) -> bool:
        """True if the start of the curve was met again: then it ends there.

        Not where the curve starts on a bound: it can only come back there from outside.
        """
        first, last = self.start, self.points[-1]
        if len(self.points) < 4 or first.z[-1] in (self._low, self._high):
            return False
        if abs(first.z[-1] - last.z[-1]) > 2.0 * step * self._span:
            return False
        if not closes_at_start(self.family, first, last, new, step):
            return False
        self.closed = True
        self._finish("")
        return True

    def _beyond_turn_back(self, turned: int) -> CurvePoint:
        """Where a path ran back over its own points: from the one at which it turned, an orbit found otherwise."""
        if self._turned == MAX_TURN_BACKS:
            raise NotConverged("it returned along the curve repeatedly")
        self._turned += 1
        kept = self.points
        self.points = kept[: turned + 1]
        try:
            return self._accept_restart(*restart_path(self, ["the path ran back over its own points"]))
        except NotConverged:
            self.points = kept
            raise


def rescaled_point(family: Family, point: CurvePoint, span: float, least: Array | None = None) -> CurvePoint:
    """The same point with lengths measured by the family's scales there; of a band of orbits, the one in its middle.

    least : (size + 1,) that the scales have.
    """
    x, p = point.z[:-1], float(point.z[-1])
    middle = family.middle(x, p)
    moved = middle is not x
    z = np.append(middle, p) if moved else point.z
    scale = np.empty(z.size)
    scale[:-1], scale[-1] = family.scales(middle, p), family.reach(p, span)
    if least is not None:
        np.maximum(scale, least, out=scale)
    tangent = point.tangent * point.scale / scale
    if moved:  # it was at the edge, and its tangent along that: the sign of the determinant gives the way on
        new = tangent_at(family, z, scale, tangent)
        signs = orientation(family, point.z, point.scale, point.tangent), orientation(family, z, scale, new)
        kept = -new if signs[0] * signs[1] < 0.0 else new
        return point._replace(z=z, scale=scale, tangent=kept, sign=signs[0])
    tangent /= math.sqrt(tangent.dot(tangent))
    return CurvePoint(z, scale, tangent, point.iterations, point.residual, point.turn, point.sign)
