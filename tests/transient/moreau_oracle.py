"""Moreau's time stepping for rigid contacts with friction, each step one linear complementarity problem by Lemke.

Written for tests: dense matrices, impulses in place of forces, Newton's restitution, no events. First order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Touch(NamedTuple):
    """A contact: rows of its tangential and normal deflection, normal deflection <= gap."""

    t: Array
    n: Array
    friction: float
    gap: float
    restitution: float


@dataclass
class Body:
    """M q'' + C q' + K q = load(t) less the forces of contacts."""

    mass: Array
    damping: Array
    stiffness: Array
    load: Callable[[float], Array]
    contacts: list[Touch]


def march(body: Body, q: Array, v: Array, until: float, steps: int) -> tuple[Array, Array, Array]:
    """(steps + 1, n) displacements, (n,) the last velocity and (contacts, 2) the last impulses over the step."""
    h = until / steps
    m, c, k = body.mass, body.damping, body.stiffness
    inverse = np.linalg.inv(m + 0.5 * h * c + 0.25 * h * h * k)
    q, v = q.copy(), v.copy()
    path = [q.copy()]
    impulses = np.zeros((len(body.contacts), 2))
    for step in range(steps):
        middle = q + 0.5 * h * v
        push = body.load((step + 0.5) * h) - c @ v - k @ (q + 0.5 * h * v)
        free = v + h * inverse @ push
        active = [i for i, own in enumerate(body.contacts) if own.n @ middle >= own.gap]
        impulses[:] = 0.0
        if active:
            found = solve([body.contacts[i] for i in active], inverse, free, v)
            for i, (tangential, normal) in zip(active, found, strict=True):
                own = body.contacts[i]
                free = free - inverse @ (own.t * tangential + own.n * normal)
                impulses[i] = tangential, normal
        v = free
        q = middle + 0.5 * h * v
        path.append(q.copy())
    return np.array(path), v, impulses / h


def solve(contacts: list[Touch], inverse: Array, free: Array, before: Array) -> list[tuple[float, float]]:
    """Impulses (tangential, normal) of active contacts; z = (normal, up, down, slip speed) of each."""
    count = len(contacts)
    n, t = (np.array([getattr(c, name) for c in contacts]) for name in ("n", "t"))
    mu = np.diag([c.friction for c in contacts])
    one, zero = np.eye(count), np.zeros((count, count))
    gnn, gnt, gtn, gtt = n @ inverse @ n.T, n @ inverse @ t.T, t @ inverse @ n.T, t @ inverse @ t.T
    matrix = np.block([[gnn, gnt, -gnt, zero], [gtn, gtt, -gtt, one], [-gtn, -gtt, gtt, one], [mu, -one, -one, zero]])
    bounce = np.array([c.restitution * max(float(c.n @ before), 0.0) for c in contacts])
    right = np.concatenate([-(n @ free) - bounce, -(t @ free), t @ free, np.zeros(count)])
    if (right[:count] >= 0.0).all():  # all contacts leave
        return [(0.0, 0.0)] * count
    z = lemke(matrix, right)
    return [(float(z[count + i] - z[2 * count + i]), float(z[i])) for i in range(count)]


def lemke(matrix: Array, q: Array) -> Array:
    """z >= 0 with w = matrix z + q >= 0 and w z = 0, by Lemke's pivoting; raises if rays end it."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        try:
            return pivoted(matrix, q, rng.uniform(0.5, 1.5, q.size))
        except ArithmeticError:
            continue
    raise ArithmeticError("no solution found")


def pivoted(matrix: Array, q: Array, cover: Array) -> Array:
    """The same with one column ``cover`` of the artificial variable."""
    size = q.size
    if (q >= 0.0).all():
        return np.zeros(size)
    table = np.hstack([np.eye(size), -matrix, -cover[:, None], q[:, None]])
    basis = list(range(size))  # 0..size-1: w, size..2 size - 1: z, 2 size: the artificial one
    row, entering = int(np.argmin(q / cover)), 2 * size
    for _ in range(200 * size):
        table[row] /= table[row, entering]
        for i in range(size):
            if i != row:
                table[i] -= table[i, entering] * table[row]
        leaving, basis[row] = basis[row], entering
        if leaving == 2 * size:
            z = np.zeros(2 * size + 1)
            z[basis] = table[:, -1]
            return z[size : 2 * size]
        entering = leaving + size if leaving < size else leaving - size
        column = table[:, entering]
        able = np.flatnonzero(column > 1e-12)
        if not able.size:
            raise ArithmeticError("ray: no solution")
        ratios = table[able, -1] / column[able]
        tied = able[ratios <= ratios.min() + 1e-14]
        artificial = [i for i in tied if basis[i] == 2 * size]
        row = int(artificial[0] if artificial else tied[int(np.argmax(column[tied]))])
    raise ArithmeticError("Lemke did not end")
