"""One run of the compiled loop, and what it wrote down."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.laws.compile import pointer
from slipstick.laws.friction import DryFriction
from slipstick.laws.masing import Jenkins
from slipstick.transient.energy import Snapshot
from slipstick.transient.forcing import Forcing
from slipstick.transient.inclusion.scheme import kernel
from slipstick.transient.inclusion.tables import Tables
from slipstick.transient.kernels import modulation_numbers
from slipstick.transient.options import Progress
from slipstick.transient.recording import factors

Array = NDArray[np.float64]

CHUNKS = 100  # a run is gone through in so many pieces: for progress and Ctrl-C


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
        memories, u = p.start_memories(), self._start_deflections()
        for j, e in enumerate(parts.sliders):
            law = p.elements[e].law
            assert isinstance(law, Jenkins)
            eta = law.limit / law.stiffness
            self.x[2 * self.n + j] = min(max(u[e] - memories[e][0], -eta), eta)
        self.x[parts.first_time] = 1.0
        self._start_sliding()
        self.line = 2 * self.n + both
        self.out = np.empty((times.size + 1, self.line))
        self.before = int(np.count_nonzero(times <= p.start))
        held = self.x[parts.width + self.sliders : parts.width + both]
        self.out[: self.before] = np.concatenate([self.x[: parts.first_time], held])
        self.events = np.zeros((1024 + both, 4 + self.line))
        self.event_count = 0
        self.reached = 0
        self._pack(both)

    def _start_sliding(self) -> None:
        """Contacts that move at the start slip already: nothing happens to them in the first step."""
        parts, p = self.tables.parts, self.tables.parts.problem
        both = self.sliders + self.frictions
        rates = p.deflections @ self.x[self.n : 2 * self.n] + p.offsets.at(p.start, 1)
        for j, e in enumerate(parts.contacts):
            side, law = float(np.sign(rates[e])), p.elements[e].law
            if isinstance(law, DryFriction):
                self.x[parts.width + j] = side * law.limit * factors(p, e, np.array(p.start))  # type: ignore[operator]
            elif isinstance(law, Jenkins) and self.x[2 * self.n + j] * side < law.limit / law.stiffness:
                side = 0.0
            self.x[parts.width + both + j] = side

    def _start_deflections(self) -> Array:
        p = self.tables.parts.problem
        return p.deflections @ self.x[: self.n] + p.offsets.at(p.start)

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
        """March to the end, or raise with what was reached."""
        size = max(1, self.count // CHUNKS)
        call, pointers = kernel().call, self._pointers()
        try:
            while self.reached < self.count:
                last = min(self.reached + size, self.count)
                self.reached = int(call(*pointers, self.reached, last))
                self.event_count = int(self.shape[12])
                if self.reached < last:
                    pointers = self._more_room()
                if not np.isfinite(self.x[: 2 * self.n]).all():
                    raise self._stopped("the state is no longer finite")
                if self.progress:
                    self.progress(self.reached / self.count)
        except KeyboardInterrupt:
            raise self._stopped("interrupted") from None

    def _pointers(self) -> list[Any]:
        """The arguments of the loop; finding them takes as long as some hundred steps."""
        arrays = (self.shape, self.clock, self.rows, self.contacts, self.laws, self.signals, self.x, self.room)
        return [pointer(a) for a in (*arrays, self.times, self.out, self.events)]

    def _more_room(self) -> list[Any]:
        self.events = np.concatenate([self.events, np.zeros_like(self.events)])
        self.shape[11] = len(self.events)
        return self._pointers()

    def _stopped(self, why: str) -> NotConverged:
        p = self.tables.parts.problem
        written = int(self.shape[10])
        good = int(np.argmin(np.r_[np.isfinite(self.out[:written]).all(axis=1), False]))
        self.times, self.out = self.times[:good], self.out[: good + 1]
        t = p.start + self.reached * self.tables.h
        if why == "interrupted":
            return NotConverged(f"interrupted at t = {t:.6g} s")
        return NotConverged(f"inclusion: {why} near t = {t:.6g} s; take a smaller step")

    # ---- what was written down

    def motion(self) -> tuple[Array, Array]:
        out = self.out[: self.times.size]
        return out[:, : self.n], out[:, self.n : 2 * self.n]

    def deflections(self, times: Array, q: Array) -> Array:
        """(k, elements) the deflections."""
        p = self.tables.parts.problem
        return np.asarray(q @ p.deflections.T + p.offsets.over(times))

    def rates(self, times: Array, v: Array) -> Array:
        """(k, elements) the rates of the deflections."""
        p = self.tables.parts.problem
        return np.asarray(v @ p.deflections.T + p.offsets.over(times, 1))

    def forces(self, times: Array, q: Array, v: Array, contacts: Array) -> Array:
        """(k, elements) the forces of the laws, before their factors."""
        parts, p = self.tables.parts, self.tables.parts.problem
        u, rate = self.deflections(times, q), self.rates(times, v)
        held = {e: contacts[:, j] for j, e in enumerate(parts.contacts)}
        found = np.zeros((times.size, len(p.elements)))
        for e, element in enumerate(p.elements):
            law = element.law
            if isinstance(law, Jenkins):
                found[:, e] = law.stiffness * held[e]
            elif isinstance(law, DryFriction):
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
        u = p.deflections @ q[k] + p.offsets.at(t)
        memories: list[Any] = [() for _ in p.elements]
        for j, e in enumerate(self.tables.parts.sliders):
            memories[e] = (float(u[e] - self.out[k if k >= 0 else self.times.size + k, 2 * self.n + j]),)
        for e in self.tables.parts.frictions:
            memories[e] = (float(u[e]), 0.0)
        return Snapshot(t, q[k], v[k], memories)
