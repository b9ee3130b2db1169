"""The solver behind `equilibrium`: where the forces of `StaticProblem` balance, nearest to the start.

For springs that harden or soften but never pull back, rest with friction is the minimum of a convex function,

    potential energy(q) + sum over contacts of F |u - u at the start|.

It is found by Rockafellar's proximal method of multipliers: each round adds a weak spring P to the last round's
position, so that directions which nothing holds stay where they are, and replaces each friction force by
sat(s + rho (u - u0), F), a spring with a slider that starts from the last round's s. What is left is smooth enough
for Newton with a line search. Both additions vanish as the rounds converge. rho starts mild, for a stiff one makes
corners of all contacts at once, and grows where a contact keeps creeping; P fades where it holds what a soft
spring should. A direction that the rounds keep moving in and nothing resists is where the model runs away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.model import tolerances as tol
from slipstick.model.modal_algebra import MACHINE_EPS
from slipstick.model.statics import StaticProblem

MAX_ROUNDS = 60
MAX_NEWTON_STEPS = 200
MAX_HALVINGS = 90


@dataclass(frozen=True, eq=False)
class EquilibriumState:
    """q : (n,) displacements.   friction, slopes : (m,).   drift : (n,) the last move, where no rest was found."""

    q: Array
    friction: Array
    unbalanced: Array
    slopes: Array
    drift: Array | None = None
    runs_away: bool = False


def solve_rest(problem: StaticProblem, limit: Array, near: EquilibriumState | None = None) -> EquilibriumState:
    """Balance all forces with friction limits ``limit`` (m,), nearest to the start; ``near`` is a first guess."""
    q, friction = problem.start, np.zeros_like(limit)
    if q.size == 0:
        return EquilibriumState(q, friction, np.zeros(0), problem.slopes(q))
    guess = q if near is None else near.q
    if near is not None:
        friction = np.clip(near.friction, -limit, limit)
    local, weakness = local_stiffness(problem), tol.WEAK_SPRING_REL
    stiff = tol.STICK_SPRING_REL * local
    last, slipped = np.inf, np.full_like(limit, np.inf)
    for _ in range(MAX_ROUNDS):
        step = _ProximalRound(problem, limit, q, friction, stiff, _weak_spring(problem, weakness))
        with np.errstate(over="ignore", invalid="ignore"):  # a force that pushes away has no bound
            moved, slopes, is_done = step.solve(guess)
            held = step.polished(moved)
            left = problem.unbalanced(moved, held)
        if not np.isfinite(left).all():
            return EquilibriumState(q, friction, left, slopes, moved - q)
        scale, slid, drift = problem.force_scale(moved, held), np.abs(problem.slid(moved)), moved - q
        in_place = slid <= tol.IN_PLACE_REL * scale / local + tol.IN_PLACE_REL * problem.reach(moved)
        settled = np.where(np.abs(held) < limit, in_place, np.abs(held - friction) <= tol.SETTLED_FORCE_REL * scale)
        q, guess, friction, size = moved, moved, held, float(np.abs(left).max(initial=0.0))
        if is_balanced(problem, q, friction, left) and np.all(settled):
            return EquilibriumState(q, friction, left, slopes)
        if is_done and size > 1e-2 * last and size > tol.BALANCE_REL * scale:
            softness = _relative_stiffness(problem, slopes, drift)
            if softness <= tol.UNHELD_STIFFNESS_REL and size > 0.3 * last:
                return EquilibriumState(q, friction, left, slopes, drift, runs_away=True)
            weakness = max(1e-2 * min(weakness, softness), tol.UNHELD_STIFFNESS_REL)
        # a contact that creeps on meets more stiffness, by way of others, than its own coordinates have
        creeps = (np.abs(held) < limit) & (slid > 0.1 * slipped) & ~settled
        stiff, last, slipped = np.where(creeps, 100.0 * stiff, stiff), size, slid
    return EquilibriumState(q, friction, left, slopes, drift)


def _relative_stiffness(problem: StaticProblem, slopes: Array, move: Array) -> float:
    """The stiffness that resists a move, over that of its coordinates taken one by one."""
    inner = np.sum(slopes * (problem.along.T @ move) * (problem.deflections.T @ move))
    full = move @ (problem.steepest * move)
    return float(abs(move @ (problem.stiffness @ move) + inner) / full) if full > 0.0 else np.inf


def is_balanced(problem: StaticProblem, q: Array, friction: Array, left: Array) -> bool:
    scale = problem.force_scale(q, friction)
    if not np.isfinite(left).all():
        return False
    # where a body has run far away rounding grows as large as the forces: that is no balance
    allowed = tol.BALANCE_REL * scale + np.minimum(8.0 * MACHINE_EPS * problem.rounding(q, friction), 1e-5 * scale)
    return bool(np.all(np.abs(left) <= allowed))


def local_stiffness(problem: StaticProblem) -> Array:
    """(m,) the largest stiffness of the coordinates that a connection touches, seen along it."""
    b = problem.deflections.toarray() if hasattr(problem.deflections, "toarray") else problem.deflections
    square = b**2
    seen = np.divide(problem.steepest[:, None], square, out=np.zeros_like(square), where=square > 0.0)
    most = seen.max(axis=0, initial=0.0)
    return np.asarray(np.where(most > 0.0, most, 1.0))  # between prescribed coordinates any will do


def _weak_spring(problem: StaticProblem, weakness: float) -> Any:
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


class NewtonResult(NamedTuple):
    """q : (n,).   slopes : (m,) there.   is_done : False if Newton ran out of steps."""

    q: Array
    slopes: Array
    is_done: bool


@dataclass(frozen=True, eq=False)
class _ProximalRound:
    """One round: the balance with the weak spring to ``centre`` and sliders that start from ``before``."""

    problem: StaticProblem
    limit: Array
    centre: Array
    before: Array
    stiff: Array
    weak: Any

    def friction(self, q: Array) -> Array:
        return np.clip(self.before + self.stiff * self.problem.slid(q), -self.limit, self.limit)

    def polished(self, q: Array) -> Array:
        """Friction with sticking forces taken from the balance: the stiff springs magnify the rounding of q."""
        held = self.friction(q)
        stuck = np.flatnonzero(np.abs(held) < self.limit)
        if stuck.size == 0:
            return held
        columns = self.problem.along[:, stuck]
        columns = columns.toarray() if hasattr(columns, "toarray") else columns
        touched = np.flatnonzero(np.abs(columns).max(axis=1) > 0.0)
        scale = 1.0 / np.sqrt(self.problem.steepest[touched])
        left = self.problem.unbalanced(q, held)[touched]
        change = np.linalg.lstsq(scale[:, None] * columns[touched], -scale * left, rcond=tol.RANK_REL)[0]
        better = held.copy()
        better[stuck] = np.clip(held[stuck] + change, -self.limit[stuck], self.limit[stuck])
        return better

    def unbalanced(self, q: Array) -> Array:
        return np.asarray(self.problem.unbalanced(q, self.friction(q)) + self.weak @ (q - self.centre))

    def solve(self, q: Array) -> NewtonResult:
        """The balanced displacement, by Newton with a line search from q."""
        g = self.unbalanced(q)
        for i in range(MAX_NEWTON_STEPS + 4 * q.size):  # gaps close and contacts slide one after the other
            slopes = self._slopes(q)
            # one step in any case: the noise of stiff springs hides what soft directions still lack
            if i > 0 and np.all(np.abs(g) <= 4.0 * self._noise(q)):
                return NewtonResult(q, slopes, True)
            p = self._direction(q, slopes, g)
            new = q + self._length(q, p, g) * p
            if np.array_equal(new, q):
                return NewtonResult(q, slopes, True)
            q, g = new, self.unbalanced(new)
        return NewtonResult(q, slopes, False)

    def _noise(self, q: Array) -> Array:
        """(n,) one rounding of every term of `unbalanced`."""
        problem = self.problem
        stretch = self.stiff * problem.reach(q)
        sticks = np.abs(self.friction(q)) < self.limit
        forces = problem.rounding(q, self.friction(q)) + abs(problem.along) @ np.where(sticks, stretch, 0.0)
        return np.asarray(MACHINE_EPS * (forces + abs(self.weak) @ np.abs(q - self.centre)))

    def _slopes(self, q: Array) -> Array:
        sticks = np.abs(self.before + self.stiff * self.problem.slid(q)) < self.limit
        return self.problem.slopes(q) + np.where(sticks, self.stiff, 0.0)

    def _direction(self, q: Array, slopes: Array, g: Array) -> Array:
        """The Newton step; where the energy is not convex, with springs added until it leads downhill."""
        tangent = tangent_matrix(self.problem, slopes) + self.weak
        if self.problem.contacts:
            tangent = tangent + self.problem.coupling(q)
        added = 0.0
        for _ in range(40):
            p = _newton_step(tangent, added * self.problem.steepest, g, self.problem.is_conservative)
            if p is not None:
                return p
            added = max(10.0 * added, 1e-3)
        return -g / self.problem.steepest

    def _length(self, q: Array, p: Array, g: Array) -> float:
        """The share of the step to take: to the minimum along it, or to a smaller residual if there is no energy."""
        if not self.problem.is_conservative:
            scale = 1.0 / np.sqrt(self.problem.steepest)
            size = np.linalg.norm(scale * g)
            for i in range(MAX_HALVINGS):
                if np.linalg.norm(scale * self.unbalanced(q + 0.5**i * p)) <= (1.0 - 1e-4 * 0.5**i) * size:
                    return 0.5**i
            return 0.0
        return self._minimum_along(q, p, float(p @ g))

    def _minimum_along(self, q: Array, p: Array, slope: float) -> float:
        """Where the energy stops falling along p; ``slope`` < 0 is that at q."""
        low, high, share = 0.0, 1.0, 1.0
        for _ in range(MAX_HALVINGS):
            along = float(p @ self.unbalanced(q + share * p))
            if along <= -0.1 * slope and (along >= 0.9 * slope or share == 1.0):
                break
            low, high = (share, high) if along < 0.0 else (low, share)
            share = 0.5 * (low + high)
        return share


def tangent_matrix(problem: StaticProblem, slopes: Array) -> Any:
    """(n, n) K + sum of along * slope * deflection'."""
    if not hasattr(problem.along, "toarray"):
        return problem.stiffness + (problem.along * slopes) @ problem.deflections.T
    from scipy.sparse import diags_array

    middle = diags_array(slopes, shape=(slopes.size, slopes.size))
    return (problem.stiffness + problem.along @ middle @ problem.deflections.T).tocsc()


def _newton_step(tangent: Any, added: Array, g: Array, conservative: bool) -> Array | None:
    """-tangent^-1 g with ``added`` on the diagonal; None if singular, or uphill although there is an energy."""
    if hasattr(tangent, "toarray"):
        p = _sparse_newton_step(tangent, added, g)
    else:
        matrix = tangent + np.diag(added)
        size = 1.0 / np.sqrt(np.abs(matrix.diagonal()) + MACHINE_EPS * np.abs(matrix).max())
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


def _sparse_newton_step(tangent: Any, added: Array, g: Array) -> Array | None:
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    try:
        return -np.asarray(splu((tangent + diags_array(added)).tocsc()).solve(g))
    except RuntimeError:  # exactly singular
        return None
