"""One run of the compiled loop, and what it wrote down."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.laws.compile import pointer
from slipstick.laws.masing import Jenkins
from slipstick.transient.energy import Snapshot
from slipstick.transient.forcing import Forcing
from slipstick.transient.inclusion import places as at
from slipstick.transient.inclusion.scheme import kernel
from slipstick.transient.inclusion.tables import Tables
from slipstick.transient.kernels import modulation_numbers
from slipstick.transient.options import Progress
from slipstick.transient.recording import factors
from slipstick.transient.sides import side_of

Array = NDArray[np.float64]

ASTRAY = 1e100  # a state beyond is on its way to infinity, and its forces and energies overflow
CHUNKS = 100  # a run is gone through in so many pieces: for progress and Ctrl-C
FIRST_EVENTS = 1024  # that there is room for, at first


class March:
    """One run of the compiled loop, in pieces."""

    def __init__(
        self, tables: Tables, count: int, times: Array, progress: Progress | None = None, nudge: Array | None = None
    ) -> None:
        self.tables, self.count, self.times, self.progress = tables, count, times, progress
        p, parts = tables.parts.problem, tables.parts
        self.n, self.sliders, self.frictions = p.n, len(parts.sliders), len(parts.frictions)
        both = self.sliders + self.frictions
        self.x = np.zeros(parts.width + 2 * both + 1)
        self.x[: self.n], self.x[self.n : 2 * self.n] = p.displacement, p.velocity
        if nudge is not None:
            self.x[: 2 * self.n] += nudge
        memories, u = p.start_memories(), p.deflections_at(p.start, self.x[: self.n])
        for j, e in enumerate(parts.sliders):
            law = p.elements[e].law
            assert isinstance(law, Jenkins)
            eta = law.limit / law.stiffness
            self.x[2 * self.n + j] = min(max(u[e] - memories[e][0], -eta), eta)
        self.x[parts.first_time] = 1.0
        self._start_sliding()
        self.line = 2 * self.n + 2 * both
        self.out = np.empty((times.size + 1, self.line))
        self.before = int(np.count_nonzero(times <= p.start))
        self.out[: self.before] = self._line()
        self.events = np.zeros((FIRST_EVENTS + both, at.EVENT_HEAD + self.line))
        self.reached = 0
        self._pack(both)

    def _start_sliding(self) -> None:
        """Contacts that move at the start slip already: nothing happens to them in the first step."""
        parts, p = self.tables.parts, self.tables.parts.problem
        both = self.sliders + self.frictions
        rates = p.rates_at(p.start, self.x[self.n : 2 * self.n])
        for j, e in enumerate(parts.contacts):
            way, law = float(np.sign(rates[e])), p.elements[e].law
            if e in parts.frictions:
                most = float(law.limit * factors(p, e, np.array(p.start)))  # type: ignore[attr-defined]
                self.x[parts.width + j] = way * most
                side = side_of(way * most, most)
            else:
                side = side_of(self.x[2 * self.n + j], law.limit / law.stiffness)  # type: ignore[attr-defined]
                side = 0.0 if abs(side) == 1.0 and side != way else side
            self.x[parts.width + both + j] = side

    def _pack(self, both: int) -> None:
        tables, parts = self.tables, self.tables.parts
        p = parts.problem
        counts = (self.n, self.sliders, self.frictions, len(parts.others), parts.omega.size, len(parts.signals))
        kept = (self.times.size, self.before, len(self.events), 0)
        self.shape = np.array([*counts, parts.width, tables.theta > 0.0, self.count, *kept], dtype=float)
        turns = [(w, math.cos(w * tables.h), math.sin(w * tables.h)) for w in parts.omega]
        self.clock = np.array([p.start, tables.h, tables.theta, *(x for turn in turns for x in turn)])
        self.rows = tables.packed_rows()
        laws, limits = list(tables.acting.numbers), []
        for e in parts.sliders:
            limits.append(p.elements[e].law.limit / p.elements[e].law.stiffness)  # type: ignore[attr-defined]
        for e in parts.frictions:
            varies = bool(p.elements[e].modulation)
            limits += [p.elements[e].law.limit, float(len(laws)) if varies else -1.0]  # type: ignore[attr-defined]
            laws += modulation_numbers(p.elements[e].modulation, p.frequency) if varies else []
        self.laws = np.array(laws)
        self.contacts = np.concatenate([tables.e.ravel(), tables.r.ravel(), tables.a.ravel(), limits, [0.0]])
        signals = [(s, np.eye(len(parts.signals))[i]) for i, s in enumerate(parts.signals)]
        none = np.zeros(len(signals))
        waves = np.zeros((len(signals), 0))
        self.signals = Forcing(none, none, np.zeros(0), waves, waves, tuple(signals)).packed()
        self.room = np.zeros(self.n + 9 * both + 2 * both * both + 8)

    def go(self) -> None:
        """March to the end; Ctrl-C and a state that is no longer finite leave it where it was good."""
        size = max(1, self.count // CHUNKS)
        before = self._state
        while self.reached < self.count:
            last = min(self.reached + size, self.count)
            earlier, before = before, self._state
            try:
                self._to(last)
            except KeyboardInterrupt:  # it comes when the steps are taken, and before anybody counted them
                self._restore(before)
                raise
            if not self.is_finite:
                self._back_to_numbers(earlier)
                raise NotConverged(
                    f"inclusion: the state is no longer finite after t = {self.time:.6g} s; take a smaller step"
                )
            if self.progress:
                self.progress(self.reached / self.count)

    @property
    def is_finite(self) -> bool:
        return bool(np.abs(self.x[: 2 * self.n]).max(initial=0.0) < ASTRAY)

    @property
    def time(self) -> float:
        """[s] where it is."""
        return float(self.tables.parts.problem.start + self.reached * self.tables.h)

    @property
    def event_count(self) -> int:
        return int(self.shape[at.EVENTS])

    def _to(self, last: int) -> None:
        """Go to step ``last``, with more room for events where they need it."""
        while True:
            self.reached = int(kernel().call(*self._pointers, self.reached, last))
            if self.reached == last:
                return
            self.events = np.concatenate([self.events, np.zeros_like(self.events)])
            self.shape[at.EVENT_ROOM] = len(self.events)
            del self._pointers

    @property
    def _state(self) -> tuple[int, Array, Array]:
        """What `_restore` goes back to: steps taken, the state, counts."""
        return self.reached, self.x.copy(), self.shape.copy()

    def _restore(self, state: tuple[int, Array, Array]) -> None:
        self.reached, self.x[:], self.shape[:] = state
        self.shape[at.EVENT_ROOM] = len(self.events)

    def _back_to_numbers(self, good: tuple[int, Array, Array]) -> None:
        """To the last step that began and ended in numbers, by halves of the way from one that was good.

        The very last state of numbers may have forces that are none.
        """
        first, beyond = good, self.reached
        self._restore(good)
        while beyond - self.reached > 1:
            good, middle = self._state, (self.reached + beyond) // 2
            self._to(middle)
            if not self.is_finite:
                beyond = middle
                self._restore(good)
        self._restore(first)
        self._to(max(self.reached, beyond - 2))

    @cached_property
    def _pointers(self) -> list[Any]:
        """The arguments of the loop; finding them takes as long as some hundred steps."""
        arrays = (self.shape, self.clock, self.rows, self.contacts, self.laws, self.signals, self.x, self.room)
        return [pointer(a) for a in (*arrays, self.times, self.out, self.events)]

    # ---- what was written down

    def samples(self, with_events: bool) -> tuple[Array, Array]:
        """(k,) times and (k, 2n + 2 contacts) lines: q, v, w, friction forces, sides, as far as the run came.

        One that ended early has its last state too; with events, the states right after them.
        """
        written = int(self.shape[at.CURSOR])
        times, lines = self.times[:written], self.out[:written]
        if self.reached < self.count and not (written and times[-1] >= self.time):
            times, lines = np.append(times, self.time), np.vstack([lines, self._line()])
        if with_events:
            changes = self.events[: self.event_count]
            times, first = np.unique(np.concatenate([changes[:, at.EVENT_TIME], times]), return_index=True)
            lines = np.concatenate([changes[:, at.EVENT_HEAD :], lines])[first]
        return times, lines

    def _line(self) -> Array:
        """The state as it is, as a sample."""
        parts = self.tables.parts
        held = self.x[parts.width + self.sliders : parts.width + self.sliders + self.frictions]
        sides = self.x[parts.width + self.sliders + self.frictions :][: self.sliders + self.frictions]
        return np.concatenate([self.x[: parts.first_time], held, sides])

    def motion(self) -> tuple[Array, Array]:
        out = self.out[: self.times.size]
        return out[:, : self.n], out[:, self.n : 2 * self.n]

    def forces(self, times: Array, q: Array, v: Array, contacts: Array) -> Array:
        """(k, elements) the forces of the laws, before their factors."""
        parts, p = self.tables.parts, self.tables.parts.problem
        u, rate = p.deflections_at(times, q), p.rates_at(times, v)
        held = {e: contacts[:, j] for j, e in enumerate(parts.contacts)}
        found = np.zeros((times.size, len(p.elements)))
        for e, element in enumerate(p.elements):
            law: Any = element.law
            if e in parts.sliders:
                found[:, e] = law.stiffness * held[e]
            elif e in parts.frictions:
                # held is the force before the factor of a varying limit is taken out again
                size = np.asarray(factors(p, e, times)) * np.ones(times.size)
                own = np.divide(held[e], size, out=np.zeros(times.size), where=size > 0.0)
                found[:, e] = own + law.damping * rate[:, e]
            elif times.size:
                found[:, e] = law.trace(u[:, e], times if times.size > 1 else None, rate=rate[:, e])
        return found

    def snapshot(self, k: int) -> Snapshot:
        """The state at sample k; -1 is the last."""
        q, v = self.motion()
        p, t = self.tables.parts.problem, float(self.times[k])
        u = p.deflections_at(t, q[k])
        memories: list[Any] = [() for _ in p.elements]
        for j, e in enumerate(self.tables.parts.sliders):
            memories[e] = (float(u[e] - self.out[k if k >= 0 else self.times.size + k, 2 * self.n + j]),)
        for e in self.tables.parts.frictions:
            memories[e] = (float(u[e]), 0.0)
        return Snapshot(t, q[k], v[k], memories)
