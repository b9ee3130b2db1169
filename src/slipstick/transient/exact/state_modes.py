"""`StateModes`: eigenvalues and vectors of a first-order system, with zero eigenvalues separate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.model.modal_algebra import null_basis
from slipstick.transient.exact.first_order_form import FirstOrder

MAX_MODE_CONDITION = 1e6  # condition of a mode; above it the matrix is nearly defective and Taylor steps are used

ZERO_EIGENVALUE_REL = 1e-17  # of the fastest eigenvalue: a smaller one should have been split off

SUM_ROUNDING_REL = 1e-14  # of the sizes of terms: rounding

UNPULLED_REL = 1e-11  # the same, for the stiffness of zero modes: they come from a null space


class NoModalTable(Exception):
    """No usable table of modes for a state."""


def product_without_rounding(left: Array, matrix: Array, right: Array, small: float = SUM_ROUNDING_REL) -> Array:
    """left' matrix right with cancelling sums set to zero: the stiffness of a zero mode must be exactly zero."""
    exact = left.T @ matrix @ right
    size = np.abs(left).T @ np.abs(matrix) @ np.abs(right)
    return np.where(np.abs(exact) > small * size, exact, 0.0)


class StateModes(NamedTuple):
    """A z = X diag(values) L z + X0 N L0 z; of conjugate pairs one each.

    blur : change of values over the relative change of matrix entries.
    forces, zero_forces : projections of forces, L B and L0 B.
    """

    values: Complex
    blur: Array
    right: Complex
    left: Complex
    forces: Complex
    zero_right: Array
    zero_left: Array
    zero_forces: Array
    nilpotent: Array


def split_modes(system: FirstOrder) -> StateModes:
    """The eigenvalues and vectors of a first-order system, with zero eigenvalues separate."""
    a = system.matrix
    size = a.shape[0]
    if size == 0:
        empty = np.zeros((0, 0))
        none = empty.astype(complex)
        forces = np.zeros((0, system.force.shape[1]), complex)
        return StateModes(np.zeros(0, complex), np.zeros(0), none, none, forces, empty, empty, forces.real, empty)
    zero_right, zero_left = system.zero_spaces()
    z = zero_right.shape[1]
    inner = a
    if z:
        zero_left = np.asarray(np.linalg.solve(zero_left @ zero_right, zero_left), dtype=float)
        rest = null_basis(zero_left.T)  # the complement of the zero part: invariant
        inner = rest.T @ a @ rest
    found = np.linalg.eig(inner)
    values, vectors = found[0].astype(complex), found[1].astype(complex)
    scale = np.abs(values).max(initial=0.0)
    if values.size and np.abs(values).min() < ZERO_EIGENVALUE_REL * scale:
        raise NoModalTable("an eigenvalue that is almost zero")
    values, vectors, inverse = _refined(inner, values, vectors, _inverse(vectors))
    keep = values.imag >= 0.0
    blur = np.sum(np.abs(inverse) @ np.abs(inner) * np.abs(vectors.T), axis=1)
    nilpotent = np.zeros((0, 0))
    if z:
        vectors, inverse = rest @ vectors, inverse @ rest.T
        inverse = inverse - inverse @ zero_right @ zero_left
        nilpotent = product_without_rounding(zero_left.T, a, zero_right, UNPULLED_REL)
    values, vectors, left = values[keep], vectors[:, keep], inverse[keep]
    pushed = left @ system.force, zero_left @ system.force
    return StateModes(values, blur[keep], vectors, left, pushed[0], zero_right, zero_left, pushed[1], nilpotent)


def _inverse(vectors: Complex) -> Complex:
    """The inverse of the eigenvectors; nearly dependent ones are refused: then l x = 1 is a sum of large terms.

    These terms do not depend on the units of coordinates, nor on the distance of eigenvalues.
    """
    inverse = np.asarray(np.linalg.inv(vectors), dtype=complex)
    if not np.abs(inverse * vectors.T).sum(axis=1).max(initial=1.0) < MAX_MODE_CONDITION:
        raise NoModalTable("the modes are close to dependent")
    return inverse


def _refined(matrix: Array, values: Complex, vectors: Complex, inverse: Complex) -> tuple[Complex, Complex, Complex]:
    """Eigenvalues and vectors after one refinement of first order: slow modes beside fast ones gain digits.

    With R = X^-1 A X, values are its diagonal and X is improved by 1 + E, E_ij = R_ij / (l_j - l_i).
    """
    inner = inverse @ matrix @ vectors
    better = np.where(values.imag == 0.0, np.diag(inner).real, np.diag(inner))
    apart = better[None, :] - better[:, None]
    near = np.abs(apart) < 1e-6 * np.abs(better)[None, :]
    turn = np.where(near, 0.0, inner) / np.where(near, 1.0, apart)
    vectors = vectors + vectors @ turn
    inverse = inverse - turn @ inverse
    return better, vectors, inverse + inverse @ (np.eye(values.size) - vectors @ inverse)
