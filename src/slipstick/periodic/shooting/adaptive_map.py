"""The map of a state over one period by error-controlled integration, and its derivative.

A state is (q, v, w): displacements, velocities, and what laws remember: the inner state where that is all (the force
of a modified Dahl law, z of Bouc-Wen and LuGre), else every number of the memory.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import MissingFace
from slipstick.laws.base import Law, is_kind
from slipstick.laws.boucwen import BoucWen
from slipstick.laws.dahl import ModifiedDahl
from slipstick.laws.lugre import LuGre
from slipstick.laws.parsing import CannotTranslate
from slipstick.periodic.shooting.period_map import PeriodMap
from slipstick.results.trajectory import Samples
from slipstick.transient.adaptive import passage
from slipstick.transient.adaptive import places as at
from slipstick.transient.adaptive.method import LOOSEST
from slipstick.transient.adaptive.passage import Change, Passage, Start
from slipstick.transient.adaptive.setup import Prepared
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

TOLERANCE = 1e-9  # of the integration, relative to the motion
LOOSER = 30.0  # times that: small changes are carried along, and the error told from what this changes
TIGHTEST = 1e-13
NUDGE = 1e-5  # of the sizes of a state, where derivatives are differences
FOR_DIFFERENCES = 1e-3  # of the tolerance


class Passed(NamedTuple):
    """One period.

    state : (size,) where it ended.   flow : how it was gone through.
    derivative : (size, size), by_frequency : (size,) of that state by the one it began with, and by the frequency of
        all that is periodic.   loose : (size,) where it ends at a looser tolerance. None where they are not known.
    """

    state: Array
    flow: passage.Passed
    derivative: Array | None = None
    by_frequency: Array | None = None
    loose: Array | None = None


class Part(NamedTuple):
    """What an element adds to the state.

    element, law : whose.   place : where in the state.   inner : its inner state alone, else all that it remembers.
    """

    element: int
    law: Law
    place: slice
    inner: bool


class AdaptiveMap(PeriodMap):
    """problem : of the orbit's period ``time`` [s], beginning at its start.   tolerance : of the integration."""

    def __init__(self, problem: Problem, time: float, tolerance: float = TOLERANCE) -> None:
        super().__init__(problem, time)
        self.tolerance = tolerance
        self.parts = _parts(problem)
        try:
            self.ready = Prepared(problem)
            self.passage = Passage(self.ready, time, tolerance)
        except CannotTranslate as reason:
            raise MissingFace(f"shooting: {reason}; harmonic-balance calls such a law in Python") from None
        self.size = self.parts[-1].place.stop if self.parts else 2 * problem.n
        self.virgin = problem.start_memories()
        # a law by rate that remembers more than its inner state: its equations are not differentiated by what it keeps
        self.by_differences = any(self.ready.kinds[p.element] == at.BY_RATE and not p.inner for p in self.parts)

    def first(self) -> Array:
        """The state in which the model begins."""
        p = self.problem
        return self.state_of(Start(p.displacement, p.velocity, self.virgin))

    def state_of(self, start: Start) -> Array:
        """(size,) a state from displacements, velocities and memories."""
        found = np.empty(self.size)
        n = self.problem.n
        found[:n], found[n : 2 * n] = start.q, start.v
        for part in self.parts:
            own = start.memories[part.element]
            found[part.place] = part.law.inner_state(own) if part.inner else own
        return found

    def start_of(self, state: Array) -> Start:
        """Displacements, velocities and memories of a state."""
        p, n = self.problem, self.problem.n
        q, v = state[:n], state[n : 2 * n]
        u, rate = p.deflections_at(p.start, q), p.rates_at(p.start, v)
        memories = list(self.virgin)
        for part in self.parts:
            e, own = part.element, state[part.place]
            memories[e] = tuple(own.tolist())
            if part.inner:
                memories[e] = self._branch(part, float(u[e]), float(rate[e]), float(own[0]))
        return Start(q, v, memories)

    def _branch(self, part: Part, u: float, v: float, z: float) -> Any:
        """The memory of a branch that begins here."""
        return part.law.turned(part.law.settled(u, v, z, self.virgin[part.element]))

    def go(self, state: Array, derivative: bool = False, tape: bool = False) -> Passed:
        """Follow a state (size,) over one period; ``tape``: and write the steps down.

        The derivative is carried along a looser passage: it need not be known to so many digits as the state.
        """
        start = self.start_of(state)
        flow = self.passage.go(start, tape=tape)
        end = self.state_of(flow.end)
        if not derivative:
            return Passed(end, flow)
        loose = min(LOOSER * self.tolerance, LOOSEST)
        if self.by_differences:
            other = self.passage.go(start, tolerance=loose)
            return Passed(end, flow, self._differences(state, self.sizes(flow)), None, self.state_of(other.end))
        other = self.passage.go(start, self._changes(start), tolerance=loose)
        assert other.change is not None
        found = self._derivative(other.change)
        by_frequency = found[:, -1] if self.moves_alone else None
        return Passed(end, flow, found[:, : self.size], by_frequency, self.state_of(other.end))

    def at_tolerance(self, state: Array, tolerance: float) -> Array:
        """(size,) where a state ends at another tolerance."""
        return self.state_of(self.passage.go(self.start_of(state), tolerance=max(tolerance, TIGHTEST)).end)

    @cached_property
    def moves_alone(self) -> bool:
        """True if no motion is prescribed: how fast such a one goes is part of the rates of deflections."""
        return not self.problem.assembly.prescribed.size

    def sizes(self, flow: passage.Passed) -> Array:
        """(size,) how large the parts of a state are over the period: what differences are measured by."""
        n, found = self.problem.n, np.empty(self.size)
        found[: 2 * n] = flow.sizes[: 2 * n]
        for part in self.parts:
            if self.ready.kinds[part.element] == at.BY_RATE and part.inner:
                found[part.place] = flow.sizes[2 * n + self.ready.inner.index(part.element)]
            else:
                tops = flow.tops[part.element]
                found[part.place] = np.abs(self._selected(part)) @ tops if part.inner else tops
        return found

    def from_motion(self, samples: Samples, memories: list[Any]) -> Array:
        """(size,) the state at the begin of a motion that another method has found, with the memories there."""
        free = self.problem.assembly.free
        return self.state_of(Start(samples.displacement[0, free], samples.velocity[0, free], memories))

    # ---- derivatives

    def _selected(self, part: Part) -> Array:
        """(numbers,) by how much the inner state changes with each number of the packed memory."""
        count = len(part.law.remembers)
        return np.array([part.law.inner_state(tuple(row)) for row in np.eye(count).tolist()])

    def _changes(self, start: Start) -> Change:
        """Of each part of the state a small change, and one of none, for the frequency."""
        p, n = self.problem, self.problem.n
        count = self.size + self.moves_alone
        state = np.zeros((count, 2 * n + len(self.ready.inner)))
        state[: 2 * n, : 2 * n] = np.eye(2 * n)
        memories = [np.zeros((count, 0)) for _ in p.elements]
        for part in self.parts:
            e = part.element
            if self.ready.kinds[e] == at.BY_RATE:
                state[part.place, 2 * n + self.ready.inner.index(e)] = 1.0
                continue
            own = np.zeros((count, len(part.law.remembers)))
            if not part.inner:
                own[part.place] = np.eye(own.shape[1])
            else:
                by_u, by_v, by_z = self._picked(part, start)
                own[:n] = np.outer(p.deflections[e], by_u)
                own[n : 2 * n] = np.outer(p.deflections[e], by_v)
                own[part.place] = by_z
            memories[e] = own
        inner = {part.element for part in self.parts if part.inner}
        local = [e in inner for e in range(len(p.elements))]
        return Change(state, memories, local, 2.0 * math.pi / self.time if self.moves_alone else 0.0)

    def _picked(self, part: Part, start: Start) -> list[Array]:
        """The derivatives of the memory of a branch that begins here by deflection, rate and inner state."""
        p, e = self.problem, part.element
        x = [float(p.deflections_at(p.start, start.q)[e]), float(p.rates_at(p.start, start.v)[e])]
        x.append(float(part.law.inner_state(start.memories[e])))
        middle, found = np.array(self._branch(part, *x)), []
        for k in range(3):
            step = abs(x[k]) or 1.0  # of any size: a branch that begins only picks its numbers
            there = [value + step * (i == k) for i, value in enumerate(x)]
            found.append((np.array(self._branch(part, *there)) - middle) / step)
        return found

    def _derivative(self, change: Change) -> Array:
        """(size, changes) from the changes at the end of the period."""
        n, out = self.problem.n, np.empty((self.size, change.state.shape[0]))
        out[: 2 * n] = change.state[:, : 2 * n].T
        for part in self.parts:
            if self.ready.kinds[part.element] == at.BY_RATE:
                out[part.place] = change.state[:, 2 * n + self.ready.inner.index(part.element)]
            else:
                own = change.memories[part.element]
                out[part.place] = self._selected(part) @ own.T if part.inner else own.T
        return out

    def _differences(self, state: Array, sizes: Array) -> Array:
        """The derivative by central differences, at a tolerance so tight that their steps do not matter."""
        tolerance = FOR_DIFFERENCES * self.tolerance
        out = np.empty((self.size, self.size))
        for k, size in enumerate(np.maximum(sizes, 1e-6 * sizes.max(initial=1e-300)).tolist()):
            step = np.zeros(self.size)
            step[k] = NUDGE * size
            ends = [self.at_tolerance(state + sign * step, tolerance) for sign in (1.0, -1.0)]
            out[:, k] = (ends[0] - ends[1]) / (2.0 * step[k])
        return out


def _parts(problem: Problem) -> list[Part]:
    """What each element that remembers adds to the state."""
    found, here = [], 2 * problem.n
    for e, element in enumerate(problem.elements):
        law = element.law
        if law.has_stack:
            name = problem.system.connections[element.connection].name
            raise MissingFace(
                f'connection "{name}" ({type(law).__name__}) remembers every reversal that still matters, which is no '
                'state of a fixed size; use method="harmonic-balance"'
            )
        if law.remembers:
            inner = any(is_kind(law, own) for own in (ModifiedDahl, BoucWen, LuGre))
            count = 1 if inner else len(law.remembers)
            found.append(Part(e, law, slice(here, here + count), inner))
            here += count
    return found
