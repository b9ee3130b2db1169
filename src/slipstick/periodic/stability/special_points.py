"""Special points of a curve: folds, period doublings, Neimark-Sacker points, branch points, grazes; found and located.

At a fold the curve turns back in the parameter. At the others multipliers cross the unit circle: through -1, as a
pair, or through +1 without a fold. At a graze an event appears or vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from slipstick.errors import NotConverged
from slipstick.periodic.branches.branch_points import small_steps
from slipstick.periodic.continuation.corrector import CurvePoint, with_own_tangent
from slipstick.periodic.continuation.curve_segment import SOLVER_FAILURES, CurveSegment
from slipstick.periodic.continuation.curve_trace import CurveTrace
from slipstick.periodic.continuation.folds import find_folds
from slipstick.periodic.curve_notes import (
    UNCONFIRMED_REASON,
    UNRESOLVED_REASON,
    artefacts_note,
    doubtful_multiplier_notes,
    summarised_notes,
    unlocated_grazes_note,
)
from slipstick.periodic.multipliers import (
    critical_multiplier,
    near_fold,
    neutral_count,
)
from slipstick.periodic.stability.multiplier_crossings import (
    ORDINARY_POINT,
    find_crossings,
    find_doublings,
)
from slipstick.periodic.stability.screening import Stretches
from slipstick.periodic.stability.special_point_errors import (
    error_from_size,
    is_artefact,
    is_unconfirmed,
    location_error,
)
from slipstick.periodic.stability.special_point_search import (
    KnownFolds,
    SpecialPoint,
    end_near_fold,
    find_corner_folds,
    find_folds_between,
    find_grazes_between,
    special_point_at,
    with_location_error,
)
from slipstick.results.curve import CurveFindings
from slipstick.results.orbit import OrbitPoint

SAME_GRAZE_REL = 1e-6  # of the parameter: grazes this near to each other are one
# from the unit circle: multipliers found apart from the equations may be off by so much at a branch point
SEPARATE_MULTIPLIER_ERROR = 0.2
# failed searches for grazes of a curve; later ones report only the interval between two points
MAX_FAILED_GRAZES = 3
# places of a curve at which an orbit beside a graze that was not located was looked for: likewise
MAX_FAILED_ORBITS = 24


# what a search is for, in words
DETECTORS = {
    find_folds_between: "a fold",
    find_corner_folds: "a fold",
    find_doublings: "a period doubling",
    find_crossings: "a crossing of the unit circle",
    find_grazes_between: "a graze",
}


def special_points_of(traced: CurveTrace) -> CurveFindings:
    """All points of a curve in order, with its special points and their kinds.

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
    """Append all points of a curve with its special points, and notes on failed searches."""
    before: tuple[CurvePoint, OrbitPoint] | None = None
    troubles, doubtful = 0, list[float]()
    left: dict[str, list[SpecialPoint]] = {UNRESOLVED_REASON: [], UNCONFIRMED_REASON: []}
    folds, left_out, missed = _turns(traced, notes), list[str](), list[str]()
    if folds is None:
        _renew_tangents_at_turns(traced)
    orbits, stopped = _orbits(traced)
    stretches = Stretches(traced, orbits)
    for k, point in enumerate(orbits):
        located = traced.points[k]
        if isinstance(point, Exception):
            left_out.append(f"the orbit at {traced.family.format_parameter(located.p, 9)} is left out: {point}")
            before = None
            continue
        point = replace(point, residual=located.residual, iterations=located.iterations)
        turned = None if folds is None else KnownFolds(folds.get(k - 1), not folds.keys().isdisjoint((k - 2, k - 1, k)))
        near = turned is not None and turned.near
        if before is not None and traced.along and (near or stretches.may_be_special[k - 1]):
            stretch = CurveSegment(traced.family, before[0], located, (before[1], point))
            stretch.beside = stretches.beside(k)
            in_vain = sum(not s.get("located", True) for s in special)
            stretch.skip_location = traced.interrupted or in_vain >= MAX_FAILED_GRAZES or troubles >= MAX_FAILED_ORBITS
            seen = _with_small_steps(stretch, missed, turned)
            _append_special(stretch, (before[1], point), traced, k, seen, _FoundPoints(points, special, left))
            if any(found.graze is not None and not found.graze.located for found in seen):
                troubles += stretch.troubles  # those of a graze that was located were worth it
            doubtful += stretch.doubtful
        if k == 0:
            point = replace(point, error=max(point.error, traced.first_error))
        if k in traced.crossings:
            aside = before[1] if before is not None else point
            point = with_location_error(point, traced.crossings[k], located, aside)
            _list_crossing(located, point, special, len(points))
        points.append(point)
        before = located, point
    if stopped is not None:
        raise stopped
    notes += doubtful_multiplier_notes(traced, doubtful, points, special)
    for reason, some in left.items():
        notes += artefacts_note([(each.kind, traced.family.format_parameter(each.located.p)) for each in some], reason)
    notes += summarised_notes(left_out, "orbits are left out, for they could not be measured")
    notes += summarised_notes(missed, "special points were not located")
    if left_out and not points:
        raise NotConverged(f"none of {len(left_out)} orbits could be measured; the first: {left_out[0]}")


class _FoundPoints(NamedTuple):
    """Points of a curve and its special points so far, and those that are left out, by reason."""

    points: list[OrbitPoint]
    special: list[dict[str, Any]]
    left: dict[str, list[SpecialPoint]]


def _append_special(
    stretch: CurveSegment,
    ends: tuple[OrbitPoint, OrbitPoint],
    traced: CurveTrace,
    k: int,
    seen: Sequence[SpecialPoint],
    found: _FoundPoints,
) -> None:
    """Append the special points of the segment before point k, except those that are known or doubtful."""
    for each in seen:
        if each.kind in ("branch-point", "fold") and _known_crossing(traced, k):
            continue  # the one the curve begins at, or continues at, seen once more
        if _is_repeated(each, found.special):
            continue
        error = _place_error(stretch, each, traced.points)
        if isinstance(error, str):
            found.left[error].append(each)
            continue
        at_begin = each.point is ends[0]  # or at the end, as what was not located may be
        if each.kind != ORDINARY_POINT:
            found.special.append(_special_row(each, len(found.points) - at_begin, error))
        if not at_begin and each.point is not ends[1]:
            found.points.append(each.point)


def _place_error(stretch: CurveSegment, found: SpecialPoint, curve: Sequence[CurvePoint]) -> float | str:
    """The error of the parameter at a special point, or why it is left out."""
    if found.kind == ORDINARY_POINT:
        return 0.0
    if is_artefact(stretch, found.kind, found.located, found.point, curve):
        return UNRESOLVED_REASON
    place = location_error(stretch, found.kind, found.along, found.located, found.point, curve)
    if is_unconfirmed(found.kind, place, found.point, curve):
        return UNCONFIRMED_REASON
    return place.error + found.width * max(abs(float(end.slope[-1])) for end in (stretch.a, stretch.b))


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
    """Replace tangents next to turns of the parameter by those of the derivatives at the points.

    Next to a branch point, a tangent from the Newton step before may point the other way.
    """
    points = traced.points
    turns = [k for k, (a, b) in enumerate(pairwise(points)) if traced.along and a.tangent[-1] * b.tangent[-1] < 0.0]
    for k in sorted({k + aside for k in turns for aside in (-1, 0, 1, 2)} & set(range(len(points)))):
        try:
            family = traced.family.mirrored(points[k].x, points[k].p) or traced.family
            points[k] = with_own_tangent(family, points[k])
        except SOLVER_FAILURES:
            continue


def _orbits(traced: CurveTrace) -> tuple[list[OrbitPoint | Exception], KeyboardInterrupt | None]:
    """The orbit at each point, or its failure; up to Ctrl-C, if it came. In one call if the family can."""
    found = list[OrbitPoint | Exception]()
    x, p = [each.z[:-1] for each in traced.points], [float(each.z[-1]) for each in traced.points]
    try:
        try:
            for each in traced.family.points(x, p) or ():
                found.append(each)
        except SOLVER_FAILURES:  # of one of them: which one is seen one by one
            pass
        for own, value in zip(x[len(found) :], p[len(found) :], strict=True):
            try:
                found.append(traced.family.point(own, value))
            except SOLVER_FAILURES as trouble:
                found.append(trouble)
    except KeyboardInterrupt as stopped:
        return found, stopped
    return found, None


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
    turns = bool(grazes) and near_fold(*(stretch.multipliers[s] for s in (0.0, stretch.length)))
    if (rough or turns) and not stretch.skip_location and turned is None:
        finely = list[str]()
        try:
            parts = list(small_steps(stretch))
            found = [each for part in parts for each in special_points_between(part, finely)]
        except SOLVER_FAILURES:
            parts = []
        if parts and parts[-1].b is stretch.b:
            seen, own = found, finely
    if turned is not None and stretch.doubtful:
        folds = _folds_by_small_steps(stretch)
        if folds:
            stretch.doubtful.clear()
            seen = sorted([*seen, *folds], key=lambda each: each.along)
    notes += own
    return seen


def _folds_by_small_steps(stretch: CurveSegment) -> list[SpecialPoint]:
    """Folds of a curve that wavers within one step: a multiplier passes one there, but no branch crosses."""
    try:
        parts = list(small_steps(stretch))
        found = find_folds(stretch.family, [stretch.a, *(part.b for part in parts)], short=True)
        if len(found) != len(stretch.doubtful):  # ripples
            return []
        folds = [special_point_at(parts[k], along, "fold") for k, along in found.items()]
    except SOLVER_FAILURES:
        return []
    return [each._replace(along=stretch.a.ahead(each.located.z)) for each in folds]


def special_points_between(
    stretch: CurveSegment, notes: list[str], turned: KnownFolds | None = None
) -> list[SpecialPoint]:
    """The special points between two neighbouring points, in order."""
    found: list[SpecialPoint] = []
    sharp = not stretch.length > 0.0  # the curve went round a sharp corner
    rest = () if sharp else (find_grazes_between, find_doublings, find_crossings)  # at a graze multipliers turn or jump
    for search in (find_corner_folds if sharp and turned is None else find_folds_between, *rest):
        try:
            for new in search(stretch, found, turned):
                found.append(new)  # one by one: the next may be the same
        except SOLVER_FAILURES as trouble:
            a, b = (stretch.family.format_parameter(end.p, 9) for end in (stretch.a, stretch.b))
            notes.append(f"{DETECTORS[search]} between {a} and {b} was not located: {trouble}")
            if DETECTORS[search] == "a fold":
                found.append(end_near_fold(stretch))
    return sorted(found, key=lambda each: each.along)


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
        told["angle"] = abs(float(np.angle(critical_multiplier(m, neutral_count(m)))))
    return told
