"""The forces of a model at rest, as functions of the free displacements.

    K q + sum over connections of along * (f(u) + s) = load,   s in F Sgn(u - u at the start)

f is the law on its virgin curve with rate zero, s the dry friction in it, F its limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import mean_modulation_factor
from slipstick.laws.directions import stated_laws
from slipstick.laws.faces import Face
from slipstick.model import tolerances as tol
from slipstick.model.assembly import Assembly
from slipstick.model.modal_algebra import is_symmetric
from slipstick.signals import TimeFunction

ScalarFunction = Callable[[float], float]


@dataclass(frozen=True)
class StaticSpring:
    """A law at rest without its dry friction: force and slope on the virgin curve, and the largest slope known."""

    force: ScalarFunction
    slope: ScalarFunction
    steepest: float
    has_no_spring: bool = False


NO_SPRING = StaticSpring(lambda _: 0.0, lambda _: 0.0, 0.0, has_no_spring=True)


@dataclass(frozen=True)
class StaticDirections:
    """A law with several deflections at rest, after a straight path from zero.

    members : numbers of its connections.
    """

    name: str
    members: list[int]
    law: Law

    def forces(self, u: Array) -> Array:
        """(d,) forces at the deflections (m,) of all connections."""
        count = len(self.members)
        own: Any = self.law.update(tuple(u[self.members].tolist()), (0.0,) * count, self.law.start(0.0))  # type: ignore[arg-type]
        return np.array(own[0], dtype=float)

    def slopes(self, u: Array) -> Array:
        """(d, d) derivatives of the forces by the deflections, by differences."""
        count = len(self.members)
        found = np.empty((count, count))
        for k, j in enumerate(self.members):
            h = tol.SLOPE_STEP_REL * float(np.abs(u[self.members]).max()) + tol.SLOPE_STEP
            step = np.zeros(u.size)
            step[j] = h
            found[:, k] = (self.forces(u + step) - self.forces(u - step)) / (2.0 * h)
        return found

    def steepest(self, direction: int) -> float:
        """The largest stiffness known of one direction by its own deflection."""
        states = self.law.direction_states or (None,)
        known = [abs(self.law.direction_stiffness(direction, state, 0.0)[0]) for state in states]
        virgin = self.slopes(np.zeros(max(self.members) + 1))
        return max(*known, abs(float(virgin[direction, direction])))


@dataclass(frozen=True, eq=False)
class StaticProblem:
    """n free coordinates, m connections.

    springs : of each connection; those of laws with several deflections are in ``contacts`` instead.

    stiffness : (n, n) of the linear part.   load : (n,) mean load less what the prescribed coordinates pull.
    deflections, along : (n, m).   offset : (m,) deflections at q = 0.   start : (n,).
    limit, static_limit : (m,) of dry friction while sliding and before; zero without it.
    """

    parts: Assembly
    stiffness: Any
    mass: Any
    load: Array
    deflections: Any
    along: Any
    offset: Array
    start: Array
    springs: tuple[StaticSpring, ...]
    contacts: tuple[StaticDirections, ...]
    limit: Array
    static_limit: Array

    def deflection(self, q: Array) -> Array:
        """(m,)"""
        return np.asarray(self.deflections.T @ q + self.offset)

    def slid(self, q: Array) -> Array:
        """(m,) how far each deflection has moved from the start."""
        return np.asarray(self.deflections.T @ (q - self.start))

    def reach(self, q: Array) -> Array:
        """(m,) the sum of the sizes of all terms of a deflection, here and at the start."""
        return np.asarray(abs(self.deflections).T @ (np.abs(q) + np.abs(self.start)))

    def law_forces(self, q: Array) -> Array:
        """(m,) forces of the laws without dry friction."""
        u, forces = self.deflection(q), np.zeros(len(self.springs))
        for j in self.elastic:
            forces[j] = self.springs[j].force(float(u[j]))
        for contact in self.contacts:
            forces[contact.members] = contact.forces(u)
        return forces

    def slopes(self, q: Array) -> Array:
        """(m,)"""
        u, slopes = self.deflection(q), np.zeros(len(self.springs))
        for j in self.elastic:
            slopes[j] = self.springs[j].slope(float(u[j]))
        for contact in self.contacts:
            slopes[contact.members] = np.diag(contact.slopes(u))
        return slopes

    def coupling(self, q: Array) -> Any:
        """(n, n) derivatives of forces by the other deflections of their laws."""
        u, middle = self.deflection(q), np.zeros((len(self.springs), len(self.springs)))
        for contact in self.contacts:
            slopes = contact.slopes(u)
            middle[np.ix_(contact.members, contact.members)] = slopes - np.diag(np.diag(slopes))
        if not hasattr(self.along, "toarray"):
            return self.along @ middle @ self.deflections.T
        from scipy.sparse import csc_array

        return self.along @ csc_array(middle) @ self.deflections.T

    @cached_property
    def elastic(self) -> list[int]:
        """The connections that are more than dry friction."""
        return [j for j, s in enumerate(self.springs) if not s.has_no_spring]

    def unbalanced(self, q: Array, friction: Array) -> Array:
        """(n,) internal forces less loads; zero at rest. friction : (m,)."""
        return np.asarray(self.stiffness @ q + self.along @ (self.law_forces(q) + friction) - self.load)

    def rounding(self, q: Array, friction: Array) -> Array:
        """(n,) the sum of the sizes of all terms of `unbalanced`: its error is a few eps of this."""
        steepest = np.array([s.steepest for s in self.springs], dtype=float)
        forces = np.abs(self.law_forces(q)) + np.abs(friction) + steepest * (abs(self.deflections).T @ np.abs(q))
        return np.asarray(abs(self.stiffness) @ np.abs(q) + abs(self.along) @ forces + np.abs(self.load))

    def force_scale(self, q: Array, friction: Array) -> float:
        """The largest force about, here or at the start."""
        inner = (self.stiffness @ q, self.law_forces(q), friction, self.load, self.start_forces)
        return float(max(np.abs(f).max(initial=0.0) for f in inner))

    @cached_property
    def start_forces(self) -> Array:
        """The internal forces at the start: at coordinates, then of connections."""
        return np.concatenate([self.stiffness @ self.start, self.law_forces(self.start)])

    @cached_property
    def is_conservative(self) -> bool:
        """True if all forces but friction come from a potential."""
        along = abs(self.along - self.deflections).sum() == 0.0
        return not self.contacts and is_symmetric(self.stiffness) and along

    @cached_property
    def steepest(self) -> Array:
        """(n,) the largest stiffness seen by each coordinate; a substitute where there is none."""
        slopes = np.array([s.steepest for s in self.springs], dtype=float)
        own = np.abs(self.stiffness.diagonal()) + abs(self.along * self.deflections) @ slopes
        if not np.any(own > 0.0):
            # nothing elastic anywhere: any stiffness serves, so take one of the size of the forces
            return np.full_like(own, max(np.abs(self.load).max(initial=0.0), self.static_limit.max(initial=0.0), 1.0))
        return np.asarray(np.where(own > 0.0, own, own.max()))


def static_problem(parts: Assembly) -> StaticProblem:
    """The static problem of an assembled system, with loads and motions at their means."""
    free, held = parts.free, parts.prescribed
    motion = parts.mean_motion()
    connections = parts.system.connections
    frictions = [_friction(c.name, c.law, parts.system.frequency) for c in connections]
    rows = parts.stiffness[free]
    stated = [each for each in stated_laws(connections) if len(each.members) > 1]
    contacts = tuple(
        StaticDirections(each.name, [*each.members], connections[each.members[0]].law.kernel_law) for each in stated
    )
    springs = [static_spring(c.law) if not c.law.kernel_law.directions else NO_SPRING for c in connections]
    for contact in contacts:
        for direction, j in enumerate(contact.members):
            springs[j] = replace(NO_SPRING, steepest=contact.steepest(direction))
    return StaticProblem(
        parts=parts,
        stiffness=rows[:, free],
        mass=parts.mass[free][:, free],
        load=parts.mean_load()[free] - rows[:, held] @ motion,
        deflections=parts.deflections[free],
        along=parts.along[free],
        offset=np.asarray(parts.deflections[held].T @ motion),
        start=parts.start[free],
        springs=tuple(springs),
        contacts=contacts,
        limit=np.array([f[0] for f in frictions], dtype=float),
        static_limit=np.array([f[1] for f in frictions], dtype=float),
    )


def static_spring(law: Law) -> StaticSpring:
    """A law at rest, without the dry friction and the rigid stops in it."""
    rigid = [leaf for leaf in law.leaves() if leaf.law.rigid_friction is not None or leaf.law.rigid_stop is not None]
    parts = [_leaf_spring(leaf) for leaf in law.leaves() if leaf not in rigid]
    if len(parts) == 1:
        return parts[0]
    return StaticSpring(
        lambda u: sum(p.force(u) for p in parts),
        lambda u: sum(p.slope(u) for p in parts),
        sum(p.steepest for p in parts),
        has_no_spring=not parts,
    )


def _leaf_spring(leaf: Leaf) -> StaticSpring:
    law, d = leaf.law.at_rest, leaf.deflection
    share = leaf.force * mean_modulation_factor(leaf)
    virgin = law.start(0.0)  # not start(u): the Dahl family starts between its envelopes wherever that is

    def force(u: float) -> float:
        return share * float(law.update(d * u, 0.0, virgin)[0])

    def slope(u: float) -> float:
        if straight:
            return share * d * law.linearised(None, d * u).stiffness
        # on the virgin curve, which no tangent of a law with memory follows
        h = tol.SLOPE_STEP_REL * abs(u) + tol.SLOPE_STEP
        return (force(u + h) - force(u - h)) / (2.0 * h)

    has_pieces = Face.PIECES in law.faces
    straight = has_pieces and not law.remembers
    if has_pieces:
        steepest = abs(share * d) * max(abs(p.force.u) + abs(p.force.w) for p in law.pieces())
    else:
        steepest = abs(slope(0.0))
    return StaticSpring(force, slope, steepest)


def _friction(name: str, law: Law, frequency: float | None) -> tuple[float, float]:
    """The limits of all dry friction in a law, sliding and static, at the instant of the period when it holds least."""
    sliding = static = 0.0
    for leaf in law.leaves():
        friction = leaf.law.rigid_friction
        if friction is None:
            continue
        least = leaf.force * np.sign(leaf.deflection)
        for function, cut in leaf.modulation:
            low = minimum_over_period(function, frequency)
            least *= max(low, 0.0) if cut else low
        if least < 0.0:
            raise InvalidInput(
                "its dry friction has a negative factor and would drive the motion; use factors > 0",
                owner=f'connection "{name}"',
            )
        sliding += least * friction.limit
        static += least * (friction.limit if friction.static_limit is None else friction.static_limit)
    return float(sliding), float(static)


def minimum_over_period(function: TimeFunction, frequency: float | None) -> float:
    """The smallest value of a periodic function over its period."""
    constant, harmonics = function.parts().constant, function.parts().harmonics
    size = [float(np.hypot(h.cos, h.sin)) for h in harmonics]
    if sum(s > 0.0 for s in size) <= 1:
        return constant - sum(size)
    try:
        base = frequency or 1.0
        times = np.linspace(0.0, function.period(base), 4097)
    except InvalidInput:  # no common period: in the long run all troughs meet
        return constant - sum(size)
    return float(np.min(function.at(times, base)))
