"""The interior of a large linear part with its interface held: static deflections, lowest modes, residual shapes.

Of K_ii, M_ii (symmetric; K_ii positive definite, M_ii may have massless directions) and columns K_ik to the border.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.model import tolerances as tol

# of a positive definite matrix: an order for its own pattern, a third less fill than the default for any matrix
SYMMETRIC_FACTORS: dict[str, Any] = {
    "permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True},
}  # fmt: skip
MAX_DENSE_INTERIOR = 200  # coordinates up to which all modes are computed, densely


class Interior:
    """names : of the coordinates.   stiffness, mass : (n, n)   across : (n, kept), sparse."""

    def __init__(self, names: Sequence[str], stiffness: Any, mass: Any, across: Any) -> None:
        self.names, self.stiffness, self.mass, self.across = names, stiffness, mass, across

    @cached_property
    def _factors(self) -> Any:
        """Of the stiffness, scaled to a unit diagonal, so that pivots do not depend on units."""
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import splu

        diagonal = self.stiffness.diagonal()
        if (diagonal <= 0.0).any():
            i = int(np.argmin(diagonal))
            if diagonal[i] < 0.0:
                raise InvalidInput(
                    f'the stiffness of "{self.names[i]}" must be >= 0, got {diagonal[i]:.4g}; keep it', owner="condense"
                ).about("keep")
            raise self._loose(i)
        self._scale = 1.0 / np.sqrt(diagonal)
        own = diags_array(self._scale)
        try:
            return splu((own @ self.stiffness @ own).tocsc(), **SYMMETRIC_FACTORS)
        except RuntimeError:
            raise self._loose(None) from None

    def solve(self, right: Array) -> Array:
        """(n, k) displacements under forces (n, k), the border held."""
        factors = self._factors
        return np.asarray(self._scale[:, None] * factors.solve(self._scale[:, None] * right))

    def check(self) -> None:
        """Refuse an interior that can move while its border is held, or whose stiffness is not positive."""
        factors = self._factors
        z = np.random.default_rng(0).standard_normal(self.stiffness.shape[0])
        with np.errstate(all="ignore"):
            for _ in range(3):  # towards the softest shape
                z = factors.solve(z / np.abs(z).max())
        if not np.isfinite(z).all():
            raise self._loose(None)
        z *= self._scale
        terms = abs(self.stiffness) @ np.abs(z)
        energy, size = float(z @ (self.stiffness @ z)), float(np.abs(z) @ terms)
        if abs(energy) <= tol.RIGID_ENERGY_REL * size:
            raise self._loose(int(np.argmax(np.abs(z))))
        if energy < 0.0:
            raise InvalidInput(
                "the stiffness must be positive where the kept coordinates are held, and a deflection about "
                f'"{self.names[int(np.argmax(np.abs(z)))]}" is pushed away; keep more coordinates',
                owner="condense",
            ).about("keep")

    def _loose(self, worst: int | None) -> InvalidInput:
        such = "" if worst is None else f', such as "{self.names[worst]}"'
        return InvalidInput(
            f"the condensed part can move freely while all kept coordinates are held; keep one more{such}",
            owner="condense",
        ).about("keep")

    @cached_property
    def static(self) -> Array:
        """(n, kept) displacements for a unit displacement of each kept coordinate."""
        if self.across.shape[1] == 0:
            return np.zeros(self.across.shape)
        return -self.solve(self.across.toarray())

    def modes(self, count: int) -> tuple[Array, Array]:
        """Frequencies [rad/s] and shapes (n, modes) of at least the requested lowest modes, Phi' M Phi = 1; fewer where
        the rest has no mass."""
        n = self.stiffness.shape[0]
        heavy = np.flatnonzero(abs(self.mass).sum(axis=1))
        if heavy.size <= MAX_DENSE_INTERIOR or 2 * count > heavy.size:
            return self._all_modes(heavy)
        from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

        inverse = LinearOperator((n, n), matvec=lambda b: self.solve(np.reshape(b, (-1, 1)))[:, 0])
        begin = np.random.default_rng(0).standard_normal(n)  # the same modes every time
        try:
            squares, shapes = eigsh(
                self.stiffness, min(count, n - 1), self.mass, sigma=0.0, which="LM", OPinv=inverse, v0=begin
            )
        except ArpackError:  # there are fewer modes than that: the mass of many coordinates moves as one
            return self._all_modes(heavy)
        if (
            not (squares > 0.0).all() or tol.MASSLESS_SPARSE_MODE_REL * squares.max() > squares.min()
        ):  # the same, as rounding has it
            return self._all_modes(heavy)
        order = np.argsort(squares)
        return np.sqrt(squares[order]), shapes[:, order]

    def _all_modes(self, heavy: NDArray[np.intp]) -> tuple[Array, Array]:
        """By L' K^-1 L v = mu v, M = L L', mu = 1/w^2: all modes there are, from coordinates that have mass."""
        own = np.zeros((self.stiffness.shape[0], heavy.size))
        own[heavy, np.arange(heavy.size)] = 1.0
        size = np.sqrt(np.abs(self.mass.diagonal()[heavy]))  # units of coordinates may differ
        size = np.where(size > 0.0, size, 1.0)
        masses, vectors = np.linalg.eigh(self.mass[heavy][:, heavy].toarray() / np.outer(size, size))
        solid = masses > tol.MASSLESS_MODE_REL * masses.max(initial=0.0)
        forces = own @ (size[:, None] * vectors[:, solid] * np.sqrt(masses[solid]))
        moved = self.solve(forces) if forces.size else forces
        inverse, vectors = np.linalg.eigh(forces.T @ moved)
        keep = np.flatnonzero(inverse > tol.MASSLESS_MODE_REL * inverse.max(initial=0.0))[::-1]
        return self._positive(1.0 / inverse[keep]), moved @ (vectors[:, keep] / inverse[keep])

    @staticmethod
    def _positive(squares: Array) -> Array:
        if squares.size and not squares.min() > 0.0:
            raise InvalidInput(
                f"a mode of the condensed part has w^2 = {squares.min():.2g}, which must be > 0; check mass and "
                "stiffness, or keep more coordinates",
                owner="condense",
            ).about("keep")
        return np.sqrt(squares)

    def lacking(self, forces: Array, deflections: Array, modes: Array) -> ResidualShapes:
        """Shapes that modes lack of static deflections under forces (n, c) and of deflections (n, d).

        modes : (n, m) with Phi' M Phi = 1.
        """
        whole = np.hstack([self.solve(forces) if forces.size else forces, deflections])
        rest = whole - modes @ (modes.T @ (self.mass @ whole))
        energy, of = (np.einsum("ij,ij->j", x, self.stiffness @ x) for x in (rest, whole))
        own = energy > tol.RESIDUAL_ENERGY_REL * of
        rest = rest[:, own] / np.sqrt(energy[own])
        values, vectors = np.linalg.eigh(rest.T @ (self.stiffness @ rest))
        apart = values > tol.DEPENDENT_COLUMNS_REL
        rest = rest @ (vectors[:, apart] / np.sqrt(values[apart]))
        inverse, vectors = np.linalg.eigh(rest.T @ (self.mass @ rest))
        heavy = np.flatnonzero(inverse > tol.MASSLESS_MODE_REL * self._slowest(modes))[::-1]
        return ResidualShapes(rest @ (vectors[:, heavy] / np.sqrt(inverse[heavy])), 1.0 / np.sqrt(inverse[heavy]))

    def _slowest(self, modes: Array) -> float:
        """The largest M over K of modes."""
        energy, mass = (np.einsum("ij,ij->j", modes, matrix @ modes) for matrix in (self.stiffness, self.mass))
        return float((mass / energy).max(initial=0.0))


class ResidualShapes(NamedTuple):
    """Shapes beside modes that are known.   shapes : (n, k) with Y' M Y = 1, Y' K Y diagonal.   frequencies : (k,)"""

    shapes: Array
    frequencies: Array


def interior_of(given: Any, kept: Sequence[str]) -> Interior:
    """The inside of matrices by name, all of which is not kept; ``across`` are the columns of the kept, in order."""
    k_at, i_at = partition_indices(given.names, kept)
    stiffness, across = interior_blocks(given.stiffness, k_at, i_at)
    mass, _ = interior_blocks(given.mass, k_at, i_at)
    return Interior([given.names[i] for i in i_at], stiffness, mass, across)


def partition_indices(names: Sequence[str], kept: Sequence[str]) -> tuple[list[int], list[int]]:
    """Numbers of the kept ones, in their order, and of the others."""
    place, held = {name: i for i, name in enumerate(names)}, frozenset(kept)
    return [place[name] for name in kept], [i for i, name in enumerate(names) if name not in held]


def interior_blocks(matrix: Any, k_at: list[int], i_at: list[int]) -> tuple[Any, Any]:
    """(inside, inside) and (inside, kept), sparse."""
    from scipy.sparse import csc_array, csr_array

    rows = csc_array(csr_array(matrix)[i_at])
    return rows[:, i_at], rows[:, k_at]
