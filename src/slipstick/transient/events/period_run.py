"""Repeated integration of one period from different initial states, with the derivative by the initial state.

The set-up of a run (elements, matrices, functions of time) is made once; a period sets the state and integrates. It can
record all steps (`StepTape`) and integrate sensitivities (`variations`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.laws.law_kernels import pointer, tangent_kernel
from slipstick.native import Native, Rows, compile_functions
from slipstick.transient.events.contact_variations import shift_event
from slipstick.transient.events.elastic_setup import elastic_records
from slipstick.transient.events.event_table import EventTable
from slipstick.transient.events.records import CLOSED, CONTINUE, PLAIN, RIGID, TAPE_FULL, ElementDerivatives, Tangent
from slipstick.transient.events.run import AdaptiveRun, Stepping
from slipstick.transient.events.setup import PreparedProblem, kernel
from slipstick.transient.events.variations import vary

INITIAL_TAPE_ROWS = 2048
MOST_STEPS = 5_000_000  # of the first period
MAX_STEP_RATIO = 30  # times the steps of the last period, and some more: a bad initial state
EXTRA_STEPS = 100_000
HOPELESS_RATIO = 10.0  # times the most steps, at the pace of so many: the period is abandoned early
# Dormand and Prince: fraction of the step, then the weights of the stages before it; the last row gives the new state
BUTCHER_TABLE = np.array(
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
# arrays that are reset before each period; the others are written before they are read
RESET_FIELDS = (
    *("rate_floor", "scale", "direction", "next_corner", "previous_corner", "u_scale", "v_scale", "at_rest"),
    *("edge_side", "edge_scale", "energy", "reaction_scale"),
)


class PeriodStart(NamedTuple):
    """The start of a period: y (2n + z,) q, v and inner states; the packed memory of each element's law."""

    y: Array
    memories: list[Array]


class StartVariation(NamedTuple):
    """Perturbations of a start, c of them.

    state : (c, 2n + z) of q, v and inner states.   memories : (c, size) of each packed memory.
    local : of each element, True if its memory acts like a single number.
    frequency : [rad/s] of all periodic functions, if the last perturbation is one of the frequency and the span is one
        period; else 0.
    """

    state: Array
    memories: list[Array]
    local: list[bool]
    frequency: float = 0.0


class StepTape(NamedTuple):
    """The start of a period and its r steps.

    time : (r + 1,) since the start of the problem.   y : (r + 1, 2n + z) q, v, inner states.
    leaving, coming : (r, 2n + z) dy/dt at the start and at the end of each step.
    begun, forces : (r, m) of the elements at the start and at the end of each step, with all factors; those that are
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


class PeriodEnd(NamedTuple):
    """The end of a period; see `PeriodStart`, `StartVariation` and `StepTape`.

    y : (2n + z,) q, v, inner states.   memory : all packed memories, concatenated.
    sizes : (2n + z,) the largest |y| in the period.   tops : the same for each number of the memories.
    steps : how many.   events : (k, EVENT_HEAD) time since the start, element, kind, way, deflection of each reversal,
        corner and edge.
    """

    y: Array
    memory: Array
    change: StartVariation | None
    tape: StepTape | None
    sizes: Array
    tops: Array
    steps: int
    events: EventTable


def vary_kernels() -> dict[str, Native]:
    """The step of the sensitivities and the shift of events, compiled once and kept."""
    return compile_functions(vary, shift_event)


class PeriodRun:
    """Integrates a problem from its start over ``span`` [s], at a tolerance."""

    def __init__(self, ready: PreparedProblem, span: float, tolerance: float) -> None:
        self.ready, self.span = ready, span
        self.run = AdaptiveRun(ready, ready.problem.start + span, np.zeros(0), Stepping(tolerance))
        self.integration = self.run.integration
        self.integration.track_max = True
        self.first_step, self.max_step = self.integration.step, self.integration.max_step
        self.initial = {name: getattr(self.integration, name).copy() for name in RESET_FIELDS}
        self.size = 2 * self.integration.coordinate_count + self.integration.inner_count
        self.carried: StartVariation | None = None
        self.most = MOST_STEPS
        self.row = 3 * self.size + 2 * len(ready.problem.elements)
        self.rows = INITIAL_TAPE_ROWS
        self.reach = np.abs(ready.problem.deflections)
        self._lay_out()

    def tune(self, ready: PreparedProblem, span: float) -> None:
        """Take other functions of time and another span; see `PreparedProblem.retuned`."""
        if ready is self.ready:
            return
        self.ready = self.run.ready = ready
        self.run.until, self.span = ready.problem.start + span, span
        fixed = self.integration.fixed_step
        self.run.set_numbers(self.run.stepping, energy=False)
        self.integration.fixed_step = fixed
        self.run.put_functions()
        m, n = len(ready.problem.elements), ready.problem.n
        if any(element.modulation for element in ready.problem.elements):
            self.run.put_elements()
        floor = ready.floors(span)
        self.initial["rate_floor"][:n] = floor
        self.initial["v_scale"][:m] = self.reach @ floor + 1e-6 * ready.offsets.rate().size(0.0, self.span)
        self.first_step, self.max_step = self.integration.step, self.integration.max_step

    def _lay_out(self) -> None:
        """Begin and end of each memory."""
        size = self.integration.memory.size
        self.ends = [*self.run.starts[1:], size - 2]  # without the last number, which only pads the array
        self.run.put("memory_max", np.zeros(size - 1))
        self.run.put("y_max", np.zeros(self.size))
        self.run.put("force_begin", np.zeros(len(self.ready.problem.elements)))

    def go(
        self,
        start: PeriodStart,
        change: StartVariation | None = None,
        tape: bool = False,
        tolerance: float | None = None,
        mesh: Array | None = None,
        sizes: Array | None = None,
        largest: float = math.inf,
    ) -> PeriodEnd:
        """Integrate one period.   tolerance : default that of the run.   mesh : (k,) [s] ends of fixed steps.

        sizes : (2n + z,) scales of the errors; default the largest motion so far.
        largest : [s] the longest step.
        Raises `NotConverged`.
        """
        self.integration.tolerance = self.run.stepping.tolerance if tolerance is None else tolerance
        self.integration.max_step = min(self.max_step, largest)
        self._begin(start, sizes)
        self._step_by(mesh)
        if change is not None:
            self._carry(change)
        if tape:
            self._record()
        self._run()
        return self._passed(start, change, tape)

    def _begin(self, start: PeriodStart, sizes: Array | None) -> None:
        p, integration = self.ready.problem, self.integration
        n, m = p.n, len(p.elements)
        integration.time = integration.last_log_error = integration.max_kinetic = integration.wave_time = 0.0
        integration.accepted = integration.rejected = integration.event_count = 0
        integration.column_count = integration.tape_capacity = integration.tape_count = 0
        integration.step, integration.restart, integration.trial_at_end = self.first_step, True, False
        for name, first in self.initial.items():
            getattr(integration, name)[:] = first
        y = integration.y
        y[: self.size] = start.y
        self._memories(start.memories)
        if self.ready.elastic:
            memories = [own.tolist() for own in start.memories]
            integration.elastic = elastic_records(self.ready, y[:n], y[n : 2 * n], memories)
        scale = np.abs(y, out=integration.y_max).copy()
        scale[n : 2 * n] = np.maximum(scale[n : 2 * n], integration.rate_floor[:n])
        integration.scale[:] = scale
        if sizes is not None:
            np.maximum(integration.scale[: self.size], sizes, out=integration.scale[: self.size])
        self._begin_contacts(sizes)
        if m:
            moving = 1e-6 * self.reach @ np.abs(y[n : 2 * n])
            integration.u_scale[:m] = (integration.v_scale[:m] + moving) / max(self.ready.fastest, 1.0 / self.span)

    def _begin_contacts(self, sizes: Array | None) -> None:
        """Request a decision of contacts at the start; rates that are zero to rounding are set to zero."""
        integration, n = self.integration, self.ready.problem.n
        integration.decide, integration.rates_jump, integration.landed = integration.contact_count > 0, False, -1
        integration.independent, integration.resting.stalled, integration.contacts_changed = 0, 0, False
        integration.resting.old_piece[:] = 0.0
        if sizes is not None:
            rates = self.reach @ sizes[n : 2 * n]
            for e in self.ready.contacts.elements:
                integration.v_scale[e] = max(integration.v_scale[e], float(rates[e]))

    def _step_by(self, mesh: Array | None) -> None:
        """End steps at given times, counted from the start."""
        self.integration.fixed_step = mesh is not None
        self.integration.next_mesh, self.integration.mesh_count = 0, 0 if mesh is None else mesh.size
        if mesh is not None:
            self.integration.mesh = mesh

    def _memories(self, memories: list[Array]) -> None:
        packed = self.integration.memory
        for begin, own in zip(self.run.starts, memories, strict=True):
            packed[begin : begin + own.size] = own
        np.abs(packed, out=self.integration.memory_max)

    def _carry(self, change: StartVariation) -> None:
        """Set the perturbations; allocate arrays if their number or memories differ from the last ones."""
        if self.carried is None or self.carried.state is not change.state:
            self._make_room(change)
            self.carried = change
        self.integration.variations[: change.state.size] = change.state.ravel()
        self.integration.memory_variations[:] = self.first_changes
        integration = self.integration
        integration.column_count, integration.jumped_element = change.state.shape[0], -1
        integration.event_shifts[:] = 0.0
        integration.frequency_column = change.state.shape[0] - 1 if change.frequency else -1
        integration.pace = -1.0 / change.frequency if change.frequency else 0.0

    def _make_room(self, change: StartVariation) -> None:
        put, laws = self.run.put, [e.law for e in self.ready.problem.elements]
        count, memory = change.state.shape[0], self.integration.memory.size
        kernels = vary_kernels()
        self.integration.vary_function, self.integration.memory_size = kernels["vary"].address, memory
        self.integration.shift_function = kernels["shift_event"].address
        self.integration.tangents, self.integration.slopes = (
            Rows(Tangent, len(laws)),
            Rows(ElementDerivatives, len(laws)),
        )
        for e, (law, kind) in enumerate(zip(laws, self.ready.kinds, strict=True)):
            row = self.integration.tangents[e]
            row.function = tangent_kernel(type(law)).address if kind in (PLAIN, CLOSED, RIGID) else 0
            row.needs_rate, row.one_number = law.needs_rate, change.local[e]
        packed = np.zeros((count, memory))
        for begin, own in zip(self.run.starts, change.memories, strict=True):
            packed[:, begin : begin + own.shape[1]] = own
        self.first_changes = put("memory_variations", packed).copy()
        put("butcher_table", BUTCHER_TABLE)
        for name, size in (
            ("variations", change.state.size),
            ("variation_stages", 6 * change.state.size),
            ("variation_trial", self.size),
            ("memory_variation_trial", memory + 17),
            ("reference_column", len(laws)),
            ("force_variations", count * len(laws)),
            ("memory_shares", count * len(laws)),
            ("acceleration_before", self.ready.problem.n),
            ("event_shifts", count),
        ):
            put(name, np.zeros(size))

    def _record(self) -> None:
        """Allocate a tape of ``rows`` steps; recorded steps stay."""
        integration = self.integration
        for name, width in (("tape_time", 1), ("tape_event", 1), ("tape", self.row)):
            before = getattr(integration, name)
            if before is None or before.size < self.rows * width:
                longer = np.empty(self.rows * width)
                longer[: 0 if before is None else before.size] = () if before is None else before
                setattr(integration, name, longer)
        integration.tape_capacity = self.rows

    def _run(self) -> None:
        found, until = pointer(self.run.found), self.integration.until
        loop = kernel().call
        while self.integration.time < until:
            steps, time = self.run.steps, self.integration.time
            why = int(loop(self.integration.pointer, found, until, min(self.most, EXTRA_STEPS)))
            if why == TAPE_FULL:
                self.rows *= 2
                self._record()
            elif why != CONTINUE:
                self.run.answer(why)
            self._refuse_many(self.run.steps - steps, self.integration.time - time)
        self.most = min(MOST_STEPS, EXTRA_STEPS + MAX_STEP_RATIO * self.run.steps)

    def _refuse_many(self, steps: int, passed: float) -> None:
        """Raise if a period takes too many steps, or would at the pace of the last ones."""
        taken, left = self.run.steps, self.integration.until - self.integration.time
        more = left * steps / max(passed, 1e-300) if steps >= EXTRA_STEPS else 0.0
        if taken < self.most and more < HOPELESS_RATIO * self.most:
            return
        raise NotConverged(
            f"a period takes more than {max(float(taken), more):.1e} steps (at most {self.most}): the model "
            "is stiff; look for a damper or spring that is too strong, or take harmonic-balance",
            owner="events",
        )

    def _passed(self, start: PeriodStart, change: StartVariation | None, tape: bool) -> PeriodEnd:
        integration, size = self.integration, self.size
        new = None if change is None else self._changed(change)
        written = self._tape(start) if tape else None
        y, memory = integration.y[:size].copy(), integration.memory.copy()
        sizes, tops = integration.y_max[:size].copy(), integration.memory_max.copy()
        if self.ready.elastic:
            ended = self.run.memories()
            for e in self.ready.elastic:
                place = slice(self.run.starts[e], self.run.starts[e] + len(ended[e]))
                memory[place] = ended[e]
                tops[place] = np.maximum(tops[place], np.abs(memory[place]))
        return PeriodEnd(y, memory, new, written, sizes, tops, integration.accepted, self.run.events())

    def _changed(self, change: StartVariation) -> StartVariation:
        count, memory = change.state.shape[0], self.integration.memory_size
        state = self.integration.variations[: count * self.size].reshape(count, self.size).copy()
        packed = self.integration.memory_variations[: count * memory].reshape(count, memory)
        memories = [packed[:, b:e].copy() for b, e in zip(self.run.starts, self.ends, strict=True)]
        return StartVariation(state, memories, change.local, change.frequency)

    def _tape(self, start: PeriodStart) -> StepTape:
        count, size = self.integration.tape_count, self.size
        rows = self.integration.tape[: count * self.row].reshape(count, self.row).copy()
        begin = self.ready.problem.start
        last = self.row - len(self.ready.problem.elements)
        times, events = self.integration.tape_time[:count], self.integration.tape_event[:count]
        return StepTape(
            time=begin + np.concatenate([[0.0], times]),
            y=np.vstack([start.y, rows[:, :size]]),
            leaving=rows[:, size : 2 * size],
            coming=rows[:, 2 * size : 3 * size],
            begun=rows[:, 3 * size : last],
            forces=rows[:, last:],
            event=np.concatenate([[True], events != 0.0]),
        )
