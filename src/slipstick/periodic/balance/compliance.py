"""Compliance of the linear part at each harmonic: from forces on lines to deflections.

    G(s) = S (M s^2 + C s + K)^-1 B

From modes it costs a product of small matrices for a new frequency. Where there are no modes (massless coordinates, a
defective matrix) the equations are solved for each harmonic.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import lapack

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged

MODAL_RESIDUAL_REL = 1e-11  # of the terms of an equation: what an answer from modes may leave of it
FORCE_ROUNDING_REL = 1e-14  # the same of all forces together, in units in which every coordinate is as stiff
UNHELD_STIFFNESS_REL = 1e-13  # of the largest stiffness
MANY_COORDINATES = 60  # coordinates, from which on generalised eigenvalues take long
MAX_MASS_CONDITION = 1e6  # beyond it the inverse of a mass matrix spoils its modes
MODE_COUPLING_REL = 1e-10  # relative, of what couples modes through their damping


class LinearPart(NamedTuple):
    """M, C, K (n, n)."""

    mass: Array
    damping: Array
    stiffness: Array

    def stiffened(self, rows: Array, along: Array, stiffness: Array, damping: Array) -> LinearPart:
        """With springs and dampers (m,) on deflections (m, n), acting along (n, m)."""
        c, k = self.damping + (along * damping) @ rows, self.stiffness + (along * stiffness) @ rows
        return LinearPart(self.mass, c, k)

    def inertia_along(self, rows: Array, along: Array) -> Array:
        """(m,) the inertia that forces along some directions move; that of the whole where they move none."""
        inverse = np.linalg.pinv(self.mass, rcond=1e-12)
        seen = np.einsum("ij,jk,ki->i", rows, inverse, along)
        whole = float(np.trace(self.mass)) or 1.0
        return np.where(seen > 0.0, 1.0 / np.where(seen > 0.0, seen, 1.0), whole)


class Compliance(Protocol):
    """Solves (M s^2 + C s + K) q = right for several s at once."""

    def solve(self, s: Complex, rows: Array, right: Complex) -> tuple[Complex, Complex]:
        """(h, r, c) rows . q for s (h,) and right (h, n, c) or (n, c), and the derivative by s with right held."""
        ...

    def values(self, s: Complex, right: Complex) -> Complex:
        """(h, n, c) q alone."""
        ...


class ModalCompliance:
    """From modes: q = sum over k of shape_k (left_k . right) w_k(s), w_k = 1 / (a + b s + c s^2).

    free : (modes,) 1 for motions that nothing holds; they have no part in the mean.
    """

    def __init__(self, shapes: Array | Complex, left: Array | Complex, a: Complex, b: Complex, c: float) -> None:
        self.shapes, self.left = shapes, left
        self.a, self.b, self.c = a, b, c
        self.free = np.zeros(a.size)

    def solve(self, s: Complex, rows: Array, right: Complex) -> tuple[Complex, Complex]:
        seen, driven, w, t = rows @ self.shapes, self.left @ right, self.weights(s), s[:, None]
        slope = -(self.b + 2.0 * self.c * t) * w * w
        return seen @ (w[:, :, None] * driven), seen @ (slope[:, :, None] * driven)

    def values(self, s: Complex, right: Complex) -> Complex:
        return np.asarray(self.shapes @ (self.weights(s)[:, :, None] * (self.left @ right)), dtype=np.complex128)

    def weights(self, s: Complex) -> Complex:
        """(h, modes) w at exponents s (h,)."""
        t = s[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            w = 1.0 / (self.a + t * (self.b + self.c * t))
            w[(t == 0.0) & (self.free == 1.0)] = 0.0
        if not np.isfinite(w).all():
            raise NotConverged(
                "the linear part has an undamped resonance at a harmonic of this frequency; "
                "add damping, or change the frequency"
            )
        return np.asarray(w)


class DirectCompliance:
    """By solving the equations for each harmonic; ``anchor`` (n, n) holds at rest what nothing else does."""

    def __init__(self, part: LinearPart, anchor: Array) -> None:
        self.part, self.anchor = part, anchor

    def solve(self, s: Complex, rows: Array, right: Complex) -> tuple[Complex, Complex]:
        m, c, _ = self.part
        q = self.values(s, right)
        slope = -np.linalg.solve(self._matrix(s), (2.0 * s[:, None, None] * m + c) @ q)
        return np.asarray(rows @ q, dtype=np.complex128), np.asarray(rows @ slope, dtype=np.complex128)

    def values(self, s: Complex, right: Complex) -> Complex:
        try:
            found = np.linalg.solve(self._matrix(s), np.broadcast_to(right, (s.size, *right.shape[-2:])))
        except np.linalg.LinAlgError:
            raise NotConverged(
                "the linear part has an undamped resonance at a harmonic of this frequency; "
                "add damping, or change the frequency"
            ) from None
        return np.asarray(found, dtype=np.complex128)

    def _matrix(self, s: Complex) -> Complex:
        """(h, n, n)"""
        m, c, k = self.part
        t = s[:, None, None]
        return np.asarray(m * t * t + c * t + k + (t == 0.0) * self.anchor)


class UnheldMotions(NamedTuple):
    """motions, sums : (n, k) orthonormal motions that no stiffness holds, and sums of forces that it cannot take."""

    motions: Array
    sums: Array


def unheld_motions(stiffness: Array) -> UnheldMotions:
    """What a stiffness (n, n) does not hold."""
    left, values, right = np.linalg.svd(stiffness)
    loose = values <= UNHELD_STIFFNESS_REL * values.max(initial=0.0)
    return UnheldMotions(np.asarray(right[loose].T), np.asarray(left[:, loose]))


def compliance_of(part: LinearPart, scale: float, loose: UnheldMotions | None = None) -> Compliance:
    """The best way to solve with a linear part; scale : a frequency [rad/s] at which modes are put to the test.

    loose : what its stiffness does not hold, if that is known.
    """
    motions, sums = loose or unheld_motions(part.stiffness)
    for make in (_real_modes, _slow_modes, _complex_modes, _generalised_modes, _damped_modes):
        modal = _tested_modes(make, part, scale)
        if modal is None:
            continue
        if motions.shape[1]:  # as many modes as there are such motions are at rest
            modal.free[np.argsort(np.abs(modal.a))[: motions.shape[1]]] = 1.0
            if modal.c != 1.0:
                continue
        return modal
    size = float(np.abs(part.stiffness).max(initial=0.0)) or 1.0
    return DirectCompliance(part, size * sums @ motions.T)


def uncoupled_modes(part: LinearPart, scale: float) -> ModalCompliance | None:
    """Real modes that damping does not couple and that stiffness holds; None where there are none."""
    if unheld_motions(part.stiffness).motions.size:
        return None
    return _tested_modes(_real_modes, part, scale) or _tested_modes(_slow_modes, part, scale)


def _tested_modes(
    make: Callable[[LinearPart], ModalCompliance | None], part: LinearPart, scale: float
) -> ModalCompliance | None:
    """Modes that solve the equations; None where they do not, or where there are none."""
    try:
        modal = make(part)
    except np.linalg.LinAlgError:
        return None
    return modal if modal is not None and _holds(modal, part, scale) else None


def _least_of(stiffness: Array, damping: Array) -> float:
    """The same of single masses of one."""
    if not stiffness.size or stiffness.min() <= 1e-18 * np.abs(stiffness).max():
        return 0.0
    return float(min((0.5 * damping / np.sqrt(stiffness)).min(), 1.0))


def _holds(modal: ModalCompliance, part: LinearPart, scale: float) -> bool:
    """Whether what modes give solves the equations: what is left of each, by the sizes of its terms."""
    n = part.mass.shape[0]
    s: Complex = np.array([-0.37j, -1.0j, -2.9j, -7.3j], dtype=np.complex128) * scale
    right = _any_loads(n)
    try:
        found, _ = modal.solve(s, np.eye(n), right)
    except NotConverged:
        return False
    t = s[:, None, None]
    matrix = part.mass * t * t + part.damping * t + part.stiffness
    left = np.abs(matrix @ found - right)
    # what rounding leaves of equations in units in which every coordinate is as stiff: of a stiff one it may be more
    # than its own terms, but moves nothing
    size = np.sqrt(np.abs(part.stiffness.diagonal()) + scale**2 * np.abs(part.mass.diagonal()))[:, None]
    whole = FORCE_ROUNDING_REL * size * (size * np.abs(found)).max(axis=1, keepdims=True)
    return bool((left <= MODAL_RESIDUAL_REL * (np.abs(matrix) @ np.abs(found) + np.abs(right)) + whole).all())


@lru_cache(maxsize=8)
def _any_loads(n: int) -> Complex:
    """(n, 2) by which modes are put to the test."""
    return np.random.default_rng(0).standard_normal((n, 2)).astype(np.complex128)


def _is_symmetric(matrix: Array) -> bool:
    """But for rounding, of an element or of the largest."""
    other = matrix.T
    bearable = 1e-14 * np.abs(matrix).max(initial=0.0) + 1e-12 * np.abs(other)
    return bool((np.abs(matrix - other) <= bearable).all())


def _real_modes(part: LinearPart) -> ModalCompliance | None:
    """Modes of a symmetric part whose damping does not couple them."""
    m, c, k = part
    if not m.size or not all(map(_is_symmetric, part)):
        return None
    values, shapes, info = lapack.dsygvd(0.5 * (k + k.T), 0.5 * (m + m.T))
    return None if info else _uncoupled(values, shapes, c)


def _uncoupled(values: Array, shapes: Array, damping: Array) -> ModalCompliance | None:
    """From the squares of frequencies and shapes of unit mass, if damping does not couple them."""
    coupled = shapes.T @ damping @ shapes
    own = np.diag(coupled).copy()
    if np.abs(coupled - np.diag(own)).max(initial=0.0) > MODE_COUPLING_REL * np.abs(coupled).max(initial=0.0):
        return None
    return ModalCompliance(shapes, shapes.T, values.astype(np.complex128), own.astype(np.complex128), 1.0)


def accurate_slow_modes(part: LinearPart) -> tuple[Array, Array] | None:
    """Squares of frequencies and shapes of unit mass, to the last digits of the slowest of them.

    The usual way leaves rounding of the largest square in all of them: 1e-9 of the lowest of a beam condensed to twenty
    modes, whose squares go from 3e3 to 2e10. Here they are the values of M in units of K, of which the largest belong
    to the slowest; coordinates in units in which each has a stiffness of one.
    """
    m, k = part.mass, part.stiffness
    if not m.size or not (_is_symmetric(m) and _is_symmetric(k)) or not (k.diagonal() > 0.0).all():
        return None
    size = 1.0 / np.sqrt(k.diagonal())
    unit = np.outer(size, size)
    stiffness = 0.5 * (k + k.T) * unit
    if np.linalg.eigvalsh(stiffness)[0] <= UNHELD_STIFFNESS_REL:  # a free body: its mode would be one of rounding
        return None
    inverse, shapes, info = lapack.dsygvd(0.5 * (m + m.T) * unit, stiffness)
    if info or inverse[0] <= 0.0:
        return None
    order = np.arange(inverse.size)[::-1]
    return 1.0 / inverse[order], np.asarray((size[:, None] * shapes / np.sqrt(inverse))[:, order])


def _slow_modes(part: LinearPart) -> ModalCompliance | None:
    """The same modes from `accurate_slow_modes`."""
    found = accurate_slow_modes(part) if _is_symmetric(part.damping) else None
    return None if found is None else _uncoupled(*found, part.damping)


def _rate_unit(part: LinearPart) -> float:
    """[rad/s] unit in which mass and stiffness are alike, so that eigenvectors have displacements and rates of one
    size."""
    return float(np.sqrt((np.abs(part.stiffness).max() or 1.0) / (np.abs(part.mass).max() or 1.0)))


def _complex_modes(part: LinearPart) -> ModalCompliance | None:
    """Modes of displacement and rate together, for any damping and unsymmetric matrices, by the inverse of the mass:
    an eighth of the time of `_generalised_modes`, but up to twice its rounding, so that few coordinates do without."""
    from scipy.linalg import eig

    n, unit = part.mass.shape[0], _rate_unit(part)
    if n < MANY_COORDINATES or np.linalg.cond(part.mass) > MAX_MASS_CONDITION:
        return None
    solved = np.linalg.solve(part.mass, np.hstack([part.stiffness / unit, part.damping]))
    a = np.block([[np.zeros((n, n)), unit * np.eye(n)], [-solved[:, :n], -solved[:, n:]]])
    values, left, right = eig(a, left=True, right=True)
    left = left.conj().T
    size = np.sum(left * right.T, axis=1)
    acting = np.linalg.solve(part.mass.T, left[:, n:].T).T / unit
    return ModalCompliance(
        right[:n], acting, np.asarray(-values * size, dtype=np.complex128), np.asarray(size, dtype=np.complex128), 0.0
    )


def _generalised_modes(part: LinearPart) -> ModalCompliance | None:
    """The same modes, for mass matrices that are all but singular."""
    from scipy.linalg import eig

    m, c, k = part
    n, unit = m.shape[0], _rate_unit(part)
    zero, one = np.zeros((n, n)), np.eye(n)
    a = np.block([[zero, unit * one], [-k, -unit * c]])
    e = np.block([[one, zero], [zero, unit * m]])
    _, left, right = eig(a, e, left=True, right=True)
    left = left.conj().T
    above, below = np.sum((left @ a) * right.T, axis=1), np.sum((left @ e) * right.T, axis=1)
    return ModalCompliance(right[:n], left[:, n:], -above, below, 0.0)


def _damped_modes(part: LinearPart) -> ModalCompliance | None:
    """Modes of displacement and rate together, for any damping of symmetric matrices, found from those without damping:
    what is stiff has its own unknowns there, and leaves no rounding in the rest."""
    found = accurate_slow_modes(part)
    if found is None:
        return None
    from scipy.linalg import eig

    squares, shapes = found
    own, n = np.sqrt(squares), squares.size
    # of the energies of each: frequency times displacement, and rate
    a = np.block([[np.zeros((n, n)), np.diag(own)], [-np.diag(own), -shapes.T @ part.damping @ shapes]])
    values, left, right = eig(a, left=True, right=True)
    left = left.conj().T
    size = np.sum(left * right.T, axis=1)
    return ModalCompliance(
        shapes @ (right[:n] / own[:, None]), left[:, n:] @ shapes.T,
        np.asarray(-values * size, dtype=np.complex128), np.asarray(size, dtype=np.complex128), 0.0,
    )  # fmt: skip


def least_damping(part: LinearPart, known: Compliance | None = None) -> float:
    """The smallest damping ratio of its modes: 0 for one that rests or swings for ever, below 0 for one that grows.

    known : its compliance, from whose modes the ratio is had at once where they are real.
    """
    if isinstance(known, ModalCompliance) and known.c == 1.0:
        return _least_of(known.a.real, known.b.real)
    m, c, k = part
    n = m.shape[0]
    try:
        if np.linalg.cond(m) > 1e12:
            return 0.0
        inverse = np.linalg.inv(m)
    except np.linalg.LinAlgError:
        return 0.0
    a = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ k, -inverse @ c]])
    values = np.linalg.eigvals(a)
    size = np.abs(values)
    if not size.size or size.min() <= 1e-9 * size.max():
        return 0.0
    return float((-values.real / size).min())
