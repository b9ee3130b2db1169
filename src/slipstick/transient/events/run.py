"""One run of the compiled loop, and its records."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.laws.law_kernels import pointer
from slipstick.native import Native, Rows, compile_functions
from slipstick.transient.energy import Snapshot, WorkIntegrals
from slipstick.transient.events.contact_decision import ORDERS
from slipstick.transient.events.elastic_setup import elastic_memory, elastic_records
from slipstick.transient.events.event_table import EventTable
from slipstick.transient.events.records import (
    BY_RATE,
    CONTINUE,
    ELASTIC,
    EVENTS_FULL,
    FOLDED,
    MEMORY_FULL,
    NOT_FINITE,
    PARTNER,
    PLAIN,
    RIGID,
    STEP_TOO_SMALL,
    UNDECIDED,
    EventRecord,
    Integration,
)
from slipstick.transient.events.setup import (
    SPARE_REVERSALS,
    STEPS_PER_PERIOD,
    PreparedProblem,
    kernel,
    pack_memories,
    unpack_memory,
)
from slipstick.transient.events.step_output_loop import write_reactions_now
from slipstick.transient.events.tolerances import DIFFERENCE_STEP_REL, NO_CORNER
from slipstick.transient.exact.packed_model import FRICTION_STATES
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import Progress

PROGRESS_CHUNKS = 100  # number of calls of a run with progress
REGULARISE = "replace the friction by law.regularised(...), or change a parameter a little"
MAX_STEPS = 50_000_000
STEPS_PER_CALL = 200_000  # a fraction of a second, after which Ctrl-C takes effect
INITIAL_EVENT_CAPACITY = 1024
# steps after which their pace predicts whether the run needs too many
MIN_PACE_STEPS = 2_000_000


def reaction_kernel() -> Native:
    """`write_reactions_now`, compiled once and kept."""
    return compile_functions(write_reactions_now)["write_reactions_now"]


class Stepping(NamedTuple):
    """tolerance : of the error of a step.   fixed : length [s] of every step, or None.   most : number of steps."""

    tolerance: float
    fixed: float | None = None
    most: int = MAX_STEPS


class AdaptiveRun:
    """From the start of a problem to ``until``, with samples at ``times``.

    memories : of the elements' laws at the start, if they are not virgin.
    """

    def __init__(
        self,
        ready: PreparedProblem,
        until: float,
        times: Array,
        stepping: Stepping,
        *,
        energy: bool = False,
        nudge: Array | None = None,
        memories: list[Any] | None = None,
    ) -> None:
        p = ready.problem
        self.ready, self.until, self.times, self.stepping = ready, until, times, stepping
        self.integration = Integration()
        self.found = np.zeros(4 + len(p.elements))
        q, v = p.displacement.copy(), p.velocity.copy()
        if nudge is not None:
            q, v = q + nudge[: p.n], v + nudge[p.n :]
        memories = _memories(p, ready, q) if memories is None else memories
        self.first = Snapshot(p.start, q, v, memories)
        self.set_numbers(stepping, energy)
        self._state(q, v, memories)
        self._elements(memories)
        self._contacts()
        self._time()

    # ---- packing

    def put(self, name: str, array: Any) -> Array:
        """Set a field of the record to an array, padded by one number because no array may be empty."""
        own = np.ascontiguousarray(np.append(np.asarray(array, dtype=float).ravel(), 0.0))
        setattr(self.integration, name, own)
        return own

    def set_numbers(self, stepping: Stepping, energy: bool) -> None:
        p, integration, fixed = self.ready.problem, self.integration, stepping.fixed
        span = self.until - p.start
        integration.coordinate_count, integration.element_count = p.n, len(p.elements)
        integration.inner_count = self.ready.inner_count
        integration.track_energy, integration.fixed_step = energy, fixed is not None
        integration.has_motions = p.assembly.prescribed.size > 0
        integration.tolerance, integration.time, integration.until = stepping.tolerance, 0.0, span
        period = 2.0 * np.pi / self._fastest_load if self._fastest_load else span
        integration.max_step = fixed or min(0.1 * span, period / STEPS_PER_PERIOD)
        integration.step = fixed or min(integration.max_step, 0.01 / max(self.ready.fastest, 1.0 / span))
        integration.restart = True

    def _state(self, q: Array, v: Array, memories: list[Any]) -> None:
        p, ready = self.ready.problem, self.ready
        z = [p.elements[e].law.inner_state(memories[e]) for e in ready.inner]
        z += [0.0] * (ready.inner_count - len(z))
        self.integration.elastic = elastic_records(ready, q, v, memories)
        self.integration.elastic_count = len(ready.elastic)
        y = self.put("y", [*q, *v, *z])[:-1]
        floor = ready.floors(self.until - p.start)
        for name in ("y_end", "y_trial"):
            self.put(name, np.zeros(y.size))
        self.put("stages", np.zeros(7 * y.size))
        scale = self.put("scale", np.abs(y))
        scale[p.n : 2 * p.n] = np.maximum(scale[p.n : 2 * p.n], floor)
        self.put("rate_floor", floor)
        self.put("mass", np.diag(p.mass))
        self.put("linear", ready.linear)
        self.put("response", ready.response)
        self.put("deflection_rows", p.deflections)
        self.put("along", ready.along)
        self.put("damping", p.damping)
        self.put("stiffness", p.stiffness)

    def _elements(self, memories: list[Any]) -> None:
        p, m = self.ready.problem, len(self.ready.problem.elements)
        self._pack(memories, SPARE_REVERSALS)
        for name in (
            "direction",
            "offset",
            "offset_rate",
            "u",
            "v",
            "force",
            "u_scale",
            "at_rest",
            "edge_side",
        ):
            self.put(name, np.zeros(m))
        self.put("edge_scale", np.full(m, 1e-300))
        for name in ("next_corner", "previous_corner"):
            self.put(name, np.full(m, NO_CORNER))
        floor = self.integration.rate_floor[: p.n]
        self.put(
            "v_scale", np.abs(p.deflections) @ floor + 1e-6 * self.ready.offsets.rate().size(0.0, self.until - p.start)
        )
        slow = 1.0 / (self.until - p.start)
        # with the motion at the start: a law that starts at a corner is then beyond it
        moving = 1e-6 * np.abs(p.deflections) @ np.abs(self.first.v)
        self.integration.u_scale[:m] = (self.integration.v_scale[:m] + moving) / max(self.ready.fastest, slow)
        for name in ("energy", "step_energy", "energy_error"):
            self.put(name, np.zeros(m + 3))

    def _contacts(self) -> None:
        """Set the records of set-valued friction and the workspace of decisions."""
        contacts, p, loop = self.ready.contacts, self.ready.problem, self.integration
        count, size = len(contacts.elements), 2 * p.n + self.ready.inner_count
        loop.contact_count, loop.contacts, loop.resting = count, contacts.model, contacts.workspace()
        loop.decide, loop.rates_jump, loop.landed = count > 0, False, -1
        self.put("contact_elements", contacts.elements)
        self.put("contact_limits", contacts.limits)
        for name in ("stick_place", "reaction_scale", "release_near", "release_far", "first_pieces"):
            self.put(name, np.zeros(count))
        for name in ("offset_acceleration", "force_kept"):
            self.put(name, np.zeros(len(p.elements)))
        for name, length in (("series", ORDERS * size), ("rate_trial", size), ("force_sizes", p.n)):
            self.put(name, np.zeros(length))
        fastest = max(self.ready.fastest, 1.0 / (self.until - p.start))
        loop.difference_step = min(DIFFERENCE_STEP_REL / fastest, DIFFERENCE_STEP_REL * loop.max_step)

    def _pack(self, memories: list[Any], spare: int) -> None:
        packed, self.sizes, self.starts = pack_memories(self.ready.problem, memories, self.ready.kinds, spare)
        self.put("memory", packed)
        self.put("memory_trial", np.zeros(packed.size + 16))
        self.put_elements()
        self.spare = spare

    def put_elements(self) -> None:
        """Set the records of elements and their modulations."""
        self.integration.elements, modulations = self.ready.elements(self.sizes, self.starts)
        self.put("modulations", modulations)

    def put_functions(self) -> None:
        """Set the functions of time: loads and motions."""
        self.put("forcing", self.ready.forcing.packed())
        self.put("waves", np.zeros(2 * self.ready.forcing.omega.size))
        self.put("loads", self.ready.loads.packed())
        self.put("offset_functions", self.ready.offsets.packed())
        self.put("offset_rate_functions", self.ready.offsets.rate().packed())
        self.put("offset_acceleration_functions", self.ready.offsets.rate().rate().packed())

    def _time(self) -> None:
        p = self.ready.problem
        self.put_functions()
        breaks = self.put("break_times", p.breaks(self.until) - p.start)
        self.integration.break_count = breaks.size - 1
        self.line = 2 * p.n + len(p.elements)
        self.put("sample_times", self.times - p.start)
        self.out = self.put("samples", np.zeros(self.times.size * self.line))
        self.integration.sample_count = self.times.size
        self._events(INITIAL_EVENT_CAPACITY + len(p.elements))

    def _events(self, capacity: int) -> None:
        """Allocate room for events; recorded ones stay."""
        before, count = self.integration.events, self.integration.event_count
        states = np.zeros((capacity, self.line))
        rows = Rows(EventRecord, capacity)
        if count:
            rows.numbers[:count] = before.numbers[:count]
            states[:count] = self.integration.event_states[: count * self.line].reshape(count, self.line)
        self.integration.events, self.integration.event_capacity = rows, capacity
        self.put("event_states", states)

    # ---- integration

    def go(self, progress: Progress | None = None) -> None:
        """Integrate to the end; after an error the part that was reached stays readable."""
        span = self.integration.until
        self._refuse_fast_loads(span)
        count = PROGRESS_CHUNKS if progress else 1
        for k in range(1, count + 1):
            goal = span * k / count if k < count else span
            while self.integration.time < goal:
                self._call(goal)
            if progress:
                progress(k / count)

    def _refuse_fast_loads(self, span: float) -> None:
        """Refuse loads and motions whose periods alone take more steps than allowed."""
        most = self.integration.max_step * self.stepping.most
        if span > most and self.stepping.fixed is None:
            least = span / self.integration.max_step
            raise NotConverged(
                f"a load or motion of {self._fastest_load:.3g} rad/s takes at least {least:.1e} steps in "
                f"{span:.3g} s (most_steps: {self.stepping.most}); take a run of {most:.2g} s at most, or slower loads",
                owner="events",
            )

    @property
    def _fastest_load(self) -> float:
        p = self.ready.problem
        factors = [f for e in self.ready.contacts.elements for f, _ in p.factors(e)]
        return max(f.max_frequency(p.start, self.until) for f in (p.forcing, p.offsets, *factors))

    def _call(self, goal: float) -> None:
        steps, time = self.steps, self.integration.time
        self.answer(int(kernel().call(self.integration.pointer, pointer(self.found), goal, STEPS_PER_CALL)))
        self._refuse_hopeless(self.steps - steps, self.integration.time - time)
        if self.steps >= self.stepping.most:
            t, h = self.reached, self.integration.step
            raise NotConverged(
                f"gave up at t = {t:.6g} s after {self.steps} steps, the last ones of {h:.2g} s at tolerance "
                f"{self.stepping.tolerance:g}: the model is stiff; loosen the tolerance, or use newmark",
                owner="events",
            )

    def _refuse_hopeless(self, steps: int, passed: float) -> None:
        """Raise if the last steps were so short that the end cannot be reached within the allowed number."""
        left = self.integration.until - self.integration.time
        more = left * steps / max(passed, 1e-300)
        if steps < STEPS_PER_CALL or more < self.stepping.most * max(MIN_PACE_STEPS / self.steps, 1.0):
            return
        raise NotConverged(
            f"gave up at t = {self.reached:.6g} s after {self.steps} steps: the last ones were of "
            f"{passed / steps:.2g} s, and {more:.1e} more would be needed (most_steps: {self.stepping.most}): the "
            "model is stiff; look for a damper or spring that is too strong, take a shorter run, or use newmark",
            owner="events",
        )

    def answer(self, why: int) -> None:
        """Provide what the loop stopped for, or raise the reason why it cannot continue."""
        if why == CONTINUE:
            return
        t, h = self.reached, self.integration.step
        if why == EVENTS_FULL:
            self._events(2 * self.integration.event_capacity)
        elif why == MEMORY_FULL:
            self._pack(self.memories(), 2 * self.spare)
        elif why == STEP_TOO_SMALL:
            self._refuse_forces_without_value()
            raise NotConverged(
                f"the step fell below rounding at t = {t:.6g} s (tolerance "
                f"{self.stepping.tolerance:g}, {self.steps} steps); loosen the tolerance, or use newmark",
                owner="events",
            )
        elif why == UNDECIDED:
            raise NotConverged(
                f"stick and slip of the friction contacts could not be decided at t = {t:.6g} s "
                f"({self.integration.resting.stalled} events without progress); {REGULARISE}",
                owner="events",
            )
        elif why == NOT_FINITE:
            raise NotConverged(
                f"the state is no longer finite beyond t = {t:.6g} s (step {h:.2g} s); look for a spring or "
                "damper that feeds energy in, or take a smaller step",
                owner="events",
            )

    def _refuse_forces_without_value(self) -> None:
        """Name a law whose force is not a number where the run stopped."""
        p, last = self.ready.problem, self.last()
        u, rates = p.deflections_at(last.t, last.q), p.rates_at(last.t, last.v)
        for e, element in enumerate(p.elements):
            if element.law.kernel_law.directions:
                continue
            force, _ = element.law.update(float(u[e]), float(rates[e]), last.memories[e])
            if isinstance(force, complex) or not np.isfinite(force):
                name = p.system.connections[element.connection].name
                words = f'the force of connection "{name}" ({type(element.law).__name__}) is not a number'
                raise NotConverged(
                    f"{words} at t = {last.t:.6g} s, deflection {float(u[e]):.3g}; check its update() there",
                    owner="events",
                )

    # ---- results

    @property
    def reached(self) -> float:
        """[s] the time that was reached."""
        return float(self._absolute(self.integration.time))

    @property
    def steps(self) -> int:
        return self.integration.accepted + self.integration.rejected

    @property
    def event_count(self) -> int:
        return self.integration.event_count

    def events(self) -> EventTable:
        """The events so far."""
        count, loop = self.event_count, self.integration
        time, element, kind, way, deflection = loop.events.numbers[:count].copy().T
        states = loop.event_states[: count * self.line].reshape(count, self.line).copy()
        return EventTable(self._absolute(time), element.astype(int), kind.astype(int), way, deflection, states)

    def path(self) -> tuple[Array, Array]:
        """(k,) times and (k, n) q at both ends and at all events, where deflections of laws with memory reverse."""
        n, events, last = self.ready.problem.n, self.events(), self.last()
        times = np.concatenate([[self.first.t], events.time, [last.t]])
        return times, np.vstack([self.first.q, events.states[:, :n], last.q])

    def _absolute(self, elapsed: Any) -> Any:
        """[s] times of the loop since the start as times of the problem; the end is the requested one exactly."""
        start = self.ready.problem.start
        return np.where(elapsed < self.integration.until, np.minimum(start + elapsed, self.until), self.until)

    def samples(self) -> tuple[Array, Array]:
        """(k,) times and (k, 2n + m) q, v, forces, up to the time that was reached."""
        count = self.integration.next_sample
        return self.times[:count], self.integration.samples[: count * self.line].reshape(count, self.line)

    def memories(self) -> list[Any]:
        """The memories at the current time."""
        p, packed, y = self.ready.problem, self.integration.memory, self.integration.y
        found: list[Any] = []
        u, v = p.deflections_at(self.reached, y[: p.n]), p.rates_at(self.reached, y[p.n : 2 * p.n])
        for e, element in enumerate(p.elements):
            kind = self.ready.kinds[e]
            if kind in (FOLDED, PLAIN, PARTNER):
                found.append(())
                continue
            if kind == ELASTIC:
                contact = self.integration.elastic[self.ready.elastic.index(e)]
                force = y[2 * p.n + contact.inner_index :][:2]
                part = slice(e, e + contact.tangential + 1)
                found.append(elastic_memory(contact, element.law.kernel_law, u[part], v[part], force))
                continue
            if kind == RIGID:
                found.append((float(u[e]), float(self.integration.direction[e])))
                continue
            own = unpack_memory(element, packed[self.starts[e] :])
            if kind == BY_RATE:
                z = float(y[2 * p.n + self.ready.inner.index(e)])
                own = element.law.settled(float(u[e]), float(v[e]), z, own)
            found.append(own)
        return found

    def last(self) -> Snapshot:
        p, y = self.ready.problem, self.integration.y
        return Snapshot(self.reached, y[: p.n].copy(), y[p.n : 2 * p.n].copy(), self.memories())

    def first_state(self, e: int) -> str:
        """The state of a friction contact at the first instant."""
        return FRICTION_STATES[self.integration.first_pieces[self.ready.contacts.elements.index(e)].astype(int)]

    def sticking(self) -> list[int]:
        """The elements that stick at the current instant."""
        pieces = self.integration.resting.old_piece.astype(int)
        return [
            e for e, own in zip(self.ready.contacts.elements, pieces, strict=True) if FRICTION_STATES[own] == "stick"
        ]

    def contact_forces(self) -> dict[int, float]:
        """The forces of contacts that do not slip, before their factors, at the current instant."""
        contacts, loop = self.ready.contacts, self.integration
        if not contacts.elements:
            return {}
        line = np.zeros(self.line + 1)
        reaction_kernel().call(loop.pointer, loop.time, pointer(line))
        return {e: float(line[e]) for e in contacts.elements if loop.direction[e] == 0.0}

    def works(self) -> WorkIntegrals:
        """The energies of the run."""
        m = len(self.ready.problem.elements)
        book = self.integration.energy
        return WorkIntegrals(float(book[m]), book[:m].copy(), float(book[m + 1]), float(book[m + 2]))


def _memories(p: Problem, ready: PreparedProblem, q: Array) -> list[Any]:
    """Memories at the start; those of laws by rate are of a branch that begins there."""
    memories = p.start_memories(q)
    for e in ready.inner:
        memories[e] = p.elements[e].law.turned(memories[e])
    return memories
