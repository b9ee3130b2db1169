"""`Flow`: one run of the compiled exact flow."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import Message
from slipstick.laws.law_kernels import pointer
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.engine import GIVE_INERTIA, Engine
from slipstick.transient.exact.flow_storage import new_recording
from slipstick.transient.exact.records import Recording, Segment, State, Variation
from slipstick.transient.exact.workspace import WorkspaceRun
from slipstick.transient.run_request import Progress

INITIAL_CAPACITY = 512  # segments and events
WORK_BETWEEN_CALLBACKS = 2000.0  # segments, before Python reports progress and handles interrupts
# steps before their pace is checked, and the most that may remain (a quarter of an hour)
PACE_CHECK_STEPS, MAX_REMAINING_STEPS = 1e5, 3e7
GROWN = 1e6  # growth over the first half of a run: no damped or conservative motion grows so much
# segments, and the smallest share of a run's time that each should take
CHATTER_SEGMENTS, MIN_SEGMENT_TIME_REL = 1000, 1e-12


_SEGMENT_FIELDS = [*Segment.fields]


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
    def from_workspace(cls, engine: Engine, own: WorkspaceRun, until: float, turn: float) -> Flow:
        """A run that was computed in the engine's workspace."""
        new = cls.__new__(cls)
        new.engine, new.until, new.trouble = engine, until, ""
        new.state, new.recording = own.packed()
        new.slid = own.slid and engine.sticks_where_stretch_moves
        new.__dict__["_ended"] = own.ended, own.sizes
        new.known_scales = turn, own.scales
        new._recorded = own.segments, own.events
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
        f"coordinates without inertia pass through more than {at.MAX_ENTRIES} states", advice=[GIVE_INERTIA]
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
