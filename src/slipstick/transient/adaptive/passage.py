"""One stretch of time, gone through again and again from different states, with the derivative by the state.

What a run sets up once (heads, matrices, functions of time) is kept; a passage puts the state in and goes. On the way
it may write every step down (`Tape`) and carry small changes along (`variations`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.laws import stack
from slipstick.laws.compile import pointer, tangent_kernel
from slipstick.laws.loops import modulation
from slipstick.native import Native
from slipstick.transient.adaptive import equations, variations
from slipstick.transient.adaptive import places as at
from slipstick.transient.adaptive.journey import Journey, sizes_of
from slipstick.transient.adaptive.setup import Prepared, kernel
from slipstick.transient.forcing import READERS
from slipstick.transient.kernels import modules_loop

Array = NDArray[np.float64]

FIRST_ROWS = 2048
MOST_STEPS = 5_000_000  # of the first passage
OUT_OF_HAND = 30  # times the steps of the last passage, and some more: a state that leads astray
SOME = 100_000
FAR_TOO_MANY = 10.0  # times the most steps, at the pace of so many: it is not worth while to see that it is so
# Dormand and Prince: the part of the step, then the weights of the stages before; the last line is of the new state
TABLE = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0],
        [1 / 5, 1 / 5, 0, 0, 0, 0, 0],
        [3 / 10, 3 / 40, 9 / 40, 0, 0, 0, 0],
        [4 / 5, 44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [8 / 9, 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [1, 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [1, 35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
# what a passage begins with anew; the rest is written before it is read
ANEW = (
    *(at.FLOOR, at.SCALE, at.DIRECTION, at.CORNER, at.BEHIND, at.U_SCALE, at.V_SCALE, at.QUIET),
    *(at.EDGE_SIDE, at.EDGE_SCALE, at.BOOK),
)


class Start(NamedTuple):
    """Where a passage begins: y (2n + z,) q, v and inner states; the packed memory of each element's law."""

    y: Array
    memories: list[Array]


class Change(NamedTuple):
    """Small changes of a start, c of them.

    state : (c, 2n + z) of q, v and inner states.   memories : (c, size) of each packed memory.
    local : of each element, True if what it remembers is one number in effect.
    frequency : [rad/s] the last change is that by the frequency, of everything that is periodic, over a span of one
        period; 0: it is not.
    """

    state: Array
    memories: list[Array]
    local: list[bool]
    frequency: float = 0.0


class Tape(NamedTuple):
    """The steps of a passage, r of them, and before them the start.

    time : (r + 1,) since the start of the problem.   y : (r + 1, 2n + z) q, v, inner states.
    leaving, coming : (r, 2n + z) dy/dt at the begin and at the end of each step.
    begun, forces : (r, m) of the elements at the begin and at the end of each step, with all factors; those that are
        part of the matrices left out.
    event : (r + 1,) True where a step ended at a reversal, a corner or an edge.
    """

    time: Array
    y: Array
    leaving: Array
    coming: Array
    begun: Array
    forces: Array
    event: NDArray[np.bool_]


class Passed(NamedTuple):
    """Where a passage ended, and how: see `Start`, `Change` and `Tape`.

    y : (2n + z,) q, v, inner states.   memory : all packed memories, behind each other.
    sizes : (2n + z,) the largest |y| on it.   tops : the same of each number of the memories.
    steps : how many.   events : (k, EVENT_HEAD) time since the start, element, kind, way, deflection of each reversal,
        corner and edge.
    """

    y: Array
    memory: Array
    change: Change | None
    tape: Tape | None
    sizes: Array
    tops: Array
    steps: int
    events: Array


def vary_kernel() -> Native:
    """The step of small changes, compiled once and kept."""
    modules = (stack, at, equations, variations)
    return modules_loop(modules, (modulation, *READERS), "vary", ("list", "number"))


class Passage:
    """From the start of a problem over ``span`` [s], at a tolerance."""

    def __init__(self, ready: Prepared, span: float, tolerance: float) -> None:
        self.ready, self.span = ready, span
        self.journey = Journey(ready, ready.problem.start + span, np.zeros(0), tolerance)
        self.plan = self.journey.plan
        self.arrays = self.journey.arrays
        self.begun = self.plan.copy()
        self.anew = {place: self.arrays[place].copy() for place in ANEW}
        self.size = int(2 * self.plan[at.FREE] + self.plan[at.INNER])
        self.carried: Change | None = None
        self.most = MOST_STEPS
        self.row = at.ROW_HEAD + 3 * self.size + 2 * len(ready.problem.elements)
        self.rows = FIRST_ROWS
        self.reach = np.abs(ready.problem.deflections)
        self._lay_out()

    def tune(self, ready: Prepared, span: float) -> None:
        """Turn to other functions of time, over another span; see `Prepared.retuned`."""
        if ready is self.ready:
            return
        self.ready = self.journey.ready = ready
        self.journey.until, self.span = ready.problem.start + span, span
        fixed = self.plan[at.FIXED]
        self.journey._numbers(self.journey.tolerance, None, energy=False)
        self.plan[at.FIXED] = fixed
        self.journey.put_functions()
        m, n = len(ready.problem.elements), ready.problem.n
        if any(element.modulation for element in ready.problem.elements):
            self.journey.heads = ready.heads(self.journey.sizes, self.journey.starts)
            self.journey._put(at.HEADS, self.journey.heads.rows)
            self.journey._put(at.MODULATIONS, self.journey.heads.modulations)
        floor = ready.floors(span)
        self.anew[at.FLOOR][:n] = floor
        self.anew[at.V_SCALE][:m] = self.reach @ floor + 1e-6 * sizes_of(ready.offsets.rate())
        self.begun = self.plan.copy()

    def _lay_out(self) -> None:
        """Where memories begin and end."""
        size = self.arrays[at.MEMORY].size
        self.ends = [*self.journey.starts[1:], size - 2]  # behind them stands what keeps arrays from being empty
        self.journey._put(at.TOPS, np.zeros(size - 1))
        self.journey._put(at.Y_TOPS, np.zeros(self.size))
        self.journey._put(at.FORCE_BEGIN, np.zeros(len(self.ready.problem.elements)))

    def go(
        self,
        start: Start,
        change: Change | None = None,
        tape: bool = False,
        tolerance: float | None = None,
        mesh: Array | None = None,
        sizes: Array | None = None,
        largest: float = math.inf,
    ) -> Passed:
        """Go through, at a tolerance of its own or with steps that end at times (k,) [s], if they are given.

        sizes : (2n + z,) of the motion, by which errors are measured from the begin; else they are found on the way.
        largest : [s] the longest step.
        Raises `NotConverged`.
        """
        self.plan[at.TOLERANCE] = self.journey.tolerance if tolerance is None else tolerance
        self.plan[at.LARGEST] = min(self.begun[at.LARGEST], largest)
        self._begin(start, sizes)
        self._step_by(mesh)
        if change is not None:
            self._carry(change)
        if tape:
            self._write()
        self._run()
        return self._passed(start, change, tape)

    def _begin(self, start: Start, sizes: Array | None) -> None:
        p, arrays, plan = self.ready.problem, self.arrays, self.plan
        n, m = p.n, len(p.elements)
        for place in (at.TIME, at.ACCEPTED, at.REJECTED, at.EVENTS, at.LAST_ERROR, at.KINETIC, at.WAVE_TIME, at.READY):
            plan[place] = 0.0
        plan[at.STEP], plan[at.FRESH] = self.begun[at.STEP], 1.0
        plan[at.COLUMNS] = plan[at.TAPE] = plan[at.TAPED] = 0.0
        for place, first in self.anew.items():
            arrays[place][:] = first
        y = arrays[at.Y]
        y[: self.size] = start.y
        self._memories(start.memories)
        scale = np.abs(y, out=arrays[at.Y_TOPS]).copy()
        scale[n : 2 * n] = np.maximum(scale[n : 2 * n], arrays[at.FLOOR][:n])
        arrays[at.SCALE][:] = scale
        if sizes is not None:
            np.maximum(arrays[at.SCALE][: self.size], sizes, out=arrays[at.SCALE][: self.size])
        if m:
            moving = 1e-6 * self.reach @ np.abs(y[n : 2 * n])
            arrays[at.U_SCALE][:m] = (arrays[at.V_SCALE][:m] + moving) / max(self.ready.fastest, 1.0 / self.span)

    def _step_by(self, mesh: Array | None) -> None:
        """Have steps end at given times, counted from the start."""
        self.plan[at.FIXED] = mesh is not None
        self.plan[at.MESH] = self.plan[at.MESH_NEXT] = 0.0
        if mesh is not None:
            self.arrays[at.MESH] = mesh
            self.plan[at.MESH], self.plan[at.MESH_COUNT] = mesh.ctypes.data, mesh.size

    def _memories(self, memories: list[Array]) -> None:
        packed = self.arrays[at.MEMORY]
        for begin, own in zip(self.journey.starts, memories, strict=True):
            packed[begin : begin + own.size] = own
        np.abs(packed, out=self.arrays[at.TOPS])

    def _carry(self, change: Change) -> None:
        """Put changes in, and make room for them where they are others than the last."""
        if self.carried is None or self.carried.state is not change.state:
            self._make_room(change)
            self.carried = change
        self.arrays[at.CHANGES][: change.state.size] = change.state.ravel()
        self.arrays[at.MEMORY_CHANGES][:] = self.first_changes
        plan = self.plan
        plan[at.COLUMNS], plan[at.JUMPED] = change.state.shape[0], -1.0
        plan[at.PACED] = change.state.shape[0] - 1 if change.frequency else -1.0
        plan[at.PACE] = -1.0 / change.frequency if change.frequency else 0.0

    def _make_room(self, change: Change) -> None:
        put, laws = self.journey._put, [e.law for e in self.ready.problem.elements]
        count, memory = change.state.shape[0], self.arrays[at.MEMORY].size
        self.plan[at.VARY], self.plan[at.MEMORY_SIZE] = vary_kernel().address, memory
        called = [kind in (at.PLAIN, at.CLOSED) for kind in self.ready.kinds]
        tangents = [
            (tangent_kernel(type(law)).address if used else 0.0, law.needs_rate, change.local[e])
            for e, (law, used) in enumerate(zip(laws, called, strict=True))
        ]
        packed = np.zeros((count, memory))
        for begin, own in zip(self.journey.starts, change.memories, strict=True):
            packed[:, begin : begin + own.shape[1]] = own
        self.first_changes = put(at.MEMORY_CHANGES, packed).copy()
        put(at.TANGENTS, tangents)
        put(at.TABLE, TABLE)
        for place, size in (
            (at.CHANGES, change.state.size),
            (at.CHANGE_STAGES, 6 * change.state.size),
            (at.CHANGE, self.size),
            (at.MEMORY_WORK, memory + 17),
            (at.REFERENCE, len(laws)),
            (at.FORCE_CHANGES, count * len(laws)),
            (at.SHARES, count * len(laws)),
            (at.SLOPES, len(laws) * at.SLOPE),
            (at.BEFORE, self.ready.problem.n),
        ):
            put(place, np.zeros(size))

    def _write(self) -> None:
        """Have the steps written down."""
        if at.TAPE not in self.arrays:
            self.arrays[at.TAPE] = np.empty(self.rows * self.row)
        self.plan[at.TAPE] = self.arrays[at.TAPE].ctypes.data
        self.plan[at.TAPE_ROOM] = self.rows

    def _run(self) -> None:
        plan, found, until = pointer(self.plan), pointer(self.journey.found), float(self.plan[at.UNTIL])
        loop = kernel().call
        while self.plan[at.TIME] < until:
            steps, time = self.journey.steps, self.plan[at.TIME]
            why = int(loop(plan, found, until, min(self.most, SOME)))
            if why == at.NEEDS_TAPE:
                longer = np.empty(2 * self.arrays[at.TAPE].size)
                longer[: self.arrays[at.TAPE].size] = self.arrays[at.TAPE]
                self.rows *= 2
                self.arrays[at.TAPE] = longer
                self._write()
            elif why != at.GOES_ON:
                self.journey.answer(why)
            self._refuse_many(self.journey.steps - steps, float(self.plan[at.TIME] - time))
        self.most = min(MOST_STEPS, SOME + OUT_OF_HAND * self.journey.steps)

    def _refuse_many(self, steps: int, passed: float) -> None:
        """Give up on a period that takes too many steps, or would at the pace of the last ones."""
        taken, left = self.journey.steps, float(self.plan[at.UNTIL] - self.plan[at.TIME])
        more = left * steps / max(passed, 1e-300) if steps >= SOME else 0.0
        if taken < self.most and more < FAR_TOO_MANY * self.most:
            return
        raise NotConverged(
            f"adaptive: a period takes more than {max(float(taken), more):.1e} steps (at most {self.most}): the model "
            "is stiff; look for a damper or spring that is too strong, or take harmonic-balance"
        )

    def _passed(self, start: Start, change: Change | None, tape: bool) -> Passed:
        arrays, plan, size = self.arrays, self.plan, self.size
        new = None if change is None else self._changed(change)
        written = self._tape(start) if tape else None
        y, memory = arrays[at.Y][:size].copy(), arrays[at.MEMORY].copy()
        sizes, tops = arrays[at.Y_TOPS][:size].copy(), arrays[at.TOPS].copy()
        line = self.journey.event_line
        lines = arrays[at.EVENT_OUT][: int(plan[at.EVENTS]) * line].reshape(-1, line)
        events = lines[:, : at.EVENT_HEAD].copy()
        return Passed(y, memory, new, written, sizes, tops, int(plan[at.ACCEPTED]), events)

    def _changed(self, change: Change) -> Change:
        count, memory = change.state.shape[0], int(self.plan[at.MEMORY_SIZE])
        state = self.arrays[at.CHANGES][: count * self.size].reshape(count, self.size).copy()
        packed = self.arrays[at.MEMORY_CHANGES][: count * memory].reshape(count, memory)
        memories = [packed[:, b:e].copy() for b, e in zip(self.journey.starts, self.ends, strict=True)]
        return Change(state, memories, change.local, change.frequency)

    def _tape(self, start: Start) -> Tape:
        count, size = int(self.plan[at.TAPED]), self.size
        rows = self.arrays[at.TAPE][: count * self.row].reshape(count, self.row).copy()
        begin = self.ready.problem.start
        head, last = at.ROW_HEAD, self.row - len(self.ready.problem.elements)
        return Tape(
            time=begin + np.concatenate([[0.0], rows[:, at.ROW_TIME]]),
            y=np.vstack([start.y, rows[:, head : head + size]]),
            leaving=rows[:, head + size : head + 2 * size],
            coming=rows[:, head + 2 * size : head + 3 * size],
            begun=rows[:, head + 3 * size : last],
            forces=rows[:, last:],
            event=np.concatenate([[True], rows[:, at.ROW_EVENT] != 0.0]),
        )
