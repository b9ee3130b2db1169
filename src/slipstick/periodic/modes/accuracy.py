"""How wrong frequency and damping of a nonlinear mode are: estimates of first order.

What is left of the equation of motion in time are the harmonics of the forces beyond those that are balanced. Through
the linear part, with laws at the mean of their tangents, they are displacements that the motion lacks; the forces at a
motion that has them act back on the harmonics that are balanced, and on frequency and damping. Sampling is judged by
four times as many samples. Dry friction, which converges like 1/H, is judged by half of the harmonics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.balance.accuracy import BEYOND, CAUTION, NOISE
from slipstick.periodic.balance.waves import as_series, stretched, waves
from slipstick.periodic.corrector import newton_at, scale_of
from slipstick.periodic.corrector import solve as solve_matrix
from slipstick.periodic.family import Linearised
from slipstick.periodic.modes.family import Motion

if TYPE_CHECKING:
    from slipstick.periodic.modes.family import ModeFamily

OF_HALF = 4.0  # times what half of the harmonics change: it came out between 0.1 and 2.7 times the error

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]


class ModeAccuracy(NamedTuple):
    """frequency : [rad/s].   damping_ratio.   displacement : [m or rad], the largest.
    notes : how they were found where that is not the usual way, in words."""

    frequency: float
    damping_ratio: float
    displacement: float
    notes: tuple[str, ...] = ()


def accuracy(family: ModeFamily, x: Array, p: float) -> ModeAccuracy:
    """The accuracy of the motion x."""
    a = family.amplitude(p) * family.moved_size
    rounding = np.array([NOISE * family.linear.frequency, NOISE, NOISE * a])
    if not family.balance.lines.count:
        return _figures(rounding)
    if family.balance.lines.rounds:
        return _by_half(family, x, p)
    motion = family.motion(x, p)
    equations = family.at(x, p, motion)
    aliasing = _aliasing(family, x, p, equations)
    found = CAUTION * (_lacking(family, x, p, equations, motion) + aliasing) + rounding
    if np.isnan(found[0]):
        return _figures(found, "no error estimate: there are no samples for harmonics beyond those balanced")
    return _figures(found)


def _figures(found: Array, *notes: str) -> ModeAccuracy:
    return ModeAccuracy(float(found[0]), float(found[1]), float(found[2]), notes)


def _lacking(family: ModeFamily, x: Array, p: float, equations: Linearised, motion: Motion) -> Array:
    """(3,) what the harmonics beyond those balanced do to frequency, damping ratio and displacements."""
    y, _, omega, _ = family.split(x, p)
    balance, follower, index = family.balance, family.balance.follower, family.balance.index
    n = balance.problem.n
    last = min(balance.waves.samples // 2 - 1, BEYOND * index)
    if last <= index:
        return np.full(3, np.nan)
    by_u, _, by_rate = follower.tangents()
    solver = family.elimination.beyond(
        np.arange(index + 1.0, last + 1.0), np.array([by_u.mean(axis=1), by_rate.mean(axis=1)])
    )
    solver.tune(omega, 0.0)
    spectrum = 2.0 / balance.waves.samples * np.fft.rfft(follower.force)[:, index + 1 : last + 1].conj()
    right = np.zeros((last - index, n + 1, 1), dtype=complex)
    right[:, :n, 0] = -spectrum.T @ family.along.T
    pairs = np.zeros((n, last + 1), dtype=complex)
    pairs[:, index:-1] = family.free_pairs(solver.solve(right)[:, :, 0])
    high, wide = as_series(pairs), waves(last, balance.waves.samples)
    balance.follow(y, omega, extra=(balance.lines.rows @ high, wide))
    change = follower.harmonics_of_forces().view(complex) - motion.forces
    step, moved = _answered(family, x, p, equations, motion, change)
    whole = high + stretched(moved, last)
    return np.append(step, np.abs(whole @ wide.values_across).max(initial=0.0))


def _answered(
    family: ModeFamily, x: Array, p: float, equations: Linearised, before: Motion, change: Complex
) -> tuple[Array, Array]:
    """(2,) how a change of forces (m, H+1) moves frequency and damping ratio, and (n, width) the displacements."""
    m = family.balance.lines.count
    direct = -(before.answers[:, :, :m] @ change.T[:, :, None])[:, :, 0]
    shifted = before._replace(z=before.z + direct)
    residual = family.residual(x, shifted, p) - equations.residual
    step = solve_matrix(equations.by_x, -residual, family.scales(x, p))
    moved = family.free_pairs(direct + family.moved_by(x, p, before, step))
    return np.abs(step[-2:] * [family.linear.frequency, 1.0]), as_series(moved)


def _aliasing(family: ModeFamily, x: Array, p: float, equations: Linearised) -> Array:
    """(3,) how four times as many samples, and Newton's next step, would move frequency, damping, displacements."""
    finer = family.finer
    step = solve_matrix(equations.by_x, -finer.residual(x, finer.motion(x, p), p), family.scales(x, p))
    y = family.amplitude(p) * family.moved_size * step[:-3].reshape(-1, family.balance.waves.width)
    size = np.abs(y @ family.balance.waves.values_across).max(initial=0.0)
    return np.append(np.abs(step[-2:] * [family.linear.frequency, 1.0]), size)


def _by_half(family: ModeFamily, x: Array, p: float) -> ModeAccuracy:
    """Dry friction: a few times what half of the harmonics, and a rounding twice as wide, change."""
    half = family.balance.harmonics // 2
    nothing = np.full(3, np.nan)
    if half < 1:
        return _figures(nothing, "no error estimate: one harmonic has no half to compare with")
    fewer = family.changed(half)
    z = np.append(family.stretched(x, fewer), p)
    try:
        other = newton_at(fewer, z, p, scale_of(fewer, z, 1.0))
    except NotConverged as problem:
        return _figures(nothing, f"no error estimate: with {half} harmonics {problem}")
    mine, theirs = (as_series(f.free_pairs(f.motion(v, p).z)) for f, v in ((family, x), (fewer, other.x)))
    apart = np.abs((mine - stretched(theirs, family.balance.index)) @ family.balance.waves.values_across).max()
    frequency, damping = family.linear.frequency * abs(other.x[-2] - x[-2]), abs(other.x[-1] - x[-1])
    words = f"error: {OF_HALF:g} times what {half} harmonics and a rounding twice as wide change"
    return _figures(OF_HALF * np.array([frequency, damping, apart]), words)
