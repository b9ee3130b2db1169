"""Special points of a curve: folds, period doublings, Neimark-Sacker points, branch points, grazes; found and located.

A fold is where the curve turns round in the parameter. At the others multipliers cross the unit circle: through -1,
as a pair, or through +1 without a fold. At a graze an event appears or vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.branches.branch_points import (
    MIDDLE_TOLERANCE_REL,
    BranchPoint,
    branch_point_near,
    branch_points_of,
    rank_drop,
    small_steps,
)
from slipstick.periodic.continuation.corrector import CurvePoint, Plane, correct, with_own_tangent
from slipstick.periodic.continuation.curve_segment import (
    LOCATION_LENGTH,
    MAX_BRACKET_REL,
    NEUTRAL_DISTANCE,
    SOLVER_FAILURES,
    CurveSegment,
    neutral_count,
    solved_orbit,
)
from slipstick.periodic.continuation.curve_trace import CurveTrace
from slipstick.periodic.continuation.folds import find_folds
from slipstick.periodic.continuation.point_checks import scaled_distance
from slipstick.periodic.curve_notes import (
    artefacts_note,
    doubtful_multiplier_notes,
    summarised_notes,
    unlocated_grazes_note,
)
from slipstick.periodic.stability.grazing import Graze, find_grazes
from slipstick.periodic.stability.multiplier_crossings import (
    excursion_place,
    excursion_through_one,
    moduli,
    monotone_parts,
    near_fold,
    neighbours_beside,
    no_crossing_possible,
    pair_near_one,
    possible_crossings,
    with_following,
    without_neutral,
)
from slipstick.periodic.stability.special_point_errors import error_from_size, is_artefact, location_error
from slipstick.results.curve import CurveFindings
from slipstick.results.orbit import OrbitPoint

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

REAL_MULTIPLIER_IMAG = 1e-6  # imaginary part below which a multiplier on the unit circle is +1 or -1
MAX_CROSSING_GAP = 1e-3  # a multiplier that is farther from the unit circle where it should cross has jumped: a graze
# the same near +1, where a branch point is looked for: beside it orbits may lie on the other branch
BRANCH_POINT_GAP = 1e-2
# the same of a family whose multipliers jump where a switch passes a sample: 2.4e-3 was seen, and 0.1 at grazes
MAX_SAMPLED_CROSSING_GAP = 1e-2
# a multiplier that meets two of a free body at one: of a triple eigenvalue the third root of rounding is known
NEUTRAL_CROSSING_ERROR = 1e-4
CORNER_LENGTH = 1e-4  # length from a corner at which its branches are looked at, and then the square of it
SAME_GRAZE_REL = 1e-6  # of the parameter: grazes so near to each other are one
# of what it is at the ends: where a singular value is so small, a branch point is looked for
BRANCH_POINT_SUSPECT_REL = 0.5
# from the unit circle: multipliers found apart from the equations may be off by so much at a branch point
SEPARATE_MULTIPLIER_ERROR = 0.2
END_MARGIN_REL = 0.05  # of the stretch, at its ends, where it is looked for in any case
SAME_CROSSING_LENGTH = 1e-7  # length along the curve below which two crossings are one
# grazes of a curve that were looked for in vain; of more, the interval between two points is told
MAX_FAILED_GRAZES = 3
# places of a curve at which an orbit beside a graze that was not located was looked for: likewise
MAX_FAILED_ORBITS = 24
ORDINARY_POINT = ""  # the kind of a point that nothing is special about: stability between two that are
PAIR_DISTANCE = 1e-3  # two multipliers so near to each other at -1 are a pair that has met there


class SpecialPoint(NamedTuple):
    """A special point on a stretch: how far along, what, and the orbit there; of a graze, what else is known.

    width : length along the curve within which a branch point, or a fold without orbits around, lies.
    """

    along: float
    kind: str
    located: CurvePoint
    point: OrbitPoint
    graze: Graze | None = None
    width: float = 0.0


class KnownFolds(NamedTuple):
    """What is known beforehand about folds of a stretch.

    fold : how far along it one is; None: there is none.   near : one is on this stretch or beside it.
    """

    fold: float | None
    near: bool


def special_points_of(traced: CurveTrace) -> CurveFindings:
    """All points of a curve in order, the special ones among them, with what is special about them.

    Ctrl-C raises `NotConverged` with those that were looked at by then as ``partial``.
    """
    points, special, notes = list[OrbitPoint](), list[dict[str, Any]](), list(traced.notes)
    try:
        _scan_curve(traced, points, special, notes)
        notes += unlocated_grazes_note(special, traced.interrupted)
    except KeyboardInterrupt:
        words = "interrupted while stability and special points were computed"
        raise NotConverged(words, CurveFindings(tuple(points), special, tuple(notes)), interrupted=True) from None
    return CurveFindings(tuple(points), special, tuple(notes))


def _scan_curve(traced: CurveTrace, points: list[OrbitPoint], special: list[dict[str, Any]], notes: list[str]) -> None:
    """Append all points of a curve, the special ones among them, and notes on what was not found."""
    before: tuple[CurvePoint, OrbitPoint] | None = None
    earlier: OrbitPoint | None = None
    troubles, doubtful, artefacts = 0, list[float](), list[SpecialPoint]()
    folds, left_out, missed = _turns(traced, notes), list[str](), list[str]()
    if folds is None:
        _renew_tangents_at_turns(traced)
    for k, (point, behind) in enumerate(with_following(_orbits(traced))):
        located = traced.points[k]
        if isinstance(point, Exception):
            left_out.append(f"the orbit at {traced.family.said(located.p, 9)} is left out: {point}")
            earlier = before = None
            continue
        point = replace(point, residual=located.residual, iterations=located.iterations)
        turned = None if folds is None else KnownFolds(folds.get(k - 1), not folds.keys().isdisjoint((k - 2, k - 1, k)))
        near = turned is not None and turned.near
        beside = neighbours_beside(traced.points, k, earlier, behind) if traced.along and before is not None else []
        margin = SEPARATE_MULTIPLIER_ERROR if traced.family.apart else NEUTRAL_DISTANCE
        if (
            before is not None
            and traced.along
            and (
                near
                or not no_crossing_possible(before, (located, point), beside, margin)
                or (not traced.family.apart and pair_near_one(before[1].multipliers, point.multipliers))
            )
        ):
            stretch = CurveSegment(traced.family, before[0], located, (before[1], point))
            stretch.beside = beside
            in_vain = sum(not s.get("located", True) for s in special)
            stretch.skip_location = traced.interrupted or in_vain >= MAX_FAILED_GRAZES or troubles >= MAX_FAILED_ORBITS
            seen = _with_small_steps(stretch, missed, turned)
            for found in seen:
                if found.kind in ("branch-point", "fold") and _known_crossing(traced, k):
                    continue  # the one it begins at, or goes on at, seen once more
                if _is_repeated(found, special):
                    continue
                if is_artefact(stretch, found.kind, found.located, found.point, traced.points):
                    artefacts.append(found)
                    continue
                at_begin = found.point is before[1]  # or at the end, as what was not located may be
                if found.kind != ORDINARY_POINT:
                    error = location_error(stretch, found.kind, found.along, found.located, found.point, traced.points)
                    error += found.width * max(abs(float(end.slope[-1])) for end in (stretch.a, stretch.b))
                    special.append(_special_row(found, len(points) - at_begin, error))
                if not at_begin and found.point is not point:
                    points.append(found.point)
            if any(found.graze is not None and not found.graze.located for found in seen):
                troubles += stretch.troubles  # those of a graze that was located were worth it
            doubtful += stretch.doubtful
        if k == 0:
            point = replace(point, error=max(point.error, traced.first_error))
        if k in traced.crossings:
            aside = before[1] if before is not None else point
            point = _with_location_error(point, traced.crossings[k], located, aside)
            _list_crossing(located, point, special, len(points))
        points.append(point)
        earlier, before = None if before is None else before[1], (located, point)
    notes += doubtful_multiplier_notes(traced, doubtful, points, special)
    notes += artefacts_note([(each.kind, traced.family.said(each.located.p)) for each in artefacts])
    notes += summarised_notes(left_out, "orbits are left out, for they could not be measured")
    notes += summarised_notes(missed, "special points were not located")
    if left_out and not points:
        raise NotConverged(f"none of {len(left_out)} orbits could be measured; the first: {left_out[0]}")


def _list_crossing(located: CurvePoint, point: OrbitPoint, special: list[dict[str, Any]], index: int) -> None:
    """Append a branch point that the curve passed, in place of the same one seen from the stretch before."""
    there = SpecialPoint(0.0, "branch-point", located, point)
    if _is_repeated(there, special):
        special.pop()
    special.append(_special_row(there, index, error_from_size(located, point)))


def _known_crossing(traced: CurveTrace, k: int) -> bool:
    """True for the stretch before point k if it ends or begins at a branch point that is known.

    A branch that goes round comes back to the one it left at.
    """
    ends = (1, len(traced.points) - 1) if traced.closed else (1,)
    return (traced.starts_at_branch_point and k in ends) or not traced.crossings.keys().isdisjoint((k - 1, k))


def _turns(traced: CurveTrace, notes: list[str]) -> dict[int, float] | None:
    """Folds of a curve that wavers: number of the point before -> length from it; None: they are seen on the way."""
    if not (traced.along and traced.family.sampled):
        return None
    try:
        return find_folds(traced.family, traced.points)
    except SOLVER_FAILURES as trouble:
        notes.append(f"folds not located: {trouble}")
        return {}


def _renew_tangents_at_turns(traced: CurveTrace) -> None:
    """Replace tangents beside turns of the parameter by those of the derivatives there: next to a branch point a
    tangent that is one Newton step old may lead the other way."""
    points = traced.points
    turns = [k for k, (a, b) in enumerate(pairwise(points)) if traced.along and a.tangent[-1] * b.tangent[-1] < 0.0]
    for k in sorted({k + aside for k in turns for aside in (-1, 0, 1, 2)} & set(range(len(points)))):
        try:
            family = traced.family.mirrored(points[k].x, points[k].p) or traced.family
            points[k] = with_own_tangent(family, points[k])
        except SOLVER_FAILURES:
            continue


def _orbits(traced: CurveTrace) -> Iterator[OrbitPoint | Exception]:
    """The orbit at each point, or what stood in the way of it; all at once where the family can do so."""
    done, x, p = 0, [each.x for each in traced.points], [each.p for each in traced.points]
    try:
        for each in traced.family.points(x, p):
            yield each
            done += 1
        return
    except SOLVER_FAILURES:  # of one of them: which one is seen one by one
        pass
    for own, value in zip(x[done:], p[done:], strict=True):
        try:
            yield traced.family.point(own, value)
        except SOLVER_FAILURES as trouble:
            yield trouble


def _is_repeated(found: SpecialPoint, special: list[dict[str, Any]]) -> bool:
    """True for a graze at the place of the last: where several events appear at once they are counted one by one; and
    for a branch point that was seen from the stretch before, at its very end."""
    if not special or found.kind not in ("grazing", "branch-point") or found.kind != special[-1]["kind"]:
        return False
    near = SAME_GRAZE_REL * max(abs(found.point.p), 1e-300)
    if found.kind == "branch-point":
        near = max(near, special[-1]["error"])
    return bool(abs(found.point.p - special[-1]["parameter"]) <= near)


def _with_small_steps(stretch: CurveSegment, notes: list[str], turned: KnownFolds | None) -> list[SpecialPoint]:
    """The special points of a stretch; by small steps along the curve where Newton's method stalled beside a graze, or
    a fold may lie beside one.

    Beside a graze the curve may turn back and forth, so that a plane across the stretch cuts it more than once.
    """
    own, parts = list[str](), list[CurveSegment]()
    seen = special_points_between(stretch, own, turned)
    grazes = [each.graze for each in seen if each.graze is not None]
    rough = stretch.stalled and not all(each.located for each in grazes)
    turns = bool(grazes) and near_fold(*(stretch.multipliers(s) for s in (0.0, stretch.length)))
    if (rough or turns) and not stretch.skip_location and turned is None:
        finely = list[str]()
        try:
            parts = list(small_steps(stretch))
            found = [each for part in parts for each in special_points_between(part, finely)]
        except SOLVER_FAILURES:
            parts = []
        if parts and parts[-1].b is stretch.b:
            seen, own = found, finely
    notes += own
    return seen


def special_points_between(
    stretch: CurveSegment, notes: list[str], turned: KnownFolds | None = None
) -> list[SpecialPoint]:
    """The special points between two neighbouring points, in order."""
    found: list[SpecialPoint] = []
    sharp = not stretch.length > 0.0  # the curve went round a sharp corner
    rest = () if sharp else (_grazes, _doublings, _crossings)  # at a graze multipliers turn or jump
    for search in (_corner_folds if sharp and turned is None else _folds, *rest):
        try:
            for new in search(stretch, found, turned):
                found.append(new)  # one by one: the next may be the same
        except SOLVER_FAILURES as trouble:
            a, b = (stretch.family.said(end.p, 9) for end in (stretch.a, stretch.b))
            notes.append(f"{DETECTORS[search]} between {a} and {b} was not located: {trouble}")
            if DETECTORS[search] == "a fold":
                found.append(_end_near_fold(stretch))
    return sorted(found, key=lambda each: each.along)


def _found(stretch: CurveSegment, along: float, kind: str) -> SpecialPoint:
    point, located = stretch.point(along), stretch.located(along)
    if kind == "fold":  # along the curve nothing holds it; across, it is as good as its neighbours, or as it was solved
        left = located.residual * float(point.amplitude.max(initial=0.0))
        across = max(left, *(stretch.point(s).error for s in (0.0, stretch.length)))
        point = replace(point, error=min(point.error, across))
    return SpecialPoint(along, kind, located, point)


def _special_row(found: SpecialPoint, index: int, error: float) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": found.kind,
        "frequency": found.point.frequency,
        "point": index,
        "parameter": found.point.p,
        "error": error,
    }
    if found.graze is not None:
        told |= {"connection": found.graze.connection, "located": found.graze.located, "width": found.graze.width}
        told["error"] = max(error, found.graze.width)
    if found.kind == "neimark-sacker":
        m = found.point.multipliers
        told["angle"] = abs(float(np.angle(_critical(m, neutral_count(m)))))
    return told


# ---- each kind


def _folds(stretch: CurveSegment, _: list[SpecialPoint], turned: KnownFolds | None) -> list[SpecialPoint]:
    """The curve turns round: the parameter's part of the tangent changes its sign."""
    if turned is not None:
        return [] if turned.fold is None else [_found(stretch, turned.fold, "fold")]
    a, b = stretch.a.tangent[-1], stretch.b.tangent[-1]
    if a * b >= 0.0:
        return []

    def value(s: float) -> float:
        return float(stretch.located(s).tangent[-1])

    def may_cross(s: float) -> bool:  # one that is near an end is seen there as well as here
        inside = END_MARGIN_REL * stretch.length < s < (1.0 - END_MARGIN_REL) * stretch.length
        return not inside or rank_drop(stretch, stretch.located(s)) < BRANCH_POINT_SUSPECT_REL

    try:
        along, crossed = _root_or_crossing(stretch, value, may_cross)
    except NotConverged:
        along, width = stretch.bracketed_root(value, LOCATION_LENGTH, 0.0, stretch.length)
        if width > MAX_BRACKET_REL * stretch.length:
            raise
        return [SpecialPoint(along, "fold", stretch.located(along), stretch.point(along), width=width)]
    return [_found(stretch, along, "fold") if crossed is None else crossed]


def _root_or_crossing(
    stretch: CurveSegment,
    value: Callable[[float], float],
    may_cross: Callable[[float], bool],
    within: tuple[float, float] | None = None,
) -> tuple[float, SpecialPoint | None]:
    """Where a value changes its sign, and the branch point if there is one: so near to it nothing else is solved for.

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
        crossing = None  # one beside this root, and not the reason for it
    return along, None if crossing is None else _crossed(stretch, crossing)


def _crossed(stretch: CurveSegment, crossing: BranchPoint) -> SpecialPoint:
    """A branch point, with the error of its place in that of the orbit."""
    ends = [stretch.point(s) for s in (0.0, stretch.length)]
    point = _with_location_error(
        solved_orbit(stretch.family, crossing.located), crossing.error, crossing.located, *ends
    )
    return SpecialPoint(crossing.along, "branch-point", crossing.located, point, width=crossing.error)


def _with_location_error(point: OrbitPoint, length: float, located: CurvePoint, *beside: OrbitPoint) -> OrbitPoint:
    """A branch point with its error: that of the points beside, from which it was read off, and the length it is off.

    Its own says nothing: along the other branch nothing holds it.
    """
    off = length * float(np.sqrt(located.z.size) * point.amplitude.max(initial=0.0))
    return replace(point, error=off + min(point.error, max(each.error for each in beside)))


def _corner_folds(stretch: CurveSegment, _: list[SpecialPoint], _turned: KnownFolds | None) -> list[SpecialPoint]:
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


def _end_near_fold(stretch: CurveSegment) -> SpecialPoint:
    """The end of a stretch that lies nearer to a fold in between, which was not located."""
    a, b = stretch.a, stretch.b
    along, located = (0.0, a) if (a.p - b.p) * a.tangent[-1] > 0.0 else (stretch.length, b)
    return SpecialPoint(along, "fold", located, stretch.point(along), width=scaled_distance(a, b))


def _meeting(a: CurvePoint, b: CurvePoint) -> Array:
    """Where the tangents at two points meet, or nearly do."""
    lines = np.column_stack([a.tangent, -b.slope / a.scale])
    lengths = np.linalg.lstsq(lines, (b.z - a.z) / a.scale, rcond=None)[0]
    return np.asarray(a.z + lengths[0] * a.slope)


def _parts(stretch: CurveSegment, known: list[SpecialPoint]) -> list[tuple[float, float]]:
    return monotone_parts(stretch, [each.along for each in known if each.graze is not None])


def _doublings(stretch: CurveSegment, known: list[SpecialPoint], _turned: KnownFolds | None) -> list[SpecialPoint]:
    """A real multiplier goes through -1: the number of those below it becomes odd or even."""

    def value(s: float) -> float:
        m = stretch.multipliers(s)
        if not m.size:
            return 1.0
        beyond = np.count_nonzero((np.abs(m.imag) <= REAL_MULTIPLIER_IMAG) & (m.real < -1.0))
        return float((-1.0) ** beyond * np.abs(m + 1.0).min())

    found: list[SpecialPoint] = []
    for part in _parts(stretch, known):
        if value(part[0]) * value(part[1]) < 0.0:
            along = stretch.root(value, within=part)
            if abs(value(along)) <= _largest_gap(stretch):
                found.append(_found(stretch, along, "period-doubling"))
    between = [
        _found(stretch, 0.5 * (a.along + b.along), ORDINARY_POINT) for a, b in pairwise(found)
    ]  # a stability of its own
    return [*found, *between]


def _crossings(stretch: CurveSegment, known: list[SpecialPoint], turned: KnownFolds | None) -> list[SpecialPoint]:
    """Other multipliers through the unit circle: the k-th largest modulus passes one."""
    found: list[SpecialPoint] = []
    folds = [each.along for each in known if each.kind == "fold"]

    def is_fold(s: float) -> bool:
        """True where a multiplier of one belongs to a fold; where it is found apart from that, on the whole stretch."""
        if stretch.apart or turned is not None:
            return bool(folds) or (turned is not None and turned.near)
        return any(abs(fold - s) < MIDDLE_TOLERANCE_REL * stretch.length for fold in folds)

    for part in _parts(stretch, known):
        begin, end = (stretch.multipliers(s) for s in part)
        neutral = min(neutral_count(begin), neutral_count(end))
        first, last = moduli(begin, neutral), moduli(end, neutral)
        count = min(first.size, last.size)
        first, last = first[:count] - 1.0, last[:count] - 1.0
        apart = (np.abs(first) > NEUTRAL_DISTANCE) & (
            np.abs(last) > NEUTRAL_DISTANCE
        )  # what begins to stick has one of one at once
        for k in np.flatnonzero((np.sign(first) * np.sign(last) < 0.0) & apart):
            for new in _passing(stretch, int(k), neutral, is_fold, part):
                if not any(_are_one(stretch, new, each) for each in (*known, *found)):
                    found.append(new)
    found += [_found(stretch, 0.5 * (a.along + b.along), ORDINARY_POINT) for a, b in pairwise(found)]
    begin, end = stretch.multipliers(0.0), stretch.multipliers(stretch.length)
    neutral = min(neutral_count(begin), neutral_count(end))
    for number in possible_crossings(stretch.length, begin, end, stretch.beside):
        found += _there_and_back(
            stretch, number, neutral, excursion_place(stretch, number, stretch.beside), (*known, *found)
        )
    if _may_pass_one_in_pairs(stretch):
        found += _there_and_back(stretch, 0, neutral, excursion_through_one(stretch), (*known, *found))
    # multipliers that are found apart from the equations may not be one where these lose their rank
    if stretch.apart and not any(each.kind == "branch-point" for each in (*known, *found)):
        found += _branch_points_within(stretch, (0.0, stretch.length))
    return found


def _are_one(stretch: CurveSegment, new: SpecialPoint, known: SpecialPoint) -> bool:
    """True for a crossing that is known already; a graze beside a branch point is another point."""
    rough = new.kind == "branch-point" and known.graze is None
    return abs(known.along - new.along) < (MIDDLE_TOLERANCE_REL * stretch.length if rough else SAME_CROSSING_LENGTH)


def _branch_points_within(stretch: CurveSegment, within: tuple[float, float]) -> list[SpecialPoint]:
    """Branch points on a part of a stretch, by small steps along it."""
    whole = within == (0.0, stretch.length)
    crossings = branch_points_of(stretch if whole else stretch.part(*within))
    return [_crossed(stretch, each._replace(along=stretch.a.ahead(each.located.z))) for each in crossings]


def _may_pass_one_in_pairs(stretch: CurveSegment) -> bool:
    """True where a multiplier may go through +1 and back between the ends, while a pair is real."""
    ends = [stretch.point(s) for s in (0.0, stretch.length)]
    usable = not (stretch.apart or stretch.skip_location) and ends[0].events == ends[1].events
    return usable and pair_near_one(*(each.multipliers for each in ends))


def _there_and_back(
    stretch: CurveSegment, k: int, neutral: int, place: float | None, known: tuple[SpecialPoint, ...]
) -> list[SpecialPoint]:
    """Where the k-th largest modulus, one of a pair perhaps, crosses the unit circle and comes back, and between.

    place : how far along it is across; None: nowhere.
    """
    if place is None:
        return []
    new = list[SpecialPoint]()
    for ends in ((0.0, place), (place, stretch.length)):
        for each in _passing_within(stretch, k, neutral, ends):
            if all(abs(each.along - own.along) >= SAME_CROSSING_LENGTH for own in (*known, *new)):
                new.append(each)
    return [*new, _found(stretch, place, ORDINARY_POINT)] if new else []


def _passing_within(stretch: CurveSegment, k: int, neutral: int, within: tuple[float, float]) -> list[SpecialPoint]:
    """Where the k-th largest modulus passes one on a part of a stretch; no fold: two in one step turn the curve."""

    def value(s: float) -> float:
        own = moduli(stretch.multipliers(s), neutral)
        return float(own[k] - 1.0) if k < own.size else -1.0

    along = stretch.root(value, within=within)
    critical = _critical(stretch.multipliers(along), neutral)
    most = _largest_gap(stretch)
    if abs(abs(critical) - 1.0) > most:
        return []
    if abs(critical - 1.0) <= most:
        near = branch_point_near(stretch, along)
        return _branch_points_within(stretch, within) if near is None else [_crossed(stretch, near)]
    kind = "neimark-sacker" if abs(critical.imag) > REAL_MULTIPLIER_IMAG else "period-doubling"
    return [_found(stretch, along, kind)]


def _passing(
    stretch: CurveSegment, k: int, neutral: int, is_fold: Callable[[float], bool], within: tuple[float, float]
) -> list[SpecialPoint]:
    """Where the k-th largest modulus passes one within a part of a stretch, and as what; is_fold : whether a +1 at a
    place belongs to a fold."""

    def value(s: float) -> float:
        own = moduli(stretch.multipliers(s), neutral)
        return float(own[k] - 1.0) if k < own.size else -1.0

    def through_one(s: float) -> bool:
        return not is_fold(s) and abs(_critical(stretch.multipliers(s), neutral) - 1.0) <= BRANCH_POINT_GAP

    try:
        along, crossed = _root_or_crossing(stretch, value, through_one, within)
    except NotConverged:
        beside = _branch_points_within(stretch, within)
        if not beside:
            raise
        return beside
    if crossed is not None:
        return [crossed]
    m = stretch.multipliers(along)
    critical = _critical(m, neutral)
    if abs(abs(critical) - 1.0) > _largest_gap(
        stretch
    ):  # it jumps: a graze, or the points beside lie on another branch
        return _branch_points_within(stretch, within)
    if abs(critical.imag) > REAL_MULTIPLIER_IMAG:
        return [_found(stretch, along, "neimark-sacker")]
    if critical.real < 0.0:  # two at once, so that the number of those below -1 is even as before
        met = np.count_nonzero(np.abs(m - critical) <= PAIR_DISTANCE) > 1
        return [_found(stretch, along, "neimark-sacker" if met else "period-doubling")]
    if is_fold(along):
        return []
    if stretch.apart:  # if the equations keep their rank no branch crosses: the multipliers are off
        crossings = _branch_points_within(stretch, within)
        if not crossings:
            stretch.doubtful.append(stretch.located(along).p)
        return crossings
    width = (
        NEUTRAL_CROSSING_ERROR * (within[1] - within[0]) / abs(value(within[1]) - value(within[0])) if neutral else 0.0
    )
    return [_found(stretch, along, "branch-point")._replace(width=width)]


def _largest_gap(stretch: CurveSegment) -> float:
    """How far a multiplier may be from the unit circle where it is found to cross."""
    return MAX_SAMPLED_CROSSING_GAP if stretch.family.sampled else MAX_CROSSING_GAP


def _grazes(stretch: CurveSegment, _: list[SpecialPoint], _turned: KnownFolds | None) -> list[SpecialPoint]:
    """An event appears or vanishes; there may be several, one after the other."""
    if stretch.point(0.0).events == stretch.point(stretch.length).events:
        return []
    return [
        _found(stretch, each.along, "grazing")._replace(graze=each)
        for each in find_grazes(stretch, stretch.skip_location)
    ]


DETECTORS = {
    _folds: "a fold",
    _corner_folds: "a fold",
    _doublings: "a period doubling",
    _crossings: "a crossing of the unit circle",
    _grazes: "a graze",
}  # what a search is for, in words


def _critical(multipliers: Complex, neutral: int) -> complex:
    """The multiplier that is nearest to the unit circle, but for those that are one for ever."""
    m = without_neutral(multipliers, neutral)
    return complex(m[np.argmin(np.abs(np.abs(m) - 1.0))])
