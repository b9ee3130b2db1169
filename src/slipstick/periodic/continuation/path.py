"""Pseudo-arclength continuation of orbits over frequency or another parameter.

`Path` is an iterator over the points of a curve in one direction: it can be watched, left and gone on with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint, correct, parameter_plane, scale_of, tangent_at
from slipstick.periodic.continuation.family import ContinuationStep, Family, StepLimits
from slipstick.periodic.continuation.folds import fold_value, turns_back_without_fold
from slipstick.periodic.continuation.loop_detection import closes_at_start, leads_to_point, revisited_point
from slipstick.periodic.continuation.orientation import determinant_crosses_zero, orientation
from slipstick.periodic.continuation.restarts import RestartsFailed, find_same_orbit_beyond, restart_path
from slipstick.periodic.continuation.step_control import MAX_CORRECTION_OF_STEP, ParameterRange, StepControl, arc_length

Array = NDArray[np.float64]

# of a step: how far the way to a point may lie beside both tangents, of one that stayed on its branch
MAX_TANGENT_OFFSET_REL = 0.02
FINE_START_STEPS, SHARP_BEND_ANGLE = (
    4.0,
    0.1,
)  # smallest steps that are begun with, and [rad] in those: then finer ones come before leaps
# steps of Newton's method for a point: where it takes more and the curve turns, another branch may be near
HARD_NEWTON_STEPS = 5
# short steps: how far behind a corner a point may lie from its prediction; farther, it is one of elsewhere
MAX_CORNER_LEAP_STEPS = 10.0
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

    def told(self, family: Family) -> str:
        begin, until = (family.said(p, 9) for p in (self.begin, self.until))
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
        self._low, self._high = within.low, within.high
        self._restart_notes, self._crawl_steps, self._turned = list[RestartNote](), 0, 0
        self._largest = start.scale.copy()
        self._values = np.empty(self.how.max_points + 1)  # of the parameter at each point, to look them up
        self._values[0] = start.p
        self._found = list[ContinuationStep]()  # points ahead that are known already, the next one at the end
        self._first_new_point = False  # that lie where the parameter has not been
        began = math.nan if start.p in (within.low, within.high) else start.p
        self._pace = StepLimits(self.how, within.low, within.high, began)

    def __iter__(self) -> Iterator[CurvePoint]:
        return self

    def __next__(self) -> CurvePoint:
        if self.over:
            raise StopIteration
        if self._first_new_point and len(self._found) > 1 and len(self.points) + 1 < self.how.max_points:
            return self._append(self._one_step(self.step))
        if not self.points:
            self.points.append(self.start)
            return self.start
        if len(self.points) == 1 and self._leaves_range():
            raise StopIteration
        new = self._advance()
        early = None if self.closed else revisited_point(self.family, self.points, self._values, new)
        if early is not None:
            here = self.family.said(self.points[early].p, 9)
            try:
                new = self._beyond_turn_back(early)
            except NotConverged:
                self._finish(f"the curve came to {here} again, where it had been, and went round or back")
                raise StopIteration from None
        self._append(new)
        self._count()
        return new

    def _append(self, new: CurvePoint) -> CurvePoint:
        self._values[len(self.points)] = new.z[-1]
        self.points.append(new)
        return new

    def _count(self) -> None:
        """End a path that has too many points, or makes no way."""
        if len(self.points) >= self.how.max_points and not self.over:
            self._finish(f"{self.how.max_points} points were reached (max_points)")
        self._crawl_steps = self._crawl_steps + 1 if self.step < MIN_CRAWL_LENGTH / MAX_CRAWL_STEPS else 0
        if self._crawl_steps > MAX_CRAWL_STEPS and not self.over:
            here = self.family.said(self.last.p, 9)
            self._finish(
                f"the curve made no way any more at {here}: the last {MAX_CRAWL_STEPS} steps were all "
                f"below {MIN_CRAWL_LENGTH / MAX_CRAWL_STEPS:g}; its derivatives may be wrong there, or it "
                f"has a corner at every step"
            )
        if not self.over and self._is_diverging():
            near, here = (self.family.said(p) for p in (self._ahead_bound, self.last.p))
            self._finish(
                f"the orbit grows without bound as the curve comes near {near}, and has grown more than "
                f"{DIVERGENCE_GROWTH:g} times on its last way to {here}; end the range before that, or hold the motion"
            )

    @property
    def _ahead_bound(self) -> float:
        return self._low if self.last.tangent[-1] < 0.0 else self._high

    def _is_diverging(self) -> bool:
        """True where the orbit grows and grows and the parameter only comes ever nearer to a bound."""
        bound = self._ahead_bound
        left = abs(self.last.p - bound)
        if left > DIVERGENCE_RANGE_REL * self.within.span:
            return False
        sizes = [np.abs(each.z[:-1]).max(initial=0.0) for each in self.points if abs(each.p - bound) > 1e3 * left]
        return bool(np.abs(self.last.z[:-1]).max(initial=0.0) > DIVERGENCE_GROWTH * max(sizes, default=math.inf))

    @property
    def last(self) -> CurvePoint:
        return self.points[-1]

    @property
    def notes(self) -> list[str]:
        """Where other ways than a step along the tangent were needed, and which."""
        return [each.told(self.family) for each in self._restart_notes]

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
        last, gone = self.last, arc_length((self.last.z - self.points[-2].z) / self.last.scale)
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
        """The next point, by the family's own means where it has any; raises `NotConverged`."""
        if not self._found:
            self._find(step)
        if not self._found:
            return self._accept(self._ahead(self.attempt(self._predicted(step), step)), step)
        stepped = self._found.pop()
        new, step = stepped.found, stepped.step
        if self._found:  # it is known to be ordinary
            self.step = self._found[-1].step
            return new
        self.step = step
        self._check(new, stepped.corrected, step)
        p = float(new.z[-1])
        if not self._low < p < self._high:
            return self._accept(self._on_bound(new.z, self._low if p <= self._low else self._high), step)
        if self._comes_back(new, step):
            return self.start
        self._choose_step(step, stepped.effort, new.turn)
        return new

    def _find(self, step: float) -> None:
        """Points ahead by the family's own means, as many as it finds at once."""
        last, before = self.last, self.points[-2:-1]
        bends = before and 0.0 < last.turn < self.how.target_turn
        found = self.family.stepped(last, before[0] if bends else None, step, self._pace)
        if len(found) > 1:  # the parameter goes one way up to the last but one of them, in steps worth the name
            self._crawl_steps = 0
            values, ends = self._values[1 : len(self.points) - 1], (last.p, found[-2].found.p)
            self._first_new_point = bool(
                np.minimum.reduce(values, initial=math.inf) > max(ends)
                or np.maximum.reduce(values, initial=-math.inf) < min(ends)
            )
        self._found = list(reversed(found))

    def _ahead(self, new: CurvePoint) -> CurvePoint:
        """The same point; raises `NotConverged` if the curve goes back from there, with no fold on the way."""
        last, bound = self.last, new.p in (self._low, self._high)
        inward = bound and not self.family.sampled and new.tangent[-1] * (new.p - last.p) < 0.0
        if inward or turns_back_without_fold(self.family, last, new):
            raise NotConverged("the step led back along the curve")
        return new

    def _predicted(self, step: float) -> Array:
        """Along the tangent, and bent as it has turned since the point before."""
        last = self.last
        if len(self.points) < 2 or not 0.0 < last.turn < self.how.target_turn:
            return last.z + step * last.slope
        before = self.points[-2]
        way, old = (last.z - before.z) / last.scale, before.slope / last.scale
        curvature = (last.tangent - old / arc_length(old)) / arc_length(way)
        return last.z + (step * last.tangent + 0.5 * step * step * curvature) * last.scale

    def attempt(self, guess: Array, step: float) -> CurvePoint:
        """A point one step ahead of the last from a guess, or on the bound that is nearer; raises `NotConverged`."""
        last, within = self.last, self.within
        bound = within.beyond(float(guess[-1]))
        if bound is None:
            new = correct(self.family, guess, last.plane(step))
            self._check(new, arc_length((new.z - guess) / last.scale), step)
            bound = within.beyond(new.p)
            if bound is None:
                return new
            guess = new.z
        return self._on_bound(guess, bound)

    def _on_bound(self, beyond: Array, bound: float) -> CurvePoint:
        """The point on a bound, from one that lies beyond it."""
        last = self.last
        guess = last.z + (bound - last.p) / (float(beyond[-1]) - last.p) * (beyond - last.z)
        guess[-1] = bound
        new = correct(self.family, guess, parameter_plane(guess, bound, last.scale))
        if new.tangent @ last.tangent < 0.0:
            new = new.reversed()
        turn = math.acos(min(max(float(new.tangent @ last.tangent), -1.0), 1.0))
        new = new._replace(turn=turn)
        self._check(new, arc_length((new.z - guess) / last.scale), last.ahead(guess))
        return new

    def _check(self, new: CurvePoint, corrected: float, step: float) -> None:
        """Refuse a point that is likely to lie on another part of the curve; corrected : its way from the guess."""
        if step <= self.how.corner:
            if corrected > MAX_CORNER_LEAP_STEPS * max(step, self.how.smallest_step):
                raise NotConverged("the corrected point lay farther from the predicted one than behind any corner")
            return
        if new.turn > self.how.max_turn:
            raise NotConverged(f"the curve turned by {math.degrees(new.turn):.0f} degrees in one step")
        if corrected > MAX_CORRECTION_OF_STEP * step:
            raise NotConverged("the corrected point lay too far from the predicted one")
        if self.within.beyond(new.p) is None and self.within.beyond(fold_value(self.last, new)) is not None:
            raise NotConverged("the curve left the range and came back into it in one step")
        if not self.family.sampled and self._is_on_other_branch(new):
            raise NotConverged("the step led over to another branch that crosses this one, or runs beside it")

    def _is_on_other_branch(self, new: CurvePoint) -> bool:
        """True for a point that is likely to lie on another branch, though its tangent is much like the last one.

        The way there lies between both tangents, in the middle of them where the curve is smooth, and is soon found; at
        a corner of it anywhere between, but there an event comes or goes, and the new tangent leads back to the last
        point: on a branch beside, it leads along that. And the sign that a curve keeps changes only where one crosses.
        Curves that waver between samples tell nothing by any of these.
        """
        last = self.last
        if last.sign * new.sign < 0.0 and not determinant_crosses_zero(self.family, last, new):
            return True
        way, after = (new.z - last.z) / last.scale, new.slope / last.scale
        before, after = last.tangent, after / arc_length(after)
        aside, half = arc_length(way / arc_length(way) - 0.5 * (before + after)), 0.5 * arc_length(after - before)
        straight = aside <= MAX_TANGENT_OFFSET_REL + 0.2 * half
        if straight and not (new.iterations > HARD_NEWTON_STEPS and new.turn > 0.5 * self.how.target_turn):
            return False
        if aside > MAX_TANGENT_OFFSET_REL + 1.2 * half or self._same_events(new):
            return True
        back = new.z - last.ahead(new.z) / float(last.tangent @ after) * after * last.scale
        return not leads_to_point(self.family, last, last, back, 0.0)

    def _same_events(self, new: CurvePoint) -> bool:
        """True where a period is known to have as many events as that of the last point: no corner lies between."""
        old, own = (self.family.events_along(each.x, each.p) for each in (self.last, new))
        return old is not None and own is not None and len(old) == len(own)

    def _accept(self, new: CurvePoint, step: float) -> CurvePoint:
        """Make it the last point: measure lengths as the orbit has grown, choose the next step, see if it is an end."""
        if self._comes_back(new, step):
            return self.start
        self._choose_step(step, new.iterations, new.turn)
        if new.p in (self._low, self._high):
            self._finish("")
        new = rescaled_point(self.family, new, self.within.span, MIN_ORBIT_SIZE_REL * self._largest)
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
        """True if the start of the curve was met again: then it ends there."""
        if not closes_at_start(self.family, self.start, self.points, new, step, self.within):
            return False
        self.closed = True
        self._finish("")
        return True

    def _beyond_turn_back(self, turned: int) -> CurvePoint:
        """Where a path ran back over its own points: from the one at which it turned, an orbit found otherwise."""
        if self._turned == MAX_TURN_BACKS:
            raise NotConverged("it ran back again and again")
        self._turned += 1
        kept = self.points
        self.points, self._found = kept[: turned + 1], []
        try:
            return self._accept_restart(*restart_path(self, ["the path ran back over its own points"]))
        except NotConverged:
            self.points = kept
            raise


def rescaled_point(family: Family, point: CurvePoint, span: float, least: Array | None = None) -> CurvePoint:
    """The same point with lengths measured by the family's scales there; of a band of orbits, the one in its middle.

    least : (size + 1,) that the scales have.
    """
    x = point.x
    middle = family.middle(x, point.p)
    moved = middle is not x
    z = np.append(middle, point.p) if moved else point.z
    scale = scale_of(family, z, span)
    if least is not None:
        scale = np.maximum(scale, least)
    tangent = point.slope / scale
    if moved:  # it was at the edge, and its tangent along that: the way on is told by the sign of the determinant
        new = tangent_at(family, z, scale, tangent)
        signs = orientation(family, point.z, point.scale, point.tangent), orientation(family, z, scale, new)
        kept = -new if signs[0] * signs[1] < 0.0 else new
        return point._replace(z=z, scale=scale, tangent=kept, sign=signs[0])
    return point._replace(scale=scale, tangent=tangent / np.sqrt(tangent @ tangent))
