"""`Workspace`: runs between states (q, v, w) in one compiled call, on memory that is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from slipstick.arrays import Array
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.flow_storage import new_recording
from slipstick.transient.exact.records import Recording, State, Variation
from slipstick.transient.exact.workspace_loop import StateRun

if TYPE_CHECKING:
    from slipstick.transient.exact.engine import Engine


MAX_SEGMENTS = 512  # segments; longer runs take the general code
MAX_RUN_WORK = 2000.0  # segments and Taylor steps, likewise


class WorkspaceRequest(NamedTuple):
    """A run until a time [s] and its derivatives; the fields are those of `StateRun`."""

    until: float
    turn: float
    derived: int = 1
    least: float = 0.0


@dataclass(eq=False)
class WorkspaceRun:
    """A run.

    given, ended : (size,) the states (q, v, w) at its start and end.
    sizes, scales : (size,) the largest values at events; the same for all displacements, velocities and stretches.
    columns : (size + 1, size) the derivative of the end by the start, by columns; the last one is by the logarithm of
        the base frequency. Only the requested ones are set.
    events : (events, 4) time, unit, piece before, piece after.   segments : (segments, numbers) as `records.Segment`.
    slid : all contacts and sliders that may rest somewhere have slid both ways.
    """

    given: Array
    ended: Array
    sizes: Array
    scales: Array
    columns: Array
    events: Array
    slid: bool
    segments: Array
    _state: Array
    _like: Recording

    @property
    def nbytes(self) -> int:
        """[bytes] about the size of its arrays."""
        return int(8 * (self._state.size + self.columns.size + self.segments.size + self.events.size))

    def packed(self) -> tuple[State, Recording]:
        """The state at its end and the recording, as `flow_run.Flow` has them."""
        counts = {"segment_count": len(self.segments), "event_count": len(self.events)}
        recording = self._like.holding(counts, segments=self.segments.ravel(), events=self.events.ravel())
        return State.over(self._state), recording


class Workspace:
    """Memory for runs of an engine and of its tuned copies, one run at a time."""

    def __init__(self, engine: Engine, blank: State) -> None:
        packed, size = engine.packed, engine.size
        n, units = packed.problem.n, len(packed.units)
        recording = new_recording(packed.model, MAX_SEGMENTS, 2 * (MAX_SEGMENTS + units))
        self._kept_size = size * (size + 5) + blank.block.size  # of the first five sections
        self.run = run = StateRun(
            {
                "given": size, "ended": 2 * size, "scales": size, "columns": (size + 1) * size,
                "state": blank.block.size, "recording": recording.block.size,
                "blank": blank.block.size, "spare": 2 * blank.block.size,
                "changes": (size + 1) * (2 * n + units) + units + 1, "rate": size,
                "turned": packed.model.block.size, "variation": len(Variation.fields),
            },
            size=size, state_size=blank.block.size, model_size=packed.model.block.size,
        )  # fmt: skip
        first = State.over(run.blank)
        first.block[:] = blank.block
        first.steps_before_table = 0.0  # modes at once: the next run will need them again
        first.budget = MAX_RUN_WORK
        run.recording = recording.block
        self._recording = Recording.over(run.recording)
        self.slots, self.pointer, self._given = run.slots, run.pointer, run.given
        self._recorded, self._events = self._recording.slots, self._recording.events
        self._segments = self._recording.segments

    def walk(self, engine: Engine, given: Array, request: WorkspaceRequest) -> WorkspaceRun | None:
        """A run from a state (size,); None if it has too many segments or needs the general code."""
        slots, call = self.slots, kernel("run_state").call
        with engine.lock:
            slots.until, slots.turn, slots.derived, slots.least = request
            self._given[:] = given
            why = at.NEED_TABLE
            while why == at.NEED_TABLE:
                why = int(call(engine.model, engine.tangent.pointer, engine.tables.pointer, self.pointer))
                if why == at.NEED_TABLE:
                    engine.add_table(self.state)
            return self.kept() if why == at.DONE else None

    @property
    def state(self) -> State:
        """The packed state."""
        return State.over(self.run.state)

    def kept(self) -> WorkspaceRun:
        """The last run, as copies."""
        recorded, size = self._recorded, self.slots.size
        events = self._events[: recorded.event_count * at.EVENT_SLOTS].copy()
        own = self.run.block[len(StateRun.fields) :][: self._kept_size].copy()
        return WorkspaceRun(
            own[:size],
            own[size : 2 * size],
            own[2 * size : 3 * size],
            own[3 * size : 4 * size],
            own[4 * size : size * (size + 5)].reshape(size + 1, size),
            events.reshape(-1, at.EVENT_SLOTS),
            self.slots.slid,
            self._segments[: recorded.segment_count * recorded.segment_size].copy().reshape(-1, recorded.segment_size),
            own[size * (size + 5) :],
            self._recording,
        )
