"""`Engine`: a problem ready for the compiled exact flow. `Flow`: one run of it."""

from __future__ import annotations

import math
import threading
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import Message
from slipstick.laws.law_kernels import pointer
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.first_order_form import UndeterminedDirection
from slipstick.transient.exact.guard_roots import NEVER
from slipstick.transient.exact.impacts import START_ROUNDING_REL, TRIAL_ROUNDING_REL
from slipstick.transient.exact.modal_tables import (
    NoModalTable,
    fast_mode_velocities,
    linear_system_key,
    modal_table,
    pack_table,
)
from slipstick.transient.exact.outputs import acceleration_rows, output_rows
from slipstick.transient.exact.packed_model import (
    ModelUnit,
    PackedModel,
    at_base_frequency,
    new_recording,
    new_state,
    pack_model,
    tangent_model,
    with_law_parameters,
)
from slipstick.transient.exact.records import FlowModel, ModalTable, ModalTables, Recording, Segment, State, Variation
from slipstick.transient.exact.workspace import Workspace, WorkspaceRun
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import Progress

SMALL_MODEL_COORDINATES = 8
# Taylor steps in a state of a small and of a larger model before its modal table is built
STEPS_BEFORE_TABLE, STEPS_BEFORE_TABLE_LARGE = 40.0, 200.0
STEP_REACH = 8.0  # |l| h of a Taylor step
STIFF = 2.0  # times STEPS_BEFORE_TABLE_LARGE: Taylor steps in a load period above which tables are built at once
INITIAL_CAPACITY = 512  # segments and events
WORK_BETWEEN_CALLBACKS = 2000.0  # segments, before Python reports progress and handles interrupts
# steps before their pace is checked, and the most that may remain (a quarter of an hour)
PACE_CHECK_STEPS, MAX_REMAINING_STEPS = 1e5, 3e7
GROWN = 1e6  # growth over the first half of a run: no damped or conservative motion grows so much
# segments, and the smallest share of a run's time that each should take
CHATTER_SEGMENTS, MIN_SEGMENT_TIME_REL = 1000, 1e-12

_SEGMENT_FIELDS = [*Segment.fields]


class Engine:
    """A packed problem with the modal tables of all states so far, kept for the next run. One run at a time."""

    def __init__(self, packed: PackedModel) -> None:
        self.packed = packed
        self.model = packed.model.pointer
        self.tables = ModalTables({"entries": at.ENTRY_SLOTS * at.MAX_ENTRIES, "numbers": 4096})
        self.built = 0
        self.refused = Message("")  # why a state of coordinates without inertia has no table
        self._like: dict[tuple[Any, ...], slice] = {}  # where the table of each linear system is
        self.unrest = np.zeros((2, packed.problem.n))  # velocities from rounding of a state, see `fast_mode_velocities`
        self.lock = threading.RLock()

    @property
    def nbytes(self) -> int:
        """[bytes] size of the tables, by which `Problem.tidy` drops them."""
        return int(self.tables.block.nbytes)

    def retuned(self, problem: Problem) -> Engine:
        """The engine of the same problem at another base frequency, with the present tables tuned to it."""
        still = problem.offsets.is_zero
        # computed once for all frequencies
        _ = self.size, self.sticking, self.sticks_where_stretch_moves, self.is_driven
        _ = (self.meters, self.accelerometers) if still else None
        packed = at_base_frequency(self.packed, problem)
        if packed is None:
            return Engine(pack_model(problem))
        new = object.__new__(Engine)
        with self.lock:
            # all that does not depend on waves stays, and so does the lock, as there is one workspace
            new.__dict__.update(
                self.__dict__, packed=packed, model=packed.model.pointer, built=0, _like=self._like.copy()
            )
            old, head = self.tables.block, len(ModalTables.fields)
            used, begin = head + at.ENTRY_SLOTS * self.tables.count, head + at.ENTRY_SLOTS * at.MAX_ENTRIES
            block, end = np.empty(old.size), begin + self.tables.end
            block[:used], block[begin:end] = old[:used], old[begin:end]  # the same room, of which unused is not copied
            new.tables = ModalTables.over(block)
        for name in ("first",) if still else ("first", "meters", "accelerometers"):
            new.__dict__.pop(name, None)
        resonant = kernel("tune_tables").call(new.model, new.tables.pointer, self._room)
        if resonant and problem.massless:  # Taylor steps are not possible: let the run report it
            return Engine(packed)
        return new

    def renewed(self, problem: Problem) -> Engine:
        """The engine of a problem with other parameters of laws: workspace and layout stay, the tables do not."""
        packed = with_law_parameters(self.packed, problem)
        if packed is None:
            return Engine(pack_model(problem))
        new = Engine(packed)
        for name in ("lock", "workspace", "sliders", "sticking", "_room", "_blank"):
            new.__dict__[name] = getattr(self, name)
        return new

    @cached_property
    def _room(self) -> Any:
        """Workspace of `steady_response.tune_tables`."""
        return pointer(np.empty(12 * self.packed.problem.n + 4))

    def add_table(self, state: State) -> None:
        """Build the table of the present state and enter it in the directory."""
        pieces = state.piece.copy()
        place = self.tables.end
        try:
            new = self._table(pieces)
            resonant = kernel("tune_table").call(self.model, new.pointer, self._room)
            if resonant and self.packed.problem.massless:
                self.refused = Message(
                    "a load excites an undamped mode at its resonance; add damping, or change the frequency",
                    advice=[_GIVE_INERTIA],
                )
            self._like[linear_system_key(self.packed, pieces)] = slice(place, place + new.block.size)
            self.unrest = np.maximum(self.unrest, fast_mode_velocities(new, self.packed.problem.n))
        except UndeterminedDirection as problem:
            new, self.refused = (
                pack_table({}, [], pieces),
                _undetermined_coordinates(self.packed.problem, problem.direction),
            )
        except NoModalTable as problem:
            new, self.refused = pack_table({}, [], pieces), Message(f"{problem}", advice=[_GIVE_INERTIA])
        self.built += 1
        end, tables = place + new.block.size, self.tables
        if end > tables.numbers.size:
            self.tables = tables = ModalTables.over(np.concatenate([tables.block, np.zeros(end)]))
        tables.numbers[place:end] = new.block
        tables.end = end
        keys = tables.entries[: at.ENTRY_SLOTS * tables.count : at.ENTRY_SLOTS]  # their first slots
        for i in np.flatnonzero(keys == state.key).tolist():
            entry = at.entry_at(tables, i)
            if entry.place == at.NO_TABLE:
                entry.place = place
                return

    def _table(self, pieces: Array) -> ModalTable:
        """The table of a state. States that differ only in constants, as in the direction of sliding, share modes."""
        known = self._like.get(linear_system_key(self.packed, pieces))
        if known is None:
            return modal_table(self.packed, pieces)
        new = ModalTable.over(self.tables.numbers[known].copy())
        new.pieces = pieces
        return new

    @cached_property
    def first(self) -> State:
        """The packed state at the start, before the pieces are decided."""
        problem = self.packed.problem
        memories = problem.start_memories()
        u = problem.deflections_at(problem.start, problem.displacement)
        elements = [self.packed.units[j].elements[0] for j in self.sliders]
        stretches = [float(u[e]) - memories[e][0] for e in elements]
        state = self.state_of(np.concatenate([problem.displacement, self._first_velocity, stretches]))
        state.start_slack = START_ROUNDING_REL
        if problem.resumed is not None and len(problem.resumed.sizes) == state.scale.size:
            state.scale = np.array(problem.resumed.sizes)
        return state

    @property
    def _first_velocity(self) -> Array:
        """(n,) velocities at the start; contacts that stuck where an earlier run ended have no rate to rounding."""
        problem, packed = self.packed.problem, self.packed
        v = problem.velocity
        if problem.resumed is None or problem.massless:
            return v
        held = [j for j, unit in enumerate(packed.units) if set(unit.elements) & set(problem.resumed.sticking)]
        d = np.array([packed.units[j].deflection for j in held]).reshape(-1, problem.n)
        rates = problem.rates_at(problem.start, v)[[packed.units[j].elements[0] for j in held]]
        a = np.linalg.solve(problem.mass, np.array([packed.units[j].along for j in held]).reshape(-1, problem.n).T)
        return np.asarray(v - a @ np.linalg.lstsq(d @ a, rates, rcond=None)[0])

    @cached_property
    def sliders(self) -> list[int]:
        """The units with a stretch that can move."""
        return [j for j, pieces in enumerate(self.packed.pieces) if any(p.moves for p in pieces)]

    @cached_property
    def size(self) -> int:
        """Count of numbers in a state (q, v, w)."""
        return 2 * self.packed.problem.n + len(self.sliders)

    def state_of(self, given: Array) -> State:
        """A packed state at the start time, before the pieces are decided.

        given : (2n + sliders,) displacements, velocities, stretches of sliders.
        """
        state = self._blank.copy()
        kernel("put_state").call(self.model, state.pointer, pointer(given))
        return state

    @cached_property
    def _blank(self) -> State:
        problem, state = self.packed.problem, new_state(self.packed.model)
        state.time = problem.start
        state.step_hint = NEVER
        state.start_slack = TRIAL_ROUNDING_REL
        state.steps_before_table = (
            STEPS_BEFORE_TABLE if problem.n <= SMALL_MODEL_COORDINATES else STEPS_BEFORE_TABLE_LARGE
        )
        if problem.massless or self._is_stiff:
            state.steps_before_table = 0.0
        if self.packed.model.swept:
            state.steps_before_table = NEVER
        return state

    @property
    def _is_stiff(self) -> bool:
        """True if modes are far faster than the loads: each state then gets its modal table at once."""
        packed = self.packed
        if packed.model.swept or packed.problem.massless or packed.problem.n <= SMALL_MODEL_COORDINATES:
            return False
        if not packed.omega.size:
            return False
        fastest = math.sqrt(np.max(np.diag(packed.stiffness) / np.diag(packed.mass)))  # at least
        steps = 2.0 * math.pi * fastest / (STEP_REACH * float(packed.omega.min()))
        return steps > STIFF * STEPS_BEFORE_TABLE_LARGE

    @cached_property
    def sticking(self) -> dict[int, list[tuple[int, ModelUnit]]]:
        """The units that can stick, with their numbers, of each connection that can."""
        found: dict[int, list[tuple[int, ModelUnit]]] = {}
        for j, unit in enumerate(self.packed.units):
            if "stick" in unit.pieces:
                for connection in {self.packed.problem.elements[e].connection for e in unit.elements}:
                    found.setdefault(connection, []).append((j, unit))
        return found

    @cached_property
    def sticks_where_stretch_moves(self) -> bool:
        """True if every unit that sticks is a contact or sticks where its stretch moves: compiled code relies on it."""
        return all(
            unit.is_contact or unit.leader >= 0 or all((p.name == "stick") == p.moves for p in unit.described)
            for unit in self.packed.units
        )

    @cached_property
    def is_driven(self) -> bool:
        """True if there is a contact whose deflection is prescribed."""
        return any(unit.driven for unit in self.packed.units)

    @cached_property
    def workspace(self) -> Workspace:
        """Memory for runs over a period in one compiled call."""
        return Workspace(self, self._blank)

    @cached_property
    def meters(self) -> Array:
        """Rows for `outputs.measure_run`."""
        return output_rows(self.packed)

    @cached_property
    def accelerometers(self) -> Array:
        """Rows for `outputs.acceleration_amplitudes`."""
        return acceleration_rows(self.packed)

    @cached_property
    def tangent(self) -> FlowModel:
        """The packed model of perturbations."""
        return tangent_model(self.packed)


class SegmentIntervals(NamedTuple):
    """Of each segment of a run, the times [s] at which it begins and ends, and the piece of each unit."""

    begins: list[float]
    ends: list[float]
    pieces: list[list[int]]


class Flow:
    """One run: its state, the segments recorded and the events.

    recording : packed; properties give its columns.
    """

    _recorded: tuple[Array, Array] | None = None  # segments and events of a run that is over

    def __init__(self, engine: Engine, until: float, first: State | None = None) -> None:
        self.engine, self.until = engine, until
        self.state = (engine.first if first is None else first).copy()
        self.state.until = until
        self.recording = self._room_for(INITIAL_CAPACITY, INITIAL_CAPACITY)
        self.trouble = ""
        self.known_scales: tuple[float, Array] | None = None
        self.slid = False  # every contact and slider is known to have slid both ways

    @classmethod
    def walked(cls, engine: Engine, walked: WorkspaceRun, until: float, turn: float) -> Flow:
        """A run that was computed in the engine's workspace."""
        new = cls.__new__(cls)
        new.engine, new.until, new.trouble = engine, until, ""
        new.state, new.recording = walked.packed()
        new.slid = walked.slid and engine.sticks_where_stretch_moves
        new.__dict__["_ended"] = walked.ended, walked.sizes
        new.known_scales = turn, walked.scales
        new._recorded = walked.segments, walked.events
        return new

    @property
    def intervals(self) -> SegmentIntervals:
        """The segments in time."""
        segments, n = self._segments, self.engine.packed.problem.n
        begins = segments[:, _SEGMENT_FIELDS.index("time")].tolist()
        pieces = segments[:, len(_SEGMENT_FIELDS) + 2 * n :][:, : len(self.engine.packed.units)]
        return SegmentIntervals(begins, [*begins[1:], self.state.time], pieces.astype(np.intp).tolist())

    @property
    def _segments(self) -> Array:
        """(segments, numbers) as `records.Segment` has them."""
        if self._recorded is not None:
            return self._recorded[0]
        recording = self.recording
        size = recording.segment_size
        return recording.segments[: recording.segment_count * size].reshape(-1, size)

    @property
    def times(self) -> Array:
        """(segments,) times at which segments begin."""
        return self._segments[:, _SEGMENT_FIELDS.index("time")]

    @property
    def by_series(self) -> NDArray[np.bool_]:
        """(segments,) True where Taylor steps were taken."""
        return np.asarray(self._segments[:, _SEGMENT_FIELDS.index("by_series")].view(np.int64) != 0)

    @property
    def motions(self) -> Array:
        """(segments, 2n) displacements and velocities at which segments begin."""
        return self._segments[:, len(_SEGMENT_FIELDS) :][:, : 2 * self.engine.packed.problem.n]

    @property
    def pieces(self) -> Array:
        """(segments, units)."""
        units = len(self.engine.packed.units)
        return self._segments[:, len(_SEGMENT_FIELDS) + 2 * self.engine.packed.problem.n :][:, :units]

    @property
    def memories(self) -> Array:
        """(segments, units)."""
        units = len(self.engine.packed.units)
        begin = len(_SEGMENT_FIELDS) + 2 * self.engine.packed.problem.n + units
        return self._segments[:, begin : begin + units]

    @property
    def impulses(self) -> Array:
        """(segments, contacts) of rigid stops where segments begin; (segments, 0) without stops."""
        begin = len(_SEGMENT_FIELDS) + 2 * (self.engine.packed.problem.n + len(self.engine.packed.units))
        return self._segments[:, begin:]

    @property
    def events(self) -> Array:
        """(events, 4) time, unit, piece before, piece after."""
        if self._recorded is not None:
            return self._recorded[1]
        return self.recording.events.reshape(-1, at.EVENT_SLOTS)[: self.recording.event_count]

    @property
    def time(self) -> float:
        return self.state.time

    @cached_property
    def never_slipping(self) -> list[int]:
        """The contacts and sliders that have stuck throughout."""
        packed = self.engine.packed
        if self.slid and not self.engine.is_driven:
            return []
        rows = self.pieces.tolist()
        found = []
        for j, pieces in enumerate(zip(*rows, strict=True)):
            met = set(pieces)
            if packed.units[j].stop is not None:
                continue
            if packed.units[j].friction:
                sticks = met <= {at.STICK, at.HELD_UP, at.HELD_DOWN}
            else:
                sticks = all(packed.pieces[j][int(piece)].moves for piece in met)
            if sticks:
                found.append(j)
        return found

    @cached_property
    def ways(self) -> dict[int, set[str]]:
        """The directions in which each slider and contact slides.

        Contacts that lose their normal load or have a prescribed deflection are left out.
        """
        packed = self.engine.packed
        rows = self.pieces.tolist()
        found = {}
        for j, unit in enumerate(packed.units):
            if "stick" in unit.pieces and not unit.driven and unit.leader < 0 and unit.pair is None:
                own = unit.pieces if unit.is_contact else tuple(piece.name for piece in unit.described)
                names = {own[int(row[j])] for row in rows}
                if not names & {"unloaded", "separated"}:
                    found[j] = names - {"stick"}
        return found

    def vary(self, recording: Recording, end: float, changes: Array) -> None:
        """Carry changes (k, 2n + units: displacements, velocities, memories) along segments up to ``end``, in place.

        k at most 2n + units.
        """
        with self.engine.lock:
            variation = self._variation(recording, end, changes)  # kept for the call, with its arrays
            kernel("vary_run").call(variation.pointer, len(changes), -1)

    def _variation(self, recording: Recording, end: float, changes: Array) -> Variation:
        """Changes that do not come from the base frequency."""
        engine = self.engine
        model = engine.packed.model
        return Variation(
            model=model, tangent=engine.tangent, turned=model, state=self.state.copy(), near=self.state.copy(),
            tables=engine.tables, recording=recording, end=end, changes=changes,
        )  # fmt: skip

    @property
    def arrived(self) -> Array:
        """(size,) the present state (q, v, w)."""
        return self._ended[0]

    @property
    def sizes(self) -> Array:
        """(size,) the largest values of its parts at events of the run; for stretches the largest possible ones."""
        return self._ended[1]

    @cached_property
    def _ended(self) -> tuple[Array, Array]:
        out = np.empty((2, self.engine.size))
        kernel("read_state").call(self.engine.model, self.state.pointer, self.recording.pointer, pointer(out))
        return out[0], out[1]

    def scales_by(self, turn: float, least: float = 0.0) -> Array:
        """(size,) one size for all displacements, one for all velocities, one for all stretches.

        turn : [rad/s] ratio of velocities to displacements. One of them may be zero at all events, so each size is at
        least what the other implies.   least : lower bound for displacements that are not all zero.
        """
        if self.known_scales is not None and self.known_scales[0] == turn:
            return self.known_scales[1]
        n, sizes = self.engine.packed.problem.n, self.sizes.tolist()
        q, v, w = max(sizes[:n], default=0.0), max(sizes[n : 2 * n], default=0.0), max(sizes[2 * n :], default=0.0)
        if max(q, v) > 0.0:
            q = max(q, least)
        q, v = max(q, v / turn, 1e-300), max(v, turn * q, 1e-300)
        self.known_scales = turn, np.array([q] * n + [v] * n + [max(w, 1e-300)] * (len(sizes) - 2 * n))
        return self.known_scales[1]

    def derivative(self) -> Array:
        """(size, size) derivative of the present state (q, v, w) by that at the start."""
        engine, size, n = self.engine, self.engine.size, self.engine.packed.problem.n
        units = len(engine.packed.units)
        out, room = np.empty((size, size)), np.empty(size * (2 * n + units) + units + 1)
        with engine.lock:
            variation = self._variation(self.recording, self.until, room)
            kernel("flow_derivative").call(variation.pointer, size, 0, pointer(out))
        return out.T

    def go(self, progress: Progress | None = None) -> None:
        """Run to the end; if the run stops early, `trouble` has the reason."""
        with self.engine.lock:
            self._go(progress)

    def _go(self, progress: Progress | None) -> None:
        engine, state, recording = self.engine, self.state, self.recording
        if not kernel("begin_run").call(engine.model, state.pointer, recording.pointer):
            self.trouble = _STOP_MESSAGES[state.failure or at.UNSETTLED]
            return
        recording.event_count = 0  # the first decision is not an event
        start, advance = self.time, kernel("advance").call
        pace = _Pace(start, self.until)
        while True:
            state.budget = WORK_BETWEEN_CALLBACKS
            why = int(advance(engine.model, state.pointer, engine.tables.pointer, recording.pointer))
            if why == at.DONE:
                break
            if why == at.NEED_TABLE:
                engine.add_table(state)
            elif why == at.SEGMENTS_FULL:
                if self._is_chattering(start):
                    self.trouble = _STALLED
                    return
                recording = self._grown(2, 1)
            elif why == at.EVENTS_FULL:
                recording = self._grown(1, 2)
            elif why == at.PAUSE:
                if progress is not None:
                    progress((self.time - start) / (self.until - start))
                self.trouble = pace.too_slow(self.time)
                if self.trouble:
                    return
            else:
                grown = why in (at.NOT_FINITE, at.STALL, at.LOST) and self._growth(start)
                self.trouble = grown or (why == at.REFUSED and engine.refused) or _STOP_MESSAGES[why]
                return
        if progress is not None:
            progress(1.0)

    def _room_for(self, segments: int, events: int) -> Recording:
        """A recording with room for so many segments and events, besides those of the start."""
        model = self.engine.packed.model
        return new_recording(model, segments, events + model.unit_count)

    def _grown(self, segments: int, events: int) -> Recording:
        """The recording with a multiple of its room."""
        old = self.recording
        new = self._room_for(segments * old.segment_capacity, events * old.event_capacity)
        new.segments[: old.segments.size], new.events[: old.events.size] = old.segments, old.events
        new.segment_count, new.event_count = old.segment_count, old.event_count
        self.recording = new
        return new

    def _growth(self, start: float) -> str:
        """A message if the motion has grown by a large factor in the later half of the run; else empty.

        Gaps and limits are then small compared with the motion, and events follow each other closer than rounding.
        """
        packed = self.engine.packed
        n, names = packed.problem.n, packed.problem.assembly.names
        largest = self.state.scale  # so far
        soon = max(int(np.searchsorted(self.times, 0.5 * (start + self.time))), 1)
        early = np.abs(self.motions[:soon]).max(initial=0.0)
        if not largest.max(initial=0.0) > GROWN * early > 0.0:
            return ""
        name = names[packed.problem.assembly.free[int(np.argmax(largest)) % n]]
        words = f', displacement or rate of "{name}" to {largest.max():.1e},'
        return _UNBOUNDED.wrapped("", words)

    def _is_chattering(self, start: float) -> bool:
        """True if segments of the later half are so short that the run would never end.

        A contact then chatters at the rounding of its forces.
        """
        count = self.recording.segment_count
        middle = float(self.times[count // 2])
        shortest = MIN_SEGMENT_TIME_REL * (self.until - start)
        return count > CHATTER_SEGMENTS and self.time - middle < shortest * (count - count // 2)


class _Pace:
    """The pace of a run; detects runs that would never end."""

    def __init__(self, start: float, until: float) -> None:
        self.until, self.times = until, [start]

    def too_slow(self, time: float) -> str:
        """A message if the pace of the later half of many steps leaves too many to the end; else empty.

        Called after each `WORK_BETWEEN_CALLBACKS` steps.
        """
        self.times.append(time)
        late = (len(self.times) - 1) // 2
        if late * WORK_BETWEEN_CALLBACKS < 0.5 * PACE_CHECK_STEPS:
            return ""
        each = (time - self.times[-1 - late]) / (late * WORK_BETWEEN_CALLBACKS)
        if each * MAX_REMAINING_STEPS >= self.until - time:
            return ""
        return Message(
            f"a damper, a spring or a load is so fast that steps are of {each:.1e} s, and "
            f"{(self.until - time) / max(each, 1e-300):.1e} more would be needed (limit {MAX_REMAINING_STEPS:.0e})",
            advice=["take a shorter time, a weaker damper or spring, or a slower load"],
        )


def _undetermined_coordinates(problem: Problem, direction: Array) -> Message:
    """The message for loaded coordinates without inertia that nothing holds, with their names."""
    names = [problem.assembly.names[i] for i in problem.assembly.free]
    found = [f'"{names[i]}"' for i in np.flatnonzero(np.abs(direction) > 1e-6 * np.abs(direction).max())]
    one = len(found) == 1
    return Message(
        f"a load acts on {' and '.join(found)}, which {'has' if one else 'have'} no inertia, and no spring or friction "
        f"holds {'it' if one else 'them'} in this state",
        advice=["give an inertia, a spring or friction"],
    )


_GIVE_INERTIA = "give the coordinates without inertia a small one"
_NO_STATE = Message(
    "no state of coordinates without inertia holds", advice=["give them an inertia or viscous friction"]
)
_STALLED = Message(
    "events accumulate at one instant", advice=["add damping or inertia to the contacts, or use newmark"]
)
_UNBOUNDED = Message(
    "the motion grows without bound",
    advice=["look for a negative damper or spring, which feeds energy in, or end the run earlier"],
)
_STOP_MESSAGES = {
    at.STALL: _STALLED,
    at.NOT_FINITE: _UNBOUNDED,
    at.TOO_MANY: Message(
        f"coordinates without inertia pass through more than {at.MAX_ENTRIES} states", advice=[_GIVE_INERTIA]
    ),
    at.NO_STATE: _NO_STATE,
    at.REFUSED: _NO_STATE,
    at.UNSETTLED: Message(
        "the forces of sticking contacts could not be determined", advice=["add a little damping, or use newmark"]
    ),
    at.NO_CONTACT_STATE: Message(
        "no state of the rigid contacts satisfies Coulomb's law (Painleve's paradox)",
        advice=["take less friction, or FrictionContact, whose stiffnesses decide such cases"],
    ),
    at.TOO_MANY_CONTACTS: Message(
        "too many contacts to try all states: no state of the rigid contacts was found",
        advice=["use inclusion or fewer contacts, or FrictionContact, whose stiffnesses decide each contact alone"],
    ),
    at.GAINS_ENERGY: Message(
        "an impact with this friction and restitution would gain energy",
        advice=["take restitution=0 or less friction, or FrictionContact, whose stiffnesses decide such cases"],
    ),
    at.LOST: Message(
        "a spring or contact stays at its switching point within rounding",
        advice=["change the load or the gap a little, or use newmark"],
    ),
}


def engine_of(problem: Problem) -> Engine:
    """The engine of a problem, created on first use and cached with it."""
    found = problem.kept.get("exact")
    if found is None:
        found = problem.kept["exact"] = Engine(pack_model(problem))
    return found
