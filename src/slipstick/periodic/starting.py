"""The first point of a curve, and points at given values of the parameter: Newton's method, and what else is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.arclength import Arclength, Bounds
from slipstick.periodic.continuation import Path, rescaled
from slipstick.periodic.corrector import PATIENT, Located, newton_at, solve_at
from slipstick.periodic.family import Family, Softened
from slipstick.periodic.restart import Tries

Array = NDArray[np.float64]

ASIDE = (0.02, 0.1, 0.3)  # of the parameter: how far away an easier start is looked for
NEAR = 0.5  # of the way to a point: Newton's method may correct so much of it and stay on the branch
SURE = 5  # steps of Newton's method: one that takes more may have wandered to another branch
LEAP = 1.5  # of its size: an orbit that has changed by more may have jumped, so the curve is followed to it
STEEP = 1e-3  # of the tangent: below it the curve is too steep to be predicted over the parameter


def find_start(family: Family, p: float, x: Array | None, within: Bounds) -> tuple[Located, list[str]]:
    """An orbit at p, near x or near the family's own guess, with its tangent; and what had to be tried for it."""
    tries = Tries(f"no orbit was found at {family.said(p)}")
    guess = np.asarray(family.start(p) if x is None else x, dtype=float)
    span = within.span or abs(p) or 1.0
    words = "Newton's method from the start that was given" if x is not None else "Newton's method from a guess"
    try:
        return solve_at(family, guess, p, span), []
    except NotConverged as failure:
        tries.failed(words, failure)
    for name, way in _ways(family, guess, p, span, within):
        try:
            found = way()
        except NotConverged as failure:
            tries.failed(name, failure)
            continue
        return found, [f"start at {family.said(p)}: {tries.success(name)}"]
    raise tries.refusal()


def _ways(
    family: Family, guess: Array, p: float, span: float, within: Bounds
) -> Iterator[tuple[str, Callable[[], Located]]]:
    """Other ways to a first orbit, the quickest first; easier families are made only when it comes to them."""
    for words, make in family.starts(p):
        yield words, partial(_from_guess, family, make, p, span)
    yield "least squares", partial(_least_squares, family, guess, p, span)
    for level, soft in enumerate(family.softened()):
        yield soft.words, partial(_down_and_up, family, level, guess, p, span)
    for q in _aside(p, within):
        yield f"a start at {family.said(q)}", partial(_from_aside, family, q, p, span)


def reach(family: Family, begin: Located, p: float, within: Bounds) -> tuple[Located, list[str]]:
    """The orbit at p on the curve through another point: by Newton if it is near, else along the curve.

    Where the curve turns back before p, the orbit on another one that Newton's method leads to, and that in words.
    """
    if p == begin.p:
        return begin, []
    tries = Tries(f"the orbit at {family.said(p)} was not reached from {family.said(begin.p)}")
    if abs(begin.tangent[-1]) > STEEP:
        try:
            return _along_tangent(family, begin, p), []
        except NotConverged as failure:
            tries.failed("Newton's method along the tangent", failure)
    try:
        return _along_curve(family, begin, p, within)
    except NotConverged as failure:
        tries.failed(f"following the curve ({failure})", failure)
    for name, z in (("the last point", begin.z), ("a new guess", np.append(family.start(p), p))):
        try:
            found = newton_at(family, z, p, begin.scale, PATIENT)
        except NotConverged as failure:
            tries.failed(f"Newton's method from {name}", failure)
            continue
        here, there = family.said(p), family.said(begin.p)
        return found, [f"at {here}: this may be another branch than at {there}, found from {name} ({tries.told})"]
    raise tries.refusal()


def _along_tangent(family: Family, begin: Located, p: float) -> Located:
    length = abs((p - begin.p) / begin.slope[-1])
    guess = begin.z + (p - begin.p) / begin.slope[-1] * begin.slope
    found = newton_at(family, guess, p, begin.scale)
    moved = (found.z - guess) / begin.scale
    far = np.sqrt(moved @ moved) > NEAR * max(length, abs(p - begin.p) / begin.scale[-1])
    new = rescaled(family, found, float(begin.scale[-1]))
    if far or found.iterations > SURE or leaps(new, begin.z):
        raise NotConverged("the point it led to may lie on another branch")
    return new


def leaps(found: Located, before: Array) -> bool:
    """True for an orbit that has changed by more than its size since the one before."""
    gone = (found.x - before[:-1]) / found.scale[:-1]
    return bool(gone @ gone > LEAP**2)


def _along_curve(family: Family, begin: Located, p: float, within: Bounds) -> tuple[Located, list[str]]:
    """The orbit at p, and where the curve turned back on the way there."""
    first = begin if (begin.tangent[-1] > 0.0) == (p > begin.p) else begin.reversed()
    mirrored = begin.p - (p - begin.p)
    far = min(within.low, mirrored) if p > begin.p else max(within.high, mirrored)
    path = Path(family, first, Bounds(far, p), Arclength(most_points=family.patience))
    for _ in path:
        pass
    if path.last.p == p:
        return path.last, _turned_back(family, path.points)
    back = f"the curve turns back before {family.said(p)}"
    raise NotConverged(back if path.last.p == far else path.end or "the curve closes")


def _turned_back(family: Family, points: list[Located]) -> list[str]:
    """A note on the folds that were passed: between them there are other orbits, and a machine jumps."""
    turns = [
        max(a.p, b.p) if a.tangent[-1] > 0.0 else min(a.p, b.p)
        for a, b in pairwise(points)
        if a.tangent[-1] * b.tangent[-1] < 0.0
    ]
    if not turns:
        return []
    places = " and ".join(family.said(p, 4) for p in turns)
    begin, end = family.said(points[0].p), family.said(points[-1].p)
    return [
        f"between {begin} and {end} the curve turns back, near {places}: there is more than one "
        "orbit there, and a sweep jumps; between= shows them all"
    ]


def _from_guess(family: Family, make: Callable[[], Array], p: float, span: float) -> Located:
    return solve_at(family, np.asarray(make(), dtype=float), p, span)


def _least_squares(family: Family, guess: Array, p: float, span: float) -> Located:
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


def _down_and_up(family: Family, level: int, guess: Array, p: float, span: float) -> Located:
    """Solve the softened family of a level, and climb back from it by those between."""
    ladder = family.softened()[: level + 1]
    x = _lowered(ladder[level], guess, p, span)
    for k in range(level, -1, -1):
        x = ladder[k].lift(x)
        if k:
            x = _lowered(ladder[k - 1], x, p, span)
    return solve_at(family, x, p, span)


def _lowered(soft: Softened, x: Array, p: float, span: float) -> Array:
    return solve_at(soft.family, np.asarray(soft.lower(x), dtype=float), p, span).x


def _aside(p: float, within: Bounds) -> list[float]:
    """Other values of the parameter within the range, nearest first."""
    span = within.span or 0.5 * abs(p)
    around = [p + side * part * span for part in ASIDE for side in (1.0, -1.0)]
    return [q for q in around if within.low <= q <= within.high] if within.span else around


def _from_aside(family: Family, q: float, p: float, span: float) -> Located:
    there = solve_at(family, np.asarray(family.start(q), dtype=float), q, span)
    return reach(family, there, p, Bounds(q, p))[0]
