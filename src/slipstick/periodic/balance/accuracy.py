"""How wrong an orbit of harmonic balance is: an estimate in the units of the displacements.

What is left of the equation of motion in time are the harmonics of the forces beyond those that are balanced. Through
the compliance they are displacements that the orbit lacks; the forces at an orbit that has them act back on the
harmonics that are balanced. Sampling is judged by twice as many samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.balance.motion import free_pairs
from slipstick.periodic.balance.waves import as_pairs, as_series, stretched, waves
from slipstick.periodic.corrector import solve as solve_matrix
from slipstick.periodic.family import Linearised

if TYPE_CHECKING:
    from slipstick.periodic.balance.balance import Balance

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

BEYOND = 5  # times as many harmonics as are balanced are looked at, as far as samples reach
NOISE = 1e-15  # of the motion: rounding
CAUTION = 2.0  # the estimate is of first order: it came out between 0.7 and 1.6 times the error


class Accuracy(NamedTuple):
    """error : [m or rad] estimated largest error of a displacement.   aliasing : the part that more samples change.
    notes : how it was found where that is not the usual way, in words."""

    error: float
    aliasing: float
    notes: list[str]


def accuracy(family: Balance, x: Array, p: float, found: Linearised, free: Complex) -> Accuracy:
    """The accuracy of the orbit x; found: the equations there, free: pairs of its coordinates."""
    size = float(np.abs(as_series(free) @ family.waves.values_across).max(initial=0.0))
    if not family.size:
        return Accuracy(NOISE * size, 0.0, [])
    if family.lines.rounds:
        return _by_half(family, x, p, free)
    lacking = _lacking(family, x, p, found)
    aliasing = _aliasing(family, x, p, found)
    family.follow(x, p)  # leave the laws where they were
    notes = []
    if np.isnan(lacking):
        notes.append("no error estimate: there are no samples for harmonics beyond those balanced; raise samples=")
    error = CAUTION * (lacking + aliasing)
    if aliasing > lacking and error > 1e-6 * size:
        notes.append(f"most of the error ({aliasing:.1e}) comes from sampling; raise samples=")
    return Accuracy(error + NOISE * size, aliasing, notes)


def _lacking(family: Balance, x: Array, p: float, found: Linearised) -> float:
    """[m or rad] the displacements beyond the harmonics that are balanced, and what they do to those."""
    follower, lines, n = family.follower, family.lines, family.problem.n
    index, samples = family.index, family.waves.samples
    tangents = family.tangents[:, :-1].copy().view(complex)
    last = min(samples // 2 - 1, BEYOND * index)
    if last <= index:
        return float("nan")
    force, low = follower.force.copy(), as_pairs(family.waves.coefficients(follower.force))
    s = np.asarray(-1j * p / family.order * np.arange(index + 1.0, last + 1.0), dtype=np.complex128)
    answer, _ = family.compliance.solve(s, np.eye(n), lines.along.astype(np.complex128))
    wide = waves(last, samples)
    high = _beyond(family, answer, force)
    family.follow(x, p, extra=(lines.rows @ high, wide))
    change = as_pairs(family.waves.coefficients(follower.force)) - low
    # the balanced harmonics answer with their own equations
    by_force = np.einsum("lrh,lh->rh", family.compliances, change)
    step = solve_matrix(found.by_x, -as_series(by_force).ravel() / family.length, family.scales(x, p))
    moved = step.reshape(-1, family.waves.width)
    moved = moved if family.direct else family.into @ moved
    total = change + np.einsum("lch,lc->lh", tangents, moved)
    below, _ = family.compliance.solve(family.s_at(p), np.eye(n), -(lines.along @ total).T[:, :, None])
    above = _beyond(family, answer, follower.force)
    whole = above + stretched(as_series(below[:, :, 0].T.copy()), last)
    return float(np.abs(whole @ wide.values_across).max(initial=0.0))


def _beyond(family: Balance, answer: Complex, force: Array) -> Array:
    """(n, width) series of what the forces beyond the balanced harmonics do; answer : (harmonics, n, lines)."""
    count, index = answer.shape[0], family.index
    spectrum = 2.0 / force.shape[1] * np.fft.rfft(force)[:, index + 1 : index + 1 + count].conj()
    pairs = np.zeros((family.problem.n, index + count + 1), dtype=complex)
    pairs[:, index:-1] = -np.einsum("hnl,lh->nh", answer, spectrum)
    return as_series(pairs)


def _aliasing(family: Balance, x: Array, p: float, found: Linearised) -> float:
    """[m or rad] how far twice as many samples would move the orbit."""
    finer = family.finer.residual(x, p)
    step = solve_matrix(found.by_x, found.residual - finer, family.scales(x, p))
    return float(np.abs(step.reshape(-1, family.waves.width) @ family.waves.values_across).max(initial=0.0))


def _by_half(family: Balance, x: Array, p: float, free: Complex) -> Accuracy:
    """Dry friction: an error that falls like 1/H is what half of the harmonics change."""
    half = family.harmonics // 2
    if half < 1:
        return Accuracy(float("nan"), float("nan"), ["no error estimate: one harmonic has no half to compare with"])
    fewer = family.changed(harmonics=half, width=2.0 * family.width, samples=None)
    start = stretched(x.reshape(-1, family.waves.width), fewer.index).ravel()
    try:
        other = fewer.solve(p, start)
    except NotConverged as problem:
        return Accuracy(float("nan"), float("nan"), [f"no error estimate: {problem}"])
    fewer.linearise(other.x, p)
    apart = as_series(free) - stretched(as_series(free_pairs(fewer, other.x, p)), family.index)
    error = CAUTION * float(np.abs(apart @ family.waves.values_across).max(initial=0.0))
    return Accuracy(error, float("nan"), [f"error: twice what {half} harmonics and a rounding twice as wide change"])
