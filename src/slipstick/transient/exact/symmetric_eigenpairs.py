"""Eigenpairs of symmetric structures with many coordinates, from the shapes X of M x'' + K x = 0.

Real shapes take a thirtieth of the time of eigenpairs of the first-order system. Newton's method refines them, with
residuals that are free of cancellation (Ogita and Aishima, 2018, for X' M X = 1 and X' K X diagonal):

    E_ij = (X' K X - X' M X w_j^2)_ij / (w_j^2 - w_i^2),    E_jj = (1 - X' M X)_jj / 2,    X := X (1 + E).

Where X' C X is diagonal, eigenvalues have a closed form. Elsewhere it is the start of Newton's method in coordinates of
the shapes, x = X z. Nothing cancels in its residuals, however fine the mesh is:

    R_j = (w^2 + l_j X' C X + l_j^2) z_j,    E_ij = -z_i' R_j / (s_i (l_j - l_i)),    s_j = z_j' (2 l_j + X' C X) z_j.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex
from slipstick.model.modal_algebra import is_symmetric
from slipstick.model.quadratic_eigenproblem import proportional_eigenvalues
from slipstick.transient.accurate_products import accurate_product
from slipstick.transient.exact.eigenpairs import CONVERGED_CORRECTION, MAX_CORRECTION, Eigenpairs
from slipstick.transient.exact.first_order_form import null_space

EPS = float(np.finfo(float).eps)
MIN_COORDINATES = 24  # with fewer, eigenpairs of the first-order system cost little
MAX_SHAPE_ROUNDS = 6
MAX_DAMPED_ROUNDS = 8
NEAR_SQUARES_REL = 1e-6  # of w^2: shapes that are only made orthogonal, as their order is arbitrary to rounding
MAX_COUPLING_REL = 1e-12  # of the dampings of two modes, or of their distance: less does not couple them
MAX_DAMPED_CORRECTION = 1.0  # of a vector: above it Newton's method diverges
LAST_DAMPED_CORRECTION = 1e-7  # of a vector: convergence is quadratic, so this correction is the last
NEAR_VALUES_REL = 1e-9  # of an eigenvalue: closer ones do not correct its vector
CLUSTER_REL = 1e-3  # of an eigenvalue: vectors of closer ones are made orthogonal, as the division by their distance
# costs digits; under damping b K the values of fast modes approach -1/b
CLUSTER_ROUNDS = 3  # enough for vectors that overlap by 1e-2
MAX_INCOMPLETE = 1e-11  # of a displacement: the part that modes may lack
CRITICAL_REL = 1e-6  # of an eigenvalue: distance to its partner at critical damping, too small for two modes


def classical_pairs(mass: Array, damping: Array, stiffness: Array, lost: Array) -> Eigenpairs | None:
    """Eigenpairs with y (2 l M + C) x = 1; None if the matrices or modes do not allow this method.

    lost : rounding error of the stiffness matrix.
    """
    if mass.shape[0] < MIN_COORDINATES or not all(is_symmetric(matrix) for matrix in (mass, damping, stiffness)):
        return None
    if null_space(stiffness).size:
        return None
    undamped = _shapes(mass, stiffness, lost)
    if undamped is None:
        return None
    squares, shapes = undamped
    inner = shapes.T @ accurate_product(damping, shapes)
    # the rounding of an entry is that of its column's forces: the column of the slower mode is the better of the two
    inner = np.tril(inner) + np.tril(inner, -1).T
    own = np.diag(inner)
    values, which = proportional_eigenvalues(squares, own)
    if np.any(np.abs(2.0 * values + own[which]) < CRITICAL_REL * np.abs(values)):
        return None
    if not _is_coupled(inner, np.sqrt(squares), np.abs(shapes).T @ np.abs(damping) @ np.abs(shapes)):
        right = shapes[:, which].astype(complex)
        return Eigenpairs(values, right, right.T / (2.0 * values + own[which])[:, None])
    return _damped_pairs(squares, inner, shapes, values, which)


def _is_coupled(inner: Array, speed: Array, summed: Array) -> bool:
    """True if the damping matrix in coordinates of the shapes has entries beside its diagonal.

    summed : the sums of absolute terms of its entries, in proportion to rounding of the damping matrix.
    """
    own = np.diag(inner)
    small = np.maximum(np.abs(speed[:, None] - speed), np.sqrt(np.abs(np.outer(own, own))))
    allowed = np.maximum(MAX_COUPLING_REL * small, EPS * summed)
    return bool(np.any(np.abs(inner - np.diag(own)) > allowed))


def _damped_pairs(
    squares: Array, inner: Array, shapes: Array, values: Complex, which: NDArray[np.intp]
) -> Eigenpairs | None:
    """Eigenpairs by Newton's method from those of the diagonal; None where that fails.

    squares : (n,) w^2.   inner : (n, n) X' C X.   values, which : (r,) eigenvalues and their shapes.
    """
    paired = values.imag != 0.0
    z = np.zeros((squares.size, values.size), complex)
    z[which, np.arange(values.size)] = 1.0
    for _ in range(MAX_DAMPED_ROUNDS):
        forces, sizes = _damping_forces(inner, values, z)
        residual = (squares[:, None] + values**2) * z + values * forces
        turn, other = _products((z / sizes).T, residual)
        change = -np.diag(turn)
        turn = _divided(turn, values[:, None] - values, values)
        other[paired] = _divided(other[paired], values.conj()[paired, None] - values, values)
        other[~paired] = 0.0
        values = values + np.where(paired, change, change.real)
        most = float(max(np.abs(turn).max(), np.abs(other).max()))
        if not most < MAX_DAMPED_CORRECTION:
            return None
        z = z + z @ turn + z.conj()[:, paired] @ other[paired]
        if most < LAST_DAMPED_CORRECTION:
            break
    else:
        return None
    z = _orthogonal_clusters(inner, values, z)
    forces, sizes = _damping_forces(inner, values, z)
    left = (z / sizes).T
    # all modes must add up to any displacement
    whole = ((z * np.where(paired, 2.0, 1.0)) @ (values[:, None] * left + (forces / sizes).T)).real
    if not np.abs(whole - np.eye(squares.size)).max() < MAX_INCOMPLETE:
        return None
    right = shapes @ z
    return Eigenpairs(values, right, (right / sizes).T)


def _orthogonal_clusters(inner: Array, values: Complex, z: Complex) -> Complex:
    """Vectors with z_i' (l_i + l_j + X' C X) z_j = 0 also where eigenvalues are close to each other."""
    near = np.abs(values[:, None] - values) < CLUSTER_REL * np.abs(values)
    np.fill_diagonal(near, False)
    members = near.any(axis=0)
    near, own, part = near[np.ix_(members, members)], values[members], z[:, members]
    for _ in range(CLUSTER_ROUNDS):
        forces, sizes = _damping_forces(inner, own, part)
        scaled = (part / sizes).T
        overlap = scaled @ forces + (own[:, None] + own) * (scaled @ part)
        part = part - part @ np.where(near, 0.5 * overlap, 0.0)
    z[:, members] = part
    return z


def _damping_forces(inner: Array, values: Complex, z: Complex) -> tuple[Complex, Complex]:
    """(n, r) X' C X z and (r,) the sizes s."""
    forces = inner @ z.real + 1j * (inner @ z.imag)
    return forces, 2.0 * values * np.sum(z * z, axis=0) + np.sum(z * forces, axis=0)


def _products(left: Complex, right: Complex) -> tuple[Complex, Complex]:
    """left right and conj(left) right, from four real products."""
    (a, b), (c, d) = ((part @ right.real, part @ right.imag) for part in (left.real, left.imag))
    return (a - d) + 1j * (b + c), (a + d) + 1j * (b - c)


def _divided(products: Complex, apart: Complex, values: Complex) -> Complex:
    """Products over the distances of eigenvalues; zero where eigenvalues coincide."""
    near = np.abs(apart) < NEAR_VALUES_REL * np.abs(values)
    return np.where(near, 0.0, products / np.where(near, 1.0, apart))


def _shapes(mass: Array, stiffness: Array, lost: Array) -> tuple[Array, Array] | None:
    """(n,) w^2, increasing, and (n, n) shapes X with X' M X = 1; None if Newton's method fails, or w^2 <= 0."""
    from scipy.linalg import eigh

    try:
        squares, shapes = eigh(stiffness, mass)
    except np.linalg.LinAlgError:
        return None
    change = 1.0
    for _ in range(MAX_SHAPE_ROUNDS):
        forces = shapes.T @ (accurate_product(stiffness, shapes) + lost @ shapes)
        inertia = shapes.T @ accurate_product(mass, shapes)
        squares = np.diag(forces) / np.diag(inertia)
        apart = squares[None, :] - squares[:, None]
        near = np.abs(apart) <= NEAR_SQUARES_REL * np.abs(squares)[None, :]
        turn = (forces - inertia * squares) / np.where(near, 1.0, apart)
        turn = np.where(near, 0.5 * (np.eye(squares.size) - inertia), turn)
        before, change = change, float(np.abs(turn).max())
        if not change < MAX_CORRECTION:
            return None
        shapes = shapes + shapes @ turn
        if change < CONVERGED_CORRECTION or change > 0.5 * before:
            break
    alike = np.count_nonzero(near) > squares.size
    return None if alike or squares.min() <= 0.0 else (squares, shapes)
