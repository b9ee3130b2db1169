"""The map of a state over one period by the exact flow, and its derivative.

A state is (q, v, w): displacements, velocities, and the stretches of sliders. Where units stand within their pieces
follows from it, and where it does not (a contact at rest, a slider at its limit), from what happens next.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear
from slipstick.laws.friction import DryFriction
from slipstick.model.condense import null_basis
from slipstick.transient.exact import places as at
from slipstick.transient.exact.engine import Flow, engine_of
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

NUDGE = 1e-7  # of the sizes of a state, where derivatives are differences


class Passed(NamedTuple):
    """One period: where it ended, the flow it was walked by, and the derivative (None: not asked for)."""

    state: Array
    flow: Flow
    derivative: Array | None


class ExactMap:
    """problem : of the orbit's period ``time`` [s], beginning at its start."""

    def __init__(self, problem: Problem, time: float) -> None:
        self.problem, self.time = problem, time
        self.engine = engine_of(problem)
        packed = self.engine.packed
        self.sliders = [j for j, pieces in enumerate(packed.pieces) if any(p.moves for p in pieces)]
        self.size = 2 * problem.n + len(self.sliders)

    def first(self) -> Array:
        """The state in which the model begins."""
        return self._state(self.engine.first)

    def go(self, state: Array, derivative: bool = False) -> Passed:
        """Follow a state (size,) over one period."""
        flow = self._flow(state)
        found = None
        if derivative:
            found = self._varied(flow)
            if found is None:
                found = self._differences(state)
        return Passed(self._state(flow.state), flow, found)

    def missed(self, state: Array, passed: Passed) -> Array:
        """(size,) by how much a state misses itself, over the sizes of the motion; drift of free bodies left out."""
        return self.without_drift((passed.state - state) / self.scales(passed.flow))

    def scales(self, flow: Flow) -> Array:
        """(size,) like `sizes`, but alike for all displacements, all velocities and all stretches.

        Events may all lie where displacements, or velocities, are zero: each is at least what the other makes it.
        """
        n, sizes, turn = self.problem.n, self.sizes(flow), 2.0 * math.pi / self.time
        q, v, w = (float(part.max(initial=0.0)) for part in (sizes[:n], sizes[n : 2 * n], sizes[2 * n :]))
        counts = (n, n, len(self.sliders))
        sized = (max(q, v / turn), max(v, turn * q), w)
        return np.concatenate([np.full(count, max(size, 1e-300)) for count, size in zip(counts, sized, strict=True)])

    def without_drift(self, rows: Array) -> Array:
        """Rows (size, ...) that belong to scaled states, without what nothing pulls back: free bodies may drift."""
        if not self.drift.size:
            return rows
        n = self.problem.n
        out = rows.copy()
        out[:n] -= self.drift @ (self.drift.T @ rows[:n])
        return out

    @cached_property
    def drift(self) -> Array:
        """(n, k) displacements that change no force, as orthonormal columns."""
        p = self.problem
        acting = [e.deflection for e in p.elements if not isinstance(e.law, DryFriction) and not _is_damper(e.law)]
        rows = np.vstack([p.stiffness, *acting]) if acting else p.stiffness
        size = np.abs(rows).max(axis=1, initial=0.0)
        return np.asarray(null_basis((rows[size > 0.0] / size[size > 0.0, None]).T))

    def sizes(self, flow: Flow) -> Array:
        """(size,) how large the parts of a state are over the period: what differences are measured by."""
        n = self.problem.n
        rows = np.abs(flow.record[:, at.RECORD_HEAD : at.RECORD_HEAD + 2 * n])
        x = np.maximum(rows.max(axis=0), np.abs(flow.state[int(self.engine.packed.model[at.X]) :][: 2 * n]))
        return np.concatenate([x, [self._limit(j) for j in self.sliders]])

    def _limit(self, j: int) -> float:
        """The largest stretch of a slider."""
        values = (guard.value for piece in self.engine.packed.pieces[j] for guard in piece.guards)
        return float(max(abs(value.constant / value.w) for value in values if value.w))

    def _flow(self, state: Array) -> Flow:
        n, units = self.problem.n, len(self.engine.packed.units)
        stretches = np.zeros(units)
        stretches[self.sliders] = state[2 * n :]
        first = self.engine.state_of(state[:n], state[n : 2 * n], stretches)
        first[at.WANTED] = 0.0  # modes at once: the next period will need them again
        flow = Flow(self.engine, self.problem.start + self.time, first)
        flow.go()
        if flow.trouble:
            raise NotConverged(f"exact: {flow.trouble} at t = {flow.time:.9g} s")
        return flow

    def _state(self, packed: Array) -> Array:
        """(q, v, w) of a packed state."""
        model, n = self.engine.packed.model, self.problem.n
        x, piece, memory = (int(model[slot]) for slot in (at.X, at.PIECE, at.MEMORY))
        found = np.empty(self.size)
        found[: 2 * n] = packed[x : x + 2 * n]
        if self.sliders:
            u = self.problem.deflections_at(float(packed[at.TIME]), found[:n])
            for k, j in enumerate(self.sliders):
                unit, own = self.engine.packed.units[j], float(packed[memory + j])
                moves = self.engine.packed.pieces[j][int(packed[piece + j])].moves
                found[2 * n + k] = u[unit.elements[0]] - own if moves else own
        return found

    def _varied(self, flow: Flow) -> Array | None:
        """The derivative of the map, carried along the segments; None where something has no inertia."""
        problem, packed = self.problem, self.engine.packed
        n, m = problem.n, len(packed.units)
        if problem.massless:
            return None
        first, last = flow.record[0], flow.state
        begin = self._changes(first[at.RECORD_HEAD + 2 * n :][:m])
        changes = np.ascontiguousarray(begin.T)
        flow.vary(flow.record, flow.until, changes)
        piece = int(packed.model[at.PIECE])
        out = np.empty((self.size, self.size))
        out[: 2 * n] = changes[:, : 2 * n].T
        for k, j in enumerate(self.sliders):
            own = changes[:, 2 * n + j]
            moves = packed.pieces[j][int(last[piece + j])].moves
            out[2 * n + k] = changes[:, :n] @ packed.units[j].deflection - own if moves else own
        return out

    def _changes(self, pieces: Array) -> Array:
        """(2n + units, size) changes of displacements, velocities and memories by those of a state, in these pieces."""
        packed, n = self.engine.packed, self.problem.n
        found = np.zeros((2 * n + len(packed.units), self.size))
        found[: 2 * n, : 2 * n] = np.eye(2 * n)
        for k, j in enumerate(self.sliders):
            if packed.pieces[j][int(pieces[j])].moves:
                found[2 * n + j, :n] = packed.units[j].deflection
                found[2 * n + j, 2 * n + k] = -1.0
        return found

    def _differences(self, state: Array) -> Array:
        """The derivative by central differences."""
        sizes = self.sizes(self._flow(state))
        out = np.empty((self.size, self.size))
        for k, size in enumerate(np.maximum(sizes, 1e-6 * sizes.max(initial=1e-300)).tolist()):
            step = np.zeros(self.size)
            step[k] = NUDGE * size
            ends = [self._state(self._flow(state + sign * step).state) for sign in (1.0, -1.0)]
            out[:, k] = (ends[0] - ends[1]) / (2.0 * step[k])
        return out


def _is_damper(law: Law) -> bool:
    return type(law) is Linear and law.stiffness == 0.0
