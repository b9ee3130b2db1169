"""Memories of laws as part of the state of an integrated period map.

The inner state where that is all a law remembers in effect (the force of a modified Dahl law, z of Bouc-Wen and
LuGre), else every number of the memory. Of a law with a stack of reversals, whose twin is followed, the two reversals
of a cycle (see `slipstick.laws.closed_cycle`).

A slider that sticks comes back wherever it is within a band. So each slider is followed with two copies that have no
force and begin the period at either limit. Where nothing slips they end at the two ends of the band. Where the slider
slips both ways the play operator has forgotten its start after one period, and both end where the slider does. So the
equation "the slider begins at a chosen place between its copies" has one solution, on both sides of the onset of slip.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.base import Law, Memory
from slipstick.laws.closed_cycle import NestedTwin, SettledTwin, nested_twin, settled_memory, settled_twin
from slipstick.laws.monotone_memory import LongUseTwin, long_use_limit, monotone_memories
from slipstick.transient.events.records import BY_RATE, ELASTIC, RIGID
from slipstick.transient.events.setup import PreparedProblem
from slipstick.transient.problem import Problem

MAX_BAND_PLACE = 0.9  # of the way from the middle of a band to its end: so far at most a slider is


@dataclass(frozen=True)
class MemoryPart:
    """What an element adds to the state: all that its law remembers.

    element, law : whose.   place : where in the state.   packed : where its memory lies among all.
    state : the number of its inner state among those that are integrated; None if its memory has a closed form.
    selects : (numbers,) which of them the inner state is.
    """

    element: int
    law: Law
    place: slice
    packed: slice
    state: int | None
    selects: Array

    inner = False  # the inner state alone

    def memory(self, own: Array, u: float, rate: float) -> Array:
        """(numbers,) from the part of a state, the deflection and its rate.

        Memory that moves one way only never lies on the other side of where it starts: a cycle that closes there is
        none of the law.
        """
        found = own
        for one in monotone_memories(self.law):
            if one.sign * (own[one.place] - one.virgin) < 0.0:
                found = found.copy() if found is own else found
                found[one.place] = one.virgin
        return found

    def own(self, memory: Array) -> Array:
        """The part of a state, from a memory (numbers,)."""
        return memory

    def remembered(self, law: Law, memory: Array) -> Memory:
        """A memory as the law that was given has it."""
        return self.law.whole_memory(memory.tolist()) if isinstance(self.law, LongUseTwin) else tuple(memory.tolist())

    def begun(self, deflection: Array, rate: float) -> tuple[Array, Array, Array]:
        """How a memory changes with displacements (n, numbers), velocities and the part of the state."""
        count = len(self.law.remembers)
        none = np.zeros((deflection.size, count))
        return none, none, np.eye(count)

    def ended(self, memory: Array, change: Array) -> Array:
        """How the part of a state changes, by column, from changes (columns, numbers) of the memory at the end."""
        return change.T


@dataclass(frozen=True)
class InnerPart(MemoryPart):
    """The inner state alone.

    picks : (3, numbers) a memory in which a branch begins, by deflection, rate and inner state.
    """

    picks: Array

    inner = True

    def memory(self, own: Array, u: float, rate: float) -> Array:
        return np.asarray(u * self.picks[0] + rate * self.picks[1] + own[0] * self.picks[2])

    def own(self, memory: Array) -> Array:
        return np.array([self.selects @ memory])

    def begun(self, deflection: Array, rate: float) -> tuple[Array, Array, Array]:
        return np.outer(deflection, self.picks[0]), np.outer(deflection, self.picks[1]), self.picks[2:]

    def ended(self, memory: Array, change: Array) -> Array:
        return np.asarray(self.selects @ change.T)


class NestedPart(MemoryPart):
    """All that the law remembers but its last deflection, which the state has already."""

    count = 2

    def memory(self, own: Array, u: float, rate: float) -> Array:
        return np.array([u, *own])

    def own(self, memory: Array) -> Array:
        return memory[1:]

    def begun(self, deflection: Array, rate: float) -> tuple[Array, Array, Array]:
        by_q = np.outer(deflection, np.eye(3)[0])
        return by_q, np.zeros_like(by_q), np.eye(3)[1:]

    def ended(self, memory: Array, change: Array) -> Array:
        return change[:, 1:].T


class SettledPart(NestedPart):
    """The highest and the lowest deflection of the cycle: which of them the branch at hand began at, the rate tells.

    So the state is the same whether the period begins just before a reversal or just after it.
    """

    def memory(self, own: Array, u: float, rate: float) -> Array:
        return np.array([u, *own[self._order(rate >= 0.0)]])

    def remembered(self, law: Law, memory: Array) -> Memory:
        u, begin, other = memory.tolist()
        return settled_memory(law, begin, other, u)

    def own(self, memory: Array) -> Array:
        return memory[1:][self._order(memory[1] < memory[2])]

    def begun(self, deflection: Array, rate: float) -> tuple[Array, Array, Array]:
        by_q, by_v, by_own = super().begun(deflection, rate)
        return by_q, by_v, by_own[self._order(rate >= 0.0)]

    def ended(self, memory: Array, change: Array) -> Array:
        return super().ended(memory, change)[self._order(memory[1] < memory[2])]

    @staticmethod
    def _order(rises: bool) -> slice:
        """Of (begin, other) among (highest, lowest), and back: a branch that rises began at the lowest."""
        return slice(None, None, -1) if rises else slice(None)


@dataclass(frozen=True)
class SliderPart(MemoryPart):
    """The place of a slider.   copies : the elements that begin at its upper and its lower limit; none: it comes back
    wherever it is.   copied : where their memories lie."""

    copies: tuple[int, ...]
    copied: tuple[int, ...]

    def copy_starts(self, u: float) -> tuple[float, ...]:
        """Where the copies are at the start of a period."""
        law: Any = self.law
        width = law.limit / law.stiffness
        return (u - width, u + width)

    def chosen(self, lowest: float, highest: float) -> tuple[float, float]:
        """The weights by which the places of both ends of a band give the one that is chosen: where the slider is
        virgin, or as near to that as nine tenths of the way from the middle to an end."""
        near, far = 0.5 * (1.0 + MAX_BAND_PLACE), 0.5 * (1.0 - MAX_BAND_PLACE)
        if near * lowest + far * highest > 0.0:
            return near, far
        return (far, near) if far * lowest + near * highest < 0.0 else (0.0, 0.0)


class ContactPart(MemoryPart):
    """The places of the sliders of an elastic contact; its deflections are in the state already."""

    def memory(self, own: Array, u: float, rate: float) -> Array:
        return np.append(own, np.zeros(len(self.law.remembers) - own.size))

    def own(self, memory: Array) -> Array:
        return memory[: len(self.law.kernel_law.directions) - 1]


def with_copies(problem: Problem) -> Problem:
    """The same problem with two copies of each slider behind all elements: they move as it does, and have no force."""
    sliders = [e for e, element in enumerate(problem.elements) for _ in range(2) if element.law.elastic_slider]
    if not sliders:
        return problem
    none = np.zeros(problem.n)
    copies = (replace(problem.elements[e], along=none, force=0.0, modulation=()) for e in sliders)
    rows = np.array([*range(len(problem.elements)), *sliders])
    own = problem.offsets
    chosen = {name: getattr(own, name)[rows] for name in ("constant", "ramp", "cos", "sin")}
    offsets = replace(own, **chosen, signals=tuple((signal, column[rows]) for signal, column in own.signals))
    return replace(problem, elements=(*problem.elements, *copies), offsets=offsets)


def with_twins(problem: Problem, nested: bool = False) -> Problem:
    """The same problem with laws replaced by twins: those that have a stack of reversals by one of a fixed memory,
    those whose memory accumulates by one in the limit of long use."""
    of_a_stack = nested_twin if nested else settled_twin
    laws = [of_a_stack(e.law) if e.law.has_stack else long_use_limit(e.law) for e in problem.elements]
    if all(law is e.law for law, e in zip(laws, problem.elements, strict=True)):
        return problem
    own = (replace(e, law=law) for law, e in zip(laws, problem.elements, strict=True))
    return replace(problem, elements=tuple(own))


def memory_parts_of(problem: Problem, ready: PreparedProblem, starts: list[int]) -> list[MemoryPart]:
    """What each element that remembers adds to the state; its memory begins at ``starts``, those of copies behind."""
    found: list[MemoryPart] = []
    here, copy = 2 * problem.n, len(problem.elements)
    for e, element in enumerate(problem.elements):
        law = element.law
        if law.remembers and ready.kinds[e] != RIGID:  # friction at rest remembers nothing
            inner, numbers = law.has_local_memory, len(law.remembers)
            twin = next((part for kind, part in PARTS_OF_TWINS.items() if isinstance(law, kind)), None)
            count = twin.count if twin else 1 if inner else numbers
            state = ready.inner.index(e) if ready.kinds[e] == BY_RATE else None
            packed = slice(starts[e], starts[e] + numbers)
            is_contact = ready.kinds[e] == ELASTIC
            selects, picks = _numbers(law, not is_contact and (inner or state is not None))
            own = (e, law, slice(here, here + count), packed, state, selects)
            if is_contact:
                count = len(law.kernel_law.directions) - 1
                found.append(ContactPart(e, law, slice(here, here + count), packed, None, np.zeros(numbers)))
                here += count
                continue
            if law.elastic_slider is not None:
                found.append(SliderPart(*own, tuple(range(copy, len(starts)))[:2], tuple(starts[copy : copy + 2])))
                copy += 2
            else:
                found.append(InnerPart(*own, picks) if inner else (twin or MemoryPart)(*own))
            here += count
    return found


PARTS_OF_TWINS = {SettledTwin: SettledPart, NestedTwin: NestedPart}


def _numbers(law: Law, has_inner: bool) -> tuple[Array, Array]:
    """`MemoryPart.selects` and `InnerPart.picks`; both only choose, so units tell them."""
    count = len(law.remembers)
    if not has_inner:
        return np.zeros(count), np.zeros((3, count))
    selects = np.array([law.inner_state(tuple(row)) for row in np.eye(count).tolist()])
    zero = (0.0,) * count
    picks = [law.turned(law.settled(u, v, z, zero)) for u, v, z in np.eye(3).tolist()]
    return selects, np.array(picks, dtype=float)
