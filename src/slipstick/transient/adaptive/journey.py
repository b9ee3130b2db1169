"""One run of the compiled loop, and what it wrote down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.laws.compile import pointer
from slipstick.transient.adaptive import places as at
from slipstick.transient.adaptive.setup import (
    SPARE,
    STEPS_A_PERIOD,
    Prepared,
    kernel,
    pack_memories,
    unpack_memory,
)
from slipstick.transient.energy import Snapshot, Works
from slipstick.transient.forcing import Forcing
from slipstick.transient.options import Progress
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]

CHUNKS = 100  # a run is gone through in so many pieces: for progress and Ctrl-C
MOST_STEPS = 50_000_000
STEPS_A_CALL = 200_000
FIRST_EVENTS = 1024
SURE = 2_000_000  # steps, after which their pace tells that a run needs more than it may take; fewer tell less surely


class Journey:
    """From the start of a problem to ``until``, with samples at ``times``.

    memories : of the elements' laws at the start, if they are not virgin.
    """

    def __init__(
        self,
        ready: Prepared,
        until: float,
        times: Array,
        tolerance: float,
        *,
        fixed: float | None = None,
        energy: bool = False,
        nudge: Array | None = None,
        memories: list[Any] | None = None,
        most_steps: int = MOST_STEPS,
    ) -> None:
        p = ready.problem
        self.ready, self.until, self.times, self.most_steps = ready, until, times, most_steps
        self.tolerance, self.fixed = tolerance, fixed
        self.plan = np.zeros(at.PLAN)
        self.arrays: dict[int, Array] = {}
        self.found = np.zeros(4 + len(p.elements))
        q, v = p.displacement.copy(), p.velocity.copy()
        if nudge is not None:
            q, v = q + nudge[: p.n], v + nudge[p.n :]
        memories = _memories(p, ready, q) if memories is None else memories
        self.first = Snapshot(p.start, q, v, memories)
        self._numbers(tolerance, fixed, energy)
        self._state(q, v, memories)
        self._elements(memories)
        self._time()

    # ---- packing

    def _put(self, place: int, array: Any) -> Array:
        """An array for the loop: kept, and its address written down. Never empty."""
        own = np.ascontiguousarray(np.append(np.asarray(array, dtype=float).ravel(), 0.0))
        self.arrays[place] = own
        self.plan[place] = own.ctypes.data
        return own

    def _numbers(self, tolerance: float, fixed: float | None, energy: bool) -> None:
        p, plan = self.ready.problem, self.plan
        span = self.until - p.start
        plan[at.FREE], plan[at.ELEMENTS], plan[at.INNER] = p.n, len(p.elements), len(self.ready.inner)
        plan[at.LEDGER], plan[at.FIXED] = energy, fixed is not None
        plan[at.MOVED] = p.assembly.prescribed.size > 0
        plan[at.TOLERANCE], plan[at.TIME], plan[at.UNTIL] = tolerance, 0.0, span
        period = 2.0 * np.pi / self._fastest_load if self._fastest_load else span
        plan[at.LARGEST] = fixed or min(0.1 * span, period / STEPS_A_PERIOD)
        plan[at.STEP] = fixed or min(plan[at.LARGEST], 0.01 / max(self.ready.fastest, 1.0 / span))
        plan[at.FRESH] = 1.0

    def _state(self, q: Array, v: Array, memories: list[Any]) -> None:
        p, ready = self.ready.problem, self.ready
        z = [p.elements[e].law.inner_state(memories[e]) for e in ready.inner]
        y = self._put(at.Y, [*q, *v, *z])[:-1]
        floor = ready.floors(self.until - p.start)
        for place in (at.Y1, at.WORK):
            self._put(place, np.zeros(y.size))
        self._put(at.STAGES, np.zeros(7 * y.size))
        scale = self._put(at.SCALE, np.abs(y))
        scale[p.n : 2 * p.n] = np.maximum(scale[p.n : 2 * p.n], floor)
        self._put(at.FLOOR, floor)
        self._put(at.MASS, np.diag(p.mass))
        self._put(at.LINEAR, ready.linear)
        self._put(at.RESPONSE, ready.response)
        self._put(at.ROWS, p.deflections)
        self._put(at.ALONG, ready.along)
        self._put(at.DAMPING, p.damping)
        self._put(at.STIFFNESS, p.stiffness)

    def _elements(self, memories: list[Any]) -> None:
        p, m = self.ready.problem, len(self.ready.problem.elements)
        self._pack(memories, SPARE)
        for place in (
            at.DIRECTION,
            at.OFFSET,
            at.OFFSET_RATE,
            at.U,
            at.V,
            at.FORCE,
            at.U_SCALE,
            at.QUIET,
            at.EDGE_SIDE,
        ):
            self._put(place, np.zeros(m))
        self._put(at.EDGE_SCALE, np.full(m, 1e-300))
        for place in (at.CORNER, at.BEHIND):
            self._put(place, np.full(m, at.FAR))
        floor = self.arrays[at.FLOOR][: p.n]
        self._put(at.V_SCALE, np.abs(p.deflections) @ floor + 1e-6 * sizes_of(self.ready.offsets.rate()))
        slow = 1.0 / (self.until - p.start)
        # with what moves at the start: a law that begins at a corner is then beyond it, and not on it
        moving = 1e-6 * np.abs(p.deflections) @ np.abs(self.first.v)
        self.arrays[at.U_SCALE][:m] = (self.arrays[at.V_SCALE][:m] + moving) / max(self.ready.fastest, slow)
        for place in (at.BOOK, at.TRIAL_BOOK, at.BOOK_ERROR):
            self._put(place, np.zeros(m + 3))

    def _pack(self, memories: list[Any], spare: int) -> None:
        packed, self.sizes, self.starts = pack_memories(self.ready.problem, memories, self.ready.kinds, spare)
        self._put(at.MEMORY, packed)
        self._put(at.SCRATCH, np.zeros(packed.size + 16))
        self.heads = self.ready.heads(self.sizes, self.starts)
        self._put(at.HEADS, self.heads.rows)
        self._put(at.MODULATIONS, self.heads.modulations)
        self.spare = spare

    def put_functions(self) -> None:
        """Put the functions of time in: loads and motions."""
        self._put(at.FORCING, self.ready.forcing.packed())
        self._put(at.WAVES, np.zeros(2 * self.ready.forcing.omega.size))
        self._put(at.LOADS, self.ready.loads.packed())
        self._put(at.OFFSETS, self.ready.offsets.packed())
        self._put(at.OFFSET_RATES, self.ready.offsets.rate().packed())

    def _time(self) -> None:
        p = self.ready.problem
        self.put_functions()
        breaks = self._put(at.BREAK_TIMES, p.breaks(self.until) - p.start)
        self.plan[at.BREAKS] = breaks.size - 1
        self.line = 2 * p.n + len(p.elements)
        self._put(at.TIMES, self.times - p.start)
        self.out = self._put(at.OUT, np.zeros(self.times.size * self.line))
        self.plan[at.SAMPLES] = self.times.size
        self.event_line = at.EVENT_HEAD + self.line
        room = FIRST_EVENTS + len(p.elements)
        self._put(at.EVENT_OUT, np.zeros(room * self.event_line))
        self.plan[at.EVENT_ROOM] = room

    # ---- going

    def go(self, progress: Progress | None = None) -> None:
        """Go to the end; whatever stops it leaves what was reached."""
        span = self.plan[at.UNTIL]
        self._refuse_fast_loads(span)
        goals = span * np.arange(1, CHUNKS + 1) / CHUNKS
        goals[-1] = span
        for k, goal in enumerate(goals):
            while self.plan[at.TIME] < goal:
                self._call(float(goal))
            if progress:
                progress((k + 1) / CHUNKS)

    def _refuse_fast_loads(self, span: float) -> None:
        """Refuse loads and motions so fast that their periods alone take more steps than there may be."""
        most = self.plan[at.LARGEST] * self.most_steps
        if span > most and self.fixed is None:
            least = span / self.plan[at.LARGEST]
            raise NotConverged(
                f"adaptive: a load or motion of {self._fastest_load:.3g} rad/s takes at least {least:.1e} steps in "
                f"{span:.3g} s (most_steps: {self.most_steps}); take a run of {most:.2g} s at most, or slower loads"
            )

    @property
    def _fastest_load(self) -> float:
        return float(max([*self.ready.forcing.omega, *self.ready.problem.offsets.omega], default=0.0))

    def _call(self, goal: float) -> None:
        steps, time = self.steps, self.plan[at.TIME]
        self.answer(int(kernel().call(pointer(self.plan), pointer(self.found), goal, STEPS_A_CALL)))
        self._refuse_hopeless(self.steps - steps, self.plan[at.TIME] - time)
        if self.steps >= self.most_steps:
            t, h = self.reached, self.plan[at.STEP]
            raise NotConverged(
                f"adaptive: gave up at t = {t:.6g} s after {self.steps} steps, the last ones of {h:.2g} s at tolerance "
                f"{self.tolerance:g}: the model is stiff; loosen the tolerance, or use newmark"
            )

    def _refuse_hopeless(self, steps: int, passed: float) -> None:
        """Give up where the last steps, many of them, went so short a way that the end is out of reach."""
        left = self.plan[at.UNTIL] - self.plan[at.TIME]
        more = left * steps / max(passed, 1e-300)
        if steps < STEPS_A_CALL or more < self.most_steps * max(SURE / self.steps, 1.0):
            return
        raise NotConverged(
            f"adaptive: gave up at t = {self.reached:.6g} s after {self.steps} steps: the last ones were of "
            f"{passed / steps:.2g} s, and {more:.1e} more would be needed (most_steps: {self.most_steps}): the model "
            "is stiff; look for a damper or spring that is too strong, take a shorter run, or use newmark"
        )

    def answer(self, why: int) -> None:
        """Give the loop what it came back for, or tell why it cannot go on."""
        t, h = self.reached, self.plan[at.STEP]
        if why == at.NEEDS_EVENT_ROOM:
            self.plan[at.EVENT_ROOM] *= 2
            self._put(at.EVENT_OUT, np.append(self.arrays[at.EVENT_OUT], np.zeros(self.arrays[at.EVENT_OUT].size)))
        elif why == at.NEEDS_MEMORY:
            self._pack(self.memories(), 2 * self.spare)
        elif why == at.STUCK:
            raise NotConverged(
                f"adaptive: the step fell below rounding at t = {t:.9g} s (tolerance {self.tolerance:g}, "
                f"{self.steps} steps); loosen the tolerance, or use newmark"
            )
        elif why == at.NOT_FINITE:
            raise NotConverged(f"adaptive: the state is no longer finite beyond t = {t:.9g} s (step {h:.2g} s)")

    # ---- what there is

    @property
    def reached(self) -> float:
        """[s] how far it came."""
        return float(self._absolute(self.plan[at.TIME]))

    @property
    def steps(self) -> int:
        return int(self.plan[at.ACCEPTED] + self.plan[at.REJECTED])

    @property
    def event_count(self) -> int:
        return int(self.plan[at.EVENTS])

    def events(self) -> Array:
        """(k, EVENT_HEAD + 2n + m) time, element, kind, way, deflection; q, v, forces."""
        lines = self.arrays[at.EVENT_OUT][: self.event_count * self.event_line].reshape(-1, self.event_line).copy()
        lines[:, at.EVENT_TIME] = self._absolute(lines[:, at.EVENT_TIME])
        return lines

    def path(self) -> tuple[Array, Array]:
        """(k,) times and (k, n) q at both ends and at all events: deflections that laws remember turn there."""
        n, events, last = self.ready.problem.n, self.events(), self.last()
        times = np.concatenate([[self.first.t], events[:, at.EVENT_TIME], [last.t]])
        return times, np.vstack([self.first.q, events[:, at.EVENT_HEAD : at.EVENT_HEAD + n], last.q])

    def _absolute(self, elapsed: Any) -> Any:
        """[s] the loop counts time from the start; its end is the end asked for, whatever the sum rounds to."""
        start = self.ready.problem.start
        return np.where(elapsed < self.plan[at.UNTIL], np.minimum(start + elapsed, self.until), self.until)

    def samples(self) -> tuple[Array, Array]:
        """(k,) times and (k, 2n + m) q, v, forces, as far as the run came."""
        count = int(self.plan[at.CURSOR])
        return self.times[:count], self.arrays[at.OUT][: count * self.line].reshape(count, self.line)

    def memories(self) -> list[Any]:
        """The memories where the run is."""
        p, packed, y = self.ready.problem, self.arrays[at.MEMORY], self.arrays[at.Y]
        found: list[Any] = []
        u, v = p.deflections_at(self.reached, y[: p.n]), p.rates_at(self.reached, y[p.n : 2 * p.n])
        for e, element in enumerate(p.elements):
            kind = self.ready.kinds[e]
            if kind in (at.FOLDED, at.PLAIN):
                found.append(())
                continue
            own = unpack_memory(element, packed[self.starts[e] :])
            if kind == at.BY_RATE:
                z = float(y[2 * p.n + self.ready.inner.index(e)])
                own = element.law.settled(float(u[e]), float(v[e]), z, own)
            found.append(own)
        return found

    def last(self) -> Snapshot:
        p, y = self.ready.problem, self.arrays[at.Y]
        return Snapshot(self.reached, y[: p.n].copy(), y[p.n : 2 * p.n].copy(), self.memories())

    def works(self) -> Works:
        """What was booked."""
        m = len(self.ready.problem.elements)
        book = self.arrays[at.BOOK]
        return Works(float(book[m]), book[:m].copy(), float(book[m + 1]), float(book[m + 2]))


def _memories(p: Problem, ready: Prepared, q: Array) -> list[Any]:
    """At the start; of laws by rate those of a branch that begins there."""
    memories = p.start_memories(q)
    for e in ready.inner:
        memories[e] = p.elements[e].law.turned(memories[e])
    return memories


def sizes_of(forcing: Forcing) -> Array:
    """(r,) how large functions of time can be, about."""
    sizes = np.abs(forcing.constant) + np.hypot(forcing.cos, forcing.sin).sum(axis=1)
    for signal, column in forcing.signals:
        sizes = sizes + np.abs(column) * np.abs(signal.values).max()
    return np.asarray(sizes)
