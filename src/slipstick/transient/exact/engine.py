"""A problem made ready for the compiled flow, and one run of that: drive it, and serve what it asks for."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.compile import pointer
from slipstick.transient.exact import places as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.packing import Packed, pack, tangent
from slipstick.transient.exact.reduction import Undetermined
from slipstick.transient.exact.roots import NEVER
from slipstick.transient.exact.tables import Unmodal, table
from slipstick.transient.options import Progress
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

SMALL = 8  # coordinates
PATIENCE, MORE_PATIENCE = 40.0, 200.0  # Taylor steps in a state of a small and a larger model before it gets its modes
FIRST_ROOM = 512  # segments and events, to begin with
BETWEEN_LOOKS = 2000.0  # segments, before Python looks at progress and interrupts


class Engine:
    """A packed problem with the tables of all states met so far: kept for the next run. One run at a time."""

    def __init__(self, problem: Problem) -> None:
        self.packed: Packed = pack(problem)
        self.model = pointer(self.packed.model)
        self.tables = np.zeros(at.TABLES_HEAD + 4096)
        self.tables[1] = at.TABLES_HEAD
        self.built = 0
        self.lock = threading.RLock()
        self.first = self._first_state()

    @property
    def nbytes(self) -> int:
        """[bytes] of the tables, by which it is decided whether they are kept."""
        return int(self.tables.nbytes)

    def add_table(self, state: Array) -> None:
        """Build the table of the present state and enter it in the directory."""
        first = int(self.packed.model[at.PIECE])
        new = table(self.packed, state[first : first + len(self.packed.units)].copy())
        self.built += 1
        place = int(self.tables[1])
        if place + new.size > self.tables.size:
            self.tables = np.concatenate([self.tables, np.zeros(self.tables.size + new.size)])
        self.tables[place : place + new.size] = new
        self.tables[1] = place + new.size
        for i in range(int(self.tables[0])):
            entry = 2 + at.ENTRY_ROW * i
            if self.tables[entry + at.E_HASH] == state[at.HASH] and self.tables[entry + at.E_AT] == 0.0:
                self.tables[entry + at.E_AT] = place
                return

    def _first_state(self) -> Array:
        """The state at the start, before it is decided what happens next."""
        problem = self.packed.problem
        memories = problem.start_memories()
        u = problem.deflections_at(problem.start, problem.displacement)
        stretches = np.zeros(len(self.packed.units))
        for j, unit in enumerate(self.packed.units):
            e = unit.elements[0]
            if not unit.friction and memories[e]:
                stretches[j] = u[e] - memories[e][0]
        return self.state_of(problem.displacement, problem.velocity, stretches)

    def state_of(self, displacement: Array, velocity: Array, stretches: Array) -> Array:
        """A state at the time of the start, before it is decided what happens next.

        displacement, velocity : (n,)   stretches : (units,) of sliders; of other units they do not count.
        """
        p = self.packed
        problem, model, state = p.problem, p.model, np.zeros(p.state_size)
        x, piece, memory = (int(model[slot]) for slot in (at.X, at.PIECE, at.MEMORY))
        state[x : x + problem.n] = displacement
        state[x + problem.n : x + 2 * problem.n] = velocity
        state[at.TIME] = problem.start
        state[at.STEP_HINT] = NEVER
        state[at.WANTED] = PATIENCE if problem.n <= SMALL else MORE_PATIENCE
        if problem.massless:
            state[at.WANTED] = 0.0
        u = problem.deflections_at(problem.start, displacement)
        for j, unit in enumerate(p.units):
            if unit.friction:
                state[piece + j] = at.STICK
                continue
            own, w = float(u[unit.elements[0]]), float(stretches[j])
            k = first_piece(p.pieces[j], own, w)
            state[piece + j] = k
            state[memory + j] = own - w if p.pieces[j][k].moves else w
        return state

    @cached_property
    def tangent(self) -> Array:
        """The packed model of small changes."""
        return tangent(self.packed)


def first_piece(pieces: Any, u: float, w: float) -> int:
    """The piece that a unit at rest is in: a slider sticks; of others the one whose guards are farthest from zero.

    A slider led to its limit is there to rounding only, and at rest the guards of sliding are zero either way.
    """
    margin = [min((g.value.at(u, 0.0, w) for g in p.guards), default=np.inf) for p in pieces]
    return max(range(len(pieces)), key=lambda k: (pieces[k].moves, margin[k]))


class Flow:
    """One run: its state, the segments recorded and the events.

    record : (segments, row) time, epoch, whether Taylor steps were taken; X; pieces; memories.
    events : (events, 4) time, unit, piece before, piece after.
    """

    def __init__(self, engine: Engine, until: float, first: Array | None = None) -> None:
        self.engine, self.until = engine, until
        packed = engine.packed
        self.row = at.RECORD_HEAD + 2 * packed.problem.n + 2 * len(packed.units)
        self.state = (engine.first if first is None else first).copy()
        self.state[at.UNTIL] = until
        self._record = np.zeros(FIRST_ROOM * self.row)
        self._events = np.zeros(4 * (FIRST_ROOM + len(packed.units)))
        self.trouble = ""

    @property
    def record(self) -> Array:
        return self._record[: int(self.state[at.RECORDS]) * self.row].reshape(-1, self.row)

    @property
    def events(self) -> Array:
        return self._events[: 4 * int(self.state[at.EVENTS])].reshape(-1, 4)

    @property
    def time(self) -> float:
        return float(self.state[at.TIME])

    def vary(self, record: Array, end: float, changes: Array) -> None:
        """Carry changes (k, 2n + units: displacements, velocities, memories) along segments up to ``end``, in place.

        k at most 2n + units. Everything must have inertia.
        """
        engine, state, near = self.engine, self.state.copy(), self.state.copy()
        record = np.ascontiguousarray(record)
        with engine.lock:
            kernel("vary").call(
                engine.model, pointer(engine.tangent), pointer(state), pointer(near), pointer(engine.tables),
                pointer(record), record.shape[0], end, pointer(changes), len(changes),
            )  # fmt: skip

    def go(self, progress: Progress | None = None) -> None:
        """Run to the end, or to what stops it: then `trouble` says what."""
        with self.engine.lock:
            self._go(progress)

    def _go(self, progress: Progress | None) -> None:
        engine, state = self.engine, self.state
        state[at.RECORDS_ROOM] = self._record.size // self.row
        state[at.EVENTS_ROOM] = self._events.size // 4
        here = pointer(state)
        if not kernel("begin").call(engine.model, here, pointer(self._record), pointer(self._events)):
            self.trouble = _TROUBLE[at.UNSETTLED]
            return
        state[at.EVENTS] = 0.0  # how a run begins is no event
        start, advance = self.time, kernel("advance").call
        while True:
            state[at.BUDGET] = BETWEEN_LOOKS
            why = int(advance(engine.model, here, pointer(engine.tables), pointer(self._record), pointer(self._events)))
            if why == at.DONE:
                break
            if why == at.NEED_TABLE:
                try:
                    engine.add_table(state)
                except Undetermined as problem:
                    self.trouble = _loose(engine.packed.problem, problem.direction)
                    return
                except Unmodal as problem:
                    self.trouble = f"{problem}; coordinates without inertia move by modes only, give them an inertia"
                    return
            elif why == at.RECORDS_FULL:
                self._record = np.concatenate([self._record, np.zeros(self._record.size)])
                state[at.RECORDS_ROOM] = self._record.size // self.row
            elif why == at.EVENTS_FULL:
                self._events = np.concatenate([self._events, np.zeros(self._events.size)])
                state[at.EVENTS_ROOM] = self._events.size // 4
            elif why == at.PAUSE:
                if progress is not None:
                    progress((self.time - start) / (self.until - start))
            else:
                self.trouble = _TROUBLE[why]
                return
        if progress is not None:
            progress(1.0)


def _loose(problem: Problem, direction: Array) -> str:
    """Which coordinates without inertia nothing determines."""
    names = [problem.assembly.names[i] for i in problem.assembly.free]
    found = [f'"{names[i]}"' for i in np.flatnonzero(np.abs(direction) > 1e-6 * np.abs(direction).max())]
    return (
        f"{' and '.join(found)} {'has' if len(found) == 1 else 'have'} no inertia and in this state nothing holds "
        f"{'it' if len(found) == 1 else 'them'} against a load; give an inertia, or friction"
    )


_TROUBLE = {
    at.STALL: "events pile up without time passing",
    at.NOT_FINITE: "the motion grows without bound",
    at.TOO_MANY: f"more than {at.MOST_ENTRIES} states with coordinates that have no inertia; give them a small one",
    at.NO_STATE: "no state of coordinates without inertia holds; give them an inertia or viscous friction",
    at.UNSETTLED: "the forces of contacts at rest could not be settled",
    at.LOST: "a spring or contact hovers at its switching point, closer than rounding",
}


def engine_of(problem: Problem) -> Engine:
    """The engine of a problem; made once, and kept with it."""
    found = problem.kept.get("exact")
    if found is None:
        found = problem.kept["exact"] = Engine(problem)
    return found
