"""Linear algebra of modes: constraints, massless directions, undamped modes.

Eliminations are by basis: q = N x with N' b = 0 for a constraint b' q = 0; q = Y y + Z z with
Y' M Y = 1 and M Z = 0 for a mass matrix that is singular.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.model import tolerances as tol

MACHINE_EPS = float(np.finfo(float).eps)


def null_basis(columns: Any) -> Any:
    """(n, n - rank) orthonormal basis of all q with columns' q = 0; sparse where ``columns`` is.

    Columns may depend on each other. Coordinates that no column touches keep a unit vector of their own.
    """
    sparse = hasattr(columns, "toarray")
    n = columns.shape[0]
    entries = abs(columns).sum(axis=1) if columns.shape[1] else np.zeros(n)
    touched = np.flatnonzero(np.asarray(entries).ravel())
    rest = np.setdiff1d(np.arange(n), touched)
    rows = columns.tocsr()[touched].toarray() if sparse else columns[touched]
    block = _dense_null_basis(np.asarray(rows, dtype=float))
    if not sparse:
        basis = np.zeros((n, rest.size + block.shape[1]))
        basis[rest, np.arange(rest.size)] = 1.0
        basis[np.ix_(touched, rest.size + np.arange(block.shape[1]))] = block
        return basis
    from scipy.sparse import csr_array

    i, j = np.nonzero(block)
    places = (np.concatenate([rest, touched[i]]), np.concatenate([np.arange(rest.size), rest.size + j]))
    values = np.concatenate([np.ones(rest.size), block[i, j]])
    return csr_array((values, places), shape=(n, rest.size + block.shape[1]))


def _dense_null_basis(columns: Array) -> Array:
    if columns.shape[1] == 0:
        return np.eye(columns.shape[0])
    # unit columns first: the rank must not depend on the units of a deflection
    size = np.linalg.norm(columns, axis=0)
    left, values, _ = np.linalg.svd(columns / np.where(size > 0.0, size, 1.0), full_matrices=True)
    rank = int(np.sum(values > tol.RANK_REL * values[0])) if values.size else 0
    return left[:, rank:]


class MassSplit(NamedTuple):
    """heavy : (n, h) with heavy' M heavy = 1.   light : (n, n - h) with M light = 0."""

    heavy: Array
    light: Array


def split_mass(mass: Array) -> MassSplit:
    """Directions with and without mass of a symmetric positive semi-definite matrix."""
    n = mass.shape[0]
    diagonal = mass.diagonal()
    # units may differ by many powers of ten, so only the square of rounding dust counts as no mass
    own = diagonal > 1e-26 * diagonal.max(initial=0.0)
    heavy, zero = np.flatnonzero(own), np.flatnonzero(~own)
    scale = 1.0 / np.sqrt(diagonal[heavy])
    values, vectors = np.linalg.eigh(mass[np.ix_(heavy, heavy)] * np.outer(scale, scale))
    solid = values > tol.ZERO_EIGENVALUE_REL
    scaled = scale[:, None] * vectors
    y, z = np.zeros((n, int(solid.sum()))), np.zeros((n, int((~solid).sum()) + zero.size))
    y[heavy] = scaled[:, solid] / np.sqrt(values[solid])
    z[heavy, : int((~solid).sum())] = scaled[:, ~solid]
    z[zero, int((~solid).sum()) + np.arange(zero.size)] = 1.0
    return MassSplit(y, z)


class CondensedMatrix(NamedTuple):
    """A matrix with some of its coordinates eliminated: those follow the others by ``follow``.

    is_singular : some eliminated direction is held by nothing.
    is_possible : no such direction is pulled by the others; it would constrain them instead.
    """

    matrix: Array
    follow: Array
    is_singular: bool
    is_possible: bool


def condense_statically(matrix: Array, keep: int) -> CondensedMatrix:
    """Static condensation of the coordinates from ``keep`` on: their rows of ``matrix`` x = 0.

    follow : (eliminated, keep). Directions in which nothing holds an eliminated coordinate are left at zero.
    """
    inner = matrix[keep:, keep:]
    if inner.size == 0:
        return CondensedMatrix(matrix, np.zeros((0, keep)), False, True)
    size = np.sqrt(np.abs(inner.diagonal()))
    size = np.where(size > 0.0, size, max(size.max(), 1.0))
    scaled = inner / np.outer(size, size)
    inverse = np.linalg.pinv(scaled, rcond=tol.RANK_REL) / np.outer(size, size)
    follow = -inverse @ matrix[keep:, :keep]
    rank = np.linalg.matrix_rank(scaled, tol=tol.RANK_REL * max(np.abs(scaled).max(), MACHINE_EPS))
    pull = matrix[keep:, :keep]
    left = np.abs(inner @ follow + pull).max(initial=0.0)
    condensed = matrix[:keep, :keep] + matrix[:keep, keep:] @ follow
    return CondensedMatrix(
        condensed, follow, rank < inner.shape[0], left <= tol.STATIC_RESIDUAL_REL * np.abs(pull).max(initial=0.0)
    )


def undamped_modes(mass: Array, stiffness: Array) -> tuple[Array, Array]:
    """w^2, ascending, and shapes (n, modes) with Phi' M Phi = 1, of a symmetric pair; massless directions follow."""
    y, z = split_mass(mass)
    basis = np.hstack([y, z])
    condensed = condense_statically(basis.T @ stiffness @ basis, y.shape[1])
    squares, vectors = np.linalg.eigh(symmetric_part(condensed.matrix))
    return zero_rigid_squares(squares), (y + z @ condensed.follow) @ vectors


def zero_rigid_squares(squares: Array) -> Array:
    """w^2 with rounding set to zero: below n eps of the largest it is a rigid mode."""
    dust = 10.0 * squares.size * MACHINE_EPS * np.abs(squares).max(initial=0.0)
    return np.where(np.abs(squares) <= dust, 0.0, squares)


def symmetric_part(matrix: Array) -> Array:
    return 0.5 * (matrix + matrix.T)


def is_symmetric(matrix: Any, tolerance: float = tol.SYMMETRY_REL) -> bool:
    """True if a matrix, dense or sparse, equals its transpose up to rounding."""
    if matrix.shape[0] == 0:
        return True
    return bool(abs(matrix - matrix.T).max() <= tolerance * abs(matrix).max())
