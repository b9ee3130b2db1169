"""One run from a state (q, v, w), with its derivatives and scales, for the corrector of shooting; compiled.

A `StateRun` holds all data.
"""

from __future__ import annotations

from slipstick.native import Array, NativeRecord, Section, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import swap_entries
from slipstick.transient.exact.flow import advance
from slipstick.transient.exact.flow_map import flow_derivative, is_slider, put_state, read_state, state_rate
from slipstick.transient.exact.frequency_sensitivity import frequency_tangent_model
from slipstick.transient.exact.records import FlowModel, ModalTables, Recording, State, Variation, segment_at
from slipstick.transient.exact.sampling import begin_run

FULL_RANK_REL = 1e-11  # of the largest pivot: a smaller one belongs to a neutral direction
SMALLEST_SCALE = 1e-300


class StateRun(NativeRecord):
    """One run from a state (q, v, w): the request, the result and workspace.

    The first five sections are kept of a run.
    """

    size: int  # numbers of a state (q, v, w)
    state_size: int  # of a packed state
    model_size: int  # of a packed model
    # request
    until: float  # [s] end of the run
    turn: float  # [rad/s] ratio of velocities to displacements in scales
    derived: int  # derivatives: 0: none, 1: by the state, 2: by the base frequency too
    least: float  # lower bound of the scale of displacements that are not all zero
    # result
    slid: bool  # all contacts and sliders have slid both ways, so none of them may rest elsewhere
    given: Section  # (size) the state at the start
    ended: Section  # (2, size) the state at the end, and sizes
    scales: Section  # (size)
    columns: Section  # (size + 1, size) the derivative, by columns
    state: Section  # the packed state at the end
    # workspace
    recording: Section
    blank: Section  # a packed state to begin with
    spare: Section  # two packed states
    changes: Section
    rate: Section  # (size) of the state
    turned: Section  # the model of changes by the base frequency
    variation: Section


def run_state(model: FlowModel, tangent: FlowModel, tables: ModalTables, run: StateRun) -> int:
    """Run from the given state, with derivatives; returns at.DONE, or why it stopped.

    After at.NEED_TABLE it may be called again.
    """
    why = run_once(model, tables, run)
    if why == at.DONE:
        if run.derived > 0:
            differentiate_run(model, tangent, tables, run)
        run.slid = all_slid(model, run, 2)
    return why


def run_once(model: FlowModel, tables: ModalTables, run: StateRun) -> int:
    """Run from the given state; returns why it stopped. If it is at.DONE, the final state and the scales are set."""
    blank = run.blank
    state = State.over(run.state)
    recording = Recording.over(run.recording)
    for i in range(run.state_size):
        state.block[i] = blank[i]
    put_state(model, state, run.given)
    state.until = run.until
    recording.segment_count = 0
    recording.event_count = 0
    if begin_run(model, state, recording) == 0:
        return at.UNSETTLED
    recording.event_count = 0  # the first decision is not an event
    why = advance(model, state, tables, recording)
    if why == at.DONE:
        read_state(model, state, recording, run.ended)
        set_scales(run, model.coordinate_count)
    return why


def set_scales(run: StateRun, n: int) -> None:
    """Set the scales: one size for all displacements, one for all velocities, one for all stretches.

    Displacements or velocities may be zero at all events, so each scale is at least what the other implies.
    """
    size = run.size
    sizes = view(run.ended, size)
    scales = run.scales
    q = 0.0
    v = 0.0
    w = SMALLEST_SCALE
    for i in range(n):
        q = max(q, sizes[i])
        v = max(v, sizes[n + i])
    for i in range(2 * n, size):
        w = max(w, sizes[i])
    if max(q, v) > 0.0:
        q = max(q, run.least)
    for i in range(n):
        scales[i] = max(max(q, v / run.turn), SMALLEST_SCALE)
        scales[n + i] = max(max(v, run.turn * q), SMALLEST_SCALE)
    for i in range(2 * n, size):
        scales[i] = w


def differentiate_run(model: FlowModel, tangent: FlowModel, tables: ModalTables, run: StateRun) -> None:
    """Set the columns: the derivative of the final state by the given one, then by the logarithm of the base frequency
    with the length of the run in proportion, if it is requested. That column is NaN if Taylor steps were taken."""
    size = run.size
    numbers = run.state_size
    sweeps = 1 if run.derived > 1 else 0
    state = State.over(run.state)
    spare = State.over(run.spare)
    other = State.over(view(run.spare, numbers))
    columns = run.columns
    turned = FlowModel.over(run.turned)
    if sweeps == 1:
        frequency_tangent_model(model, tangent, run.model_size, turned)
    for i in range(numbers):
        spare.block[i] = state.block[i]
        other.block[i] = state.block[i]
    variation = Variation.over(run.variation)
    variation.model = model
    variation.tangent = tangent
    variation.turned = turned
    variation.state = spare
    variation.near = other
    variation.tables = tables
    variation.recording = Recording.over(run.recording)
    variation.end = run.until
    variation.changes = run.changes
    flow_derivative(variation, size, sweeps, columns)
    if sweeps == 1:
        for i in range(numbers):
            spare.block[i] = state.block[i]
        rate = run.rate
        state_rate(model, spare, rate)
        for i in range(size):
            columns[size * size + i] -= (run.until - State.over(run.blank).time) * rate[i]


def all_slid(model: FlowModel, run: StateRun, ways: int) -> bool:
    """True if all contacts and sliders have slid in at least so many directions; else the run may be one of a band.

    Contacts that lose their normal load, and those with a prescribed deflection, do not count.
    """
    contact_of = model.contact_of
    for e in range(model.unit_count):
        c = int(contact_of[e])
        if c >= 0:
            if model.driven[c] == 0.0 and model.stop[c] == 0.0 and ways_slid(model, run, e) < ways:
                return False
        elif is_slider(model, e) and ways_slid(model, run, e) < ways:
            return False
    return True


def ways_slid(model: FlowModel, run: StateRun, e: int) -> int:
    """The number of directions in which a contact or slider has slid in the last run; two if a contact was unloaded."""
    recording = Recording.over(run.recording)
    is_contact = model.contact_of[e] >= 0.0
    first = -1.0
    count = 0
    for r in range(recording.segment_count):
        piece = segment_at(recording, r).piece[e]
        slides = piece == float(at.SLIP_UP) or piece == float(at.SLIP_DOWN)
        if is_contact:
            if piece == float(at.UNLOADED):
                return 2
        else:
            own = model.pieces[int(model.first_piece[e]) + int(piece)]
            slides = not own.moves
            if own.given and own.given_constant == 0.0 and own.given_partner == 0.0:
                return 2  # apart, it forgets its stretch
        if slides and piece != first:
            if count > 0:
                return 2
            first = piece
            count = 1
    return count


def solve_by_elimination(matrix: Array, right: Array, size: int) -> bool:
    """Solve matrix (size, size) x = right in place, by Gauss elimination with pivoting; False without full rank."""
    least = 1e300
    most = 0.0
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            if abs(matrix[i * size + k]) > abs(matrix[best * size + k]):
                best = i
        pivot = matrix[best * size + k]
        least = min(least, abs(pivot))
        most = max(most, abs(pivot))
        if not least > FULL_RANK_REL * most:
            return False
        if best != k:
            for j in range(k, size):
                swap_entries(matrix, k, best, size, j)
            swap_entries(right, k, best, 1, 0)
        for i in range(k + 1, size):
            part = matrix[i * size + k] / pivot
            if part != 0.0:
                for j in range(k + 1, size):
                    matrix[i * size + j] -= part * matrix[k * size + j]
                right[i] -= part * right[k]
    for back in range(size):
        k = size - 1 - back
        for j in range(k + 1, size):
            right[k] -= matrix[k * size + j] * right[j]
        right[k] /= matrix[k * size + k]
    return True
