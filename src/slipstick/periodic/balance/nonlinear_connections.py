"""Nonlinear connections as harmonic balance uses them: lines, each with its laws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, MissingFace
from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear
from slipstick.laws.monotone_memory import long_use_limit
from slipstick.laws.regularisation import SqrtFriction
from slipstick.signals import TimeFunction
from slipstick.transient.folded_matrices import FoldedSystem, fold
from slipstick.transient.problem import Problem

MODULATION_PHASES = np.linspace(0.0, 24.0 * np.pi, 384, endpoint=False)  # whole periods of orders 1, 1/2, 1/3, 1/4, 1/6
FOLDED_CACHE_KEY = "folded"  # under which springs and dampers in the matrices are kept with their problem
FRICTION_ROUNDING_REL = 0.05  # corner radius of the rounded friction over its limit


@dataclass(frozen=True, eq=False)
class ForceTerm:
    """One leaf on a line: strength * q(t) * law(scale * u, scale * v).

    rounds : set-valued friction, which the law stands for with a rounded sign of the slope by tau.
    """

    line: int
    law: Law
    scale: float
    strength: float
    modulation: tuple[tuple[TimeFunction, bool], ...]
    rounds: bool

    @property
    def has_corners(self) -> bool:
        own = type(self.law)
        return (
            bool(self.rounds or own.corner is not Law.corner or own.edge is not Law.edge or self.law.remembers)
            or self.law.has_stack
        )

    def factors(self, times: Array, frequency: float) -> Array:
        """(k,) strength and modulation at times."""
        q = np.full(times.size, self.strength)
        for function, cut in self.modulation:
            values = function.at(times, frequency)
            q *= np.maximum(values, 0.0) if cut else values
        return q


@dataclass(frozen=True, eq=False)
class NonlinearConnections:
    """m lines of a problem with n coordinates.

    connections : (m,) their numbers in the model.
    rows : (m, n) deflections without what motions add.   along : (n, m) where their forces act.
    scales : (m,) of the first leaf, to which the problem's offsets belong.   firsts : (m,) numbers of those elements.
    """

    connections: tuple[int, ...]
    rows: Array
    along: Array
    firsts: tuple[int, ...]
    scales: Array
    members: tuple[ForceTerm, ...]

    @property
    def count(self) -> int:
        return len(self.connections)

    @property
    def rounds(self) -> bool:
        return any(m.rounds for m in self.members)

    @property
    def has_corners(self) -> bool:
        return any(m.has_corners for m in self.members)


def folded_of(problem: Problem) -> FoldedSystem:
    """A problem with its plain springs and dampers in the matrices: found once, and kept with it."""
    kept = problem.kept
    if FOLDED_CACHE_KEY not in kept:
        kept[FOLDED_CACHE_KEY] = fold(problem)
    found = kept[FOLDED_CACHE_KEY]
    assert isinstance(found, FoldedSystem)
    return found


def nonlinear_connections_of(problem: Problem, width: float) -> NonlinearConnections:
    """The lines of a problem. width : over which set-valued friction is rounded, in slopes by tau [m or rad]."""
    own: dict[int, list[int]] = {}
    for e in folded_of(problem).others:
        own.setdefault(problem.elements[e].connection, []).append(e)
    members = []
    for j, elements in enumerate(own.values()):
        for e in elements:
            element = problem.elements[e]
            for law, rounds in _sampled_laws(element.law, element.scale, width):
                members.append(ForceTerm(j, law, element.scale, element.force, element.modulation, rounds))
    firsts = [problem.elements[elements[0]] for elements in own.values()]
    n = problem.n
    return NonlinearConnections(
        connections=tuple(own),
        rows=np.array([e.deflection / e.scale for e in firsts]).reshape(-1, n),
        along=np.array([e.along for e in firsts]).reshape(-1, n).T.copy(),
        firsts=tuple(elements[0] for elements in own.values()),
        scales=np.array([e.scale for e in firsts]),
        members=tuple(members),
    )


def _sampled_laws(law: Law, scale: float, width: float) -> list[tuple[Law, bool]]:
    """The laws that are followed along the samples, and whether they stand for set-valued friction."""
    friction = law.rigid_friction
    if friction is None:
        return [(long_use_limit(law), False)]
    if friction.static_limit is not None:
        raise MissingFace(
            "harmonic balance does not take DryFriction with a static_limit",
            advice=[Advice("use {method}, or leave the static limit out", method="shooting")],
        )
    rounded = SqrtFriction(limit=friction.limit, rounding=FRICTION_ROUNDING_REL, width=abs(scale) * width)
    return [(rounded, True)] + ([(Linear(damping=friction.damping), False)] if friction.damping else [])


def stiffest_estimates(lines: NonlinearConnections, size: float = 0.0) -> tuple[Array, Array]:
    """(m,), (m,) stiffness and damping of each line where it is stiffest, at rest or at deflections of a size."""
    stiffness, damping = np.zeros(lines.count), np.zeros(lines.count)
    for member in lines.members:
        k, c = _stiffest(member.law, abs(member.scale) * size)
        factors = member.factors(MODULATION_PHASES, 1.0) if member.modulation else member.strength
        mean = abs(float(np.mean(factors)))
        stiffness[member.line] += mean * abs(member.scale) * k
        damping[member.line] += 0.0 if member.rounds else mean * abs(member.scale) * c
    return stiffness, damping


def _stiffest(law: Law, size: float) -> tuple[float, float]:
    best = (0.0, 0.0)
    for state, u in ((None, 0.0), (None, size), (None, -size), ("contact", 0.0), ("stick", 0.0)):
        try:
            found = law.linearised(state, u)
        except (ValueError, TypeError):
            continue
        if not found.sticks and best[0] < found.stiffness < np.inf:
            best = (float(found.stiffness), float(found.damping) if np.isfinite(found.damping) else 0.0)
    return best
