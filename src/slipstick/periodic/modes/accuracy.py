"""How wrong frequency and damping of a nonlinear mode are: estimates of first order.

What is left of the equation of motion in time are the harmonics of the forces beyond those that are balanced. Through
the linear part, with laws at the mean of their tangents, they are displacements that the motion lacks; the forces at a
motion that has them act back on the harmonics that are balanced, and on frequency and damping. Sampling is judged by
samples that lie between the others, as in `balance.accuracy`. Dry friction, which converges like 1/H, is judged by half
of the harmonics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.periodic.balance.accuracy import ERROR_SAFETY, EXTRA_HARMONICS_FACTOR, MOTION_ROUNDING_REL
from slipstick.periodic.balance.fourier_series import as_pairs, as_series, fourier_grid, resized_series
from slipstick.periodic.continuation.corrector import newton_at, scale_of
from slipstick.periodic.continuation.corrector import solve_scaled as solve_matrix
from slipstick.periodic.continuation.family import Linearisation
from slipstick.periodic.modes.mode_motion import ModeMotion

if TYPE_CHECKING:
    from slipstick.periodic.modes.mode_family import ModeFamily

NEWTON_ROUNDS = 2  # of Newton's method with the harmonics that lack: one leaves out how they change each other
HALF_HARMONICS_FACTOR = 4.0  # times what half of the harmonics change: it came out between 0.1 and 2.7 times the error
# of the frequency: an estimate of first order that is larger says only that the equations are singular
MAX_ESTIMATE_REL = 1.0
FOLD_MESSAGE = "no error estimate at a fold over the amplitude (internal resonance); the points beside it have one"


class ModeAccuracy(NamedTuple):
    """frequency : [rad/s].   damping_ratio.   displacement : [m or rad], the largest.
    notes : how they were found where that is not the usual way, in words."""

    frequency: float
    damping_ratio: float
    displacement: float
    notes: tuple[str, ...] = ()


def mode_accuracy(family: ModeFamily, x: Array, p: float) -> ModeAccuracy:
    """The accuracy of the motion x."""
    a = family.amplitude(p) * family.moved_size
    rounding = np.array([MOTION_ROUNDING_REL * family.linear.frequency, MOTION_ROUNDING_REL, MOTION_ROUNDING_REL * a])
    if not family.balance.lines.count:
        return _figures(rounding)
    if family.balance.lines.rounds:
        return _by_half(family, x, p)
    motion = family.motion(x, p)
    equations = family.at(x, p, motion)
    lacking = _missing_harmonics(family, x, p, equations, motion)
    found = ERROR_SAFETY * (lacking + _aliasing(family, x, p, equations, motion)) + rounding
    if np.isnan(found[0]):
        return _figures(found, "no error estimate: there are no samples for harmonics beyond those balanced")
    if not found[0] <= MAX_ESTIMATE_REL * float(x[-2]) * family.linear.frequency:
        return _figures(np.full(3, np.nan), FOLD_MESSAGE)
    return _figures(found)


def _figures(found: Array, *notes: str) -> ModeAccuracy:
    return ModeAccuracy(float(found[0]), float(found[1]), float(found[2]), notes)


def _missing_harmonics(family: ModeFamily, x: Array, p: float, equations: Linearisation, motion: ModeMotion) -> Array:
    """(3,) what the harmonics beyond those balanced do to frequency, damping ratio and displacements.

    Two rounds of Newton's method with its first matrix; what the second one changes is added to all of it.
    """
    last = min(family.balance.waves.samples // 2 - 1, EXTRA_HARMONICS_FACTOR * family.balance.index)
    if last <= family.balance.index:
        return np.full(3, np.nan)
    wide, scales = fourier_grid(last, family.balance.waves.samples), family.scales(x, p)
    figures, at, now = [np.zeros(3)], x, motion
    for _ in range(NEWTON_ROUNDS):
        high = _beyond(family, at, p, last)
        now = family.motion(at, p, extra=(family.balance.lines.rows @ high, wide))
        step = solve_matrix(equations.by_x, -family.residual(at, now, p), scales)
        moved = now.z + family.motion_change(x, p, motion, step) - motion.z
        at = at + step
        whole = high + resized_series(as_series(family.free_pairs(moved)), last)
        size = np.abs(wide.values_of(whole)).max(initial=0.0)
        figures.append(np.append((at - x)[-2:] * [family.linear.frequency, 1.0], size))
    return np.asarray(np.abs(figures[-1]) + np.abs(figures[-1] - figures[-2]))


def _beyond(family: ModeFamily, x: Array, p: float, last: int) -> Array:
    """(n, width) series of the displacements beyond the balanced harmonics, of the forces that were followed last."""
    _, _, omega, _ = family.split(x, p)
    balance, follower, index = family.balance, family.balance.follower, family.balance.index
    n = balance.problem.n
    by_u, _, by_rate = follower.tangents()
    tangents = np.array([by_u.mean(axis=1), by_rate.mean(axis=1)])
    solver = family.elimination.beyond(np.arange(index + 1.0, last + 1.0), tangents)
    solver.tune(omega, 0.0)
    spectrum = 2.0 / balance.waves.samples * np.fft.rfft(follower.force)[:, index + 1 : last + 1].conj()
    right = np.zeros((last - index, n + 1, 1), dtype=complex)
    right[:, :n, 0] = -spectrum.T @ family.along.T
    pairs = np.zeros((n, last + 1), dtype=complex)
    pairs[:, index:-1] = family.free_pairs(solver.solve(right)[:, :, 0])
    return as_series(pairs)


def _aliasing(family: ModeFamily, x: Array, p: float, equations: Linearisation, motion: ModeMotion) -> Array:
    """(3,) how samples that lie between the others would move frequency, damping ratio and displacements."""
    y, _, omega, _ = family.split(x, p)
    balance = family.balance
    series = as_pairs(balance.deflections_of(y) + balance.offsets)
    figures = [np.zeros(3)]
    for later, follower in balance.shifted:
        turn = np.exp(2j * np.pi * later / balance.waves.samples * balance.waves.orders)
        samples = balance.waves.motion_of(as_series(series * turn.conj()))
        _, forces = follower.forces_along(samples[None], np.array([omega]))
        step, moved = _response_to_forces(family, x, p, equations, motion, as_pairs(forces[0]) * turn - motion.forces)
        size = np.abs(balance.waves.values_of(moved)).max(initial=0.0)
        figures.append(np.append(step, size))
    return np.asarray(np.max(figures, axis=0))


def _response_to_forces(
    family: ModeFamily, x: Array, p: float, equations: Linearisation, before: ModeMotion, change: Complex
) -> tuple[Array, Array]:
    """(2,) how a change of forces (m, H+1) moves frequency and damping ratio, and (n, width) the displacements."""
    m = family.balance.lines.count
    change[:, 0] = before.decaying.of(change[:, 0])
    direct = -(before.answers[:, :, :m] @ change.T[:, :, None])[:, :, 0]
    shifted = before._replace(z=before.z + direct)
    residual = family.residual(x, shifted, p) - equations.residual
    step = solve_matrix(equations.by_x, -residual, family.scales(x, p))
    moved = family.free_pairs(direct + family.motion_change(x, p, before, step))
    return np.abs(step[-2:] * [family.linear.frequency, 1.0]), as_series(moved)


def _by_half(family: ModeFamily, x: Array, p: float) -> ModeAccuracy:
    """Dry friction: a few times what half of the harmonics, and a rounding twice as wide, change."""
    half = family.balance.harmonics // 2
    nothing = np.full(3, np.nan)
    if half < 1:
        return _figures(nothing, "no error estimate: it compares with half the harmonics, and there is only one")
    fewer = family.changed(half)
    z = np.append(family.stretched(x, fewer), p)
    try:
        other = newton_at(fewer, z, p, scale_of(fewer, z, 1.0))
    except NotConverged as problem:
        return _figures(nothing, problem.message.wrapped(f"no error estimate: with {half} harmonics "))
    mine, theirs = (as_series(f.free_pairs(f.motion(v, p).z)) for f, v in ((family, x), (fewer, other.x)))
    apart = np.abs(family.balance.waves.values_of(mine - resized_series(theirs, family.balance.index))).max()
    frequency, damping = family.linear.frequency * abs(other.x[-2] - x[-2]), abs(other.x[-1] - x[-1])
    words = f"error: {HALF_HARMONICS_FACTOR:g} times what {half} harmonics and a rounding twice as wide change"
    return _figures(HALF_HARMONICS_FACTOR * np.array([frequency, damping, apart]), words)
