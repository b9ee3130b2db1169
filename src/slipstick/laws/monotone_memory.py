"""Laws with memory that changes in one direction only, such as accumulated slip or damage, in the limit of long use.

Such a memory is not periodic in any motion. If the force tends to a limit as the memory grows, periodic motions are
those of the law at that limit: a twin of the law that holds the memory there. `monotone_memories` finds such memory by
cycles of many amplitudes; `long_use_limit` returns the twin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, MissingFace
from slipstick.laws.base import Law
from slipstick.laws.faces import Face

SAMPLES_A_CYCLE = 16  # of a cycle
MIN_AMPLITUDE, MAX_AMPLITUDE = 1e-9, 1e3  # amplitudes of the first cycles [m, rad or strain]
AMPLITUDE_RATIO = math.sqrt(10.0)  # between two of them
# amplitudes at which a memory may continue to change, over the one at which it begins
LARGER_AMPLITUDE_FACTORS = (1.5, 3.0, 10.0, 100.0, 1000.0)
# values of the memory at which it is tested for growth, over the change in one cycle
FARTHER_MEMORY_FACTORS = tuple(10.0**k for k in range(0, 13, 2))
LONG_USE_MEMORY = 1e100  # a memory after very long use
FIRST_DECADE, LAST_DECADE = -30, 50  # powers of ten of the memory: the force must settle between them
PROLONGED_DECADES = 2  # a force that settles this much later at 1000 than at 3 times the amplitude never settles
SAME_FORCE_REL = 1e-9  # of the largest force, or of the change of a memory
FORCE_ROUNDING_REL = 4e-16  # of the same


class MonotoneMemory(NamedTuple):
    """A number of a law's memory that changes in one direction only.

    place, name : in the memory.   sign : 1 if it grows, -1 if it falls.   virgin : its first value.
    begins : the smallest amplitude that changes it.   limit : its final value on cycles of any larger amplitude;
    `LONG_USE_MEMORY` with its sign if it changes for ever, None if it depends on the amplitude.
    """

    place: int
    name: str
    sign: float
    virgin: float
    begins: float
    limit: float | None


@lru_cache(maxsize=1000)
def monotone_memories(law: Law) -> tuple[MonotoneMemory, ...]:
    """The numbers of a law's memory that change in one direction only, on cycles about zero from the virgin state."""
    if law.kernel_law.directions:  # cycles of several deflections have no order
        return ()
    if law.has_stack or Face.RATE in law.faces or not law.remembers or law.series_parts:  # an inner state relaxes
        return ()
    size = len(law.remembers)
    rises, falls, begins = np.zeros(size, bool), np.zeros(size, bool), np.full(size, np.inf)
    try:
        virgin = np.array(law.start(0.0), dtype=float)
    except (ArithmeticError, ValueError):
        return ()
    for amplitude in _amplitudes(MIN_AMPLITUDE, MAX_AMPLITUDE):
        steps = np.diff([virgin, *(own for _, own in _trace_cycles(law, virgin, amplitude, 2))], axis=0)
        rises |= (steps > 0.0).any(axis=0)
        falls |= (steps < 0.0).any(axis=0)
        begins = np.where((rises | falls) & (begins > amplitude), amplitude, begins)
        if (rises & falls).all() or amplitude > 10.0 * LARGER_AMPLITUDE_FACTORS[-1] * begins.min():
            break
    found = []
    for i in np.flatnonzero(rises != falls).tolist():
        sign = 1.0 if rises[i] else -1.0
        own = MonotoneMemory(i, law.remembers[i], sign, float(virgin[i]), float(begins[i]), None)
        found.append(own._replace(limit=_memory_limit(law, own)))
    return tuple(found)


def limited_memories(law: Law) -> tuple[MonotoneMemory, ...]:
    """The numbers of a law's memory that have a limit in long use."""
    return tuple(own for own in monotone_memories(law) if own.limit is not None)


def long_use_limit(law: Law) -> Law:
    """The law, or its twin in the limit of long use if its memory has one. Refuses a law whose force never settles."""
    if law.never_settles:
        raise _refusal(law, "its memory and its force grow with every cycle, so there is no periodic response")
    return _long_use_twin(law) if limited_memories(law) else law


def _refusal(law: Law, words: str) -> MissingFace:
    advice = Advice("simulate it, use {method}, or make that memory a parameter", method="integration")
    return MissingFace(words, owner=type(law).__name__, advice=[advice])


@lru_cache(maxsize=1000)
def _long_use_twin(law: Law) -> Law:
    held = limited_memories(law)
    if law.compiled != "update" or not all(_force_settles(law, held, own) for own in held):
        names = " and ".join(f'"{own.name}"' for own in held)
        raise _refusal(
            law,
            f"its memory {names} grows with every cycle and its force never settles, so there is no periodic response",
        )
    found: Law = _twin_class(type(law), tuple((own.place, own.limit or 0.0) for own in held))(**law.parameters())
    return found


def _memory_limit(law: Law, own: MonotoneMemory) -> float | None:
    """The final value of a memory on cycles of any amplitude that changes it, see `MonotoneMemory`."""
    end: float | None = None
    for amplitude in (factor * own.begins for factor in LARGER_AMPLITUDE_FACTORS):
        step = own.sign * _memory_drift(law, own, own.virgin, amplitude)
        if not step > 0.0:
            continue
        tried = [own.virgin + own.sign * far * step for far in FARTHER_MEMORY_FACTORS]
        beyond = [x for x in tried if not own.sign * _memory_drift(law, own, x, amplitude) > 0.0]
        if not beyond:
            return own.sign * LONG_USE_MEMORY
        if end is None:
            end = _stopping_value(law, own, amplitude, beyond[0])
        moves = [
            own.sign * _memory_drift(law, own, end + by * SAME_FORCE_REL * (end - own.virgin), amplitude) > 0.0
            for by in (-1, 1)
        ]
        if moves != [True, False]:
            return None
    return end


def _stopping_value(law: Law, own: MonotoneMemory, amplitude: float, beyond: float) -> float:
    """The value at which a memory stops changing, by bisection; beyond : one where it has stopped."""
    here = own.virgin
    while abs(beyond - here) > FORCE_ROUNDING_REL * abs(beyond - own.virgin):
        middle = 0.5 * (here + beyond)
        if own.sign * _memory_drift(law, own, middle, amplitude) > 0.0:
            here = middle
        else:
            beyond = middle
    return beyond


def _memory_drift(law: Law, own: MonotoneMemory, value: float, amplitude: float) -> float:
    """Change of a memory over three cycles from a given value."""
    start = np.array(law.start(0.0), dtype=float)
    start[own.place] = value
    *_, (_, end) = [(0.0, start), *_trace_cycles(law, start, amplitude, 3)]
    return float(end[own.place]) - value


def _force_settles(law: Law, held: tuple[MonotoneMemory, ...], own: MonotoneMemory) -> bool:
    """True if the force tends to a limit as the memory grows, at a memory that does not depend on the amplitude.

    A gap that opens for ever ends all force on any cycle, but later on a larger one: such a force never settles.
    """
    if own.limit is None or abs(own.limit) < LONG_USE_MEMORY:
        return True
    ways = []
    for amplitude in (factor * own.begins for factor in LARGER_AMPLITUDE_FACTORS):
        last = _forces(law, held, LONG_USE_MEMORY, amplitude)
        if not np.isfinite(last).all():
            return False
        low, high = FIRST_DECADE, LAST_DECADE  # powers of ten: unsettled, settled
        while high - low > 1:
            middle = (low + high) // 2
            forces = _forces(law, held, 10.0**middle, amplitude)
            alike = forces.size == last.size and np.abs(forces - last).max() <= SAME_FORCE_REL * np.abs(last).max()
            low, high = (low, middle) if alike else (middle, high)
        ways.append(high)
    return max(ways) < LAST_DECADE and ways[-1] - ways[1] < PROLONGED_DECADES


def _forces(law: Law, held: tuple[MonotoneMemory, ...], way: float, amplitude: float) -> Array:
    """(n,) forces along two cycles, with every unlimited memory at ``way``."""
    memory = np.array(law.start(0.0), dtype=float)
    for own in held:
        limit = own.limit or 0.0
        memory[own.place] = own.sign * min(way, abs(limit)) if abs(limit) == LONG_USE_MEMORY else limit
    return np.array([force for force, _ in _trace_cycles(law, memory, amplitude, 2)])


def _amplitudes(low: float, high: float) -> Iterator[float]:
    amplitude = low
    while amplitude <= high:
        yield amplitude
        amplitude *= AMPLITUDE_RATIO


def _trace_cycles(law: Law, memory: Any, amplitude: float, count: int) -> Iterator[tuple[float, Any]]:
    """Forces and memories at the samples of cycles about zero; stops where the law has no value."""
    own: Any = tuple(float(x) for x in memory)
    for k in range(1, count * SAMPLES_A_CYCLE + 1):
        angle = 2.0 * math.pi * (k % SAMPLES_A_CYCLE) / SAMPLES_A_CYCLE
        try:
            force, own = law.update(amplitude * math.sin(angle), amplitude * math.cos(angle), own)
        except (ArithmeticError, ValueError):
            return
        yield force, own


# ---- the twin


class LongUseTwin:
    """A law with some numbers of its memory held. A twin class has this and the law as bases, in this order."""

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        """The update of the law with the held numbers inserted into the memory, and removed again."""
        own: Any = self
        force, new = own.whole_update(u, v, own.whole_memory(memory))
        return force, own.own_memory(new)

    def start(self, u: float = 0.0) -> Any:
        """Memory after long use and a monotone motion from deflection 0 to u."""
        own: Any = self
        begun = own.own_memory(own._given(**own.parameters()).start(0.0))
        return own.update(float(u), 0.0, begun)[1] if begun else ()

    def whole_memory(self, memory: Any) -> tuple[float, ...]:
        """The memory of the law, with the held numbers."""
        own: Any = self
        kept = iter(memory)
        return tuple(own._held[i] if i in own._held else float(next(kept)) for i in range(len(own._given.remembers)))

    def own_memory(self, memory: Any) -> tuple[float, ...]:
        """The memory without the held numbers."""
        own: Any = self
        return tuple(x for i, x in enumerate(memory) if i not in own._held)


_twin_classes: dict[tuple[type, tuple[tuple[int, float], ...]], Any] = {}  # kernels belong to a class: make each once


def _twin_class(law: type[Law], held: tuple[tuple[int, float], ...]) -> Any:
    """The twin class of a class of laws."""
    if (law, held) not in _twin_classes:
        _twin_classes[law, held] = _make_twin_class(law, dict(held))
    return _twin_classes[law, held]


def _make_twin_class(law: type[Law], values: dict[int, float]) -> Any:
    kept = tuple(name for i, name in enumerate(law.remembers) if i not in values)
    own = {
        "__doc__": law.__doc__, "__module__": __name__, "_given": law, "_held": values, "remembers": kept,
        "update": LongUseTwin.update, "compiled": "whole_update", "whole_update": law.update,
        "needs_rate": law.needs_rate,
    }  # fmt: skip
    return type(law.__name__, (LongUseTwin, law), own)
