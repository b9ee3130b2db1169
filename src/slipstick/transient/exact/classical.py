"""Eigenpairs of symmetric structures with many coordinates, from the shapes of M x'' + K x = 0.

Real shapes take a thirtieth of what eigenpairs of the first-order system take. Newton's method refines them, with
residuals that are free of cancellation (Ogita and Aishima, 2018, for X' M X = 1 and X' K X diagonal):

    E_ij = (X' K X - X' M X w_j^2)_ij / (w_j^2 - w_i^2),    E_jj = (1 - X' M X)_jj / 2,    X := X (1 + E).

Where X' C X is diagonal, all else is in closed form; where it is not, these are the start for `eigenpairs`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.model.modal_algebra import is_symmetric
from slipstick.model.quadratic_eigenproblem import proportional_eigenvalues
from slipstick.transient.accurate_products import accurate_product
from slipstick.transient.exact.eigenpairs import CONVERGED_CORRECTION, MAX_CORRECTION, Eigenpairs, refine_eigenpairs
from slipstick.transient.exact.first_order_form import null_space

Array = NDArray[np.float64]

MANY = 24  # coordinates: below, the first-order system takes next to nothing
MOST_ROUNDS = 6
NEAR = 1e-6  # of w^2: shapes that are not told apart, only made orthogonal
DIAGONAL = 1e-12  # of two modes' dampings, or of what their rates differ by: less does not couple them
COMPLETE = 1e-11  # of a displacement: what modes may lack of it
CRITICAL = 1e-6  # of an eigenvalue: how near that of its partner is at critical damping, too near for two modes


def classical_pairs(mass: Array, damping: Array, stiffness: Array, lost: Array) -> Eigenpairs | None:
    """Eigenpairs with y (2 l M + C) x = 1; None where matrices or modes are not of that kind.

    lost : what rounding took from the stiffness matrix.
    """
    if mass.shape[0] < MANY or not all(is_symmetric(matrix) for matrix in (mass, damping, stiffness)):
        return None
    if null_space(stiffness).size:
        return None
    undamped = _shapes(mass, stiffness, lost)
    if undamped is None:
        return None
    squares, shapes = undamped
    inner = shapes.T @ accurate_product(damping, shapes)
    own = np.diag(inner)
    # the rounding of an entry is that of the faster mode's force: the slower one's is the better of the two
    coupling = np.minimum(np.abs(inner), np.abs(inner.T)) - np.diag(np.abs(own))
    values, which = proportional_eigenvalues(squares, own)
    twice = 2.0 * values + own[which]
    if np.any(np.abs(twice) < CRITICAL * np.abs(values)):
        return None
    right = shapes[:, which].astype(complex)
    pairs = Eigenpairs(values, right, right.T / twice[:, None])
    speed = np.sqrt(squares)
    apart = np.abs(speed[:, None] - speed[None, :])
    if np.all(coupling <= DIAGONAL * np.maximum(apart, np.sqrt(np.abs(np.outer(own, own))))):
        return pairs
    found = refine_eigenpairs(mass, damping, stiffness, lost, pairs)
    return found if found is not None and _is_complete(found, mass, damping) else None


def _is_complete(pairs: Eigenpairs, mass: Array, damping: Array) -> bool:
    """True if modes add up to any displacement: where values are clustered, Newton's method may miss some."""
    values, right, left = pairs
    both = np.where(values.imag != 0.0, 2.0, 1.0)
    whole = ((right * both) @ (values[:, None] * (left @ mass) + left @ damping)).real
    weight = np.sqrt(np.diag(mass))
    return bool(np.abs((whole - np.eye(weight.size)) * weight[:, None] / weight).max() < COMPLETE)


def _shapes(mass: Array, stiffness: Array, lost: Array) -> tuple[Array, Array] | None:
    """(n,) w^2 and (n, n) shapes X with X' M X = 1; None if Newton's method does not settle, or w^2 <= 0."""
    from scipy.linalg import eigh

    try:
        squares, shapes = eigh(stiffness, mass)
    except np.linalg.LinAlgError:
        return None
    change = 1.0
    for _ in range(MOST_ROUNDS):
        forces = shapes.T @ (accurate_product(stiffness, shapes) + lost @ shapes)
        inertia = shapes.T @ accurate_product(mass, shapes)
        squares = np.diag(forces) / np.diag(inertia)
        apart = squares[None, :] - squares[:, None]
        near = np.abs(apart) <= NEAR * np.abs(squares)[None, :]
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
