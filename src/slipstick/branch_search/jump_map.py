"""Jump maps: folds of the response over frequency, followed over a second parameter of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.branch_search.other_branches import with_other_branches
from slipstick.errors import Advice, InvalidInput, NotConverged, short_repr
from slipstick.model.named_parameter import NamedParameter, parameter_of
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.model.system import System
from slipstick.periodic.methods import is_exact
from slipstick.periodic.request_checks import checked_values
from slipstick.periodic.response import frequency_response
from slipstick.results.curve import Curve
from slipstick.results.jump_map import UNKNOWN, JumpLimit, JumpMap, free_ranges
from slipstick.results.orbit import OrbitPoint
from slipstick.results.special_curve import SpecialCurve, SpecialCurvePoint
from slipstick.transient.problem import pose

MORE_HARMONICS = 2  # by which errors of harmonic balance are estimated
SOLVER_ERROR_REL = 1e-9  # of a value on a curve of folds: what the corrector leaves
SAME_FOLD_REL = 1e-3  # of the range of frequencies and of the motion: a fold so near to a tracked curve lies on it
SEGMENT_PART = 0.5  # of the distance between two points of a tracked curve: how far a line between them is off
AT_BOUND_REL = 1e-6  # of the range of the parameter: a curve that ends so near to a bound has reached it


class JumpRequest(NamedTuple):
    """parameter : by name.   between, frequencies : two values each.   how : arguments of `frequency_response`.

    levels : how many values of the parameter folds are looked for at.
    """

    parameter: str
    between: tuple[float, float]
    frequencies: tuple[float, float]
    how: dict[str, Any]
    thorough: bool = False
    progress: Callable[[int, float], Any] | None = None
    levels: int = 5


def jump_map(system: System, asked: JumpRequest) -> JumpMap:
    """See `slipstick.api.Model.jump_map`."""
    if asked.parameter == "frequency":
        raise InvalidInput(
            "the parameter of a jump map is one beside the frequency",
            argument="parameter",
            advice=[Advice("take a number of the model, such as {parameter}", parameter="forcing.amplitude")],
        )
    check_levels(asked.levels)
    between = checked_values("between", asked.between)
    frequencies = checked_values("frequencies", asked.frequencies, "frequencies", " in rad/s", positive=True)
    own = parameter_of(system.snapshot(), asked.parameter)
    how = dict(asked.how)
    if how.get("method", "auto") == "auto" and not is_exact(pose(system, 0.0, float(frequencies[0]))):
        how["method"] = "harmonic-balance"  # shooting of smooth laws has no second derivatives
    ends = float(frequencies.min()), float(frequencies.max())
    plane = _Plane(asked, own, (float(between.min()), float(between.max())), ends)
    found = _fold_search(plane, how)
    free, limits = _ranges(found, plane)
    unit = parameter_unit(system, asked.parameter)
    in_unit = f" {unit}" if unit else ""
    notes = [f"{gap.why}; folds are unknown from {gap.low:.6g} to {gap.high:.6g}{in_unit}" for gap in found.gaps]
    if found.harmonics and limits:
        more = _fold_search(plane, {**how, "harmonics": found.harmonics + MORE_HARMONICS})
        limits = _compared(limits, _ranges(more, plane)[1])
        notes.append(f"errors of limits are their change by {MORE_HARMONICS} more harmonics than {found.harmonics}")
    step = (plane.between[1] - plane.between[0]) / (asked.levels - 1)
    levels = f"folds were looked for at {asked.levels} values of {asked.parameter}, {step:.3g}{in_unit} apart"
    levels += ", on other branches too" if asked.thorough else ", on the first branch"
    words = (f"{levels}; closed branches between two values are missed", *notes)
    covered = [(low.value, high.value) for low, high in _covered(found, plane)]
    unknown = free_ranges(plane.between, [*covered, *free])
    curves = tuple(found.curves)
    return JumpMap(asked.parameter, plane.between, ends, curves, free, limits, system.name, unit, words, unknown)


def check_levels(levels: Any) -> None:
    """Refuse a number of values that is no whole number, or too small to span the range."""
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 2:
        raise InvalidInput(f"levels must be a whole number of at least 2, got {short_repr(levels)}").about("levels")


class _Plane(NamedTuple):
    """own : the parameter.   between : its least and largest value.   ends : of the frequencies."""

    asked: JumpRequest
    own: NamedParameter
    between: tuple[float, float]
    ends: tuple[float, float]

    @property
    def span(self) -> float:
        """Width of the range of frequencies [rad/s]."""
        return self.ends[1] - self.ends[0]

    @property
    def levels(self) -> Array:
        """(levels,) values of the parameter at which folds are looked for, the least first."""
        return np.linspace(*self.between, self.asked.levels)

    def gap(self, value: float, frequency: float, why: str) -> _Gap:
        """The range around a value, up to the next values at which folds are looked for."""
        below, above = self.levels[self.levels < value], self.levels[self.levels > value]
        low = float(below[-1]) if below.size else self.between[0]
        return _Gap(low, float(above[0]) if above.size else self.between[1], frequency, why)


class _Gap(NamedTuple):
    """A range of the parameter in which folds may have been missed.   frequency : where [rad/s].   why : in words."""

    low: float
    high: float
    frequency: float
    why: str


class _FoldSearch(NamedTuple):
    """curves : of folds.   gaps : where some may be missing.   harmonics : that were used, 0 by shooting."""

    curves: list[SpecialCurve]
    gaps: list[_Gap]
    harmonics: int


def _fold_search(plane: _Plane, how: dict[str, Any]) -> _FoldSearch:
    """The curves of folds, from those at some values of the parameter."""
    asked, used = plane.asked, 0
    curves, gaps = list[SpecialCurve](), list[_Gap]()
    for value in plane.levels[::-1].tolist():
        here = f"{asked.parameter} {value:.6g}"
        response = _response(plane.own.at(value), plane.ends, how, asked)
        used = response.stats.harmonics
        for branch in (response, *response.others):
            if branch.stats.ended:
                why = f"a branch at {here} is not complete: {branch.stats.ended}"
                gaps.append(plane.gap(value, branch.points[-1].p, why))
        for branch, special in ((b, s) for b in (response, *response.others) for s in b.special):
            point = branch.points[special["point"]]
            if special["kind"] != "fold" or _is_tracked(curves, point, value, plane.span):
                continue
            try:
                curves.append(branch.track(special, asked.parameter, plane.between))
            except NotConverged as failure:
                if failure.interrupted:
                    raise
                why = f"the fold at {point.p:.6g} rad/s, {here}, was not followed: {failure}"
                gaps.append(plane.gap(value, point.p, why))
        if asked.progress is not None:
            asked.progress(sum(len(curve) for curve in curves), value)
    return _FoldSearch(curves, [*gaps, *(gap for curve in curves for gap in _stalls(curve, plane))], used)


def _response(system: System, ends: tuple[float, float], how: dict[str, Any], asked: JumpRequest) -> Curve:
    """The curve over frequency at one value; the part there is, with ``stats.ended``, of one that ends early."""
    try:
        found = frequency_response(system, between=ends, **how)
    except NotConverged as failure:
        if failure.interrupted or not isinstance(failure.partial, Curve) or not len(failure.partial):
            raise
        part = failure.partial
        part.stats = replace(part.stats, ended=part.stats.ended or failure.message)
        return part
    return with_other_branches(found) if asked.thorough else found


def _stalls(curve: SpecialCurve, plane: _Plane) -> Iterator[_Gap]:
    """Ranges beyond the ends of a curve of folds that lie within the bounds."""
    if not curve.ended:
        return
    (low, high), (least, largest) = plane.between, plane.ends
    for end in (curve.points[0], curve.points[-1]):
        near = min(abs(end.second - low), abs(end.second - high))
        if near > AT_BOUND_REL * (high - low) and least <= end.frequency <= largest:
            why = f"a curve of folds ends at {end.frequency:.6g} rad/s, {plane.asked.parameter} {end.second:.6g}"
            yield plane.gap(end.second, end.frequency, f"{why}: {curve.ended}")


def _is_tracked(curves: list[SpecialCurve], fold: OrbitPoint, value: float, span: float) -> bool:
    """True for a fold that lies on a curve that was followed before, by its frequency and its amplitudes."""
    size = max(float(fold.amplitude.max(initial=0.0)), np.finfo(float).tiny)
    place = np.append(fold.amplitude / size, fold.p / span)
    for curve in curves:
        for a, b in pairwise(curve.points):
            if min(a.second, b.second) <= value <= max(a.second, b.second):
                part = 0.5 if a.second == b.second else (value - a.second) / (b.second - a.second)
                begin, end = (np.append(each.amplitude / size, each.frequency / span) for each in (a, b))
                apart = float(np.linalg.norm(begin + part * (end - begin) - place))
                if apart <= SAME_FOLD_REL + SEGMENT_PART * float(np.linalg.norm(end - begin)):
                    return True
    return False


def _ranges(found: _FoldSearch, plane: _Plane) -> tuple[tuple[tuple[float, float], ...], tuple[JumpLimit, ...]]:
    """The ranges without jumps, and the limits of those within the range of the parameter."""
    pairs = _covered(found, plane)
    for gap in found.gaps:
        low, high = (JumpLimit(value, np.nan, gap.frequency, UNKNOWN) for value in (gap.low, gap.high))
        pairs.append((low, high))
    free = free_ranges(plane.between, [(a.value, b.value) for a, b in pairs])
    edges = {value for own in free for value in own} - set(plane.between)
    limits = {own.value: own for pair in pairs for own in pair if own.value in edges}
    return free, tuple(limits[value] for value in sorted(limits))


def _covered(found: _FoldSearch, plane: _Plane) -> list[tuple[JumpLimit, JumpLimit]]:
    """The lowest and the highest place of each part of a curve of folds in the range of frequencies."""
    runs = (run for curve in found.curves for run in _runs_within(curve, plane.ends))
    return [(_end(run, min), _end(run, max)) for run in runs]


def _compared(limits: tuple[JumpLimit, ...], others: tuple[JumpLimit, ...]) -> tuple[JumpLimit, ...]:
    """Limits with their distance to the nearest of more harmonics as error; NaN where there is none."""
    found = []
    for own in limits:
        if own.kind == UNKNOWN:
            found.append(own)
            continue
        change = min((abs(own.value - other.value) for other in others if other.kind == own.kind), default=np.nan)
        found.append(own._replace(error=own.error + change))
    return tuple(found)


class _Place(NamedTuple):
    """A point of a curve of folds.   error : of the second parameter.   kind : as of `JumpLimit`."""

    point: SpecialCurvePoint
    value: float
    error: float
    kind: str


def _runs_within(curve: SpecialCurve, ends: tuple[float, float]) -> Iterator[list[_Place]]:
    """The parts of a curve of folds within a range of frequencies; where it leaves that, the value there by a line."""
    turns = {own["point"]: own["kind"] for own in curve.special}
    run = list[_Place]()
    for k, point in enumerate(curve.points):
        inside = ends[0] <= point.frequency <= ends[1]
        if k and inside != (ends[0] <= curve.points[k - 1].frequency <= ends[1]):
            run.append(_crossing(curve.points[k - 1], point, ends))
            if not inside:
                yield run
                run = []
        if inside:
            run.append(_Place(point, point.second, SOLVER_ERROR_REL * abs(point.second), turns.get(k, "range")))
    if run:
        yield run


def _crossing(a: SpecialCurvePoint, b: SpecialCurvePoint, ends: tuple[float, float]) -> _Place:
    edge = next(p for p in ends if min(a.frequency, b.frequency) <= p <= max(a.frequency, b.frequency))
    value = a.second + (edge - a.frequency) / (b.frequency - a.frequency) * (b.second - a.second)
    near = a if abs(a.frequency - edge) < abs(b.frequency - edge) else b
    return _Place(near._replace(frequency=edge), value, 0.25 * abs(b.second - a.second), "range")


def _end(run: list[_Place], least: Callable[..., _Place]) -> JumpLimit:
    """The lowest or the highest place of a run; the error of a turn that was not located is the distance of points."""
    k = run.index(least(run, key=lambda place: place.value))
    found, error = run[k], run[k].error
    if found.kind == "range" and 0 < k < len(run) - 1:
        error = max(abs(found.value - run[k + side].value) for side in (-1, 1))
        found = found._replace(kind="turn")
    return JumpLimit(found.value, error, found.point.frequency, found.kind)
