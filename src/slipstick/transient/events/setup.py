"""A problem ready for the compiled loop: matrices, functions of time, elements."""

from __future__ import annotations

import math
from copy import copy
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import SlipstickError
from slipstick.forcing import Forcing
from slipstick.laws.base import Law
from slipstick.laws.law_kernels import method_kernel, value_kernel
from slipstick.laws.law_packing import modulation_numbers
from slipstick.laws.reversal_stack_law import unpack_stack
from slipstick.native import Native, Rows, compile_functions
from slipstick.signals import Signal
from slipstick.transient.events.contact_setup import Contacts, find_contacts
from slipstick.transient.events.elastic_setup import force_count
from slipstick.transient.events.loop import integrate
from slipstick.transient.events.records import (
    BY_RATE,
    CLOSED,
    ELASTIC,
    FOLDED,
    PARTNER,
    PLAIN,
    RIGID,
    ElementRecord,
)
from slipstick.transient.events.tolerances import LEAST_MOTION
from slipstick.transient.folded_matrices import FoldedSystem, fold
from slipstick.transient.loop_kernels import parameters_of
from slipstick.transient.problem import Element, Problem

SPARE_REVERSALS = 32  # reversals that a stack has room for, at first
# of the fastest load, at least: reversals are searched at the ends and in the middle of a step
STEPS_PER_PERIOD = 4.0


def kernel() -> Native:
    """The loop, compiled once and kept."""
    return compile_functions(integrate)["integrate"]


class PreparedProblem:
    """The part of a problem that all its runs share: elements, matrices, functions of time."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.folded: FoldedSystem = fold(problem)
        self.inertia = inertia = np.asarray(np.linalg.inv(problem.mass), dtype=np.float64)
        self.forcing = from_start(_scaled(self.folded.forcing, inertia), problem.start)
        self.loads = from_start(problem.forcing, problem.start)
        self.offsets = from_start(problem.offsets, problem.start)
        self.linear = np.hstack([-inertia @ self.folded.stiffness, -inertia @ self.folded.damping])
        along = np.array([e.along for e in problem.elements]).reshape(len(problem.elements), problem.n)
        self.along, self.response = along, -inertia @ along.T
        self.contacts: Contacts = find_contacts(problem, inertia)
        self.kinds = [self._kind(e) for e in range(len(problem.elements))]
        self.inner = [e for e, kind in enumerate(self.kinds) if kind == BY_RATE]
        self.elastic = [e for e, kind in enumerate(self.kinds) if kind == ELASTIC]
        self.fastest = self._fastest()

    @property
    def inner_count(self) -> int:
        """Inner states of laws by rate, and sliding forces of contacts with two tangential directions."""
        return len(self.inner) + sum(force_count(self.problem.elements[e].law) for e in self.elastic)

    def retuned(self, problem: Problem) -> PreparedProblem:
        """The same with other functions of time, from a problem that differs in these only."""
        new = copy(self)
        new.problem, new.folded = problem, fold(problem)
        new.forcing = from_start(_scaled(new.folded.forcing, self.inertia), problem.start)
        new.loads, new.offsets = from_start(problem.forcing, problem.start), from_start(problem.offsets, problem.start)
        return new

    def _kind(self, e: int) -> int:
        law = self.problem.elements[e].law
        if e not in self.folded.others:
            return FOLDED
        if law.kernel_law.directions:
            return ELASTIC if law.direction_rank == 0 else PARTNER
        if e in self.contacts.elements:
            return RIGID
        if law.by_rate:
            return BY_RATE
        return CLOSED if law.remembers or law.has_stack else PLAIN

    def _fastest(self) -> float:
        """An upper bound [1/s] of all rates at the start: of loads, springs and dampers."""
        p = self.problem
        n = p.n
        stiffness, damping = -self.linear[:, :n].copy(), -self.linear[:, n:].copy()
        u = p.deflections_at(p.start, p.displacement)
        for e, element in enumerate(p.elements):
            if self.kinds[e] != FOLDED:
                try:
                    near = element.law.linearised(None, float(u[e]))
                except SlipstickError:
                    continue
                column = element.force * self.response[:, e]
                stiffness -= near.stiffness * np.outer(column, element.deflection)
                damping -= near.damping * np.outer(column, element.deflection)
        rates = [
            np.abs(damping).sum(axis=1).max(initial=0.0),
            math.sqrt(np.abs(stiffness).sum(axis=1).max(initial=0.0)),
        ]
        loads = (f.max_frequency(p.start, p.start) for f in (p.forcing, p.offsets))
        return float(max(*rates, *loads))

    def elements(self, sizes: list[int], begins: list[int]) -> tuple[Rows[ElementRecord], list[float]]:
        """The elements, for memories of these sizes and begins, and the modulations that they refer to."""
        rows, modulations = Rows(ElementRecord, len(self.problem.elements)), list[float]()
        for e, element in enumerate(self.problem.elements):
            row, law, kind = rows[e], element.law, self.kinds[e]
            row.factor, row.deflection_scale = element.force, element.scale
            row.conjugate = self.problem.system.connections[element.connection].is_conjugate
            row.row_begin, row.row_end = _extent(element.deflection)
            row.push_begin, row.push_end = _extent(self.response[:, e])
            row.elastic = self.elastic.index(e) if kind == ELASTIC else -1
            row.kind, row.contact, row.modulation = kind, -1, -1
            if kind >= ELASTIC:
                continue
            row.value_function, row.parameters = value_kernel(type(law)).address, parameters_of(law)
            row.memory_begin, row.memory_size = begins[e], sizes[e]
            row.modulation = len(modulations) if element.modulation else -1
            modulations += self._modulation(e) if element.modulation else []
            row.corner_function, row.edge_function = address(law, "corner", 2, kind), address(law, "edge", 2, kind)
            row.rate_function = address(law, "inner_rate", 3, kind)
            row.inner_force_function = address(law, "inner_force", 3, kind)
            row.settle_function, row.turn_function = address(law, "settled", 3, kind), address(law, "turned", 0, kind)
            row.inner_index = self.inner.index(e) if kind == BY_RATE else 0
            row.contact = self.contacts.elements.index(e) if kind == RIGID else -1
        return rows, modulations

    def _modulation(self, e: int) -> list[float]:
        return modulation_numbers([(from_start(f, self.problem.start), cut) for f, cut in self.problem.factors(e)])

    def floors(self, span: float) -> Array:
        """(n,) smallest rates [m/s or rad/s] that count as motion: a millionth of those by loads and a released
        spring in the fastest time."""
        n = self.problem.n
        push = np.abs(self.forcing.constant) + np.abs(self.forcing.ramp) * span
        push += np.abs(self.linear[:, :n] @ self.problem.displacement)
        push += self.forcing.swing(0.0, span)
        inertia = np.diag(self.problem.mass)
        # as shares of one energy: coordinates pushed only by others then have a scale from the start
        largest = float(np.max(push * np.sqrt(inertia), initial=0.0))
        return np.asarray(LEAST_MOTION * largest / np.sqrt(inertia) / max(self.fastest, 1.0 / span))


def address(law: Law, name: str, numbers: int, kind: int) -> int:
    """Address of a compiled method of a law; 0 if the loop does not need it."""
    if name in ("corner", "edge"):
        used = getattr(type(law), name) is not getattr(Law, name) and (name == "corner" or law.needs_rate)
    else:
        used = kind == BY_RATE
    return method_kernel(type(law), name, numbers).address if used and kind != FOLDED else 0


def _extent(column: Array) -> tuple[int, int]:
    """The range in which a column is not zero."""
    filled = np.flatnonzero(column)
    return (int(filled[0]), int(filled[-1]) + 1) if filled.size else (0, 0)


def _scaled(forcing: Forcing, matrix: Array) -> Forcing:
    none = np.zeros(len(matrix))
    waves = np.zeros((len(matrix), 0))
    return Forcing(none, none, np.zeros(0), waves, waves, ()).plus(matrix, forcing)


def from_start(forcing: Forcing, start: float) -> Forcing:
    """The functions over the time since ``start``, which keeps short steps exact at large absolute times."""
    c, s = np.cos(forcing.omega * start), np.sin(forcing.omega * start)
    signals = [(Signal(tuple(t - start for t in f.times), f.values), column) for f, column in forcing.signals]
    return Forcing(
        forcing.constant + forcing.ramp * start,
        forcing.ramp,
        forcing.omega,
        forcing.cos * c + forcing.sin * s,
        forcing.sin * c - forcing.cos * s,
        tuple(signals),
        tuple(sweep._replace(angle=sweep.angle.shifted(start)) for sweep in forcing.sweeps),
    )


def pack_memories(
    problem: Problem, memories: list[Any], kinds: list[int], spare: int
) -> tuple[Array, list[int], list[int]]:
    """All memories concatenated; the size of each (-1: a stack, which holds its own) and its begin."""
    parts, sizes, starts, here = [], [], [], 0
    for element, memory, kind in zip(problem.elements, memories, kinds, strict=True):
        keeps = kind in (CLOSED, BY_RATE, RIGID, ELASTIC)  # that of an elastic contact is written where a period ends
        own = element.law.pack_memory(memory, spare) if keeps else np.zeros(0)
        starts.append(here)
        sizes.append(-1 if element.law.has_stack else own.size)
        parts.append(own)
        here += own.size
    return np.concatenate([*parts, np.zeros(1)]), sizes, starts


def unpack_memory(element: Element, packed: Array) -> Any:
    """A packed memory in the form of the law."""
    if element.law.has_stack:
        return unpack_stack(packed)
    return tuple(packed[: len(element.law.remembers)].tolist())
