"""The period map of error-controlled integration, and its derivative.

A state is (q, v, w): displacements, velocities, and what laws remember; see `memory_state`.
"""

from __future__ import annotations

import math
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import MissingFace, NotConverged
from slipstick.laws.source_parsing import MUST_COMPILE, CannotTranslate
from slipstick.periodic.shooting.memory_state import (
    ContactPart,
    SettledPart,
    SliderPart,
    memory_parts_of,
    with_copies,
    with_twins,
)
from slipstick.periodic.shooting.period_map import PeriodMap, central_differences
from slipstick.transient.events import period_run
from slipstick.transient.events.method import LOOSEST
from slipstick.transient.events.period_run import PeriodRun, PeriodStart, StartVariation
from slipstick.transient.events.setup import PreparedProblem
from slipstick.transient.problem import Problem

INTEGRATION_TOLERANCE = 1e-9  # of the integration, relative to the motion
LOOSE_FACTOR = 30.0  # times that: tolerance of the sensitivities; the change of the orbit by it gives the error
MIN_TOLERANCE = 1e-13
DIFFERENCE_STEP_REL = 1e-5  # of the sizes of a state, where derivatives are differences
STABLE_STEP_RATE = 2.0  # the longest step, times the fastest rate there is: explicit steps are stable up to about three
# In a period of many radians of what is fastest steps go far where nothing rings. Beyond DIES_OUT radians a small
# change that is carried along grows, though it should die out: the control of errors does not show that
MANY_RADIANS, DIES_OUT, ORDER = 2000.0, 1.0, 5  # the last: of the steps
FEW_RADIANS = 300.0  # up to so many no step is as long as it may be
MAX_PERIOD_GROWTH = 1.1  # times the period for which steps were chosen: beyond, they are chosen anew
SYMMETRY_REL = 0.03  # of the motion, with the straight lines between steps by which half a period is looked at
MESH_ROUNDING = 1e-9
SAME_MESH_REL = 1e-2  # of the sizes: states so near to each other take the same steps
DIFFERENCE_TOLERANCE_REL = 1e-3  # of the tolerance
NO_NUMBERS = np.zeros(0)


class AdaptivePeriod(NamedTuple):
    """One period.

    state : (size,) where it ended, of sliders the place between their copies.   flow : how it was gone through.
    derivative : (size, size), by_frequency : (size,) of that state by the one it began with, and by the frequency of
        all that is periodic.   loose : (size,) where it ends at a looser tolerance. None where they are not known.
    monodromy : (size, size) like the derivative, of the sliders themselves: its eigenvalues are the multipliers.
    """

    state: Array
    flow: period_run.PeriodEnd
    derivative: Array | None = None
    by_frequency: Array | None = None
    loose: Array | None = None
    monodromy: Array | None = None


class StepMesh(NamedTuple):
    """Where steps ended, as parts of the period ``time`` [s], from a state with these scales.

    sizes, largest : see `_weights`.
    """

    time: float
    state: Array
    scales: Array
    parts: Array
    sizes: Array
    largest: float


class AdaptiveMap(PeriodMap):
    """problem : of the orbit's period ``time`` [s], beginning at its start.   tolerance : of the integration.

    given : the problem as it was given: laws with a stack of reversals are followed by twins of theirs.
    mesh : of a map nearby. Steps that are chosen anew for each state change by whole steps now and then, and the map
    jumps there; so states near the one for which they were chosen take the same.
    by_springs : errors of velocities are measured by the displacements that they lead to, see `_weights`.
    largest_step : [s] of steps; what rests bounds none, and changes that are carried along would suffer.
    copies : sliders begin at a chosen place of their band, see `memory_state`; else they come back wherever they are.
    """

    largest_step = math.inf

    def __init__(
        self,
        problem: Problem,
        time: float,
        tolerance: float = INTEGRATION_TOLERANCE,
        mesh: StepMesh | None = None,
        by_springs: bool = False,
        copies: bool = True,
    ) -> None:
        self.given, problem = problem, with_twins(problem)
        super().__init__(problem, time)
        self.tolerance, self.mesh, self.by_springs = tolerance, mesh, by_springs
        self._followed = with_copies if copies else lambda own: own
        try:
            self.ready = PreparedProblem(self._followed(problem))
            self.period_run = PeriodRun(self.ready, time, tolerance)
        except CannotTranslate as reason:
            raise MissingFace(f"{reason}; {MUST_COMPILE}", owner="shooting") from None
        self.parts = memory_parts_of(problem, self.ready, self.period_run.run.starts)
        self.size = self.parts[-1].place.stop if self.parts else 2 * problem.n
        self.settled = [part for part in self.parts if isinstance(part, SettledPart)]
        self.sliders = [part for part in self.parts if isinstance(part, SliderPart) and part.copies]
        self.virgin = problem.start_memories()
        self.units: dict[tuple[bool, tuple[bool, ...]], StartVariation] = {}
        # a law by rate that remembers more than its inner state: its equations are not differentiated by what it keeps
        # and contacts change their states at events that are not differentiated
        self.by_differences = bool(self.ready.elastic) or any(
            part.state is not None and not part.inner for part in self.parts
        )

    def renewed(self, problem: Problem, time: float) -> AdaptiveMap:
        return AdaptiveMap(problem, time, self.tolerance, by_springs=self.by_springs)

    def retuned(self, problem: Problem, time: float) -> AdaptiveMap:
        """The map of the same problem at another base frequency; it shares this one's arrays."""
        new = copy(self)
        new.given = problem
        PeriodMap.__init__(new, with_twins(problem), time)
        new.ready = self.ready.retuned(self._followed(new.problem))
        return new

    def _through(self, start: PeriodStart, **how: Any) -> period_run.PeriodEnd:
        """Go through one period, with the arrays tuned to this map."""
        self.period_run.tune(self.ready, self.time)
        how.setdefault("tolerance", self.tolerance)
        if self.mesh is not None:
            how["sizes"] = self.mesh.sizes
        if how.get("mesh") is None:
            own = math.inf if self.mesh is None else self.mesh.largest
            how["largest"] = min(own, self._longest(how["tolerance"]))
        flow = self.period_run.go(start, **how)
        if not self.sliders:
            return flow
        count, tape = len(self.problem.elements), flow.tape  # without what only copies do
        if tape is not None:
            tape = tape._replace(begun=tape.begun[:, :count], forces=tape.forces[:, :count])
        return flow._replace(tape=tape, events=flow.events.select(flow.events.element < count))

    def _longest(self, tolerance: float) -> float:
        """[s] the longest step: perturbations decay correctly, and the effect of a looser tolerance is visible."""
        if self.ready.fastest * self.time <= MANY_RADIANS:
            return self.largest_step
        part = min((tolerance / self.loose_tolerance) ** (1.0 / ORDER), 1.0)
        return min(float(DIES_OUT / self.ready.fastest * part), self.largest_step)

    def first(self) -> Array:
        """The state in which the model begins, but for forces at the beginning that periodic motions forget."""
        p = self.problem
        u = p.deflections_at(p.start, p.displacement)
        memories = list(self.virgin)
        for part in self.parts:
            memories[part.element] = part.law.search_start(float(u[part.element]))
        return self.state_of(p.displacement, p.velocity, memories)

    def state_of(self, q: Array, v: Array, memories: list[Any]) -> Array:
        """(size,) a state from displacements, velocities and memories, as laws have them."""
        found = np.concatenate([q, v, np.zeros(self.size - 2 * q.size)])
        for part in self.parts:
            found[part.place] = part.own(np.asarray(memories[part.element]))
        return found

    def memories_of(self, state: Array) -> list[Any]:
        """What the laws of the given problem remember in a state, as they have it."""
        packed = self.start_of(state).memories
        found = list(self.virgin)
        for part in self.parts:
            found[part.element] = part.remembered(self.given.elements[part.element].law, packed[part.element])
        return found

    def start_of(self, state: Array) -> PeriodStart:
        """Where a period begins: a state as the integration has it."""
        p, n = self.problem, self.problem.n
        y = np.zeros(2 * n + self.ready.inner_count)
        y[: 2 * n] = state[: 2 * n]
        u, rate = p.deflections @ state[:n], p.deflections @ state[n : 2 * n]
        if p.assembly.prescribed.size:
            u, rate = p.deflections_at(p.start, state[:n]), p.rates_at(p.start, state[n : 2 * n])
        memories = [NO_NUMBERS] * len(self.ready.problem.elements)
        for part in self.parts:
            e = part.element
            memories[e] = part.memory(state[part.place], float(u[e]), float(rate[e]))
            if isinstance(part, ContactPart):
                count = len(part.law.kernel_law.directions)
                memories[e][-count:] = u[e : e + count]
            if part.state is not None:
                y[2 * n + part.state] = part.selects @ memories[e]
        for slider in self.sliders:
            for own, place in zip(slider.copies, slider.copy_starts(float(u[slider.element])), strict=True):
                memories[own] = np.array([place])
        return PeriodStart(y, memories)

    def _end_of(self, flow: period_run.PeriodEnd, copies: bool = True) -> Array:
        """(size,) the state in which a passage ended; copies : with sliders at a place between their copies."""
        p, n, found = self.problem, self.problem.n, np.empty(self.size)
        found[: 2 * n] = flow.y[: 2 * n]
        for part in self.parts:
            own = flow.memory[part.packed]
            if part.state is None:
                found[part.place] = part.own(own)
            elif part.inner:
                found[part.place] = flow.y[2 * n + part.state]
            else:  # a law by rate that remembers its branch
                time, e = p.start + self.time, part.element
                u, rate = p.deflections_at(time, flow.y[:n])[e], p.rates_at(time, flow.y[n : 2 * n])[e]
                z = float(flow.y[2 * n + part.state])
                found[part.place] = part.law.settled(float(u), float(rate), z, tuple(own.tolist()))
        for slider in self.sliders if copies else ():
            ends = flow.memory[list(slider.copied)]
            found[slider.place] = ends @ slider.chosen(*ends.tolist())
        return found

    def go(self, state: Array, derivative: bool = False, swept: bool = False, tape: bool = False) -> AdaptivePeriod:
        """Follow a state (size,) over one period.

        swept : with the derivative by the frequency, if that is known.   tape : write the steps down.

        """
        mesh, start = self._mesh_for(state), self.start_of(state)
        try:
            flow = self._through(start, tape=tape or mesh is None, mesh=mesh)
        except NotConverged:
            if mesh is None:
                raise
            mesh = None  # a fast part of the motion has moved to where the known steps are too long
            flow = self._through(start, tape=True)
        if mesh is None:
            assert flow.tape is not None
            sizes, largest = self._weights(flow)
            self.mesh = StepMesh(self.time, state, self.scales(flow), self._ends(flow.tape), sizes, largest)
        passed = AdaptivePeriod(self._end_of(flow), flow)
        return self.with_derivative(state, passed, swept) if derivative else passed

    def freely(self, state: Array, tape: bool = False) -> AdaptivePeriod:
        """Follow a state (size,) over one period with steps chosen for it alone, as a run takes them."""
        flow = self._through(self.start_of(state), tape=tape)
        return AdaptivePeriod(self._end_of(flow), flow)

    def effort(self, passed: AdaptivePeriod) -> int:
        return passed.flow.steps

    def _ends(self, tape: Any) -> Array:
        """(k,) where steps ended, as parts of the period; not at reversals, which will be found where they are then.

        What is at rest reverses at every step: then all of them count. Where the second half of the period mirrors the
        first one so do the steps: a map that is not as symmetric as the model has no symmetry to break.
        """
        ends, chosen = tape.time[1:], ~tape.event[1:]
        found = ends[chosen] if 2 * chosen.sum() >= ends.size else ends
        parts = np.asarray((found - self.problem.start) / self.time)
        if not self._is_mirrored(tape):
            return parts
        first = parts[parts < 0.5 - MESH_ROUNDING]
        return np.concatenate([first, [0.5], first + 0.5, [1.0]])

    def _is_mirrored(self, tape: Any) -> bool:
        """True if displacements half a period later are the opposite, roughly."""
        n, half = self.problem.n, self.problem.start + 0.5 * self.time
        k = int(np.searchsorted(tape.time, half))
        part = (half - tape.time[k - 1]) / (tape.time[k] - tape.time[k - 1])
        q = (1.0 - part) * tape.y[k - 1, : 2 * n] + part * tape.y[k, : 2 * n]
        size = np.abs(tape.y[:, : 2 * n]).max(axis=0)
        return bool((np.abs(q + tape.y[0, : 2 * n]) <= SYMMETRY_REL * size).all())

    def _weights(self, flow: period_run.PeriodEnd) -> tuple[Array, float]:
        """(2n + z,) what errors of the integration are measured by: the sizes of the motion; and the longest step [s].

        ``by_springs``: a velocity counts by the displacement that it leads to, which is over in the time 1/w of the
        coordinate's own springs: that of a light body that follows others slowly need not be known to so many digits
        of itself. The error does not see then where steps become unstable, so they are kept well below that.
        """
        if not self.by_springs:
            return flow.sizes, math.inf
        assert flow.tape is not None
        n, found = self.problem.n, flow.sizes.copy()
        springs = np.sqrt(np.maximum(-np.diagonal(self.ready.linear[:, :n]), 0.0))
        led = 0.5 * springs * np.ptp(flow.tape.y[:, :n], axis=0)
        looser = bool((led > found[n : 2 * n]).any())
        np.maximum(found[n : 2 * n], led, out=found[n : 2 * n])
        return found, STABLE_STEP_RATE / self.ready.fastest if looser else math.inf

    def _mesh_for(self, state: Array) -> Array | None:
        """The times at which steps end, if they are known for a state near this one."""
        if self.mesh is None or self.time > MAX_PERIOD_GROWTH * self.mesh.time:
            return None
        if np.abs((state - self.mesh.state) / self.mesh.scales).max(initial=0.0) > SAME_MESH_REL:
            return None
        return np.ascontiguousarray(self.mesh.parts * self.time)

    def with_derivative(
        self, state: Array, passed: AdaptivePeriod, swept: bool = False, alike: bool = False
    ) -> AdaptivePeriod:
        """The same with its derivative, where it was gone through without.

        It is carried along a looser passage: it need not be known to so many digits as the state. ``alike``: along the
        same steps, for where it is nearly singular; it is that of the map to rounding then.
        """
        if self.by_differences:
            tight = DIFFERENCE_TOLERANCE_REL * self.tolerance  # so that their steps do not matter
            sizes = self.sizes(passed.flow)
            found = central_differences(
                lambda other: self.at_tolerance(other, tight), state, sizes, DIFFERENCE_STEP_REL
            )
            own = found
            if self.sliders:
                own = central_differences(
                    lambda other: self.at_tolerance(other, tight, copies=False), state, sizes, DIFFERENCE_STEP_REL
                )
            return passed._replace(derivative=found, loose=self.looser(state), monodromy=own)
        swept = swept and self.problem.scales_with_frequency
        how: dict[str, Any] = {"mesh": self._mesh_for(state)} if alike else {"tolerance": self.loose_tolerance}
        other = self._through(self.start_of(state), change=self._changes(state, swept), **how)
        found = self._derivative(other)
        # the change is that by the frequency of the period; the base frequency is in a fixed ratio to it
        by_frequency = found[:, -1] * (2.0 * math.pi / self.time / self.base) if swept else None
        loose = None if alike else self._end_of(other)
        own = self._derivative(other, copies=False) if self.sliders else found
        return AdaptivePeriod(
            passed.state, passed.flow, found[:, : self.size], by_frequency, loose, own[:, : self.size]
        )

    @property
    def loose_tolerance(self) -> float:
        """Of the passage that tells the error."""
        return min(LOOSE_FACTOR * self.tolerance, LOOSEST)

    @property
    def steps_are_error_limited(self) -> bool:
        """True if all steps of a period are as long as their errors let them be, and none as stability does."""
        return self.ready.fastest * self.time <= FEW_RADIANS

    def looser(self, state: Array) -> Array:
        """(size,) where a state ends at a looser tolerance."""
        return self.at_tolerance(state, self.loose_tolerance)

    def at_tolerance(self, state: Array, tolerance: float, copies: bool = True) -> Array:
        """(size,) where a state ends at another tolerance; copies : see `_end_of`."""
        return self._end_of(self._through(self.start_of(state), tolerance=max(tolerance, MIN_TOLERANCE)), copies)

    def sizes(self, flow: period_run.PeriodEnd) -> Array:
        """(size,) how large the parts of a state are over the period: what differences are measured by."""
        n, found = self.problem.n, np.empty(self.size)
        found[: 2 * n] = flow.sizes[: 2 * n]
        for part in self.parts:
            if part.inner and part.state is not None:
                found[part.place] = flow.sizes[2 * n + part.state]
            else:
                found[part.place] = part.own(flow.tops[part.packed])
            if isinstance(
                part, SliderPart | ContactPart
            ):  # one that sticks may be at rest: it is measured as what leads it
                led = float(np.abs(self.problem.deflections[part.element]) @ found[:n])
                found[part.place] = np.maximum(found[part.place], led)
        return found

    # ---- derivatives

    @property
    def base(self) -> float:
        """[rad/s] the base frequency."""
        turn = 2.0 * math.pi / self.time
        return turn if self.problem.frequency is None else self.problem.frequency

    def _changes(self, start: Array, swept: bool) -> StartVariation:
        """Of each part of the state a small change; ``swept``: and one of none, for the frequency."""
        p, n = self.problem, self.problem.n
        turn = 2.0 * math.pi / self.time if swept else 0.0
        rates = p.rates_at(p.start, start[n : 2 * n]) if self.settled else np.zeros(len(p.elements))
        key = swept, tuple(bool(rates[part.element] >= 0.0) for part in self.settled)
        if key in self.units:
            self.units[key] = self.units[key]._replace(frequency=turn)
            return self.units[key]
        count = self.size + swept
        state = np.zeros((count, 2 * n + len(self.ready.inner)))
        state[: 2 * n, : 2 * n] = np.eye(2 * n)
        memories = [np.zeros((count, 0)) for _ in self.ready.problem.elements]
        for part in self.parts:
            e = part.element
            if part.state is not None:
                state[part.place, 2 * n + part.state] = 1.0
                continue
            memories[e] = np.zeros((count, len(part.law.remembers)))
            changes = part.begun(p.deflections[e], float(rates[e]))
            for rows, change in zip((slice(n), slice(n, 2 * n), part.place), changes, strict=True):
                memories[e][rows] = change
        for slider in self.sliders:
            for own in slider.copies:
                memories[own] = np.zeros((count, 1))
                memories[own][:n, 0] = p.deflections[slider.element]
        inner = {part.element for part in self.parts if part.inner}
        local = [e in inner for e in range(len(memories))]
        self.units[key] = StartVariation(state, memories, local, turn)
        return self.units[key]

    def _derivative(self, ended: period_run.PeriodEnd, copies: bool = True) -> Array:
        """(size, changes) from the changes at the end of the period; copies : see `_end_of`."""
        change = ended.change
        assert change is not None
        n, out = self.problem.n, np.empty((self.size, change.state.shape[0]))
        out[: 2 * n] = change.state[:, : 2 * n].T
        for part in self.parts:
            if part.state is not None:
                out[part.place] = change.state[:, 2 * n + part.state]
            else:
                out[part.place] = part.ended(ended.memory[part.packed], change.memories[part.element])
        for slider in self.sliders if copies else ():
            weights = slider.chosen(*ended.memory[list(slider.copied)].tolist())
            ends = (change.memories[own][:, 0] for own in slider.copies)
            out[slider.place] = sum(weight * end for weight, end in zip(weights, ends, strict=True))
        return out
