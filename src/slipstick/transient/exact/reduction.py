"""Second order to first order: z' = A z + B f, q = Q z, for mass matrices that may be singular.

A regular mass gives z = (x, x'). A massless direction that is damped is a state by its displacement alone; one that
is only sprung follows the others; one that nothing holds cannot be determined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SINGULAR = 1e-12


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """matrix : (k, k) A;   force : (k, p) B;   to_q : (p, k) x = to_q z (+ what forces give, for massless ones)
    weight : (k,) scales that make the entries of z comparable, for the condition of its modes.
    """

    matrix: Array
    force: Array
    to_q: Array
    weight: Array

    def from_motion(self, back: Array) -> Array:
        """(k, 2n) from coordinates and velocities to z, ``back`` taking coordinates to x."""
        p, n = back.shape
        both = np.zeros((2 * p, 2 * n))
        both[:p, :n], both[p:, n:] = back, back
        return both

    def zero_spaces(self) -> tuple[Array, Array]:
        """Right and left spaces of the eigenvalue zero, with their chains of length two."""
        k = self.matrix.shape[0]
        d = self.weight
        scaled = d[:, None] * self.matrix / d
        size = np.abs(scaled).max(initial=0.0)
        if size == 0.0:
            return np.eye(k), np.eye(k)
        once = _nullity(scaled / size)
        if not once:
            return np.zeros((k, 0)), np.zeros((0, k))
        twice = (scaled / size) @ (scaled / size)
        u, s, vh = np.linalg.svd(twice)
        count = int(np.sum(s <= 1e-11 * max(s[0], 1e-300)))
        right = vh[k - count :].T / d[:, None]
        left = u[:, k - count :].T * d
        return right, left


def _nullity(matrix: Array) -> int:
    s = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(s <= SINGULAR * max(s[0], 1e-300)))


def first_order(mass: Array, damping: Array, stiffness: Array) -> FirstOrder:
    """The first-order system of Mr x'' + Cr x' + Kr x = f."""
    p = mass.shape[0]
    if p == 0:
        empty = np.zeros((0, 0))
        return FirstOrder(empty, empty, empty, np.zeros(0))
    inverse = np.linalg.inv(mass)
    matrix = np.zeros((2 * p, 2 * p))
    matrix[:p, p:] = np.eye(p)
    matrix[p:, :p] = -inverse @ stiffness
    matrix[p:, p:] = -inverse @ damping
    force = np.vstack([np.zeros((p, p)), inverse])
    to_q = np.hstack([np.eye(p), np.zeros((p, p))])
    # displacements and velocities compare through a frequency; inertias through their roots
    root = np.sqrt(np.abs(np.diag(mass)))
    pulls = np.abs(inverse @ stiffness).max() ** 0.5 + np.abs(inverse @ damping).max()
    weight = np.concatenate([root * (pulls or 1.0), root])
    return FirstOrder(matrix, force, to_q, weight)
