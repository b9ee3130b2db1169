"""The solver behind `equilibrium`: where the forces of `Statics` balance, nearest to the start.

For springs that harden or soften but never pull back, rest with friction is the minimum of a convex function,

    potential energy(q) + sum over contacts of F |u - u at the start|.

It is found by Rockafellar's proximal method of multipliers: each round adds a weak spring P to the last round's
position, so that directions which nothing holds stay where they are, and replaces each friction force by
sat(s + rho (u - u0), F), a stiff spring with a slider that starts from the last round's s. What is left is smooth
enough for Newton with a line search. Both additions vanish as the rounds converge, at a rate of about 1e-4 a round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from slipstick.model.assembly import Array
from slipstick.model.condense import EPS
from slipstick.model.statics import Statics

ROUNDS = 60
NEWTON_STEPS = 100
HALVINGS = 90
BALANCED = 1e-11  # of the largest force about
WEAK, WEAKEST = 1e-5, 1e-11  # the weak spring, over the local stiffness
STIFF = 1e4  # the stiff spring of a sticking contact, over the local stiffness


@dataclass(frozen=True, eq=False)
class Rest:
    """q : (n,) displacements.   friction, slopes : (m,).   drift : (n,) the last move, if it runs away."""

    q: Array
    friction: Array
    unbalanced: Array
    slopes: Array
    drift: Array | None = None


def rest(problem: Statics, limit: Array) -> Rest:
    """Balance all forces with friction limits ``limit`` (m,), starting from the start."""
    q, friction = problem.start.copy(), np.zeros_like(limit)
    stiff, weakness, last = contact_stiffness(problem), WEAK, np.inf
    for _ in range(ROUNDS):
        step = _Round(problem, limit, q, friction, stiff, _weak(problem, weakness))
        moved, slopes = step.solve(q)
        held = step.friction(moved)
        left = problem.unbalanced(moved, held)
        size = np.abs(left).max(initial=0.0)
        change = np.abs(held - friction).max(initial=0.0)
        drift, q, friction = moved - q, moved, held
        if _is_balanced(problem, q, friction, left) and change <= 1e-9 * problem.force_scale(q, friction):
            return Rest(q, friction, left, slopes)
        if size > 0.3 * last and change <= 1e-3 * size:
            if weakness <= WEAKEST:
                break
            weakness = max(1e-2 * weakness, WEAKEST)
        last = size
    return Rest(q, friction, left, slopes, drift)


def _is_balanced(problem: Statics, q: Array, friction: Array, left: Array) -> bool:
    allowed = BALANCED * problem.force_scale(q, friction) + 8.0 * EPS * problem.rounding(q, friction)
    return bool(np.all(np.abs(left) <= allowed))


def contact_stiffness(problem: Statics) -> Array:
    """(m,) the stiff spring of each contact: beyond the stiffness of every coordinate it touches."""
    b = problem.deflections.toarray() if hasattr(problem.deflections, "toarray") else problem.deflections
    square = b**2
    seen = np.divide(problem.steepest[:, None], square, out=np.zeros_like(square), where=square > 0.0)
    return np.asarray(STIFF * seen.max(axis=0, initial=0.0))


def _weak(problem: Statics, weakness: float) -> Any:
    """(n, n) the weak spring: proportional to mass, so that a free body keeps its centre of mass."""
    m, k = problem.mass.diagonal(), problem.steepest
    heavy = m > 0.0
    slowest = float((k[heavy] / m[heavy]).min(initial=np.inf))
    own = np.where(heavy, 0.0, weakness * k)
    if not np.isfinite(slowest):
        slowest = 0.0
    if hasattr(problem.mass, "toarray"):
        from scipy.sparse import diags_array

        return weakness * slowest * problem.mass + diags_array(own)
    return weakness * slowest * problem.mass + np.diag(own)


@dataclass(frozen=True, eq=False)
class _Round:
    """One round: the balance with the weak spring to ``centre`` and sliders that start from ``before``."""

    problem: Statics
    limit: Array
    centre: Array
    before: Array
    stiff: Array
    weak: Any

    def friction(self, q: Array) -> Array:
        return np.clip(self.before + self.stiff * self.problem.slid(q), -self.limit, self.limit)

    def unbalanced(self, q: Array) -> Array:
        return np.asarray(self.problem.unbalanced(q, self.friction(q)) + self.weak @ (q - self.centre))

    def solve(self, q: Array) -> tuple[Array, Array]:
        """Newton with line search from q: the balanced displacement, and the slopes of all connections there."""
        g = self.unbalanced(q)
        for _ in range(NEWTON_STEPS):
            slopes = self._slopes(q)
            friction = self.friction(q)
            noise = EPS * (self.problem.rounding(q, friction) + abs(self.weak) @ np.abs(q - self.centre))
            if np.all(np.abs(g) <= 4.0 * noise):
                break
            p = self._direction(slopes, g)
            new = q + self._length(q, p, g) * p
            if np.array_equal(new, q):
                break
            q, g = new, self.unbalanced(new)
        return q, slopes

    def _slopes(self, q: Array) -> Array:
        sticks = np.abs(self.before + self.stiff * self.problem.slid(q)) < self.limit
        return self.problem.slopes(q) + np.where(sticks, self.stiff, 0.0)

    def _direction(self, slopes: Array, g: Array) -> Array:
        """The Newton step; where the energy is not convex, with springs added until it leads downhill."""
        tangent = tangent_matrix(self.problem, slopes) + self.weak
        added = 0.0
        for _ in range(40):
            p = _solved(tangent, added * self.problem.steepest, g, self.problem.is_conservative)
            if p is not None:
                return p
            added = max(10.0 * added, 1e-3)
        return -g / self.problem.steepest

    def _length(self, q: Array, p: Array, g: Array) -> float:
        """The share of the step to take: to the minimum along it, or to a smaller residual if there is no energy."""
        if not self.problem.is_conservative:
            scale = 1.0 / np.sqrt(self.problem.steepest)
            size = np.linalg.norm(scale * g)
            for i in range(HALVINGS):
                if np.linalg.norm(scale * self.unbalanced(q + 0.5**i * p)) <= (1.0 - 1e-4 * 0.5**i) * size:
                    return 0.5**i
            return 0.0
        slope = float(p @ g)
        low, high, share = 0.0, 1.0, 1.0
        for _ in range(HALVINGS):
            along = float(p @ self.unbalanced(q + share * p))
            if along <= -0.1 * slope and (along >= 0.9 * slope or share == 1.0):
                return share
            low, high = (share, high) if along < 0.0 else (low, share)
            share = 0.5 * (low + high)
        return share


def tangent_matrix(problem: Statics, slopes: Array) -> Any:
    """(n, n) K + sum of along * slope * deflection'."""
    if not hasattr(problem.along, "toarray"):
        return problem.stiffness + (problem.along * slopes) @ problem.deflections.T
    from scipy.sparse import diags_array

    middle = diags_array(slopes, shape=(slopes.size, slopes.size))
    return (problem.stiffness + problem.along @ middle @ problem.deflections.T).tocsc()


def _solved(tangent: Any, added: Array, g: Array, conservative: bool) -> Array | None:
    """-tangent^-1 g with ``added`` on the diagonal; None if singular, or uphill although there is an energy."""
    if hasattr(tangent, "toarray"):
        p = _solved_sparse(tangent, added, g)
    else:
        matrix = tangent + np.diag(added)
        size = 1.0 / np.sqrt(np.abs(matrix.diagonal()) + EPS * np.abs(matrix).max())
        scaled = matrix * np.outer(size, size)
        try:
            if conservative:
                np.linalg.cholesky(scaled)
            p = -size * np.linalg.solve(scaled, size * g)
        except np.linalg.LinAlgError:
            return None
    if p is None or not np.all(np.isfinite(p)) or (conservative and p @ g >= 0.0):
        return None
    return p


def _solved_sparse(tangent: Any, added: Array, g: Array) -> Array | None:
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    try:
        return -np.asarray(splu((tangent + diags_array(added)).tocsc()).solve(g))
    except RuntimeError:  # exactly singular
        return None
