"""Eigenvalues of M x'' + C x' + K x = 0, for matrices of any kind.

Massless directions are condensed first: a pencil with a singular mass has infinite eigenvalues in Jordan
blocks, which rounding turns into finite nonsense. Rigid modes are split off for the same reason.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.model import tolerances as tol
from slipstick.model.modal_algebra import (
    MACHINE_EPS,
    condense_statically,
    is_symmetric,
    split_mass,
    symmetric_part,
    zero_rigid_squares,
)


class EigenSolution(NamedTuple):
    """values : (modes,) eigenvalues, one of each conjugate pair.   shapes : (r, modes)."""

    values: Complex
    shapes: Complex
    notes: tuple[str, ...] = ()


def dense_modes(mass: Array, damping: Array, stiffness: Array) -> EigenSolution:
    """All modes of dense matrices."""
    if not is_symmetric(mass):
        return _solve_pencil(mass, damping, stiffness)
    y, z = split_mass(symmetric_part(mass))
    basis, heavy = np.hstack([y, z]), y.shape[1]
    c, k = basis.T @ damping @ basis, basis.T @ stiffness @ basis
    c[np.abs(c) < 100 * MACHINE_EPS * np.abs(c).max(initial=0.0)] = 0.0
    notes: tuple[str, ...] = ()
    if z.shape[1]:
        damped = _damped_massless_rotation(c, heavy)
        if damped is None:
            return _solve_pencil(mass, damping, stiffness)
        turn, light = damped
        basis, c, k = basis @ turn, turn.T @ c @ turn, turn.T @ k @ turn
        condensed = condense_statically(k, light)
        if not condensed.is_possible:
            return _solve_pencil(mass, damping, stiffness)
        k, c = condensed.matrix, c[:light, :light]
        basis = basis[:, :light] + basis[:, light:] @ condensed.follow
        notes = _massless_notes(z.shape[1], light - heavy, condensed.is_singular)
    if c.shape[0] > heavy or not (is_symmetric(k) and is_symmetric(c)):
        values, shapes = _solve_first_order(c, k, heavy)
    else:
        values, shapes = _solve_symmetric(symmetric_part(c), symmetric_part(k))
    return EigenSolution(values, basis @ shapes, notes)


def _massless_notes(count: int, damped: int, singular: bool) -> tuple[str, ...]:
    plural = "s" if count > 1 else ""
    words = f"{count} massless direction{plural} condensed: no mode of vibration of their own"
    if damped:
        words += f"; {damped} with a damper, which adds a real eigenvalue each"
    if singular:
        words += "; some are held by nothing and left at rest"
    return (words,)


def _damped_massless_rotation(c: Array, heavy: int) -> tuple[Array, int] | None:
    """A rotation that puts the undamped massless directions last, and the number of coordinates before them.

    None if damping couples such a direction to others all the same (damping that is not semi-definite).
    """
    inner = c[heavy:, heavy:]
    turn = np.eye(c.shape[0])
    left, values, _ = np.linalg.svd(inner)
    rank = int(np.sum(values > tol.RANK_REL * max(np.abs(c).max(initial=0.0), MACHINE_EPS)))
    turn[heavy:, heavy:] = left
    turned = turn.T @ c @ turn
    light = heavy + rank
    rest = max(np.abs(turned[light:]).max(initial=0.0), np.abs(turned[:, light:]).max(initial=0.0))
    return None if rest > tol.COUPLED_MASSLESS_REL * np.abs(c).max(initial=0.0) else (turn, light)


def _solve_symmetric(c: Array, k: Array) -> tuple[Complex, Complex]:
    """x'' + c x' + k x = 0 in the basis of undamped modes; in closed form where damping is proportional."""
    squares, vectors = np.linalg.eigh(k)
    squares = zero_rigid_squares(squares)
    modal = vectors.T @ c @ vectors
    size = np.abs(modal).max(initial=0.0)
    modal[np.abs(modal) <= 100 * MACHINE_EPS * size] = 0.0
    if np.abs(modal - np.diag(modal.diagonal())).max(initial=0.0) <= tol.PROPORTIONAL_DAMPING_REL * size:
        values, which = proportional_eigenvalues(squares, modal.diagonal())
        return values, vectors[:, which].astype(complex)
    # a rigid displacement has eigenvalue 0 and feeds nothing: leave it out of the state (w x, v), keep its rate
    flexible = np.flatnonzero(squares != 0.0)
    n, f = squares.size, flexible.size
    w = np.sqrt(np.abs(squares[flexible]))
    a = np.zeros((f + n, f + n))
    a[np.arange(f), f + flexible] = w
    a[f + flexible, np.arange(f)] = -squares[flexible] / w
    a[f:, f:] = -modal
    values, states = np.linalg.eig(a)
    values, states = _one_of_each_pair(values, states)
    values[np.abs(values) <= 1e3 * MACHINE_EPS * np.abs(a).max(initial=0.0)] = 0.0
    moving = values != 0.0
    # a rate v = lambda x, so shapes follow from rates, also those of damped rigid modes
    rigid = np.eye(n)[:, squares == 0.0]
    return (
        np.concatenate([np.zeros(rigid.shape[1]), values[moving]]),
        vectors @ np.hstack([rigid, states[f:, moving] / values[moving]]),
    )


def proportional_eigenvalues(squares: Array, damping: Array) -> tuple[Complex, NDArray[np.intp]]:
    """Eigenvalues of x'' + d x' + w^2 x = 0, and the mode each belongs to: one of a pair, both if real."""
    values: list[complex] = []
    which: list[int] = []
    for i, (square, d) in enumerate(zip(squares.tolist(), damping.tolist(), strict=True)):
        inside = square - 0.25 * d * d
        if inside > 0.0:
            found: list[complex] = [complex(-0.5 * d, inside**0.5)]
        elif square == 0.0 and d == 0.0:
            found = [0.0]
        else:
            far = -0.5 * d - np.copysign((-inside) ** 0.5, d)
            found = [square / far, far]  # their product is w^2: no cancellation
        values += found
        which += [i] * len(found)
    return np.array(values, dtype=complex), np.array(which, dtype=np.intp)


def _solve_first_order(c: Array, k: Array, heavy: int) -> tuple[Complex, Complex]:
    """Coordinates from ``heavy`` on have dampers but no mass: state (y, y', z), y' = v, v' = -.., z' = -.."""
    n = k.shape[0]
    light = n - heavy
    eye, zero = np.eye(heavy), np.zeros((heavy, light))
    coupling = c[:heavy, heavy:]
    inner = np.linalg.inv(c[heavy:, heavy:]) if light else np.zeros((0, 0))
    rates = np.hstack([-inner @ k[heavy:, :heavy], -inner @ c[heavy:, :heavy], -inner @ k[heavy:, heavy:]])
    pull = np.hstack([-k[:heavy, :heavy], -c[:heavy, :heavy], -k[:heavy, heavy:]]) - coupling @ rates
    a = np.vstack([np.hstack([np.zeros((heavy, heavy)), eye, zero]), pull, rates])
    values, states = np.linalg.eig(a)
    values, states = _one_of_each_pair(values.astype(complex), states.astype(complex))
    shapes = np.vstack([states[:heavy], states[2 * heavy :]])
    return _without_zero_pairs(values, shapes)


def _solve_pencil(mass: Array, damping: Array, stiffness: Array) -> EigenSolution:
    """The general case: QZ on the first-order pencil, in scaled time; infinite eigenvalues dropped."""
    from scipy.linalg import eig

    n = mass.shape[0]
    scale = np.sqrt(max(np.abs(stiffness).max(), MACHINE_EPS) / max(np.abs(mass).max(), MACHINE_EPS))
    eye, zero = np.eye(n), np.zeros((n, n))
    size = max(np.abs(stiffness).max(), np.abs(mass).max() * scale**2, MACHINE_EPS)
    a = np.block([[zero, eye], [-stiffness / size, -damping * scale / size]])
    b = np.block([[eye, zero], [zero, mass * scale**2 / size]])
    (alpha, beta), states = eig(a, b, homogeneous_eigvals=True)
    finite = np.abs(beta) * tol.INFINITE_EIGENVALUE_REL > np.abs(alpha)
    values, states = _one_of_each_pair(alpha[finite] / beta[finite] * scale, states[:, finite])
    values, shapes = _without_zero_pairs(values, states[:n])
    dropped = int((~finite).sum())
    return EigenSolution(
        values, shapes, (f"{dropped} infinite eigenvalues dropped (massless directions)",) if dropped else ()
    )


def sparse_modes(mass: Any, damping: Any, stiffness: Any, count: int) -> EigenSolution:
    """The ``count`` modes of smallest |lambda| of large sparse matrices, by shift and invert."""
    from scipy.sparse.linalg import ArpackError, eigsh

    start = np.random.default_rng(0).standard_normal(mass.shape[0])  # the same answer every time
    try:
        if not (is_symmetric(stiffness) and is_symmetric(damping) and is_symmetric(mass)):
            return _solve_sparse_pencil(mass, damping, stiffness, count)
        shift = -tol.RIGID_SHIFT_REL * _largest_square(mass, stiffness)
        squares, shapes = eigsh(stiffness.tocsc(), count, M=mass.tocsc(), sigma=shift, v0=start)
        squares = np.where(np.abs(squares) <= 10.0 * abs(shift) * 1e-3, 0.0, squares)
        side = damping @ shapes
        modal = shapes.T @ side
        apart = np.abs(side - mass @ (shapes @ modal)).max() + np.abs(modal - np.diag(modal.diagonal())).max()
        # of a fine mesh the terms of C q cancel, and leave their rounding: rigid modes are not damped by it
        terms = 100.0 * MACHINE_EPS * (abs(damping) @ np.abs(shapes))
        own = modal.diagonal().copy()
        own[np.abs(own) <= np.einsum("ij,ij->j", np.abs(shapes), terms)] = 0.0
        if apart > tol.PROPORTIONAL_SPARSE_DAMPING_REL * max(np.abs(side).max(), np.abs(modal).max()) + terms.max():
            return _solve_sparse_pencil(mass, damping, stiffness, count)
    except ArpackError as problem:
        raise NotConverged(f"the {count} lowest modes were not found ({problem}); ask for another count") from None
    values, which = proportional_eigenvalues(squares, own)
    return EigenSolution(values, shapes[:, which].astype(complex))


def _solve_sparse_pencil(mass: Any, damping: Any, stiffness: Any, count: int) -> EigenSolution:
    from scipy.sparse import block_array, eye_array
    from scipy.sparse.linalg import eigs

    n = mass.shape[0]
    scale = np.sqrt(_largest_square(mass, stiffness))
    eye = eye_array(n)
    a = block_array([[None, eye], [-stiffness / scale**2, -damping / scale]], format="csc")
    b = block_array([[eye, None], [None, mass]], format="csc")
    start = np.random.default_rng(0).standard_normal(2 * n)
    wanted = min(2 * count + 2, 2 * n - 2)
    values, states = eigs(a, wanted, M=b, sigma=1e-5, v0=start)
    values, states = _one_of_each_pair(values * scale, states, dust=tol.REAL_SPARSE_EIGENVALUE_REL)
    values, shapes = _without_zero_pairs(values, states[:n])
    order = np.argsort(np.abs(values), kind="stable")[:count]
    return EigenSolution(values[order], shapes[:, order])


def _largest_square(mass: Any, stiffness: Any) -> float:
    """The largest k_ii/m_ii: the size of the highest w^2."""
    m, k = mass.diagonal(), np.abs(stiffness.diagonal())
    heavy = m > 0.0
    return float(max((k[heavy] / m[heavy]).max(initial=0.0), MACHINE_EPS))


def _one_of_each_pair(
    values: Complex, states: Complex, dust: float = tol.REAL_EIGENVALUE_REL
) -> tuple[Complex, Complex]:
    """One of each conjugate pair: that with the positive imaginary part. Dust in real ones removed."""
    values = np.where(np.abs(values.imag) <= dust * np.abs(values), values.real + 0j, values)
    keep = values.imag >= 0.0
    return values[keep], states[:, keep].astype(complex)


def _without_zero_pairs(values: Complex, shapes: Complex) -> tuple[Complex, Complex]:
    """Eigenvalues that are zero to rounding, set to zero; each rigid mode counts once, not as a pair."""
    small = np.abs(values) <= tol.RIGID_EIGENVALUE_REL * np.abs(values).max(initial=0.0)
    if not small.any():
        return values, shapes
    left, sizes, _ = np.linalg.svd(shapes[:, small], full_matrices=False)
    rigid = left[:, sizes > 1e-3 * sizes.max()]
    return (
        np.concatenate([np.zeros(rigid.shape[1]), values[~small]]),
        np.hstack([rigid, shapes[:, ~small]]),
    )
