"""Checks of a point that a step along a curve has led to: is it on the same branch, ahead, and new?

At a fold the derivatives by the unknowns are singular, so their determinant changes its sign where the parameter turns.
Where only one of the two changes, the step was too long and led back. The determinant of derivatives and tangent, the
orientation, keeps its sign along a curve, beyond folds and corners too, and goes through zero only where another branch
crosses. Where it changes its sign without going through zero, the step has led to another branch.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import CurvePoint, correct, determinant_sign, newton_at
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.step_control import MAX_CORRECTION_OF_STEP, ParameterRange, StepControl

# of a step: how far the way to a point may lie beside both tangents, of one that stayed on its branch
MAX_TANGENT_OFFSET_REL = 0.02
# Newton steps for a point: where it takes more and the curve turns, another branch may be near
HARD_NEWTON_STEPS = 5
# short steps: how far behind a corner a point may lie from its prediction; farther, it is on another part of the curve
MAX_CORNER_LEAP_STEPS = 10.0
CHECK_PLACES = (0.5, 0.3, 0.7)  # of the way: where the determinant is evaluated, the next one where one fails
# of its change: so far from a straight line it may lie there; a step to another branch is off by 0.3 or more
MAX_UNEVENNESS_REL = 0.2
FOLD_SAMPLES = 49  # of the cubic between two points, to find where the parameter turns
SIGN_ROUNDING_REL = 1e-10  # of the largest singular value: below it the sign of a determinant is one of rounding
NEAR_SINGULAR_REL = 0.25  # of the smallest singular value beside it: a turn has to be so near to singular
SAME_ORBIT_LENGTH = 1e-6  # length within which two orbits are one
MIN_POINTS_APART = 3  # points between a point and one that visits it again


def refuse_doubtful(
    family: Family,
    last: CurvePoint,
    new: CurvePoint,
    corrected: float,
    step: float,
    within: ParameterRange,
    how: StepControl,
) -> None:
    """Raise `NotConverged` for a point that is likely to lie on another part of the curve.

    corrected : its distance from the prediction.
    """
    if step <= how.corner:
        if corrected > MAX_CORNER_LEAP_STEPS * max(step, how.smallest_step):
            raise NotConverged("the corrected point is too far from the predicted one, even for a corner")
        return
    if new.turn > how.max_turn:
        raise NotConverged(f"the curve turned by {math.degrees(new.turn):.0f} degrees in one step")
    if corrected > MAX_CORRECTION_OF_STEP * step:
        raise NotConverged("the corrected point is too far from the predicted one")
    turns = last.tangent[-1] * new.tangent[-1] < 0.0
    if turns and within.beyond(new.p) is None and within.beyond(fold_value(last, new)) is not None:
        raise NotConverged("the curve left the range and came back into it in one step")
    if not family.sampled and _is_on_other_branch(family, last, new, how):
        raise NotConverged("the step jumped to another branch")


def _is_on_other_branch(family: Family, last: CurvePoint, new: CurvePoint, how: StepControl) -> bool:
    """True for a point that is likely to lie on another branch, though its tangent is much like the last one.

    The way there lies between both tangents, in the middle of them where the curve is smooth, and is soon found. At
    a corner it lies anywhere between, but there an event appears or vanishes, and the new tangent leads back to the
    last point; on a branch beside, it leads along that. Curves that waver between samples give none of these signs.
    """
    if last.sign * new.sign < 0.0 and not determinant_crosses_zero(family, last, new):
        return True
    way, after = (new.z - last.z) / last.scale, new.tangent * new.scale / last.scale
    before, after = last.tangent, after / math.sqrt(after.dot(after))
    offset, bend = way / math.sqrt(way.dot(way)) - 0.5 * (before + after), after - before
    aside, half = math.sqrt(offset.dot(offset)), 0.5 * math.sqrt(bend.dot(bend))
    straight = aside <= MAX_TANGENT_OFFSET_REL + 0.2 * half
    if straight and not (new.iterations > HARD_NEWTON_STEPS and new.turn > 0.5 * how.target_turn):
        return False
    if aside > MAX_TANGENT_OFFSET_REL + 1.2 * half or _same_events(family, last, new):
        return True
    back = new.z - last.ahead(new.z) / float(last.tangent @ after) * after * last.scale
    return not leads_to_point(family, last, last, back, 0.0)


def _same_events(family: Family, last: CurvePoint, new: CurvePoint) -> bool:
    """True where a period is known to have as many events as that of the last point: no corner lies between."""
    old, own = (family.events_along(each.x, each.p) for each in (last, new))
    return old is not None and own is not None and len(old) == len(own)


# ---- orientation


def orientation(family: Family, z: Array, scale: Array, tangent: Array) -> float:
    """The sign of the determinant of derivatives and tangent; 0 where they are not square, or it is one of rounding."""
    return determinant_sign(_bordered(family, z, scale, tangent))


def determinant_crosses_zero(family: Family, last: CurvePoint, new: CurvePoint) -> bool:
    """True if the determinant, whose sign is another at a new point, changes evenly on the way there from the last."""

    def determinant(at: CurvePoint) -> tuple[float, float]:  # its sign, and the logarithm of its size
        sign, size = np.linalg.slogdet(_bordered(family, at.z, last.scale, at.tangent))
        return float(sign), float(size)

    ends = [determinant(each) for each in (last, new)]
    largest = max(size for _, size in ends)
    first, end = (sign * math.exp(size - largest) for sign, size in ends)
    whole = last.ahead(new.z)
    if not whole > 0.0:
        return False
    for part in CHECK_PLACES:
        try:
            found = correct(family, last.z + part * (new.z - last.z), last.plane(part * whole))
        except NotConverged:
            continue
        sign, size = determinant(found)
        own = sign * math.exp(min(size - largest, 1.0))  # e times as large is far enough off
        return abs(own - (1.0 - part) * first - part * end) <= MAX_UNEVENNESS_REL * abs(end - first)
    return False


def _bordered(family: Family, z: Array, scale: Array, tangent: Array) -> Array:
    _, by_x, by_p = family.linearise(z[:-1], float(z[-1]))
    return np.vstack([np.column_stack([by_x, by_p]) * scale, tangent])


# ---- turns of the parameter


def fold_value(last: CurvePoint, new: CurvePoint) -> float:
    """The parameter where it turns between two neighbours, by a cubic; that of the new one if it does not turn."""
    first, end = float(last.slope[-1]), float(new.slope[-1])
    if not first * end < 0.0:
        return new.p
    length = scaled_distance(last, new)
    s = np.linspace(0.0, 1.0, FOLD_SAMPLES)
    risen = s * s * (3.0 - 2.0 * s) * (new.p - last.p)
    p = last.p + risen + length * s * (1.0 - s) * ((1.0 - s) * first - s * end)
    return float(p.max() if first > 0.0 else p.min())


def turns_back_without_fold(family: Family, last: CurvePoint, new: CurvePoint) -> bool:
    """True where the parameter turns between two neighbours though no fold lies there, or goes back without turning.

    False too where that is not known: derivatives that are not square, singular, or of a law along samples.
    """
    if family.sampled:
        return False
    if not last.tangent[-1] * new.tangent[-1] < 0.0:  # both ends lead on: the way between them must not go back
        against = (float(last.z[-1]) - float(new.z[-1])) / last.scale[-1] * np.sign(last.tangent[-1])
        return bool(against > 0.0 and against > SAME_ORBIT_LENGTH * scaled_distance(last, new))
    a, b = _signed_singular_value(family, last.z), _signed_singular_value(family, new.z)
    if not a * b > 0.0:
        return False
    length = last.ahead(new.z)
    if not length > 0.0:
        return True
    # where two branches cross, one of them may turn without a change of sign; but then they are singular there
    along = length * abs(last.tangent[-1]) / (abs(last.tangent[-1]) + abs(new.tangent[-1]))
    try:
        top = correct(family, last.z + along / length * (new.z - last.z), last.plane(along))
    except NotConverged:
        return True
    return abs(_signed_singular_value(family, top.z)) > NEAR_SINGULAR_REL * max(abs(a), abs(b))


def _signed_singular_value(family: Family, z: Array) -> float:
    """The smallest singular value of the derivatives by the unknowns, with the sign of their determinant.

    0 where they are not square, or where that sign is one of rounding.
    """
    x, p = z[:-1], float(z[-1])
    _, by_x, _ = family.linearise(x, p)
    if by_x.shape[0] != by_x.shape[1] or not by_x.size:
        return 0.0
    matrix = by_x * family.scales(x, p)
    values = np.linalg.svd(matrix, compute_uv=False)
    if not values[-1] > SIGN_ROUNDING_REL * max(values[0], 1.0):
        return 0.0
    return float(np.linalg.slogdet(matrix)[0] * values[-1])


# ---- points visited before


def leads_to_point(family: Family, early: CurvePoint, last: CurvePoint, guess: Array, ahead: float) -> bool:
    """True if the point so far ahead of the last is an earlier one."""
    try:
        again = correct(family, guess, last.plane(ahead))
    except NotConverged:
        return False
    apart = (again.z - early.z) / last.scale
    return math.sqrt(apart.dot(apart)) <= SAME_ORBIT_LENGTH + 10.0 * family.tolerance


def closes_at_start(family: Family, first: CurvePoint, last: CurvePoint, new: CurvePoint, step: float) -> bool:
    """True if the step from the last to a new point leads through the first of the curve: an isolated branch closes."""
    ahead = last.ahead(first.z)
    if not 0.0 < ahead <= step * 1.0001:
        return False
    aside = (first.z - last.z) / last.scale - ahead * last.tangent
    if math.sqrt(aside.dot(aside)) > step or first.tangent @ (last.slope / first.scale) <= 0.0:
        return False
    return leads_to_point(family, first, last, last.z + ahead / step * (new.z - last.z), ahead)


def revisited_point(family: Family, points: Sequence[CurvePoint], values: Array, new: CurvePoint) -> int | None:
    """The number of an earlier point that lies on the way from the last to a new one, if any does.

    values : (points, or more) of the parameter at each.
    """
    last, whole, way = points[-1], points[-1].ahead(new.z), new.z - points[-1].z
    if not whole > 0.0:
        return None
    values = values[: max(len(points) - MIN_POINTS_APART, 0)]
    among = (values >= min(last.p, new.p)) & (values <= max(last.p, new.p))
    for k in (np.flatnonzero(among[1:]) + 1).tolist():
        early = points[k]
        ahead = last.ahead(early.z)
        place = last.z + ahead / whole * way
        apart = (early.z - place) / last.scale
        near = 0.0 < ahead <= whole and math.sqrt(apart.dot(apart)) <= MAX_CORRECTION_OF_STEP * whole
        if near and leads_to_point(family, early, last, place, ahead):
            return k
    return None


def lies_on_past_curve(family: Family, points: list[CurvePoint], found: CurvePoint) -> bool:
    """True for a point on the curve between those that it has come along."""
    for a, b in itertools.pairwise(points):
        if not min(a.p, b.p) <= found.p <= max(a.p, b.p) or a.p == b.p:
            continue
        guess = a.z + (found.p - a.p) / (b.p - a.p) * (b.z - a.z)
        try:
            known = newton_at(family, guess, found.p, a.scale)
        except NotConverged:
            continue
        if scaled_distance(known, found) < SAME_ORBIT_LENGTH:
            return True
    return False


def retraced_from(points: list[CurvePoint]) -> int | None:
    """The point from which a curve runs back along itself to where it began; None for one that does not."""
    if len(points) < 3 or points[0].p != points[-1].p or not scaled_distance(points[0], points[-1]) < SAME_ORBIT_LENGTH:
        return None
    gone = np.cumsum([scaled_distance(a, b) for a, b in itertools.pairwise(points)])
    return int(np.argmin(np.abs(gone - 0.5 * gone[-1]))) + 1


def scaled_distance(a: CurvePoint, b: CurvePoint) -> float:
    """Between two points, in units of the scale at the first."""
    apart = (a.z - b.z) / a.scale
    return math.sqrt(apart.dot(apart))
