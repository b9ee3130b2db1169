"""The first point of a curve, and points at given parameter values, with fallbacks where Newton fails."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, Message, NotConverged
from slipstick.periodic.continuation.corrector import MAX_START_STEPS, CurvePoint, newton_at, solve_at
from slipstick.periodic.continuation.family import Family, SofterFamily
from slipstick.periodic.continuation.path import Path, rescaled_point
from slipstick.periodic.continuation.restarts import RestartLog
from slipstick.periodic.continuation.step_control import ParameterRange, StepControl

START_OFFSETS_REL = (0.02, 0.1, 0.3)  # of the parameter: how far away an easier start is looked for
MAX_CORRECTION_REL = 0.5  # of the way to a point: Newton's method may correct so much of it and stay on the branch
SURE_NEWTON_STEPS = 5  # steps of Newton's method: one that takes more may have wandered to another branch
MAX_CHANGE_REL = 1.5  # of its size: an orbit that has changed by more may have jumped, so the curve is followed to it
MIN_TANGENT_SHARE = 1e-3  # of the tangent: below it the curve is too steep to be predicted over the parameter


def find_start(family: Family, p: float, x: Array | None, within: ParameterRange) -> tuple[CurvePoint, list[str]]:
    """An orbit at p, near x or near the family's own guess, with its tangent; and what had to be tried for it."""
    guess = np.asarray(family.start(p) if x is None else x, dtype=float)
    span = within.span or abs(p) or 1.0
    try:
        return solve_at(family, guess, p, span), []
    except NotConverged as failure:
        tries = RestartLog(f"no orbit was found at {family.format_parameter(p)}")
        words = "Newton's method from the start that was given" if x is not None else "Newton's method from a guess"
        tries.failed(words, failure)
    for name, way in _other_starts(family, guess, p, span, _aside(p, within)):
        try:
            found = way()
        except NotConverged as failure:
            tries.failed(name, failure)
            continue
        return found, [f"start at {family.format_parameter(p)}: {tries.success(name)}"]
    raise tries.refusal()


def _other_starts(
    family: Family, guess: Array, p: float, span: float, aside: Iterable[float] = ()
) -> Iterator[tuple[str, Callable[[], CurvePoint]]]:
    """Other ways to an orbit, the quickest first; easier families are made only when it comes to them.

    aside : other values of the parameter, from whose orbits the curve may be followed to this one.
    """
    starts = [(words, partial(_from_guess, family, make, p, span)) for words, make in family.starts(p)]
    yield from starts[:1]
    for level, soft in enumerate(family.softened()):
        yield soft.words, partial(_through_softer, family, level, guess, p, span)
    yield "least squares", partial(_least_squares, family, guess, p, span)
    for q in aside:
        yield f"a start at {family.format_parameter(q)}", partial(_from_aside, family, q, p, span)
    yield from starts[1:]


def reach_parameter(
    family: Family, begin: CurvePoint, p: float, within: ParameterRange
) -> tuple[CurvePoint, list[str]]:
    """The orbit at p on the curve through another point: by Newton if it is near, else along the curve.

    Where the curve turns back before p, any orbit that another start leads to, and that in words.
    """
    if p == begin.p:
        return begin, []
    tries = RestartLog(
        f"the orbit at {family.format_parameter(p)} was not reached from {family.format_parameter(begin.p)}"
    )
    found = _connected(family, begin, p, within, tries)
    if found is not None:
        return found
    guess = np.asarray(family.start(p), dtype=float)
    ways: Iterator[tuple[str, Callable[[], CurvePoint]]] = (
        (f"Newton's method from {name}", partial(newton_at, family, z, p, begin.scale, MAX_START_STEPS))
        for name, z in (("the last point", begin.z), ("a new guess", np.append(guess, p)))
    )
    for name, way in itertools.chain(ways, _other_starts(family, guess, p, float(begin.scale[-1]))):
        try:
            other = way()
        except NotConverged as failure:
            tries.failed(name, failure)
            continue
        here, there = family.format_parameter(p), family.format_parameter(begin.p)
        return other, [f"at {here}: this may be another branch than at {there}, {tries.success(name)}"]
    raise tries.refusal()


def _connected(
    family: Family, begin: CurvePoint, p: float, within: ParameterRange, tries: RestartLog
) -> tuple[CurvePoint, list[str]] | None:
    """The orbit at p on the curve through another point; None where it was not reached."""
    if abs(begin.tangent[-1]) > MIN_TANGENT_SHARE:
        try:
            return _along_tangent(family, begin, p), []
        except NotConverged as failure:
            tries.failed("Newton's method along the tangent", failure)
    try:
        return _along_curve(family, begin, p, within)
    except NotConverged as failure:
        tries.failed(failure.message.wrapped("following the curve (", ")"), failure)
    return None


def _along_tangent(family: Family, begin: CurvePoint, p: float) -> CurvePoint:
    length = abs((p - begin.p) / begin.slope[-1])
    guess = begin.z + (p - begin.p) / begin.slope[-1] * begin.slope
    found = newton_at(family, guess, p, begin.scale)
    moved = (found.z - guess) / begin.scale
    far = np.sqrt(moved @ moved) > MAX_CORRECTION_REL * max(length, abs(p - begin.p) / begin.scale[-1])
    new = rescaled_point(family, found, float(begin.scale[-1]))
    if far or found.iterations > SURE_NEWTON_STEPS or has_jumped(new, begin.z):
        raise NotConverged("the point it led to may lie on another branch")
    return new


def has_jumped(found: CurvePoint, before: Array) -> bool:
    """True for an orbit that has changed by more than its size since the one before."""
    gone = (found.x - before[:-1]) / found.scale[:-1]
    return bool(gone @ gone > MAX_CHANGE_REL**2)


def _along_curve(family: Family, begin: CurvePoint, p: float, within: ParameterRange) -> tuple[CurvePoint, list[str]]:
    """The orbit at p, and where the curve turned back on the way there."""
    first = begin if (begin.tangent[-1] > 0.0) == (p > begin.p) else begin.reversed()
    mirrored = begin.p - (p - begin.p)
    far = min(within.low, mirrored) if p > begin.p else max(within.high, mirrored)
    path = Path(family, first, ParameterRange(far, p), StepControl(max_points=family.patience))
    for _ in path:
        pass
    if path.last.p == p:
        return path.last, _turned_back(family, path.points)
    back = f"the curve turns back before {family.format_parameter(p)}"
    raise NotConverged(back if path.last.p == far else path.end or "the curve closes")


def _turned_back(family: Family, points: list[CurvePoint]) -> list[str]:
    """A note on the folds that were passed: between them there are other orbits, and a machine jumps."""
    turns = [
        max(a.p, b.p) if a.tangent[-1] > 0.0 else min(a.p, b.p)
        for a, b in itertools.pairwise(points)
        if a.tangent[-1] * b.tangent[-1] < 0.0
    ]
    if not turns:
        return []
    places = " and ".join(family.format_parameter(p, 4) for p in turns)
    begin, end = family.format_parameter(points[0].p), family.format_parameter(points[-1].p)
    return [
        Message(
            f"the curve turns back between {begin} and {end}, near {places}: there is more than one orbit, "
            "and a sweep jumps",
            advice=[Advice("{between} shows them all")],
        )
    ]


def _from_guess(family: Family, make: Callable[[], Array], p: float, span: float) -> CurvePoint:
    return solve_at(family, np.asarray(make(), dtype=float), p, span)


def _least_squares(family: Family, guess: Array, p: float, span: float) -> CurvePoint:
    """Trust-region least squares, which gets out of valleys where Newton's steps are refused."""
    from scipy.optimize import least_squares

    scale = np.asarray(family.scales(guess, p))

    def residual(y: Array) -> Array:
        return family.linearise(y * scale, p).residual

    def derivative(y: Array) -> Array:
        return family.linearise(y * scale, p).by_x * scale

    try:
        found = least_squares(residual, guess / scale, derivative, xtol=1e-12, ftol=1e-14, gtol=1e-14, max_nfev=200)
    except ValueError as problem:  # a residual that is not finite
        raise NotConverged(str(problem)) from None
    return solve_at(family, found.x * scale, p, span)


def _through_softer(family: Family, level: int, guess: Array, p: float, span: float) -> CurvePoint:
    """Solve the softened family of a level, and climb back from it by those between."""
    ladder = family.softened()[: level + 1]
    x = _lowered(ladder[level], guess, p, span)
    for k in range(level, -1, -1):
        x = ladder[k].lift(x)
        if k:
            x = _lowered(ladder[k - 1], x, p, span)
    return solve_at(family, x, p, span)


def _lowered(soft: SofterFamily, x: Array, p: float, span: float) -> Array:
    return solve_at(soft.family, np.asarray(soft.lower(x), dtype=float), p, span).x


def _aside(p: float, within: ParameterRange) -> list[float]:
    """Other values of the parameter within the range, nearest first."""
    span = within.span or 0.5 * abs(p)
    around = [p + side * part * span for part in START_OFFSETS_REL for side in (1.0, -1.0)]
    return [q for q in around if within.low <= q <= within.high] if within.span else around


def _from_aside(family: Family, q: float, p: float, span: float) -> CurvePoint:
    there = solve_at(family, np.asarray(family.start(q), dtype=float), q, span)
    tries = RestartLog(f"the orbit at {family.format_parameter(p)} was not reached from {family.format_parameter(q)}")
    found = _connected(family, there, p, ParameterRange(q, p), tries)
    return newton_at(family, there.z, p, there.scale, MAX_START_STEPS) if found is None else found[0]
