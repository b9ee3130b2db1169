"""The method "exact": drive the compiled flow, and serve what it asks for."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.compile import at as pointer
from slipstick.transient.exact import places as at
from slipstick.transient.exact.engine import kernel
from slipstick.transient.exact.packing import Packed, pack
from slipstick.transient.exact.tables import table
from slipstick.transient.options import Request
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]


class Flow:
    """The arrays of one run."""

    def __init__(self, packed: Packed) -> None:
        self.packed = packed
        n, m = packed.problem.n, len(packed.units)
        self.row = at.RECORD_HEAD + 2 * n + 2 * m
        self.state = np.zeros(packed.state_size)
        self.tables = np.zeros(at.TABLES_HEAD + 4096)
        self.tables[1] = at.TABLES_HEAD
        self.record = np.zeros(1024 * self.row)
        self.events = np.zeros(4 * (1024 + m))

    def start(self) -> None:
        p = self.packed
        problem, model, state = p.problem, p.model, self.state
        n, m = problem.n, len(p.units)
        x = int(model[at.X])
        state[x : x + n] = problem.displacement
        state[x + n : x + 2 * n] = problem.velocity
        state[at.TIME] = problem.start
        state[at.EPOCH_NOW] = 0.0
        state[at.RECORDS_ROOM] = self.record.size // self.row
        state[at.EVENTS_ROOM] = self.events.size // 4
        state[at.WANTED] = 0.0 if n <= 8 else 200.0
        piece, memory = int(model[at.PIECE]), int(model[at.MEMORY])
        memories = problem.start_memories()
        u = problem.deflections @ problem.displacement + problem.offsets.at(problem.start)
        for j, unit in enumerate(p.units):
            if unit.friction:
                state[piece + j] = at.STICK
                continue
            e = unit.elements[0]
            pieces = p.pieces[j]
            w = u[e] - memories[e][0] if memories[e] else 0.0
            k = first_piece(pieces, float(u[e]), float(w))
            state[piece + j] = k
            state[memory + j] = u[e] - w if pieces[k].moves else w
        if not kernel("begin").call(pointer(model), pointer(state), pointer(self.record), pointer(self.events)):
            raise RuntimeError("begin")
        state[at.EVENTS] = 0.0

    def go(self) -> None:
        advance = kernel("advance").call
        state, model = self.state, self.packed.model
        while True:
            state[at.BUDGET] = 20000.0
            why = int(
                advance(pointer(model), pointer(state), pointer(self.tables), pointer(self.record), pointer(self.events))
            )
            if why == at.DONE:
                return
            if why == at.NEED_TABLE:
                self.add_table()
            elif why == at.RECORDS_FULL:
                self.record = np.concatenate([self.record, np.zeros(self.record.size)])
                state[at.RECORDS_ROOM] = self.record.size // self.row
            elif why == at.EVENTS_FULL:
                self.events = np.concatenate([self.events, np.zeros(self.events.size)])
                state[at.EVENTS_ROOM] = self.events.size // 4
            elif why == at.PAUSE:
                pass
            else:
                raise RuntimeError(f"flow stopped: {why} at t = {state[at.TIME]}")

    def add_table(self) -> None:
        """Build the table of the present state and enter it in the directory."""
        p = self.packed
        first = int(p.model[at.PIECE])
        new = table(p, self.state[first : first + len(p.units)].copy())
        place = int(self.tables[1])
        if place + new.size > self.tables.size:
            self.tables = np.concatenate([self.tables, np.zeros(self.tables.size + new.size)])
        self.tables[place : place + new.size] = new
        self.tables[1] = place + new.size
        key = self.state[at.HASH]
        for i in range(int(self.tables[0])):
            entry = 2 + at.ENTRY_ROW * i
            if self.tables[entry + at.E_HASH] == key and self.tables[entry + at.E_AT] == 0.0:
                self.tables[entry + at.E_AT] = place
                return


def first_piece(pieces: Any, u: float, w: float) -> int:
    """The piece that a unit at rest is in: the one whose guards are farthest from zero; on a border one that moves on."""
    margin = [min((g.value.at(u, 0.0, w) for g in p.guards), default=np.inf) for p in pieces]
    return max(range(len(pieces)), key=lambda k: (margin[k], pieces[k].moves))


def run(problem: Problem, request: Request) -> Any:
    begin = time.perf_counter()
    flow = Flow(pack(problem, request.until))
    flow.start()
    flow.go()
    flow.seconds = time.perf_counter() - begin
    return flow
