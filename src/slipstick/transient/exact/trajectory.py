"""`ExactTrajectory`: samples, events and certificate of an exact run, from its segments on demand."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.laws.law_kernels import pointer
from slipstick.model.system import dense
from slipstick.results.certificate import Certificate
from slipstick.results.connection_states import join_states
from slipstick.results.events import Events
from slipstick.results.run_end import RunEnd
from slipstick.results.trajectory import Samples, Stats
from slipstick.transient.energy import Snapshot
from slipstick.transient.exact import records as at
from slipstick.transient.exact.certify import certify, rounding_errors
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.flow_run import Flow
from slipstick.transient.exact.impact_losses import event_times
from slipstick.transient.exact.pair_columns import slip_direction
from slipstick.transient.exact.taylor_series import friction_share, is_sticking
from slipstick.transient.folded_matrices import is_plain
from slipstick.transient.problem import Problem
from slipstick.transient.recorded_samples import (
    join_states_by_connection,
    modulation_factors,
)
from slipstick.transient.run_request import RunRequest

ALL = slice(None)

MAX_STATE_CODE = 1 << 40  # beyond, the next part of a connection could overflow an integer of 64 bits
SAMPLES_PER_BATCH = 8192  # samples whose forces are computed together: more of them no longer stay in the cache


class SampledMotion(NamedTuple):
    """k instants: q, v (k, n) of the free coordinates, reactions (k, contacts), the segment each lies in."""

    time: Array
    q: Array
    v: Array
    reaction: Array
    segment: NDArray[np.intp]

    @property
    def segments(self) -> tuple[slice, NDArray[np.intp]]:
        """The range of segments of the instants, and the index of each within it."""
        if not self.segment.size:
            return slice(0, 0), self.segment
        return slice(int(self.segment[0]), int(self.segment[-1]) + 1), self.segment - self.segment[0]

    def part(self, p: slice) -> SampledMotion:
        """Some of the instants."""
        return SampledMotion(self.time[p], self.q[p], self.v[p], self.reaction[p], self.segment[p])


class ExactTrajectory:
    """An exact run; everything is evaluated from its segments, to rounding."""

    def __init__(self, flow: Flow, request: RunRequest) -> None:
        self.flow, self.request = flow, request
        self.packed = flow.engine.packed
        self.stats = Stats(method="exact")

    def count(self, seconds: float, tables: int) -> None:
        """Enter steps, events, tables and time of the run in its statistics."""
        self.stats.steps = self.flow.state.look_count
        self.stats.events = int(self._connection_counts[self.changes()[:, 1].astype(int)].sum())
        self.stats.factorisations = tables
        self.stats.seconds = seconds

    @property
    def problem(self) -> Problem:
        return self.packed.problem

    @cached_property
    def _connection_counts(self) -> NDArray[np.intp]:
        """(units,) the number of connections whose state each unit changes."""
        elements = self.problem.elements
        return np.array([len({elements[e].connection for e in u.elements}) for u in self.packed.units], dtype=np.intp)

    def at(self, times: Array) -> SampledMotion:
        """The motion at increasing times; at an event, right after it."""
        n, c = self.problem.n, self.packed.model.contact_count
        out = np.empty((times.size, 2 * n + c + 1))
        times = np.ascontiguousarray(times, dtype=float)
        engine = self.flow.engine
        with engine.lock:
            room = self.flow.state.copy()
            kernel("sample_run").call(
                engine.model, room.pointer, engine.tables.pointer, self.flow.recording.pointer, pointer(times),
                times.size, pointer(out),
            )  # fmt: skip
        return SampledMotion(
            times, out[:, :n], out[:, n : 2 * n], out[:, 2 * n : 2 * n + c], out[:, -1].astype(np.intp)
        )

    @property
    def reached(self) -> float:
        """[s] the last instant of the run."""
        return self.flow.time

    @property
    def times(self) -> Array:
        """The requested sample times that the run reached."""
        wanted = self.request.times[: np.searchsorted(self.request.times, self.reached, "right")]
        if self.request.with_events:
            return np.unique(np.concatenate([event_times(self.flow), wanted, [self.reached]]))
        # a run that ended early also has a sample at its end
        return np.append(wanted, self.reached) if self.reached < self.request.until else wanted

    def samples(self) -> Samples:
        return self.read(self.times)

    def read(self, times: Array) -> Samples:
        """The motion at increasing times within the run; at an event, right after it."""
        motion = self.at(times)
        p = self.problem
        displacement, velocity = p.all_coordinates(motion.time, motion.q, motion.v)
        force = np.zeros((motion.time.size, len(p.system.connections)))
        for first in range(0, motion.time.size, SAMPLES_PER_BATCH):
            part = slice(first, first + SAMPLES_PER_BATCH)
            full = self.forces(motion.part(part))
            for e, element in enumerate(p.elements):
                force[part, element.connection] += full[:, e]
        met, which = np.unique(motion.segment, return_inverse=True)
        state = self._states(met).take(which, axis=0)
        deflection = displacement @ dense(p.assembly.deflections)
        acceleration = p.accelerations(motion.time, motion.q, motion.v, force)
        return Samples(motion.time, displacement, velocity, deflection, force, state, acceleration)

    @cached_property
    def unit_of(self) -> dict[int, int]:
        """The unit of each element that has states."""
        return {e: j for j, unit in enumerate(self.packed.units) for e in unit.elements}

    def _states(self, segments: NDArray[np.intp]) -> NDArray[np.str_]:
        """(segments, connections) the name of each connection's state; names of its parts are joined."""
        p = self.problem
        parts: list[list[NDArray[np.str_]]] = [[] for _ in p.system.connections]
        pieces = self.flow.pieces[segments].astype(np.intp)
        for e, j in sorted(self.unit_of.items()):
            parts[p.elements[e].connection].append(np.array(self.packed.units[j].pieces)[pieces[:, j]])
        return join_states_by_connection(parts, segments.size)

    def piece(self, j: int, segments: slice = ALL) -> NDArray[np.intp]:
        """(segments,) the piece that a unit is in."""
        return self.flow.pieces[segments, j].astype(np.intp)

    def memory(self, j: int, segments: slice) -> Array:
        """(segments,) the memory of a unit."""
        return self.flow.memories[segments, j]

    def forces(self, motion: SampledMotion) -> Array:
        """(k, elements) the force each element adds to its connection."""
        p = self.problem
        u, v = p.deflections @ motion.q.T, p.deflections @ motion.v.T
        if not p.offsets.is_zero:
            u += p.offsets.over(motion.time).T
            v += p.offsets.over(motion.time, 1).T
        found = np.empty(u.shape)
        for e, element in enumerate(p.elements):
            linear, friction = element.law.linear_force if is_plain(element) else None, element.law.rigid_friction
            if linear is not None:
                found[e] = linear.stiffness * u[e]
                found[e] += linear.preload
            elif friction is not None:
                found[e] = self._friction(motion, e)
            elif element.law.rigid_contact is not None and element.law.rigid_stop is None:
                found[e] = self._pair_friction(motion, e)
                continue
            elif element.law.rigid_stop is not None:
                found[e] = element.scale * motion.reaction[:, int(self.packed.model.contact_of[self.unit_of[e]])]
                continue
            else:
                found[e] = self._broken_line(motion, e, u, v)
            viscous = linear or friction
            if viscous is not None and viscous.damping != 0.0:
                found[e] += viscous.damping * v[e]
            if element.force != 1.0:
                found[e] *= element.force
        return found.T

    def _broken_line(self, motion: SampledMotion, e: int, u: Array, v: Array) -> Array:
        """(k,) the force of an element with pieces.   u, v : (elements, k)."""
        j = self.unit_of[e]
        met, which = motion.segments
        rows = np.array([[*p.force[:4], p.moves, *p.force[5:]] for p in self.packed.pieces[j]])[self.piece(j, met)]
        # of each segment: the stretch is u - memory where that moves, and else the memory
        moves, memory = rows[:, 4] != 0.0, self.memory(j, met)
        constant = rows[:, 0] + rows[:, 3] * np.where(moves, -memory, memory)
        slope = rows[:, 1] + np.where(moves, rows[:, 3], 0.0)
        force = slope.take(which)
        force *= u[e]
        force += constant.take(which)
        if rows[:, 2].any():
            force += rows[:, 2].take(which) * v[e]
        if rows[:, 5:].any():
            other = self.packed.units[self.packed.units[j].partner].elements[0]
            force += rows[:, 5].take(which) * u[other] + rows[:, 6].take(which) * v[other]
        return force

    def _friction(self, motion: SampledMotion, e: int) -> Array:
        j = self.unit_of[e]
        unit, model = self.packed.units[j], self.packed.model
        i = int(model.contact_of[j])
        total = sum(self.problem.elements[k].law.limit for k in unit.elements)  # type: ignore[attr-defined]
        limit = total * np.broadcast_to(
            modulation_factors(self.problem, unit.elements[0], motion.time), motion.time.shape
        )
        shares = np.array([friction_share(self.packed.model, piece, i) for piece in range(len(unit.pieces))])
        met, which = motion.segments
        own = shares[self.piece(j, met)].take(which) * limit + motion.reaction[:, i]
        return np.asarray(own * unit.shares[unit.elements.index(e)])

    def _pair_friction(self, motion: SampledMotion, e: int) -> Array:
        """The tangential force of a rigid contact: its reaction in stick, and in slip friction times the normal one."""
        j = self.unit_of[e]
        unit, i = self.packed.units[j], int(self.packed.model.contact_of[j])
        assert unit.pair is not None
        ways = np.array([slip_direction(float(piece)) for piece in range(len(unit.pieces))])
        met, which = motion.segments
        slides = ways[self.piece(j, met)].take(which)
        return np.asarray(motion.reaction[:, i] + unit.pair.friction * slides * motion.reaction[:, i + 1])

    def changes(self) -> Array:
        """The events of the flow at which the name of a state changes: a contact that others hold still sticks."""
        rows = self.flow.events
        if self.problem.resumed is not None:  # the continuation of a run is no event
            rows = rows[rows[:, 0] > self.problem.start]
        held = (rows[:, 2:] == at.HELD_UP) | (rows[:, 2:] == at.HELD_DOWN) | (rows[:, 2:] == at.AT_REST)
        if not held.any():
            return rows
        slides = np.array([unit.is_contact for unit in self.packed.units])[rows[:, 1].astype(int)]
        named = np.where(held & slides[:, None], at.STICK, rows[:, 2:])
        return np.asarray(rows[named[:, 0] != named[:, 1]])

    def events(self) -> Events:
        rows, connections = self.changes(), self.problem.system.connections
        if not len(rows):
            return Events(())
        found = [self._connection_events(c, rows) for c in range(len(connections))]
        numbers = np.concatenate([numbers for numbers, _ in found])
        order = np.argsort(numbers, kind="stable")
        names = np.repeat([connection.name for connection in connections], [numbers.size for numbers, _ in found])
        before, after = (np.concatenate([states[i : i - 1 or None] for _, states in found]) for i in (0, 1))
        return Events.from_columns(rows[numbers[order], 0], names[order], before[order], after[order])

    def _connection_events(self, c: int, rows: Array) -> tuple[NDArray[np.intp], NDArray[np.str_]]:
        """(k,) which changes concern a connection, and (k + 1,) its states before, between and after them.

        rows : (changes, 4) as `changes` gives them.
        """
        elements, units = self.problem.elements, self.packed.units
        members = [j for e, j in sorted(self.unit_of.items()) if elements[e].connection == c]
        concerned = np.isin(np.arange(len(units)), members)
        unit, before, after = rows[:, 1:].T.astype(np.intp)
        numbers = np.flatnonzero(concerned[unit])
        if not numbers.size:
            return numbers, np.array([""])
        columns = []
        for j in members:
            own = np.flatnonzero(unit[numbers] == j)
            first = before[numbers[own[0]]] if own.size else self.piece(j, slice(1))[0]
            codes = np.repeat(np.append(first, after[numbers[own]]), np.diff(np.append(own, numbers.size), prepend=-1))
            columns.append(codes)
        return numbers, _joined_names(columns, [units[j].pieces for j in members])

    def snapshot(self, motion: SampledMotion, k: int) -> Snapshot:
        """The state at instant k with the memories of all laws, for the energy balance."""
        p = self.problem
        memories = p.start_memories()
        u = p.deflections_at(float(motion.time[k]), motion.q[k])
        for e, j in self.unit_of.items():
            if memories[e] and not self.packed.units[j].is_contact:
                memory = float(self.memory(j, ALL)[motion.segment[k]])
                piece, partner = self.packed.pieces[j][self.piece(j)[motion.segment[k]]], self.packed.units[j].partner
                stretch = float(u[e]) - memory if piece.moves else memory
                if partner < 0:
                    memories[e] = (memory if piece.moves else float(u[e]) - memory,)
                    continue
                near = float(u[self.packed.units[partner].elements[0]])
                if piece.stretch is not None:
                    stretch = piece.stretch.constant + piece.stretch.partner * near
                memories[e] = p.elements[e].law.kernel_law.memory_at((float(u[e]), near), stretch)
        return Snapshot(float(motion.time[k]), motion.q[k], motion.v[k], memories)

    def end(self) -> RunEnd:
        """Where it ended."""
        here = self.at(np.array([self.reached]))
        sticking = [
            e
            for e, j in self.unit_of.items()
            if self.packed.units[j].is_contact and is_sticking(float(self.flow.state.piece[j]))
        ]
        return self.snapshot(here, 0).as_end(self.problem, sticking, self.flow.state.scale.tolist())

    def accuracy(self) -> tuple[Array, tuple[str, ...]]:
        """(n,) the estimated error of each free coordinate, and notes on it in words."""
        return rounding_errors(self)

    def certificate(self) -> Certificate:
        return certify(self)


def _joined_names(columns: list[NDArray[np.intp]], names: list[tuple[str, ...]]) -> NDArray[np.str_]:
    """(k,) the joined states of several parts, from the numbers (k,) of their pieces and the names of these."""
    codes = np.zeros(columns[0].size, np.int64)
    for column, own in zip(columns, names, strict=True):
        codes = codes * len(own) + column
        if codes.max() > MAX_STATE_CODE:
            codes = np.unique(codes, return_inverse=True)[1]
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    words = [[own[k] for own, k in zip(names, row, strict=True)] for row in np.stack(columns, axis=1)[first].tolist()]
    return np.asarray(np.array([join_states(row) for row in words], dtype=np.str_)[which])
