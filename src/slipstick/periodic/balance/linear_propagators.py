"""Steps of the linear part under forces that go straight from their begin to their end, for many lengths at once.

In modes that damping does not couple they are closed forms, of every mode by itself. Else they are exponentials of one
matrix, which a stiff part makes long: its series is squared once for each power of two of the fastest rate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.balance.compliance import LinearPart, accurate_slow_modes

Array = NDArray[np.float64]

SMALL_NORM, SERIES_TERMS = 0.5, 14  # norm of a matrix whose exponential so many terms of its series give to rounding
# of the geometric mean of two modes' own: with n modes it changes no decay by more than n times that
COUPLING_REL = 1e-7
COUPLING_ROUNDING_REL = 1e-14  # the same of the largest one
SLOW_ROOT_REL = 1e-6  # of the fastest rate: where the slow root of a damped mode is below it, its closed form cancels


class LinearPropagator(NamedTuple):
    """Steps (P,) of a linear part with n coordinates and m lines.

    flow : (P, 2n, 2n) displacements and rates behind a step by those before.
    first, last : (P, 2n, m) what forces of the lines at its begin and at its end add, which resist.
    """

    flow: Array
    first: Array
    last: Array


def modal_form(part: LinearPart, rows: Array, along: Array) -> tuple[LinearPart, Array, Array]:
    """A linear part, deflections (m, n) and directions (n, m) of its lines, in its modes where it is symmetric."""
    found = accurate_slow_modes(part)
    if found is None:
        return part, rows, along
    squares, shapes = found
    damping = shapes.T @ part.damping @ shapes
    return LinearPart(np.eye(squares.size), damping, np.diag(squares)), rows @ shapes, shapes.T @ along


def linear_propagators(part: LinearPart, along: Array, h: Array) -> LinearPropagator:
    """Steps of lengths h (P,) [s]."""
    if _is_unit(part.mass) and _is_diagonal(part.stiffness) and _is_diagonal(part.damping):
        found = _by_modes(part.stiffness.diagonal(), part.damping.diagonal(), along, h)
        if found is not None:
            return found
    n, m = along.shape
    e = _flows(part, along, h)
    return LinearPropagator(e[:, :, : 2 * n], e[:, :, 2 * n : 2 * n + m], e[:, :, 2 * n + m :])


def _is_unit(matrix: Array) -> bool:
    return bool((matrix == np.eye(matrix.shape[0])).all())


def _is_diagonal(matrix: Array) -> bool:
    """But for what is nothing beside both of the entries that it couples."""
    own = np.abs(matrix.diagonal())
    beside = np.abs(matrix - np.diag(matrix.diagonal()))
    return bool(
        (beside <= COUPLING_REL * np.sqrt(np.outer(own, own)) + COUPLING_ROUNDING_REL * own.max(initial=0.0)).all()
    )


def _by_modes(square: Array, damping: Array, along: Array, h: Array) -> LinearPropagator | None:
    """In modes of unit mass; None where a mode is so slow beside its damping that the closed form would cancel."""
    n, t = along.shape[0], h[:, None]
    rate = np.sqrt(np.abs(square)) + np.abs(damping)
    short = rate * t < SMALL_NORM
    if not (short | (np.abs(square) * t > SLOW_ROOT_REL * rate)).all():
        return None
    half = 0.5 * damping
    cosine, sine = _free(square, half, t)
    stays = cosine + half * sine
    unit, long = np.where(square == 0.0, 1.0, square), np.where(short, 1.0, t)
    pushed = (1.0 - stays) / unit
    closed = pushed, (t - sine - damping * pushed) / (unit * long), pushed / long
    series = _by_series(square, damping, np.where(short, t, 0.0))
    pushed, ramp, ramp_rate = (np.where(short, *both) for both in zip(series, closed, strict=True))
    flow, at = np.zeros((h.size, 2 * n, 2 * n)), np.arange(n)
    flow[:, at, at], flow[:, at, n + at] = stays, sine
    flow[:, n + at, at], flow[:, n + at, n + at] = -square * sine, cosine - half * sine
    last = -np.concatenate([ramp[:, :, None] * along, ramp_rate[:, :, None] * along], axis=1)
    first = -np.concatenate([pushed[:, :, None] * along, sine[:, :, None] * along], axis=1) - last
    return LinearPropagator(flow, first, last)


def _free(square: Array, half: Array, t: Array) -> tuple[Array, Array]:
    """cos(root t) and sin(root t) / root times exp(-half t); of damped modes with cosh and sinh, neither of which is
    formed: one would overflow where the other makes it nothing."""
    beyond = half * half - square
    swings, root = beyond < 0.0, np.sqrt(np.abs(beyond))
    slow = -square / np.where(swings | (half + root == 0.0), 1.0, half + root)
    fade = np.exp(np.where(swings, -half, slow) * t)
    unit = np.where(root == 0.0, 1.0, root)
    apart = np.where(root == 0.0, t, -np.expm1(-2.0 * root * t) / (2.0 * unit))
    sine = fade * np.where(swings, t * np.sinc(root * t / np.pi), apart)
    cosine = fade * np.where(swings, np.cos(root * t), 0.5 * (1.0 + np.exp(-2.0 * root * t)))
    return cosine, sine


def _by_series(square: Array, damping: Array, t: Array) -> tuple[Array, Array, Array]:
    """Displacement behind a time t (P, n) under a force of one; displacement and rate under one that grows to one."""
    pushed, ramp, ramp_rate = 0.5 * t * t, t * t / 6.0, 0.5 * t
    before, own, power = np.zeros_like(damping), np.full_like(damping, 0.5), t
    for k in range(2, SERIES_TERMS + 2):
        before, own = own, -(k * damping * own + square * before) / ((k + 1) * k)
        power = power * t
        ramp_rate = ramp_rate + own * power
        pushed = pushed + own * power * t
        ramp = ramp + own * power * t / (k + 2)
    return pushed, ramp, ramp_rate


def _flows(part: LinearPart, along: Array, h: Array) -> Array:
    """(P, 2n, 2n + 2m) steps h (P,) of the linear part: state to state, and what forces at their begin and end add."""
    n, m = along.shape
    solved = np.linalg.solve(part.mass, np.concatenate([part.stiffness, part.damping, along], axis=1))
    # displacements in units in which stiffness is no larger than it must be: the series is the shorter for it
    unit = float(np.sqrt(np.abs(solved[:, :n]).sum(axis=1).max(initial=0.0))) or 1.0
    a = np.zeros((2 * n + 2 * m, 2 * n + 2 * m))
    a[:n, n : 2 * n] = unit * np.eye(n)
    a[n : 2 * n, : 2 * n + m] = -solved
    a[n : 2 * n, :n] /= unit
    rate = float(np.abs(a).sum(axis=1).max(initial=0.0)) or 1.0  # as quick as the rest
    a[2 * n : 2 * n + m, 2 * n + m :] = rate * np.eye(m)
    e = _exponentials(a, h)[:, : 2 * n]
    e[:, :n, n:] /= unit
    e[:, n:, :n] *= unit
    e[:, :, 2 * n + m :] /= np.where(h > 0.0, rate * h, 1.0)[:, None, None]
    e[:, :, 2 * n : 2 * n + m] -= e[:, :, 2 * n + m :]
    return e


def _exponentials(a: Array, h: Array) -> Array:
    """(P, k, k) of a matrix (k, k) times each h (P,): by the series of small parts of it, squared."""
    longest = float(np.abs(a).sum(axis=1).max(initial=0.0)) * float(h.max(initial=0.0))
    halvings = max(0, int(np.ceil(np.log2(max(longest, 1e-300) / SMALL_NORM))))
    unit = float(h.max(initial=0.0)) / 2.0**halvings or 1.0
    powers = np.empty((SERIES_TERMS + 1, *a.shape))
    powers[0] = np.eye(a.shape[0])
    for k in range(1, SERIES_TERMS + 1):
        powers[k] = powers[k - 1] @ a * (unit / k)
    weights = (h / (2.0**halvings * unit))[:, None] ** np.arange(SERIES_TERMS + 1)
    found = np.tensordot(weights, powers, 1)
    for _ in range(halvings):
        found = found @ found
    return np.asarray(found)
