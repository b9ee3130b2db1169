"""Jump maps: folds of the response over frequency, followed over a second parameter of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from slipstick.branch_search.other_branches import with_other_branches
from slipstick.errors import Advice, InvalidInput, NotConverged
from slipstick.model.named_parameter import NamedParameter, parameter_of
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.model.system import System
from slipstick.periodic.methods import is_exact
from slipstick.periodic.request_checks import checked_values
from slipstick.periodic.response import frequency_response
from slipstick.results.curve import Curve
from slipstick.results.jump_map import JumpLimit, JumpMap, free_ranges
from slipstick.results.special_curve import SpecialCurve, SpecialCurvePoint
from slipstick.transient.problem import pose

LEVELS = 5  # values of the parameter at which folds are looked for
MORE_HARMONICS = 2  # by which errors of harmonic balance are estimated
SOLVER_ERROR_REL = 1e-9  # of a value on a curve of folds: what the corrector leaves
SAME_FOLD_REL = 0.02  # of the range of frequencies: a fold so near to a tracked one is that one


class JumpRequest(NamedTuple):
    """parameter : by name.   between, frequencies : two values each.   how : arguments of `frequency_response`."""

    parameter: str
    between: tuple[float, float]
    frequencies: tuple[float, float]
    how: dict[str, Any]
    thorough: bool = False
    progress: Callable[[int, float], Any] | None = None


def jump_map(system: System, asked: JumpRequest) -> JumpMap:
    """See `slipstick.api.Model.jump_map`."""
    if asked.parameter == "frequency":
        raise InvalidInput(
            "the parameter of a jump map is one beside the frequency",
            argument="parameter",
            advice=[Advice("take a number of the model, such as {parameter}", parameter="forcing.amplitude")],
        )
    between = checked_values("between", asked.between)
    frequencies = checked_values("frequencies", asked.frequencies, "frequencies", " in rad/s", positive=True)
    own = parameter_of(system.snapshot(), asked.parameter)
    how = dict(asked.how)
    if how.get("method", "auto") == "auto" and not is_exact(pose(system, 0.0, float(frequencies[0]))):
        how["method"] = "harmonic-balance"  # shooting of smooth laws has no second derivatives
    ends = float(frequencies.min()), float(frequencies.max())
    plane = _Plane(asked, own, (float(between.min()), float(between.max())), ends)
    curves, used, notes = _fold_curves(plane, how)
    free, limits = _ranges(curves, plane)
    if used and limits:
        more, _, _ = _fold_curves(plane, {**how, "harmonics": used + MORE_HARMONICS})
        limits = _compared(limits, _ranges(more, plane)[1])
        notes.append(f"errors of limits are their change by {MORE_HARMONICS} more harmonics than {used}")
    levels = f"folds were looked for at {LEVELS} values of {asked.parameter}, and each was followed"
    words = (levels + (", on other branches too" if asked.thorough else ", on the first branch"), *notes)
    unit = parameter_unit(system, asked.parameter)
    return JumpMap(asked.parameter, plane.between, ends, tuple(curves), free, limits, system.name, unit, words)


class _Plane(NamedTuple):
    """own : the parameter.   between : its least and largest value.   ends : of the frequencies."""

    asked: JumpRequest
    own: NamedParameter
    between: tuple[float, float]
    ends: tuple[float, float]


def _fold_curves(plane: _Plane, how: dict[str, Any]) -> tuple[list[SpecialCurve], int, list[str]]:
    """Curves of folds, the harmonics that were used (0 by shooting), and notes."""
    (low, high), asked = plane.between, plane.asked
    curves, notes, used, span = list[SpecialCurve](), list[str](), 0, plane.ends[1] - plane.ends[0]
    for value in np.linspace(high, low, LEVELS).tolist():
        response = _response(plane.own.at(value), plane.ends, how, asked)
        used = response.stats.harmonics
        for branch, special in ((b, s) for b in (response, *response.others) for s in b.special):
            point = branch.points[special["point"]]
            if special["kind"] != "fold" or _is_tracked(curves, point.p, value, span):
                continue
            try:
                curves.append(branch.track(special, asked.parameter, (low, high)))
            except NotConverged as failure:
                if failure.interrupted:
                    raise
                notes.append(f"the fold at {point.p:.6g} rad/s, {asked.parameter} {value:.6g}: {failure}")
        if asked.progress is not None:
            asked.progress(sum(len(curve) for curve in curves), value)
    return curves, used, notes


def _response(system: System, ends: tuple[float, float], how: dict[str, Any], asked: JumpRequest) -> Curve:
    """The curve over frequency at one value; the part there is, of one that ends early."""
    try:
        found = frequency_response(system, between=ends, **how)
    except NotConverged as failure:
        if failure.interrupted or not isinstance(failure.partial, Curve) or not len(failure.partial):
            raise
        return failure.partial
    return with_other_branches(found) if asked.thorough else found


def _is_tracked(curves: list[SpecialCurve], frequency: float, value: float, span: float) -> bool:
    """True for a fold that lies on a curve that was followed before."""
    for curve in curves:
        for a, b in pairwise(curve.points):
            if min(a.second, b.second) <= value <= max(a.second, b.second):
                part = 0.5 if a.second == b.second else (value - a.second) / (b.second - a.second)
                near = a.frequency + part * (b.frequency - a.frequency)
                if abs(near - frequency) <= SAME_FOLD_REL * span + 0.5 * abs(b.frequency - a.frequency):
                    return True
    return False


def _ranges(curves: list[SpecialCurve], plane: _Plane) -> tuple[tuple[tuple[float, float], ...], tuple[JumpLimit, ...]]:
    """The ranges without jumps, and the limits of those within the range of the parameter."""
    runs = [run for curve in curves for run in _runs_within(curve, plane.ends)]
    places = [(_end(run, min), _end(run, max)) for run in runs]
    free = free_ranges(plane.between, [(a.value, b.value) for a, b in places])
    edges = {value for own in free for value in own} - set(plane.between)
    limits = {own.value: own for pair in places for own in pair if own.value in edges}
    return free, tuple(limits[value] for value in sorted(limits))


def _compared(limits: tuple[JumpLimit, ...], others: tuple[JumpLimit, ...]) -> tuple[JumpLimit, ...]:
    """Limits with their distance to the nearest of more harmonics as error; NaN where there is none."""
    found = []
    for own in limits:
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
    found = least(run, key=lambda place: place.value)
    return JumpLimit(found.value, found.error, found.point.frequency, found.kind)
