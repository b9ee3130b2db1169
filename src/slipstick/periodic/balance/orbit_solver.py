"""One orbit by harmonic balance: Newton, and what is tried where it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Message, NotConverged
from slipstick.periodic.balance.corrector_loop import MANY_UNKNOWNS
from slipstick.periodic.balance.fourier_series import as_series, resized_series
from slipstick.periodic.balance.law_homotopy import solve_by_homotopy
from slipstick.periodic.balance.nonlinear_connections import stiffest_estimates
from slipstick.periodic.balance.start_from_run import start_from_run
from slipstick.periodic.continuation.corrector import CurvePoint, correct, parameter_plane, scale_of
from slipstick.periodic.continuation.family import SofterFamily
from slipstick.units.scales import frequency_scale

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
    from slipstick.results.orbit import OrbitPoint


MAX_NEWTON_STEPS = 40
FEW_START_HARMONICS = 64  # of the orbit from which one with many unknowns is sought
SOFTER_WIDTHS = (4.0, 20.0, 100.0)  # times the width over which dry friction is rounded: softened families
FIRST_WIDTH = 200.0  # the same to begin with, where one orbit is sought
# residual of an orbit that is only a start: rounding of a stiff wall leaves more than is wanted at last
INTERMEDIATE_TOLERANCE = 1e-8
REFINED_STABILITY_FACTOR = 4  # times the samples for multipliers of a family that another is judged by
REFINE_FACTOR, MAX_REFINED_HARMONICS = (
    6,
    42,
)  # times, and harmonics: few that resolve little are judged by so many times as many, up to so many
WIDTH_REDUCTION, MIN_WIDTH_REDUCTION = 6.0, 1.02  # by which it falls, and at least


class BalanceSolution(NamedTuple):
    """x : (size,) unknowns.   p : [rad/s].   iterations : of Newton.   residual : largest left, scaled.
    tried : in words, what failed before.   family : whose unknowns these are."""

    x: Array
    p: float
    iterations: int
    residual: float
    tried: tuple[str, ...]
    family: HarmonicBalance

    @property
    def point(self) -> OrbitPoint:
        """Everything a curve stores about the orbit."""
        from dataclasses import replace

        found = self.family.point(self.x, self.p)
        notes = (*found.notes, *self.tried)
        return replace(found, residual=self.residual, iterations=self.iterations, notes=notes)


def first_start(family: HarmonicBalance, p: float) -> Array:
    """(size,) the guess without a known orbit: with many unknowns the orbit of few harmonics, if that is found."""
    most = max(FEW_START_HARMONICS, _highest_load(family))
    if family.size <= MANY_UNKNOWNS or family.lines.rounds or family.harmonics <= 2 * most:
        return linear_start(family, p)
    fewer = family.changed(harmonics=most, samples=None)
    fewer.tolerance = INTERMEDIATE_TOLERANCE
    try:
        return _to(fewer, family)(_newton(fewer, linear_start(fewer, p), p).x)
    except NotConverged:
        return linear_start(family, p)


def linear_start(family: HarmonicBalance, p: float) -> Array:
    """(size,) response of a linear model at p [rad/s]: every law at its stiffest, or as it is where the model would
    rest if it begins aside of zero; friction as a damper."""
    lines = family.lines
    k, c = stiffest_estimates(lines, family.length)
    if family.resting is not None:
        k = family.resting.stiffness
    for member, factor in zip(lines.members, family.follower.factors, strict=True):
        if member.rounds:
            size = abs(float(factor.mean())) * abs(member.law.limit)  # type: ignore[attr-defined]
            c[member.line] += 4.0 / np.pi * size / (p * family.length)
    part, loads = family.plain_part.stiffened(lines.rows, lines.along, k, c), family.loads.at(p)
    found = np.zeros_like(loads)
    for h in np.flatnonzero(np.abs(loads).sum(axis=1)):
        s = family.s_at(p)[h]
        matrix = part.mass * s * s + part.damping * s + part.stiffness
        try:
            found[h] = np.linalg.solve(matrix, loads[h])
        except np.linalg.LinAlgError:  # nothing holds it: the shortest answer
            found[h] = np.linalg.lstsq(matrix, loads[h], rcond=1e-12)[0]
    if family.resting is not None:
        found[-1] = family.resting.displacement
    return as_series((found @ family.seen.T).T.copy()).ravel()


def solve(family: HarmonicBalance, p: float, start: Array | None = None) -> BalanceSolution:
    """The orbit at p; see `HarmonicBalance.solve`."""
    ways: list[tuple[str, Callable[[], CurvePoint]]] = []
    if family.lines.rounds and start is None:
        ways.append(("from friction rounded more widely", lambda: _through_widths(family, p)))
    first = family.start(p) if start is None else np.asarray(start, dtype=float)
    ways += [
        ("from the given start" if start is not None else "from a linear stand-in", lambda: _newton(family, first, p)),
        ("from rest", lambda: _newton(family, np.zeros(family.size), p)),
        ("from fewer harmonics", lambda: _through_softened(family, p)),
        ("from a run of the model", lambda: _newton(family, start_from_run(family, p), p)),
        ("from weaker laws", lambda: _newton(family, solve_by_homotopy(family, p), p)),
    ]
    tried: dict[Message, list[str]] = {}  # what was tried, by why it failed
    for words, way in ways:
        try:
            found = way()
        except NotConverged as problem:
            tried.setdefault(problem.message, []).append(words)
            continue
        failed = tuple(f"failed {', '.join(t)}: {why.statement}" for why, t in tried.items())
        return BalanceSolution(found.x, p, found.iterations, found.residual, failed, family)
    attempts = Message.joined(why.wrapped(f"{', '.join(words)}: ") for why, words in tried.items())
    at = frequency_scale(family.problem.system.stated_units.frequency).words(p)
    raise NotConverged(attempts.wrapped(f"harmonic balance found no orbit at {at}; tried "))


def _newton(family: HarmonicBalance, x: Array, p: float) -> CurvePoint:
    if not family.size:
        return CurvePoint(np.array([p]), np.ones(1), np.ones(1), 0, 0.0)
    z = np.append(x, p)
    return correct(family, z, parameter_plane(z, p, scale_of(family, z, p)), MAX_NEWTON_STEPS)


def _through_softened(family: HarmonicBalance, p: float) -> CurvePoint:
    """From fewer harmonics to all, each from the orbit of those before."""
    x, count = None, 0
    for words, own, lower, lift in reversed(family.softened()):
        assert isinstance(own, type(family)), words
        found = _newton(own, own.start(p) if x is None else lower(x), p)
        x, count = lift(found.x), count + found.iterations
    found = _newton(family, family.start(p) if x is None else x, p)
    return found._replace(iterations=found.iterations + count)


def _through(
    family: HarmonicBalance, p: float, softer: Callable[[float], HarmonicBalance], factor: float
) -> CurvePoint:
    """From a softer family, by a factor, to this one; where a step fails, half of it is tried (in the logarithm)."""
    step = WIDTH_REDUCTION
    own = softer(factor)
    found = _newton(own, own.start(p), p)
    count = found.iterations
    while factor > 1.0:
        trial = max(factor / step, 1.0)
        try:
            found = _newton(family if trial == 1.0 else softer(trial), found.x, p)
        except NotConverged:
            step = step**0.5
            if step < MIN_WIDTH_REDUCTION:
                raise
            continue
        count += found.iterations
        factor, step = trial, min(step**1.5, WIDTH_REDUCTION)
    return found._replace(iterations=count)


def _through_widths(family: HarmonicBalance, p: float) -> CurvePoint:
    """Friction rounded less and less."""
    return _through(family, p, lambda factor: family.changed(width=family.width * factor), FIRST_WIDTH)


def other_starts(family: HarmonicBalance, p: float) -> tuple[tuple[str, Callable[[], Array]], ...]:
    """Other guesses at p than the linear stand-in, each of which takes longer than the one before; see `Family`."""
    return (
        ("a run of the model", lambda: start_from_run(family, p)),
        ("laws that grow from a small part of their force", lambda: solve_by_homotopy(family, p)),
    )


def softer_families(family: HarmonicBalance) -> tuple[SofterFamily, ...]:
    """Friction rounded more widely where there is any, else fewer harmonics; the softest last."""
    if family.lines.rounds:
        return tuple(
            SofterFamily(f"friction rounded over {factor:g} times the width", wider, _same, _same)
            for factor in SOFTER_WIDTHS
            for wider in [family.changed(width=family.width * factor)]
        )
    found, harmonics = [], family.harmonics
    if family.curved and family.follower.breaks:
        straight = family.changed(curved=False)
        found.append(SofterFamily("deflections that are straight between samples", straight, _same, _same))
    while harmonics > 1:
        harmonics = max(1, harmonics // 2)
        if harmonics * family.order < _highest_load(family):
            break
        fewer = family.changed(harmonics=harmonics, samples=family.waves.samples, curved=False)
        fewer.tolerance = INTERMEDIATE_TOLERANCE
        words = f"{harmonics} harmonics instead of {family.harmonics}"
        found.append(SofterFamily(words, fewer, _to(family, fewer), _to(fewer, family)))
    return tuple(found)


def refined_family(family: HarmonicBalance) -> SofterFamily:
    """Twice as many harmonics, or more of few ones; with dry friction, what its error is compared with."""
    more = max(2 * family.harmonics, min(REFINE_FACTOR * family.harmonics, MAX_REFINED_HARMONICS))
    other = family.compared if family.lines.rounds else family.changed(harmonics=more, samples=None)
    if not family.lines.rounds:
        other.stability_refinement = REFINED_STABILITY_FACTOR
    words = f"{other.harmonics} harmonics instead of {family.harmonics}"
    return SofterFamily(words, other, _to(family, other), _to(other, family))


def _highest_load(family: HarmonicBalance) -> int:
    used = np.flatnonzero(np.abs(family.loads.powers).sum(axis=(0, 2))[:-1])
    return int(used.max(initial=0)) + 1


def _same(x: Array) -> Array:
    return x


def _to(one: HarmonicBalance, other: HarmonicBalance) -> Callable[[Array], Array]:
    """Unknowns of one family as those of another with more or fewer harmonics."""
    width, index = one.waves.width, other.index
    return lambda x: resized_series(x.reshape(-1, width), index).ravel()
