"""Second order to first order: z' = A z + B f, x = Q z + D f, for mass matrices that may be singular.

A regular mass gives z = (x, x'). Directions without inertia are sorted by damping and stiffness: damped ones creep, and
their displacement alone is a state; sprung ones follow the others at once; the rest stay where they are, as they would
with the least friction, and must not be loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slipstick.arrays import Array

SINGULAR_REL = 1e-12
CANCELLATION_REL = 1e-14  # of the sizes of terms: rounding
CERTAIN_FACTOR = 1e3  # times that: certainly not rounding


class UndeterminedDirection(Exception):
    """A direction without inertia that nothing determines. ``direction`` : (p,)."""

    def __init__(self, direction: Array) -> None:
        super().__init__("a direction without inertia is not determined")
        self.direction = direction


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """matrix : (k, k) A;   force : (k, p) B;   to_q : (p, k) Q;   feed : (p, p) D.

    from_x, from_rate : (k, p) z from x and x'.   loose : (p, l) directions without damping and stiffness.
    inverse : (p, p) of the mass matrix, where there is mass.
    weight : (k,) scales that make the entries of z comparable, where the spaces below have to be found.
    rigid : right and left spaces of the eigenvalue zero, from the null spaces of K and of K with C; None: find them.
    """

    matrix: Array
    force: Array
    to_q: Array
    feed: Array
    from_x: Array
    from_rate: Array
    loose: Array
    inverse: Array
    weight: Array
    rigid: tuple[Array, Array] | None

    def zero_spaces(self) -> tuple[Array, Array]:
        """Right and left spaces of the eigenvalue zero, with their chains of length two."""
        if self.rigid is not None:
            return self.rigid
        k = self.matrix.shape[0]
        d = self.weight
        scaled = d[:, None] * self.matrix / d
        size = np.abs(scaled).max(initial=0.0)
        if size == 0.0:
            return np.eye(k), np.eye(k)
        if not _nullity(scaled / size):
            return np.zeros((k, 0)), np.zeros((0, k))
        u, s, vh = np.linalg.svd((scaled / size) @ (scaled / size))
        count = int(np.sum(s <= 1e-11 * max(s[0], 1e-300)))
        return vh[k - count :].T / d[:, None], u[:, k - count :].T * d


def _nullity(matrix: Array) -> int:
    s = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(s <= SINGULAR_REL * max(s[0], 1e-300)))


def first_order_form(mass: Array, damping: Array, stiffness: Array, regular: bool) -> FirstOrder:
    """The first-order system of M x'' + C x' + K x = f; regular: M can be inverted."""
    return _with_inertia(mass, damping, stiffness) if regular else _without_inertia(mass, damping, stiffness)


def _with_inertia(mass: Array, damping: Array, stiffness: Array) -> FirstOrder:
    """z = (x, x'), nothing to sort."""
    n = mass.shape[0]
    inverse: Array = np.asarray(np.linalg.inv(mass), dtype=float)
    matrix = np.zeros((2 * n, 2 * n))
    matrix[:n, n:] = np.eye(n)
    matrix[n:, :n], matrix[n:, n:] = -inverse @ stiffness, -inverse @ damping
    both = np.eye(2 * n)
    upper, lower = both[:, :n], both[:, n:]
    rigid = _rigid(mass, damping, stiffness, upper, lower)
    weight = _weight(mass, matrix, np.eye(n), 0) if rigid is None else np.ones(2 * n)
    feed, loose = np.zeros((n, n)), np.zeros((n, 0))
    return FirstOrder(matrix, lower @ inverse, upper.T, feed, upper, lower, loose, inverse, weight, rigid)


def _rigid(mass: Array, damping: Array, stiffness: Array, upper: Array, lower: Array) -> tuple[Array, Array] | None:
    """Right and left spaces of the eigenvalue zero; None where they do not match and have to be searched for."""
    still = null_space(stiffness)
    if not still.size:
        return np.zeros((upper.shape[0], 0)), np.zeros((0, upper.shape[0]))
    right = np.hstack([upper @ still, lower @ null_space(np.vstack([stiffness, damping]))])
    held, drifting = null_space(stiffness.T), null_space(np.vstack([stiffness.T, damping.T]))
    left = np.vstack([held.T @ (mass @ lower.T + damping @ upper.T), drifting.T @ mass @ upper.T])
    left = left[np.abs(left).max(axis=1, initial=0.0) > 0.0]
    return (right, left) if left.shape[0] == right.shape[1] else None


def _without_inertia(mass: Array, damping: Array, stiffness: Array) -> FirstOrder:
    heavy, light = _split(mass, np.eye(mass.shape[0]))
    creeping, still = _split(damping, light)
    sprung, loose = _split(stiffness, still)
    for matrix in (damping, stiffness):
        if loose.size and np.abs(matrix @ loose).max(initial=0.0) > SINGULAR_REL * np.abs(matrix).max(initial=1.0):
            raise UndeterminedDirection(loose[:, 0])
    if still.size and np.abs(damping @ still).max(initial=0.0) > SINGULAR_REL * np.abs(damping).max(initial=1.0):
        raise UndeterminedDirection(still[:, 0])
    h, p, s = heavy.shape[1], creeping.shape[1], loose.shape[1]
    back = np.linalg.inv(np.hstack([heavy, creeping, sprung, loose]))
    # sprung directions follow: r = S (f - K x without them), S = R (R' K R)^-1 R'
    follow = sprung @ np.linalg.inv(sprung.T @ stiffness @ sprung) @ sprung.T
    kept = np.eye(mass.shape[0]) - stiffness @ follow  # forces, less those of sprung directions
    free = np.hstack([heavy, creeping, loose])
    pull = kept @ stiffness @ free  # by displacements along these
    m_inv = np.linalg.inv(heavy.T @ mass @ heavy)
    c_inv = np.linalg.inv(creeping.T @ damping @ creeping)
    size = 2 * h + p + s
    matrix, force = np.zeros((size, size)), np.zeros((size, mass.shape[0]))
    at_x = np.r_[0:h, 2 * h : 2 * h + p, 2 * h + p : size]
    matrix[:h, h : 2 * h] = np.eye(h)
    creep = np.zeros((p, size))  # rate of the creeping directions
    creep[:, at_x] = -c_inv @ creeping.T @ pull
    creep[:, h : 2 * h] = -c_inv @ creeping.T @ damping @ heavy
    creep_force = c_inv @ creeping.T @ kept
    drag = heavy.T @ damping @ creeping
    matrix[h : 2 * h, at_x] = -m_inv @ heavy.T @ pull
    matrix[h : 2 * h, h : 2 * h] = -m_inv @ heavy.T @ damping @ heavy
    matrix[h : 2 * h] -= m_inv @ drag @ creep
    matrix[2 * h : 2 * h + p] = creep
    force[h : 2 * h] = m_inv @ (heavy.T @ kept - drag @ creep_force)
    force[2 * h : 2 * h + p] = creep_force
    to_q = np.zeros((mass.shape[0], size))
    to_q[:, at_x] = free - follow @ stiffness @ free
    from_x, from_rate = np.zeros((size, mass.shape[0])), np.zeros((size, mass.shape[0]))
    from_x[:h], from_rate[h : 2 * h] = back[:h], back[:h]
    from_x[2 * h : 2 * h + p] = back[h : h + p]
    from_x[2 * h + p :] = back[back.shape[0] - s :]
    rate = np.zeros((mass.shape[0], size))  # of the heavy directions
    rate[:, h : 2 * h] = heavy
    right = np.hstack([from_x @ null_space(stiffness), from_rate @ null_space(np.vstack([stiffness, damping]))])
    held, drifting = null_space(stiffness.T), null_space(np.vstack([stiffness.T, damping.T]))
    left = np.vstack([held.T @ (mass @ rate + damping @ to_q), drifting.T @ mass @ to_q])
    left, right = (
        left[np.abs(left).max(axis=1, initial=0.0) > 0.0],
        right[:, np.abs(right).max(axis=0, initial=0.0) > 0.0],
    )
    rigid = None if s or left.shape[0] != right.shape[1] else (right, left)
    weight = _weight(mass, matrix, heavy, p + s)
    inverse = heavy @ m_inv @ heavy.T
    return FirstOrder(matrix, force, to_q, follow, from_x, from_rate, loose, inverse, weight, rigid)


def null_space(matrix: Array) -> Array:
    """Null space, each column of the matrix scaled by its own size: inertias and stiffnesses may differ by powers of
    ten."""
    count = matrix.shape[1]
    if not count:
        return np.zeros((0, 0))
    scale = np.sqrt(np.abs(matrix).max(axis=0, initial=0.0))
    scale[scale == 0.0] = 1.0
    scaled = matrix / scale
    if _is_far_from_singular(scaled):
        return np.zeros((count, 0))
    _, sizes, vh = np.linalg.svd(scaled)
    rank = int(np.sum(sizes > SINGULAR_REL * max(float(sizes.max(initial=0.0)), 1e-300)))
    return np.asarray(vh[rank:].T / scale[:, None])


def _is_far_from_singular(matrix: Array) -> bool:
    """True for a square matrix that is certainly regular by its condition. This is quicker than singular values: the
    least over the largest is at least the reciprocal condition over the number of rows."""
    if matrix.shape[0] != matrix.shape[1]:
        return False
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return False
    condition = np.abs(matrix).sum(axis=0).max() * np.abs(inverse).sum(axis=0).max()
    return bool(condition * CERTAIN_FACTOR * SINGULAR_REL * matrix.shape[0] < 1.0)


def _split(matrix: Array, among: Array) -> tuple[Array, Array]:
    """Directions among the given ones in which a symmetric matrix acts, and the others; coordinates where possible."""
    own = among.T @ matrix @ among
    summed = np.abs(among).T @ np.abs(matrix) @ np.abs(among)
    own = np.where(
        np.abs(own) > CANCELLATION_REL * summed, own, 0.0
    )  # the rounding of a cancelling sum is no stiffness
    count = own.shape[0]
    size = np.abs(own).max(initial=0.0)
    if count == 0 or size == 0.0:
        return among[:, :0], among
    acts = np.abs(own).max(axis=1) > SINGULAR_REL * size
    block = own[np.ix_(acts, acts)]
    scale = np.sqrt(np.maximum(np.abs(np.diag(block)), SINGULAR_REL * size))
    values = np.linalg.svd(block / np.outer(scale, scale), compute_uv=False)
    rank = int(np.sum(values > 1e-11 * values[0]))
    if rank == values.size:
        return among[:, acts], among[:, ~acts]
    _, _, vh = np.linalg.svd(0.5 * (block + block.T))
    return among[:, acts] @ vh[:rank].T, np.hstack([among[:, ~acts], among[:, acts] @ vh[rank:].T])


def _weight(mass: Array, matrix: Array, heavy: Array, others: int) -> Array:
    """Scales of z: displacements and velocities compare through a frequency, inertias through their roots."""
    h = heavy.shape[1]
    root = np.sqrt(np.abs(np.diag(heavy.T @ mass @ heavy)))
    pulls = np.abs(matrix[h : 2 * h, :h]).max(initial=0.0) ** 0.5 + np.abs(matrix[h : 2 * h, h : 2 * h]).max(
        initial=0.0
    )
    pulls = pulls or 1.0
    middle = float(np.median(root)) if h else 1.0
    return np.concatenate([root * pulls, root, np.full(others, middle * pulls)])
