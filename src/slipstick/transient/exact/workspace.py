"""`Workspace`: runs between states (q, v, w) in one compiled call, on memory that is kept.

`workspace_loop` has the layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.law_kernels import pointer
from slipstick.transient.exact import records as at
from slipstick.transient.exact import workspace_loop as on
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.packed_model import new_recording
from slipstick.transient.exact.records import Recording, State, Variation

if TYPE_CHECKING:
    from slipstick.transient.exact.engine import Engine

Array = NDArray[np.float64]

MAX_SEGMENTS = 512  # segments; runs that have more are walked the general way
MAX_RUN_WORK = 2000.0  # segments and Taylor steps, likewise


class WorkspaceRequest(NamedTuple):
    """A run until a time [s], and the derivatives wanted.

    turn : [rad/s] by which displacements and velocities compare.
    derived : derivatives, 0: none, 1: by the state, 2: by the base frequency too.
    least : the least size that displacements which are not all zero are measured by.
    """

    until: float
    turn: float
    derived: int = 1
    least: float = 0.0


class WorkspaceRun(NamedTuple):
    """A run.

    given, ended, sizes, scales : (size,) the states (q, v, w) at its begin and end; how large their parts were, at
        events; the same alike for all displacements, all velocities, all stretches.
    columns : (size + 1, size) the derivative of the end by the begin, by columns; the last one is that by the
        logarithm of the base frequency. Only what was asked for is there.
    state, recording : packed, as `engine.Flow` has them.
    slid : all contacts and sliders that may rest somewhere have slid both ways.
    """

    given: Array
    ended: Array
    sizes: Array
    scales: Array
    columns: Array
    state: State
    recording: Recording
    slid: bool


class Workspace:
    """Room for the runs of an engine, and of those that are tuned from it: one at a time."""

    def __init__(self, engine: Engine, blank: State) -> None:
        packed, size = engine.packed, engine.size
        n, units = packed.problem.n, len(packed.units)
        self.size, recording = size, new_recording(packed.model, MAX_SEGMENTS, MAX_SEGMENTS + units)
        sections = {
            on.Y_GIVEN: size, on.Y_ENDED: 2 * size, on.Y_SCALES: size, on.Y_COLUMNS: (size + 1) * size,
            on.Y_STATE: blank.block.size, on.Y_RECORD: recording.block.size,
            on.Y_BLANK: blank.block.size, on.Y_SPARE: 2 * blank.block.size,
            on.Y_CHANGES: (size + 1) * (2 * n + units) + units + 1, on.Y_RATE: size,
            on.Y_TURNED: packed.model.block.size, on.Y_VARIATION: len(Variation.fields),
        }  # fmt: skip
        begins = np.cumsum([on.DESK_HEAD, *sections.values()])
        self.numbers = numbers = np.empty(begins[-1])
        numbers[list(sections)] = begins[:-1]
        numbers[[on.Y_SIZE, on.Y_STATE_SIZE, on.Y_MODEL_SIZE]] = size, blank.block.size, packed.model.block.size
        self.begin = dict(zip(sections, begins.tolist(), strict=False))
        first = State.over(numbers[self.begin[on.Y_BLANK] :][: blank.block.size])
        first.block[:] = blank.block
        first.steps_before_table = 0.0  # modes at once: the next run will need them again
        first.budget = MAX_RUN_WORK
        self.recording = Recording.over(numbers[self.begin[on.Y_RECORD] :][: recording.block.size])
        self.recording.block[:] = recording.block
        self.at = pointer(numbers)

    def walk(self, engine: Engine, given: Array, asked: WorkspaceRequest) -> WorkspaceRun | None:
        """A run from a state (size,); None if there is no room for it, or it needs the general code."""
        numbers, call = self.numbers, kernel("run_state").call
        with engine.lock:
            numbers[on.Y_UNTIL : on.Y_LEAST + 1] = asked
            first = self.begin[on.Y_GIVEN]
            numbers[first : first + self.size] = given
            why = at.NEED_TABLE
            while why == at.NEED_TABLE:
                why = int(call(engine.model, engine.tangent.pointer, engine.tables.pointer, self.at))
                if why == at.NEED_TABLE:
                    engine.add_table(self.state)
            return self.kept() if why == at.DONE else None

    @property
    def state(self) -> State:
        """The packed state at hand."""
        return State.over(self.numbers[self.begin[on.Y_STATE] : self.begin[on.Y_RECORD]])

    def kept(self) -> WorkspaceRun:
        """The last run, as copies."""
        begin, size, numbers, ran = self.begin, self.size, self.numbers, self.recording
        first, columns, state = begin[on.Y_GIVEN], begin[on.Y_COLUMNS], begin[on.Y_STATE]
        own = numbers[first : begin[on.Y_RECORD]].copy()
        state_at, columns_at = state - first, columns - first
        return WorkspaceRun(
            own[:size],
            own[size : 2 * size],
            own[2 * size : 3 * size],
            own[3 * size : 4 * size],
            own[columns_at:state_at].reshape(size + 1, size),
            State.over(own[state_at:]),
            ran.cut(segments=ran.segment_count * ran.segment_size, events=ran.event_count * at.EVENT_SLOTS),
            numbers[on.Y_SLID] == 1.0,
        )
