"""Fallbacks where a point of a curve fails, and the log of what was tried."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import Message, NotConverged, SlipstickError
from slipstick.periodic.continuation.corrector import CurvePoint, correct, newton_at, solve_at, tangent_at
from slipstick.periodic.continuation.family import Family, SofterFamily
from slipstick.periodic.continuation.point_checks import lies_on_past_curve, orientation, turns_back_without_fold
from slipstick.results.orbit import OrbitPoint

if TYPE_CHECKING:
    from slipstick.periodic.continuation.path import Path


PREDICTOR_STEPS = (1e-2, 1e-3, 1e-4, 1e-5)  # steps that other predictors are given
MIN_PARAMETER_SHARE = 0.01  # of the way along the curve: the least that the parameter has to change to be stepped in
NEAR_FOLD_MULTIPLIER = 0.1  # from one: a multiplier that is so near tells of a fold close by
# lengths of the last step: beyond, an orbit must be as stable as the last one to be on the same branch
FAR_BEYOND_STEPS = 100.0
MAX_PARAMETER_STEPS_CHANGE = 100.0  # steps of the parameter that an orbit may change by in one
FURTHER_VALUES_REL = (
    0.05,
    0.02,
    1e-2,
    3e-3,
    1e-3,
    1e-4,
    1e-5,
)  # of the parameter, or of its range: so far ahead the same motion is looked for
SAME_MOTION_REL = 0.02  # of amplitudes, and of one: so much it may change on the way
STEP_BACK_REL = 1e-4  # of the parameter: as far back another state is taken from
MAX_LEAP_STEPS = 10.0  # lengths of a step along another direction that an orbit may lie away
MAX_SOFTER_STEPS = 12  # along the curve of a softer family, to get past the place that failed


class RestartsFailed(NotConverged):
    """Every way has failed.   reason : why the last of them did, in words; of one that tried several, its last.

    doubtful : a point that was found all the same, and may lie on another branch, with how in words.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.doubtful: tuple[CurvePoint, str] | None = None


class _Doubtful(NotConverged):
    """A point was found that may lie on another branch: it counts only where nothing else is found."""

    def __init__(self, found: CurvePoint) -> None:
        super().__init__("it led to another part of the curve")
        self.found = found


def failure_reason(failure: BaseException) -> str:
    """Why something failed, without what else was tried."""
    if isinstance(failure, RestartsFailed):
        return failure.reason
    return failure.message if isinstance(failure, SlipstickError) else str(failure)


class RestartLog:
    """What was tried, for the message at the end."""

    def __init__(self, what: str) -> None:
        self.what, self.words, self.last, self.reason = what, list[str](), "", ""

    def failed(self, words: str, failure: SlipstickError) -> None:
        self.words.append(words)
        self.last, self.reason = failure.message, failure_reason(failure)

    @property
    def message(self) -> Message:
        tried = Message.joined(self.words).wrapped("tried: ")
        return Message.joined([tried, Message.of(self.last).wrapped("the last: ")])

    def refusal(self) -> RestartsFailed:
        return RestartsFailed(self.message.wrapped(f"{self.what}; "), self.reason)

    def success(self, words: str) -> str:
        before = f" (after {Message.joined(self.words).statement} failed)" if self.words else ""
        return f"found with {words}{before}"


def restart_path(path: Path, reasons: list[str]) -> tuple[CurvePoint, str]:
    """The next point of a path whose steps have all failed, by other means, and those in words."""
    last = path.last
    tries = RestartLog(f"the curve could not be followed beyond {path.family.format_parameter(last.p, 9)}")
    tries.words.append(f"steps down to {path.how.smallest_step:g}")
    tries.last = tries.reason = reasons[-1] if reasons else ""
    doubtful: list[tuple[CurvePoint, str]] = []
    for name, way in _ways(path):
        try:
            found = way(path)
            if _led_back(path, found):
                raise NotConverged("it led back along the curve")
        except NotConverged as failure:
            if isinstance(failure, _Doubtful) and not _led_back(path, failure.found):
                doubtful.append((failure.found, tries.success(name)))
            tries.failed(name, failure)
            continue
        return found, tries.success(name)
    refusal = tries.refusal()
    refusal.doubtful = doubtful[0] if doubtful else None
    raise refusal


def _led_back(path: Path, found: CurvePoint) -> bool:
    return turns_back_without_fold(path.family, path.last, found) or lies_on_past_curve(path.family, path.points, found)


def _ways(path: Path) -> Iterator[tuple[str, Callable[[Path], CurvePoint]]]:
    """Other means, the quickest first; easier families are made only when it comes to them."""
    yield "the secant as predictor", _by_secant
    if path.family.is_banded(path.last.x, path.last.p):
        yield "an orbit beyond the band", _beyond_a_band
    yield "the tangent beyond a corner", _round_a_corner
    yield "steps of the parameter alone", _by_parameter
    yield "a value of the parameter a little further on", find_same_orbit_beyond
    for soft in path.family.softened():
        yield soft.words, partial(_by_softer, soft=soft)


def _by_secant(path: Path) -> CurvePoint:
    """Predict along the line through the last two points: a tangent from a sampled law may be far from it."""
    if len(path.points) < 2:
        raise NotConverged("there is only one point so far")
    last, before = path.last, path.points[-2]
    line = (last.z - before.z) / last.scale
    length = float(np.sqrt(line @ line))
    if not length > 0.0:
        raise NotConverged("the last two points are the same")
    return _first_of(path, last._replace(tangent=line / length))


def _beyond_a_band(path: Path) -> CurvePoint:
    """Look for the orbit a little further on from the last one, which is one of a band that ends here.

    Where contacts begin to slip the orbits of the band become one, and hardly anything leads there but periods.
    """
    last, reason = path.last, NotConverged("the band goes on beyond the range")
    for length in PREDICTOR_STEPS:
        p = last.p + math.copysign(length * last.scale[-1], last.tangent[-1])
        if path.within.beyond(p) is not None:
            continue
        try:
            near = path.family.solve_near(last.x, p)
            found = newton_at(path.family, np.append(last.x if near is None else near.x, p), p, last.scale)
        except NotConverged as failure:
            reason = failure
            continue
        if math.sqrt(_square((found.z - last.z) / last.scale)) < MAX_PARAMETER_STEPS_CHANGE * length:
            return found if found.tangent[-1] * last.tangent[-1] > 0.0 else found.reversed()
        reason = NotConverged("it led to another part of the curve")
    raise reason


def _round_a_corner(path: Path) -> CurvePoint:
    """Predict along the tangent that the equations have a little further on: the curve has a corner here.

    Beyond a corner the curve may turn back by more than a right angle. The way on is the one on which the determinant
    of derivatives and tangent keeps its sign, as it does along any curve of piecewise smooth equations.
    """
    last, family = path.last, path.family
    reason: Exception = NotConverged("nothing lay beyond")
    before = orientation(family, last.z, last.scale, last.tangent)
    for length in PREDICTOR_STEPS:
        beyond = last.z + length * last.slope
        try:
            turned = tangent_at(family, beyond, last.scale, last.tangent)
            if orientation(family, beyond, last.scale, turned) * before < 0.0:
                turned = -turned
            return _first_of(path, last._replace(tangent=turned))
        except NotConverged as failure:
            reason = failure
    raise reason


def _by_parameter(path: Path) -> CurvePoint:
    """Go on in the direction of the last two points at given values of the parameter.

    This asks for no derivative by the parameter, and for none that is right within a corner.
    """
    if len(path.points) < 2:
        raise NotConverged("there is only one point so far")
    last, line = path.last, path.last.z - path.points[-2].z
    reason: Exception = NotConverged("the curve is too steep there")
    doubtful: _Doubtful | None = None
    if not abs(line[-1]) > MIN_PARAMETER_SHARE * math.sqrt(_square(line / last.scale)) * last.scale[-1]:
        raise reason
    for length in PREDICTOR_STEPS:
        ahead = math.copysign(length * last.scale[-1], line[-1])
        p = last.p + ahead
        if path.within.beyond(p) is not None:
            continue
        try:
            found = newton_at(path.family, last.z + ahead / line[-1] * line, p, last.scale)
        except NotConverged as failure:
            reason = failure
            continue
        moved = (found.z - last.z) / last.scale
        if math.sqrt(_square(moved)) < MAX_PARAMETER_STEPS_CHANGE * length:
            found = found if found.tangent @ (line / last.scale) > 0.0 else found.reversed()
            if not _is_other(path, found):
                return found
            doubtful = doubtful or _Doubtful(found)
        reason = NotConverged("it led to another part of the curve")
    raise doubtful or reason


def _is_other(path: Path, found: CurvePoint) -> bool:
    """True for an orbit far beyond the last steps with more or fewer multipliers outside the unit circle: a long step
    over a sharp fold finds another branch, and nothing between tells so."""
    last, before = path.last, path.points[-2 if len(path.points) > 1 else -1]
    step, gone = (math.sqrt(_square((b.z - a.z) / last.scale)) for a, b in ((before, last), (last, found)))
    if not gone > FAR_BEYOND_STEPS * step > 0.0:
        return False
    here, there = (path.family.point(each.x, each.p).multipliers for each in (last, found))
    turning = (here.imag == 0.0) & (np.abs(here.real - 1.0) < NEAR_FOLD_MULTIPLIER)  # at a corner multipliers may leap
    return bool(turning.any()) and _outside(here) != _outside(there)


def _outside(multipliers: NDArray[np.complex128]) -> tuple[int, int]:
    """How many lie outside the unit circle, to the right and to the left: as at folds, and as at period doublings."""
    out = multipliers[np.abs(multipliers) > 1.0 + SAME_MOTION_REL].real
    return int(np.sum(out > 0.0)), int(np.sum(out <= 0.0))


def find_same_orbit_beyond(path: Path) -> CurvePoint:
    """Look at values of the parameter further on for the same motion, wherever on it the period begins.

    With a stiff contact, or after a long ring, the state at the start of a period changes at once or in many ripples
    where the motion hardly does. It is known by its amplitude and multipliers, which do not depend on that begin.
    """
    last, family = path.last, path.family
    before = (point for point in reversed(path.points) if abs(point.p - last.p) > STEP_BACK_REL * abs(last.p))
    known = [last, *itertools.islice(before, 1)]  # the last may lie amid the leap
    motions = [family.point(point.x, point.p) for point in known]
    reason: Exception = NotConverged("the curve goes on beyond the range")
    for length in FURTHER_VALUES_REL:
        p = last.p + math.copysign(min(length * path.within.span, length * abs(last.p)), last.tangent[-1])
        if path.within.beyond(p) is not None or p == last.p:
            continue
        try:
            found = _found_again(family, known, motions, p)
        except NotConverged as failure:
            reason = failure
            continue
        return found if found.tangent[-1] * last.tangent[-1] > 0.0 else found.reversed()
    raise reason


def _found_again(family: Family, known: list[CurvePoint], motions: list[OrbitPoint], p: float) -> CurvePoint:
    """The motion known from the last points at p, from there or from where any orbit is looked for at first."""
    reason = NotConverged("it led to another orbit")
    guesses: list[Callable[[float], Array]] = [
        partial(way, family, each.x) for each in known for way in SEARCHES_BEYOND
    ]
    for guess in (*guesses, family.start):
        try:
            found = newton_at(family, np.append(guess(p), p), p, known[0].scale)
            here = family.point(found.x, p)
            if any(_is_same(motion, here) for motion in motions):
                return found
        except NotConverged as failure:
            reason = failure
    raise reason


def _after_one_map(family: Family, x: Array, p: float) -> Array:
    """By what the equations miss from here: of a period map, the state one period later, beyond an impact."""
    missed = family.linearise(x, p).residual
    if missed.size != x.size:
        raise NotConverged("there are more equations than unknowns")
    return np.asarray(x + missed * family.scales(x, p) / math.sqrt(max(x.size, 1)))


def _near(family: Family, x: Array, p: float) -> Array:
    near = family.solve_near(x, p)
    return x if near is None else near.x


def _is_same(a: OrbitPoint, b: OrbitPoint) -> bool:
    """True for motions with nearly the same amplitudes and multipliers, of which as many are beyond one."""
    if not a.multipliers.size == b.multipliers.size > 0 or a.stable != b.stable:
        return False
    own, other = (np.sort_complex(each.multipliers) for each in (a, b))
    largest = float(np.abs(a.amplitude).max(initial=0.0))
    return bool(
        np.abs(own - other).max() < SAME_MOTION_REL
        and np.abs(a.amplitude - b.amplitude).max(initial=0.0) < SAME_MOTION_REL * largest
    )


SEARCHES_BEYOND: tuple[Callable[[Family, Array, float], Array], ...] = (_near, _after_one_map)


def _square(vector: Array) -> float:
    return float(vector @ vector)


def _by_softer(path: Path, soft: SofterFamily) -> CurvePoint:
    """Go along the curve of a softer family past the trouble, and come back to the hard one there."""
    last = path.last
    x = np.asarray(soft.lower(last.x), dtype=float)
    begun = solve_at(soft.family, x, last.p, path.within.span)
    if (begun.tangent[-1] > 0.0) != (last.tangent[-1] > 0.0):
        begun = begun.reversed()
    walk, reason = type(path)(soft.family, begun, path.within, path.how), NotConverged("it led nowhere")
    for k, point in enumerate(walk):
        if k > MAX_SOFTER_STEPS:
            break
        guess = np.append(soft.lift(point.x), point.p)
        ahead = last.ahead(guess)
        if not ahead > path.how.smallest_step:
            continue
        try:
            return correct(path.family, guess, last.plane(ahead))
        except NotConverged as failure:
            reason = failure
    raise reason


def _first_of(path: Path, turned: CurvePoint) -> CurvePoint:
    """The first step along another direction from the last point that succeeds."""
    reason: Exception = NotConverged("no step was taken")
    doubtful: _Doubtful | None = None
    points = path.points
    for length in PREDICTOR_STEPS:
        try:
            found = correct(path.family, turned.z + length * turned.slope, turned.plane(length))
        except NotConverged as failure:
            reason = failure
            continue
        if math.sqrt(_square((found.z - turned.z) / turned.scale)) > MAX_LEAP_STEPS * length:
            reason = NotConverged("it led to another part of the curve")
        elif not _is_new(points, found):
            reason = NotConverged("it led back along the curve")
        elif _is_other(path, found):
            doubtful = doubtful or _Doubtful(found)
        else:
            return found
    raise doubtful or reason


def _is_new(points: list[CurvePoint], found: CurvePoint) -> bool:
    """False for a point that lies on the stretch the path has come along."""
    if len(points) < 2:
        return True
    last, before = points[-1], points[-2]
    back, there = (before.z - last.z) / last.scale, (found.z - last.z) / last.scale
    along = float(back @ there) / max(float(back @ back), 1e-300)
    aside = there - along * back
    return along <= 0.0 or float(aside @ aside) > 1e-4 * float(there @ there)
