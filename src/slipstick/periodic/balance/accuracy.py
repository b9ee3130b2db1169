"""How wrong an orbit of harmonic balance is: an estimate in the units of the displacements.

What is left of the equation of motion in time are the harmonics of the forces beyond those that are balanced. Through
the compliance they are displacements that the orbit lacks; the forces at an orbit that has them act back on the
harmonics that are balanced. Sampling is judged by samples that lie between the others: a switch falls elsewhere between
them, whereas more samples may have it in the same place. With dry friction, whose rounding changes with the number of
harmonics, the harmonics that lack are judged by what half of them change, or twice as many where the loads need them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, Message, NotConverged
from slipstick.periodic.balance.assembly_loop import MIN_MATRIX_HARMONICS
from slipstick.periodic.balance.corrector_loop import MANY_UNKNOWNS
from slipstick.periodic.balance.fourier_series import as_pairs, as_series, fourier_grid, resized_series
from slipstick.periodic.balance.motion_recovery import free_pairs
from slipstick.periodic.continuation.corrector import newton_at
from slipstick.periodic.methods import alternative_to_balance
from slipstick.results.tolerances import UNRESOLVED_ERROR_REL

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
    from slipstick.periodic.balance.orbit_batch import OrbitBatch


EXTRA_HARMONICS_FACTOR = 5  # times as many harmonics as are balanced are looked at, as far as samples reach
MOTION_ROUNDING_REL = 1e-15  # of the motion: rounding
ERROR_SAFETY = 2.0  # the estimate is of first order: on 350 random models errors were up to 1.6 times it
# the same of what half of the harmonics change: with 2, one in 130 random models fell short by 1 %
HALF_HARMONICS_SAFETY = 2.5
# reciprocal condition number below which a change is bounded by how far a fold nearby may move
NEAR_FOLD_CONDITION = 1e-2
CURVATURE_STEP_REL = 1e-2  # of the motion, for the curvature of a fold
MOST_INVERSE, SETTLED = 40, 1e-9  # steps of inverse iteration, and the change of a unit vector that ends it
MAX_REFINEMENTS, REFINED_REL = 20, 1e-9  # of an answer by low harmonics: steps, and the change that ends them
MAX_NEAR_STEPS = 8  # of Newton's method from the change of the orbit before
MIN_EXPLAINED_ERROR_REL = 1e-6  # of the motion: below it nobody asks where an error comes from


class Accuracy(NamedTuple):
    """error : [m or rad] estimated largest error of a displacement.   aliasing : the part that other samples change.
    notes : how it was found where that is not the usual way, in words."""

    error: float
    aliasing: float
    notes: list[str]


def error_estimates(known: OrbitBatch, free: Complex) -> list[Accuracy]:
    """The accuracy of orbits; free : (P, n, H+1) pairs of their coordinates."""
    family = known.family
    sizes = np.abs(family.fine_grid.values_of(as_series(free))).max(axis=(1, 2), initial=0.0)
    if not family.size:
        return [Accuracy(MOTION_ROUNDING_REL * float(size), 0.0, []) for size in sizes]
    changes, beyond = _by_shifts(known), _beyond(known)
    if beyond is not None:
        changes = np.concatenate([changes, beyond.change[None]])
    moved = _moved(known, changes)
    others = moved[: len(family.shifted)]
    aliasing = np.abs(family.coarse_grid.values_of(others)).max(axis=(0, 2, 3), initial=0.0)
    if family.lines.rounds:
        compare = _Comparison(family)
        each = zip(known.x, known.p.tolist(), free, aliasing.tolist(), strict=True)
        return [compare.accuracy(*own) for own in each]
    lacking = np.full(known.p.size, np.nan) if beyond is None else beyond.lacking(moved[-1])
    other = alternative_to_balance(family.problem)
    each_of = zip(lacking.tolist(), aliasing.tolist(), sizes.tolist(), strict=True)
    return [_accuracy_notes(family.harmonics, other, *figures) for figures in each_of]


def _accuracy_notes(harmonics: int, other: str, lacking: float, aliasing: float, size: float) -> Accuracy:
    notes = list[str]()
    if np.isnan(lacking):
        words = "no error estimate: there are no samples for harmonics beyond those balanced"
        notes.append(Message(words, advice=[Advice("raise {harmonics}")]))
    error = ERROR_SAFETY * (lacking + aliasing)
    if error > 0.0:  # of first order: with a third of the motion it was once a tenth too small
        error *= 1.0 + error / max(size, error)
    if error > UNRESOLVED_ERROR_REL * size:
        words = f"{harmonics} harmonics do not resolve this motion (error {error:.1e} of {size:.1e})"
        way = Advice("use {harmonics} or more, or {method}", harmonics=4 * harmonics, method=other)
        notes.append(Message(words, advice=[way]))
    elif aliasing > lacking and error > MIN_EXPLAINED_ERROR_REL * size:
        words = f"most of the error ({aliasing:.1e}) comes from sampling"
        notes.append(Message(words, advice=[Advice("raise {harmonics}")]))
    elif aliasing > MIN_EXPLAINED_ERROR_REL * size:
        notes.append(f"aliasing: samples between the others would move the orbit by {aliasing:.1e}")
    return Accuracy(error + MOTION_ROUNDING_REL * size, aliasing, notes)


def _beyond(known: OrbitBatch) -> _ExtraHarmonics | None:
    """What the harmonics beyond do, as far as samples reach; None where they reach no further or it is not asked."""
    family = known.family
    last = min(family.waves.samples // 2 - 1, EXTRA_HARMONICS_FACTOR * family.index)
    return _ExtraHarmonics(known, last) if last > family.index and not family.lines.rounds else None


class _ExtraHarmonics:
    """Harmonics beyond those that are balanced, up to ``last``: what they are, and what they do to those.

    force : (P, lines, N) at orbits that have them.   change : (P, lines, H+1) of the balanced harmonics of the forces.
    """

    def __init__(self, known: OrbitBatch, last: int) -> None:
        family = known.family
        self.known, self.family, self.last = known, family, last
        self.wide = fourier_grid(last, family.waves.samples)
        orders = np.arange(family.index + 1.0, last + 1.0)
        self.s: Complex = (-1j / family.order * known.p[:, None] * orders).ravel().astype(np.complex128)
        high = self._displacements(known.force)
        motion = _motion(known, family) + self.wide.motion_of(family.lines.rows @ high)
        self.force, series = family.follower.forces_along(motion, known.p / family.order)
        self.change = as_pairs(series) - known.forces

    def lacking(self, moved: Array) -> Array:
        """(P,) [m or rad] the displacements that the orbits lack, with how far these move them: (P, n, width)."""
        whole = self._displacements(self.force) + resized_series(moved, self.last)
        return np.asarray(np.abs(self.wide.values_of(whole)).max(axis=(1, 2), initial=0.0))

    def _displacements(self, force: Array) -> Array:
        """(P, n, width) series of what forces (P, lines, N) beyond the balanced harmonics do."""
        index, n, count = self.family.index, self.family.problem.n, force.shape[0]
        spectrum = 2.0 / force.shape[2] * np.fft.rfft(force)[:, :, index + 1 : self.last + 1].conj()
        right = -(spectrum.transpose(0, 2, 1) @ self.family.lines.along.T).reshape(-1, n, 1)
        found = self.family.compliance.values(self.s, right).reshape(count, -1, n)
        pairs = np.zeros((count, n, self.last + 1), dtype=complex)
        pairs[:, :, index:-1] = found.transpose(0, 2, 1)
        return as_series(pairs)


def _motion(known: OrbitBatch, family: HarmonicBalance) -> Array:
    """(P, lines, 2 N) deflections at the samples of a family, and their slopes."""
    return family.waves.motion_of(as_series(known.series) + family.offsets)


def _by_shifts(known: OrbitBatch) -> Complex:
    """(shifts, P, lines, H+1) how samples that lie a little later change the harmonics of the forces."""
    family = known.family
    series = known.series + as_pairs(family.offsets)
    found = np.empty((len(family.shifted), *known.forces.shape), dtype=complex)
    for k, (later, follower) in enumerate(family.shifted):
        turn = np.exp(2j * np.pi * later / family.waves.samples * family.waves.orders)
        motion = family.waves.motion_of(as_series(series * turn.conj()))
        _, series_there = follower.forces_along(motion, known.p / family.order)
        found[k] = as_pairs(series_there) * turn - known.forces
    return found


def _moved(known: OrbitBatch, changes: Complex) -> Array:
    """(k, P, n, width) series of how the coordinates answer to changes (k, P, lines, H+1) of forces."""
    family, n = known.family, known.family.problem.n
    answer = _answers(known, changes)
    by_line = answer if family.direct else family.into @ answer
    total = changes + (by_line[:, :, :, None, :] @ known.tangents)[:, :, :, 0]
    right = -(family.lines.along @ total).transpose(1, 3, 2, 0).reshape(-1, n, len(changes))
    found = family.compliance.values(known.s.ravel(), right)
    return as_series(np.ascontiguousarray(found.reshape(known.p.size, -1, n, len(changes)).transpose(3, 0, 2, 1)))


def _answers(known: OrbitBatch, changes: Complex) -> Array:
    """(k, P, r, width) how the unknown series answer to changes (k, P, lines, H+1) of forces, by their equations."""
    family, count = known.family, known.p.size
    by_force = np.matmul(known.compliances.transpose(0, 3, 2, 1), changes.transpose(1, 3, 2, 0))  # (P, H+1, r, k)
    right = as_series(by_force.transpose(0, 3, 2, 1)).reshape(count, len(changes), -1).swapaxes(1, 2)
    scales = family.scales(known.x, 0.0)
    each = zip(-right / family.length, scales, strict=True)
    found = np.array([_answer(known, k, own, scale) for k, (own, scale) in enumerate(each)])
    return found.transpose(2, 0, 1).reshape(len(changes), count, -1, family.waves.width)


def _answer(known: OrbitBatch, k: int, right: Array, scale: Array) -> Array:
    """(size, changes) of orbit k, with no more of the direction in which it has a fold nearby than as far as that.

    There the equations are sigma xi + beta xi^2 = alpha along the least singular vectors, and an answer of first order,
    alpha / sigma, grows without bound: xi is at most 2 sqrt(alpha / beta), as far as the fold may move.
    """
    quick = _answer_by_low_harmonics(known.family, known.by_x[k], right, scale)
    if quick is not None:
        return quick
    matrix = known.by_x[k] * scale
    factors, pivots, failed = lapack.dgetrf(matrix)
    near = failed or lapack.dgecon(factors, np.abs(matrix).sum(axis=0).max())[0] < NEAR_FOLD_CONDITION
    least = _least_singular(factors, pivots) if near and not failed else None
    if not near or least is not None:
        answer = lapack.dgetrs(factors, pivots, right)[0]
    else:  # singular but for rounding, or two directions are as weak
        left, values, rows = np.linalg.svd(matrix)
        least = left[:, -1], rows[-1]
        answer = rows.T @ ((left.T @ right) / np.maximum(values, 1e-300)[:, None])
    if least is not None:
        answer = answer - np.outer(least[1], _excess(known, k, right, answer, least, scale))
    return np.asarray(answer * scale[:, None])


def _answer_by_low_harmonics(family: HarmonicBalance, matrix: Array, right: Array, scale: Array) -> Array | None:
    """(size, changes) by factors of the lowest harmonics alone, and refinement: high harmonics hardly act on
    themselves. None for few unknowns, near a fold, or if refinement does not settle quickly.

    A large matrix is read once a step, and not copied: that would take longer than all else.
    """
    if matrix.shape[0] <= MANY_UNKNOWNS or family.index <= 2 * MIN_MATRIX_HARMONICS:
        return None
    low = np.zeros((family.seen.shape[0], family.waves.width), dtype=bool)
    low[:, : 2 * MIN_MATRIX_HARMONICS], low[:, -1] = True, True
    own = np.flatnonzero(low)
    lowest = matrix[np.ix_(own, own)] * scale[own]
    factors, pivots, failed = lapack.dgetrf(lowest)
    if failed or lapack.dgecon(factors, np.abs(lowest).sum(axis=0).max())[0] < NEAR_FOLD_CONDITION:
        return None
    across = scale[:, None]
    diagonal = matrix.diagonal()[:, None] * across
    answer, rest = np.zeros_like(right), right
    for _ in range(MAX_REFINEMENTS):
        change = rest / diagonal
        change[own] = lapack.dgetrs(factors, pivots, rest[own])[0]
        answer = answer + change
        if np.abs(change).max() <= REFINED_REL * np.abs(answer).max():
            return np.asarray(answer * across)
        rest = right - matrix @ (answer * across)
    return None


def _least_singular(factors: Array, pivots: NDArray[np.int32]) -> tuple[Array, Array] | None:
    """Left and right vector of the least singular value by inverse iteration; None where it does not settle."""
    right = np.full(factors.shape[0], factors.shape[0] ** -0.5)
    for _ in range(MOST_INVERSE):
        left = lapack.dgetrs(factors, pivots, right, trans=1)[0]
        left /= math.sqrt(left.dot(left))
        before, right = right, lapack.dgetrs(factors, pivots, left)[0]
        right /= math.sqrt(right.dot(right))
        change = right - before
        if math.sqrt(change.dot(change)) <= SETTLED:
            return left, right
    return None


def _excess(known: OrbitBatch, k: int, right: Array, answer: Array, least: tuple[Array, Array], scale: Array) -> Array:
    """(changes,) of the least singular direction in an answer, beyond what a fold nearby may move."""
    left, null = least
    x, p = known.x[k], float(known.p[k])
    sides = [
        known.family.linearise(x + s * CURVATURE_STEP_REL * null * scale, p).by_x @ (null * scale) for s in (1.0, -1.0)
    ]
    beta = float(left @ (sides[0] - sides[1])) / (4.0 * CURVATURE_STEP_REL)
    most = 2.0 * np.sqrt(np.abs(left @ right) / max(abs(beta), 1e-300))
    own = null @ answer
    return np.asarray(own - np.clip(own, -most, most))


class _Comparison:
    """Dry friction: an error that falls like 1/H is what half of the harmonics change, or twice what doubling does.

    change : (size,) from an orbit to that of the other family, of the last orbit: neighbours on a curve change alike.
    """

    def __init__(self, family: HarmonicBalance) -> None:
        self.family, self.other = family, family.compared
        self.change: Array | None = None

    def accuracy(self, x: Array, p: float, free: Complex, aliasing: float) -> Accuracy:
        """The accuracy of an orbit with pairs (n, H+1) of its coordinates."""
        family, other = self.family, self.other
        try:
            found = self._solved(x, p)
        except NotConverged as problem:
            return Accuracy(float("nan"), aliasing, [problem.message.wrapped("no error estimate: ")])
        other.linearise(found, p)
        most = max(family, other, key=lambda own: own.index).waves
        mine, theirs = (resized_series(as_series(own), most.harmonics) for own in (free, free_pairs(other, found, p)))
        lacking = float(np.abs(most.values_of(mine - theirs)).max(initial=0.0))
        fewer = other.harmonics < family.harmonics
        caution, wide = (
            (HALF_HARMONICS_SAFETY, "twice as wide") if fewer else (2.0 * HALF_HARMONICS_SAFETY, "half as wide")
        )
        words = f"{caution:g} times what {other.harmonics} harmonics and a rounding {wide} change"
        error = caution * lacking + ERROR_SAFETY * aliasing
        return Accuracy(error, aliasing, [f"error: {words}, and {ERROR_SAFETY:g} times what other samples do"])

    def _solved(self, x: Array, p: float) -> Array:
        """(size,) the orbit of the other family."""
        start = resized_series(x.reshape(-1, self.family.waves.width), self.other.index).ravel()
        found = None if self.change is None else self._near(start + self.change, p)
        if found is None:
            found = _near_or_any(self.other, p, start)
        self.change = found - start
        return found

    def _near(self, start: Array, p: float) -> Array | None:
        """The orbit that a start leads to at once; None if it does not."""
        try:
            return newton_at(self.other, np.append(start, p), p, self._scale(start, p), MAX_NEAR_STEPS).x
        except NotConverged:
            return None

    def _scale(self, start: Array, p: float) -> Array:
        return np.append(self.other.scales(start, p), p)


def _near_or_any(family: HarmonicBalance, p: float, start: Array) -> Array:
    """The orbit that a start leads to, or that which the family finds by itself: another one makes the error large."""
    try:
        return family.solve(p, start).x
    except NotConverged:
        return family.solve(p).x
