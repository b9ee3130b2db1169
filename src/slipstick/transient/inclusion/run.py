"""One run of the compiled loop, and its results."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.laws.law_kernels import value_kernel
from slipstick.laws.law_packing import modulation_numbers
from slipstick.native import Rows
from slipstick.transient.energy import Snapshot
from slipstick.transient.inclusion.loop import BLOCK, kernel
from slipstick.transient.inclusion.records import (
    ActingElement,
    ContactPair,
    FrictionConstraint,
    SchemeState,
    SideChange,
    Wave,
)
from slipstick.transient.inclusion.setup import StepTables, in_blocks
from slipstick.transient.limit_sides import UNLOADED, side_of
from slipstick.transient.loop_kernels import parameters_of
from slipstick.transient.recorded_samples import modulation_factors
from slipstick.transient.run_request import Progress

MAX_STATE = 1e100  # a larger state diverges: its forces and energies overflow
PROGRESS_CHUNKS = 100  # parts of a run, for progress and Ctrl-C
INITIAL_EVENT_CAPACITY = 1024  # initial capacity


class InclusionRun:
    """One run of the compiled loop, in pieces."""

    def __init__(
        self, tables: StepTables, count: int, times: Array, progress: Progress | None = None, nudge: Array | None = None
    ) -> None:
        self.tables, self.count, self.times, self.progress = tables, count, times, progress
        p, parts = tables.parts.problem, tables.parts
        self.n, self.sliders, self.frictions = p.n, len(parts.sliders), len(parts.velocity_contacts)
        both = self.sliders + self.frictions
        self.x, self.held, self.side = np.zeros(parts.width), np.zeros(both + 1), np.zeros(both + 1)
        self.x[: self.n], self.x[self.n : 2 * self.n] = p.displacement, p.velocity
        if nudge is not None:
            self.x[: 2 * self.n] += nudge
        memories, u = p.start_memories(), p.deflections_at(p.start, self.x[: self.n])
        for j, e in enumerate(parts.sliders):
            slider = p.elements[e].law.elastic_slider
            assert slider is not None
            eta = slider.width
            self.x[2 * self.n + j] = min(max(u[e] - memories[e][0], -eta), eta)
        self.x[parts.first_time] = 1.0
        self._start_sliding()
        self.line = 2 * self.n + 2 * both
        self.out = np.empty((times.size + 1, self.line))
        self.before = int(np.count_nonzero(times <= p.start))
        self.out[: self.before] = self._line()
        self.reached = 0
        self.state = self._state_of(both)
        self._make_room(INITIAL_EVENT_CAPACITY + both)

    def _start_sliding(self) -> None:
        """Set contacts that move at the start to slip, so that the first step has no event for them."""
        parts, p = self.tables.parts, self.tables.parts.problem
        rates = p.rates_at(p.start, self.x[self.n : 2 * self.n])
        for j, e in enumerate(parts.contacts):
            way, law = float(np.sign(rates[e])), p.elements[e].law
            if e in parts.pairs:
                side = self._first_side(e, way)
            elif e in parts.frictions:
                most = float(law.limit * modulation_factors(p, e, np.array(p.start)))  # type: ignore[attr-defined]
                self.held[j] = way * most
                side = side_of(way * most, most)
            else:
                side = side_of(self.x[2 * self.n + j], law.limit / law.stiffness)  # type: ignore[attr-defined]
                side = 0.0 if abs(side) == 1.0 and side != way else side
            self.side[j] = side

    def _first_side(self, e: int, way: float) -> float:
        """The side at the start of one direction of a rigid contact, which moves in a direction 1, -1 or 0."""
        p, law = self.tables.parts.problem, self.tables.parts.problem.elements[e].law
        assert law.rigid_contact is not None
        u = p.deflections_at(p.start, self.x[: self.n])[e + (law.direction_rank == 0)]
        return UNLOADED if u < law.rigid_contact.gap else way if law.direction_rank == 0 else 0.0

    def _pairs(self) -> Rows[ContactPair]:
        parts, p = self.tables.parts, self.tables.parts.problem
        rows = Rows(ContactPair, len(parts.pairs) // 2)
        offsets, moves = parts.in_time(p.offsets), parts.in_time(p.offsets.rate())
        for i, members in enumerate(zip(parts.pairs[::2], parts.pairs[1::2], strict=True)):
            row, contact = rows[i], p.elements[members[0]].law.rigid_contact
            assert contact is not None
            row.friction, row.gap, row.restitution, row.normal_stiffness = contact
            own, normal = moves[list(members)], offsets[members[1]].copy()
            rates = own.copy()
            rates[:, p.n : 2 * p.n] += p.deflections[list(members)]
            normal[: p.n] += p.deflections[members[1]]
            row.normal, row.rates, row.moves = normal, rates.ravel(), own.ravel()
        return rows

    def _state_of(self, both: int) -> SchemeState:
        tables, parts = self.tables, self.tables.parts
        p = parts.problem
        waves, modulations = Rows(Wave, parts.omega.size), list[float]()
        for k, w in enumerate(parts.omega.tolist()):
            waves[k].omega, waves[k].step_cos, waves[k].step_sin = w, math.cos(w * tables.h), math.sin(w * tables.h)
        frictions = Rows(FrictionConstraint, self.frictions)
        pairs = self._pairs()
        for i, e in enumerate(parts.frictions):
            frictions[i].limit = p.elements[e].law.limit  # type: ignore[attr-defined]
            frictions[i].modulation = self._modulation(e, modulations)
        elements = self._elements(modulations)
        limits = [p.elements[e].law.limit / p.elements[e].law.stiffness for e in parts.sliders]  # type: ignore[attr-defined]
        sampled = parts.sampled_functions()
        return SchemeState(
            coordinate_count=self.n, slider_count=self.sliders, friction_count=self.frictions,
            pair_count=len(pairs), pairs=pairs, pair_work=np.zeros(3 * len(pairs) + 1), settled=True,
            element_count=len(elements), wave_count=len(waves), signal_count=sampled.rows, width=parts.width,
            implicit=tables.theta > 0.0, final_step=self.count, start=p.start, h=tables.h, theta=tables.theta,
            waves=waves, signals=sampled.packed(),
            rows=in_blocks(tables.rows), elements=elements, modulations=np.array([*modulations, 0.0]),
            contact_rows=np.append(tables.e, 0.0), contact_response=np.append(tables.r, 0.0),
            contact_matrix=np.append(tables.a, 0.0), slider_limits=np.array([*limits, 0.0]), frictions=frictions,
            x=self.x, held=self.held, side=self.side, change=np.zeros(self.n + both + BLOCK),
            right_hand_side=np.zeros(both + 1), low=np.zeros(both + 1), high=np.zeros(both + 1),
            matrix=np.zeros(both * both + 1), workspace=np.zeros(both * (both + 3) + 8),
            sample_times=np.append(self.times, np.inf), sample_count=self.times.size, next_sample=self.before,
            samples=self.out,
        )  # fmt: skip

    def _modulation(self, e: int, modulations: list[float]) -> int:
        """Where the modulation of an element begins among all; -1: it has none."""
        p, begin = self.tables.parts.problem, len(modulations)
        modulations += modulation_numbers(p.factors(e)) if p.elements[e].modulation else []
        return begin if p.elements[e].modulation else -1

    def _elements(self, modulations: list[float]) -> Rows[ActingElement]:
        parts, p = self.tables.parts, self.tables.parts.problem
        rows = Rows(ActingElement, len(parts.others))
        offsets, rates = parts.in_time(p.offsets), parts.in_time(p.offsets.rate())
        for i, e in enumerate(parts.others):
            row, element = rows[i], p.elements[e]
            row.value_function, row.parameters = value_kernel(type(element.law)).address, parameters_of(element.law)
            row.modulation = self._modulation(e, modulations)
            u, v = offsets[e].copy(), rates[e].copy()
            u[: p.n] += element.deflection
            v[p.n : 2 * p.n] += element.deflection
            row.deflection, row.rate, row.response = u, v, np.ascontiguousarray(self.tables.answer[:, i])
        return rows

    def _make_room(self, capacity: int) -> None:
        """Make room for events, and keep the present ones."""
        state, count = self.state, self.state.event_count
        events, samples = Rows(SideChange, capacity), np.zeros((capacity, self.line))
        if count:
            events.numbers[:count], samples[:count] = state.events.numbers[:count], state.event_samples[:count]
        state.events, state.event_samples, state.event_capacity = events, samples, capacity

    def go(self) -> None:
        """Run to the end; Ctrl-C and a state that is not finite leave the last good state."""
        size = max(1, self.count // PROGRESS_CHUNKS)
        before = self._saved
        while self.reached < self.count:
            last = min(self.reached + size, self.count)
            earlier, before = before, self._saved
            try:
                self._to(last)
            except KeyboardInterrupt:  # it arrives after the steps are taken, and before they are counted
                self._restore(before)
                raise
            if not self.is_finite:
                self._back_to_finite(earlier)
                raise NotConverged(
                    f"the state is no longer finite after t = {self.time:.6g} s; take a smaller step", owner="inclusion"
                )
            if self.progress:
                self.progress(self.reached / self.count)

    @property
    def is_finite(self) -> bool:
        return bool(np.abs(self.x[: 2 * self.n]).max(initial=0.0) < MAX_STATE)

    @property
    def time(self) -> float:
        """[s] of the present state."""
        return float(self.tables.parts.problem.start + self.reached * self.tables.h)

    @property
    def event_count(self) -> int:
        return self.state.event_count

    def _to(self, last: int) -> None:
        """Run to step ``last``, with more room for events if needed."""
        while True:
            self.reached = int(kernel().call(self.state.pointer, self.reached, last))
            if self.reached == last:
                return
            if not self.state.settled:
                raise NotConverged(
                    f"the forces of the rigid contacts could not be found at t = {self.time:.6g} s",
                    owner="inclusion",
                    advice=["take less friction, or FrictionContact, which has stiffnesses"],
                )
            self._make_room(2 * self.state.event_capacity)

    @property
    def _saved(self) -> tuple[int, tuple[Array, ...], tuple[int, int]]:
        """A copy for `_restore`: steps taken, the state, counts."""
        arrays = tuple(array.copy() for array in (self.x, self.held, self.side))
        return self.reached, arrays, (self.state.next_sample, self.state.event_count)

    def _restore(self, saved: tuple[int, tuple[Array, ...], tuple[int, int]]) -> None:
        self.reached, (self.x[:], self.held[:], self.side[:]), counts = saved
        self.state.next_sample, self.state.event_count = counts

    def _back_to_finite(self, good: tuple[int, tuple[Array, ...], tuple[int, int]]) -> None:
        """Return to the last step with finite states at both ends, by bisection from a good one.

        The very last finite state may have forces that are not finite.
        """
        first, beyond = good, self.reached
        self._restore(good)
        while beyond - self.reached > 1:
            good, middle = self._saved, (self.reached + beyond) // 2
            self._to(middle)
            if not self.is_finite:
                beyond = middle
                self._restore(good)
        self._restore(first)
        self._to(max(self.reached, beyond - 2))

    # ---- results

    def samples(self, with_events: bool) -> tuple[Array, Array]:
        """(k,) times and (k, 2n + 2 contacts) lines: q, v, w, friction forces, sides, of the part that was reached.

        A run that ended early has its last state too; with events, the states right after them.
        """
        written = self.state.next_sample
        times, lines = self.times[:written], self.out[:written]
        if self.reached < self.count and not (written and times[-1] >= self.time):
            times, lines = np.append(times, self.time), np.vstack([lines, self._line()])
        if with_events:
            changes, states = self.events()
            times, first = np.unique(np.concatenate([changes[:, 0], times]), return_index=True)
            lines = np.concatenate([states, lines])[first]
        return times, lines

    def events(self) -> tuple[Array, Array]:
        """(k, 4) time, contact, side before and after; (k, 2n + 2 contacts) the samples right after."""
        count = self.event_count
        return self.state.events.numbers[:count], self.state.event_samples[:count]

    def _line(self) -> Array:
        """The present state as a sample."""
        parts = self.tables.parts
        return np.concatenate([self.x[: parts.first_time], self.held[self.sliders : -1], self.side[:-1]])

    def motion(self) -> tuple[Array, Array]:
        out = self.out[: self.times.size]
        return out[:, : self.n], out[:, self.n : 2 * self.n]

    def present(self) -> Snapshot:
        """The state that was reached, also between samples."""
        return self._snapshot_of(self.time, self._line())

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
            elif e in parts.pairs:
                found[:, e] = held[e]
            elif e in parts.frictions:
                # stored is the force with the factor of a varying limit, which is divided out
                size = np.asarray(modulation_factors(p, e, times)) * np.ones(times.size)
                own = np.divide(held[e], size, out=np.zeros(times.size), where=size > 0.0)
                found[:, e] = own + law.damping * rate[:, e]
            elif times.size:
                found[:, e] = law.trace(u[:, e], times if times.size > 1 else None, rate=rate[:, e])
        return found

    def snapshot(self, k: int) -> Snapshot:
        """The state at sample k; -1 is the last."""
        return self._snapshot_of(float(self.times[k]), self.out[: self.times.size][k])

    def _snapshot_of(self, t: float, line: Array) -> Snapshot:
        """A sample at time t, with the memory of each element."""
        p, q, v = self.tables.parts.problem, line[: self.n], line[self.n : 2 * self.n]
        u = p.deflections_at(t, q)
        memories: list[Any] = [() for _ in p.elements]
        for j, e in enumerate(self.tables.parts.sliders):
            memories[e] = (float(u[e] - line[2 * self.n + j]),)
        for e in self.tables.parts.frictions:
            memories[e] = (float(u[e]), 0.0)
        return Snapshot(t, q, v, memories)
